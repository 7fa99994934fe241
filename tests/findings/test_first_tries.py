"""What people tried who had read README alone, and what they were told.

Each file in `first_tries/` has commands, the files that they find, and under `output` what they
print: the next file gets its own with `pytest --regenerate`. The mistakes were made without a look
at tests or source, and their messages rated by reading them alone.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest

from command import USAGE
from in_process import manifest_here
from rows import rows

FOLDER = Path(__file__).with_name("first_tries")
FILES = sorted(FOLDER.glob("*/*.txt"))
_PART = re.compile(r"^-- (.+) --\n", re.MULTILINE)
_COMMAND = re.compile(r"`(manifest [a-z][^`]*)`")
_PLACEHOLDER = re.compile(r"(?<!\w=)\b[A-Z]{2,}\b")
_OF_WHAT_IS_NOT_HERE = {"new", "login", "logout", "sites", "sandbox", "deploy", "lsp", "--base"}
_OUTPUT = "output"


class Try(NamedTuple):
    """Commands, and the files that they find."""

    commands: list[str]
    files: dict[str, str]

    @classmethod
    def read(cls, file: Path) -> Try:
        first, *rest = _PART.split(file.read_text("utf-8"))
        parts = dict(zip(rest[::2], rest[1::2], strict=True))
        parts.pop(_OUTPUT, None)
        return cls([line.removeprefix("$ ") for line in first.splitlines()], parts)

    @staticmethod
    def expected(file: Path) -> str:
        return file.read_text("utf-8").partition(f"-- {_OUTPUT} --\n")[2]

    def output(self, folder: Path) -> str:
        for name, text in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, "utf-8", newline="")
        return "".join(map(_printed, self.commands))


def _printed(command: str) -> str:
    first, *words = shlex.split(command)
    name, is_set, value = first.partition("=")
    outcome = manifest_here(*words[1:], env={name: value}) if is_set else manifest_here(*words)
    return f"{outcome.out}{outcome.err}exit code {outcome.code}\n"


@rows("file", FILES, ids=lambda file: file.stem)
def test_a_first_try_is_told_as_it_was_read_and_each_command_that_it_names_leads_on(
    file: Path, regenerate: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "calm"  # a name that does not change
    folder.mkdir()
    monkeypatch.chdir(folder)
    tried = Try.read(file)
    printed = tried.output(folder)
    said, _, expected = file.read_text("utf-8").partition(f"-- {_OUTPUT} --\n")
    if regenerate:
        file.write_text(f"{said}-- {_OUTPUT} --\n{printed}", "utf-8", newline="")
        expected = printed
    assert printed == expected
    for command in _COMMAND.findall(printed):
        name = next(iter(tried.files), "manifest.json")
        words = shlex.split(_PLACEHOLDER.sub(name, command))[1:]
        for word in words:  # nobody names a file in a folder that is not there
            (folder / word.rpartition("=")[2].lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
        outcome = manifest_here(*words, *(["--help"] if _OF_WHAT_IS_NOT_HERE & {*words} else []))
        assert outcome.code != USAGE, (command, outcome)
