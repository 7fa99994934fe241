"""Where jsonschema-rs does not load, `jsonschema` judges, and says the same."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command import EXAMPLES, GOLDEN, REPOSITORY
from manifestkit.schema.drafts import Dialect
from manifestkit.schema.engines import compiled
from manifestkit.schema.engines.interpreting import compile_pattern
from rows import rows

WITHOUT = REPOSITORY / "tests" / "portable"
LINT = ("lint", "--isolated", "--output-format", "json")


def run(*arguments: str | Path, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run Python on the schema engine that loads with a folder first on its path."""
    env = {**os.environ, **({"PYTHONPATH": str(path)} if path else {})}
    return subprocess.run(
        [sys.executable, *arguments],
        env=env,
        cwd=REPOSITORY,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def manifest(*arguments: str | Path, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    return run("-m", "manifestkit", *arguments, path=path)


def broken_library(folder: Path) -> Path:
    """A folder whose jsonschema-rs is a library that no system can load."""
    package = folder / "jsonschema_rs"
    package.mkdir()
    package.joinpath("__init__.py").write_text("from .jsonschema_rs import *\n", "utf-8")
    package.joinpath("jsonschema_rs.abi3.so").write_bytes(b"\x7fELF and no more")
    return folder


@pytest.mark.slow
def test_a_blocked_import_leaves_the_verdicts_to_the_other_engine() -> None:
    files = sorted(GOLDEN.glob("*.[jy]*")) + sorted((EXAMPLES / "valid").iterdir())
    here, there = manifest(*LINT, *files), manifest(*LINT, *files, path=WITHOUT)
    assert json.loads(here.stdout)["summary"]["errors"] > 20
    assert (there.returncode, there.stdout) == (here.returncode, here.stdout)
    profile = ("--profile", EXAMPLES / "profiles" / "host-catalogue.schema.json")
    here, there = manifest(*LINT, *profile, *files), manifest(*LINT, *profile, *files, path=WITHOUT)
    assert there.stdout == here.stdout


def test_a_library_that_cannot_be_loaded_is_no_crash(tmp_path: Path) -> None:
    path = broken_library(tmp_path)
    file = GOLDEN / "several-missing.json"
    here, there = manifest(*LINT, file), manifest(*LINT, file, path=path)
    assert there.stdout == here.stdout
    shown = manifest("--version", path=path).stdout
    assert re.search(
        r"^schema engine: jsonschema [0-9.]+; jsonschema-rs does not load: ", shown, re.MULTILINE
    )


def test_the_engine_is_told_by_the_version() -> None:
    assert "schema engine: jsonschema-rs" in manifest("--version").stdout


BACKTRACKING = [
    *("^(a+)+$", "^(a*)*$", "(a|a)*$", "^(a|aa)+$", r"(\w|\d)+$", "(.*)*x", "(x+x+)+y"),
    *("^(([a-z])+.)+[A-Z]([a-z])+$", r"^([\s\S]|b)*c"),
    *(r"^[a-z0-9]+(-[a-z0-9]+)*$", r"^(?:[a-z]+\.)+com$", r"^(a|b)+$", r"^(?:/(?:[^~/]|~[01])*)*$"),
    r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$",
    r"^\d+(\.\d+){2}(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$",
]
OTHERWISE = [r"\bx", "(?i)x", r"\p{L}", "(?=a)b", r"(a)\1", "[]a]", "a{,2}", "a++", "[a--b]", r"\A"]


@rows("pattern", BACKTRACKING)
def test_a_pattern_that_would_backtrack_without_end_is_linear(pattern: str) -> None:
    compile_pattern(pattern)("-" * 60 + "a" * 10_000 + "!")


@rows("pattern", OTHERWISE)
def test_a_pattern_that_jsonschema_rs_may_read_otherwise_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="without jsonschema-rs, it is not understood at "):
        compile_pattern(pattern)


_PATTERNS = st.recursive(
    st.sampled_from(["a", "b", "[^a]", ".", "^", "$", ""]),
    lambda inner: (
        st.tuples(inner, inner).map("".join)
        | st.tuples(inner, inner).map("|".join)
        | st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,}"])).map(
            lambda pair: f"(?:a?{pair[0]}){pair[1]}"
        )
    ),
    max_leaves=6,
)


@given(pattern=_PATTERNS, text=st.text("ab\n", max_size=6))
def test_a_pattern_finds_what_pythons_own_does(pattern: str, text: str) -> None:
    expected = re.search(pattern.replace("$", r"\Z"), text)
    assert compile_pattern(pattern)(text) == (expected is not None)


def test_a_pattern_that_grows_too_large_is_refused() -> None:
    with pytest.raises(ValueError, match="it is too large"):
        compile_pattern("(a{100}){100}")


