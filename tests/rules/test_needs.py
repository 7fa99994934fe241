"""Tables of needs: which items of one list need which of another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command import CLEAN, REPOSITORY, USAGE
from in_process import manifest_here
from judging import NEEDS, with_members, written
from manifestkit import Finding, Options, SchemaError, Severity, lint_paths
from manifestkit.config.policy import Policy
from manifestkit.engine.lint import lint_text
from manifestkit.schema.loading.load import load_schema
from rows import rows

TABLE: dict[str, list[str]] = json.loads(NEEDS.read_text("utf-8"))["properties"]["capabilities"][
    "x-manifestkit"
]["needs"]["/permissions"]
LINTER = Policy(profiles=(load_schema(NEEDS),))


def profile(needs: Any, **more: Any) -> dict[str, Any]:
    """A profile with a table beside the capabilities."""
    return {"properties": {"capabilities": {"x-manifestkit": {"needs": needs, **more}}}}


def told(folder: Path, host: Any, value: Any) -> list[Finding]:
    file = written(folder / "manifest.json", value)
    options = Options(profiles=(written(folder / "host.json", host),))
    return [each for each in lint_paths(file, options).findings if each.profile]


@given(
    st.lists(st.sampled_from([*TABLE, "activity.start"]), max_size=6),
    st.sets(st.sampled_from(sorted({name for each in TABLE.values() for name in each}))),
)
def test_each_item_that_lacks_what_it_needs_is_told_and_no_other(
    capabilities: list[str], permissions: set[str]
) -> None:
    value = with_members(capabilities=capabilities, permissions=sorted(permissions))
    found = [each for each in lint_text(json.dumps(value), policy=LINTER).findings if each.profile]
    lacking = {
        f"/capabilities/{index}": f"the capability `{each}` needs the permission `{needed}`"
        for index, each in enumerate(capabilities)
        for needed in TABLE.get(each, ())
        if needed not in permissions
    }
    assert {each.pointer: each.message for each in found} == lacking
    assert {each.rule for each in found} <= {"permission-for-capability"}


@pytest.mark.slow
def test_it_says_what_an_if_and_else_says(tmp_path: Path) -> None:
    by_hand = {
        "if": {
            "properties": {"permissions": {"contains": {"const": "host.timer"}}},
            "required": ["permissions"],
        },
        "else": {
            "properties": {
                "capabilities": {
                    "items": {
                        "not": {"enum": ["host.timer.start"]},
                        "x-manifestkit": {
                            "rule": "schema-needs",
                            "message": "the capability {value} needs the permission `host.timer`",
                            "help": "add `host.timer` to `permissions`, or remove {value}",
                        },
                    }
                }
            }
        },
    }
    table = profile({"/permissions": {"host.timer.start": ["host.timer"]}})
    value = with_members(capabilities=["activity.start", "host.timer.start"] * 1500)
    by_table, by_schema = (
        [each._replace(identity=None, fixes=()) for each in told(tmp_path, host, value)]
        for host in (table, by_hand)
    )
    assert by_table == by_schema
    assert len(by_table) == 1500


def test_a_table_does_not_allow_the_member_that_it_points_to(tmp_path: Path) -> None:
    value = with_members(capabilities=["host.timer.start"], permissions=["host.timer"])
    others = dict.fromkeys(value.keys() - {"capabilities", "permissions"}, True)
    host = profile({"/permissions": {"host.timer.start": ["host.timer"]}})
    host["properties"] |= others
    (found,) = told(tmp_path, {**host, "unevaluatedProperties": False}, value)
    assert (found.rule, found.pointer) == ("unknown-member", "/permissions")
    with pytest.raises(SchemaError, match="`additionalProperties` refuses `permissions`"):
        told(tmp_path, {**host, "additionalProperties": False}, value)


def test_several_needs_are_one_finding_whose_fix_adds_what_is_missing(tmp_path: Path) -> None:
    needs = {"/permissions": {"host.timer.start": ["host.timer", "host.haptics", "host.timer"]}}
    value = with_members(capabilities=["host.timer.start"], permissions=["host.timer"])
    (found,) = told(tmp_path, profile(needs), value)
    assert found.message == (
        "the capability `host.timer.start` needs the permissions `host.timer` and `host.haptics`"
    )
    (fix,) = found.fixes
    assert (fix.message, fix.safety) == ('add `"host.haptics"` to `permissions`', "unsafe")
    fixed = manifest_here(
        *("lint", "manifest.json", "--profile", "host.json", "--fix", "--unsafe-fixes"),
        cwd=tmp_path,
    )
    assert fixed.code == CLEAN
    after = json.loads((tmp_path / "manifest.json").read_text())
    assert after["permissions"] == ["host.timer", "host.haptics"]


def test_a_list_inside_a_list_needs_items_of_another(tmp_path: Path) -> None:
    needs = {"/capabilities": {"watch": ["host.haptic"]}}
    surfaces = {"surfaces": {"x-manifestkit": {"needs": needs, "rule": "watch-trembles"}}}
    host = {"properties": {"activities": {"items": {"allOf": [{"properties": surfaces}]}}}}
    activities = [{"id": "a", "name": "A"}, {"id": "b", "name": "B", "surfaces": ["tv", "watch"]}]
    (found,) = told(tmp_path, host, with_members(activities=activities))
    assert (found.rule, found.pointer) == ("watch-trembles", "/activities/1/surfaces/1")
    assert found.message == "the surface `watch` needs the capability `host.haptic`"
    assert [dict(each) for each in found.fixes[0].patch] == [
        {"op": "add", "path": "/capabilities/-", "value": "host.haptic"}
    ]
    granted = with_members(activities=activities, capabilities=["host.haptic"])
    assert told(tmp_path, host, granted) == []


@rows("permissions", ["host.timer", None, {}, 1])
def test_where_there_is_no_list_nothing_is_said_of_needs(tmp_path: Path, permissions: Any) -> None:
    host = profile({"/permissions": {"host.timer.start": ["host.timer"]}})
    value = with_members(capabilities=["host.timer.start"], permissions=permissions)
    assert told(tmp_path, host, value) == []


@rows("member", ["grants", "given/grants"])
@rows(
    "given",
    [
        *({}, {"given": {}}, {"given": {"grants": []}, "grants": []}),
        *({"given": "timer", "grants": "timer"}, {"given": {"grants": {}}, "grants": {}}),
    ],
)
def test_a_list_that_is_missing_or_none_gives_nothing(
    tmp_path: Path, member: str, given: dict[str, Any]
) -> None:
    grants = {"grants": {"title": "Grants", "items": {"title": "Grant", "enum": ["timer"]}}}
    host = profile({f"/{member}": {"host.timer.start": ["timer"]}})
    host["properties"] |= {**grants, "given": {"title": "Given", "properties": grants}}
    value = {**with_members(capabilities=["activity.start", "host.timer.start"]), **given}
    (found,) = told(tmp_path, host, value)
    assert (found.rule, found.pointer) == ("schema-needs", "/capabilities/1")
    assert found.message == "the capability `host.timer.start` needs the grant `timer`"
    assert bool(found.fixes) == (given.get("grants") == [])


def test_a_title_that_says_what_a_rule_finds_is_in_no_sentence(tmp_path: Path) -> None:
    rule = {"x-manifestkit": {"rule": "ours"}}
    unknown = {"title": "A surface that we do not have", "enum": ["phone"], **rule}
    granted = {"title": "A permission that we do not grant", "enum": ["host.timer"], **rule}
    host = profile({"/permissions": {"host.timer.start": ["host.timer"]}})
    activity = {"properties": {"surfaces": {"items": unknown}}}
    host["properties"] |= {"activities": {"items": activity}, "permissions": {"items": granted}}
    value = with_members(capabilities=["host.timer.start"])
    value["activities"][0]["surfaces"] = ["fridge"]
    said = [(each.message, each.help) for each in told(tmp_path, host, value)]
    assert said == [
        (
            '`activities[0].surfaces[0]` is the string `"fridge"`, not one of the allowed values',
            'remove it, or use `"phone"`',
        ),
        (
            "the capability `host.timer.start` needs the permission `host.timer`",
            "add `host.timer` to `permissions`, or remove `host.timer.start`",
        ),
    ]


def test_a_finding_is_told_in_the_words_of_the_annotation(tmp_path: Path) -> None:
    needs = {"/permissions": {"host.timer.start": ["host.timer"]}}
    words = {"severity": "warning", "message": "{value} at {path} wants {needed}", "help": "beg"}
    host = {"x-manifestkit": {"clause": "chapter 4"}, **profile(needs, **words)}
    (found,) = told(tmp_path, host, with_members(capabilities=["host.timer.start"]))
    assert found.message == "`host.timer.start` at `capabilities[0]` wants `host.timer`"
    assert (found.severity, found.help, found.clause) == (Severity.WARNING, "beg", "chapter 4")


def test_without_a_rule_it_is_one_of_ours_that_settings_know(tmp_path: Path) -> None:
    host = profile({"/permissions": {"host.timer.start": ["host.timer"]}})
    (found,) = told(tmp_path, host, with_members(capabilities=["host.timer.start"]))
    assert found.rule == "schema-needs"
    lint = ("lint", "manifest.json", "--profile", "host.json", "--ignore", "schema-needs")
    assert manifest_here(*lint, cwd=tmp_path).code == CLEAN
    assert manifest_here("explain", "schema-needs", cwd=tmp_path).code == CLEAN


def test_lists_that_a_schema_has_itself_are_known_by_it(tmp_path: Path) -> None:
    parts = {"type": "array", "items": {"title": "Part", "$ref": "#/$defs/part"}}
    needs = {"/tools": {"wheel": ["wrench"]}}
    schema = {
        "properties": {
            "parts": {**parts, "x-manifestkit": {"needs": needs}},
            "tools": {"type": "array", "items": {"title": "Tool", "type": "string"}},
        },
        "$defs": {"part": {"enum": ["wheel", "leg"]}},
    }
    written(tmp_path / "cart.json", schema)
    written(tmp_path / "manifest.json", {"parts": ["leg", "wheel"], "tools": []})
    outcome = manifest_here("lint", "manifest.json", "--schema", "cart.json", cwd=tmp_path)
    assert "schema-needs the part `wheel` needs the tool `wrench`" in outcome.out
    needs["/tools"] = {"whel": ["wrench"]}
    written(tmp_path / "cart.json", schema)
    outcome = manifest_here("lint", "manifest.json", "--schema", "cart.json", cwd=tmp_path)
    assert "`whel` is not a value of `parts`; did you mean `wheel`?" in outcome.err


@rows("list_type", [{}, {"type": "array"}, {"type": ["array", "string"]}])
@rows("box_type", [{}, {"type": "object"}, {"type": ["object", "string"]}])
@rows(
    "box",
    [None, "wrench", [], {}, {"tools": "wrench"}, {"tools": {}}, {"tools": 1}, {"tools": []}],
)
def test_without_the_needed_item_no_manifest_passes_whatever_its_schema_allows(
    tmp_path: Path, list_type: dict[str, Any], box_type: dict[str, Any], box: Any
) -> None:
    needs = {"/box/tools": {"wheel": ["wrench"]}}
    tools = {**list_type, "items": {"type": "string"}}
    box_schema = {**box_type, "properties": {"tools": tools}}
    parts = {"type": "array", "items": {"enum": ["wheel"]}}
    schema = {"type": "object", "properties": {"parts": parts, "box": box_schema}}
    host = {"properties": {"parts": {"x-manifestkit": {"needs": needs}}}}
    described = load_schema(written(tmp_path / "cart.json", schema))
    profile_of_it = load_schema(written(tmp_path / "host.json", host), described)
    policy = Policy(own_schema=described, profiles=(profile_of_it,))
    value = {"parts": ["wheel"], **({} if box is None else {"box": box})}
    assert lint_text(json.dumps(value), policy=policy).fails


def test_the_example_of_the_documentation_does_what_it_says(tmp_path: Path) -> None:
    page = (REPOSITORY / "docs" / "profiles.md").read_text("utf-8")
    part = page.split("## Items that need others")[1]
    host = json.loads(part.split("```json\n")[1].split("```")[0])
    value = with_members(capabilities=["host.timer.start", "host.timer.cancel"])
    found = told(tmp_path, host, value)
    assert [each.rule for each in found] == ["permission-for-capability"] * 2
    assert {fix.safety for each in found for fix in each.fixes} == {"unsafe"}


GOOD = {"/permissions": {"host.timer.start": ["host.timer"]}}
LIST_OF_ROOT = {"type": "array", "x-manifestkit": {"needs": {"/b": {"a": ["b"]}}}}
NEXT_TO_A_LIST = "`needs` must be next to a list that `properties`, `items` and `allOf` lead to"


def under(member: str, schema: Any, *path: str | int) -> dict[str, Any]:
    """A profile with a table at a place below the schema of a member."""
    holder = schema
    for token in path:
        holder = holder[token]
    holder["x-manifestkit"] = {"needs": GOOD}
    return {"properties": {member: schema}}


@rows(
    ("host", "place", "said"),
    [
        (profile([]), "5:18", "`[]` is not a table; write, for example"),
        (profile({}), "5:18", "`x-manifestkit.needs` does not satisfy `minProperties`"),
        (profile({"/permissions": []}), "6:27", "does not satisfy `type`"),
        (profile({"/permissions": {}}), "6:27", "does not satisfy `minProperties`"),
        (
            profile({"/permissions": {"host.timer.start": "host.timer"}}),
            "5:18",
            'write `"needs": {"/permissions": {"host.timer.start": ["host.timer"]}}`',
        ),
        (
            profile({"/permissions": {"host.timer.start": []}}),
            "7:33",
            "does not satisfy `minItems`",
        ),
        (profile({"/permissions": {"host.timer.start": [1]}}), "8:15", "does not satisfy `type`"),
        (
            profile({"permissions": {"host.timer.start": ["host.timer"]}}),
            "5:18",
            'write `"needs": {"/permissions": {"host.timer.start": ["host.timer"]}}`',
        ),
        (
            profile({"/permisions": {"host.timer.start": ["host.timer"]}}),
            "6:11",
            "there is no list at `/permisions`; did you mean `/permissions`?",
        ),
        (
            profile({"/provider": {"host.timer.start": ["host.timer"]}}),
            "6:11",
            "there is no list at `/provider`",
        ),
        (profile({"": {"a": ["b"]}}), "5:18", 'write `"needs": {"/permissions": {"a": ["b"]}}`'),
        (
            profile({"/permissions": {"host.timer.strat": ["host.timer"]}}),
            "7:13",
            "`host.timer.strat` is not a value of `capabilities`; did you mean `host.timer.start`?",
        ),
        (
            profile({"/permissions": {"host.timer.start": ["host.tmer"]}}),
            "8:15",
            "`host.tmer` is not a value of `permissions`; did you mean `host.timer`?",
        ),
        (
            {"$defs": {"a": {"x-manifestkit": {"needs": GOOD}}}, "minProperties": 1},
            "5:9",
            NEXT_TO_A_LIST,
        ),
        ({"x-manifestkit": {"needs": GOOD}}, "3:5", NEXT_TO_A_LIST),
        (LIST_OF_ROOT, "4:5", NEXT_TO_A_LIST),
        (
            {"type": "array", "items": {"properties": {"a": LIST_OF_ROOT}}},
            "9:13",
            "no list at `/b`",
        ),
        (
            under(
                "activities",
                {"prefixItems": [{}], "items": {"properties": {"surfaces": {}}}},
                *("items", "properties", "surfaces"),
            ),
            "11:15",
            NEXT_TO_A_LIST,
        ),
        (under("provider", {}), "5:9", NEXT_TO_A_LIST),
        (under("capabilities", {"items": {}}, "items"), "6:11", NEXT_TO_A_LIST),
        (under("activities", {"items": {}}, "items"), "6:11", NEXT_TO_A_LIST),
        (under("capabilities", {"type": "string"}), "6:9", NEXT_TO_A_LIST),
        (under("regions", {"title": "Regions"}), "6:9", NEXT_TO_A_LIST),
        (under("capabilities", {"anyOf": [{}]}, "anyOf", 0), "7:13", NEXT_TO_A_LIST),
        (
            {"allOf": [profile(GOOD), {"x-manifestkit": {"needs": GOOD}}]},
            "20:9",
            NEXT_TO_A_LIST,
        ),
        (
            {"$schema": "http://json-schema.org/draft-06/schema#", **profile(GOOD)},
            "2:14",
            "is not a supported draft; write `http://json-schema.org/draft-07/schema` or",
        ),
        (profile(GOOD, neds=1), "12:17", "`x-manifestkit` has no member `neds`; did you"),
    ],
)
def test_a_bad_table_is_refused_with_its_place(
    tmp_path: Path, host: Any, place: str, said: str
) -> None:
    (tmp_path / "host.json").write_text(json.dumps(host, indent=2))
    written(tmp_path / "manifest.json", with_members())
    outcome = manifest_here("lint", "manifest.json", "--profile", "host.json", cwd=tmp_path)
    assert outcome.code == USAGE
    assert f"host.json:{place}: " in outcome.err
    assert said in outcome.err


@rows(
    "regions",
    [
        {"title": "Regions", "type": "array"},
        {"title": "Regions", "items": {"type": "string"}},
        {"title": "Regions", "$ref": "#/$defs/regions"},
    ],
)
def test_a_table_is_next_to_a_list_that_the_profile_adds(tmp_path: Path, regions: Any) -> None:
    needs = {"/permissions": {"EU": ["host.timer"]}}
    host = {
        "properties": {"regions": {**regions, "x-manifestkit": {"needs": needs}}},
        "$defs": {"regions": {"type": ["array", "null"]}},
    }
    found = told(tmp_path, host, {**with_members(permissions=[]), "regions": ["EU"]})
    assert [each.rule for each in found] == ["schema-needs"]


def test_a_table_in_a_file_beside_the_profile_is_at_the_root_of_that_file(tmp_path: Path) -> None:
    written(tmp_path / "lists.json", {"x-manifestkit": {"needs": GOOD}})
    written(tmp_path / "whole.json", profile(GOOD))
    value = with_members(capabilities=["host.timer.start"], permissions=[])
    found = told(tmp_path, {"$ref": "whole.json"}, value)
    assert [each.rule for each in found] == ["schema-needs"]
    with pytest.raises(SchemaError, match=f"lists.json:3:5: {NEXT_TO_A_LIST}"):
        told(tmp_path, {"properties": {"capabilities": {"$ref": "lists.json"}}}, value)


FILES = {
    "whole.json": profile(GOOD),
    "through.json": {"allOf": [{"$ref": "whole.json"}]},
    "part.json": {"properties": {"capabilities": {"$ref": "whole.json#/properties/capabilities"}}},
}


@rows(
    "host",
    [
        {"$ref": "whole.json"},
        {"allOf": [{"$ref": "through.json"}]},
        {"if": {"required": ["runtime"]}, "then": {"$ref": "whole.json"}},
        {"anyOf": [{"$ref": "whole.json"}, False]},
    ],
)
def test_a_file_with_a_table_is_referred_to_for_the_whole_manifest(
    tmp_path: Path, host: Any
) -> None:
    for name, contents in FILES.items():
        written(tmp_path / name, contents)
    value = with_members(capabilities=["host.timer.start"], permissions=[])
    assert told(tmp_path, host, value)
    value["permissions"] = ["host.timer"]
    assert not told(tmp_path, host, value)


@rows(
    ("host", "place"),
    [
        (
            {"properties": {"capabilities": {"$ref": "whole.json#/properties/capabilities"}}},
            "host.json:4:7",
        ),
        ({"properties": {"activities": {"items": {"$ref": "whole.json"}}}}, "host.json:5:9"),
        ({"properties": {"activities": {"items": {"$ref": "through.json"}}}}, "host.json:5:9"),
        ({"$ref": "whole.json#/properties/capabilities"}, "host.json:2:3"),
        ({"$ref": "part.json"}, "part.json:4:7"),
        ({"propertyNames": {"anyOf": [{"$ref": "whole.json"}]}}, "host.json:5:9"),
        (
            {"properties": {"regions": {"$ref": "#/allOf/0"}}, "allOf": [profile(GOOD)]},
            "host.json:4:7",
        ),
        ({"allOf": [profile(GOOD)], "additionalProperties": {"$ref": "#"}}, "host.json:20:5"),
    ],
)
def test_a_reference_to_a_table_that_would_not_apply_is_refused(
    tmp_path: Path, host: Any, place: str
) -> None:
    for name, contents in FILES.items():
        written(tmp_path / name, contents)
    with pytest.raises(SchemaError, match=f"{place}: .* leads to `needs`, which would not apply"):
        told(tmp_path, host, with_members())


@pytest.mark.parametrize("draft", ["http://json-schema.org/draft-07/schema#", None])
def test_a_table_is_read_in_yaml_and_in_an_older_draft(tmp_path: Path, draft: str | None) -> None:
    head = f"$schema: {draft}\n" if draft else ""
    table = "      needs: {/permissions: {host.timer.start: [host.timer]}}\n"
    text = f"{head}properties:\n  capabilities:\n    x-manifestkit:\n{table}"
    (tmp_path / "host.yaml").write_text(text)
    file = written(tmp_path / "manifest.json", with_members(capabilities=["host.timer.start"]))
    report = lint_paths(file, Options(profiles=(tmp_path / "host.yaml",)))
    assert [each.rule for each in report.findings] == ["schema-needs"]
