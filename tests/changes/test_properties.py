"""What must be true of any two manifests; `tests/changes/many.py` tries more of them."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from changing import BASE, PERMISSIONS, changes_of, check_pair, compared, reordered
from command import EXAMPLES, GOLDEN
from manifestkit.changes.document import order_of
from rows import rows

VALID = sorted(file for folder in (EXAMPLES, GOLDEN) for file in (folder / "valid").iterdir())
READABLE = [
    *(file for file in VALID if file.suffix in {".json", ".yaml"}),
    *(
        file
        for folder in (EXAMPLES, GOLDEN)
        for file in sorted((folder / "broken").iterdir())
        if file.suffix in {".json", ".yaml"}
    ),
]


@given(st.integers(min_value=0))
def test_nothing_of_a_pair_is_missed_and_nothing_is_told_of_equals(seed: int) -> None:
    check_pair(seed)


@rows("file", READABLE, ids=lambda file: file.name)
def test_an_example_is_no_change_of_itself(file: Path) -> None:
    from manifestkit import UnreadableFileError  # noqa: PLC0415

    data = file.read_bytes().decode("utf-8", "surrogateescape")
    try:
        result = compared(data, data, file.name, file.name)
    except UnreadableFileError:
        assert file.parent.name == "broken"
        return
    assert result.changes == ()
    assert {each.rule for each in result.findings} <= {"old-is-invalid"}


@rows("file", [each for each in VALID if each.suffix == ".json"], ids=lambda file: file.name)
def test_syntax_format_and_order_are_no_change(file: Path) -> None:
    from command import manifest  # noqa: PLC0415

    text = file.read_text("utf-8")
    converted = manifest("convert", file, "--to", "yaml", cwd=file.parent)
    assert converted.code == 0, converted
    value = json.loads(text)
    for other, name in (
        (converted.out, "manifest.yaml"),
        (json.dumps(value), "manifest.json"),
        (json.dumps(value, indent=8, ensure_ascii=True), "manifest.json"),
        (json.dumps(reordered(value, random.Random(1))), "manifest.json"),
    ):
        assert compared(text, other, file.name, name).changes == ()
        assert compared(other, text, name, file.name).findings == ()


def test_a_renamed_id_with_the_same_name_is_one_finding() -> None:
    old = {**BASE, "activities": [{"id": "a", "name": "A", "duration_minutes": 0}]}
    new = copy.deepcopy(old)
    new["activities"][0]["id"] = "b"
    found = compared(old, new).findings
    assert [each.rule for each in found] == ["version-not-raised", "activity-id-renamed"]


def test_a_name_that_several_share_pairs_by_order() -> None:
    old = {**BASE, "activities": [{"id": "a", "name": "N"}, {"id": "b", "name": "N"}]}
    new = {**BASE, "activities": [{"id": "c", "name": "N"}, {"id": "b", "name": "N"}]}
    assert [(each.kind, each.old, each.new) for each in changes_of(old, new)] == [
        ("renamed", "a", "c")
    ]


@rows("spoilt", [None, "host.timer", {}, [1], [None, "host.timer"], "absent"])
def test_a_new_permission_is_told_whatever_stood_there(spoilt: Any) -> None:
    old = {**BASE, "permissions": spoilt}
    if spoilt == "absent":
        del old["permissions"]
    new = {**BASE, "permissions": PERMISSIONS}
    told = [each for each in compared(old, new).findings if each.rule == "permission-added"]
    listed = spoilt if isinstance(spoilt, list) else []
    assert len(told) == len([each for each in PERMISSIONS if each not in listed])


@rows("old", ["[]", '"x"', "null", "1"])
def test_a_manifest_in_place_of_another_value_is_all_new(old: str) -> None:
    new = json.dumps({**BASE, "permissions": ["host.timer"]})
    rules = [each.rule for each in compared(old, new).findings]
    assert "permission-added" in rules


@rows(
    ("old", "new", "order"),
    [
        ("1.0", "1.1", ("raised", "minor")),
        ("1.9", "1.10", ("raised", "minor")),
        ("2.0", "1.10", ("lowered", None)),
        ("1.0.0", "2.0.0", ("raised", "major")),
        ("1.0.0", "1.0.1", ("raised", "patch")),
        ("1.0.0-rc.1", "1.0.0", ("raised", "pre-release")),
        ("1.0.0", "1.0.0-rc.1", ("lowered", None)),
        ("1.0.0-alpha", "1.0.0-alpha.1", ("raised", "pre-release")),
        ("1.0.0-alpha.1", "1.0.0-alpha.beta", ("raised", "pre-release")),
        ("1.0.0-beta.2", "1.0.0-beta.11", ("raised", "pre-release")),
        ("1.0.0-beta.11", "1.0.0-rc.1", ("raised", "pre-release")),
        ("1.0.0+a", "1.0.0+b", ("equal", None)),
        ("2.1.0", "2.1.0+build.7", ("equal", None)),
        ("1.0", "1.0.0", ("incomparable", None)),
        ("v1.0", "v1.1", ("incomparable", None)),
        ("1.01", "1.02", ("incomparable", None)),
        ("", "1.0", ("incomparable", None)),
        ("x", "x", ("same", None)),
        (f"1.{'9' * 9_999}", f"2.{'9' * 9_999}", ("raised", "major")),
        (f"1.{'9' * 9_999}", f"1.1{'0' * 9_999}", ("raised", "minor")),
    ],
)
def test_versions_are_ordered_when_both_are_of_one_form(
    old: str, new: str, order: tuple[str, str | None]
) -> None:
    assert order_of(old, new) == order


VERSIONS = [
    f"{number}{suffix}"
    for number in ("1", "1.0", "2.1", "1.0.0", "2.1.0", "1.01", "v1")
    for suffix in ("", "-rc.1", "+a", "+build.7")
]


@rows("old", VERSIONS)
def test_what_is_told_of_two_versions_is_true(old: str) -> None:
    for new in VERSIONS:
        pair = [{**BASE, "provider": {**BASE["provider"], "version": each}} for each in (old, new)]
        found = compared(pair[0], {**pair[1], "more": True}).findings
        (told,) = [each.message for each in found if each.rule.startswith("version-")]
        assert ("still" in told) is (old == new)
        assert f"`{new}`" in told
        assert f"`{old}`" in told
        assert not [each for each in found if each.message.startswith("`provider.version` changed")]


@rows(
    ("one", "two", "same"),
    [
        (30, 30.0, True),
        (1, True, False),
        (0, False, False),
        (None, False, False),
        ([1, {"a": 1.0}], [1.0, {"a": 1}], True),
        ([1, {"a": True}], [1, {"a": 1}], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ([1, 2], [2, 1], False),
        ("1", 1, False),
    ],
)
def test_two_values_are_one_as_json_schema_says(one: Any, two: Any, same: bool) -> None:
    for old, new in ((one, two), (two, one)):
        old_manifest, new_manifest = ({**BASE, "x-value": each} for each in (old, new))
        assert (compared(old_manifest, new_manifest).changes == ()) is same
