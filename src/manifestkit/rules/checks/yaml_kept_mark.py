"""Marks around a YAML text that are no part of it to its author."""

from __future__ import annotations

import re
from collections.abc import Iterator

from manifestkit.findings.words import label
from manifestkit.model.finding import Description
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest

_MARKED = re.compile(
    "(?s)(?P<inside>.*[^,;\\s])[,;]|[\u201c\u201e](?P<curly>[^\u201c-\u201f]+)[\u201c\u201d]"
    "|\xab(?P<angular>[^\xab\xbb]+)\xbb|\u2018(?P<single>[^\u2018\u2019]+)\u2019"
)


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each text without quotes that has such marks."""
    document = manifest.document
    for path, value, field in manifest.described():
        is_text = isinstance(value, str) and "string" in field.types and not field.values
        if not is_text or not _MARKED.fullmatch(value):
            continue
        if document.text.startswith(value, document.node(path).span.start):
            yield rule.violation(path, value)


def describe(_: Manifest, violation: Violation) -> Description:
    """Say which marks they are."""
    from manifestkit.findings.fixes import replace_fix  # noqa: PLC0415 - clean runs go without

    path, text = violation.path, violation.about
    found = _MARKED.fullmatch(text)
    inside = next(each for each in found.groups() if each)  # type: ignore[union-attr]  # checked
    is_end = text[-1] in ",;"
    what = f"ends in `{text[-1]}`" if is_end else "is in typographic quotes"
    fix = replace_fix(path, inside)._replace(safety="unsafe")
    message = f"{label(path)} {what}, which YAML keeps as part of the text"
    do = f"remove the `{text[-1]}`" if is_end else 'remove the quotes, or use `"`'
    return Description(message, do, fixes=(fix,))
