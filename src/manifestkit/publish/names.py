"""Names of files in an archive: each the same name for the same file on every system.

One decision for whoever meets such a name: the gate, the packing of a folder, and the sandbox.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from manifestkit.model.printable import FILLERS, IGNORABLE

_LONGEST_PATH = 1024  # macOS; Linux takes 4096
_LONGEST_NAME = 255  # bytes to Linux, UTF-16 units to Windows and macOS, which are never more
_LOWEST = "\0"  # no name has it, and it sorts before everything
_DRIVE = re.compile(r"[A-Za-z]:")
_NOT_ON_WINDOWS = re.compile(r'[<>:"|?*]')
_LIKE_A_SLASH = re.compile("[\u2100\u2101\u2105\u2106\ufe68\uff0f\uff3c]")  # in NFKC
_LIKE_DOTS = re.compile("(?:^|/)(?=[^/]*[^./])[.\u2024\u2025\u2026\ufe19\ufe52\uff0e]+(?:/|$)")
_IGNORABLE = re.compile(f"[{IGNORABLE}]+")
_UNSEEN = re.compile(f"[{FILLERS}]|(?:^|/)[{IGNORABLE}]+(?:/|$)")
_DEVICE = re.compile(
    "(?:^|/)(?:CON|PRN|AUX|NUL|CONIN\\$|CONOUT\\$|CLOCK\\$|(?:COM|LPT)[0-9\u00b9\u00b2\u00b3])"
    " *(?:[./]|$)",
    re.IGNORECASE,
)
_VERSION = re.compile(r";[0-9]*(?:/|$)")
_ESCAPED = re.compile("#(?:U[0-9A-Fa-f]{4}|L[0-9A-Fa-f]{6})")
_SHORT = re.compile(r"(?:^|/)(?=[^./]{1,8}(?:[./]|$))[^./]*~[0-9]+(?:\.[^./]{0,3})?(?:/|$)")


def decoded_name(raw: bytes, *, is_marked: bool) -> tuple[str, str | None]:
    """The name of an entry as text, and what is wrong with how it is written, if anything.

    Args:
        raw: the name in the archive.
        is_marked: whether the entry says that its names are UTF-8.
    """
    try:
        name = raw.decode()
    except UnicodeDecodeError:
        name = raw.decode(errors="replace") if is_marked else raw.decode("cp437")
        return name, "has a name that is not UTF-8; pack it with a tool that writes UTF-8 names"
    if is_marked or name.isascii():
        return name, None
    return name, (
        "has a name that is not marked as UTF-8, so readers see different names; deploy "
        "the folder itself, or pack it with 7z, bsdtar or Python"
    )


def name_problems(name: str) -> Iterator[str]:
    """What is wrong with the name of an entry; a folder's ends in a slash."""
    path = name.removesuffix("/")
    raw = path.encode(errors="surrogatepass")
    if len(raw) > _LONGEST_PATH:
        yield f"has a name of more than {_LONGEST_PATH:,} bytes"
    if max(map(len, raw.split(b"/"))) > _LONGEST_NAME:
        yield f"has a file or folder name of more than {_LONGEST_NAME} bytes"
    parts = set(path.split("/"))
    yield from (message for is_so, message in _FAULTS if is_so(path, parts))


