"""A report as text: one file per output format, and what they share."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from manifestkit.engine import Detail
from manifestkit.rendering.escape import Style, opening, visible

if TYPE_CHECKING:
    from manifestkit.model.report import Report

__all__ = [
    "DETAILS",
    "FORMATS",
    "FOR_PEOPLE",
    "NAMING_CLEAN_FILES",
    "Render",
    "Style",
    "opening",
    "visible",
]

Render = Callable[["Report", Style], Iterator[str]]
"""An output format: a report to pieces of text."""

_NAMES = (
    "full",
    "concise",
    "json",
    "github",
    "sarif",
    "gitlab",
    "junit",
    "markdown",
    "html",
)


def _render(name: str, report: Report, style: Style) -> Iterator[str]:
    """Render by a format, whose file is imported only now."""
    pieces: Iterator[str] = importlib.import_module(f"{__name__}.{name}").render(report, style)
    return pieces


FOR_PEOPLE = frozenset({"full", "concise", "text"})
"""The formats that no program reads."""

DETAILS = {
    "gitlab": Detail.IDENTITIES,
    "full": Detail.TEXT,
    **dict.fromkeys(("html", "json", "sarif"), Detail.EDITS),
}
"""The formats that show more of a finding than its message."""

NAMING_CLEAN_FILES = frozenset({"junit"})
"""The formats that have something for each file, wrong or not."""

FORMATS: dict[str, Render] = {name: partial(_render, name) for name in _NAMES}
"""The output formats by name."""
