"""`manifest lint --fix`, `--diff`, and `manifest fmt`, as a user runs them."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from subprocess import PIPE, STDOUT

import click
import pytest
from click.testing import CliRunner

import manifestkit
from command import CLEAN, EXAMPLES, FINDINGS, MANIFEST, USAGE, Outcome, environment
from in_process import manifest_here
from manifestkit.cli.main import app
from rows import rows
from samples import FIXABLE, FIXED, MESSY, VALID

UNSAFE = VALID.replace(b'"permissions": []', b'"permissions": ["host.timer", "host.camera"]')
TIDY = b"""{\r
  "schema_version": 1e0,\r
  "provider": { "id": "a", "name": "b", "version": "1" }\r
}\r
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, stdin: bytes = b"") -> Outcome:
    outcome = CliRunner().invoke(app, arguments, input=stdin, standalone_mode=False)
    if isinstance(outcome.exception, click.UsageError):
        return Outcome(USAGE, outcome.stdout, outcome.exception.format_message())
    assert outcome.exception is None
    return Outcome(outcome.return_value, outcome.stdout, outcome.stderr)


@pytest.mark.parametrize(
    "option", [["lint", "--diff"], ["lint", "--fix", "--diff"], ["fmt", "--diff"]]
)
def test_a_diff_is_whole_before_anything_else_is_told(option: list[str], here: Path) -> None:
    (here / "manifest.json").write_bytes(FIXABLE.replace(b'"1.0"', b'"x", "a": 1', 1))
    done = subprocess.run(
        [*MANIFEST, *option], cwd=here, env=environment(), stdout=PIPE, stderr=STDOUT, check=False
    )
    lines = done.stdout.decode().splitlines()
    last = max(n for n, line in enumerate(lines) if line[:1] in "+- ")
    told = next(n for n, line in enumerate(lines) if "manifest.json:" in line or " file" in line)
    assert last < told


def test_fix_corrects_the_file_and_tells_what_remains(here: Path) -> None:
    file = here / "manifest.json"
    file.write_bytes(FIXABLE.replace(b'"host.timr"', b'"host.timr", "host.camera"'))
    outcome = run("lint", "--fix")
    assert outcome.code == FINDINGS
    assert outcome.out.count("\n") == 1
    assert "unknown-permission `host.camera` " in outcome.out
    assert outcome.err == (
        "1 file checked, 1 fixed: 1 error left; 1 fixable with --fix --unsafe-fixes\n"
        "note: manifest.json: unknown-permission fixed (1)\n"
    )
    assert file.read_bytes() == FIXED.replace(b'"host.timer"', b'"host.timer", "host.camera"')


@pytest.mark.parametrize(
    ("data", "options", "code", "after"),
    [
        (FIXABLE, ["--fix"], CLEAN, FIXED),
        (FIXABLE, ["--fix", "--exit-non-zero-on-fix"], FINDINGS, FIXED),
        (VALID, ["--fix", "--exit-non-zero-on-fix"], CLEAN, VALID),
        (UNSAFE, ["--fix"], FINDINGS, UNSAFE),
        (UNSAFE, ["--fix", "--unsafe-fixes"], CLEAN, UNSAFE.replace(b', "host.camera"', b"")),
        (FIXABLE, ["--fix", "--ignore", "unknown-permission"], CLEAN, FIXABLE),
        (FIXABLE, ["--fix", "--diff"], FINDINGS, FIXABLE),
    ],
)
def test_the_exit_code_is_of_what_remains(
    here: Path, data: bytes, options: list[str], code: int, after: bytes
) -> None:
    (here / "manifest.json").write_bytes(data)
    assert run("lint", *options).code == code
    assert (here / "manifest.json").read_bytes() == after


def test_diff_shows_the_change_alone_on_standard_output_and_writes_nothing(here: Path) -> None:
    (here / "manifest.json").write_bytes(FIXABLE)
    outcome = run("lint", "--diff")
    lines = outcome.out.splitlines()
    assert lines[:2] == ["--- a/manifest.json", "+++ b/manifest.json"]
    assert [line for line in lines[3:] if line[0] in "+-"] == [
        '-  "permissions": ["host.timr"],',
        '+  "permissions": ["host.timer"],',
    ]
    assert outcome.err == (
        "1 file checked: 1 fix available\nnote: manifest.json: unknown-permission to be fixed (1)\n"
    )
    assert outcome.code == FINDINGS
    assert run("lint", "--diff", "--exit-zero").code == CLEAN
    assert (here / "manifest.json").read_bytes() == FIXABLE


