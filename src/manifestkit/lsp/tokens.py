"""The tokens of a text that may not be whole yet: of JSON, and of the lines of YAML."""

from __future__ import annotations

import json
import re

LONGEST = 1_000_000
"""The characters of a text that is scanned at a request; a longer one is not."""

_STRING = r'"(?:[^"\\\r\n]|\\[^\r\n]|(?!))*+(?P<closed>")?+'
_QUOTED = r"'(?:[^'\r\n]|''|(?!))*+(?P<closed_too>')?+"
_PROPERTY = r"(?:&[^\s,\[\]{}]++|!(?:<[^>\s]*+>|[^\s,\[\]{}]*+))(?=[\s,\[\]{}]|\Z)"
_PUNCTUATION = r"(?P<punctuation>[\[\]{}:,])"
JSON_TOKENS = re.compile(
    rf"{_PUNCTUATION}|(?P<string>{_STRING})|(?P<comment>//[^\r\n]*+|/\*(?s:.*?)(?:\*/|\Z))"
    r"|(?P<word>[^\s\[\]{}:,\"]++)"
)
FLOW_TOKENS = re.compile(
    rf"{_PUNCTUATION}|(?P<string>{_STRING}|{_QUOTED})|(?P<comment>(?<!\S)\#[^\r\n]*+)"
    rf"|(?P<property>{_PROPERTY}|\?(?=\s))"
    r"|(?P<word>[^\s\[\]{},\"':](?:[^\[\]{},:\r\n#]|:(?=[^\s\[\]{},])|(?<=\S)\#|(?!))*+)"
)
LINE_BREAK = re.compile(r"\r\n?|\n")
PROPERTIES = re.compile(rf"(?:{_PROPERTY}[ \t]*+|(?!))*+")
DASH = re.compile(r"-(?:[ \t]++|(?=[\r\n]|\Z))")
EXPLICIT = re.compile(r"[?:](?:[ \t]++|(?=[\r\n]|\Z))")
"""The mark before an explicit key or its value."""

NAME = re.compile(
    r"""(?:"(?:[^"\\\r\n]|\\[^\r\n]|(?!))*+"|'(?:[^'\r\n]|''|(?!))*+'"""
    r"""|[^\s\[\]{},#&*!|>%@`"'-][^:#\r\n]*+"""
    r"""(?:[:#](?=\S)[^:#\r\n]*+|(?!))*+|-(?=\S)[^:#\r\n]*+"""
    r"""|\*[^\s,\[\]{}]++(?=[ \t]))[ \t]*+:(?=[ \t\r\n]|\Z)"""
)
COMMENT = re.compile(r"(?<!\S)#")
NO_CONTENT = re.compile(r"[ \t]*+(?:\#|---|\.\.\.|%|\r|\n|\Z)")
DOCUMENT_END = re.compile(r"\.\.\.(?=[ \t\r\n]|\Z)")
BLOCK_TEXT = re.compile(r"[|>][-+0-9]*+[ \t]*+(?:\#|\r|\n|\Z)")


def source_of(token: re.Match[str]) -> str:
    """Return a token without the blanks behind a word."""
    return token[0] if token["string"] else token[0].rstrip()


def unquoted(source: str) -> str:
    """Return the text of a name or string, quoted or not, and even if it is not closed yet."""
    if source.startswith("'"):
        return source[1:].removesuffix("'").replace("''", "'")
    if not source.startswith('"'):
        return source
    try:
        said = json.loads(source, strict=False)
    except ValueError:
        return source[1:].removesuffix('"')
    return said if isinstance(said, str) else source
