"""The engine `jsonschema`: in Python, for where the faster one does not load.

It is taken as it is, but for a few keywords that could take for ever or that it misreads, and for
regular expressions, which are read in linear time here, as Python's `re` does not. It knows few
formats.
"""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import jsonschema
from jsonschema import ValidationError
from jsonschema.validators import extend, validates
from referencing import Registry
from referencing.jsonschema import specification_with

from manifestkit.schema.drafts import Dialect, frozen, map_subschemas

NAME = "jsonschema"

_LIBRARY: dict[Dialect, Any] = {
    Dialect.CURRENT: jsonschema.Draft202012Validator,
    Dialect.OLD: jsonschema.Draft7Validator,
}
_OWN = "##"
"""Ends the URI of a draft in the engine's form: `referencing` passes over it, and `jsonschema`
finds the validator that has the keywords of this file."""

_FORMATS = _LIBRARY[Dialect.CURRENT].FORMAT_CHECKER
_verdicts: ContextVar[dict[tuple[int, int], bool]] = ContextVar("_verdicts")
"""Verdicts by the ids of a reference and a value: a recursive schema asks for them again."""

_Errors = Iterator[ValidationError]
_Keyword = Callable[[Any, Any, Any, Any], _Errors]


def _referring(keyword: _Keyword) -> _Keyword:
    def once(validator: Any, reference: Any, value: Any, schema: Any) -> _Errors:
        known, key = _verdicts.get(), (id(schema), id(value))
        if key not in known:
            known[key] = next(keyword(validator, reference, value, schema), None) is None
        if not known[key]:
            yield ValidationError("")

    return once


def _additional_items(validator: Any, operand: Any, value: Any, schema: Any) -> _Errors:
    if isinstance(value, list) and isinstance(schema.get("items"), list):  # else it says nothing
        for each in value[len(schema["items"]) :]:
            yield from validator.descend(each, operand)


def _unique_items(_: Any, wanted: Any, value: Any, __: Any) -> _Errors:
    if wanted and isinstance(value, list) and len(set(map(frozen, value))) < len(value):
        yield ValidationError("")


def _multiple_of(validator: Any, divisor: Any, value: Any, _: Any) -> _Errors:
    if validator.is_type(value, "number") and Fraction(repr(value)) % Fraction(repr(divisor)):
        yield ValidationError("")


def written(pattern: str) -> str:
    """Return a regular expression as it is: this file reads it."""
    return pattern


def matches(pattern: str, text: str) -> bool:
    """Return whether a regular expression is found in a text (JSON Schema validation, 6.3.3)."""
    return compile_pattern(pattern)(text)


def _pattern(_: Any, pattern: str, value: Any, __: Any) -> _Errors:
    if isinstance(value, str) and not matches(pattern, value):
        yield ValidationError("")


def _pattern_properties(validator: Any, patterns: Any, value: Any, _: Any) -> _Errors:
    for name in value if isinstance(value, dict) else ():
        for pattern, part in patterns.items():
            if matches(pattern, name):
                yield from validator.descend(value[name], part)


def _additional_properties(validator: Any, operand: Any, value: Any, schema: Any) -> _Errors:
    known, patterns = schema.get("properties", ()), schema.get("patternProperties", ())
    for name in value if isinstance(value, dict) else ():
        if name not in known and not any(matches(each, name) for each in patterns):
            yield from validator.descend(value[name], operand)


def _validator_class(draft: Dialect) -> Any:
    base = _LIBRARY[draft]
    keywords: dict[str, _Keyword] = {
        "$ref": _referring(base.VALIDATORS["$ref"]),
        "additionalProperties": _additional_properties,
        "multipleOf": _multiple_of,
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "uniqueItems": _unique_items,
    }
    if draft is Dialect.OLD:
        keywords["additionalItems"] = _additional_items
    made: Any = extend(base, keywords)  # type: ignore[no-untyped-call]
    made.META_SCHEMA = {"$id": draft.uri + _OWN}
    return validates(f"manifestkit {draft.label}")(made)


