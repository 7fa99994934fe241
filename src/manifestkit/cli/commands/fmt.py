"""`manifest fmt`."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click

from manifestkit.authoring.convert import format_manifest
from manifestkit.cli.console import error, read_stdin, say, write_document
from manifestkit.cli.exit_codes import ExitCode
from manifestkit.cli.options import STDIN_FILENAME, RuleOptions, argument, manifest_command, option
from manifestkit.cli.reports import report_errors
from manifestkit.cli.runs import left_out, nothing_to_check, outcomes
from manifestkit.engine.discovery import Target
from manifestkit.engine.workspace import Workspace
from manifestkit.files import rewrite
from manifestkit.findings.words import counted
from manifestkit.model.errors import CrashedFileError, EditRefusedError
from manifestkit.model.report import STDIN, Report
from manifestkit.rendering.diff import diff as diff_of
from manifestkit.rendering.escape import opening


@manifest_command(
    """
    manifest fmt                        the manifests in this folder
    manifest fmt app/manifest.yaml      one file
    generate | manifest fmt -           standard input to standard output
    """,
    """
    0   every file is formatted
    1   with --check or --diff, a file is not formatted; otherwise, a file cannot be formatted
    2   wrong usage or configuration, or a file that cannot be read or written
    70  a bug in manifestkit; the message says how to report it
    """,
)
def command(
    *,
    paths: tuple[str, ...] = argument(nargs=-1, path="any", metavar="[PATH|-]..."),
    check: bool = option("List the files that are not formatted, without writing them."),
    diff: bool = option("Show what would change, without writing the files."),
    quiet: bool = option("Leave out the summary.", "-q", "--quiet"),
    rules: RuleOptions = RuleOptions.group("force_exclude"),
    stdin_filename: str | None = STDIN_FILENAME,
) -> int:
    """Format manifests.

    Members are sorted in the order of the manifest format and indented by two spaces; the file ends
    with one line break. Numbers, strings and comments are kept as written.
    """
    workspace = Workspace(rules.options(), uses_baseline=False)
    formatter = _Formatter(workspace, writes=not (check or diff), shows_diff=diff)
    counts: Counter[_Ending] = Counter()
    if "-" in paths:
        if len(paths) > 1:
            raise click.UsageError("- is standard input and cannot be combined with files")
        counts[formatter.stdin(stdin_filename or STDIN)] += 1
        return formatter.exit_code(counts)
    found = workspace.find([Path(path) for path in paths or (".",)])
    targets = sorted(found)
    # What would stop the run when it has changed files already stops it now.
    for folder in {target.folder for target in targets}:
        workspace.policy(folder)
    crashed: list[CrashedFileError] = []
    foreign: dict[str, str] = {}
    with outcomes(formatter, targets) as results:
        for target, result in results:
            if isinstance(result, CrashedFileError):
                crashed.append(result)
            elif isinstance(result, Exception):
                error(str(result))
                counts["unusable"] += 1
            else:
                counts[formatter.report(result)] += 1
                foreign |= {target.name: result[1]} if result and result[0] == "foreign" else {}
    report = Report.of([], [*found.unreadable, *crashed])
    is_nothing = len(targets) == len(foreign) and not (report.errors or rules.force_exclude)
    nothing = nothing_to_check(found, foreign) if is_nothing else ""
    report_errors(report, left_out(found, is_told=bool(nothing) and not foreign))
    if nothing:
        error(nothing)
        return ExitCode.USAGE
    counts["unusable"] += len(found.unreadable)
    code = ExitCode.CRASH if crashed else formatter.exit_code(counts)
    changed, kept = counts["changed"], counts["kept"]
    if not quiet and (changed or kept or code == ExitCode.CLEAN):  # else why is told already
        done = "formatted" if formatter.writes else "would be formatted"
        said = [f"{counted(changed, 'file')} {done}"] if changed else []
        if kept or not changed:
            said.append(f"{counted(kept, 'file')} already formatted")
        say(", ".join(said))
    return code


_Ending = Literal["changed", "foreign", "kept", "refused", "unusable"]
_Result = tuple[_Ending, str] | None
"""The ending for a file, with what to show of it; None where it is formatted."""


@dataclass(frozen=True)
class _Formatter:
    workspace: Workspace
    writes: bool
    shows_diff: bool

    def __call__(self, target: Target) -> _Result:
        data = self.workspace.read(target)
        after, result = self._formatted(target, data)
        if after != data and self.writes:
            rewrite(target.path, after, data)
        return result

    def stdin(self, name: str) -> _Ending:
        target, result = Target(name, found=False), None
        data = after = read_stdin(self.workspace.most_bytes(target), name, whole=True)
        if not self.workspace.excluded(target):
            after, result = self._formatted(target, data)
        ending = self.report(result)
        if self.writes:
            sys.stdout.buffer.write(after)
        return ending

    def _formatted(self, target: Target, data: bytes) -> tuple[bytes, _Result]:
        """Return the content of a file as it is formatted, and its ending."""
        workspace, folder = self.workspace, target.folder
        decoded = workspace.decode(data, target.name, folder)
        if workspace.may_skip(target) and (kind := workspace.foreign_kind(decoded, folder)):
            return data, ("foreign", kind)
        try:
            after = format_manifest(workspace, target, decoded).encode()
        except EditRefusedError as problem:
            emptied = "" if data else "; `> FILE` in a shell empties it first: fmt writes by itself"
            return data, ("refused", f"{target.name}: cannot be formatted: {problem}{emptied}")
        if after == data:
            return data, None
        if self.shows_diff:
            return after, ("changed", diff_of(target.name, data, after))
        return after, ("changed", "" if self.writes else f"{opening(target.name)}\n")

    def report(self, result: _Result) -> _Ending:
        if result is None:
            return "kept"
        ending, text = result
        if ending == "changed":
            write_document(text)
        elif ending == "refused":
            error(text)
        return ending

    def exit_code(self, counts: Counter[_Ending]) -> int:
        if counts["unusable"]:
            return ExitCode.USAGE
        is_left = counts["refused"] or (counts["changed"] and not self.writes)
        return ExitCode.FINDINGS if is_left else ExitCode.CLEAN
