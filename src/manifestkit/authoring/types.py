"""Types of manifests for programs, from a schema: TypeScript interfaces or Python TypedDicts."""

from __future__ import annotations

import json
import keyword
import re
import textwrap
from typing import Any, NamedTuple

from manifestkit.model.pointer import Path
from manifestkit.schema.fields import Field
from manifestkit.schema.model import Schema

_ORIGIN = "Types of manifests, made from their schema by `manifest schema --types"
_WIDTH = 100
_JOINT = re.compile(r"[^A-Za-z0-9]+")
_NAME = re.compile(r"\w+")
_ALTERNATIVES = frozenset({"anyOf", "oneOf"})
_PLAIN = str | int | float | None
_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


class _Member(NamedTuple):
    """A member of an object.

    Attributes:
        name: its name.
        type: its type.
        is_recursive: whether the type has a name that is declared further down.
        is_required: whether it must be there.
        description: what it is.
    """

    name: str
    type: str
    is_recursive: bool
    is_required: bool
    description: str | None


class _Language:
    """Writer of types in a language; this one is of TypeScript."""

    unknown = "unknown"
    of_kind = {  # noqa: RUF012 - nobody changes it
        "boolean": "boolean",
        "integer": "number",
        "null": "null",
        "number": "number",
        "object": "Record<string, unknown>",
        "string": "string",
    }

    def file(self, declarations: str) -> str:
        return f"// {_ORIGIN} typescript`.\n\n{declarations}"

    def array(self, item: str, *, is_never_empty: bool) -> str:
        one = f"({item})" if " | " in item else item
        return f"[{item}, ...{one}[]]" if is_never_empty else f"{one}[]"

    def listed(self, name: str, values: list[Any]) -> str:
        return f"export type {name} =\n  | " + "\n  | ".join(map(self.value, values)) + ";\n"

    def value(self, value: Any) -> str:
        return json.dumps(value) if isinstance(value, _PLAIN) else self.unknown

    def alias(self, name: str, type: str) -> str:
        return f"export type {name} = {type};\n"

    def object(
        self, name: str, description: str | None, members: list[_Member], *, is_closed: bool
    ) -> str:
        lines = [f"/** {_in_comment(description)} */"] if description else []
        lines.append(f"export interface {name} {{")
        for each in members:
            lines += [f"  /** {_in_comment(each.description)} */"] if each.description else []
            member = each.name if _IDENTIFIER.fullmatch(each.name) else json.dumps(each.name)
            lines.append(f"  {member}{'' if each.is_required else '?'}: {each.type};")
        lines += [] if is_closed else ["  [member: string]: unknown;"]
        return "\n".join([*lines, "}\n"])


class _Python(_Language):
    unknown = "Any"
    of_kind = {  # noqa: RUF012 - nobody changes it
        "boolean": "bool",
        "integer": "int | float",  # 30.0 is an integer to JSON Schema
        "null": "None",
        "number": "int | float",
        "object": "dict[str, Any]",
        "string": "str",
    }

    def file(self, declarations: str) -> str:
        names = ("Any", "Literal", "NotRequired", "TypedDict")
        used = ", ".join(each for each in names if re.search(rf"\b{each}\b[^\w ]", declarations))
        head = f'"""{_ORIGIN} python`."""\n\n'
        return f"{head}from typing import {used}\n\n{declarations}"

    def array(self, item: str, *, is_never_empty: bool) -> str:  # noqa: ARG002 - Python cannot say
        return f"list[{item}]"

    def listed(self, name: str, values: list[Any]) -> str:
        if not all(isinstance(each, str | int | None) for each in values):
            return f"\n{name} = Any\n"
        lines = (f"    {self.value(each)},\n" for each in values)
        return f"\n{name} = Literal[\n{''.join(lines)}]\n"

    def value(self, value: Any) -> str:
        return json.dumps(value) if isinstance(value, str) else repr(value)

    def alias(self, name: str, type: str) -> str:
        return f"{name} = {type}\n"

    def object(
        self,
        name: str,
        description: str | None,
        members: list[_Member],
        *,
        is_closed: bool,  # noqa: ARG002 - likewise
    ) -> str:
        types = {}
        for each in members:
            kind = f'"{each.type}"' if each.is_recursive else each.type
            types[each.name] = kind if each.is_required else f"NotRequired[{kind}]"
        if not all(each.isidentifier() and not keyword.iskeyword(each) for each in types):
            items = "".join(f"    {json.dumps(each)}: {types[each]},\n" for each in types)
            return f'\n{name} = TypedDict("{name}", {{\n{items}}})\n'
        said = " ".join((description or "").replace("\\", "\\\\").replace('"', '\\"').split())
        text = f'"""{name}: {said}"""' if said else f'"""{name}."""'
        if len(text) > _WIDTH - 4:
            text = f'"""{name}.\n\n{textwrap.fill(said, _WIDTH - 4)}\n"""'
        fields = "".join(f"\n{each}: {types[each]}" for each in types)
        return f"\nclass {name}(TypedDict):\n" + textwrap.indent(f"{text}\n{fields}\n", "    ")


