"""Schemas in the form in which the engine is given them, and compiled.

The errors of `anyOf`, `oneOf` and `propertyNames` would hold those of every branch, nested: of a
schema that refers to itself, more than any memory takes. So the engine gets each such branch B as
``{"if": B, "else": false}``, which allows the same values, and has one error of its own. What is
wrong with a branch is asked for by itself.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any, NamedTuple
from urllib.parse import quote

import jsonschema_rs

from manifestkit.model.pointer import Path, format_pointer
from manifestkit.schema.drafts import BRANCHES, CURRENT, LISTS, NAMED, ONE, VALUES, draft_of
from manifestkit.schema.fields import ANNOTATION
from manifestkit.schema.sources import Sources
from manifestkit.schema.surrogates import encodable

_ENGINES = {
    CURRENT: jsonschema_rs.Draft202012Validator,
    "2019-09": jsonschema_rs.Draft201909Validator,
    "7": jsonschema_rs.Draft7Validator,
    "6": jsonschema_rs.Draft6Validator,
}
_NUMBERS = {
    CURRENT: jsonschema_rs.Draft202012,
    "2019-09": jsonschema_rs.Draft201909,
    "7": jsonschema_rs.Draft7,
    "6": jsonschema_rs.Draft6,
}
_WRAPPED_IN: dict[str, tuple[str, ...]] = {"6": ("not", "not")}
_IF = ("if",)
_NO_KEYWORDS = {
    CURRENT: frozenset({"dependencies"}),
    "2019-09": frozenset({"dependencies"}),
    "7": frozenset({"contentEncoding", "contentMediaType"}),
    "6": frozenset({"contentEncoding", "contentMediaType"}),
}
"""What the engine asserts and the draft leaves alone, or leaves to choice."""

_MANY = 20
ODD_NAME = re.compile(r"(?m)^\+?[0-9]*$")
"""Names that the engine may tell as an index, or leave out when empty."""
_DYNAMIC = frozenset({"$dynamicRef", "$recursiveRef"})


class Compiled:
    """A schema and its parts, each compiled when it is first asked for."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._parts: dict[Any, Any] = {}
        self._kept: list[Any] = []  # a part is known by its id, as long as it lives

    @cached_property
    def whole(self) -> Any:
        """The validator of the whole schema."""
        if self._sources.resources is None:
            return self._validator(self._sources.contents)
        form = self._form(self._sources.contents)
        return self._validator(form, base_uri=self._sources.uri, registry=self._registry)

    def part(self, schema: Any) -> Any:
        """The validator of a part of the schema; its evaluation paths start with ``$ref``."""
        key = id(schema)
        if key not in self._parts:
            self._kept.append(schema)
            self._parts[key] = self._by(self.reference(schema))
        return self._parts[key]

    def keywords(self, schema: Mapping[str, Any], *names: str) -> Any:
        """The validator of some keywords of a part alone."""
        key = (id(schema), names)
        if key not in self._parts:
            self._kept.append(schema)
            alone = {name: self._apart(name, schema[name]) for name in names if name in schema}
            self._parts[key] = self._by(alone)
        return self._parts[key]

    def reference(self, schema: Any) -> Any:
        """A reference to a part of the schema, for use anywhere."""
        return {"$ref": self._addresses[id(schema)]} if isinstance(schema, dict) else schema

    def _by(self, contents: Any) -> Any:
        return self._validator(contents, registry=self._registry)

    def _validator(self, contents: Any, **more: Any) -> Any:
        return _ENGINES[self._sources.draft](
            contents,
            pattern_options=jsonschema_rs.RegexOptions(),
            validate_formats=True,
            offline=True,
            **more,
        )

    def _apart(self, keyword: str, operand: Any) -> Any:
        """The value of a keyword with references for the schemas in it."""
        if keyword in ONE and isinstance(operand, dict):
            return self.reference(operand)
        if isinstance(operand, list) and (keyword in LISTS or keyword == "items"):
            return [self.reference(each) for each in operand]
        if keyword in NAMED:
            return {name: self.reference(each) for name, each in operand.items()}
        return encodable(operand)

    @cached_property
    def is_whole(self) -> bool:
        """Whether a part may say something else when it is judged by itself.

        What it says may depend on the way to it, or on the draft of the file that it stands in.
        """
        return bool(self._sources.built_in) or any(
            self._draft_of(contents) != self._sources.draft
            or any(not _DYNAMIC.isdisjoint(each) for each in _dicts(contents))
            for contents in self._resources.values()
        )

    def _draft_of(self, contents: Any) -> str:
        return draft_of(contents, self._sources.draft) or self._sources.draft

    @cached_property
    def has_odd_names(self) -> bool:
        """Whether there may be names in evaluation paths that the engine does not tell."""
        return any(
            are_odd_names(each)
            for contents in self._resources.values()
            for each in _dicts(contents)
        )

    @cached_property
    def has_many_branches(self) -> bool:
        """Whether an error of the engine may hold those of many branches, which takes its time."""
        return any(
            len(each.get(keyword, ())) > _MANY
            for contents in self._resources.values()
            for each in _dicts(contents)
            for keyword in BRANCHES
            if isinstance(each.get(keyword, ()), list)
        )

    @cached_property
    def _resources(self) -> Mapping[str, Any]:
        return self._sources.resources or {self._sources.uri: self._sources.contents}

    @cached_property
    def _registry(self) -> Any:
        resources = self._resources
        forms = {id(contents): self._form(contents) for contents in resources.values()}
        return jsonschema_rs.Registry(
            [(uri, forms[id(contents)]) for uri, contents in resources.items()],
            draft=_NUMBERS[self._sources.draft],
        )

    def _form(self, contents: Any) -> Any:
        return encodable(_Former(self._draft_of(contents), self._sources.redirected).form(contents))

    @cached_property
    def _addresses(self) -> dict[int, str]:
        """Every object in the schemas, by its id, with a reference that leads to it."""
        found: dict[int, str] = {}
        for uri, contents in self._resources.items():
            for path, each in _objects(contents):
                there = wrapped_path(contents, path, self._draft_of(contents))
                found.setdefault(id(each), f"{uri}#{quote(format_pointer(there))}")
        for uri, contents in self._sources.built_in.items():
            for path, each in _objects(contents):
                found.setdefault(id(each), f"{uri}#{quote(format_pointer(path))}")
        return found


