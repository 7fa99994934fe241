"""Output of the linter: reports, and notes on standard error."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, TextIO

import click

from manifestkit.cli.console import error, note, say, show, write_document
from manifestkit.engine import Detail, Report, Search, Summary, Target, Workspace, crash_context
from manifestkit.files import is_folder, is_there, reason_of, relative_name, replacing
from manifestkit.findings.messages import counted, listed
from manifestkit.model.errors import CrashedFileError, UnreadableFileError
from manifestkit.model.finding import Finding, Severity
from manifestkit.rendering import (
    FOR_PEOPLE,
    FORMATS,
    NAMING_CLEAN_FILES,
    SHOWING_EDITS,
    SHOWING_TEXT,
    Style,
    visible,
)
from manifestkit.schema.packaged import packaged_formats


def report_errors(problems: Iterable[CrashedFileError | UnreadableFileError]) -> None:
    """Say of which files there is no result, and why."""
    for problem in problems:
        error(f"{problem.path}: {problem.reason}")


def report_notes(workspace: Workspace) -> None:
    """Say what has no effect in the schemas and profiles."""
    for each in workspace.schema_notes():
        note(each)


def report_skipped(report: Report, found: Search) -> None:
    """Say which files were not judged, and why."""
    for name, by in sorted(found.excluded):
        if name not in found.empty:
            note(f"{name}: skipped, it is excluded by {relative_name(by)}")
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
        why = (
            f"skipped, it is excluded by {relative_name(by)}"
            if by
            else "no manifest in this folder"
        )
        note(f"{folder}: {why}")


def summary(
    report: Report,
    fixed: int | None = None,
    refused: Iterable[Finding] = (),
    *,
    is_done: bool = True,
) -> str:
    """Return the counts of a run, and how many findings can be fixed, in one line.

    Args:
        report: what there is to say.
        fixed: how many other findings were fixed; None where that was not asked for.
        refused: findings of the report that `--fix` has just not fixed.
        is_done: whether the files were changed, and not only a difference shown.
    """
    counts = report.summary
    found = _severities(counts)
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


def say_summary(counts: str, outputs: Sequence[Output], *, is_complete: bool) -> None:
    """Say the counts of a run, unless standard output has them for a program.

    Args:
        counts: the counts, in one line.
        outputs: the forms of the report; where all are files, they are named.
        is_complete: whether all of them could be written.
    """
    files = [str(each.file) for each in outputs if each.file]
    has_files_only = len(files) == len(outputs)
    if has_files_only or any(each.is_for_people for each in outputs):
        say(f"{counts}; see {', '.join(files)}" if has_files_only and is_complete else counts)


def comparison_summary(report: Report) -> str:
    """Return the counts of a comparison in one line; "nothing changed" only if all was compared."""
    counts = report.summary
    compared = [each.changes for each in report.results if each.changes is not None]
    parts = [f"{counted(len(compared), 'manifest')} compared"]
    if report.errors:
        parts.append(f"{len(report.errors):,} not compared")
    if counts.skipped:
        parts.append(f"{counts.skipped:,} skipped")
    changes = sum(map(len, compared))
    found = ", ".join(_severities(counts))
    if changes:
        parts.append(counted(changes, "change"))
    elif not found and not report.errors:
        parts.append("nothing changed")
    if counts.suppressed:
        parts.append(f"{counts.suppressed:,} suppressed")
    return ", ".join(parts) + (f": {found}" if found else "")


def _severities(counts: Summary) -> list[str]:
    """Return the number of findings of each severity."""
    return [
        counted(number, noun, plural)
        for number, noun, plural in (
            (counts.errors, "error", "errors"),
            (counts.warnings, "warning", "warnings"),
            (counts.info, "info", "info"),
        )
        if number
    ]


def _known_wholly(report: Report) -> Iterator[Finding]:
    """Return the findings of files without more than are told: no others are fixed."""
    return (each for result in report.results if not result.cut_by for each in result.findings)


def _fixable(report: Report, refused: Iterable[Finding]) -> str:
    """Return the number of findings that `--fix` can fix, to end a sentence; empty for none."""
    without = set(map(id, refused))
    offered = [
        {fix.safety for fix in each.fixes}
        for each in _known_wholly(report)
        if id(each) not in without
    ]
    safe = sum("safe" in each for each in offered)
    unsafe = sum(each == {"unsafe"} for each in offered)
    if not safe:
        return f"; {unsafe:,} fixable with --fix --unsafe-fixes" if unsafe else ""
    more = f", {unsafe:,} more with --unsafe-fixes" if unsafe else ""
    return f"; {safe:,} fixable with --fix{more}"


def nothing_to_check(found: Search, foreign: int) -> str:
    """Why no manifest was judged.

    Args:
        found: what was looked for.
        foreign: how many files were left alone as manifests of something else.
    """
    left_out = sum(each.name not in found.empty for each in found.excluded) + foreign
    if left_out:
        files = counted(left_out, "file")
        return f"no manifest to check: {files} skipped; `manifest lint --verbose` says why"
    patterns = (each for row in packaged_formats().rows for each in row.patterns)
    names = listed([each for each in patterns if each.endswith(".json")])
    return f"no manifest found; give a file, or name it {names} (or .yaml, .yml)"


class _Count(NamedTuple):
    """The number of findings of a rule, and the highest severity among them."""

    rule: str
    severity: Severity
    findings: int


def _counts(report: Report) -> list[_Count]:
    """Return the number of findings of each rule, the most frequent first."""
    found = [each for result in report.results for each in result.rules]
    counts = Counter(rule for rule, _ in found)
    severities = dict(sorted(found, key=lambda each: -each[1].rank))
    rows = (_Count(rule, severities[rule], number) for rule, number in counts.items())
    return sorted(rows, key=lambda each: (-each.findings, each.rule))


def statistics(report: Report, style: Style) -> str:
    """Return the number of findings of each rule as text."""
    return "".join(
        f"{each.findings:>7,} {style.paint(each.severity.value, f'{each.severity.value:<7}')} "
        f"{visible(each.rule)}\n"
        for each in _counts(report)
    )


def statistics_json(report: Report) -> str:
    """Return the number of findings of each rule as JSON, with the summary of the report."""
    rows = [
        {"rule": each.rule, "severity": each.severity.value, "count": each.findings}
        for each in _counts(report)
    ]
    contents = {"version": 1, "statistics": rows, "summary": report.summary._asdict()}
    return json.dumps(contents, indent=2) + "\n"


_MOST_IN_MEMORY, _CHUNK = 1 << 20, 1 << 16  # characters
REPORT_IT = "as described in CONTRIBUTING.md under “Reporting a bug”"


def logged(report: Report) -> Report:
    """Return the report, with a log named in each of its crashes; those that have one keep it."""
    fresh = [each for each in report.crashed if each.details]
    if not fresh:
        return report
    log = write_log(in_log(fresh))
    advice = f"please report it, with the log {log}, {REPORT_IT}"
    crashed = (
        CrashedFileError(each.path, f"{each.reason}; {advice}") if each.details else each
        for each in report.crashed
    )
    return report._replace(crashed=tuple(crashed))


def in_log(crashes: Iterable[CrashedFileError]) -> str:
    """Tracebacks with the files that have them; the same one only once."""
    files: dict[str, list[str]] = {}
    for each in crashes:
        files.setdefault(each.details, []).append(each.path)
    return "\n".join(f"{chr(10).join(names)}\n{details}" for details, names in files.items())


def write_log(text: str) -> str:
    """Keep a text in a new file of the system's temporary folder; its name."""
    import tempfile  # noqa: PLC0415 - only a crash needs it

    with tempfile.NamedTemporaryFile(
        "w",
        prefix="manifestkit-",
        suffix=".log",
        delete=False,
        encoding="utf-8",
        errors="backslashreplace",
    ) as log:
        log.write(text)
    return log.name


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
        """Return whether it has something for files that nothing is wrong with."""
        return self.format in NAMING_CLEAN_FILES

    @property
    def detail(self) -> Detail:
        """The detail in which it shows findings."""
        if self.format in SHOWING_EDITS:
            return Detail.EDITS
        return Detail.TEXT if self.format in SHOWING_TEXT else Detail.FINDINGS

    @property
    def is_for_people(self) -> bool:
        """Return whether no program reads it."""
        return self.format in FOR_PEOPLE

    def pieces(self, report: Report, style: Style) -> Iterator[str]:
        """Yield the report in this form."""
        return FORMATS[self.format](report, style)


