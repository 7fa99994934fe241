"""Writing and changing manifests: new, add, set, remove, fix, convert.

The answers or arguments of a command go in, and the text of a manifest comes out: `cli/` asks the
questions and writes the files. `starter.py` makes or completes a manifest of the answers, by what
`draft.py` lacks; `text.py` writes it. `edit.py` makes the changes that the schema says, with values
that `inputs.py` checks, at the places of `places.py`; `fixing.py` applies the fixes of findings;
`convert.py` writes a manifest anew, formatted or in another syntax.
"""
