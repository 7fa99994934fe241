"""Where a command runs may be as bad as what it reads: a clear end, and nothing lost."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import click
import pytest

from command import CLEAN, FINDINGS, MANIFEST, USAGE, environment, manifest
from hostile_files import FIXABLE
from in_process import manifest_here
from manifestkit.cli.main import app
from samples import VALID
from skips import posix

pytestmark = [pytest.mark.slow, posix]
needs_dev_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")

INTERRUPTED = 130
UNTIDY = FIXABLE.replace(b'"id": "stretch"', b'"id":     "stretch"')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a manifest that can be fixed and formatted, and a site."""
    folder = tmp_path / "folder"
    (folder / "site").mkdir(parents=True)
    (folder / "m.json").write_bytes(UNTIDY)
    (folder / "part.json").write_bytes(b"{}\n")
    (folder / "site" / "manifest.json").write_bytes(VALID)
    return folder


def _listed(folder: Path) -> dict[Path, bytes | None]:
    return {each: each.read_bytes() if each.is_file() else None for each in folder.rglob("*")}


_SHOWING = [
    "fmt --diff m.json",
    "lint --diff m.json",
    "new x.json --yes --dry-run",
    "schema",
    "explain version-form",
    "deploy site --domain example.com --dry-run",
]
_WRITING = [
    "fmt m.json",
    "lint --fix m.json",
    "set /provider/version 2.0.0 m.json",
    "new part.json --fill --yes",
    "new x.json --yes",
    "schema --output s.json",
    "lint --write-baseline=b.json m.json",
    "lint --output-format=json=o.json m.json",
]


@needs_dev_full
@pytest.mark.parametrize("command", _SHOWING)
def test_a_full_standard_output_is_told(command: str, folder: Path) -> None:
    fully = ("sh", "-c", 'exec "$@" >/dev/full', "sh")
    outcome = manifest(*command.split(), cwd=folder, by=fully)
    assert outcome.code == USAGE
    assert "error: the output cannot be written: no space left on device\n" in outcome.err


@needs_dev_full
@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("lint m.json", FINDINGS),
        ("set /provider/version 2.0.0 m.json", CLEAN),
        ("fmt m.json", CLEAN),
    ],
)
def test_a_full_standard_error_changes_no_exit_code(command: str, code: int, folder: Path) -> None:
    quietly = ("sh", "-c", 'exec "$@" 2>/dev/full', "sh")
    assert manifest(*command.split(), cwd=folder, by=quietly).code == code
    assert ((folder / "m.json").read_bytes() == UNTIDY) == command.startswith("lint")


@pytest.mark.parametrize("command", _WRITING)
def test_a_full_disk_is_told_with_the_name_and_harms_no_file(command: str, folder: Path) -> None:
    before = _listed(folder)
    limited = ("sh", "-c", 'ulimit -f 0; exec "$@"', "sh")
    outcome = manifest(*command.split(), cwd=folder, by=limited)
    assert outcome.code == USAGE
    assert "error: " in outcome.err
    assert "ile too large" in outcome.err
    assert "None" not in outcome.err
    left = _listed(folder)
    left.pop(folder / ".vscode", None)
    assert left == before


@pytest.mark.parametrize("command", [*_WRITING, "sandbox --data data --port 0"])
def test_a_folder_that_may_not_be_written_is_told(
    command: str, folder: Path, held_back: tuple[str, ...]
) -> None:
    folder.chmod(0o555)
    for name in ("m.json", "part.json"):
        (folder / name).chmod(0o444)
    before = _listed(folder)
    outcome = manifest(*command.split(), cwd=folder, by=held_back)
    folder.chmod(0o755)
    assert outcome.code == USAGE
    assert "ermission denied" in outcome.err or "is read-only" in outcome.err
    assert _listed(folder) == before


_ONE_OF_EACH = [
    *("lint -", "lint --isolated -", "lint --stdin-filename {0}", "lint {0}", "diff - {0}"),
    *("diff {0} {0}", "fmt -", "fmt", "new x.json --yes", "set /a b {0}", "get /a {0}"),
    *("add permission host.timer {0}", "remove /a {0}", "convert {0} --to yaml", "schema"),
    *("explain version-form", "profile test {0}", "preview {0}", "fleet lint {0} -o r", "login"),
    *("logout", "sites", "deploy {1} --list", "deploy {1} --dry-run", "sandbox", "lsp"),
    "completion bash",
]


