"""YAML as a first-class citizen: what people write, and what they are told (design/yaml.md)."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import manifestkit
from command import CLEAN, EXAMPLES, FINDINGS, MANIFEST, USAGE, environment, manifest
from in_process import manifest_here
from manifestkit import Finding
from manifestkit.decode import decode
from patches import edited
from rows import rows

GOOD = (EXAMPLES / "valid" / "minimal.activity-provider.yaml").read_text("utf-8")


def with_line(line: str) -> str:
    """A good manifest with another member at its end."""
    return f"{GOOD.rstrip()}\n{line}\n"


def with_version(written: str) -> str:
    """A good manifest with the provider's version written so."""
    text, count = re.subn(r"(?m)^(\s+)version:.*$", lambda m: f"{m[1]}version: {written}", GOOD)
    assert count == 1
    return text


def said(text: str) -> tuple[Finding, ...]:
    findings = manifestkit.lint(text, "manifest.yaml").findings
    return tuple(each for each in findings if each.rule != "version-form")


def test_the_manifest_that_lines_are_put_into_is_clean() -> None:
    assert manifestkit.lint(GOOD, "manifest.yaml").findings == ()


# -- the traps -------------------------------------------------------------------------------


def test_a_version_read_as_a_number_is_told_with_both_spellings_and_mended() -> None:
    text = with_version("1.10 # the tenth")
    (finding,) = said(text)
    assert (finding.rule, finding.pointer) == ("wrong-type", "/provider/version")
    assert "not the number `1.10`" in finding.message
    assert finding.help == 'write `"1.10"`'
    (fix,) = finding.fixes
    corrected = edited(text, fix)
    assert corrected == with_version('"1.10" # the tenth')
    assert manifestkit.lint(corrected, "manifest.yaml").findings == ()


@rows(
    ("written", "meant"),
    [
        *((word, "a boolean") for word in ("no", "off", "No", "OFF", "n")),
        *((word, "a boolean") for word in ("on", "yes", "Yes", "ON", "y")),
        ("2026-11-20", "a date"),
        ("1:30", "a number"),
        ("1_000", "a number"),
    ],
)
def test_a_text_that_others_read_otherwise_is_told_and_quoted(written: str, meant: str) -> None:
    text = with_version(written)
    (finding,) = said(text)
    assert (finding.rule, finding.pointer) == ("yaml-ambiguous-scalar", "/provider/version")
    assert f"is the string `{written}` here, but {meant} to readers of YAML 1.1" in finding.message
    (fix,) = finding.fixes
    assert edited(text, fix) == with_version(f'"{written}"')
    assert said(edited(text, fix)) == ()


@rows(
    ("written", "value", "is_ambiguous"),
    [
        ("010", 10, True),
        ("0o10", 8, True),
        ("1e3", 1000.0, True),
        ("0x1F", 31, False),
        (".5", 0.5, False),
        ("~", None, False),
        ("null", None, False),
        ("", None, False),
    ],
)
def test_other_scalars_mean_what_yaml_1_2_says(
    written: str, value: Any, is_ambiguous: bool
) -> None:
    text = with_line(f"x-note: {written}")
    assert decode(text, "manifest.yaml").document.value["x-note"] == value
    findings = said(text)
    assert [each.rule for each in findings] == ["yaml-ambiguous-scalar"] * is_ambiguous
    for finding in findings:
        corrected = edited(text, finding.fixes[0])
        assert said(corrected) == ()
        assert decode(corrected, "manifest.yaml").document.value["x-note"] == value


@rows(
    ("line", "rule", "place", "help_has"),
    [
        ("x-note: &a {b: 1}\nx-more:\n  <<: *a", "yaml-unsupported", "<<", "write the members out"),
        ("x-note: !!python/object:os.system ls", "yaml-unsupported", "!!python", "tag"),
        ("x-note: !mine 1", "yaml-unsupported", "!mine", "tag"),
        ("x-note: 1\nx-note: 2", "duplicate-key", "x-note", "keep one"),
        ("x-note:\n\t- a", "syntax-error", "\t", "spaces"),
        ("---\na: 1", "yaml-unsupported", "---", "one"),
        ("7: a", "yaml-unsupported", "7", '"7"'),
        ("true: a", "yaml-unsupported", "true", '"true"'),
        ("? [a]\n: b", "yaml-unsupported", "[a]", "text"),
        ("x-note: .nan", "yaml-unsupported", ".nan", "another value"),
        ("x-note: -.inf", "yaml-unsupported", "-.inf", "another value"),
        ("\ufeffx-note: a", "yaml-unsupported", "\ufeff", "remove"),
        ("x-note: \ufeffa", "yaml-unsupported", "\ufeff", "remove"),
        ("x-note:\n- a\ufeffb", "yaml-unsupported", "\ufeff", "remove"),
    ],
)
def test_what_no_manifest_may_use_is_told_with_its_place(
    line: str, rule: str, place: str, help_has: str
) -> None:
    text = with_line(line)
    findings = said(text)
    assert [each.rule for each in findings] == [rule]
    (finding,) = findings
    assert text[finding.location.span.start :].startswith(place)
    assert help_has in (finding.help or "")
    assert text[: finding.location.span.start].count("\n") + 1 == finding.location.line


def test_an_old_version_of_yaml_is_told() -> None:
    (finding,) = said(f"%YAML 1.1\n---\n{GOOD}")
    assert (finding.rule, finding.location.line) == ("yaml-unsupported", 1)


