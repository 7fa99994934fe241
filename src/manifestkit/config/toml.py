"""Where keys stand in a TOML text, which `tomllib` does not tell."""

from __future__ import annotations

import re

from manifestkit.model.location import LineIndex, Location, Span
from manifestkit.model.pointer import Path

PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
"""A part of a key, as a regular expression."""
_HEADER = re.compile(r"\s*+\[(\[?)\s*+((?:[^\[\]\s]++|\s++(?!\]))++)\s*+\]")
_KEY = re.compile(rf"\s*+({PART}(?:\s*+\.\s*+{PART})*+)\s*+=")
_DEEPEST = 16


class TomlPlaces:
    """The keys of a TOML text. An array index counts the ``[[tables]]`` of a name."""

    def __init__(self, text: str) -> None:
        self._lines = LineIndex(text)
        self._places: dict[Path, Span] = {(): Span(0, min(1, len(text)))}
        table: Path = ()
        counts: dict[Path, int] = {}
        offset = 0
        for line in text.splitlines(keepends=True):
            header, key = _HEADER.match(line), _KEY.match(line)
            if header:
                table = _parts(header[2])
                if header[1]:
                    counts[table] = counts.get(table, -1) + 1
                    table = (*table, counts[table])
                self._note(table, offset, header.span(2))
            elif key:
                self._note((*table, *_parts(key[1])), offset, key.span(1))
            offset += len(line)

    def locate(self, path: Path) -> Location:
        """The key at a path, or the nearest table around it; else the first character."""
        while path not in self._places:
            path = path[:-1]
        return self._lines.locate(self._places[path])

    def _note(self, path: Path, offset: int, span: tuple[int, int]) -> None:
        place = Span(offset + span[0], offset + span[1])
        for length in range(1, min(len(path), _DEEPEST) + 1):
            self._places.setdefault(path[:length], place)


def _parts(dotted: str) -> Path:
    return tuple(part.strip("\"'") for part in re.findall(PART, dotted))
