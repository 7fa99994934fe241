"""YAML scalars that other readers take for something else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from manifestkit.pointer import format_pointer
from manifestkit.rules.rule import Manifest, Rule
from manifestkit.rules.wording import label

if TYPE_CHECKING:
    from manifestkit.finding import Finding


def check(rule: Rule, manifest: Manifest) -> Iterator[Finding]:
    """One finding for each plain scalar that YAML 1.1 reads otherwise."""
    document = manifest.document
    if document.syntax != "yaml":
        return
    from manifestkit.decode.yaml.ambiguity import readings  # noqa: PLC0415 - JSON needs none of it

    found = readings(document)
    if not found:
        return
    from manifestkit.edits.spelling import as_yaml  # noqa: PLC0415 - clean files need none of it
    from manifestkit.finding import Edit, Fix  # noqa: PLC0415 - likewise

    for path, source, others, quoted in found:
        value = document.value_at(path)
        text = quoted if isinstance(value, str) else as_yaml(value)
        kind = "the string" if isinstance(value, str) else f"{json.dumps(value)}, written"
        edit = Edit(*document.node(path).span, text)
        patch = {"op": "replace", "path": format_pointer(path), "value": value}
        yield rule.finding(
            document,
            path,
            f"{label(path)} is {kind} `{source}` here, but {others} to readers of YAML 1.1",
            fixes=(Fix(f"write `{text}`", "safe", (edit,), (patch,)),),
            suggestion=text,
            help=f"write `{text}`",
        )