@pytest.mark.parametrize(("option", "done"), [("--fix", "fixed"), ("--diff", "to be fixed")])
def test_what_is_fixed_in_each_file_is_listed_by_its_rules(
    option: str, done: str, here: Path
) -> None:
    twice = FIXABLE.replace(b'["host.timr"]', b'["host.timr", "host.hatpics"]')
    (here / "a.manifest.json").write_bytes(twice)
    (here / "b.manifest.json").write_bytes(FIXABLE.rstrip()[:-1] + b",}")
    quiet = run("lint", "--diff", "--quiet")
    assert (quiet.code, quiet.err) == (FINDINGS, "")
    assert run("lint", option).err.splitlines()[1:] == [
        f"note: a.manifest.json: unknown-permission {done} (2)",
        f"note: b.manifest.json: syntax-error {done} (1)",
        f"note: b.manifest.json: unknown-permission {done} (1)",
    ]


def test_what_an_unsafe_fix_is_about_is_told_though_it_was_behind_a_comment(here: Path) -> None:
    text = FIXABLE.replace(b'["host.timr"]', b'["host.timr", "host.camera"] // mine\n')
    (here / "manifest.json").write_bytes(text)
    outcome = run("lint", "--fix", "--unsafe-fixes")
    assert (outcome.code, outcome.out) == (CLEAN, "")
    assert outcome.err.splitlines()[1:] == [
        "note: manifest.json: unknown-permission fixed (2)",
        "note: manifest.json: fixed: `host.camera` is not a permission; remove it",
        "note: manifest.json: syntax-error fixed (1)",
        "note: manifest.json: fixed: JSON has no comments; remove the comment",
    ]


def test_standard_input_is_fixed_onto_standard_output(here: Path) -> None:
    data = FIXABLE.replace(b'"host.timr"', b'"host.timr", "host.camera"')
    outcome = manifest_here("lint", "--fix", "-", cwd=here, stdin=data)
    assert outcome.code == FINDINGS
    assert outcome.out.encode() == data.replace(b"host.timr", b"host.timer")
    assert outcome.err.startswith("<stdin>:")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fix", "-", "."], "with --fix or --diff, - cannot be combined with files"),
        *(
            (arguments, "--write-baseline and --show-files cannot be combined with --fix")
            for arguments in (
                ["--diff", "--show-files"],
                ["--show-files", "--output-format", "concise=r.txt"],
                ["--write-baseline", "b.json", "--output-format", "json=r.json"],
            )
        ),
    ],
)
def test_options_that_do_not_go_together_are_told(
    here: Path, arguments: list[str], message: str
) -> None:
    (here / "manifest.json").write_bytes(VALID)
    outcome = run("lint", *arguments)
    assert outcome.code == USAGE
    assert message in outcome.err


def test_a_fix_that_is_refused_is_told_with_the_reason(here: Path) -> None:
    text = json.dumps(json.loads(VALID)).replace('"sdk_version": "', '"sdk_version": &v 1, "x": "')
    text = text.replace('"permissions"', '"other": *v, "permissions"')
    (here / "manifest.yaml").write_text(text)
    outcome = run("lint", "--fix", "-q")
    assert outcome.code == FINDINGS
    said = "1 finding not fixed: it has the anchor `&v` (line 1, column 162); write each value out"
    assert said in outcome.err
    assert (here / "manifest.yaml").read_text() == text


def test_more_findings_than_the_limit_are_not_fixed_until_it_is_raised(here: Path) -> None:
    text = (EXAMPLES / "valid" / "minimal.activity-provider.yaml").read_text("utf-8")
    text += "x-list:\n" + "- no\n" * 30
    file = here / "many.manifest.yaml"
    file.write_text(text)
    limits = here / "manifestkit.toml"
    limits.write_text("[limits]\nfindings = 20\n")
    command = "lint", "--fix", "--unsafe-fixes", str(file)
    first = run(*command)
    assert (first.code, file.read_text()) == (FINDINGS, text)
    note = (
        "20 findings not fixed: there are more findings than are described: raise the limit "
        "`findings`, or fix some by hand"
    )
    assert f"note: {file}: {note}\n" in first.err
    assert "fixable with" not in first.err
    limits.write_text("[limits]\nfindings = 100\n")
    raised = run(*command)
    assert (raised.code, file.read_text().count('- "no"')) == (CLEAN, 30)


