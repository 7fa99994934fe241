"""Keywords of `jsonschema` that tell more, or take less time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from fractions import Fraction
from typing import Any, NamedTuple

import jsonschema
from jsonschema import FormatChecker, ValidationError
from jsonschema.validators import extend, validates

from manifestkit.schema.drafts import CURRENT, DRAFTS
from manifestkit.schema.patterns import translated
from manifestkit.schema.text_formats import FORMATS
from manifestkit.schema.values import frozen

DRAFT_VALIDATORS: dict[str, Any] = {
    CURRENT: jsonschema.Draft202012Validator,
    "2019-09": jsonschema.Draft201909Validator,
    "7": jsonschema.Draft7Validator,
}
URIS = {draft: uri for uri, draft in DRAFTS.items()}
OWN = "##"
"""Ends the URI of a draft in the engine's form: `referencing` passes over it, and `jsonschema`
finds the validator that has the keywords of this file."""

FALSE = "urn:manifestkit:false"
"""The keyword in place of a ``false``."""

TEXT = {"type": "string"}
ORIGINALS: dict[Any, str] = {}
"""The patterns of members, by what they are in Python's dialect."""

_COLLECT = "urn:manifestkit:collect"
_MOST_UNEVALUATED = 5_000
_MOST_TEXTS = 1_000


class Memory(NamedTuple):
    """Verdicts of one judge: recursive schemas and lists of names ask for the same again.

    Attributes:
        verdicts: by the ids of a schema and a value, during one judgement.
        texts: those that a schema allows, by its id.
    """

    verdicts: dict[tuple[int, int], bool]
    texts: set[tuple[int, str]]


memory: ContextVar[Memory] = ContextVar("memory")
_Errors = Iterator[ValidationError]
_Keyword = Callable[[Any, Any, Any, Any], _Errors]


def _false(_: Any, __: Any, ___: Any, ____: Any) -> _Errors:
    yield ValidationError("")


def _collect(_: Any, found: list[ValidationError], __: Any, ___: Any) -> _Errors:
    found.append(ValidationError(""))
    yield found[-1]


def _referring(keyword: _Keyword) -> _Keyword:
    def with_step(validator: Any, reference: Any, value: Any, schema: Any) -> _Errors:
        verdicts, texts = memory.get()
        key = id(schema), id(value)
        is_text = isinstance(value, str)
        if verdicts.get(key) or (is_text and (id(schema), value) in texts):
            return
        is_valid = True
        for error in keyword(validator, reference, value, schema):
            is_valid = False
            error.schema_path.appendleft("$ref")
            yield error
        verdicts[key] = is_valid
        if is_valid and is_text and len(texts) < _MOST_TEXTS:
            texts.add((id(schema), value))

    return with_step


def _if(validator: Any, branch: Any, value: Any, schema: Any) -> _Errors:
    verdicts = memory.get().verdicts
    key = id(branch), id(value)
    if key not in verdicts:
        verdicts[key] = next(validator.descend(value, branch), None) is None
    name = "then" if verdicts[key] else "else"
    if name in schema:
        yield from validator.descend(value, schema[name], schema_path=name)


def _properties(keyword: _Keyword) -> _Keyword:
    def without_texts(validator: Any, parts: Any, value: Any, schema: Any) -> _Errors:
        if isinstance(value, dict):  # most members are any text, and need no validator
            parts = {
                name: part
                for name, part in parts.items()
                if name in value and not (part is TEXT and isinstance(value[name], str))
            }
        return keyword(validator, parts, value, schema)

    return without_texts


def _unevaluated_properties(keyword: _Keyword) -> _Keyword:
    def with_names(validator: Any, _: Any, value: Any, schema: Any) -> _Errors:
        if "additionalProperties" in schema:  # which speaks of all that is left
            return
        _check_size(value)
        found: list[ValidationError] = []
        list(keyword(validator, {_COLLECT: found}, value, schema))
        if found:
            yield ValidationError("", validator_value=[error.path[0] for error in found])

    return with_names


def _unevaluated_items(keyword: _Keyword) -> _Keyword:
    def with_indexes(validator: Any, operand: Any, value: Any, schema: Any) -> _Errors:
        _check_size(value)
        for error in keyword(validator, operand, value, schema):
            named = error.message.partition("(")[2].rpartition(" ")[0].rpartition(" ")[0]
            yield ValidationError("", validator_value=_indexes(value, named))

    return with_indexes


