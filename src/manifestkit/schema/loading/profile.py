"""A profile beside the manifest's schema: what it requires is something that manifests have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from manifestkit.model.errors import SchemaError
from manifestkit.model.pointer import Path
from manifestkit.schema.drafts import BRANCHES, SAME_VALUE, subschemas
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
    title or description of its own; a value in a list of allowed ones that a manifest never has
    there; or whatever is about another document.

    Args:
        schema: the profile.
        manifest_schema: what a manifest must be; or a change, for a profile about changes.
        files: the files of the profile.

    Raises:
        SchemaError: with the file, and the line and column of one such member or value.
    """
    _check_members(schema, manifest_schema, files)
    _check_values(schema, manifest_schema, files)
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
        known = manifest_schema.field(path)
        values = [each for each, _ in known.values] if known else []
        given: list[tuple[Path, Any]] = [
            (("enum", index), each) for index, each in enumerate(part.get("enum", ()))
        ]
        given.append((("const",), part.get("const")))
        for where, value in given if values else ():
            if isinstance(value, str) and (problem := not_listed(value, path, values)):
                _refuse(files, part, where, problem)


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
    if not names.isdisjoint(_root_members(subject)):
        return
    changes = packaged_schema(CHANGE_DOCUMENT)
    text, other = (_MANIFEST, base_schema()) if subject is changes else (_CHANGE, changes)
    if strange := names & _root_members(other):
        raise SchemaError(f"{schema.name}: {text.format(min(strange))}")


def _root_members(schema: Schema) -> frozenset[str]:
    return frozenset(root.members if (root := schema.field(())) else ())
