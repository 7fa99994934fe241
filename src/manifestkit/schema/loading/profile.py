"""A profile beside the manifest's schema: what it requires is something that manifests have."""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Any

from manifestkit.model.errors import PointerSyntaxError, SchemaError
from manifestkit.model.pointer import Path, format_pointer, meant_pointer, parse_pointer
from manifestkit.model.printable import printable
from manifestkit.schema.corrections import corrected
from manifestkit.schema.drafts import ANNOTATION, SAME_VALUE, Dialect, subschemas, subschemas_of
from manifestkit.schema.loading.file import SchemaFile, has_needs
from manifestkit.schema.model import Field, Schema
from manifestkit.schema.packaged import base_schema, change_schema
from manifestkit.schema.suggest import nearest, not_listed

_KEYWORDS = Dialect.CURRENT.keywords | Dialect.OLD.keywords
_NO_MEMBERS = _KEYWORDS | {
    *("contentSchema", "default", "deprecated", "description", "examples", "readOnly", "title"),
    "writeOnly",
}
_ALLOWING = {
    "additionalProperties": {"patternProperties"},
    "unevaluatedProperties": {
        *("$dynamicRef", "$ref", "additionalProperties", "allOf", "anyOf", "dependentSchemas"),
        *("if", "oneOf", "patternProperties"),
    },
}
"""The keywords that allow members, beside `properties`, of an object that is closed by another."""
_HOLDING = {"additionalProperties", "allOf", "definitions", "else", "items", "properties", "then"}
_OF_SCHEMAS = {"common", "consent", "counterpart", "file", "set", "version"}
_TOLD = ("rule", "severity", "message", "help")
_OF_ITEMS = ("contains", "items")
_OF_OBJECTS = ("properties", "required")
_NAMING = ("properties", "dependentRequired", "dependentSchemas", "dependencies")
_ABOUT = {
    "string": r"(?:max|min)Length|pattern|format",
    "integer": r"maximum|minimum|exclusiveM\w+|multipleOf",
    "array": r"\w*[iI]tems|contains",
    "object": r"\w*[pP]roperties|propertyNames|required|depend\w+",
}
"""The keywords about values of each type; `integer` for all numbers."""

_MOST = 25_000  # parts, and unknown names, that are looked at
_MOST_TOLD, _LONGEST = 20, 400
_FIELD = ("changes", 0, "field")
_OTHER = (
    "`{}` is a member of {}, not of {}; use this profile with `manifest {}`, or as `{}` in the "
    "configuration"
)


_Part = dict[str, Any]
"""A part of a profile."""

_Problem = tuple[Path, str]
"""A place below a part, and what is wrong there."""

_Check = Callable[[Path, _Part, Field], Iterator[_Problem]]
"""Checks a part for the values at a path, which a manifest describes."""


def check_profile(schema: Schema, manifest_schema: Schema, files: Collection[SchemaFile]) -> None:
    """Refuse a profile that requires what no manifest would be held to.

    That is a member that looks like a misspelt one of the manifest, if the profile gives it no
    title or description of its own; a value that a manifest never has there; or whatever is about
    another document.

    Args:
        schema: the profile.
        manifest_schema: what a manifest must be; or a change, for a profile about changes.
        files: the files of the profile.

    Raises:
        SchemaError: with the file, and the line and column of each such member or value.
    """
    places = {path for each in (schema, manifest_schema) for path, _ in each.fields}
    parts = list(_parts(schema, places))
    names = {name for path, part in parts if not path for name, _ in _named(part)}
    _check_kind(manifest_schema, names, schema.name)
    kind = _ChangeProfile if manifest_schema is change_schema() else _Profile
    of = kind(schema, manifest_schema, parts)
    checks: list[_Check] = [of.misnamed, of.ignored, of.unlisted, of.inapplicable, of.closed]
    for check in (*checks, _without_effect):
        found = (
            file.error_in(part, where, problem)
            for path, part in parts
            for where, problem in check(path, part, manifest_schema.field(path) or Field())
            for file in files  # no problem of a part of ours that the profile refers to
            if id(part) in file.paths
        )
        if problems := [text for each in islice(found, _MOST_TOLD) for text in each.problems]:
            raise SchemaError(*dict.fromkeys(problems))


