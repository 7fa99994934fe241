"""Violations as findings: what is wrong, what to do about it, and where.

Nothing here changes a verdict, which is made before. `advice.py` decides where a finding is and
what it says, `messages.py` has the texts for the keywords of JSON Schema, `words.py` the words of
sentences, and `fixes.py` makes fixes. `shapes.py` puts values that have a wrong shape into the
right one. `fingerprints.py` gives each violation what stays the same when a file is reformatted.
`engine/describe.py` decides which violations one finding covers, and puts these together.
"""
