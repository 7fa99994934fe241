"""A published list of provider ids and their owners, which a new id must not be in."""

from __future__ import annotations

from pathlib import Path

from manifestkit.decode import decode
from manifestkit.files import read_bytes, relative_name
from manifestkit.findings.messages import message_and_help
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.pointer import format_pointer
from manifestkit.model.surroundings import Occurrence
from manifestkit.rules.catalogue import catalogue
from manifestkit.rules.checks.cross_file import occurrence_key
from manifestkit.schema.packaged import packaged_schema

Published = dict[tuple[str, str], tuple[Occurrence, ...]]
"""The places of each id of another owner in the list."""


def unique_rule() -> str:
    """Return the id of the rule that compares the manifests of a run."""
    return next(each.id for each in catalogue().values() if each.compared)


def read_published_ids(path: Path, owner: str | None) -> Published:
    """Return the ids in a list that have another owner.

    Raises:
        UnreadableFileError: the file cannot be read.
        ConfigurationError: it is no list of ids and owners; the text names the place.
    """
    decoded = decode(read_bytes(path, DEFAULT_LIMITS.bytes), relative_name(path))
    document = decoded.document
    problems = [(each.location, each.message) for each in decoded.findings]
    if not problems:
        errors = packaged_schema("published-ids.schema.json").validator.errors(document.value)
        problems = [
            (
                document.locate(each.path),
                message_and_help(each)[0].replace("the manifest ", "it ", 1),
            )
            for each in errors
        ]
    if problems:
        place, message = problems[0]
        raise ConfigurationError(
            f"{document.name}:{place.line}:{place.column}: this is not a list of ids "
            f"and owners: {message}"
        )
    published: Published = {}
    rule = unique_rule()
    for index, each in enumerate(document.value):
        key, at = occurrence_key(each["id"]), (index, "id")
        if each["owner"] != owner and (rule, key) not in published:
            place = document.locate(at)
            entry = Occurrence(rule, key, document.name, format_pointer(at), place, each["owner"])
            published[rule, key] = (entry,)
    return published
