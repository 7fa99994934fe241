"""Items of a list that are parts of one, hold the members of several, or have a key for an id."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from manifestkit.findings.fixes import replace_fix
from manifestkit.findings.readings import ShapeReader
from manifestkit.findings.shapes import shape_text
from manifestkit.findings.words import excerpt, label, listed, named
from manifestkit.model.finding import Description, Finding, Fix
from manifestkit.model.pointer import Path, format_pointer, parse_pointer
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.model import Field

_MOST_LOOKED_AT = 100


def odd_items(manifest: Manifest, path: Path) -> Iterator[tuple[range, Description]]:
    """Yield the numbers of items that are parts of one, or have a key as id, and what to say."""
    field = manifest.schema.field((*path, 0)) or Field()
    known, required = {*field.members}, {*field.required}
    items = manifest.document.value_at(path)[:_MOST_LOOKED_AT]
    start, whole = 0, set[str]()
    for index, item in enumerate([*items, None]):
        members = item if isinstance(item, dict) else {}
        if members and (said := _describe_keyed(manifest, (*path, index))):
            yield range(index, index + 1), said
        names = {*members} if known.issuperset(members) else set()
        is_part = names and names.isdisjoint(whole) and not names >= required
        if whole and is_part and 1 in (len(names), len(whole)):
            whole |= names
            continue
        if index - start > 1 and whole >= required:
            parts = range(start, index)
            yield parts, _describe_split(manifest, path, parts)
        start, whole = index, names


def _describe_keyed(manifest: Manifest, path: Path) -> Description | None:
    """Describe an item that has what identifies it as a key; None of another one."""
    value = manifest.document.value_at(path)
    reading = ShapeReader(manifest, is_draft=len(value) == 1).move(path, path)
    identifier, *others = whole = reading.value if reading else {"": ""}
    key, do = whole[identifier], f"write {shape_text(manifest, path, whole)}"
    if identifier in value or key not in value:
        return None
    message = f"{label(path)} has its {named(identifier)} as a key, {named(key)}"
    fixes = () if "; put in" in do else (replace_fix(path, whole, "unsafe"),)
    if fixes and others and manifest.document.syntax == "yaml":
        lines = [named(f"{each}: {excerpt(whole[each])[1:-1]}") for each in others]
        below = f"{listed(lines, 'and')} below it, in the column of {named(identifier)}"
        do = f"write {named(f'- {identifier}: {key}')}, and {below}"
    location = manifest.document.locate_key((*path, key))
    return Description(message, do, fixes=fixes, location=location)


def _describe_split(manifest: Manifest, path: Path, parts: range) -> Description:
    """Describe the parts of one item, from the second one."""
    document, second = manifest.document, (*path, parts[1])
    values = [document.value_at((*path, each)) for each in parts]
    whole: dict[str, Any] = {name: each for part in values for name, each in part.items()}
    others = [*map(label, ((*path, each) for each in parts[1:]))]
    firsts = listed([next(iter(each)) for each in values[1:]], "and", named)
    do = f"write one item: {shape_text(manifest, second, whole)}"
    location = document.locate_key(second)
    if re.search(r"-[ \t]*$", document.text[: location.span.start]):
        do = f"remove the `-` before {firsts}"
    verb = "is a part" if len(others) == 1 else "are parts"
    message = f"{listed(others, 'and')} {verb} of {label((*path, parts[0]))}"
    changes = [{"op": "remove", "path": format_pointer((*path, each))} for each in parts[:0:-1]]
    replaced = {"op": "replace", "path": format_pointer((*path, parts[0])), "value": whole}
    fix = Fix("make it one item", "unsafe", (), (*changes, replaced))
    return Description(message, do, fixes=(fix,), location=location)


def describe_merged(manifest: Manifest, tokens: Path, repeated: list[Finding]) -> Finding | None:
    """Describe an item with the members of several, by the findings about each that is repeated.

    None where it is no item of a list, or does not repeat what identifies it and more.
    """
    found = manifest.schema.find(map(str, tokens))
    names = [*dict.fromkeys(parse_pointer(each.pointer)[-1] for each in repeated)]
    is_item = found is not None and found[0][-1:] == (0,)
    if found is None or not is_item or found[1].identifier not in names or len(names) == 1:
        return None
    start, text = repeated[0].location.span.start, manifest.document.text
    is_block = manifest.document.syntax == "yaml" and not text[:start].rpartition("\n")[2].strip()
    second = f"the second {named(names[0])}"
    do = f"begin another item with {second}" if is_block else f"write `}}, {{` before {second}"
    place = label((*found[0][:-1], int(tokens[-1])))
    return repeated[0]._replace(
        message=f"{place} has {listed(names, 'and', named)} twice, as if it were two items",
        help=f"{do}, or keep one of each",
    )
