"""Plain scalars that readers of YAML 1.1 take for something else.

YAML 1.1 (yaml.org/type) reads ``no`` as false, ``2026-11-20`` as a date, ``1:30`` as ninety,
``010`` as eight. Many tools still read it; a quoted scalar means the same to all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from manifestkit.document import Document
from manifestkit.node import Node
from manifestkit.pointer import Path, Way, path_of

_TRUE = frozenset({"y", "Y", "yes", "Yes", "YES", "on", "On", "ON"})
_FALSE = frozenset({"n", "N", "no", "No", "NO", "off", "Off", "OFF"})
_WORDS = _TRUE | _FALSE
_DATE = re.compile(
    r"""[0-9]{4}-[0-9]{2}-[0-9]{2}
      | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?
        (?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?""",
    re.VERBOSE,
)
_INTEGER = re.compile(
    r"""(?P<sign>[-+]?)(?: 0b(?P<binary>[01_]+) | 0x(?P<hex>[0-9a-fA-F_]+) | 0(?P<octal>[0-7_]+)
      | (?P<decimal>0|[1-9][0-9_]*) | (?P<sixty>[1-9][0-9_]*(?::[0-5]?[0-9])+) )""",
    re.VERBOSE,
)
_REAL = re.compile(
    r"""[-+]?(?: (?:[0-9][0-9_]*)?\.[0-9_]*(?:[eE][-+][0-9]+)?
      | (?P<sixty>[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*) )""",
    re.VERBOSE,
)
_BASES = {"binary": 2, "octal": 8, "hex": 16, "decimal": 10}
# Numbers whose spelling can differ between the two; others need no look at their place.
_ODD_NUMBER = re.compile(r"(?<![0-9A-Za-z_.])0[0-9o]|[0-9.][eE][-+0-9]")
_NOT_PLAIN = frozenset("\"'|>*")
_BEFORE_PLAIN = frozenset(" \t\n\r,[{:\ufeff")
_TAG_BEFORE = re.compile(r"(?<![^\s,\[{:])![^\s,\[\]{}]*(?<!:)\s+(?:&[^\s,\[\]{}]+\s+)?\Z")
_LONGEST_TAG = 200
_BEGIN_NUMBER = frozenset("+-.0123456789")
_LONGEST = 100  # a scalar of more characters is prose, or beyond the limits
_MANY = 20  # so many texts are found faster by their places than by search


class Reading(NamedTuple):
    """A value that readers of YAML 1.1 take for something else.

    Attributes:
        path: the value.
        source: how it is spelt.
        others: what those readers see, such as ``the boolean false``.
        fix: the text to write in its place.
    """

    path: Path
    source: str
    others: str
    fix: str


def readings(document: Document) -> list[Reading]:
    """The plain scalars of a YAML document that readers of YAML 1.1 take for something else."""
    if document.syntax != "yaml":
        return []
    odd_numbers = _ODD_NUMBER.search(document.text) is not None
    suspects = {
        value for value in _scalars(document.value) if _suspect(value, odd_numbers=odd_numbers)
    }
    if not _any_plain(suspects, document.text):
        return []
    found = []
    for way, value, node in _places(document):
        if not _suspect(value, odd_numbers=odd_numbers):
            continue
        source = document.text[node.span.start : node.span.end]
        start = node.span.start
        if source[:1] in _NOT_PLAIN or _TAG_BEFORE.search(
            document.text, max(0, start - _LONGEST_TAG), start
        ):
            continue  # quotes and tags say the same to all
        others = _others(source, value)
        if others:
            found.append(Reading(path_of(way), source, others, f'"{source}"'))
    return found


def _any_plain(suspects: set[Any], text: str) -> bool:
    """Whether any of these may stand in a text without quotes.

    `"1.0"` in quotes stands in every other manifest: places are asked for only if it may be plain.
    """
    if len(suspects) > _MANY or not all(isinstance(each, str) for each in suspects):
        return True
    return any(_may_be_plain(each, text) for each in suspects)


def _may_be_plain(source: str, text: str) -> bool:
    at = text.find(source)
    while at > 0 and text[at - 1] not in _BEFORE_PLAIN:
        at = text.find(source, at + 1)
    return at >= 0


def _scalars(root: Any) -> Iterator[Any]:
    pending = [root]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            pending.extend(value.values())
        elif isinstance(value, list):
            pending.extend(value)
        else:
            yield value


def _places(document: Document) -> Iterator[tuple[Way, Any, Node]]:
    """Every scalar in the order of the text; what an alias repeats is at its anchor only."""
    pending: list[tuple[Way, Any, Node]] = [(None, document.value, document.root)]
    while pending:
        way, value, node = pending.pop()
        if document.text.startswith("*", node.span.start):
            continue
        if node.members is not None:
            pending += reversed(
                [((way, k), value[k], member.node) for k, member in node.members.items()]
            )
        elif node.items is not None:
            pending += reversed([((way, i), value[i], item) for i, item in enumerate(node.items)])
        else:
            yield way, value, node


def _suspect(value: Any, *, odd_numbers: bool) -> bool:
    if isinstance(value, str):
        return (
            value[:1] in _BEGIN_NUMBER
            and len(value) <= _LONGEST
            and _others(value, value) is not None
        ) or value in _WORDS
    return odd_numbers and isinstance(value, int | float) and not isinstance(value, bool)


def _others(source: str, value: Any) -> str | None:
    """What readers of YAML 1.1 see in a plain scalar, if that is not the value."""
    if source in _TRUE:
        return "the boolean true"
    if source in _FALSE:
        return "the boolean false"
    if _DATE.fullmatch(source):
        return f"the date {source}" if source.count(":") == 0 else f"the time {source}"
    other = _number(source)
    if other == value and type(other) is type(value):
        return None
    if other is None:
        return None if isinstance(value, str) else f"the text `{source}`"
    return f"the number {other}"


def _number(source: str) -> int | float | None:
    match = _INTEGER.fullmatch(source)
    if match:
        sign = -1 if match["sign"] == "-" else 1
        digits = (match[match.lastgroup or 0]).replace("_", "")
        if not digits:
            return None
        if match["sixty"]:
            return sign * int(_sexagesimal(digits))
        return sign * int(digits, _BASES[str(match.lastgroup)])
    match = _REAL.fullmatch(source)
    if match and any(character.isdigit() for character in source):
        digits = source.replace("_", "")
        if not match["sixty"]:
            return float(digits)
        sign = -1 if digits.startswith("-") else 1
        return sign * _sexagesimal(digits.lstrip("+-"))
    return None


def _sexagesimal(digits: str) -> float:
    total = 0.0
    for part in digits.split(":"):
        total = total * 60 + float(part)
    return total
