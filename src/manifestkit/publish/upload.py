"""The body of a deploy request."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping

from manifestkit.publish.packing import Packed, Progress
from manifestkit.publish.wire import ARCHIVE_PART, ARCHIVE_TYPE

_FILE_NAME = "archive.zip"


class Upload:
    """The body of one try: multipart form data with the archive as its last part.

    The archive's last piece goes out together with the body's end: as long as `may_be_complete` is
    false, the service cannot have an archive to publish.

    Attributes:
        may_be_complete: whether the last piece was handed over; whether it arrived, only a response
            can tell.
        headers: the content type and the exact length.
    """

    def __init__(
        self, packed: Packed, fields: Mapping[str, str], progress: Progress | None = None
    ) -> None:
        boundary = uuid.uuid4().hex
        self.may_be_complete = False
        self._packed = packed
        self._progress = progress
        head = "".join(
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in fields.items()
        )
        head += (
            f"--{boundary}\r\nContent-Disposition: form-data; "
            f'name="{ARCHIVE_PART}"; filename="{_FILE_NAME}"\r\n'
            f"Content-Type: {ARCHIVE_TYPE}\r\n\r\n"
        )
        self._head = head.encode()
        self._tail = f"\r\n--{boundary}--\r\n".encode()
        length = len(self._head) + packed.size + len(self._tail)
        self.headers = {
            "Content-Type": f"multipart/form-data; boundary={boundary}",
            "Content-Length": str(length),
        }

    def __iter__(self) -> Iterator[bytes]:
        yield self._head
        sent = 0
        for chunk in self._packed.chunks():
            sent += len(chunk)
            if sent == self._packed.size:
                self.may_be_complete = True
                yield chunk + self._tail
            else:
                yield chunk
            if self._progress:
                self._progress(sent, self._packed.size)
