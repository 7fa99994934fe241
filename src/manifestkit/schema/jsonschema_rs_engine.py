"""The engine `jsonschema-rs`: compiled, with regular expressions in linear time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

import jsonschema_rs

from manifestkit.model.pointer import Path
from manifestkit.schema.drafts import CURRENT, DRAFTS, NAMED, VALUES, draft_of, frozen
from manifestkit.schema.fields import ANNOTATION
from manifestkit.schema.surrogates import STAND_INS, encodable, translated
from manifestkit.schema.validation import MOST_PROBLEMS

NAME = "jsonschema-rs"

_VALIDATORS = {
    CURRENT: jsonschema_rs.Draft202012Validator,
    "2019-09": jsonschema_rs.Draft201909Validator,
    "7": jsonschema_rs.Draft7Validator,
}
_NUMBERS = {
    CURRENT: jsonschema_rs.Draft202012,
    "2019-09": jsonschema_rs.Draft201909,
    "7": jsonschema_rs.Draft7,
}
_NO_KEYWORDS = {
    CURRENT: frozenset({ANNOTATION, "dependencies"}),
    "2019-09": frozenset({ANNOTATION, "dependencies"}),
    "7": frozenset({ANNOTATION, "contentEncoding", "contentMediaType"}),
}
"""Keywords that the engine asserts and the draft ignores, or leaves open; and ours."""


class _CompiledJudge:
    def __init__(self, validator: Any) -> None:
        self.is_valid = validator.is_valid
        self._validator = validator

    def unevaluated(self, value: Any) -> list[str | int]:
        try:
            error = next(self._validator.iter_errors(value), None)
        except UnicodeEncodeError:
            names = {encodable(name): name for name in value} if isinstance(value, dict) else {}
            error = next(self._validator.iter_errors(encodable(value)), None)
        else:
            names = {}
        if error is None:
            return []
        named = error.kind.unexpected
        if isinstance(value, list):
            return list(_indexes(error.instance, named))
        return [names.get(name, name) for name in named]


def _indexes(items: list[Any], texts: list[str]) -> list[int]:
    """Return the indexes of the items that the engine names by their texts.

    Of equal items it is the later ones: what is evaluated by its index stands first.
    """
    left = [frozen(json.loads(text)) for text in texts]
    found: list[int] = []
    for index in reversed(range(len(items))):
        if left and frozen(items[index]) == left[-1]:
            left.pop()
            found.append(index)
    return found[::-1]


def registry(resources: Mapping[str, Any], draft: str) -> Any:
    """Return what looks up schemas by their URI."""
    # The engine reads an `$id` itself, and panics over a schema that is there under two URIs.
    last = {id(each): (uri, each) for uri, each in resources.items()}
    contents = [
        (uri, _prepared(each, draft_of(each, draft) or draft)) for uri, each in last.values()
    ]
    return jsonschema_rs.Registry(contents, draft=_NUMBERS[draft])


def compiled(schema: Any, draft: str, uri: str | None, found_in: Any) -> _CompiledJudge:
    """Return the judge of values by a schema.

    Args:
        schema: the schema.
        draft: its draft.
        uri: the base of its references.
        found_in: the registry that they are looked up in; None for a schema of the package.
    """
    validator = _VALIDATORS[draft](
        schema if found_in is None else _prepared(schema, draft),
        pattern_options=jsonschema_rs.RegexOptions(),
        validate_formats=True,
        offline=True,
        base_uri=uri,
        registry=found_in,
    )
    return _CompiledJudge(validator)


def _prepared(schema: Any, draft: str) -> Any:
    """Return a schema that the engine can hold, without what is no keyword of its draft."""
    if isinstance(schema, list):
        return [_prepared(each, draft) for each in schema]
    if not isinstance(schema, dict):
        return translated(schema, STAND_INS)
    made: dict[str, Any] = {}
    for keyword, operand in schema.items():
        if keyword in _NO_KEYWORDS[draft]:
            continue
        if keyword in NAMED and isinstance(operand, dict):
            made[keyword] = {
                translated(name, STAND_INS): _prepared(each, draft)
                for name, each in operand.items()
            }
        elif keyword in VALUES:
            made[keyword] = translated(operand, STAND_INS)
        else:
            made[translated(keyword, STAND_INS)] = _prepared(operand, draft)
    return made


@lru_cache(maxsize=512)
def _pattern(pattern: str) -> Any:
    return jsonschema_rs.Draft202012Validator(
        {"pattern": translated(pattern, STAND_INS)}, pattern_options=jsonschema_rs.RegexOptions()
    )


def pattern_problem(pattern: str) -> str | None:
    """Return what keeps a regular expression from being used, if anything."""
    try:
        _pattern(pattern)
    except (jsonschema_rs.ValidationError, ValueError):
        from manifestkit.schema.patterns import NOT_LINEAR  # noqa: PLC0415 - for this error only

        return NOT_LINEAR
    return None


def format_problem(name: str) -> str | None:  # noqa: ARG001 - the other engine's has one
    """Return what keeps a format from being judged, if anything."""
    return None


def matches(pattern: str, text: str) -> bool:
    """Return whether a regular expression is found in a text (JSON Schema validation, 6.3.3)."""
    return bool(_pattern(pattern).is_valid(encodable(text)))


def schema_problems(contents: Any, draft: str) -> dict[Path, str]:
    """Return the places of what keeps a value from being a schema of a draft, and why."""
    uri = next(each for each in DRAFTS if DRAFTS[each] == draft)
    named = translated(contents, STAND_INS)
    if isinstance(named, dict):  # else the engine would look for what `$schema` names
        named = {**named, "$schema": uri}
    try:
        jsonschema_rs.meta.validate(named)
    except jsonschema_rs.ValidationError:
        errors = jsonschema_rs.iter_errors({"$schema": uri, "$ref": uri}, named)
        first = islice(errors, MOST_PROBLEMS)
        return {tuple(error.instance_path): error.message for error in first}
    except ValueError as error:
        return {(): str(error)}
    return {}
