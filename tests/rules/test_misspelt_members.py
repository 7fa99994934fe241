"""A misspelt member is judged as the one that is meant: only its name differs in what is said."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import manifestkit
from command import manifest as in_a_process
from in_process import manifest_here
from judging import (
    BASE,
    NEEDS,
    by_schema,
    findings_of,
    held_to,
    lint,
    report_of,
    with_members,
    written,
)
from manifestkit import Finding, Options
from manifestkit.engine import Policy, lint_text
from manifestkit.schema.loading.load import load_schema
from manifests import breakages
from patches import patched
from test_valid_manifests import VALID

pytestmark = pytest.mark.slow

Tokens = tuple[str | int, ...]

_HOST = Policy(profiles=(load_schema(NEEDS),))

TWICE = ["host.timer", "host.timer"]
AGAIN = ["host.haptic", "host.haptic"]
ONE: dict[str, Any] = {"id": "one", "name": "One"}


def misspelt(manifest: Any, name: str, typo: str, owner: Tokens = ()) -> Any:
    """A manifest with another name for a member, in the same place."""
    changed = copy.deepcopy(manifest)
    holder = changed
    for token in owner:
        holder = holder[token]
    members = {typo if each == name else each: value for each, value in holder.items()}
    holder.clear()
    holder.update(members)
    return changed


def told(findings: tuple[Finding, ...]) -> set[tuple[str, str, str | None]]:
    return {(each.rule, each.pointer, each.property) for each in findings}


# -- duplicates ---------------------------------------------------------------------------------

REPEATING = [
    (with_members(permissions=TWICE, capabilities=AGAIN), "capabilities", "capabilitise"),
    (with_members(permissions=TWICE, capabilities=AGAIN), "permissions", "permisions"),
    (
        with_members(permissions=TWICE, activities=[{**ONE, "surfaces": ["tv", "tv"]}]),
        "activities",
        "activites",
    ),
    (with_members(permissions=[], capabilities=AGAIN), "capabilities", "capabilitise"),
    (with_members(activities=[{**ONE, "surfaces": ["tv", "tv"]}]), "activities", "activites"),
]


@pytest.mark.parametrize(("manifest", "name", "typo"), REPEATING, ids=str)
def test_duplicates_below_a_misspelt_member_are_told_with_both_places(
    manifest: Any, name: str, typo: str
) -> None:
    found = findings_of(misspelt(manifest, name, typo))
    right = {
        (each.pointer.replace(name, typo), each.related[0].pointer.replace(name, typo))
        for each in findings_of(manifest)
    }
    repeats = [each for each in found if each.rule == "duplicate-item"]
    assert {(each.pointer, each.related[0].pointer) for each in repeats} == right
    assert {each.rule for each in found} == {"duplicate-item", "missing-field"}


@pytest.mark.parametrize(("manifest", "name", "typo"), REPEATING, ids=str)
def test_no_command_crash_context_duplicates_below_a_misspelt_member(
    tmp_path: Path, manifest: Any, name: str, typo: str
) -> None:
    file = written(tmp_path / "manifest.json", misspelt(manifest, name, typo))
    other = written(tmp_path / "other.json", manifest)
    out = str(tmp_path / "preview.html")
    for arguments in (
        ["lint", str(file)],
        ["diff", str(other), str(file)],
        ["diff", str(file), str(file)],
        ["preview", str(file), "-o", out],
        ["lint", "--fix", str(file)],
    ):
        outcome = manifest_here(*arguments)
        assert outcome.code in (0, 1), (arguments, outcome.err)


def test_the_command_ends_with_its_findings(tmp_path: Path) -> None:
    manifest, name, typo = REPEATING[0]
    text = json.dumps(misspelt(manifest, name, typo))
    outcome = in_a_process("lint", "-", cwd=tmp_path, stdin=text.encode())
    assert (outcome.code, outcome.out.count("is listed twice")) == (1, 2)


# -- all that is said below -----------------------------------------------------------------------

BELOW = [
    ("activities", "activites", [ONE, {**ONE, "name": "Two"}], "duplicate-activity-id"),
    ("activities", "activites", [{**ONE, "name": ""}], "empty-text"),
    ("activities", "activites", [{**ONE, "duration_minutes": 5.0}], "float-integer"),
    ("activities", "activites", [{**ONE, "duration_minutes": 0}], "non-positive-duration"),
    ("activities", "activites", [{**ONE, "duration_minuts": 5}], "misspelt-field"),
    ("activities", "activites", [{**ONE, "name": "a\x1bb"}], "control-character"),
    ("activities", "activites", [], "no-activities"),
    ("permissions", "permisions", ["host.camera"], "unknown-permission"),
    ("runtime", "runtme", {"entrypoint": "a.js", "sdk_version": "v1"}, "version-form"),
    ("provider", "provder", {"id": "a", "name": "", "version": "1.0.0"}, "empty-text"),
]


@pytest.mark.parametrize(("name", "typo", "value", "rule"), BELOW, ids=str)
def test_each_rule_looks_below_a_misspelt_member(
    name: str, typo: str, value: Any, rule: str
) -> None:
    manifest = with_members(**{name: value})
    right = told(findings_of(manifest))
    assert rule in {each for each, _, _ in right}
    found = told(findings_of(misspelt(manifest, name, typo)))
    assert found == {
        ("missing-field", "", name),
        *((each, pointer.replace(name, typo), member) for each, pointer, member in right),
    }


def test_a_required_text_is_empty_under_a_misspelt_name_too() -> None:
    manifest = with_members(provider={"id": "a", "nmae": " ", "version": "1.0.0"})
    assert told(findings_of(manifest)) == {
        ("missing-field", "/provider", "name"),
        ("empty-text", "/provider/nmae", None),
    }


def test_a_file_named_below_a_misspelt_member_is_looked_for(tmp_path: Path) -> None:
    manifest = misspelt(BASE, "runtime", "runtme")
    options = Options(isolated=True, select=("missing-file",))
    found = report_of(tmp_path, manifest, options).findings
    assert [each.pointer for each in found] == ["/runtme/entrypoint"]


def test_a_member_below_a_misspelt_one_may_be_misspelt_too() -> None:
    right = with_members(activities=[{"ide": 7, "name": "One"}, {"id": "b", "nmae": ""}])
    found = findings_of(misspelt(right, "activities", "activites"))
    assert told(found) == {
        ("missing-field", "", "activities"),
        ("missing-field", "/activites/0", "id"),
        ("wrong-type", "/activites/0/ide", None),
        ("missing-field", "/activites/1", "name"),
        ("empty-text", "/activites/1/nmae", None),
    }
    assert {each.message for each in found if each.rule == "missing-field"} == {
        "the manifest has no `activities`; `activites` looks like a misspelling of it",
        "`activites[0]` has no `id`; `ide` looks like a misspelling of it",
        "`activites[1]` has no `name`; `nmae` looks like a misspelling of it",
    }


def test_two_lists_hold_each_others_values_though_one_is_misspelt() -> None:
    manifest = with_members(
        permissions=["host.timer.start", "host.haptic"], capabilities=["host.timer"]
    )
    found = findings_of(misspelt(manifest, "permissions", "permisions"))
    messages = [each.message for each in found if each.rule != "missing-field"]
    assert len(messages) == 1
    assert "permisions" in messages[0]
    assert "capabilities" in messages[0]


def test_a_member_that_only_a_profile_requires_is_missed_and_not_judged(tmp_path: Path) -> None:
    closed = {"properties": {"presentation": {"properties": {"thumbnail": {"minLength": 30}}}}}
    requiring = {"required": ["presentation"]}
    manifest = with_members(presentatoin={"thumbnail": "a.png", "banner": "b.png"})
    for profiles in ([closed, requiring], [requiring, closed]):
        found = told(held_to(tmp_path, manifest, *profiles))
        assert found == {
            ("missing-field", "", "presentation"),
            ("misspelt-field", "/presentatoin", None),
        }


def test_the_fix_of_a_need_adds_to_a_misspelt_list(tmp_path: Path) -> None:
    right = with_members(permissions=["host.haptics"], capabilities=["host.timer.start"])
    (expected,) = held_to(tmp_path, right, NEEDS)
    for name, typo in (("capabilities", "capabilites"), ("permissions", "permisions")):
        found = held_to(tmp_path, misspelt(right, name, typo), NEEDS)
        (finding,) = [each for each in found if each.rule == expected.rule]
        assert finding.pointer == expected.pointer.replace(name, typo)
        fixed = patched(misspelt(right, name, typo), finding.fixes[0].patch)
        assert fixed == misspelt(patched(right, expected.fixes[0].patch), name, typo)


def test_the_branches_of_an_error_name_the_member_as_it_is_written(tmp_path: Path) -> None:
    schema = {
        "type": "object",
        "required": ["sizes"],
        "properties": {
            "sizes": {
                "type": "array",
                "items": {"anyOf": [{"type": "number"}, {"type": "string", "minLength": 3}]},
            }
        },
    }
    found = by_schema(tmp_path, {"sizse": ["s"]}, schema)
    (finding,) = [each for each in found if each.rule == "schema-anyOf"]
    assert finding.pointer == "/sizse/0"
    assert finding.help is not None
    assert "`sizse[0]`" in finding.help
    assert "sizes" not in finding.help


# -- fixes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("manifest", "name", "typo"), REPEATING, ids=str)
def test_a_fix_renames_the_member_and_removes_the_duplicates(
    manifest: Any, name: str, typo: str
) -> None:
    fixed = manifestkit.fix(json.dumps(misspelt(manifest, name, typo)))
    assert (fixed.result.findings, fixed.refused) == ((), ())
    assert fixed.data == manifestkit.fix(json.dumps(manifest)).data


def test_a_member_is_renamed_though_there_is_advice_about_its_items() -> None:
    manifest = with_members(activities=[ONE, {**ONE, "name": ""}])
    fixed = manifestkit.fix(json.dumps(misspelt(manifest, "activities", "activites")))
    assert json.loads(fixed.data) == manifest
    assert fixed.refused == ()


# -- what stays of a place ----------------------------------------------------------------------

LATE = [
    {**ONE, "duration_minutes": "5 min"},
    {"id": "two", "name": "Two", "duration_minutes": "9 min"},
    {"ide": "three", "name": "Three", "duration_minutes": "9 min"},
]


def test_items_of_a_misspelt_list_are_known_by_their_identifiers(tmp_path: Path) -> None:
    manifest = with_members(activities=LATE)
    del manifest["capabilities"]
    file = written(tmp_path / "manifest.json", misspelt(manifest, "activities", "actviities"))
    assert lint("manifest.json", "--write-baseline", "baseline.json", cwd=tmp_path).code == 0
    manifest["activities"] = LATE[::-1]
    written(file, misspelt(manifest, "activities", "actviities"))
    again = lint("manifest.json", "--baseline", "baseline.json", cwd=tmp_path)
    assert (again.code, again.findings) == (0, [])


def test_a_suppression_names_an_item_of_a_misspelt_list_by_its_identifier(tmp_path: Path) -> None:
    manifest = with_members(activities=LATE[::-1])
    written(tmp_path / "manifest.json", misspelt(manifest, "activities", "actviities"))
    entries = "".join(
        f'[[suppress]]\nrule = "wrong-type"\npointer = "/actviities/{name}/duration_minutes"\n'
        'reason = "soon"\n'
        for name in ("one", "two", "three")
    )
    written(tmp_path / "manifestkit.toml", entries)
    found = lint("manifest.json", cwd=tmp_path).findings
    assert {each["rule"] for each in found} == {"missing-field"}


def test_a_comparison_knows_items_of_a_misspelt_list_by_their_identifiers() -> None:
    good = {"id": "two", "name": "Two"}
    old = misspelt(with_members(activities=[ONE, good]), "activities", "actviities")
    new = misspelt(with_members(activities=[good, LATE[0]]), "activities", "actviities")
    found = manifestkit.diff(json.dumps(old), json.dumps(new)).findings
    (finding,) = [each for each in found if each.pointer.endswith("duration_minutes")]
    assert finding.identity is not None
    assert finding.identity.pointer == "/actviities/one/duration_minutes"


def test_a_finding_below_a_misspelt_list_is_not_new_when_its_items_change_places() -> None:
    good = {"id": "two", "name": "Two"}
    old = misspelt(with_members(activities=[LATE[0], good]), "activities", "actviities")
    new = misspelt(with_members(activities=[good, LATE[0]]), "activities", "actviities")
    found = manifestkit.diff(json.dumps(old), json.dumps(new)).findings
    assert not [each for each in found if each.pointer.endswith("duration_minutes")]


# -- any manifest -------------------------------------------------------------------------------

MEMBERS = ("provider", "runtime", "activities", "permissions", "capabilities")


@st.composite
def a_typo(draw: st.DrawFn) -> tuple[str, str]:
    """A list or object that a manifest must have, and a slip of one key in its name."""
    name = draw(st.sampled_from(MEMBERS))
    at = draw(st.integers(0, len(name) - 2))
    slips = [
        name[:at] + name[at + 1 :],
        name[:at] + name[at + 1] + name[at] + name[at + 2 :],
        name[:at] + name[at] + name[at:],
        name[:at] + "q" + name[at + 1 :],
    ]
    return name, draw(st.sampled_from([each for each in slips if each != name]))


@st.composite
def a_manifest(draw: st.DrawFn) -> Any:
    """A valid manifest, or one with one fault."""
    value = draw(VALID)
    if draw(st.booleans()):
        faults = [each for each in breakages(value) if each.path]
        return draw(st.sampled_from(faults)).apply(value)
    return value


def as_meant(manifest: Any, finding: Finding, name: str, typo: str) -> Any:
    """All that a finding says, with the right name; its fixes by the manifest that they give."""

    def right(text: str | None) -> str | None:
        return text if text is None else text.replace(typo, name)

    text = json.dumps(manifest, indent=2)
    fixes = [
        (right(each.message), each.safety, misspelt(patched(manifest, each.patch), typo, name))
        for each in finding.fixes
        if each.patch
    ]
    identity = finding.identity
    assert identity is not None
    return (
        (finding.rule, finding.severity, finding.property, finding.clause, finding.suggestion),
        tuple(map(right, (finding.pointer, finding.message, finding.help, identity.pointer))),
        right(text[slice(*finding.location.span)]),
        [
            (right(each.message), right(each.pointer), right(text[slice(*each.location.span)]))
            for each in finding.related
        ],
        fixes,
    )


@given(a_manifest(), a_typo())
def test_of_a_misspelt_member_all_is_said_that_is_said_of_the_right_one(
    manifest: Any, case: tuple[str, str]
) -> None:
    name, typo = case
    assume(name in manifest and typo not in json.dumps(manifest, ensure_ascii=False))
    slip = misspelt(manifest, name, typo)
    found = lint_text(json.dumps(slip, indent=2), "manifest.json", policy=_HOST).findings
    about = [
        each
        for each in found
        if each.rule == "missing-field"
        and (each.pointer, each.property) == ("", name)
        and [one.pointer for one in each.related] == [f"/{typo}"]
    ]
    assume(about)
    told_of_slip = [as_meant(slip, each, name, typo) for each in found if each not in about]
    right = lint_text(json.dumps(manifest, indent=2), "manifest.json", policy=_HOST).findings
    told_of_right = [as_meant(manifest, each, name, typo) for each in right]
    assert sorted(told_of_slip, key=repr) == sorted(told_of_right, key=repr)
    fixed = [manifestkit.fix(json.dumps(each)) for each in (slip, manifest)]
    assert fixed[0].data == fixed[1].data
    for old in (manifest, slip):
        manifestkit.diff(json.dumps(old), json.dumps(slip))
