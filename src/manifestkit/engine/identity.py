"""What stays of a finding when its file is reformatted or reordered."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from manifestkit.finding import Finding, Identity
from manifestkit.pointer import format_pointer, parse_pointer


def stable_pointer(value: Any, pointer: str) -> str:
    """A pointer with each array index replaced by the item's `id`, or by the item itself.

    An item with neither an id nor a text or number of its own keeps its index.
    """
    tokens: list[str] = []
    here = value
    for token in parse_pointer(pointer):
        if isinstance(here, list) and token.isdigit() and int(token) < len(here):
            here = here[int(token)]
            tokens.append(item_name(here, token))
        else:
            here = here.get(token) if isinstance(here, dict) else None
            tokens.append(token)
    return format_pointer(tokens)


def identified(findings: Iterable[Finding], value: Any) -> tuple[Finding, ...]:
    """The findings of a file, each with its identity.

    The fingerprint holds the rule, the stable pointer, the missing member and, among equals, the
    ordinal, so that no two of them are alike.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    marked = []
    for finding in findings:
        pointer = stable_pointer(value, finding.pointer)
        key = (finding.rule, pointer, finding.property or "")
        text = json.dumps([*key, seen[key]])
        seen[key] += 1
        fingerprint = sha256(text.encode()).hexdigest()[:32]
        marked.append(finding._replace(identity=Identity(pointer, fingerprint)))
    return tuple(marked)


def item_name(item: Any, index: str) -> str:
    """What an item is called: its `id`, or itself; else its index."""
    if isinstance(item, dict):
        item = item.get("id")
    if isinstance(item, str):
        return item
    if isinstance(item, int | float) and not isinstance(item, bool):
        return json.dumps(item)
    return index
