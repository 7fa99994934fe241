"""Characters that nobody sees."""

from __future__ import annotations

from collections.abc import Iterator

from manifestkit.findings.messages import label
from manifestkit.model.finding import Description
from manifestkit.model.printable import first_unseen, kind_of_unseen, without_unseen
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest

_ESCAPES = {
    "\b": ("b", "a backspace"),
    "\f": ("f", "a form feed"),
    "\n": ("n", "a line break"),
    "\r": ("r", "a line break"),
    "\t": ("t", "a tab"),
}
_ESCAPES_AS_FOLDERS = str.maketrans({each: f"/{letter}" for each, (letter, _) in _ESCAPES.items()})


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each text that has such characters, or whose path has escapes for backslashes."""
    for path, value, field in manifest.described():
        if not isinstance(value, str) or field.values:
            continue
        is_path = field.file and not _ESCAPES.keys().isdisjoint(value)
        if is_path or first_unseen(value) is not None:
            yield rule.violation(path, (value, is_path))


def describe(_: Manifest, violation: Violation) -> Description:
    """Say which character it is."""
    from manifestkit.findings.fixes import replace_fix  # noqa: PLC0415 - clean runs go without

    path, (text, is_path) = violation.path, violation.about
    if is_path:
        meant = text.translate(_ESCAPES_AS_FOLDERS)
        found = next(each for each in text if each in _ESCAPES)
        message = f"{label(path)} has {_ESCAPES[found][1]}: `\\{_ESCAPES[found][0]}` is an escape"
        fix = replace_fix(path, meant)._replace(safety="unsafe")
        return Description(message, f"{fix.message}, with `/` between folders", fixes=(fix,))
    found = first_unseen(text) or ""
    fix = replace_fix(path, without_unseen(text))._replace(safety="unsafe")
    message = f"{label(path)} has {kind_of_unseen(found)}, U+{ord(found):04X}"
    return Description(message, fixes=(fix,))
