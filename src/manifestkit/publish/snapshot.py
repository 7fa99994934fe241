"""A private copy of what is to be deployed: what was checked is what is sent."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from manifestkit.files import open_regular, reason_of, shown
from manifestkit.model.errors import NotSentError, UnreadableFileError

CHUNK = 256 * 1024


class SnapshotChangedError(NotSentError):
    """The copy is no longer what was checked; the last of its bytes was not handed out."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A file without a name, which nobody else can open.

    Attributes:
        file: the file.
        size: its bytes.
        sha256: their digest, in hex.
    """

    file: BinaryIO
    size: int
    sha256: str

    def close(self) -> None:
        """Let go of the bytes."""
        self.file.close()

    def chunks(self) -> Iterator[bytes]:
        """The bytes, piece by piece; the last piece only when all are those that were checked.

        Raises:
            SnapshotChangedError: they are not.
        """
        digest = hashlib.sha256()
        self.file.seek(0)
        left = self.size
        while left:
            chunk = self.file.read(min(CHUNK, left))
            left -= len(chunk)
            digest.update(chunk)
            if not chunk or (not left and digest.hexdigest() != self.sha256):
                raise SnapshotChangedError("the archive has changed since it was checked")
            yield chunk


def take_snapshot(path: Path) -> Snapshot:
    """A copy of a file.

    Raises:
        UnreadableFileError: it is no regular file, or it cannot be read or copied.
    """
    with open_regular(path, "copy it into a file") as source:
        copy = private_file(path)
        digest = hashlib.sha256()
        try:
            while chunk := source.read(CHUNK):
                digest.update(chunk)
                copy.write(chunk)
            copy.flush()
            return Snapshot(copy, copy.tell(), digest.hexdigest())
        except OSError as error:
            copy.close()
            raise UnreadableFileError(
                shown(path), f"cannot be copied: {reason_of(error)}"
            ) from None
        except BaseException:
            copy.close()
            raise


def snapshot_of(file: BinaryIO) -> Snapshot:
    """A snapshot of a private file that is written."""
    digest = hashlib.sha256()
    file.flush()
    file.seek(0)
    while chunk := file.read(CHUNK):
        digest.update(chunk)
    return Snapshot(file, file.tell(), digest.hexdigest())


def private_file(source: Path) -> BinaryIO:
    """A new file without a name, to hold a copy of a source.

    Raises:
        UnreadableFileError: there is no place for it.
    """
    import tempfile  # noqa: PLC0415 - most commands make no copy

    try:
        return tempfile.TemporaryFile(prefix="manifestkit-")
    except OSError as error:
        raise UnreadableFileError(shown(source), f"cannot be copied: {reason_of(error)}") from None
