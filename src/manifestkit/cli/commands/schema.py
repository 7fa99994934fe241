"""`manifest schema`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.console import error, note, write_document
from manifestkit.files import is_file, read_bytes, reason_of, replacing, shown
from manifestkit.model.errors import UnreadableFileError
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.schema.draft7 import as_draft7
from manifestkit.schema.packaged import BASE_ID, base_schema_text

_DRAFTS = ("2020-12", "7")


@click.command(
    epilog="""\b
Examples:
  manifest schema                                    print it
  manifest schema --output manifest.schema.json      for `$schema` or an editor's settings
  manifest schema --draft 7 --output draft-07.json   for tools that know no newer draft

\b
Exit codes:
  0   printed or written
  2   wrong usage, or a file that cannot be written
""",
)
@click.option(
    "--draft",
    type=click.Choice(_DRAFTS),
    default=_DRAFTS[0],
    show_default=True,
    help="The draft of JSON Schema to write it in; both say the same.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write it into this file; only an earlier copy of it is replaced.",
)
def command(draft: str, output: Path | None) -> int:
    """Print the JSON Schema of a manifest.

    It is the manifest document's, whatever schema is configured.
    """
    text = base_schema_text() if draft == _DRAFTS[0] else _as_draft7_text()
    if output is None:
        write_document(text)
        return exit_codes.CLEAN
    if is_file(output) and not _is_copy(output):
        raise click.UsageError(
            f"{shown(output)} is there and is no copy of this schema; name another file"
        )
    try:
        with replacing(output) as file:
            file.write(text)
    except OSError as problem:
        error(f"{shown(output)}: cannot be written: {reason_of(problem)}")
        return exit_codes.USAGE
    note(f"the schema is written to {shown(output)}")
    return exit_codes.CLEAN


def _as_draft7_text() -> str:
    contents = json.loads(base_schema_text())
    return json.dumps(as_draft7(contents), indent=2, ensure_ascii=False) + "\n"


def _is_copy(path: Path) -> bool:
    try:
        written = json.loads(read_bytes(path, DEFAULT_LIMITS.bytes))
    except (UnreadableFileError, ValueError, RecursionError):
        return False
    identity = written.get("$id") if isinstance(written, dict) else None
    return isinstance(identity, str) and identity.startswith(BASE_ID)
