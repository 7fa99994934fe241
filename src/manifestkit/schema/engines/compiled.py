"""The engine `jsonschema-rs`: compiled, with regular expressions in linear time."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache, lru_cache, partial
from typing import Any
from urllib.parse import quote

import jsonschema_rs

from manifestkit.schema.drafts import ANNOTATION, Dialect, map_subschemas

NAME = "jsonschema-rs"

_VALIDATORS = {
    Dialect.CURRENT: jsonschema_rs.Draft202012Validator,
    Dialect.OLD: jsonschema_rs.Draft7Validator,
}
_NO_KEYWORDS = {
    Dialect.CURRENT: frozenset({ANNOTATION, "dependencies"}),
    Dialect.OLD: frozenset({ANNOTATION, "contentEncoding", "contentMediaType"}),
}
"""Keywords that the engine asserts and the draft ignores, or leaves open; and ours."""

_OF_URIS = "%/:?#[]@!$&'()*+,;=-._~"
_FIRST, _LAST = 0xD800, 0xDFFF
_BETWEEN = 0x10F000 - _FIRST  # to the end of the last plane, which is of private use
_OTHERS = range(_FIRST + _BETWEEN - 1, _LAST, -1)


_Registry = tuple[Any, bool]
"""Schemas by their URI, and whether one of them has a lone surrogate."""


@cache
def _stand_ins() -> dict[int, int]:
    """Return the characters that stand for lone surrogates in schemas."""
    return {code: code + _BETWEEN for code in range(_FIRST, _LAST + 1)}


def registry(resources: Mapping[str, Any], draft: Dialect) -> _Registry:
    """Return what looks up schemas by their URI."""
    # The engine reads an `$id` itself, and panics over a schema that is there under two URIs.
    last = {id(each): (uri, each) for uri, each in resources.items()}
    contents = [
        (uri, _with_draft(_prepared(_translated(each, _stand_ins()), own), own))
        for uri, each in last.values()
        for own in [Dialect.of(each, draft) or draft]
    ]
    has_surrogates = any(_encodable(each) != each for each in resources.values())
    return jsonschema_rs.Registry(contents), has_surrogates


def compiled(
    schema: Any, draft: Dialect, uri: str | None, found_in: _Registry | None
) -> Callable[[Any], bool]:
    """Return what tells whether values are valid by a schema, those with lone surrogates too."""
    schemas, has_surrogates = found_in or (None, False)
    validator = _VALIDATORS[draft](
        schema if found_in is None else _prepared(_translated(schema, _stand_ins()), draft),
        pattern_options=jsonschema_rs.RegexOptions(),
        validate_formats=True,
        offline=True,
        base_uri=uri,
        registry=schemas,
    )

    def is_valid(value: Any) -> bool:
        try:
            found: bool = validator.is_valid(_encodable(value) if has_surrogates else value)
        except UnicodeEncodeError:
            return is_valid(_encodable(value))
        return found

    return is_valid


def _prepared(schema: Any, draft: Dialect) -> Any:
    """Return a schema without what is no keyword of its draft."""
    if not isinstance(schema, dict):
        return schema
    kept = {name: each for name, each in schema.items() if name not in _NO_KEYWORDS[draft]}
    if "$ref" in kept:  # of a URI, not of an IRI
        kept["$ref"] = quote(kept["$ref"], safe=_OF_URIS)
    return map_subschemas(kept, partial(_prepared, draft=draft))


def _with_draft(contents: Any, draft: Dialect) -> Any:
    return {**contents, "$schema": draft.uri} if isinstance(contents, dict) else contents


@lru_cache(maxsize=512)
def _pattern(pattern: str) -> Any:
    schema = {"pattern": _translated(pattern, _stand_ins())}
    return jsonschema_rs.Draft202012Validator(schema, pattern_options=jsonschema_rs.RegexOptions())


def pattern_problem(pattern: str) -> str | None:
    """Return what keeps a regular expression from being used, if anything."""
    try:
        _pattern(pattern)
    except (jsonschema_rs.ValidationError, ValueError):
        return "it is invalid, or too large"
    return None


def format_problem(name: str) -> str | None:  # noqa: ARG001 - the other engine's has one
    """Return what keeps a format from being judged, if anything."""
    return None


def matches(pattern: str, text: str) -> bool:
    """Return whether a regular expression is found in a text (JSON Schema validation, 6.3.3)."""
    return bool(_pattern(pattern).is_valid(_encodable(text)))


# -- lone surrogates, which JSON can write and the engine cannot hold ------------------------------


def _encodable(value: Any) -> Any:
    """Return a value that the engine can hold, with other characters for its lone surrogates.

    They are those of schemas; but a character that the value has never stands for a surrogate.
    """
    there = set(json.dumps(value, ensure_ascii=False))
    others = (code for code in _OTHERS if chr(code) not in there)
    stand_ins, table = _stand_ins(), {}
    for code in sorted(map(ord, there)):
        if _FIRST <= code <= _LAST:
            is_taken = chr(stand_ins[code]) in there
            table[code] = next(others) if is_taken else stand_ins[code]
    return _translated(value, table)


def _translated(value: Any, table: Mapping[int, int]) -> Any:
    """Return a value with other characters in its texts and names."""
    if isinstance(value, str):
        return value if value.isascii() else value.translate(table)
    if isinstance(value, list):
        return [_translated(each, table) for each in value]
    if isinstance(value, dict):
        return {_translated(name, table): _translated(each, table) for name, each in value.items()}
    return value
