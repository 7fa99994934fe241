"""Change profiles: a host's own requirements of a change, told as about the manifest."""

from __future__ import annotations

import json
import random
import re
from contextlib import chdir
from pathlib import Path
from typing import Any

from changing import BASE
from command import CLEAN, EXAMPLES, FINDINGS, USAGE
from in_process import manifest_here
from manifestkit.findings.messages import KEYWORDS
from rows import rows
from samples import VALID

OLD: dict[str, Any] = {
    **BASE,
    "gone": 7,
    "list": [1, "1"],
    "number": 1,
    "object": {"a": 1, "b": {"c": "x"}},
    "text": "one, two",
}
NEW: dict[str, Any] = {
    **BASE,
    "permissions": ["host.timer"],
    "extra": {"deep": [None, 1.5, {"x": "y"}], "titel": "A"},
    "list": [1, 1, "a b", [True]],
    "number": 130,
    "object": {"a": "1", "c": None},
    "text": None,
}
BROKEN: dict[str, list[Any]] = {
    "additionalItems": [{"prefixItems": [True], "items": False}],
    "additionalProperties": [{"additionalProperties": False}],
    "anyOf": [{"anyOf": [{"type": "number", "maximum": 3}, {"required": ["z"]}]}],
    "const": [{"const": "x"}, {"const": {"a": [1]}}],
    "contains": [{"contains": {"const": "z"}}],
    "dependencies": [{"dependentRequired": {"a": ["z"], "kind": ["z"]}}],
    "dependentRequired": [{"dependentRequired": {"deep": ["z", "y"], "new": ["z"]}}],
    "enum": [{"enum": ["hots.timer", 131, None]}, {"enum": ["removed", "/permissions"]}],
    "exclusiveMaximum": [{"exclusiveMaximum": 1}],
    "exclusiveMinimum": [{"exclusiveMinimum": 130}],
    "false": [False, {"properties": {"new": False, "titel": False}}],
    "format": [{"format": "date"}, {"format": "uri"}],
    "items": [{"items": {"type": "object"}}, {"items": False}],
    "maxContains": [{"contains": True, "maxContains": 0}],
    "maxItems": [{"maxItems": 0}],
    "maxLength": [{"maxLength": 0}],
    "maxProperties": [{"maxProperties": 0}],
    "maximum": [{"maximum": 0.5}, {"maximum": 120}],
    "minContains": [{"contains": {"type": "null"}, "minContains": 3}],
    "minItems": [{"minItems": 9}],
    "minLength": [{"minLength": 99}],
    "minProperties": [{"minProperties": 99}],
    "minimum": [{"minimum": 1_000}],
    "multipleOf": [{"multipleOf": 7}],
    "not": [{"not": {}}, {"not": {"type": "string"}}],
    "oneOf": [{"oneOf": [{}, True]}, {"oneOf": [{"const": 1}, {"type": "array"}]}],
    "pattern": [{"pattern": "^z+$"}],
    "propertyNames": [{"propertyNames": {"pattern": "^z"}}, {"propertyNames": {"maxLength": 1}}],
    "required": [{"required": ["title", "z"]}, {"required": ["step"]}],
    "type": [{"type": each} for each in ("null", "boolean", "integer", "string", "array")],
    "unevaluatedItems": [{"unevaluatedItems": False}],
    "unevaluatedProperties": [{"unevaluatedProperties": False}],
    "uniqueItems": [{"uniqueItems": True}],
}
OF_A_CHANGE = ("kind", "field", "old", "new", "values", "item", "meaning", "change")
# A place of the change document, which nobody who writes a manifest knows.
IN_THE_DOCUMENT = re.compile(r"`(changes\[|version\.|findings\[|old\.errors)|the manifest\b")


def _anywhere(chance: random.Random, fragment: Any) -> dict[str, Any]:
    """Require something of a place of the change document."""
    name = chance.choice(OF_A_CHANGE)
    inside = {"properties": {chance.choice(["deep", "titel", "a", "b"]): fragment}}
    places: list[Any] = [
        {"changes": {"items": {"properties": {"new": fragment}}}},
        {"changes": {"items": {"properties": {name: fragment}}}},
        {"changes": {"items": {"properties": {"new": inside, "old": inside}}}},
        {"changes": {"items": {"properties": {"new": {"items": fragment}}}}},
        {"changes": {"items": fragment}},
        {"changes": fragment},
        {"version": fragment},
        {"version": {"properties": {chance.choice(["old", "new", "order"]): fragment}}},
        {"findings": {"items": {"properties": {chance.choice(["rule", "state"]): fragment}}}},
        {"findings": {"items": fragment}},
        {"old": {"properties": {"errors": fragment}}},
    ]
    if chance.random() < 0.1:
        return fragment if isinstance(fragment, dict) else {"properties": {"old": fragment}}
    return {"properties": chance.choice(places)}


