"""The digest of a Parquet file, in its metadata: of the file with zeros in place of the digest."""

from __future__ import annotations

import os
from hashlib import sha256
from typing import Any

import pyarrow as pa

_KEY = b"manifestkit.fleet.sha256"
_ZEROS = b"0" * 64
_STATED = _KEY + b"\x18\x40"  # as Thrift writes it: a text of 64 bytes follows
_PIECE = 1 << 20

WITHOUT_DIGEST = {_KEY: _ZEROS}
"""The metadata of a file whose digest is to be written into it."""


def put_digest(file: Any) -> None:
    """Write its digest into a file that can be read and written, and has the metadata for it."""
    _, digest, at = _digests(file)
    file.seek(at)
    file.write(digest)


def check_digest(file: Any) -> None:
    """Refuse a result that is not as it was written.

    Raises:
        pa.ArrowInvalid: it is not.
    """
    said, digest, _ = _digests(file)
    if said != digest:
        raise pa.ArrowInvalid("not what its digest says")


def _digests(file: Any) -> tuple[bytes, bytes, int]:
    """Return the digest that a result says it has, the one that it has, and where it says so.

    Raises:
        pa.ArrowInvalid: it says none.
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 8))
    footer_size = int.from_bytes(file.read(4), "little") + 8
    begins = size - footer_size
    file.seek(max(0, begins))
    footer = file.read(footer_size)
    at = footer.rfind(_STATED) + len(_STATED)
    if begins < 0 or at < len(_STATED):
        raise pa.ArrowInvalid("a result without its digest")
    digest = sha256()
    file.seek(0)
    for start in range(0, begins, _PIECE):
        digest.update(file.read(min(_PIECE, begins - start)))
    digest.update(footer[:at] + _ZEROS + footer[at + len(_ZEROS) :])
    return footer[at : at + len(_ZEROS)], digest.hexdigest().encode(), begins + at
