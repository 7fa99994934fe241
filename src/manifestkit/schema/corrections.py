"""Corrections of values of the wrong form, in profiles and in configurations."""

import json
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import date
from itertools import chain
from typing import Any

from manifestkit.files import other_tools
from manifestkit.model.pointer import Path
from manifestkit.schema.model import Schema

_SIZE = re.compile(r"\s*(\d{1,12}(?:\.\d{1,9})?)\s*([kmg])i?b?\s*", re.IGNORECASE)
_COUNT = re.compile(r"\s*(\d{1,15}(?:\.\d+)?)[a-z%\s]*", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*[,;|]\s*")
_BETWEEN_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\W_]+")
_WORDS = re.compile(r"[\w\s.:/-]+")
_LONGEST = 400


def corrected(
    value: Any, path: Path, schema: Schema, meant: Iterable[Any] = (), **around: Any
) -> Any:
    """Return the first that a schema accepts of what a value may mean; None where it accepts none.

    `around` are members beside the value, `meant` what it may mean at that place only.
    """
    place = tuple(0 if isinstance(each, int) else each for each in path)
    for form in chain(meant, (value,), _forms(value)):
        whole = form
        for step in reversed(place):
            whole = {step: whole} if isinstance(step, str) else [whole]
        if form is None or len(json.dumps(form, ensure_ascii=False)) > _LONGEST:
            continue
        errors = schema.validator.errors({**around, **whole} if place else whole)
        if not any(each.path[: len(place)] == place for each in errors):
            return form
    return None


def _forms(value: Any) -> Iterator[Any]:
    """Yield what may have been meant by a value, the most likely first."""
    if isinstance(value, str) and len(value) <= _LONGEST:
        yield from _forms_of_text(value)
    elif isinstance(value, dict):
        yield from (each for each in value.values() if isinstance(each, list))
        yield [value]
        yield from [*value.values()] if len(value) == 1 else ()
    elif isinstance(value, list):
        simple = [each for each in value if not isinstance(each, dict)] or value
        one = simple[0] if len(simple) == 1 else None
        yield one
        yield from _forms(one)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        with suppress(OverflowError, ValueError):
            yield int(value)
        yield from (other_tools("tables")["LEVELS"].get(str(value)), str(value), [value])


def _forms_of_text(text: str) -> Iterator[Any]:
    plain = text.strip().lower()
    with suppress(ValueError, RecursionError):
        yield json.loads(plain)
    if size := _SIZE.fullmatch(text):
        yield int(float(size[1]) * 1024 ** " kmg".index(size[2].lower()))
    if count := _COUNT.fullmatch(text):
        yield json.loads(count[1])
    yield from _dates(text)
    yield from re.findall(rf"\A(?=.*\w\.\w){other_tools('words')['ADDRESS']}\Z", text)
    if _WORDS.fullmatch(text):
        yield _BETWEEN_WORDS.sub("-", text).strip("-").lower()
    kind = other_tools("types").get(plain, plain)
    if kind in other_tools("types").values():
        yield from (kind, {"type": kind})
    yield from (
        other_tools("tables")["LEVELS"].get(plain),
        f"https://{plain}" if "." in plain else None,
    )
    parts = [each.strip("[]'\" ") for each in _BETWEEN.split(text)]
    yield from (parts, [other_tools("types").get(each.lower(), each) for each in parts])


def _dates(text: str) -> set[str]:
    """Return the date that a text is; of one that can be read in two ways, none."""
    found = set()
    for form in other_tools("dates"):
        with suppress(ValueError):
            found.add(date(*time.strptime(text, form)[:3]).isoformat())
    return found if len(found) == 1 else set()
