"""JSON Schemas: loaded and checked, asked about values, and asked what they say.

- A loaded schema is a `Schema` (`model.py`). `packaged.py` has those of the package. `loading/`
  reads a user's, and refuses it with the place of what is wrong. What it refers to is in its
  `Sources`.
- A check starts in `validate.py`: a value and a schema go in, `ValidationError`s come out. It
  asks an engine, by the seam in `engines/`, whether values are valid, and nothing else.
- What a schema says of the value at a path is a `Field` (`model.py`); `suggest.py` finds the
  name or value that was meant.

A `Manifest` (`manifest.py`) is a document with its schema: start there to write a rule.
"""
