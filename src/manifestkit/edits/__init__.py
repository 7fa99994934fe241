"""A change of a manifest's data as the fewest edits of its text.

`editor` turns a change into edits: `layout` knows how a collection stands in the text, `brackets`,
`blocks` and `replacing` where an entry goes, `writing` and `spelling` how a new value is written,
`sharing` what YAML's anchors forbid. `patch` makes the same change of the data, `shifting` makes
several of them one after the other, and `applying` proves that the edited text says it.
"""

from __future__ import annotations

from manifestkit.edits.editor import Editor
from manifestkit.edits.patch import (
    END,
    TOO_DEEP,
    Operation,
    Shift,
    Tokens,
    edited,
    last_first,
    patched,
    path_in,
    proven,
    same,
    sound,
)

__all__ = [
    "END",
    "TOO_DEEP",
    "Editor",
    "Operation",
    "Shift",
    "Tokens",
    "edited",
    "last_first",
    "patched",
    "path_in",
    "proven",
    "same",
    "sound",
]
