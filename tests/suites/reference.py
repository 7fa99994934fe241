"""Mutated values judged by our engine and by `jsonschema`: same verdict, pointer and keyword.

    python tests/suites/reference.py 100000 [SEED]

The schemas are ours, the example profiles, and generated ones. Where the two name a place or a
keyword differently, ours is the closer one, or a relative: see `_ours` and `_theirs`.
"""

from __future__ import annotations

import copy
import json
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import count as numbers
from itertools import takewhile
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jsonschema import (
    Draft7Validator,
    Draft202012Validator,
    ValidationError,
)
from jsonschema.validators import extend
from referencing import Registry
from referencing.jsonschema import DRAFT202012

sys.path.insert(0, str(Path(__file__).parents[1]))

from command import EXAMPLES, GOLDEN
from manifestkit.model.errors import SchemaError
from manifestkit.model.pointer import format_pointer
from manifestkit.schema.drafts import subschemas
from manifestkit.schema.loading.load import load_schema
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import base_schema
from manifestkit.schema.validation_error import ValidationError as OurError

Told = set[tuple[tuple[str | int, ...], str]]

_CLEAN = [
    json.loads(file.read_text("utf-8"))
    for folder in (EXAMPLES, GOLDEN)
    for file in sorted((folder / "valid").glob("*.json"))
]
_ODD: tuple[Any, ...] = (
    *("", " ", "a", "ab", "é", "😀", "host.timer", "host.haptic", "2026-11-20", "no"),
    *(0, 1, -1, 2, 3, 7, 30.0, 30.5, 2**53 + 1, 2**64, -(10**30), 1e308, -0.0, 0.1),
    *(True, False, None),
    *([], [1, 1.0], [True, 1], ["a", "a"], [[], {}]),
    *({}, {"": {}}, {"a": 1, "b": 2}, {"id": "x", "name": "y"}),
)
_KEYWORD_NAMES = ("dependencies", "x-manifestkit")
_NAMES = (
    *("a", "b", "c", "id", "name", "x-note", "thumbnail", "version", "", "tags"),
    *("0", "1", "01", "+1", "/", "~1", *_KEYWORD_NAMES),
)
_PATTERNS = ("^a", "b$", "^[a-z]+$", "^x-", "[0-9]", "^$")
_TYPES = ("string", "integer", "number", "object", "array", "boolean", "null")
_PER_SCHEMA = 20


