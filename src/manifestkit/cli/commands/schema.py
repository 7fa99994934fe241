"""`manifest schema`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from manifestkit.cli.console import note, write_document, write_file
from manifestkit.cli.inputs import format_named, policy_here, schema_files_here
from manifestkit.cli.options import FILE, OF, Choice
from manifestkit.files import is_file, posix_name, read_bytes
from manifestkit.model.errors import UnreadableFileError
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.schema.draft7 import as_draft7
from manifestkit.schema.packaged import packaged_text

_DRAFTS = ("2020-12", "7")


@click.command(
    epilog="""\b
Examples:
  manifest schema                                    print it
  manifest schema --output manifest.schema.json      for `$schema` or an editor's settings
  manifest schema --draft 7 --output draft-07.json   for tools without newer drafts

\b
Exit codes:
  0   printed or written
  2   wrong usage, or a file that cannot be written
""",
)
@click.option(
    "--draft",
    type=Choice(_DRAFTS),
    default=_DRAFTS[0],
    show_default=True,
    help="The JSON Schema draft to use; both schemas are equivalent.",
)
@click.option(
    "--output",
    help="Write the schema to this file. An existing file is replaced only if it is an earlier "
    "copy.",
    **FILE,
)
@OF
def command(draft: str, output: Path | None, of: str | None) -> None:
    """Print the JSON Schema of manifests.

    This is the schema configured in this folder, or else the built-in one; or the schema of the
    format that --of names, which may be configured in this folder.
    """
    text, contents = _meant(of)
    if draft != _DRAFTS[0]:
        text = json.dumps(as_draft7(contents), indent=2, ensure_ascii=False) + "\n"
    if output is None:
        write_document(text)
        return
    if is_file(output) and not _is_copy(output, contents):
        raise click.UsageError(
            f"{posix_name(output)} exists and is not a copy of this schema; choose another file"
        )
    write_file(output, text)
    note(f"the schema is written to {posix_name(output)}")


def _meant(of: str | None) -> tuple[str, Any]:
    """Return the text of the schema that is meant, and the schema."""
    policy = policy_here()
    row = policy.formats.default if of is None else format_named(policy.formats, of)
    schema = policy.of_format(row).schema
    own = next(file for each, file in schema_files_here() if each.id == row.id)
    text = read_bytes(own, DEFAULT_LIMITS.bytes).decode() if own else packaged_text(row.schema)
    return text, schema.contents


def _is_copy(path: Path, contents: Any) -> bool:
    """Return whether a file has a version of a schema, by the start of its ``$id``."""
    try:
        written = json.loads(read_bytes(path, DEFAULT_LIMITS.bytes))
    except (UnreadableFileError, ValueError, RecursionError):
        return False
    found, own = (
        each.get("$id") if isinstance(each, dict) else None for each in (written, contents)
    )
    return isinstance(found, str) and isinstance(own, str) and found.startswith(own)
