"""YAML scalars that other readers take for something else."""

import json
from collections.abc import Iterator

from manifestkit.findings.words import label
from manifestkit.model.document import Document
from manifestkit.model.finding import Description, Edit, Fix
from manifestkit.model.location import Span
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.model.printable import truncate
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each scalar in which the reader has seen two meanings."""
    document = manifest.document
    for each in document.ambiguous:
        if _counts(document, each.path, each.span, is_key=each.is_key):
            yield rule.violation(each.path, each, span=each.span)


def describe(manifest: Manifest, violation: Violation) -> Description:
    """Say what others see, and how to write it so that all see the same."""
    from manifestkit.edits.writing import as_json, as_yaml  # noqa: PLC0415 - clean runs go without

    path, span, value, others, is_key = violation.about
    source = manifest.document.text[span.start : span.end]
    is_text = isinstance(value, str)
    written = as_json(value) if is_text else as_yaml(value)
    kind = "the string" if is_text else f"{json.dumps(value)}, written"
    what = f"the key of {label(path)}" if is_key else label(path)
    patch = {"op": "replace", "path": format_pointer(path), "value": value}
    name, colon, _ = source.partition(":")
    lacks_space = is_key and colon and name.isidentifier()  # `{id:box}`
    written = source.replace(":", ": ", 1) if lacks_space else written
    fields = (each.field(path) for each in (manifest.schema, *manifest.profiles))
    is_wanted = is_key or any(each and each.types and each.allows_type(value) for each in fields)
    fix = Fix(
        f"write `{truncate(written)}`",
        "safe" if is_wanted and not lacks_space else "unsafe",
        (Edit(span.start, span.end, written),),
        () if is_key else (patch,),
    )
    do = fix.message if is_wanted else f"{fix.message}, if that is what you meant"
    message = f"{what} is {kind} `{truncate(source)}` here, but {others} to readers of YAML 1.1"
    return Description(message, do, written, (fix,))


def _counts(document: Document, path: Path, span: Span, *, is_key: bool) -> bool:
    """Return whether a scalar is part of the value: of a member given twice, only the last is."""
    try:
        key, value = document.spans(path)
    except KeyError:
        return False
    place = key if is_key else value
    return place is not None and place.start == span.start
