"""Unified diffs."""

from __future__ import annotations

import re
from difflib import unified_diff

from manifestkit.rendering.escape import defused, visible

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_KEPT = re.compile("([\t\r\ufeff])")
_NO_BREAK = "\\ No newline at end of file"


def diff(name: str, before: bytes, after: bytes) -> str:
    """Return a unified diff of a file's content; empty when nothing changes."""
    if before == after:
        return ""
    path = visible(name)
    old, new = (_LINE.findall(each.decode()) for each in (before, after))
    parts: list[str] = []
    for line in unified_diff(old, new, f"a/{path}", f"b/{path}", n=3):
        text = line.removesuffix("\n")
        shown = "".join(
            part if _KEPT.fullmatch(part) else visible(part) for part in _KEPT.split(text)
        )
        parts.append(f"{defused(shown)}\n")
        if text == line:
            parts.append(f"{_NO_BREAK}\n")
    return "".join(parts)
