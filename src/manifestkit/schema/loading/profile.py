"""A profile beside the manifest's schema: what it requires is something that manifests have."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from manifestkit.model.errors import PointerSyntaxError, SchemaError
from manifestkit.model.pointer import Path, format_pointer, parse_pointer
from manifestkit.model.printable import truncate
from manifestkit.schema.drafts import CLOSED, SAME_VALUE, TYPES, Dialect, subschemas
from manifestkit.schema.loading.file import SchemaFile
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import base_schema, change_schema
from manifestkit.schema.suggest import Nearest, full_name, not_listed

_OPENING = CLOSED | {"anyOf", "dependentSchemas", "if", "oneOf", "patternProperties"}
"""Keywords beside which `unevaluatedProperties` may allow more than `properties` names."""

_KEYWORDS = Dialect.CURRENT.keywords | Dialect.OLD.keywords
_NO_MEMBERS = _KEYWORDS | {"contentSchema", "default", "deprecated", "readOnly", "writeOnly"}
_PARTS = ("allOf", "items", "properties")
_NAMING = ("properties", "dependentRequired", "dependentSchemas", "dependencies")
_TYPE_OF = {
    **dict.fromkeys(("maxLength", "minLength", "pattern", "format"), "string"),
    **dict.fromkeys(("exclusiveMaximum", "exclusiveMinimum", "maximum"), "integer"),
    **dict.fromkeys(("minimum", "multipleOf"), "integer"),
    **dict.fromkeys(("additionalItems", "contains", "items", "maxItems", "minItems"), "array"),
    **dict.fromkeys(("prefixItems", "unevaluatedItems", "uniqueItems"), "array"),
    **dict.fromkeys(("additionalProperties", "dependencies", "dependentRequired"), "object"),
    **dict.fromkeys(("dependentSchemas", "maxProperties", "minProperties"), "object"),
    **dict.fromkeys(("patternProperties", "properties", "propertyNames"), "object"),
    **dict.fromkeys(("required", "unevaluatedProperties"), "object"),
}
"""The type of the values that a keyword is about; `integer` for all numbers."""

_FIELD = ("changes", 0, "field")
_MANIFEST = (
    "`{}` is a member of manifests, not of changes between them; use this profile with "
    "`manifest lint`, or as `profile` in the configuration"
)
_CHANGE = (
    "`{}` is a member of changes, not of manifests; use this profile with `manifest diff`, "
    "or as `change-profile` in the configuration"
)


def check_profile(
    schema: Schema,
    manifest_schema: Schema,
    files: Collection[SchemaFile],
    targets: Mapping[int, Any],
) -> None:
    """Refuse a profile that requires what no manifest would be held to.

    That is a member that looks like a misspelt one of the manifest, if the profile gives it no
    title or description of its own; a value or a type that a manifest never has there; or whatever
    is about another document.

    Args:
        schema: the profile.
        manifest_schema: what a manifest must be; or a change, for a profile about changes.
        files: the files of the profile.
        targets: what the references of those files lead to, by the ids of the schemas with them.

    Raises:
        SchemaError: with the file, and the line and column of one such member or value.
    """
    places = {path for path, _ in manifest_schema.fields}
    profile = _Profile(schema, manifest_schema, files, targets, places)
    profile.check_subject()
    profile.check_members()
    profile.check_ignored()
    profile.check_values()
    profile.check_types()
    profile.check_keywords()
    profile.check_closed()
    if manifest_schema is change_schema():
        profile.check_fields()


class _Profile(NamedTuple):
    """A profile, what a manifest must be, the files, their references, and a manifest's places."""

    schema: Schema
    manifest: Schema
    files: Collection[SchemaFile]
    targets: Mapping[int, Any]
    places: AbstractSet[Path]

    def _parts(self) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Yield every part that speaks of a manifest's values, each with their path."""
        seen: set[tuple[Path, int]] = set()
        for place, _ in self.schema.fields:
            for part in self.schema.parts(place):
                yield place, part
                yield from self._conditions(place, part, seen)

    def _conditions(
        self, place: Path, part: dict[str, Any], seen: set[tuple[Path, int]]
    ) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Yield the parts below the conditions of a part, each with its path in a manifest.

        What `properties`, `items` and `allOf` lead to are parts for themselves. References are
        followed at places of a manifest only: elsewhere, they could lead ever deeper.
        """
        todo = [(place, *each) for each in subschemas(part) if each[0][0] not in _PARTS]
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
            if (path, id(schema)) in seen:
                continue
            seen.add((path, id(schema)))
            yield path, schema
            todo += [(path, *each) for each in subschemas(schema)]
            if "$ref" in schema and path in self.places:
                todo.append((path, ("$ref",), self.targets.get(id(schema))))

    def check_members(self) -> None:
        near = Nearest()
        owners = {path[-1]: path[:-1] for path, _ in reversed(self.manifest.fields) if path}
        for path, part in self._parts():
            known = self.manifest.field(path)
            if known is None or not known.members:
                continue
            for name, where in _named(part):
                own = self.schema.field((*path, name))
                is_own = own is not None and bool(own.title or own.description)
                if is_own or name in known.members:
                    continue
                if where[0] == "properties" and name in _KEYWORDS:
                    problem = f"`{name}` is a keyword: write it beside `properties`"
                    self._refuse(part, where, f"{problem}, or give the member a `title`")
                hint = near.hint(name, known.members)
                if hint is None and (whole := full_name(name, known.members)):
                    hint = f"did you mean `{whole}`? A member of your own has a `title`"
                elif hint is None and name in owners:
                    hint = f"it belongs in {_name(owners[name])}, or give it a `title`"
                if hint:
                    self._refuse(part, where, f"a manifest has no `{name}` here; {hint}")

    def check_ignored(self) -> None:
        """Refuse what is about a member and stands beside `properties`, which may be missing."""
        for path, part in self._parts():
            for below, place in ((path, "`properties`"), ((*path, 0), "`items` and `properties`")):
                known = self.manifest.field(below)
                names = {*(known.members if known else ())} - _NO_MEMBERS
                for name, each in part.items():
                    if name in names and isinstance(each, dict | bool):
                        problem = f"`{name}` is ignored here; write it below {place}"
                        self._refuse(part, (name,), problem)

    def check_values(self) -> None:
        for path, part in self._parts():
            types, values = self._allowed(path)
            given: list[tuple[Path, Any]] = [
                (("enum", index), each) for index, each in enumerate(part.get("enum", ()))
            ]
            given += [(("const",), part["const"])] if "const" in part else []
            for where, value in given:
                if values and (problem := not_listed(value, path, values)):
                    self._refuse(part, where, problem)
                if value is not None and _type_of(value) not in types:
                    shown, due = truncate(json.dumps(value)), _either(types)
                    problem = f"`{shown}` is not a value of {_name(path)}; write one of type {due}"
                    self._refuse(part, where, problem)

    def check_types(self) -> None:
        """Refuse types of which a manifest has none; not in a condition, which may speak of any."""
        for path, _ in self.schema.fields:
            types, _ = self._allowed(path)
            for part in self.schema.parts(path):
                given = part.get("type", ())
                own = {given} if isinstance(given, str) else set(given)
                if own and _with_integers(own).isdisjoint(types):
                    problem = (
                        f"{_either(own)} is not a type of {_name(path)}; write {_either(types)}"
                    )
                    self._refuse(part, ("type",), problem)

    def check_keywords(self) -> None:
        """Refuse keywords about a type that no value has there, wherever the part is used."""
        types_at: dict[int, set[str]] = {}
        parts: dict[int, tuple[Path, dict[str, Any]]] = {}
        for path, part in self._parts():
            types, _ = self._allowed(path)
            given = part.get("type", TYPES)
            own = _with_integers([given] if isinstance(given, str) else given)
            types_at.setdefault(id(part), set()).update(own & types or own)
            parts[id(part)] = path, part
        for key, (path, part) in parts.items():
            for keyword, operand in part.items():
                asks_nothing = keyword != "uniqueItems"  # `true` as a schema, `false` of this one
                can_fail = operand is not asks_nothing and operand not in ({}, [])
                due = _TYPE_OF.get(keyword) if can_fail else None
                if due and due not in types_at[key]:
                    is_list = due == "object" and "array" in types_at[key]
                    hint = "; put it into `items`" if is_list else ""
                    found = _either(types_at[key])
                    problem = f"`{keyword}` does not apply to {_name(path)}, of type {found}{hint}"
                    self._refuse(part, (keyword,), problem)

    def check_closed(self) -> None:
        """Refuse an object that may not have a member that it must have."""
        for path, field in self.schema.fields:
            known = self.manifest.field(path)
            required = known.required if known else ()
            for part in self.schema.parts(path):
                keyword = next((each for each in CLOSED if part.get(each) is False), None)
                is_own = keyword == "additionalProperties"
                names = part.get("properties", ()) if is_own else field.members
                refused = [name for name in required if name not in names]
                if keyword and refused and not self._is_opened(keyword, path, part):
                    problem = f"`{keyword}` refuses `{refused[0]}`, which every manifest has"
                    self._refuse(part, (keyword,), f"{problem}; add it to `properties`")

    def _is_opened(self, keyword: str, path: Path, part: dict[str, Any]) -> bool:
        """Return whether other keywords may allow members that `properties` does not name."""
        if keyword == "additionalProperties":
            return "patternProperties" in part
        others = (
            each.keys() - {keyword if each is part else ""} for each in self.schema.parts(path)
        )
        return any(not _OPENING.isdisjoint(each) for each in others)

    def check_fields(self) -> None:
        """Refuse a `field` that no change has: it is a pointer with `*` for each item."""
        for path, part in self._parts():
            given = [*part.get("enum", ()), part.get("const")] if path == _FIELD else []
            for text in given:
                if isinstance(text, str) and (problem := _field_problem(text)):
                    where = "const" if part.get("const") == text else "enum"
                    self._refuse(part, (where,), f"no change has such a field: {problem}")

    def _allowed(self, path: Path) -> tuple[frozenset[str], list[Any]]:
        """Return the types that a manifest's value may have at a place, and listed values."""
        known = self.manifest.field(path)
        lists = (path[:index] for index, token in enumerate(path) if token == 0)
        parts = (part for each in lists for part in self.manifest.parts(each))
        if known is None or any("prefixItems" in each for each in parts):  # of some items only
            return frozenset(TYPES), []
        values = [each for each, _ in known.values]
        types = _with_integers(known.types) or frozenset(map(_type_of, values) if values else TYPES)
        return types, values

    def _refuse(self, part: dict[str, Any], where: Path, problem: str) -> None:
        """Raise the error about a part of a profile; not about a part of ours that it refers to."""
        for file in self.files:
            if id(part) in file.paths:
                raise file.error_in(part, where, problem)

    def check_subject(self) -> None:
        names = {name for path, part in self._parts() if not path for name, _ in _named(part)}
        check_members_of(self.manifest, names, self.schema.name)


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


