"""Unified diffs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import unified_diff

from manifestkit.rendering.escape import defused, visible

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_KEPT = re.compile("([\t\r\ufeff])")
_NO_BREAK = "\\ No newline at end of file"


def diff(name: str, before: str, after: str) -> Iterator[str]:
    """Yield the lines of a unified diff; none when nothing changes."""
    path = visible(name)
    lines = unified_diff(_LINE.findall(before), _LINE.findall(after), f"a/{path}", f"b/{path}", n=3)
    for line in lines:
        text = line.removesuffix("\n")
        shown = "".join(
            part if _KEPT.fullmatch(part) else visible(part) for part in _KEPT.split(text)
        )
        yield f"{defused(shown)}\n"
        if text == line:
            yield f"{_NO_BREAK}\n"
