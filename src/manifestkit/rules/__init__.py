"""A manifest to violations: what breaks a schema, and what rules in Python find.

Start with `check` in `check.py`: a `Manifest` and the schemas that it is held to go in, each
`Violation` comes out, with a rule, a severity and a path, and without a text. `catalogue.py`
makes every `Rule` of a file in `schemas/rules/`; those that JSON Schema cannot say have a
function in `checks/`, and one that describes what it finds.
"""
