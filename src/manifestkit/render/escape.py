"""Text from a stranger, made safe to show."""

from __future__ import annotations

import re
from itertools import accumulate

from manifestkit.model.printable import UNSEEN

_UNSAFE = f"[{UNSEEN}\ud800-\udfff]"  # and lone surrogates: undecodable bytes of file names
# GitHub's `##[name]`, Azure's `##vso[name]` and TeamCity's `##teamcity[name]` are commands
# wherever they stand in a line of a build's output.
_COMMAND = r"##(?=[A-Za-z]*\[)"
# GitHub's `::name::` is one at the start of a line, after any white space.
_COMMAND_AT_START = r"\A(\s*):(?=:)"


def visible(text: str) -> str:
    """The text with control, bidi and surrogate characters written as escapes.

    So is the second `#` of what a build service would take for a command.
    """
    return defused(re.sub(_UNSAFE, _escape, text))


def opening(text: str) -> str:
    """The same, for a text that a line begins with."""
    return re.sub(_COMMAND_AT_START, r"\1\\x3a", visible(text))


def defused(line: str) -> str:
    """A line without what a build service would take for a command in its midst."""
    return re.sub(_COMMAND, r"#\\x23", line)


def defused_parts(*parts: str) -> tuple[str, ...]:
    """The parts of a line, defused as it is whole."""
    seconds = {found.start() + 1 for found in re.finditer(_COMMAND, "".join(parts))}
    if not seconds:
        return parts
    ends = accumulate(map(len, parts))
    return tuple(
        "".join(
            r"\x23" if at in seconds else character
            for at, character in enumerate(part, start=end - len(part))
        )
        for part, end in zip(parts, ends, strict=True)
    )


def is_writable(text: str) -> bool:
    """Whether a UTF-8 file can hold the text: lone surrogates it cannot."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    short = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}.get(match[0])
    if code > 0xFFFF:  # noqa: PLR2004
        return f"\\U{code:08x}"
    return short or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")  # noqa: PLR2004
