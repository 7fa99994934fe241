"""Unknown members that are almost optional ones."""

from __future__ import annotations

from collections.abc import Iterator

from manifestkit.findings.words import excerpt, named
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


def describe(manifest: Manifest, violation: Violation) -> Description:
    """Say what was probably meant."""
    from manifestkit.findings.fixes import (  # noqa: PLC0415 - clean runs go without
        moving_fix,
        rename_fix,
    )
    from manifestkit.findings.shapes import other_name  # noqa: PLC0415 - likewise
    from manifestkit.schema.suggest import full_name  # noqa: PLC0415 - likewise

    path, meant = violation.path, violation.about
    is_short = full_name(str(path[-1]), [meant]) is not None
    looks = "looks short for" if is_short else "looks like a misspelling of"
    do, fix = f"write {named(meant)}", rename_fix(path, meant)
    if is_short:
        fix = fix._replace(safety="unsafe")  # a number may be of another unit
        if other := other_name(manifest, path):
            do += f": {excerpt(other[1])}"
            fix = moving_fix(manifest, [path], (*path[:-1], meant), other[1])
    return Description(
        f"{named(path[-1])} {looks} {named(meant)}",
        f"{do}, if that is what you meant",
        meant,
        (fix,),
    )
