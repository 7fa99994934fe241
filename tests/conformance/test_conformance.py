"""A manifest is invalid exactly when it breaks section 2 of the manifest document."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import manifestkit
from command import EXAMPLES
from manifestkit.model.pointer import format_pointer
from manifests import CAPABILITIES, PERMISSIONS, SCHEMA, SECTION_2, VALID, Breakage, breakages
from rows import rows

_MINIMAL = json.loads((EXAMPLES / "valid" / "minimal.activity-provider.json").read_text("utf-8"))
_COMPLETE: dict[str, Any] = {
    **_MINIMAL,
    "presentation": {"thumbnail": "a.png"},
    "activities": [
        *_MINIMAL["activities"],
        {
            "id": "b",
            "name": "B",
            "category": "c",
            "duration_minutes": 3,
            "thumbnail": "b.png",
            "surfaces": ["phone", "tv"],
        },
    ],
    "permissions": list(PERMISSIONS),
    "capabilities": list(CAPABILITIES),
}

Told = list[tuple[str, str, str | None]]


def errors(manifest: Any) -> Told:
    """What is told as an error. Advice may speak about a valid manifest; an error may not."""
    result = manifestkit.lint(json.dumps(manifest), name="manifest.json")
    return [
        (each.rule, each.pointer, each.property)
        for each in result.findings
        if each.severity is manifestkit.Severity.ERROR
    ]


def due(breakage: Breakage) -> tuple[str, str, str | None]:
    return breakage.rule, format_pointer(breakage.pointer), breakage.property


@given(VALID)
def test_whatever_the_schema_allows_is_clean(manifest: Any) -> None:
    assert errors(manifest) == []


def _ways_to_break(manifest: Any) -> st.SearchStrategy[tuple[Any, Breakage]]:
    ways = list(breakages(manifest))
    return st.sampled_from(ways).map(lambda breakage: (manifest, breakage))


@given(VALID.flatmap(_ways_to_break))
def test_each_breakage_gives_its_finding_and_nothing_else(case: tuple[Any, Breakage]) -> None:
    """Section 7: "missing required field, wrong type, value outside an allowed list, empty
    activities array, unknown member in presentation"."""
    manifest, breakage = case
    assert errors(breakage.apply(manifest)) == [due(breakage)]


@rows(
    "breakage",
    list(breakages(_COMPLETE)),
    ids=lambda each: f"{each.clause} at {format_pointer(each.path)} {json.dumps(each.value)}",
)
def test_a_complete_manifest_broken_in_one_way_gives_one_finding(breakage: Breakage) -> None:
    assert errors(breakage.apply(_COMPLETE)) == [due(breakage)]


@st.composite
def _broken_in_several_places(draw: st.DrawFn) -> tuple[Any, list[Breakage]]:
    manifest = draw(VALID)
    ways = list(breakages(manifest))
    chosen: list[Breakage] = []
    for way in draw(st.lists(st.sampled_from(ways), min_size=2, max_size=5)):
        if not any(_overlap(way, each) for each in chosen):
            chosen.append(way)
    for way in chosen:
        manifest = way.apply(manifest)
    return manifest, chosen


def _overlap(one: Breakage, other: Breakage) -> bool:
    """Whether one change is made inside what the other changes."""
    shorter = min(len(one.path), len(other.path))
    return one.path[:shorter] == other.path[:shorter]


@given(_broken_in_several_places())
def test_several_breakages_are_told_in_one_run(case: tuple[Any, list[Breakage]]) -> None:
    manifest, chosen = case
    assert sorted(errors(manifest), key=str) == sorted(map(due, chosen), key=str)


def test_every_member_that_an_object_lacks_is_told() -> None:
    first, *others = SECTION_2.required
    told = errors({first: "1.0"})
    assert told == [("missing-field", "", name) for name in others]


def test_the_schema_names_the_permissions_and_capabilities_of_the_document() -> None:
    assert SCHEMA["$defs"]["permission"]["enum"] == list(PERMISSIONS)
    assert SCHEMA["$defs"]["capability"]["enum"] == list(CAPABILITIES)


@rows(
    "change",
    [
        {"$schema": "x"},
        {"schema_version": ""},
        {"permissions": ["host.timer", "host.timer"]},
        {"activities": [{"id": "", "name": " ", "duration_minutes": -3}]},
        {"activities": [{"id": "a", "name": "a", "duration_minutes": 30.0}]},
        {"activities": [{"id": "a", "name": "a"}, {"id": "a", "name": "a", "unknown": None}]},
        {"presentation": {}},
    ],
    ids=str,
)
def test_what_the_document_does_not_forbid_is_no_error(change: dict[str, Any]) -> None:
    assert errors({**_MINIMAL, **change}) == []


def test_a_permission_that_is_no_string_is_told_once() -> None:
    assert errors({**_MINIMAL, "permissions": [5]}) == [("wrong-type", "/permissions/0", None)]
