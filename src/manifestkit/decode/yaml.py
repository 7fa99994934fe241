"""YAML 1.2 by its core schema: one document of plain data.

One reader gives value, positions and findings at once. It stands on floor 1 as a handful of files:
`yaml_source` (the text), `yaml_scalars` and `yaml_block_scalars` (text of scalars), `yaml_core`
(what plain scalars mean), `yaml_properties` (anchors, tags, directives), `yaml_builder` (value and
positions), `yaml_flow` and `yaml_reader` (structure) and `yaml_mistakes` (what is wrong with it).
"""

from __future__ import annotations

from manifestkit.decode.outcome import Decoded
from manifestkit.decode.yaml_reader import BlockReader
from manifestkit.decode.yaml_source import Source, StopError
from manifestkit.document import Document, Node
from manifestkit.limits import Limits
from manifestkit.location import Span


def decode_yaml(text: str, name: str, limits: Limits) -> Decoded:
    """Read a YAML text."""
    source = Source(text, name)
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
