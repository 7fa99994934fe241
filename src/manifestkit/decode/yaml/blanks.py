"""Blanks of other kinds in place of spaces, as web pages and chats have them: letters to YAML."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from itertools import pairwise

from manifestkit.decode.findings import Decoded
from manifestkit.decode.yaml.reader import read
from manifestkit.decode.yaml.source import Source
from manifestkit.model.finding import Edit, Fix
from manifestkit.model.limits import Limits
from manifestkit.model.location import Span

ODD_BLANK = re.compile("[\xa0\u1680\u2000-\u200b\u202f\u205f\u3000]")
_SEPARATORS = re.compile(rf"(?m)(?:^[ -]*+|:[ ]*+)((?:{ODD_BLANK.pattern}[ ]*+)+)")
_HELP = "write spaces"


def read_with_spaces(decoded: Decoded, limits: Limits) -> Decoded:
    """Read an unreadable text as if such blanks were spaces, if they are what is wrong.

    Those in scalars and comments stay as they are.
    """
    name, text = decoded.document.name, decoded.document.text
    source = Source(text, name, limits)
    places = [each.span(1) for each in _SEPARATORS.finditer(source.text)]
    trial = Source(_spaced(text, source, places), name, limits)
    trial.is_odd = True  # so that it notes its scalars
    read(text, trial, limits)
    scalars = sorted(trial.scalars)
    places = [
        (start, end)
        for start, end in places
        if source.line_end(source.text.rfind("\n", 0, start) + 1) > start
        and not any(end > start for _, end in scalars[: bisect_right(scalars, (start, end))][-1:])
    ]
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


def _spaced(text: str, source: Source, places: list[tuple[int, int]]) -> str:
    spans = [Span(0, 0), *(source.span(*each) for each in places), Span(len(text), len(text))]
    parts = [
        " " * (before.end - before.start) + text[before.end : after.start]
        for before, after in pairwise(spans)
    ]
    return "".join(parts)
