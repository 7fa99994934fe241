"""The engine `jsonschema`: in Python, for where the faster one does not load.

It is taken as it is, but for regular expressions (`patterns.py`) and for a few keywords that could
take for ever or that it misreads. It knows few formats.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from fractions import Fraction
from functools import partial
from typing import Any
from urllib.parse import urljoin

import jsonschema
from jsonschema import ValidationError
from jsonschema.validators import extend, validates
from referencing import Registry
from referencing.jsonschema import specification_with

from manifestkit.schema.drafts import Dialect, frozen, map_subschemas
from manifestkit.schema.engines.patterns import compile_pattern

NAME = "jsonschema"

_LIBRARY: dict[Dialect, Any] = {
    Dialect.CURRENT: jsonschema.Draft202012Validator,
    Dialect.OLD: jsonschema.Draft7Validator,
}
_OWN = "##"
"""Ends the URI of a draft in the engine's form: `referencing` passes over it, and `jsonschema`
finds the validator that has the keywords of this file."""

_FORMATS = _LIBRARY[Dialect.CURRENT].FORMAT_CHECKER
_verdicts: ContextVar[dict[tuple[int, int], bool]] = ContextVar("_verdicts")
"""Verdicts by the ids of a reference and a value: a recursive schema asks for them again."""

_Errors = Iterator[ValidationError]
_Keyword = Callable[[Any, Any, Any, Any], _Errors]


def _referring(keyword: _Keyword) -> _Keyword:
    def once(validator: Any, reference: Any, value: Any, schema: Any) -> _Errors:
        known, key = _verdicts.get(), (id(schema), id(value))
        if key not in known:
            known[key] = next(keyword(validator, reference, value, schema), None) is None
        if not known[key]:
            yield ValidationError("")

    return once


def _additional_items(validator: Any, operand: Any, value: Any, schema: Any) -> _Errors:
    if isinstance(value, list) and isinstance(schema.get("items"), list):  # else it says nothing
        for each in value[len(schema["items"]) :]:
            yield from validator.descend(each, operand)


def _unique_items(_: Any, wanted: Any, value: Any, __: Any) -> _Errors:
    if wanted and isinstance(value, list) and len(set(map(frozen, value))) < len(value):
        yield ValidationError("")


def _multiple_of(validator: Any, divisor: Any, value: Any, _: Any) -> _Errors:
    if validator.is_type(value, "number") and Fraction(repr(value)) % Fraction(repr(divisor)):
        yield ValidationError("")


def matches(pattern: str, text: str) -> bool:
    """Return whether a regular expression is found in a text (JSON Schema validation, 6.3.3)."""
    return compile_pattern(pattern)(text)


def pattern_problem(pattern: str) -> str | None:
    """Return what keeps a regular expression from being used, if anything."""
    try:
        compile_pattern(pattern)
    except ValueError as error:
        return str(error)
    return None


def _pattern(_: Any, pattern: str, value: Any, __: Any) -> _Errors:
    if isinstance(value, str) and not matches(pattern, value):
        yield ValidationError("")


def _pattern_properties(validator: Any, patterns: Any, value: Any, _: Any) -> _Errors:
    for name in value if isinstance(value, dict) else ():
        for pattern, part in patterns.items():
            if matches(pattern, name):
                yield from validator.descend(value[name], part)


def _additional_properties(validator: Any, operand: Any, value: Any, schema: Any) -> _Errors:
    known, patterns = schema.get("properties", ()), schema.get("patternProperties", ())
    for name in value if isinstance(value, dict) else ():
        if name not in known and not any(matches(each, name) for each in patterns):
            yield from validator.descend(value[name], operand)


def _validator_class(draft: Dialect) -> Any:
    base = _LIBRARY[draft]
    keywords: dict[str, _Keyword] = {
        "$ref": _referring(base.VALIDATORS["$ref"]),
        "additionalProperties": _additional_properties,
        "multipleOf": _multiple_of,
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "uniqueItems": _unique_items,
    }
    if draft is Dialect.OLD:
        keywords["additionalItems"] = _additional_items
    made: Any = extend(base, keywords)  # type: ignore[no-untyped-call]
    made.META_SCHEMA = {"$id": draft.uri + _OWN}
    return validates(f"manifestkit {draft.label}")(made)


_VALIDATORS = {draft: _validator_class(draft) for draft in _LIBRARY}
_ALONE = "urn:manifestkit:schema"
_STACK = 12_000
if sys.platform != "emscripten":  # there the browser's stack is the limit
    sys.setrecursionlimit(max(_STACK, sys.getrecursionlimit()))


def registry(resources: Mapping[str, Any], draft: Dialect) -> Any:
    """Return what looks up schemas by their URI."""
    made: Registry[Any] = Registry()
    for uri, each in resources.items():
        own = (Dialect.of(each, draft) or draft).uri
        contents = _marked(each, own + _OWN)
        made = made.with_resource(uri, specification_with(own).create_resource(contents))
    return made.crawl()


def compiled(schema: Any, draft: Dialect, uri: str | None, found_in: Any) -> Callable[[Any], bool]:
    """Return what tells whether values are valid by a schema."""
    if found_in is None:
        uri, found_in = _ALONE, registry({_ALONE: schema}, draft)
    own = schema.get("$id", "") if isinstance(schema, dict) else ""
    validator = _VALIDATORS[draft](
        schema if uri is None else {"$ref": urljoin(uri, own)},
        registry=found_in,
        format_checker=_LIBRARY[draft].FORMAT_CHECKER,
    )

    def is_valid(value: Any) -> bool:
        _verdicts.set({})
        try:
            return bool(validator.is_valid(value))
        except RecursionError:
            raise ValueError("the value and the schema are nested too deep") from None

    return is_valid


def _marked(schema: Any, draft: str) -> Any:
    """Return a schema whose parts say of which draft they are.

    Else a part is judged by the draft of what refers to it.
    """
    if not isinstance(schema, dict):
        return schema
    return {**map_subschemas(schema, partial(_marked, draft=draft)), "$schema": draft}


def format_problem(name: str) -> str | None:
    """Return what keeps a format from being judged, if anything."""
    if name in _FORMATS.checkers:
        return None
    return "is not supported without jsonschema-rs; install `jsonschema[format-nongpl]`"
