"""A published list of provider ids and their owners, which a new id must not be in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from manifestkit.decode import decode
from manifestkit.files import read_bytes, relative_name
from manifestkit.findings.messages import message_and_help
from manifestkit.model.document import Document
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.pointer import format_pointer
from manifestkit.rules.checks.cross_file import occurrence_key
from manifestkit.schema.manifest import Occurrence, Occurrences
from manifestkit.schema.packaged import packaged_schema

RULE = "duplicate-provider-id"

_NONE: Occurrences = {}


class PublishedIds(Mapping[tuple[str, str], tuple[Occurrence, ...]]):
    """The ids of other owners, and where other manifests of a run have values that must be unique.

    Args:
        document: the list, for telling places in it.
        entries: the index of the entry of each id.
        others: what the manifests of the run have.
    """

    def __init__(
        self, document: Document, entries: Mapping[str, int], others: Occurrences = _NONE
    ) -> None:
        self._document = document
        self._entries = entries
        self._others = others

    def with_others(self, others: Occurrences | None) -> PublishedIds:
        """Return the same beside the manifests of a run."""
        return PublishedIds(self._document, self._entries, others or {})

    def __getitem__(self, key: tuple[str, str]) -> tuple[Occurrence, ...]:
        rule, value = key
        index = self._entries.get(value) if rule == RULE else None
        if index is None:
            return self._others[key]
        at = (index, "id")
        owner = self._document.value[index]["owner"]
        listed = Occurrence(
            *(rule, value, self._document.name),
            *(format_pointer(at), self._document.locate(at), owner),
        )
        return (listed, *self._others.get(key, ()))

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter({**dict.fromkeys((RULE, each) for each in self._entries), **self._others})

    def __len__(self) -> int:
        return len(self._entries) + len(self._others)


def read_published_ids(path: Path, owner: str | None) -> PublishedIds:
    """Return the ids in a list that have another owner.

    Raises:
        UnreadableFileError: the file cannot be read.
        ConfigurationError: it is no list of ids and owners; the text names the place.
    """
    decoded = decode(read_bytes(path, DEFAULT_LIMITS.bytes), relative_name(path))
    document = decoded.document
    problems = [(each.location, each.message) for each in decoded.findings]
    if not problems:
        errors = packaged_schema("published-ids.schema.json").errors(document.value)
        problems = [
            (
                document.locate(each.path),
                message_and_help(each)[0] if each.path else "it must be an array",
            )
            for each in errors
        ]
    if problems:
        place, message = problems[0]
        raise ConfigurationError(
            f"{document.name}:{place.line}:{place.column}: this is not a list of provider ids "
            f"and owners: {message}"
        )
    entries: dict[str, int] = {}
    for index, each in enumerate(document.value):
        if each["owner"] != owner:
            entries.setdefault(occurrence_key(each["id"]), index)
    return PublishedIds(document, entries)
