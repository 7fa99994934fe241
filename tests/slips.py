"""Good manifests with a slip of the keyboard, and what `--fix` made of them.

`python tests/slips.py 20000 [SEED]` says in how many texts each outcome held, in JSON and in YAML.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, NoReturn

import manifestkit
from manifestkit.decode import decode
from manifestkit.engine.lint import lint_text

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\s\[\]{}:,"]+')
_KEYS = "{}[]:,\"'\\/#-+.e019 at\n\té“"
_PIECES = [
    *["Calm", "a", "1.0", "the box", "5 minutes", "true", "null", "x1", "https://x.example/a#b"],
    *[", ", ",", ": ", ":", "{", "}", "[", "]", "[1]", "}, {", '"', '", "', '"a"', "\\", "\\n"],
    *["'", "it's", "'a'", "//", "/* a */", "#", "\n", "\t", "é", "“", "”", "  ", "-", "+1"],
]
_WORDS = [
    *["Calm", "the box", "Box breathing", "images/a.png", "1.0", "5 minutes", "true", "x1", "it's"],
    *["Box: the breath", "calm: a box", "a, b", "the [calm] one", 'the "box"', "@home", "a # b"],
]
_MARKS = re.compile(r"[\[\]{}:,\"'|>-]")
_PROPERTY = re.compile(r"[&!*]\S+")
_IN_PLACE = "[]{}:,;\"'“”‘’-|>()@`%&*!?#\\"
_PLAIN = re.compile(r"(?!(?:true|x1)$)[A-Za-z][\w./']*(?: [\w./']+)*")


class Slip(NamedTuple):
    """A good text, and the same with one slip.

    Attributes:
        good: the text.
        text: the text with the slip.
        start: where the slip begins in the good text.
        end: where it ends there.
        alone: of two slips, the text with only the one and with only the other.
    """

    good: str
    text: str
    start: int
    end: int
    alone: tuple[str, ...] = ()


class Outcome(NamedTuple):
    """What became of a text with a slip.

    Attributes:
        kind: `good` (it can be read all the same), `back` (the value is the original's), `left`
            (the text is as it was), `near` (it differs from the original in the tokens of the slip
            and the punctuation beside them; in YAML, the fix has changed punctuation only, and
            where it made the text readable, each scalar of the original is one of its own), or
            `otherwise`.
        text: the text after the fixes.
        findings: how many syntax errors the text with the slip has.
    """

    kind: str
    text: str
    findings: int


def slips(random: random.Random) -> Slip:
    """A manifest of any shape, and one character deleted, doubled, swapped or put in."""
    good = _written(random, _manifest(random))
    at = random.randrange(len(good))
    kind = random.choice(["delete", "double", "swap", "insert"])
    if kind == "delete":
        return Slip(good, good[:at] + good[at + 1 :], at, at + 1)
    if kind == "double":
        return Slip(good, good[: at + 1] + good[at:], at, at + 1)
    if kind == "swap" and at + 1 < len(good):
        return Slip(good, good[:at] + good[at + 1] + good[at] + good[at + 2 :], at, at + 2)
    return Slip(good, good[:at] + random.choice(_KEYS) + good[at:], at, at)


def outcome(slip: Slip) -> Outcome:
    """What `--fix` makes of a slip."""
    done = manifestkit.fix(slip.text.encode(), "manifest.json")
    text = done.data.decode()
    before = lint_text(slip.text, "manifest.json").findings
    errors = sum(each.rule == "syntax-error" for each in before)
    return Outcome(_kind(slip, text), text, errors)


def yaml_slips(random: random.Random) -> Slip:
    """A manifest in YAML, and one or two of its punctuation marks removed or replaced."""
    good = _mapping(random, _yaml_manifest(random), 0)
    marks = [each.start() for each in _MARKS.finditer(good)]
    slipped = {
        at: random.choice(["", random.choice(_IN_PLACE)])
        for at in random.sample(marks, random.choice([1, 1, 2]))
    }
    text, *alone = (
        "".join(each.get(at, mark) for at, mark in enumerate(good))
        for each in [slipped, *({at: slipped[at]} for at in slipped)]
    )
    return Slip(good, text, min(slipped), max(slipped) + 1, tuple(alone))


def yaml_outcome(slip: Slip) -> Outcome:
    """What `--fix` makes of a slip in YAML."""
    done = manifestkit.fix(slip.text.encode(), "manifest.yaml")
    text = done.data.decode()
    before = lint_text(slip.text, "manifest.yaml").findings
    errors = sum(each.rule == "syntax-error" for each in before)
    return Outcome(_yaml_kind(slip, text), text, errors)


def _yaml_kind(slip: Slip, text: str) -> str:
    good, broken, fixed, *alone = (
        decode(each.encode(), "manifest.yaml") for each in (slip.good, slip.text, text, *slip.alone)
    )
    if text == slip.text:
        return "good" if broken.readable else "left"
    if fixed.readable and json.dumps(fixed.document.value) == json.dumps(good.document.value):
        return "back"
    if not fixed.readable or _letters(text) != _letters(slip.text):
        return "otherwise"
    if broken.readable:
        return "near"
    had, has = (Counter(_scalars(each.document.value)) for each in (good, fixed))
    has.update(map(_letters, _PROPERTY.findall(text)))  # what the slip has made an anchor or a tag
    for each in alone:
        if each.readable:  # this slip may have joined scalars before any fix
            had &= Counter(_scalars(each.document.value))
    return "otherwise" if had - has else "near"


def _scalars(value: Any) -> Iterator[str]:
    """The letters and digits of each scalar, names included."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _scalars(name)
            yield from _scalars(each)
    elif isinstance(value, list):
        for each in value:
            yield from _scalars(each)
    else:
        yield _letters(value if isinstance(value, str) else json.dumps(value))


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text).casefold()


