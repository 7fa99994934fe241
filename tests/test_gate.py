"""What the gate lets through, the engine that explains has nothing to say of (engine/gate.py)."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import manifests
from command import REPOSITORY
from manifestkit import Finding, Linter, Severity
from manifestkit.decode import decode
from manifestkit.engine.gate import Gate
from manifestkit.engine.selection import ALL_RULES, Selection
from manifestkit.rules.catalogue import catalogue
from manifestkit.rules.rule import Manifest
from manifestkit.schema.loading import load_schema
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import base_schema
from yaml_texts import Emitter

MODEST = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
BASE_URI = json.loads(
    (REPOSITORY / "schemas" / "activity-provider-manifest.schema.json").read_text("utf-8")
)["$id"]


# -- manifests: valid, broken, and anything at all -------------------------------------------

CLEAN = [
    json.loads(file.read_text("utf-8"))
    for file in sorted((REPOSITORY / "examples" / "valid").glob("*.json"))
]
odd_values: st.SearchStrategy[Any] = st.sampled_from(
    [
        "",
        " \t",
        "\x1c",
        "\u200b",
        "é",
        "e\u0301",
        "😀",
        "\ud800",
        "a\nb",
        "2026-11-20",
        "2026-02-30",
        "https://example.com/",
        "::1",
        "no",
        "1.10",
        2**53 + 1,
        2**64,
        -(10**400),
        1e308,
        -0.0,
        1.0,
        1e16,
        30.5,
        True,
        None,
        [],
        [1, 1.0],
        [True, 1],
        [{"a": 1, "b": 2}, {"b": 2.0, "a": 1}],
        {"": {}},
    ]
)
anything = odd_values | manifests.JSON_VALUES
NAMES = ["x-note", "catgory", "versoin", "$schema", "thumbnial", "", "\ud800", "tags", "when"]


@st.composite
def candidates(draw: st.DrawFn) -> Any:
    """A manifest, mostly an obedient one, with some parts changed."""
    if draw(st.integers(0, 9)) == 0:
        return draw(anything)
    value = copy.deepcopy(draw(st.sampled_from(CLEAN)))
    if draw(st.integers(0, 3)) == 0:
        value = draw(st.sampled_from(list(manifests.breakages(value)))).apply(value)
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        if not isinstance(value, dict | list):
            return value
        owner = draw(st.sampled_from(list(_collections(value))))
        content = copy.deepcopy(draw(anything))
        if isinstance(owner, list):
            owner.append(content)
        else:
            owner[draw(st.sampled_from([*NAMES, *owner]))] = content
    return value


def _collections(value: Any) -> list[Any]:
    if not isinstance(value, dict | list):
        return []
    inner = value.values() if isinstance(value, dict) else value
    return [value, *(below for each in inner for below in _collections(each))]


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, str]:
    """A manifest's text, in JSON or YAML, and its name."""
    value = draw(candidates())
    if draw(st.booleans()):
        return json.dumps(value, ensure_ascii=draw(st.booleans())), "manifest.json"
    return Emitter(draw).document(value), "manifest.yaml"


# -- profiles: keywords on the manifest and on its parts -------------------------------------

demands = st.sampled_from(
    [
        {"pattern": r"^[a-z]+$"},
        {"pattern": r"^\p{L}*$"},
        {"pattern": r"\s"},
        {"pattern": r"^\w+$"},
        {"pattern": r"\d"},
        {"pattern": r"\bno\b"},
        {"pattern": r"^.$"},
        {"pattern": "a$"},
        *({"format": name} for name in ("date", "uri", "email", "ipv6", "regex", "uuid", "time")),
        {"uniqueItems": True},
        {"minLength": 2},
        {"maxLength": 1},
        {"type": "null"},
        {"not": {}},
        {"minimum": 2**53},
        {"exclusiveMaximum": 0},
        {"multipleOf": 0.1},
        {"multipleOf": 5},
        {"const": 1},
        {"const": {"a": 1.0}},
        {"enum": [0, "é", None, [1]]},
        {"not": {"type": "number"}},
        {"type": ["integer", "string"]},
        {"if": {"type": "string"}, "then": {"minLength": 1}, "else": {"type": "array"}},
        {"contains": {"const": "a"}, "maxContains": 1},
        {"dependentRequired": {"id": ["version"]}},
        {"propertyNames": {"pattern": "^[^$]"}},
        {"patternProperties": {r"^x-": False}},
        {"unevaluatedProperties": False},
        {"prefixItems": [{"type": "object"}], "items": False},
        {"x-manifestkit": {"severity": "off", "rule": "host-quiet"}, "type": "null"},
        {"x-manifestkit": {"severity": "info", "rule": "host-note"}, "required": ["tags"]},
    ]
)
PARTS = ["provider", "runtime", "activities", "permissions", "presentation", "tags", "when"]