@pytest.mark.parametrize(
    ("demand", "column", "problem"),
    [
        ({"pattern": r"\b1"}, 47, r"`\b1` is not a supported regular expression: without "),
        (
            {"format": "iri-reference"},
            46,
            "the format `iri-reference` is not supported without jsonschema-rs",
        ),
    ],
)
def test_a_profile_that_cannot_be_judged_by_is_refused_with_the_place(
    tmp_path: Path, demand: dict[str, str], column: int, problem: str
) -> None:
    file = tmp_path / "host.json"
    file.write_text(json.dumps({"properties": {"schema_version": demand}}), "utf-8")
    example = EXAMPLES / "valid" / "minimal.activity-provider.json"
    assert manifest("lint", "--profile", file, example).returncode == 0
    done = manifest("lint", "--profile", file, example, path=WITHOUT)
    assert done.returncode == 2
    assert f"host.json:1:{column}: {problem}" in done.stderr


def test_a_long_text_is_not_searched_for_ever(tmp_path: Path) -> None:
    profile = tmp_path / "host.json"
    profile.write_text('{"properties": {"x": {"pattern": "a.{400}b"}}}', "utf-8")
    example = json.loads((EXAMPLES / "valid" / "minimal.activity-provider.json").read_text("utf-8"))
    file = tmp_path / "manifest.json"
    file.write_text(json.dumps({**example, "x": "a" * 1_000_000}), "utf-8")
    other = tmp_path / "other.json"
    other.write_text(json.dumps({**example, "x": "a"}), "utf-8")
    done = manifest(*LINT, "--profile", profile, file, other, path=WITHOUT)
    found = [(each["path"], each["rule"]) for each in json.loads(done.stdout)["findings"]]
    assert sorted(found) == [(str(file), "limit-exceeded"), (str(other), "schema-pattern")]
    assert "`a.{400}b` is not searched in so long a text without jsonschema-rs" in done.stdout


def test_every_pattern_of_ours_is_used_by_both_engines() -> None:
    texts = [file.read_text("utf-8") for file in (REPOSITORY / "schemas").rglob("*.json")]
    found = [json.loads(each) for text in texts for each in re.findall(r'"pattern": (".*")', text)]
    assert len(found) >= 15
    for pattern in found:
        compile_pattern(pattern)


def test_a_reference_to_the_schema_of_a_pattern_leads_there(tmp_path: Path) -> None:
    profile = {
        "patternProperties": {r"^b\d$": {"maximum": 2}},
        "properties": {
            "patternProperties": {"type": "string", "title": "Own"},
            "x": {"$ref": "#/patternProperties/%5Eb%5Cd%24"},
            "y": {"$ref": "#/properties/patternProperties"},
        },
    }
    (tmp_path / "host.json").write_text(json.dumps(profile), "utf-8")
    example = json.loads((EXAMPLES / "valid" / "minimal.activity-provider.json").read_text("utf-8"))
    file = tmp_path / "manifest.json"
    file.write_text(json.dumps({**example, "b1": 3, "x": 4, "y": 1}), "utf-8")
    options = (*LINT, "--profile", tmp_path / "host.json", file)
    found = json.loads(manifest(*options, path=WITHOUT).stdout)["findings"]
    assert sorted(each["pointer"] for each in found) == ["/b1", "/x", "/y"]
    assert manifest(*options).stdout == manifest(*options, path=WITHOUT).stdout


DRAFT_7 = "http://json-schema.org/draft-07/schema#"


@pytest.mark.slow
@pytest.mark.parametrize(
    "schema",
    [
        {
            "anyOf": [{"$ref": "#/if"}, True],
            "if": {"$ref": "#/$defs/object", "required": ["x-absent"]},
            "then": False,
            "$defs": {"object": {"type": "object"}},
        },
        {
            "allOf": [{"additionalProperties": {"$ref": "#/$defs/any"}}],
            "unevaluatedProperties": False,
            "$defs": {"any": {}},
        },
        {"properties": {"permissions": {"items": True, "unevaluatedItems": False}}},
        {
            "$schema": DRAFT_7,
            "properties": {"activities": {"items": True, "additionalItems": False}},
        },
    ],
    ids=["a condition is referred to", "members by a reference", "any items", "all of any items"],
)
@pytest.mark.parametrize("path", [None, WITHOUT], ids=["jsonschema-rs", "jsonschema"])
def test_a_schema_that_jsonschema_misreads_is_judged_as_its_draft_says(
    schema: object, path: Path | None, tmp_path: Path
) -> None:
    (tmp_path / "host.json").write_text(json.dumps(schema), "utf-8")
    example = EXAMPLES / "valid" / "minimal.activity-provider.json"
    done = manifest(*LINT, "--profile", tmp_path / "host.json", example, path=path)
    assert (done.returncode, json.loads(done.stdout)["findings"]) == (0, [])


