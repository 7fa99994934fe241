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
    for path, value, field in manifest.with_unknown():
        for written, meant in manifest.renames(path, value, field).items():
            if meant not in field.required:
                from manifestkit.rules.advice import rename_fix  # noqa: PLC0415 - clean runs

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
