"""The report of a run: its forms, the options that say which, and what ends the run."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, TextIO

from manifestkit.cli.console import error, say, style_for, write_log
from manifestkit.cli.exit_codes import ExitCode
from manifestkit.cli.options import OptionGroup, option
from manifestkit.cli.outputs import Output, check_outputs, output_formats, write_all
from manifestkit.engine.options import Options
from manifestkit.engine.workspace import Workspace
from manifestkit.files import posix_name
from manifestkit.model.errors import (
    ConfigurationError,
    CrashedFileError,
    UnreadableFileError,
    crash_context,
)
from manifestkit.model.report import FileResult, Report
from manifestkit.rendering import FORMATS
from manifestkit.rendering.escape import Style
from manifestkit.rendering.places import untold

_MOST_IN_MEMORY, _CHUNK = 1 << 20, 1 << 16  # characters


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


def report_errors(report: Report) -> None:
    """Say of which files there is no result, and why."""
    for problem in _logged(report).errors:
        error(str(problem))


def write_report(
    report: Report, outputs: Sequence[Output], stream: TextIO, color: str = "auto"
) -> tuple[Report, bool]:
    """Write a report in each of its forms, and return it with whether all could be written.

    In a job of GitHub Actions, Markdown is added to the step's summary: it is no form that was
    asked for, so a summary that cannot be written is a note.

    Of a file whose result cannot be put into one of the forms, for a bug in that, the report has
    the crash instead.
    """
    style, report = style_for(stream, color), _logged(report)
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
        report = _logged(report._replace(results=tuple(kept)).joined([], [], crashed.values()))
        forms = _forms(report, outputs, style)
    return report, write_all(forms, stream, color=style.color)


def _forms(
    report: Report, outputs: Iterable[Output], style: Style
) -> list[tuple[Output, Iterable[str]]]:
    """Return a report in each of its forms, in pieces that are made already."""
    forms: list[tuple[Output, Iterable[str]]] = []
    for output in outputs:
        found = report
        if output.file and output.is_for_people:  # beside it is no standard error
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
        return any(FORMATS[each.format].names_clean_files for each in self.outputs(stream))

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
        # A program that reads the output needs no summary; who reads the log of a job does.
        is_read = has_files_only or any(
            each.is_for_people or each == _ANNOTATIONS for each in outputs
        )
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