_ONE = (
    *("additionalItems", "additionalProperties", "contains", "else", "if", "items", "not"),
    *("propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"),
)
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED = (
    *("$defs", "definitions", "dependencies", "dependentSchemas"),
    *("patternProperties", "properties"),
)
_NAMES = st.sampled_from(["a", "b", "ab"])
_VALUES = st.recursive(
    st.sampled_from([None, True, 0, 1, 1.5, -2, "", "a", "ab"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=6,
)
_NUMBERS = st.sampled_from([-1, 0, 0.5, 1, 2])
_COUNTS = st.integers(0, 2)
_TYPES = st.sampled_from(["array", "boolean", "integer", "null", "number", "object", "string"])
_TEXTS = st.lists(_NAMES, max_size=2, unique=True)
_OPERANDS: dict[str, st.SearchStrategy[object]] = {
    "const": _VALUES,
    "dependentRequired": st.dictionaries(_NAMES, _TEXTS, max_size=2),
    "enum": st.lists(_VALUES, min_size=1, max_size=3),
    "exclusiveMaximum": _NUMBERS,
    "exclusiveMinimum": _NUMBERS,
    "maxContains": _COUNTS,
    "maxItems": _COUNTS,
    "maxLength": _COUNTS,
    "maxProperties": _COUNTS,
    "maximum": _NUMBERS,
    "minContains": _COUNTS,
    "minItems": _COUNTS,
    "minLength": _COUNTS,
    "minProperties": _COUNTS,
    "minimum": _NUMBERS,
    "multipleOf": st.sampled_from([0.5, 1, 2]),
    "pattern": st.sampled_from(["^a", "b$"]),
    "required": _TEXTS,
    "type": _TYPES | st.lists(_TYPES, min_size=1, max_size=2, unique=True),
    "uniqueItems": st.booleans(),
}


def _schemas(draft: Dialect) -> st.SearchStrategy[object]:
    def around(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
        some = st.lists(inner, min_size=1, max_size=2)
        operands = {
            **dict.fromkeys(_ONE, inner),
            **dict.fromkeys(_LISTS, some),
            **{each: st.dictionaries(_NAMES, inner, max_size=2) for each in _NAMED},
            **_OPERANDS,
        }
        if draft is not Dialect.CURRENT:
            operands["items"] = inner | some
        if draft is Dialect.OLD:
            operands["dependencies"] |= st.dictionaries(_NAMES, _TEXTS, max_size=2)
        known = {each: operands[each] for each in sorted(operands.keys() & draft.keywords)}
        pairs = st.sampled_from(sorted(known)).flatmap(
            lambda name: st.tuples(st.just(name), known[name])
        )
        return st.lists(pairs, max_size=4).map(dict)

    return st.recursive(st.booleans(), around, max_leaves=8)


@pytest.fixture(scope="module")
def engines() -> Iterator[dict[str, Any]]:
    """Both; one of them lets Python go deeper, which other tests must not see."""
    limit = sys.getrecursionlimit()
    from manifestkit.schema.engines import interpreting  # noqa: PLC0415

    yield {"jsonschema-rs": compiled, "jsonschema": interpreting}
    sys.setrecursionlimit(limit)


@pytest.mark.parametrize("draft", Dialect)
@given(data=st.data())
def test_the_two_engines_judge_alike(
    engines: dict[str, Any], draft: Dialect, data: st.DataObject
) -> None:
    schema = data.draw(_schemas(draft))
    value = data.draw(_VALUES)
    compiled = (each.compiled(schema, draft, None) for each in engines.values())
    assert len({is_valid(value) for is_valid in compiled}) == 1


@pytest.mark.parametrize("name", ["jsonschema-rs", "jsonschema"])
def test_a_reference_on_two_ways_down_is_followed_once(engines: dict[str, Any], name: str) -> None:
    reference = {"$ref": "#/$defs/t"}
    below = {"properties": {"a": reference}}
    tree = {"type": "object", "not": {**below, "required": ["b"]}, **below}
    schema = {**reference, "$defs": {"t": tree}}
    is_valid = engines[name].compiled(schema, Dialect.CURRENT, None)
    value: Any = 1
    for depth in range(40):
        assert not is_valid(value), depth
        value = {"a": value}


@pytest.mark.parametrize("name", ["jsonschema-rs", "jsonschema"])
@given(
    drafts=st.tuples(st.sampled_from(Dialect), st.sampled_from(Dialect)),
    data=st.data(),
)
def test_a_reference_to_a_schema_of_any_draft_is_judged_by_that_one(
    engines: dict[str, Any], name: str, drafts: tuple[Dialect, Dialect], data: st.DataObject
) -> None:
    engine = engines[name]
    referring, own = drafts
    schema = data.draw(_schemas(own))
    value = data.draw(_VALUES)
    reference, holder = data.draw(
        st.sampled_from([("urn:b", schema), ("urn:b#/not/not", {"not": {"not": schema}})])
    )
    resources = {
        "urn:a": ({"allOf": [{"$ref": reference}]}, referring),
        "urn:b": (holder, own),
    }
    found_in = engine.registry(resources)
    verdict = engine.compiled({"$ref": "urn:a"}, referring, found_in)(value)
    assert verdict == engine.compiled(schema, own, None)(value)
