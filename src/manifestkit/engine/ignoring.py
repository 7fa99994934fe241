"""What the user wants left out: ``.gitignore`` files and the configuration's ``exclude``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manifestkit.files import is_there


@dataclass(frozen=True, slots=True)
class Ignore:
    """Patterns in the form of a ``.gitignore``, counted from a folder."""

    folder: Path
    spec: Any  # GitIgnoreSpec of pathspec

    @classmethod
    def of(cls, folder: Path, lines: Iterable[str]) -> Ignore:
        """Patterns that stand in, or count from, a folder."""
        from pathspec import GitIgnoreSpec  # noqa: PLC0415 - most runs have no patterns

        return cls(folder.absolute(), GitIgnoreSpec.from_lines(lines))

    def verdict(self, path: Path, *, is_folder: bool = False) -> bool | None:
        """True to leave a path out, False to take it back in, None when no pattern speaks of it."""
        try:
            relative = path.absolute().relative_to(self.folder).as_posix()
        except ValueError:
            return None
        include: bool | None = self.spec.check_file(
            relative + "/" if is_folder else relative
        ).include
        return include


def ignored(path: Path, ignores: Iterable[Ignore], *, is_folder: bool) -> bool:
    """Whether a path is left out; of several folders' patterns, the nearest decide."""
    verdicts = (each.verdict(path, is_folder=is_folder) for each in reversed(tuple(ignores)))
    return next((verdict for verdict in verdicts if verdict is not None), False)


def ignores_in(folder: Path) -> tuple[Ignore, ...]:
    """The ``.gitignore`` of a folder, if it has one that can be read."""
    try:
        text = (folder / ".gitignore").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ()
    return (Ignore.of(folder, text.splitlines()),)


def ignores_above(folder: Path) -> tuple[Ignore, ...]:
    """The ``.gitignore`` files that a git tree has above a folder, outermost first."""
    above: list[Path] = []
    for parent in (folder.absolute(), *folder.absolute().parents):
        if is_there(parent / ".git"):
            return tuple(
                each for above_folder in reversed(above) for each in ignores_in(above_folder)
            )
        above.append(parent.parent)
    return ()
