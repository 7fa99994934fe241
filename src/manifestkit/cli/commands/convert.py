"""`manifest convert`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from manifestkit.authoring.convert import convert
from manifestkit.authoring.text import syntax_of
from manifestkit.cli.console import error, note, say
from manifestkit.cli.exit_codes import ExitCode
from manifestkit.cli.inputs import name_advice, read_manifest
from manifestkit.cli.options import STDIN_FILENAME, argument, manifest_command, option
from manifestkit.cli.runs import show_findings, summary
from manifestkit.edits.layout import comments
from manifestkit.engine.workspace import Workspace
from manifestkit.files import PRINTED, create, posix_name
from manifestkit.model.document import SUFFIXES, Syntax
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.report import FileResult, Report


@manifest_command(
    """
    manifest convert --to yaml                             print the only manifest here as YAML
    manifest convert manifest.yaml --output manifest.json  write a new file
    manifest convert manifest.yaml --to yaml               one style, without anchors
    generate | manifest convert - --to yaml                standard input to standard output
    """,
    """
    0   printed or written
    1   the manifest cannot be read, or cannot be written in that syntax; nothing is written
    2   wrong usage or configuration, or a file that cannot be read or written
    """,
)
def command(
    *,
    file: str | None = argument(path="any", required=False, metavar="[FILE|-]"),
    syntax: Syntax | None = option(
        "Syntax of the output.  [default: from the suffix of --output]",
        "--to",
        choices=["json", "yaml"],
    ),
    output: Path | None = option(
        "Write to this new file; - is standard output.  [default: -]",
        "-o",
        "--output",
        metavar="FILE|-",
    ),
    stdin_filename: str | None = STDIN_FILENAME,
) -> int:
    """Convert a manifest to JSON or YAML.

    Values and the order of members are kept. FILE (default: the only manifest in this folder) does
    not change, and no file is overwritten. YAML is written in block style, without anchors and
    tags, so that readers of YAML 1.1 and 1.2 agree. Comments are not copied.
    """
    target = None if output is None or str(output) == "-" else output
    workspace = Workspace(uses_baseline=False)
    read = read_manifest(workspace, file, stdin_filename)
    decoded, name = read.decoded, read.target.name
    to = _syntax(target, syntax)
    if found := decoded.findings:
        result = FileResult(name, found, decoded.document.text, is_unread=not decoded.readable)
        show_findings(report := Report.of([result]))
        say(summary(report))
        error(f"{name}: not converted: fix {'these' if len(found) > 1 else 'this'} first")
        return ExitCode.FINDINGS
    try:
        converted = convert(decoded.document, to, workspace.policy(read.target.folder).limits)
    except EditRefusedError as problem:
        error(f"{name}: not converted: {problem}")
        return ExitCode.FINDINGS
    if any(comments(decoded.document)):
        note(f"{name}: its comments are left behind")
    text = converted.text
    if target is None:
        sys.stdout.buffer.write(text.encode())
        return ExitCode.CLEAN
    create(target, text, PRINTED)
    note(f"{posix_name(target)} is written{name_advice(workspace, target)}")
    return ExitCode.CLEAN


def _syntax(target: Path | None, wanted: Syntax | None) -> Syntax:
    if wanted is None and (target is None or target.suffix.lower() not in SUFFIXES):
        raise click.UsageError("no syntax given: add --to json or --to yaml")
    return syntax_of(target, wanted)