_VALIDATORS = {draft: _validator_class(draft) for draft in _LIBRARY}
_ALONE = "urn:manifestkit:schema"
_STACK = 12_000
if sys.platform != "emscripten":  # there the browser's stack is the limit
    sys.setrecursionlimit(max(_STACK, sys.getrecursionlimit()))


def registry(resources: Mapping[str, tuple[Any, Dialect]]) -> Any:
    """Return what looks up schemas, each of a draft, by their URI."""
    made: Registry[Any] = Registry()
    for uri, (each, draft) in resources.items():
        contents = _marked(each, draft.uri + _OWN)
        made = made.with_resource(uri, specification_with(draft.uri).create_resource(contents))
    return made.crawl()


def compiled(schema: Any, draft: Dialect, found_in: Any) -> Callable[[Any], bool]:
    """Return what tells whether values are valid by a schema."""
    if found_in is None:
        found_in = registry({_ALONE: (schema, draft)})
        own = schema.get("$id", _ALONE) if isinstance(schema, dict) else _ALONE
        schema = {"$ref": own}
    validator = _VALIDATORS[draft](
        schema,
        registry=found_in,
        format_checker=_LIBRARY[draft].FORMAT_CHECKER,
    )

    def is_valid(value: Any) -> bool:
        _verdicts.set({})
        try:
            return bool(validator.is_valid(value))
        except RecursionError:
            raise ValueError("the value and the schema are nested too deep") from None

    return is_valid


def _marked(schema: Any, draft: str) -> Any:
    """Return a schema whose parts say of which draft they are.

    Else a part is judged by the draft of what refers to it.
    """
    if not isinstance(schema, dict):
        return schema
    return {**map_subschemas(schema, partial(_marked, draft=draft)), "$schema": draft}


def format_problem(name: str) -> str | None:
    """Return what keeps a format from being judged, if anything."""
    if name in _FORMATS.checkers:
        return None
    return "is not supported without jsonschema-rs; install `jsonschema[format-nongpl]`"


# -- regular expressions ----------------------------------------------------------------------
#
# A pattern becomes a list of steps. A text is read once, with all steps that it can have come to:
# so no pattern takes longer than the length of the text times that of the pattern.

_SPACE = "\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_NO_SPACE = (
    "\0-\x08\x0e-\x1f!-\x9f\xa1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e"
    "\u2060-\u2fff\u3001-\ufefe\uff00-\U0010ffff"
)
_CLASSES = {r"\s": _SPACE, r"\S": _NO_SPACE}
"""The classes that are others to `re`, for inside brackets."""
_ESCAPE = (
    r"\\(?:[dDsSwWtnrfv]|x[0-9A-Fa-f]{2}|u(?![dD][89A-Fa-f])[0-9A-Fa-f]{4}|[^\w\s])"  # no surrogate
)
_ITEM = re.compile(r"\\.|[\[&|~]", re.DOTALL)
"""An escape, or a character that only `re` takes for more than itself inside brackets."""
_TOKEN = re.compile(
    r"(?P<opening>\((?:(?!\?)|\?:|\?<[^>]+>))|(?P<sign>[)|^$])"
    rf"|\[(?P<other>\^?)(?P<set>(?:(?!--)(?:{_ESCAPE}|[^\]\\]))+)\]"
    rf"|(?P<one>{_ESCAPE}|[^\\()\[|*+?{{^$])",
    re.ASCII | re.DOTALL,
)
_REPETITION = re.compile(r"([*+?]|\{[0-9]{1,4}(?:,[0-9]{0,4})?\})\??")
_BOUNDS = {"*": "0,", "+": "1,", "?": "0,1"}
_MOST_STEPS = 2_000
_MOST_WORK = 100_000_000
_TOO_LARGE = "it is too large to be used without jsonschema-rs"

_Step = re.Pattern[str] | str | tuple[int, ...]
"""Takes a character; or is an assertion; or leads to others, this many steps on."""


