"""`manifest lint`: what it prints where, and how it ends."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from command import (
    CLEAN,
    CLOSED_PIPE,
    FINDINGS,
    MANIFEST,
    REPOSITORY,
    USAGE,
    Outcome,
    environment,
    manifest,
)
from manifestkit.cli.main import app
from rows import rows
from samples import BROKEN, VALID
from skips import posix


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a valid and a broken manifest."""
    (tmp_path / "ok.json").write_bytes(VALID)
    (tmp_path / "broken.json").write_bytes(BROKEN)
    return tmp_path


# -- exit codes ------------------------------------------------------------------------------


def test_a_missing_file_a_folder_a_broken_and_a_good_one_are_told_in_one_run(folder: Path) -> None:
    (folder / "a-folder").mkdir()
    (folder / "a-folder" / "manifest.json").write_bytes(BROKEN)
    outcome = manifest("lint", "missing.json", "a-folder", "broken.json", "ok.json", cwd=folder)
    assert outcome.code == USAGE
    assert [line.split(" `")[0] for line in outcome.out.splitlines()] == [
        "a-folder/manifest.json:2:21: error wrong-type",
        "broken.json:2:21: error wrong-type",
    ]
    assert outcome.err == (
        "error: missing.json: no such file\n3 files checked: 2 errors; 2 fixable with --fix\n"
    )


def test_an_empty_folder_beside_them_is_noted(folder: Path) -> None:
    (folder / "empty").mkdir()
    outcome = manifest("lint", "missing.json", "empty", "broken.json", "ok.json", cwd=folder)
    assert outcome.code == USAGE
    assert outcome.out.startswith("broken.json:2:21: error wrong-type ")
    assert outcome.err == (
        "error: missing.json: no such file\n"
        "note: empty: no manifest in this folder\n"
        "2 files checked: 1 error; 1 fixable with --fix\n"
    )


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["ok.json"], CLEAN),
        (["broken.json"], FINDINGS),
        (["ok.json", "broken.json"], FINDINGS),
        (["broken.json", "--exit-zero"], CLEAN),
        (["gone.json", "--exit-zero"], USAGE),
        (["broken.json", "gone.json"], USAGE),
        (["."], USAGE),
        ([], USAGE),
        (["--no-such-option"], USAGE),
        (["ok.json", "--output-format=yaml"], USAGE),
        (["ok.json", "--schema=gone.json"], USAGE),
    ],
    ids=str,
)
def test_the_exit_code_says_how_it_went(folder: Path, arguments: list[str], code: int) -> None:
    assert manifest("lint", *arguments, cwd=folder).code == code