def _without_effect(_: Path, part: _Part, __: Field) -> Iterator[_Problem]:
    """Find what an annotation says that is read in no profile, or of findings that nothing has."""
    notes = part.get(ANNOTATION, {})
    for name in filter(_OF_SCHEMAS.__contains__, notes):
        advice = "leave it out, or write it in a copy of the built-in schema, for `--schema`"
        yield (ANNOTATION, name), f"`{name}` has no effect in a profile: {advice}"
    said = [name for name in _TOLD if name in notes]
    if said and not part.get("deprecated") and not any(map(_requires, subschemas_of(part))):
        advice = "write a keyword beside `x-manifestkit`, such as `required`"
        if {"rule", "severity"} <= notes.keys():
            use = f"`--severity {notes['rule']}={notes['severity']}`"
            advice += f"; or, for the severity of another rule, use {use}"
        yield (
            (ANNOTATION, said[0]),
            f"`{said[0]}` has no effect, as nothing is required here: {advice}",
        )


def _requires(part: _Part) -> bool:
    """Return whether a part of a profile, without those below it, may refuse a value."""
    is_closed = any(below is False for _, below in subschemas(part))
    return is_closed or has_needs(part) or bool((_KEYWORDS - _HOLDING) & part.keys())


def _parts(schema: Schema, places: AbstractSet[Path]) -> Iterator[tuple[Path, _Part]]:
    """Yield every part of a profile that speaks of a manifest's values, with their path.

    References are followed at described places only: elsewhere, they could lead ever deeper.
    """
    seen: set[tuple[Path, int]] = set()
    todo: list[tuple[Path, Any]] = [((), schema.contents)]
    for path, part in todo:
        if not isinstance(part, dict) or (path, id(part)) in seen:
            continue
        seen.add((path, id(part)))
        yield path, part
        if len(todo) > _MOST:
            continue
        for (keyword, *names), below in subschemas(part):
            if keyword in SAME_VALUE:
                todo.append((path, below))
            elif keyword == "properties" or (keyword in _OF_ITEMS and not names):
                todo.append(((*path, *names) if keyword == "properties" else (*path, 0), below))
        if path in places:
            todo.append((path, schema.sources.targets.get(id(part))))


def _always(contents: Any) -> set[int]:
    """Return the ids of the parts that hold for each manifest that has their values."""
    found, todo = {id(contents)}, [contents]
    for part in todo:
        for (keyword, *_), below in subschemas(part):
            if keyword in ("allOf", "items", "properties") and id(below) not in found:
                found.add(id(below))
                todo.append(below)
    return found


