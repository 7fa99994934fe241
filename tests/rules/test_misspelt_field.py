"""A misspelt member that is required: its fix renames it, and what is in it is fixed then."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import manifestkit
from in_process import manifest_here
from judging import (
    NEEDS,
    held_to,
    with_members,
    written,
)
from manifestkit import Finding
from manifestkit.config.policy import Policy
from manifestkit.schema.loading.load import load_schema
from manifests import breakages
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
def test_no_command_crashes_at_duplicates_in_a_misspelt_member(
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


@given(a_manifest(), a_typo())
def test_with_its_name_a_member_is_fixed_as_if_it_had_never_been_misspelt(
    manifest: Any, case: tuple[str, str]
) -> None:
    name, typo = case
    text = json.dumps(misspelt(manifest, name, typo))
    renames = [
        fix
        for each in manifestkit.lint(text).findings
        if each.property == name and each.pointer == ""
        for fix in each.fixes
        if fix.safety == "safe"
    ]
    assume(renames)
    assert manifestkit.fix(text).data == manifestkit.fix(json.dumps(manifest)).data
