"""Valid manifests whose shape is changed at random: a fix leads back, or nothing is touched.

`python tests/reshaping.py 20000` tries so many, and as many values of any kind at any place: a safe
fix keeps each scalar of a value, no fix empties what holds a listed value, and what an unsafe fix
drops is named.
"""

from __future__ import annotations

import copy
import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import manifestkit
from manifestkit.schema.model import Field
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


_OTHER_UNITS = {"hours", "seconds"}  # whose number is another one


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
    same = [each for each in field.synonyms if each not in _OTHER_UNITS]
    new = random.choice([camel, name.upper(), name.replace("_", "-"), *same])
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


_PLACES = [
    ("permissions",), ("capabilities",), ("permissions", 0), ("activities",), ("activities", 0),
    ("provider",), ("runtime",), ("runtime", "entrypoint"), ("provider", "version"),
]  # fmt: skip
_NAMES = [
    "id", "name", "version", "entrypoint", "items", "note", "denied", "value", "unit", "box",
    "camera", "default", "min", "max", "title", "enabled",
]  # fmt: skip
_TEXTS = ["zinc", "5 apples", "quartz, opal", "h", "no", "denied", "s", "", "1.0", "amber"]
_NUMBERS = ["0", "5", "-0", "1.50", "1E5", "300", "12345678901234567890"]
_OTHERS = ["true", "true", "false", "null", "[]", "{}"]


def any_text(random: Random, values: list[str], depth: int = 0) -> str:
    """Return the JSON text of a value of any kind; an object may name a member twice."""
    listed = random.choice(values)
    scalars = [random.choice(each) for each in (_NUMBERS, _OTHERS)]
    scalars += [json.dumps(random.choice(each)) for each in (_TEXTS, [listed])]
    kind = random.choice(["scalar", "list", "object"])
    if kind == "scalar" or depth > 2:
        return random.choice(scalars)
    parts = [any_text(random, values, depth + 1) for _ in range(random.randint(0, 3))]
    if kind == "list":
        return f"[{', '.join(parts)}]"
    names = [random.choice([*_NAMES, listed]) for _ in parts]
    members = zip(map(json.dumps, names), parts, strict=True)
    return f"{{{', '.join(f'{name}: {part}' for name, part in members)}}}"


def _words(value: Any) -> Counter[str]:
    """Return the words of all texts and the numbers in a value that was read with pairs."""
    if isinstance(value, tuple):
        return sum((_words(each) for _, each in value), Counter())
    if isinstance(value, list):
        return sum(map(_words, value), Counter())
    return Counter(re.split(r"[\s,]+", value.strip()) if isinstance(value, str) else [])


def _read(text: str) -> Any:
    return json.loads(text, object_pairs_hook=tuple, parse_int=str, parse_float=str)


def lost(seed: int) -> str | None:
    """Return the text that a number stands for, if a fix loses something of it."""
    random = Random(seed)
    value: Any = valid(random)
    *above, last = random.choice(_PLACES)
    holder = value
    for token in above:
        holder = holder[token]
    if holder == []:
        return None
    holder[last] = "HERE"
    name = str(above[0] if above else last)
    part = any_text(random, _LISTED.get(name, _LISTED["permissions"]))
    text = json.dumps(value).replace('"HERE"', part)
    old = _words(_read(text))
    safe = manifestkit.fix(text).data.decode()
    new = _words(_read(safe))
    repeated = {each for each, count in old.items() if count > 1}  # may be a duplicate item
    if old.keys() - new.keys() - {""} or any(new[each] > count for each, count in old.items()):
        return text
    if any(new[each] < old[each] for each in old if each and each not in repeated):
        return text
    after = json.loads(manifestkit.fix(text, unsafe=True).data)
    for token in above:
        after = after[token]
    is_empty = after[last : last + 1] == [] if last == 0 else after[last] in ([], {})
    listed = [f'"{each}"' for values in _LISTED.values() for each in values]
    return text if is_empty and any(each in part for each in listed) else None


