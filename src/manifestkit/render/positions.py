"""Files and offsets as other programs name them."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from manifestkit.files import nearby
from manifestkit.model.location import LineIndex

_BLOCK = 1024


def from_root(path: str) -> str:
    """A file as seen from the working folder, which in a build is the repository's root.

    Platforms match it with a changed file's name; an absolute name they cannot match.
    """
    return nearby(Path(path)) if Path(path).is_absolute() else path


def uri(path: str) -> str:
    """A file as a URI reference (RFC 3986): relative and percent-encoded where it can be.

    Bytes of a name that are no UTF-8 are encoded as they are.
    """
    name = from_root(path)
    try:
        raw = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that stands for no byte of a name
        raw = name.encode("utf-8", "surrogatepass")
    encoded = quote(raw, safe="/")
    if Path(name).is_absolute():
        return f"file://{'' if encoded.startswith('/') else '/'}{encoded}"
    # Some readers decode before they look for a scheme.
    has_colon = ":" in name.partition("/")[0]
    return f"./{encoded}" if has_colon or not encoded else encoded


class ByteIndex:
    """Finds lines and columns that count bytes of UTF-8, a byte order mark's among them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = LineIndex(text)
        # One line may hold a whole file: what stands before an offset is not counted anew.
        self._before = [0]
        for start in range(0, len(text), _BLOCK):
            self._before.append(self._before[-1] + _size(text[start : start + _BLOCK]))

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column (1-based) of an offset in code points."""
        line, column = self._lines.position(offset)
        start = 0 if line == 1 else offset - column + 1
        return line, self._bytes_before(offset) - self._bytes_before(start) + 1

    def _bytes_before(self, offset: int) -> int:
        block = offset // _BLOCK
        return self._before[block] + _size(self._text[block * _BLOCK : offset])


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
