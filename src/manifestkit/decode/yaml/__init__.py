"""YAML 1.2 by its core schema: one document of plain data.

One reader gives value, positions and findings at once. Its files: `source` (the
text), `scalars` (the text of scalars), `values` (what they mean) and `portable` (what they mean to
others), `properties` (anchors, tags, directives), `builder` (value and positions), `flow` and
`reader` (structure), `lines` (a short cut through it), `mistakes` (what is wrong with it) and
`blanks` (letters that look like spaces).

A block collection ends where its last value ends: comments and empty lines after it are outside. A
block of text runs from its `|` or `>` to the end of its last line with text. Anchors and tags are
outside the span of their value; those of a first key are inside the mapping. The span of an alias
is `*name`; its members are in the anchored value, where they would be edited. A missing value has
an empty span after its colon, its dash, or its anchor or tag.

JSON is YAML: a text that begins with a bracket, is clean JSON and means the same to all readers of
YAML is read as such, in C.
"""

from __future__ import annotations

import re

from manifestkit.decode.findings import Decoded
from manifestkit.decode.json import decode_clean_json
from manifestkit.decode.yaml.reader import read
from manifestkit.decode.yaml.source import ODD, Source
from manifestkit.model.limits import Limits

# What JSON may hold and YAML, or other readers of YAML, read otherwise, or anything near to it.
_ODD_JSON = rf"{ODD}|\r|\\u[dD][89a-fA-F]|[0-9][eE]|\n *:|\"[^\"\n]{{1000}}"

_DEEPEST = 1_000


def decode_yaml(text: str, name: str, limits: Limits) -> Decoded:
    """Read a YAML text."""
    limits = limits._replace(depth=min(limits.depth, _DEEPEST))
    if text.startswith(("{", "[")) and not re.search(_ODD_JSON, text):
        json = decode_clean_json(text, name, limits)
        if json:
            return json._replace(document=json.document.as_of(syntax="yaml"))
    decoded = read(text, Source(text, name, limits), limits)
    if decoded.readable:
        return decoded
    from manifestkit.decode.yaml.blanks import ODD_BLANK, read_with_spaces  # noqa: PLC0415 - rare

    return read_with_spaces(decoded, limits) if ODD_BLANK.search(text) else decoded
