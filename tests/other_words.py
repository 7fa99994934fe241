"""Listed values in which a word is another one: a safe fix corrects a slip of one key, or nothing.

`python tests/other_words.py WORDS [COUNT]` puts COUNT words of a file, spread over all of it,
in the place of each segment of each listed value, and counts the slips of one key that are
corrected: letters swapped, doubled, or no longer doubled, or a vowel left out between consonants.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import manifestkit
from manifestkit.schema.model import Field
from manifestkit.schema.packaged import base_schema

WORDS = tuple((Path(__file__).parent / "other_words.txt").read_text().split())
_LEAST_CORRECTED = 0.97

MANIFEST: dict[str, Any] = {
    "schema_version": "1.0",
    "provider": {"id": "com.example.calm", "name": "Calm", "version": "1.2.0"},
    "runtime": {"entrypoint": "dist/index.js", "sdk_version": "1.0"},
    "activities": [
        {
            "id": "box",
            "name": "Box breathing",
            "category": "relaxation",
            "duration_minutes": 5,
            "thumbnail": "images/box.png",
            "surfaces": ["phone"],
        }
    ],
    "permissions": [],
    "capabilities": [],
    "presentation": {"thumbnail": "images/calm.png"},
}

LISTED: dict[str, tuple[str, ...]] = {
    name: tuple(each for each, _ in (base_schema().field((name, 0)) or Field()).values)
    for name in ("permissions", "capabilities")
}


def places() -> list[tuple[str, str, int]]:
    """Return each segment of each listed value: the list, the value, and which segment."""
    return [
        (name, value, index)
        for name, values in LISTED.items()
        for value in values
        for index in range(len(value.split(".")))
    ]


def with_word(value: str, index: int, word: str) -> str:
    """Return a value with another word as one of its segments."""
    segments = value.split(".")
    return ".".join([*segments[:index], word, *segments[index + 1 :]])


def fixed(name: str, written: str) -> str:
    """Return what `--fix` makes of the only item of a list."""
    text = json.dumps({**MANIFEST, name: [written]})
    (item,) = json.loads(manifestkit.fix(text).data)[name]
    return str(item)


def is_meant(name: str, written: str, after: str) -> bool:
    """Return whether nobody could have meant anything else than what a fix has written in a list.

    It differs by one key in a segment, or by a prefix that was missing, or it says what a value of
    the other list says.
    """
    if any(written in values for other, values in LISTED.items() if other != name):
        return True
    one, other = written.split("."), after.split(".")
    if len(one) < len(other):
        return other[len(other) - len(one) :] == one
    return len(one) == len(other) and all(
        a == b or (len(b) >= 4 and a in typos(b)) for a, b in zip(one, other, strict=True)
    )


def typos(word: str) -> set[str]:
    """Return every slip of one key that makes no other word."""
    slips = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)}
    slips |= {word[: at + 1] + word[at:] for at in range(len(word))}
    left_out = re.finditer(r"(.)(?=\1)|(?<=[^aeiou\W])[aeiou](?=[^aeiou\W])", word)
    slips |= {word[: at.start()] + word[at.end() :] for at in left_out}
    return slips - {word}


def corrected() -> Iterator[bool]:
    """Yield of each slip of one key in a listed value or member whether `--fix` corrects it."""
    for name, values in LISTED.items():
        for value in values:
            others = (each for each in sorted(typos(value)) if each not in values)
            yield from (fixed(name, each) == value for each in others)
    owners = [(), ("provider",), ("runtime",), ("activities", 0), ("presentation",)]
    for owner in owners:
        for name in _at(MANIFEST, owner):
            for typo in sorted(typos(name)):
                wrong = _renamed(MANIFEST, owner, name, typo)
                yield json.loads(manifestkit.fix(json.dumps(wrong)).data) == MANIFEST


def _at(value: Any, path: tuple[str | int, ...]) -> Any:
    for token in path:
        value = value[token]
    return value


def _renamed(value: Any, owner: tuple[str | int, ...], name: str, new: str) -> Any:
    changed = json.loads(json.dumps(value))
    members = _at(changed, owner)
    renamed = {new if each == name else each: members[each] for each in list(members)}
    members.clear()
    members.update(renamed)
    return changed


def main(words: list[str], count: int) -> int:
    """Try so many words and all slips; say what a fix makes of them."""
    chosen = words[:: max(1, len(words) // count)][:count]
    wrong = tried = 0
    for name, value, index in places():
        for word in chosen:
            written = with_word(value, index, word)
            after = fixed(name, written)
            tried += 1
            if after != written and not is_meant(name, written, after):
                wrong += 1
                print(f"{name}: {written} became {after}")
    print(f"{tried:,} values with another word: {wrong:,} became another value")
    outcomes = list(corrected())
    share = sum(outcomes) / len(outcomes)
    print(f"{len(outcomes):,} slips of one key: {share:.2%} corrected")
    return int(wrong > 0 or share < _LEAST_CORRECTED)


if __name__ == "__main__":
    every = Path(sys.argv[1]).read_text().split()
    sys.exit(main(every, int(sys.argv[2]) if len(sys.argv) > 2 else len(every)))
