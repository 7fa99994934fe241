"""The lines that messages say to write hold what was typed, as a shell takes it, and no secret."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command import USAGE, environment
from in_process import manifest_here
from manifestkit.cli.main import app
from manifestkit.files import other_tools
from manifestkit.rendering import FORMATS

_MARK = "XQ"
_ODD = (
    "XQ;id",
    "$(XQ)",
    "XQ y",
    "XQ'y",
    'XQ"y',
    "XQ|y",
    "XQ*",
    "~XQ",
    "XQ\\y",
    "#XQ",
    "XQ>y",
    "!XQ",
)
_FORMS = """
    add activity box W | add host.timer W | add permision host.timer W | add activity W
    completion W | convert W W | convert manifest.json W --too json | deploy W --app W
    deploy W W | diff main W | diff W | diff main..W | diff W manifest.json | explain W W
    fleet W | fleet lint W | fmt W --check-it | get provider W | get W W | lint --base-line W
    lint --baseline W | lint --output-format W | lint --no-such W | lint W --foo | login W
    login --user W | logout W | lsp W | new W | new --activity W | new --activity box:W
    new W --title W | nothing W | preview manifest.json --against W | preview W manifest.json
    profile W | profile test W W | remove provider W | sandbox W | schema W | set provider.name W y
    set provider name W | sites W
