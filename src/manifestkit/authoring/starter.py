"""A new manifest, and what an old one is missing."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from manifestkit.authoring.answers import with_answer
from manifestkit.authoring.pointers import member_before
from manifestkit.decode import decode
from manifestkit.edits import Editor, proven
from manifestkit.edits.scalars import as_json, as_yaml, escaped
from manifestkit.model.document import Document
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.limits import DEFAULT_LIMITS, count_characters
from manifestkit.model.pointer import Path, parse_pointer
from manifestkit.schema.model import Schema

Syntax = Literal["json", "yaml"]

_WIDTH = 88
_STEP = 2


def as_text(schema: Schema, value: Any, syntax: Syntax, reference: str | None = None) -> str:
    """A manifest's text.

    Args:
        schema: what describes its members.
        value: the manifest.
        syntax: how to write it.
        reference: where the manifest's schema stands, for editors; a path from the manifest.
    """
    if syntax == "yaml":
        return "".join(f"{line}\n" for line in _yaml_lines(schema, value, reference))
    if reference is not None and isinstance(value, dict):
        value = {"$schema": reference, **{k: v for k, v in value.items() if k != "$schema"}}
    return escaped(json.dumps(value, indent=_STEP, ensure_ascii=False)) + "\n"


def _yaml_lines(schema: Schema, value: Any, reference: str | None) -> Iterator[str]:
    if reference is not None:
        yield f"# yaml-language-server: $schema={reference}"
    yield from _comment(schema, (), 0)
    if not isinstance(value, dict) or not value:
        yield _inline(value)
        return
    for name, member in value.items():
        yield ""
        yield from _member(schema, (name,), member, 0)


def _member(schema: Schema, path: Path, value: Any, indent: int) -> Iterator[str]:
    # Items are alike: what their members are for stands at the first.
    if not any(isinstance(token, int) and token for token in path):
        yield from _comment(schema, path, indent)
    key = f"{' ' * indent}{as_yaml(str(path[-1]))}:"
    if not value or not isinstance(value, dict | list):
        yield f"{key} {_inline(value)}"
        return
    yield key
    below = indent + _STEP
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _member(schema, (*path, name), member, below)
        return
    for index, item in enumerate(value):
        yield from _item(schema, (*path, index), item, below)


def _item(schema: Schema, path: Path, item: Any, indent: int) -> Iterator[str]:
    dash = f"{' ' * indent}- "
    if not isinstance(item, dict) or not item:
        yield dash + _inline(item)
        return
    lines = [
        line
        for name, member in item.items()
        for line in _member(schema, (*path, name), member, len(dash))
    ]
    first = next(i for i, line in enumerate(lines) if not line.lstrip().startswith("#"))
    yield from (line[_STEP:] for line in lines[:first])
    yield dash + lines[first][len(dash) :]
    yield from lines[first + 1 :]


def _comment(schema: Schema, path: Path, indent: int) -> Iterator[str]:
    field = schema.field(path)
    said = "".join(c if c.isprintable() else " " for c in (field and field.description) or "")
    lead = f"{' ' * indent}# "
    yield from textwrap.wrap(
        said,
        width=_WIDTH,
        initial_indent=lead,
        subsequent_indent=lead,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _inline(value: Any) -> str:
    """A value on one line, behind its name or dash."""
    return as_yaml(value) if isinstance(value, str) else _flow(value)


def _flow(value: Any) -> str:
    """A value on one line, as a part of another one."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{as_json(k)}: {_flow(v)}' for k, v in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    return as_yaml(value, like='"')


class Addition(NamedTuple):
    """A member that a manifest gets.

    Attributes:
        path: where it is to be.
        value: what is to be there, with all that is below it.
    """

    path: Path
    value: Any


def additions(before: Any, after: Any, path: Path = ()) -> Iterator[Addition]:
    """The members that a value has more than it had, outermost only; nothing else differs."""
    if isinstance(before, dict):
        for name, value in after.items():
            if name in before:
                yield from additions(before[name], value, (*path, name))
            else:
                yield Addition((*path, name), value)
    elif isinstance(before, list):
        for index, item in enumerate(before):
            yield from additions(item, after[index], (*path, index))


def filled(document: Document, schema: Schema, value: Any) -> Document:
    """A manifest with the members that it is missing, each where the schema has its place.

    Args:
        document: the manifest.
        schema: what orders the members.
        value: what it shall say: what it says, and more members.

    Raises:
        EditRefusedError: its text cannot be edited so.
    """
    for path, added in list(additions(document.value, value)):
        behind = member_before(document.value_at(path[:-1]), schema, path)
        edits = Editor(document).add(path, added, after=behind)
        document = proven(document, edits, with_answer(document.value, path, added))
    return document


@dataclass(frozen=True, slots=True)
class Source:
    """What someone wrote beforehand.

    Attributes:
        document: what was read.
    """

    document: Document

    @property
    def value(self) -> dict[str, Any]:
        """The answers, as they stand in a manifest."""
        value: dict[str, Any] = self.document.value
        return value

    def place(self, pointer: str) -> str | None:
        """Where a value stands, as `file:line:column`; None if it is not from here."""
        path: list[str | int] = []
        value = self.document.value
        try:
            for token in parse_pointer(pointer):
                path.append(int(token) if isinstance(value, list) else token)
                value = value[path[-1]]
            at = self.document.locate(path)
        except (KeyError, IndexError):
            return None
        return f"{self.document.name}:{at.line}:{at.column}"


def read_source(data: bytes, name: str, *, is_file: bool) -> Source:
    """Read answers: by the suffix of a file's name, and what has no name, as it begins.

    Raises:
        ConfigurationError: they are not one readable object.
    """
    suffix = "" if is_file or data.lstrip()[:1] == b"{" else ".yaml"
    decoded = decode(data, f"{name}{suffix}")
    document = decoded.document
    if suffix:
        document = document.as_of(name=name)
    if decoded.findings:
        first = decoded.findings[0]
        at = first.location
        raise ConfigurationError(f"{name}:{at.line}:{at.column}: {first.message}")
    if not isinstance(document.value, dict):
        raise ConfigurationError(f"{name}:1:1: answers are an object, as a manifest is one")
    if count_characters(document.value) > DEFAULT_LIMITS.bytes:  # aliases repeat what they name
        raise ConfigurationError(
            f"{name}:1:1: these answers make a manifest of more than {DEFAULT_LIMITS.bytes:,} bytes"
        )
    return Source(document)
