"""Characters that nobody sees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from manifestkit.model.printable import first_unseen, kind_of_unseen, without_unseen
from manifestkit.rules.messages import label
from manifestkit.rules.rule import Manifest, Rule

if TYPE_CHECKING:
    from manifestkit.model.finding import Finding

_DELETE = "\x7f"


def check(rule: Rule, manifest: Manifest) -> Iterator[Finding]:
    """One finding for each text that has such characters, where the schema knows a text."""
    document = manifest.document
    text = document.text
    if "\\" not in text and text.isascii() and _DELETE not in text:
        return  # neither one as it is, nor an escape
    for path, value, field in manifest.described():
        if not isinstance(value, str) or field.values:
            continue
        found = first_unseen(value)
        if found is None:
            continue
        from manifestkit.rules.advice import replace_fix  # noqa: PLC0415 - clean runs go without

        message = f"{label(path)} has {kind_of_unseen(found)}, U+{ord(found):04X}"
        fix = replace_fix(manifest.editor, path, without_unseen(value))._replace(safety="unsafe")
        yield rule.finding(document, path, message, fixes=(fix,))
