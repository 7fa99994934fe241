"""Unknown members that are almost optional ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from manifestkit.rules.messages import named
from manifestkit.rules.rule import Manifest, Rule

if TYPE_CHECKING:
    from manifestkit.model.finding import Finding


def check(rule: Rule, manifest: Manifest) -> Iterator[Finding]:
    """One finding for each; near-misses of required members belong to `missing-field`."""
    document = manifest.document
    if not manifest.look.has_unknown:
        return
    from manifestkit.rules.advice import rename_fix  # noqa: PLC0415 - clean runs go without

    for path, value, field in manifest.schema.with_unknown(document.value):
        for written, meant in manifest.renames(path, value, field).items():
            if meant not in field.required:
                at = (*path, written)
                yield rule.finding(
                    document,
                    at,
                    f"{named(written)} looks like a misspelling of {named(meant)}",
                    location=document.locate_key(at),
                    fixes=(rename_fix(manifest.editor, at, meant),),
                    suggestion=meant,
                    help=f"write {named(meant)}, if that is what you meant",
                )
