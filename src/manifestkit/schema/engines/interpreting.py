"""The engine `jsonschema`: in Python, for where the faster one does not load.

Regular expressions are put into Python's dialect. Some keywords of the library are replaced: by
those that tell more, or take less time.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import unquote, urljoin

import jsonschema
from jsonschema import FormatChecker, ValidationError
from jsonschema.validators import extend, validates
from referencing import Registry, Resource
from referencing.jsonschema import specification_with

from manifestkit.model.pointer import Path, as_fragment, parse_pointer
from manifestkit.schema.applied import children
from manifestkit.schema.drafts import (
    CURRENT,
    DRAFTS,
    KEYWORDS,
    LISTS,
    NAMED,
    NEW_FORMATS,
    OLD,
    ONE,
    URIS,
    draft_of,
    frozen,
)
from manifestkit.schema.engines.patterns import PatternError, translated
from manifestkit.schema.engines.text_formats import FORMATS, UNSUPPORTED

NAME = "jsonschema"

_DRAFT_VALIDATORS: dict[str, Any] = {
    CURRENT: jsonschema.Draft202012Validator,
    OLD: jsonschema.Draft7Validator,
}
_OWN = "##"
"""Ends the URI of a draft in the engine's form: `referencing` passes over it, and `jsonschema`
finds the validator that has the keywords of this file."""

_TEXT = {"type": "string"}
_ORIGINALS: dict[Any, str] = {}
"""The patterns of members, by what they are in Python's dialect."""

_MOST_TEXTS = 1_000


class _Memory(NamedTuple):
    """Verdicts of one judge: recursive schemas and lists of names ask for the same again.

    Attributes:
        verdicts: by the ids of a schema and a value and a keyword, during one judgement.
        texts: those that a schema allows, by its id and a keyword.
    """

    verdicts: dict[tuple[int, int, str], bool]
    texts: set[tuple[int, str, str]]


_memory: ContextVar[_Memory] = ContextVar("_memory")
_Errors = Iterator[ValidationError]
_Keyword = Callable[[Any, Any, Any, Any], _Errors]


class _View:
    """The schema of a validator, as `applied.py` asks it."""

    def __init__(self, validator: Any) -> None:
        self.schema = validator.schema
        self._uri = validator.META_SCHEMA["$id"].removesuffix(_OWN)
        names = self.schema if isinstance(self.schema, dict) else ()
        self.keywords = [each for each in names if each in KEYWORDS[DRAFTS[self._uri]]]
        self._validator = validator
        self._resolver = validator._resolver  # noqa: SLF001 - as keywords of `jsonschema` do

    def allows(self, value: Any, schema: Any, /) -> bool:
        return next(self._validator.descend(value, schema), None) is None

    def below(self, schema: Any, /) -> _View:
        specification = specification_with(self._uri)
        resource = Resource.from_contents(schema, default_specification=specification)
        return self._with(schema, self._resolver.in_subresource(resource))

    def referred(self, keyword: str, /) -> _View:
        found = self._resolver.lookup(self.schema[keyword])
        return self._with(found.contents, found.resolver)

    def _with(self, schema: Any, resolver: Any) -> _View:
        return _View(self._validator.evolve(schema=schema, _resolver=resolver))

    def matches(self, pattern: str, name: str, /) -> bool:
        return matches(_ORIGINALS[pattern], name)


def _referring(keyword: _Keyword) -> _Keyword:
    def with_memory(validator: Any, reference: Any, value: Any, schema: Any) -> _Errors:
        verdicts, texts = _memory.get()
        key = id(schema), id(value), keyword.__name__
        text = (id(schema), value, keyword.__name__) if isinstance(value, str) else None
        if key not in verdicts:
            errors = iter(()) if text in texts else keyword(validator, reference, value, schema)
            verdicts[key] = next(errors, None) is None
        if not verdicts[key]:
            yield ValidationError("")
        elif text and len(texts) < _MOST_TEXTS:
            texts.add(text)

    return with_memory


def _if(validator: Any, branch: Any, value: Any, schema: Any) -> _Errors:
    verdicts = _memory.get().verdicts
    key = id(branch), id(value), "if"
    if key not in verdicts:
        verdicts[key] = next(validator.descend(value, branch), None) is None
    name = "then" if verdicts[key] else "else"
    if name in schema:
        yield from validator.descend(value, schema[name], schema_path=name)


def _properties(keyword: _Keyword) -> _Keyword:
    def without_texts(validator: Any, parts: Any, value: Any, schema: Any) -> _Errors:
        if isinstance(value, dict):  # most members are any text, and need no validator
            parts = {
                name: part
                for name, part in parts.items()
                if name in value and not (part is _TEXT and isinstance(value[name], str))
            }
        return keyword(validator, parts, value, schema)

    return without_texts


