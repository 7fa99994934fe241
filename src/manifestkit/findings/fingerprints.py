"""Fingerprints: what identifies a violation when its file is reformatted or reordered."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from manifestkit.model.finding import Description, Finding, Identity
from manifestkit.model.pointer import Path, array_index, format_pointer
from manifestkit.model.violation import Violation
from manifestkit.schema.drafts import ANNOTATION, subschemas_of
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.model import Field
from manifestkit.schema.validation_error import ValidationError

_LONGEST_NAME = 128
_TOLD_BY_THEIR_SCHEMA = ("contains", "false", "maxContains", "minContains")

_Key = tuple[str, str, str, str]


def identified(violations: Sequence[Violation], manifest: Manifest) -> list[Violation]:
    """Return the violations of a file, each with its identity.

    Two have the same one only where one requirement is broken twice at one place.
    """
    placed: list[tuple[_Key, tuple[Any, ...]]] = []
    places: dict[_Key, set[tuple[Any, ...]]] = {}
    for index, each in enumerate(violations):
        known = each.about.identity if isinstance(each.about, Finding) else None
        stable = known.pointer if known else stable_pointer(manifest, each.path)
        key, place = (each.rule, stable, each.member or "", _requirement(each)), _place(each, index)
        placed.append((key, place))
        places.setdefault(key, set()).add(place)
    ordinals = {
        (key, place): ordinal
        for key, found in places.items()
        for ordinal, place in enumerate(sorted(found))
    }
    return [
        each._replace(identity=Identity(*key[:3], ordinals[key, place], key[3]))
        for each, (key, place) in zip(violations, placed, strict=True)
    ]


def _requirement(violation: Violation) -> str:
    """Return what tells a requirement from others; each rule of ours has one for a value."""
    is_ours = violation.is_ours and not violation.rule.startswith("schema-")
    about = violation.about
    return "" if is_ours or not isinstance(about, ValidationError) else demand_of(about)


def demand_of(about: ValidationError) -> str:
    """Return what tells the requirement of an error from others of its rule for the same value.

    A missing member is told by its name. What `contains` counts and when a value is not allowed is
    told by the schema around it, what applies under a condition by the condition too.
    """
    requirement, schema = about.requirement, about.requirement.schema
    is_whole = about.expected is schema.get(about.keyword)
    if is_whole and requirement.digest is not None:
        return requirement.digest
    demand = None if about.keyword == "required" else about.expected
    if about.keyword in _TOLD_BY_THEIR_SCHEMA:
        demand = {name: each for name, each in schema.items() if name != ANNOTATION}
    conditions = [
        outer["if"]
        for inner, outer in pairwise(requirement.path)
        if "if" in outer and (inner is outer.get("then") or inner is outer.get("else"))
    ]
    referred = _referred([{about.keyword: demand}, *conditions], requirement.targets)
    operands = [about.keyword, demand, *conditions, *referred]
    digest = _digest(json.dumps(operands, sort_keys=True))
    if is_whole:
        requirement.digest = digest
    return digest


def _referred(operands: Iterable[Any], targets: Mapping[int, Any]) -> list[Any]:
    """Return what the references in operands lead to: each target once, and which one each has.

    The text of a reference tells no target from another: each schema has its own `$defs`.
    """
    indexes: dict[int, int] = {}
    found: list[Any] = []
    order: list[int] = []
    todo = list(operands)
    for operand in todo:
        for schema in subschemas_of(operand):
            if id(schema) in targets:
                target = targets[id(schema)]
                if id(target) not in indexes:
                    indexes[id(target)] = len(found)
                    found.append(target)
                    todo.append(target)
                order.append(indexes[id(target)])
    return [order, found] if found else []


def _place(violation: Violation, index: int) -> tuple[Any, ...]:
    """Return the key that tells places apart and sorts them: indexes as numbers, names as text.

    A violation that brings its text, such as one of the reader, is always a place of its own.
    """
    path = tuple(
        (0, token, "") if isinstance(token, int) else (1, 0, token) for token in violation.path
    )
    number = index if isinstance(violation.about, Finding | Description) else 0
    return path, violation.on_key, violation.span or (0, 0), number


def stable_pointer(manifest: Manifest, path: Path) -> str:
    """Return a pointer with each array index replaced by the item's identifier or the item itself.

    A name that looks like an index is written with a ``=`` before it. An item with neither an
    identifier nor a text or number of its own keeps its index.
    """
    tokens: list[str] = []
    here = manifest.value
    at: Path = ()
    for token in path:
        index = None
        if isinstance(here, list):
            index = token if isinstance(token, int) else array_index(token)
        at = (*at, token if index is None else index)
        if index is not None and index < len(here):
            here = here[index]
            name = item_name(here, manifest.schema.field(at) if isinstance(here, dict) else None)
            if name is None:
                name = str(token)
            elif name.startswith("=") or array_index(name) is not None:
                name = f"={name}"
            tokens.append(name)
        else:
            here = here.get(at[-1]) if isinstance(here, dict) else None
            tokens.append(str(token))
    return format_pointer(tokens)


def item_name(item: Any, field: Field | None) -> str | None:
    """Return what an item is called: its identifier, or itself; None when it has no name.

    What is longer than an identifier that a person writes is called by a digest.
    """
    if isinstance(item, dict):
        item = item.get(field.identifier) if field else None
    if isinstance(item, str):
        return item if len(item) <= _LONGEST_NAME else _digest(item)
    if isinstance(item, int | float) and not isinstance(item, bool):
        return json.dumps(item)
    return None


@lru_cache(maxsize=64)
def _digest(name: str) -> str:
    from hashlib import sha256  # noqa: PLC0415 - names are short

    return sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
