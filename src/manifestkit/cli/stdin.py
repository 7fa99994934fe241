"""What comes on standard input, or in words why there is nothing."""

from __future__ import annotations

import io
import sys
from typing import Any

from manifestkit.engine import STDIN
from manifestkit.files import reason_of
from manifestkit.model.errors import UnreadableFileError

_PIECE = 64 * 1024


def read_stdin(at_most: int) -> bytes:
    """What comes on standard input, or its first `at_most` + 1 bytes.

    Raises:
        UnreadableFileError: it is closed, or cannot be read.
    """
    stream: Any = sys.stdin.buffer  # a reader with `read1`, which its type does not say
    pieces: list[bytes] = []
    left = at_most + 1
    try:
        # Piece by piece: an interrupt that comes between two is not lost.
        while left and (piece := stream.read1(min(left, _PIECE))):
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces)
    except io.UnsupportedOperation:
        raise UnreadableFileError(STDIN, "standard input is closed") from None
    except OSError as problem:
        raise UnreadableFileError(STDIN, reason_of(problem)) from None


def read_whole_stdin(at_most: int) -> bytes:
    """What comes on standard input, all of it.

    Raises:
        UnreadableFileError: it is closed, cannot be read, or has more bytes than that.
    """
    data = read_stdin(at_most)
    if len(data) > at_most:
        raise UnreadableFileError(STDIN, f"is larger than {at_most:,} bytes")
    return data
