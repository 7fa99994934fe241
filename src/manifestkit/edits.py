"""A change of a manifest's data as the fewest edits of its text."""

from __future__ import annotations

import json
import re
from typing import Any

from manifestkit.document import Document, Node
from manifestkit.finding import Edit
from manifestkit.location import Span
from manifestkit.pointer import Path

_PLAIN_IN_YAML = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:[./-][A-Za-z0-9_]+)+|[a-z]{3,}(?:_[a-z]+)*")
_QUOTES = frozenset({'"', "'"})
_WORDS_IN_YAML = frozenset({"true", "false", "null", "yes", "off"})


def replace_value(document: Document, path: Path, value: Any) -> Edit:
    """Put another value in the place of one."""
    span = document.node(path).span
    return Edit(*span, _text(value, document, span))


def rename_member(document: Document, path: Path, name: str) -> Edit:
    """Give a member another name."""
    span = document.key_span(path)
    if span is None:
        raise ValueError(f"{path} is no member")
    return Edit(*span, _text(name, document, span))


def append_item(document: Document, path: Path, value: Any) -> Edit:
    """Put one more item at the end of an array, in the manner of the items before it."""
    node = document.node(path)
    items = node.items or []
    if not items:
        return Edit(*node.span, f"[{_text(value, document)}]")
    last = items[-1].span
    if document.text[node.span.start] != "[":
        return _append_to_block(document, node, value)
    between = document.text[items[-2].span.end : last.start] if len(items) > 1 else None
    if between is None or "#" in between:
        lead = document.text[node.span.start + 1 : last.start]
        between = f",{lead}" if "\n" in lead or "\r" in lead else ", "
    return Edit(last.end, last.end, between + _text(value, document, last))


def _append_to_block(document: Document, node: Node, value: Any) -> Edit:
    """One more line with a dash, below the last item and the comment behind it."""
    text, last = document.text, (node.items or [])[-1].span
    line, column = document.lines.position(node.span.start)
    dash = document.lines.line(line)[: column - 1]
    indent = " " * len(dash)
    line_end = _LINE_REST.match(text, last.end).end()  # type: ignore[union-attr]  # matches ""
    line_break = "\r\n" if "\r\n" in text else "\n"
    return Edit(line_end, line_end, f"{line_break}{indent}- {_text(value, document, last)}")


_LINE_REST = re.compile(r"[^\r\n]*")


def _text(value: Any, document: Document, instead_of: Span | None = None) -> str:
    """A value as the document writes such: plain in YAML, where its neighbour is and may be."""
    if document.syntax == "yaml" and isinstance(value, str) and instead_of is not None:
        is_plain = document.text[instead_of.start : instead_of.start + 1] not in _QUOTES
        if is_plain and _PLAIN_IN_YAML.fullmatch(value) and value not in _WORDS_IN_YAML:
            return value
    return json.dumps(value, ensure_ascii=False)
