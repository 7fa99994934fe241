"""A picture of a finding: what `manifest lint` prints on a terminal, as SVG."""

from __future__ import annotations

import re
from html import escape
from typing import Any, NamedTuple

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
_PLAIN, _STRONG, _DIM = "#e6edf3", "#ffffff", "#8b949e"
_COLOURS = ("#161b22", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#76e3ea", "#b1bac4")
_BACKGROUND = "#161b22"
_LEVELS = (0, 95, 135, 175, 215, 255)
_CODE = re.compile(r"\x1b\[([0-9;]*)m")
_FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def finding() -> str:
    """Return the first picture of the documentation."""
    result = manifestkit.lint(_MANIFEST, "manifest.json")
    shown = manifestkit.render(result, "full", color=True, width=_COLUMNS).rstrip()
    return drawn(f"\x1b[2m$\x1b[0m manifest lint\n{shown}\n")


def drawn(text: str) -> str:
    """Return a terminal with a text in it, whose colours are given as a terminal reads them."""
    lines = text.rstrip("\n").split("\n")
    longest = max(len(_CODE.sub("", line)) for line in lines)
    width = round(2 * _MARGIN + longest * _COLUMN)
    height = _BAR + len(lines) * _LINE + _MARGIN
    plain = escape(_CODE.sub("", text).strip())
    dots = "".join(
        f'<circle cx="{_MARGIN + 4 + 18 * number}" cy="18" r="5.5" fill="{colour}"/>'
        for number, colour in enumerate(("#ff5f57", "#febc2e", "#28c840"))
    )
    rows, behind, look = "", "", _Look()
    for number, line in enumerate(lines):
        pieces, look = _spans(line, number, look)
        behind += "".join(each for _, each in pieces)
        rows += (
            f'<text y="{_BAR + _LINE * number + 14}">{"".join(each for each, _ in pieces)}</text>\n'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-labelledby="title">\n'
        f'<title id="title">{plain}</title>\n'
        f'<rect width="{width}" height="{height}" rx="8" fill="{_BACKGROUND}"/>{dots}\n{behind}'
        f'<g font-family="{_FONT}" font-size="14">\n{rows}</g>\n</svg>\n'
    )


class _Look(NamedTuple):
    """How a terminal shows what follows."""

    colour: str | None = None
    behind: str | None = None
    bold: bool = False
    dim: bool = False
    underlined: str | None = None
    is_reversed: bool = False

    def after(self, code: str) -> _Look:
        """Return the look after an escape sequence."""
        look, codes = self, [int(each or 0) for each in code.split(";")]
        while codes:
            number = codes.pop(0)
            if number in _EXTENDED:
                is_indexed = codes.pop(0) == _INDEXED
                given = [codes.pop(0) for _ in range(1 if is_indexed else 3)]
                colour = _cube(given[0]) if is_indexed else f"#{bytes(given).hex()}"
                extended: dict[str, Any] = {_EXTENDED[number]: colour}
                look = look._replace(**extended)
            elif number in _NAMED:
                is_grey = number == 90  # noqa: PLR2004 - bright black
                look = look._replace(colour=_DIM if is_grey else _COLOURS[number % 10])
            else:
                look = look._replace(**_CODES.get(number, {})) if number else _Look()
        return look

    @property
    def ink(self) -> str:
        """The colour of letters."""
        if self.is_reversed:
            return self.behind or _BACKGROUND
        return self.colour or (_STRONG if self.bold else _DIM if self.dim else _PLAIN)


_INDEXED = 5
_NAMED = {*range(30, 38), *range(90, 98)}
_EXTENDED = {38: "colour", 48: "behind", 58: "underlined"}
_CODES: dict[int, dict[str, Any]] = {
    1: {"bold": True},
    2: {"dim": True},
    4: {"underlined": _PLAIN},
    7: {"is_reversed": True},
    39: {"colour": None},
    49: {"behind": None},
}


def _cube(index: int) -> str:
    """One of the 256 colours of a terminal."""
    if index < 16:  # noqa: PLR2004 - those with names
        return _COLOURS[index % 8]
    if index >= 232:  # noqa: PLR2004 - the greys
        return "#" + f"{8 + 10 * (index - 232):02x}" * 3
    cube = index - 16
    return "#" + "".join(f"{_LEVELS[cube // by % 6]:02x}" for by in (36, 6, 1))


def _spans(line: str, row: int, look: _Look) -> tuple[list[tuple[str, str]], _Look]:
    """Return the pieces of a line, what is drawn behind them, and the look after."""
    found, column = [], 0
    for index, piece in enumerate(_CODE.split(line)):
        if index % 2:
            look = look.after(piece)
            continue
        words = piece if look.underlined else piece.lstrip(" ")
        start = column + len(piece) - len(words)
        behind = look.colour or _PLAIN if look.is_reversed else look.behind
        block = _behind(piece, column, row, behind) if piece and behind else ""
        found.append((_span(words, start, look) if words else "", block))
        column += len(piece)
    return found, look


def _behind(piece: str, column: int, row: int, colour: str) -> str:
    x, width = round(_MARGIN + column * _COLUMN, 1), round(len(piece) * _COLUMN, 1)
    return (
        f'<rect x="{x}" y="{_BAR + _LINE * row}" width="{width}" height="{_LINE}" fill="{colour}"/>'
    )


def _span(words: str, column: int, look: _Look) -> str:
    """Words that begin at a column. Blanks are such as no reader of SVG takes away."""
    x, length = round(_MARGIN + column * _COLUMN, 1), round(len(words) * _COLUMN, 1)
    drawn_as = escape(words.replace(" ", "\N{NO-BREAK SPACE}"))
    place = f'x="{x}" textLength="{length}"'
    weight = "bold" if look.bold else "normal"
    line = f' text-decoration="underline {look.underlined}"' if look.underlined else ""
    return f'<tspan {place} fill="{look.ink}" font-weight="{weight}"{line}>{drawn_as}</tspan>'
