"""A report as text: one file per output format, and what they share."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from manifestkit.model.report import Report
    from manifestkit.rendering.escape import Style


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """A format of reports, by the name of its file here.

    Attributes:
        name: its name.
        is_for_people: whether no program reads it.
        names_clean_files: whether it has something for each file, wrong or not.
    """

    name: str
    is_for_people: bool = False
    names_clean_files: bool = False

    def __call__(self, report: Report, style: Style) -> Iterator[str]:
        """Yield a report in pieces; the file is imported only now."""
        module = importlib.import_module(f"{__name__}.{self.name}")
        pieces: Iterator[str] = module.render(report, style)
        return pieces


FORMATS = {
    each.name: each
    for each in (
        OutputFormat("full", is_for_people=True),
        OutputFormat("concise", is_for_people=True),
        OutputFormat("json"),
        OutputFormat("github"),
        OutputFormat("sarif"),
        OutputFormat("gitlab"),
        OutputFormat("junit", names_clean_files=True),
        OutputFormat("markdown"),
        OutputFormat("html"),
    )
}
"""The output formats by name."""
