"""Types for programs: `manifestkit.types`, and what `manifestkit.load` gives."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

import make_types
import manifestkit
from command import EXAMPLES, REPOSITORY, environment
from manifestkit.model.pointer import format_pointer
from manifestkit.types import ActivityProviderManifest
from manifests import VALID as VALID_MANIFESTS
from rows import rows
from samples import VALID

CASES = [
    case
    for file in sorted((REPOSITORY / "conformance" / "cases").glob("*.json"))
    for case in json.loads(file.read_text("ascii"))
    if "manifest" in case and case["valid"] is not None
]


def test_the_types_are_those_of_the_schema(regenerate: bool) -> None:
    if regenerate:
        make_types.MODULE.write_text(make_types.source(), "utf-8", newline="\n")
    assert make_types.MODULE.read_text("utf-8") == make_types.source(), "run `pytest --regenerate`"


def test_each_case_of_the_format_loads_as_it_is_judged() -> None:
    for case in CASES:
        loaded = manifestkit.load(json.dumps(case["manifest"]))
        assert (loaded.manifest is not None) is case["valid"], case["id"]
        assert loaded.value == case["manifest"]
        assert loaded.result.fails is not case["valid"], case["id"]


@rows("source", [b"", b"{", b"\xff\xfe{", b"[" * 100_000, "a: b", b"1e400"])
def test_nothing_is_raised_for_a_bad_manifest(source: bytes | str) -> None:
    loaded = manifestkit.load(source)
    assert loaded.manifest is None
    assert loaded.result.findings
    assert loaded.value in (None, "a: b")


@given(VALID_MANIFESTS, st.data())
def test_each_value_is_located(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value, indent=2)
    loaded = manifestkit.load(text)
    name = data.draw(st.sampled_from(sorted(value)))
    span = loaded.locate(format_pointer((name,))).span
    assert json.loads(text[span.start : span.end]) == value[name]


@rows("pointer", ["/activities/9", "/activities/x", "/schema_version/0", "/x"])
def test_a_place_that_is_not_there_is_a_key_error(pointer: str) -> None:
    with pytest.raises(KeyError):
        manifestkit.load(VALID).locate(pointer)


def test_a_profile_fails_what_the_format_allows() -> None:
    host = EXAMPLES / "profiles" / "host-catalogue.schema.json"
    loaded = manifestkit.load(VALID.replace(b'"1.4"', b'"2.0"'), profile=host)
    assert loaded.manifest is not None
    assert loaded.result.fails


def test_the_program_of_the_documentation_lists_permissions(tmp_path: Path) -> None:
    (tmp_path / "good.json").write_bytes(VALID)
    (tmp_path / "bad.json").write_bytes(b"{}")
    program = EXAMPLES / "program" / "consent.py"
    assert program.read_text("utf-8") in (REPOSITORY / "docs" / "library.md").read_text("utf-8")
    done = subprocess.run(
        [sys.executable, str(program), "good.json", "bad.json"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    shown = [line.split(": ", 1)[0] for line in done.stdout.splitlines()]
    wanted = len(json.loads(VALID)["permissions"])
    assert shown.count("bad.json") == 1
    assert len(shown) == wanted + 1


def test_the_types_name_each_member() -> None:
    schema = json.loads((REPOSITORY / "schemas/activity-provider-manifest.schema.json").read_text())
    assert set(get_type_hints(ActivityProviderManifest)) == set(schema["properties"])
    assert ActivityProviderManifest.__required_keys__ == set(schema["required"])
