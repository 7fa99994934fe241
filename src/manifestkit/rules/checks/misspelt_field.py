"""Unknown members that are almost optional ones, or other names of them."""

from __future__ import annotations

from collections.abc import Iterator

from manifestkit.findings.words import label, member_excerpt, named, place_of
from manifestkit.model.finding import Description
from manifestkit.model.pointer import Path
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each; near-misses of required members belong to `missing-field`."""
    for path, members, field in manifest.with_unknown():
        renames = manifest.renames(path)
        for written, meant in renames.items():
            if meant not in field.required:
                yield rule.violation((*path, written), meant, on_key=True)
        if all(each in field.members or each.startswith(("x-", "$")) for each in members):
            continue
        from manifestkit.findings.elsewhere import strays  # noqa: PLC0415 - clean runs go without

        for written in strays(manifest, path):
            if written not in renames:
                yield rule.violation((*path, written), on_key=True)


def describe(manifest: Manifest, violation: Violation) -> Description:
    """Say what was probably meant."""
    from manifestkit.findings.elsewhere import strays  # noqa: PLC0415 - clean runs go without
    from manifestkit.findings.fixes import moving_fix, rename_fix  # noqa: PLC0415 - likewise
    from manifestkit.findings.readings import ShapeReader  # noqa: PLC0415 - likewise
    from manifestkit.schema.suggest import full_name  # noqa: PLC0415 - likewise

    path, meant = violation.path, violation.about
    here, written, old = path[:-1], str(path[-1]), manifest.document.value_at(path)
    if meant is None:
        target, value = strays(manifest, here)[written]
        if target[:-1] != here:
            return _describe_misplaced(path, target)
        said = f"{named(written)} looks like another name for {named(target[-1])}"
    else:
        target = (*here, meant)
        reading = ShapeReader(manifest).move(path, target)
        value = reading.value if reading else old
        is_short = full_name(written, [meant]) is not None
        looks = "looks short for" if is_short else "looks like a misspelling of"
        said = f"{named(written)} {looks} {named(meant)}"
        if value == old:
            fix = rename_fix(manifest, path, meant)
            if is_short:
                fix = fix._replace(safety="unsafe")  # a number may be of another unit
            do = f"write {named(meant)}, if that is what you meant"
            return Description(said, do, meant, (fix,))
    do = f"write {member_excerpt(str(target[-1]), value)}, if that is what you meant"
    return Description(said, do, meant, (moving_fix(manifest, [path], target, value),))


def _describe_misplaced(path: Path, target: Path) -> Description:
    owner = target[:-1]
    is_item = owner[-1:] == (0,)
    where = f"in the items of {label(owner[:-1])}" if is_item else place_of(owner)
    message = f"{named(path[-1])} belongs {where}, not {place_of(path[:-1])}"
    return Description(message, f"write it {where}, and remove it here")