class Generator:
    """Schemas and values by chance, the same for one seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.draft = self.chance.choice(list(_REFERENCES))
        self._keywords = [each for each in _KEYWORDS if each not in _LATER[self.draft]]
        self._shared = "definitions" if self.draft == _DRAFT_7 else "$defs"

    def schema(self) -> dict[str, Any]:
        """A schema with definitions that refer to one another by way of members only."""
        whole = self._keyword(2)
        for _ in range(self.chance.choice((0, 1, 2, 3))):
            whole |= self._keyword(2)
        defined = {self._shared: {name: self._part(2) for name in ("one", "two")}}
        place = format_pointer(
            self.chance.choice([path for path, _ in subschemas(defined | whole)])
        )
        # What is judged by way of a reference, and where it stands, too.
        return {**defined, "anyOf": [{"$ref": f"#{quote(place)}"}, True], **whole}

    def _part(self, depth: int) -> Any:
        if depth == 0 or self.chance.random() < 0.05:
            return self.chance.choice(({}, True, False, {"type": self.chance.choice(_TYPES)}))
        made: dict[str, Any] = {}
        for _ in range(self.chance.choice((1, 1, 2, 3))):
            made.update(self._keyword(depth - 1))
        return made

    def _keyword(self, depth: int) -> dict[str, Any]:
        chance = self.chance

        def part() -> Any:
            return self._part(depth)

        keyword = chance.choice(self._keywords)
        # A least above the greatest is refused.
        number = chance.choice((0, 1) if "min" in keyword.lower() else (2, 3))
        below = {"$ref": f"#/{self._shared}/{chance.choice(('one', 'two'))}"}
        some = chance.sample(_NAMES, 2)
        choices: dict[str, Any] = {
            "type": lambda: chance.choice((chance.choice(_TYPES), list(_TYPES[:3]))),
            "enum": lambda: [chance.choice(_ODD), chance.choice(_ODD)],
            "const": lambda: chance.choice(_ODD),
            "pattern": lambda: chance.choice(_PATTERNS),
            "required": lambda: some,
            "multipleOf": lambda: chance.choice((2, 0.5, 3)),
            "uniqueItems": lambda: True,
            "items": lambda: chance.choice((part(), below, False)),
            "prefixItems": lambda: [part(), part()],
            "properties": lambda: {some[0]: part(), some[1]: chance.choice((part(), below))},
            "patternProperties": lambda: {chance.choice(_PATTERNS): part()},
            "additionalProperties": lambda: chance.choice((False, part(), below)),
            "propertyNames": part,
            "dependentRequired": lambda: {each: [some[1]] for each in (some[0], *_KEYWORD_NAMES)},
            "dependentSchemas": lambda: {some[0]: part()},
            "contains": part,
            "not": part,
            "unevaluatedProperties": lambda: False,
            "unevaluatedItems": lambda: False,
        }
        if keyword in ("allOf", "anyOf", "oneOf"):
            return {keyword: [part(), part()]}
        if keyword == "if":
            return {"if": part(), "then": part(), "else": part()}
        if keyword == "counted":
            limit = chance.choice((("minContains", (0, 1, 2)), ("maxContains", (0, 1, 2, 3))))
            return {"contains": part(), limit[0]: chance.choice(limit[1])}
        return {keyword: choices[keyword]() if keyword in choices else number}

    def mutant(self, values: list[Any]) -> Any:
        """One of some values with some parts changed."""
        value = copy.deepcopy(self.chance.choice(values))
        for _ in range(self.chance.choice((0, 1, 1, 1, 2, 3))):
            owners = list(_collections(value))
            if not owners:
                return copy.deepcopy(self.chance.choice(_ODD))
            owner = self.chance.choice(owners)
            content = copy.deepcopy(self.chance.choice(_ODD))
            tokens: list[Any] = list(owner if isinstance(owner, dict) else range(len(owner)))
            kind = self.chance.randrange(3)
            if kind == 0 and tokens:
                del owner[self.chance.choice(tokens)]
            elif kind == 1 and tokens:
                owner[self.chance.choice(tokens)] = content
            elif isinstance(owner, list):
                owner.append(content)
            else:
                owner[self.chance.choice(_NAMES)] = content
        return value


_KEYWORDS = (
    *("type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum"),
    *("exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems", "minItems"),
    *("uniqueItems", "contains", "counted", "maxProperties", "minProperties", "required"),
    *("dependentRequired", "dependentSchemas", "properties", "patternProperties"),
    *("additionalProperties", "propertyNames", "items", "prefixItems", "allOf", "anyOf", "oneOf"),
    *("not", "if", "unevaluatedProperties", "unevaluatedItems"),
)


def _collections(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for each in value.values() if isinstance(value, dict) else value:
            yield from _collections(each)


def _pattern(_: Any, pattern: str, text: Any, __: Any) -> Iterator[ValidationError]:
    """As ECMA-262 has it: `\\w` and `\\d` are of ASCII, where Python's own are not."""
    if isinstance(text, str) and not re.search(pattern, text, re.ASCII):
        yield ValidationError("")


_DRAFT_7 = "http://json-schema.org/draft-07/schema#"
_LATER: dict[str, frozenset[str]] = {
    "https://json-schema.org/draft/2020-12/schema": frozenset(),
    _DRAFT_7: frozenset(
        {
            *("counted", "dependentRequired", "dependentSchemas", "prefixItems"),
            *("unevaluatedItems", "unevaluatedProperties"),
        }
    ),
}
"""The keywords that are not drawn for each draft."""


_BESIDE = {"unevaluatedItems": "items", "unevaluatedProperties": "additionalProperties"}


