"""A report as text: one file per output format, and what they share."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from json import loads
from typing import Any, NamedTuple

from manifestkit.model.report import FileResult, Report
from manifestkit.rendering.escape import Style


class OutputFormat(NamedTuple):
    """A format of reports, by the name of its file here."""

    name: str
    is_for_people: bool = False  # whether no program reads it
    shows_text: bool = False  # whether it has lines of the files, or places in them

    def __call__(self, report: Report, style: Style) -> Iterator[str]:
        """Yield a report in pieces; the file is imported only now."""
        module = importlib.import_module(f"{__name__}.{self.name}")
        pieces: Iterator[str] = module.render(report, style)
        return pieces


FORMATS = {
    each.name: each
    for each in (
        OutputFormat("full", is_for_people=True, shows_text=True),
        OutputFormat("concise", is_for_people=True),
        OutputFormat("json"),
        OutputFormat("github"),
        OutputFormat("sarif", shows_text=True),
        OutputFormat("gitlab"),
        OutputFormat("junit"),
        OutputFormat("markdown"),
        OutputFormat("html", shows_text=True),
    )
}
"""The output formats by name."""


def render(
    report: Report | FileResult, format: str = "full", *, color: bool = False, width: int = 100
) -> str:
    """Write a report in an output format of `manifest lint`.

    Args:
        report: the report, or the result of one file.
        format: `full`, `concise`, `json`, `github`, `sarif`, `gitlab`, `junit`, `markdown` or
            `html`.
        color: whether `full` and `concise` have the colours of a terminal.
        width: the maximum columns of a line of `full`.

    Raises:
        ValueError: there is no such format.

    Example:
        >>> result = manifestkit.lint('{"schema_version": "1.0",}', "manifest.json")
        >>> print(manifestkit.render(result, "concise"))  # doctest: +ELLIPSIS
        manifest.json:1:25: error syntax-error ...
    """
    if format not in FORMATS:
        raise ValueError(f"format: {format!r} is not one of {', '.join(FORMATS)}")
    return "".join(FORMATS[format](_report(report), Style(color=color, width=width)))


def to_dict(report: Report | FileResult) -> dict[str, Any]:
    """Convert a report to the dictionaries, lists, text and numbers of the JSON form.

    Args:
        report: the report, or the result of one file.

    Example:
        >>> result = manifestkit.lint('{"schema_version": "1.0",}', "manifest.json")
        >>> said = manifestkit.to_dict(result)
        >>> said["findings"][0]["rule"], said["summary"]["errors"]
        ('syntax-error', 1)
    """
    form: dict[str, Any] = loads(render(_report(report), "json"))
    return form


def _report(report: Report | FileResult) -> Report:
    return report if isinstance(report, Report) else Report.of([report])
