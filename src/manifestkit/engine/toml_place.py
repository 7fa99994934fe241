"""Where a key stands in a TOML text, which `tomllib` does not tell."""

from __future__ import annotations

import re

from manifestkit.location import LineIndex, Location, Span
from manifestkit.pointer import Path

_HEADER = re.compile(r"\s*\[(\[?)\s*([^\[\]]+?)\s*\]\]?")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")


def toml_place(text: str, path: Path) -> Location:
    """The key at a path, or the nearest table around it; else the first character.

    An array index counts the ``[[tables]]`` of a name; inside an inline array it is passed over.
    """
    best, best_depth = Span(0, min(1, len(text))), 0
    table: Path = ()
    counts: dict[Path, int] = {}
    offset = 0
    for line in text.splitlines(keepends=True):
        header, key = _HEADER.match(line), _KEY.match(line)
        found: Path = ()
        if header:
            table = _parts(header[2])
            if header[1]:
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            found, span = table, header.span(2)
        elif key:
            found, span = (*table, *_parts(key[1])), key.span(1)
        found = found[: len(path)]
        if len(found) > best_depth and found == path[: len(found)]:
            best, best_depth = Span(offset + span[0], offset + span[1]), len(found)
        offset += len(line)
    return LineIndex(text).locate(best)


def _parts(dotted: str) -> Path:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))
