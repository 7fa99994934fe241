"""A profile beside the manifest's schema: what it requires is something that manifests have."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Any

from manifestkit.model.errors import SchemaError
from manifestkit.model.pointer import Path
from manifestkit.model.printable import truncate
from manifestkit.schema.drafts import BRANCHES, SAME_VALUE, TYPES, subschemas
from manifestkit.schema.loading.file import SchemaFile
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import CHANGE_DOCUMENT, base_schema, packaged_schema
from manifestkit.schema.suggest import Nearest, not_listed

_CONDITIONS = ("if", "then", "else", "not")
_PARTS = ("allOf", "items", "properties")
_NAMING = ("properties", "dependentRequired", "dependentSchemas", "dependencies")
_MANIFEST = (
    "`{}` is a member of manifests, not of changes between them; use this profile with "
    "`manifest lint`, or as `profile` in the configuration"
)
_CHANGE = (
    "`{}` is a member of changes, not of manifests; use this profile with `manifest diff`, "
    "or as `change-profile` in the configuration"
)


def check_profile(schema: Schema, manifest_schema: Schema, files: Iterable[SchemaFile]) -> None:
    """Refuse a profile that requires what no manifest would be held to.

    That is a member that looks like a misspelt one of the manifest, if the profile gives it no
    title or description of its own; a value or a type that a manifest never has there; or whatever
    is about another document.

    Args:
        schema: the profile.
        manifest_schema: what a manifest must be; or a change, for a profile about changes.
        files: the files of the profile.

    Raises:
        SchemaError: with the file, and the line and column of one such member or value.
    """
    _check_members(schema, manifest_schema, files)
    _check_values(schema, manifest_schema, files)
    _check_types(schema, manifest_schema, files)
    _check_subject(schema, manifest_schema)


def _parts(schema: Schema) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield every part that speaks of a manifest's values, each with their path."""
    for place, _ in schema.fields:
        for part in schema.parts(place):
            yield from _with_conditions(place, part)


def _check_members(schema: Schema, manifest_schema: Schema, files: Iterable[SchemaFile]) -> None:
    near = Nearest()
    for path, part in _parts(schema):
        known = manifest_schema.field(path)
        if known is None or not known.members:
            continue
        for name, where in _named(part):
            own = schema.field((*path, name))
            is_own = own is not None and bool(own.title or own.description)
            if not is_own and name not in known.members and (meant := near.to(name, known.members)):
                message = f"a manifest has no `{name}` here; did you mean `{meant}`?"
                _refuse(files, part, where, message)


def _named(part: dict[str, Any]) -> Iterator[tuple[str, Path]]:
    """Yield the members that a part of a schema names, and where."""
    for keyword in _NAMING:
        for name in part.get(keyword, ()):
            yield name, (keyword, name)
    for name in part.get("required", ()):
        yield name, ("required",)
    for keyword in ("dependentRequired", "dependencies"):
        for name, needed in part.get(keyword, {}).items():
            for each in needed if isinstance(needed, list) else ():
                yield each, (keyword, name)


def _check_values(schema: Schema, manifest_schema: Schema, files: Iterable[SchemaFile]) -> None:
    for path, part in _parts(schema):
        types, values = _allowed(manifest_schema, path)
        given: list[tuple[Path, Any]] = [
            (("enum", index), each) for index, each in enumerate(part.get("enum", ()))
        ]
        given += [(("const",), part["const"])] if "const" in part else []
        for where, value in given:
            if values and (problem := not_listed(value, path, values)):
                _refuse(files, part, where, problem)
            if value is not None and _type_of(value) not in types:
                shown, due = truncate(json.dumps(value)), _either(types)
                problem = f"`{shown}` is not a value of {_name(path)}; write one of type {due}"
                _refuse(files, part, where, problem)


