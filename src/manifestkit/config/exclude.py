"""Excluded files: ``.gitignore`` files and the configuration's ``exclude``."""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import reduce
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from manifestkit.files import absolute, is_there, read_bytes, repository
from manifestkit.model.errors import UnreadableFileError
from manifestkit.schema.formats import wildcards

_GITIGNORE = ".gitignore"
_MOST_BYTES = 128 * 1024
_NO_PARTS = frozenset({"", ".", ".."})
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

    @classmethod
    def of(cls, line: str) -> "Pattern | None":
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
        rooted = whole.removeprefix("/")
        if not _NO_PARTS.isdisjoint(rooted.split("/")):
            raise ValueError(f"`{text}` matches nothing: no part of a path is empty, `.` or `..`")
        parts = _parts(rooted)
        path = _path(parts) if "/" in whole else f"(?s:(?>(?:.*/(?=.))?)){next(parts) or '[^/]+'}/"
        return cls(pattern == text, whole != pattern, re.compile(path))

    def matches(self, name: str, *, is_folder: bool) -> bool:
        """Return whether it is for a file or folder by its path, in linear time."""
        is_of_kind = is_folder or not self.folders
        return is_of_kind and self.path.fullmatch(f"{name}/") is not None


class Ignore(NamedTuple):
    """Patterns in the form of a ``.gitignore``, counted from a folder.

    Attributes:
        folder: the folder.
        patterns: the patterns.
        elsewhere: the folder from which they count for what is not in the other.
    """

    folder: Path
    patterns: tuple[Pattern, ...]
    elsewhere: Path | None = None

    @classmethod
    def of(cls, folder: Path, lines: Iterable[str], elsewhere: Path | None = None) -> "Ignore":
        """Patterns that stand in, or count from, a folder.

        Raises:
            ValueError: a line is no pattern.
        """
        found = tuple(filter(None, map(Pattern.of, lines)))
        return cls(absolute(folder), found, elsewhere and absolute(elsewhere))

    def covers(self, path: Path, *, is_folder: bool = False) -> bool:
        """Return whether the patterns are for a file or folder, or for a folder that it is in."""
        *folders, last = accumulate(self.name_of(path).split("/"), "{}/{}".format)
        found = (self.last(each, is_folder=True) for each in folders)
        return any((*found, self.last(last, is_folder=is_folder)))

    def last(self, name: str, *, is_folder: bool) -> bool | None:
        """Return True to leave out a name, False to take it back in, None if no pattern matches."""
        for each in reversed(self.patterns) if name else ():
            if each.matches(name, is_folder=is_folder):
                return each.excludes
        return None

    def name_of(self, path: Path) -> str:
        """Return the path from the folder on; empty for the folder itself and all outside."""
        place = absolute(path)
        for folder in (self.folder, self.elsewhere or self.folder):
            with suppress(ValueError):
                name = place.relative_to(folder).as_posix()
                return "" if name == "." else name
        return ""


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
            do = f"folders have `/` between them: write `{text.replace(found, '/')}`"
            raise ValueError(f"`{text}` ends in a backslash; {do}")
        elif piece["one_of"]:
            between[-1] += _one_of(piece["not"], piece["one_of"])
        else:
            between[-1] += re.escape(found[-1])


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


class Ignores(NamedTuple):
    """The ``.gitignore`` files that hold in a folder, the outermost first."""

    files: tuple[Ignore, ...] = ()

    @classmethod
    def above(cls, folder: Path) -> "Ignores":
        """Return those that a git tree has above a folder."""
        here = absolute(folder)
        top = repository(here)
        above = [each for each in here.parents if top and each.is_relative_to(top)]
        return reduce(cls.within, reversed(above), cls())

    def within(self, folder: Path) -> "Ignores":
        """Return these and that of a folder, if it has one that can be read."""
        path = folder / _GITIGNORE
        if not is_there(path):
            return self
        try:
            text = read_bytes(path, _MOST_BYTES).decode("utf-8-sig", errors="replace")
        except UnreadableFileError:
            return self
        found: list[Pattern] = []
        for line in text.split("\n"):
            with suppress(ValueError):  # git passes over what is no pattern
                if pattern := Pattern.of(line.removesuffix("\r")):
                    found.append(pattern)
        return Ignores((*self.files, Ignore(absolute(folder), tuple(found))))

    def file_for(self, path: Path, *, is_folder: bool) -> Path | None:
        """Return the file with the nearest patterns that leave out a path in a kept folder."""
        for each in reversed(self.files):
            verdict = each.last(each.name_of(path), is_folder=is_folder)
            if verdict is not None:
                return each.folder / _GITIGNORE if verdict else None
        return None