LANGUAGES = {"typescript": _Language(), "python": _Python()}


def types(schema: Schema, language: str) -> str:
    """Return the types of the values that a schema allows, in one of `LANGUAGES`.

    What the language cannot say, such as a pattern, is left out: each value that the schema allows
    has the type.
    """
    declarations = _Declarations(schema, LANGUAGES[language])
    root = declarations.of(())
    if root not in declarations.names.values():
        declarations.texts.append(LANGUAGES[language].alias("Manifest", root))
    return LANGUAGES[language].file("\n".join(declarations.texts))


class _Declarations:
    """The named types of a schema, those that others are made of first."""

    def __init__(self, schema: Schema, language: _Language) -> None:
        self._schema = schema
        self._language = language
        self.names: dict[tuple[int, ...], str] = {}
        self._open: set[str] = set()
        self.texts: list[str] = []

    def of(self, path: Path) -> str:
        """Return the type of the value at a path."""
        field = self._schema.field(path)
        parts = self._schema.parts(path)
        if field is None or any(not _ALTERNATIVES.isdisjoint(each) for each in parts):
            return self._language.unknown
        if field.values:
            return self._named(path, field)
        kinds = [self._of_kind(path, field, kind) for kind in field.types]
        return " | ".join(dict.fromkeys(kinds)) or self._language.unknown

    def _of_kind(self, path: Path, field: Field, kind: str) -> str:
        if kind == "object" and field.members:
            return self._named(path, field)
        if kind != "array":
            return self._language.of_kind.get(kind, self._language.unknown)
        parts = self._schema.parts(path)
        is_tuple = any(
            "prefixItems" in each or isinstance(each.get("items"), list) for each in parts
        )
        item = self._language.unknown if is_tuple else self.of((*path, 0))
        least = max(each.get("minItems", 0) for each in parts)
        return self._language.array(item, is_never_empty=least > 0)

    def _named(self, path: Path, field: Field) -> str:
        """Return the name of a type, which is declared when it is first used."""
        parts = self._schema.parts(path)
        key = tuple(map(id, parts))
        if key in self.names:
            return self.names[key]
        self.names[key] = name = self._new_name(
            _title(field, str(path[-1]) if path else "Manifest")
        )
        self._open.add(name)
        if field.values:
            text = self._language.listed(name, [each for each, _ in field.values])
        else:
            members = [self._member(path, field, each) for each in field.members]
            is_closed = field.closed and not any("patternProperties" in each for each in parts)
            text = self._language.object(name, field.description, members, is_closed=is_closed)
        self._open.remove(name)
        self.texts.append(text)
        return name

    def _member(self, path: Path, field: Field, name: str) -> _Member:
        below = self._schema.field((*path, name))
        about = below.description if below else None
        kind = self.of((*path, name))
        is_recursive = not self._open.isdisjoint(_NAME.findall(kind))
        return _Member(name, kind, is_recursive, name in field.required, about)

    def _new_name(self, name: str) -> str:
        taken = set(self.names.values())
        names = (name if number == 1 else f"{name}{number}" for number in range(1, len(taken) + 2))
        return next(each for each in names if each not in taken)


def _in_comment(text: str) -> str:
    return " ".join(text.split()).replace("*/", "*\\/")


def _title(field: Field, otherwise: str) -> str:
    words = _JOINT.split(field.title or otherwise)
    name = "".join(each[:1].upper() + each[1:] for each in words)
    return name if name[:1].isalpha() else f"Value{name}"