def _check_types(schema: Schema, manifest_schema: Schema, files: Iterable[SchemaFile]) -> None:
    """Refuse types of which a manifest has none; not in a condition, which may speak of any."""
    for path, _ in schema.fields:
        types, _ = _allowed(manifest_schema, path)
        for part in schema.parts(path):
            given = part.get("type", ())
            own = {given} if isinstance(given, str) else set(given)
            if own and _with_integers(own).isdisjoint(types):
                problem = f"{_either(own)} is not a type of {_name(path)}; write {_either(types)}"
                _refuse(files, part, ("type",), problem)


def _allowed(manifest_schema: Schema, path: Path) -> tuple[frozenset[str], list[Any]]:
    """Return the types that a manifest's value may have at a place, and the values if listed."""
    known = manifest_schema.field(path)
    lists = (path[:index] for index, token in enumerate(path) if token == 0)
    parts = (part for each in lists for part in manifest_schema.parts(each))
    if known is None or any("prefixItems" in each for each in parts):  # of some items only
        return frozenset(TYPES), []
    values = [each for each, _ in known.values]
    types = _with_integers(known.types) or frozenset(map(_type_of, values) if values else TYPES)
    return types, values


def _with_integers(types: Collection[str]) -> frozenset[str]:
    return frozenset({*types, "integer"} if "number" in types else types)


def _type_of(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "number" if value % 1 else "integer"
    return next(name for name, each in TYPES.items() if isinstance(value, each))


def _either(types: Iterable[str]) -> str:
    return " or ".join(f"`{each}`" for each in sorted(types))


def _name(path: Path) -> str:
    name = next((each for each in reversed(path) if isinstance(each, str)), None)
    return f"`{name}`" if name else "the manifest"


def _with_conditions(place: Path, part: dict[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield a part of a schema, and those below its conditions, each with its path in a manifest.

    What `properties`, `items` and `allOf` lead to are parts for themselves.
    """
    yield place, part
    todo = [(place, tokens, each) for tokens, each in subschemas(part) if tokens[0] not in _PARTS]
    while todo:
        around, (keyword, *names), schema = todo.pop()
        if not isinstance(schema, dict):
            continue
        if keyword in SAME_VALUE:
            path = around
        elif keyword in ("contains", "items"):
            path = (*around, 0)
        elif keyword == "properties":
            path = (*around, *names)
        else:
            continue
        yield path, schema
        todo += [(path, tokens, each) for tokens, each in subschemas(schema)]


def _refuse(files: Iterable[SchemaFile], part: dict[str, Any], where: Path, problem: str) -> None:
    """Raise the error about a part of a profile; not about a part of ours that it refers to."""
    for file in files:
        if id(part) in file.paths:
            raise file.error_in(part, where, problem)


def _check_subject(schema: Schema, subject: Schema) -> None:
    names: set[str] = set()
    todo = [*schema.parts(())]
    while todo:
        part = todo.pop()
        names.update(part.get("properties", ()), part.get("required", ()))
        branches = [part[name] for name in _CONDITIONS if name in part]
        branches += [each for name in BRANCHES for each in part.get(name, ())]
        todo += [each for each in branches if isinstance(each, dict)]
    check_members_of(subject, names, schema.name)


def check_members_of(subject: Schema, names: AbstractSet[str], file: str) -> None:
    """Refuse a profile that has members of manifests for changes, or the other way around.

    Args:
        subject: what a manifest must be; or a change.
        names: the members that the profile has at its root.
        file: the profile's name.

    Raises:
        SchemaError: it names one of the other, and none of the subject.
    """
    if not names.isdisjoint(_root_members(subject)):
        return
    changes = packaged_schema(CHANGE_DOCUMENT)
    text, other = (_MANIFEST, base_schema()) if subject is changes else (_CHANGE, changes)
    if strange := names & _root_members(other):
        raise SchemaError(f"{file}: {text.format(min(strange))}")


def _root_members(schema: Schema) -> frozenset[str]:
    return frozenset(root.members if (root := schema.field(())) else ())
