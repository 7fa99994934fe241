"""YAML 1.2 by its core schema: one document of plain data, from the events of libyaml.

`composer` makes values and places of the events, and guards what libyaml reads otherwise than
YAML 1.2; `scalars` has what scalars mean, here and to readers of YAML 1.1; `source` is the
text, and says what is wrong with one that cannot be parsed.

A block collection ends where its last value ends: comments and empty lines after it are outside. A
block of text runs from its `|` or `>` to the end of its last line with text. Anchors and tags are
outside the span of their value; those of a first key are inside the mapping. The span of an alias
is `*name`; its members are in the anchored value, where they would be edited. A missing value has
an empty span after its colon, its dash, or its anchor or tag.
"""
