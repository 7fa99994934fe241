"""A schema of draft 2020-12 in the words of draft-07, for tools that stop there."""

from __future__ import annotations

from typing import Any

from manifestkit.model.errors import SchemaError
from manifestkit.schema.drafts import CURRENT, KEYWORDS, LISTS, NAMED, ONE
from manifestkit.schema.fields import ANNOTATION

DRAFT_07 = "http://json-schema.org/draft-07/schema#"

_RENAMED = {"$defs": "definitions"}
_UNKNOWN_THERE = {"$anchor", "$dynamicAnchor", "$vocabulary", *(KEYWORDS[CURRENT] - KEYWORDS["7"])}


def as_draft7(contents: dict[str, Any]) -> dict[str, Any]:
    """Translate a schema into draft-07, without the annotations for our linter.

    Draft-07 passes over whatever stands beside a ``$ref`` (JSON Schema core draft-07, 8.3), so
    such a reference goes into an ``allOf``.

    Args:
        contents: a whole schema of draft 2020-12 that refers to itself only.

    Raises:
        SchemaError: it has a keyword that draft-07 cannot say.
    """
    made: dict[str, Any] = _translated(contents)
    if "$id" in made:
        made["$id"] += ":draft-07"
    return {"$schema": DRAFT_07, **made}


def _translated(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Any] = {}
    keyword: str
    for keyword, value in schema.items():
        if keyword in _UNKNOWN_THERE:
            raise SchemaError(f"draft-07 has no equivalent of `{keyword}`; use other keywords")
        if keyword not in ("$schema", "$ref", ANNOTATION):
            made[_RENAMED.get(keyword, keyword)] = _value(keyword, value)
    if "$ref" in schema:
        reference = {"$ref": _reference(schema["$ref"])}
        if not made:
            return reference
        made["allOf"] = [reference, *made.get("allOf", ())]
    return made


def _value(keyword: str, value: Any) -> Any:
    if keyword in ONE:
        return _translated(value)
    if keyword in LISTS:
        return [_translated(each) for each in value]
    if keyword in NAMED:
        return {name: _translated(each) for name, each in value.items()}
    return value


def _reference(reference: str) -> str:
    return "/".join(_RENAMED.get(token, token) for token in reference.split("/"))
