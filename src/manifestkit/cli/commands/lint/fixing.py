"""`manifest lint --fix` and `--diff`: what becomes of each file, and what is said of it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from manifestkit.authoring.fixing import Fixed, RefusedFix, fix
from manifestkit.cli.console import error, note, read_stdin, write_document
from manifestkit.cli.exit_codes import ExitCode
from manifestkit.cli.runs import outcomes
from manifestkit.engine.discovery import Target
from manifestkit.engine.workspace import Workspace
from manifestkit.files import rewrite
from manifestkit.findings.words import counted
from manifestkit.model.errors import CrashedFileError, UnreadableFileError, UnwritableFileError
from manifestkit.model.finding import Finding
from manifestkit.model.report import FileResult, Report
from manifestkit.rendering.diff import diff

_MOST_ALIKE = 10


class _FixedFile(NamedTuple):
    """The outcome for a file: what would be changed in it, or why it could not be written."""

    fixed: Fixed
    difference: str = ""
    problem: str | None = None


@dataclass(frozen=True)
class _Fixer:
    workspace: Workspace
    unsafe: bool
    shows_diff: bool

    def __call__(self, target: Target) -> _FixedFile | None:
        """Return the outcome for a file; None for a clean one."""
        outcome = self._fix(target)
        return None if outcome.fixed.result.is_clean and not outcome.fixed.fixed else outcome

    def _fix(self, target: Target) -> _FixedFile:
        workspace, name = self.workspace, target.name
        lint = partial(workspace.lint, target)
        data = workspace.read(target)
        limits = workspace.limits(target.folder)
        fixed = fix(lint, data, name, unsafe=self.unsafe, limits=limits)
        if self.shows_diff:
            return _FixedFile(fixed, diff(name, data, fixed.data))
        try:
            if fixed.data != data:
                rewrite(target.path, fixed.data, data)
        except UnwritableFileError as problem:
            left = Fixed(data, lint(workspace.decode(data, name, target.folder)))
            return _FixedFile(left, problem=problem.reason)
        return _FixedFile(fixed)


@dataclass
class Fixing:
    """A run with fixes, and its outcome.

    Attributes:
        workspace: lints a file.
        unsafe: whether unsafe fixes are applied, too.
        shows_diff: whether the changes are shown, and nothing is written.
    """

    workspace: Workspace
    unsafe: bool
    shows_diff: bool
    results: list[FileResult] = field(default_factory=list)
    fixed: list[Finding] = field(default_factory=list)
    refused: list[RefusedFix] = field(default_factory=list)
    unreadable: list[UnreadableFileError] = field(default_factory=list)
    crashed: list[CrashedFileError] = field(default_factory=list)
    is_complete: bool = True

    def files(self, files: Sequence[Target]) -> None:
        """Fix files in their place."""
        with outcomes(_Fixer(self.workspace, self.unsafe, self.shows_diff), files) as results:
            for target, outcome in results:
                match outcome:
                    case None:
                        self.results.append(FileResult(target.name))
                    case UnreadableFileError():
                        self.unreadable.append(outcome)
                    case CrashedFileError():
                        self.crashed.append(outcome)
                    case _FixedFile(fixed, difference, problem):
                        if difference:
                            write_document(difference)
                        if problem:
                            error(f"{target.name}: {problem}")
                            self.is_complete = False
                        self._count(fixed, target.folder)

    def stdin(self, name: str) -> None:
        """Fix what comes on standard input, and write it to standard output."""
        workspace, target = self.workspace, Target(name, found=False)
        limits = workspace.limits(target.folder)
        data = after = read_stdin(limits.bytes, name, whole=True)
        if not workspace.excluded(target):
            lint = partial(workspace.lint, target)
            fixed = fix(lint, data, name, unsafe=self.unsafe, limits=limits)
            after = fixed.data
            self._count(fixed, target.folder)
        if self.shows_diff:
            write_document(diff(name, data, after))
        else:
            sys.stdout.buffer.write(after)

    def _count(self, fixed: Fixed, folder: str) -> None:
        name = fixed.result.path
        self.workspace.note_use(name, fixed.result.summary, folder)
        self.results.append(fixed.result)
        self.fixed.extend(fixed.fixed)
        self.refused.extend(fixed.refused)

    def report(self) -> Report:
        """Return the remaining findings."""
        return Report.of(self.results, self.unreadable, crashed=self.crashed)

    def report_refused(self) -> None:
        """Say why fixes were not applied, and what to do by hand; of many for one reason, once."""
        alike = Counter((each.finding.path, each.reason) for each in self.refused)
        for (path, reason), count in alike.items():
            if count > _MOST_ALIKE:
                note(f"{path}: {counted(count, 'finding')} not fixed: {reason}")
        for finding, reason in ((each.finding, each.reason) for each in self.refused):
            if alike[finding.path, reason] > _MOST_ALIKE:
                continue
            place = f"{finding.path}:{finding.location.line}:{finding.location.column}"
            by_hand = f"; by hand: {finding.help}" if finding.help else ""
            note(f"{place}: {finding.rule} is not fixed: {reason}{by_hand}")

    def report_fixed(self, *, is_done: bool) -> None:
        """Say how often each rule was fixed in each file, or is to be where nothing is written.

        What an unsafe fix is about is said, too: it may have been behind a mistake in the syntax.
        """
        did = "fixed" if is_done else "to be fixed"
        for path, group in groupby(self.fixed, attrgetter("path")):
            found = [*group]
            for rule, count in Counter(each.rule for each in found).most_common():
                note(f"{path}: {rule} {did} ({count:,})")
                unsafe = [each for each in found if each.rule == rule and not _is_safe(each)]
                for each in unsafe if len(unsafe) <= _MOST_ALIKE else ():
                    note(f"{path}: {did}: {each.message}; {each.fixes[0].message}")

    def exit_code(self, code: int, *, fails_on_fix: bool, exit_zero: bool) -> int:
        """Return the exit code, by that of the remaining findings."""
        if code in {ExitCode.CRASH, ExitCode.USAGE}:
            return code
        if not self.is_complete:
            return ExitCode.USAGE
        is_left = self.shows_diff or fails_on_fix  # what is shown is not fixed
        stopped = self.refused or (self.fixed and is_left)
        return ExitCode.FINDINGS if stopped and not exit_zero else code


def _is_safe(finding: Finding) -> bool:
    return any(each.safety == "safe" for each in finding.fixes)
