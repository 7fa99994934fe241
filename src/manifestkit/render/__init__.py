"""A report as text: one file per output format."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from manifestkit.engine import Report
from manifestkit.render import concise, full, json
from manifestkit.render.escape import visible
from manifestkit.render.style import Style

__all__ = ["FORMATS", "Render", "Style", "visible"]

Render = Callable[[Report, Style], Iterator[str]]
"""An output format: a report to pieces of text."""

FORMATS: dict[str, Render] = {
    "full": full.render,
    "concise": concise.render,
    "json": json.render,
}
"""The output formats by name."""
