"""A picture of a finding: what `manifest lint` prints on a terminal, as SVG."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

import manifestkit

_MANIFEST = """{
  "schema_version": "1.0",
  "provider": {
    "id": "com.example.breathing",
    "name": "Calm Breathing",
    "versoin": "2.1.0"
  },
  "runtime": { "entrypoint": "index.js", "sdk_version": "1.4" },
  "activities": [{ "id": "box", "name": "Box breathing" }],
  "permissions": [],
  "capabilities": []
}
"""
_COLUMNS = 64
_COLUMN, _LINE, _MARGIN, _BAR = 8.4, 20, 18, 34
_COLOURS = {
    "1;31": ("#ff7b72", "bold"),
    "1;33": ("#e3b341", "bold"),
    "1;32": ("#7ee787", "bold"),
    "2": ("#8b949e", "normal"),
    "32": ("#7ee787", "normal"),
    "36": ("#76e3ea", "normal"),
    "34": ("#79c0ff", "normal"),
    "1": ("#ffffff", "bold"),
    "0": ("#e6edf3", "normal"),
}
_CODE = re.compile(r"\x1b\[([0-9;]+)m")
_FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def finding() -> str:
    """The first picture of the documentation."""
    result = manifestkit.lint(_MANIFEST, "manifest.json")
    shown = manifestkit.render(result, "full", color=True, width=_COLUMNS).rstrip()
    return drawn(f"\x1b[2m$\x1b[0m manifest lint\n{shown}\n")


def drawn(text: str) -> str:
    """A terminal with a text in it, whose colours are given as a terminal reads them."""
    lines = text.rstrip("\n").split("\n")
    longest = max(len(_CODE.sub("", line)) for line in lines)
    width = round(2 * _MARGIN + longest * _COLUMN)
    height = _BAR + len(lines) * _LINE + _MARGIN
    plain = escape(_CODE.sub("", text).strip())
    dots = "".join(
        f'<circle cx="{_MARGIN + 4 + 18 * number}" cy="18" r="5.5" fill="{colour}"/>'
        for number, colour in enumerate(("#ff5f57", "#febc2e", "#28c840"))
    )
    rows = "".join(
        f'<text y="{_BAR + _LINE * number + 14}">{"".join(_spans(line))}</text>\n'
        for number, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-labelledby="title">\n'
        f'<title id="title">{plain}</title>\n'
        f'<rect width="{width}" height="{height}" rx="8" fill="#161b22"/>{dots}\n'
        f'<g font-family="{_FONT}" font-size="14">\n{rows}</g>\n</svg>\n'
    )


def _spans(line: str) -> Iterator[str]:
    """The pieces of a line, each in its colour and at its column."""
    code, column = "0", 0
    pieces = _CODE.split(line)
    for index, piece in enumerate(pieces):
        if index % 2:
            code = piece
        elif piece:
            words = piece.lstrip(" ")
            start = column + len(piece) - len(words)
            column += len(piece)
            if words:
                yield _span(words, start, *_COLOURS[code])


def _span(words: str, column: int, colour: str, weight: str) -> str:
    """Words that begin at a column. Blanks are such as no reader of SVG takes away."""
    x, length = round(_MARGIN + column * _COLUMN, 1), round(len(words) * _COLUMN, 1)
    drawn_as = escape(words.replace(" ", "\N{NO-BREAK SPACE}"))
    place = f'x="{x}" textLength="{length}"'
    return f'<tspan {place} fill="{colour}" font-weight="{weight}">{drawn_as}</tspan>'
