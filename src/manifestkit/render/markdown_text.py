"""Text from a stranger in Markdown: it can make no mention, link, image, HTML or code of its own.

Everything that could mean something to Markdown, or to what a forge does after it (mentions,
issue numbers, addresses as links), stands in a code span: in there none of them is looked for.
"""

from __future__ import annotations

import re

from manifestkit.render.escape import visible

_ELLIPSIS = "…"
_HARMLESS = re.compile(r"[^\W_]|[\s.,;:()'\"?/+=-]|[^\x00-\x7f]")
# Addresses, short names of emoji, issues (`GH-1`, `ABC-7`) and commits.
_REFERENCE = re.compile(
    r"://|\bwww\.|:\S*:|[a-z]+-[0-9]|(?<![0-9a-z])[0-9a-f]{7,}(?![0-9a-z])", re.IGNORECASE
)
_TICKS = re.compile("`+")


def code(text: str, longest: int = 200) -> str:
    """A text as one code span."""
    shown = shortened(visible(text), longest) or " "
    ticks = "`" * (max(map(len, _TICKS.findall(shown)), default=0) + 1)
    # One space at both ends is taken away again; without it a tick at an end would join the fence.
    pad = " " if shown.strip() and (shown[0] in "` " or shown[-1] in "` ") else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def prose(text: str, longest: int = 400) -> str:
    """A sentence of ours with values in it: what stands in ticks becomes code, and what is odd."""
    parts = shortened(visible(text), longest).split("`")
    if len(parts) % 2 == 0:  # an odd tick: no telling where code starts
        return code(text, longest)
    pieces: list[tuple[bool, str]] = []
    for index, part in enumerate(parts):
        if index % 2:
            pieces.append((True, part or " "))
        else:
            pieces.extend((not _is_plain(word), word) for word in re.split(r"(\s+)", part) if word)
    return "".join(_joined(pieces))


def cell(text: str, longest: int = 400) -> str:
    """A sentence as a cell of a table, which a bar would end, in code too."""
    return prose(text, longest).replace("|", r"\|")


def shortened(text: str, longest: int) -> str:
    """As much of the start of a text as fits, with a mark where it is cut."""
    return text if len(text) <= longest else text[: longest - 1] + _ELLIPSIS


def _is_plain(word: str) -> bool:
    return not _HARMLESS.sub("", word) and not _REFERENCE.search(word)


def _joined(pieces: list[tuple[bool, str]]) -> list[str]:
    """Pieces as Markdown; neighbouring code is one span: the ticks of two would run together."""
    runs: list[tuple[bool, str]] = []
    for is_code, text in pieces:
        if runs and runs[-1][0] == is_code:
            runs[-1] = (is_code, runs[-1][1] + text)
        else:
            runs.append((is_code, text))
    return [code(text, len(text)) if is_code else text for is_code, text in runs]
