"""What stays of a finding when its file is reformatted or reordered."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256
from typing import Any

from manifestkit.model.finding import Finding, Identity
from manifestkit.model.pointer import Path, array_index, format_pointer, parse_pointer
from manifestkit.schema.fields import Field
from manifestkit.schema.model import Schema

_LONGEST_NAME = 128


def stable_pointer(value: Any, pointer: str, schema: Schema) -> str:
    """A pointer with each array index replaced by the item's identifier, or by the item itself.

    An item with neither an identifier nor a text or number of its own keeps its index.
    """
    tokens: list[str] = []
    here = value
    path: Path = ()
    field = schema.field(path)
    for token in parse_pointer(pointer):
        index = array_index(token) if isinstance(here, list) else None
        path = (*path, token if index is None else index)
        field = schema.field(path) if field else None
        if index is not None and index < len(here):
            here = here[index]
            name = item_name(here, field)
            tokens.append(token if name is None else name)
        else:
            here = here.get(token) if isinstance(here, dict) else None
            tokens.append(token)
    return format_pointer(tokens)


def identified(findings: Iterable[Finding], value: Any, schema: Schema) -> tuple[Finding, ...]:
    """The findings of a file, each with its identity.

    The fingerprint holds the rule, the stable pointer, the missing member and, among equals, the
    ordinal, so that no two of them are alike.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    marked = []
    for finding in findings:
        pointer = stable_pointer(value, finding.pointer, schema)
        key = (finding.rule, pointer, finding.property or "")
        text = json.dumps([*key, seen[key]])
        seen[key] += 1
        fingerprint = sha256(text.encode()).hexdigest()[:32]
        marked.append(finding._replace(identity=Identity(pointer, fingerprint)))
    return tuple(marked)


def item_name(item: Any, field: Field | None) -> str | None:
    """What an item is called: its identifier, or itself; None when it has no name.

    What is longer than an identifier that a person writes is called by a digest.

    Args:
        item: the item.
        field: what the schema says of it.
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
    return sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
