"""A plot with two logarithmic axes, as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_WIDTH, _HEIGHT, _MARGIN = 640, 320, 56
_INK = "#5b6470"


@dataclass(frozen=True)
class Line:
    """A line through points.

    Attributes:
        name: what it shows.
        colour: of the line and its name.
        points: x and y of each point, both above zero.
    """

    name: str
    colour: str
    points: Sequence[tuple[float, float]]


def svg(lines: Sequence[Line], x_title: str, y_title: str) -> str:
    """Return the plot, with a mark at each power of ten."""
    xs = _decades([x for line in lines for x, _ in line.points])
    ys = _decades([y for line in lines for _, y in line.points])

    def across(x: float) -> float:
        part = (math.log10(x) - xs[0]) / (xs[-1] - xs[0])
        return _MARGIN + part * (_WIDTH - 2 * _MARGIN)

    def up(y: float) -> float:
        part = (math.log10(y) - ys[0]) / (ys[-1] - ys[0])
        return _HEIGHT - _MARGIN - part * (_HEIGHT - 1.6 * _MARGIN)

    bottom, left, right = up(10 ** ys[0]), across(10 ** xs[0]), across(10 ** xs[-1])
    marks = [_text(across(10**x), bottom + 18, f"{10**x:,g}", anchor="middle") for x in xs] + [
        f'<line x1="{left:.0f}" x2="{right:.0f}" y1="{up(10**y):.1f}" y2="{up(10**y):.1f}" '
        f'stroke="{_INK}" stroke-opacity=".25"/>{_text(left - 6, up(10**y) + 4, f"{10**y:,g}")}'
        for y in ys
    ]
    drawn = [
        f'<polyline fill="none" stroke="{line.colour}" stroke-width="2" points="'
        + " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in line.points)
        + '"/>'
        + _text(right + 4, up(line.points[-1][1]) + 4, line.name, line.colour, "start")
        for line in lines
    ]
    titles = [
        _text((left + right) / 2, bottom + 40, x_title, anchor="middle"),
        _text(left, 16, y_title, anchor="start"),
    ]
    size = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="12"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    return "\n".join([head, *marks, *drawn, *titles, "</svg>\n"])


def _decades(values: Sequence[float]) -> range:
    """Return the powers of ten around values."""
    return range(math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))) + 1)


def _text(x: float, y: float, text: str, colour: str = _INK, anchor: str = "end") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" fill="{colour}" text-anchor="{anchor}">{text}</text>'
