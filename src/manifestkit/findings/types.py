"""Descriptions of a value that has the wrong type."""

from __future__ import annotations

import json
import math
import re
from contextlib import suppress
from typing import Any

from manifestkit.findings.contents import is_small, listed_in, refuses, says_no, texts_in
from manifestkit.findings.durations import integers, unit_of
from manifestkit.findings.fixes import remove_fix, replace_fix
from manifestkit.findings.readings import ShapeReader
from manifestkit.findings.shapes import describe_shape, losses, shape_text
from manifestkit.findings.words import excerpt, fits, listed, meaning, named
from manifestkit.model.finding import Description
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.model import Field
from manifestkit.schema.suggest import akin
from manifestkit.schema.validation_error import ValidationError

_MOST_SHOWN = 400
_SHORT = 3
_ALL = ("*", "all", "any", "read-all", "write-all")
_NUMBER = r"[0-9]{1,6}(?:[.,][0-9]+)?"
_NUMBERS = rf"{_NUMBER}(?: ?[-\u2013 ] ?{_NUMBER})?"
_CLOCK = r"([0-9]{1,2}):([0-5][0-9])"  # hours and minutes, or minutes and seconds
_COMMENT = re.compile(r"[ \t]*(#(?!N/A|[A-Z/0]+[!?])[^\s#][^\r\n]*)")  # no error of Excel
_TIGHT_KEY = re.compile(r"([A-Za-z_]\w*):(?!//)(\S[^\r\n]*)")
_BLOCK = re.compile(r"([|>])[^\r\n]*+\s++(?:- |[\w.-]++: )")
_BULLET = re.compile(r"(?:[-\u2010-\u2015\u2022\u00b7*+>]++|[0-9]+[.)])[ \t]*(\S[^\r\n]*)")


def describe_type(manifest: Manifest, error: ValidationError, said: Description) -> Description:
    """Describe a value of the wrong type by the one that was probably meant."""
    path, value = error.path, error.instance
    expected = error.expected
    types = (expected,) if isinstance(expected, str) else tuple(expected)
    known = manifest.schema.field(path) or Field()
    if known.types and not known.meets_types(types):  # whatever is written, one of both fails
        return said
    if isinstance(value, str) and (held := _held_in(value, types)) is not None:
        do = "write the value that the string holds"
        fix = replace_fix(path, held, "unsafe")._replace(message=do)
        do = f"it holds JSON, encoded twice: encode it once in the program that writes it, or {do}"
        return said._replace(help=do, fixes=(fix,))
    owner = manifest.schema.field(path[:-1]) or Field()
    is_optional = bool(path) and path[-1] in owner.members and path[-1] not in owner.required
    if value is None and is_optional:
        said = said._replace(fixes=(remove_fix(path),))
    if meant := _as_yaml_reads(manifest, error, types):
        return said._replace(help=meant)
    return (
        describe_shape(manifest, error, said, types)
        or _around_manifest(error, said)
        or _around_listed(manifest, error, said)
        or said._replace(help=_by_example(manifest, error, said.help, is_optional=is_optional))
    )


def _as_yaml_reads(
    manifest: Manifest, error: ValidationError, types: tuple[str, ...]
) -> str | None:
    """Return what to do where YAML reads a comment, or text, and its author meant it otherwise."""
    document = manifest.document
    if document.syntax != "yaml" or not isinstance(error.instance, str | dict | None):
        return None
    start = document.spans(error.path)[1].start
    if block := _BLOCK.match(document.text, start):
        return f"remove the `{block[1]}` before it: it makes text of the lines below"
    if error.instance is None:
        if "string" in types and (comment := _COMMENT.match(document.text, start)):
            return f"put the text in quotes, {excerpt(comment[1])}: `#` begins a comment"
        owner = document.value_or_none(error.path[:-1])
        field = manifest.schema.field(error.path) or Field()
        below = [each for each in field.members if isinstance(owner, dict) and each in owner]
        return f"indent {listed(below, 'and', named)}, to stand below it" if below else None
    if "object" in types and (key := _TIGHT_KEY.match(document.text, start)):
        return f"put a space after each colon: {named(f'{key[1]}: {key[2]}')}"
    item = _BULLET.match(document.text, start) if "array" in types else None
    if item is None or document.text[document.text.rfind("\n", 0, start) + 1 : start].strip():
        return None
    return f"begin each item with `-` and a space: {named(f'- {item[1]}')}"


