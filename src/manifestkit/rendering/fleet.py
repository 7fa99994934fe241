"""The impact of a change on a fleet: as text and as JSON.

`IMPACT_FORMATS` lists the output formats by name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from manifestkit.findings.messages import counted
from manifestkit.model.fleet import Impact
from manifestkit.rendering.escape import Style, visible

_MOST = 20
_FORM = 1
_NO_NAME = "(none)"

_Row = Sequence[Any]


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
    rules = [
        (each.rule, each.newly_failing, each.new, each.gone, each.example) for each in impact.rules
    ]
    yield from _text_table(("rule", "newly failing", "new in", "gone from", "for example"), rules)
    providers = impact.providers
    if len(providers) > _MOST and all(max(each[1:3]) <= 1 for each in providers):
        yield f"\n{len(providers):,} providers with at most 1 newly failing or passing manifest "
        yield "each; JSON has them all\n"
    else:
        changes = (
            " ".join([*(f"+{rule}" for rule in each.new), *(f"-{rule}" for rule in each.gone)])
            for each in providers
        )
        rows = [(*each[:3], changed) for each, changed in zip(providers, changes, strict=True)]
        yield from _text_table(("provider", "newly failing", "newly passing", "rules"), rows)


def as_json(impact: Impact, _: Style) -> Iterator[str]:
    """All of it, as an object."""
    yield json.dumps({"version": _FORM, **_object(impact)}, indent=2) + "\n"


IMPACT_FORMATS: dict[str, Callable[[Impact, Style], Iterator[str]]] = {
    "text": impact_text,
    "json": as_json,
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
