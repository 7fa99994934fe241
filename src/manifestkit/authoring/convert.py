"""A whole document in the other syntax, or anew in its own.

What is written says the same: every value, the order of members, numbers as they are spelt. It is
read again before anyone gets it. YAML is written so that readers of YAML 1.1 and 1.2 agree on it,
without anchors and tags, and with the comments of YAML that stays YAML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

from manifestkit.authoring.comments import comments, with_comments
from manifestkit.decode import Decoded, decode
from manifestkit.edits.patch import check_size, is_same_data
from manifestkit.edits.scalars import as_json, as_yaml, may_be_plain
from manifestkit.engine import lint_text
from manifestkit.model.document import Document, Node, Syntax
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.finding import Finding
from manifestkit.model.limits import DEFAULT_LIMITS, Limits

_STEP = 2
_LONGEST_KEY = 128  # from here on, emitters write a `?` before it
_RULE = "lone-surrogate"
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE_BREAK = re.compile("[\n\x85\u2028\u2029]")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_REAL = re.compile(
    r"""(?=[-+.]?\.?[0-9])(?P<sign>[-+]?)0*(?P<whole>[0-9]*)(?P<point>\.)?(?P<fraction>[0-9]*)
        (?:(?P<e>[eE])(?P<direction>[-+]?)(?P<exponent>[0-9]+))?""",
    re.VERBOSE,
)


def obstacles(decoded: Decoded, to: Syntax) -> tuple[Finding, ...]:
    """Return the findings of a document that keep it from being converted."""
    if decoded.findings or not decoded.readable:
        return decoded.findings
    document = decoded.document
    if to == "json" or not _ESCAPED_SURROGATE.search(document.text):
        return ()
    found = lint_text(document.text, document.name).findings
    return tuple(each for each in found if each.rule == _RULE)


def converted(document: Document, to: Syntax, limits: Limits = DEFAULT_LIMITS) -> Document:
    """Return a document in a syntax, as it is read again.

    Args:
        document: what to write; there are no obstacles to it.
        to: the syntax.
        limits: bounds on what is read, which what is written keeps too.

    Raises:
        EditRefusedError: the document or the text is beyond the limits, or would say something
            else.
    """
    check_size(document, limits)
    parts = _parts(document, to)
    again = _verified(document, _as_json(parts) if to == "json" else _as_yaml(parts), to, limits)
    if to == "json" or document.syntax == "json":
        return again
    again = _verified(document, [with_comments(document, again)], to, limits)
    if sorted(comments(again)) != sorted(comments(document)):
        raise EditRefusedError("a comment would be lost")
    return again


def _verified(document: Document, pieces: Iterable[str], to: Syntax, limits: Limits) -> Document:
    """Return a written text, read again."""
    again = decode("".join(_bounded(pieces, limits)).encode(), f"{document.name}.{to}", limits)
    if not again.readable or again.findings:
        reason = again.findings[0].message if again.findings else "it could not be read"
        raise EditRefusedError(f"in the converted text: {reason}")
    value = again.document.value
    if not is_same_data(value, document.value) or list(_orders(value)) != list(
        _orders(document.value)
    ):
        raise EditRefusedError("the converted text would have different values")
    return again.document


def _bounded(pieces: Iterable[str], limits: Limits) -> Iterator[str]:
    """Yield the pieces of a text, as long as it is not too large to be read again."""
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > limits.bytes:
            raise EditRefusedError(f"the text would be larger than {limits.bytes:,} bytes")
        yield piece


def _orders(root: Any) -> Iterator[list[str]]:
    todo = [root]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            yield list(value)
            todo.extend(value.values())
        elif isinstance(value, list):
            todo.extend(value)


# -- the parts of a document -------------------------------------------------------------------


class _Part(NamedTuple):
    """Part of a document: what begins, ends or is there; a number with its spelling."""

    kind: Literal["{", "}", "[", "]", "key", "scalar"]
    value: Any = None
    spelling: str = ""


def _parts(document: Document, to: Syntax) -> Iterator[_Part]:
    """Yield the parts of a document in order, what aliases repeat written out."""
    has_odd_numbers = document.has_fractions or document.syntax == "yaml" or "-0" in document.text
    root = document.root if has_odd_numbers else None
    todo: list[tuple[Any, Node | None] | _Part] = [(document.value, root)]
    while todo:
        each = todo.pop()
        if isinstance(each, _Part):
            yield each
            continue
        value, node = each
        if isinstance(value, dict):
            yield _Part("{")
            todo.append(_Part("}"))
            for name in reversed(value):
                todo.append((value[name], node and node.child(name)))
                todo.append(_Part("key", name))
        elif isinstance(value, list):
            yield _Part("[")
            todo.append(_Part("]"))
            items = node.items if node and node.items is not None else [None] * len(value)
            todo.extend(zip(reversed(value), reversed(items), strict=True))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            source = (node and document.spelling(node)) or ""
            yield _Part("scalar", value, _number(value, source, to))
        else:
            yield _Part("scalar", value)


def _number(value: float, source: str, to: Syntax) -> str:
    """Spell a number as its source does, where that is JSON.

    YAML 1.1 takes for text what has an exponent, but no point or no sign before it.
    """
    if isinstance(value, int):
        try:
            return source if _INTEGER.fullmatch(source) else str(value)
        except ValueError:  # Python writes no number of so many digits
            raise EditRefusedError("a number has too many digits to write") from None
    match = _REAL.fullmatch(source) or _REAL.fullmatch(as_json(value))
    assert match is not None  # noqa: S101 - JSON's numbers are such
    sign, whole, exponent = match["sign"].replace("+", ""), match["whole"] or "0", ""
    fraction = f".{match['fraction'] or '0'}" if match["point"] else ""
    if match["e"]:
        direction = match["direction"] or ("+" if to == "yaml" else "")
        exponent = f"{match['e']}{direction}{match['exponent']}"
    if not exponent or to == "yaml":
        fraction = fraction or ".0"
    return f"{sign}{whole}{fraction}{exponent}"


# -- the texts of both syntaxes ----------------------------------------------------------------


def _as_json(parts: Iterator[_Part]) -> Iterator[str]:
    depth = 0
    before = ""
    for kind, value, spelling in parts:
        closes = kind in "}]"
        depth -= closes
        if before not in ("", "key") and not (closes and before in "{["):
            yield "" if closes or before in "{[" else ","
            yield "\n" + " " * (_STEP * depth)
        if kind in "{[}]":
            yield kind
            depth += not closes
        elif kind == "key":
            yield as_json(value) + ": "
        else:
            yield spelling or as_json(value)
        before = kind
    yield "\n"


def _as_yaml(parts: Iterator[_Part]) -> Iterator[str]:
    """Yield the lines of blocks, two spaces a level."""
    writer = _BlockWriter()
    for part in parts:
        if part.kind in "}]":
            yield from writer.end(part)
        else:
            yield from writer.begin(part)


class _BlockWriter:
    def __init__(self) -> None:
        self._around: list[tuple[bool, int]] = []  # is each a list, and the column of its entries
        self._line = ""  # what is begun
        self._column = 0  # where the entry around the next value stands
        self._may_open = True  # whether a block may begin on that line, or must on the next
        self._is_empty = False  # whether nothing of the innermost collection is written

    def end(self, part: _Part) -> Iterator[str]:
        self._around.pop()
        if self._is_empty:
            yield self._with_value("[]" if part.kind == "]" else "{}")
        self._is_empty = False

    def begin(self, part: _Part) -> Iterator[str]:
        if self._around and (part.kind == "key" or self._around[-1][0]):
            yield from self._next_entry()
        inner = self._column + _STEP * (not self._may_open)
        if part.kind == "key":
            name = _text(part.value)
            self._may_open = len(part.value) >= _LONGEST_KEY or bool(_LINE_BREAK.search(part.value))
            if self._may_open:
                yield f"{self._line}? {name}\n"
                self._line = " " * self._column + ": "
                self._column += _STEP
            else:
                self._line += f"{name}:"
        elif part.kind == "scalar" and isinstance(part.value, str):
            yield self._with_value(_text(part.value, inner if self._around else None))
        elif part.kind == "scalar":
            yield self._with_value(part.spelling or as_json(part.value))
        else:
            is_list = part.kind == "["
            self._around.append((is_list, inner + _STEP * (is_list and self._may_open)))
            self._is_empty = True

    def _next_entry(self) -> Iterator[str]:
        """Begin a line with an entry, up to a name or an item."""
        is_list, self._column = self._around[-1]
        if self._is_empty and self._may_open:
            self._line += " " * (_STEP * is_list)
        else:
            if self._is_empty:
                yield f"{self._line}\n"
            self._line = " " * self._column
        self._is_empty = False
        if is_list:
            self._line += "- "
            self._column += _STEP
            self._may_open = True

    def _with_value(self, written: str) -> str:
        return f"{self._line}{'' if self._may_open else ' '}{written}\n"


def _text(text: str, column: int | None = None) -> str:
    """Write a text as all readers take it; with a column, prose as a block of lines.

    Raises:
        EditRefusedError: it has a lone surrogate, which not every reader takes as an escape.
    """
    if _SURROGATE.search(text):
        raise EditRefusedError("YAML cannot contain a lone surrogate")
    if column is None or may_be_plain(text) or not _is_prose(text):
        return as_yaml(text)
    lines = (" " * column + line if line else "" for line in text.removesuffix("\n").split("\n"))
    return "\n".join(("|" if text.endswith("\n") else "|-", *lines))


def _is_prose(text: str) -> bool:
    """Return whether a text has lines that a block shows as they are."""
    return (
        "\n" in text
        and text[0] not in " \n"
        and not text.endswith(("\n\n", " "))
        and " \n" not in text
        and text.replace("\n", "").isprintable()
    )
