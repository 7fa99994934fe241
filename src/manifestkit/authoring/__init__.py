"""Writing and changing manifests: new, add, set, remove, fix, convert.

The answers or arguments of a command go in, and the text of a manifest comes out: `cli/` asks the
questions and writes the files. `starter.py` makes or completes a manifest of the answers, some in
a document (`answers.py`), by what `draft.py` lacks; `text.py` writes it. `edit.py` makes the
changes that `changes.py` reads off the schema, with values that `inputs.py` checks; `fixing.py`
applies the fixes of findings; `convert.py` writes a manifest in another syntax.
"""
