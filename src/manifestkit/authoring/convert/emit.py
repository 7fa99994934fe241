"""YAML of any age, by the emitter of ruamel.yaml: blocks, two spaces a level."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from ruamel.yaml import YAML
from ruamel.yaml.emitter import Emitter, ScalarAnalysis
from ruamel.yaml.events import (
    DocumentEndEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    StreamStartEvent,
)
from ruamel.yaml.tag import Tag

from manifestkit.authoring.convert.source import SourceToken
from manifestkit.edits.scalars import as_json, may_be_plain
from manifestkit.edits.scalars import as_yaml as as_yaml_scalar
from manifestkit.model.errors import EditRefusedError

_STEP = 2
_TEXT = Tag(suffix="tag:yaml.org,2002:str")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE_BREAK = re.compile("[\n\x85\u2028\u2029]")


class _Emitter(Emitter):
    """Writes each scalar in the style of its event, without a look at each of its characters."""

    def analyze_scalar(self, scalar: str) -> ScalarAnalysis:
        """Allow all styles: `_style` has chosen one."""
        return ScalarAnalysis(
            scalar=scalar,
            empty=not scalar,
            multiline=_LINE_BREAK.search(scalar) is not None,
            allow_flow_plain=True,
            allow_block_plain=True,
            allow_single_quoted=True,
            allow_double_quoted=True,
            allow_block=True,
        )

    def write_double_quoted(self, text: str, split: bool = True) -> None:  # noqa: ARG002, FBT001, FBT002
        """Write a text between double quotes, on one line."""
        self.write_indicator(as_json(text), need_whitespace=True)


class _Pieces:
    """Takes what the emitter writes."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def write(self, piece: str) -> None:
        self._pieces.append(piece)

    def taken(self) -> list[str]:
        """Return the pieces written since the last call."""
        pieces, self._pieces = self._pieces, []
        return pieces


def as_yaml(written: Iterator[SourceToken]) -> Iterator[str]:
    """Yield the pieces of a YAML text."""
    first = next(written)
    if first.kind == "scalar":
        yield (first.text or as_yaml_scalar(first.value)) + "\n"
        return
    pieces = _Pieces()
    yaml = YAML(pure=True)
    yaml.Emitter = _Emitter
    yaml.width = sys.maxsize  # no line is broken
    yaml.indent(mapping=_STEP, sequence=2 * _STEP, offset=_STEP)
    emitter = yaml.emitter
    emitter.stream = pieces
    emitter.emit(StreamStartEvent())
    emitter.emit(DocumentStartEvent(explicit=False))
    emitter.emit(_event(first))
    for token in written:
        emitter.emit(_event(token))
        yield from pieces.taken()
    emitter.emit(DocumentEndEvent(explicit=False))
    emitter.emit(StreamEndEvent())
    yield from pieces.taken()


def _event(token: SourceToken) -> Event:
    if token.kind == "{":
        return MappingStartEvent(anchor=None, tag=None, implicit=True, flow_style=False)
    if token.kind == "}":
        return MappingEndEvent()
    if token.kind == "[":
        return SequenceStartEvent(anchor=None, tag=None, implicit=True, flow_style=False)
    if token.kind == "]":
        return SequenceEndEvent()
    if isinstance(token.value, str):
        style = _style(token.value, is_key=token.kind == "key")
        return _scalar(token.value, style)
    return _scalar(token.text or as_json(token.value), None)


def _scalar(text: str, style: str | None) -> ScalarEvent:
    tag = None if text else _TEXT  # the emitter asks an empty scalar for its tag
    return ScalarEvent(anchor=None, tag=tag, implicit=(True, True), value=text, style=style)


def _style(text: str, *, is_key: bool) -> str | None:
    """None for a text that needs no quotes, whatever reads it; ``|`` for lines of prose.

    Raises:
        EditRefusedError: it has a lone surrogate, which not every reader takes as an escape.
    """
    if _SURROGATE.search(text):
        raise EditRefusedError("YAML cannot contain a lone surrogate")
    if may_be_plain(text):
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
