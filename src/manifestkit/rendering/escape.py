"""Text made safe for a terminal, JSON and Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from manifestkit.model.printable import UNSEEN, truncate

# And lone surrogates, which are undecodable bytes of file names, and what XML and HTML forbid.
_UNSAFE = f"[{UNSEEN}\ud800-\udfff\ufffe\uffff]"
# GitHub's `##[name]`, Azure's `##vso[name]` and TeamCity's `##teamcity[name]` are commands
# wherever they stand in a line of a build's output.
_COMMAND = r"##(?=[A-Za-z]*\[)"
# GitHub's `::name::` is one at the start of a line, after any white space.
_COMMAND_AT_START = r"\A(\s*):(?=:)"


def visible(text: str, mark: str = "{}") -> str:
    """Return the text with control, bidi and surrogate characters written as escapes in a mark.

    So is the second `#` of what a build service would take for a command, without a mark.
    """
    if not (text.isascii() and text.isprintable()):
        text = re.sub(_UNSAFE, lambda found: mark.format(_escape(found[0])), text)
    return defused(text)


def as_typed(*words: str) -> str:
    """Return words as a shell takes them; a `~` within one, as in `HEAD~1`, needs no quotes."""
    import shlex  # noqa: PLC0415 - only messages about mistakes need it

    return re.sub(r"(?<!\S)'(\w[\w./^@:~-]*)'(?!\S)", r"\1", visible(shlex.join(words)))


def opening(text: str) -> str:
    """Escape a text that a line begins with."""
    shown = visible(text)
    return re.sub(_COMMAND_AT_START, r"\1\\x3a", shown) if "::" in shown else shown


def defused(line: str) -> str:
    """Return a line without what a build service would take for a command in its midst."""
    return re.sub(_COMMAND, r"#\\x23", line) if "##" in line else line


def _escape(character: str) -> str:
    code = ord(character)
    short = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}.get(character)
    if code > 0xFFFF:  # noqa: PLR2004
        return f"\\U{code:08x}"
    return short or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")  # noqa: PLR2004


def json_text(value: Any, indent: int | None = None) -> str:
    """Return the value in ASCII, with no control character and no build service's command in it."""
    text = json.dumps(value, indent=indent)
    # All but printable ASCII is escaped, so no control or bidi character is raw. `##` can stand in
    # a string only; at the head of `##[name]` or `##vso[name]` it is a command of GitHub or Azure.
    return text.replace("##", "#\\u0023")


_HARMLESS = r"[^\W_]|[\s.,;:()'\"?/+=-]|[^\x00-\x7f]"
# Addresses, short names of emoji, issues (`GH-1`, `ABC-7`) and commits.
_REFERENCE = r"(?i)://|\bwww\.|:\S*:|[a-z]+-[0-9]|(?<![0-9a-z])[0-9a-f]{7,}(?![0-9a-z])"
_TICKS = "`+"


def code(text: str, longest: int = 200) -> str:
    """Return a text as one code span."""
    shown = truncate(visible(text), longest) or " "
    ticks = "`" * (max(map(len, re.findall(_TICKS, shown)), default=0) + 1)
    # One space at both ends is taken away again; without it a tick at an end would join the fence.
    pad = " " if shown.strip() and (shown[0] in "` " or shown[-1] in "` ") else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def prose(text: str, longest: int = 400) -> str:
    """Mark up a sentence of ours: what stands in ticks becomes code, and what is odd."""
    parts = truncate(visible(text), longest).split("`")
    if len(parts) % 2 == 0:  # an odd tick: no telling where code starts
        return code(text, longest)
    pieces: list[tuple[bool, str]] = []
    for index, part in enumerate(parts):
        if index % 2:
            pieces.append((True, part or " "))
        else:
            words = filter(None, re.split(r"(\s+|[,;](?=\s|\Z))", part))
            pieces.extend((not _is_plain(word), word) for word in words)
    written = ""
    # Neighbouring code is one span: the ticks of two would run together.
    for is_code, run in groupby(pieces, key=itemgetter(0)):
        shown = "".join(piece for _, piece in run)
        written += code(shown, len(shown)) if is_code else shown
    return written


def _is_plain(word: str) -> bool:
    return not re.sub(_HARMLESS, "", word) and not re.search(_REFERENCE, word)


_CODES = {
    "error": "1;31",
    "warning": "1;33",
    "info": "1;32",
    "off": "2",
    "note": "32",
    "help": "36",
    "gutter": "34",
    "strong": "1",
}
_CUT_OFF = "…"
_LONGER = 3  # what an escape adds at the start of a line


class Style(NamedTuple):
    """Style of text."""

    color: bool = False
    width: int = 100  # columns of a line, for cutting long ones
    encoding: str = "utf-8"  # a character that it has not is shown as an escape

    def writable(self, text: str) -> str:
        """Return the text as it can be written; measure this one."""
        if text.isascii():
            return text
        return text.encode(self.encoding, "backslashreplace").decode(self.encoding)

    @property
    def ellipsis(self) -> str:
        """The mark where something is cut."""
        return _CUT_OFF if self.writable(_CUT_OFF) == _CUT_OFF else "..."

    def paint(self, role: str, text: str) -> str:
        """Return the text in the colour of a role; plain for none."""
        return f"\x1b[{_CODES[role]}m{text}\x1b[0m" if self.color and role and text else text


def columns(text: str) -> int:
    """Columns on a terminal: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth  # noqa: PLC0415 - slow to import, and most texts are ASCII

    width = int(wcswidth(text))
    return width if width >= 0 else len(text)


def padded(text: str, width: int) -> str:
    """Return the text with blanks behind it up to a width."""
    return text + " " * (width - columns(text))


def paragraph(text: str, style: Style, margin: str = "", role: str = "") -> Iterator[str]:
    """Yield a text, made safe, within the width behind a margin; an item of a list hangs."""
    from wcwidth import wrap  # noqa: PLC0415 - slow to import, and few outputs are wrapped

    width = style.width - len(margin) - _LONGER * ("::" in text)
    hanging = "  " * text.startswith("- ")
    shown = style.writable(visible(text))
    lines = wrap(shown, width, subsequent_indent=hanging, break_on_hyphens=False)
    for line in lines or [""]:
        yield f"{margin}{style.paint(role, opening(line))}".rstrip() + "\n"
