"""Violations as findings: what is wrong, what to do about it, and where.

Nothing here changes a verdict, which is made before. `advice.py` describes an error, with the help
of `members.py` for one about a member, `types.py` for a value of the wrong type, `values.py` for
one that is not allowed, `shapes.py` for one in the wrong shape, and `elsewhere.py` for a member
whose value stands at another place; `syntax.py` adds what a schema says to a finding of the reader.
`readings.py` reads such a value as the one that was meant, with `durations.py` for a count of time,
and `contents.py` for what says no or holds several values in one text. `messages.py` has the texts
for the keywords of JSON Schema, `words.py` the words of sentences, and `fixes.py` makes fixes.
`fingerprints.py` gives each violation what stays the same when a file is reformatted.
`engine/groups.py` decides which violations one finding covers, and `engine/describe.py` puts these
together.
"""