def shared_target(outputs: Sequence[Output]) -> Output | None:
    """Return the first output that goes where an earlier one does."""
    seen: set[str | None] = set()
    for output in outputs:
        target = os.path.realpath(output.file) if output.file else None
        if target in seen:
            return output
        seen.add(target)
    return None


def overwriting(outputs: Sequence[Output], read: Iterable[Path]) -> Output | None:
    """Return the first output that would take the place of a file that is read."""
    sources = {os.path.realpath(path) for path in read}
    return next(
        (each for each in outputs if each.file and os.path.realpath(each.file) in sources), None
    )


def unwritten(targets: Iterable[Target], outputs: tuple[Output, ...]) -> Iterator[Target]:
    """Yield the files as they come, as long as none is one that an output goes to."""
    for target in targets:
        refuse_overwriting(outputs, [target.path])
        yield target


def refuse_overwriting(outputs: tuple[Output, ...], read: Iterable[Path]) -> None:
    """Refuse an output that would take the place of a file that is read.

    Raises:
        click.UsageError: there is one.
    """
    lost = overwriting(outputs, read)
    if lost:
        raise click.UsageError(
            f"{visible(str(lost.file))} is an input of this run and cannot be an output"
        )


def check_before_writing(
    workspace: Workspace, targets: Sequence[Target], outputs: tuple[Output, ...]
) -> None:
    """Refuse what a run would only stumble on when it has changed files already.

    Raises:
        click.UsageError: an output would take the place of a file that is read.
        ConfigurationError: what is configured for one of the files cannot be used.
    """
    for folder in {"", *(target.folder for target in targets)}:
        workspace.limits(folder)
    refuse_overwriting(outputs, [*(target.path for target in targets), *workspace.inputs()])


