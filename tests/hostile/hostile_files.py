"""Files that are none, that change meanwhile, and whose names mean something elsewhere."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from samples import VALID

FIXABLE = VALID.replace(b'"permissions": []', b'"permissions": ["host.timr"]')
"""One finding, which `lint --fix` fixes."""

_SUFFIX = b".manifest.json"


class Fault(NamedTuple):
    """One thing that a name can stand for.

    Attributes:
        name: the name, which a run is given.
        make: puts it into the working folder.
        meanwhile: what happens to it, and during which call of the system.
    """

    name: bytes
    make: Callable[[Path], object]
    meanwhile: tuple[Callable[..., Any], Callable[[Path], object]] | None = None


def _good(path: Path) -> None:
    path.write_bytes(FIXABLE)


def _to(target: str) -> Callable[[Path], object]:
    return lambda path: path.symlink_to(target)


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def _to_a_pipe(path: Path) -> None:
    os.mkfifo("pipe")
    path.symlink_to("pipe")


def _to_a_folder(path: Path) -> None:
    Path("folder").mkdir()
    path.symlink_to("folder")


def _out_of_the_folder(path: Path) -> None:
    _good(Path("../outside.json"))
    path.symlink_to("../outside.json")


def _loop(path: Path) -> None:
    path.symlink_to("other")
    Path("other").symlink_to(path)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))


def _below_a_file(path: Path) -> None:
    _good(path.parent)


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(100 * 1024**3)


def _beside(path: Path) -> None:
    """A file of a name that is a pattern, and one that the pattern would find."""
    _good(path)
    Path("a.manifest.json").write_bytes(b"{")


def _grows(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"\n" * 100_000)


def _becomes_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _becomes_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _nothing(path: Path) -> None:
    del path


def _file(stem: bytes) -> Fault:
    return Fault(stem + _SUFFIX, _good)


FAULTS: dict[str, Fault] = {
    "missing": Fault(b"gone.json", _nothing),
    "missing, in a missing folder": Fault(b"gone/manifest.json", _nothing),
    "no name": Fault(b"", _nothing),
    "a folder": Fault(b"m.manifest.json", Path.mkdir),
    "a file for a folder": Fault(b"f.manifest.json/m.json", _below_a_file),
    "a pipe": Fault(b"m.manifest.json", _pipe),
    "a link to a pipe": Fault(b"m.manifest.json", _to_a_pipe),
    "a socket": Fault(b"m.manifest.json", _socket),
    "a device without end": Fault(b"/dev/zero", _nothing),
    "a device without content": Fault(b"/dev/null", _nothing),
    "a link to a device": Fault(b"m.manifest.json", _to("/dev/zero")),
    "a dangling link": Fault(b"m.manifest.json", _to("nowhere")),
    "a link to itself": Fault(b"m.manifest.json", _to_itself),
    "links in a loop": Fault(b"m.manifest.json", _loop),
    "a link to a folder": Fault(b"m.manifest.json", _to_a_folder),
    "a link out of the folder": Fault(b"m.manifest.json", _out_of_the_folder),
    "a name too long": Fault(b"a" * 300 + _SUFFIX, _nothing),
    "a path too long": Fault(b"a/" * 2_100 + b"m.json", _nothing),
    "100 GB of zeros": Fault(b"m.manifest.json", _sparse),
    "empty": Fault(b"m.manifest.json", Path.touch),
    "grows when opened": Fault(b"m.manifest.json", _good, (os.open, _grows)),
    "grows when read": Fault(b"m.manifest.json", _good, (os.read, _grows)),
    "cut off when opened": Fault(
        b"m.manifest.json", _good, (os.open, lambda path: path.write_bytes(b"{"))
    ),
    "vanishes when found": Fault(b"m.manifest.json", _good, (os.scandir, Path.unlink)),
    "vanishes when opened": Fault(b"m.manifest.json", _good, (os.open, Path.unlink)),
    "becomes a pipe when found": Fault(b"m.manifest.json", _good, (os.scandir, _becomes_a_pipe)),
    "becomes a pipe when opened": Fault(b"m.manifest.json", _good, (os.open, _becomes_a_pipe)),
    "becomes a folder when opened": Fault(b"m.manifest.json", _good, (os.open, _becomes_a_folder)),
    "a line end in the name": _file(b"line\nend"),
    "a command in the name": _file(b"x\n::error::forged"),
    "a command of Azure in the name": _file(b"##vso[task.complete]forged"),
    "a carriage return in the name": _file(b"carriage\rreturn"),
    "colours and a title in the name": _file(b"\x1b[31mred\x1b]0;title\x07"),
    "a link of the terminal in the name": _file(b"\x1b]8;;http:evil\x1b\\here\x1b]8;;\x1b\\"),
    "C1 controls in the name": _file("\u009b31m\u0085".encode()),
    "bidi in the name": _file("\u202egpj\u2066".encode()),
    "separators in the name": _file("a\u2028b\u2029".encode()),
    "what is not seen in the name": _file("a\u200bb\ufeffc\u2060d".encode()),
    "no UTF-8 in the name": _file(b"\xff\xc3"),
    "a percent sign in the name": _file(b"100%25%0A"),
    "commas in the name": _file(b"a,line=9"),
    "a place in the name": _file(b"a:1:1: error x"),
    "a drive in the name": _file(b"c:"),
    "an address for a name": _file(b"https:"),
    "a leading dash": _file(b"-leading"),
    "an option for a name": _file(b"--fix"),
    "a leading tilde": _file(b"~root"),
    "a variable in the name": _file(b"$HOME${HOME}%PATH%"),
    "spaces around the name": Fault(b" spaces .json", _good),
    "a star for a name": Fault(b"*.manifest.json", _beside),
    "brackets in the name": Fault(b"[ab]?.manifest.json", _beside),
    "a backslash in the name": _file(b"a\\n\\"),
    "quotes in the name": _file(b"'\"`"),
    "letters of two parts in the name": _file("坐禅 e\u0301".encode()),
}
"""Each made in a folder of its own."""
WITH_A_NAME = frozenset(list(FAULTS)[list(FAULTS).index("a line end in the name") :])
"""Those that are good files."""


def made(fault: Fault) -> Path | None:
    """Put a fault into the working folder; its path, or None where the file system has no such."""
    path = Path(os.fsdecode(fault.name))
    try:
        fault.make(path)
    except OSError:
        return None
    return path


@contextmanager
def happening(fault: Fault, path: Path) -> Iterator[None]:
    """Let happen what does so meanwhile: once, right after the call of the system."""
    if fault.meanwhile is None:
        yield
        return
    call, act = fault.meanwhile
    is_done = False

    def watch(frame: FrameType, event: str, what: object) -> None:
        nonlocal is_done
        if event == "c_return" and what is call and not is_done and _is_ours(frame):
            is_done = True
            act(path)

    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(None)


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).startswith("manifestkit.")
