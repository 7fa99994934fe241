"""Members that nobody has to read: told when asked for, and never an error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from command import CLEAN, FINDINGS
from in_process import manifest_here
from report_cases import GOOD
from rows import rows

_TURNED_ON = (
    "lint",
    "--severity=ignored-member=warning",
    "--output-format=json",
    "m.manifest.json",
)
PROFILE = {
    "properties": {"provider": {"properties": {"homepage": {"type": "string"}}}},
    "if": {"required": ["capabilities"]},
    "then": {"properties": {"policy": {"type": "string"}}},
}


def ignored(folder: Path, contents: dict[str, Any], *arguments: str) -> list[str]:
    """The pointers of what is told of a manifest with the rule turned on."""
    (folder / "m.manifest.json").write_text(json.dumps(contents))
    (folder / "host.schema.json").write_text(json.dumps(PROFILE))
    seen = manifest_here(*_TURNED_ON, *arguments, cwd=folder)
    assert seen.code == CLEAN
    found = json.loads(seen.out)["findings"]
    return [each["pointer"] for each in found if each["rule"] == "ignored-member"]


def test_it_is_told_when_it_is_asked_for(tmp_path: Path) -> None:
    provider = {**GOOD["provider"], "homepage": "https://example.org"}
    contents = {**GOOD, "provider": provider, "note": 1}
    assert ignored(tmp_path, contents) == ["/provider/homepage", "/note"]
    usual = manifest_here("lint", "m.manifest.json", cwd=tmp_path)
    assert (usual.code, usual.out) == (CLEAN, "")
    assert manifest_here(*_TURNED_ON, "--fail-on=warning", cwd=tmp_path).code == 1
    chosen = manifest_here(
        "lint", "--select", "ignored-member", "--fail-on=warning", ".", cwd=tmp_path
    )
    assert chosen.code == 1


def test_what_a_profile_describes_is_read(tmp_path: Path) -> None:
    provider = {**GOOD["provider"], "homepage": "a", "phone": "b"}
    contents = {**GOOD, "provider": provider, "policy": "c"}
    assert ignored(tmp_path, contents, "--profile", "host.schema.json") == ["/provider/phone"]


@rows("name", ["$schema", "$comment", "x-note", "x-"])
def test_names_for_others_are_left_alone(tmp_path: Path, name: str) -> None:
    assert ignored(tmp_path, {**GOOD, name: "any"}) == []


def test_a_misspelt_member_is_told_as_misspelt(tmp_path: Path) -> None:
    activity = {**GOOD["activities"][0], "duration_minuts": 5}
    assert ignored(tmp_path, {**GOOD, "activities": [activity]}) == []


def test_below_a_member_that_nobody_reads_nothing_more_is_told(tmp_path: Path) -> None:
    assert ignored(tmp_path, {**GOOD, "extra": {"a": {"b": 1}}}) == ["/extra"]


def test_set_refuses_what_nobody_reads(tmp_path: Path) -> None:
    (tmp_path / "m.manifest.json").write_text(json.dumps(GOOD))
    seen = manifest_here("set", "/activities/0/note", "5", cwd=tmp_path)
    assert seen.code == FINDINGS
    assert "not changed: the manifest format has no `note` here" in seen.err
    known = manifest_here("set", "/activities/0/duration_minutes", "5", cwd=tmp_path)
    assert "note:" not in known.err
