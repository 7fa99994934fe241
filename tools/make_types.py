"""Write the types of manifests from their schema: `python tools/make_types.py`.

The tests hold `src/manifestkit/types.py` to what this makes.
"""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

from manifestkit.model.pointer import Path as Pointer
from manifestkit.schema.model import Field
from manifestkit.schema.packaged import base_schema

MODULE = Path(__file__).parent.parent / "src" / "manifestkit" / "types.py"
_HEAD = '''\
"""Types of manifests, made from their schema by `tools/make_types.py`."""

from typing import Literal, NotRequired, TypedDict
'''
_SCALARS = {"integer": "int | float", "string": "str"}  # 30.0 is an integer to JSON Schema
_WIDTH = 96


def source() -> str:
    """Return the module, with the types first that others are made of."""
    declared: dict[str, str] = {}
    _type_at((), declared)
    return "\n\n".join([_HEAD, *declared.values()])


def _type_at(path: Pointer, declared: dict[str, str]) -> str:
    """Return the type of the value at a path, and declare the types that have a name."""
    field = base_schema().field(path)
    if field is None:
        raise KeyError(path)
    if field.types == ("array",):
        return f"list[{_type_at((*path, 0), declared)}]"
    if not (field.members or field.values):
        (kind,) = field.types
        return _SCALARS[kind]
    name = "".join(map(str.capitalize, str(field.title).split()))
    if field.values:
        values = "".join(f"    {json.dumps(value)},\n" for value, _ in field.values)
        declared[name] = f"{name} = Literal[\n{values}]\n"
    else:
        types = {member: _type_at((*path, member), declared) for member in field.members}
        declared[name] = _class(name, field, types)
    return name


def _class(name: str, field: Field, types: dict[str, str]) -> str:
    about = f'"""{name}: {field.description}"""'
    if len(about) > _WIDTH:
        about = f'"""{name}.\n\n{textwrap.fill(field.description or "", _WIDTH)}\n"""'
    members = (
        f"{member}: {of}" if member in field.required else f"{member}: NotRequired[{of}]"
        for member, of in types.items()
    )
    body = "\n".join([about, "", *members, ""])
    return f"class {name}(TypedDict):\n{textwrap.indent(body, '    ')}"


if __name__ == "__main__":
    MODULE.write_text(source(), "utf-8", newline="\n")
