"""Names of entries: inside one folder, and the same name for one thing on every system."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import pairwise

from manifestkit.publish.archive.directory import Entry

_LONGEST_NAME = 1024
_DRIVE = re.compile(r"[A-Za-z]:")
_LOWEST = "\0"  # no name has it, and it sorts before everything

Found = Iterator[tuple[Entry | None, str]]


def name_problems(entry: Entry) -> Iterator[str]:
    """What is wrong with one name."""
    if not entry.is_named_well:
        yield "has a name that is not UTF-8; pack it with a tool that writes UTF-8 names"
    if len(entry.raw_name) > _LONGEST_NAME:
        yield f"has a name of more than {_LONGEST_NAME:,} bytes"
    if entry.other_name is not None:
        yield "has another name in an extra field"
    name = entry.name
    parts = set(name.removesuffix("/").split("/"))
    yield from (message for is_so, message in _NAME_FAULTS if is_so(name, parts))


_NAME_FAULTS: tuple[tuple[Callable[[str, set[str]], object], str], ...] = (
    (lambda name, _: "\0" in name, "has a NUL in its name, where some readers stop"),
    (
        lambda name, _: not name.replace("\0", "").isprintable(),
        "has a character in its name that cannot be shown",
    ),
    (lambda name, _: "\\" in name, "has a backslash in its name, a folder to Windows"),
    (lambda name, _: name.startswith("/"), "has an absolute name, and would be unpacked elsewhere"),
    (lambda name, _: _DRIVE.match(name), "begins with a drive, and would be unpacked elsewhere"),
    (lambda _, parts: ".." in parts, "climbs out of the archive's folder with `..`"),
    (lambda _, parts: "." in parts, "has a `.` for a folder, and so two names"),
    (
        lambda name, parts: "" in parts and not name.startswith("/"),
        "has an empty name, or a folder without one",
    ),
)


def collisions(entries: tuple[Entry, ...]) -> Found:
    """Names that are one name to some systems, and files that others need as folders.

    In the order of names without case and composition, and with the slash sorted lowest, whatever
    collides stands side by side.
    """
    ordered = sorted((_folded(entry.name), index) for index, entry in enumerate(entries))
    for (before, first), (folded, second) in pairwise(ordered):
        former, entry = entries[first], entries[second]
        if former.name == entry.name:
            yield entry, "is there twice"
        elif before == folded and former.is_folder != entry.is_folder:
            yield entry, f"and `{former.name}` are a file and a folder of one name"
        elif before == folded:
            message = f"and `{former.name}` are one name where case or composition do not count"
            yield entry, message
        elif folded.startswith(before + _LOWEST) and not former.is_folder:
            yield entry, f"needs a folder where `{former.name}` is a file"
        elif _differ_in_a_folder(former.name, entry.name, before, folded):
            message = f"and `{former.name}` spell a folder in two ways"
            yield entry, f"{message}, one where case or composition do not count"


def _folded(name: str) -> str:
    """A name as a system sees it that knows neither case nor composition."""
    plain = unicodedata.normalize("NFD", name.removesuffix("/").replace("\0", " "))
    return unicodedata.normalize("NFD", plain.casefold()).replace("/", _LOWEST)


def _differ_in_a_folder(one: str, other: str, folded_one: str, folded_other: str) -> bool:
    """Whether two names share a folder, but for its spelling."""
    spelt = zip(one.split("/")[:-1], other.split("/")[:-1], strict=False)
    folded = zip(folded_one.split(_LOWEST), folded_other.split(_LOWEST), strict=False)
    for (first, second), (first_folded, second_folded) in zip(spelt, folded, strict=False):
        if first_folded != second_folded:
            return False
        if first != second:
            return True
    return False
