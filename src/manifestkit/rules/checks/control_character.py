"""Characters that nobody sees."""

import re
import unicodedata
from collections.abc import Iterator

from manifestkit.findings.words import label
from manifestkit.model.finding import Description
from manifestkit.model.printable import BIDI_CONTROLS, UNSEEN
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest

_ESCAPES = {"\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t"}
# A flag of a region, such as Scotland's, is spelt in tags behind a black flag.
_FLAG = "\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f"
_ODD = f"({_FLAG}|[\t\n\r])|[{UNSEEN}]"
_AS_FOLDERS = str.maketrans({"\\": "/"} | {each: f"/{name}" for each, name in _ESCAPES.items()})
_ESCAPED_LETTER = r'"(?:[^\\]|\\[^bfnrt]|(?!))*+(\\[bfnrt])\w'


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each text that has such characters, a path that has line breaks or tabs, too."""
    for path, value, field in manifest.schema.described(manifest.value):
        if not isinstance(value, str) or field.values:
            continue
        is_path = field.file and not _ESCAPES.keys().isdisjoint(value)
        if is_path or _first_unseen(value) is not None:
            yield rule.violation(path, (value, is_path))


def describe(manifest: Manifest, violation: Violation) -> Description:
    """Say which character it is, and in a path what backslashes make of it."""
    from manifestkit.findings.fixes import replace_fix  # noqa: PLC0415 - clean runs go without

    path, (text, is_path) = violation.path, violation.about
    message = f"{label(path)} has "
    if is_path:
        start, end = manifest.document.locate(path).span
        escape = re.match(_ESCAPED_LETTER, manifest.document.text[start:end])
        if escape is None:
            inner = text.strip()
            fix = replace_fix(path, inner, "unsafe")
            is_around = inner and _ESCAPES.keys().isdisjoint(inner)
            return Description(f"{message}a line break or a tab", fixes=(fix,) * bool(is_around))
        fix = replace_fix(path, text.strip().translate(_AS_FOLDERS), "unsafe")
        message += f"a control character: `{escape[1]}` is an escape"
        return Description(message, f"{fix.message}, with `/` between folders", fixes=(fix,))
    found = _first_unseen(text) or ""
    without = re.sub(_ODD, lambda odd: odd[1] or "", text)
    fix = replace_fix(path, without, "unsafe")
    return Description(f"{message}{_kind_of_unseen(found)}, U+{ord(found):04X}", fixes=(fix,))


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
