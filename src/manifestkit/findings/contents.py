"""Texts in a value of the wrong shape: those that say no, those that hold several values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from manifestkit.files import other_tools
from manifestkit.model.limits import is_deeper
from manifestkit.model.pointer import walk
from manifestkit.schema.model import Field
from manifestkit.schema.suggest import plain_name

_MOST_PARTS = 100
_MOST_VALUES, _CHARACTERS = 1_000, 100
_MOST_NESTED = 100
_REFUSING = frozenset(other_tools("refusals"))
_WORDS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")
_LANGUAGE = re.compile(r"(?:[a-z]{2}(?:[-_][A-Za-z]{2,4})?|default)")
_LANGUAGE_NAMES = frozenset({"lang", "language", "locale"})
_BETWEEN_WORDS = r"[\s,;]+"
_BETWEEN_TEXTS = r"[,;|]"


class Reading(NamedTuple):
    """A value that fits its place, made of one that does not.

    Attributes:
        value: the value.
        is_safe: whether nothing is lost, and no other value could be meant.
    """

    value: Any
    is_safe: bool


def refuses(value: Any) -> bool:
    """Return whether a value, or the word that it begins with, says no to what its name says."""
    if not isinstance(value, str):
        return value is None or value is False or value == 0
    text = value.lower()
    first = next(iter(_WORDS.findall(text)), "")
    return not _REFUSING.isdisjoint((text.strip(), plain_name(text), first))


def refusing_words(name: str) -> set[str]:
    """Return the words of a name that say no, and all of it where it does."""
    words = {*map(str.lower, _WORDS.findall(name)), plain_name(name)}
    return words & _REFUSING - {"n"}


def says_no(value: Any) -> bool:
    """Return whether a small value, or a name or value in it, says no, but not to a no."""
    if isinstance(value, dict):
        return any(bool(refusing_words(name)) != says_no(each) for name, each in value.items())
    return any(map(says_no, value)) if isinstance(value, list) else refuses(value)


def translations(value: Any) -> dict[str, str]:
    """Return the texts of a value by their languages, first the one to keep; none of others."""
    items = value if isinstance(value, list) else [value]
    pairs = [pair for pair in map(_with_language, items) if pair]
    found = dict(pairs) if len(pairs) == len(items) else value
    if not isinstance(found, dict) or (found is value and len(value) == 1):
        return {}
    if not all(_LANGUAGE.fullmatch(name) and isinstance(found[name], str) for name in found):
        return {}
    names = sorted(found, key=lambda each: not each.startswith(("en", "default")))
    return {name: found[name] for name in names}


def _with_language(value: Any) -> tuple[str, Any] | None:
    """Return the language and the text that an object consists of."""
    if not isinstance(value, dict) or len(value) != 2:  # noqa: PLR2004 - a pair
        return None
    language, other = sorted(value, key=lambda each: plain_name(each) not in _LANGUAGE_NAMES)
    is_pair = plain_name(language) in _LANGUAGE_NAMES and isinstance(value[language], str)
    return (value[language], value[other]) if is_pair else None


def split(text: str, *, at_blanks: bool) -> list[str]:
    """Return the values that a text lists; what has blanks may be one value."""
    parts = re.split(_BETWEEN_WORDS if at_blanks else _BETWEEN_TEXTS, text, maxsplit=_MOST_PARTS)
    return [each.strip() for each in parts if each.strip()]


def texts_in(value: Any) -> Iterator[str]:
    """Yield the texts in an object or array, and the names for which it says no."""
    is_table = isinstance(value, dict)
    pairs = value.items() if is_table else enumerate(value if isinstance(value, list) else ())
    for name, each in pairs:
        if isinstance(each, str):
            yield each
        elif is_table and says_no(each):
            yield str(name)
        yield from texts_in(each)


def listed_in(item: Field | None, value: Any) -> list[Any]:
    """Return the values that the items of a list may be of those that stand in a small value."""
    if item is None or not item.values or not is_small(value):
        return []
    members = value if isinstance(value, dict) else {}
    texts = [part for text in texts_in([value]) for part in split(text, at_blanks=True)]
    paths = [[*path, each] if isinstance(each, str) else path for path, each in walk(members)]
    inner = (".".join(each for each in path if isinstance(each, str)) for path in paths)
    found = {*map(plain_name, (*members, *texts, *inner))}
    return [each for each, _ in item.values if isinstance(each, str) and plain_name(each) in found]


def is_small(value: Any) -> bool:
    """Return whether a value may be shown and written once more."""
    if is_deeper(value, _MOST_NESTED):
        return False
    left = _MOST_VALUES
    todo = [value]
    for each in todo:
        left -= 1 + (len(each) // _CHARACTERS if isinstance(each, str) else 0)
        if isinstance(each, dict | list):
            if len(each) > left:
                return False
            todo += each.values() if isinstance(each, dict) else each
        if left < 0:
            return False
    return True
