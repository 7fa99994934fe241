"""Members that nobody has to read."""

from __future__ import annotations

from collections.abc import Iterator

from manifestkit.findings.words import listed, member_excerpt, named
from manifestkit.model.finding import Description
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.model import Field

ID = "ignored-member"


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each unknown member of an open object that is no misspelt one."""
    from manifestkit.findings.elsewhere import strays  # noqa: PLC0415 - off by default

    for path, members, field in manifest.with_unknown():
        told = {name for name, each in strays(manifest, path).items() if each.is_sure}
        told |= manifest.renames(path).keys()
        for name in members:
            is_known = name in field.members or name in told or name.startswith(("x-", "$"))
            if not is_known and not _is_described(manifest, (*path, name)):
                yield rule.violation((*path, name), on_key=True)


def _is_described(manifest: Manifest, path: tuple[str | int, ...]) -> bool:
    return any(each.field(path) is not None for each in manifest.profiles)


def describe(manifest: Manifest, violation: Violation) -> Description:
    """Say which member is meant, or which there are."""
    from manifestkit.findings.elsewhere import strays  # noqa: PLC0415 - likewise
    from manifestkit.findings.fixes import moving_fix  # noqa: PLC0415 - off by default

    *path, name = violation.path
    field = manifest.field(tuple(path)) or Field()
    known = listed(field.members, say=named)
    message = f"the manifest format has no {named(name)} here, only {known}"
    meant = strays(manifest, tuple(path)).get(str(name))
    if meant is None:
        return Description(message)
    fix = moving_fix(manifest, [violation.path], meant.target, meant.value)
    do = f"write {member_excerpt(str(meant.target[-1]), meant.value)} instead"
    return Description(message, do, fixes=(fix,))
