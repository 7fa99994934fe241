"""Words of sentences: how messages name values, places and counts; at most a line of each."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from manifestkit.model.pointer import Path
from manifestkit.model.printable import printable

if TYPE_CHECKING:
    from manifestkit.schema.model import Field

_ENCODER = json.JSONEncoder(ensure_ascii=False)
_PLAIN_NAME = r"[A-Za-z_$][\w$-]*"
_QUOTED = 80
_LONGEST_PATH = 160
_LISTED = 20


def quoted(value: Any) -> str:
    """Return a JSON value as messages show it: between backticks, and truncated."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    return excerpt(value)


def excerpt(value: Any, most: int = _QUOTED) -> str:
    """Return the JSON text of a value, between backticks, and truncated."""
    if isinstance(value, dict | list):
        text = "".join(islice(_ENCODER.iterencode(value), most + 1))
    else:
        text = _ENCODER.encode(value[: most + 1] if isinstance(value, str) else value)
    return f"`{printable(text, most)}`"


def member_excerpt(name: str, value: Any, most: int = _QUOTED) -> str:
    """Return the JSON text of a member, between backticks, and truncated."""
    return f"{excerpt(name)[:-1]}: {excerpt(value, most)[1:]}"


def named(value: Any) -> str:
    """Return a value as a sentence names it: a string without quotes, unless it looks empty."""
    if isinstance(value, str) and value.strip():
        return f"`{printable(value, _QUOTED)}`"
    return quoted(value)


def fits(value: Any) -> bool:
    """Return whether a message can hold the whole of a value."""
    return sum(map(len, islice(_ENCODER.iterencode(value), _QUOTED + 1))) <= _QUOTED


def label(path: Path) -> str:
    """Return a path as people write it: ``activities[2].name``; the root is ``manifest``."""
    text = ""
    for token in path:
        if isinstance(token, int):
            text += f"[{token}]"
        elif (token.isascii() and token.isidentifier()) or re.fullmatch(_PLAIN_NAME, token):
            text += f".{token}"
        else:
            text += f"[{json.dumps(token, ensure_ascii=False)}]"
    if not text:
        return "the manifest"
    shown = printable(text.removeprefix("."))
    return f"`{shown if len(shown) <= _LONGEST_PATH else '…' + shown[1 - _LONGEST_PATH :]}`"


def place_of(path: Path, inside: str = "in") -> str:
    """Return the place of an object's members: in it, or at the top level of the manifest."""
    if path:
        return f"{inside} {label(path)}"
    return f"{'to' if inside == 'into' else 'at'} the top level"


def listed(values: Sequence[Any], last: str = "or", say: Callable[[Any], str] = str) -> str:
    """Return values as a list in a sentence: ``a, b or c``, truncated."""
    words = [say(each) for each in values[:_LISTED]]
    if len(values) > _LISTED:
        return ", ".join(words) + f" and {len(values) - _LISTED} more"
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else ""


def with_article(noun: str) -> str:
    """Return a noun with its article: ``a permission``, ``an activity``."""
    return f"{'an' if noun[:1].lower() in tuple('aeiou') else 'a'} {noun}"


def kind(value: Any) -> str:
    """Return the JSON type of a value, with its text where that helps to find it."""
    if isinstance(value, dict | list):
        return quoted(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"the boolean {quoted(value)}"
    return f"the {'string' if isinstance(value, str) else 'number'} {quoted(value)}"


def meaning(field: Field | None) -> str | None:
    """Return the first sentence of a value's description."""
    if field is None or field.description is None:
        return None
    sentence = field.description.split(". ")[0].rstrip(".")
    return sentence[:1].lower() + sentence[1:]


def look_alike(written: str, meant: str) -> str | None:
    """Say which letter of a name only looks like the one that is meant; None for other slips."""
    for letter, other in zip(written, meant, strict=False):
        if letter != other:
            if unicodedata.category(letter) == "Cf":
                return f"it has an invisible character, U+{ord(letter):04X}"
            script = unicodedata.name(letter, "").split(" ", 1)[0].capitalize()
            if letter.isascii() or not letter.isalpha() or len(written) != len(meant):
                return None
            return f"`{letter}` is the {script} letter U+{ord(letter):04X}, not `{other}`"
    return None


def type_name(types: Any) -> str:
    """Return the types of a `type` keyword, with their articles."""
    names = [types] if isinstance(types, str) else types
    return listed(["null" if name == "null" else with_article(name) for name in names])


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with a noun; without `plural`, that is the noun and an `s`."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
