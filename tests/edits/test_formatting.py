"""`fmt` changes nothing but the form, and a second time nothing at all (design/edits.md)."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from manifestkit.decode import decode
from manifestkit.edits.formatting import formatted
from manifestkit.edits.patch import is_same_data
from manifestkit.model.document import Document, Node
from manifestkit.model.errors import EditRefusedError
from manifestkit.schema.model import Schema
from manifestkit.schema.sources import Sources
from rows import rows
from styles import documents

CAB: dict[str, Any] = {"properties": {name: {} for name in "cab"}}
ORDER = Schema("order", Sources.local(CAB))
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
    try:
        text = formatted(document, ORDER)
    except EditRefusedError as refusal:
        assume("stands in brackets" not in str(refusal))
        raise
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


STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
NAMES = ("c", "a", "b", "x", "$x", "long name, and longer still", "é")
VALUES = st.recursive(
    st.none() | st.integers() | st.sampled_from(["", 'a", "b', "[", "}\\", "x" * 50]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner),
    max_leaves=12,
)


@given(st.data())
def test_blanks_and_the_order_of_members_make_no_difference(data: st.DataObject) -> None:
    value = data.draw(st.dictionaries(st.sampled_from(NAMES), VALUES, min_size=1))
    written = json.dumps(value, indent=data.draw(st.sampled_from([2, None])), ensure_ascii=False)
    text = formatted(decode(written, "m.json").document, ORDER)
    assert formatted(decode(text, "m.json").document, ORDER) == text
    masked = STRING.sub(lambda found: '"' * len(found[0]), text)
    places = [0, *(found.start() for found in re.finditer(r'[{}\[\],:\n]|(?<!")"', masked))]
    at, blank = data.draw(st.sampled_from(places)), data.draw(st.sampled_from([" ", "\t", "   "]))
    odd = text[:at] + blank + text[at:]
    assert formatted(decode(odd, "m.json").document, ORDER) == text


@given(st.permutations(NAMES), st.sampled_from([2, None]))
def test_known_members_come_in_their_order(names: list[str], indent: int | None) -> None:
    written = json.dumps({"c": dict.fromkeys(names)}, indent=indent, ensure_ascii=False) + "\n"
    schema = {"properties": {"c": CAB}}
    order = Schema("nested", Sources.local(schema))
    found = decode(formatted(decode(written, "m.json").document, order), "m.json").document.value
    others = [name for name in names if name not in {"c", "a", "b", "$x"}]
    assert [*found["c"]] == ["$x", "c", "a", "b", *others]


@rows(
    ("text", "expected"),
    [
        ('{\n  "a": {\n  }\n}\n', '{\n  "a": {}\n}\n'),
        ('{\n  "a": [\n  ]\n}\n', '{\n  "a": []\n}\n'),
        ("[1, 2]\n", "[\n  1,\n  2\n]\n"),
        ('{\n  "a": { "b": [1] }\n}\n', None),
        (f'{{\n  "a": [{"1" * 88}]\n}}\n', None),
        (f'{{\n  "a": [{"1" * 90}]\n}}\n', None),
        (f'{{\n  "a": [{"1" * 91}]\n}}\n', f'{{\n  "a": [\n    {"1" * 91}\n  ]\n}}\n'),
        (f'{{\n  "a": [{"1" * 90}],\n  "b": 1\n}}\n', None),
    ],
)
def test_brackets_stay_on_one_line_where_they_stand_on_one_and_fit(
    text: str, expected: str | None
) -> None:
    assert formatted(decode(text, "m.json").document, ORDER) == (expected or text)
