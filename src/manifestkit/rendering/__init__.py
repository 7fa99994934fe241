"""A report as text: one file per output format, and what they share."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from manifestkit.model.report import Report
    from manifestkit.rendering.escape import Style


def _render(name: str, report: Report, style: Style) -> Iterator[str]:
    """Render by a format, whose file is imported only now."""
    pieces: Iterator[str] = importlib.import_module(f"{__name__}.{name}").render(report, style)
    return pieces


FORMATS: dict[str, Callable[[Report, Style], Iterator[str]]] = {
    name: partial(_render, name)
    for name in (
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
}
"""The output formats by name: each writes a report in pieces."""

FOR_PEOPLE = frozenset({"full", "concise", "text"})
"""The formats that no program reads."""

NAMING_CLEAN_FILES = frozenset({"junit"})
"""The formats that have something for each file, wrong or not."""