def _unevaluated(name: str) -> Any:
    """Nothing is left beside `additionalProperties` and `items`."""
    keyword = Draft202012Validator.VALIDATORS[name]

    def left(validator: Any, part: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
        if _BESIDE[name] not in schema:
            yield from keyword(validator, part, value, schema)

    return left


_REFERENCES: dict[str, Any] = {
    uri: extend(  # type: ignore[no-untyped-call]
        each,
        {"pattern": _pattern, **{name: _unevaluated(name) for name in _BESIDE if uri != _DRAFT_7}},
    )
    for uri, each in zip(_LATER, (Draft202012Validator, Draft7Validator), strict=True)
}


# -- one way to name places and keywords ------------------------------------------------------

_COUNTED = {"minContains": "contains"}
_ON_PART = frozenset(
    {
        *("additionalProperties", "false", "items", "propertyNames", "unevaluatedItems"),
        *("unevaluatedProperties", "uniqueItems"),
    }
)
"""What ours places on the member or item, and theirs on what holds it."""


def _ours(errors: list[OurError]) -> Told:
    told: Told = set()
    for error in errors:
        is_unwanted_item = (
            error.keyword == "not" and error.expected != error.requirement.schema["not"]
        )
        on_part = (error.keyword in _ON_PART or is_unwanted_item) and error.path
        path = error.path[:-1] if on_part else error.path
        told.add((path, _COUNTED.get(error.keyword, error.keyword)))
    return told


def _theirs(errors: list[Any], ours: Told) -> Told:
    told: Told = set()
    for error in errors:
        path = tuple(error.absolute_path)
        steps = list(error.absolute_schema_path)
        keyword = str(error.validator or "false")
        if "propertyNames" in _keyword_steps(steps):
            keyword = "propertyNames"
        is_items = error.validator is None and steps[-1:] == ["items"]
        if is_items and "properties" not in steps[-2:] and (path, "items") in ours:
            keyword = "items"  # so an older draft tells `items: false`
        if keyword == "false" and (path, keyword) not in ours:
            # What is false in place is told at the value; `_ours` has taken a token off.
            path = path[:-1]
        told.add((path, _COUNTED.get(keyword, keyword)))
    return told


def _keyword_steps(steps: list[Any]) -> Iterator[Any]:
    """The keywords among the steps of a path through a schema."""
    named = iter(steps)
    for step in named:
        yield step
        if step in ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions"):
            next(named, None)


def differences(schema: Schema, reference: Any, value: Any) -> list[str]:
    """What the two say differently of a value."""
    theirs_all = list(reference.iter_errors(value))
    is_valid = schema.validator.is_valid(value)
    if is_valid == bool(theirs_all):
        return [f"verdict: {is_valid} here"]
    ours = _ours(list(schema.validator.errors(value)))
    theirs = _theirs(theirs_all, ours)
    wrong = {each for each in ours ^ theirs if not _is_relative(each, ours & theirs)}
    return [f"only here {wrong & ours}; only there {wrong & theirs}"] if wrong else []


def _is_relative(told: tuple[tuple[str | int, ...], str], by_both: Told) -> bool:
    """Return whether it says what is left over, by schemas of which some are broken."""
    path, keyword = told
    return keyword in _BESIDE and any(
        other not in _BESIDE and at[: len(path)] == path for at, other in by_both
    )


_REGISTRY: Registry[Any] = Registry().with_resource(
    base_schema().contents["$id"], DRAFT202012.create_resource(base_schema().contents)
)


def run(count: int, first: int = 0) -> tuple[Counter[str], list[str]]:
    """Judge so many mutants; how many of each kind, and what was different."""
    counted: Counter[str] = Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        for seed in takewhile(lambda _: counted["mutants"] < count, numbers(first)):
            generator = Generator(seed)
            try:
                kind, schema, values = _schema(generator, seed, Path(name))
            except SchemaError as problem:
                if "no value has" not in str(problem):
                    raise
                counted["contradictory"] += 1
                continue
            registry: Registry[Any] = (
                DRAFT202012.create_resource(base_schema().contents) @ Registry()
            )
            draft = schema.contents.get("$schema", _DRAFT)
            reference = _REFERENCES[draft](schema.contents, registry=registry)
            for _ in range(min(_PER_SCHEMA, count - counted["mutants"])):
                value = generator.mutant(values)
                counted.update(("mutants", kind))
                for each in differences(schema, reference, value):
                    contents = json.dumps(schema.contents) if kind == "generated" else kind
                    wrong.append(f"seed {seed}: {contents} of {json.dumps(value)}: {each}")
                counted["errors"] += not schema.validator.is_valid(value)
    return counted, wrong


def _schema(generator: Generator, seed: int, folder: Path) -> tuple[str, Schema, list[Any]]:
    if seed % 3 == 0:
        return "ours", base_schema(), _CLEAN
    if seed % 3 == 1 and seed % 2:
        profiles = sorted((EXAMPLES / "profiles").glob("*.schema.json"))
        return "profile", load_schema(profiles[seed % len(profiles)]), _CLEAN
    file = folder / f"{seed}.json"
    file.write_text(
        json.dumps({"$schema": generator.draft, "x-seed": seed, **generator.schema()}), "utf-8"
    )
    values = [generator.mutant([{"a": {"b": [1, "a"]}, "id": "x"}, [1, {"a": 2}], "ab", 3])]
    return "generated", load_schema(file), [*values, *_ODD, *_CLEAN[:1]]


_DRAFT = "https://json-schema.org/draft/2020-12/schema"


if __name__ == "__main__":
    counts, found = run(int(sys.argv[1]), int((sys.argv[2:] or ["0"])[0]))
    for line in found[:20]:
        print(line)
    print(", ".join(f"{number:,} {what}" for what, number in counts.items()), end="; ")
    print(f"{len(found):,} differ")
    sys.exit(bool(found))
