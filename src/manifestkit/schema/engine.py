"""The seam to the engine that judges, and schemas in the form in which it is given them.

`jsonschema-rs` where it loads, else `jsonschema`: nothing above knows which.

The errors of `anyOf`, `oneOf` and `propertyNames` would hold those of every branch, nested: of a
schema that refers to itself, more than any memory takes. So the engine gets each such branch B as
``{"if": B, "else": false}``, which allows the same values, and has one error of its own. What is
wrong with a branch is asked for by itself.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import Any, Protocol
from urllib.parse import quote

from manifestkit.model.pointer import Path, format_pointer
from manifestkit.schema.drafts import (
    BRANCHES,
    CURRENT,
    LISTS,
    NAMED,
    ONE,
    VALUES,
    draft_of,
)
from manifestkit.schema.fields import ANNOTATION
from manifestkit.schema.sources import Sources
from manifestkit.schema.validation import EngineError


class Judge(Protocol):
    """A compiled schema."""

    def is_valid(self, value: Any, /) -> bool:
        """Return whether a value is as the schema wants it.

        Raises:
            UnicodeEncodeError: the engine cannot hold a lone surrogate.
            ValueError: the engine cannot judge the value.
        """
        ...  # pragma: no cover - a protocol

    def errors(self, value: Any) -> Iterator[EngineError]:
        """Find what is wrong with a value."""
        ...  # pragma: no cover - a protocol


class Engine(Protocol):
    """Questions that both engines answer."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a module's constant
        """Its name on the package index."""
        ...  # pragma: no cover - a protocol

    def registry(self, resources: Mapping[str, Any], draft: str) -> Any:
        """Return what looks up schemas by their URI."""
        ...  # pragma: no cover - a protocol

    def compiled(self, schema: Any, draft: str, uri: str | None, found_in: Any) -> Judge:
        """Return the judge of values by a schema, whose references are looked up in a registry."""
        ...  # pragma: no cover - a protocol

    def pattern_problem(self, pattern: str) -> str | None:
        """Return what keeps a regular expression from being used, if anything."""
        ...  # pragma: no cover - a protocol

    def format_problem(self, name: str) -> str | None:
        """Return what keeps a format from being judged, if anything."""
        ...  # pragma: no cover - a protocol

    def matches(self, pattern: str, text: str) -> bool:
        """Return whether a regular expression is found in a text."""
        ...  # pragma: no cover - a protocol

    def schema_problems(self, contents: Any, draft: str) -> dict[Path, str]:
        """Return the places of what keeps a value from being a schema of a draft, and why."""
        ...  # pragma: no cover - a protocol


def _loaded() -> tuple[Engine, str | None]:
    """Return the engine to use, and why it is not `jsonschema-rs`."""
    try:
        from manifestkit.schema import jsonschema_rs_engine  # noqa: PLC0415 - may not load
    except (ImportError, OSError) as error:
        from manifestkit.schema import jsonschema_engine  # noqa: PLC0415 - slow to import

        return jsonschema_engine, str(error)
    return jsonschema_rs_engine, None


ENGINE, NOT_THE_FASTER = _loaded()
"""The engine, and the reason why jsonschema-rs does not load, if it is not that."""

_NO_KEYWORDS = {
    CURRENT: frozenset({"dependencies"}),
    "2019-09": frozenset({"dependencies"}),
    "7": frozenset({"contentEncoding", "contentMediaType"}),
}
"""Keywords that the engine asserts and the draft ignores, or leaves open."""

_MANY = 20
ODD_NAME = re.compile(r"(?m)^\+?[0-9]*$")
"""Names that the engine may tell as an index, or leave out when empty."""
_DYNAMIC = frozenset({"$dynamicRef", "$recursiveRef"})


