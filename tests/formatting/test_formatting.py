"""`fmt` changes nothing but the form, and a second time nothing at all (design/edits.md)."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given

from manifestkit.decode import decode
from manifestkit.edits import is_same_data
from manifestkit.edits.formatting import formatted
from manifestkit.model.document import Document, Node
from manifestkit.model.errors import EditRefusedError
from manifestkit.schema.model import Schema
from manifestkit.schema.sources import LocalResolver, Sources
from styles import documents

CAB: dict[str, Any] = {"properties": {name: {} for name in "cab"}}
ORDER = Schema("order", CAB, Sources("urn:order", CAB, LocalResolver(CAB)))
COMMENT = re.compile(r"# (?:own|comment|end|c|k)\b")


def spellings(document: Document) -> list[str]:
    """How every number, word and string is written, but for the indent of its further lines."""
    found: list[str] = []

    def collect(node: Node) -> None:
        source = document.text[node.span.start : node.span.end]
        if (node.members is None and node.items is None) or source.startswith("*"):
            lines = source.splitlines()
            found.append("\n".join([*lines[:1], *(line.strip() for line in lines[1:])]))
            return
        for member in (node.members or {}).values():
            found.append(document.text[member.key.start : member.key.end])
            collect(member.node)
        for item in node.items or []:
            collect(item)

    collect(document.root)
    return sorted(found)


def check(document: Document) -> None:
    text = formatted(document, ORDER)
    again = decode(text, document.name)
    assert again.readable, text
    assert is_same_data(again.document.value, document.value)
    assert spellings(again.document) == spellings(document)
    assert sorted(COMMENT.findall(text)) == sorted(COMMENT.findall(document.text))
    assert formatted(again.document, ORDER) == text
    assert text.endswith(("\n", "\r"))


@given(documents())
def test_formatting_keeps_values_spellings_and_comments(document: Document) -> None:
    check(document)


@given(documents(shares=True))
def test_what_is_shared_is_formatted_likewise_or_refused(document: Document) -> None:
    try:
        formatted(document, ORDER)
    except EditRefusedError:
        assert "*" in document.text
    else:
        check(document)
