"""YAML 1.2 by its core schema: one document of plain data.

One reader gives value, positions and findings at once. Its files: `source` (the
text), `scalars` and `block_scalars` (the text of scalars), `core` and `values`
(what scalars mean), `properties` (anchors, tags, directives), `builder` (value and
positions), `flow` and `reader` (structure), `lines` (a short cut through it) and
`mistakes` (what is wrong with it).

JSON is YAML: a text that begins with a bracket and is clean JSON is read as such, in C.
"""

from __future__ import annotations

from manifestkit.decode.json import decode_clean_json
from manifestkit.decode.outcome import Decoded
from manifestkit.decode.yaml.reader import BlockReader
from manifestkit.decode.yaml.source import Source, StopError
from manifestkit.document import Document
from manifestkit.limits import Limits
from manifestkit.location import Span
from manifestkit.node import Node


def decode_yaml(text: str, name: str, limits: Limits) -> Decoded:
    """Read a YAML text."""
    if text.startswith(("{", "[")) and (json := decode_clean_json(text, name, limits)):
        return json._replace(document=json.document._replace(syntax="yaml"))
    source = Source(text, name, limits.findings)
    reader = BlockReader(source, limits)
    value, node = None, Node(Span(0, len(text)))
    try:
        reader.document()
    except StopError:
        if reader.builder.stack:
            value = reader.builder.stack[0].values
    if reader.builder.root:
        value, node = reader.builder.root.value, reader.builder.root.node
    document = Document(name, text, value, lambda _: node, syntax="yaml")
    return Decoded(document, source.findings, readable=source.readable)
