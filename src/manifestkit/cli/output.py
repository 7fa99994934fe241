"""Where a run's output goes: standard output, and files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from manifestkit.engine import Report
from manifestkit.render import FORMATS, Style


@dataclass(frozen=True, slots=True)
class Output:
    """One form of the report.

    Attributes:
        format: its name.
        file: where it goes; None for standard output.
    """

    format: str
    file: Path | None = None

    def text(self, report: Report, style: Style) -> str:
        """The report in this form."""
        return "".join(FORMATS[self.format](report, style))

    def write(self, report: Report, style: Style) -> None:
        """Write the report into the file: UTF-8, lines ending in LF on every system.

        Raises:
            OSError: it cannot be written; a file of that name is as it was.
        """
        if self.file is not None:
            with _replacing(self.file) as file:
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
    files = [output for output in outputs if output.file is not None]
    sources = {os.path.realpath(path) for path in read} if files else set()
    return next((each for each in files if os.path.realpath(each.file or "") in sources), None)


@contextmanager
def _replacing(path: Path) -> Iterator[TextIO]:
    """A file that takes the place of the one at a path when all is written.

    What is no regular file, a pipe or `/dev/stdout` say, is written into and stays.
    """
    mode = _mode(path)
    if mode is not None and not stat.S_ISREG(mode):
        with path.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        return
    target = Path(os.path.realpath(path))  # a link stays one
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:64]}.")
    try:
        with open(descriptor, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123
            yield file
        Path(name).chmod(stat.S_IMODE(mode) if mode is not None else 0o666 & ~_umask())
        Path(name).replace(target)
    except BaseException:  # an interrupt too leaves nothing behind
        with suppress(OSError):
            Path(name).unlink()
        raise


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
