"""The reports of a command: their forms, and the files that they go to."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple, TextIO

import click

from manifestkit.cli.console import error, meant, note, say, show, style_for, write_document
from manifestkit.cli.exit_codes import ExitCode
from manifestkit.cli.options import STDIN_PATH, OptionGroup, option
from manifestkit.cli.runs import logged, report_errors
from manifestkit.engine.options import Options
from manifestkit.engine.workspace import Workspace, crash_context
from manifestkit.files import is_folder, is_there, posix_name, reason_of, replacing
from manifestkit.model.errors import (
    ConfigurationError,
    CrashedFileError,
    UnreadableFileError,
    UnwritableFileError,
)
from manifestkit.model.report import FileResult, Report
from manifestkit.rendering import FOR_PEOPLE, FORMATS, NAMING_CLEAN_FILES
from manifestkit.rendering.escape import Style, visible
from manifestkit.rendering.places import untold

_MOST_IN_MEMORY, _CHUNK = 1 << 20, 1 << 16  # characters


class Output(NamedTuple):
    """One form of the report, and its file; None for standard output."""

    format: str
    file: Path | None = None
    is_appended: bool = False


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
            raise click.UsageError(
                f"two output formats write to {where}; give one of them its own =FILE"
            )
        seen.add(target)
        if file and is_folder(file):
            raise click.UsageError(f"{where} is a folder and cannot be an output")
        if file and not is_folder(file.parent):
            folder = f"the folder `{visible(str(file.parent))}`"
            problem = "is a file" if is_there(file.parent) else "does not exist; create it first"
            raise click.UsageError(f"{where} cannot be written: {folder} {problem}")


def write_report(
    report: Report, outputs: Sequence[Output], stream: TextIO, color: str = "auto"
) -> tuple[Report, bool]:
    """Write a report in each of its forms, and return it with whether all could be written.

    In a job of GitHub Actions, Markdown is added to the step's summary: it is no form that was
    asked for, so a summary that cannot be written is a note.

    Of a file whose result cannot be put into one of the forms, for a bug in that, the report has
    the crash instead.
    """
    style, report = style_for(stream, color), logged(report)
    if summary_file := os.environ.get("GITHUB_STEP_SUMMARY"):
        outputs = (*outputs, Output("markdown", Path(summary_file), is_appended=True))
    try:
        forms = _forms(report, outputs, style)
    except Exception:
        crashed: dict[str, CrashedFileError] = {}
        for result in report.results:
            try:
                with crash_context(result.path):
                    _forms(Report.of([result]), outputs, style)
            except CrashedFileError as crash:
                crashed[result.path] = crash
        if not crashed:
            raise
        kept = (result for result in report.results if result.path not in crashed)
        report = logged(report._replace(results=tuple(kept)).joined([], [], crashed.values()))
        forms = _forms(report, outputs, style)
    return report, write_all(forms, stream, color=style.color)


def _forms(
    report: Report, outputs: Iterable[Output], style: Style
) -> list[tuple[Output, Iterable[str]]]:
    """Return a report in each of its forms, in pieces that are made already."""
    forms: list[tuple[Output, Iterable[str]]] = []
    for output in outputs:
        found = report
        if output.file and output.format in FOR_PEOPLE:  # beside it is no standard error
            beside = (FileResult(each.path, (each,)) for each in untold(report))
            found = report.joined(beside)
        its_style = Style() if output.file else style
        forms.append((output, _made(partial(FORMATS[output.format], found, its_style))))
    return forms


def _made(render: Callable[[], Iterator[str]]) -> Iterable[str]:
    """Return the pieces of a text; of a long one from a temporary file, if there can be one."""
    made: list[str] = []
    size = 0
    for piece in (pieces := render()):
        made.append(piece)
        size += len(piece)
        if size > _MOST_IN_MEMORY:
            try:
                return _from_file(chain(made, pieces))
            except OSError:  # there is no folder for it, or the disk is full
                return list(render())
    return made


def _from_file(pieces: Iterable[str]) -> Iterator[str]:
    import tempfile  # noqa: PLC0415 - most reports are short

    file = tempfile.TemporaryFile(  # noqa: SIM115 - it is closed behind its end
        "w+", encoding="utf-8", errors="surrogatepass", newline=""
    )
    file.writelines(pieces)
    file.seek(0)
    return _read(file)


def _read(file: IO[str]) -> Iterator[str]:
    with file:
        yield from iter(partial(file.read, _CHUNK), "")


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
                if output.format in FOR_PEOPLE:
                    show(piece, stream, color=color)
                else:
                    write_document(piece, stream)
            continue
        if output.is_appended:
            _append(output.file, pieces)
            continue
        try:
            with replacing(output.file) as file:
                file.writelines(pieces)
        except UnwritableFileError as problem:
            error(str(problem))
            complete = False
    return complete


def _append(file: Path, pieces: Iterable[str]) -> None:
    try:
        with file.open("a", encoding="utf-8", newline="") as summary_file:
            summary_file.writelines(pieces)
    except OSError as problem:
        note(f"the step summary {file} cannot be written: {reason_of(problem)}")


def output_formats(formats: Iterable[str], default: str, **attributes: Any) -> Any:
    """Return the option `--output-format`: `FORMAT`, or `FORMAT=FILE`."""
    names = tuple(formats)

    def read(text: str) -> Output:
        name, equals, file = text.partition("=")
        if name not in names:
            raise ValueError(f"`{name}` is not one of {', '.join(names)}{meant(name, names)}")
        if more := [each for each in names if f",{each}=" in file]:
            raise ValueError(f"repeat --output-format for `{more[0]}`")
        if equals and not file:
            raise ValueError(f"write {name}=FILE, or {name} for standard output")
        return Output(name, Path(file) if file not in ("", STDIN_PATH) else None)

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


class ReportOptions(OptionGroup):
    """Options that say how findings are reported, and the report that is written by them."""

    output_format: tuple[Output, ...] = output_formats(
        FORMATS,
        "full on a terminal, concise elsewhere",
        envvar="MANIFEST_OUTPUT_FORMAT",
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

    def names_clean_files(self, stream: TextIO) -> bool:
        """Return whether an output has something for each file, wrong or not."""
        return any(each.format in NAMING_CLEAN_FILES for each in self.outputs(stream))

    def outputs(self, stream: TextIO) -> tuple[Output, ...]:
        """Return the outputs that are asked for; where none is, the usual ones of a stream.

        A job of GitHub Actions gets annotations, too.
        """
        if self.output_format:
            return self.output_format
        usual = Output("full" if stream.isatty() else "concise")
        return (usual, _ANNOTATIONS) if _is_job() else (usual,)

    @contextmanager
    def written_on_failure(
        self, outputs: Sequence[Output], workspace: Workspace, paths: Sequence[Path]
    ) -> Iterator[None]:
        """Write outputs where a run fails before it has a report.

        Without its configuration nobody knows all files that a run reads, so what is named, found
        or read so far, and any TOML file, is taken for one of them.
        """
        try:
            yield
        except ConfigurationError as problem:
            files = [each.file for each in outputs if each.file]
            found = Workspace(Options(isolated=True)).find(paths) if files else ()
            read = [*paths, *(each.path for each in found), *workspace.inputs()]
            read += (each for each in files if each.suffix == ".toml")
            check_outputs([each.file for each in outputs], read)
            report = _nothing_done(Report.of([]), paths, "; ".join(problem.problems))
            # What says why on standard error annotates it.
            others = [each for each in outputs if not (_is_job() and each == _ANNOTATIONS)]
            write_report(report, others, sys.stdout, self.color)
            raise

    def finish(
        self,
        report: Report,
        stream: TextIO,
        paths: Iterable[Path],
        nothing: str,
        tell: Callable[[Report], str],
    ) -> int:
        """Write a report, say what else there is to say, and return the exit code.

        Args:
            report: the report.
            stream: where what goes to no file is written.
            paths: what was to be read.
            nothing: why nothing was checked; empty where something was.
            tell: says what stands before the summary of a report, and returns that; empty for none.
        """
        outputs = self.outputs(stream)
        if nothing:
            report = _nothing_done(report, paths, nothing)
        report, is_complete = write_report(report, outputs, stream, self.color)
        if not nothing:
            report_errors(report)
        summary = tell(report)
        if nothing:
            error(nothing)
            return ExitCode.USAGE
        files = [str(each.file) for each in outputs if each.file]
        has_files_only = len(files) == len(outputs)
        # A program that reads the output needs no summary.
        is_read = has_files_only or any(each.format in FOR_PEOPLE for each in outputs)
        if summary and is_read and not self.quiet:
            is_told = has_files_only and is_complete
            say(f"{summary}; see {', '.join(files)}" if is_told else summary)
        return ExitCode.of(report, is_complete=is_complete, exit_zero=self.exit_zero)


_ANNOTATIONS = Output("github")


def _is_job() -> bool:
    """Return whether this is a job of GitHub Actions."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def _nothing_done(report: Report, paths: Iterable[Path], why: str) -> Report:
    """Return a report of a run that checked nothing, with the reason for each path."""
    return report.joined([], [UnreadableFileError(posix_name(path), why) for path in paths])
