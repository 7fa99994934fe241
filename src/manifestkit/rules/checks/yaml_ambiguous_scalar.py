"""YAML scalars that other readers take for something else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from manifestkit.model.document import Document
from manifestkit.model.finding import Edit, Fix
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.rules.messages import label
from manifestkit.rules.rule import Manifest, Rule

if TYPE_CHECKING:
    from manifestkit.model.finding import Finding
    from manifestkit.model.location import Span

_LONGEST = 80


def check(rule: Rule, manifest: Manifest) -> Iterator[Finding]:
    """One finding for each scalar in which the reader has seen two meanings."""
    document = manifest.document
    if not document.ambiguous:
        return
    from manifestkit.edits.scalars import as_json, as_yaml  # noqa: PLC0415 - clean runs go without

    for path, span, value, others, is_key, alike in document.ambiguous:
        if not _counts(document, path, span, is_key=is_key):
            continue
        source = document.text[span.start : span.end]
        is_text = isinstance(value, str)
        written = alike or (as_json(value) if is_text else as_yaml(value))
        kind = "the string" if is_text else f"{json.dumps(value)}, written"
        what = f"the key of {label(path)}" if is_key else label(path)
        message = f"{what} is {kind} `{_excerpt(source)}` here, but {others}"
        patch = {"op": "replace", "path": format_pointer(path), "value": value}
        has_comment = source[0] in "|>" and "#" in source.partition("\n")[0]
        name, colon, _ = source.partition(":")
        lacks_space = is_key and colon and name.isidentifier()  # `{id:box}`
        fix = Fix(
            f"write `{_excerpt(written)}`",
            "unsafe" if has_comment or lacks_space else "safe",
            (Edit(*span, written),),
            () if is_key else (patch,),
        )
        yield rule.finding(
            document,
            path,
            message,
            location=document.lines.locate(span),
            fixes=(fix,),
            suggestion=written,
            help=fix.message,
        )


def _counts(document: Document, path: Path, span: Span, *, is_key: bool) -> bool:
    """Whether a scalar is part of the value: of a member given twice, only the last is."""
    try:
        place = document.key_span(path) if is_key else document.node(path).span
    except KeyError:
        return False
    return place is not None and place.start == span.start


def _excerpt(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
