"""What a run says on standard error beside its findings, and the log of a bug."""

from __future__ import annotations

from collections.abc import Iterable

from manifestkit.cli.console import error, note
from manifestkit.engine import Report, Search
from manifestkit.files import nearby
from manifestkit.model.errors import CrashedFileError, UnreadableFileError
from manifestkit.rules.messages import counted


def report_errors(problems: Iterable[CrashedFileError | UnreadableFileError]) -> None:
    """Say of which files there is no result, and why."""
    for problem in problems:
        error(f"{problem.path}: {problem.reason}")


def report_skipped(report: Report, found: Search) -> None:
    """Say which files were not judged, and why."""
    for name, by in sorted(found.excluded):
        note(f"{name}: skipped, it is excluded by {nearby(by)}")
    for result in report.results:
        if result.skipped:
            note(f"{result.path}: skipped, it is {result.skipped}")


def report_empty(found: Search) -> None:
    """Say in which folders there is no manifest."""
    for folder in found.empty:
        note(f"{folder}: no manifest in this folder")


def summary(report: Report, fixed: str = "") -> str:
    """The counts of a run, and how many findings can be fixed, in one line.

    Args:
        report: what there is to say.
        fixed: what was fixed, where that was asked for.
    """
    counts = report.summary
    found = [
        counted(number, noun, plural)
        for number, noun, plural in (
            (counts.errors, "error", "errors"),
            (counts.warnings, "warning", "warnings"),
            (counts.info, "info", "info"),
        )
        if number
    ]
    suppressed = f", {counts.suppressed} suppressed" if counts.suppressed else ""
    skipped = f", {counts.skipped} skipped" if counts.skipped else ""
    verdict = ", ".join(found) or "nothing wrong"
    checked = f"{counted(counts.files, 'file')} checked{skipped}{fixed}"
    return f"{checked}: {verdict}{suppressed}{_fixable(report)}"


def _fixable(report: Report) -> str:
    """How many findings `--fix` can fix, as the end of a sentence; empty for none."""
    offered = [{fix.safety for fix in finding.fixes if fix.edits} for finding in report.findings]
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
    left_out = len(found.excluded) + foreign
    if left_out:
        files = counted(left_out, "file")
        return f"no manifest to check: {files} left out; `manifest lint --verbose` says why"
    return "no manifest found; name a file, or see `manifest lint --help` for the names looked for"


REPORT_IT = "as CONTRIBUTING.md says under “Reporting a bug”"


def logged(report: Report) -> Report:
    """The report, with a log named in each of its crashes; those that have one keep it."""
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