_FAULTS: tuple[tuple[Callable[[str, set[str]], object], str], ...] = (
    (lambda path, _: "\0" in path, "has a NUL in its name, where some readers stop"),
    (
        lambda path, _: (
            not path.replace("\0", "").isprintable()
            or (not path.isascii() and _UNSEEN.search(path))
        ),
        "has a character in its name that cannot be shown",
    ),
    (
        lambda path, _: "\\" in path,
        "has a backslash in its name, which separates folders on Windows",
    ),
    (lambda path, _: path.startswith("/"), "has an absolute name, and would be unpacked elsewhere"),
    (lambda path, _: _DRIVE.match(path), "starts with a drive, and would be unpacked elsewhere"),
    (
        lambda path, _: not _DRIVE.match(path) and _NOT_ON_WINDOWS.search(path),
        'has one of the characters `< > : " | ? *` in its name, which Windows does not allow',
    ),
    (lambda _, parts: ".." in parts, "leaves the archive's folder with `..`"),
    (
        lambda _, parts: "." in parts,
        "has a `.` as a folder, and so two names; pack the content of the folder, not `.`",
    ),
    (
        lambda path, parts: "" in parts and not path.startswith("/"),
        "has an empty name, or a folder without one",
    ),
    (
        lambda path, _: not path.isascii() and not unicodedata.is_normalized("NFC", path),
        "has separate letters and accents in its name, which some readers combine (NFC)",
    ),
    (
        lambda path, _: (
            not path.isascii() and (_LIKE_A_SLASH.search(path) or _LIKE_DOTS.search(path))
        ),
        "has a character in its name that some systems read as a slash or as dots",
    ),
    (
        lambda _, parts: any(part.endswith((".", " ")) for part in parts - {".", ".."}),
        "ends in a dot or a space, which Windows removes",
    ),
    (
        lambda path, _: ";" in path and _VERSION.search(path),
        "ends in `;`, or in `;` and digits, which unzip removes as a version",
    ),
    (
        lambda path, _: "#" in path and _ESCAPED.search(path),
        "has `#U` or `#L` and digits in its name, as unzip writes a character outside its locale",
    ),
    (
        lambda path, _: path.startswith(" ") or "/ " in path,
        "starts with a space, which some readers remove",
    ),
    (
        lambda path, _: _DEVICE.search(path),
        "has the name of a Windows device",
    ),
    (
        lambda path, _: "~" in path and _SHORT.search(path),
        "looks like a short name of Windows, which may be another file",
    ),
)


_WHERE_IGNORED = "where case, composition or invisible characters are ignored"


def collisions(names: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Names that are one name to some systems, and files that others need as folders.

    Each as the index of the name in question, and what is wrong with it. In the order of names
    without case, composition and invisible characters, and with the slash sorted lowest, whatever
    collides stands side by side.
    """
    ordered = sorted((_folded(name), index) for index, name in enumerate(names))
    for (before, first), (folded, second) in pairwise(ordered):
        former, name = names[first], names[second]
        if former == name:
            yield second, "appears twice"
        elif before == folded and former.endswith("/") != name.endswith("/"):
            yield second, f"and `{former}` are a file and a folder of one name"
        elif before == folded:
            yield second, f"and `{former}` have the same name {_WHERE_IGNORED}"
        elif folded.startswith(before + _LOWEST) and not former.endswith("/"):
            yield second, f"needs a folder where `{former}` is a file"
        elif _differ_in_a_folder(former, name, before, folded):
            message = f"and `{former}` spell a folder differently"
            yield second, f"{message}, the same {_WHERE_IGNORED}"


def _folded(name: str) -> str:
    """A name as a system sees it that knows neither case nor composition, as people see it."""
    plain = name.removesuffix("/").replace("\0", " ")
    if plain.isascii():
        return plain.lower().replace("/", _LOWEST)
    plain = unicodedata.normalize("NFKD", _IGNORABLE.sub("", plain))
    return unicodedata.normalize("NFKD", plain.casefold()).replace("/", _LOWEST)


def _differ_in_a_folder(one: str, other: str, folded_one: str, folded_other: str) -> bool:
    """Whether two names share a folder, but for its spelling."""
    if one.rpartition("/")[0] == other.rpartition("/")[0]:
        return False
    spelt = zip(one.split("/")[:-1], other.split("/")[:-1], strict=False)
    folded = zip(folded_one.split(_LOWEST), folded_other.split(_LOWEST), strict=False)
    for (first, second), (first_folded, second_folded) in zip(spelt, folded, strict=False):
        if first_folded != second_folded:
            return False
        if first != second:
            return True
    return False
