"""The impact of a change on a fleet: as text, as JSON and as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from manifestkit.findings.words import counted
from manifestkit.rendering.escape import Style, code, columns, json_text, padded, visible

_HEADINGS = ("rule", "newly failing", "new in", "gone from", "for example")


class RuleImpact(NamedTuple):
    """The effect of a change on one rule, in numbers of manifests."""

    rule: str
    new: int  # in which it finds something now and did not before
    gone: int  # the other way round
    newly_failing: int  # that fail by it now and did not fail before
    example: str  # the URI of one that fails by it now, or else has something new or gone


class Impact(NamedTuple):
    """The difference between two results of a fleet; what most fail by comes first."""

    before: str | None  # the digest of the policy; None where rows have several
    after: str | None
    manifests: int  # in both, by their URI
    added: int
    added_failing: int
    removed: int
    edited: int  # of those in both, those with another content
    newly_failing: int
    newly_passing: int
    rules: tuple[RuleImpact, ...]  # for which something changed
    newly_failing_uris: tuple[str, ...]


def _text(impact: Impact, style: Style) -> Iterator[str]:
    failing = style.paint("error", f"{impact.newly_failing:,} newly failing")
    yield from _counts(impact, failing)
    if not impact.rules:
        return
    rows = [_HEADINGS, *_rows(impact)]
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    yield "\n"
    for rule, *numbers, example in rows:
        cells = (each.rjust(width) for each, width in zip(numbers, widths[1:-1], strict=True))
        yield "  ".join([padded(rule, widths[0]), *cells, example]) + "\n"


def _markdown(impact: Impact, _: Style) -> Iterator[str]:
    yield from _counts(impact, f"**{impact.newly_failing:,} newly failing**")
    if not impact.rules:
        return
    yield f"\n| {' | '.join(_HEADINGS)} |\n| --- | --: | --: | --: | --- |\n"
    for rule, *numbers, example in _rows(impact):
        cells = (code(rule), *numbers, code(example))
        yield f"| {' | '.join(each.replace('|', chr(92) + '|') for each in cells)} |\n"


def _json(impact: Impact, _: Style) -> Iterator[str]:
    rules = [each._asdict() for each in impact.rules]
    yield json_text({"version": 1, **impact._asdict(), "rules": rules}, indent=2) + "\n"


def _counts(impact: Impact, failing: str) -> Iterator[str]:
    yield f"{counted(impact.manifests, 'manifest')} compared: {failing}, "
    yield f"{impact.newly_passing:,} newly passing\n"
    if impact.newly_failing > 1:
        yield "`--output-format json` lists all that newly fail\n"
    failing_too = f" ({impact.added_failing:,} of them failing)" if impact.added_failing else ""
    others = {
        f"added{failing_too}": impact.added,
        "removed": impact.removed,
        "edited": impact.edited,
    }
    if any(others.values()):
        yield ", ".join(f"{count:,} {what}" for what, count in others.items() if count) + "\n"
    if impact.before == impact.after:
        yield "both were checked with the same profile and options\n"


def _rows(impact: Impact) -> Iterator[tuple[str, ...]]:
    for each in impact.rules:
        numbers = (f"{number:,}" for number in (each.newly_failing, each.new, each.gone))
        yield visible(each.rule), *numbers, visible(each.example)


IMPACT_FORMATS: dict[str, Callable[[Impact, Style], Iterator[str]]] = {
    "text": _text,
    "json": _json,
    "markdown": _markdown,
}
