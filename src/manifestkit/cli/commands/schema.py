"""`manifest schema`: the JSON Schema of manifests."""

from __future__ import annotations

import json
from pathlib import Path

from manifestkit.cli.console import note, write_document
from manifestkit.cli.options import OF, manifest_command, option
from manifestkit.engine.workspace import Workspace
from manifestkit.files import PRINTED, create, packaged_text, posix_name, read_bytes
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.schema.draft7 import as_draft7
from manifestkit.schema.model import Schema

_DRAFTS = ("2020-12", "7")


@manifest_command(
    """
    manifest schema                                    print it
    manifest schema --output manifest.schema.json      for `$schema` or an editor's settings
    """,
    """
    0   printed or written
    2   wrong usage or configuration, or a file that cannot be read or written
    """,
)
def command(
    *,
    draft: str = option(
        "The JSON Schema draft to use; both schemas are equivalent.",
        choices=_DRAFTS,
        default=_DRAFTS[0],
    ),
    output: Path | None = option("Write the schema to this new file."),
    of: str | None = OF,
) -> None:
    """Print the JSON Schema of manifests.

    This is the schema configured in this folder, or else the built-in one; or the schema of the
    format that --of names, which may be configured in this folder.
    """
    schema, text = _meant(of)
    if draft != _DRAFTS[0]:
        text = json.dumps(as_draft7(schema.contents), indent=2, ensure_ascii=False) + "\n"
    if output is None or str(output) == "-":
        write_document(text)
        return
    create(output, text, PRINTED)
    note(f"the schema is written to {posix_name(output)}")


def _meant(of: str | None) -> tuple[Schema, str]:
    workspace = Workspace(uses_baseline=False)
    policy = workspace.policy("")
    formats = policy.formats
    row = formats.default if of is None else formats.with_id(of)
    schema = policy.of_format(row).schema
    own = row.own_schema or policy.configuration.schema
    text = read_bytes(own, DEFAULT_LIMITS.bytes).decode() if own else packaged_text(row.schema)
    return schema, text
