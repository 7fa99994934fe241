"""Unknown members that are almost optional ones."""

from collections.abc import Iterator, Mapping
from typing import Any

from manifestkit.findings.words import meaning, member_excerpt, named
from manifestkit.model.finding import Description
from manifestkit.model.pointer import Path
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.model import Field


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each; near-misses of required members belong to `missing-field`."""
    for path, members, field in manifest.with_unknown():
        for written, meant in meant_members(manifest, path, members).items():
            if meant not in field.required:
                yield rule.violation((*path, written), meant, on_key=True)


def meant_members(manifest: Manifest, path: Path, members: Mapping[str, Any]) -> dict[str, str]:
    """Return the unknown members of an object that were probably meant as known ones.

    Those are misspelt ones, and whole counts of another unit of time: `duration_seconds`.
    """
    from manifestkit.findings.durations import is_in_another_unit, unit_of  # noqa: PLC0415 - rare
    from manifestkit.findings.readings import ShapeReader  # noqa: PLC0415 - likewise

    found, field = dict(manifest.renames(path)), manifest.schema.field(path) or Field()
    unknown = [name for name in members if name not in field.members]
    counts = [name for name in unknown if type(members[name]) is int and unit_of(name)]
    if not counts:
        return found
    reader = ShapeReader(manifest)
    for written, meant in reader.known_by(manifest.schema, path, counts).items():
        at, is_free = (*path, written), meant not in {*found.values(), *members}
        is_ours = is_free and not any(each.field(at) for each in manifest.profiles)
        is_other = is_ours and is_in_another_unit(members[written], written, meant)
        if is_other and reader.move(at, (*path, meant)):  # else it may not be a whole number
            found.setdefault(written, meant)
    return found


def describe(manifest: Manifest, violation: Violation) -> Description:
    """Say what was probably meant."""
    from manifestkit.findings.durations import is_in_another_unit  # noqa: PLC0415 - rarely needed
    from manifestkit.findings.fixes import moving_fix, rename_fix  # noqa: PLC0415 - likewise
    from manifestkit.findings.readings import ShapeReader  # noqa: PLC0415 - likewise
    from manifestkit.schema.suggest import full_name  # noqa: PLC0415 - likewise

    path, meant = violation.path, violation.about
    written, old, target = str(path[-1]), manifest.document.value_at(path), (*path[:-1], meant)
    reading = ShapeReader(manifest).move(path, target)
    is_short = full_name(written, [meant]) is not None
    looks = "looks short for" if is_short else "looks like a misspelling of"
    said = f"{named(written)} {looks} {named(meant)}"
    if is_in_another_unit(old, written, meant):
        said = f"hosts ignore {named(written)}: the format has {named(meant)}"
    if reading is not None and reading.value != old:
        do = f"write {member_excerpt(meant, reading.value)}, if that is what you meant"
        return Description(said, do, meant, (moving_fix(manifest, [path], target, reading.value),))
    fix = rename_fix(manifest, path, meant)
    if is_short:
        fix = fix._replace(safety="unsafe")  # a number may be of another unit
    field, do = manifest.schema.field(target) or Field(), f"write {named(meant)}"
    if reading is None and field.examples and (purpose := meaning(field)):
        do = f"write a value such as {member_excerpt(meant, field.examples[0])} ({purpose})"
    return Description(said, f"{do}, if that is what you meant", meant, (fix,))