"""
_LINES = [each.split() for each in re.split(r"[|\n]", _FORMS) if each.strip()]
_SECRET = "S3CRETX"  # noqa: S105 - as somebody types one
_SECRETS = (
    [f"TOKEN={_SECRET}"],
    [f"--password={_SECRET}"],
    ["--api-key", _SECRET],
    [f"https://me:{_SECRET}@h.example/x"],
    [f"https://me:pa:{_SECRET}@h.example/x"],
    [f"https://me:{_SECRET}@ss@h.example/x"],
    [f"https://me:{_SECRET} ss@h.example/x"],
    [f"https://{_SECRET}:x@h.example/x"],
    [f"--site-pass={_SECRET}"],
    ["--cred", _SECRET],
    [f"site-key:{_SECRET}"],
    ["--api-keys", _SECRET],
    ["--", f"--site-token={_SECRET}"],
    ["--", "--auth-token", _SECRET],
    [f"https://h.example/x?token={_SECRET}"],
    [f"https://h.example/x.json?a=b&access_token={_SECRET}&c=d"],
    [f"--base-url=https://h.example/?token={_SECRET}"],
    ["--passphrase", _SECRET],
    [f"--bearer={_SECRET}"],
    ["--cookie", f"sid={_SECRET}"],
    ["--header", f"Authorization: Bearer {_SECRET}"],
    ["-H", f"Authorization: Bearer {_SECRET}"],
    [f"--header=Authorization: Bearer {_SECRET}"],
    ["--connection-string", f"Server=h.example;Password={_SECRET};"],
    ["-u", f"u:{_SECRET}"],
    ["--user", f"u:{_SECRET}"],
    [f"--user=u:{_SECRET}"],
    [f"u:{_SECRET}@h.example/x"],
    *([f"--token{blank}{_SECRET}"] for blank in "\t\n\r "),
    [f"token\t{_SECRET}"],
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "manifest.json").write_text("{}")
    return tmp_path


def test_every_command_has_a_line() -> None:
    assert {
        *app.to_info_dict(app.make_context("manifest", ["-V"], resilient_parsing=True))["commands"]
    } <= {line[0] for line in _LINES}


@pytest.mark.parametrize("word", _ODD)
def test_what_is_typed_comes_back_as_one_word_of_a_line(word: str, folder: Path) -> None:
    for line in _LINES:
        typed = [word if each == "W" else each for each in line]
        told = manifest_here(*typed, cwd=folder).err
        for command in re.findall(r"`((?:manifest|git|curl|--\w+) [^`]*)`", told):
            for each in shlex.split(command):
                assert _MARK not in each or word in each, (typed, command)


_FLAGS = re.findall(
    r"\S+",
    """
    --check --diff --dry-run --email --fix --force --format --include --list --list-rules --no-such
    --output --profile --quiet --stdin --strict --verbose --watch -b -c -o -p -s -v
    """,
)
_VALUES = ["breathe", "calm.example.org", "code-quality.json", "main..dev", "x.toml"]


@given(
    st.sampled_from([*dict.fromkeys(line[0] for line in _LINES), "bump", "fix", "pack", "version"]),
    st.sampled_from(_FLAGS),
    st.permutations(_VALUES),
    st.booleans(),
)
def test_a_value_that_is_typed_stands_in_the_line_to_write_or_is_left_out(
    name: str, flag: str, values: list[str], is_one_word: bool
) -> None:
    value, file, *_ = values
    option = [f"{flag}={value}"] if is_one_word else [flag, value]
    told = manifest_here(name, *option, file).err
    if meant := re.search(r"; (?:.*: write|did you mean) `manifest .*", told):
        is_explained = any(why and why in meant[0] for *_, why in other_tools("lines"))
        assert is_explained or {value, file} <= {*filter(meant[0].count, values)}, told


@pytest.mark.parametrize("number", range(len(_SECRETS)))
def test_a_secret_is_not_told_of_a_wrong_line(number: int, folder: Path) -> None:
    secret = _SECRETS[number]
    names = [[name] for name in dict.fromkeys(["TOKENS", *(line[0] for line in _LINES)])]
    for line in (*names, *(each[:-1] for each in _LINES[number % 5 :: 5])):
        outcome = manifest_here(*line, *secret, cwd=folder)
        is_wrong = "Usage:" in outcome.err
        assert not (is_wrong and _SECRET in outcome.err), (line, secret)


@pytest.mark.parametrize("end", ["", ".json"])
@pytest.mark.parametrize("command", ["lint", "diff manifest.json"])
def test_no_report_tells_a_secret(command: str, end: str, folder: Path) -> None:
    for form, secret in zip(cycle(FORMATS), _SECRETS, strict=False):
        typed = [*command.split(), "--output-format", form, *secret[:-1], f"{secret[-1]}{end}"]
        told = manifest_here(*typed, cwd=folder)
        assert told.code == USAGE, typed
        assert _SECRET not in told.out + told.err, typed


@pytest.mark.parametrize("form", [*FORMATS])
def test_a_file_that_is_there_is_told_by_its_name(form: str, folder: Path) -> None:
    name = f"TOKEN={_SECRET}.json"
    (folder / name).write_bytes(b"\xff")
    told = manifest_here("lint", "--output-format", form, name, cwd=folder)
    assert _SECRET in told.out
    (folder / name).unlink()
    (folder / name).mkdir()
    told = manifest_here("diff", "--output-format", form, name, "gone.json", cwd=folder)
    assert _SECRET in told.out + told.err


def test_the_log_of_a_crash_tells_no_typed_secret(folder: Path) -> None:
    code = (
        "import sys\nfrom manifestkit.cli.commands import edit\n"
        "def fail(*_, **__): raise LookupError(sys.argv)\n"
        "edit.get.invoke = fail\nfrom manifestkit.cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "get", f"TOKEN={_SECRET}"],
        env=environment(TMPDIR=str(folder)),
        capture_output=True,
        text=True,
        check=False,
    )
    (log,) = folder.glob("manifestkit-*.log")
    assert (done.returncode, _SECRET in log.read_text("utf-8") + done.stderr) == (70, False)


def test_a_secret_is_not_told_of_a_wrong_variable(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for secret in (f"tok:{_SECRET}", f"https://me:p@{_SECRET}@h.example", f"a pass={_SECRET}"):
        monkeypatch.setenv("MANIFESTKIT_API_FORM", secret)
        told = manifest_here("sites", cwd=folder).err
        assert "MANIFESTKIT_API_FORM: `" in told, secret
        assert _SECRET not in told, secret


def test_what_is_no_secret_is_told(folder: Path) -> None:
    told = manifest_here("lint", "--severity", "api-key-format:warning", "x", cwd=folder).err
    assert "`manifest lint x --severity api-key-format=warning`" in told
    told = manifest_here("get", "--key", "name", cwd=folder).err
    assert "`manifest get name`" in told
    told = manifest_here("fmt", "--sort-keys", "manifest.json", "--foo", cwd=folder).err
    assert "manifest.json" in told
    told = manifest_here("lint", "--severity", "TOKEN=is", "--foo", cwd=folder).err
    assert "there is no option `--foo`" in told


@pytest.mark.parametrize("command", ["convert", "diff old.json", "fmt", "get x", "lint"])
def test_a_password_in_an_address_is_not_told(command: str, folder: Path) -> None:
    for password in (_SECRET, f"p:{_SECRET}", f"{_SECRET}@ss", f"p@{_SECRET}"):
        address = f"https://me:{password}@h.example/x.json"
        told = manifest_here(*command.split(), address, cwd=folder)
        assert _SECRET not in told.out + told.err, password


@pytest.mark.parametrize(
    "typed",
    [
        ["get", f"TOKEN={_SECRET}"],
        ["get", f"TOKEN={_SECRET * 20}"],
        ["get", f"TOKEN={_SECRET}'s"],
        ["remove", "permission", f"token={_SECRET}"],
        ["add", "host.timer", f"TOKEN={_SECRET}"],
        ["lint", "--baseline", f"--password={_SECRET}"],
        ["new", "--activity", f"TOKEN:{_SECRET}"],
        ["deploy", f"TOKEN={_SECRET}"],
        ["deploy", f"TOKEN={_SECRET}", "--json"],
        ["deploy", f"ghp_{_SECRET * 3}"],
        ["diff", "manifest.json", f"https://me:{_SECRET}@h.example/x.json"],
    ],
)
def test_a_secret_is_not_told_of_what_cannot_be_done(typed: list[str], folder: Path) -> None:
    told = manifest_here(*typed, cwd=folder)
    assert (told.code != 0, "error: " in told.err) == (True, True)
    assert _SECRET not in told.out + told.err


def test_the_level_of_a_rule_is_no_secret(folder: Path) -> None:
    wrong = "api-key-format=loud"
    for words, env in ((["--severity", wrong], {}), ([], {"MANIFEST_LINT_SEVERITY": wrong})):
        assert (
            f"`{wrong}` is not RULE=LEVEL" in manifest_here("lint", *words, cwd=folder, env=env).err
        )


def test_an_address_to_compare_is_to_be_saved_first(folder: Path) -> None:
    told = manifest_here("diff", "manifest.json", "https://h.example/x.json", cwd=folder).err
    assert "addresses are not read; save it first, as with `curl --location --output x" in told


@pytest.mark.parametrize("asked", ["-h", "--help", "-qh"])
def test_a_wrong_word_beside_help_is_told(asked: str, folder: Path) -> None:
    for name, *_ in _LINES:
        told = manifest_here(name, "--no-such-thing", asked, cwd=folder).err
        assert "error: there is no" in told, (name, told)
