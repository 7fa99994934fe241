"""Files: their bytes, or in words why there are none; and writing them whole or not at all."""

from __future__ import annotations

import errno
import importlib
import json
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from manifestkit.model.errors import UnreadableFileError, UnwritableFileError
from manifestkit.model.printable import redacted

FOLDER: str = importlib.import_module("manifestkit.schemas").__path__[0]
"""The folder of the schemas and tables that come with the package."""
_BLOCK = 64 * 1024
_LINK_OUT = "a link leads out of the folder and is not followed: put what it leads to in its place"
AS_INPUT = "pass its content on standard input, with `-` as the file"
"""Advice about a pipe, where a file may be `-`."""
_AS_FILE = "copy it into a file"
PRINTED = "to print it, leave the option out"
"""Advice about a device, where the output is printed without a file."""
_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_MOST_PARTS = 100
_LONGEST_PATH = 400
# A key of n parts takes tomllib the square of n.
_LONG_KEY = rf"(?<![\w-])(?:{_PART}\s*+\.\s*+){{{_MOST_PARTS}}}"
_ADDRESS = r"^(?:.*/)?(https?):/+(?:[^/]*@)?"
_MOST_WAITS, _WAIT = 300, 0.01  # for another program that has locked a file; seconds
_ENDING = ("SIGTERM", "SIGHUP")
_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
_KINDS = (
    (stat.S_ISDIR, "is a folder"),
    (stat.S_ISFIFO, "is a pipe"),
    (stat.S_ISSOCK, "is a socket"),
    (stat.S_ISCHR, "is a device"),
    (stat.S_ISBLK, "is a device"),
)


def packaged_text(name: str) -> str:
    """Return a file that comes with the package as it is published, by its name: the very text."""
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:  # noqa: PTH118, PTH123
        return file.read()


@cache
def other_tools(kind: str) -> Any:
    """Return a table of what other tools have, with what is written in its place here."""
    return json.loads(packaged_text("other-tools.json"))[kind]


def parse_toml(text: str) -> dict[str, Any]:
    """Return what a text in TOML says.

    Raises:
        ValueError: it is not TOML, or has a number of too many digits or a key of too many parts.
        RecursionError: its arrays and tables are nested too deeply.
    """
    import tomllib  # noqa: PLC0415 - most runs have no configuration

    if re.search(_LONG_KEY, text):
        raise ValueError(f"a key with more than {_MOST_PARTS} parts")
    return tomllib.loads(text)


def posix_name(path: str | os.PathLike[str]) -> str:
    """Return a path as it is named to the user: joined with ``/``, without a leading ``./``."""
    return Path(path).as_posix()


def relative_name(path: Path) -> str:
    """Name a path that the user has not named: from the working folder when it is inside."""
    try:
        return posix_name(path.absolute().relative_to(Path.cwd()))
    except (ValueError, OSError):
        return posix_name(path)


def absolute(path: str | os.PathLike[str]) -> Path:
    """Return a path from the root; links stay links, but for those that ``..`` leads out of."""
    before, up, after = f"{Path.cwd() / path}/".rpartition("/../")
    if up and "\0" not in before:  # else it names no folder
        path = Path(os.path.realpath(before or "/")).parent / after
    return Path(os.path.abspath(path))  # noqa: PTH100 - Path.absolute keeps `..`


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Return whether there is a folder, or a link to one; not, when that cannot be known."""
    return os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises where it may not look


def is_file(path: Path) -> bool:
    """Return whether there is a file, or a link to one; not, when that cannot be known."""
    return os.path.isfile(path)  # noqa: PTH113 - Path.is_file raises where it may not look


def is_there(path: Path) -> bool:
    """Return whether there is anything at a path; not, when that cannot be known."""
    return os.path.exists(path)  # noqa: PTH110 - Path.exists raises where it may not look


def unlike_file(mode: int) -> str | None:
    """Return in words what is no regular file, such as `is a pipe`; None for a regular file."""
    if stat.S_ISREG(mode):
        return None
    return next((reason for is_kind, reason in _KINDS if is_kind(mode)), None)


def read_bytes(
    path: str | os.PathLike[str], at_most: int, instead_of_pipe: str = _AS_FILE
) -> bytes:
    """Return the content of a regular file, or its first `at_most` + 1 bytes if it holds more.

    Args:
        path: the file.
        at_most: the bytes that are wanted.
        instead_of_pipe: what to do instead of naming a pipe.

    Raises:
        UnreadableFileError: there is no such file, it is no regular file, or it cannot be opened.
    """
    descriptor, size = _opened(path, instead_of_pipe)
    try:
        return _content(descriptor, size or _BLOCK, at_most + 1)
    except OSError as error:
        raise UnreadableFileError(posix_name(path), _reason(path, error)) from None
    finally:
        os.close(descriptor)


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Return a regular file, open for reading.

    Raises:
        UnreadableFileError: there is no such file, it is no regular file, or it cannot be opened.
    """
    return open(_opened(path, _AS_FILE)[0], "rb")  # noqa: PTH123 - a descriptor, not a path


