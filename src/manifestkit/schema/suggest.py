"""“Did you mean”: names and values that are almost others."""

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

from manifestkit.model.pointer import Path
from manifestkit.model.printable import truncate
from manifestkit.schema.drafts import frozen

_SEPARATORS = re.compile(r"[^a-z0-9]")
_BETWEEN_VALUES = re.compile(r"[\s,;|+]++")
_BETWEEN_PARTS = re.compile(r"[\s_:/-]++")
_GETTER = r"\bget(?=[A-Z])"
_WORDS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")
_LONG_WORDS = re.compile(r"[A-Z][a-z]{4,}|[a-z]{5,}|[A-Z]{5,}(?![a-z])")
_STEM = 5
_PLAIN = re.compile(r"[^\W_]+(?:(?:[-_.:/] ?| )[^\W_]+)*")
_ANY_VOWEL = re.compile(r"(?<!^)[aeiou](?!$)")
_VOWEL = re.compile(r"(?<=[^aeiou\W])[aeiou](?=[^aeiou\W])")
_DOUBLED = re.compile(r"(.)\1")
_OPPOSITES = (
    frozenset({"get", "set"}),
    frozenset({"start", "stop"}),
    frozenset({"start", "end"}),
    frozenset({"enable", "disable"}),
)
_STEPS = re.compile(r"(?:\.[A-Za-z_]\w*|\.?\[\d{1,3}\]){1,9}")
_LONGEST_TYPO = 64
_MOST_SLIPS = 3
_MOST_NAMES = 250
_MOST_AKIN = 3
_FEW = 8
_LONGEST_WORD = 7  # of which there are others that differ in a letter
_SHORTEST_SEGMENT = 4  # in a shorter one, a slip is as likely another word

# Cyrillic letters, then Greek ones, that look like Latin ones.
_LOOK_ALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u043a\u0442"
    "\u03b1\u03b5\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5",
    "aeopcyxijsktaeikvoptu",
)


class Suggestion(NamedTuple):
    """The listed values that one which is not listed resembles."""

    values: tuple[str, ...]  # several where none of them is nearer than the others
    is_sure: bool  # whether nobody could have meant anything else


@lru_cache(maxsize=4096)
def suggest(value: str, allowed: tuple[str, ...], others: tuple[str, ...]) -> Suggestion:
    """Return the allowed values that one may stand for.

    The others are the values of a list that names the same things otherwise.
    """
    if value in others:
        found = counterparts(value, allowed)
        return Suggestion(found, is_sure=len(found) == 1)
    near = _suggest(value, allowed)
    if near.values:
        return near
    there = _suggest(value, others).values
    found = counterparts(there[0], allowed) if len(there) == 1 else ()
    return Suggestion(_without_opposites(value, found), is_sure=False)


@lru_cache(maxsize=4096)
def _suggest(written: str, allowed: tuple[str, ...]) -> Suggestion:
    """Return the listed values that a text may stand for: those that it is the most like."""
    if not written.strip() or len(written) > _LONGEST_TYPO:
        return Suggestion((), is_sure=False)
    for is_alike in (_is_same, is_slip, lambda short, each: each.endswith(f".{short}")):
        if found := tuple(each for each in allowed if is_alike(written, each)):
            is_sure = len(found) == 1 and _is_plain(written)
            # A slip in a short name can make a word: in `diary`, it makes `dairy`.
            is_long = "." in found[0] or len(found[0]) > _LONGEST_WORD
            is_sure = is_sure and (is_alike is _is_same or is_long)
            return Suggestion(found, is_sure=is_sure)
    near = (
        _nearest(written, allowed, sure=False)
        or _with_another_prefix(written, allowed)
        or tuple(each for each in allowed if "." in written and _is_short_for(written, each))
    )
    return Suggestion(_without_opposites(written, near), is_sure=False)


def akin(text: str, values: Iterable[tuple[Any, str | None]]) -> list[str]:
    """Return the texts among values that share the most words with one, in names or meanings.

    Empty where more than a few share as many: a word such as `read` says nothing.
    """
    words = _stems(text[:_LONGEST_TYPO])
    shared = {
        each: len(words & _stems(f"{each} {meaning or ''}"))
        for each, meaning in values
        if isinstance(each, str)
    }
    most = max(shared.values(), default=0) or 1
    found = [each for each, count in shared.items() if count == most]
    return found if len(found) <= _MOST_AKIN else []


@lru_cache(maxsize=1024)
def _stems(text: str) -> frozenset[str]:
    words = (each.lower().removesuffix("s") for each in _LONG_WORDS.findall(text))
    return frozenset(each[:_STEM] for each in words)


