"""A new manifest as text: JSON, or YAML with comments that say what each member is for."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from typing import Any, Literal

from manifestkit.edits.scalars import as_json, as_yaml, escaped
from manifestkit.model.pointer import Path
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
