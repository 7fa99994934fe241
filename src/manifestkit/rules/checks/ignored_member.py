"""Members that nobody has to read."""

from __future__ import annotations

from collections.abc import Iterator

from manifestkit.findings.messages import listed, named
from manifestkit.model.finding import Description
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest

ID = "ignored-member"
_SHOWN = 6


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each unknown member of an open object that is no misspelt one."""
    for path, field in manifest.with_unknown():
        if field.closed:
            continue
        renames = manifest.renames(path)
        for name in manifest.document.value_at(path):
            is_known = name in field.members or name in renames or name.startswith(("x-", "$"))
            if not is_known and not _is_described(manifest, (*path, name)):
                yield rule.violation((*path, name), on_key=True)


def _is_described(manifest: Manifest, path: tuple[str | int, ...]) -> bool:
    return any(each.field(path) is not None for each in manifest.profiles)


def describe(manifest: Manifest, violation: Violation) -> Description:
    """Say which members there are."""
    *path, name = violation.path
    field = manifest.field(tuple(path))
    members = [named(each) for each in field.members] if field else []
    known = listed(members[:_SHOWN]) if len(members) <= _SHOWN else listed([*members[:5], "others"])
    return Description(f"the manifest format has no {named(name)} here, only {known}")
