"""Random schemas by values of every type: linted, described, fixed, rendered and previewed.

No exception leaves the library, a value that is not valid fails, and each error that a plain loop
over `jsonschema` finds at a keyword has a finding there.

Usage: python tests/rules/described.py COUNT [SEED]
"""

from __future__ import annotations

import json
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from jsonschema import Draft202012Validator

import manifestkit
from in_process import manifest_here
from manifestkit.rendering import FORMATS

_PER_SCHEMA = 10
_NAMES = ("a", "b", "thumbnail", "id", "", "host.timer")
_TEXTS = ("", "a", "host.timer", "x" * 90, "5 m", "host.timer, a", "\n", "1.2.0", "no")
_SCALARS: tuple[Any, ...] = (None, True, False, 0, -1, 1.5, 1e300, 12345678901234567890, *_TEXTS)
_TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
_WITHOUT_PLACE = frozenset({"anyOf", "oneOf", "not", "propertyNames", "contains"})


def value(random: Random, depth: int = 3) -> Any:
    """Draw a value of any type."""
    kind = random.randrange(4) if depth else 0
    if kind == 1:
        return [value(random, depth - 1) for _ in range(random.randrange(4))]
    if kind == 2:
        return {random.choice(_NAMES): value(random, depth - 1) for _ in range(random.randrange(4))}
    return random.choice(_SCALARS)


def schema(random: Random, depth: int = 3) -> Any:
    """Draw a schema; few values are valid by it."""
    if random.randrange(12) == 0:
        return random.choice((True, False, {}))
    drawn: dict[str, Any] = {}
    for _ in range(random.randrange(1, 4)):
        keyword = random.choice(_KEYWORDS if depth else _LEAVES)
        drawn[keyword] = _operand(random, keyword, depth)
    if random.randrange(6) == 0:
        drawn["x-manifestkit"] = {"rule": "host-rule", "message": "{value} at {path}: {a} {b!s}"}
    if random.randrange(4) == 0:
        drawn["title"] = "Shape"
    return drawn


_LEAVES = (
    *("type", "type", "enum", "const", "pattern", "format", "required", "dependentRequired"),
    *("minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"),
)
_KEYWORDS = (
    *_LEAVES,
    *("properties", "properties", "items", "prefixItems", "additionalProperties", "allOf"),
    *("anyOf", "oneOf", "not", "contains", "propertyNames", "if", "patternProperties"),
    *("unevaluatedProperties", "unevaluatedItems", "dependentSchemas"),
)


_Draw = Callable[[Random], Any]
_OPERANDS: dict[str, _Draw] = {
    "type": lambda random: random.choice((random.choice(_TYPES), random.sample(_TYPES, 2))),
    "enum": lambda random: [value(random, 1) for _ in range(random.randrange(1, 4))],
    "const": lambda random: value(random, 1),
    "pattern": lambda random: random.choice(("^a", "[0-9]", "b")),
    "format": lambda random: random.choice(("date", "email", "uri", "uuid", "date-time")),
    "required": lambda random: random.sample(_NAMES, random.randrange(1, 3)),
    "dependentRequired": lambda random: {random.choice(_NAMES): random.sample(_NAMES, 2)},
    "uniqueItems": lambda _: True,
    "multipleOf": lambda random: random.choice((2, 0.5)),
}
_SEVERAL = frozenset({"prefixItems", "allOf", "anyOf", "oneOf"})
_NAMED = frozenset({"properties", "dependentSchemas"})


def _operand(random: Random, keyword: str, depth: int) -> Any:
    below = depth - 1
    if keyword in _OPERANDS:
        return _OPERANDS[keyword](random)
    if keyword in _NAMED:
        return {name: schema(random, below) for name in random.sample(_NAMES, 2)}
    if keyword == "patternProperties":
        return {"^a": schema(random, below)}
    if keyword in _SEVERAL:
        return [schema(random, below) for _ in range(random.randrange(1, 4))]
    return random.randrange(3) if keyword in _LEAVES else schema(random, below)


def _told(errors: Iterator[Any]) -> Iterator[tuple[str, str]]:
    """Yield the keyword and the pointer of each error that has a place of its own."""
    for error in errors:
        path = "".join(
            "/" + str(each).replace("~", "~0").replace("/", "~1") for each in error.absolute_path
        )
        if str(error.validator).removeprefix("unevaluated") == error.validator:
            yield str(error.validator), path


