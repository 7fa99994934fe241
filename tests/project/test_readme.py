"""What README and the tutorials show is what happens."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from terminal import on_a_terminal

ROOT = Path(__file__).parents[2]
README_FILE = ROOT / "README.md"
README = README_FILE.read_text("utf-8")
TUTORIAL_FOLDER = ROOT / "docs" / "tutorials"
TUTORIALS = sorted(TUTORIAL_FOLDER.iterdir())
_COLUMNS = 80
_STEP = re.compile(r'^```(\w+)(?: title="(.*)")?\n((?:.*\n)*?)```$', re.MULTILINE)
_SESSION = re.compile(r"^```console\n((?:.*\n)*?)```$", re.MULTILINE)
_SPEED = re.compile(r"^\| ([1O].+?) \|.*\|$", re.MULTILINE)
_PROGRAMS = (
    *("manifest", "sourcemeta jsonschema", "sourcemeta jsonschema --fast", "ajv"),
    "check-jsonschema",
)
SESSIONS = [
    re.split(r"(?<!\\)\n", each.removeprefix("$ "), maxsplit=1) for each in _SESSION.findall(README)
]
MANIFEST = re.findall(r"^```json\n((?:.*\n)+?)```$", README, re.MULTILINE)[0]


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal is a thing of POSIX")
@pytest.mark.parametrize(("command", "shown"), SESSIONS, ids=[each[0] for each in SESSIONS])
def test_a_command_prints_what_readme_shows(
    command: str, shown: str, tmp_path: Path, regenerate: bool
) -> None:
    (tmp_path / "manifest.json").write_text(MANIFEST, "utf-8")

    printed = on_a_terminal(command, tmp_path)

    if regenerate:
        shown = _written(README_FILE, command, shown, printed)
    assert printed == shown


def _written(page: Path, command: str, shown: str, printed: str) -> str:
    text = page.read_text("utf-8")
    page.write_text(text.replace(f"{command}\n{shown}```", f"{command}\n{printed}```"), "utf-8")
    return printed


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal is a thing of POSIX")
@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_can_be_followed_from_its_beginning_to_its_end(
    page: Path, tmp_path: Path, regenerate: bool
) -> None:
    def followed(step: re.Match[str]) -> str:
        kind, title, block = step.groups()
        if title:
            (tmp_path / title).parent.mkdir(exist_ok=True)
            (tmp_path / title).write_text(block, "utf-8")
        if title or kind != "console":
            return step[0]
        *silent, last = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
        for command in silent:
            assert on_a_terminal(command, tmp_path, columns=_COLUMNS) == ""
        command, shown = re.split(r"(?<!\\)\n", last, maxsplit=1)
        printed = on_a_terminal(command, tmp_path, columns=_COLUMNS)
        return step[0].removesuffix(f"{shown}```") + f"{printed}```"

    text = page.read_text("utf-8")
    seen = _STEP.sub(followed, text)
    if regenerate:
        page.write_text(seen, "utf-8")
    assert seen == page.read_text("utf-8")


def test_the_tutorial_for_authors_shows_the_file_that_is_written(tmp_path: Path) -> None:
    page = TUTORIAL_FOLDER / "author.md"
    blocks = [(kind, block) for kind, _, block in _STEP.findall(page.read_text("utf-8"))]
    (beginning,) = [block for kind, block in blocks if kind == "yaml"]
    on_a_terminal(blocks[0][1].removeprefix("$ ").split("\nnote:")[0], tmp_path)
    assert (tmp_path / "box.manifest.yaml").read_text("utf-8").startswith(beginning)


def test_the_speeds_in_readme_are_those_of_the_page(regenerate: bool) -> None:
    page = (ROOT / "docs" / "performance.md").read_text("utf-8")

    def measured(row: re.Match[str]) -> str:
        section = page.split(f"## {row[1]}\n")[1].split("\n## ")[0]
        table = [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines()]
        seconds = {cells[0]: float(cells[1]) for cells in table if cells and cells[0] in _PROGRAMS}
        shown = {each: f"{time:.2g}" for each, time in seconds.items()}
        fastest = min(seconds, key=lambda each: seconds[each])
        shown[fastest] = f"**{shown[fastest]}**"
        cells = (f" {shown[each]} " if each in shown else " " for each in _PROGRAMS)
        return f"| {row[1]} |{'|'.join(cells)}|"

    seen = _SPEED.sub(measured, README_FILE.read_text("utf-8"))
    if regenerate:
        README_FILE.write_text(seen, "utf-8")
    assert seen == README_FILE.read_text("utf-8")
