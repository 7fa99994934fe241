"""The JSON form, version 1, is what `lint-report.schema.json` says it is."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from command import FINDINGS, GOLDEN, REPOSITORY, USAGE
from in_process import manifest_here
from rows import rows

_SCHEMA_FILE = REPOSITORY / "schemas" / "lint-report.schema.json"
SCHEMA: dict[str, Any] = json.loads(_SCHEMA_FILE.read_text("utf-8"))
_VALIDATOR = Draft202012Validator(SCHEMA)

_FINDING = {
    "path": "a/manifest.json",
    "rule": "unknown-permission",
    "severity": "error",
    "message": "...",
    "pointer": "/permissions/1",
    "property": None,
    "line": 12,
    "column": 5,
    "end_line": 12,
    "end_column": 18,
    "related": [
        {
            "message": "...",
            "pointer": "/a~1b",
            "line": 3,
            "column": 3,
            "end_line": 3,
            "end_column": 9,
        }
    ],
    "fixes": [
        {
            "message": "...",
            "safety": "safe",
            "edits": [{"start": 210, "end": 223, "text": '"host.haptics"'}],
            "patch": [{"op": "replace", "path": "/permissions/1", "value": "host.haptics"}],
        }
    ],
    "suggestion": "host.haptics",
    "help": "...",
    "clause": "manifest format, section 2, permissions",
    "profile": None,
    "url": None,
}
REPORT: dict[str, Any] = {
    "version": 1,
    "findings": [_FINDING],
    "errors": [{"path": "gone.json", "message": "no such file"}],
    "summary": {
        "files": 3,
        "errors": 1,
        "warnings": 0,
        "info": 0,
        "suppressed": 0,
        "skipped": 0,
    },
}
"""The form as it was promised, with every member there is."""


def report_on(*arguments: str | Path, cwd: Path, code: int, stdin: bytes = b"") -> Any:
    """The JSON report of a run, held to its schema."""
    outcome = manifest_here("lint", "--output-format", "json", *arguments, cwd=cwd, stdin=stdin)
    assert outcome.code == code, outcome
    report = json.loads(outcome.out)
    _VALIDATOR.validate(report)
    return report


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$id"] == "urn:manifestkit:lint-report"


def test_the_form_as_promised_is_valid() -> None:
    _VALIDATOR.validate(REPORT)


def _objects(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The paths of the objects of the form; the free value of a patch is none of them."""
    if isinstance(value, dict):
        inner = [found for name, each in value.items() for found in _objects(each, (*path, name))]
        return [path, *inner]
    if isinstance(value, list):
        return [found for at, each in enumerate(value) for found in _objects(each, (*path, at))]
    return []


def _at(report: Any, path: tuple[str | int, ...]) -> Any:
    for token in path:
        report = report[token]
    return report


@rows("path", _objects(REPORT), ids=str)
def test_each_object_is_closed_and_each_member_due(path: tuple[str | int, ...]) -> None:
    more = copy.deepcopy(REPORT)
    _at(more, path)["extra"] = 1
    assert not _VALIDATOR.is_valid(more)
    for name in _at(REPORT, path):
        if name == "value":  # `remove` has none
            continue
        less = copy.deepcopy(REPORT)
        del _at(less, path)[name]
        assert not _VALIDATOR.is_valid(less), name


def test_everything_in_the_schema_has_a_title_and_a_description() -> None:
    todo = [SCHEMA]
    while todo:
        schema = todo.pop()
        inner = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
        todo += inner
        if set(schema) != {"$ref"}:
            assert schema.get("title"), schema
            assert schema.get("description"), schema


@pytest.mark.parametrize("folder", ["valid", "broken"])
def test_the_report_on_all_examples_is_valid(folder: str) -> None:
    files = sorted(
        file for file in (GOLDEN / folder).iterdir() if file.suffix in {".json", ".yaml"}
    )
    broken = len(files) if folder == "broken" else 0
    report = report_on(folder, cwd=GOLDEN, code=FINDINGS if broken else 0)
    assert report["summary"] == {**_NOTHING, "files": len(files), "errors": broken}
    assert {each["path"] for each in report["findings"]} == {
        f"{folder}/{file.name}" for file in files if broken
    }


_NOTHING = dict.fromkeys(REPORT["summary"], 0)


def test_nothing_to_say_is_a_whole_document_too(tmp_path: Path) -> None:
    report = report_on(".", cwd=tmp_path, code=USAGE)
    (error,) = report.pop("errors")
    assert (error["path"], error["message"][:17]) == (".", "no manifest found")
    assert report == {"version": 1, "findings": [], "summary": _NOTHING}


def test_an_unreadable_file_stands_among_the_errors(tmp_path: Path) -> None:
    report = report_on("gone.json", cwd=tmp_path, code=USAGE)
    assert report["errors"] == [{"path": "gone.json", "message": "no such file"}]


def test_offsets_count_a_byte_order_mark_and_code_points(tmp_path: Path) -> None:
    text = '\ufeff{"\U0001f600": 1,}'
    report = report_on("-", cwd=tmp_path, code=FINDINGS, stdin=text.encode())
    (finding,) = report["findings"]
    assert (finding["path"], finding["line"], finding["column"]) == ("<stdin>", 1, 8)
    (edit,) = finding["fixes"][0]["edits"]
    assert edit == {"start": 8, "end": 9, "text": ""}
    assert text[8] == ","


def test_a_missing_field_names_its_property(tmp_path: Path) -> None:
    report = report_on("-", cwd=tmp_path, code=FINDINGS, stdin=b'{"schema_version": "1.0"}')
    assert [each["property"] for each in report["findings"]] == [
        "provider",
        "runtime",
        "activities",
        "permissions",
        "capabilities",
    ]


def test_the_document_is_ascii_whatever_the_manifest_says(tmp_path: Path) -> None:
    hostile = '{"\x7f\x9b\u202e\u2028坐": 1, "\x7f\x9b\u202e\u2028坐": "\\ud83d"}'
    outcome = manifest_here(
        "lint", "-", "--output-format=json", cwd=tmp_path, stdin=hostile.encode()
    )
    assert outcome.out.isascii()
    assert outcome.out.replace("\n", "").isprintable()