def _found(
    folder: Path, profile: Any, old: Any = OLD, new: Any = NEW
) -> list[dict[str, Any]] | None:
    """What is found with a profile, of which nothing else depends on it."""
    for name, contents in (("old", old), ("new", new), ("profile", profile)):
        (folder / f"{name}.json").write_text(json.dumps(contents))
    with chdir(folder):
        outcome = manifest_here(
            *("diff", "old.json", "new.json", "--profile=profile.json", "--output-format=json")
        )
    if "error: profile.json:" in outcome.err:  # it asks for what no change document can be
        assert outcome.code == USAGE
        return None
    assert outcome.code in {CLEAN, FINDINGS}, (profile, outcome)
    found: list[dict[str, Any]] = json.loads(outcome.out)["findings"]
    return found


def test_every_keyword_is_broken_here() -> None:
    assert BROKEN.keys() == KEYWORDS


@rows("seed", range(200))
def test_any_change_profile_is_told_and_costs_no_other_finding(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    keywords = sorted(BROKEN)
    chosen = [keywords[seed % len(keywords)], chance.choice(keywords)]
    parts = [_anywhere(chance, chance.choice(BROKEN[each])) for each in chosen]
    found = _found(tmp_path, {"allOf": parts})
    if found is None:
        return
    assert "permission-added" in {each["rule"] for each in found}
    for each in found:
        if each["profile"]:
            said = f"{each['message']}; {each['help']}"
            assert not IN_THE_DOCUMENT.search(said), (parts, said)


def _told(folder: Path, requirement: Any, **members: Any) -> tuple[str, str, str | None]:
    """What is said, and where, of the one change that a profile does not allow."""
    profile = {"properties": {"changes": {"items": requirement}}}
    found = _found(folder, profile, BASE, {**BASE, **members}) or []
    (one,) = [each for each in found if each["profile"]]
    return one["pointer"], one["message"], one["help"]


@rows(
    ("members", "requirement", "told"),
    [
        (
            {"limit": 130},
            {"properties": {"new": {"maximum": 120}}},
            (
                "/limit",
                "`limit` is new: `130`, which the profile does not allow",
                "undo this, or ask the host to allow it",
            ),
        ),
        (
            {"about": {"limits": [{"most": 130}]}},
            {"properties": {"new": {"properties": {"limits": {"items": {"maxProperties": 0}}}}}},
            (
                "/about/limits/0",
                "`about.limits` is new: an array, which the profile does not allow",
                "undo this, or ask the host to allow it",
            ),
        ),
        (
            {"limit": 130},
            {"properties": {"kind": {"const": "removed"}}},
            (
                "/limit",
                "`limit` is new: `130`, which the profile does not allow",
                "undo this, or ask the host to allow it",
            ),
        ),
        (
            {"schema_version": "2.0"},
            {"properties": {"old": {"const": "0.9"}}},
            (
                "/schema_version",
                "`schema_version` changed from `1.0` to `2.0`, which the profile does not allow",
                "undo this, or ask the host to allow it",
            ),
        ),
    ],
    ids=["value", "deep in a value", "kind", "old value"],
)
def test_what_a_profile_requires_is_told_of_the_manifest(
    members: dict[str, Any],
    requirement: Any,
    told: tuple[str, str, str],
    tmp_path: Path,
) -> None:
    assert _told(tmp_path, requirement, **members) == told


def test_a_text_of_the_profile_is_shown_as_it_is(tmp_path: Path) -> None:
    annotation = {"message": "{path} may not be {value}", "help": "see the guide"}
    requirement = {"properties": {"new": {"maximum": 120, "x-manifestkit": annotation}}}
    said = ("/limit", "`limit` may not be `130`", "see the guide")
    assert _told(tmp_path, requirement, limit=130) == said


def test_a_profile_of_manifests_is_told_from_one_of_changes(tmp_path: Path) -> None:
    profile = EXAMPLES / "host" / "host.schema.yaml"
    for name in ("old.json", "new.json"):
        (tmp_path / name).write_bytes(VALID)
    outcome = manifest_here("diff", "old.json", "new.json", "--profile", str(profile), cwd=tmp_path)
    assert outcome.code == USAGE
    assert "belongs in a profile for `manifest lint`: use that there" in outcome.err