def _additional_items(keyword: _Keyword) -> _Keyword:
    def beside_a_list(validator: Any, operand: Any, value: Any, schema: Any) -> _Errors:
        if isinstance(schema.get("items"), list):  # else it says nothing
            yield from keyword(validator, operand, value, schema)

    return beside_a_list


def _unevaluated(keyword: str) -> _Keyword:
    def of_the_rest(validator: Any, _: Any, value: Any, __: Any) -> _Errors:
        for token, operand in children(_View(validator), keyword, value):
            yield from validator.descend(value[token], operand)

    return of_the_rest


def _unique_items(_: Any, wanted: Any, value: Any, __: Any) -> _Errors:
    if wanted and isinstance(value, list) and len(set(map(frozen, value))) < len(value):
        yield ValidationError("")


def _multiple_of(validator: Any, divisor: Any, value: Any, _: Any) -> _Errors:
    if validator.is_type(value, "number") and Fraction(repr(value)) % Fraction(repr(divisor)):
        yield ValidationError("")


def matches(pattern: str, text: str) -> bool:
    """Return whether a regular expression is found in a text (JSON Schema validation, 6.3.3)."""
    _check_length(pattern, text)
    return re.search(translated(pattern).text, text) is not None


def _member_pattern(pattern: str) -> str:
    """Return a pattern of members in Python's dialect, another one for each pattern."""
    text = translated(pattern).text
    while _ORIGINALS.setdefault(text, pattern) != pattern:
        text = f"(?:{text})"
    return text


def _check_length(pattern: str, text: str) -> None:
    if len(text) > translated(pattern).longest:
        raise ValueError(f"without jsonschema-rs, `{pattern}` is not searched in so long a text")


def _pattern(_: Any, pattern: str, value: Any, __: Any) -> _Errors:
    if isinstance(value, str) and not matches(pattern, value):
        yield ValidationError("")


def _pattern_properties(keyword: _Keyword) -> _Keyword:
    def with_short_names(validator: Any, patterns: Any, value: Any, schema: Any) -> _Errors:
        for pattern in patterns if isinstance(value, dict) else ():
            for name in value:
                _check_length(_ORIGINALS[pattern], name)
        yield from keyword(validator, patterns, value, schema)

    return with_short_names


_ADAPTED: dict[str, Callable[[_Keyword], _Keyword]] = {
    "$dynamicRef": _referring,
    "$ref": _referring,
    "additionalItems": _additional_items,
    "patternProperties": _pattern_properties,
    "properties": _properties,
}
_REPLACED: dict[str, _Keyword] = {
    "multipleOf": _multiple_of,
    "pattern": _pattern,
    "unevaluatedItems": _unevaluated("unevaluatedItems"),
    "unevaluatedProperties": _unevaluated("unevaluatedProperties"),
    "uniqueItems": _unique_items,
}


def _validator_class(draft: str) -> Any:
    base = _DRAFT_VALIDATORS[draft]
    keywords = {name: base.VALIDATORS[name] for name in _ADAPTED if name in base.VALIDATORS}
    adapted = {name: _ADAPTED[name](keyword) for name, keyword in keywords.items()}
    if "if" in base.VALIDATORS:
        adapted["if"] = _if
    made: Any = extend(base, {**_REPLACED, **adapted})  # type: ignore[no-untyped-call]
    made.META_SCHEMA = {"$id": URIS[draft] + _OWN}
    return validates(f"manifestkit {draft}")(made)


def _is_text_of(is_valid: Callable[[str], bool], value: object) -> bool:
    return not isinstance(value, str) or is_valid(value)


def _format_checker(draft: str) -> FormatChecker:
    checker = FormatChecker(())
    for name, is_valid in FORMATS.items():
        if draft != OLD or name not in NEW_FORMATS:
            checker.checks(name)(partial(_is_text_of, is_valid))
    return checker


_VALIDATORS = {draft: _validator_class(draft) for draft in _DRAFT_VALIDATORS}
_FORMAT_CHECKERS = {draft: _format_checker(draft) for draft in _DRAFT_VALIDATORS}

_ALONE = "urn:manifestkit:schema"
_STACK = 12_000
if sys.platform != "emscripten":  # there the browser's stack is the limit
    sys.setrecursionlimit(max(_STACK, sys.getrecursionlimit()))