def _indexes(items: list[Any], named: str) -> list[int]:
    """Return the indexes of items that a message names; of equal ones the later."""
    found: list[int] = []
    for index in range(len(items) - 1, -1, -1):
        text = repr(items[index])
        if named == text or named.endswith(f", {text}"):
            found.append(index)
            named = named[: -len(text)].removesuffix(", ")
    return found[::-1]


def _check_size(value: Any) -> None:
    if isinstance(value, dict | list) and len(value) > _MOST_UNEVALUATED:
        raise ValueError(
            f"without jsonschema-rs, `unevaluatedItems` and `unevaluatedProperties` are limited to "
            f"{_MOST_UNEVALUATED:,} items or members"
        )


def _unique_items(_: Any, wanted: Any, value: Any, __: Any) -> _Errors:
    if wanted and isinstance(value, list) and len(set(map(frozen, value))) < len(value):
        yield ValidationError("")


def _multiple_of(validator: Any, divisor: Any, value: Any, _: Any) -> _Errors:
    if validator.is_type(value, "number") and Fraction(repr(value)) % Fraction(repr(divisor)):
        yield ValidationError("")


def matches(pattern: str, text: str) -> bool:
    """Return whether a regular expression is found in a text (JSON Schema validation, 6.3.3)."""
    _check_length(pattern, text)
    return re.search(translated(pattern).text, text) is not None


def member_pattern(pattern: str) -> str:
    """Return a pattern of members in Python's dialect, another one for each pattern."""
    text = translated(pattern).text
    while ORIGINALS.setdefault(text, pattern) != pattern:
        text = f"(?:{text})"
    return text


def _check_length(pattern: str, text: str) -> None:
    if len(text) > translated(pattern).longest:
        raise ValueError(f"without jsonschema-rs, `{pattern}` is not searched in so long a text")


def _pattern(_: Any, pattern: str, value: Any, __: Any) -> _Errors:
    if isinstance(value, str) and not matches(pattern, value):
        yield ValidationError("")


def _pattern_properties(keyword: _Keyword) -> _Keyword:
    def with_short_names(validator: Any, patterns: Any, value: Any, schema: Any) -> _Errors:
        for pattern in patterns if isinstance(value, dict) else ():
            for name in value:
                _check_length(ORIGINALS[pattern], name)
        yield from keyword(validator, patterns, value, schema)

    return with_short_names


_ADAPTED: dict[str, Callable[[_Keyword], _Keyword]] = {
    "$ref": _referring,
    "patternProperties": _pattern_properties,
    "properties": _properties,
    "unevaluatedItems": _unevaluated_items,
    "unevaluatedProperties": _unevaluated_properties,
}
_REPLACED: dict[str, _Keyword] = {
    FALSE: _false,
    _COLLECT: _collect,
    "multipleOf": _multiple_of,
    "pattern": _pattern,
    "uniqueItems": _unique_items,
}


def _validator_class(draft: str) -> Any:
    base = DRAFT_VALIDATORS[draft]
    keywords = {name: base.VALIDATORS[name] for name in _ADAPTED if name in base.VALIDATORS}
    adapted = {name: _ADAPTED[name](keyword) for name, keyword in keywords.items()}
    if "if" in base.VALIDATORS:
        adapted["if"] = _if
    made: Any = extend(base, {**_REPLACED, **adapted})  # type: ignore[no-untyped-call]
    made.META_SCHEMA = {"$id": URIS[draft] + OWN}
    return validates(f"manifestkit {draft}")(made)


def _format_checker(draft: str) -> FormatChecker:
    checker = FormatChecker(())
    for name, (since, is_valid) in FORMATS.items():
        if list(DRAFT_VALIDATORS)[::-1].index(draft) >= list(DRAFT_VALIDATORS)[::-1].index(since):
            checker.checks(name)(is_valid)
    return checker


VALIDATORS = {draft: _validator_class(draft) for draft in DRAFT_VALIDATORS}
FORMAT_CHECKERS = {draft: _format_checker(draft) for draft in DRAFT_VALIDATORS}