def test_no_manifest_at_all_is_said_with_what_to_do(tmp_path: Path) -> None:
    outcome = manifest("lint", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert (
        "error: no manifest found; give a file, or - for standard input, or name it " in outcome.err
    )
    assert "manifest.json or *.manifest.json (or .yaml, .yml)" in outcome.err


# -- what is printed -------------------------------------------------------------------------


def test_a_clean_run_says_so_on_standard_error_only(folder: Path) -> None:
    outcome = manifest("lint", "ok.json", cwd=folder)
    assert outcome == Outcome(CLEAN, "", "1 file checked: no problems found\n")


def test_off_a_terminal_the_format_is_concise(folder: Path) -> None:
    assert manifest("lint", "broken.json", cwd=folder) == manifest(
        "lint", "broken.json", "--output-format=concise", cwd=folder
    )


def test_quiet_shows_findings_only(folder: Path) -> None:
    loud = manifest("lint", "broken.json", cwd=folder)
    quiet = manifest("lint", "broken.json", "--quiet", cwd=folder)
    assert quiet == Outcome(FINDINGS, loud.out, "")
    assert loud.err == "1 file checked: 1 error; 1 fixable with --fix\n"


def test_quiet_still_tells_what_cannot_be_read(folder: Path) -> None:
    outcome = manifest("lint", "gone.json", "-q", cwd=folder)
    assert outcome.code == USAGE
    assert "error: gone.json: no such file\n" in outcome.err


def test_a_file_named_twice_is_told_once(folder: Path) -> None:
    absolute = folder / "broken.json"
    outcome = manifest("lint", "broken.json", "./broken.json", absolute, ".", cwd=folder)
    assert outcome.out.count("wrong-type") == 1


def test_a_path_is_shown_without_a_leading_dot(folder: Path) -> None:
    assert manifest("lint", "./broken.json", cwd=folder).out.startswith("broken.json:2:21: ")


def test_files_are_told_in_order_whatever_the_order_of_the_arguments(folder: Path) -> None:
    (folder / "a.json").write_bytes(BROKEN)
    there = manifest("lint", "broken.json", "a.json", cwd=folder)
    assert there == manifest("lint", "a.json", "broken.json", cwd=folder)
    assert [line.split(":")[0] for line in there.out.splitlines()] == ["a.json", "broken.json"]


def test_show_files_lists_what_would_be_checked_and_checks_nothing(folder: Path) -> None:
    (folder / "manifest.json").write_bytes(BROKEN)
    outcome = manifest("lint", "--show-files", ".", "broken.json", cwd=folder)
    assert outcome == Outcome(CLEAN, "broken.json\nmanifest.json\n", "")


def test_show_files_of_nothing_is_wrong_usage(tmp_path: Path) -> None:
    assert manifest("lint", "--show-files", cwd=tmp_path).code == USAGE


def test_the_version_is_that_of_the_distribution_the_engine_and_python(tmp_path: Path) -> None:
    version = (REPOSITORY / "pyproject.toml").read_text("utf-8").split('version = "')[1]
    outcome = manifest("--version", cwd=tmp_path)
    own, engine, python = outcome.out.splitlines()
    assert (outcome.code, own, outcome.err) == (CLEAN, f"manifest {version.split(chr(34))[0]}", "")
    assert re.fullmatch(r"schema engine: jsonschema(-rs)? [0-9.]+", engine)
    assert python == f"Python {platform.python_version()}"


def test_the_installed_command_is_the_module() -> None:
    command = Path(sys.executable).with_name("manifest")
    by_name = subprocess.run([command, "--version"], capture_output=True, check=True)
    by_module = subprocess.run([*MANIFEST, "--version"], capture_output=True, check=True)
    assert by_name.stdout == by_module.stdout


def test_the_list_of_commands_says_of_each_what_its_own_help_does(tmp_path: Path) -> None:
    asked = {"_MANIFEST_COMPLETE": "fish_complete", "COMP_WORDS": "manifest", "COMP_CWORD": ""}
    offered = manifest(cwd=tmp_path, env=asked).out.splitlines()
    help_text = manifest("--help", cwd=tmp_path).out
    listed = re.findall(r"^  ([a-z]+)  +(\S.*\.)$", help_text, re.MULTILINE)
    assert offered == [f"plain,{name}\t{purpose}" for name, purpose in listed]
    assert [name for name, _ in listed] == app.list_commands(click.Context(app))
    for name, purpose in listed:
        command = app.get_command(click.Context(app), name)
        assert getattr(command, "help", "").startswith(purpose), name


def test_the_help_shows_the_commands_in_groups(tmp_path: Path) -> None:
    help_text = manifest("--help", cwd=tmp_path).out
    headings = re.findall(r"^([A-Z][a-z]+):$", help_text, re.MULTILINE)
    assert headings == ["Options", "Write", "Check", "Host", "Publish", "Editors"]
    first = [re.search(f"^{each}:\n  ([a-z]+)  ", help_text, re.MULTILINE) for each in headings[1:]]
    assert [each and each[1] for each in first] == ["new", "lint", "profile", "login", "lsp"]


def test_every_command_tells_its_exit_codes() -> None:
    for name in app.list_commands(click.Context(app)):
        command = app.get_command(click.Context(app), name)
        assert command is not None
        assert re.search(r"^Exit codes:\n  0   ", command.epilog or "", re.MULTILINE), name


def test_the_page_of_commands_has_each_command_and_the_exit_codes_that_they_tell() -> None:
    page = (REPOSITORY / "docs" / "commands.md").read_text("utf-8")
    table, _, codes = page.partition("## Exit codes")
    context = click.Context(app)
    for name in app.list_commands(context):
        assert re.search(rf"^\|[^|]*`{name}\b", table, re.MULTILINE), name
        command = app.get_command(context, name)
        told = (command.epilog or "" if command else "").partition("Exit codes:")[2]
        listed = re.findall(r"^\| (\d+) \| ", codes, re.MULTILINE)
        assert set(re.findall(r"^ +(\d+) ", told, re.MULTILINE)) <= set(listed), name
        if name == "lint":
            assert re.findall(r"^ +(\d+) ", told, re.MULTILINE) == listed[: listed.index("3")]


@rows(
    "arguments",
    [
        "lint", "lint --profile", "lint --schema", "lint --baseline", "lint --config",
        "lint --write-baseline", "fmt", "convert --to yaml", "diff", "preview",
        "preview --against", "new", "profile test", "profile test --profile", "explain x --schema",
        "set /a 1", "remove /a",
        "fleet lint --output o", "fleet lint i --output", "fleet impact x",
    ],
)  # fmt: skip
def test_an_empty_path_is_not_the_current_folder(arguments: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{}")
    outcome = manifest(*arguments.split(), "", cwd=tmp_path)
    assert outcome.code == USAGE
    assert "it is empty; is a variable unset?" in outcome.err
    assert sorted(each.name for each in tmp_path.iterdir()) == ["manifest.json"]


@rows("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(shell: str, tmp_path: Path) -> None:
    outcome = manifest("completion", shell, cwd=tmp_path)
    assert outcome.code == CLEAN
    assert "_MANIFEST_COMPLETE" in outcome.out


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("lint --severity version-form=", ["error", "warning", "info", "off"]),
        ("new --permission host.", ["host.haptics", "host.timer"]),
    ],
)
def test_values_are_completed(typed: str, offered: list[str], tmp_path: Path) -> None:
    words = f"manifest {typed}"
    asked = {"_MANIFEST_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": "3"}
    lines = manifest(cwd=tmp_path, env=asked).out.splitlines()
    assert [line.removeprefix("plain,").rpartition("=")[2] for line in lines] == offered


def test_a_shell_gets_a_word_and_what_it_means_on_a_line_each(tmp_path: Path) -> None:
    listed = {"enum": ["zz\nb", "zzb"], "markdownEnumDescriptions": ["x", "one\ntwo"]}
    kinds = {"type": "object", "properties": {"kinds": {"type": "array", "items": listed}}}
    (tmp_path / "s.json").write_text(json.dumps(kinds), "utf-8")
    (tmp_path / "manifestkit.toml").write_text('schema = "s.json"', "utf-8")
    asked = {"_MANIFEST_COMPLETE": "zsh_complete", "COMP_WORDS": "manifest explain zz"}
    told = manifest(cwd=tmp_path, env={**asked, "COMP_CWORD": "2"}).out
    assert told.split("\n") == ["plain", "zzb", "one\\ntwo", ""]


# -- standard input --------------------------------------------------------------------------


def test_standard_input_is_judged(tmp_path: Path) -> None:
    assert manifest("lint", "-", cwd=tmp_path, stdin=VALID).code == CLEAN
    outcome = manifest("lint", "-", cwd=tmp_path, stdin=BROKEN)
    assert outcome.code == FINDINGS
    assert outcome.out.startswith("<stdin>:2:21: error wrong-type ")


def test_standard_input_takes_the_name_it_is_given(tmp_path: Path) -> None:
    outcome = manifest("lint", "-", "--stdin-filename=a/b.json", cwd=tmp_path, stdin=BROKEN)
    assert outcome.out.startswith("a/b.json:2:21: error wrong-type ")


def test_standard_input_is_judged_beside_files(folder: Path) -> None:
    outcome = manifest("lint", "-", "broken.json", cwd=folder, stdin=BROKEN)
    assert [line.split(":")[0] for line in outcome.out.splitlines()] == ["<stdin>", "broken.json"]


def test_empty_standard_input_is_an_empty_file(tmp_path: Path) -> None:
    outcome = manifest("lint", "-", cwd=tmp_path)
    assert outcome.out.startswith("<stdin>:1:1: error syntax-error the file is empty; write a ")


@rows("command", ["lint", "lint --fix", "lint --diff", "fmt", "convert --to=json", "preview"])
def test_yaml_on_standard_input_is_told_its_option(tmp_path: Path, command: str) -> None:
    told = "note: standard input was read as JSON; for YAML, use `--stdin-filename manifest.yaml`\n"
    outcome = manifest(*command.split(), "-", cwd=tmp_path, stdin=b"# mine\nprovider: {}\n")
    assert outcome.err.count(told) == 1
    named = (*command.split(), "--stdin-filename=m.yaml", "-")
    assert told not in manifest(*named, cwd=tmp_path, stdin=b"provider: {}\n").err


# -- colour ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "env", "colored"),
    [
        ("auto", {}, False),
        ("always", {}, True),
        ("never", {}, False),
        ("auto", {"FORCE_COLOR": "1"}, True),
        ("auto", {"FORCE_COLOR": ""}, False),
        ("auto", {"FORCE_COLOR": "0"}, False),
        ("auto", {"CLICOLOR_FORCE": "1"}, True),
        ("auto", {"CLICOLOR_FORCE": "0"}, False),
        ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, True),
        ("auto", {"NO_COLOR": "1"}, False),
        ("always", {"NO_COLOR": "1"}, True),
        ("never", {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colour_goes_by_the_option_then_force_color_then_no_color(
    folder: Path, option: str, env: dict[str, str], *, colored: bool
) -> None:
    arguments = ("lint", "broken.json", "--output-format=full")
    outcome = manifest(*arguments, f"--color={option}", cwd=folder, env=env)
    assert ("\x1b[" in outcome.out) == colored
    told = manifest("lint", "gone.json", f"--color={option}", cwd=folder, env=env).err
    assert ("\x1b[" in told) == colored
    plain = manifest(*arguments, "--color=never", cwd=folder).out
    assert _without_color(outcome.out) == plain


def _without_color(text: str) -> str:
    first, *rest = text.split("\x1b[")
    return first + "".join(each.split("m", 1)[1] for each in rest)


@posix
@pytest.mark.parametrize(("env", "colored"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_on_a_terminal_findings_are_shown_in_full_and_in_colour(
    folder: Path, env: dict[str, str], *, colored: bool
) -> None:
    shown = _on_terminal(folder, {"TERM": "xterm", **env})
    assert ("\x1b[" in shown) == colored
    assert "error[wrong-type]" in _without_color(shown)


@posix
def test_a_dumb_terminal_gets_no_colour(folder: Path) -> None:
    assert "\x1b[" not in _on_terminal(folder, {"TERM": "dumb"})


def _on_terminal(folder: Path, env: dict[str, str]) -> str:
    ours, its = os.openpty()
    with subprocess.Popen(
        [*MANIFEST, "lint", "broken.json"],
        cwd=folder,
        env=environment(**env),
        stdin=its,
        stdout=its,
        stderr=subprocess.DEVNULL,
    ) as process:
        os.close(its)
        shown = b""
        try:
            while piece := os.read(ours, 4096):
                shown += piece
        except OSError:  # Linux tells the end of a terminal so
            pass
        os.close(ours)
        assert process.wait(timeout=30) == FINDINGS
    return shown.decode()


def test_json_has_no_colour(folder: Path) -> None:
    outcome = manifest("lint", "broken.json", "--output-format=json", "--color=always", cwd=folder)
    json.loads(outcome.out)


# -- output that cannot be written -----------------------------------------------------------


def _many_findings(folder: Path) -> None:
    """More than a pipe holds."""
    items = ", ".join(['"nonsense"'] * 700)
    (folder / "manifest.json").write_text(f'{{"permissions": [{items}]}}')


@pytest.mark.slow
@posix
@pytest.mark.parametrize("form", ["full", "concise", "json"])
def test_a_reader_that_goes_away_ends_it_quietly(tmp_path: Path, form: str) -> None:
    _many_findings(tmp_path)
    with subprocess.Popen(
        [*MANIFEST, "lint", f"--output-format={form}"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == CLOSED_PIPE


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_told(folder: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*MANIFEST, "lint", "broken.json"],
            cwd=folder,
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == USAGE
    assert done.stderr == b"error: the output cannot be written: no space left on device\n"


@posix
@pytest.mark.parametrize(
    ("closed", "code"),
    [("<&-", USAGE), (">&-", USAGE), ("2>&-", FINDINGS), ("<&- >&- 2>&-", USAGE)],
)
def test_a_stream_closed_before_the_start_is_no_crash(folder: Path, closed: str, code: int) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'"$@" {closed}', "sh", *MANIFEST, "lint", "broken.json", "-"],
        cwd=folder,
        env=environment(),
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == code
    assert b"bug" not in done.stderr
    if closed == "<&-":
        assert done.stdout.startswith(b"broken.json:2:21: ")
        assert done.stderr.startswith(b"error: <stdin>: standard input is closed\n")


WRITING = [
    *("lint", "lint --quiet", "lint --output-format json", "lint --fix -"),
    *("lint --show-files", "fmt -", "fmt --diff", "schema", "diff broken.json valid.json"),
    *("preview valid.json", "convert valid.json --to yaml", "--version", "lint --help"),
    "new --yes --dry-run --from valid.json",
]


@pytest.mark.slow
@posix
@pytest.mark.parametrize("command", WRITING)
def test_an_output_that_cannot_be_written_is_no_success(folder: Path, command: str) -> None:
    outputs: dict[Path | None, str] = {None: "it is closed"}
    if Path("/dev/full").exists():
        outputs[Path("/dev/full")] = "no space left on device"
    (folder / "valid.json").write_bytes(VALID)
    (folder / "m.manifest.json").write_bytes(b"\n" + BROKEN)

    def run(instead: dict[int, Path | None]) -> Outcome:
        home = {"HOME": str(folder)}
        return manifest(*command.split(), cwd=folder, stdin=VALID, env=home, instead=instead)

    usual = run({})
    assert usual.code in {CLEAN, FINDINGS}
    assert usual.out
    assert run({2: None}).code == usual.code
    for output, reason in outputs.items():
        told = run({1: output})
        assert (told.code, run({1: output, 2: None}).code) == (USAGE, USAGE)
        assert f"error: the output cannot be written: {reason}" in told.err


@posix
def test_a_closed_output_that_nothing_is_written_to_does_not_matter(folder: Path) -> None:
    command = (*MANIFEST, "lint", "valid.json", "--output-format", "json=report.json")
    (folder / "valid.json").write_bytes(VALID)
    done = subprocess.run(
        ["/bin/sh", "-c", '"$@" >&-', "sh", *command], cwd=folder, env=environment(), check=False
    )
    assert done.returncode == CLEAN
    assert json.loads((folder / "report.json").read_text())["findings"] == []


@posix
@pytest.mark.parametrize("command", ["fmt -", "lint --fix -", "new --yes --dry-run --from -"])
def test_a_closed_standard_input_is_no_empty_file(tmp_path: Path, command: str) -> None:
    words = (*MANIFEST, *command.split())
    done = subprocess.run(
        ["/bin/sh", "-c", '"$@" <&-', "sh", *words],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (USAGE, b"")
    assert done.stderr == b"error: <stdin>: standard input is closed\n"


@posix
@pytest.mark.parametrize("command", ["fmt", "lint --fix"])
def test_a_standard_input_without_end_is_not_read_whole(tmp_path: Path, command: str) -> None:
    (tmp_path / "manifestkit.toml").write_text("[limits]\nbytes = 100000\n")
    outcome = manifest(*command.split(), "-", cwd=tmp_path, stdin=b"y\n" * 60_000)
    assert outcome == Outcome(USAGE, "", "error: <stdin>: is larger than 100,000 bytes\n")