@lru_cache(maxsize=1024)
def resembles_listed(written: str, *lists: tuple[str, ...]) -> bool:
    """Return whether a text, or one of the values that it lists, is like a value of a list."""
    parts = _BETWEEN_VALUES.split(written[: _LONGEST_TYPO * _MOST_SLIPS])
    texts = dict.fromkeys((written, *parts))
    return any(
        _suggest(each, allowed).values or any(_is_opposite(each, other) for other in allowed)
        for each in texts
        for allowed in lists
    )


def is_slip(written: str, meant: str) -> bool:
    """Return whether a name is another but for case and separators, or for one slip of a key.

    A slip is a letter swapped with its neighbour, doubled, or no longer so, or a vowel left out
    between consonants, in a segment of some length: what stands between dots, or all of a name
    without dots. Any other letter put in, left out or changed may make another word: `compete`,
    `ghost`, `wealth`. A name with a mark that may switch it off is no other name.
    """
    if not _is_plain(written):
        return False
    if _is_same(written, meant):
        return True
    one, other = _segments(written), _segments(meant)
    if len(other) == 1:
        one = ("".join(one),)
    different = [pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]]
    return len(one) == len(other) and len(different) == 1 and _is_mistyped(*different[0])


def _is_mistyped(wrong: str, right: str) -> bool:
    """Return whether a segment has two letters swapped, one doubled, or no vowel where it must.

    Of a long one, any vowel may be missing.
    """
    if len(right) < _SHORTEST_SEGMENT or _distance(wrong, right) != 1:
        return False
    undoubled, expected = (_DOUBLED.sub(r"\1", each) for each in (wrong, right))
    vowels = (_ANY_VOWEL if len(right) > _LONGEST_WORD else _VOWEL).finditer(right)
    without_vowel = (right[: at.start()] + right[at.end() :] for at in vowels)
    return undoubled == expected or sorted(wrong) == sorted(right) or wrong in without_vowel


def _is_plain(written: str) -> bool:
    """Return whether a name has no mark by which people switch one off: ``!host.timer``, ``_a``."""
    return _PLAIN.fullmatch(written.strip()) is not None


