"""Halves of surrogate pairs."""

import re
from collections.abc import Iterator

from manifestkit.findings.words import label
from manifestkit.model.finding import Description
from manifestkit.model.pointer import walk
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest

_SURROGATE = "[\ud800-\udfff]"


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each string, and each member name, with such a half."""
    text = manifest.document.text
    if "\\" not in text and not re.search(_SURROGATE, text):
        return  # neither one as it is, nor an escape
    for path, value in walk(manifest.document.value):
        if isinstance(value, str) and (half := re.search(_SURROGATE, value)):
            yield rule.violation(path, half[0])
        for name in value if isinstance(value, dict) else ():
            if half := re.search(_SURROGATE, name):
                yield rule.violation((*path, name), half[0], on_key=True)


def describe(_: Manifest, violation: Violation) -> Description:
    """Say which half it is."""
    what = "a member's name" if violation.on_key else label(violation.path)
    return Description(f"{what} has a lone surrogate, U+{ord(violation.about):04X}")
