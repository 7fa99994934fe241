"""The description of what stands at a position."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol.types import Hover, MarkupContent, MarkupKind, Position

from manifestkit.lsp.cursor import Cursor, cursors_at
from manifestkit.lsp.documents import Analysis
from manifestkit.lsp.findings import findings_at
from manifestkit.model.finding import Finding
from manifestkit.model.location import Span
from manifestkit.rendering.explanation import explain_field

_NOT_SHOWN = frozenset({"Members", "Members of each item", "Allowed items", "Good", "Bad"})


def hover(analysis: Analysis, position: Position) -> Hover | None:
    """Describe what stands at a position: findings first, then the schema."""
    text, syntax = analysis.text, analysis.manifest.document.syntax
    offset = text.offset(position)
    parts = [_finding(each) for each in findings_at(analysis, Span(offset, offset))]
    shown = None
    for cursor in cursors_at(text.content, offset, syntax):
        described = [*_described(analysis, cursor)] if cursor.span.start < cursor.span.end else []
        if described:
            shown = text.range(cursor.span)
            parts += described
            break
    if not parts:
        return None
    return Hover(MarkupContent(MarkupKind.Markdown, "\n\n---\n\n".join(parts)), shown)


def _finding(finding: Finding) -> str:
    page = finding.url
    rule = f"[{finding.rule}]({page})" if page else f"`{finding.rule}`"
    lines = [f"**{finding.severity.value}** {rule}: {finding.message}", finding.help]
    return "\n\n".join(filter(None, (*lines, finding.clause and f"*{finding.clause}*")))


def _described(analysis: Analysis, cursor: Cursor) -> Iterator[str]:
    for own in (analysis.schema, *analysis.policy.profiles):
        field = own.field(cursor.path)
        if field:
            break
    else:
        return
    source = analysis.text.content[cursor.span.start : cursor.span.end].strip("'\"")
    meanings = [about for value, about in field.values if value == source and about]
    if not cursor.is_name and meanings:
        reading = f"\n\n*{field.reading}*" if field.reading else ""
        yield f"**{source}**\n\n{meanings[0]}{reading}"
    explained = explain_field(own, cursor.path, field)
    shown = [f"**{explained.title}**"]
    for each in explained.sections:
        if each.heading not in _NOT_SHOWN:
            shown += filter(None, (each.heading and f"{each.heading}:", each.text))
    yield "\n\n".join(shown)