class _Profile:
    """A profile, and what a manifest must be: yields what is wrong in a part, and where."""

    def __init__(self, schema: Schema, manifest: Schema, parts: list[tuple[Path, _Part]]) -> None:
        self._schema = schema
        self._manifest = manifest
        self._owners = {path[-1]: path[:-1] for path, _ in reversed(manifest.fields) if path}
        self._uses = Counter(id(part) for _, part in parts)
        self._always = _always(schema.contents)
        self._left = _MOST

    def misnamed(self, path: Path, part: _Part, known: Field) -> Iterator[_Problem]:
        """Find members that look like misspelt ones of a manifest."""
        members = known.members
        for name, where in _named(part) if members else ():
            own = self._schema.field((*path, name))
            if name in members or (own and (own.title or own.description)):
                continue
            self._left -= 1
            if self._left < 0:
                yield where, "there are too many unknown names to compare"
            elif where[0] == "properties" and name in _KEYWORDS:
                problem = f"`{name}` is a keyword: write it beside `properties`"
                yield where, f"{problem}, or give the member a `title`"
            elif near := nearest(name, members, sure=True):
                yield where, f"a manifest has no `{name}` here; did you mean `{near}`?"
            elif (above := re.split("[./]", name)[0]) in members:
                rest = name[len(above) + 1 :]
                within = f'name `{rest}` within `"properties": {{"{above}": …}}`'
                yield where, f"a manifest has no `{name}` here: a name is not a path; {within}"
            elif name in self._owners:
                hint = f"it belongs in {_name(self._owners[name])}, or give it a `title`"
                yield where, f"a manifest has no `{name}` here; {hint}"

    def ignored(self, path: Path, part: _Part, known: Field) -> Iterator[_Problem]:
        """Find what is about a member and stands beside `properties`, which may be missing."""
        item = self._manifest.field((*path, 0)) or Field()
        is_alone = part is self._schema.contents and part.keys().isdisjoint({"$ref", *_KEYWORDS})
        if is_alone and {*known.required} <= part.keys():  # it is a manifest
            return
        is_noted = path and "properties" in part  # a text beside it may be an annotation
        noted = {each for each in part if is_noted and isinstance(part[each], str)}
        for holder, place in ((known, "`properties`"), (item, "`items` and `properties`")):
            names = {*holder.members} - _NO_MEMBERS - noted
            for name in (each for each in part if each in names):
                fits = len(json.dumps(part[name])) <= _LONGEST
                shown = _shown(self._placed(path, {name: part[name]})) if fits else ""
                if not isinstance(part[name], dict) and '"items": {"enum"' in shown:
                    shown += ", or `contains` and a `const` for each that must be there"
                yield (name,), f"`{name}` is ignored here; write it below {place}{shown}"

    def _holding(self, path: Path, value: Any) -> _Part:
        """Return the schema that a value, or a list of values, stands for that is none."""
        known = self._manifest.field(path) or Field()
        if isinstance(value, list) and value:
            is_list = known.types == ("array",)
            each = [self._placed((*path, 0) if is_list else path, item) for item in value]
            if all("const" in item for item in each):
                listed = {"enum": [item["const"] for item in each]}
                return {"items": listed} if is_list else listed
            having = [{"contains": item} for item in each]
            return having[0] if len(having) == 1 else {"allOf": having}
        right = value if known.allows_type(value) else corrected(value, path, self._manifest)
        if isinstance(right, list):
            return self._holding(path, right) if right else {"maxItems": 0}
        return {"type": known.types[0]} if right is None else {"const": right}

    def _placed(self, path: Path, part: Any) -> Any:
        """Return a part with its members below `properties`, and what is about items in `items`."""
        known = self._manifest.field(path)
        if not isinstance(part, dict | bool):
            return self._holding(path, part)
        if known is None or isinstance(part, bool):
            return part
        of_items = {*(self._manifest.field((*path, 0)) or Field()).members, *_OF_OBJECTS}
        is_list = known.types == ("array",)
        inner = {name: each for name, each in part.items() if is_list and name in of_items}
        rest = {name: each for name, each in part.items() if name not in inner}
        items = rest.get("items")
        if inner or isinstance(items, dict):
            items = items if isinstance(items, dict) else {}
            rest["items"] = self._placed((*path, 0), items | inner)
        names = [name for name in known.members if name in rest and name not in _NO_MEMBERS]
        members = {name: rest.pop(name) for name in names} | rest.get("properties", {})
        if members:
            rest["properties"] = {n: self._placed((*path, n), each) for n, each in members.items()}
        return rest

    def unlisted(self, path: Path, part: _Part, known: Field) -> Iterator[_Problem]:
        """Find values that a list of the manifest does not have."""
        values = [each for each, _ in known.values]
        listed = part.get("enum", [part["const"]] if "const" in part else [])
        for index, value in enumerate(listed if values else ()):
            if problem := not_listed(value, path, values):
                yield ("enum", index) if "enum" in part else ("const",), problem
        is_told = known.types and listed and id(part) in self._always
        if is_told and not any(map(known.allows_type, listed)):
            where = "enum" if "enum" in part else "const"
            yield (where,), self._never(path, listed, known)

    def _never(self, path: Path, listed: list[Any], known: Field) -> str:
        """Return that no manifest has values of that type at a path, and how to write them."""
        types = " or ".join(f"`{each}`" for each in known.types)
        problem = f"{_name(path)} is never `{json.dumps(listed[0])}`: its type is {types}"
        if len(json.dumps(listed)) > _LONGEST:
            return problem
        value = listed[0] if len(listed) == 1 or isinstance(listed[0], list) else listed
        return f"{problem}; write `{json.dumps(self._holding(path, value))[1:-1]}`"

    def closed(self, _: Path, part: _Part, known: Field) -> Iterator[_Problem]:
        """Find an object that may not have a member that it must have."""
        refused = [name for name in known.required if name not in part.get("properties", ())]
        for keyword, others in _ALLOWING.items():
            if part.get(keyword) is False and refused and others.isdisjoint(part):
                problem = f"`{keyword}` refuses `{refused[0]}`, which every manifest has"
                yield (keyword,), f"{problem}; add it to `properties`"

    def inapplicable(self, path: Path, part: _Part, known: Field) -> Iterator[_Problem]:
        """Find keywords about a type that no value has there; not in a part for several places."""
        given = part.get("type") or known.types
        types = {given} if isinstance(given, str) else {*given}
        if known.types and id(part) in self._always and not known.meets_types(types):
            own = " or ".join(f"`{each}`" for each in known.types)
            yield ("type",), f"{_name(path)} is never of that type: its type is {own}"
        types |= {"integer"} if "number" in types else set()
        for keyword, operand in part.items() if types and self._uses[id(part)] == 1 else ():
            asks_nothing = keyword != "uniqueItems"  # `true` as a schema, `false` of this one
            about = (each for each, names in _ABOUT.items() if re.fullmatch(names, keyword))
            due = next(about, None)
            if due and due not in types and operand is not asks_nothing and operand not in ({}, []):
                found = " or ".join(f"`{each}`" for each in sorted(types))
                problem = f"`{keyword}` does not apply to {_name(path)}, of type {found}"
                of_items = (self._manifest.field((*path, 0)) or Field()).types or (due,)
                do = _bounds(keyword, operand, types.intersection(known.types or types))
                do += ["put it into `items`"] * ("array" in types and due in of_items)
                yield (keyword,), f"{problem}{'; ' * bool(do)}{', or '.join(do)}"


