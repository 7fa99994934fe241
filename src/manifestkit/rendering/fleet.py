"""What a change means for a fleet: as text, as JSON and as a page.

`IMPACT_FORMATS` lists the output formats by name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from manifestkit.findings.messages import counted
from manifestkit.model.fleet import Impact
from manifestkit.rendering.escape import Style, visible
from manifestkit.rendering.html.page import Count, bar, link, name, page, part, table, text
from manifestkit.rules.catalogue import rule_page

_MOST = 20
_MOST_ON_PAGE = 1_000
_FORM = 1
_NO_NAME = "(none)"

_Row = Sequence[Any]


def _rules_of_impact(impact: Impact) -> list[_Row]:
    return [
        (each.rule, each.newly_failing, each.new, each.gone, each.example) for each in impact.rules
    ]


def impact_text(impact: Impact, style: Style) -> Iterator[str]:
    """Yield the counts, then what changed by rule and by provider."""
    failing = style.paint("error", f"{impact.newly_failing:,} newly failing")
    yield f"{counted(impact.manifests, 'manifest')} compared: {failing}, "
    yield f"{impact.newly_passing:,} newly passing\n"
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
    headings = ("rule", "newly failing", "new in", "gone from", "for example")
    yield from _text_table(headings, _rules_of_impact(impact))
    providers = impact.providers
    if len(providers) > _MOST and all(max(each[1:3]) <= 1 for each in providers):
        yield f"\n{len(providers):,} providers with at most 1 newly failing or passing manifest "
        yield "each; JSON has them all\n"
    else:
        rules = (
            " ".join([*(f"+{rule}" for rule in each.new), *(f"-{rule}" for rule in each.gone)])
            for each in providers
        )
        rows = [(*each[:3], changed) for each, changed in zip(providers, rules, strict=True)]
        yield from _text_table(("provider", "newly failing", "newly passing", "rules"), rows)


def impact_page(impact: Impact, _: Style) -> Iterator[str]:
    """Yield what newly fails and newly passes, by rule and by provider, as a page."""
    verdict = (
        f"{impact.newly_failing:,} newly failing" if impact.newly_failing else "Nothing newly fails"
    )
    lead = f"{counted(impact.manifests, 'manifest')} compared."
    if impact.before == impact.after:
        lead += " Both were checked with the same profile and options."
    others = [
        Count(impact.added, "added"),
        Count(impact.added_failing, "added and failing"),
        Count(impact.removed, "removed"),
        Count(impact.edited, "edited"),
    ]
    counts = [
        Count(impact.newly_failing, "newly failing", "error" if impact.newly_failing else ""),
        Count(impact.newly_passing, "newly passing", "good" if impact.newly_passing else ""),
        *(each for each in others if each.number),
    ]
    providers = [
        (
            part(
                "provider",
                name=_named(each.provider),
                rules=_rules({"new: ": each.new, "gone: ": each.gone}),
            ),
            each.newly_failing,
            each.newly_passing,
        )
        for each in impact.providers[:_MOST_ON_PAGE]
    ]
    content = (
        *_rule_table(("newly failing", "share", "new in", "gone from"), _rules_of_impact(impact)),
        *_page_table(
            "Providers",
            ("provider", "newly failing", "newly passing"),
            providers,
            len(impact.providers),
        ),
    )
    yield from page("manifest fleet impact", verdict, lead, counts, content)


def as_json(impact: Impact, _: Style) -> Iterator[str]:
    """All of it, as an object."""
    yield json.dumps({"version": _FORM, **_object(impact)}, indent=2) + "\n"


IMPACT_FORMATS: dict[str, Callable[[Impact, Style], Iterator[str]]] = {
    "text": impact_text,
    "json": as_json,
    "html": impact_page,
}


def _object(value: Any) -> dict[str, Any]:
    return {
        name: [_object(row) if hasattr(row, "_asdict") else row for row in each]
        if isinstance(each, tuple)
        else each
        for name, each in value._asdict().items()
    }


def _text_table(headings: Sequence[str], rows: Sequence[_Row], most: int = _MOST) -> Iterator[str]:
    """Yield a table below an empty line, its first rows only; nothing for no rows."""
    if not rows:
        return
    cells = [tuple(headings), *(tuple(map(_cell, row)) for row in rows[:most])]
    are_numbers = [each.replace(",", "").isdigit() for each in cells[1]]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    yield "\n"
    for row in cells:
        shown = (
            cell.rjust(width) if is_number else cell.ljust(width)
            for cell, width, is_number in zip(row, widths, are_numbers, strict=True)
        )
        yield "  ".join(shown).rstrip() + "\n"
    if len(rows) > most:
        yield f"and {len(rows) - most:,} more; JSON has them all\n"


def _cell(value: str | int | None) -> str:
    if value is None:
        return _NO_NAME
    return visible(value) if isinstance(value, str) else f"{value:,}"


def _rule_table(headings: Sequence[str], rows: Sequence[_Row]) -> Iterator[Markup]:
    """Yield the table of rules, with a bar for the first number of each."""
    most = max((row[1] for row in rows), default=0)
    shown = [
        (
            _rule(rule),
            number,
            bar(number, most, "error") if number else "",
            *others,
            _named(example),
        )
        for rule, number, *others, example in rows[:_MOST_ON_PAGE]
    ]
    yield from _page_table("Rules", ("rule", *headings, "for example"), shown, len(rows))


def _page_table(
    caption: str, headings: Sequence[str], rows: Sequence[Sequence[object]], count: int
) -> Iterator[Markup]:
    """Yield a table of the first rows; nothing for none."""
    if rows:
        yield table(caption, headings, rows)
    if count > len(rows):
        yield part("beyond", number=f"{count - len(rows):,}")


def _rules(lists: Mapping[str, Sequence[str]]) -> Markup:
    said = (
        text(what) + Markup(", ").join(map(_rule, rules)) for what, rules in lists.items() if rules
    )
    return Markup("; ").join(said)


def _rule(rule: str) -> Markup:
    return link(rule_page(rule), name(rule))


def _named(given: str | None) -> object:
    return _NO_NAME if given is None else name(given)