def _without_opposites(written: str, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(each for each in values if not _is_opposite(written, each))


def _is_opposite(written: str, meant: str) -> bool:
    """Return whether a name has a word in which another one has its opposite."""
    one, other = {*_words(written)}, {*_words(meant)}
    return any(len(pair & (one - other)) == len(pair & (other - one)) == 1 for pair in _OPPOSITES)


@lru_cache(maxsize=4096)
def _words(name: str) -> list[str]:
    """Return the words of a name, if it is no longer than one that may be a typo."""
    return [] if len(name) > _LONGEST_TYPO else list(map(str.lower, _WORDS.findall(name)))


def _is_same(written: str, meant: str) -> bool:
    return "".join(_segments(written)).lower() == "".join(_segments(meant)).lower()


def _with_another_prefix(written: str, allowed: Collection[str]) -> tuple[str, ...]:
    """Return the values that end as a text does, in the most segments."""
    if _BETWEEN_VALUES.search(written.strip()):
        return ()
    segments = _segments(written.lower())
    for start in range(len(segments)):
        ends = {each: _segments(each.lower())[start - len(segments) :] for each in allowed}
        if found := tuple(each for each, end in ends.items() if end == segments[start:]):
            return found
    return ()


@lru_cache(maxsize=1024)
def _segments(name: str) -> tuple[str, ...]:
    """Return what stands between the dots of a name, without separators."""
    in_latin = unicodedata.normalize("NFKC", name).translate(_LOOK_ALIKES)
    return tuple(_BETWEEN_PARTS.sub("", each) for each in in_latin.split("."))


def nearest(word: str, candidates: Collection[str], *, sure: bool = False) -> str | None:
    """Return the candidate that was probably meant; None when none is near, or two are.

    If it must be sure, the word may well stand for itself: only a slip of a key counts.
    """
    near = _nearest(word, candidates, sure=sure)
    return near[0] if len(near) == 1 else None


def is_near(word: str, candidates: Collection[str]) -> bool:
    """Return whether a word is a candidate, or a slip of a key in one."""
    few = candidates if len(candidates) <= _MOST_NAMES else ()
    return word in candidates or bool(_nearest(word, few, sure=True))


def _nearest(word: str, candidates: Collection[str], *, sure: bool) -> tuple[str, ...]:
    """Return the candidates that are equally near to a word, and near enough."""
    if len(word) > _LONGEST_TYPO:
        return ()
    plain = plain_name(word)
    slips = {}
    for each in candidates:
        other = plain_name(each)
        is_plural = plain != other and _singular(plain) == _singular(other)  # that is one slip
        slips[each] = 1 if is_plural else _distance(plain, other)
    least = min(slips.values(), default=0)
    near = tuple(each for each, count in slips.items() if count == least)
    return near if all(least <= _allowed(each, sure=sure) for each in near) else ()


def is_path_of(written: str, name: str) -> bool:
    """Return whether a member's name is the path of a part of another: ``provider.id``."""
    return written.startswith(name) and bool(_STEPS.fullmatch(written, len(name)))


def not_listed(value: Any, path: Path, values: Sequence[Any]) -> str | None:
    """Return what is wrong with a value for a place with allowed ones; None if it is of them."""
    is_text = isinstance(value, str)
    if value in values if is_text else frozen(value) in map(frozen, values):
        return None
    near = nearest(value, [each for each in values if isinstance(each, str)]) if is_text else None
    known = [f"`{each}`" for each in values]
    hint = f"; it is {', '.join(known[:-1])} or {known[-1]}" if 1 < len(known) <= _FEW else ""
    hint = f"; did you mean `{near}`?" if near else hint
    name = next((each for each in reversed(path) if isinstance(each, str)), "this list")
    shown = value if is_text else truncate(json.dumps(value))
    return f"`{shown}` is not a value of `{name}`{hint}"


@lru_cache(maxsize=1024)
def counterparts(value: str, candidates: tuple[str, ...]) -> tuple[str, ...]:
    """Return the values of one list that say what a value of another list does.

    The two lists name the same things in two ways: ``profile.basic`` and ``profile.getBasic``,
    ``host.timer`` and ``host.timer.start``.
    """
    plain = plain_name(re.sub(_GETTER, "", value))
    pairs = [(each, plain_name(re.sub(_GETTER, "", each))) for each in candidates]
    slips = {each: _distance(plain, other) for each, other in pairs}
    least = min(slips.values(), default=_MOST_SLIPS)
    if least <= 1:
        return tuple(each for each in candidates if slips[each] == least)
    return tuple(k for k, each in pairs if each.startswith(plain) or plain.startswith(each))


def suggestion(name: str, known: Collection[str]) -> str | None:
    """Return the known name that was probably meant: the nearest, or one that it is short for."""
    return nearest(name, known) or full_name(name, known)


def full_name(name: str, known: Collection[str]) -> str | None:
    """Return the known name that one is short for, as ``duration`` is for ``duration_minutes``."""
    meant = [each for each in known if _is_short_for(name, each)]
    return meant[0] if len(meant) == 1 else None


def _is_short_for(name: str, whole: str) -> bool:
    """Return whether a name has the first words of another one, only the first of them whole."""
    short, words = _words(name), _words(whole)
    return (
        short[:1] == words[:1] != []
        and short != words
        and len(short) <= len(words)
        and all(map(str.startswith, words, short))
    )


@lru_cache(maxsize=4096)
def plain_name(word: str) -> str:
    """Drop what people vary in a word: ``sdkVersion``, ``sdk-version`` and ``sdk_version``."""
    return _SEPARATORS.sub("", word.lower())


def _singular(word: str) -> str:
    return f"{word[:-3]}y" if word.endswith("ies") else word.removesuffix("s")


def _allowed(word: str, *, sure: bool) -> int:
    length = len(plain_name(word))
    if length < 2:  # noqa: PLR2004 - any letter is one slip from any other
        return 0
    if sure:
        return 0 if length < 4 else 1 if length < 9 else 2  # noqa: PLR2004 - a scale
    return 1 if length < 6 else 2 if length < 12 else 3  # noqa: PLR2004 - a scale


@lru_cache(maxsize=4096)
def _distance(one: str, other: str) -> int:
    """Count the letters that are added, left out, changed or swapped with their neighbour.

    Where that is more than is taken for slips, it does not matter how many more.
    """
    letters, others = set(one), set(other)
    if max(abs(len(one) - len(other)), len(letters - others), len(others - letters)) > _MOST_SLIPS:
        return _MOST_SLIPS + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        last, before, row = before, row, [i]
        if before and min(*before, *(last or before)) > _MOST_SLIPS:
            return _MOST_SLIPS + 1
        for j, against in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != against))
            swapped = i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == against
            row.append(min(cost, last[j - 2] + 1) if swapped else cost)
    return row[-1]


def repaired(
    text: str, slips: Iterable[tuple[str, str, str]], check: Callable[[str], object]
) -> tuple[str, list[str]]:
    """Return a text with as few of the replacements as it needs, and their reasons.

    There are no reasons where `check`, which raises a ValueError for a wrong text, takes the text
    as it is, or with none of the replacements.
    """
    reasons: dict[str, None] = {}
    for wrong, right, reason in (("^", "", ""), *slips):
        changed = re.sub(wrong, right, text)
        if changed != text:
            reasons[reason] = None
        elif reason:
            continue
        text = changed
        with suppress(ValueError):
            check(text)
            return text, [*reasons]
    return text, []