def _opened(path: str | os.PathLike[str], instead_of_pipe: str) -> tuple[int, int]:
    try:
        # Opening a pipe would wait for its writer: without O_NONBLOCK, before it can be refused.
        descriptor = os.open(path, os.O_RDONLY | _NEVER_WAIT)
    except (OSError, ValueError) as error:
        why, name = _reason(path, error), re.sub(_ADDRESS, r"\1://", posix_name(path))
        name = redacted(name) if re.match(_ADDRESS, name) else name
        if getattr(error, "errno", None) in (errno.ENOENT, errno.ENAMETOOLONG):
            why += _meant_instead(name)
        raise UnreadableFileError(name, why) from None
    status = os.fstat(descriptor)
    if reason := unlike_file(status.st_mode):
        os.close(descriptor)
        advice = f": {instead_of_pipe}" if stat.S_ISFIFO(status.st_mode) else ""
        raise UnreadableFileError(posix_name(path), f"{reason}{advice}")
    return descriptor, status.st_size


def _meant_instead(name: str) -> str:
    """Return what to write for a name that is several, an option, an address or a pattern."""
    there = [each for each in re.split(r"[\s,]+", name) if each and is_there(Path(each))]
    if len(there) > 1:
        do = "write a blank for each comma" if "," in name else "remove the quotes around them all"
        return f": these are the names of {len(there):,} files; {do}, to make each one argument"
    import shlex  # noqa: PLC0415 - rarely needed

    if re.match(_ADDRESS, name):
        raw = re.sub("//github.com(/[^/]+/[^/]+)/blob/", r"//raw.githubusercontent.com\1/", name)
        file = name.partition("?")[0].rpartition("/")[2] or "manifest.json"
        words = f"new.{file}" if is_there(Path(file)) else file, raw.replace("/-/blob/", "/-/raw/")
        do = f"save it first, as with `curl --location --output {shlex.join(words)}`"
        return f": addresses are not read; {do}"
    if re.search(r"(?:^|/)~|\$[\w({]|%\w+%|\{\w+\}", name):
        return ": `~` and variables are not replaced here; write the path itself"
    if "\\" in name:
        return ": paths have `/`, not `\\`"
    if not (wild := re.search(r"[*?]|\.{3}$", name)):
        within = (f"{name[:at]}/{name[at:]}" for at in range(1, min(len(name), _LONGEST_PATH)))
        at = next((each for each in within if is_file(Path(each))), "")
        return f": the shell removes `\\`; write `{at}`" if at else ""
    typed = os.path.dirname(name[: wild.start()])  # noqa: PTH120 - as typed
    folder = shlex.quote(typed) if typed and is_there(Path(typed)) else "."
    below = f"`manifest lint {folder}` looks in all folders below it"
    return f": wildcards are not expanded here; give the folder: {below}"


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
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, PermissionError) and error.errno != errno.EPERM:
        return "is a folder" if is_folder(path) else "permission denied"
    return reason_of(error)


def reason_of(error: OSError | ValueError) -> str:
    """Return why something cannot be done with a file, in words that go on with a sentence."""
    if getattr(error, "errno", None) == errno.EBADF:
        return "it is closed"
    reason = getattr(error, "strerror", None) or str(error)
    return f"{reason[:1].lower()}{reason[1:]}"


