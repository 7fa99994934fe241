"""Links in what is no file system: a tree in git."""

from __future__ import annotations

from collections.abc import Callable

_MOST_STEPS = 40  # from link to link, as of Linux
_MOST_TEXT = 4096  # characters of the path and of what the links put in, as of one path on Linux


def follow_links(path: str, target_at: Callable[[str], str | None]) -> str | None:
    """Return where a path leads by the links on its way, as a file system follows them.

    Args:
        path: a path from the root.
        target_at: what the link at a path stands for, a path from the root; None where no link is.

    Returns:
        A path without links, ``.`` and ``..``, with a ``/`` at its end if only a folder can be
        there; None if it leads out of the root, in a circle or through too many links.
    """
    done: list[str] = [""]  # each folder on the way, with a `/` behind
    parts = path.split("/")[::-1]
    left = _MOST_TEXT - len(path)
    steps = 0
    part = ""
    while parts and left >= 0 and steps <= _MOST_STEPS:
        part = parts.pop()
        if part == "..":
            done.pop()
        elif part not in ("", "."):
            here = done[-1] + part
            target = target_at(here)
            if target is None:
                done.append(f"{here}/")
            else:
                steps += 1
                left -= len(target)
                done = [""]
                parts += target.split("/")[::-1]
        if not done:
            return None
    if parts:
        return None
    return done[-1] if part in ("", ".", "..") else done[-1][:-1]
