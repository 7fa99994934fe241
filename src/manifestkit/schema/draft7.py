"""A schema of draft 2020-12 in the words of draft-07, for tools that stop there."""

from typing import Any

from manifestkit.model.errors import SchemaError
from manifestkit.schema.drafts import ANNOTATION, Dialect, map_subschemas

_RENAMED = {"$defs": "definitions"}
_UNKNOWN_THERE = (Dialect.CURRENT.keywords - Dialect.OLD.keywords) | {
    *("$anchor", "$dynamicAnchor", "$vocabulary"),
}


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
    return {"$schema": f"{Dialect.OLD.uri}#", **made}


def _translated(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    for keyword in schema:
        if keyword in _UNKNOWN_THERE:
            raise SchemaError(f"draft-07 has no equivalent of `{keyword}`; use other keywords")
    made = {
        _RENAMED.get(keyword, keyword): there
        for keyword, there in map_subschemas(schema, _translated).items()
        if keyword not in ("$schema", "$ref", ANNOTATION)
    }
    if "$ref" in schema:
        tokens = schema["$ref"].split("/")
        reference = {"$ref": "/".join(_RENAMED.get(token, token) for token in tokens)}
        if not made:
            return reference
        made["allOf"] = [reference, *made.get("allOf", ())]
    return made
