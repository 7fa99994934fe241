"""Valid manifests whose shape is changed at random: a fix leads back, or nothing is touched.

`python tests/reshaping.py 20000` tries so many.
"""

from __future__ import annotations

import copy
import json
import sys
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import manifestkit
from manifestkit.schema.fields import Field
from manifestkit.schema.packaged import base_schema

Value = dict[str, Any]
_SCHEMA = base_schema()
_LISTED = {
    name: [each for each, _ in (_SCHEMA.field((name, 0)) or Field()).values]
    for name in ("permissions", "capabilities")
}


def valid(random: Random) -> Value:
    """Return a valid manifest."""
    surfaces = ["phone", "tv", "watch"]
    ids = random.sample(["box", "walk", "focus-25", "rest"], random.randint(1, 3))
    activities: list[Value] = [{"id": each, "name": each.title() + "!"} for each in ids]
    for each in activities:
        if random.random() < 0.5:
            each["duration_minutes"] = random.randint(1, 90)
        if random.random() < 0.5:
            each["surfaces"] = random.sample(surfaces, random.randint(1, 3))
        if random.random() < 0.3:
            each["thumbnail"] = f"images/{each['id']}.png"
    return {
        "schema_version": "1.0",
        "provider": {"id": "com.example.calm", "name": "Calm", "version": "1.2.0"},
        "runtime": {"entrypoint": "dist/index.js", "sdk_version": "1.1"},
        "activities": activities,
        **{name: random.sample(values, random.randint(0, 3)) for name, values in _LISTED.items()},
    }


def list_to_text(value: Value, random: Random) -> None:
    name = random.choice(list(_LISTED))
    value[name] = random.choice([", ", " ", ","]).join(value[name])


def list_to_names(value: Value, random: Random) -> None:
    name = random.choice(list(_LISTED))
    value[name] = dict.fromkeys(value[name], True)


def list_to_list(value: Value, random: Random) -> None:
    name = random.choice(list(_LISTED))
    value[name] = [value[name]]


def list_to_item(value: Value, random: Random) -> None:
    holder, name = random.choice([(value, "activities"), *((value, name) for name in _LISTED)])
    holder[name] = holder[name][0] if len(holder[name]) == 1 else holder[name]


def object_to_list(value: Value, random: Random) -> None:
    name = random.choice(["provider", "runtime"])
    value[name] = random.choice([[value[name]], [{k: v} for k, v in value[name].items()]])


def list_to_map(value: Value, _: Random) -> None:
    value["activities"] = {each.pop("id"): each for each in value["activities"]}


def minutes_to_text(value: Value, random: Random) -> None:
    for each in value["activities"]:
        if "duration_minutes" in each:
            minutes = each["duration_minutes"]
            texts = [f"{minutes}m", f"{minutes} min", f"{minutes * 60}s", f"PT{minutes}M"]
            each["duration_minutes"] = random.choice([*texts, str(minutes), [minutes]])


def one_level_higher(value: Value, random: Random) -> None:
    name = random.choice(["provider", "runtime"])
    members = value.pop(name)
    value.update(members)


def one_member_higher(value: Value, random: Random) -> None:
    name = random.choice(list(value["runtime"]))
    value[name] = value["runtime"].pop(name)


def one_level_deeper(value: Value, random: Random) -> None:
    name = random.choice(["activities", "permissions", "capabilities", "runtime"])
    inside = random.choice(["provider", "contributes"])
    value.setdefault(inside, {})[name] = value.pop(name)


def wrapped(value: Value, random: Random) -> None:
    inner = dict(value)
    value.clear()
    value[random.choice(["manifest", "activity_provider", "x"])] = inner


def wrapped_value(value: Value, random: Random) -> None:
    holder = value["runtime"]
    name = random.choice(list(holder))
    holder[name] = random.choice([[holder[name]], {"value": holder[name]}])


def renamed(value: Value, random: Random) -> None:
    places: list[tuple[Value, tuple[str | int, ...]]] = [
        (value, ()),
        (value["provider"], ("provider",)),
        (value["runtime"], ("runtime",)),
    ]
    places += [(each, ("activities", 0)) for each in value["activities"]]
    holder, place = random.choice(places)
    name = random.choice(list(holder))
    field = _SCHEMA.field((*place, name)) or Field()
    first, *others = name.split("_")
    camel = first + "".join(map(str.title, others))
    new = random.choice([camel, name.upper(), name.replace("_", "-"), *field.synonyms])
    if new not in holder:
        holder[new] = holder.pop(name)


CHANGES: list[Callable[[Value, Random], None]] = [
    list_to_text, list_to_names, list_to_list, list_to_item, object_to_list, list_to_map,
    minutes_to_text, one_level_higher, one_member_higher, one_level_deeper, wrapped,
    wrapped_value, renamed,
]  # fmt: skip


def outcome(seed: int) -> tuple[str, str, str]:
    """Return the change that a number stands for, what a fix makes of it, and its text."""
    random = Random(seed)
    meant = valid(random)
    changed = copy.deepcopy(meant)
    change = random.choice(CHANGES)
    change(changed, random)
    text = json.dumps(changed, indent=random.choice([None, 2, 4]))
    fixed = manifestkit.fix(text, unsafe=True).data.decode()
    if json.loads(fixed) == meant:
        return change.__name__, "back", text
    return change.__name__, "left" if fixed == text else "other", text


def main(count: int) -> int:
    """Try so many changes; return how many a fix makes something else of."""
    seen: Counter[tuple[str, str]] = Counter()
    for seed in range(count):
        change, result, text = outcome(seed)
        seen[change, result] += 1
        if result == "other":
            print(seed, change, text)
    for (change, result), number in sorted(seen.items()):
        print(f"{number:7,} {change}: {result}")
    return sum(number for (_, result), number in seen.items() if result == "other")


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])) > 0)
