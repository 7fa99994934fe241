"""A preview as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from manifestkit.engine import Report
from manifestkit.rendering import full
from manifestkit.rendering.escape import Style, columns, opening, visible, wrapped
from manifestkit.rendering.preview import Card, Fact, ListedValue, Preview

_CARD = 44
_MARGIN = "  "
_LONGER = 3  # what an escape adds at the start of a line


def as_text(preview: Preview, style: Style) -> Iterator[str]:
    """Yield a preview within the width of a terminal."""
    subject = preview.subject
    yield from _told(preview.title, style, role="strong")
    if subject.identifier not in ("", preview.title):
        yield from _told(subject.identifier, style, role="gutter")
    for fact in subject.facts:
        yield from _told(_said(fact), style)
    if preview.compared is not None:
        yield from _news(preview, style)
    for group in preview.groups:
        yield from _heading(group.heading, style)
        if not group.cards and not group.entries:
            yield from _told("none", style, _MARGIN)
        yield from _side_by_side(group.cards, style)
        for entry in group.entries:
            yield from _entry(entry, style)
    if preview.details:
        yield from _heading("Details", style)
    for fact in preview.details:
        yield from _told(_said(fact), style, _MARGIN)
    if preview.result.findings:
        yield from _heading("Findings", style)
        yield "\n"
        yield from full.render(Report.of([preview.result]), style)


def _said(fact: Fact) -> str:
    return f"{fact.title}: {fact.value}" + (f" ({fact.kind})" if fact.kind else "")


def _heading(text: str, style: Style) -> Iterator[str]:
    yield "\n"
    yield from _told(text, style, role="help")


def _entry(entry: ListedValue, style: Style) -> Iterator[str]:
    meaning = entry.meaning or "not described by the schema"
    yield from _told(f"- {meaning} ({entry.value})", style, _MARGIN, hanging=2)
    if entry.note:
        role = "warning" if entry.is_unused else "gutter"
        yield from _told(entry.note.replace("`", ""), style, 2 * _MARGIN, role)


def _news(preview: Preview, style: Style) -> Iterator[str]:
    """Return what changed, and whether people must consent again."""
    yield from _heading(f"Since {preview.old_name}", style)
    yield from _told(preview.verdict, style, _MARGIN, "error" if preview.consents else "info")
    for entry in preview.consents:
        yield from _entry(entry, style)
    findings = preview.compared.findings if preview.compared else ()
    if findings:
        yield "\n"
        yield from _told("What changed:", style, _MARGIN)
    for finding in findings:
        yield from _told(f"- {finding.message}", style, _MARGIN, hanging=2)


def _side_by_side(cards: Sequence[Card], style: Style) -> Iterator[str]:
    """Cards in as many columns as there is room for."""
    across = max(1, style.width // _CARD)
    width = style.width // across
    blocks = [list(_card(each, style, width)) for each in cards]
    for start in range(0, len(blocks), across):
        if start:
            yield "\n"
        for lines in zip_longest(*blocks[start : start + across], fillvalue=("", "")):
            row = "".join(_painted(line, role, style, width) for line, role in lines)
            yield row.rstrip() + "\n"


def _card(card: Card, style: Style, width: int) -> Iterator[tuple[str, str]]:
    """Yield the lines of a card, each with its role."""
    parts = [(card.title or "(no name)", "strong")]
    if card.identifier not in ("", card.title):
        parts.append((card.identifier, "gutter"))
    parts += [(_said(each), "") for each in card.facts]
    for text, role in parts:
        for line in _folded(text, style, width - 2 * len(_MARGIN)):
            yield _MARGIN + line, role


def _painted(line: str, role: str, style: Style, width: int = 0) -> str:
    blanks = " " * (width - columns(line))
    return (style.paint(role, line) if role else line) + blanks


def _told(
    text: str, style: Style, margin: str = "", role: str = "", hanging: int = 0
) -> Iterator[str]:
    """Yield a text within the width, behind a margin and, from line two, more blanks."""
    lines = _folded(text, style, style.width - len(margin) - hanging)
    for number, line in enumerate(lines):
        yield f"{margin}{' ' * (hanging if number else 0)}{_painted(line, role, style)}\n"


def _folded(text: str, style: Style, width: int) -> list[str]:
    room = width - _LONGER if "::" in text else width
    return [opening(line) for line in wrapped(style.writable(visible(text)), room)]