def test_aliases_and_core_tags_are_honoured() -> None:
    assert said(with_line('x-note: &a {b: "1"}\nx-more: [*a, *a]')) == ()
    assert said(with_version("!!str 1.10")) == ()
    assert said(with_version("!!str &v no")) == ()
    assert [each.rule for each in said(with_line('"a !": no'))] == ["yaml-ambiguous-scalar"]


# -- places ----------------------------------------------------------------------------------


@rows("lead", ["漢字", "😀", "e\u0301", "a"])
def test_columns_count_code_points_and_marks_stand_below(lead: str, tmp_path: Path) -> None:
    text = GOOD.replace("permissions:", "old:") + f'permissions: ["{lead}", 1]\n'
    (tmp_path / "manifest.yaml").write_text(text, "utf-8")
    outcome = manifest_here("lint", "--output-format", "full", cwd=tmp_path)
    assert outcome.code == FINDINGS
    place = re.search(r"manifest\.yaml:\d+:(\d+) /permissions/1\n.*\n(.*)\n(.*)", outcome.out)
    assert place is not None
    assert int(place[1]) == len(f'permissions: ["{lead}", ') + 1
    shown, marks = place[2], place[3]
    before = shown[: shown.index(", 1]") + 2]
    wide = sum(2 if each in "漢字😀" else 0 if each == "\u0301" else 1 for each in before)
    assert marks.index("^") == wide
    assert marks.count("^") == 1


# -- which files -----------------------------------------------------------------------------


@rows("name", ["manifest.yaml", "manifest.yml", "a.manifest.YAML", "b.activity-provider.Yml"])
def test_yaml_is_found_and_read_as_yaml_by_its_name(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(with_version("1.10"), "utf-8")
    listed = manifest_here("lint", "--show-files", cwd=tmp_path)
    assert listed.out.splitlines() == [name]
    outcome = manifest_here("lint", cwd=tmp_path)
    assert outcome.code == FINDINGS
    assert "not the number `1.10`" in outcome.out


@rows(("name", "code"), [("x.yaml", CLEAN), ("x.YML", CLEAN), ("x.json", 1)])
def test_the_name_of_standard_input_tells_its_syntax(name: str, code: int, tmp_path: Path) -> None:
    outcome = manifest_here(
        "lint", "-", "--stdin-filename", name, cwd=tmp_path, stdin=GOOD.encode()
    )
    assert outcome.code == code


NAMED_NO = GOOD.replace(GOOD[GOOD.index("  name:") :].split("\n", 1)[0], "  name: no")


# -- hostile files ---------------------------------------------------------------------------

_LEVELS = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12))
_MERGES = "\n".join(f"a{n}: &a{n}\n  <<: [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12))


# Run by a process of its own: a child's peak counts what its parent held when it was made.
_MEASURE = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="os.wait4 is of Unix")
@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (f"a0: &a0 [x]\n{_LEVELS}\n", "limit-exceeded"),
        ("a: &a [*a]\n", "yaml-unsupported"),
        (f"a0: &a0 {{x: 1}}\n{_MERGES}\n", "yaml-unsupported"),
        ("[" * 10_000 + "]" * 10_000, "limit-exceeded"),
        ("a: " + "{a: " * 10_000 + "}" * 10_000, "limit-exceeded"),
        ("- " * 10_000 + "a\n", "limit-exceeded"),
    ],
    ids=["alias bomb", "cycle", "merge bomb", "brackets", "braces", "dashes"],
)
def test_a_bomb_is_a_finding_within_200_megabytes(text: str, rule: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.yaml").write_text(text, "utf-8")
    command = [*MANIFEST, "lint", "--output-format", "json=out.json", "manifest.yaml"]
    measured = subprocess.run(
        [sys.executable, "-c", _MEASURE, *command],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    code, peak = map(int, measured.stdout.split())
    assert code == FINDINGS
    report = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert rule in {each["rule"] for each in report["findings"]}
    unit = 1 if sys.platform == "darwin" else 1024
    assert peak * unit < 200 * 1024 * 1024


@pytest.mark.parametrize(
    "arguments",
    [["lint", "m.yaml"], ["lint", "m.yaml", "m.json"], ["fmt", "m.yaml"], ["get", "/a", "m.yaml"]],
)
def test_without_the_part_of_pyyaml_in_c_it_is_said_what_to_install(
    arguments: list[str], tmp_path: Path
) -> None:
    without = 'import sys; sys.modules["yaml._yaml"] = None'
    (tmp_path / "sitecustomize.py").write_text(without, "utf-8")
    (tmp_path / "m.yaml").write_text("a: 1\n", "utf-8")
    (tmp_path / "m.json").write_text("{}", "utf-8")
    outcome = manifest(*arguments, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert outcome.code == USAGE
    assert outcome.err == (
        "error: to read YAML, PyYAML needs its part in C, which is missing here: "
        "python -m pip install --force-reinstall --only-binary pyyaml pyyaml\n"
    )


@rows(("text", "told"), [(NAMED_NO, True), ('{"a": 1,}', False), ("", False)])
def test_yaml_on_standard_input_is_told_how_it_is_read_as_yaml(
    tmp_path: Path, text: str, told: bool
) -> None:
    outcome = manifest_here("lint", "-", cwd=tmp_path, stdin=text.encode())
    assert ("use `--stdin-filename manifest.yaml`" in outcome.err) is told
    named = manifest_here("lint", "-", "--stdin-filename=m.yaml", cwd=tmp_path, stdin=text.encode())
    assert "--stdin-filename" not in named.err
