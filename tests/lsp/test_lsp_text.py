"""Offsets and positions are each other's inverse in every encoding, and nothing is out of range."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from lsprotocol.types import Position, PositionEncodingKind, Range

from manifestkit.lsp.text import Text
from rows import rows

_UNITS = {
    PositionEncodingKind.Utf8: ("utf-8", 1),
    PositionEncodingKind.Utf16: ("utf-16-le", 2),
    PositionEncodingKind.Utf32: ("utf-32-le", 4),
}
_texts = st.text(st.sampled_from("a\n\r\té€𝄞👩\u2028\u0085\x0b\ufeff"), max_size=40)
_encodings = st.sampled_from(sorted(_UNITS, key=str))


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


@given(_texts, _encodings, st.integers(0, 3))
def test_a_position_counts_lines_and_units_as_the_protocol_does(
    text: str, encoding: PositionEncodingKind, repeats: int
) -> None:
    text = text + text * repeats * 20  # over several blocks
    codec, width = _UNITS[encoding]
    seen = Text(text, encoding)
    for offset in range(len(text) + 1):
        if text[offset - 1 : offset + 1] == "\r\n":
            continue  # between the two is no position
        lines = _lines(text[:offset])
        expected = Position(len(lines) - 1, len(lines[-1].encode(codec)) // width)
        assert seen.position(offset) == expected
        assert seen.offset(expected) == offset


@given(_texts, _encodings, st.integers(0, 50), st.integers(0, 200))
def test_any_position_is_somewhere_in_the_text(
    text: str, encoding: PositionEncodingKind, line: int, character: int
) -> None:
    seen = Text(text, encoding)
    offset = seen.offset(Position(line, character))
    found = seen.position(offset)
    assert 0 <= offset <= len(text)
    assert (found.line, found.character) <= (line, character)


@given(_texts, _encodings, st.tuples(*[st.integers(0, 60)] * 4), _texts)
def test_an_edit_replaces_what_stands_between_two_positions(
    text: str, encoding: PositionEncodingKind, ends: tuple[int, int, int, int], new: str
) -> None:
    seen = Text(text, encoding)
    one, other = Position(*ends[:2]), Position(*ends[2:])
    start, end = sorted((seen.offset(one), seen.offset(other)))
    edited = seen.edited(Range(one, other), new).content
    assert edited == text[:start] + new + text[end:]


def test_half_of_a_character_becomes_one_that_can_be_written() -> None:
    assert Text("a\ud800b", PositionEncodingKind.Utf16).content == "a\ufffdb"


@rows("encoding", sorted(_UNITS, key=str))
def test_one_line_of_a_megabyte_takes_no_time_for_each_position(
    encoding: PositionEncodingKind,
) -> None:
    text = Text("é𝄞" * 500_000, encoding)
    places = [text.position(offset) for offset in range(0, 1_000_000, 500)]
    assert [text.offset(place) for place in places] == list(range(0, 1_000_000, 500))
