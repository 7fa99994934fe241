"""A document, or a value in it, written anew, and read again."""

from __future__ import annotations

import sys
from io import StringIO
from typing import Any

from manifestkit.authoring.places import ManifestPlace
from manifestkit.decode import Decoded, decode
from manifestkit.edits.editor import Editor
from manifestkit.edits.formatting import formatted
from manifestkit.edits.patch import apply_edits, check_size, read_again, require_editable
from manifestkit.edits.writing import Spellings, as_yaml
from manifestkit.engine.discovery import Target
from manifestkit.engine.workspace import Workspace
from manifestkit.model.document import Document, Syntax
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.limits import DEFAULT_LIMITS, Limits
from manifestkit.model.pointer import Path
from manifestkit.rules.checks import not_a_manifest
from manifestkit.schema.model import Schema

_STEP = 2
_LONGEST_NAME = 1_000  # as it is written; YAML has no longer one than 1,024 without a `?`
_TAGS = {int: "int", float: "float", type(None): "null"}
_MODEL = '{\n  "texts": [\n    ""\n  ],\n  "objects": [\n    {}\n  ]\n}\n'
"""JSON in the style that is written."""


def convert(document: Document, to: Syntax, limits: Limits = DEFAULT_LIMITS) -> Document:
    """Return a document in a syntax, without its comments.

    Raises:
        EditRefusedError: the document or the text is beyond the limits, or YAML cannot contain it.
    """
    check_size(document)
    value = document.value
    try:
        text = _yaml(document) if to == "yaml" else as_text(value, document)
    except RecursionError:
        raise EditRefusedError("it is nested too deeply") from None
    after = read_again(f"{text}\n", f"{document.name}.{to}", value, limits, "converted")
    return after.document


def format_manifest(workspace: Workspace, target: Target, decoded: Decoded) -> str:
    """Return the text of a manifest as it is formatted, by the configuration of its folder.

    Raises:
        EditRefusedError: it cannot be read or formatted, or is none.
    """
    policy = workspace.policy(target.folder)
    schema = policy.requirements(decoded.document).schema
    text = formatted(require_editable(decoded), schema, policy.limits)
    value, root = decoded.document.value, schema.field(())
    if root and root.types == ("object",) and not isinstance(value, dict):
        raise EditRefusedError("a manifest is an object")
    if isinstance(value, dict) and schema.marks.isdisjoint(value):
        for finding in workspace.lint(target, decoded).findings:
            if finding.rule == not_a_manifest.ID:
                raise EditRefusedError(finding.message)
    return text


def text_at(document: Document, schema: Schema, place: str) -> str:
    """Return the text of the value at a place: a string as it is, all else as JSON.

    Raises:
        EditRefusedError: there is nothing, or the document is beyond the limits.
        PointerSyntaxError: the place is none.
    """
    path = ManifestPlace.parse(document, schema, place).existing()
    check_size(document)
    value = document.value_at(path)
    return value if isinstance(value, str) else as_text(value, document, path)


def as_text(value: Any, source: Document | None, place: Path = ()) -> str:
    """Return a value in the style of the model, numbers as they are spelt at its source."""
    model = decode(_MODEL, "model.json").document
    whole = {"op": "replace", "path": "", "value": value}
    spellings = Spellings(source, [place]) if source else None
    edits = Editor(model, spellings).patch([whole])
    return apply_edits(model.text, edits).removesuffix("\n")


def _yaml(document: Document) -> str:
    """Return a value in block style, without anchors, as all readers agree on it."""
    value, spellings = document.value, Spellings(document, [()])
    if not isinstance(value, dict | list):
        return spellings.scalar(value, "yaml") or as_yaml(value)
    from ruamel.yaml import YAML  # noqa: PLC0415 - what writes no YAML goes without
    from ruamel.yaml.emitter import RoundTripEmitter  # noqa: PLC0415 - likewise
    from ruamel.yaml.representer import RoundTripRepresenter  # noqa: PLC0415 - likewise

    class Emitter(RoundTripEmitter):
        def check_simple_key(self) -> bool:  # what has a `?` cannot be edited
            return len(as_yaml(self.event.value)) <= _LONGEST_NAME

    class Representer(RoundTripRepresenter):
        def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - repeated values are written out
            return True

    def represent(representer: Any, value: Any) -> Any:
        text = as_yaml(value)
        if isinstance(value, str):
            style = None if text == value else '"'
            return representer.represent_scalar("tag:yaml.org,2002:str", value, style)
        tag = f"tag:yaml.org,2002:{_TAGS[type(value)]}"
        return representer.represent_scalar(tag, spellings.scalar(value, "yaml") or text)

    for kind in (str, *_TAGS):
        Representer.add_representer(kind, represent)
    yaml = YAML()
    yaml.Emitter, yaml.Representer = Emitter, Representer
    yaml.width = sys.maxsize  # no line is broken
    yaml.indent(mapping=_STEP, sequence=2 * _STEP, offset=_STEP)
    into = StringIO()
    yaml.dump(value, into)
    return into.getvalue().removesuffix("\n")