@lru_cache(maxsize=512)
def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """Return what tells whether a pattern is found in a text.

    That raises a ValueError for a text that is too long for the pattern.

    Raises:
        ValueError: the pattern cannot be used; the text says why.
    """
    try:
        steps = _steps(pattern)
    except re.error as error:
        raise ValueError(str(error)) from None
    end = frozenset({len(steps)})

    @lru_cache(maxsize=4096)
    def after(reached: frozenset[int], character: str, *, is_first: bool) -> frozenset[int]:
        """Return the steps that a character leads to; only the end where it is not needed."""
        here = _closure(steps, reached | {0}, {"^"} if is_first else set())
        if end <= here:
            return end
        return frozenset(
            index + 1
            for index in here
            if isinstance(step := steps[index], re.Pattern) and step.match(character)
        )

    def is_found(text: str) -> bool:
        if len(text) * len(steps) > _MOST_WORK:
            raise ValueError(f"`{pattern}` is not searched in so long a text without jsonschema-rs")
        reached: frozenset[int] = frozenset()
        for index, character in enumerate(text):
            reached = after(reached, character, is_first=index == 0)
            if reached is end:
                return True
        return end <= _closure(steps, reached | {0}, {"$"} if text else {"^", "$"})

    return is_found


def _closure(steps: list[_Step], start: Iterable[int], true: set[str]) -> set[int]:
    """Return the steps that some lead to without a character, where some assertions are true."""
    found: set[int] = set()
    todo = list(start)
    while todo:
        index = todo.pop()
        if index in found:
            continue
        found.add(index)
        step = steps[index] if index < len(steps) else ()
        if isinstance(step, tuple):
            todo += [index + each for each in step]
        elif step in true:
            todo.append(index + 1)
    return found


def _steps(pattern: str) -> list[_Step]:
    """Read a pattern into steps.

    Raises:
        ValueError, re.error: it cannot be read.
    """
    groups: list[list[list[_Step]]] = [[[]]]  # those that are open, each with its alternatives
    index = 0
    while index < len(pattern):
        token = _TOKEN.match(pattern, index)
        if token is None or len(pattern) > _MOST_STEPS or (token[0] == ")" and len(groups) == 1):
            raise _unread(pattern, index)
        index = token.end()
        if token["opening"]:
            groups.append([[]])
        elif token[0] == "|":
            groups[-1].append([])
        else:
            atom = _either(groups.pop()) if token[0] == ")" else _atom(token)
            if repetition := _REPETITION.match(pattern, index):
                index = repetition.end()
                atom = _repeated(atom, repetition[1])
            groups[-1][-1] += atom
    if len(groups) > 1:
        raise _unread(pattern, index)
    return _either(groups[0])


def _unread(pattern: str, index: int) -> ValueError:
    if len(pattern) > _MOST_STEPS:
        return ValueError(_TOO_LARGE)
    left = pattern[index:][:12] or pattern
    return ValueError(f"without jsonschema-rs, it is not understood at `{left}`")


def _either(alternatives: list[list[_Step]]) -> list[_Step]:
    steps, *others = alternatives
    for other in others:
        steps = [(1, len(steps) + 2), *steps, (len(other) + 1,), *other]
    return steps


def _repeated(steps: list[_Step], times: str) -> list[_Step]:
    low, comma, high = _BOUNDS.get(times, times.strip("{}")).partition(",")
    least = int(low)
    most = int(high) if high else None if comma else least
    if most is not None and most < least:
        raise ValueError(f"`{{{times}}}` has a least number above the greatest")
    if max(least, most or 0, 1) * len(steps) > _MOST_STEPS:
        raise ValueError(_TOO_LARGE)
    if most is None:
        return [*steps * least, (1, len(steps) + 2), *steps, (-len(steps) - 1,)]
    return [*steps * least, *[(1, len(steps) + 1), *steps] * (most - least)]


def _atom(token: re.Match[str]) -> list[_Step]:
    if token["sign"]:
        return [token[0]]
    if token["one"] == ".":
        return [re.compile("[^\n\r\u2028\u2029]")]
    items = _ITEM.sub(_item, token["set"] or token["one"])
    return [re.compile(f"[{token['other'] or ''}{items}]", re.ASCII)]


def _item(found: re.Match[str]) -> str:
    text = found[0]
    return _CLASSES.get(text) or (text if text.startswith("\\") else f"\\{text}")
