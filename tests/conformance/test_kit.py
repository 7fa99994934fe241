"""The conformance cases: complete, true to a second reading of the document, and sharp."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import manifestkit
from command import REPOSITORY
from rows import rows

KIT = REPOSITORY / "conformance"
PLAIN = (Path(__file__).parent / "plain.py").read_text("utf-8")
FILES = sorted((KIT / "cases").glob("*.json"))
CASES = [case for file in FILES for case in json.loads(file.read_text("ascii"))]
SCORED = sum(case["valid"] is not None for case in CASES)
KINDS = {
    "missing-field": "missing",
    "wrong-type": "type",
    "syntax-error": "syntax",
    "unknown-permission": "value",
    "unknown-capability": "value",
    "no-activities": "value",
    "unknown-member": "value",
}

Judge = Callable[[Any], Any]


def judge_of(source: str) -> Judge:
    """The function `errors` of a plain validator."""
    names: dict[str, Any] = {}
    exec(compile(source, "plain.py", "exec"), names)  # noqa: S102 - our own
    judge: Judge = names["errors"]
    return judge


def disagreements(judge: Judge) -> list[str]:
    """The cases in which a plain validator finds something else, or fails."""
    found = []
    for case in CASES:
        if case["valid"] is None:
            continue
        due = [(each["pointer"], each["kind"]) for each in case["errors"]]
        try:
            value = json.loads(case["text"]) if "text" in case else case["manifest"]
            if "text" in case:
                json.dumps(value, allow_nan=False)
            seen = list(judge(value))
        except ValueError:
            seen = [("", "syntax")]
        except (TypeError, KeyError, AttributeError, RecursionError):
            seen = [("", "crash")]
        if sorted(seen) != sorted(due):
            found.append(case["id"])
    return found


def test_the_script_writes_the_cases(tmp_path: Path) -> None:
    (tmp_path / "make.py").write_bytes((KIT / "make.py").read_bytes())
    (tmp_path / "cases").mkdir()
    subprocess.run([sys.executable, tmp_path / "make.py"], check=True)
    written = {each.name: each.read_text("ascii") for each in (tmp_path / "cases").iterdir()}
    assert written == {each.name: each.read_text("ascii") for each in FILES}


def test_each_file_is_as_its_schema_says() -> None:
    schema = json.loads((KIT / "case.schema.json").read_text("utf-8"))
    for file in FILES:
        jsonschema.validate(json.loads(file.read_text("ascii")), schema)
    assert len({case["id"] for case in CASES}) == len(CASES) >= 300


def test_a_second_reading_of_the_document_agrees() -> None:
    assert disagreements(judge_of(PLAIN)) == []


MUTANTS = [
    *((f'"{name}": (True, ', f'"{name}": (False, ') for name in ("schema_version", "provider")),
    *((f'"{name}": (True, ', f'"{name}": (False, ') for name in ("runtime", "activities")),
    *((f'"{name}": (True, ', f'"{name}": (False, ') for name in ("permissions", "capabilities")),
    ('"presentation": (False', '"presentation": (True'),
    ('"provider": {"id": (True', '"provider": {"id": (False'),
    ('"name": (True, "string"), "version"', '"name": (False, "string"), "version"'),
    ('"version": (True, "string")}', '"version": (False, "string")}'),
    ('"entrypoint": (True', '"entrypoint": (False'),
    ('"sdk_version": (True', '"sdk_version": (False'),
    ('{"thumbnail": (False', '{"thumbnail": (True'),
    ('    "id": (True, "string"),\n        "name"', '    "id": (False, "string"),\n        "name"'),
    ('"name": (True, "string"),\n        "cat', '"name": (False, "string"),\n        "cat'),
    *((f'"{name}": (False', f'"{name}": (True') for name in ("category", "duration_minutes")),
    ('        "thumbnail": (False', '        "thumbnail": (True'),
    ('"surfaces": (False', '"surfaces": (True'),
    ('"schema_version": (True, "string")', '"schema_version": (True, "integer")'),
    ('"duration_minutes": (False, "integer")', '"duration_minutes": (False, "string")'),
    ('"surfaces": (False, ["string"])', '"surfaces": (False, "string")'),
    ('(True, ["permission"])', '(True, ["string"])'),
    ('(True, ["capability"])', '(True, ["string"])'),
    ('(True, ["permission"])', '(True, ["capability"])'),
    ('(True, ["capability"])', '(True, ["permission"])'),
    ('["activity"] and not value', '["activity"] and len(value) > 1'),
    ('["activity"] and not value', '["activity"] and False'),
    ("for index, item in enumerate(value):", "for index, item in enumerate(value[:1]):"),
    ("for index, item in enumerate(value):", "for index, item in list(enumerate(value))[1:]:"),
    ("for index, item in enumerate(value):", "for index, item in enumerate(value, 1):"),
    ("for index, item in enumerate(value):", "for index, item in enumerate(value[:2]):"),
    ("name not in OBJECTS[kind]:", 'name not in OBJECTS[kind] and name[:2] != "__":'),
    ("or value != int(value)", "or value != int(value) or value > 2**53"),
    ("elif not isinstance(value, str):", 'elif not isinstance(value, str) or "://" in value:'),
    ("elif not isinstance(value, str):", 'elif not isinstance(value, str) or "\\\\" in value:'),
    ("value not in PERMISSION)", 'value.replace("\\u200b", "") not in PERMISSION)'),
    ("value not in CAPABILITY\n", 'value.rstrip("\\0") not in CAPABILITY\n'),
    ("if not isinstance(value, list):", "if value is None:"),
    ("if not isinstance(value, dict):", "if value is None:"),
    ('kind == "presentation" and name not', "name not"),
    ('kind == "presentation" and name not', 'kind == "runtime" and name not'),
    ("name not in OBJECTS[kind]:", 'name not in OBJECTS[kind] and name[:2] != "x-":'),
    ("name not in OBJECTS[kind]:", "name and name not in OBJECTS[kind]:"),
    ("isinstance(value, bool) or not", "not"),
    ("int | float) or value != int(value)", "int)"),
    ("or value != int(value)", ""),
    ("or value != int(value)", "or value != int(value) or value < 0"),
    ("or value != int(value)", "or value != int(value) or value == 0"),
    ("or value != int(value)", "or value != int(value) or value > 1440"),
    ("elif not isinstance(value, str):", "elif not isinstance(value, str) or not value:"),
    ("elif not isinstance(value, str):", "elif not isinstance(value, str) or len(value) > 255:"),
    ("elif not isinstance(value, str):", "elif not isinstance(value, str | int):"),
    ("elif not isinstance(value, str):", "elif isinstance(value, list | dict):"),
    ("value not in PERMISSION)", "value.strip() not in PERMISSION)"),
    ("value not in PERMISSION)", "value.lower() not in PERMISSION)"),
    ("value not in CAPABILITY\n", "value.lower() not in map(str.lower, CAPABILITY)\n"),
    ("value not in CAPABILITY\n", "not any(map(value.startswith, CAPABILITY))\n"),
    *((f'"{name}"', f'"{name}s"') for name in ("profile.basic", "context.goals", "host.timer")),
    *((f'"{name}"', f'"{name}s"') for name in ("activity.start", "host.timer.cancel")),
    ("for name in value:", "for name in map(str.lower, value):"),
]  # fmt: skip


@rows(("old", "new"), MUTANTS)
def test_a_validator_with_a_slip_disagrees(old: str, new: str) -> None:
    assert old in PLAIN
    assert disagreements(judge_of(PLAIN.replace(old, new, 1)))


def _place(finding: manifestkit.Finding) -> str:
    is_missing = finding.rule == "missing-field"
    return f"{finding.pointer}/{finding.property}" if is_missing else finding.pointer


def test_our_linter_finds_just_these_errors() -> None:
    for case in CASES:
        if case["valid"] is None:
            continue
        text = case["text"] if "text" in case else json.dumps(case["manifest"], indent=2)
        findings = manifestkit.lint(text, "manifest.json").findings
        found = [
            (_place(each), KINDS.get(each.rule))
            for each in findings
            if each.severity is manifestkit.Severity.ERROR
        ]
        if case["id"] == "empty-root":  # one finding for all missing members
            assert [(each.rule, each.covers) for each in findings] == [
                ("not-a-manifest", ("missing-field",))
            ]
            continue
        due = [(each["pointer"], each["kind"]) for each in case["errors"]]
        if due == [("", "syntax")]:  # of which there may be several
            found = [*{("", kind) for _, kind in found}]
        assert (case["id"], sorted(found, key=str)) == (case["id"], sorted(due))


@pytest.mark.slow
def test_the_runner_counts_and_names_what_a_validator_gets_wrong() -> None:
    run = [sys.executable, str(KIT / "run.py"), "--validator"]
    done = subprocess.run([*run, "true {file}"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "accepts no-provider: `provider` is required (section 2)" in done.stdout
    told = [*run, "false {file}", "--json"]
    shown = subprocess.run(told, capture_output=True, text=True, check=False)
    rows = {each["id"]: each["agrees"] for each in json.loads(shown.stdout)["cases"]}
    assert (rows["minimal"], rows["no-provider"], rows["deep"]) == (False, True, None)
    for killed in ("sh -c 'kill -9 $$' {file}", "sh -c 'exit 127' {file}"):
        gone = subprocess.run([*run, killed], capture_output=True, text=True, check=False)
        assert gone.returncode == 1
        assert gone.stdout.endswith(f"agrees with 0 of {SCORED}\n")
    for wrong in ("no-such-program {file}", "true"):
        gone = subprocess.run([*run, wrong], capture_output=True, text=True, check=False)
        assert (gone.returncode, gone.stdout) == (2, "")
        assert "Traceback" not in gone.stderr
