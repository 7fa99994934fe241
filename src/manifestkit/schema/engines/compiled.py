"""The engine `jsonschema-rs`: compiled, with regular expressions in linear time."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import jsonschema_rs

from manifestkit.schema.drafts import Dialect

NAME = "jsonschema-rs"

_VALIDATORS = {
    Dialect.CURRENT: jsonschema_rs.Draft202012Validator,
    Dialect.OLD: jsonschema_rs.Draft7Validator,
}
_PRIVATE = range(0x10FFFD, 0xF0000, -1)  # characters that nobody has given a meaning


def registry(resources: Mapping[str, tuple[Any, Dialect]]) -> Any:
    """Return what looks up schemas, each of a draft, by their URI."""
    return jsonschema_rs.Registry(
        [
            (uri, {**each, "$schema": draft.uri} if isinstance(each, dict) else each)
            for uri, (each, draft) in resources.items()
        ]
    )


def compiled(schema: Any, draft: Dialect, found_in: Any) -> Callable[[Any], bool]:
    """Return what tells whether values are valid by a schema, those with lone surrogates too."""
    validator = _VALIDATORS[draft](
        schema,
        pattern_options=jsonschema_rs.RegexOptions(),
        validate_formats=True,
        offline=True,
        registry=found_in,
    )

    def is_valid(value: Any) -> bool:
        try:
            return bool(validator.is_valid(value))
        except UnicodeEncodeError:
            return bool(validator.is_valid(_encodable(value)))

    return is_valid


@lru_cache(maxsize=512)
def _pattern(pattern: str) -> Any:
    options = jsonschema_rs.RegexOptions()
    try:
        return jsonschema_rs.Draft202012Validator({"pattern": pattern}, pattern_options=options)
    except (jsonschema_rs.ValidationError, ValueError):
        raise ValueError("it is invalid, or too large") from None


def format_problem(name: str) -> str | None:  # noqa: ARG001 - the other engine's has one
    """Return what keeps a format from being judged, if anything."""
    return None


def matches(pattern: str, text: str) -> bool:
    """Return whether a regular expression is found in a text (JSON Schema validation, 6.3.3)."""
    return bool(_pattern(pattern).is_valid(_encodable(text)))


# -- lone surrogates, which JSON can write and the engine cannot hold ------------------------------


def _encodable(value: Any) -> Any:
    """Return a value with characters that it does not have in place of its lone surrogates."""
    there = set(json.dumps(value, ensure_ascii=False))
    free = (code for code in _PRIVATE if chr(code) not in there)
    surrogates = sorted(each for each in map(ord, there) if 0xD800 <= each <= 0xDFFF)  # noqa: PLR2004
    return _translated(value, dict(zip(surrogates, free, strict=False)))


def _translated(value: Any, table: Mapping[int, int]) -> Any:
    """Return a value with other characters in its texts and names."""
    if isinstance(value, str):
        return value if value.isascii() else value.translate(table)
    if isinstance(value, list):
        return [_translated(each, table) for each in value]
    if isinstance(value, dict):
        return {_translated(name, table): _translated(each, table) for name, each in value.items()}
    return value
