"""A bug that a file meets: it is named with its log, others are dealt with, the code is 70."""

from __future__ import annotations

import errno
import html
import json
import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from command import CLEAN, FINDINGS, environment, manifest, package_in
from in_process import manifest_here
from manifestkit.rendering import FORMATS
from report_cases import GOOD_TEXT

CRASH = 70
BAD_TEXT = GOOD_TEXT.replace('"1.0"', "1", 1)

# What is done with files of these names fails in a way that nobody foresaw: the interpreter calls
# an audit hook, which may refuse what it is told of, and says so in its own way.
_REFUSED = """
import runpy, sys


def refuse(event, arguments):
    if event == "open" and "doomed" in str(arguments[0]):
        raise ZeroDivisionError("crash") if "odd" in str(arguments[0]) else KeyError("crash")


sys.addaudithook(refuse)
runpy.run_module("manifestkit", run_name="__main__", alter_sys=True)
"""

# Less memory than the largest file takes, when everything else is loaded.
_SHORT = """
import resource, runpy, sys
import manifestkit.cli.commands.fmt, manifestkit.cli.commands.lint.fixing

manifestkit.lint("{}")
pages = int(open("/proc/self/statm").read().split()[0])
most = pages * resource.getpagesize() + 24 * 1024 * 1024
resource.setrlimit(resource.RLIMIT_AS, (most, most))
runpy.run_module("manifestkit", run_name="__main__", alter_sys=True)
"""


