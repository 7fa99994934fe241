"""`manifest lint --fix` and `--diff`: what becomes of each file, and what is said of it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from manifestkit.authoring.fixing import Fixed, RefusedFix, fix
from manifestkit.cli.console import error, note, read_whole_stdin, write_document
from manifestkit.cli.output import outcomes
from manifestkit.engine import FileResult, Report, Target, Workspace, crash_context
from manifestkit.files import rewrite
from manifestkit.findings.words import counted
from manifestkit.model.errors import CrashedFileError, UnreadableFileError, UnwritableFileError
from manifestkit.model.finding import Finding
from manifestkit.rendering.diff import diff

if TYPE_CHECKING:
    from manifestkit.cli.commands.lint import LintOptions

_MOST_ALIKE = 10


@dataclass
class Fixing:
    """Outcome of a run with fixes."""

    results: list[FileResult] = field(default_factory=list)
    fixed: list[Finding] = field(default_factory=list)
    refused: list[RefusedFix] = field(default_factory=list)
    unreadable: list[UnreadableFileError] = field(default_factory=list)
    crashed: list[CrashedFileError] = field(default_factory=list)
    is_complete: bool = True

    def report(self) -> Report:
        """Return the remaining findings."""
        return Report.of(self.results, self.unreadable, crashed=self.crashed)

    def count(self, fixed: Fixed) -> None:
        """Note the outcome for a file."""
        self.results.append(fixed.result)
        self.fixed.extend(fixed.fixed)
        self.refused.extend(fixed.refused)

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
        """Say how often each rule was fixed in each file, or is to be where nothing is written."""
        did = "fixed" if is_done else "to be fixed"
        for path, found in groupby(self.fixed, attrgetter("path")):
            for rule, count in Counter(each.rule for each in found).most_common():
                note(f"{path}: {rule} {did} ({count:,})")


class _FixedFile(NamedTuple):
    """The outcome for a file: what would be changed in it, or why it could not be written."""

    fixed: Fixed
    difference: str = ""
    problem: str | None = None


_Outcome = _FixedFile | UnreadableFileError | CrashedFileError


@dataclass(frozen=True)
class _Fixer:
    workspace: Workspace
    options: LintOptions

    def __call__(self, target: Target) -> _Outcome | None:
        """Return the outcome for a file; None for a clean one."""
        try:
            with crash_context(target.name):
                outcome = self._fix(target)
        except (UnreadableFileError, CrashedFileError) as problem:
            return problem
        return None if outcome.fixed.result.is_clean and not outcome.fixed.fixed else outcome

    def _fix(self, target: Target) -> _FixedFile:
        workspace, name = self.workspace, target.name
        lint = partial(workspace.lint, target)
        data = workspace.read(target)
        limits = workspace.limits(target.folder)
        fixed = fix(lint, data, name, unsafe=self.options.unsafe_fixes, limits=limits)
        if self.options.diff:
            return _FixedFile(fixed, diff(name, data, fixed.data))
        try:
            if fixed.data != data:
                rewrite(target.path, fixed.data, data)
        except UnwritableFileError as problem:
            left = Fixed(data, lint(workspace.decode(data, name, target.folder)))
            return _FixedFile(left, problem=problem.reason)
        return _FixedFile(fixed)


def fix_files(workspace: Workspace, files: Sequence[Target], options: LintOptions) -> Fixing:
    """Fix files in their place, or show what would be changed in them."""
    fixing = Fixing()
    with outcomes(_Fixer(workspace, options), files) as results:
        for target, outcome in results:
            match outcome:
                case None:
                    fixing.results.append(FileResult(target.name))
                case UnreadableFileError():
                    fixing.unreadable.append(outcome)
                case CrashedFileError():
                    fixing.crashed.append(outcome)
                case _FixedFile(fixed, difference, problem):
                    if difference:
                        write_document(difference)
                    if problem:
                        error(f"{target.name}: {problem}")
                        fixing.is_complete = False
                    workspace.note_use(target.name, fixed.result.summary, target.folder)
                    fixing.count(fixed)
    return fixing


def fix_stdin(workspace: Workspace, name: str, options: LintOptions) -> Fixing:
    """Fix what comes on standard input, and write it to standard output."""
    limits = workspace.limits("")
    data = read_whole_stdin(limits.bytes, name)
    fixing = Fixing()
    if workspace.excluded(Target(name, found=False)):
        if not options.diff:
            sys.stdout.buffer.write(data)
        return fixing
    fixed = fix(workspace.lint_stdin, data, name, unsafe=options.unsafe_fixes, limits=limits)
    if options.diff:
        write_document(diff(name, data, fixed.data))
    else:
        sys.stdout.buffer.write(fixed.data)
    workspace.note_use(name, fixed.result.summary, "")
    fixing.count(fixed)
    return fixing
