"""Folders of manifests, and which of their files are checked."""

from __future__ import annotations

from pathlib import Path

from command import USAGE
from in_process import manifest_here
from samples import VALID


def tree(root: Path, *files: str, content: bytes = VALID, **texts: str) -> Path:
    """Make files; those given by keyword hold a text (`gitignore` is `.gitignore`)."""
    for name in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    for name, text in texts.items():
        (root / f".{name}").write_text(text)
    return root


def listed(folder: Path, *arguments: str) -> list[str]:
    """The files that would be checked."""
    return manifest_here("lint", "--show-files", *arguments, cwd=folder).out.splitlines()


def check_left_out(folder: Path) -> None:
    """Hold commands to saying that all in a folder is left out, and who says why."""
    for command in ("lint", "fmt"):
        outcome = manifest_here(command, cwd=folder)
        assert outcome.code == USAGE
        assert " is excluded by manifestkit.toml" in outcome.err