def _bounds(keyword: str, operand: Any, types: AbstractSet[str]) -> list[str]:
    """Return the bounds to write for values of some types in place of one that is for others."""
    names = "|".join(_ABOUT[each] for each in types & _ABOUT.keys())
    own = sorted(filter(re.compile(f"(?={keyword[:3]})(?:{names})").fullmatch, _KEYWORDS))
    return [f'write `"{each}": {operand}`' for each in own if type(operand) is int and operand >= 0]


class _ChangeProfile(_Profile):
    """A profile about changes."""

    def unlisted(self, path: Path, part: _Part, known: Field) -> Iterator[_Problem]:
        """Find such values too, and a `field` that no change has: a pointer with `*` for items."""
        yield from super().unlisted(path, part, known)
        given = [*part.get("enum", ()), part.get("const")] if path == _FIELD else []
        for text in given:
            if isinstance(text, str) and (problem := _field_problem(text)):
                where = "const" if part.get("const") == text else "enum"
                yield (where,), f"no change has such a field: {problem}"


def _shown(part: Any) -> str:
    """Return a part to be written, if a message can hold it."""
    text = printable(json.dumps(part, ensure_ascii=False))
    return f": `{text}`" if len(text) <= _LONGEST else ""


def _named(part: _Part) -> Iterator[tuple[str, Path]]:
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
        names = parse_pointer(text)
    except PointerSyntaxError:
        names = parse_pointer(meant_pointer(text))
    for name in names:
        is_item = name == "*" or name.isdigit()
        around = manifest.find(tokens)
        if around and around[1].types == ("array",) and not is_item:
            tokens.append("*")
        tokens.append("*" if is_item else name)
    lengths = (each for each in range(len(tokens)) if manifest.find(tokens[:each]) is None)
    whole = tokens[: next(lengths, len(tokens))]  # what nothing describes changes as one
    meant = manifest.nearest_pointer(tokens) or format_pointer(whole)
    found = manifest.find(parse_pointer(meant))
    owner = manifest.field(found[0][:-1]) if found else None
    if found and owner and {*found[0][-1:]} & {*owner.required}:  # both have it: what is in it?
        is_list = found[1].types == ("array",)
        meant += "/*" if is_list else "".join(f"/{name}" for name in found[1].members[:1])
    return None if meant == text else f"`{text}`; did you mean `{meant}`?"


def _name(path: Path) -> str:
    name = next((each for each in reversed(path) if isinstance(each, str)), None)
    return f"`{name}`" if name else "the manifest"


def _check_kind(subject: Schema, names: AbstractSet[str], file: str) -> None:
    """Refuse a profile that has members of manifests for changes, or the other way around."""
    changes = change_schema()
    kinds, meant, other = ("changes", "manifests"), ("diff", "change-profile"), changes
    if subject is changes:
        kinds, meant, other = ("manifests", "changes"), ("lint", "profile"), base_schema()
    strange = names & _root_members(other)
    if strange and names.isdisjoint(_root_members(subject)):
        raise SchemaError(f"{file}: {_OTHER.format(min(strange), *kinds, *meant)}")


def _root_members(schema: Schema) -> frozenset[str]:
    return frozenset(root.members if (root := schema.field(())) else ())
