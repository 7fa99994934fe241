"""Where a run's output goes: standard output, and files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TextIO

import click

from manifestkit.cli.console import error, style_for
from manifestkit.engine import Report, Target
from manifestkit.files import reason_of, replacing
from manifestkit.render import FORMATS, NAMING_CLEAN_FILES, Style, visible


class Output(NamedTuple):
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


def unwritten(targets: Iterable[Target], outputs: tuple[Output, ...]) -> Iterator[Target]:
    """The files as they come, as long as none is one that an output goes to."""
    to_files = any(output.file for output in outputs)
    for target in targets:
        if to_files:
            refuse_overwriting(outputs, [target.path])
        yield target


def refuse_overwriting(outputs: tuple[Output, ...], read: Iterable[Path]) -> None:
    """Refuse an output that would take the place of a file that is read.

    Raises:
        click.UsageError: there is one.
    """
    lost = overwriting(outputs, read)
    if lost:
        raise click.UsageError(f"{visible(str(lost.file))} is read by this run, and no output")


def check_targets(outputs: tuple[Output, ...]) -> None:
    """Refuse two outputs to one place.

    Raises:
        click.UsageError: there are two.
    """
    shared = shared_target(outputs)
    if shared:
        where = visible(str(shared.file)) if shared.file else "standard output"
        raise click.UsageError(f"two output formats go to {where}; give one its own =FILE")


def write_all(outputs: Iterable[Output], report: Report, color: str, stream: TextIO) -> bool:
    """Write every form of the report that can be written; whether all could be.

    Files first: a reader of standard output may be gone before the end.
    """
    complete = True
    for output in sorted(outputs, key=lambda each: each.file is None):
        if output.file is None:
            style = style_for(stream, color)
            click.echo(output.text(report, style), stream, nl=False, color=style.color)
            continue
        try:
            output.write(report, Style())
        except OSError as problem:
            error(f"{output.file}: cannot be written: {reason_of(problem)}")
            complete = False
    return complete
