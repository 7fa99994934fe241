"""Violations as findings: what is wrong, what to do about it, and where.

Nothing here changes a verdict, which is made before. `advice.py` describes an error: those about
members in `members.py`, those about one value in `values.py`, and values that have a wrong shape,
in the right one, in `shapes.py`. `messages.py` has the texts for the keywords of JSON Schema,
`words.py` the words of sentences, and `fixes.py` makes fixes. `fingerprints.py` gives each
violation what stays the same when a file is reformatted. `engine/describe.py` decides which
violations one finding covers, and puts these together.
"""