def problems(contents: Any, values: list[Any], folder: Path) -> Iterator[str]:
    """Yield what is wrong with what is said of values by a schema."""
    file = folder / "own.schema.json"
    file.write_text(json.dumps(contents), "utf-8")
    try:
        loaded = manifestkit.load_schema(file)
    except manifestkit.SchemaError:
        return
    plain = Draft202012Validator(contents, format_checker=None)
    try:
        _show(contents, values, folder)
    except Exception:  # noqa: BLE001 - whatever it is, it is what is looked for
        yield f"{traceback.format_exc(limit=-2)}  a preview by {json.dumps(contents)}"
    for each in values:
        text = json.dumps(each, indent=random_indent(each))
        try:
            by_schema = manifestkit.lint(text, "m.json", schema=loaded)
            for result in (by_schema, *_as_profile(text, loaded)):
                if result.crash:
                    yield f"{result.crash.details}  {text!r} by {json.dumps(contents)}"
                for form in FORMATS:
                    manifestkit.render(result, form)
            manifestkit.fix(text, "m.json", schema=loaded, unsafe=True)
        except Exception:  # noqa: BLE001 - whatever it is, it is what is looked for
            yield f"{traceback.format_exc(limit=-2)}  {text!r} by {json.dumps(contents)}"
            continue
        # What `format` means is checked here, and is an annotation to the plain loop.
        has_formats = '"format"' in json.dumps(contents)
        expected = set() if has_formats else set(_told(plain.iter_errors(each)))
        pointers = {found.pointer for found in by_schema.findings}
        for keyword, at in expected:
            if not any(found == at or found.startswith(f"{at}/") for found in pointers):
                yield f"{keyword} at {at!r} is not told: {text!r} by {json.dumps(contents)}"


def _show(contents: Any, values: list[Any], folder: Path) -> None:
    """Preview a manifest whose lists hold values of a schema, and explain one of them."""
    schema_file, manifest = folder / "lists.schema.json", folder / "manifest.json"
    lists = ("permissions", "activities")
    listing = {"properties": {name: {"items": contents} for name in lists}}
    schema_file.write_text(json.dumps(listing), "utf-8")
    manifest.write_text(json.dumps(dict.fromkeys(lists, values)), "utf-8")
    for command in (["preview", str(manifest), "--output", "-"], ["explain", "host.timer"]):
        manifest_here(*command, "--schema", str(schema_file))


def problems_of(each: Any, contents: Any) -> list[str]:
    """Return what is wrong with what is said of a value by a schema."""
    with tempfile.TemporaryDirectory() as name:
        return list(problems(contents, [each], Path(name)))


def check_all_told(manifest: Any, profile: Any, texts: list[str]) -> None:
    """Check that each of several texts is in what is said of a manifest by a profile."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "host.schema.json"
        file.write_text(json.dumps(profile), "utf-8")
        found = manifestkit.lint(json.dumps(manifest), "m.json", profile=file).findings
    said = " ".join(f"{each.message} {each.help}" for each in found)
    missing = [text for text in texts if text not in said]
    assert not missing, (missing, said)


def _as_profile(text: str, loaded: manifestkit.Schema) -> Iterator[manifestkit.FileResult]:
    """Yield the result by a schema as a profile, where it is one that a manifest can satisfy."""
    with suppress(manifestkit.SchemaError):
        yield manifestkit.lint(text, "m.json", profile=loaded)


def random_indent(value: Any) -> int | None:
    """Return an indentation that depends on the value alone."""
    return 2 if len(json.dumps(value)) % 2 else None


def run(count: int, seed: int = 0) -> list[str]:
    """Try so many pairs of a schema and a value; what is wrong."""
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        for number in range(0, count, _PER_SCHEMA):
            random = Random(f"{seed}-{number}")
            contents = schema(random, random.randrange(1, 4))
            values = [value(random, depth % 4) for depth in range(_PER_SCHEMA)]
            wrong += problems(contents, values, Path(name))
    return wrong


if __name__ == "__main__":
    found = run(int(sys.argv[1]), int((sys.argv[2:] or ["0"])[0]))
    print(*found[:10], sep="\n")
    print(f"{int(sys.argv[1]):,} pairs of a schema and a value; {len(found):,} problems")
    sys.exit(bool(found))