def _field_problem(text: str) -> str | None:
    """Return why no change between valid manifests has a field; None where one may."""
    manifest, tokens = base_schema(), list[str]()
    try:
        for name in parse_pointer(text):
            is_item = name == "*" or name.isdigit()
            around = manifest.find(tokens)
            if around and around[1].types == ("array",) and not is_item:
                tokens.append("*")
            tokens.append("*" if is_item else name)
    except PointerSyntaxError as error:
        return str(error)
    lengths = (each for each in range(len(tokens)) if manifest.find(tokens[:each]) is None)
    whole = tokens[: next(lengths, len(tokens))]  # what nothing describes changes as one
    meant = manifest.nearest_pointer(tokens) or format_pointer(whole)
    found = manifest.find(parse_pointer(meant))
    owner = manifest.field(found[0][:-1]) if found else None
    if found and owner and {*found[0][-1:]} & {*owner.required}:  # both have it: what is in it?
        is_list = found[1].types == ("array",)
        meant += "/*" if is_list else "".join(f"/{name}" for name in found[1].members[:1])
    return None if meant == text else f"`{text}`; did you mean `{meant}`?"


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
    changes = change_schema()
    text, other = (_MANIFEST, base_schema()) if subject is changes else (_CHANGE, changes)
    if strange := names & _root_members(other):
        raise SchemaError(f"{file}: {text.format(min(strange))}")


def _root_members(schema: Schema) -> frozenset[str]:
    return frozenset(root.members if (root := schema.field(())) else ())