class _InterpretingJudge:
    def __init__(self, validator: Any) -> None:
        self._validator = validator
        self._texts: set[tuple[int, str, str]] = set()

    def is_valid(self, value: Any, /) -> bool:
        _memory.set(_Memory({}, self._texts))
        try:
            return bool(self._validator.is_valid(value))
        except RecursionError:
            raise ValueError("the value and the schema are nested too deep") from None


_KEPT = frozenset(
    {
        *(keyword for each in _VALIDATORS.values() for keyword in each.VALIDATORS),
        *("$anchor", "$dynamicAnchor", "$id", "maxContains", "minContains"),
    }
)


def registry(resources: Mapping[str, Any], draft: str) -> Any:
    """Return what looks up schemas by their URI."""
    drafts = {uri: draft_of(each, draft) or draft for uri, each in resources.items()}
    is_mixed = len({*drafts.values()}) > 1
    made: Registry[Any] = Registry()
    for uri, each in resources.items():
        own = URIS[drafts[uri]]
        prepared = _prepared(each, {"$schema": own + _OWN} if is_mixed else {})
        made = made.with_resource(uri, specification_with(own).create_resource(prepared))
    return made.crawl()


def compiled(schema: Any, draft: str, uri: str | None, found_in: Any) -> _InterpretingJudge:
    """Return the judge of values by a schema, whose references are looked up in a registry."""
    if found_in is None:
        uri, found_in = _ALONE, registry({_ALONE: schema}, draft)
    own = schema.get("$id", "") if isinstance(schema, dict) else ""
    validator = _VALIDATORS[draft](
        _prepared(schema, {}) if uri is None else {"$ref": urljoin(uri, own)},
        registry=found_in,
        format_checker=_FORMAT_CHECKERS[draft],
    )
    return _InterpretingJudge(validator)


def _prepared(schema: Any, marks: Mapping[str, str]) -> Any:
    """Return a schema in the engine's form, with marks in every object.

    Where schemas of several drafts refer to one another, each part says of which it is: else it is
    judged by the draft of what refers to it. It takes time.
    """
    if isinstance(schema, list):
        return [_prepared(each, marks) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Any] = {**marks}
    for keyword, operand in schema.items():
        if keyword == "$ref" and "/patternProperties/" in operand:
            made[keyword] = _moved(operand)
        elif keyword == "patternProperties":
            made[keyword] = {
                _member_pattern(each): _prepared(part, marks) for each, part in operand.items()
            }
        elif keyword in NAMED and isinstance(operand, dict):
            made[keyword] = {
                name: part if isinstance(part, list) else _prepared(part, marks)
                for name, part in operand.items()
            }
        elif keyword in LISTS or keyword in ONE:
            made[keyword] = _prepared(operand, marks)
        elif keyword in _KEPT:  # what else there is takes time only
            made[keyword] = operand
    return _TEXT if made == _TEXT else made


def _moved(reference: str) -> str:
    """Return a reference into the engine's form, in which the patterns of members are others."""
    uri, _, fragment = reference.partition("#")
    tokens: list[str] = []
    keyword = ""
    for token in parse_pointer(unquote(fragment)):
        tokens.append(_member_pattern(token) if keyword == "patternProperties" else token)
        keyword = token if token in NAMED and keyword not in NAMED else ""
    return f"{uri}#{as_fragment(tokens)}"


def pattern_problem(pattern: str) -> str | None:
    """Return what keeps a regular expression from being used, if anything."""
    try:
        translated(pattern)
    except PatternError as error:
        return str(error)
    return None


def format_problem(name: str) -> str | None:
    """Return what keeps a format from being judged, if anything."""
    return "is not supported without jsonschema-rs" if name in UNSUPPORTED else None


def schema_problems(contents: Any, draft: str) -> Iterator[tuple[Path, str]]:
    """Yield the places of what keeps a value from being a schema of a draft, and why."""
    base = _DRAFT_VALIDATORS[draft]
    for error in base(base.META_SCHEMA).iter_errors(contents):
        yield tuple(error.absolute_path), _reason(error)


def _reason(error: Any) -> str:
    value, expected = json.dumps(error.instance), error.validator_value
    if error.validator == "type":
        named = [expected] if isinstance(expected, str) else sorted(expected)
        types = ", ".join(f'"{each}"' for each in named)
        reason = f"{value} is not of type{'s' if len(named) > 1 else ''} {types}"
    elif error.validator == "anyOf":
        reason = f"{value} is not valid under any of the schemas listed in the 'anyOf' keyword"
    elif error.validator == "minimum":
        reason = f"{value} is less than the minimum of {expected}"
    else:
        reason = f"{value} does not satisfy `{error.validator}`"
    return reason
