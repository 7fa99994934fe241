"""A version that is not that of the project that the manifest is part of."""

import re
from collections.abc import Iterator

from manifestkit.files import relative_name
from manifestkit.findings.words import label, quoted
from manifestkit.model.finding import Description, Related
from manifestkit.model.location import LineIndex, Span
from manifestkit.model.pointer import format_pointer
from manifestkit.model.violation import Violation
from manifestkit.rules.project import projects
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find the version of what the manifest describes, if its project has another one."""
    folder = manifest.surroundings.folder
    found = None if folder is None else _version(folder)
    for path, value, field in manifest.schema.described(manifest.value) if found else ():
        if field.is_version and isinstance(value, str) and found and value != found[0]:
            yield rule.violation(path, (value, *found))


def describe(_: Manifest, violation: Violation) -> Description:
    """Say both versions."""
    value, version, place = violation.about
    return Description(
        f"{label(violation.path)} is {quoted(value)}, but {place.path} has {quoted(version)}",
        related=(place,),
    )


def _version(folder: str) -> tuple[str, Related] | None:
    """Return the version that the nearest project in the repository has, and where it is."""
    for project in projects(folder):
        if version := project.member("version"):
            value = rf"""["'](?={re.escape(version)}["'])"""
            found = re.search(rf"""["']?\bversion\b["']?\s*[=:]\s*{value}""", project.text)
            start = found.end() if found else 0
            span = Span(start, start + len(version) if found else 0)
            pointer = format_pointer((*project.place, "version"))
            location, file = LineIndex(project.text).locate(span), relative_name(project.file)
            return version, Related("the project's version", pointer, location, file)
    return None
