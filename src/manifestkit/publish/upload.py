"""The archive as it is sent."""

from __future__ import annotations

import hashlib
import os
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from manifestkit.files import open_regular, reason_of, shown
from manifestkit.model.errors import NotSentError, UnreadableFileError
from manifestkit.publish.wire import ARCHIVE_PART, ARCHIVE_TYPE

CHUNK = 256 * 1024

Progress = Callable[[int, int], None]
"""Gets how many bytes are done, and of how many."""


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
                raise SnapshotChangedError("the archive changed after it was checked")
            yield chunk


def take_snapshot(path: Path, progress: Progress | None = None) -> Snapshot:
    """A copy of a file.

    Args:
        path: the file.
        progress: is called for each piece that is copied.

    Raises:
        UnreadableFileError: it is no regular file, or it cannot be read or copied.
    """
    with open_regular(path, "copy it into a file") as source:
        copy = private_file(path)
        digest = hashlib.sha256()
        size = os.fstat(source.fileno()).st_size
        try:
            while chunk := source.read(CHUNK):
                digest.update(chunk)
                copy.write(chunk)
                if progress:
                    progress(copy.tell(), size)
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
    try:
        return tempfile.TemporaryFile(prefix="manifestkit-")
    except OSError as error:
        raise UnreadableFileError(shown(source), f"cannot be copied: {reason_of(error)}") from None


_FILE_NAME = "archive.zip"


class Upload:
    """The body of one try.

    The archive comes last, and its last piece goes out together with the body's end: as long as
    `may_be_complete` is false, the service cannot have an archive to publish.

    Attributes:
        may_be_complete: whether the last piece was handed over; whether it arrived, only a response
            can tell.
        headers: the content type and the exact length.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        fields: Mapping[str, str],
        progress: Progress | None = None,
    ) -> None:
        boundary = uuid.uuid4().hex
        self.may_be_complete = False
        self._snapshot = snapshot
        self._progress = progress
        self._head = b"".join(
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'
            f"{value}\r\n".encode()
            for name, value in fields.items()
        )
        self._head += (
            f"--{boundary}\r\nContent-Disposition: form-data; "
            f'name="{ARCHIVE_PART}"; filename="{_FILE_NAME}"\r\n'
            f"Content-Type: {ARCHIVE_TYPE}\r\n\r\n"
        ).encode()
        self._tail = f"\r\n--{boundary}--\r\n".encode()
        length = len(self._head) + snapshot.size + len(self._tail)
        self.headers = {
            "Content-Type": f"multipart/form-data; boundary={boundary}",
            "Content-Length": str(length),
        }

    def __iter__(self) -> Iterator[bytes]:
        yield self._head
        sent = 0
        for chunk in self._snapshot.chunks():
            sent += len(chunk)
            if sent == self._snapshot.size:
                self.may_be_complete = True
                yield chunk + self._tail
            else:
                yield chunk
            if self._progress:
                self._progress(sent, self._snapshot.size)
