"""The results of a fleet, and what a change means for it: for people, and as JSON.

`SUMMARY_FORMATS` and `IMPACT_FORMATS` list the output formats by name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from manifestkit.findings.messages import counted
from manifestkit.model.fleet import FleetSummary, Impact
from manifestkit.rendering.escape import Style, visible

_MOST = 20
_FORM = 1


def summary_text(summary: FleetSummary, style: Style) -> Iterator[str]:
    """Yield the counts, each rule, and the providers with the most failing manifests."""
    failing = style.paint("error", f"{summary.failing:,} fail")
    yield f"{counted(summary.manifests, 'manifest')}: {failing}\n"
    yield f"{counted(summary.errors, 'error')}, {counted(summary.warnings, 'warning')}\n"
    rows = [
        (each.rule, f"{each.manifests:,}", f"{each.findings:,}", _named(each.example))
        for each in summary.rules
    ]
    yield from _table(("rule", "manifests", "findings", "for example"), rows, len(rows))
    providers = [(_named(each.provider), f"{each.manifests:,}") for each in summary.providers]
    if len(providers) > _MOST and summary.providers[0].manifests == 1:
        yield f"\n{len(providers):,} providers with 1 failing manifest each; JSON has them all\n"
    else:
        yield from _table(("provider", "failing"), providers)


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
    rows = [
        (
            each.rule,
            f"{each.newly_failing:,}",
            f"{each.new:,}",
            f"{each.gone:,}",
            _named(each.example),
        )
        for each in impact.rules
    ]
    yield from _table(("rule", "newly failing", "new in", "gone from", "for example"), rows)
    providers = [
        (
            _named(each.provider),
            f"{each.newly_failing:,}",
            f"{each.newly_passing:,}",
            " ".join([*(f"+{rule}" for rule in each.new), *(f"-{rule}" for rule in each.gone)]),
        )
        for each in impact.providers
    ]
    if len(providers) > _MOST and all(
        max(each.newly_failing, each.newly_passing) <= 1 for each in impact.providers
    ):
        yield f"\n{len(providers):,} providers with at most 1 newly failing or passing manifest "
        yield "each; JSON has them all\n"
    else:
        yield from _table(("provider", "newly failing", "newly passing", "rules"), providers)


def as_json(contents: FleetSummary | Impact, _: Style) -> Iterator[str]:
    """All of it, as an object."""
    yield json.dumps({"version": _FORM, **_object(contents)}, indent=2) + "\n"


def _impact_html(impact: Impact, style: Style) -> Iterator[str]:
    from manifestkit.rendering.html.fleet import impact_page  # noqa: PLC0415 - when asked for

    return impact_page(impact, style)


def _summary_html(summary: FleetSummary, style: Style) -> Iterator[str]:
    from manifestkit.rendering.html.fleet import summary_page  # noqa: PLC0415 - likewise

    return summary_page(summary, style)


SUMMARY_FORMATS: dict[str, Callable[[FleetSummary, Style], Iterator[str]]] = {
    "text": summary_text,
    "json": as_json,
    "html": _summary_html,
}
IMPACT_FORMATS: dict[str, Callable[[Impact, Style], Iterator[str]]] = {
    "text": impact_text,
    "json": as_json,
    "html": _impact_html,
}


def _object(value: Any) -> dict[str, Any]:
    return {
        name: [_object(row) if hasattr(row, "_asdict") else row for row in each]
        if isinstance(each, tuple)
        else each
        for name, each in value._asdict().items()
    }


def _named(text: str | None) -> str:
    return "(none)" if text is None else visible(text)


def _table(
    head: tuple[str, ...], rows: Iterable[tuple[str, ...]], most: int = _MOST
) -> Iterator[str]:
    """Yield a table below an empty line, its first rows only; nothing for no rows."""
    listed = list(rows)
    shown = [head, *listed[:most]]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for index, row in enumerate(shown if listed else ()):
        cells = (
            cell.rjust(width) if _is_number(listed[0][place]) else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield ("\n" if index == 0 else "") + "  ".join(cells).rstrip() + "\n"
    if len(listed) > most:
        yield f"and {len(listed) - most:,} more; JSON has them all\n"


def _is_number(cell: str) -> bool:
    return cell.replace(",", "").isdigit()