def test_every_command_has_a_run_without_a_working_folder() -> None:
    named = {each.split()[0] for each in _ONE_OF_EACH}
    assert named == {*app.list_commands(click.Context(app))}


@pytest.mark.parametrize("command", _ONE_OF_EACH)
def test_a_working_folder_that_is_gone_is_told(command: str, folder: Path) -> None:
    lost = ("sh", "-c", 'mkdir gone; cd gone; rmdir ../gone; exec "$@"', "sh")
    words = command.format(folder / "m.json", folder / "site").split()
    outcome = manifest(*words, cwd=folder, stdin=VALID, by=lost)
    told = "error: the current folder no longer exists; change to another one\n"
    assert (outcome.code, outcome.out, outcome.err) == (USAGE, "", told)


def test_without_a_home_a_command_says_what_to_set(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody(number: int) -> NoReturn:
        raise KeyError(number)

    monkeypatch.chdir(folder)
    monkeypatch.setattr("pwd.getpwuid", nobody)  # as in a container, with a user of its own
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    deploy = ("deploy", "site", "--domain", "example.com", "--dry-run")
    assert manifest_here(*deploy).code == CLEAN
    sites = manifest_here("sites", "--base-url", "http://127.0.0.1:9")
    assert sites.err == "error: this user has no home folder: set HOME, or XDG_CONFIG_HOME\n"
    assert manifest_here("lint", "site").code == CLEAN


_ASCII = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}


def test_a_locale_of_ascii_changes_no_file_and_no_verdict(folder: Path) -> None:
    name = "mänifest.json"
    written = UNTIDY.replace(b'"Stretch"', '"Dehnen für 日本"'.encode())
    (folder / name).write_bytes(written)
    outcome = manifest("lint", name, "-q", "--output-format=full", cwd=folder, env=_ASCII)
    assert outcome.code == FINDINGS
    assert outcome.out.isascii()
    assert manifest("fmt", name, cwd=folder, env=_ASCII).code == CLEAN
    assert (folder / name).read_bytes() == written.replace(b'"id":     ', b'"id": ')
    named = manifest("set", "/provider/name", "ß", name, cwd=folder, env=_ASCII)
    assert named.code in {CLEAN, USAGE}  # some systems read UTF-8 in any locale
    assert ("is not UTF-8 text" in named.err) == (named.code == USAGE)
    (folder / name).write_bytes(written)
    made = manifest("new", "x.json", "--yes", "--from", name, cwd=folder, env=_ASCII)
    assert made.code == USAGE, "a permission in it is none"
    assert made.err.isascii()


_NOT_WAITING = """
import os, sys
for each in range(3):
    os.set_blocking(each, False)
os.execvp(sys.argv[1], sys.argv[1:])
"""


@pytest.mark.parametrize("command", ["lint -", "lint --fix -", "fmt -", "schema"])
def test_streams_that_do_not_wait_are_waited_for(command: str, folder: Path) -> None:
    text = UNTIDY.replace(b'"Stretch"', b'"%s"' % (b"x" * 1_000_000))
    usual = manifest(*command.split(), cwd=folder, stdin=text)
    by = (sys.executable, "-c", _NOT_WAITING)
    assert manifest(*command.split(), cwd=folder, stdin=text, by=by) == usual


@pytest.mark.parametrize("command", ["lint -", "lint --fix -", "fmt -", "new x.json --from -"])
def test_an_interrupt_while_standard_input_is_read_ends_it_quietly(
    command: str, folder: Path
) -> None:
    with subprocess.Popen(
        [*MANIFEST, *command.split()],
        cwd=folder,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        # More than a pipe holds: once all is written, the command is reading.
        process.stdin.write(b" " * 1_000_000)
        process.stdin.flush()
        code = None
        while code is None:
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):  # it came just before the system's call
                code = process.wait(timeout=5)
        said = process.stdout.read() + process.stderr.read()
    assert (code, said) == (INTERRUPTED, b"\n")
    assert not (folder / "x.json").exists()
