"""A whole document in the other syntax, or anew in its own.

What is written says the same: every value, the order of members, numbers as they are spelt. It is
read again before anyone gets it. YAML is written so that readers of YAML 1.1 and 1.2 agree on it,
without anchors and tags; `comments` puts comments back where YAML stays YAML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from manifestkit.authoring.convert.source import (
    Kind,
    SourceToken,
    Syntax,
    comments,
    tokens,
    with_comments,
)
from manifestkit.decode import Decoded, decode
from manifestkit.edits import check_size, is_same_data
from manifestkit.edits.scalars import as_json
from manifestkit.engine import lint_text
from manifestkit.model.document import Document
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.finding import Finding
from manifestkit.model.limits import DEFAULT_LIMITS, Limits

_STEP = "  "
_RULE = "lone-surrogate"
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def obstacles(decoded: Decoded, to: Syntax) -> tuple[Finding, ...]:
    """Return the findings of a document that keep it from being converted."""
    if decoded.findings or not decoded.readable:
        return decoded.findings
    document = decoded.document
    if to == "json" or not _SURROGATE.search(document.text):
        return ()
    return tuple(
        each for each in lint_text(document.text, document.name).findings if each.rule == _RULE
    )


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
    if to == "json":
        text = "".join(_bounded(_as_json(tokens(document, to)), limits))
        return _proven(document, text, to, limits)
    from manifestkit.authoring.convert.emit import as_yaml  # noqa: PLC0415 - it imports ruamel.yaml

    for _ in _bounded((_least(each) for each in tokens(document, to)), limits):
        pass  # aliases repeat texts without end: that is seen before they are emitted
    text = "".join(_bounded(as_yaml(tokens(document, to)), limits))
    again = _proven(document, text, to, limits)
    if document.syntax == "json":
        return again
    text = "".join(_bounded(iter((with_comments(document, again),)), limits))
    again = _proven(document, text, to, limits)
    if sorted(comments(again)) != sorted(comments(document)):
        raise EditRefusedError("a comment would be lost")
    return again


def _bounded(pieces: Iterator[str], limits: Limits) -> Iterator[str]:
    """Yield the pieces of a text, as long as it is not too large to be read again."""
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > limits.bytes:
            raise EditRefusedError(f"the text would be larger than {limits.bytes:,} bytes")
        yield piece


def _least(token: SourceToken) -> str:
    """Return the least that is written of a part of a document."""
    return token.value if isinstance(token.value, str) else token.text


def _as_json(written: Iterator[SourceToken]) -> Iterator[str]:
    depth = 0
    before: Kind | None = None
    for kind, text, value in written:
        closes = kind in "}]"
        depth -= closes
        is_empty = closes and before is not None and before in "{["
        if before not in (None, "key") and not is_empty:
            yield "" if closes or before in ("{", "[") else ","
            yield "\n" + _STEP * depth
        if kind in "{[}]":
            yield kind
            depth += not closes
        elif kind == "key":
            yield as_json(value) + ": "
        else:
            yield text or as_json(value)
        before = kind
    yield "\n"


def _proven(document: Document, text: str, to: Syntax, limits: Limits) -> Document:
    """Return the written text, read again.

    Raises:
        EditRefusedError: it does not say what the document says.
    """
    again = decode(text.encode(), f"{document.name}.{to}", limits)
    if not again.readable or again.findings:
        reason = again.findings[0].message if again.findings else "it could not be read"
        raise EditRefusedError(f"in the converted text: {reason}")
    value = again.document.value
    if not is_same_data(value, document.value) or list(_orders(value)) != list(
        _orders(document.value)
    ):
        raise EditRefusedError("the converted text would have different values")
    return again.document


def _orders(root: Any) -> Iterator[list[str]]:
    todo = [root]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            yield list(value)
            todo.extend(value.values())
        elif isinstance(value, list):
            todo.extend(value)