def check_targets(outputs: tuple[Output, ...]) -> None:
    """Refuse two outputs to one place, and one to where no file can be.

    Raises:
        click.UsageError: there are such.
    """
    shared = shared_target(outputs)
    if shared:
        where = visible(str(shared.file)) if shared.file else "standard output"
        raise click.UsageError(
            f"two output formats write to {where}; give one of them its own =FILE"
        )
    for file in filter(None, (each.file for each in outputs)):
        if is_folder(file):
            raise click.UsageError(f"{visible(str(file))} is a folder and cannot be an output")
        if not is_folder(file.parent):
            folder = f"the folder `{visible(str(file.parent))}`"
            problem = "is a file" if is_there(file.parent) else "does not exist; create it first"
            raise click.UsageError(f"{visible(str(file))} cannot be written: {folder} {problem}")


class WrittenReport(NamedTuple):
    """A report that was written.

    Attributes:
        report: the report; of a file whose result cannot be put into one of the forms, for a bug
            in that, it has the crash instead.
        is_complete: whether all of its forms could be written.
    """

    report: Report
    is_complete: bool


def write_report(
    report: Report, outputs: Iterable[Output], stream: TextIO, style: Style
) -> WrittenReport:
    """Write a report in each of its forms.

    Args:
        report: what there is to say.
        outputs: the forms.
        stream: for the form without a file.
        style: how that one looks.
    """
    report = logged(report)
    styled = [(output, Style() if output.file else style) for output in outputs]

    def texts(report: Report) -> list[tuple[Output, Iterable[str]]]:
        return [(output, _made(output.pieces(report, style))) for output, style in styled]

    try:
        forms = texts(report)
    except Exception:
        crashed: dict[str, CrashedFileError] = {}
        for result in report.results:
            try:
                with crash_context(result.path):
                    texts(Report.of([result]))
            except CrashedFileError as crash:
                crashed[result.path] = crash
        if not crashed:
            raise
        kept = (result for result in report.results if result.path not in crashed)
        report = logged(report._replace(results=tuple(kept)).joined([], [], crashed.values()))
        forms = texts(report)
    return WrittenReport(report, write_all(forms, stream, color=style.color))


def _made(pieces: Iterator[str]) -> Iterable[str]:
    """Return pieces that are made already; a long text is kept in a temporary file."""
    made: list[str] = []
    size = 0
    for piece in pieces:
        made.append(piece)
        size += len(piece)
        if size > _MOST_IN_MEMORY:
            break
    else:
        return made
    import tempfile  # noqa: PLC0415 - most reports are short

    kept = tempfile.TemporaryFile(  # noqa: SIM115 - it goes when the last piece is read
        "w+", encoding="utf-8", errors="surrogatepass", newline=""
    )
    kept.writelines(made)
    kept.writelines(pieces)
    kept.seek(0)
    return iter(partial(kept.read, _CHUNK), "")


def write_all(
    texts: Iterable[tuple[Output, Iterable[str]]], stream: TextIO, *, color: bool
) -> bool:
    """Write every form of the report that can be written; whether all could be.

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
        except OSError as problem:
            error(f"{output.file}: cannot be written: {reason_of(problem)}")
            complete = False
    return complete
