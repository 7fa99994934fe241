"""Where a key stands in a TOML text, which `tomllib` does not tell."""

from __future__ import annotations

import re

from manifestkit.pointer import Path

_HEADER = re.compile(r"\s*\[(\[?)\s*([^\[\]]+?)\s*\]\]?")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")


def toml_place(text: str, path: Path) -> tuple[int, int]:
    """Line and column (1-based) of the key at a path, or of the nearest table around it.

    An array index counts the ``[[tables]]`` of a name; inside an inline array it is passed over.
    """
    best, best_depth = (1, 1), 0
    table: Path = ()
    counts: dict[Path, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.match(line)
        if header:
            table = _parts(header[2])
            if header[1]:
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            found, column = table, header.start(2) + 1
        else:
            key = _KEY.match(line)
            if key is None:
                continue
            found, column = (*table, *_parts(key[1])), key.start(1) + 1
        if found == path[: len(found)] and len(found) > best_depth:
            best, best_depth = (number, column), len(found)
    return best


def _parts(dotted: str) -> Path:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))
