"""`manifest lint --fix` and `--diff`: what becomes of each file, and what is said of it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from operator import attrgetter

from manifestkit.authoring.fixing import Fixed, RefusedFix, fix
from manifestkit.cli.console import note, read_stdin, write_document
from manifestkit.cli.exit_codes import ExitCode
from manifestkit.cli.runs import outcomes
from manifestkit.engine.discovery import Target
from manifestkit.engine.workspace import Workspace
from manifestkit.files import rewrite
from manifestkit.findings.words import counted
from manifestkit.model.errors import FileProblem
from manifestkit.model.finding import Finding
from manifestkit.model.report import FileResult, Report
from manifestkit.rendering.diff import diff

_MOST_ALIKE = 10


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
    problems: list[FileProblem] = field(default_factory=list)

    def files(self, files: Sequence[Target]) -> None:
        """Fix files in their place; one that cannot be written has no result."""
        work = partial(_fixed_file, self.workspace, unsafe=self.unsafe, writes=not self.shows_diff)
        with outcomes(work, files) as results:
            for target, outcome in results:
                if outcome is None:
                    self.results.append(FileResult(target.name))
                elif isinstance(outcome, FileProblem):
                    self.problems.append(outcome)
                else:
                    fixed, difference = outcome
                    write_document(difference)
                    self._count(fixed, target.folder)

    def stdin(self, name: str) -> None:
        """Fix what comes on standard input, and write it to standard output."""
        target = Target(name, found=False)
        data = read_stdin(self.workspace.most_bytes(target), name, whole=True)
        after = data
        if not self.workspace.excluded(target):
            fixed = _fixed(self.workspace, target, data, unsafe=self.unsafe)
            after = fixed.data
            self._count(fixed, target.folder)
        if self.shows_diff:
            write_document(diff(name, data, after))
        else:
            sys.stdout.buffer.write(after)

    def _count(self, fixed: Fixed, folder: str) -> None:
        self.workspace.note_use(fixed.result, folder)
        self.results.append(fixed.result)
        self.fixed.extend(fixed.fixed)
        self.refused.extend(fixed.refused)

    def report(self) -> Report:
        """Return the remaining findings."""
        return Report.of(self.results, self.problems)

    def tell(self) -> None:
        """Say how often each rule was fixed in each file, or is to be where nothing is written.

        What an unsafe fix is about is said, too: it may have been behind a mistake in the syntax.
        """
        did = "to be fixed" if self.shows_diff else "fixed"
        for path, group in groupby(self.fixed, attrgetter("path")):
            found = [*group]
            for rule, count in Counter(each.rule for each in found).most_common():
                note(f"{path}: {rule} {did} ({count:,})")
                same = (each for each in found if each.rule == rule)
                unsafe = [each for each in same if "safe" not in {fix.safety for fix in each.fixes}]
                for each in unsafe if len(unsafe) <= _MOST_ALIKE else ():
                    note(f"{path}: {did}: {each.message}; {each.fixes[0].message}")
        hidden = (each for result in self.results for each in result.suppressed)
        if any(each.by == "baseline" and each.finding.fixes for each in hidden):
            note("the baseline keeps what it suppresses; to fix that, too: --baseline /dev/null")

    def tell_refused(self) -> None:
        """Say why fixes were not applied; the findings say what to do by hand."""
        alike = Counter((each.finding.path, each.reason) for each in self.refused)
        for (path, reason), count in alike.items():
            note(f"{path}: {counted(count, 'finding')} not fixed: {reason}")

    def exit_code(self, code: int, *, fails_on_fix: bool, exit_zero: bool) -> int:
        """Return the exit code, by that of the remaining findings."""
        is_left = self.shows_diff or fails_on_fix  # what is shown is not fixed
        stopped = self.refused or (self.fixed and is_left)
        is_judged = code in {ExitCode.CLEAN, ExitCode.FINDINGS}
        return ExitCode.FINDINGS if is_judged and stopped and not exit_zero else code


def _fixed_file(
    workspace: Workspace, target: Target, *, unsafe: bool, writes: bool
) -> tuple[Fixed, str] | None:
    """Return the outcome for a file, and what would be changed in it; None for a clean one."""
    data = workspace.read(target)
    fixed = _fixed(workspace, target, data, unsafe=unsafe)
    if fixed.result.is_clean and not fixed.fixed:
        return None
    if writes and fixed.data != data:
        rewrite(target.path, fixed.data, data)
    return fixed, "" if writes else diff(target.name, data, fixed.data)


def _fixed(workspace: Workspace, target: Target, data: bytes, *, unsafe: bool) -> Fixed:
    lint, limits = partial(workspace.lint, target), workspace.policy(target.folder).limits
    return fix(lint, data, target.name, unsafe=unsafe, limits=limits)
