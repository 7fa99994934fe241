"""Members that nobody has to read."""

from collections.abc import Iterator

from manifestkit.findings.words import listed, named
from manifestkit.model.finding import Description
from manifestkit.model.violation import Violation
from manifestkit.rules.checks.misspelt_field import meant_members
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.model import Field


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each unknown member of an open object that is no misspelt one."""
    for path, members, field in manifest.with_unknown():
        told = meant_members(manifest, path, members)
        for name in members:
            is_known = name in field.members or name in told or name.startswith(("x-", "$"))
            # A profile that speaks of it, be it in a condition, has somebody who reads it.
            if not is_known and all(name not in x.names_anywhere[0] for x in manifest.profiles):
                yield rule.violation((*path, name), on_key=True)


def describe(manifest: Manifest, violation: Violation) -> Description:
    """Say which members there are."""
    *path, name = violation.path
    field = manifest.schema.field(tuple(path)) or Field()
    known = listed(field.members, "and", named)
    return Description(f"the manifest format has no {named(name)} here, only {known}")
