"""A version that is not that of the project that the manifest is part of."""

from __future__ import annotations

from collections.abc import Iterator

from manifestkit.findings.words import label, quoted
from manifestkit.model.finding import Description, Related
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest

ID = "version-mismatch"


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find the version of what the manifest describes, if its project has another one."""
    find_project = manifest.surroundings.project
    project = find_project() if find_project else None
    for path, value, field in manifest.described() if project else ():
        if field.is_version and isinstance(value, str) and project and value != project.version:
            yield rule.violation(path, (value, project))


def describe(_: Manifest, violation: Violation) -> Description:
    """Say both versions."""
    value, project = violation.about
    file, version, pointer, location = project
    return Description(
        f"{label(violation.path)} is {quoted(value)}, but {file} has {quoted(version)}",
        related=(Related("the project's version", pointer, location, file),),
    )