def _kind(slip: Slip, text: str) -> str:
    if _read(slip.text) is not None and (text == slip.text or _is_near(slip, text)):
        return "good"
    if _read(text) == _read(slip.good):
        return "back"
    if text == slip.text:
        return "left"
    return "near" if _read(text) is not None and _is_near(slip, text) else "otherwise"


def _read(text: str) -> list[Any] | None:
    """What a strict reader reads: members in order, and 1 is not true; None if it is no JSON."""
    try:
        value = json.loads(text, parse_constant=_refuse, object_pairs_hook=_members)
    except ValueError:
        return None
    return [json.dumps(value)]


def _members(pairs: list[tuple[str, Any]]) -> tuple[Any, ...]:
    return ("{", *pairs)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _is_near(slip: Slip, text: str) -> bool:
    tokens = [each.span() for each in _TOKEN.finditer(slip.good)]
    touched = [
        number
        for number, (start, end) in enumerate(tokens)
        if start <= slip.end and end >= slip.start
    ]
    if not touched:
        touched = [max(0, sum(end <= slip.start for _, end in tokens) - 1)]
    first, last = touched[0], touched[-1]
    first -= bool(first) and slip.good[tokens[first - 1][0]] in "[]{}:,"
    last += last + 1 < len(tokens) and slip.good[tokens[last + 1][0]] in "[]{}:,"
    start, end = tokens[first][0], len(slip.good) - tokens[last][1]
    return (
        len(text) >= start + end
        and text[:start] == slip.good[:start]
        and text[len(text) - end :] == slip.good[len(slip.good) - end :]
    )


def _manifest(random: random.Random) -> dict[str, Any]:
    def text() -> str:
        return "".join(random.choices(_PIECES, k=random.choice([1, 1, 1, 2, 3])))

    value: dict[str, Any] = {
        "schema_version": "1.0",
        "provider": {"id": "com.example.a", "name": text(), "version": "1.0.0"},
        "runtime": {"entrypoint": text(), "sdk_version": "1.0"},
        "activities": [
            {"id": f"a{number}", "name": text(), "duration_minutes": random.choice([5, 30, 120])}
            for number in range(random.randint(1, 2))
        ],
        "permissions": random.sample(["profile.basic", "host.timer", "host.haptics"], k=2),
        "capabilities": random.choice([[], ["activity.start"]]),
    }
    for _ in range(random.randint(0, 3)):
        value[random.choice(["x", "tags", "a b", "no:te", "ca,ta"])] = random.choice(
            [
                text(),
                [text() for _ in range(random.randint(0, 4))],
                {text(): text(), "b": random.choice([True, False, None, 0, -1, 12, 1.5, 1e21])},
                [random.choice([True, None, 0, 1, 12, 345, -1.5]) for _ in range(3)],
                [[text()], {"k": [text()]}, [], {}],
            ]
        )
    names = list(value)
    if random.random() < 0.3:
        random.shuffle(names)
    return {name: value[name] for name in names}


