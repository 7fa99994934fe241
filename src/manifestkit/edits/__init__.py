"""A change of a manifest's data as the fewest edits of its text.

`editor` turns a change into edits: `layout` knows what stands between values, and where an entry of
a collection goes; `writing` how a new value is written. `patch` makes the same change of the data,
and verifies that the edited text says it. `formatting` writes a whole document, with the trivia
that belongs to each of its parts.
"""
