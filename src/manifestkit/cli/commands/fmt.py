"""`manifest fmt`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

from manifestkit.authoring.formatting import Lint, formatted
from manifestkit.cli import exit_codes
from manifestkit.cli.console import error, progress, read_whole_stdin, say, show, write_document
from manifestkit.cli.options import FilePath
from manifestkit.cli.output import logged, nothing_to_check, report_empty, report_errors
from manifestkit.decode import Decoded
from manifestkit.engine import STDIN, Options, Report, Workspace, crash_context
from manifestkit.engine.discovery import Target
from manifestkit.engine.pool import map_in_order
from manifestkit.files import rewrite
from manifestkit.findings.messages import counted
from manifestkit.model.errors import (
    CrashedFileError,
    EditRefusedError,
    ManifestkitError,
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
    formatter = _Formatter(_Format(workspace, writes=not (check or diff), shows_diff=diff))
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
    with progress(targets) as left:
        formatter.files(left)
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


class _Change(NamedTuple):
    """A file that was not formatted, and what to show of it."""

    text: str


class _Foreign(NamedTuple):
    """A file that is left alone: a manifest of another kind."""

    kind: str


_Result = _Change | _Foreign | ManifestkitError | None


@dataclass(frozen=True)
class _Format:
    """Formats one file in its place, or shows what would be changed in it."""

    workspace: Workspace
    writes: bool
    shows_diff: bool

    def __call__(self, target: Target) -> _Result:
        """Return what becomes of a file; None where it is formatted."""
        workspace, name, folder = self.workspace, target.name, target.folder
        try:
            with crash_context(name):
                data = workspace.read(target)
                decoded = workspace.decode(data, name, folder)
                is_sifted = workspace.may_skip(target)
                if is_sifted and (kind := workspace.foreign_kind(decoded, folder)):
                    return _Foreign(kind)
                after = self.formatted(decoded, partial(workspace.lint, target), folder)
                if after == data:
                    return None
                if self.writes:
                    rewrite(target.path, after, data)
        except ManifestkitError as problem:
            return problem
        return self.change(name, data, after)

    def change(self, name: str, before: bytes, after: bytes) -> _Change:
        """Return the change of a file, with what to show of it."""
        if self.shows_diff:
            return _Change("".join(diff_of(name, before.decode(), after.decode())))
        return _Change("" if self.writes else f"{opening(name)}\n")

    def formatted(self, decoded: Decoded, lint: Lint, folder: str) -> bytes:
        """Return the content of a file, formatted.

        Raises:
            EditRefusedError: it cannot be read, or not be written anew as it is.
        """
        schema = self.workspace.schema_of(decoded.document, folder)
        return formatted(decoded, schema, lint, self.workspace.limits(folder)).encode()


def _given_up(target: Target, error: Exception) -> _Result:
    return CrashedFileError.of_dead_process(target.name, error)


class _Formatter:
    """Formats files, and keeps in mind what became of them.

    Attributes:
        code: the exit code.
        foreign: how many files were left alone as manifests of something else.
        crashed: the files at which the toolkit failed; they are as they were.
    """

    def __init__(self, form: _Format) -> None:
        self.code = exit_codes.CLEAN
        self.foreign = 0
        self.crashed: list[CrashedFileError] = []
        self._form = form
        self._changed = self._kept = 0

    def files(self, targets: Iterable[Target]) -> None:
        """Format files in their place, or show what would be changed."""
        with closing(map_in_order(self._form, targets, _given_up)) as results:
            for target, result in results:
                self._note(target.name, result)

    def stdin(self, name: str) -> None:
        """Format standard input onto standard output."""
        workspace = self._form.workspace
        data = after = read_whole_stdin(workspace.limits("").bytes)
        try:
            after = self._form.formatted(workspace.decode(data, name), workspace.lint_stdin, "")
            self._note(name, None if after == data else self._form.change(name, data, after))
        except EditRefusedError as problem:
            self._note(name, problem)
        if self._form.writes:
            sys.stdout.buffer.write(after)

    def report(self) -> None:
        """Say how many files were or would be formatted, and how many already are.

        Nothing where every file failed: why is told already.
        """
        if not self._changed and not self._kept and self.code != exit_codes.CLEAN:
            return
        done = "formatted" if self._form.writes else "would be formatted"
        counts = [f"{counted(self._changed, 'file')} {done}"] * bool(self._changed)
        if self._kept or not counts:
            counts.append(f"{counted(self._kept, 'file')} already formatted")
        say(", ".join(counts))

    def _note(self, name: str, result: _Result) -> None:
        match result:
            case None:
                self._kept += 1
            case _Foreign():
                self.foreign += 1
            case _Change(text):
                self._changed += 1
                if self._form.shows_diff:
                    write_document(text)
                else:
                    show(text)
                if not self._form.writes:
                    self.code = max(self.code, exit_codes.FINDINGS)
            case CrashedFileError():
                self.crashed.append(result)
            case UnreadableFileError() | UnwritableFileError():
                self._fail(name, result.reason, exit_codes.USAGE)
            case EditRefusedError():
                self._fail(name, f"cannot be formatted: {result}", exit_codes.FINDINGS)
            case _:
                raise result

    def _fail(self, name: str, reason: str, code: int) -> None:
        error(f"{name}: {reason}")
        self.code = max(self.code, code)
