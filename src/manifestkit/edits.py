"""A change of a manifest's data as the fewest edits of its text.

An edit is given only where it says exactly what the change says, and nothing else: in YAML a
value may stand in several places by its alias, or under a tag that decides what its text means.
There is none then; a property test holds every edit to the change it stands for.
"""

from __future__ import annotations

import json
import re
from typing import Any

from manifestkit.document import Document, Member, Node
from manifestkit.finding import Edit
from manifestkit.location import Span
from manifestkit.pointer import Path

_PLAIN_IN_YAML = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:[./-][A-Za-z0-9_]+)+|[a-z]{3,}(?:_[a-z]+)*")
_QUOTES = frozenset({'"', "'"})
_WORDS_IN_YAML = frozenset({"true", "false", "null", "yes", "off"})
_ANCHOR = re.compile(r"&([^\s,\[\]{}]+)")
_TAGGED = re.compile(r"(?:^|[\s,\[{:?-])!")
_BETWEEN_ITEMS = re.compile(r"\s*,\s*")
_LINE_REST = re.compile(r"[^\r\n]*")
_LINE_BREAK = re.compile(r"\r\n?|\n")
_KEEPS_BREAKS = re.compile(r"[|>][1-9]?\+")
# What a file in UTF-8 cannot hold, or YAML wants written as an escape.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


def replace_value(document: Document, path: Path, value: Any) -> Edit | None:
    """Put another value in the place of one; None where no edit of the text says just that."""
    lead = _lead(document, path)
    if _is_shared(document, path) or _TAGGED.search(lead):
        return None
    span = document.node(path).span
    text = _text(value, document, span)
    if span.start == span.end:  # an absent value in YAML
        has_indicator = document.text[span.start - 1 : span.start] in (":", "-")
        return Edit(*span, f" {text}") if has_indicator else None
    gone = document.text[span.start : span.end]
    if _shares_column(document, path) or _is_aliased(document, gone):
        return None
    return Edit(*span, text)


def rename_member(document: Document, path: Path, name: str) -> Edit | None:
    """Give a member another name; None where no edit of the text says just that."""
    span = document.key_span(path)
    if span is None:
        raise ValueError(f"{path} is no member")
    owner = document.node(path[:-1])
    member = (owner.members or {})[str(path[-1])]
    lead = _before_key(document, owner, member)
    if (
        member.repeated  # the other one of that name would come to light
        or _is_shared(document, path[:-1], within=True)
        or _is_aliased(document, lead)
        or _TAGGED.search(lead)
    ):
        return None
    return Edit(*span, _text(name, document, span))


def append_item(document: Document, path: Path, value: Any) -> Edit | None:
    """Put one more item at the end of an array, in the manner of the items before it.

    None where no edit of the text says just that.
    """
    if _is_shared(document, path, within=True):
        return None
    node = document.node(path)
    items = node.items or []
    source = document.text[node.span.start : node.span.end]
    if not items:
        is_blank = not source[1:-1].strip()  # or else a comment would go
        return Edit(*node.span, f"[{_text(value, document)}]") if is_blank else None
    last = items[-1].span
    if not source.startswith("["):
        return _append_to_block(document, node, value)
    between = document.text[items[-2].span.end : last.start] if len(items) > 1 else ""
    if not _BETWEEN_ITEMS.fullmatch(between):
        lead = document.text[node.span.start + 1 : last.start]
        breaks = not lead.strip() and ("\n" in lead or "\r" in lead)
        between = f",{lead}" if breaks else ", "
    return Edit(last.end, last.end, between + _text(value, document, last))


def _append_to_block(document: Document, node: Node, value: Any) -> Edit | None:
    """One more line with a dash, below the last item and the comment behind it."""
    text, last = document.text, (node.items or [])[-1]
    leaf = _last_leaf(last).span
    if _KEEPS_BREAKS.match(text, leaf.start):
        return None  # the empty lines behind it belong to its text
    line, column = document.lines.position(node.span.start)
    dash = document.lines.line(line)[: column - 1]
    indent = " " * len(dash)
    line_end = _LINE_REST.match(text, last.span.end).end()  # type: ignore[union-attr]  # matches ""
    line_break = _LINE_BREAK.match(text, line_end) or _LINE_BREAK.search(text)
    start = line_break[0] if line_break else "\n"
    return Edit(line_end, line_end, f"{start}{indent}- {_text(value, document, last.span)}")


def _last_leaf(node: Node) -> Node:
    """The value that a value ends with."""
    while True:
        inner = list((node.members or {}).values())
        below = [each.node for each in inner] or node.items or []
        below = [each for each in below if each.span.start >= node.span.start]
        if not below:
            return node
        node = max(below, key=lambda each: each.span)


# -- what stands before a value --------------------------------------------------------------


def _lead(document: Document, path: Path) -> str:
    """What stands between a value and its name, or the item before it: its anchor and tag."""
    if document.syntax != "yaml":
        return ""
    start = document.node(path).span.start
    if not path:
        return document.text[:start]
    owner = document.node(path[:-1])
    token = path[-1]
    if isinstance(token, str):
        return document.text[(owner.members or {})[token].key.end : start]
    before = (owner.items or [])[token - 1].span.end if token else owner.span.start
    return document.text[before:start]


def _before_key(document: Document, owner: Node, member: Member) -> str:
    """What stands between a member's name and the member before it."""
    if document.syntax != "yaml":
        return ""
    ends = [
        max(each.node.span.end, each.key.end)
        for each in (owner.members or {}).values()
        if each.key.end <= member.key.start
    ]
    # The name of the first member in a block is where the block begins: its anchor is before it.
    start = max(ends, default=document.text.rfind("\n", 0, owner.span.start) + 1)
    return document.text[start : member.key.start]


def _is_shared(document: Document, path: Path, *, within: bool = False) -> bool:
    """Whether a change of the value at a path, or within it, would be one in other places too."""
    if document.syntax != "yaml" or "*" not in document.text:
        return False
    around = [path[:length] for length in range(len(path) + 1)]
    return any(
        document.text.startswith("*", document.node(each).span.start)
        for each in (around if within else around[:-1])
    ) or any(_is_aliased(document, _lead(document, each)) for each in around)


def _is_aliased(document: Document, lead: str) -> bool:
    """Whether an anchor stands in a stretch of text that an alias may repeat."""
    if document.syntax != "yaml":
        return False
    return any(f"*{name}" in document.text for name in _ANCHOR.findall(lead))


def _shares_column(document: Document, path: Path) -> bool:
    """Whether a value is a list at its key's own column, where nothing else may stand."""
    if document.syntax != "yaml" or not path or not isinstance(path[-1], str):
        return False
    node = document.node(path)
    key_line, key_column = document.lines.position(document.node(path[:-1]).span.start)
    line, column = document.lines.position(node.span.start)
    return line > key_line and column <= key_column and node.items is not None


# -- how a value is written ------------------------------------------------------------------


def _text(value: Any, document: Document, instead_of: Span | None = None) -> str:
    """A value as the document writes such: plain in YAML, where its neighbour is and may be."""
    if document.syntax == "yaml" and isinstance(value, str) and instead_of is not None:
        is_plain = document.text[instead_of.start : instead_of.start + 1] not in _QUOTES
        if is_plain and _PLAIN_IN_YAML.fullmatch(value) and value not in _WORDS_IN_YAML:
            return value
    return _UNPRINTABLE.sub(
        lambda odd: f"\\u{ord(odd[0]):04x}", json.dumps(value, ensure_ascii=False)
    )
