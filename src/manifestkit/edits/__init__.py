"""A change of a manifest's data as the fewest edits of its text.

`editor` turns a change into edits: `layout` knows how a collection stands in the text, `trivia`
what stands between its values, `brackets` and `blocks` where an entry goes, `writing` and `scalars`
how a new value is written. `patch` makes the same change of the data, and verifies that the edited
text says it. `formatting` writes a whole document, with the trivia that belongs to each of its
`parts`.
"""

from __future__ import annotations

from manifestkit.edits.editor import Editor
from manifestkit.edits.patch import (
    END,
    TOO_DEEP,
    Operation,
    Shift,
    Tokens,
    apply_edits,
    apply_patch,
    check_size,
    is_same_data,
    last_first,
    path_in,
    require_editable,
    verify,
)

__all__ = [
    "END",
    "TOO_DEEP",
    "Editor",
    "Operation",
    "Shift",
    "Tokens",
    "apply_edits",
    "apply_patch",
    "check_size",
    "is_same_data",
    "last_first",
    "path_in",
    "require_editable",
    "verify",
]