def test_what_was_not_fixed_is_not_called_fixable_once_more(here: Path) -> None:
    value = json.loads(VALID)
    value["activities"][0]["catgory"] = "walk"
    file, host = here / "manifest.json", here / "host.json"
    file.write_text(json.dumps(value))
    category = {"items": {"properties": {"category": {"pattern": "^sleep"}}}}
    host.write_text(json.dumps({"properties": {"activities": category}}))
    by_host = ("lint", str(file), "--profile", str(host))
    assert "fixable with --fix" in run(*by_host).err
    outcome = run(*by_host, "--fix")
    assert "1 finding not fixed: it would cause another finding" in outcome.err
    assert "fixable with" not in outcome.err


@pytest.mark.parametrize("severity", ["warning", "error"])
def test_a_fix_is_not_blamed_for_what_an_optional_rule_sees_then(here: Path, severity: str) -> None:
    (here / "package.json").write_text('{"version": "1.1.0"}')
    (here / "manifestkit.toml").write_text(f'[severity]\nversion-mismatch = "{severity}"\n')
    text = re.sub('"version": "[^"]*"', '"version": 1.1', VALID.decode())
    (here / "manifest.json").write_text(text)
    assert "1 fixable with --fix" in run("lint").err
    outcome = run("lint", "--fix", "manifest.json")
    assert f"1 fixed: 1 {severity} left" in outcome.err
    assert '"version": "1.1"' in (here / "manifest.json").read_text()


def test_what_is_suppressed_is_not_fixed(here: Path) -> None:
    text = VALID.decode().replace('"permissions": []', '"permissions": ["host.timr"]')
    (here / "manifest.json").write_text(text)
    (here / "manifestkit.toml").write_text(
        '[[suppress]]\nrule = "unknown-permission"\nreason = "so it is"\n'
    )
    assert run("lint", "--fix").code == CLEAN
    assert (here / "manifest.json").read_text() == text


def suppressing(places: dict[str, str]) -> str:
    return "".join(
        f'[[suppress]]\nrule = "{rule}"\npointer = "{pointer}"\nreason = "so it is"\n'
        for rule, pointer in places.items()
    )


def test_what_is_suppressed_in_a_member_that_is_renamed_is_not_fixed(here: Path) -> None:
    text = VALID.decode().replace('"permissions": []', '"permisions": ["host.haptic"]')
    (here / "manifest.json").write_text(text)
    (here / "manifestkit.toml").write_text(
        suppressing({"unknown-permission": "/permissions/host.haptic"})
    )
    outcome = run("lint", "--fix")
    assert (outcome.code, "1 suppressed" in outcome.err) == (CLEAN, True), outcome.err
    assert json.loads((here / "manifest.json").read_text())["permissions"] == ["host.haptic"]


def test_of_two_items_that_fixes_make_equal_one_is_left(here: Path) -> None:
    text = VALID.decode().replace(
        '"permissions": []', '"permissions": ["host.timer", "host.haptic", "host.haptic"]'
    )
    (here / "manifest.json").write_text(text)
    (here / "manifestkit.toml").write_text(
        suppressing({"duplicate-item": "/permissions/host.haptic"})
    )
    run("lint", "--fix")
    after = json.loads((here / "manifest.json").read_text())
    assert after["permissions"] == ["host.timer", "host.haptics"]


def test_a_manifest_of_something_else_is_not_fixed(here: Path) -> None:
    text = '{"manifest_version": 3, "name": "x",}'
    (here / "manifest.json").write_text(text)
    run("lint", "--fix", "--force-exclude", ".")
    run("fmt")
    assert '"manifest_version": 3' in (here / "manifest.json").read_text()


# -- fmt -------------------------------------------------------------------------------------


def test_fmt_puts_a_file_into_its_form_and_then_leaves_it(here: Path) -> None:
    (here / "a.manifest.json").write_bytes(MESSY)
    outcome = run("fmt")
    assert (outcome.code, outcome.err) == (CLEAN, "1 file formatted\n")
    assert (here / "a.manifest.json").read_bytes() == TIDY
    assert run("fmt").err == "1 file already formatted\n"
    for option in ([], ["--check"], ["--diff"]):
        assert run("fmt", "gone", *option).err == "error: gone: no such file\n"


