"""What the user wants left out: ``.gitignore`` files and the configuration's ``exclude``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from manifestkit.files import is_there, read_bytes
from manifestkit.model.errors import UnreadableFileError

_MOST_BYTES = 128 * 1024

# What a `*` and a `**` are in pathspec's regular expressions. A part between two of them that was
# found needs no other place: without that, a hostile pattern takes time without end. Compiled
# when a folder has patterns.
_STAR = r"\[\^/\]\*"
_STARS = rf"(?:{_STAR}){{2,}}"
_BETWEEN_STARS = rf"{_STAR}((?:(?!{_STAR})(?:\\.|\[\^?/?[^\]/]*\]|[^/()\\\[]))+)(?={_STAR})"
_FOLDERS = r"\(\?:/\.\+\)\?"
_BETWEEN_FOLDERS = rf"{_FOLDERS}/((?:(?!{_FOLDERS}).)+)(?={_FOLDERS})"


class Ignore(NamedTuple):
    """Patterns in the form of a ``.gitignore``, counted from a folder."""

    folder: Path
    spec: Any  # GitIgnoreSpec of pathspec

    @classmethod
    def of(cls, folder: Path, lines: Iterable[str]) -> Ignore:
        """Patterns that stand in, or count from, a folder.

        Raises:
            ValueError: a line is no pattern.
        """
        from pathspec import GitIgnoreSpec  # noqa: PLC0415 - most runs have no patterns

        try:
            spec = GitIgnoreSpec.from_lines(lines, backend="simple")
            for each in spec.patterns:
                if each.regex is not None:
                    each.regex = re.compile(_soon_over(each.regex.pattern))
        except re.error as error:
            raise ValueError(str(error)) from None
        return cls(folder.absolute(), spec)

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


def _soon_over(expression: str) -> str:
    """An expression of pathspec's that matches the same, and tries no place in vain again."""
    within = expression.replace("[^", "[^/").replace("[^//", "[^/")  # as git has it: no `/`
    folders = re.sub(_BETWEEN_FOLDERS, r"(?>(?:/.+?)??/\1(?=/))", within)
    return re.sub(_BETWEEN_STARS, r"(?>[^/]*?\1)", re.sub(_STARS, "[^/]*", folders))


def ignored(path: Path, ignores: Iterable[Ignore], *, is_folder: bool) -> bool:
    """Whether a path is left out; of several folders' patterns, the nearest decide."""
    verdicts = (each.verdict(path, is_folder=is_folder) for each in reversed(tuple(ignores)))
    return next((verdict for verdict in verdicts if verdict is not None), False)


def ignores_in(folder: Path) -> tuple[Ignore, ...]:
    """The ``.gitignore`` of a folder, if it has one that can be read."""
    path = folder / ".gitignore"
    if not is_there(path):
        return ()
    try:
        text = read_bytes(path, _MOST_BYTES).decode(errors="replace")
    except UnreadableFileError:
        return ()
    lines = [line for line in text.splitlines() if _is_pattern(folder, line)]
    return (Ignore.of(folder, lines),)


def _is_pattern(folder: Path, line: str) -> bool:
    """Whether a line can be read; git passes over those that cannot."""
    try:
        Ignore.of(folder, [line])
    except ValueError:
        return False
    return True


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
