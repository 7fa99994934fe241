"""Unknown members that are almost optional ones."""

from __future__ import annotations

from collections.abc import Iterator

from manifestkit.findings.messages import named
from manifestkit.model.finding import Description
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each; near-misses of required members belong to `missing-field`."""
    for path, field in manifest.with_unknown():
        for written, meant in manifest.renames(path).items():
            if meant not in field.required:
                yield rule.violation((*path, written), meant, on_key=True)


def describe(_: Manifest, violation: Violation) -> Description:
    """Say what was probably meant."""
    from manifestkit.findings.fixes import rename_fix  # noqa: PLC0415 - clean runs go without

    path, meant = violation.path, violation.about
    return Description(
        f"{named(path[-1])} looks like a misspelling of {named(meant)}",
        f"write {named(meant)}, if that is what you meant",
        meant,
        (rename_fix(path, meant),),
    )
