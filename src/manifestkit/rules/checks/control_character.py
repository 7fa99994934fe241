"""Characters that nobody sees."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from manifestkit.findings.words import label
from manifestkit.model.finding import Description
from manifestkit.model.pointer import Path
from manifestkit.model.printable import BIDI_CONTROLS, UNSEEN
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
_CONTROLS = "".join(_ESCAPES)
_BREAKS_AND_TABS = "\t\n\r"
# A flag of a region, such as Scotland's, is spelt in tags behind a black flag.
_FLAG = "\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f"
_ODD = f"({_FLAG}|[{_BREAKS_AND_TABS}])|[{UNSEEN}]"
_AS_FOLDERS = str.maketrans(
    {"\\": "/"} | {each: f"/{name}" for each, (name, _) in _ESCAPES.items()}
)
_ESCAPED_LETTER = r'"(?:[^\\]|\\[^bfnrt]|(?!))*+\\[bfnrt]\w'


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each text that has such characters, a path that has line breaks or tabs, too."""
    for path, value, field in manifest.described():
        if not isinstance(value, str) or field.values:
            continue
        is_path = field.file and not _ESCAPES.keys().isdisjoint(value)
        if is_path or _first_unseen(value) is not None:
            yield rule.violation(path, (value, is_path))


def describe(manifest: Manifest, violation: Violation) -> Description:
    """Say which character it is."""
    from manifestkit.findings.fixes import replace_fix  # noqa: PLC0415 - clean runs go without

    path, (text, is_path) = violation.path, violation.about
    if is_path:
        return _describe_path(manifest, path, text)
    found = _first_unseen(text) or ""
    fix = replace_fix(path, _without_unseen(text))._replace(safety="unsafe")
    message = f"{label(path)} has {_kind_of_unseen(found)}, U+{ord(found):04X}"
    return Description(message, fixes=(fix,))


def _describe_path(manifest: Manifest, path: Path, text: str) -> Description:
    """Say whether a line break or tab is around the path, in it, or made by a backslash."""
    from manifestkit.findings.fixes import replace_fix  # noqa: PLC0415 - clean runs go without

    document, inner = manifest.document, text.strip(_CONTROLS)
    within = next((each for each in inner if each in _ESCAPES), None)
    if within is None:
        is_last = text[-1] in _ESCAPES
        name = _ESCAPES[text[-1 if is_last else 0]][1]
        fix = replace_fix(path, inner)._replace(safety="unsafe")
        message = f"{label(path)} {'ends' if is_last else 'begins'} with {name}"
        return Description(message, fix.message, fixes=(fix,) if inner else ())
    letter, name = _ESCAPES[within]
    span = document.locate(path).span
    if not re.match(_ESCAPED_LETTER, document.text[span.start : span.end]):
        return Description(f"{label(path)} has {name}")
    fix = replace_fix(path, inner.translate(_AS_FOLDERS))._replace(safety="unsafe")
    message = f"{label(path)} has {name}: `\\{letter}` is an escape"
    return Description(message, f"{fix.message}, with `/` between folders", fixes=(fix,))


def _first_unseen(text: str) -> str | None:
    """Return the first character of a text that nobody sees; breaks, tabs and flags are seen."""
    if text.isascii() and text.isprintable():
        return None
    return next((found[0] for found in re.finditer(_ODD, text) if not found[1]), None)


def _kind_of_unseen(character: str) -> str:
    """Return what such a character is, in words."""
    if unicodedata.category(character) == "Cc":
        return "a control character"
    is_bidi = re.match(f"[{BIDI_CONTROLS}]", character)
    return "a bidirectional control" if is_bidi else "an invisible character"


def _without_unseen(text: str) -> str:
    """Return the text without the characters that nobody sees."""
    return re.sub(_ODD, lambda found: found[1] or "", text)
