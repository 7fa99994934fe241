"""Names in archives: those that no archive may have, and those that Windows cannot write."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from manifestkit.model.printable import BIDI_CONTROLS, printable, truncate

_MOST_SHOWN = 200
LONGEST_PATH = 1024
"""Bytes of a path that macOS takes; Linux takes 4096."""
_LONGEST_NAME = 255  # bytes to Linux, UTF-16 units to Windows and macOS, which are never more
_LOWEST = "\0"  # no name has it, and it sorts before everything
_AS_ON_WINDOWS = "which separates folders on Windows: deploy the folder, which is packed here"
_CONTROL = re.compile(f"[\x00-\x1f\x7f-\x9f{BIDI_CONTROLS}]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_ON_WINDOWS = re.compile(
    '[<>:"|?*]|[. ](?:/|$)|(?:^|/)(?:CON|PRN|AUX|NUL|CONIN\\$|CONOUT\\$|'
    "(?:COM|LPT)[0-9\u00b9\u00b2\u00b3]) *(?:[./]|$)",
    re.IGNORECASE,
)


class Problem(NamedTuple):
    """Something wrong with an archive."""

    member: str | None  # the file or folder in question; None for the archive as a whole
    message: str
    is_warning: bool = False  # whether it may be sent nevertheless
    help: str | None = None  # what to do; None where that is the same for all of its kind
    is_outside: bool = False  # whether its file is not in the archive

    def __str__(self) -> str:
        what = self.message if self.member is None else f"`{_shown(self.member)}` {self.message}"
        return f"{what}; {self.help}" if self.help else what


def _shown(name: str) -> str:
    return printable(truncate(name, _MOST_SHOWN))


def name_problems(names: Sequence[str]) -> Iterator[Problem]:
    """Yield what is wrong with names of files, and of folders, which end in a slash.

    And which of them are one to some systems, or of files that others need as folders.
    """
    yield from filter(None, (_problem(name.removesuffix("/")) for name in names))
    yield from _collisions(names)


def _problem(name: str) -> Problem | None:
    parts = name.split("/")
    sizes = [len(part.encode(errors="surrogatepass")) for part in parts]
    rules = (
        (name.startswith("/"), "has an absolute name, and would be unpacked elsewhere"),
        (re.match("[A-Za-z]:", name), "starts with a drive, and would be unpacked elsewhere"),
        (".." in parts, "has `..` in its name, and could leave the archive's folder"),
        (not all(part.strip(".") for part in parts), "has a name that is empty, or only dots"),
        ("\\" in name, f"has a backslash in its name, {_AS_ON_WINDOWS}"),
        (_CONTROL.search(name), "has a control character in its name"),
        (_SURROGATE.search(name), "has a name that is not UTF-8"),
        (max(sizes) > _LONGEST_NAME, f"has a part of more than {_LONGEST_NAME} bytes in its name"),
        (sum(sizes) + len(sizes) > LONGEST_PATH, f"has a path of more than {LONGEST_PATH:,} bytes"),
    )
    for is_so, message in rules:
        if is_so:
            what, _, do = message.partition(": ")
            return Problem(name, what, help=do or None)
    if _NOT_ON_WINDOWS.search(name):
        return Problem(name, "has a name that Windows cannot write", is_warning=True)
    return None


def _collisions(names: Sequence[str]) -> Iterator[Problem]:
    # In the order of names without case and composition, and with the slash sorted lowest,
    # whatever collides stands side by side.
    folded = sorted((_folded(name), name) for name in names)
    for (before, former), (after, name) in pairwise(folded):
        is_folder = former.endswith("/"), name.endswith("/")
        if before == after and all(is_folder):
            continue
        if former == name:
            yield Problem(name, "appears twice")
        elif before == after and any(is_folder):
            yield Problem(name, f"and `{_shown(former)}` are a file and a folder of one name")
        elif before == after:
            yield Problem(name, f"and `{_shown(former)}` are one name on Windows or macOS")
        elif after.startswith(before + _LOWEST) and not is_folder[0]:
            yield Problem(name, f"needs a folder where `{_shown(former)}` is a file")


def _folded(name: str) -> str:
    plain = name.removesuffix("/")
    if not plain.isascii():
        plain = unicodedata.normalize("NFC", unicodedata.normalize("NFC", plain).casefold())
    return plain.lower().replace("/", _LOWEST)
