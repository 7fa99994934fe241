"""Excluded files: ``.gitignore`` files and the configuration's ``exclude``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from manifestkit.files import absolute, is_there, read_bytes
from manifestkit.model.errors import UnreadableFileError

_GITIGNORE = ".gitignore"
_MOST_BYTES = 128 * 1024
_CHARACTER = r"\\?(.)(?:-\\?(.))?"
"""A character, or a range of two, in brackets."""
_NEXT = r"(?:\\.|[^\]\\]|(?!))"
_PIECE = rf"(?s)\[(?P<not>[!^]?+)(?P<one_of>(?:\\.|[^\\]){_NEXT}*+)\]|\\?/|\\.|\*+|.|$"
"""A slash, wildcards, a character, or several in brackets, of which a first `]` is one."""
_CLASS = r"(?<!\\)\[:[^\]]{0,20}:\Z"


class Pattern(NamedTuple):
    """One line of a ``.gitignore``.

    Attributes:
        excludes: whether it leaves out, rather than take back in.
        folders: whether it is for folders only.
        path: the paths that it is for, counted from its folder, with a slash behind.
    """

    excludes: bool
    folders: bool
    path: re.Pattern[str]

    def matches(self, name: str, *, is_folder: bool) -> bool:
        """Return whether it is for a file or folder by its path, in linear time."""
        is_of_kind = is_folder or not self.folders
        return is_of_kind and self.path.fullmatch(f"{name}/") is not None


class Ignore(NamedTuple):
    """Patterns in the form of a ``.gitignore``, counted from a folder."""

    folder: Path
    patterns: tuple[Pattern, ...]

    @classmethod
    def of(cls, folder: Path, lines: Iterable[str]) -> Ignore:
        """Patterns that stand in, or count from, a folder.

        Raises:
            ValueError: a line is no pattern.
        """
        return cls(absolute(folder), tuple(filter(None, map(parse_pattern, lines))))

    def verdict(self, path: Path, *, is_folder: bool) -> bool | None:
        """Return True to leave a path out, False to take it back in, None if no pattern matches."""
        return self._last(self._name(path), is_folder=is_folder)

    def covers(self, path: Path) -> bool:
        """Return whether the patterns are for a file, or for a folder that it is in."""
        *folders, file = accumulate(self._name(path).split("/"), "{}/{}".format)
        found = (self._last(each, is_folder=True) for each in folders)
        return any((*found, self._last(file, is_folder=False)))

    def _last(self, name: str, *, is_folder: bool) -> bool | None:
        for each in reversed(self.patterns) if name else ():
            if each.matches(name, is_folder=is_folder):
                return each.excludes
        return None

    def _name(self, path: Path) -> str:
        """Return the path from the folder on; empty for the folder itself and all outside."""
        try:
            name = absolute(path).relative_to(self.folder).as_posix()
        except ValueError:
            return ""
        return "" if name == "." else name


def parse_pattern(line: str) -> Pattern | None:
    """Return the pattern of a line of a ``.gitignore``; None where it has none.

    Raises:
        ValueError: it is no pattern.
    """
    text = line.rstrip(" ")
    if text != line and (len(text) - len(text.rstrip("\\"))) % 2:
        text += " "
    if not text or text.startswith("#"):
        return None
    pattern = text.removeprefix("!")
    whole = pattern.removesuffix("/")
    if not whole:
        raise ValueError(f"`{text}` matches nothing")
    parts = _parts(whole.removeprefix("/"))
    path = _path(parts) if "/" in whole else f"(?s:(?>(?:.*/(?=.))?)){next(parts) or '[^/]+'}/"
    return Pattern(pattern == text, whole != pattern, re.compile(path))


def _path(parts: Iterable[str | None]) -> str:
    """Return the regular expression of a path and a slash, by its parts; None for any number.

    What follows those is looked for at its first place only.
    """
    chunks = [""]
    for part in parts:
        if part is None:
            chunks.append("")
        else:
            chunks[-1] += f"{part}/"
    first, *others = (*chunks[:-1], f"{chunks[-1] or '[^/]+/'}$")
    return first + "".join(f"(?>(?:[^/]+/)*?{each})" for each in others)


def _parts(text: str) -> Iterator[str | None]:
    """Yield a regular expression for each part of a pattern; None for any number of parts."""
    between = [""]
    stars = ""
    for piece in re.finditer(_PIECE, text):
        found = piece[0]
        if found in {"", "/", "\\/"}:
            yield None if len(stars) > 1 and between == ["", ""] else wildcards(between)
            between, stars = [""], ""
        elif found.startswith("*"):
            between.append("")
            stars = found
        elif found == "?":
            between[-1] += "[^/]"
        elif found == "[":
            raise ValueError(f"`{text}` has a `[` without its `]`")
        elif found == "\\":
            raise ValueError(f"`{text}` ends in a backslash")
        elif piece["one_of"]:
            between[-1] += _one_of(piece["not"], piece["one_of"])
        else:
            between[-1] += re.escape(found[-1])


def wildcards(between: Iterable[str]) -> str:
    """Return regular expressions with any name between them, which try no place in vain again."""
    first, *rest = between
    if not rest:
        return first
    *inner, last = rest
    found = "".join(f"(?>[^/]*?{each})" for each in inner if each)
    return f"{first}{found}[^/]*{last}"


def _one_of(negated: str, characters: str) -> str:
    """Return the regular expression of one of the characters in brackets."""
    if named := re.search(_CLASS, characters):
        raise ValueError(f"`{named[0]}]` is not supported; list the characters, as in `[a-z]`")
    chosen = ""
    for low, high in re.findall(f"(?s){_CHARACTER}", characters):
        if high and high < low:
            raise ValueError(f"`{low}-{high}` is not a range of characters")
        chosen += f"{re.escape(low)}-{re.escape(high or low)}"
    return f"(?!/)[{'^' if negated else ''}{chosen}]"


def ignored(path: Path, ignores: Sequence[Ignore], *, is_folder: bool) -> Path | None:
    """Return the file with the nearest patterns that leave out a path in a kept folder."""
    for each in reversed(ignores):
        verdict = each.verdict(path, is_folder=is_folder)
        if verdict is not None:
            return each.folder / _GITIGNORE if verdict else None
    return None


def ignored_with_folders(path: Path, ignores: Sequence[Ignore]) -> Path | None:
    """Return the file that leaves a folder out, or one that it is in."""
    folders = (path, *absolute(path).parents)
    return next(filter(None, (ignored(each, ignores, is_folder=True) for each in folders)), None)


def ignores_in(folder: Path) -> tuple[Ignore, ...]:
    """Return the ``.gitignore`` of a folder, if it has one that can be read."""
    path = folder / _GITIGNORE
    if not is_there(path):
        return ()
    try:
        lines = lines_of(read_bytes(path, _MOST_BYTES))
    except UnreadableFileError:
        return ()
    return (Ignore(absolute(folder), tuple(filter(None, map(_parse_leniently, lines)))),)


def lines_of(data: bytes) -> list[str]:
    """Return the lines of an ignore file, as git reads them."""
    text = data.decode("utf-8-sig", errors="replace")
    return [line.removesuffix("\r") for line in text.split("\n")]


def _parse_leniently(line: str) -> Pattern | None:
    """Return the pattern of a line; git passes over those that are no pattern."""
    try:
        return parse_pattern(line)
    except ValueError:
        return None


def ignores_above(folder: Path) -> tuple[Ignore, ...]:
    """Return the ``.gitignore`` files that a git tree has above a folder, outermost first."""
    above: list[Path] = []
    for parent in (absolute(folder), *absolute(folder).parents):
        if is_there(parent / ".git"):
            return tuple(
                each for above_folder in reversed(above) for each in ignores_in(above_folder)
            )
        above.append(parent.parent)
    return ()
