"""What is kept of a bug in the toolkit, for its report: one log a run."""

from __future__ import annotations

from collections.abc import Iterable

from manifestkit.engine import Report
from manifestkit.model.errors import CrashedFileError

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