class _Former(NamedTuple):
    """Puts schemas into the engine's form."""

    draft: str
    redirected: Mapping[int, Mapping[str, str]]

    def form(self, schema: Any) -> Any:
        """A schema, or what may be referred to as one."""
        if isinstance(schema, list):
            return [self.form(each) for each in schema]
        if not isinstance(schema, dict):
            return schema
        redirected = self.redirected.get(id(schema), {})
        passed = _NO_KEYWORDS[self.draft]
        return {
            keyword: redirected.get(keyword) or self._with_forms(keyword, operand)
            for keyword, operand in schema.items()
            if keyword not in passed
        }

    def _with_forms(self, keyword: str, operand: Any) -> Any:
        if keyword in VALUES or keyword == ANNOTATION:
            return operand
        if keyword in BRANCHES and isinstance(operand, list):
            return [self._wrapped(self.form(each)) for each in operand]
        if keyword == "propertyNames":
            return self._wrapped(self.form(operand))
        if keyword in NAMED and isinstance(operand, dict):
            return {name: self.form(each) for name, each in operand.items()}
        return self.form(operand)

    def _wrapped(self, branch: Any) -> Any:
        if self.draft in _WRAPPED_IN:
            return {"not": {"not": branch}}
        return {"if": branch, "else": False}


def wrapped_path(contents: Any, path: Path, draft: str) -> Path:
    """Where in the engine's form of a schema the part at a path stands."""
    way = _WRAPPED_IN.get(draft, _IF)
    here, made = contents, list[str | int]()
    in_list = False  # of branches
    for token in path:
        operand = here[int(token)] if isinstance(here, list) else here[token]
        made.append(token)
        keyword = token if isinstance(here, dict) else None
        if in_list or (keyword == "propertyNames" and isinstance(operand, dict)):
            made.extend(way)
        in_list = keyword in BRANCHES and isinstance(operand, list)
        here = operand
    return tuple(made)


def _objects(contents: Any) -> Iterator[tuple[Path, dict[str, Any]]]:
    todo: list[tuple[Path, Any]] = [((), contents)]
    while todo:
        path, each = todo.pop()
        if isinstance(each, dict):
            yield path, each
            todo.extend(((*path, name), part) for name, part in each.items())
        elif isinstance(each, list):
            todo.extend(((*path, index), part) for index, part in enumerate(each))


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a value."""
    todo = [value]
    while todo:
        each = todo.pop()
        if isinstance(each, dict):
            yield each
            todo.extend(each.values())
        elif isinstance(each, list):
            todo.extend(each)


def are_odd_names(names: Collection[str]) -> bool:
    """Whether the engine may tell one of some names as an index, or leave it out when empty."""
    return bool(names) and ODD_NAME.search("\n".join(names)) is not None


@lru_cache(maxsize=512)
def _pattern(pattern: str) -> Any:
    return jsonschema_rs.Draft202012Validator(
        {"pattern": encodable(pattern)}, pattern_options=jsonschema_rs.RegexOptions()
    )


def is_pattern(pattern: str) -> bool:
    """Whether the engine takes a regular expression."""
    try:
        _pattern(pattern)
    except (jsonschema_rs.ValidationError, ValueError):
        return False
    return True


def matches(pattern: str, text: str) -> bool:
    """Whether a regular expression is found in a text (JSON Schema validation, 6.3.3)."""
    return bool(_pattern(pattern).is_valid(text))
