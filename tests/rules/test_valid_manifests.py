"""Every valid manifest by section 2 exits 0 under default settings, whatever advice it gets."""

from __future__ import annotations

import copy
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import manifestkit
from command import CLEAN, manifest
from judging import BASE, SECTION_2, findings_of, with_members
from manifestkit import Severity
from rows import rows

PERMISSIONS: list[str] = SECTION_2["$defs"]["permission"]["enum"]
CAPABILITIES: list[str] = SECTION_2["$defs"]["capability"]["enum"]

# A text is any text: empty, blank, long, half of a surrogate pair, what looks like a number.
TEXT = st.one_of(
    st.sampled_from(["", " ", "\n", "v1", "1.0", "01.0", "\ud83d", "\u202e", "\x7f", "./a/b.js"]),
    st.text(st.characters(), max_size=8),
    st.text("\ud83d\udc00ab\x00\x1b\u2028", max_size=4),
)
INTEGER = st.one_of(
    st.integers(-(10**30), 10**30),
    st.sampled_from([0, -1, 30.0, -0.0, 1e300, -3e1]),
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | INTEGER | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
NEAR_MISSES = st.sampled_from(
    [
        *("$schema", "Schema_Version", "schemaVersion", "provider ", "permision", "capability"),
        *("presentaton", "activites", "nam", "ID", "versions", "entry_point", "sdkVersion"),
        *("categories", "catgory", "duration_minuts", "durationMinutes", "thumbnial", "surface"),
        *("", "~", "a/b", "-", "0", "__proto__", "\ud83d", "manifest_version", "start_url"),
    ]
)
EXTRA = st.dictionaries(NEAR_MISSES | TEXT, ANYTHING, max_size=3)


@st.composite
def an_object(
    draw: st.DrawFn, required: dict[str, Any], optional: dict[str, Any] | None = None
) -> dict[str, Any]:
    """An object with its members in any order, among others that the document does not know."""
    known = draw(st.fixed_dictionaries(required, optional=optional or {}))
    everything = required.keys() | (optional or {}).keys()
    others = {name: each for name, each in draw(EXTRA).items() if name not in everything}
    return dict(draw(st.permutations([*known.items(), *others.items()])))


ACTIVITY = an_object(
    {"id": TEXT, "name": TEXT},
    {
        "category": TEXT,
        "duration_minutes": INTEGER,
        "thumbnail": TEXT,
        "surfaces": st.lists(TEXT, max_size=4),
    },
)
VALID = an_object(
    {
        "schema_version": TEXT,
        "provider": an_object({"id": TEXT, "name": TEXT, "version": TEXT}),
        "runtime": an_object({"entrypoint": TEXT, "sdk_version": TEXT}),
        "activities": st.lists(ACTIVITY, min_size=1, max_size=4).map(
            lambda activities: [*activities, copy.deepcopy(activities[0])]
        ),
        "permissions": st.lists(st.sampled_from(PERMISSIONS), max_size=12),
        "capabilities": st.lists(st.sampled_from(CAPABILITIES), max_size=12),
    },
    {"presentation": st.fixed_dictionaries({}, optional={"thumbnail": TEXT})},
)


@pytest.mark.slow
@given(VALID, st.sampled_from([None, 0, "\t"]), st.booleans())
def test_a_valid_manifest_passes_whatever_advice_it_gets(
    value: Any,
    indent: Any,
    escaped: bool,
) -> None:
    """Section 7: "A manifest is invalid when it breaks a rule in section 2"."""
    try:
        text = json.dumps(value, indent=indent, ensure_ascii=escaped).encode()
    except UnicodeEncodeError:
        text = json.dumps(value, indent=indent).encode()
    result = manifestkit.lint(text, name="manifest.json")
    assert not result.fails
    assert [each for each in result.findings if each.severity is Severity.ERROR] == []


@settings(max_examples=4)
@given(st.lists(VALID, min_size=8, max_size=8))
def test_the_command_exits_0_for_valid_manifests(values: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        names = [f"{index}.json" for index in range(len(values))]
        for name, value in zip(names, values, strict=True):
            Path(folder, name).write_text(json.dumps(value), "utf-8")
        outcome = manifest("lint", *names, cwd=Path(folder))
        assert outcome.code == CLEAN, outcome.out


@rows(
    "rule",
    [
        "control-character",
        "duplicate-activity-id",
        "duplicate-item",
        "empty-text",
        "float-integer",
        "lone-surrogate",
        "misspelt-field",
        "non-positive-duration",
        "version-form",
    ],
)
def test_each_kind_of_advice_is_given_about_a_valid_manifest_and_fails_nothing(rule: str) -> None:
    twin = {
        **BASE["activities"][0],
        "duration_minutes": -3.0,
        "catgory": "\ud83d",
        "surfaces": ["\x1b"],
    }
    value = with_members(
        schema_version="v1", permissions=["host.timer"] * 2, activities=[twin, {**twin, "name": ""}]
    )
    found = findings_of(value)
    assert rule in {each.rule for each in found}
    assert Severity.ERROR not in {each.severity for each in found}


@pytest.mark.slow
@given(VALID)
def test_the_same_finding_is_never_told_twice(value: Any) -> None:
    found = findings_of(json.dumps(value))
    marks = [each.identity for each in found]
    told = [(each.rule, each.pointer, each.property, each.location) for each in found]
    assert len(set(marks)) == len(marks)
    assert len(set(told)) == len(told)