BELOW = {
    "provider": ["additionalProperties"],
    "runtime": ["additionalProperties"],
    "presentation": ["additionalProperties"],
    "permissions": ["items"],
    "activities": ["items"],
}


@st.composite
def profiles(draw: st.DrawFn) -> dict[str, Any]:
    """A host's demands, on top of ours or for themselves."""
    contents: dict[str, Any] = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    if draw(st.booleans()):
        contents["$ref"] = BASE_URI
    for part in draw(st.sets(st.sampled_from(PARTS), max_size=3)):
        demand = draw(demands)
        below = draw(st.sampled_from(["", *BELOW.get(part, ["items", "additionalProperties"])]))
        contents.setdefault("properties", {})[part] = {below: demand} if below else demand
    contents["allOf"] = [draw(demands | st.just({}))]
    if draw(st.integers(0, 5)) == 0:
        contents["$schema"] = "http://json-schema.org/draft-07/schema#"
    return contents


@st.composite
def selections(draw: st.DrawFn) -> Selection:
    """Which rules count: all of them, some, or with other weights."""
    rules = st.sampled_from(sorted(catalogue()))
    return draw(
        st.just(ALL_RULES)
        | st.builds(
            Selection,
            select=st.none() | st.lists(rules, max_size=4).map(tuple),
            ignore=st.lists(rules, max_size=2).map(tuple),
            severity=st.dictionaries(rules, st.sampled_from([None, *Severity]), max_size=2),
        )
    )


def said_without_gate(linter: Linter, text: str, name: str) -> tuple[Finding, ...]:
    """What the engine that explains says.

    A schema of an older draft closes the gate, so one that demands nothing opens the way to it.
    """
    profiles = (*linter.profiles, _never_fast())
    return Linter(linter.schema, profiles, linter.selection).lint(text, name).findings


def _never_fast() -> Schema:
    return _loaded({"$schema": "http://json-schema.org/draft-07/schema#"})


_FOLDER: list[Path] = []


@pytest.fixture(autouse=True, scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    _FOLDER[:] = [tmp_path_factory.mktemp("schemas")]


def _loaded(contents: dict[str, Any], schema: Schema | None = None) -> Schema:
    text = json.dumps(contents)
    # A file's address is its schema's: each has one of its own.
    file = _FOLDER[0] / f"{hashlib.sha256(text.encode()).hexdigest()}.schema.json"
    file.write_text(text, "utf-8")
    return load_schema(file, schema)


@MODEST
@given(texts(), st.lists(profiles(), min_size=1, max_size=3), selections(), st.booleans())
def test_there_is_nothing_to_say_of_what_the_gate_lets_through(
    case: tuple[str, str], hosts: list[dict[str, Any]], selection: Selection, replaces: bool
) -> None:
    schema = base_schema()
    if replaces and len(hosts) > 1:
        schema = _loaded(hosts.pop())
    linter = Linter(schema, tuple(_loaded(each, schema) for each in hosts), selection)
    decoded = decode(*case)
    gate = Gate(linter.schema, linter.profiles, selection)
    if gate.passes(Manifest(decoded.document, schema)) and not decoded.findings:
        assert said_without_gate(linter, *case) == ()
        assert linter.lint(*case).findings == ()


@MODEST
@given(texts())
def test_a_linter_says_the_same_with_the_gate_and_without(case: tuple[str, str]) -> None:
    linter = Linter()
    assert linter.lint(*case).findings == said_without_gate(linter, *case)


@MODEST
@given(candidates())
def test_the_base_schema_has_one_verdict_in_both_engines(value: Any) -> None:
    document = decode(json.dumps(value), "manifest.json").document
    nothing_else = Selection(select=())
    passes = Gate(base_schema(), (), nothing_else).passes(Manifest(document, base_schema()))
    breaks = list(base_schema().faults(document.value))
    if passes:
        assert breaks == []
    elif not _beyond_fast(value):
        assert breaks


def _beyond_fast(value: Any) -> bool:
    """Whether a value holds what the fast engine refuses to look at."""
    if isinstance(value, dict):
        return any(map(_beyond_fast, [*value, *value.values()]))
    if isinstance(value, list):
        return any(map(_beyond_fast, value))
    if isinstance(value, str):
        return any("\ud800" <= character <= "\udfff" for character in value)
    return isinstance(value, int) and abs(value) >= 2**63


def test_the_gate_lets_every_example_through_of_which_there_is_nothing_to_say() -> None:
    selection = Selection(ignore=("version-form",))
    gate = Gate(base_schema(), (), selection)
    linter = Linter(selection=selection)
    passed = 0
    for file in sorted((REPOSITORY / "examples" / "valid").iterdir()):
        data = file.read_bytes()
        passes = gate.passes(Manifest(decode(data, file.name).document, base_schema()))
        assert not passes or linter.lint(data, file.name).findings == (), file.name
        passed += passes
    assert passed > 10
