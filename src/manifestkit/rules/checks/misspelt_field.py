"""Unknown members that are almost optional ones, or stand for known ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from manifestkit.findings.words import excerpt, label, member_excerpt, named, place_of
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

        for written, stray in strays(manifest, path).items():
            if stray.is_sure and written not in renames:
                yield rule.violation((*path, written), on_key=True)


def describe(manifest: Manifest, violation: Violation) -> Description:
    """Say what was probably meant."""
    from manifestkit.findings.elsewhere import strays  # noqa: PLC0415 - likewise
    from manifestkit.findings.fixes import (  # noqa: PLC0415 - clean runs go without
        moving_fix,
        rename_fix,
    )
    from manifestkit.schema.suggest import full_name  # noqa: PLC0415 - likewise

    path, meant = violation.path, violation.about
    stray = strays(manifest, path[:-1]).get(str(path[-1]))
    if stray and meant is None:
        return _describe_stray(manifest, path, stray.target, stray.value)
    is_short = full_name(str(path[-1]), [meant]) is not None
    looks = "looks short for" if is_short else "looks like a misspelling of"
    do, fix = f"write {named(meant)}", rename_fix(manifest, path, meant)
    if is_short:
        fix = fix._replace(safety="unsafe")  # a number may be of another unit
    is_other = stray and (is_short or stray.value != manifest.document.value_at(path))
    if stray and is_other and stray.target == (*path[:-1], meant):
        do += f": {excerpt(stray.value)}"
        fix = moving_fix(manifest, [path], stray.target, stray.value)
    return Description(
        f"{named(path[-1])} {looks} {named(meant)}",
        f"{do}, if that is what you meant",
        meant,
        (fix,),
    )


def _describe_stray(manifest: Manifest, path: Path, target: Path, value: Any) -> Description:
    from manifestkit.findings.fixes import moving_fix  # noqa: PLC0415 - clean runs go without

    document, name = manifest.document, named(path[-1])
    owner, here = target[:-1], path[:-1]
    items = document.value_or_none(owner[:-1]) if owner[-1:] == (0,) else ()
    is_one_of = owner != here and len(items or ()) > 1
    where = f"in the items of {label(owner[:-1])}" if is_one_of else place_of(owner)
    if owner != here:
        message = f"{name} belongs {where}, not {place_of(here)}"
    elif value is None:
        message = f"{name} is another name for {label(target)}, which is there too"
    else:
        message = f"{name} looks like another name for {named(target[-1])}"
    if is_one_of or document.value_or_none(target) is not None:
        do = f"write it {where}" if is_one_of else f"move what you need of it to {label(target)}"
        return Description(message, f"{do}, and remove it here")
    if owner != here and not isinstance(document.value_or_none(owner), dict):
        target, value = owner, {target[-1]: value}
    fix = moving_fix(manifest, [path], target, value)
    shown = f"{member_excerpt(str(target[-1]), value)} {place_of(target[:-1])}"
    fix = fix._replace(message=f"write {shown}")
    return Description(message, f"{fix.message}, if that is what you meant", fixes=(fix,))
