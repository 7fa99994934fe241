"""What users of other tools type first, and what their machines set."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from command import CLEAN, FINDINGS, USAGE, manifest
from in_process import manifest_here
from manifestkit.files import other_tools
from rows import rows

FAULTY = '{"schema_version": 1}'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.manifest.json").write_text(FAULTY)
    return tmp_path


def test_the_version_has_a_short_option(tmp_path: Path) -> None:
    assert manifest("-V", cwd=tmp_path) == manifest("--version", cwd=tmp_path)


def test_options_come_from_the_environment(folder: Path) -> None:
    seen = manifest("lint", cwd=folder, env={"MANIFEST_OUTPUT_FORMAT": "json"})
    assert seen.out == manifest("lint", "--output-format", "json", cwd=folder).out
    assert manifest("lint", cwd=folder, env={"MANIFEST_LINT_EXIT_ZERO": "1"}).code == CLEAN
    wrong = manifest("lint", cwd=folder, env={"MANIFEST_OUTPUT_FORMAT": "jsn"})
    assert (wrong.code, "`jsn` is not one of" in wrong.err) == (USAGE, True)


def test_a_wrong_value_of_a_variable_is_told_with_the_variable(folder: Path) -> None:
    told = manifest("lint", cwd=folder, env={"MANIFEST_LINT_FAIL_ON": "all"}).err
    assert "from the variable MANIFEST_LINT_FAIL_ON: `all` is not one" in told


@rows(
    ("given", "told"),
    [
        ({"MANIFESTKIT_FAIL_ON": "warn"}, "set MANIFEST_LINT_FAIL_ON=warning"),
        ({"MANIFESTKIT_PROFILE": "0"}, "set MANIFEST_LINT_PROFILE"),
        ({"MANIFEST_TOKEN": "secret"}, ""),
    ],
)
def test_a_variable_by_another_name_is_told_with_ours_and_its_value(
    folder: Path, given: dict[str, str], told: str
) -> None:
    noted = manifest("lint", cwd=folder, env=given).err.partition(" is not read; ")[2]
    assert noted.partition("\n")[0] == told


def test_a_variable_that_the_configuration_names_is_read(folder: Path) -> None:
    (folder / "dist").mkdir()
    given = {"MANIFEST_TOKEN": "x"}
    command = ("deploy", "dist", "--dry-run")
    assert "set MANIFESTKIT_TOKEN" in manifest(*command, cwd=folder, env=given).err
    (folder / "manifestkit.toml").write_text('[publish]\nsite-token-env = "MANIFEST_TOKEN"\n')
    assert "MANIFEST_TOKEN" not in manifest(*command, cwd=folder, env=given).err


@rows("token", ["$(ManifestToken)", "${TOKEN}", "%TOKEN%", "#{Token}#", "{{ token }}"])
def test_a_token_that_was_not_filled_in_is_not_sent(folder: Path, token: str) -> None:
    url = "http://127.0.0.1:9"
    outcome = manifest("sites", "--base-url", url, cwd=folder, env={"MANIFESTKIT_TOKEN": token})
    told = "MANIFESTKIT_TOKEN: the variable in it was not filled in; define it where the command"
    assert (outcome.code, told in outcome.err) == (USAGE, True), outcome


@rows(
    ("typed", "code", "told"),
    [
        ("münchen.example", CLEAN, " for xn--mnchen-3ya.example\n"),
        ("mu\u0308nchen.example", CLEAN, " for xn--mnchen-3ya.example\n"),  # as macOS types it
        ("xn--mnchen-3ya.example", CLEAN, " for xn--mnchen-3ya.example\n"),
        (
            "straße.example",
            USAGE,
            "`straße.example` has no certain form in ASCII; write that, ",
        ),
        (".".join(["ü" * 30] * 7), USAGE, "has no certain form in ASCII"),  # it is too long there
    ],
)
def test_a_domain_is_sent_in_ascii(folder: Path, typed: str, code: int, told: str) -> None:
    site = folder / "site"
    site.mkdir(exist_ok=True)
    (site / "index.html").write_text("<p>Calm</p>")
    command = ("deploy", "site", "--no-manifest", "--dry-run", "--domain", typed)
    outcome = manifest(*command, cwd=folder)
    assert (outcome.code, told in outcome.out + outcome.err) == (code, True), outcome


@rows("command", [("lint",), ("fmt",), ("get", "/provider"), ("preview",)])
def test_what_is_piped_in_is_read_where_a_hyphen_says_so(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    told = manifest(*command, cwd=tmp_path, stdin=FAULTY.encode())
    assert (told.code, "- for standard input" in told.err) == (USAGE, True)


def test_a_run_of_fixes_says_what_is_left(folder: Path) -> None:
    wrong = '{"schema_version": 1, "permissions": ["host.timers", "xyz"], "activities": [],}'
    (folder / "a.manifest.json").write_text(wrong)
    before = manifest("lint", cwd=folder).err
    assert before.endswith("; more may be found once the syntax is correct\n")
    after = manifest("lint", "--fix", cwd=folder).err
    assert "2 fixed: 6 errors left; 1 fixable with --fix --unsafe-fixes, 5 to correct by" in after


@rows(
    ("text", "is_unread"),
    [
        ("{}", False),
        ("x: .nan", True),
        ("<<: {}", True),
        ("x: 1\n---\ny: 1", True),
        ("? [a]\n: 1", True),
        ("x: &a [*a]", True),
        ("x: !y 1", False),  # the rest of it is judged
        ("x: '", True),
        (f"x: {'[' * 200}", False),  # nothing to correct but its size
        ("version: 2\nservices: {}", False),  # of another kind
    ],
)
def test_what_ends_the_reading_may_hide_more(tmp_path: Path, text: str, is_unread: bool) -> None:
    (tmp_path / "a.manifest.yaml").write_text(f"{text}\n")
    told = manifest("lint", cwd=tmp_path).err
    assert told.endswith("; more may be found once the syntax is correct\n") is is_unread


def test_a_profile_that_is_linted_is_told_to_be_one(folder: Path) -> None:
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}
    (folder / "host.schema.json").write_text(json.dumps(schema))
    seen = manifest("lint", "host.schema.json", cwd=folder)
    assert "this is a JSON Schema, not an activity provider manifest" in seen.out
    assert "run `manifest lint --profile host.schema.json`" in seen.out
    named = manifest("profile", "host.schema.yaml", cwd=folder)
    assert "did you mean `manifest lint --profile host.schema.yaml`?" in named.err


def test_a_report_goes_to_a_file(folder: Path) -> None:
    usual = manifest("lint", cwd=folder)
    to_file = ("lint", "--output-format", "concise=report.txt")
    seen = manifest(*to_file, cwd=folder)
    assert (seen.code, seen.out, (folder / "report.txt").read_text("utf-8")) == (1, "", usual.out)
    assert "see report.txt" in seen.err
    manifest(*to_file, "--output-format", "sarif=a.sarif", cwd=folder)
    assert json.loads((folder / "a.sarif").read_text("utf-8"))["version"] == "2.1.0"
    twice = manifest(*to_file, "--output-format", "json=report.txt", cwd=folder)
    assert (twice.code, "two output formats write to report.txt" in twice.err) == (USAGE, True)
    assert manifest("lint", "--output-format", "concise=-", cwd=folder).out == usual.out


def test_a_job_of_github_gets_annotations_beside_the_text(folder: Path) -> None:
    usual = manifest("lint", cwd=folder)
    job = {"GITHUB_ACTIONS": "true"}
    annotated = manifest("lint", "--output-format", "github", cwd=folder)
    assert manifest("lint", cwd=folder, env=job).out == usual.out + annotated.out
    chosen = manifest("lint", "--output-format=concise", cwd=folder)
    assert manifest("lint", "--output-format=concise", cwd=folder, env=job) == chosen


def test_help_follows_the_message_off_a_terminal(folder: Path) -> None:
    lines = manifest("lint", cwd=folder).out.splitlines()
    assert lines[-1].endswith('must be a string, not the number `1`; write `"1.0"`')


@rows(
    "name",
    [
        "--config=c.manifest.json",
        "--write-baseline=z.manifest.json",
        "--output-format=json=victim.manifest.json",
        "-x.manifest.json",
    ],
)
def test_the_name_of_a_file_is_taken_for_no_option(tmp_path: Path, name: str) -> None:
    """As a hook or `xargs` gives the names of a contribution."""
    (tmp_path / "c.manifest.json").write_text('exclude = ["*"]\n')
    for each in (name, "bad.manifest.json", "victim.manifest.json"):
        (tmp_path / each).write_text("{}")
    outcome = manifest("lint", "--force-exclude", name, "bad.manifest.json", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert f"write `./{name}`" in outcome.err
    assert (tmp_path / "victim.manifest.json").read_text() == "{}"
    assert not (tmp_path / "z.manifest.json").exists()
    assert manifest("lint", "--", name, cwd=tmp_path).code == FINDINGS
    assert manifest("lint", f"./{name}", cwd=tmp_path).code == FINDINGS


def test_an_option_and_its_value_in_one_argument_are_told_apart(folder: Path) -> None:
    outcome = manifest("lint", "--profile host.schema.json", cwd=folder)
    assert outcome.code == USAGE
    assert "two words: write `manifest lint --profile host.schema.json`" in outcome.err


@rows("typed", ["--name=Calm Breathing", "--name Calm Breathing", "--name Calm Breathing App"])
@rows("others", ["", "--activity box='Box breathing'", "--version 1.0.0"])
def test_a_name_without_quotes_is_told_with_them(tmp_path: Path, typed: str, others: str) -> None:
    name = " ".join(typed.replace("=", " ").split()[1:])
    told = manifest_here("new", *typed.split(), *shlex.split(others), cwd=tmp_path).err
    line = shlex.join(["manifest", "new", *shlex.split(others), "--name", name])
    assert f"a name of several words stands in quotes: write `{line}`" in told
    activity = ["--activity", *f"box={name}".split()]
    told = manifest_here("new", "--version", "1.0.0", *activity, cwd=tmp_path).err
    assert told.endswith(f"write `manifest new --version 1.0.0 --activity 'box={name}'`\n")


def test_each_kind_of_word_in_the_table_of_other_tools_is_there() -> None:
    """A form without its kind would be a word that nobody types."""
    kinds, lines = {**other_tools("tables"), **other_tools("words")}, other_tools("lines")
    forms = [form for command, typed, _, _ in lines for form in (command, typed)]
    named = {kind for form in forms for kind in re.findall(r"[A-Z]{2,}", form)}
    assert named - {*kinds} == set()
    inside = "".join(other_tools("words").values())
    parts = {*re.findall(r"\?P<([A-Z]+)>", inside)}
    written = {part for _, _, ours, _ in lines for part in re.findall(r"[A-Z]{2,}", ours or "")}
    assert {*kinds} - named - parts == set()
    assert parts - written == set()


@rows("before", ["https://", "http://", "http:", " ", ""])
@rows("behind", ["", ":8080", "/", "/x?y=1", ":80/x", "?x", "."])
def test_the_host_of_an_address_is_told_and_not_its_scheme(
    tmp_path: Path, before: str, behind: str
) -> None:
    typed = f"{before}calm.example.org{behind}"
    by_option = manifest_here("deploy", ".", "--domain", typed, "--dry-run", cwd=tmp_path).err
    assert ("--domain calm.example.org`" in by_option) == (before + behind != "")
    (tmp_path / "manifestkit.toml").write_text(f'[publish]\ndomain = "{typed}"\n')
    (tmp_path / "dist").mkdir(exist_ok=True)
    by_setting = manifest_here("deploy", "dist", "--dry-run", cwd=tmp_path).err
    told = 'write `domain = "calm.example.org"`'
    assert (told in by_setting) == (before + behind != "")


@rows("typed", ["https://", "http:"])
def test_what_has_no_host_is_not_corrected(tmp_path: Path, typed: str) -> None:
    told = manifest_here("deploy", ".", "--domain", typed, cwd=tmp_path).err
    assert "host name" in told
    assert "write" not in told


@rows(
    ("settings", "there", "words", "told"),
    [
        (None, "", [], "`. --domain NAME`"),
        (None, "dist", [], "`dist --domain NAME`"),
        ("", "", ["--domain", "a.org"], "`. --config manifestkit.toml`"),
        ('domain = "a.org"', "", [], "`. --config manifestkit.toml`"),
        ('domain = "a.org"', "dist", [], "`dist`"),
    ],
)
def test_what_to_deploy_is_a_folder_that_is_there(
    tmp_path: Path, settings: str | None, there: str, words: list[str], told: str
) -> None:
    (tmp_path / there).mkdir(exist_ok=True)
    if settings is not None:
        (tmp_path / "manifestkit.toml").write_text(f"[publish]\n{settings}\n")
    assert f": add {told}\n" in manifest_here("deploy", *words, cwd=tmp_path).err
