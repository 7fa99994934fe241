"""YAML 1.2 by its core schema: one document of plain data, from the events of libyaml.

`composer` makes values and places of the events, and guards what libyaml reads otherwise than
YAML 1.2; `scalars` has what scalars mean, here and to readers of YAML 1.1; `mistakes` says what is
wrong with a text that cannot be parsed; `source` is the text.

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
from manifestkit.model.limits import Limits

# What JSON may hold and YAML, or other readers of YAML, read otherwise, or anything near to it.
_ODD_JSON = (
    "[\t\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"
    r"|\r|\\u[dD][89a-fA-F]|[0-9][eE]|\n *:|\"[^\"\n]{1000}"
)
_DEEPEST = 1_000


def decode_yaml(text: str, name: str, limits: Limits) -> Decoded:
    """Read a YAML text."""
    limits = limits._replace(depth=min(limits.depth, _DEEPEST))
    if text.startswith(("{", "[")) and not re.search(_ODD_JSON, text):
        json = decode_clean_json(text, name, limits)
        if json:
            return json._replace(document=json.document.as_of(syntax="yaml"))
    from manifestkit.decode.yaml.composer import compose  # noqa: PLC0415 - clean JSON goes without

    return compose(text, name, limits)
