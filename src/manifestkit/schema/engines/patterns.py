"""Regular expressions of JSON Schema for Python's `re`, which is not linear.

A pattern is put into Python's dialect so that it finds the same texts, or refused: where Python
has no equivalent, and where backtracking could take exponential time. The latter is so exactly
when a part of the pattern can be repeated in two ways over the same text, as in ``(a+)+``.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple, NoReturn, TypeVar

_SPACE = "\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_NO_SPACE = (
    "\0-\x08\x0e-\x1f!-\x9f\xa1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e"
    "\u2060-\u2fff\u3001-\ufefe\uff00-\U0010ffff"
)
_CLASSES = {
    "d": "0-9",
    "D": "\0-/:-\U0010ffff",
    "s": _SPACE,
    "S": _NO_SPACE,
    "w": "A-Za-z0-9_",
    "W": r"\0-/:-@\[-\^`{-" + "\U0010ffff",
}
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v"}
_ESCAPE = re.compile(
    r"\\(?:([dDsSwW])|([tnrfv])|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|([^\w\s]))", re.ASCII
)
_OPENING = re.compile(r"\((?!\?)|\(\?:|\(\?P?<[A-Za-z_]\w*>", re.ASCII)
_REPETITION = re.compile(r"(?:[*+?]|\{([0-9]{1,4})(,?)([0-9]{0,4})\})\??")
NOT_LINEAR = re.compile(r"\(\?<?[=!]|\\[1-9]|\\k<")
NOT_LINEAR_PROBLEM = (
    "is not a supported regular expression: lookaround and backreferences are not available"
)
_ASSERTIONS = {"^": "^", "$": r"\Z"}
_ASCII = [chr(code) for code in range(128)]
_WIDE = ""
"""Stands for any character that is not of ASCII."""

_T = TypeVar("_T")
_MOST_POSITIONS = 60
_LONGEST = (sys.maxsize, 10_000, 2_000)
"""The length of texts for a pattern without, with one and with more repetitions without end."""


class PatternError(ValueError):
    """A pattern cannot be used on this engine."""


class TranslatedPattern(NamedTuple):
    """A pattern in Python's dialect.

    Attributes:
        text: the pattern.
        longest: the length of the texts that it is searched in.
    """

    text: str
    longest: int


class _Piece(NamedTuple):
    """A part of a pattern: where a match of it may begin and end."""

    text: str
    is_nullable: bool
    first: frozenset[int] = frozenset()
    last: frozenset[int] = frozenset()


@lru_cache(maxsize=512)
def translated(pattern: str) -> TranslatedPattern:
    """Return a pattern in Python's dialect.

    Raises:
        PatternError: there is none, or it may take exponential time.
    """
    parser = _Parser(pattern)
    try:
        part = parser.alternatives()
        re.compile(part.text)
    except (re.error, OverflowError, RecursionError) as error:
        raise PatternError(f"is not a supported regular expression: {error}") from None
    if parser.index < len(pattern):
        parser.refuse()
    _check_unambiguous(parser.characters, parser.steps)
    longest = _LONGEST[min(parser.loops, 2)]
    return TranslatedPattern(f"(?:{part.text})", longest)


class _Parser:
    """Reads a pattern, and numbers the positions in it that take a character.

    Attributes:
        index: how far it has come.
        characters: what each position takes.
        steps: the positions that may follow each other, as often as there are ways between them.
        loops: how many repetitions have no end.
    """

    def __init__(self, pattern: str) -> None:
        self.index = 0
        self.characters: list[frozenset[str]] = []
        self.steps: list[tuple[int, int]] = []
        self.loops = 0
        self._pattern = pattern

    def refuse(self) -> NoReturn:
        left = self._pattern[self.index :][:12] or self._pattern
        if NOT_LINEAR.match(left):
            raise PatternError(NOT_LINEAR_PROBLEM)
        raise PatternError(
            f"is not a supported regular expression without jsonschema-rs, at `{left}`"
        )

    def alternatives(self) -> _Piece:
        part = self._sequence()
        while self._skip("|"):
            other = self._sequence()
            part = _Piece(
                f"{part.text}|{other.text}",
                part.is_nullable or other.is_nullable,
                part.first | other.first,
                part.last | other.last,
            )
        return part

    def _skip(self, text: str) -> bool:
        is_there = self._pattern.startswith(text, self.index)
        self.index += len(text) if is_there else 0
        return is_there

    def _sequence(self) -> _Piece:
        part = _Piece("", is_nullable=True)
        while self.index < len(self._pattern) and self._pattern[self.index] not in "|)":
            each = self._repeated(self._atom())
            self._join(part.last, each.first)
            part = _Piece(
                part.text + each.text,
                part.is_nullable and each.is_nullable,
                part.first | each.first if part.is_nullable else part.first,
                part.last | each.last if each.is_nullable else each.last,
            )
        return part

    def _join(self, ends: Iterable[int], starts: Iterable[int]) -> None:
        self.steps += [(end, start) for end in ends for start in starts]

    def _repeated(self, part: _Piece) -> _Piece:
        found = _REPETITION.match(self._pattern, self.index)
        if found is None:
            return part
        self.index = found.end()
        if _REPETITION.match(self._pattern, self.index) or not part.first:
            self.refuse()
        least, comma, most = found.group(1, 2, 3)
        if found[0][0] != "?" and (comma or (most or least) != "1"):
            self._join(part.last, part.first)
        self.loops += found[0][0] in "*+" or (comma is not None and comma != "" and not most)
        is_nullable = part.is_nullable or found[0][0] in "*?" or least == "0"
        return part._replace(text=part.text + found[0], is_nullable=is_nullable)

    def _atom(self) -> _Piece:
        start = self.index
        if opening := _OPENING.match(self._pattern, start):
            self.index = opening.end()
            part = self.alternatives()
            if not self._skip(")"):
                self.refuse()
            return part._replace(text=f"(?:{part.text})")
        for each, text in _ASSERTIONS.items():
            if self._skip(each):
                return _Piece(text, is_nullable=True)
        if self._skip("["):
            return self._position(self._class())
        if self._skip("."):
            return self._position("[^\n\r\u2028\u2029]")
        if self._pattern[start] in "*+?{(":
            self.refuse()
        item, is_class = self._item()
        return self._position(f"[{item}]" if is_class else item)

    def _position(self, text: str) -> _Piece:
        found = set(re.findall(text, "".join(_ASCII)))
        if not text.isascii() or text.startswith("[^"):
            found.add(_WIDE)
        self.characters.append(frozenset(found))
        at = frozenset({len(self.characters) - 1})
        return _Piece(text, False, at, at)  # noqa: FBT003 - the field is named above

    def _item(self) -> tuple[str, bool]:
        """Return a character or a class, for inside or outside of brackets."""
        if not self._skip("\\"):
            self.index += 1
            return re.escape(self._pattern[self.index - 1]), False
        self.index -= 1
        escape = _ESCAPE.match(self._pattern, self.index)
        if escape is None:
            self.refuse()
        self.index = escape.end()
        kind, control, short, long, other = escape.groups()
        if kind:
            return _CLASSES[kind], True
        character = _CONTROLS.get(control) or other or chr(int(short or long, 16))
        if "\ud800" <= character <= "\udfff":
            self.refuse()
        return re.escape(character), False

    def _class(self) -> str:
        made = "[^" if self._skip("^") else "["
        if self._pattern.startswith("]", self.index):
            self.refuse()
        while not self._pattern.startswith("]", self.index):
            if self.index >= len(self._pattern):
                self.refuse()
            item, is_class = self._item()
            made += item
            if (
                self._pattern.startswith("-", self.index)
                and self._pattern[self.index + 1 :][:1] != "]"
            ):
                self.index += 1
                end, is_other = self._item() if self.index < len(self._pattern) else ("", True)
                if is_class or is_other or end == r"\-":
                    self.refuse()
                made += f"-{end}"
        self.index += 1
        return f"{made}]"


def _check_unambiguous(characters: list[frozenset[str]], steps: list[tuple[int, int]]) -> None:
    """Refuse a pattern that comes back to a position in two ways over the same text."""
    after: dict[int, set[int]] = defaultdict(set)
    before: dict[int, set[int]] = defaultdict(set)
    for start, end in steps:
        after[start].add(end)
        before[end].add(start)
    counted = Counter(steps)
    for position in range(len(characters)):
        ends, starts = _reached(position, after), _reached(position, before)
        loop = ends & starts
        pairs = {
            (one, other) for one in loop for other in loop if characters[one] & characters[other]
        }
        if len(loop) > _MOST_POSITIONS:
            raise PatternError(
                "has a repetition that is too large to be used without jsonschema-rs"
            )
        ahead: dict[tuple[int, int], set[tuple[int, int]]] = {
            (one, other): {(to, to_other) for to in after[one] for to_other in after[other]} & pairs
            for one, other in pairs
        }
        back: dict[tuple[int, int], set[tuple[int, int]]] = defaultdict(set)
        for pair, others in ahead.items():
            for each in others:
                back[each].add(pair)
        start_pair = (position, position)
        to_pairs, from_pairs = _reached(start_pair, ahead), _reached(start_pair, back)
        is_twice = any(counted[one, other] > 1 for one in loop for other in after[one] & loop)
        if is_twice or any(one != other for one, other in to_pairs & from_pairs):
            raise PatternError(
                "may take exponential time without jsonschema-rs: a repetition within a "
                "repetition can match the same text in two ways"
            )


def _reached(start: _T, steps: Mapping[_T, set[_T]]) -> set[_T]:
    """Return what is reached from a start in one step or more."""
    found: set[_T] = set()
    todo = [start]
    while todo:
        new = steps.get(todo.pop(), set()) - found
        found |= new
        todo.extend(new)
    return found
