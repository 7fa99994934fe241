"""Values that must be unique among all manifests of a run: rule files with `scope: run`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar

from manifestkit.findings.messages import label, named, quoted
from manifestkit.model.finding import Description, Related
from manifestkit.model.pointer import Path, array_index, format_pointer, parse_pointer
from manifestkit.model.surroundings import Occurrence, Occurrences
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest

T = TypeVar("T")

_ITEM = "*"
_LONGEST = 128
_SHOWN = 3


def occurrences(rule: Rule, manifest: Manifest) -> Iterator[Occurrence]:
    """Yield the values of a manifest that a rule compares with those of others."""
    document = manifest.document
    for path, value in _texts(rule, manifest):
        location = document.locate(path)
        yield Occurrence(
            rule.id, occurrence_key(value), document.name, format_pointer(path), location
        )


def elsewhere(
    found: Mapping[T, tuple[Occurrence, ...]], file_of: Callable[[T], Hashable]
) -> Mapping[T, Occurrences]:
    """For each manifest with a value that others have as well: where they have it.

    Args:
        found: the values of each manifest.
        file_of: what is the same for two names of one file.
    """
    holders: dict[tuple[str, str], dict[Hashable, Occurrence]] = {}
    files = {manifest: file_of(manifest) for manifest in found}
    for manifest, every in sorted(found.items(), key=lambda item: item[1][0].file):
        for each in every:
            holders.setdefault((each.rule, each.value), {}).setdefault(files[manifest], each)
    first = {key: list(islice(places.items(), _SHOWN + 1)) for key, places in holders.items()}
    shared: dict[T, dict[tuple[str, str], tuple[Occurrence, ...]]] = {}
    for manifest, every in found.items():
        for key in {(each.rule, each.value) for each in every}:
            others = [place for file, place in first[key] if file != files[manifest]]
            if others:
                shared.setdefault(manifest, {})[key] = tuple(others[:_SHOWN])
    return shared


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each value that another manifest of the run has as well."""
    for path, value in _texts(rule, manifest):
        places = (manifest.elsewhere or {}).get((rule.id, occurrence_key(value)), ())
        if places:
            yield rule.violation(path, (value, places))


def describe(_: Manifest, violation: Violation) -> Description:
    """Say where else the value is."""
    value, places = violation.about
    what, first = f"{label(violation.path)} {named(value)}", places[0]
    if first.owner is None:
        message = f"{what} is also in another manifest: {first.file}"
    else:
        message = f"{what} belongs to {quoted(first.owner)}: {first.file}"
    return Description(
        message,
        related=tuple(
            Related("also used here", each.pointer, each.location, each.file) for each in places
        ),
    )


def _texts(rule: Rule, manifest: Manifest) -> Iterator[tuple[Path, str]]:
    """Yield the texts at the places of a rule, with their paths in the document."""
    for pointer in rule.compared:
        for path, each in values_at(manifest.value, parse_pointer(pointer)):
            if isinstance(each, str):
                yield manifest.written(path), each


def values_at(value: Any, tokens: Iterable[str]) -> list[tuple[Path, Any]]:
    """Return the values at a place with their paths; ``*`` matches each item of a list."""
    found: list[tuple[Path, Any]] = [((), value)]
    for token in tokens:
        found = [
            ((*path, key), item) for path, each in found for key, item in _children(each, token)
        ]
    return found


def _children(value: Any, token: str) -> Iterator[tuple[str | int, Any]]:
    if isinstance(value, dict):
        if token in value:
            yield token, value[token]
    elif isinstance(value, list):
        if token == _ITEM:
            yield from enumerate(value)
        elif (index := array_index(token)) is not None and index < len(value):
            yield index, value[index]


def occurrence_key(text: str) -> str:
    """Return a value as occurrences have it: a digest of a long one."""
    if len(text) <= _LONGEST:
        return text
    from hashlib import sha256  # noqa: PLC0415 - identifiers are short

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
