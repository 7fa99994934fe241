"""A document as a sequence of tokens, with the spelling of its numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from manifestkit.edits.scalars import as_json
from manifestkit.model.document import Document, Node
from manifestkit.model.errors import EditRefusedError

Syntax = Literal["json", "yaml"]
Kind = Literal["{", "}", "[", "]", "key", "scalar"]

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_REAL = re.compile(
    r"""(?=[-+.]?\.?[0-9])(?P<sign>[-+]?)0*(?P<whole>[0-9]*)(?P<point>\.)?(?P<fraction>[0-9]*)
        (?:(?P<e>[eE])(?P<direction>[-+]?)(?P<exponent>[0-9]+))?""",
    re.VERBOSE,
)
_ALIAS = re.compile(r"\*[^\s,\[\]{}]+")


class Token(NamedTuple):
    """A part of a document.

    Attributes:
        kind: what begins or ends, or is there.
        text: how a number is to be written; "" for all else.
        value: a key's name, or a scalar.
    """

    kind: Kind
    text: str = ""
    value: Any = None


_OPEN_OBJECT, _CLOSE_OBJECT = Token("{"), Token("}")
_OPEN_ARRAY, _CLOSE_ARRAY = Token("["), Token("]")


def tokens(document: Document, to: Syntax) -> Iterator[Token]:
    """The parts of a document in order, what aliases repeat written out.

    Args:
        document: where numbers are spelt.
        to: the syntax that they are to be spelt in.

    Raises:
        EditRefusedError: a number has more digits than can be written.
    """
    spellings = _Spellings(document, to)
    has_odd_numbers = document.has_fractions or document.syntax == "yaml" or "-0" in document.text
    root = document.root if has_odd_numbers else None
    todo: list[tuple[Any, Node | None] | Token] = [(document.value, root)]
    while todo:
        each = todo.pop()
        if isinstance(each, Token):
            yield each
            continue
        value, node = each
        if isinstance(value, dict):
            yield _OPEN_OBJECT
            todo.append(_CLOSE_OBJECT)
            for name in reversed(value):
                todo.append((value[name], node and (node.members or {})[name].node))
                todo.append(Token("key", value=name))
        elif isinstance(value, list):
            yield _OPEN_ARRAY
            todo.append(_CLOSE_ARRAY)
            items = node.items if node and node.items is not None else [None] * len(value)
            todo.extend(zip(reversed(value), reversed(items), strict=True))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield Token("scalar", spellings.of(value, node), value)
        else:
            yield Token("scalar", value=value)


def is_alias(document: Document, node: Node) -> bool:
    """Whether a value is written as an alias of another."""
    return (
        document.syntax == "yaml"
        and document.text.startswith("*", node.span.start)
        and _ALIAS.fullmatch(document.text, *node.span) is not None
    )


class _Spellings:
    """Spells numbers as a document does, in a syntax."""

    def __init__(self, document: Document, to: Syntax) -> None:
        self._document = document
        self._to = to
        # An alias has the very object that its anchor has, and comes after it.
        self._seen: dict[int, str] = {}

    def of(self, value: float, node: Node | None) -> str:
        """How a number is to be written."""
        source = self._source(value, node)
        if isinstance(value, int):
            return source if _INTEGER.fullmatch(source) else _digits(value)
        match = _REAL.fullmatch(source) or _REAL.fullmatch(as_json(value))
        assert match is not None  # noqa: S101 - JSON's numbers are such
        return self._real(match)

    def _source(self, value: float, node: Node | None) -> str:
        if node is None:
            return ""
        if is_alias(self._document, node):
            return self._seen.get(id(value), "")
        source = self._document.text[node.span.start : node.span.end]
        if isinstance(value, float) and self._document.syntax == "yaml":
            self._seen[id(value)] = source
        return source

    def _real(self, match: re.Match[str]) -> str:
        """A real number, with a fraction or an exponent.

        YAML 1.1 takes for text what has an exponent, but no point or no sign before it.
        """
        sign, whole, exponent = match["sign"].replace("+", ""), match["whole"] or "0", ""
        fraction = f".{match['fraction'] or '0'}" if match["point"] else ""
        if match["e"]:
            direction = match["direction"] or ("+" if self._to == "yaml" else "")
            exponent = f"{match['e']}{direction}{match['exponent']}"
        if not exponent or self._to == "yaml":
            fraction = fraction or ".0"
        return f"{sign}{whole}{fraction}{exponent}"


def _digits(value: int) -> str:
    try:
        return str(value)
    except ValueError:  # Python writes no number of so many digits
        raise EditRefusedError("a number has more digits than can be written") from None