def create(path: Path, content: str | Iterable[bytes], instead: str = "name a new file") -> None:
    """Write a new file, a text as UTF-8, whole or not at all, and never in another's place.

    Args:
        path: the file.
        content: what it is to hold.
        instead: what to do instead of naming a device or a pipe.

    Raises:
        UnwritableFileError: it cannot be written, because there is something at the path, if only a
            link to nowhere, or for another reason; then there is none.
    """
    with suppress(OSError, ValueError):
        kind = unlike_file(path.stat().st_mode)
        if kind and not is_folder(path):
            raise UnwritableFileError(posix_name(path), f"{kind}: {instead}")
    with _writing(path), beside(path, is_new=True) as (descriptor, made):
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor, not a path
            file.writelines([content.encode()] if isinstance(content, str) else content)
        made.chmod(_usual_mode())


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """Yield a text file (UTF-8, LF) that takes the place of the one at a path when all is written.

    What is no regular file, a pipe or `/dev/stdout` say, is written into and stays.

    Raises:
        UnwritableFileError: it cannot be written; what is there stays.
    """
    with _writing(path), _replacing(path) as file:
        yield file


@contextmanager
def _replacing(path: Path) -> Iterator[TextIO]:
    mode = None
    with suppress(FileNotFoundError):
        mode = path.stat().st_mode
    stream = _STREAMS.get(path.as_posix())  # which may be a file that others write to as well
    if stream is not None or (mode is not None and not stat.S_ISREG(mode)):
        there = path if stream is None else os.dup(stream)
        with open(there, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123
            yield file
        return
    target = Path(os.path.realpath(path))  # a link stays one
    with beside(target) as (descriptor, made):
        with open(descriptor, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123
            yield file
        made.chmod(_usual_mode() if mode is None else stat.S_IMODE(mode))


def _usual_mode() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Name the file that cannot be written."""
    try:
        yield
    except FileExistsError:
        reason = "exists already; choose another file, or remove it"
        raise UnwritableFileError(posix_name(path), reason) from None
    except OSError as error:
        is_lost = isinstance(error, FileNotFoundError) and not is_there(path.parent)
        create = f"the folder `{posix_name(path.parent)}` does not exist; create it first"
        reason = f"cannot be written: {create if is_lost else reason_of(error)}"
        raise UnwritableFileError(posix_name(path), reason) from None


@contextmanager
def holding(*names: str) -> Iterator[None]:
    """Let signals of these names wait, where the system can."""
    import signal  # noqa: PLC0415 - slow to import, and most runs write no file

    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    held = {getattr(signal, each) for each in names}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, held)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def beside(target: Path, *, is_new: bool = False) -> Iterator[tuple[int, Path]]:
    """Yield a new file of this user alone, open, that takes the name of another at the end.

    Where that is to be new, it is an error if there is one at the end.
    """
    import tempfile  # noqa: PLC0415 - most runs write no file

    made = None
    with holding(*_ENDING):  # half of a file, or one that nothing names yet, would stay behind
        try:
            with holding("SIGINT"):
                prefix = f".{target.name[:64]}."
                descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=prefix)
                made = Path(name)
            yield descriptor, made
            if is_new:
                _claim(target, made)
            else:
                made.replace(target)
        except BaseException:  # an interrupt too leaves nothing behind
            if made:
                with suppress(OSError):
                    made.unlink()
            raise


def _claim(target: Path, made: Path) -> None:
    """Give a file a name that no other has."""
    try:
        os.link(made, target)
    except FileExistsError:
        raise
    except OSError:  # this file system has no links
        target.touch(exist_ok=False)
        made.replace(target)
    else:
        made.unlink()


def rewrite(path: Path, data: bytes, read: bytes) -> None:
    """Put new content in the place of a file's, whole or not at all.

    Mode, owner and extended attributes stay. A link stays, and its target is replaced. Of two that
    rewrite one file at the same time, one finds it changed.

    Args:
        path: the file.
        data: what it shall hold.
        read: what it held when it was read.

    Raises:
        UnwritableFileError: it is read-only, has changed, has hard links, is behind a link out of
            the working tree, or cannot be replaced with its owner kept. The file is as it was.
    """
    target = Path(os.path.realpath(path))
    if tree := _left(path, target, working_tree):
        is_at = "is a link to" if path.is_symlink() else "is in a linked folder, at"
        raise UnwritableFileError(
            posix_name(path), f"{is_at} {target}, outside {tree}: give that file itself"
        )
    try:
        with _alone(target) as status:
            if not status.st_mode & 0o222 or not os.access(target, os.W_OK):
                raise UnwritableFileError(posix_name(path), "is read-only: make it writable first")
            if status.st_nlink > 1:
                raise UnwritableFileError(
                    posix_name(path),
                    f"is one of {status.st_nlink:,} hard links to a file, which would be "
                    "separated: replace it by a copy first",
                )
            if read_bytes(target, len(read)) != read:
                raise UnwritableFileError(
                    posix_name(path), "changed after it was read: run the command again"
                )
            _replace(target, data, status)
    except UnreadableFileError as error:
        raise UnwritableFileError(posix_name(path), error.reason) from None
    except OSError as error:
        reason = _reason(target, error)
        if isinstance(error, PermissionError) and not os.access(target.parent, os.W_OK):
            reason = "is in a read-only folder: make the folder writable first"
        raise UnwritableFileError(posix_name(path), reason) from None


def _left(path: Path, target: Path, tree_of: Callable[[Path], Path]) -> Path | None:
    """Return the tree that a link on the way to a file leads out of; None if none does so.

    Links to folders count that stand in their tree: those above it are how one comes there.
    """
    given = path.absolute()
    for link in (given, *given.parents):
        if not link.is_symlink() or target.is_relative_to(tree := tree_of(link.parent)):
            continue
        is_file = link == given and not is_folder(given)
        if is_file or Path(os.path.realpath(link.parent)).is_relative_to(tree):
            return tree
    return None


def refuse_link_out(path: str | Path, folders: Iterable[str | Path] = ()) -> None:
    """Refuse a path that a link leads out of all of some folders, to what may be secret.

    Without folders, it is a path that was named, and the working folder is the one.
    """
    real, inside = Path(os.path.realpath(path)), [os.path.realpath(each) for each in folders]
    is_out = inside and not any(map(real.is_relative_to, inside))
    if is_out or (not inside and _left(Path(path), real, lambda _: Path.cwd().resolve())):
        raise UnreadableFileError(posix_name(path), _LINK_OUT)


def repository(folder: Path) -> Path | None:
    """Return the top of the git tree that a folder is in, named from the root; None for none."""
    return next((each for each in (folder, *folder.parents) if is_there(each / ".git")), None)


def working_tree(folder: Path) -> Path:
    """Return the git tree that a folder is in; without one, the working folder."""
    return repository(Path(os.path.realpath(folder))) or Path.cwd().resolve()


@contextmanager
def _alone(path: Path) -> Iterator[os.stat_result]:
    """Keep others that rewrite a file waiting; what is known of the file."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock  # noqa: PLC0415 - not on Windows
    except ImportError:
        yield path.stat()
        return
    while True:
        with open_regular(path) as file:
            _wait_for(flock, file, LOCK_EX | LOCK_NB)
            status = os.fstat(file.fileno())
            if os.path.samestat(status, path.stat()):
                yield status
                return
            # Another one put its own file here, while this one waited.


def _wait_for(lock: Callable[[BinaryIO, int], None], file: BinaryIO, how: int) -> None:
    """Lock a file, where that can be done; wait for a program that has locked it, not for ever.

    Raises:
        BlockingIOError: that one may wait for this one, as `flock FILE manifest fmt FILE` does.
    """
    for _ in range(_MOST_WAITS):
        try:
            return lock(file, how)
        except BlockingIOError:
            time.sleep(_WAIT)
        except OSError:  # not every file system can lock
            return None
    raise BlockingIOError(errno.EAGAIN, "is locked by another program: try again when it has ended")


def _replace(target: Path, data: bytes, status: os.stat_result) -> None:
    import shutil  # noqa: PLC0415 - most runs write no file

    with beside(target) as (descriptor, made):
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor, not a path
            file.write(data)
            file.flush()
            own = os.fstat(descriptor)
            if (own.st_uid, own.st_gid) != (status.st_uid, status.st_gid):
                try:
                    os.fchown(descriptor, status.st_uid, status.st_gid)
                except PermissionError:
                    raise PermissionError(
                        errno.EPERM,
                        "belongs to another user, who would lose it: run the command as that user",
                    ) from None
            os.fsync(descriptor)
        shutil.copystat(target, made)  # extended attributes too
        os.utime(made)
