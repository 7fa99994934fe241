"""Every keyword of draft 2020-12 gives a sensible finding, by `--schema` and by `--profile`."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jsonschema_specifications import REGISTRY as METASCHEMAS  # type: ignore[import-untyped]

from judging import BASE, SECTION_2, as_text, by_schema, held_to
from manifestkit import Finding
from rows import rows
from schema_engine import needs_jsonschema_rs


@dataclass(frozen=True)
class Case:
    """A demand on the member `x`, a value that breaks it, and the findings that are due.

    `marks` are the characters that the findings mark.
    """

    keyword: str
    demand: Any
    value: Any
    due: tuple[tuple[str, str], ...]
    marks: tuple[str, ...] = ()


def case(
    keyword: str, demand: Any, value: Any, rule: str | None = None, *, at: str = "", mark: str = ""
) -> Case:
    """A case with one finding, at a pointer below `/x`."""
    due = ((rule or f"schema-{keyword}", f"/x{at}"),)
    return Case(keyword, demand, value, due, (mark,) if mark else ())


CASES = [
    case("type", {"type": "string"}, 1, "wrong-type"),
    case("type", {"type": ["string", "null"]}, 1, "wrong-type"),
    case("enum", {"enum": ["a", 1, None]}, "b"),
    case("enum", {"enum": []}, "b"),
    case("const", {"const": {"a": 1}}, 2),
    case("multipleOf", {"multipleOf": 5}, 7),
    case("maximum", {"maximum": 5}, 7),
    case("exclusiveMaximum", {"exclusiveMaximum": 7}, 7),
    case("minimum", {"minimum": 5}, 3),
    case("exclusiveMinimum", {"exclusiveMinimum": 3}, 3),
    case("maxLength", {"maxLength": 2}, "abc"),
    case("minLength", {"minLength": 2}, "a"),
    case("pattern", {"pattern": "^[a-z]+$"}, "A1"),
    case("format", {"format": "email"}, "not an address"),
    case("maxItems", {"maxItems": 1}, [1, 2]),
    case("minItems", {"minItems": 2}, [1]),
    case("uniqueItems", {"uniqueItems": True}, [1, 2, 1.0], at="/2", mark="1.0"),
    case("contains", {"contains": {"const": 1}}, [2, 3]),
    case("minContains", {"contains": {"const": 1}, "minContains": 2}, [1, 3]),
    case("minContains", {"contains": {"const": 1}, "minContains": 1}, [2, 3]),
    case("maxContains", {"contains": {"const": 1}, "maxContains": 1}, [1, 1]),
    case("contains", {"contains": {"const": 1}, "maxContains": 1}, [2]),
    case("maxProperties", {"maxProperties": 1}, {"a": 1, "b": 2}),
    case("minProperties", {"minProperties": 2}, {"a": 1}),
    case("required", {"required": ["a"]}, {}, "missing-field", mark='"x"'),
    case("dependentRequired", {"dependentRequired": {"a": ["b"]}}, {"a": 1}),
    case("dependentRequired", {"dependentRequired": {"dependencies": ["b"]}}, {"dependencies": 1}),
    case("properties", {"properties": {"a": {"maximum": 1}}}, {"a": 2}, "schema-maximum", at="/a"),
    case("properties", {"properties": {"a": False}}, {"a": 2}, "schema-false", at="/a"),
    case(
        "patternProperties",
        {"patternProperties": {"^a": {"maximum": 1}}},
        {"ab": 2, "b": 2},
        "schema-maximum",
        at="/ab",
    ),
    case(
        "patternProperties",
        {"patternProperties": {"^a": False}},
        {"ab": 2},
        "schema-false",
        at="/ab",
    ),
    case(
        "additionalProperties",
        {"properties": {"a": {}}, "additionalProperties": False},
        {"a": 1, "zz": 2},
        "unknown-member",
        at="/zz",
        mark='"zz"',
    ),
    case(
        "additionalProperties",
        {"additionalProperties": {"maximum": 1}},
        {"a": 2},
        "schema-maximum",
        at="/a",
    ),
    case("propertyNames", {"propertyNames": {"maxLength": 1}}, {"ab": 1}, at="/ab", mark='"ab"'),
    case("prefixItems", {"prefixItems": [{}, {"maximum": 1}]}, [9, 2], "schema-maximum", at="/1"),
    case("prefixItems", {"prefixItems": [{}, False]}, [9, 2], "schema-false", at="/1"),
    case("items", {"items": {"maximum": 1}}, [0, 2], "schema-maximum", at="/1"),
    case("items", {"prefixItems": [{}], "items": False}, [0, 77], at="/1", mark="77"),
    case(
        "unevaluatedItems",
        {"allOf": [{"prefixItems": [{}]}], "unevaluatedItems": False},
        [0, 77],
        at="/1",
        mark="77",
    ),
    case(
        "unevaluatedItems", {"unevaluatedItems": {"maximum": 1}}, [0, 2], "schema-maximum", at="/1"
    ),
    case(
        "unevaluatedProperties",
        {"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": False},
        {"a": 1, "zz": 2},
        "unknown-member",
        at="/zz",
        mark='"zz"',
    ),
    case(
        "unevaluatedProperties",
        {"unevaluatedProperties": {"maximum": 1}},
        {"a": 2},
        "schema-maximum",
        at="/a",
    ),
    case(
        "dependentSchemas",
        {"dependentSchemas": {"a": {"maxProperties": 1}}},
        {"a": 1, "b": 2},
        "schema-maxProperties",
    ),
    case("allOf", {"allOf": [{"maximum": 1}, {"minimum": 0}]}, 2, "schema-maximum"),
    case("anyOf", {"anyOf": [{"type": "string"}, {"maximum": 1}]}, 2),
    case("oneOf", {"oneOf": [{"type": "string"}, {"maximum": 1}]}, 2),
    case("oneOf", {"oneOf": [{"minimum": 1}, {"maximum": 3}]}, 2),
    case("not", {"not": {"const": 2}}, 2),
    case("if", {"if": {"minimum": 1}, "then": {"maximum": 1}}, 2, "schema-maximum"),
    case("then", {"if": {"minimum": 1}, "then": False}, 2, "schema-false"),
    case("else", {"if": {"minimum": 9}, "else": {"const": 1}}, 2, "schema-const"),
    case("$ref", {"$ref": "#/$defs/small"}, 2, "schema-maximum"),
    case("$anchor", {"$ref": "#tiny"}, 2, "schema-maximum"),
    case("false", False, 2),
    Case(
        "several",
        {"required": ["a", "b"], "properties": {"c": {"maximum": 1}}},
        {"c": 2},
        (("missing-field", "/x"), ("missing-field", "/x"), ("schema-maximum", "/x/c")),
    ),
]
DEFINITIONS = {
    "small": {"maximum": 1},
    "tiny": {"$anchor": "tiny", "maximum": 1},
}

_SAYS_NOTHING = {
    *("$schema", "$id", "$defs", "$comment", "$vocabulary", "$dynamicAnchor", "definitions"),
    "$dynamicRef",  # which is refused
    *("title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples"),
    *("contentEncoding", "contentMediaType", "contentSchema"),
    # Deprecated by 2020-12 itself.
    *("$recursiveAnchor", "$recursiveRef", "dependencies"),
}


def _metaschema_keywords() -> set[str]:
    """Every keyword that the metaschema of 2020-12 knows."""
    address = "https://json-schema.org/draft/2020-12/"
    own = METASCHEMAS.contents(f"{address}schema")
    found = set(own["properties"])
    for part in own["allOf"]:
        found |= METASCHEMAS.contents(address + part["$ref"])["properties"].keys()
    return found


def test_every_keyword_of_the_draft_is_tried() -> None:
    assert _metaschema_keywords() - _SAYS_NOTHING == {each.keyword for each in CASES} - {
        "false",
        "several",
    }


def _ids(each: Case) -> str:
    return f"{each.keyword} {each.demand}"


def demanding(demand: Any, base: dict[str, Any] | None = None) -> dict[str, Any]:
    """A schema that demands something of the member `x`."""
    schema = copy.deepcopy(base or {})
    schema["properties"] = {**schema.get("properties", {}), "x": demand}
    schema["$defs"] = {**schema.get("$defs", {}), **DEFINITIONS}
    return schema


def assert_sensible(each: Case, found: tuple[Finding, ...], text: str) -> None:
    assert tuple((finding.rule, finding.pointer) for finding in found) == each.due
    for finding, mark in zip(found, each.marks, strict=False):
        assert text[slice(*finding.location.span)] == mark
    for finding in found:
        assert "`x" in finding.message or "`x`" in finding.message, finding.message
        assert finding.message[0] == "`" or finding.message[0].islower()
        assert not finding.message.endswith(".")
        assert finding.clause or finding.profile
        assert "Error" not in finding.message


@rows("each", CASES, ids=_ids)
def test_a_keyword_of_a_schema_gives_its_finding(each: Case, tmp_path: Path) -> None:
    value = {**BASE, "x": each.value}
    found = by_schema(tmp_path, value, demanding(each.demand, SECTION_2))
    assert_sensible(each, found, as_text(value))
    assert {finding.profile for finding in found} == {None}


@rows("each", CASES, ids=_ids)
def test_a_keyword_of_a_profile_gives_its_finding(each: Case, tmp_path: Path) -> None:
    value = {**BASE, "x": each.value}
    found = held_to(tmp_path, value, demanding(each.demand))
    assert_sensible(each, found, as_text(value))
    assert all(str(finding.profile).endswith("p0.schema.json") for finding in found)


@rows("each", CASES, ids=_ids)
def test_a_value_that_the_demand_does_not_speak_of_is_clean(each: Case, tmp_path: Path) -> None:
    assert held_to(tmp_path, BASE, demanding(each.demand)) == ()


@rows(
    ("profile", "rule", "pointer"),
    [
        (False, "schema-false", ""),
        ({"not": {}}, "schema-not", ""),
        ({"maxProperties": 1}, "schema-maxProperties", ""),
        ({"propertyNames": {"pattern": "^[a-r_]"}}, "schema-propertyNames", "/schema_version"),
        ({"properties": {"provider": False}}, "schema-false", "/provider"),
        ({"additionalProperties": {"type": ["string", "object", "array"], "maxItems": 0}},
         "schema-maxItems", "/activities"),
    ],
    ids=str,
)  # fmt: skip
def test_a_profile_may_speak_of_the_whole_manifest(
    profile: Any, rule: str, pointer: str, tmp_path: Path
) -> None:
    (finding,) = held_to(tmp_path, BASE, profile)
    assert (finding.rule, finding.pointer) == (rule, pointer)


def test_true_demands_nothing(tmp_path: Path) -> None:
    assert held_to(tmp_path, BASE, True) == ()


_FORMATS = {
    "date": ("2026-01-31", "2026-02-30"),
    "date-time": ("2026-01-31T12:00:00Z", "2026-01-31"),
    "time": ("12:00:00Z", "25:00:00Z"),
    "duration": ("P1D", "1 day"),
    "email": ("a@example.org", "a"),
    "hostname": ("example.org", "-a"),
    "idn-hostname": ("bücher.example", "-a"),
    "ipv4": ("127.0.0.1", "256.0.0.1"),
    "ipv6": ("::1", "1"),
    "uri": ("https://example.org/", "/a"),
    "uri-reference": ("/a", "a b"),
    "iri": ("https://example.org/ü", "/ü"),
    "uuid": ("123e4567-e89b-12d3-a456-426614174000", "123"),
    "json-pointer": ("/a", "a"),
    "relative-json-pointer": ("1/a", "/a"),
    "regex": ("^a$", "("),
    "uri-template": ("/{a}", "/{a"),
}


_OF_JSONSCHEMA = ("date", "email", "ipv4", "ipv6", "regex", "uuid")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(each, marks=() if each in _OF_JSONSCHEMA else needs_jsonschema_rs)
        for each in _FORMATS
    ],
)
def test_a_format_is_asserted(name: str, tmp_path: Path) -> None:
    good, bad = _FORMATS[name]
    profile = demanding({"format": name})
    assert held_to(tmp_path, {**BASE, "x": good}, profile) == ()
    (finding,) = held_to(tmp_path, {**BASE, "x": bad}, profile)
    assert finding.rule == "schema-format"
    assert finding.message.startswith(f'`x` is the string `"{bad}"`, not ')


@needs_jsonschema_rs
def test_a_pattern_that_would_backtrack_for_ever_is_matched_at_once(tmp_path: Path) -> None:
    value = {**BASE, "x": "a" * 50_000 + "!"}
    (finding,) = held_to(tmp_path, value, demanding({"pattern": "^(a+)+$"}))
    assert len(finding.message) < 200


@pytest.mark.parametrize("digits", ["१", "٣"])
def test_digits_of_other_scripts_are_no_ascii_digits(digits: str, tmp_path: Path) -> None:
    """Patterns are of ECMA-262, where `\\d` is `[0-9]` and `$` the very end."""
    profile = demanding({"pattern": "^\\d+$"})
    assert held_to(tmp_path, {**BASE, "x": "1"}, profile) == ()
    assert len(held_to(tmp_path, {**BASE, "x": digits}, profile)) == 1
    assert len(held_to(tmp_path, {**BASE, "x": "1\n"}, profile)) == 1


# -- a new required member ---------------------------------------------------------------------


def test_a_new_required_member_is_missed_with_its_own_description(tmp_path: Path) -> None:
    (finding,) = by_schema(tmp_path, BASE, with_support_url())
    assert (finding.rule, finding.pointer) == ("missing-field", "/provider")
    assert finding.property == "support_url"
    assert finding.help == "add `support_url` (where people get help)"
    assert finding.clause == "manifest format, section 2, provider"


@needs_jsonschema_rs
def test_a_new_required_member_is_judged_by_its_format(tmp_path: Path) -> None:
    schema = with_support_url()
    schema["properties"]["provider"]["properties"]["support_url"]["format"] = "uri"
    value = {**BASE, "provider": {**BASE["provider"], "support_url": "help desk"}}
    (finding,) = by_schema(tmp_path, value, schema)
    assert (finding.rule, finding.pointer) == ("schema-format", "/provider/support_url")
    assert finding.message == (
        '`provider.support_url` is the string `"help desk"`, not a URI (`https://example.org/page`)'
    )
    value["provider"]["support_url"] = "https://example.org/help"
    assert by_schema(tmp_path, value, schema) == ()


@rows("typo", ["supportUrl", "suport_url", "support-url"])
def test_a_new_required_member_is_known_when_misspelt(typo: str, tmp_path: Path) -> None:
    value = {**BASE, "provider": {**BASE["provider"], typo: "https://example.org/help"}}
    (finding,) = by_schema(tmp_path, value, with_support_url())
    assert (finding.rule, finding.suggestion) == ("missing-field", "support_url")


def test_a_new_required_member_is_advised_on_when_empty(tmp_path: Path) -> None:
    schema = with_support_url()
    value = {**BASE, "provider": {**BASE["provider"], "support_url": " "}}
    (finding,) = by_schema(tmp_path, value, schema)
    assert (finding.rule, finding.message) == ("empty-text", "`provider.support_url` is blank")


def with_support_url() -> dict[str, Any]:
    """Section 2 with one more required member."""
    schema = copy.deepcopy(SECTION_2)
    provider = schema["properties"]["provider"]
    provider["required"].append("support_url")
    provider["properties"]["support_url"] = {
        "title": "Support page",
        "description": "Where people get help.",
        "type": "string",
        "examples": ["https://example.org/help"],
    }
    return schema


@pytest.mark.parametrize("keyword", ["additionalProperties", "unevaluatedProperties"])
def test_a_member_that_is_required_and_not_allowed_has_no_fix(keyword: str, tmp_path: Path) -> None:
    schema = {"required": SECTION_2["required"], "properties": {"provider": True}, keyword: False}
    found = by_schema(tmp_path, BASE, schema)
    assert {each.pointer[1:] for each in found if not each.fixes} == {*SECTION_2["required"]} - {
        "provider"
    }
    for each in found:
        assert bool(each.fixes) == (each.help or "").startswith("remove it")
        assert "`schema_version`" not in (each.help or "")


def test_a_closed_object_names_the_members_of_its_own_schema(tmp_path: Path) -> None:
    items: dict[str, Any] = {"properties": {"id": {}, "name": {}}, "additionalProperties": False}
    profile = {"properties": {"activities": {"items": items}}}
    value = {**BASE, "activities": [{"id": "a", "name": "A", "category": "c"}]}
    (finding,) = held_to(tmp_path, value, profile)
    said = "remove it, unless it is meant as another member; only `id` and `name` are allowed"
    assert finding.help == said
    items["patternProperties"] = {"^x-": {}}
    (finding,) = held_to(tmp_path, value, profile)
    assert finding.help == "remove it, unless it is meant as another member"
