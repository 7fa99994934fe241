"""Each finding of the JSON form as one line; so is each file that could not be read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from manifestkit.engine import Report
from manifestkit.rendering.escape import Style, json_text
from manifestkit.rendering.json import finding_object
from manifestkit.rendering.places import finding_about, untold


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the lines of the format."""
    for finding in chain(map(finding_about, untold(report)), report.each_finding()):
        yield json_text(finding_object(finding)) + "\n"
