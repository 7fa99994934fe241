"""Manifests and changes of them, for the tests of `manifest diff`."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

from manifestkit import FileResult, diff
from manifestkit.model.change import Change
from manifestkit.model.pointer import Path as Pointer

REPOSITORY = Path(__file__).parents[2]
SCHEMAS = REPOSITORY / "schemas"
SECTION_2: dict[str, Any] = json.loads(
    (SCHEMAS / "activity-provider-manifest.schema.json").read_text("utf-8")
)
BASE: dict[str, Any] = SECTION_2["examples"][0]
PERMISSIONS: list[str] = SECTION_2["$defs"]["permission"]["enum"]
CAPABILITIES: list[str] = SECTION_2["$defs"]["capability"]["enum"]

_GONE = object()
_TEXTS = ("", "A", "B", "é 🎈", "1.0", "1.0.0", "2.1.0-rc.1", "true", "line\nline", "~/a")
_ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    1.0,
    -2.5,
    "x",
    [],
    {},
    ["x"],
    [1, {"a": None}],
    {"a": [True]},
)


def compared(old: Any, new: Any, old_name: str = "old.json", name: str = "new.json") -> FileResult:
    """What is said of two manifests, each a value or a text."""
    texts = [each if isinstance(each, str) else json.dumps(each) for each in (old, new)]
    return diff(texts[0], texts[1], old_name, name)


def changes_of(old: Any, new: Any) -> tuple[Change, ...]:
    """The differences of two manifests."""
    changes = compared(old, new).changes
    assert changes is not None
    return changes


def random_manifest(chance: random.Random) -> dict[str, Any]:
    """A manifest, valid or nearly so."""
    manifest = copy.deepcopy(BASE)
    manifest["activities"] = [_activity(chance) for _ in range(chance.randrange(1, 5))]
    manifest["permissions"] = chance.sample(PERMISSIONS, chance.randrange(4))
    manifest["capabilities"] = chance.sample(CAPABILITIES, chance.randrange(4))
    if chance.random() < 0.3:
        manifest["presentation"] = {"thumbnail": chance.choice(_TEXTS)}
    for _ in range(chance.randrange(3)):
        spoil(manifest, chance)
    return manifest


def _activity(chance: random.Random) -> dict[str, Any]:
    activity: dict[str, Any] = {"id": chance.choice("abcdefgh"), "name": chance.choice(_TEXTS)}
    if chance.random() < 0.5:
        activity["surfaces"] = chance.choices(["phone", "watch", "tv"], k=chance.randrange(4))
    if chance.random() < 0.3:
        activity["duration_minutes"] = chance.choice([0, 5, 5.0, 30])
    return activity


def spoil(manifest: dict[str, Any], chance: random.Random) -> None:
    """Change a value anywhere, take it out or put one in."""
    holders = list(_holders(manifest))
    holder = chance.choice(holders)
    value = copy.deepcopy(chance.choice([*_ODD, *PERMISSIONS]))
    if isinstance(holder, list):
        index = chance.randrange(len(holder) + 1)
        if index < len(holder) and chance.random() < 0.6:
            holder[index] = value
        elif index < len(holder) and chance.random() < 0.5:
            del holder[index]
        else:
            holder.insert(index, copy.deepcopy(chance.choice(holder)) if holder else value)
        return
    name = chance.choice([*holder, "extra", "a/b~c"])
    if name in holder and chance.random() < 0.3:
        del holder[name]
    else:
        holder[name] = value


def _holders(value: Any) -> Any:
    if isinstance(value, dict | list):
        yield value
        for each in value.values() if isinstance(value, dict) else value:
            yield from _holders(each)


def reordered(value: Any, chance: random.Random, at: Pointer = ()) -> Any:
    """The same with members, and items of lists whose order says nothing, in another order."""
    if isinstance(value, dict):
        names = chance.sample(list(value), len(value))
        return {name: reordered(value[name], chance, (*at, name)) for name in names}
    if not isinstance(value, list):
        return value
    items = [reordered(each, chance, (*at, 0)) for each in value]
    is_set = at in {("permissions",), ("capabilities",), ("activities", 0, "surfaces")}
    if is_set and all(isinstance(each, str) for each in items):
        chance.shuffle(items)
    if at == ("activities",) and _have_ids_of_their_own(items):
        chance.shuffle(items)
    return items


def _have_ids_of_their_own(items: list[Any]) -> bool:
    ids = [each.get("id") if isinstance(each, dict) else None for each in items]
    return all(isinstance(each, str) and each for each in ids) and len({*ids}) == len(ids)


def applied(old: Any, changes: tuple[Change, ...]) -> Any:
    """A manifest with changes made in it, by their paths and values alone.

    Items keep the order of the old manifest, with new ones behind them.
    """
    root = {"": copy.deepcopy(old)}
    put = {("", *each.new_path) for each in changes if each.kind in {"added", "changed"}}
    taken = {("", *each.old_path) for each in changes if each.kind in {"removed", "changed"}}
    for change in changes:
        path = ("", *change.old_path)
        if change.kind in {"changed", "renamed"} and not _is_inside(path, taken):
            _find(root, path[:-1])[path[-1]] = copy.deepcopy(change.new)
    for change in changes:
        if change.kind == "added" and not _is_inside(("", *change.new_path), put):
            holder = _holder(_find(root, ("", *change.old_path)), change)
            if isinstance(holder, list):
                holder.append(copy.deepcopy(change.new))
            else:
                holder[change.new_path[-1]] = copy.deepcopy(change.new)
    repeats: list[list[Any]] = []
    removed = [each for each in changes if each.kind == "removed"]
    gone = {("", *each.old_path) for each in removed}
    # What is around it may be gone too: no change tells that by itself.
    around = {("", *each.old_path[: len(each.new_path) + 1]) for each in removed} - gone
    taken, gone = taken | around, gone | around
    for path in sorted(gone, key=lambda path: [str(each).zfill(9) for each in path])[::-1]:
        if not _is_inside(path, taken):
            holder = _find(root, path[:-1])
            value = holder.pop(path[-1])
            if isinstance(holder, list) and isinstance(value, str):
                # A text that is gone from a set is gone wherever it stood.
                holder[:] = [_GONE if each == value else each for each in holder]
                repeats.append(holder)
    for holder in repeats:
        holder[:] = [each for each in holder if each is not _GONE]
    return root[""]


def _holder(holder: Any, change: Change) -> Any:
    """What holds a value that is new, and may be new too: no change tells that by itself."""
    for at in range(len(change.old_path), len(change.new_path) - 1):
        is_list = isinstance(change.new_path[at + 1], int)
        holder = holder.setdefault(change.new_path[at], [] if is_list else {})
    return holder


def _is_inside(path: tuple[Any, ...], wholes: set[tuple[Any, ...]]) -> bool:
    return any(path[:length] in wholes for length in range(1, len(path)))


def _find(value: Any, path: tuple[Any, ...]) -> Any:
    for token in path:
        value = value[token]
    return value


def in_order(value: Any, at: Pointer = ()) -> str:
    """A manifest as text that is the same for two that differ in nothing."""
    return json.dumps(_in_order(value, at), sort_keys=True)


def _in_order(value: Any, at: Pointer = ()) -> Any:
    if isinstance(value, dict):
        return {name: _in_order(each, (*at, name)) for name, each in value.items()}
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, list):
        return value
    items = [_in_order(each, (*at, 0)) for each in value]
    is_set = at in {("permissions",), ("capabilities",), ("activities", 0, "surfaces")}
    if is_set:
        texts = {each for each in items if isinstance(each, str)}
        others = (each for each in items if not isinstance(each, str))
        return [*sorted(texts), *sorted(others, key=_as_text)]
    return sorted(items, key=_as_text) if at == ("activities",) else items


def _as_text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def check_pair(seed: int) -> None:
    """Hold what is told of a pair of manifests drawn by a seed to what must be true of it."""
    chance = random.Random(seed)
    old = random_manifest(chance)
    assert changes_of(old, old) == ()
    assert changes_of(old, reordered(old, chance)) == ()
    new = random_manifest(chance) if chance.random() < 0.4 else copy.deepcopy(old)
    for _ in range(chance.randrange(6)):
        spoil(new, chance)
    result = compared(old, new)
    changes = result.changes or ()
    assert in_order(applied(old, changes)) == in_order(new), (old, new)
    if in_order(old) == in_order(new):
        assert changes == ()
    told = [each.message for each in result.findings if each.rule == "permission-added"]
    added = {*_permissions(new)} - {*_permissions(old)}
    assert all(any(f"`{each}`" in message for message in told) for each in added), (old, new)
    assert len(changes) == 0 or result.findings


def _permissions(manifest: Any) -> list[str]:
    held = manifest.get("permissions", ()) if isinstance(manifest, dict) else ()
    return [each for each in held if each in PERMISSIONS] if isinstance(held, list) else []
