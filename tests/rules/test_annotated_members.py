"""The schema says which members are files and what identifies an item; names alone say nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import manifestkit
from command import CLEAN, USAGE
from in_process import manifest_here
from judging import BASE, with_activity, written
from manifestkit import Finding, Options
from rows import rows

SLUGS = {
    "properties": {
        "steps": {
            "items": {
                "title": "Step",
                "x-manifestkit": {"identifier": "slug"},
                "properties": {"slug": {"type": "string"}, "seconds": {"type": "integer"}},
            }
        },
        "manual": {"type": "string", "x-manifestkit": {"file": True}},
    }
}


def found(folder: Path, value: Any, schema: Any = None, *rules: str) -> list[Finding]:
    """What is found in a manifest by a schema: by some rules only, if they are named."""
    file = written(folder / "it.manifest.json", value)
    own = written(folder / "own.schema.json", schema) if schema is not None else None
    report = manifestkit.lint_paths([file], Options(schema=own, select=rules or None))
    return list(report.findings)


@rows(
    "members",
    [
        {"x": {"thumbnail": "images/gone.png"}},
        {"thumbnail": "images/gone.png"},
        {"entrypoint": "dist/gone.js"},
        {"provider": {**BASE["provider"], "entrypoint": "dist/gone.js"}},
        {"activities": [{"id": "a", "name": "A", "more": {"thumbnail": "images/gone.png"}}]},
    ],
    ids=json.dumps,
)
def test_a_member_of_that_name_elsewhere_is_no_file(tmp_path: Path, members: Any) -> None:
    written(tmp_path / "dist" / "index.js", "")
    assert found(tmp_path, {**BASE, **members}, None, "missing-file") == []


def test_every_file_that_the_format_has_is_looked_for(tmp_path: Path) -> None:
    value = with_activity(thumbnail="images/a.png")
    value["presentation"] = {"thumbnail": "images/p.png"}
    findings = found(tmp_path, value, None, "missing-file")
    assert {each.pointer for each in findings} == {
        "/activities/0/thumbnail",
        "/presentation/thumbnail",
        "/runtime/entrypoint",
    }


def test_a_schema_of_ones_own_says_which_members_are_files(tmp_path: Path) -> None:
    value = {"manual": "docs/manual.pdf", "entrypoint": "dist/gone.js"}
    (finding,) = found(tmp_path, value, SLUGS, "missing-file")
    assert finding.pointer == "/manual"


def test_a_schema_of_ones_own_says_what_identifies_an_item(tmp_path: Path) -> None:
    steps = [{"slug": "in"}, {"slug": "out"}, {"slug": "in"}]
    (finding,) = found(tmp_path, {"steps": steps, "activities": [{"id": "a"}] * 2}, SLUGS)
    assert finding.rule == "duplicate-activity-id"
    assert finding.pointer == "/steps/2/slug"
    assert {"step", "slug", '`"in"`'} <= set(finding.message.split())
    assert finding.help == "give each step its own slug"
    assert [each.pointer for each in finding.related] == ["/steps/0/slug"]


def test_a_fingerprint_goes_by_what_identifies_an_item(tmp_path: Path) -> None:
    steps = [{"slug": "in", "seconds": "x"}, {"slug": "out"}]
    before, after = (
        found(tmp_path, {"steps": each}, SLUGS, "wrong-type") for each in (steps, steps[::-1])
    )
    assert before[0].pointer != after[0].pointer
    assert before[0].identity == after[0].identity


def test_set_finds_an_item_by_what_identifies_it(tmp_path: Path) -> None:
    written(tmp_path / "own.schema.json", SLUGS)
    written(tmp_path / "manifestkit.toml", 'schema = "own.schema.json"\n')
    file = written(tmp_path / "it.manifest.json", {"steps": [{"slug": "in"}, {"slug": "out"}]})
    assert manifest_here("set", "/steps/out/seconds", "4", file.name, cwd=tmp_path).code == CLEAN
    assert json.loads(file.read_text())["steps"][1] == {"slug": "out", "seconds": 4}


@rows("notes", [{"file": "yes"}, {"identifier": 1}, {"identifer": "id"}])
def test_an_annotation_that_would_be_passed_over_is_refused(tmp_path: Path, notes: Any) -> None:
    written(tmp_path / "own.schema.json", {"x-manifestkit": notes, "type": "object"})
    written(tmp_path / "it.json", {})
    assert manifest_here("lint", "it.json", "--schema=own.schema.json", cwd=tmp_path).code == USAGE
