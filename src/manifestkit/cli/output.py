"""Where a run's output goes: standard output, and files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from manifestkit.engine.report import Report
from manifestkit.files import replacing
from manifestkit.render import FORMATS, NAMING_CLEAN_FILES, Style


@dataclass(frozen=True, slots=True)
class Output:
    """One form of the report.

    Attributes:
        format: its name.
        file: where it goes; None for standard output.
    """

    format: str
    file: Path | None = None

    @property
    def names_clean_files(self) -> bool:
        """Whether it has something for files that nothing is wrong with."""
        return self.format in NAMING_CLEAN_FILES

    def text(self, report: Report, style: Style) -> str:
        """The report in this form."""
        return "".join(FORMATS[self.format](report, style))

    def write(self, report: Report, style: Style) -> None:
        """Write the report into the file: UTF-8, lines ending in LF on every system.

        Raises:
            OSError: it cannot be written; a file of that name is as it was.
        """
        if self.file is not None:
            with replacing(self.file) as file:
                file.write(self.text(report, style))


def shared_target(outputs: Sequence[Output]) -> Output | None:
    """The first output that goes where an earlier one does."""
    seen: set[str | None] = set()
    for output in outputs:
        target = os.path.realpath(output.file) if output.file else None
        if target in seen:
            return output
        seen.add(target)
    return None


def overwriting(outputs: Sequence[Output], read: Iterable[Path]) -> Output | None:
    """The first output that would take the place of a file that is read."""
    sources = {os.path.realpath(path) for path in read}
    return next(
        (each for each in outputs if each.file and os.path.realpath(each.file) in sources), None
    )
