"""Halves of surrogate pairs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from manifestkit.findings.messages import label
from manifestkit.model.finding import Description
from manifestkit.model.pointer import LinkedPath, path_of
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest

_SURROGATE = "[\ud800-\udfff]"


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each string, and each member name, with such a half."""
    text = manifest.document.text
    if "\\" not in text and not re.search(_SURROGATE, text):
        return  # neither one as it is, nor an escape
    todo: list[tuple[LinkedPath, object]] = [(None, manifest.document.value)]
    while todo:
        link, value = todo.pop()
        if isinstance(value, str):
            if half := re.search(_SURROGATE, value):
                yield rule.violation(path_of(link), half[0])
        elif isinstance(value, list):
            todo.extend(((link, index), item) for index, item in enumerate(value))
        elif isinstance(value, dict):
            for name, member in value.items():
                todo.append(((link, name), member))
                if half := re.search(_SURROGATE, name):
                    yield rule.violation(path_of((link, name)), half[0], on_key=True)


def describe(_: Manifest, violation: Violation) -> Description:
    """Say which half it is."""
    what = "a member's name" if violation.on_key else label(violation.path)
    return Description(f"{what} has a lone surrogate, U+{ord(violation.about):04X}")
