"""Schemas, configuration and ignore files that say what nobody expects: an error, never a crash."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

import manifestkit
from command import CLEAN, FINDINGS, USAGE, manifest
from in_process import manifest_here
from manifestkit.schema.packaged import base_schema

pytestmark = pytest.mark.slow

MINIMAL = base_schema().contents["examples"][0]
_OLD = "http://json-schema.org/draft-07/schema#"
_BEYOND_A_DOUBLE = 10**900

# What a profile may say that the engine behind it does not expect.
PROFILES: dict[str, object] = {
    "a list of values among which is an object": {"properties": {"a": {"enum": [{"b": 1}]}}},
    "meanings that are no list": {
        "properties": {"a": {"enum": [1], "markdownEnumDescriptions": 5}}
    },
    "an address that is none": {"$ref": "http://["},
    "a place that is none": {"allOf": [{"$ref": "#/allOf/x"}]},
    "a reference to what is no schema": {"$ref": "#/x", "x": None},
    "a reference to a broken schema": {
        "$ref": "#/$defs/a/const",
        "$defs": {"a": {"const": {"type": 5}}},
    },
    "words of another draft": {"$schema": _OLD, "prefixItems": 5, "properties": {}},
    "demands that are nested too deep": json.loads('{"not":' * 150 + "{}" + "}" * 150),
}


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
@pytest.mark.parametrize("option", ["--profile", "--schema"])
def test_a_schema_of_any_content_is_used_or_refused(
    profile: object, option: str, tmp_path: Path
) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(MINIMAL), "utf-8")
    (tmp_path / "host.json").write_text(json.dumps(profile), "utf-8")
    outcome = manifest("lint", "manifest.json", option, "host.json", cwd=tmp_path)
    assert outcome.code == CLEAN or (outcome.code == USAGE and "host.json" in outcome.err)


def test_items_one_by_one_are_judged_by_an_older_draft(tmp_path: Path) -> None:
    file = tmp_path / "host.json"
    items = {"type": "array", "items": [False, {"type": "string"}]}
    file.write_text(json.dumps({"$schema": _OLD, "properties": {"l": items}}), "utf-8")
    named = tmp_path / "manifest.json"
    named.write_text(json.dumps({**MINIMAL, "l": [1, 2]}), "utf-8")
    report = manifestkit.lint_paths([named], manifestkit.Options(profiles=(file,)))
    assert {(each.rule, each.pointer) for each in report.findings} >= {("wrong-type", "/l/1")}


@pytest.mark.parametrize(
    ("number", "divisor", "is_multiple"),
    [
        (0.3, 0.1, True),
        (19.99, 0.01, True),
        (0.35, 0.1, False),
        (_BEYOND_A_DOUBLE, 0.1, True),
        (_BEYOND_A_DOUBLE, 3, False),
        (1e300, 1e-300, True),
        (1.5, 5e-324, True),
    ],
)
def test_numbers_are_divided_as_they_are_written(
    number: float, divisor: float, is_multiple: bool, tmp_path: Path
) -> None:
    contents = {"properties": {"serial": {"multipleOf": divisor}}}
    (tmp_path / "host.json").write_text(json.dumps(contents), "utf-8")
    for more in ({}, {"permissions": "none"}):  # judged by either engine
        named = tmp_path / "manifest.json"
        named.write_text(json.dumps({**MINIMAL, **more, "serial": number}), "utf-8")
        options = manifestkit.Options(profiles=(tmp_path / "host.json",))
        findings = manifestkit.lint_paths([named], options).findings
        assert ("/serial" in {each.pointer for each in findings}) != is_multiple


CONFIGURATIONS = {
    "a date for a file": "schema = 2026-11-20",
    "a date in a list": "profile = [2026-11-20]",
    "a file name with a zero": 'schema = "\\u0000"',
    "a day that is none": '[[suppress]]\nrule = "wrong-type"\nreason = "x"\nexpires = "0000-01-01"',
    "a pattern that is none": '[[suppress]]\nrule = "wrong-type"\nreason = "x"\npath = "[z-a]"',
    "a lone exclamation mark": 'exclude = ["!"]',
    "a number of 5,000 digits": "x = " + "9" * 5000,
    "arrays too deep": "x = " + "[" * 5000 + "]" * 5000,
}


@pytest.mark.parametrize("text", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_a_configuration_of_any_content_is_refused_by_its_name(text: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(MINIMAL), "utf-8")
    (tmp_path / "manifestkit.toml").write_text(text, "utf-8")
    outcome = manifest("lint", "manifest.json", cwd=tmp_path)
    assert outcome.code == USAGE
    assert outcome.err.startswith("error: ")


def test_lines_of_a_gitignore_that_are_no_patterns_are_passed_over(tmp_path: Path) -> None:
    for folder in ("kept", "left"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "manifest.json").write_text(json.dumps(MINIMAL), "utf-8")
    (tmp_path / ".gitignore").write_text("!\n[z-a]\n\\\nleft/\n", "utf-8")
    outcome = manifest("lint", "--show-files", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (CLEAN, "kept/manifest.json\n")


@pytest.mark.parametrize(
    "line", ["[:" * 120_000, "*a" * 120_000, "**/a/" * 50_000, " " * 240_000 + "a"]
)
def test_a_long_line_of_a_gitignore_is_soon_read(line: str, tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text(line, "utf-8")
    (tmp_path / "manifest.json").write_text(json.dumps(MINIMAL), "utf-8")
    # 120 s where each bracket is looked for its end: `manifest` waits for 60
    assert manifest("lint", "--show-files", cwd=tmp_path).out == "manifest.json\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes with names are a thing of POSIX")
def test_a_gitignore_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(MINIMAL), "utf-8")
    os.mkfifo(tmp_path / ".gitignore")
    assert manifest("lint", cwd=tmp_path).code == CLEAN


def test_a_folder_is_no_profile(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(MINIMAL), "utf-8")
    for option in ("--profile", "--schema", "--config", "--baseline"):
        outcome = manifest("lint", "manifest.json", option, ".", cwd=tmp_path)
        assert outcome.code == USAGE
        assert "is a folder" in outcome.err


def test_what_a_run_reads_is_never_written_over(tmp_path: Path) -> None:
    texts = {"manifest.json": json.dumps(MINIMAL), "host.json": "{}", "manifestkit.toml": ""}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    for name in texts:
        for option in (f"--output-format=json={name}", f"--write-baseline={name}"):
            outcome = manifest("lint", "--profile=host.json", option, cwd=tmp_path)
            assert outcome.code == USAGE, (option, outcome)
    assert {name: (tmp_path / name).read_text("utf-8") for name in texts} == texts


def test_a_file_name_too_long_for_the_system_is_a_file_that_is_missing(tmp_path: Path) -> None:
    named = {**MINIMAL, "runtime": {"entrypoint": "./" + "a" * 5000, "sdk_version": "1.0"}}
    (tmp_path / "manifest.json").write_text(json.dumps(named), "utf-8")
    outcome = manifest("lint", "--severity=missing-file=error", cwd=tmp_path)
    assert outcome.code == FINDINGS
    assert "missing-file" in outcome.out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the device is Linux's")
def test_an_error_that_cannot_be_told_keeps_its_code(tmp_path: Path) -> None:
    quietly = ("sh", "-c", 'exec "$@" 2>/dev/full', "sh")
    assert manifest("lint", "gone.json", cwd=tmp_path, by=quietly).code == USAGE


@pytest.mark.parametrize(
    "pattern", ["*a" * 30 + "b", "*?" * 30 + "!", "*[!b]" * 30 + "!", "**/a/" * 30 + "b"]
)
@pytest.mark.parametrize("where", [".gitignore", "exclude", "path"])
def test_a_pattern_that_backtracks_is_soon_over(
    where: str, pattern: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path.joinpath(*["a"] * 60)
    folder.mkdir(parents=True)
    for file in (folder / "manifest.json", tmp_path / f"{'a' * 200}.manifest.json"):
        file.write_text(json.dumps(MINIMAL), "utf-8")
    texts = {
        "exclude": f'exclude = ["{pattern}"]',
        "path": f'[[suppress]]\nrule = "wrong-type"\nreason = "x"\npath = "{pattern}"',
    }
    Path("manifestkit.toml").write_text(texts.get(where, ""), "utf-8")
    Path(".gitignore").write_text(pattern if where == ".gitignore" else "", "utf-8")
    outcome = manifest_here("lint")
    assert (outcome.code, outcome.err[:16]) == (CLEAN, "2 files checked:")


def test_a_configuration_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("manifest.json").write_text(json.dumps(MINIMAL), "utf-8")
    Path("manifestkit.toml").write_text("#" * 10_000_000, "utf-8")
    outcome = manifest_here("lint")
    assert outcome.code == USAGE
    assert outcome.err == "error: configuration manifestkit.toml: is larger than 131,072 bytes\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "ignore = [\n[" + " " * 120_000 + "\n]]\n",
            "1: `ignore[0]` ",
        ),
        ("isolated = 1\na" + ' . "b"' * 15_000 + " = 1", " a key with more than 100 parts"),
        ("[" + "a." * 60_000 + "a]", " a key with more than 100 parts"),
    ],
)
def test_a_hostile_configuration_is_refused_at_once(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(MINIMAL), "utf-8")
    (tmp_path / "manifestkit.toml").write_text(text, "utf-8")
    outcome = manifest("lint", cwd=tmp_path)
    assert outcome.code == USAGE
    (line,) = outcome.err.splitlines()
    assert line.startswith(f"error: manifestkit.toml:{said}")
    assert len(line) < 200


def test_a_suppression_with_many_wildcards_takes_no_time(tmp_path: Path) -> None:
    pointer = "/presentation/" + "*a" * 40
    for name in ("a" * 3_000, "a" * 3_000 + "b"):
        named = {**MINIMAL, "presentation": {name: 1}}
        (tmp_path / "manifest.json").write_text(json.dumps(named), "utf-8")
        (tmp_path / "manifestkit.toml").write_text(
            f'[[suppress]]\nrule = "unknown-member"\npointer = "{pointer}"\nreason = "x"\n'
        )
        outcome = manifest("lint", "--output-format=concise", cwd=tmp_path)
        assert ("unknown-member `presentation`" in outcome.out) is name.endswith("b")
