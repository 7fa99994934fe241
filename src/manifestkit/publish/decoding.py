"""Text with what is encoded in it decoded, layer by layer, and the way back to the text itself."""

from __future__ import annotations

import base64
import html
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

_MOST_LAYERS = 8
_LAST_POINT = 0x10FFFF
_LATIN_1 = {0xDC00 + octet: octet for octet in range(0x80, 0x100)}
_SIMPLE = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_PERCENT = r"(?P<percent>(?:%[0-9A-Fa-f]{2})+)"
_BACKSLASH = (
    r"(?P<unicode>(?:\\u[0-9A-Fa-f]{4})+)"
    r"|(?P<point>\\U[0-9A-Fa-f]{8}|\\u\{[0-9A-Fa-f]{1,8}\})"
    r"|(?P<octets>(?:\\x[0-9A-Fa-f]{2})+)"
    r"|(?P<octal>(?:\\[0-3][0-7]{2})+)"
    r"|\\(?P<simple>[bfnrtv0\"'\\/`$<>&])"
)
_ENTITY = (
    r"&#(?P<decimal>[0-9]{1,9});?|&#[xX](?P<hex>[0-9A-Fa-f]{1,8});?"
    r"|(?P<entity>&[A-Za-z][A-Za-z0-9]{1,31};?)"
)
# What one way to escape leaves as it is may look like an escape of another: `\` and `)` behind it.
_WAYS = [
    re.compile("|".join(ways))
    for count in (3, 2, 1)
    for ways in combinations((_PERCENT, _BACKSLASH, _ENTITY), count)
]
_MARKS = re.compile(r"[%\\&]")
_BASE64 = re.compile(r"[A-Za-z0-9+/_=-]+(?:[ \t]*[\r\n][\s>]*[A-Za-z0-9+/_=-]+)*")
_NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/]+")
_HEX = re.compile(r"[0-9A-Fa-f]{2}(?:[\s:,_.-]*(?:\\[xX]|0[xX])?[0-9A-Fa-f]{2})*")
_NOT_HEX = re.compile(r"0[xX]|[^0-9A-Fa-f]+")


@dataclass(frozen=True, slots=True)
class Layer:
    """A text, or what it reads once the escapes in the layer before are decoded.

    Attributes:
        text: the text of this layer.
        before: the layer that it was decoded from; None for the text itself.
        depth: how many times it was decoded.
    """

    text: str
    before: Layer | None = None
    depth: int = 0
    _ends: list[int] = field(default_factory=list, repr=False)  # of each escape, decoded
    _pieces: list[tuple[int, int, int]] = field(default_factory=list, repr=False)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the text itself that a span of this layer was decoded from."""
        layer: Layer | None = self
        while layer is not None and layer.before is not None:
            start, end = layer.source(start)[0], layer.source(end - 1)[1]
            layer = layer.before
        return start, end

    def source(self, at: int) -> tuple[int, int]:
        """Where in the layer before the character at an index comes from."""
        index = bisect_right(self._ends, at)
        if index < len(self._pieces):
            begin, first, last = self._pieces[index]
            if at >= begin:
                return first, last
        if not index:
            return at, at + 1
        source = self._pieces[index - 1][2] + at - self._ends[index - 1]
        return source, source + 1


def layers(text: str) -> Iterator[Layer]:
    """The text, and what it reads decoded once, twice and so on, as long as that changes it.

    It is decoded by each way to escape, by two of them at once, and by all.
    """
    first = Layer(text)
    yield first
    if not _MARKS.search(text):
        return
    seen = {text}
    for escapes in _WAYS:
        layer = first
        for _ in range(1, _MOST_LAYERS):
            decoded = _decoded(layer, escapes)
            if decoded.text == layer.text:
                break
            layer = decoded
            if layer.text not in seen:
                seen.add(layer.text)
                yield layer


def packed(text: str, shortest: int) -> Iterator[tuple[int, int, str]]:
    """Whatever may be base64 or hexadecimal digits in a text: its span, and what it says.

    Both are decoded from each place that a group of digits may begin at.

    Args:
        text: the text.
        shortest: how many bytes are worth looking at.
    """
    for found in _BASE64.finditer(text):
        if found.end() - found.start() >= shortest * 4 // 3:
            digits = found[0].replace("-", "+").replace("_", "/")
            for piece in digits.split("="):
                yield from _texts(found, _from_base64(_NOT_BASE64.sub("", piece)))
    for found in _HEX.finditer(text):
        if found.end() - found.start() >= shortest * 2:
            yield from _texts(found, _from_hex(_NOT_HEX.sub("", found[0])))


def _texts(found: re.Match[str], contents: Iterator[bytes]) -> Iterator[tuple[int, int, str]]:
    for content in contents:
        yield found.start(), found.end(), text_of(content)


def text_of(octets: bytes) -> str:
    """The text that bytes are; what is no UTF-8 in them is read as Latin-1."""
    return octets.decode(errors="surrogateescape").translate(_LATIN_1)


def _from_base64(digits: str) -> Iterator[bytes]:
    for offset in range(4):
        count = len(digits) - offset
        if count % 4 == 1:
            count -= 1
        if count > 0:
            piece = digits[offset : offset + count]
            yield base64.b64decode(piece + "=" * (-count % 4))


def _from_hex(digits: str) -> Iterator[bytes]:
    for offset in range(2):
        count = (len(digits) - offset) // 2 * 2
        yield bytes.fromhex(digits[offset : offset + count])


def _decoded(layer: Layer, escapes: re.Pattern[str]) -> Layer:
    ends: list[int] = []
    pieces: list[tuple[int, int, int]] = []
    parts: list[str] = []
    length = done = 0
    for found in escapes.finditer(layer.text):
        plain = layer.text[done : found.start()]
        meant = _meant(found)
        begin = length + len(plain)
        length = begin + len(meant)
        done = found.end()
        parts += (plain, meant)
        ends.append(length)
        pieces.append((begin, found.start(), found.end()))
    parts.append(layer.text[done:])
    return Layer("".join(parts), layer, layer.depth + 1, ends, pieces)


def _meant(found: re.Match[str]) -> str:
    """What an escape stands for."""
    written = found[0]
    match found.lastgroup:
        case "percent" | "octets":
            return text_of(bytes.fromhex(written.replace("%", "").replace("\\x", "")))
        case "octal":
            return text_of(bytes(int(each, 8) for each in written.split("\\")[1:]))
        case "unicode":
            units = bytes.fromhex(written.replace("\\u", ""))
            return units.decode("utf-16-be", errors="surrogatepass")
        case "point":
            return _character(written.strip("\\uU{}"), 16)
        case "decimal" | "hex" as base:
            return _character(found[base], {"decimal": 10, "hex": 16}[base])
        case "simple":
            return _SIMPLE.get(written[1], written[1])
        case _:
            return html.unescape(written)


def _character(digits: str, base: int) -> str:
    point = int(digits, base)
    return chr(point) if point <= _LAST_POINT else ""
