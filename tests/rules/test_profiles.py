"""A host's own demands: examples, annotations, references, and what is wrong in a profile."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

import manifestkit
from command import CLEAN, EXAMPLES, FINDINGS, REPOSITORY, USAGE
from in_process import manifest_here
from judging import (
    BASE,
    NEEDS,
    SECTION_2,
    as_text,
    held_to,
    lint,
    report_of,
    with_activity,
    with_members,
    written,
)
from manifestkit import Options, SchemaError, Severity
from patches import edited, patched
from rows import rows

CATALOGUE = EXAMPLES / "profiles" / "host-catalogue.schema.json"
BASE_ID = "urn:manifestkit:activity-provider-manifest"


def test_the_first_example_of_the_documentation_has_a_rule_for_each_requirement(
    tmp_path: Path,
) -> None:
    page = (REPOSITORY / "docs" / "profiles.md").read_text("utf-8")
    host = json.loads(page.split("```json\n")[1].split("```")[0])
    value = with_activity(surfaces=["tv"])
    found = {each.pointer: each.rule for each in held_to(tmp_path, value, host)}
    assert found == {"": "has-support", "/activities/0/surfaces/0": "host-surface"}
    (finding,) = held_to(tmp_path, with_members(support_email="us"), host)
    assert (finding.rule, finding.pointer) == ("has-support", "/support_email")
    assert not held_to(tmp_path, with_members(support_email="us@example.com"), host)


# -- capabilities need permissions -----------------------------------------------------------

_PAIRS = [
    ("profile.getBasic", "profile.basic"),
    ("context.getCurrent", "context.current_state"),
    ("context.getGoals", "context.goals"),
    ("context.getConstraints", "context.constraints"),
    ("context.getSession", "context.session"),
    ("activity.complete", "activity.complete"),
    ("host.haptic", "host.haptics"),
    ("host.timer.start", "host.timer"),
    ("host.timer.cancel", "host.timer"),
]


@rows("permissions", [[], ["profile.health"], ["context.goals", "host.haptics"]], ids=str)
@rows(("capability", "permission"), _PAIRS)
def test_a_capability_without_its_permission_is_one_finding_with_a_fix(
    capability: str, permission: str, permissions: list[str], tmp_path: Path
) -> None:
    granted = [each for each in permissions if each != permission]
    value = with_members(permissions=granted, capabilities=["activity.start", capability])
    found = held_to(tmp_path, value, NEEDS)
    (finding,) = (each for each in found if each.rule == "permission-for-capability")
    assert {each.rule for each in found} <= {"permission-for-capability", "unknown-permission"}
    assert finding.message == f"the capability `{capability}` needs the permission `{permission}`"
    assert finding.pointer == "/capabilities/1"
    assert as_text(value)[slice(*finding.location.span)] == f'"{capability}"'
    assert finding.severity is Severity.ERROR
    assert finding.profile is not None
    assert finding.profile.endswith(NEEDS.name)
    assert finding.help is not None
    assert f"`{permission}`" in finding.help
    (fix,) = finding.fixes
    corrected = {**value, "permissions": [*granted, permission]}
    assert patched(value, fix.patch) == corrected
    assert json.loads(edited(as_text(value), fix)) == corrected
    assert "permission-for-capability" not in {
        each.rule for each in held_to(tmp_path, corrected, NEEDS)
    }


@rows(
    "text",
    [
        json.dumps(with_members(capabilities=["host.timer.start"])),
        json.dumps(with_members(capabilities=["host.timer.start"]), indent="\t"),
        json.dumps(with_members(capabilities=["host.timer.start"])).replace("[]", "[ \n ]", 1),
        json.dumps(with_members(permissions=["host.haptics"], capabilities=["host.timer.start"])),
        json.dumps(
            with_members(
                permissions=["host.haptics", "context.goals"], capabilities=["host.timer.start"]
            ),
            indent=4,
        ),
    ],
)
def test_its_edits_keep_the_rest_of_the_text(text: str, tmp_path: Path) -> None:
    (finding,) = held_to(tmp_path, text, NEEDS)
    (fix,) = finding.fixes
    (edit,) = fix.edits
    after = edited(text, fix)
    assert json.loads(after)["permissions"][-1] == "host.timer"
    assert after.startswith(text[: edit.start])
    assert after.endswith(text[edit.end :])


def test_without_the_profile_nothing_is_said_of_it() -> None:
    value = with_members(capabilities=[capability for capability, _ in _PAIRS])
    assert manifestkit.lint(as_text(value)).findings == ()


def test_where_permissions_are_missing_a_capability_lacks_its_own(tmp_path: Path) -> None:
    value = with_members(capabilities=["host.timer.start"])
    del value["permissions"]
    found = held_to(tmp_path, value, NEEDS)
    assert [each.rule for each in found] == ["missing-field", "permission-for-capability"]
    assert found[1].pointer == "/capabilities/0"
    assert found[1].fixes == ()
    optional = {**SECTION_2, "required": []}
    schema = written(tmp_path / "own.schema.json", optional)
    options = Options(schema=schema, profiles=(NEEDS,), isolated=True)
    found = report_of(tmp_path, value, options).findings
    assert [each.rule for each in found] == ["permission-for-capability"]


@rows(
    ("member", "other"),
    [("permissions", "x"), ("permissions", {}), ("permissions", None), ("capabilities", "x")],
)
def test_a_list_of_the_wrong_type_is_told_as_such(member: str, other: Any, tmp_path: Path) -> None:
    value = with_members(**{"capabilities": ["activity.start"], member: other})
    (finding,) = held_to(tmp_path, value, NEEDS)
    assert (finding.rule, finding.pointer) == ("wrong-type", f"/{member}")


def test_all_capabilities_with_all_permissions_are_clean(tmp_path: Path) -> None:
    value = with_members(
        permissions=SECTION_2["$defs"]["permission"]["enum"],
        capabilities=SECTION_2["$defs"]["capability"]["enum"],
    )
    assert held_to(tmp_path, value, NEEDS) == ()


def test_the_command_tells_capability_permission_and_profile(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", with_members(capabilities=["host.timer.start"]))
    outcome = manifest_here(
        "lint", "manifest.json", "--profile", NEEDS, "--output-format=full", cwd=tmp_path
    )
    assert outcome.code == FINDINGS
    assert outcome.out.count("error[") == 1
    assert "error[permission-for-capability]" in outcome.out
    assert "`host.timer.start` needs the permission `host.timer`" in outcome.out
    assert "required by the profile" in outcome.out
    assert NEEDS.name in outcome.out
    assert lint("manifest.json", cwd=tmp_path).findings == []


# -- the other example -------------------------------------------------------------------------


@rows(
    ("value", "rule", "severity", "pointer", "message"),
    [
        (with_activity(category="yoga"), "host-category", "error", "/activities/0/category",
         "`yoga` is not a category of this host"),
        (with_activity(surfaces=["phone", "car"]), "host-surface", "warning",
         "/activities/0/surfaces/1", "`car` is not a surface of this host"),
        (with_activity(thumbnail="a.gif"), "host-thumbnail", "error", "/activities/0/thumbnail",
         "`activities[0].thumbnail` is no PNG, WebP or SVG picture"),
        (with_members(presentation={"thumbnail": "a.bmp"}), "host-thumbnail", "error",
         "/presentation/thumbnail", "`presentation.thumbnail` is no PNG, WebP or SVG picture"),
        (with_members(runtime={"entrypoint": "a.js", "sdk_version": "2.0"}), "host-sdk-version",
         "error", "/runtime/sdk_version", "this host runs SDK 1.2 to 1.9, not `2.0`"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)  # fmt: skip
def test_the_example_catalogue_says_what_its_host_wants(
    value: dict[str, Any], rule: str, severity: str, pointer: str, message: str, tmp_path: Path
) -> None:
    value = {**value, "runtime": {"sdk_version": "1.2", **value["runtime"]}}
    if rule != "host-sdk-version":
        value["runtime"] = {**value["runtime"], "sdk_version": "1.2"}
    (finding,) = held_to(tmp_path, value, CATALOGUE)
    assert (finding.rule, finding.severity.value) == (rule, severity)
    assert (finding.pointer, finding.message) == (pointer, message)
    assert finding.profile is not None
    assert manifestkit.lint(as_text(value)).findings == ()


def test_what_the_base_schema_says_is_told_once_by_a_profile_that_refers_to_it(
    tmp_path: Path,
) -> None:
    value = with_members(permissions=["host.haptic"], provider={"id": "x", "name": 1})
    value["runtime"]["sdk_version"] = "1.2"
    alone = manifestkit.lint(as_text(value)).findings
    found = held_to(tmp_path, value, CATALOGUE, CATALOGUE)
    assert [(each.rule, each.pointer) for each in found] == [
        (each.rule, each.pointer) for each in alone
    ]
    assert len(found) == 3
    assert {each.profile for each in found} == {None}


@pytest.mark.parametrize("keeps", [{}, {"allOf": [{"$ref": BASE_ID}]}])
def test_a_profile_puts_no_words_of_its_own_around_what_the_base_schema_says(
    keeps: dict[str, Any], tmp_path: Path
) -> None:
    notes = {"rule": "host", "severity": "info", "message": "this host wants it"}
    profile = {**(keeps or {"$ref": BASE_ID}), "x-manifestkit": notes}
    value = with_members(provider={"id": "a", "name": "A"})
    (finding,) = held_to(tmp_path, value, profile)
    assert (finding.rule, finding.pointer) == ("missing-field", "/provider")
    assert finding.message != notes["message"]
    assert (finding.severity, finding.profile) == (Severity.ERROR, None)


def test_two_profiles_each_say_their_own(tmp_path: Path) -> None:
    value = with_activity(category="yoga")
    value["runtime"]["sdk_version"] = "1.2"
    value["capabilities"] = ["host.timer.start"]
    found = held_to(tmp_path, value, CATALOGUE, NEEDS)
    assert {(each.rule, str(each.profile).rsplit("/", 1)[-1]) for each in found} == {
        ("host-category", CATALOGUE.name),
        ("permission-for-capability", NEEDS.name),
    }


# -- base errors once --------------------------------------------------------------------------


def own_copy(**changes: Any) -> dict[str, Any]:
    """A changed copy of the base schema, that keeps its `$id`."""
    return {**copy.deepcopy(SECTION_2), **changes}


@pytest.mark.parametrize("keeps_id", [True, False])
def test_with_another_schema_its_errors_are_told_once_too(
    keeps_id: bool,
    tmp_path: Path,
) -> None:
    schema = own_copy(maxProperties=3)
    if not keeps_id:
        schema["$id"] = "urn:example:own"
    own = written(tmp_path / "own.schema.json", schema)
    profile = {"$ref": schema["$id"], "properties": {"provider": {"maxProperties": 2}}}
    file = written(tmp_path / "p.schema.json", profile)
    options = Options(schema=own, profiles=(file,), isolated=True)
    found = report_of(tmp_path, BASE, options).findings
    assert [(each.rule, each.pointer, each.profile is None) for each in found] == [
        ("schema-maxProperties", "", True),
        ("schema-maxProperties", "/provider", False),
    ]


def test_a_profile_that_refers_to_a_part_of_ours_says_what_that_part_says_elsewhere(
    tmp_path: Path,
) -> None:
    profile = {"properties": {"x-wanted": {"items": {"$ref": f"{BASE_ID}#/$defs/permission"}}}}
    (finding,) = held_to(tmp_path, with_members(**{"x-wanted": ["host.camera"]}), profile)
    assert (finding.rule, finding.pointer) == ("unknown-permission", "/x-wanted/0")


# -- annotations -------------------------------------------------------------------------------


def test_a_profile_gives_its_own_words_weight_and_page(tmp_path: Path) -> None:
    notes = {
        "rule": "short-names",
        "severity": "info",
        "message": "{path} is too long: {value}",
        "help": "cut {value}",
        "url": "https://example.org/names",
        "clause": "host handbook, 4",
    }
    profile = {
        "properties": {
            "provider": {"properties": {"name": {"maxLength": 2, "x-manifestkit": notes}}}
        }
    }
    (finding,) = held_to(tmp_path, BASE, profile)
    assert (finding.rule, finding.severity) == ("short-names", Severity.INFO)
    assert finding.message == "`provider.name` is too long: `Box`"
    assert (finding.help, finding.url) == ("cut `Box`", "https://example.org/names")
    assert finding.clause == "host handbook, 4"


def test_the_nearest_annotation_that_says_a_thing_is_heard(tmp_path: Path) -> None:
    inner = {"maxLength": 2, "x-manifestkit": {"message": "inner", "severity": "warning"}}
    middle = {
        "properties": {"name": inner},
        "x-manifestkit": {
            "message": "middle",
            "help": "middle",
            "rule": "middle",
            "url": "https://middle.example",
        },
    }
    profile = {
        "properties": {"provider": middle},
        "x-manifestkit": {"message": "x", "help": "x", "rule": "x", "url": "https://x.example"},
    }
    (finding,) = held_to(tmp_path, BASE, profile)
    assert (finding.message, finding.help, finding.rule, finding.url) == (
        "inner",
        "middle",
        "middle",
        "https://middle.example",
    )
    assert finding.severity is Severity.WARNING


def test_what_is_said_of_another_rule_is_not_heard(tmp_path: Path) -> None:
    needs = {"rule": "needs", "needs": {"/permissions": {"activity.start": ["host.timer"]}}}
    profile = {
        "properties": {
            "permissions": {"minItems": 9, "x-manifestkit": {"rule": "short"}},
            "capabilities": {"x-manifestkit": needs},
        },
        "required": ["contact"],
        "x-manifestkit": {"rule": "contact", "message": "no contact", "help": "add a contact"},
    }
    manifest = {**BASE, "capabilities": ["activity.start"]}
    found = {each.rule: (each.message, each.help) for each in held_to(tmp_path, manifest, profile)}
    assert found.pop("contact") == ("no contact", "add a contact")
    assert found.keys() == {"short", "needs"}
    assert not [each for each in found.values() if "contact" in f"{each}"]


@pytest.mark.parametrize("around", [{}, {"rule": "few"}, {"rule": "known"}], ids=str)
def test_to_a_rule_nothing_passes_from_what_is_around_it(
    around: dict[str, str], tmp_path: Path
) -> None:
    category = {"maxLength": 0, "x-manifestkit": {"rule": "known"}}
    said = {"severity": "off", "url": "https://x.example", "clause": "x", "message": "x"}
    items = {"properties": {"category": category}}
    profile = {
        "properties": {"activities": {"maxItems": 9, "items": items}},
        "x-manifestkit": {**around, **said},
    }
    (finding,) = held_to(tmp_path, with_activity(category="zen"), profile)
    assert (finding.rule, finding.severity) == ("known", Severity.ERROR)
    assert (finding.url, finding.clause) == (None, None)
    assert finding.message != "x"


def test_what_stands_beside_a_reference_is_heard(tmp_path: Path) -> None:
    profile = {
        "$defs": {"short": {"maxLength": 2}},
        "properties": {
            "provider": {
                "properties": {
                    "name": {"$ref": "#/$defs/short", "x-manifestkit": {"rule": "beside"}}
                }
            }
        },
    }
    (finding,) = held_to(tmp_path, BASE, profile)
    assert finding.rule == "beside"


def test_what_stands_around_a_condition_is_heard(tmp_path: Path) -> None:
    profile = {
        "if": {"properties": {"capabilities": {"maxItems": 0}}},
        "then": {"properties": {"provider": {"properties": {"name": {"maxLength": 2}}}}},
        "x-manifestkit": {"rule": "around"},
    }
    (finding,) = held_to(tmp_path, BASE, profile)
    assert finding.rule == "around"


@pytest.mark.parametrize("severity", ["warning", "info"])
def test_only_an_error_of_a_profile_fails_the_run(severity: str, tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", BASE)
    profile = {"maxProperties": 1, "x-manifestkit": {"severity": severity}}
    written(tmp_path / "p.schema.json", profile)
    assert lint("manifest.json", "--profile", "p.schema.json", cwd=tmp_path).code == CLEAN
    profile["x-manifestkit"] = {"severity": "error"}
    written(tmp_path / "p.schema.json", profile)
    assert lint("manifest.json", "--profile", "p.schema.json", cwd=tmp_path).code == FINDINGS


FEW = {"maxProperties": 1, "x-manifestkit": {"rule": "few", "severity": "off"}}


def test_a_requirement_that_is_off_says_nothing(tmp_path: Path) -> None:
    assert held_to(tmp_path, BASE, FEW) == ()


@rows(
    ("options", "severity"),
    [
        (["--severity", "few=error"], "error"),
        (["--severity", "few=info"], "info"),
        (["--select", "few"], "warning"),
        (["--select", "few", "--ignore", "few"], None),
        (["--severity", "few=off"], None),
        (["--severity", "wrong-type=error"], None),
    ],
    ids=str,
)
def test_a_requirement_that_is_off_is_turned_on_like_a_rule(
    options: list[str], severity: str | None, tmp_path: Path
) -> None:
    written(tmp_path / "manifest.json", BASE)
    written(tmp_path / "p.schema.json", FEW)
    outcome = lint("manifest.json", "--profile", "p.schema.json", *options, cwd=tmp_path)
    found = [each["severity"] for each in outcome.findings]
    assert found == ([severity] if severity else [])


def test_a_rule_of_ours_that_is_off_is_on_where_a_profile_requires_it(tmp_path: Path) -> None:
    profile = {"maxProperties": 1, "x-manifestkit": {"rule": "missing-file", "severity": "error"}}
    (finding,) = held_to(tmp_path, BASE, profile)
    assert (finding.rule, finding.severity.value) == ("missing-file", "error")


@rows(
    ("written", "meant", "safety"),
    [
        ("phoen", "phone", "unsafe"),
        ("Phone", "phone", "safe"),
        ("form", "forum", "unsafe"),
        ("diner", "dinner", "unsafe"),
        ("host.phoen", "host.phone", "safe"),
        ("smartwacth", "smartwatch", "safe"),
    ],
)
def test_to_write_the_value_of_a_profile_is_safe_where_a_slip_makes_no_word(
    written: str, meant: str, safety: str, tmp_path: Path
) -> None:
    items = {"items": {"properties": {"category": {"enum": [meant, "another"]}}}}
    profile = {"properties": {"activities": items}}
    found = held_to(tmp_path, with_activity(category=written), profile)
    (fix,) = (fix for each in found for fix in each.fixes)
    assert (fix.patch[0]["value"], fix.safety) == (meant, safety)


def test_the_page_about_profiles_lists_every_member_of_the_annotation() -> None:
    page = (REPOSITORY / "docs" / "profiles.md").read_text("utf-8")
    listed = [*re.findall(r"(?m)^\| `(\w+)` \|", page), "bad", "good"]
    annotation = json.loads((REPOSITORY / "schemas" / "annotation.schema.json").read_bytes())
    members = annotation["properties"]
    assert sorted(listed) == sorted(members)


# -- references --------------------------------------------------------------------------------


def test_a_profile_refers_to_files_beside_it_and_below(tmp_path: Path) -> None:
    written(tmp_path / "parts" / "name.schema.json", {"$ref": "../limits.schema.json#/$defs/short"})
    written(tmp_path / "limits.schema.json", {"$defs": {"short": {"maxLength": 2}}})
    profile = {
        "properties": {"provider": {"properties": {"name": {"$ref": "parts/name.schema.json"}}}}
    }
    (finding,) = held_to(tmp_path, BASE, profile)
    assert (finding.rule, finding.pointer) == ("schema-maxLength", "/provider/name")


@rows(
    ("reference", "other"),
    [
        ("other.json", {}),
        ("other.json#/$defs/a", {"$defs": {"a": {}}}),
        ("other.json", {"properties": {"a": {"title": "A", "$ref": "host.json"}}}),
    ],
)
def test_a_rule_in_a_file_that_a_profile_refers_to_is_known_everywhere(
    reference: str, other: dict[str, Any], tmp_path: Path
) -> None:
    declaring = other["$defs"]["a"] if "$defs" in other else other
    declaring |= {"minProperties": 99, "x-manifestkit": {"rule": "many"}}
    written(tmp_path / "other.json", other)
    host = written(tmp_path / "host.json", {"properties": {"provider": {"$ref": reference}}})
    example = written(tmp_path / "examples" / "many.bad.json", BASE)
    for arguments, said in (
        (("profile", "test", example.parent), "ok   many.bad.json"),
        (("lint", example, "--severity", "many=warning"), "warning many"),
        (("explain", "many"), "From `other.json"),
        (("explain",), "many "),
    ):
        outcome = manifest_here(*map(str, arguments), "--profile", str(host), cwd=tmp_path)
        assert (outcome.code, said in outcome.out) == (CLEAN, True), outcome


def test_it_refers_to_its_own_parts_by_anchor_id_and_pointer(tmp_path: Path) -> None:
    profile = {
        "$id": "urn:example:host",
        "$defs": {
            "a": {"$anchor": "short", "maxLength": 2},
            "b": {"$id": "urn:example:deep", "$defs": {"c": {"maxLength": 2}}},
        },
        "properties": {
            "provider": {
                "properties": {
                    "name": {"$ref": "#short"},
                    "id": {"$ref": "urn:example:deep#/$defs/c"},
                    "version": {"$ref": "#/$defs/a"},
                }
            }
        },
    }
    found = held_to(tmp_path, BASE, profile)
    assert [each.pointer for each in found] == [
        "/provider/id",
        "/provider/name",
        "/provider/version",
    ]


def test_another_file_may_refer_to_its_own_parts_below_its_id(tmp_path: Path) -> None:
    longer = {
        "properties": {"name": {"$ref": "#/$defs/long"}},
        "$defs": {"long": {"minLength": 99}},
    }
    written(tmp_path / "parts.json", {"$id": "https://example.org/parts", **longer})
    (finding,) = held_to(tmp_path, BASE, {"properties": {"provider": {"$ref": "parts.json"}}})
    assert finding.pointer == "/provider/name"


@pytest.mark.parametrize("uri", ["https://example.org/parts#", "parts"])
def test_an_id_may_end_in_an_empty_fragment(tmp_path: Path, uri: str) -> None:
    draft = {"$schema": "http://json-schema.org/draft-07/schema#", "$id": uri}
    longer = {"properties": {"name": {"$ref": "#/definitions/long"}}}
    profile = {**draft, **longer, "definitions": {"long": {"minLength": 99}}}
    written(tmp_path / "parts.json", profile)
    whole = {**draft, "properties": {"provider": longer}, "definitions": profile["definitions"]}
    for each in (whole, {"properties": {"provider": {"$ref": "parts.json"}}}):
        (finding,) = held_to(tmp_path, BASE, each)
        assert (finding.rule, finding.pointer) == ("schema-minLength", "/provider/name")


DRAFT_7 = "http://json-schema.org/draft-07/schema#"
NO_NAMES: list[dict[str, Any]] = [
    {"$schema": DRAFT_7, "definitions": {each: {"$id": "#x", "$ref": "#"} for each in "ab"}},
    {"$defs": {"a": {"$id": "urn:a", "$anchor": "x"}, "b": {"$anchor": "x"}}},
]


@pytest.mark.parametrize("profile", NO_NAMES, ids=str)
def test_what_names_no_schema_is_no_name_twice(tmp_path: Path, profile: dict[str, Any]) -> None:
    assert held_to(tmp_path, BASE, {**profile, "title": "x"}) == ()


def test_a_reference_to_itself_through_a_part_of_the_value_is_sound(tmp_path: Path) -> None:
    profile = {
        "$defs": {
            "tree": {
                "maxProperties": 1,
                "additionalProperties": {"$ref": "#/$defs/tree"},
            }
        },
        "properties": {"x-tree": {"$ref": "#/$defs/tree"}},
    }
    value = with_members(**{"x-tree": {"a": {"b": {"c": 1, "d": 2}}}})
    (finding,) = held_to(tmp_path, value, profile)
    assert finding.pointer == "/x-tree/a/b"


@pytest.mark.parametrize("draft", ["draft-07", "draft/2020-12"])
def test_older_drafts_are_judged_by_their_own_rules(draft: str, tmp_path: Path) -> None:
    scheme = "https" if "/" in draft else "http"
    profile = {
        "$schema": f"{scheme}://json-schema.org/{draft}/schema{'' if '/' in draft else '#'}",
        "properties": {"permissions": {"maxItems": 0}},
    }
    (finding,) = held_to(tmp_path, with_members(permissions=["host.timer"]), profile)
    assert finding.rule == "schema-maxItems"


# -- broken profiles ---------------------------------------------------------------------------

_LOOP = "refers to itself in a loop"

_BROKEN: dict[str, tuple[str, int, int, str]] = {
    "bad regex": ('{\n  "pattern": "("\n}', 2, 14, "`(` is not a supported regular"),
    "bad regex of names": (
        '{\n  "patternProperties": {\n    "[": true\n  }\n}', 3, 10, "`[` is not a supported",
    ),
    "a short keyword, misspelt": (
        '{"properties": {"a": {"enumm": [1]}}}', 1, 23, "did you mean `enum`?",
    ),
    "lookahead": ('{"pattern": "(?=a)"}', 1, 13, "lookaround and backreferences"),
    "backreference": ('{"pattern": "(a)\\\\1"}', 1, 13, "lookaround and backreferences"),
    "bad regex in depth": (
        '{"allOf": [\n{"not": {"items": {"pattern": "*"}}}]}', 2, 31, "not a supported regular",
    ),
    "no such place": ('{\n"allOf": [\n{"$ref": "#/$defs/x"}]}', 3, 10, "`#/$defs/x` cannot be"),
    "no such anchor": ('{"$ref": "#x"}', 1, 10, "`#x` cannot be resolved"),
    "no such file": ('{"$ref": "gone.schema.json"}', 1, 10, "no such file"),
    "a draft that is no text": (
        '{"title": "x",\n"$schema": 5}', 2, 12, "5 is not a supported draft",
    ),
    "no such id": ('{"$ref": "urn:example:gone"}', 1, 10, "use a place in this file"),
    "remote": ('{"$ref": "https://example.org/a.json"}', 1, 10, "not fetched over the"),
    "remote by its own id": (
        '{"$id": "https://example.org/x/", "$ref": "a.json"}', 1, 43, "cannot be resolved",
    ),
    "outside the folder": ('{"$ref": "../outside.schema.json"}', 1, 10, "cannot be resolved"),
    "outside by a whole address": ('{"$ref": "file:///etc/hostname"}', 1, 10, "cannot be resolved"),
    "to itself": ('{"$ref": "#"}', 1, 1, _LOOP),
    "to itself in two steps": (
        '{"$defs": {\n"a": {"$ref": "#/$defs/b"},\n"b": {"anyOf": [{"$ref": "#/$defs/a"}]}}}',
        3, 6, _LOOP,
    ),
    "to itself by allOf": ('{"allOf": [{"$ref": "#"}]}', 1, 1, _LOOP),
    "to itself by if": ('{"if": {"$ref": "#"}, "then": false}', 1, 1, _LOOP),
    "no schema's place": (
        '{"items": {"$ref": "#/components/schemas/p"}, "components": {"schemas": {"p": {}}}}',
        *(1, 20, "`#/components/schemas/p` does not lead to a schema; put schemas that others"),
    ),
    "no schema's place in an old draft": (
        '{"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/x-any", "x-any": {}}',
        *(1, 64, "refer to into `definitions`"),
    ),
    "no schema's place in a part": (
        '{"$defs": {"a": {"$id": "urn:a", "x-shared": {}}}, "$ref": "urn:a#/x-shared"}',
        *(1, 60, "`urn:a#/x-shared` does not lead to a schema"),
    ),
    "content that is not checked": (
        '{"contentSchema": {"pattern": "(?=a)"}, "$ref": "#/contentSchema"}',
        *(1, 49, "`#/contentSchema` does not lead to a schema"),
    ),
    "an example of ours": (
        '{"$ref": "urn:manifestkit:activity-provider-manifest#/examples/0"}',
        *(1, 10, "#/examples/0` does not lead to a schema"),
    ),
    "a dynamic reference": ('{"$dynamicRef": "#/x"}', 1, 2, "not supported; write `$ref`"),
    "a metaschema": (
        '{"$ref": "https://json-schema.org/draft/2020-12/schema"}', 1, 10, "not fetched over the",
    ),
    "misspelt annotation": (
        '{"x-manifestkit": {\n "serverity": "info"}}', 2, 15, "has no member `serverity`",
    ),
    "no such severity": ('{"x-manifestkit": {"severity": "bad"}}', 1, 32, "severity"),
    "severity of a wrong type": ('{"x-manifestkit": {"severity": 1}}', 1, 32, "severity"),
    "rule that is no id": (
        '{"x-manifestkit": {"rule": "My Rule"}}', 1, 28,
        '`"My Rule"` is not a valid rule id; write `"rule": "my-rule"`',
    ),
    "rule of a wrong type": ('{"x-manifestkit": {"rule": 1}}', 1, 28, "`1` is not a valid rule id"),
    "fix": ('{"x-manifestkit": {"fix": []}}', 1, 27, "has no member `fix`"),
    "what only the tables of needs state": (
        '{"x-manifestkit": {"needed": []}}', 1, 30, "has no member `needed`",
    ),
    "annotation of a wrong type": ('{"x-manifestkit": "info"}', 1, 19, "object"),
    "keyword of a wrong type": ('{\n "required": "name"}', 2, 14, "not a JSON Schema"),
    "no such type": ('{"type": "text"}', 1, 10, '`text` is not a type; write `"type": "string"`'),
    "misspelt type": ('{"not": {"type": ["objct"]}}', 1, 19, "did you mean `object`?"),
    "a type that is none": ('{"type": 5}', 1, 10, "not a JSON Schema"),
    "misspelt keyword": (
        '{"type": "object",\n  "requird": ["x"]}', 2, 3,
        "`requird` is not a keyword; did you mean `required`?",
    ),
    "misspelt keyword that holds schemas": (
        '{"allOf": [{\n"propertes": {}}]}', 2, 1, "did you mean `properties`?",
    ),
    "misspelt format": (
        '{"properties": {"a":\n {"format": "dat-time"}}}', 2, 3,
        "`dat-time` is not a format; did you mean `date-time`?",
    ),
    "misspelt keyword in depth": (
        '{"properties": {"a": {"items":\n {"pattrn": "("}}}}', 2, 3, "did you mean `pattern`?",
    ),
    "keyword in other letters": ('{"not": {"max_items": 1}}', 1, 10, "did you mean `maxItems`?"),
    "annotation in other letters": (
        '{"properties": {"a": {"x-manifestKit": {}}}}', 1, 23, "did you mean `x-manifestkit`?",
    ),
    "annotation in three words": (
        '{"properties": {"a": {"x-manifest-kit": {}}}}', 1, 23, "did you mean `x-manifestkit`?",
    ),
    "keyword of a branch": ('{"not": {"minContain": 1}}', 1, 10, "did you mean `minContains`?"),
    "not lead to a schema": ("[]", 1, 1, "not a JSON Schema"),
    "rule of what is deprecated": (
        '{"properties": {"a": {"deprecated": true, "x-manifestkit": {\n"rule": "b"}}}}',
        *(2, 1, "`rule` is ignored next to `deprecated`"),
    ),
    "severity of a value that is deprecated": (
        '{"anyOf": [{"const": 1, "deprecated": true, "x-manifestkit": {\n"severity": "info"}}]}',
        *(2, 1, "`severity` is ignored next to `deprecated`"),
    ),
    "not JSON": ('{"a": }', 1, 2, "`a` has no value"),
    "empty": ("", 1, 1, ""),
}  # fmt: skip


@rows("what", _BROKEN)
@rows("option", ["--profile", "--schema"])
def test_a_broken_schema_is_an_error_with_its_place(what: str, option: str, tmp_path: Path) -> None:
    text, line, column, words = _BROKEN[what]
    (tmp_path / "in").mkdir()
    written(tmp_path / "outside.schema.json", {"maxLength": 2})
    written(tmp_path / "manifest.json", BASE)
    file = written(tmp_path / "in" / "p.schema.json", text)
    options = (
        Options(profiles=(file,), isolated=True)
        if option == "--profile"
        else Options(schema=file, isolated=True)
    )
    with pytest.raises(SchemaError) as caught:
        manifestkit.lint_paths([tmp_path / "manifest.json"], options)
    message = str(caught.value)
    assert f"in/p.schema.json:{line}:{column}: " in message
    assert words in message
    assert "\n" not in message


@rows("keyword", ["anyOf", "contains", "if", "not", "oneOf", "propertyNames"])
@rows("inner", ["allOf", "items", "properties", "anyOf"])
@rows(
    "notes",
    [
        {"rule": "own"},
        {"severity": "warning"},
        {"message": "is bad"},
        {"help": "do better"},
        {"url": "https://example.org/"},
        {"clause": "chapter 4"},
    ],
)
def test_what_an_annotation_says_is_told_or_refused(
    keyword: str, inner: str, notes: dict[str, str], tmp_path: Path
) -> None:
    """Below a keyword of which only the verdict counts, no finding could have it."""
    annotated = {"minLength": 1, "x-manifestkit": notes}
    below = {"properties": {"a": annotated}, "items": annotated}.get(inner, [annotated])
    part: Any = {inner: below}
    part = [part] if keyword.endswith("Of") else part
    condition = {"then": False} if keyword == "if" else {}
    legacy = {"title": "Legacy", keyword: part, **condition}
    (name,) = notes
    with pytest.raises(SchemaError, match=f": `{name}` is ignored below `{keyword}`; write it "):
        held_to(tmp_path, BASE, {"properties": {"legacy": legacy}})
    whole = {"properties": {"legacy": {"title": "Legacy", "allOf": [annotated]}}}
    (found,) = held_to(tmp_path, with_members(legacy=""), whole)
    told = [found.rule, found.severity.value, found.message, found.help, found.url, found.clause]
    assert notes[name] in told


_NOTHING = "has no effect, as nothing is required here: write a keyword"


@rows(
    "words, part",
    [
        (f"`rule` {_NOTHING}", {"x-manifestkit": {"rule": "own"}}),
        (f"`message` {_NOTHING}", {"items": {"x-manifestkit": {"message": "is bad"}}}),
        (f"`rule` {_NOTHING}", {"allOf": [{"items": {}, "x-manifestkit": {"rule": "own"}}]}),
        (
            "use `--severity duplicate-activity-id=error`",
            {"x-manifestkit": {"rule": "duplicate-activity-id", "severity": "error"}},
        ),
        *(
            (f"`{name}` has no effect in a profile: leave it out", {"x-manifestkit": {name: value}})
            for name, value in {
                "common": True,
                "consent": {"host.timer": "Use the timer."},
                "counterpart": "/capabilities/*",
                "file": True,
                "set": True,
                "version": True,
            }.items()
        ),
    ],
)
def test_an_annotation_without_effect_in_a_profile_is_refused(
    words: str, part: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(SchemaError, match=re.escape(words)):
        held_to(tmp_path, BASE, {"properties": {"activities": part}})


@rows(
    "part",
    [
        {"items": {"required": ["a"]}},
        {"items": False},
        {
            "items": {
                "additionalProperties": False,
                "properties": {"id": True, "name": True, "category": True},
            }
        },
        {"allOf": [{"$ref": "#/$defs/a"}]},
        {"deprecated": True, "x-manifestkit": {"help": "leave it out"}},
        {"x-manifestkit": {"starter": []}},
    ],
)
def test_an_annotation_with_something_below_it_is_none(
    part: dict[str, Any], tmp_path: Path
) -> None:
    whole = {"x-manifestkit": {"rule": "own"}, **part}
    defined = {"a": {"minItems": 1}}
    held_to(tmp_path, BASE, {"$defs": defined, "properties": {"activities": whole}})


@rows(
    "permissions",
    [
        {"items": {"enum": ["host.timr"]}},
        {"items": {"not": {"const": "host.timr"}}},
        {"items": {"not": {"enum": ["host.haptics", "host.timr"]}}},
        {"contains": {"const": "host.timr"}},
        {"not": {"contains": {"const": "host.timr"}}},
        {"if": {"contains": {"const": "host.timr"}}, "then": {"minItems": 2}},
        {"anyOf": [{"maxItems": 1}, {"contains": {"allOf": [{"const": "host.timr"}]}}]},
        {"items": {"anyOf": [{"const": "host.timr", "deprecated": True}, True]}},
    ],
)
def test_a_value_that_no_manifest_has_is_refused_wherever_a_condition_names_it(
    permissions: Any, tmp_path: Path
) -> None:
    known = json.loads(json.dumps(permissions).replace("host.timr", "host.timer"))
    outside = {"properties": {"permissions": permissions}}
    for profile in (outside, {"if": outside, "then": {"required": ["x-any"]}}, {"not": outside}):
        with pytest.raises(SchemaError, match=r"^[^ ]+p0.schema.json:[0-9]+:[0-9]+: `host.timr` "):
            held_to(tmp_path, BASE, profile)
    held_to(tmp_path, BASE, {"properties": {"permissions": known}})
    other = {"properties": {"x-own": {"title": "Own", **permissions}}}
    held_to(tmp_path, BASE, other)


_ITEM = ("activities", "items")


def at(schema: Any, *names: str) -> Any:
    """Return a profile with a schema for the values at a place."""
    for name in reversed(names):
        schema = {"items": schema} if name == "items" else {"properties": {name: schema}}
    return schema


def test_a_value_that_no_list_has_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match=r"\d:\d+: `5` is not a value of `permissions`"):
        held_to(tmp_path, BASE, at({"enum": [5]}, "permissions", "items"))


@rows(
    "profile",
    [
        at({"type": "number", "enum": [5.0]}, *_ITEM, "duration_minutes"),
        at({"type": ["string", "null"]}, "runtime", "sdk_version"),
        at({"anyOf": [{"type": "null"}, {"minLength": 1}]}, "runtime", "sdk_version"),
        at({"anyOf": [{"const": None}, {"minLength": 1}]}, "runtime", "sdk_version"),
        at({"type": "number", "const": 1, "title": "Count"}, "x-count"),
    ],
)
def test_a_value_or_a_type_that_a_manifest_may_have_is_allowed(
    profile: Any, tmp_path: Path
) -> None:
    assert not held_to(tmp_path, BASE, profile)


def test_only_the_first_items_are_of_the_type_in_prefix_items(tmp_path: Path) -> None:
    own = {"properties": {"a": {"prefixItems": [{"type": "string"}]}}}
    manifest_schema = written(tmp_path / "own.json", own)
    host = written(tmp_path / "host.json", at({"contains": {"const": 5}}, "a"))
    file = written(tmp_path / "manifest.json", {"a": ["x", 5]})
    assert not manifestkit.lint_paths(
        [file], Options(schema=manifest_schema, profiles=(host,))
    ).findings


def test_what_is_no_keyword_and_resembles_none_is_an_annotation(tmp_path: Path) -> None:
    members = ("requird", "propertes", "pattrn")
    profile = {
        "example": 1,
        "discriminator": {"propertyName": "a"},
        "enumDescriptions": [],
        "enumNames": [],
        "markdownDescription": "",
        "defaultSnippets": [],
        "patternErrorMessage": "",
        "desciption": "an annotation, misspelt",
        "x-requird": 1,
        "notes": "",
        "properties": {name: {"const": {name: 1}} for name in members},
        "patternProperties": {"^pattrn$": True},
        "$defs": dict.fromkeys(members, True),
        "dependentRequired": {name: [] for name in members},
        "default": dict.fromkeys(members, 1),
        "examples": [dict.fromkeys(members, 1)],
        "enum": [dict.fromkeys(members, 1), with_members()],
        "additionalItems": True,
        "dependencies": {},
    }
    assert not held_to(tmp_path, with_members(), profile)


@pytest.mark.parametrize("draft", ["draft-07", "draft/2020-12"])
def test_keywords_of_another_draft_that_require_nothing_are_annotations(
    draft: str, tmp_path: Path
) -> None:
    scheme = "https" if "/" in draft else "http"
    words = {"additionalItems": True, "dependencies": {}, "definitions": {}}
    more = {"if": True, "then": True, "else": True, "unevaluatedProperties": True}
    deep = {"unevaluatedItems": True, "dependentRequired": {}, "dependentSchemas": {}}
    said = {"contentMediaType": "a", "contentEncoding": "b", "contentSchema": {}, "readOnly": True}
    profile = {
        "$schema": f"{scheme}://json-schema.org/{draft}/schema",
        "type": "object",
        **words,
        **more,
        **deep,
        **said,
    }
    assert not held_to(tmp_path, BASE, profile)


@rows("what", ["bad regex", "remote", "to itself", "misspelt annotation"])
def test_the_command_exits_2_and_says_where(what: str, tmp_path: Path) -> None:
    text, line, column, words = _BROKEN[what]
    written(tmp_path / "manifest.json", BASE)
    written(tmp_path / "p.schema.json", text)
    outcome = manifest_here("lint", "manifest.json", "--profile", "p.schema.json", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert f"error: p.schema.json:{line}:{column}: " in outcome.err
    assert words in outcome.err


@rows(
    ("beside", "place", "words"),
    [
        ('{"pattern": "("}', "beside.schema.json:1:13: ", "regular expression"),
        ('{"type": "text"}', "beside.schema.json:1:10: ", "`text` is not a type"),
        ('{"a": }', "beside.schema.json:1:2: ", "no value"),
        ('{"x-manifestkit": {"rulle": "x"}}', "beside.schema.json:1:29: ", "rulle"),
        ('{"minLenght": 1}', "beside.schema.json:1:2: ", "did you mean `minLength`?"),
        ('{"$ref": "gone.schema.json"}', "beside.schema.json:1:10: ", "no such file"),
        ('{"$ref": "https://example.org/"}', "beside.schema.json:1:10: ", "network"),
        ('{"$ref": "#/nowhere"}', "beside.schema.json:1:10: ", "cannot be resolved"),
        ('{"$ref": "p0.schema.json"}', "", "refers to itself"),
        ('{"$ref": "#"}', "beside.schema.json:1:1: ", "refers to itself"),
        ('{"$ref": "other.schema.json"}', "", "refers to itself"),
    ],
)
def test_a_broken_file_beside_a_profile_is_told_with_its_own_place(
    beside: str, place: str, words: str, tmp_path: Path
) -> None:
    written(tmp_path / "beside.schema.json", beside)
    written(tmp_path / "other.schema.json", {"allOf": [{"$ref": "beside.schema.json"}]})
    with pytest.raises(SchemaError) as caught:
        held_to(tmp_path, BASE, {"$ref": "beside.schema.json"})
    assert place in str(caught.value)
    assert words in str(caught.value)


@rows(
    ("beside", "place"),
    [
        ({"dependencies": {"version": {"requird": ["a"]}}}, "1:31: `requird`"),
        ({"items": [{"requird": ["a"]}]}, "1:13: `requird`"),
        ({"prefixItems": [False]}, "1:2: `prefixItems` is not a keyword of draft 7"),
    ],
)
def test_a_file_without_a_draft_is_of_the_draft_of_its_profile(
    beside: Any, place: str, tmp_path: Path
) -> None:
    written(tmp_path / "beside.schema.json", json.dumps(beside))
    host = {"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "beside.schema.json"}
    with pytest.raises(SchemaError, match=f"beside.schema.json:{place}"):
        held_to(tmp_path, BASE, host)


def test_a_file_of_another_draft_is_judged_by_its_own(tmp_path: Path) -> None:
    old = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "dependencies": {"provider": ["permits"]},
        "properties": {"permissions": {"items": [{"const": 1}]}},
    }
    written(tmp_path / "beside.schema.json", old)
    value = with_members(permissions=["host.timer"])
    found = held_to(tmp_path, value, {"$ref": "beside.schema.json"})
    assert {each.rule for each in found} == {"schema-dependencies", "schema-const"}


@pytest.mark.parametrize(("place", "is_one"), [("$defs/p", True), ("x-shared/p", False)])
def test_a_reference_leads_to_a_schema_of_another_file(
    place: str, is_one: bool, tmp_path: Path
) -> None:
    name, _, part = place.partition("/")
    written(tmp_path / "beside.schema.json", {name: {part: {"minItems": 1}}, "minProperties": 1})
    host = {"properties": {"permissions": {"$ref": f"beside.schema.json#/{place}"}}}
    if is_one:
        (found,) = held_to(tmp_path, with_members(permissions=[]), host)
        assert found.rule == "schema-minItems"
    else:
        with pytest.raises(SchemaError, match=r"p0.schema.json:4:15: .*does not lead to a schema"):
            held_to(tmp_path, with_members(permissions=[]), host)


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    outside = written(tmp_path / "outside.schema.json", {"maxProperties": 1})
    folder.mkdir()
    (folder / "link.schema.json").symlink_to(outside)
    with pytest.raises(SchemaError, match="cannot be resolved"):
        held_to(folder, BASE, {"$ref": "link.schema.json"})


def test_a_file_with_an_id_may_be_referred_to_by_two_names(tmp_path: Path) -> None:
    written(tmp_path / "a.schema.json", {"$id": "urn:example:few", "maxProperties": 1})
    (tmp_path / "link.schema.json").symlink_to("a.schema.json")
    names = "a.schema.json", "a%2Eschema.json", "link.schema.json"
    found = held_to(tmp_path, BASE, {"allOf": [{"$ref": each} for each in names]})
    assert {each.rule for each in found} == {"schema-maxProperties"}


def test_a_missing_profile_is_told_by_its_name(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", BASE)
    outcome = manifest_here("lint", "manifest.json", "--profile", "gone.json", cwd=tmp_path)
    assert outcome.code == USAGE
    assert "gone.json: no such file" in outcome.err


def test_a_broken_profile_is_told_even_where_no_value_reaches_its_fault(tmp_path: Path) -> None:
    profile = {"properties": {"never": {"items": {"$ref": "#/$defs/gone"}}}}
    with pytest.raises(SchemaError, match="cannot be resolved"):
        held_to(tmp_path, BASE, profile)


@rows(
    ("profile", "told"),
    [
        ({"$schema": "http://json-schema.org/draft-04/schema#"}, ": http://json-schema.org"),
        (
            {"$schema": "https://example.org/draft"},
            ": https://example.org/draft is not a supported draft",
        ),
        ({"providers": {}, "calm": {}}, ":1:1: not a JSON Schema: it requires nothing"),
        ({"propreties": {}, "requried": ["x"]}, ":2:3: `propreties` is not a keyword; did you"),
    ],
)
def test_what_is_no_schema_of_a_known_draft_is_refused(
    profile: object, told: str, tmp_path: Path
) -> None:
    written(tmp_path / "manifest.json", BASE)
    written(tmp_path / "host.schema.json", profile)
    outcome = manifest_here("lint", "manifest.json", "--profile", "host.schema.json", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert "host.schema.json:" in outcome.err
    assert told in outcome.err


def test_all_that_is_wrong_in_a_profile_is_told_in_one_run(tmp_path: Path) -> None:
    written(
        tmp_path / "host.json",
        {
            "requird": ["author"],
            "x-manifestkit": {"severty": "error"},
            "properties": {
                "provider": {"type": "strng"},
                "activities": {"minItems": -1, "x-manifestkit": {"rule": "A B"}},
            },
        },
    )
    written(tmp_path / "manifest.json", BASE)
    outcome = manifest_here("lint", "manifest.json", "--profile", "host.json", cwd=tmp_path)
    assert outcome.code == USAGE
    told = outcome.err.splitlines()
    for part in ("`requird`", "`severty`", "`strng`", "-1", '`"A B"`'):
        assert sum(part in each for each in told) == 1
    assert len(told) == 5


def test_patterns_are_told_beside_what_is_misspelt(tmp_path: Path) -> None:
    written(
        tmp_path / "host.json", {"patern": "a", "pattern": "(", "propertyNames": {"pattern": "["}}
    )
    with pytest.raises(SchemaError) as caught:
        manifestkit.load_profile(tmp_path / "host.json")
    assert len(caught.value.problems) == 3


def test_the_errors_of_a_file_that_is_referred_to_are_told_together(tmp_path: Path) -> None:
    (tmp_path / "host.json").write_text('{"$ref": "r.json"}', "utf-8")
    (tmp_path / "r.json").write_text('{"max_items": 1, "requird": ["x"]}', "utf-8")
    with pytest.raises(SchemaError) as caught:
        manifestkit.load_profile(tmp_path / "host.json")
    (told,) = caught.value.problems
    assert "`maxItems`?; " in told
    assert "`required`?" in told
    assert "\n" not in told