def _run(script: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=folder,
        env=environment(TMPDIR=str(folder)),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def _log(text: str) -> Path:
    found = re.search(r"the log (\S+\.log),", text)
    assert found, text
    return Path(found[1])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A good file, a faulty one, and two between them that all fail on."""
    for name, text in {
        "a.manifest.json": BAD_TEXT,
        "b-doomed.manifest.json": GOOD_TEXT,
        "c-doomed.manifest.json": GOOD_TEXT,
        "d-odd-doomed.manifest.json": GOOD_TEXT,
        "e.manifest.json": BAD_TEXT,
    }.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_every_format_shows_the_others_and_names_the_crashed_ones(folder: Path) -> None:
    outputs = [f"--output-format={name}=out.{name}" for name in FORMATS]
    done = _run(_REFUSED, "lint", ".", *outputs, "--output-format=concise", folder=folder)
    assert done.returncode == CRASH
    assert "Traceback" not in done.stderr
    logs = list(folder.glob("*.log"))
    assert logs == [_log(done.stderr)], "one log for all"
    log = logs[0].read_text("utf-8")
    assert log.startswith("b-doomed.manifest.json\nc-doomed.manifest.json\nTraceback")
    assert "KeyError" in log
    assert "\nd-odd-doomed.manifest.json\nTraceback" in log
    for name in FORMATS:
        text = (folder / f"out.{name}").read_text("utf-8")
        for file in ("b-doomed", "c-doomed", "d-odd-doomed"):
            assert f"{file}.manifest.json" in text, name
        assert logs[0].name in text.replace("`", ""), name
        assert "a.manifest.json" in text, name
        assert "e.manifest.json" in text, name
    report = json.loads((folder / "out.json").read_text("utf-8"))
    assert [each["path"][0] for each in report["findings"]] == ["a", "e"]
    assert [each["path"][0] for each in report["errors"]] == ["b", "c", "d"]
    assert report["summary"]["files"] == 2


_IDS = {
    "full": r"^\w+\[(.+?)\]:",
    "concise": r":\d+: (?:error|warning|info) (\S+)",
    "github": r"title=([^:,]+)",
    "gitlab": r'"check_name": "(.+?)"',
    "json": r'"rule": "(.+?)"',
    "junit": r"<(?:error|failure) type=\"(.+?)\"",
    "markdown": r"<sub>`(.+?)`",
    "sarif": r'"(?:ruleId|id)": ?"([a-z-]+)"',
    "html": r'<span id="r\d+">(?:<a[^>]+>)?(.+?)<',
}


@pytest.mark.parametrize(
    "command", [("lint", "."), ("diff", "old/a.manifest.json", "f.manifest.json")]
)
def test_each_id_that_a_report_prints_is_explained(command: tuple[str, ...], folder: Path) -> None:
    assert {*_IDS} == {*FORMATS}
    (folder / "old").mkdir()
    for each in sorted(folder.glob("*.json")):
        (folder / "old" / each.name).write_text(GOOD_TEXT, "utf-8")
    (folder / "f.manifest.json").symlink_to("nowhere")
    outputs = [f"--output-format={name}=out.{name}" for name in FORMATS]
    _run(_REFUSED, *command, *outputs, folder=folder)
    printed = set[str]()
    for name, pattern in _IDS.items():
        text = (folder / f"out.{name}").read_text("utf-8")
        ids = {html.unescape(each) for each in re.findall(pattern, text, re.MULTILINE)}
        assert ids, name
        printed |= ids
    assert {"crash", "unreadable-file"} <= printed or command[0] == "diff"
    for rule in sorted(printed):
        outcome = manifest_here("explain", rule)
        assert (outcome.code, outcome.out.splitlines()[:1]) == (CLEAN, [rule])


@pytest.mark.parametrize(
    "arguments",
    [
        ("lint", "--fix"),
        ("lint", "--diff"),
        ("lint", "--write-baseline=known.json"),
        ("lint", "--show-files"),
        ("lint", "--exit-zero"),
        ("fmt",),
        ("fmt", "--check"),
    ],
    ids=" ".join,
)
def test_what_goes_over_many_files_goes_on(arguments: tuple[str, ...], folder: Path) -> None:
    for name in ("a.manifest.json", "e.manifest.json"):
        (folder / name).write_text(BAD_TEXT.replace("\n", ""), "utf-8")
    done = _run(_REFUSED, *arguments, ".", folder=folder)
    assert done.returncode == CRASH
    assert "Traceback" not in done.stderr
    assert _log(done.stderr).exists()
    assert "c-doomed.manifest.json: this is a bug in manifestkit (KeyError)" in done.stderr
    if arguments in {("fmt",), ("lint", "--fix")}:
        text = (folder / "e.manifest.json").read_text("utf-8")
        assert ("\n" in text) == (arguments == ("fmt",))
        assert ('"schema_version": "1.0"' in text) == (arguments != ("fmt",))
    if "--write-baseline=known.json" in arguments:
        assert not (folder / "known.json").exists()
        assert "known.json is not written" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="the size of a process is read from /proc")
@pytest.mark.parametrize("arguments", [("lint",), ("lint", "--fix"), ("fmt", "--check")])
def test_a_file_that_memory_does_not_hold_takes_no_other(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    for name in ("a", "c"):
        (tmp_path / f"{name}.manifest.json").write_text(BAD_TEXT, "utf-8")
    (tmp_path / "b.manifest.json").write_text(BAD_TEXT + " " * 30_000_000, "utf-8")
    done = _run(_SHORT, *arguments, ".", folder=tmp_path)
    assert done.returncode == CRASH, done.stderr
    assert "b.manifest.json: there is not enough memory" in done.stderr
    if arguments == ("lint", "--fix"):
        assert re.findall(r"(\w)\.manifest\.json: wrong-type fixed", done.stderr) == ["a", "c"]
    elif arguments[0] == "lint":
        assert re.findall(r"^(\w)\.manifest\.json:2:", done.stdout, re.MULTILINE) == ["a", "c"]


_OF_FOLDER = """
import runpy, sys

sys.path.insert(0, {!r})
runpy.run_module("manifestkit", run_name="__main__", alter_sys=True)
"""
_RAISING = """

def describe(_manifest, _violation):
    raise KeyError("no text")
"""


@pytest.mark.parametrize("rule", ["empty_text", "lone_surrogate"])
def test_a_text_that_cannot_be_made_costs_no_verdict(rule: str, tmp_path: Path) -> None:
    package = package_in(tmp_path / "package")
    with (package / "rules" / "checks" / f"{rule}.py").open("a") as file:
        file.write(_RAISING)
    broken = BAD_TEXT.replace('"name": "', '"name": "\\udc00', 1).replace('"1.0.0"', '""', 1)
    (tmp_path / "a.manifest.json").write_text(broken, "utf-8")
    (tmp_path / "b.manifest.json").write_text(BAD_TEXT, "utf-8")
    options = ["--output-format=json", "--output-format=concise=out.txt"]
    expected = json.loads(manifest("lint", ".", *options, cwd=tmp_path).out)
    script = _OF_FOLDER.format(str(tmp_path / "package"))
    found = _run(script, "lint", ".", *options, folder=tmp_path)
    assert found.returncode == CRASH
    report = json.loads(found.stdout)
    told, before = (
        [(each["path"], each["rule"], each["severity"], each["pointer"]) for each in listed]
        for listed in (report["findings"], expected["findings"])
    )
    assert sorted(told) == sorted(before)
    assert report["summary"] == expected["summary"]
    name = rule.replace("_", "-")
    (plain,) = [each for each in report["findings"] if each["rule"] == name]
    assert f"does not satisfy `{name}`" in plain["message"]
    assert [each["path"] for each in report["errors"]] == ["a.manifest.json"]
    assert "this is a bug in manifestkit (KeyError)" in report["errors"][0]["message"]
    assert "no text" in _log(found.stderr).read_text("utf-8")


@pytest.mark.parametrize(
    "arguments",
    [
        ("lint", "site.zip"),
        ("deploy", "site", "--dry-run"),
        ("diff", "good.json", "site/manifest.json"),
    ],
    ids=" ".join,
)
def test_a_text_that_cannot_be_made_is_a_bug_of_each_command(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    package = package_in(tmp_path / "package")
    with (package / "rules" / "checks" / "empty_text.py").open("a") as file:
        file.write(_RAISING)
    (tmp_path / "site").mkdir()
    (tmp_path / "good.json").write_text(GOOD_TEXT, "utf-8")
    text = GOOD_TEXT.replace('"1.0.0"', '""', 1)
    (tmp_path / "site" / "manifest.json").write_text(text, "utf-8")
    with ZipFile(tmp_path / "site.zip", "w") as archive:
        archive.writestr("manifest.json", text)
    done = _run(_OF_FOLDER.format(str(tmp_path / "package")), *arguments, folder=tmp_path)
    assert done.returncode == CRASH
    assert "this is a bug in manifestkit (KeyError)" in done.stderr


_WITHOUT_PAGE = """

_page_of = rule_page


def rule_page(rule):
    if rule in ("archive", "unused-suppression"):
        raise KeyError("no page")
    return _page_of(rule)
"""


@pytest.mark.parametrize("target", [".", "site.zip"])
def test_a_text_about_what_stands_beside_a_manifest_is_a_bug_too(
    target: str, tmp_path: Path
) -> None:
    package = package_in(tmp_path / "package")
    with (package / "rules" / "catalogue.py").open("a") as file:
        file.write(_WITHOUT_PAGE)
    entry = '[[suppress]]\nrule = "empty-text"\nreason = "none"\n'
    (tmp_path / "manifestkit.toml").write_text(entry, "utf-8")
    (tmp_path / "good.manifest.json").write_text(GOOD_TEXT, "utf-8")
    with ZipFile(tmp_path / "site.zip", "w") as archive:
        archive.writestr("manifest.json", GOOD_TEXT)
        archive.writestr("../beside", "")
    script = _OF_FOLDER.format(str(tmp_path / "package"))
    done = _run(script, "lint", target, folder=tmp_path)
    assert "does not satisfy `" in done.stdout
    assert "this is a bug in manifestkit (KeyError)" in done.stderr
    assert done.returncode == CRASH


def test_without_a_crash_there_is_no_log(folder: Path) -> None:
    done = _run(_REFUSED, "lint", "a.manifest.json", folder=folder)
    assert done.returncode == FINDINGS
    done = _run(_REFUSED, "fmt", "a.manifest.json", folder=folder)
    assert done.returncode == CLEAN
    assert not list(folder.glob("*.log"))


# An error that the system gives for something of ours, and not for what is written to the user.
_BROKEN = """
import os, runpy, sys


def refuse(event, arguments):
    if event == "import" and arguments[0] == {module!r}:
        raise OSError({code}, os.strerror({code}))


sys.addaudithook(refuse)
runpy.run_module("manifestkit", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize("code", [errno.EPIPE, errno.ENOSPC, errno.EMFILE], ids=errno.errorcode.get)
@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("manifestkit.cli.options", ["lint", "a.manifest.json"]),
        ("manifestkit.edits.formatting", ["fmt", "--check"]),
        ("manifestkit.changes.git", ["diff", "--base", "HEAD"]),
    ],
)
def test_an_error_of_something_else_is_not_taken_for_one_of_the_output(
    code: int, module: str, command: list[str], folder: Path
) -> None:
    done = _run(_BROKEN.format(module=module, code=code), *command, folder=folder)
    assert done.returncode == CRASH
    assert "the output cannot be written" not in done.stderr
    assert "this is a bug in manifestkit" in done.stderr