def _written(random: random.Random, value: Any) -> str:
    indent = random.choice([None, None, 2, "\t"])
    separators = random.choice([None, (",", ":")]) if indent is None else None
    text = json.dumps(
        value, indent=indent, separators=separators, ensure_ascii=random.random() < 0.5
    )
    if indent == 2 and random.random() < 0.3:
        text = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda each: f"[{each[1]}]", text)
    return text + random.choice(["", "\n"])


def _yaml_manifest(random: random.Random) -> dict[str, Any]:
    value: dict[str, Any] = {
        "schema_version": "1.0",
        "provider": {"id": "com.example.a", "name": random.choice(_WORDS), "version": "1.0.0"},
        "runtime": {"entrypoint": "a.js", "sdk_version": "1.0"},
        "activities": [
            {"id": f"a{number}", "name": random.choice(_WORDS), "duration_minutes": 5}
            for number in range(random.randint(1, 2))
        ],
        "permissions": random.sample(["profile.basic", "host.timer", "host.haptics"], k=2),
        "capabilities": random.choice([[], ["activity.start"]]),
    }
    if random.random() < 0.5:
        value["presentation"] = {"thumbnail": random.choice(_WORDS)}
    if random.random() < 0.5:
        value["x-list"] = random.choices([*_WORDS, True, None, 12, {"a": "b", "c d": [7]}], k=3)
    return value


def _mapping(random: random.Random, value: dict[str, Any], indent: int) -> str:
    pad = " " * indent
    return "".join(f"{pad}{key}:{_member(random, each, indent)}" for key, each in value.items())


def _member(random: random.Random, value: Any, indent: int) -> str:
    """What stands after a key's colon, or after a dash: in block style or in brackets."""
    if not isinstance(value, dict | list) or not value or random.random() < 0.5:
        return f" {_flow(random, value, indent + 4)}\n"
    if isinstance(value, dict):
        return "\n" + _mapping(random, value, indent + 2)
    pad = " " * (indent + 2)
    items = []
    for each in value:
        if isinstance(each, dict) and random.random() < 0.5:
            items.append(f"{pad}- {_mapping(random, each, indent + 4).lstrip()}")
        else:
            items.append(f"{pad}-{_member(random, each, indent + 2)}")
    return "\n" + "".join(items)


def _flow(random: random.Random, value: Any, indent: int) -> str:
    if not isinstance(value, dict | list):
        return _scalar(random, value)
    pad, space = random.choice(
        [("", ""), ("", ""), (" ", " "), ("\n" + " " * indent, "\n" + " " * (indent - 2))]
    )
    if isinstance(value, dict):
        members = (
            f"{_scalar(random, key)}: {_flow(random, each, indent + 2)}"
            for key, each in value.items()
        )
        return "{" + pad + f",{pad or ' '}".join(members) + space + "}"
    items = (_flow(random, each, indent + 2) for each in value)
    return "[" + pad + f",{pad or ' '}".join(items) + space + "]"


def _scalar(random: random.Random, value: Any) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    styles = [json.dumps(value), "'" + value.replace("'", "''") + "'"]
    if _PLAIN.fullmatch(value):
        styles += [value] * 3
    return random.choice(styles)


def main(count: int, seed: int) -> int:
    """Try slips until so many texts in each syntax are broken; say what became of all."""
    of_json = _tried("JSON", slips, outcome, count, seed)
    of_yaml = _tried("YAML", yaml_slips, yaml_outcome, count, seed)
    return 0 if of_json and of_yaml else 1


def _tried(
    syntax: str,
    made: Callable[[random.Random], Slip],
    judged: Callable[[Slip], Outcome],
    count: int,
    seed: int,
) -> bool:
    chance = random.Random(seed)
    kinds: Counter[str] = Counter()
    errors: Counter[int] = Counter()
    while sum(errors.values()) < count:
        slip = made(chance)
        found = judged(slip)
        kinds[found.kind] += 1
        errors[found.findings] += bool(found.findings)
        if found.kind == "otherwise":
            print(f"--- good\n{slip.good}\n--- slip\n{slip.text}\n--- fixed\n{found.text}")
    print(f"{sum(kinds.values())} slips: {dict(kinds.most_common())}")
    print(f"syntax errors in a text that is no {syntax}: {dict(sorted(errors.items()))}")
    return not kinds["otherwise"]


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