@pytest.mark.parametrize("option", ["--check", "--diff"])
def test_fmt_can_only_look(here: Path, option: str) -> None:
    (here / "a.manifest.json").write_bytes(MESSY)
    outcome = run("fmt", option)
    assert outcome.code == FINDINGS
    assert (outcome.out == "a.manifest.json\n") is (option == "--check")
    assert (here / "a.manifest.json").read_bytes() == MESSY
    run("fmt")
    assert run("fmt", option).code == CLEAN


def test_fmt_writes_standard_input_to_standard_output(here: Path) -> None:
    outcome = manifest_here("fmt", "-", cwd=here, stdin=MESSY)
    assert (outcome.code, outcome.out.encode()) == (CLEAN, TIDY)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.manifest.json", '{"a": 1,, "b": 2}', "extra comma (line 1, column 9)"),
        ("a.manifest.json", '{"a": 1, "a": 2}', "(line 1, column 10)"),
        (
            "a.manifest.yaml",
            "other: &a {x: 1}\nprovider: *a\n",
            "it has the anchor `&a` (line 1, column 8); write each value out first",
        ),
        ("a.manifest.json", "[1,2,   3]", "a manifest is an object"),
        ("a.manifest.yaml", "- a\n-  b\n", "a manifest is an object"),
        ("package.json", '{"name": "x","version": "1"}', "this is npm's package.json"),
        ("package.json", '{"name": "x","scripts": {}}', "not an activity provider manifest"),
    ],
)
def test_what_cannot_be_formatted_is_told_and_left_alone(
    here: Path, name: str, text: str, reason: str
) -> None:
    (here / name).write_text(text)
    outcome = run("fmt", name)
    assert outcome.code == FINDINGS
    assert outcome.err.startswith(f"error: {name}: cannot be formatted: ")
    assert reason in outcome.err
    assert (here / name).read_text() == text


HOLES = {"[1, , 3]": [1, 3], "[1,,,]": [1], '["", {},, ]': ["", {}]}


@rows("items", HOLES)
def test_no_safe_fix_drops_an_item_that_may_be_missing(items: str) -> None:
    text = f'{{"x": {items}}}'
    assert manifestkit.fix(text).data.decode() == text
    assert json.loads(manifestkit.fix(text, unsafe=True).data) == {"x": HOLES[items]}


def test_a_quiet_fmt_leaves_out_the_summary(here: Path) -> None:
    (here / "a.manifest.json").write_bytes(MESSY)
    listed = run("fmt", "--check", "-q")
    assert (listed.code, listed.out, listed.err) == (FINDINGS, "a.manifest.json\n", "")
    done = run("fmt", "--quiet")
    assert (done.code, done.out, done.err) == (CLEAN, "", "")
    assert (here / "a.manifest.json").read_bytes() == TIDY


def test_fmt_without_a_manifest_is_told(here: Path) -> None:
    assert here.is_dir()
    assert run("fmt").code == USAGE


YAML = """\
# About this file.

# which format
schema_version:   "1.10"   # 1.10, not 1.1
activities:
# the first
-   name: Box # its name
    id: box
    # how long
    duration_minutes: 05e0
    # more?

- {name: Walk, id: walk}
provider:
      # who
      version: 'x'
      id: a # the id
runtime: {
  sdk_version: "1",
  entrypoint: a } # R
"""
FORMATTED = """\
# About this file.

# which format
schema_version: "1.10" # 1.10, not 1.1
provider:
  id: a # the id
  # who
  version: 'x'
runtime: {
    entrypoint: a,
    sdk_version: "1"
  } # R
activities:
  # the first
  - id: box
    name: Box # its name
    # how long
    duration_minutes: 05e0
    # more?

  - { id: walk, name: Walk }
"""


def test_comments_in_yaml_travel_with_what_they_belong_to(here: Path) -> None:
    (here / "a.manifest.yaml").write_text(YAML)
    assert run("fmt").code == CLEAN
    assert (here / "a.manifest.yaml").read_text() == FORMATTED


@pytest.mark.parametrize(("name", "is_removed"), [("foo", True), ("title", False)])
def test_a_member_that_may_be_meant_as_another_is_not_removed_and_the_help_says_so(
    here: Path, name: str, is_removed: bool
) -> None:
    value = {**json.loads(VALID), "presentation": {name: "x", "thumbnail": "a.png"}}
    (here / "manifest.json").write_text(json.dumps(value))
    said = run("lint").out
    assert ("unless it is meant as another member" in said) == (not is_removed)
    run("lint", "--fix", "--unsafe-fixes")
    left = json.loads((here / "manifest.json").read_text())["presentation"]
    assert (name not in left) == is_removed
