"""The engine `jsonschema-rs`: compiled, with regular expressions in linear time."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import jsonschema_rs

from manifestkit.schema.drafts import Dialect
from manifestkit.schema.engines.surrogates import encodable

NAME = "jsonschema-rs"

_INVALID = (
    "a range is reversed (`[b-a]`) or ends in a class (`[\\w-a]`), a class is empty, no such"
    " script or character exists (write `\\u{1F600}` for a surrogate pair), or it is too large"
)
_VALIDATORS = {
    Dialect.CURRENT: jsonschema_rs.Draft202012Validator,
    Dialect.OLD: jsonschema_rs.Draft7Validator,
}


def registry(resources: Mapping[str, tuple[Any, Dialect]]) -> Any:
    """Return what looks up schemas, each of a draft, by their URI."""
    return jsonschema_rs.Registry(
        [
            (uri, {**each, "$schema": draft.uri} if isinstance(each, dict) else each)
            for uri, (each, draft) in resources.items()
        ]
    )


def compiled(schema: Any, draft: Dialect, found_in: Any) -> Callable[[Any], bool]:
    """Return what tells whether values are valid by a schema.

    It raises a UnicodeEncodeError for one with a lone surrogate.
    """
    is_valid: Callable[[Any], bool] = _VALIDATORS[draft](
        schema,
        pattern_options=jsonschema_rs.RegexOptions(),
        validate_formats=True,
        offline=True,
        registry=found_in,
    ).is_valid
    return is_valid


@lru_cache(maxsize=512)
def _pattern(pattern: str) -> Any:
    options, schema = jsonschema_rs.RegexOptions(), {"pattern": written(pattern)}
    try:
        return jsonschema_rs.Draft202012Validator(schema, pattern_options=options)
    except (jsonschema_rs.ValidationError, ValueError):
        raise ValueError(_INVALID) from None


def format_problem(name: str) -> str | None:  # noqa: ARG001 - the other engine's has one
    """Return what keeps a format from being judged, if anything."""
    return None


def written(pattern: str) -> str:
    """Return a regular expression where only ASCII letters make words, as in ECMA-262."""
    return re.sub(r"(\\[bB])|\\.", lambda each: f"(?-u:{each[1]})" if each[1] else each[0], pattern)


def matches(pattern: str, text: str) -> bool:
    """Return whether a regular expression is found in a text (JSON Schema validation, 6.3.3)."""
    return bool(_pattern(pattern).is_valid(encodable(text)))
