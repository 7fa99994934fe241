"""`manifest lint`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from manifestkit.cli.commands.lint.instead import save_baseline, show_files
from manifestkit.cli.console import progress, read_stdin, without_secrets
from manifestkit.cli.options import (
    STDIN_FILENAME,
    OptionGroup,
    RuleOptions,
    argument,
    manifest_command,
    option,
)
from manifestkit.cli.reports import ReportOptions
from manifestkit.cli.runs import left_out, nothing_to_check, summary
from manifestkit.engine.discovery import Search, Target
from manifestkit.engine.many import lint_all
from manifestkit.engine.workspace import Workspace
from manifestkit.files import is_folder
from manifestkit.model.report import STDIN, FileResult, Report

if TYPE_CHECKING:
    from manifestkit.cli.commands.lint.fixing import Fixing


class _LintOptions(OptionGroup):
    """Options that have findings fixed, or show something else than the findings, or more."""

    fix: bool = option("Apply safe fixes to the files, and show the remaining findings.")
    unsafe_fixes: bool = option(
        "With --fix or --diff: also apply fixes that remove something, add a permission or may not "
        "be what was meant."
    )
    diff: bool = option(
        "Show what --fix would change, without writing it; the remaining findings go to standard "
        "error."
    )
    exit_non_zero_on_fix: bool = option("Exit with 1 if anything is fixed (for hooks).")
    verbose: bool = option("List the skipped files, and why they are skipped.", "-v", "--verbose")
    write_baseline: Path | None = option(
        "Write the findings to this file, for use with --baseline, and exit."
    )
    show_files: bool = option("List the files to check, and exit.")


@manifest_command(
    """
    manifest lint                                      the manifests in this folder
    manifest lint app/manifest.json packages/          a file and a folder
    manifest lint site.zip                             a package before it is sent
    manifest lint --output-format json > findings.json
    manifest lint --output-format full --output-format sarif=findings.sarif
    generate | manifest lint - --stdin-filename app/manifest.json
    manifest lint --profile host.schema.json           check a host's requirements too
    manifest lint --fail-on warning
    manifest lint --baseline known.json                only what is not listed there
    manifest lint --write-baseline known.json          accept what is found now
    manifest lint --fix                                apply the safe fixes
    manifest lint --diff --unsafe-fixes                show every fix without writing it
    """,
    """
    0   no findings at or above --fail-on (after fixing, with --fix)
    1   findings at or above --fail-on, or a fix that failed; with --diff, also a fix to show
    2   wrong usage or configuration, a file that cannot be read, no manifest found
    70  a bug in manifestkit; the message says how to report it
    130 interrupted
    141 the output was closed before the end
    """,
)
def command(
    *,
    paths: tuple[str, ...] = argument(nargs=-1, path="any", metavar="[PATH|-]..."),
    reporting: ReportOptions = ReportOptions.group(),
    rules: RuleOptions = RuleOptions.group(),
    options: _LintOptions = _LintOptions.group(),
    stdin_filename: str | None = STDIN_FILENAME,
) -> int:
    """Check manifests and report each problem with its location.

    PATH is a file or a folder (default: this folder); - is standard input. A file given by name is
    always checked, and a folder even if .gitignore names it. A package (*.zip) is checked as
    `manifest deploy` checks it. In a folder, files named manifest.json, *.manifest.json and
    *.activity-provider.json (or .yaml, .yml) are checked. Untracked files that .gitignore excludes
    there, and manifests of another kind, such as a web app's, are skipped.
    """
    names = paths or (".",)
    if stdin_filename and "-" not in names:
        raise click.UsageError("--stdin-filename names standard input: write `-` too, to read it")
    files = tuple(Path(without_secrets(path)) for path in names if path != "-")
    stdin_name = (stdin_filename or STDIN) if "-" in names else None
    # What a baseline hides is written too.
    workspace = Workspace(rules.options(), uses_baseline=options.write_baseline is None)
    run = _LintRun(workspace, files, stdin_name, reporting, rules, options)
    reporting.check()
    fixing = options.fix or options.diff
    if (options.write_baseline or options.show_files) and (fixing or reporting.to_files):
        raise click.UsageError(
            "--write-baseline and --show-files cannot be combined with --fix, --diff or an output "
            "file"
        )
    if (options.write_baseline or fixing) and any(map(_is_package, files)):
        raise click.UsageError(
            "a package is only checked: for a fix or a baseline, name the folder that it is made of"
        )
    if fixing and stdin_name and files:
        raise click.UsageError("with --fix or --diff, - cannot be combined with files")
    return run.fix() if fixing else run.lint()


class _LintRun(NamedTuple):
    """One call of the command: what it reads, its options, and the steps that they ask for."""

    workspace: Workspace
    files: tuple[Path, ...]
    stdin_name: str | None
    reporting: ReportOptions
    rules: RuleOptions
    options: _LintOptions

    def lint(self) -> int:
        workspace, reporting, options = self.workspace, self.reporting, self.options
        found = workspace.find(self.files)
        targets: Iterable[Target] = found
        if reporting.to_files:  # known before one of them could be written over
            targets = [*found]
            reporting.check([each.path for each in targets])
        report = workspace.with_unused(self._checked(targets), found)
        if options.show_files:
            return show_files(report, found)
        reporting.check(workspace.inputs())
        code = None
        if options.write_baseline is not None:
            code = save_baseline(options.write_baseline, report)
        return self._report(report, found) if code is None else code

    def _checked(self, found: Iterable[Target]) -> Report:
        workspace, options = self.workspace, self.options
        only_verdict = bool(options.show_files or options.write_baseline)
        others: list[tuple[Target, str, Any]] = []
        if named := set(filter(_is_package, self.files)):
            from manifestkit.publish.gate import lint_package  # noqa: PLC0415 - most runs have none

            every = list(found)
            packages = [each for each in every if each.path in named]
            found = [each for each in every if each not in packages]
            others += ((each, "", partial(lint_package, workspace)) for each in packages)
        if self.stdin_name:
            target = Target(self.stdin_name, found=False)
            lint_stdin = partial(self._lint_stdin, only_verdict=only_verdict)
            others.append((target, target.folder, lint_stdin))
        keeps_text = self.reporting.shows_text(sys.stdout)
        with progress(found) as taken:
            return lint_all(
                workspace, taken, others, only_verdict=only_verdict, keep_text=keeps_text
            )

    def _lint_stdin(self, target: Target, *, only_verdict: bool) -> list[FileResult]:
        """Return the result of standard input under a name; none where that is excluded."""
        workspace = self.workspace
        data = read_stdin(workspace.most_bytes(target), target.name)
        if workspace.excluded(target):
            return []
        decoded = workspace.decode(data, target.name, target.folder)
        return [workspace.lint(target, decoded, only_verdict=only_verdict)]

    def fix(self) -> int:
        from manifestkit.cli.commands.lint.fixing import Fixing  # noqa: PLC0415 - most runs fix nothing

        workspace, options = self.workspace, self.options
        found = workspace.find(self.files)
        files = sorted(found)
        # What would stop the run when it has changed files already stops it now.
        for folder in {each.folder for each in files}:
            workspace.policy(folder)
        if self.stdin_name:
            workspace.most_bytes(Target(self.stdin_name, found=False))
        read = [*(each.path for each in files), *workspace.inputs()]
        self.reporting.check(read)
        fixing = Fixing(workspace, options.unsafe_fixes, options.diff)
        if self.stdin_name:
            fixing.stdin(self.stdin_name)
        else:
            fixing.files(files)
        code = self._report(workspace.with_unused(fixing.report(), found), found, fixing)
        fixing.tell_refused()
        if not self.reporting.quiet:
            fixing.tell()
        fails_on_fix = options.exit_non_zero_on_fix
        return fixing.exit_code(code, fails_on_fix=fails_on_fix, exit_zero=self.reporting.exit_zero)

    def _report(self, report: Report, found: Search, fixing: Fixing | None = None) -> int:
        has_text = fixing and (self.stdin_name or self.options.diff)  # on standard output
        stream, reporting = sys.stderr if has_text else sys.stdout, self.reporting
        is_excluded = found.excluded or self.stdin_name
        skipped = {each.path: each.skipped for each in report.results if each.skipped}
        is_left_out = self.rules.force_exclude and (is_excluded or skipped)
        line = summary(
            report,
            len(fixing.fixed) if fixing else None,
            [each.finding for each in fixing.refused] if fixing else (),
            is_done=not self.options.diff,
            schema=self.rules.schema,
        )
        is_nothing = not (report.errors or line or is_left_out)
        notes = left_out(
            found,
            report if self.options.verbose else None,
            quiet=reporting.quiet,
            is_told=is_nothing and not skipped,
        )
        if is_nothing:
            why = nothing_to_check(found, skipped)
            return reporting.finish(report, stream, why, notes=notes, unchecked=self.files)
        return reporting.finish(report, stream, line, notes=notes)


def _is_package(path: Path) -> bool:
    return path.suffix.lower() == ".zip" and not is_folder(path)
