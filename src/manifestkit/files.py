"""Files: their bytes, or in words why there are none; and writing them whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from manifestkit.errors import UnreadableFileError

_BLOCK = 64 * 1024
_KINDS = (
    (stat.S_ISDIR, "is a folder"),
    (stat.S_ISFIFO, "is a pipe: give its content on standard input, with `-` as the file"),
    (stat.S_ISSOCK, "is a socket"),
    (stat.S_ISCHR, "is a device"),
    (stat.S_ISBLK, "is a device"),
)


def shown(path: str | os.PathLike[str]) -> str:
    """A path as it is named to the user: joined with ``/``, without a leading ``./``."""
    return Path(path).as_posix()


def nearby(path: Path) -> str:
    """A path that the user has not named: counted from the working folder when it is inside."""
    try:
        return shown(path.absolute().relative_to(Path.cwd()))
    except (ValueError, OSError):
        return shown(path)


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether there is a folder, or a link to one; not, when that cannot be known."""
    return os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises where it may not look


def is_file(path: Path) -> bool:
    """Whether there is a file, or a link to one; not, when that cannot be known."""
    return os.path.isfile(path)  # noqa: PTH113 - Path.is_file raises where it may not look


def is_there(path: Path) -> bool:
    """Whether there is anything at a path; not, when that cannot be known."""
    return os.path.exists(path)  # noqa: PTH110 - Path.exists raises where it may not look


def read_bytes(path: str | os.PathLike[str], at_most: int) -> bytes:
    """The content of a regular file, or its first `at_most` + 1 bytes if it holds more.

    Raises:
        UnreadableFileError: there is no such file, it is no regular file, or it cannot be opened.
    """
    try:
        # Opening a pipe would wait for its writer: without O_NONBLOCK, before it can be refused.
        descriptor = os.open(path, os.O_RDONLY | _NEVER_WAIT)
    except FileNotFoundError:
        raise UnreadableFileError(shown(path), "no such file") from None
    except IsADirectoryError:
        raise UnreadableFileError(shown(path), "is a folder") from None
    except (OSError, ValueError) as error:
        raise UnreadableFileError(shown(path), _reason(path, error)) from None
    try:
        status = os.fstat(descriptor)
        for is_kind, reason in () if stat.S_ISREG(status.st_mode) else _KINDS:
            if is_kind(status.st_mode):
                raise UnreadableFileError(shown(path), reason)
        return _content(descriptor, status.st_size or _BLOCK, at_most + 1)
    except OSError as error:
        raise UnreadableFileError(shown(path), _reason(path, error)) from None
    finally:
        os.close(descriptor)


def _content(descriptor: int, expected: int, at_most: int) -> bytes:
    """All there is to read, or its first `at_most` bytes; `expected` is as much as is likely."""
    pieces: list[bytes] = []
    left = at_most
    while left and (piece := os.read(descriptor, min(left, expected + 1))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


_NEVER_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOCTTY", 0)


def _reason(path: str | os.PathLike[str], error: OSError | ValueError) -> str:
    if isinstance(error, PermissionError):
        return "is a folder" if is_folder(path) else "permission denied"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[:1].lower() + error.strerror[1:]
    return str(error)


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """A text file (UTF-8, LF) that takes the place of the one at a path when all is written.

    What is no regular file, a pipe or `/dev/stdout` say, is written into and stays.
    """
    import tempfile  # noqa: PLC0415 - most runs write no file

    mode = _mode(path)
    if mode is not None and not stat.S_ISREG(mode):
        with path.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        return
    target = Path(os.path.realpath(path))  # a link stays one
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:64]}.")
    try:
        with open(descriptor, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123
            yield file
        Path(name).chmod(stat.S_IMODE(mode) if mode is not None else 0o666 & ~_umask())
        Path(name).replace(target)
    except BaseException:  # an interrupt too leaves nothing behind
        with suppress(OSError):
            Path(name).unlink()
        raise


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
