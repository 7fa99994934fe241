"""A change of a manifest's data as the fewest edits of its text.

`editor` turns a change into edits: `layout` knows how a collection stands in the text, `trivia`
what stands between its values, `anchors` what aliases and tags forbid to change, `brackets`,
`blocks` and `replacing` where an entry goes, `writing` and `scalars` how a new value is written.
`patch` makes the same change of the data, and `proof` shows that the edited text says it.
`formatting` writes a whole document, with the trivia that belongs to each of its `parts`.
"""

from __future__ import annotations

from manifestkit.edits.editor import Editor
from manifestkit.edits.patch import (
    END,
    TOO_DEEP,
    Operation,
    Shift,
    Tokens,
    last_first,
    patched,
    path_in,
)
from manifestkit.edits.proof import check_size, edited, proven, same, sound

__all__ = [
    "END",
    "TOO_DEEP",
    "Editor",
    "Operation",
    "Shift",
    "Tokens",
    "check_size",
    "edited",
    "last_first",
    "patched",
    "path_in",
    "proven",
    "same",
    "sound",
]
