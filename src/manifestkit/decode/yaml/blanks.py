"""Blanks of other kinds in place of spaces, as web pages and chats have them: letters to YAML."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice, pairwise

from manifestkit.decode.findings import Decoded
from manifestkit.decode.yaml.reader import read
from manifestkit.decode.yaml.source import Source
from manifestkit.model.finding import Edit, Fix
from manifestkit.model.limits import Limits
from manifestkit.model.location import Span

ODD_BLANK = re.compile("[\xa0\u1680\u2000-\u200b\u202f\u205f\u3000]")
_SEPARATOR = re.compile(rf"(?m)(?:^[ -]*+|:[ ]*+)((?:{ODD_BLANK.pattern}[ ]*+)+)")
_MOST = 1_000
_HELP = "write spaces"

_Place = tuple[int, int]


def read_with_spaces(decoded: Decoded, limits: Limits) -> Decoded:
    """Read an unreadable text as if such blanks were spaces, if they are what is wrong.

    Those in scalars and comments stay as they are.
    """
    name, text = decoded.document.name, decoded.document.text
    source = Source(text, name, limits)
    places = list(islice(_separators(source), _MOST))
    trial = Source(_spaced(text, source, places), name, limits)
    trial.is_odd = True  # so that it notes its scalars
    read(text, trial, limits)
    places = list(_outside(places, sorted(trial.scalars)))
    again = read(text, Source(_spaced(text, source, places), name, limits), limits)
    if [each.location for each in again.findings] == [each.location for each in decoded.findings]:
        return decoded
    first = ODD_BLANK.search(source.text, *places[0])
    assert first is not None  # noqa: S101 - each place has one
    edits = tuple(Edit(*source.span(*each), " " * (each[1] - each[0])) for each in places)
    source.error(
        first.start(),
        first.end(),
        f"{unicodedata.name(first[0]).lower()} (U+{ord(first[0]):04X}) where YAML needs a space",
        _HELP,
        fix=Fix(_HELP, "safe", edits, ()),
    )
    return Decoded(again.document, (*source.reporter.findings, *again.findings), readable=False)


def _separators(source: Source) -> Iterator[_Place]:
    """Yield the blanks that begin a line, or follow a dash there or a colon."""
    start = 0
    for line in source.text.split("\n"):
        if ODD_BLANK.search(line):
            end = source.line_end(start)
            yield from (each.span(1) for each in _SEPARATOR.finditer(source.text, start, end))
        start += len(line) + 1


def _outside(places: list[_Place], scalars: list[_Place]) -> Iterator[_Place]:
    for place in places:
        before = bisect_right(scalars, place)
        if not before or scalars[before - 1][1] <= place[0]:
            yield place


def _spaced(text: str, source: Source, places: list[_Place]) -> str:
    spans = [Span(0, 0), *(source.span(*each) for each in places), Span(len(text), len(text))]
    parts = [
        " " * (before.end - before.start) + text[before.end : after.start]
        for before, after in pairwise(spans)
    ]
    return "".join(parts)
