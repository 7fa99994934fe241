"""`manifest fmt`."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click

from manifestkit.authoring.formatting import Lint, formatted
from manifestkit.cli import exit_codes
from manifestkit.cli.console import error, read_whole_stdin, say, show, write_document
from manifestkit.cli.output import logged, nothing_to_check, report_empty, report_errors
from manifestkit.cli.parameters import FilePath
from manifestkit.decode import Decoded
from manifestkit.engine import STDIN, Options, Report, Workspace, crash_context
from manifestkit.engine.discovery import Target
from manifestkit.files import rewrite
from manifestkit.findings.messages import counted
from manifestkit.model.errors import (
    CrashedFileError,
    EditRefusedError,
    UnreadableFileError,
    UnwritableFileError,
)
from manifestkit.rendering import opening
from manifestkit.rendering.diff import diff as diff_of

_STDIN = "-"


@click.command(
    epilog="""\b
Examples:
  manifest fmt                        the manifests in this folder
  manifest fmt app/manifest.yaml      one file
  manifest fmt --check                list the files that are not formatted
  manifest fmt --diff                 show what would change
  generate | manifest fmt -           standard input to standard output

\b
Exit codes:
  0   every file is formatted
  1   with --check or --diff, a file is not formatted; otherwise, a file cannot be formatted
  2   wrong usage or configuration, a file that cannot be read or written, no manifest found
  70  a bug in manifestkit; the message names the file and says how to report it
""",
)
@click.argument("paths", nargs=-1, type=FilePath(readable=False), metavar="[PATH|-]...")
@click.option(
    "--check", is_flag=True, help="List the files that are not formatted, without writing them."
)
@click.option("--diff", is_flag=True, help="Show what would change, without writing the files.")
@click.option(
    "--force-exclude",
    is_flag=True,
    help=(
        "Skip excluded files and manifests of another kind even if they are given by name (for "
        "hooks)."
    ),
)
@click.option(
    "--stdin-filename",
    metavar="NAME",
    help="The file name for standard input; its suffix selects the syntax.",
)
def command(
    paths: tuple[str, ...],
    check: bool,  # noqa: FBT001 - click's signature
    diff: bool,  # noqa: FBT001 - likewise
    force_exclude: bool,  # noqa: FBT001 - likewise
    stdin_filename: str | None,
) -> int:
    """Format manifests.

    Members are sorted in the order of the manifest format and indented by two spaces; the file ends
    with one line break. Numbers, strings and comments are kept as written.
    """
    workspace = Workspace(Options(force_exclude=force_exclude))
    formatter = _Formatter(workspace, writes=not (check or diff), shows_diff=diff)
    if _STDIN in paths:
        if len(paths) > 1:
            raise click.UsageError("- is standard input and cannot be combined with files")
        formatter.stdin(stdin_filename or STDIN)
        return formatter.code
    found = workspace.find([Path(path) for path in paths or (".",)])
    targets = sorted(found)
    for folder in {target.folder for target in targets}:
        workspace.limits(
            folder
        )  # what is configured for one of them must not stop the run half-way
    for target in targets:
        formatter.file(target)
    report = logged(Report.of([], found.unreadable, crashed=formatter.crashed))
    report_errors(report.errors)
    report_empty(found)
    if report.crashed:
        formatter.code = exit_codes.CRASH
    elif report.unreadable:
        formatter.code = exit_codes.USAGE
    elif len(targets) == formatter.foreign and not force_exclude:
        error(nothing_to_check(found, formatter.foreign))
        return exit_codes.USAGE
    formatter.report()
    return formatter.code


class _Formatter:
    """Formats files, and keeps in mind what became of them.

    Attributes:
        code: the exit code.
        foreign: how many files were left alone as manifests of something else.
        crashed: the files at which the toolkit failed; they are as they were.
    """

    def __init__(self, workspace: Workspace, *, writes: bool, shows_diff: bool) -> None:
        self.code = exit_codes.CLEAN
        self.foreign = 0
        self.crashed: list[CrashedFileError] = []
        self._workspace = workspace
        self._writes = writes
        self._shows_diff = shows_diff
        self._changed = self._kept = 0

    def file(self, target: Target) -> None:
        """Format a file in its place, or show what would be changed."""
        try:
            with crash_context(target.name):
                data = self._workspace.read(target)
                decoded = self._workspace.decode(data, target.name, target.folder)
                is_sifted = self._workspace.may_skip(target)
                if is_sifted and self._workspace.foreign_kind(decoded, target.folder):
                    self.foreign += 1
                    return
                lint = partial(self._workspace.lint, target)
                after = self._formatted(decoded, lint, target.folder)
            if after != data and self._writes:
                rewrite(target.path, after, data)
            elif after != data:
                self._show(target.name, data, after)
            self._count(changed=after != data)
        except EditRefusedError as problem:
            self._fail(target.name, f"cannot be formatted: {problem}", exit_codes.FINDINGS)
        except CrashedFileError as problem:
            self.crashed.append(problem)
        except (UnreadableFileError, UnwritableFileError) as problem:
            self._fail(target.name, problem.reason, exit_codes.USAGE)

    def stdin(self, name: str) -> None:
        """Format standard input onto standard output."""
        data = read_whole_stdin(self._workspace.limits("").bytes)
        after = data
        try:
            after = self._formatted(
                self._workspace.decode(data, name), self._workspace.lint_stdin, ""
            )
            self._count(changed=after != data)
        except EditRefusedError as problem:
            self._fail(name, f"cannot be formatted: {problem}", exit_codes.FINDINGS)
        if self._writes:
            sys.stdout.buffer.write(after)
        elif after != data:
            self._show(name, data, after)

    def report(self) -> None:
        """Say how many files were or would be formatted, and how many already are.

        Nothing where every file failed: why is told already.
        """
        if not self._changed and not self._kept and self.code != exit_codes.CLEAN:
            return
        done = "formatted" if self._writes else "would be formatted"
        counts = [f"{counted(self._changed, 'file')} {done}"] * bool(self._changed)
        if self._kept or not counts:
            counts.append(f"{counted(self._kept, 'file')} already formatted")
        say(", ".join(counts))

    def _formatted(self, decoded: Decoded, lint: Lint, folder: str) -> bytes:
        """Return the content of a file, formatted.

        Raises:
            EditRefusedError: it cannot be read, or not be written anew as it is.
        """
        schema = self._workspace.schema_of(decoded.document, folder)
        return formatted(decoded, schema, lint, self._workspace.limits(folder)).encode()

    def _show(self, name: str, before: bytes, after: bytes) -> None:
        if not self._shows_diff:
            show(f"{opening(name)}\n")
            return
        write_document("".join(diff_of(name, before.decode(), after.decode())))

    def _count(self, *, changed: bool) -> None:
        self._changed += changed
        self._kept += not changed
        if changed and not self._writes:
            self.code = max(self.code, exit_codes.FINDINGS)

    def _fail(self, name: str, reason: str, code: int) -> None:
        error(f"{name}: {reason}")
        self.code = max(self.code, code)
