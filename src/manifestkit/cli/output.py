"""Where a run's output goes: standard output, and files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TextIO

import click

from manifestkit.cli.console import error, show, write_document
from manifestkit.cli.notes import logged
from manifestkit.engine import Report, Run, Target, crashes_at
from manifestkit.files import is_folder, reason_of, replacing
from manifestkit.model.errors import CrashedFileError
from manifestkit.render import FOR_PEOPLE, FORMATS, NAMING_CLEAN_FILES, Style, visible


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

    @property
    def is_for_people(self) -> bool:
        """Whether no program reads it."""
        return self.format in FOR_PEOPLE

    def text(self, report: Report, style: Style) -> str:
        """The report in this form."""
        return "".join(FORMATS[self.format](report, style))


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


def check_before_writing(run: Run, targets: Sequence[Target], outputs: tuple[Output, ...]) -> None:
    """Refuse what a run would only stumble on when it has changed files already.

    Raises:
        click.UsageError: an output would take the place of a file that is read, or has no folder.
        ConfigurationError: what is configured for one of the files cannot be used.
    """
    for folder in {"", *(target.folder for target in targets)}:
        run.limits(folder)
    refuse_overwriting(outputs, [*(target.path for target in targets), *run.inputs()])
    for output in outputs:
        if output.file and is_folder(output.file):
            raise click.UsageError(f"{visible(str(output.file))} is a folder, and no output")
        if output.file and not is_folder(output.file.parent):
            raise click.UsageError(f"{visible(str(output.file))}: there is no such folder")


def check_targets(outputs: tuple[Output, ...]) -> None:
    """Refuse two outputs to one place.

    Raises:
        click.UsageError: there are two.
    """
    shared = shared_target(outputs)
    if shared:
        where = visible(str(shared.file)) if shared.file else "standard output"
        raise click.UsageError(f"two output formats go to {where}; give one its own =FILE")


class Written(NamedTuple):
    """A report in all forms that were asked for.

    Attributes:
        report: the report; of a file whose result cannot be put into one of the forms, for a bug
            in that, it has the crash instead.
        texts: each form with its text.
    """

    report: Report
    texts: tuple[tuple[Output, str], ...]


def written(outputs: Iterable[Output], report: Report, style: Style) -> Written:
    """Put a report into its forms.

    Args:
        outputs: the forms.
        report: what there is to say.
        style: how the one for standard output looks.
    """
    styled = [(output, Style() if output.file else style) for output in outputs]

    def texts(report: Report) -> tuple[tuple[Output, str], ...]:
        return tuple((output, output.text(report, style)) for output, style in styled)

    try:
        return Written(report, texts(report))
    except Exception:
        crashed: dict[str, CrashedFileError] = {}
        for result in report.results:
            try:
                with crashes_at(result.path):
                    texts(Report.of([result]))
            except CrashedFileError as crash:
                crashed[result.path] = crash
        if not crashed:
            raise
        kept = (result for result in report.results if result.path not in crashed)
        others = report._replace(results=tuple(kept)).joined([], [], crashed.values())
        others = logged(others)
        return Written(others, texts(others))


def write_all(texts: Iterable[tuple[Output, str]], stream: TextIO, *, color: bool) -> bool:
    """Write every form of the report that can be written; whether all could be.

    Into files as UTF-8, lines ending in LF on every system, whole or not at all. Files first: a
    reader of standard output may be gone before the end.
    """
    complete = True
    for output, text in sorted(texts, key=lambda each: each[0].file is None):
        if output.file is None:
            if output.is_for_people:
                show(text, stream, color=color)
            else:
                write_document(text, stream)
            continue
        try:
            with replacing(output.file) as file:
                file.write(text)
        except OSError as problem:
            error(f"{output.file}: cannot be written: {reason_of(problem)}")
            complete = False
    return complete