_MEMBERS = [
    ("provider",), ("provider", "name"), ("provider", "version"), ("runtime",),
    ("runtime", "entrypoint"), ("activities",), ("activities", 0), ("activities", 0, "name"),
    ("activities", 0, "thumbnail"), ("activities", 0, "surfaces"), ("permissions",),
    ("activities", 0, "duration_minutes"), ("permissions", 0), ("capabilities",), (),
]  # fmt: skip
_BESIDE: list[Any] = ["--port", "A boat", 8080, 2.5, True, False, None, "a.css", {}, ["zinc"]]
_KEYS = ["note", "alt", "sizes", "de", "integrity", "hint"]


def _wrappings(value: Any, random: Random) -> list[Any]:
    """Return a value with something beside it, in the shapes that people give it."""
    beside = dict(zip(random.sample(_KEYS, 2), random.sample(_BESIDE, 2), strict=True))
    whole: list[Any] = [{random.choice(["src", "value", "name", "en", "items"]): value, **beside}]
    whole += [[value, *beside.values()], [value], {"x": {"value": value}, **beside}]
    if isinstance(value, dict):
        whole += [value | beside, [value | beside]]
    if isinstance(value, list):
        names = [each for each in value if isinstance(each, str)]
        whole += [dict.fromkeys(names, True) | {"watch": False}, dict.fromkeys(names, "Why")]
        whole += [[{"name": each, **beside} for each in names[:1]]]
    return [*whole, *([each] for each in whole)]


def unnamed(seed: int) -> tuple[str, str] | None:
    """Return the text that a number stands for, and what an unsafe fix drops without a word."""
    random = Random(seed)
    value: Any = valid(random)
    value["activities"][0] |= {"thumbnail": "box.png", "surfaces": ["phone"], "duration_minutes": 5}
    value["permissions"] = value["permissions"] or _LISTED["permissions"][:2]
    place = random.choice(_MEMBERS)
    holder: Any = [value]
    name: Any = 0
    for token in place:
        holder, name = holder[name], token
    held = holder.pop(name)
    field = _SCHEMA.field(place) or Field()
    names = [name, str(name).title(), str(name)[:-1], *field.synonyms]
    new: Any = random.choice(_wrappings(held, random))
    if isinstance(holder, dict):
        holder[random.choice(names)] = new
    else:
        holder.insert(name, new)
    text = json.dumps(new if not place else value)
    for finding in manifestkit.lint(text).findings:
        for fix in finding.fixes:
            is_other = any("value" in each for each in fix.patch)
            if fix.safety == "safe" or not fix.edits or not is_other:
                continue
            after = text
            for edit in reversed(fix.edits):
                after = after[: edit.start] + edit.text + after[edit.end :]
            gone = _unsaid(json.loads(text), after, f"{finding.message} {fix.message}")
            gone += _unsaid(json.loads(text), after, f"{finding.message} {finding.help}")
            if gone:
                return text, f"{gone}: {finding.message}; {finding.help}; {fix.message}"
    return None


def _unsaid(value: Any, after: str, said: str, *names: str) -> list[str]:
    """Return the texts, numbers and lone names in a value that are neither in a text nor said."""
    if isinstance(value, dict) and value:
        return [each for name in value for each in _unsaid(value[name], after, said, *names, name)]
    if isinstance(value, list) and value:
        return [each for part in value for each in _unsaid(part, after, said, *names)]
    is_lone = value in (True, False, None, {}, []) and bool(names)
    word = names[-1] if is_lone else value if isinstance(value, str) else json.dumps(value)
    is_told = word in after or word in said or any(f"`{each}`" in said for each in names)
    return [] if is_told or " more" in said else [word]


def main(count: int) -> int:
    """Try so many changes and values; return how many a fix makes something else of."""
    print(*(each for each in map(unnamed, range(count)) if each), sep="\n")
    losses = [each for each in map(lost, range(count)) if each]
    print(*losses, f"{len(losses):,} of {count:,} values of any kind: something is lost", sep="\n")
    return len(losses) + changes(count)


def changes(count: int) -> int:
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
