"""Every value and every member name is placed on its very characters."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import manifestkit
from manifestkit.decode import decode
from manifestkit.model.document import Document, Node
from manifestkit.model.errors import PointerSyntaxError
from manifestkit.model.location import LineIndex, Span
from manifestkit.model.pointer import Path, format_pointer, parse_pointer
from rows import rows

_SPACE = st.text(" \t\n\r", max_size=4)
_NUMBERS = st.from_regex(
    r"-?(0|[1-9][0-9]{0,18})(\.[0-9]{1,6})?([eE][+-]?[0-9]{1,2})?", fullmatch=True
).filter(str.isascii)
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\b": "\\b", "\f": "\\f"} | {
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
}
# Line ends of other standards, a mark, astral and combining characters, a lone surrogate.
_AWKWARD = '\u2028\u2029\u0085\ufeff\x7f\u00e9e\u0301\U0001f468\u200d\u5750\ud83d/~"\\\n\t\x00'
_CHARACTERS = st.characters(categories=["L", "N", "P", "S", "Z", "C"]) | st.sampled_from(_AWKWARD)


@dataclass
class Layout:
    """A JSON text, and where its writer put each value and each member name."""

    text: str = ""
    values: dict[Path, Span] = field(default_factory=dict)
    keys: dict[Path, Span] = field(default_factory=dict)

    def write(self, text: str) -> Span:
        start = len(self.text)
        self.text += text
        return Span(start, len(self.text))


@st.composite
def spelt_strings(draw: st.DrawFn) -> str:
    """The JSON text of a string, each character written in one of the ways there are."""
    spelt = ""
    for character in draw(st.text(_CHARACTERS, max_size=8)):
        ways = [
            "".join(
                f"\\u{unit:04x}" if draw(st.booleans()) else f"\\u{unit:04X}"
                for unit in _utf16(character)
            )
        ]
        if character in _SHORT_ESCAPES:
            ways.append(_SHORT_ESCAPES[character])
        if character >= " " and character not in '"\\' and not "\ud800" <= character <= "\udfff":
            ways.append(character)
        spelt += draw(st.sampled_from(ways))
    return f'"{spelt}"'


def _utf16(character: str) -> list[int]:
    data = character.encode("utf-16-be", errors="surrogatepass")
    return [int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2)]


_SCALARS = st.sampled_from(["true", "false", "null"]) | _NUMBERS | spelt_strings()
_KEYS = spelt_strings() | st.sampled_from(['"a/b"', '"~"', '""', '"~1"', '"0"'])
# A tree of texts: a scalar, a list of trees, or a dict of trees by the text of their names.
_TREES: st.SearchStrategy[Any] = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(
            st.tuples(_KEYS, inner), max_size=4, unique_by=lambda pair: json.loads(pair[0])
        ).map(dict)
    ),
    max_leaves=12,
)


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    """Any JSON text: nested, in random white space, escapes and spellings, no key twice."""
    layout = Layout("\ufeff" if draw(st.booleans()) else "")

    def put(tree: Any, path: Path) -> None:
        start = len(layout.text)
        if isinstance(tree, dict):
            layout.write("{")
            for number, (key, each) in enumerate(tree.items()):
                layout.write(("," if number else "") + draw(_SPACE))
                inside = (*path, json.loads(key))
                layout.keys[inside] = layout.write(key)
                layout.write(draw(_SPACE) + ":" + draw(_SPACE))
                put(each, inside)
                layout.write(draw(_SPACE))
            layout.write("}")
        elif isinstance(tree, list):
            layout.write("[" + draw(_SPACE))
            for index, each in enumerate(tree):
                layout.write(("," if index else "") + draw(_SPACE))
                put(each, (*path, index))
                layout.write(draw(_SPACE))
            layout.write("]")
        else:
            layout.write(tree)
        layout.values[path] = Span(start, len(layout.text))

    layout.write(draw(_SPACE))
    put(draw(_TREES), ())
    layout.write(draw(_SPACE))
    return layout


def places(node: Node, path: Path = ()) -> list[tuple[Path, Span, Span | None]]:
    """Each path of a document with the spans of its value and its name."""
    found: list[tuple[Path, Span, Span | None]] = [(path, node.span, None)]
    for name, member in (node.members or {}).items():
        (_, span, _), *inner = places(member.node, (*path, name))
        found += [((*path, name), span, member.key), *inner]
    for index, item in enumerate(node.items or ()):
        found += places(item, (*path, index))
    return found


def value_at(document: Document, path: Path) -> Any:
    value = document.value
    for token in path:
        value = value[token]
    return value


@given(layouts())
def test_each_span_holds_the_text_of_its_value_and_of_its_key(layout: Layout) -> None:
    decoded = decode(layout.text, "x.json")
    assert decoded.readable
    assert not decoded.findings
    document = decoded.document
    assert document.value == json.loads(layout.text.removeprefix("\ufeff"))
    for path, span, key in places(document.root):
        assert json.loads(layout.text[slice(*span)]) == value_at(document, path)
        if key is not None:
            assert json.loads(layout.text[slice(*key)]) == path[-1]


@given(layouts())
def test_each_span_is_where_the_text_was_written_and_none_is_missing(layout: Layout) -> None:
    document = decode(layout.text, "x.json").document
    found = places(document.root)
    assert {path: span for path, span, _ in found} == layout.values
    assert {path: key for path, _, key in found if key is not None} == layout.keys


@given(layouts())
def test_a_syntax_error_after_a_text_moves_no_span_of_it(layout: Layout) -> None:
    """What is told of an unreadable file counts on the same places."""
    decoded = decode(layout.text + " x", "x.json")
    assume(decoded.findings)
    assert {path: span for path, span, _ in places(decoded.document.root)} == layout.values


@given(layouts(), st.randoms(use_true_random=False))
def test_a_document_is_found_by_path_in_any_order(layout: Layout, chance: random.Random) -> None:
    document = decode(layout.text, "x.json").document
    paths = list(layout.values)
    chance.shuffle(paths)
    for path in paths:
        assert document.node(path).span == layout.values[path]
        unread = document.named("y.json")
        for each in (document, unread):
            assert each.spans(path) == (layout.keys.get(path), layout.values[path])
        for missing in ("no such name", 0, 1_000):
            if (*path, missing) in layout.values:
                continue
            with pytest.raises(KeyError):
                document.node((*path, missing))
            with pytest.raises(KeyError):
                unread.spans((*path, missing))
    found = places(document.root)
    assert {path: span for path, span, _ in found} == layout.values


# -- lines and columns -----------------------------------------------------------------------

_MARKS = st.sampled_from(["", "\ufeff"])
_LINES = st.text(st.sampled_from("ab\t\r\n\x0b\x0c\x85\u2028\u2029坐\U0001f600\u0301"), max_size=30)


@given(_MARKS, _LINES)
def test_lines_end_at_lf_crlf_and_cr_and_columns_count_code_points(mark: str, text: str) -> None:
    whole = mark + text
    index = LineIndex(whole)
    line, column = 1, 1
    for at, character in enumerate(text):
        assert index.position(at + len(mark)) == (line, column)
        ends = character == "\n" or (character == "\r" and text[at + 1 : at + 2] != "\n")
        line, column = (line + 1, 1) if ends else (line, column + 1)
    assert index.position(len(whole)) == (line, column)


@given(_MARKS, _LINES)
def test_a_line_is_shown_without_its_end_and_without_the_mark(mark: str, text: str) -> None:
    index = LineIndex(mark + text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert [index.line(number) for number in range(1, len(lines) + 1)] == lines


def test_a_byte_order_mark_is_no_column_but_an_offset() -> None:
    found = manifestkit.lint("\ufeff[]").findings
    (finding,) = [each for each in found if each.rule == "wrong-type"]
    assert (finding.location.line, finding.location.column) == (1, 1)
    assert finding.location.span == (1, 3)


# -- pointers --------------------------------------------------------------------------------


@given(st.lists(st.text(st.characters() | st.sampled_from("~/01"), max_size=5)))
def test_a_pointer_is_read_back_as_the_path_it_was_written_from(path: list[str]) -> None:
    assert parse_pointer(format_pointer(path)) == tuple(path)


@rows(
    ("path", "pointer"),
    [
        ((), ""),
        (("",), "/"),
        (("a/b",), "/a~1b"),
        (("m~n",), "/m~0n"),
        (("~1",), "/~01"),
        (("foo", 0), "/foo/0"),
        ((" ", 'k"l', "c%d"), '/ /k"l/c%d'),
    ],
)
def test_a_pointer_is_written_as_rfc_6901_says(path: Path, pointer: str) -> None:
    assert format_pointer(path) == pointer


@rows("text", ["a", "a/b", "/~", "/~2", "/a~/b", "#/a"])
def test_what_is_no_pointer_is_refused(text: str) -> None:
    with pytest.raises(PointerSyntaxError, match="is not a JSON pointer"):
        parse_pointer(text)


@rows("path", [("b",), ("a", 2), ("a", "0"), ("a", 0, "x"), (0,)])
def test_a_path_that_leads_nowhere_is_a_key_error(path: Path) -> None:
    with pytest.raises(KeyError):
        decode('{"a": [1, 2]}', "x.json").document.node(path)
