"""Names of files in an archive: what no archive may have, and what some systems cannot write."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple
from zipfile import ZipInfo

from manifestkit.model.printable import BIDI_CONTROLS, IGNORABLE, first_unseen, printable, truncate

_UTF8 = 0x0800
_MOST_SHOWN = 200
_LONGEST_PATH = 1024  # bytes, to macOS; Linux takes 4096
_LONGEST_NAME = 255  # bytes to Linux, UTF-16 units to Windows and macOS, which are never more
_LOWEST = "\0"  # no name has it, and it sorts before everything
_DRIVE = re.compile(r"[A-Za-z]:")
_CONTROL = re.compile(f"[\x00-\x1f\x7f-\x9f{BIDI_CONTROLS}]")
_VERSION = re.compile(r";[0-9]*(?=/|$)")
_ESCAPED = re.compile("#(?:U[0-9A-Fa-f]{4}|L[0-9A-Fa-f]{6})")
_NOT_ON_WINDOWS = re.compile(r'[<>:"|?*]')
_DEVICE = re.compile(
    "(?:^|/)(?:CON|PRN|AUX|NUL|CONIN\\$|CONOUT\\$|CLOCK\\$|(?:COM|LPT)[0-9\u00b9\u00b2\u00b3])"
    " *(?:[./]|$)",
    re.IGNORECASE,
)
_BLANK_END = re.compile(r"[. ]+(?=/|$)")
_SHORT = re.compile(r"(?:^|/)(?=[^./]{1,8}(?:[./]|$))[^./]*~[0-9]+(?:\.[^./]{0,3})?(?:/|$)")
_LIKE_A_SLASH = re.compile("[\u2100\u2101\u2105\u2106\ufe68\uff0f\uff3c]")  # in NFKC
_PASSED_OVER = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
_UNSEEN = re.compile(f"(?:^|/)[{IGNORABLE}]+(?:/|$)")
_STREAM = re.compile(r":(?:\$I30)?:\$[A-Za-z_]+(?=/|$)")


class Problem(NamedTuple):
    """Something wrong with an archive.

    Attributes:
        member: the file or folder in question; None for the archive as a whole.
        message: what is wrong with it.
        is_warning: whether it may be sent nevertheless.
    """

    member: str | None
    message: str
    is_warning: bool = False

    def __str__(self) -> str:
        if self.member is None:
            return self.message
        if not self.member:
            return f"an entry {self.message}"
        return f"`{_shown(self.member)}` {self.message}"


def _shown(name: str) -> str:
    return printable(truncate(name, _MOST_SHOWN))


def utf8_name(entry: ZipInfo) -> str | None:
    """Return the name of an entry, marked as UTF-8 or not; None where it is not UTF-8."""
    if entry.flag_bits & _UTF8:
        return entry.orig_filename
    try:
        return entry.orig_filename.encode("cp437").decode()
    except UnicodeDecodeError:
        return None


def name_problems(name: str) -> Iterator[Problem]:
    """Yield what is wrong with the name of a file, or of a folder without the slash at its end."""
    parts = name.split("/")
    for is_warning, rules in ((False, _REFUSED), (True, _NOT_EVERYWHERE)):
        for is_so, message in rules:
            if is_so(name, parts):
                yield Problem(name, message, is_warning)


_Rules = tuple[tuple[Callable[[str, list[str]], object], str], ...]

_REFUSED: _Rules = (
    (lambda name, _: name.startswith("/"), "has an absolute name, and would be unpacked elsewhere"),
    (lambda name, _: _DRIVE.match(name), "starts with a drive, and would be unpacked elsewhere"),
    (lambda _, parts: ".." in parts, "has `..` in its name, and could leave the archive's folder"),
    (
        lambda _, parts: any(part and part != ".." and not part.strip(".") for part in parts),
        "has a name of nothing but dots; pack the content of the folder, not `.`",
    ),
    (
        lambda name, parts: "" in parts and not name.startswith("/"),
        "has an empty name, or a folder without one",
    ),
    (
        lambda name, _: "\\" in name,
        "has a backslash in its name, which separates folders on Windows",
    ),
    (lambda name, _: _CONTROL.search(name), "has a control character in its name"),
    (
        lambda name, _: ";" in name and _VERSION.search(name),
        "ends in `;`, or in `;` and digits, which unzip removes as a version",
    ),
    (
        lambda name, _: "#" in name and _ESCAPED.search(name),
        "has `#U` or `#L` and digits in its name, as unzip writes a character outside its locale",
    ),
    (
        lambda name, _: len(name.encode(errors="surrogatepass")) > _LONGEST_PATH,
        f"has a name of more than {_LONGEST_PATH:,} bytes",
    ),
    (
        lambda _, parts: any(
            len(part.encode(errors="surrogatepass")) > _LONGEST_NAME for part in parts
        ),
        f"has a file or folder name of more than {_LONGEST_NAME} bytes",
    ),
)
"""Names that leave the folder, or that readers of archives read differently."""

_NOT_EVERYWHERE: _Rules = (
    (
        lambda name, _: not _DRIVE.match(name) and _NOT_ON_WINDOWS.search(name),
        'has one of the characters `< > : " | ? *` in its name, which Windows does not allow',
    ),
    (lambda name, _: _DEVICE.search(name), "has the name of a Windows device"),
    (
        lambda _, parts: any(part[-1:] in {".", " "} for part in parts if part.strip(".")),
        "ends in a dot or a space, which Windows removes",
    ),
    (
        lambda _, parts: any(part.startswith(" ") for part in parts),
        "starts with a space, which some readers remove",
    ),
    (
        lambda name, _: "~" in name and _SHORT.search(name),
        "looks like a short name of Windows, which may be another file",
    ),
    (
        lambda name, _: not unicodedata.is_normalized("NFC", name),
        "has separate letters and accents in its name, which some systems combine (NFC)",
    ),
    (
        lambda name, _: not name.isascii() and _LIKE_A_SLASH.search(name),
        "has a character in its name that some systems read as a slash",
    ),
    (
        lambda name, _: not name.isascii() and (first_unseen(name) or _UNSEEN.search(name)),
        "has a name, or a letter in it, that cannot be seen",
    ),
)
"""Names that some systems cannot write, or write differently."""


def collisions(names: Sequence[str]) -> Iterator[Problem]:
    """Yield names that are one to some systems, and those of files that others need as folders.

    The name of a folder ends in a slash. In the order of names without case and composition, and
    with the slash sorted lowest, whatever collides stands side by side.
    """
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
            yield Problem(
                name,
                f"and `{_shown(former)}` have the same name where case, composition, invisible "
                "characters or an ending are ignored",
            )
        elif after.startswith(before + _LOWEST) and not is_folder[0]:
            yield Problem(name, f"needs a folder where `{_shown(former)}` is a file")


def _folded(name: str) -> str:
    """Return a name as a system without case, composition and dots at the end sees it.

    HFS+ passes over some invisible characters, too, and to NTFS `a::$DATA` is `a`.
    """
    plain = _STREAM.sub("", _VERSION.sub("", name.removesuffix("/")))
    plain = _BLANK_END.sub("", plain) or name
    if not plain.isascii():
        plain = _PASSED_OVER.sub("", plain)
        plain = unicodedata.normalize("NFC", unicodedata.normalize("NFC", plain).casefold())
    return plain.lower().replace("/", _LOWEST)
