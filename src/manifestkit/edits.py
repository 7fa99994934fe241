"""A change of a manifest's data as the fewest edits of its text."""

from __future__ import annotations

import json
from typing import Any

from manifestkit.document import Document
from manifestkit.finding import Edit
from manifestkit.pointer import Path


def replace_value(document: Document, path: Path, value: Any) -> Edit:
    """Put another value in the place of one."""
    return Edit(*document.node(path).span, _text(value))


def rename_member(document: Document, path: Path, name: str) -> Edit:
    """Give a member another name."""
    span = document.key_span(path)
    if span is None:
        raise ValueError(f"{path} is no member")
    return Edit(*span, _text(name))


def append_item(document: Document, path: Path, value: Any) -> Edit:
    """Put one more item at the end of an array, in the manner of the items before it."""
    node = document.node(path)
    items = node.items or []
    if not items:
        return Edit(*node.span, f"[{_text(value)}]")
    last = items[-1].span
    between = document.text[items[-2].span.end : last.start] if len(items) > 1 else None
    if between is None:
        lead = document.text[node.span.start + 1 : last.start]
        between = f",{lead}" if "\n" in lead or "\r" in lead else ", "
    return Edit(last.end, last.end, between + _text(value))


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
