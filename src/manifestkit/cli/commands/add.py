"""`manifest add`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from manifestkit.authoring.changes import Change, addition, kinds
from manifestkit.cli.configured import schemas_here
from manifestkit.cli.console import completed
from manifestkit.cli.editing import EXIT_CODES, FILE, FORCE, change_file
from manifestkit.model.document import Document
from manifestkit.schema.model import Schema

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class _Kind(click.ParamType):  # type: ignore[type-arg]  # generic only since click 8.4
    """What one item of a list of the manifest is called."""

    name = "kind"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The kinds that start so."""
        del ctx, param
        known = (kind for schema in schemas_here() for kind in kinds(schema))
        return completed(dict.fromkeys(known), incomplete)


class _Item(click.ParamType):  # type: ignore[type-arg]  # likewise
    """An item for a list of the manifest."""

    name = "value"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The values of the list that start so."""
        del param
        kind = ctx.params.get("kind", "")
        fields = [each.field((kinds(each).get(kind, ""), 0)) for each in schemas_here()]
        values = [pair for field in fields if field for pair in field.values]
        return completed({str(value): meaning for value, meaning in values}, incomplete)


@click.command(
    epilog="""\b
Examples:
  manifest add activity box="Box breathing"      to the one manifest here
  manifest add permission host.timer app/manifest.yaml
  manifest add capability host.timer.start

"""
    + EXIT_CODES,
)
@click.argument("kind", type=_Kind(), metavar="KIND")
@click.argument("value", type=_Item(), metavar="VALUE|ID=NAME")
@FILE
@FORCE
def command(
    kind: str,
    value: str,
    file: Path | None,
    force: bool,  # noqa: FBT001 - click's signature
) -> int:
    """Add an activity, a permission or a capability.

    KIND is activity, permission or capability; an activity is written ID=NAME. Nothing else in FILE
    (default: the one manifest in this folder) is touched.
    """

    def plan(document: Document, schema: Schema) -> Change:
        if kind not in kinds(schema):
            known = ", ".join(kinds(schema))
            raise click.UsageError(f"{kind!r} is none of {known}")
        return addition(document, schema, kind, value)

    return change_file(file, plan, force=force)
