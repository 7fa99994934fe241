"""A whole document in the other syntax, or anew in its own.

What is written says the same: every value, the order of members, numbers as they are spelt. It is
read again before anyone gets it. YAML is written so that readers of YAML 1.1 and 1.2 agree on it,
without anchors and tags. Comments are left behind.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from io import StringIO
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from manifestkit.authoring.places import ManifestPlace
from manifestkit.decode import Decoded, decode
from manifestkit.edits.layout import gaps, has_comment
from manifestkit.edits.patch import check_size, is_same_data, require_editable
from manifestkit.edits.writing import as_json, as_yaml
from manifestkit.model.document import Document, Node, Syntax
from manifestkit.model.errors import AuthoringError, EditRefusedError
from manifestkit.model.finding import Finding
from manifestkit.model.limits import DEFAULT_LIMITS, Limits, each_value
from manifestkit.model.pointer import Path
from manifestkit.schema.model import Schema

if TYPE_CHECKING:
    from ruamel.yaml.events import Event

_STEP = 2
_MOST_YAML = 8 * 1024 * 1024  # bytes: its emitter looks at each character, a second for 2 MB
_SURROGATE = re.compile("[\ud800-\udfff]")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_REAL = re.compile(rf"({_INTEGER.pattern})(\.[0-9]+)?(?:([eE])([-+]?)([0-9]+))?")


class Converted(NamedTuple):
    """A document in a syntax.

    Attributes:
        document: as it is read again; the same as before where something keeps it from that.
        obstacles: the findings that keep it from being converted.
        leaves_comments: whether there are comments that are left behind.
    """

    document: Document
    obstacles: tuple[Finding, ...] = ()
    leaves_comments: bool = False


def convert(decoded: Decoded, to: Syntax, limits: Limits = DEFAULT_LIMITS) -> Converted:
    """Return a document in a syntax.

    Raises:
        EditRefusedError: the document or the text is beyond the limits, or would say something
            else.
    """
    document = decoded.document
    if decoded.findings or not decoded.readable:
        return Converted(document, decoded.findings)
    return Converted(_converted(document, to, limits), (), _has_comments(document))


def _converted(document: Document, to: Syntax, limits: Limits) -> Document:
    check_size(document)
    into = StringIO()
    if to == "yaml" and isinstance(document.value, dict | list):
        _write_yaml(_bounded(_parts(document, to), into, min(limits.bytes, _MOST_YAML)), into)
    else:  # a scalar of JSON is one of YAML too
        _write_json(_bounded(_parts(document, to), into, limits.bytes), into)
    again = decode(into.getvalue().encode(), f"{document.name}.{to}", limits)
    if not again.readable or again.findings:
        reason = again.findings[0].message if again.findings else "it could not be read"
        raise EditRefusedError(f"in the converted text: {reason}")
    value = again.document.value
    if not is_same_data(value, document.value) or _orders(value) != _orders(document.value):
        raise EditRefusedError("the converted text would have different values")
    return again.document


def _orders(value: Any) -> list[list[str]]:
    return [list(each) for each in each_value(value) if isinstance(each, dict)]


# -- the parts of a document -------------------------------------------------------------------


class _Part(NamedTuple):
    """Part of a document: what begins, ends or is there; a number with its spelling."""

    kind: Literal["{", "}", "[", "]", "key", "scalar"]
    value: Any = None
    spelling: str = ""


def _parts(document: Document, to: Syntax, path: Path = ()) -> Iterator[_Part]:
    """Yield the parts of the value at a path in order, what aliases repeat written out."""
    has_odd_numbers = document.has_fractions or document.syntax == "yaml" or "-0" in document.text
    node = document.node(path) if has_odd_numbers else None
    todo: list[tuple[Any, Node | None] | _Part] = [(document.value_at(path), node)]
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
    whole, fraction, e, sign, exponent = match.groups()
    if not e:
        return whole + (fraction or ".0")
    return f"{whole}{fraction or '.0'}{e}{sign or '+'}{exponent}" if to == "yaml" else match[0]


# -- the texts of both syntaxes ----------------------------------------------------------------


def _bounded(parts: Iterable[_Part], into: StringIO, most: int) -> Iterator[_Part]:
    """Yield parts as long as what is written of them is not too large to be read again."""
    for part in parts:
        yield part
        if into.tell() > most:
            raise EditRefusedError(f"the text would be larger than {most:,} bytes")


def _write_json(parts: Iterable[_Part], into: StringIO) -> None:
    depth = 0
    before = ""
    for kind, value, spelling in parts:
        closes = kind in "}]"
        depth -= closes
        if before not in ("", "key") and not (closes and before in "{["):
            comma = "" if closes or before in "{[" else ","
            into.write(f"{comma}\n{' ' * (_STEP * depth)}")
        if kind in "{[}]":
            into.write(kind)
            depth += not closes
        elif kind == "key":
            into.write(as_json(value) + ": ")
        else:
            into.write(spelling or as_json(value))
        before = kind
    into.write("\n")


def text_at(decoded: Decoded, schema: Schema, place: str) -> tuple[str, bool]:
    """Return the text of the value at a place, and whether it is a string.

    A string is as it is; all else is JSON, its numbers as they are spelt.

    Raises:
        AuthoringError: the place is none, or there is nothing.
        EditRefusedError: the manifest cannot be read.
    """
    document = require_editable(decoded)
    try:
        path = ManifestPlace.parse(document, schema, place).existing()
    except EditRefusedError as problem:
        raise AuthoringError(f"{document.name}: {problem}") from None
    value = document.value_at(path)
    if isinstance(value, str):
        return value, True
    into = StringIO()
    _write_json(_parts(document, "json", path), into)
    return into.getvalue().removesuffix("\n"), False


def _write_yaml(parts: Iterable[_Part], into: StringIO) -> None:
    from ruamel.yaml import YAML  # noqa: PLC0415 - what writes no YAML goes without

    yaml = YAML(pure=True)
    yaml.width = sys.maxsize  # no line is broken
    yaml.indent(mapping=_STEP, sequence=2 * _STEP, offset=_STEP)
    yaml.emit(_events(parts), into)


def _events(parts: Iterable[_Part]) -> Iterator[Event]:
    from ruamel.yaml import events, tag  # noqa: PLC0415 - likewise

    text_tag = tag.Tag(suffix="tag:yaml.org,2002:str")  # the emitter wants it of an empty text
    yield events.StreamStartEvent()
    yield events.DocumentStartEvent(explicit=False)
    for kind, value, spelling in parts:
        if kind == "{":
            yield events.MappingStartEvent(None, None, implicit=True, flow_style=False)
        elif kind == "}":
            yield events.MappingEndEvent()
        elif kind == "[":
            yield events.SequenceStartEvent(None, None, implicit=True, flow_style=False)
        elif kind == "]":
            yield events.SequenceEndEvent()
        elif isinstance(value, str):
            style = _style(value, is_key=kind == "key")
            yield events.ScalarEvent(
                None, None if value else text_tag, (True, True), value, style=style
            )
        else:
            yield events.ScalarEvent(None, None, (True, True), spelling or as_json(value))
    yield events.DocumentEndEvent(explicit=False)
    yield events.StreamEndEvent()


def _style(text: str, *, is_key: bool) -> str | None:
    """Return the quotes of a text: none where all readers agree, `|` for lines of prose."""
    if _SURROGATE.search(text):  # not every reader takes it as an escape
        raise EditRefusedError(
            "YAML cannot contain a lone surrogate; `manifest lint` shows its place"
        )
    if as_yaml(text) == text:
        return None
    return "|" if not is_key and _is_prose(text) else '"'


def _is_prose(text: str) -> bool:
    """Return whether a text has lines that a block shows as they are."""
    return (
        "\n" in text
        and text[0] not in " \n"
        and not text.endswith(("\n\n", " "))
        and " \n" not in text
        and text.replace("\n", "").isprintable()
    )


def _has_comments(document: Document) -> bool:
    return (
        document.syntax == "yaml"
        and "#" in document.text
        and any(has_comment(document.text, *each) for each in gaps(document))
    )
