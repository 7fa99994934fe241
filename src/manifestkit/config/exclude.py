"""Excluded files: ``.gitignore`` files and the configuration's ``exclude``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from manifestkit.files import absolute, is_there, read_bytes
from manifestkit.model.errors import UnreadableFileError

_GITIGNORE = ".gitignore"
_MOST_BYTES = 128 * 1024
_PIECE = r"(?s)\\/|/|\\.|\*+|."
_CLASS = re.compile(r"\[:[^\]]{0,20}:\]")


class Pattern(NamedTuple):
    """One line of a ``.gitignore``.

    Attributes:
        text: the line.
        line: its number, from 1.
        excludes: whether it leaves out, rather than take back in.
        folders: whether it is for folders only.
        anywhere: whether it is for the last part of a path, wherever that stands.
        parts: what each part of a path must match; None for `**`, any number of parts.
    """

    text: str
    line: int
    excludes: bool
    folders: bool
    anywhere: bool
    parts: tuple[re.Pattern[str] | None, ...]

    def matches(self, path: Sequence[str], *, is_folder: bool) -> bool:
        """Return whether it matches a path, given by its parts."""
        if self.folders and not is_folder:
            return False
        last = self.parts[-1]
        if self.anywhere and last:
            return last.fullmatch(path[-1]) is not None
        return _match(self.parts, path)


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
        patterns = (_parse(line, number) for number, line in enumerate(lines, 1))
        return cls(absolute(folder), tuple(each for each in patterns if each))

    def verdict(self, path: Path, *, is_folder: bool) -> bool | None:
        """Return True to leave a path out, False to take it back in, None if no pattern matches."""
        pattern = self.deciding(path, is_folder=is_folder)
        return pattern.excludes if pattern else None

    def deciding(self, path: Path, *, is_folder: bool) -> Pattern | None:
        """Return the pattern that leaves a path out or takes it back in; None if none matches."""
        parts = self._parts(path)
        return self._deciding(parts, is_folder=is_folder) if parts else None

    def covers(self, path: Path) -> bool:
        """Return whether the patterns are for a file, or for a folder that it is in."""
        parts = self._parts(path)
        above = range(1, len(parts))
        return any(self._covers(parts[:count], is_folder=True) for count in above) or (
            self._covers(parts, is_folder=False)
        )

    def _covers(self, parts: Sequence[str], *, is_folder: bool) -> bool:
        pattern = self._deciding(parts, is_folder=is_folder) if parts else None
        return pattern is not None and pattern.excludes

    def _deciding(self, parts: Sequence[str], *, is_folder: bool) -> Pattern | None:
        found = (
            each for each in reversed(self.patterns) if each.matches(parts, is_folder=is_folder)
        )
        return next(found, None)

    def _parts(self, path: Path) -> tuple[str, ...]:
        try:
            return absolute(path).relative_to(self.folder).parts
        except ValueError:
            return ()


def _match(pattern: Sequence[re.Pattern[str] | None], parts: Sequence[str]) -> bool:
    """Return whether parts of a path match a pattern; the last `**` alone is ever tried anew."""
    at = here = 0
    again: tuple[int, int] | None = None
    while here < len(parts):
        is_left = at < len(pattern)
        wanted = pattern[at] if is_left else None
        if is_left and wanted is None:
            at += 1
            again = at, here + 1
        elif wanted and wanted.fullmatch(parts[here]):
            at, here = at + 1, here + 1
        elif again:
            at, here = again
            again = at, here + 1
        else:
            return False
    return all(each is None for each in pattern[at:])


def _parse(line: str, number: int = 0) -> Pattern | None:
    text = line.rstrip(" ")
    if text != line and (len(text) - len(text.rstrip("\\"))) % 2:
        text += " "
    if not text or text.startswith("#"):
        return None
    pattern = text.removeprefix("!")
    whole = pattern.removesuffix("/")
    if not whole:
        raise ValueError(f"`{text}` matches nothing")
    parts = [_part(pieces) for pieces in _split(whole.removeprefix("/"))]
    if parts[-1] is None:
        parts.append(wildcards(["", ""]))
    is_folder, is_anywhere = whole != pattern, "/" not in whole
    return Pattern(text, number, pattern == text, is_folder, is_anywhere, tuple(parts))


def _split(text: str) -> Iterator[list[str]]:
    """Yield the pieces between the slashes of a pattern; `*` is one, and so is all in brackets."""
    pieces: list[str] = []
    end = 0
    piece_at = re.compile(_PIECE)
    while end < len(text):
        found = piece_at.match(text, end)
        piece = found[0] if found else ""
        end += len(piece)
        if piece == "[":
            piece, end = _brackets(text, end)
        elif piece == "\\":
            raise ValueError(f"`{text}` ends in a backslash")
        if piece in {"/", "\\/"}:
            yield pieces
            pieces = []
        else:
            pieces.append(piece)
    yield pieces


def _part(pieces: list[str]) -> re.Pattern[str] | None:
    if len(pieces) == 1 and pieces[0].startswith("**"):
        return None
    between = [""]
    for piece in pieces:
        if piece.startswith("*"):
            between.append("")
        elif piece == "?" or piece.startswith("["):
            between[-1] += "." if piece == "?" else piece
        else:
            between[-1] += re.escape(piece[-1])
    return wildcards(between)


def wildcards(between: Sequence[str]) -> re.Pattern[str]:
    """Regular expressions with any text between them, which never tries a place in vain again."""
    first, *rest = between
    if not rest:
        return re.compile(first, re.DOTALL)
    *inner, last = rest
    found = "".join(f"(?>.*?{each})" for each in inner if each)
    return re.compile(f"{first}{found}.*{last}", re.DOTALL)


def _brackets(text: str, start: int) -> tuple[str, int]:
    """Return the regular expression of the characters in brackets, and where they end."""
    at = start + (text[start : start + 1] in {"!", "^"})
    chosen: list[str] = []
    first = at
    while at == first or text[at : at + 1] != "]":
        if named := _CLASS.match(text, at):
            raise ValueError(f"`{named[0]}` is not supported; list the characters, as in `[a-z]`")
        low, at = _character(text, at)
        high = low
        if text[at : at + 1] == "-" and text[at + 1 : at + 2] not in {"", "]"}:
            high, at = _character(text, at + 1)
        if high < low:
            raise ValueError(f"`{low}-{high}` is not a range of characters")
        chosen.append(f"{re.escape(low)}-{re.escape(high)}")
    negated = "^" if first > start else ""
    return f"[{negated}{''.join(chosen)}]", at + 1


def _character(text: str, at: int) -> tuple[str, int]:
    at += text[at : at + 1] == "\\"
    if at >= len(text):
        raise ValueError(f"`{text}` has a `[` without its `]`")
    return text[at], at + 1


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
        return _parse(line)
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
