"""Output of commands that check files: reports, and notes on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple, TextIO, TypeVar

import click

from manifestkit.cli.console import (
    error,
    meant,
    note,
    progress,
    say,
    show,
    style_for,
    write_document,
    write_log,
)
from manifestkit.cli.exit_codes import ExitCode
from manifestkit.cli.options import STDIN_PATH, OptionGroup, option
from manifestkit.engine.discovery import Search, Target
from manifestkit.engine.options import Options
from manifestkit.engine.pool import map_in_order
from manifestkit.engine.workspace import Workspace, crash_context
from manifestkit.files import (
    is_folder,
    is_there,
    posix_name,
    reason_of,
    relative_name,
    replacing,
)
from manifestkit.findings.words import counted, listed
from manifestkit.model.errors import (
    ConfigurationError,
    CrashedFileError,
    UnreadableFileError,
    UnwritableFileError,
)
from manifestkit.model.finding import Finding
from manifestkit.model.report import FileResult, Report
from manifestkit.rendering import FOR_PEOPLE, FORMATS
from manifestkit.rendering.escape import Style, visible
from manifestkit.rendering.places import severities, untold
from manifestkit.schema.packaged import packaged_formats

R = TypeVar("R")

_EXCLUDED = "skipped, it is excluded by"


@contextmanager
def outcomes(
    work: Callable[[Target], R], files: Iterable[Target]
) -> Iterator[Iterator[tuple[Target, R | CrashedFileError | None]]]:
    """Yield each file with what becomes of it, in their order, as processes do the work."""

    def given_up(target: Target, error: Exception) -> R | CrashedFileError:
        return CrashedFileError.of_dead_process(target.name, error)

    with progress(files) as left, closing(map_in_order(work, left, given_up)) as results:
        yield results


def show_findings(report: Report, stream: TextIO) -> None:
    """Write the findings of a report as people read them."""
    style, form = style_for(stream), "full" if stream.isatty() else "concise"
    show("".join(FORMATS[form](report, style)), stream, color=style.color)


def report_errors(report: Report) -> None:
    """Say of which files there is no result, and why."""
    for problem in logged(report).errors:
        error(str(problem))


def report_skipped(report: Report, found: Search) -> None:
    """Say which files were not judged, and why."""
    for name, by in sorted(found.excluded):
        if name not in found.empty:
            note(f"{name}: {_EXCLUDED} {relative_name(by)}")
    for result in report.results:
        if result.skipped:
            note(f"{result.path}: skipped, it is {result.skipped}")


def report_empty(found: Search) -> None:
    """Say in which folders there is no manifest, or there may be more."""
    for doubt in found.doubts:
        note(doubt)
    left_out = dict(found.excluded)
    for folder in found.empty:
        by = left_out.get(folder)
        why = f"{_EXCLUDED} {relative_name(by)}" if by else "no manifest in this folder"
        note(f"{folder}: {why}")


def summary(
    report: Report,
    fixed: int | None = None,
    refused: Sequence[Finding] = (),
    *,
    is_done: bool = True,
) -> str:
    """Return the counts of a run, and how many findings can be fixed, in one line.

    Those that `--fix` refused to fix cannot. Unless it is done, only a difference was shown.
    """
    counts = report.summary
    found = severities((counts.errors, counts.warnings, counts.info))
    suppressed = f", {counts.suppressed} suppressed" if counts.suppressed else ""
    skipped = f", {counts.skipped} skipped" if counts.skipped else ""
    verdict = ", ".join(found) or "no problems found"
    checked = f"{counted(counts.files, 'file')} checked{skipped}"
    if fixed is not None and is_done:
        checked += f", {fixed:,} fixed"
    elif fixed:
        rest = f"; remaining: {verdict}" if found else ""
        verdict = f"{counted(fixed, 'fix', 'fixes')} available{rest}"
    return f"{checked}: {verdict}{suppressed}{_fixable(report, refused) if found else ''}"


def _fixable(report: Report, refused: Sequence[Finding]) -> str:
    """Return the number of findings that `--fix` can fix, to end a sentence; empty for none."""
    others = {each.path for each in report.results if not each.can_be_fixed} if refused else set()
    left_out = ["safe" in each.safeties() for each in refused if each.path not in others]
    summaries = report.summaries
    safe = sum(each.safe for each in summaries) - left_out.count(True)
    unsafe = sum(each.unsafe for each in summaries) - left_out.count(False)
    if not safe:
        return f"; {unsafe:,} fixable with --fix --unsafe-fixes" if unsafe else ""
    more = f", {unsafe:,} more with --fix --unsafe-fixes" if unsafe else ""
    return f"; {safe:,} fixable with --fix{more}"


def nothing_to_check(found: Search, foreign: int) -> str:
    """Return why no manifest was judged; so many files are manifests of something else."""
    left_out = sum(each.name not in found.empty for each in found.excluded) + foreign
    if left_out:
        files = counted(left_out, "file")
        return f"no manifest to check: {files} skipped; `manifest lint --verbose` says why"
    patterns = (each for row in packaged_formats().rows for each in row.patterns)
    names = listed([each for each in patterns if each.endswith(".json")])
    return f"no manifest found; give a file, or name it {names} (or .yaml, .yml)"


_MOST_IN_MEMORY, _CHUNK = 1 << 20, 1 << 16  # characters


def logged(report: Report) -> Report:
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


class Output(NamedTuple):
    """One form of the report, and its file; None for standard output."""

    format: str
    file: Path | None = None
    is_appended: bool = False


def refuse_overwriting(outputs: Iterable[Output], read: Iterable[Path]) -> None:
    """Refuse an output that would take the place of a file that is read."""
    named = (path for path in read if "\0" not in str(path))  # else it names no file
    sources = {os.path.realpath(path) for path in named}
    for file in filter(None, (each.file for each in outputs)):
        if os.path.realpath(file) in sources:
            raise click.UsageError(
                f"{visible(str(file))} is an input of this run and cannot be an output"
            )


def check_targets(outputs: tuple[Output, ...]) -> None:
    """Refuse two outputs to one place, and one to where no file can be."""
    seen: set[str | None] = set()
    for each in outputs:
        target = os.path.realpath(each.file) if each.file else None
        if target in seen:
            where = visible(str(each.file)) if each.file else "standard output"
            raise click.UsageError(
                f"two output formats write to {where}; give one of them its own =FILE"
            )
        seen.add(target)
    for file in filter(None, (each.file for each in outputs)):
        if is_folder(file):
            raise click.UsageError(f"{visible(str(file))} is a folder and cannot be an output")
        if not is_folder(file.parent):
            folder = f"the folder `{visible(str(file.parent))}`"
            problem = "is a file" if is_there(file.parent) else "does not exist; create it first"
            raise click.UsageError(f"{visible(str(file))} cannot be written: {folder} {problem}")


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
            refuse_overwriting(outputs, read)
            report = _nothing_done(Report.of([]), paths, "; ".join(problem.problems))
            # What says why on standard error annotates it.
            others = [each for each in outputs if not (_is_job() and each == _ANNOTATIONS)]
            write_report(report, others, sys.stdout, self.color)
            raise

    def write(self, report: Report, stream: TextIO, paths: Iterable[Path], nothing: str) -> Written:
        """Write a report.

        Args:
            report: the report.
            stream: where what goes to no file is written.
            paths: what was to be read.
            nothing: why nothing was checked; empty where something was.
        """
        outputs = self.outputs(stream)
        if nothing:
            report = _nothing_done(report, paths, nothing)
        report, is_complete = write_report(report, outputs, stream, self.color)
        if not nothing:
            report_errors(report)
        return Written(report, outputs, nothing, is_complete)


_ANNOTATIONS = Output("github")


def _is_job() -> bool:
    """Return whether this is a job of GitHub Actions."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def _nothing_done(report: Report, paths: Iterable[Path], why: str) -> Report:
    """Return a report of a run that checked nothing, with the reason for each path."""
    return report.joined([], [UnreadableFileError(posix_name(path), why) for path in paths])


class Written(NamedTuple):
    """A report that was written, or as much of it as could be.

    Attributes:
        report: the report, with what went wrong when it was written.
        outputs: its forms.
        nothing: why nothing was checked; empty where something was.
        is_complete: whether every output could be written.
    """

    report: Report
    outputs: Sequence[Output]
    nothing: str
    is_complete: bool

    def end(self, summary: str, *, exit_zero: bool = False) -> int:
        """Say the summary, if there is one, or why there is nothing, and return the exit code."""
        if self.nothing:
            error(self.nothing)
            return ExitCode.USAGE
        if summary:
            self._say(summary)
        return ExitCode.of(self.report, is_complete=self.is_complete, exit_zero=exit_zero)

    def _say(self, summary: str) -> None:
        """Say the summary and the files of the report, unless a program reads the output."""
        files = [str(each.file) for each in self.outputs if each.file]
        has_files_only = len(files) == len(self.outputs)
        if has_files_only or any(each.format in FOR_PEOPLE for each in self.outputs):
            is_told = has_files_only and self.is_complete
            say(f"{summary}; see {', '.join(files)}" if is_told else summary)
