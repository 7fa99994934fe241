"""Violations as findings: what is wrong, what to do about it, and where.

Nothing here changes a verdict, which is made before. `grouping.py` decides which violations one
finding covers, `advice.py` where it is and what it says, `messages.py` has the texts for the
keywords of JSON Schema, and `fixes.py` makes edits. `shapes.py` puts values that have a wrong
shape into the right one. `fingerprints.py` gives each violation what stays the same when a file
is reformatted. `engine/describe.py` puts these together.
"""