class ValidatorCache:
    """The validators of a schema and its parts, each compiled when it is first asked for.

    Attributes:
        draft: the draft of the schema.
    """

    def __init__(self, sources: Sources) -> None:
        self.draft = sources.draft
        self._sources = sources
        self._parts: dict[Any, Judge] = {}

    @cached_property
    def whole(self) -> Judge:
        """The judge by the whole schema."""
        if self._sources.resources is None:
            return ENGINE.compiled(self._sources.contents, self.draft, None, None)
        form = self._form(self._sources.contents)
        return ENGINE.compiled(form, self.draft, self._sources.uri, self._registry)

    def part(self, schema: Any) -> Judge:
        """Return the judge by a part of the schema; its evaluation paths start with `$ref`."""
        key = id(schema)
        if key not in self._parts:
            self._parts[key] = self._judge(self._reference(schema))
        return self._parts[key]

    def keywords(self, schema: Mapping[str, Any], *names: str) -> Judge:
        """Return the judge by some keywords of a part alone."""
        key = (id(schema), names)
        if key not in self._parts:
            alone = {name: self._apart(name, schema[name]) for name in names if name in schema}
            self._parts[key] = self._judge(alone)
        return self._parts[key]

    def _reference(self, schema: Any) -> Any:
        return {"$ref": self._addresses[id(schema)]} if isinstance(schema, dict) else schema

    def _judge(self, schema: Any) -> Judge:
        return ENGINE.compiled(schema, self.draft, None, self._registry)

    def _apart(self, keyword: str, operand: Any) -> Any:
        """Return the value of a keyword with references for the schemas in it."""
        if keyword in ONE and isinstance(operand, dict):
            return self._reference(operand)
        if isinstance(operand, list) and (keyword in LISTS or keyword == "items"):
            return [self._reference(each) for each in operand]
        if keyword in NAMED:
            return {name: self._reference(each) for name, each in operand.items()}
        return operand

    @cached_property
    def is_whole(self) -> bool:
        """Return whether a part may say something else when it is judged by itself.

        What it says may depend on the way to it, or on the draft of the file that it stands in.
        """
        return (
            bool(self._sources.built_in)
            or any(self._draft_of(each) != self.draft for each in self._resources.values())
            or any(not _DYNAMIC.isdisjoint(each) for each in self._objects)
        )

    @cached_property
    def has_few_errors(self) -> bool:
        """Return whether the engine's errors are soon made.

        An error of `anyOf` or `oneOf` holds those of its branches, which takes its time.
        """
        return not any(
            isinstance(each.get(name), list) and len(each[name]) > _MANY
            for each in self._objects
            for name in BRANCHES
        )

    @cached_property
    def has_plain_names(self) -> bool:
        """Return whether the engine tells each name in evaluation paths."""
        return not any(map(are_odd_names, self._objects))

    def _draft_of(self, contents: Any) -> str:
        return draft_of(contents, self.draft) or self.draft

    @cached_property
    def _resources(self) -> Mapping[str, Any]:
        return self._sources.resources or {self._sources.uri: self._sources.contents}

    @property
    def _objects(self) -> Iterator[dict[str, Any]]:
        for contents in self._resources.values():
            yield from (each for each, _ in _objects(contents))

    @cached_property
    def _registry(self) -> Any:
        forms = {id(contents): self._form(contents) for contents in self._resources.values()}
        resources = {uri: forms[id(contents)] for uri, contents in self._resources.items()}
        return ENGINE.registry({**self._sources.built_in, **resources}, self.draft)

    @cached_property
    def _addresses(self) -> dict[int, str]:
        """Every object in the schemas, by its id, with a reference that leads to it."""
        found: dict[int, str] = {}
        for uri, contents in self._resources.items():
            for each, path in _objects(contents, "if"):
                found.setdefault(id(each), f"{uri}#{quote(format_pointer(path))}")
        for uri, contents in self._sources.built_in.items():
            for each, path in _objects(contents):
                found.setdefault(id(each), f"{uri}#{quote(format_pointer(path))}")
        return found

    def _form(self, contents: Any) -> Any:
        return self._formed(contents, self._draft_of(contents))

    def _formed(self, schema: Any, draft: str) -> Any:
        """Return a schema, or what may be referred to as one, in the engine's form."""
        if isinstance(schema, list):
            return [self._formed(each, draft) for each in schema]
        if not isinstance(schema, dict):
            return schema
        into_branches = self._sources.into_branches.get(id(schema), {})
        form: dict[str, Any] = {}
        for keyword, operand in schema.items():
            if keyword in _NO_KEYWORDS[draft]:
                continue
            if keyword in into_branches:
                form[keyword] = self._addresses[into_branches[keyword]]
            elif keyword in VALUES or keyword == ANNOTATION:
                form[keyword] = operand
            elif keyword in BRANCHES and isinstance(operand, list):
                form[keyword] = [_wrapped(self._formed(each, draft)) for each in operand]
            elif keyword == "propertyNames":
                form[keyword] = _wrapped(self._formed(operand, draft))
            elif keyword in NAMED and isinstance(operand, dict):
                form[keyword] = {name: self._formed(each, draft) for name, each in operand.items()}
            else:
                form[keyword] = self._formed(operand, draft)
        return form


def _wrapped(branch: Any) -> dict[str, Any]:
    return {"if": branch, "else": False}


def _objects(contents: Any, *around: str) -> Iterator[tuple[dict[str, Any], Path]]:
    """Every object in a schema, with its path in the engine's form.

    Args:
        contents: the schema.
        around: the keywords around a branch there.
    """
    todo: list[tuple[Any, Path, bool]] = [(contents, (), True)]
    while todo:
        each, path, is_schema = todo.pop()
        if isinstance(each, list):
            todo.extend((part, (*path, index), True) for index, part in enumerate(each))
        elif isinstance(each, dict):
            yield each, path
            for name, part in each.items():
                below = (*path, name)
                if is_schema and name in BRANCHES and isinstance(part, list):
                    todo.extend((one, (*below, i, *around), True) for i, one in enumerate(part))
                elif is_schema and name == "propertyNames":
                    todo.append((part, (*below, *around), True))
                else:
                    todo.append((part, below, not (is_schema and name in NAMED)))


def are_odd_names(names: Collection[str]) -> bool:
    """Return whether the engine may tell one of some names as an index, or leave it out."""
    return bool(names) and ODD_NAME.search("\n".join(names)) is not None
