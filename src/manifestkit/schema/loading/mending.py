"""Values for keywords and annotations that have one of the wrong form."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import reduce
from operator import getitem
from typing import Any

from manifestkit.model.pointer import Path
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import other_tools
from manifestkit.schema.validation_error import ValidationError

_OF_FORM = ("type", "enum", "pattern", "minItems", "format")
_COUNT = re.compile(r"\s*(\d{1,15}(?:\.\d+)?)[a-z%\s]*", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*[,;|]\s*")
_BETWEEN_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\W_]+")
_LONGEST = 400


def mended(error: ValidationError, schema: Schema, whole: Any, given: Any) -> str | None:
    """Return what to write for a value of the wrong form; None where nothing tells.

    Args:
        error: says that the value is wrong.
        schema: says what is right.
        whole: what the schema was asked about.
        given: the same, as it is written.
    """
    if error.keyword not in _OF_FORM:
        return None
    path, value = error.path, reduce(getitem, error.path, given)
    for form in (*_forms(value), *_of_place(path, value, schema)):
        text = json.dumps(form, ensure_ascii=False)
        if len(text) > _LONGEST or form == value:
            continue
        errors = schema.validator.errors(_replaced(whole, path, form))
        if not any(each.path[: len(path)] == path for each in errors):
            name = f'"{path[-1]}": ' if path and isinstance(path[-1], str) else ""
            return f"write `{name}{text}`"
    return None


def _replaced(whole: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    made: Any = dict(whole) if isinstance(whole, dict) else [*whole]
    made[path[0]] = _replaced(whole[path[0]], path[1:], value)
    return made


def _forms(value: Any) -> Iterator[Any]:
    """Yield what may have been meant by a value, the most likely first."""
    if isinstance(value, str) and len(value) <= _LONGEST:
        yield from _forms_of_text(value)
    elif isinstance(value, dict):
        yield from ([*value], [value])
    elif isinstance(value, list):
        one = value[0] if len(value) == 1 else None
        yield one
        yield from _forms(one)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        whole = int(value) if value % 1 == 0 else value
        yield from (whole, other_tools("levels").get(str(value)), str(value), [value])


def _forms_of_text(text: str) -> Iterator[Any]:
    plain = text.strip().lower()
    with suppress(ValueError, RecursionError):
        yield json.loads(plain)
    if count := _COUNT.fullmatch(text):
        yield json.loads(count[1])
    yield _BETWEEN_WORDS.sub("-", text).strip("-").lower()
    kind = other_tools("types").get(plain, plain)
    if kind in other_tools("types").values():
        yield from (kind, {"type": kind})
    yield from (other_tools("levels").get(plain), f"https://{plain}")
    parts = [each.strip("[]'\" ") for each in _BETWEEN.split(text)]
    yield from (parts, [other_tools("types").get(each.lower(), each) for each in parts])


def _of_place(path: Path, value: Any, schema: Schema) -> Iterator[Any]:
    """Yield what a text, or a list of texts, was meant as in its place, or a table of needs."""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        yield ("|" if path[-1:] == ("pattern",) else " ").join(value)
        yield {"required": value}
    if path == () and isinstance(value, str):
        yield from ({"rule": value}, {"message": value})
    field = schema.field(path)
    if path != ("needs",) or field is None:
        return
    (usual,) = field.examples[0]
    made: dict[str, Any] = {}
    rows = value if isinstance(value, list) else [value]
    for name, below in (pair for row in rows if isinstance(row, dict) for pair in row.items()):
        is_table = isinstance(below, dict)
        list_name = name.strip("/#.") if is_table else ""
        table = made.setdefault(f"/{list_name}" if list_name else usual, {})
        for item, needed in (below if is_table else {name: below}).items():
            table[item] = [needed] if isinstance(needed, str) else needed
    yield made
