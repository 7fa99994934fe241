"""`manifest convert`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from manifestkit.authoring.convert import converted, obstacles
from manifestkit.authoring.convert.source import Syntax, comments, first_comment
from manifestkit.authoring.text import SUFFIXES, syntax_of
from manifestkit.cli import exit_codes
from manifestkit.cli.console import error, note, read_stdin, say, style_for
from manifestkit.cli.output import summary
from manifestkit.cli.parameters import STDIN_PATH, Choice, FilePath
from manifestkit.decode import Decoded
from manifestkit.engine import STDIN, FileResult, Options, Report, Workspace
from manifestkit.engine.discovery import Target
from manifestkit.files import create, posix_name, reason_of
from manifestkit.findings.messages import counted
from manifestkit.model.document import Document
from manifestkit.model.errors import ConfigurationError, EditRefusedError
from manifestkit.model.report import BY_COMMENT
from manifestkit.rendering import FORMATS


@click.command(
    epilog="""\b
Examples:
  manifest convert manifest.json --to yaml               print it as YAML
  manifest convert manifest.yaml --output manifest.json  write a new file
  manifest convert manifest.yaml --to yaml               one style, without anchors
  generate | manifest convert - --to yaml                standard input to standard output

\b
Exit codes:
  0   printed or written
  1   the manifest cannot be read, or cannot be written in that syntax; nothing is written
  2   wrong usage or configuration, a file that cannot be read or written, or that exists already
""",
)
@click.argument("file", type=FilePath(readable=False), metavar="FILE|-")
@click.option(
    "--to",
    "syntax",
    type=Choice(["json", "yaml"]),
    help="Syntax of the output.  [default: from the suffix of --output]",
)
@click.option(
    "--output",
    type=FilePath(path_type=Path),
    metavar="FILE|-",
    help="Write to this new file; - is standard output.  [default: -]",
)
@click.option(
    "--stdin-filename",
    metavar="NAME",
    help="The file name for standard input; its suffix selects the syntax.",
)
def command(
    file: str, syntax: Syntax | None, output: Path | None, stdin_filename: str | None
) -> int:
    """Convert a manifest to JSON or YAML.

    Values, the order of members and the spelling of numbers are kept. FILE does not change, and no
    file is overwritten. YAML is written in block style, without anchors and tags, so that readers
    of YAML 1.1 and 1.2 agree. Comments are kept in YAML and lost in JSON.
    """
    target = None if output is None or str(output) == STDIN_PATH else output
    to = _syntax(target, syntax)
    workspace = Workspace(Options())
    is_piped = file == STDIN_PATH
    source = Target(stdin_filename or STDIN if is_piped else posix_name(file), found=False)
    folder = "" if is_piped else source.folder
    limits = workspace.limits(folder)
    data = read_stdin(limits.bytes) if is_piped else workspace.read(source)
    decoded = workspace.decode(data, source.name, folder)
    found = obstacles(decoded, to)
    if found:
        _report(FileResult(source.name, found, decoded.document.text))
        return exit_codes.FINDINGS
    try:
        written = converted(decoded.document, to, limits)
    except EditRefusedError as problem:
        error(f"{source.name}: not converted: {problem}")
        return exit_codes.FINDINGS
    if comments(decoded.document):
        if to == "json":
            _report_lost(decoded.document)
        back = Target(f"{folder}manifest.{to}", found=False)
        _report_restored(workspace, source, decoded, back, written)
    return _write(target, written.text)


def _syntax(target: Path | None, wanted: Syntax | None) -> Syntax:
    if wanted is None and (target is None or target.suffix.lower() not in SUFFIXES):
        raise click.UsageError("use --to json or --to yaml")
    to = syntax_of(target, wanted)
    if target is not None and os.path.lexists(target):
        raise ConfigurationError(
            f"{posix_name(target)} exists already; choose another file, or remove it"
        )
    return to


def _report(result: FileResult) -> None:
    """Say on standard error what `lint` says of it."""
    style = style_for(sys.stderr, "auto")
    form = FORMATS["full" if sys.stderr.isatty() else "concise"]
    report = Report.of([result])
    click.echo("".join(form(report, style)), err=True, nl=False, color=style.color)
    say(summary(report))


def _report_lost(document: Document) -> None:
    """Say which comments have no place in JSON."""
    lost = counted(len(comments(document)), "comment is lost", "comments are lost")
    line = f"the first on line {first_comment(document):,}"
    note(f"{document.name}: {lost}, {line}: JSON has no comments")


def _report_restored(
    workspace: Workspace, source: Target, decoded: Decoded, target: Target, written: Document
) -> None:
    """Say which findings are suppressed by comments, and would not be any more."""
    before = workspace.lint(source, decoded)
    after = workspace.lint(target, Decoded(written.as_of(name=target.name)))
    shown_then = {(each.rule, each.pointer) for each in after.findings}
    back = [
        each.finding
        for each in before.suppressed
        if each.by == BY_COMMENT and (each.finding.rule, each.finding.pointer) in shown_then
    ]
    if back:
        count = counted(
            len(back),
            "suppressed finding is reported again",
            "suppressed findings are reported again",
        )
        first = f"the first is `{back[0].rule}` at `{back[0].pointer}`"
        note(f"{source.name}: {count}, {first}: suppress it in the configuration")


def _write(target: Path | None, text: str) -> int:
    if target is None:
        sys.stdout.buffer.write(text.encode())
        return exit_codes.CLEAN
    try:
        create(target, text)
    except OSError as problem:
        error(f"{posix_name(target)}: cannot be written: {reason_of(problem)}")
        return exit_codes.USAGE
    note(f"{posix_name(target)} is written")
    return exit_codes.CLEAN
