"""The engine `jsonschema`: in Python, for where the faster one does not load.

Schemas get the form in which it tells as much as the other one: a ``false`` becomes a keyword of
its own, whose errors have a place, and regular expressions are put into Python's dialect.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any
from urllib.parse import quote, unquote, urljoin

from referencing import Registry, Resource
from referencing.jsonschema import specification_with

from manifestkit.model.pointer import Path, format_pointer, parse_pointer
from manifestkit.schema.drafts import LISTS, NAMED, ONE
from manifestkit.schema.jsonschema_keywords import (
    DRAFT_VALIDATORS,
    FALSE,
    FORMAT_CHECKERS,
    ORIGINALS,
    OWN,
    TEXT,
    URIS,
    VALIDATORS,
    Memory,
    matches,
    member_pattern,
    memory,
)
from manifestkit.schema.patterns import PatternError, translated
from manifestkit.schema.text_formats import UNSUPPORTED
from manifestkit.schema.validation import MOST_PROBLEMS, EngineError

__all__ = ["NAME", "compiled", "format_problem", "matches", "pattern_problem", "registry"]
__all__ += ["schema_problems"]

NAME = "jsonschema"

_ALONE = "urn:manifestkit:schema"
_CLOSING = frozenset(
    {"additionalItems", "additionalProperties", "unevaluatedItems", "unevaluatedProperties"}
)
_STACK = 12_000
if sys.platform != "emscripten":  # there the browser's stack is the limit
    sys.setrecursionlimit(max(_STACK, sys.getrecursionlimit()))


class _InterpretingJudge:
    def __init__(self, validator: Any, skipped: int) -> None:
        self._validator = validator
        self._skipped = skipped
        self._texts: set[tuple[int, str]] = set()

    def is_valid(self, value: Any, /) -> bool:
        memory.set(Memory({}, self._texts))
        try:
            return bool(self._validator.is_valid(value))
        except RecursionError:
            raise ValueError("the value and the schema are nested too deep") from None

    def errors(self, value: Any) -> Iterator[EngineError]:
        memory.set(Memory({}, self._texts))
        seen: set[tuple[Path, Path]] = set()
        for error in list(self._validator.iter_errors(value)):
            steps = [ORIGINALS.get(each, each) for each in error.absolute_schema_path]
            if steps[-1] == FALSE:
                steps.pop()
            elif steps[-1] == "contains":
                bounds = ("minContains", "maxContains", "contains")
                steps[-1] = next(each for each in bounds if each in error.schema)
            path = tuple(error.absolute_path)
            place = path, tuple(steps[self._skipped :])
            if "propertyNames" in steps and isinstance(error.instance, str):
                yield EngineError(*place, error.instance, error)
            elif place not in seen:
                seen.add(place)
                for about in _about(error):
                    yield EngineError(*place, about, error)


def _about(error: Any) -> Iterator[Any]:
    if error.validator == "required":
        yield from (name for name in error.validator_value if name not in error.instance)
    elif error.validator in ("unevaluatedItems", "unevaluatedProperties"):
        yield error.validator_value
    else:
        yield None


_KEPT = frozenset(
    {
        *(keyword for each in VALIDATORS.values() for keyword in each.VALIDATORS),
        *("$anchor", "$dynamicAnchor", "$id", "$recursiveAnchor", "maxContains", "minContains"),
    }
)


def registry(resources: Mapping[str, Any], draft: str) -> Any:
    """Return what looks up schemas by their URI."""
    specification = specification_with(URIS[draft])
    made: Registry[Any] = Registry()
    return made.with_resources(
        (uri, Resource.from_contents(_prepared(each), default_specification=specification))
        for uri, each in resources.items()
    ).crawl()


def compiled(schema: Any, draft: str, uri: str | None, found_in: Any) -> _InterpretingJudge:
    """Return the judge of values by a schema, whose references are looked up in a registry."""
    if found_in is None:
        uri, found_in = _ALONE, registry({_ALONE: schema}, draft)
    own = schema.get("$id", "") if isinstance(schema, dict) else ""
    validator = VALIDATORS[draft](
        _prepared(schema) if uri is None else {"$ref": urljoin(uri, own)},
        registry=found_in,
        format_checker=FORMAT_CHECKERS[draft],
    )
    return _InterpretingJudge(validator, 0 if uri is None else 1)


def _prepared(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_prepared(each) for each in schema]
    if not isinstance(schema, dict):
        return {FALSE: True} if schema is False else schema
    made: dict[str, Any] = {}
    for keyword, operand in schema.items():
        if keyword == "$schema":
            made[keyword] = operand.rstrip("#") + OWN
        elif keyword == "$ref" and "/patternProperties/" in operand:
            made[keyword] = _moved(operand)
        elif keyword == "patternProperties":
            made[keyword] = {
                member_pattern(each): _prepared(part) for each, part in operand.items()
            }
        elif keyword in NAMED and isinstance(operand, dict):
            made[keyword] = {
                name: part if isinstance(part, list) else _prepared(part)
                for name, part in operand.items()
            }
        elif keyword in LISTS or (
            keyword in ONE and not (operand is False and keyword in _CLOSING)
        ):
            made[keyword] = _prepared(operand)
        elif keyword in _KEPT:  # what else there is takes time only
            made[keyword] = operand
    return TEXT if made == TEXT else made


def _moved(reference: str) -> str:
    """Return a reference into the engine's form, in which the patterns of members are others."""
    uri, _, fragment = reference.partition("#")
    tokens: list[str] = []
    keyword = ""
    for token in parse_pointer(unquote(fragment)):
        tokens.append(member_pattern(token) if keyword == "patternProperties" else token)
        keyword = token if token in NAMED and keyword not in NAMED else ""
    return f"{uri}#{quote(format_pointer(tuple(tokens)))}"


def pattern_problem(pattern: str) -> str | None:
    """Return what keeps a regular expression from being used, if anything."""
    try:
        translated(pattern)
    except PatternError as error:
        return str(error)
    return None


def format_problem(name: str) -> str | None:
    """Return what keeps a format from being judged, if anything."""
    return "is not supported without jsonschema-rs" if name in UNSUPPORTED else None


def schema_problems(contents: Any, draft: str) -> dict[Path, str]:
    """Return the places of what keeps a value from being a schema of a draft, and why."""
    base = DRAFT_VALIDATORS[draft]
    errors = islice(base(base.META_SCHEMA).iter_errors(contents), MOST_PROBLEMS)
    return {tuple(error.absolute_path): _reason(error) for error in errors}


def _reason(error: Any) -> str:
    value, expected = json.dumps(error.instance), error.validator_value
    if error.validator == "type":
        named = [expected] if isinstance(expected, str) else sorted(expected)
        types = ", ".join(f'"{each}"' for each in named)
        reason = f"{value} is not of type{'s' if len(named) > 1 else ''} {types}"
    elif error.validator == "anyOf":
        reason = f"{value} is not valid under any of the schemas listed in the 'anyOf' keyword"
    elif error.validator == "minimum":
        reason = f"{value} is less than the minimum of {expected}"
    else:
        reason = f"{value} does not satisfy `{error.validator}`"
    return reason
