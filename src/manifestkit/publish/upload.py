"""A deploy request's body: multipart form data, made as it is sent."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping

from manifestkit.publish.snapshot import Snapshot
from manifestkit.publish.wire import ARCHIVE_PART, ARCHIVE_TYPE

_FILE_NAME = "archive.zip"


class Upload:
    """The body of one try.

    The archive comes last, and its last piece goes out together with the body's end: as long as
    `may_be_complete` is false, the service cannot have an archive to publish.

    Attributes:
        may_be_complete: whether the last piece was handed over; whether it arrived, only an answer
            can tell.
        headers: the content type and the exact length.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        fields: Mapping[str, str],
        progress: Callable[[int], None] | None = None,
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
                self._progress(sent)
