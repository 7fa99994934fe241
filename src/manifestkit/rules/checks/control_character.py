"""Characters that nobody sees."""

from __future__ import annotations

from collections.abc import Iterator

from manifestkit.findings.messages import label
from manifestkit.model.finding import Description
from manifestkit.model.printable import first_unseen, kind_of_unseen, without_unseen
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each text that has such characters, where the schema knows a text."""
    for path, value, field in manifest.described():
        if isinstance(value, str) and not field.values and first_unseen(value) is not None:
            yield rule.violation(path, value)


def describe(_: Manifest, violation: Violation) -> Description:
    """Say which character it is."""
    from manifestkit.findings.fixes import replace_fix  # noqa: PLC0415 - clean runs go without

    path, text = violation.path, violation.about
    found = first_unseen(text) or ""
    fix = replace_fix(path, without_unseen(text))._replace(safety="unsafe")
    message = f"{label(path)} has {kind_of_unseen(found)}, U+{ord(found):04X}"
    return Description(message, fixes=(fix,))
