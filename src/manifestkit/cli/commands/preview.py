"""`manifest preview`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from manifestkit.changes.pairs import comparer
from manifestkit.cli import exit_codes
from manifestkit.cli.console import error, note, read_stdin, show, style_for
from manifestkit.cli.default_file import only_manifest
from manifestkit.cli.options import RuleOptions, option_group
from manifestkit.cli.output import Output, check_targets, refuse_overwriting
from manifestkit.cli.parameters import STDIN_PATH, Choice, FilePath
from manifestkit.engine import STDIN, Decoded, Target, Workspace
from manifestkit.files import posix_name, read_bytes, reason_of, replacing
from manifestkit.model.errors import UnreadableFileError
from manifestkit.rendering.preview import Preview, preview
from manifestkit.rendering.preview.text import as_text


@click.command(
    epilog="""\b
Examples:
  manifest preview                                       the only manifest here
  manifest preview app/manifest.json --output preview.html
  manifest preview manifest.json --against published.json
  manifest preview manifest.json --profile host.schema.json

\b
Exit codes:
  0   shown, with or without findings
  2   wrong usage or configuration, or a manifest that cannot be read
  70  a bug in manifestkit; the message says how to report it
  130 interrupted
  141 the output was closed before the end
""",
)
@click.argument("manifest", required=False, type=FilePath(path_type=Path), metavar="[FILE|-]")
@click.option(
    "-o",
    "--output",
    type=FilePath(path_type=Path),
    metavar="FILE",
    help="Write a page of HTML to this file, instead of text to the terminal; - prints it.",
)
@click.option(
    "--against",
    type=FilePath(path_type=Path),
    metavar="OLD",
    help="Also show what changed since this manifest, and whether people have to agree again.",
)
@option_group("rules", RuleOptions, "schema", "profile", "config")
@click.option(
    "--stdin-filename",
    metavar="NAME",
    help="The file name for standard input; its suffix selects the syntax.",
)
@click.option(
    "--color",
    type=Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="When to use colours.",
)
def command(
    manifest: Path | None,
    output: Path | None,
    against: Path | None,
    rules: RuleOptions,
    stdin_filename: str | None,
    color: str,
) -> int:
    """Show a manifest as a host's reviewer sees it.

    That is the provider, its activities, what people agree to, the capabilities, and the findings.
    Pictures are never loaded: their addresses are shown. FILE (default: the only manifest in
    this folder) or OLD can be -, standard input.
    """
    workspace = Workspace(rules.options())
    if manifest is None:
        manifest = only_manifest(workspace, without=against).target.path
    if str(manifest) == str(against) == STDIN_PATH:
        raise click.UsageError("only one of the two manifests can be -, standard input")
    is_printed = str(output) == STDIN_PATH
    page_to = (Output("html", output),) if output and not is_printed else ()
    check_targets(page_to)
    refuse_overwriting(page_to, [manifest, *([against] if against else [])])
    seen = _seen(workspace, manifest, against, stdin_filename or STDIN)
    refuse_overwriting(page_to, workspace.inputs())
    if output is None:
        style = style_for(sys.stdout, color)
        show("".join(as_text(seen, style)), color=style.color)
        return exit_codes.CLEAN
    from manifestkit.rendering.preview.html import as_html  # noqa: PLC0415 - for a page only

    page = "".join(as_html(seen))
    if is_printed:
        show(page, color=False)
        return exit_codes.CLEAN
    try:
        with replacing(output) as file:
            file.write(page)
    except OSError as problem:
        error(f"{output}: cannot be written: {reason_of(problem)}")
        return exit_codes.USAGE
    note(f"{output} is written")
    return exit_codes.CLEAN


def _seen(workspace: Workspace, manifest: Path, against: Path | None, stdin_name: str) -> Preview:
    """Return the preview of a manifest.

    Raises:
        UnreadableFileError: it cannot be read, or the one that it is compared with.
        ConfigurationError: a configuration file, a schema or a baseline cannot be used.
    """
    if str(manifest) == STDIN_PATH:
        name, folder = stdin_name, ""
        decoded = _readable(workspace.decode(read_stdin(workspace.limits("").bytes), name))
        result = workspace.lint_stdin(decoded)
    else:
        target = Target(posix_name(manifest), found=False)
        name, folder = target.name, target.folder
        decoded = _readable(workspace.decode(workspace.read(target), name, folder))
        result = workspace.lint(target, decoded)
    requirements = workspace.policy(folder).requirements(decoded.document)
    seen = preview(decoded.document, requirements.schema, requirements.profiles, result)
    if against is None:
        return seen
    is_piped, most = str(against) == STDIN_PATH, workspace.limits(folder).bytes
    old_name = STDIN if is_piped else posix_name(against)
    data = read_stdin(most) if is_piped else read_bytes(old_name, most)
    old = _readable(workspace.decode(data, name if is_piped else old_name, folder))
    compared = comparer(workspace, folder).compare(old, decoded, old_name, name)
    return seen.against(old_name, compared, requirements.schema)


def _readable(decoded: Decoded) -> Decoded:
    """Return the document, if it is one value.

    Raises:
        UnreadableFileError: it is not.
    """
    if decoded.readable:
        return decoded
    first = decoded.findings[0]
    place = f"line {first.location.line}, column {first.location.column}"
    raise UnreadableFileError(first.path, f"cannot be read: {first.message} ({place})")
