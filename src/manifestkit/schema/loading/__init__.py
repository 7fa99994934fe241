"""A schema from a user's file, refused with the place of whatever is wrong in it.

`load.py` reads the file and those that it refers to. Of each, `file.py` looks at keywords and
annotations, and `needs.py` turns tables of needs into keywords; `references.py` looks at all of
them together. A profile is more: `profile.py`.
"""