def _by_example(
    manifest: Manifest, error: ValidationError, do: str | None, *, is_optional: bool
) -> str | None:
    """Return what to write in the place of a value of which nothing can be used."""
    path, field = error.path, manifest.schema.field(error.path) or Field()
    if do and (names := field.required or field.members):
        do = f"{do} with {listed(names, 'and', named)}"
    if not path:
        return do
    is_item, items = isinstance(path[-1], int), error.instance
    if is_item and items and isinstance(items, list) and all(map(field.allows_type, items)):
        return "remove these brackets: what is in them belongs in the list around"
    blank = ShapeReader(manifest).blank_around(path, error.instance)
    if blank and isinstance(blank, dict | list):
        return f"write {shape_text(manifest, path, blank)}"
    texts, examples = _texts_for(field, error.instance), list[Any]()
    if counts := _counts_in(error.instance, str(path[-1])) if field.types == ("integer",) else []:
        do = f"write {listed(counts, say=excerpt)}"
    elif field.values and not texts:
        do = f"use {listed([each for each, _ in field.values], say=excerpt)}"
        do = f"remove it, or {do}" if is_item else do
    elif 0 < len(texts) <= _SHORT and all(map(fits, texts)):
        lost = losses(manifest, replace_fix(path, texts, "unsafe"))
        do = f"write {listed(texts, say=excerpt)}{lost}"
    elif examples := [each for each in (*texts[:1], *field.examples) if fits(each)]:
        examples.sort(key=lambda each: each == [] and not refuses(error.instance))
        do = f"write, for example, {excerpt(examples[0])}"
    leave = f", or leave out {named(path[-1])}" if is_optional else ""
    if leave and error.instance in (None, "", [], {}):
        return f"{do}{leave}"
    purpose = meaning(field)
    do = f"{do} ({purpose})" if do and purpose else do
    return f"{do}{leave}" if examples else do


def _texts_for(field: Field, value: Any) -> list[str]:
    """Return the texts in a value that may be meant at its place; of listed ones, those akin."""
    if field.types != ("string",) or not is_small(value) or says_no(value):
        return []
    if field.values:
        return [each for text in texts_in(value) for each in akin(text, field.values)]
    return [each for each in texts_in(value) if "." in each or not field.file]


def _counts_in(value: Any, name: str) -> list[int]:
    """Return the whole numbers next to those that are all that a value says, but for their unit."""
    if not is_small(value):
        return []
    parts = value.values() if isinstance(value, dict) else [value]
    text = " ".join(map(str, value if isinstance(value, list) else parts))
    unit, clock = (unit_of(name) or "\0")[:_SHORT], re.fullmatch(_CLOCK, text)
    texts = [clock.expand(each) for each in (r"\1h\2m", r"\1m\2s")] if clock else [text]
    texts += [" ".join(f"{each} {key}" for key, each in value.items())] if parts != [value] else []
    seconds = [each.value for text in texts for each in integers(text, name, "s")]
    numbers = [each / one.value for one in integers(1, name, "s") for each in seconds]
    counts = rf"(?i)(?:[^\W\d]{{1,3}}\.? )?{_NUMBERS}(?: ?{unit}\w*)?"
    if not numbers and re.fullmatch(counts, text):
        numbers = [float(each.replace(",", ".")) for each in re.findall(_NUMBER, text)]
    whole = (each(number) for number in numbers for each in (math.floor, math.ceil))
    return [*dict.fromkeys(each for each in whole if each > 0)]


def _around_manifest(error: ValidationError, said: Description) -> Description | None:
    """Describe an array of manifests."""
    value, do = error.instance, "remove the brackets around the object"
    if error.path or not isinstance(value, list) or {type(each) for each in value} != {dict}:
        return None
    if len(value) > 1:
        names = [name for each in value for name in each]
        is_one = len(names) == len(set(names))
        own = "write each object to its own file, such as `x.manifest.json`"
        do = "join them into one object, without the marks of a list" if is_one else own
        return said._replace(help=do)
    fix = replace_fix((), value[0], "unsafe")._replace(message=do)
    return said._replace(help=do, fixes=(fix,))


def _held_in(text: str, types: tuple[str, ...]) -> Any:
    """Return the array or object of one of the types that a text is as JSON, or None."""
    with suppress(ValueError, RecursionError):
        due = {"[": "array", "{": "object"}.get(text.lstrip()[:1])
        return json.loads(text, parse_constant=int) if due in types else None  # no NaN
    return None


def _around_listed(
    manifest: Manifest, error: ValidationError, said: Description
) -> Description | None:
    """Describe a value in the place of a list, or of an item, by what can be listed of it."""
    is_item = bool(error.path) and isinstance(error.path[-1], int)
    item = manifest.schema.field(error.path if is_item else (*error.path, 0))
    known = listed_in(item, error.instance)
    if item and not is_item and error.instance in _ALL:
        known = [each for each, _ in item.values]
    if not known:
        return None
    parts = error.instance.values() if isinstance(error.instance, dict) else [None]
    is_told = all(isinstance(each, str) or each is True for each in parts)
    if is_item and len(known) == 1 and is_told and not says_no(error.instance):
        fix = replace_fix(error.path, known[0], "unsafe")
        return said._replace(help=fix.message, fixes=(fix,))
    if is_item and parts and all(each is False for each in parts):
        fix = remove_fix(error.path)
        return said._replace(help="remove it: it is set to `false`", fixes=(fix,))
    if is_item and len(known) == 1:
        return said._replace(help=f"write {excerpt(known[0])} if you need it, or remove it")
    shown = excerpt(known, _MOST_SHOWN)  # an item has its brackets already
    return said._replace(help=f"list what you need of {f'`{shown[2:-2]}`' if is_item else shown}")
