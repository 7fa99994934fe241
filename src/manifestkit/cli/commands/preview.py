"""`manifest preview`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from manifestkit.changes.compare import compare
from manifestkit.cli.console import note, show, style_for
from manifestkit.cli.inputs import read_manifest
from manifestkit.cli.options import STDIN_FILENAME, RuleOptions, argument, manifest_command, option
from manifestkit.cli.reports import ReportOptions, check_outputs
from manifestkit.engine.workspace import Workspace
from manifestkit.files import is_folder, is_there, posix_name, replacing
from manifestkit.model.document import SUFFIXES
from manifestkit.model.errors import ConfigurationError, UnreadableFileError
from manifestkit.model.report import STDIN
from manifestkit.rendering import FORMATS
from manifestkit.rendering.escape import as_typed
from manifestkit.rendering.preview import Preview


@manifest_command(
    """
    manifest preview                                       the only manifest here
    manifest preview app/manifest.json --output preview.html
    manifest preview manifest.json --against published.json
    manifest preview manifest.json --profile host.schema.json
    """,
    """
    0   shown, with or without findings
    2   wrong usage or configuration, or a file that cannot be read or written
    70  a bug in manifestkit; the message says how to report it
    130 interrupted
    141 the output was closed before the end
    """,
)
def command(
    *,
    manifest: Path | None = argument(required=False, metavar="[FILE|-]"),
    output: Path | None = option(
        "Write a page of HTML to this file, instead of text to the terminal; - prints it. An "
        "existing file is replaced unless it is read.",
        "-o",
        "--output",
    ),
    against: Path | None = option(
        "Also show what changed since this manifest, and whether users must consent again.",
        metavar="OLD",
    ),
    rules: RuleOptions = RuleOptions.group("schema", "profile", "config", "isolated"),
    stdin_filename: str | None = STDIN_FILENAME,
    reporting: ReportOptions = ReportOptions.group("color"),
) -> None:
    """Show a manifest as a host's reviewer sees it.

    It shows the provider, its activities, what users consent to, the capabilities and the findings.
    Pictures are never loaded: their addresses are shown. FILE (default: the only manifest in
    this folder) or OLD can be -, standard input.
    """
    if str(manifest) == str(against) == "-":
        raise click.UsageError("only one of the two manifests can be -, standard input")
    if str(output) in FORMATS:
        raise click.UsageError(f"`{output}` is a format, and `--output` a file")
    workspace = Workspace(rules.options())
    is_printed = str(output) == "-"
    page_to = [output] if output and not is_printed else []
    if manifest is not None and is_folder(manifest):
        do = "preview shows a manifest, not a site: name that file"
        raise ConfigurationError(f"{posix_name(manifest)}: is a folder; {do}")
    read = read_manifest(workspace, manifest, stdin_filename, without=against)
    check_outputs(page_to, [read.target.path, *([against] if against else [])])
    target, decoded = read.target, read.decoded
    document = decoded.require_readable(target.name)
    result = workspace.lint(target, decoded)
    policy = workspace.policy(target.folder)
    requirements = policy.requirements(document)
    old_name, compared = "", None
    if against:
        _check_file(against, target.name)
        # What is piped is in the syntax of the other.
        old = read_manifest(workspace, against, target.name)
        old_name = STDIN if old.is_piped else old.target.name
        old.decoded.require_readable(old_name)
        compared = compare(policy, old.decoded, decoded, old_name, target.name)
    of = requirements.schema, requirements.profiles
    seen = Preview.of(document, *of, result, old_name, compared)
    check_outputs(page_to, workspace.inputs())
    if output is None:
        style = style_for(sys.stdout, reporting.color)
        show("".join(seen.text(style)), color=style.color)
        return
    from manifestkit.rendering.html import render_preview  # noqa: PLC0415 - for a page only

    page = render_preview(seen)
    if is_printed:
        show(page, color=False)
        return
    with replacing(output) as file:
        file.write(page)
    is_named = output.suffix.lower() in {".html", ".htm"}
    note(f"{output} is written{'' if is_named else ', as HTML: give it a name that ends in .html'}")


def _check_file(old: Path, new: str) -> None:
    """Refuse what may be a revision of git."""
    ref = str(old).partition(":")[0]
    if ref[1:] and not ref.endswith(SUFFIXES) and not is_there(old):
        name, there = as_typed(new), as_typed(f"{ref}:./{new}")
        diff = as_typed("manifest", "diff", "--base", ref, new)
        piped = f"`git show {there} | manifest preview {name} --against -`"
        do = f"for a revision in git, run {piped}, or run `{diff}`"
        raise UnreadableFileError(str(old), f"no such file; {do}")
