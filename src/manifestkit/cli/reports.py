"""The report of a run: its forms, the files that they go to, and what ends the run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import click

from manifestkit.cli.console import error, note, say, show, style_for, write_document, write_log
from manifestkit.cli.exit_codes import ExitCode
from manifestkit.cli.options import OptionGroup, option
from manifestkit.files import is_folder, is_there, posix_name, reason_of, replacing
from manifestkit.model.errors import CrashedFileError, UnreadableFileError, UnwritableFileError
from manifestkit.model.report import FileResult, Report
from manifestkit.rendering import FORMATS
from manifestkit.rendering.escape import Style, visible
from manifestkit.rendering.places import untold


class Output(NamedTuple):
    """One form of the report, and its file; None for standard output."""

    format: str
    file: Path | None = None

    @property
    def is_for_people(self) -> bool:
        """Return whether no program reads it."""
        return self.format == "text" or FORMATS[self.format].is_for_people


def check_outputs(files: Sequence[Path | None], read: Iterable[Path] = ()) -> None:
    """Refuse two outputs to one place, one to where no file can be, and one onto a file to read.

    None is standard output.
    """
    has_files = any(files)
    named = (path for path in read if has_files and "\0" not in str(path))  # else it names no file
    sources = {os.path.realpath(path) for path in named}
    seen: set[str | None] = set()
    for file in files:
        target = os.path.realpath(file) if file else None
        where = visible(str(file)) if file else "standard output"
        if target in sources:
            raise click.UsageError(f"{where} is an input of this run and cannot be an output")
        if target in seen:
            both = f"two output formats write to {where}; give one of them its own =FILE"
            raise click.UsageError(both)
        seen.add(target)
        if file and is_folder(file):
            raise click.UsageError(f"{where} is a folder and cannot be an output")
        if file and not is_folder(file.parent):
            folder = f"the folder `{visible(str(file.parent))}`"
            problem = "is a file" if is_there(file.parent) else "does not exist; create it first"
            raise click.UsageError(f"{where} cannot be written: {folder} {problem}")


def write_all(
    texts: Iterable[tuple[Output, Iterable[str]]], stream: TextIO, *, color: bool
) -> bool:
    """Write every form of the report that can be written, and return whether all could be.

    Into files as UTF-8, lines ending in LF on every system, whole or not at all. Files first: a
    reader of standard output may be gone before the end.
    """
    complete = True
    for output, pieces in sorted(texts, key=lambda each: each[0].file is None):
        if output.file is None:
            for piece in pieces:
                if output.is_for_people:
                    show(piece, stream, color=color)
                else:
                    write_document(piece, stream)
            continue
        try:
            with replacing(output.file) as file:
                file.writelines(pieces)
        except UnwritableFileError as problem:
            error(str(problem))
            complete = False
    return complete


def _append_step_summary(report: Report) -> None:
    """Add Markdown to the summary of a step of GitHub Actions; as nobody asked, it may fail."""
    summary_file = os.environ.get("GITHUB_STEP_SUMMARY")
    try:
        if summary_file:
            with Path(summary_file).open("a", encoding="utf-8", newline="") as file:
                file.writelines(FORMATS["markdown"](report, Style()))
    except OSError as problem:
        note(f"the step summary {summary_file} cannot be written: {reason_of(problem)}")


def output_formats(formats: Iterable[str], default: str, **attributes: Any) -> Any:
    """Return the option `--output-format`: `FORMAT`, or `FORMAT=FILE`."""
    names = tuple(formats)

    def read(text: str) -> Output:
        name, equals, file = text.partition("=")
        if name not in names:
            raise ValueError(f"`{name}` is not one of {', '.join(names)}")
        if more := [each for each in names if f",{each}=" in file]:
            raise ValueError(f"repeat --output-format for `{more[0]}`")
        if equals and not file:
            raise ValueError(f"write {name}=FILE, or {name} for standard output")
        if file.endswith(("/", "\\")):
            raise ValueError(f"`{file}` is a folder; name a file in it, as in `{text}report`")
        return Output(name, Path(file) if file not in ("", "-") else None)

    return option(
        f"Output format, and the file to write it to: {', '.join(names)}. May be repeated, each "
        f"with its own FILE. An existing FILE is overwritten, unless it is an input.  "
        f"[default: {default}]",
        "--output-format",
        words=lambda *_: names,
        read=read,
        metavar="FORMAT[=FILE]",
        **attributes,
    )


def _logged(report: Report) -> Report:
    """Return the report, with a log named in each of its crashes; those that have one keep it.

    The log has each traceback once, under the files that have it.
    """
    files: dict[str, list[str]] = {}
    for each in report.crashed:
        if each.details:
            files.setdefault(each.details, []).append(each.path)
    if not files:
        return report
    log = write_log("\n".join("\n".join([*names, why]) for why, names in files.items()))
    advice = f"please report it, with the log {log}"
    crashed = (
        CrashedFileError(each.path, f"{each.reason}; {advice}") if each.details else each
        for each in report.crashed
    )
    return report._replace(crashed=tuple(crashed))


def report_errors(report: Report, notes: Iterable[str] = (), *, is_shown: bool = False) -> None:
    """Say why files have no result, if a report that is shown does not, and the notes."""
    report = _logged(report)
    for problem in report.untold if is_shown else report.errors:
        error(str(problem))
    note(*notes)


def _form(report: Report, output: Output, style: Style) -> Iterable[str]:
    if output.file is None:
        return FORMATS[output.format](report, style)
    if output.is_for_people:  # beside it is no standard error
        report = report.joined(FileResult(each.path, (each,)) for each in untold(report))
    return FORMATS[output.format](report, Style())


class ReportOptions(OptionGroup):
    """Options that say how findings are reported, and the report that is written by them."""

    output_format: tuple[Output, ...] = output_formats(
        FORMATS, "full on a terminal, concise elsewhere", envvar="MANIFEST_OUTPUT_FORMAT"
    )
    color: str = option("When to use colours.", choices=["auto", "always", "never"], default="auto")
    quiet: bool = option("Show findings without the summary.", "-q", "--quiet")
    exit_zero: bool = option("Exit with 0 instead of 1.")

    @property
    def to_files(self) -> tuple[Output, ...]:
        """The outputs that go to files."""
        return tuple(each for each in self.output_format if each.file)

    def check(self, read: Iterable[Path] = ()) -> None:
        """Refuse outputs that cannot be, and those onto files that are read."""
        check_outputs([each.file for each in self.output_format], read)

    def shows_text(self, stream: TextIO) -> bool:
        """Return whether an output shows the texts of files."""
        return any(FORMATS[each.format].shows_text for each in self.outputs(stream))

    def outputs(self, stream: TextIO) -> tuple[Output, ...]:
        """Return the outputs that are asked for; where none is, the usual ones of a stream.

        A job of GitHub Actions gets annotations, too.
        """
        if self.output_format:
            return self.output_format
        usual = Output("full" if stream.isatty() else "concise")
        is_job = os.environ.get("GITHUB_ACTIONS") == "true"
        return (usual, _ANNOTATIONS) if is_job else (usual,)

    def finish(
        self,
        report: Report,
        stream: TextIO,
        summary: str,
        *,
        notes: Iterable[str] = (),
        unchecked: Sequence[Path] = (),
    ) -> int:
        """Write a report, say what else there is to say, and return the exit code.

        Args:
            summary: the report in a line, or why nothing was checked; empty for none.
            unchecked: what was named, if nothing of it was checked.
        """
        outputs = self.outputs(stream)
        if unchecked:
            why = [UnreadableFileError(posix_name(path), summary) for path in unchecked]
            report = report.joined([], why)
        report, style = _logged(report), style_for(stream, self.color)
        _append_step_summary(report)
        forms = [(each, _form(report, each, style)) for each in outputs]
        is_complete = write_all(forms, stream, color=style.color)
        if unchecked:
            note(*notes)
            error(summary)
            return ExitCode.USAGE
        is_shown = any(each.is_for_people and not each.file for each in outputs)
        report_errors(report, notes, is_shown=is_shown)
        files = [str(each.file) for each in outputs if each.file]
        has_files_only = len(files) == len(outputs)
        # A program that reads the output needs no summary; who reads the log of a job does.
        is_read = has_files_only or any(
            each.is_for_people or each == _ANNOTATIONS for each in outputs
        )
        if summary and is_read and not self.quiet:
            is_told = has_files_only and is_complete
            say(f"{summary}; see {', '.join(files)}" if is_told else summary)
        return ExitCode.of(report, is_complete=is_complete, exit_zero=self.exit_zero)


_ANNOTATIONS = Output("github")
