"""Each text is read once, whatever a command does with it, and so are its values."""

from __future__ import annotations

import gc
import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from command import CLEAN, FINDINGS
from in_process import manifest_here
from manifestkit.decode import decode
from manifestkit.engine.lint import lint
from samples import FIXABLE, FIXED, MESSY, VALID

MANY = 20_000


@contextmanager
def calls_of(code: CodeType) -> Iterator[list[dict[str, Any]]]:
    """The arguments of each call of a function, in order."""
    seen: list[dict[str, Any]] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is code:
            seen.append(dict(frame.f_locals))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield seen
    finally:
        sys.setprofile(before)


def texts_read(*arguments: str, stdin: bytes = b"", code: int = CLEAN) -> Counter[str]:
    """How often a run of the command reads each text."""
    with calls_of(decode.__code__) as calls:
        assert manifest_here(*arguments, stdin=stdin).code == code
    sources = (each["source"] for each in calls)
    return Counter(each if isinstance(each, str) else each.decode() for each in sources)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MANIFESTKIT_SITE_TOKEN", "a-token")
    return tmp_path / "manifest.json"


@pytest.mark.parametrize("name", ["manifest.json", "manifest.yaml"])
def test_the_collector_does_not_go_through_the_values_of_a_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    values = {**json.loads(VALID), "parameters": {"many": [[number] for number in range(MANY)]}}
    Path(name).write_text(json.dumps(values), "utf-8")
    made: list[int] = []

    def note(phase: str, _: dict[str, int]) -> None:
        if phase == "start":
            made.append(gc.get_count()[0])

    gc.collect()
    gc.callbacks.append(note)
    try:
        assert manifest_here("lint", "--isolated", name).code == CLEAN
    finally:
        gc.callbacks.remove(note)
    assert max(made, default=0) < MANY


@pytest.mark.parametrize("is_piped", [False, True])
def test_fixing_one_finding_reads_the_text_before_and_the_text_after(
    file: Path, *, is_piped: bool
) -> None:
    file.write_bytes(FIXABLE)
    arguments = ["lint", "--fix", *(["-", "--stdin-filename", "m.json"] if is_piped else [])]
    read = texts_read(*arguments, stdin=FIXABLE)
    assert read == {FIXABLE.decode(): 1, FIXED.decode(): 1}
    assert is_piped or file.read_bytes() == FIXED


def test_fixing_syntax_reads_the_text_before_and_the_text_after(file: Path) -> None:
    broken = VALID.replace(b'"permissions": []', b'"permissions": [],')
    file.write_bytes(broken)
    read = texts_read("lint", "--fix")
    assert broken.decode() in read
    assert file.read_bytes().decode() in read
    assert set(read.values()) == {1}


@pytest.mark.parametrize("data", [VALID, MESSY])
def test_formatting_reads_each_text_once(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    read = texts_read("fmt")
    assert read == {data.decode(): 1, file.read_bytes().decode(): 1}
    assert texts_read("fmt") == {file.read_bytes().decode(): 1}


@pytest.mark.parametrize(
    "arguments",
    [
        ("set", "/provider/version", "1.2.0"),
        ("set", "/provider/version", "1.2.0", "manifest.json"),
        ("add", "permission", "host.timer"),
        ("remove", "/activities/0", "--force"),
        ("new", "manifest.json", "--fill", "--yes"),
        ("convert", "manifest.json", "--to", "yaml"),
        ("lint",),
    ],
)
def test_a_change_reads_each_text_once(file: Path, arguments: tuple[str, ...]) -> None:
    file.write_bytes(VALID)
    read = texts_read(*arguments)
    assert VALID.decode() in read
    assert set(read.values()) == {1}


DEPLOY = ("deploy", ".", "--domain", "calm.example.org", "--dry-run")


def test_the_gate_reads_and_judges_the_manifest_once(file: Path) -> None:
    file.write_bytes(VALID)
    assert texts_read(*DEPLOY) == {VALID.decode(): 1}
    with calls_of(lint.__code__) as judged:
        manifest_here(*DEPLOY)
    assert len(judged) == 1


ASKING = VALID.replace(b'"permissions": []', b'"permissions": ["host.timer"]')


def test_comparing_reads_each_text_once(file: Path) -> None:
    file.write_bytes(ASKING)
    file.with_name("old.json").write_bytes(VALID)
    once = {VALID.decode(): 1, ASKING.decode(): 1}
    assert texts_read("diff", "old.json", file.name, code=FINDINGS) == once


@pytest.mark.parametrize(
    "setting",
    [
        'ignore = ["wrong-type"]',
        'select = ["missing-field"]',
        'severity = { "wrong-type" = "warning" }',
        '[[suppress]]\nrule = "wrong-type"\nreason = "later"',
        "[limits]\nnodes = 10_000_000",
    ],
)
def test_no_setting_lets_an_error_pass_the_gate(file: Path, setting: str) -> None:
    file.write_bytes(VALID.replace(b'"1.0"', b"1", 1))
    (file.parent / "manifestkit.toml").write_text(setting, "utf-8")
    arguments = (*DEPLOY, "--config=manifestkit.toml")
    assert "wrong-type" in manifest_here(*arguments).out + manifest_here(*arguments).err
    assert texts_read(*arguments, code=FINDINGS) == {file.read_bytes().decode(): 1}
