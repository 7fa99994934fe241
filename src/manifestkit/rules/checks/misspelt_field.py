"""Unknown members that are almost optional ones."""

from collections.abc import Iterator

from manifestkit.findings.words import member_excerpt, named
from manifestkit.model.finding import Description
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each; near-misses of required members belong to `missing-field`."""
    for path, _, field in manifest.with_unknown():
        for written, meant in manifest.renames(path).items():
            if meant not in field.required:
                yield rule.violation((*path, written), meant, on_key=True)


def describe(manifest: Manifest, violation: Violation) -> Description:
    """Say what was probably meant."""
    from manifestkit.findings.fixes import moving_fix, rename_fix  # noqa: PLC0415 - rarely needed
    from manifestkit.findings.readings import ShapeReader  # noqa: PLC0415 - likewise
    from manifestkit.schema.suggest import full_name  # noqa: PLC0415 - likewise

    path, meant = violation.path, violation.about
    written, old, target = str(path[-1]), manifest.document.value_at(path), (*path[:-1], meant)
    reading = ShapeReader(manifest).move(path, target)
    is_short = full_name(written, [meant]) is not None
    looks = "looks short for" if is_short else "looks like a misspelling of"
    said = f"{named(written)} {looks} {named(meant)}"
    if reading is not None and reading.value != old:
        do = f"write {member_excerpt(meant, reading.value)}, if that is what you meant"
        return Description(said, do, meant, (moving_fix(manifest, [path], target, reading.value),))
    fix = rename_fix(manifest, path, meant)
    if is_short:
        fix = fix._replace(safety="unsafe")  # a number may be of another unit
    return Description(said, f"write {named(meant)}, if that is what you meant", meant, (fix,))
