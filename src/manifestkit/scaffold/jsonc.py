"""JSON with comments and trailing commas, as editors keep their settings: changed in its places.

Comments and trailing commas are blanked out, so that the strict reader gives the value and the
places; what is put in stands between the old characters, none of which is touched.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from manifestkit.decode import decode
from manifestkit.document import Document
from manifestkit.errors import ConfigurationError
from manifestkit.node import Node
from manifestkit.pointer import Path

# What has no end is passed over too: it would be looked for anew from each place in it.
_STRING = r'"(?:[^"\\\r\n]|\\.)*+"?'
_COMMENT = re.compile(rf"{_STRING}|(?P<comment>//[^\r\n]*|/\*.*?\*/)|/\*.*", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"{_STRING}|(?P<comma>,)(?=\s*[\]}}])")
_NOT_BREAK = re.compile(r"[^\r\n]")
_COMMENTS_TO_LINE_END = re.compile(
    r"(?:[ \t]*/\*(?:[^*\r\n]|\*(?!/))*\*/)*[ \t]*(?://[^\r\n]*)?(?=[\r\n])"
)
_INDENT = re.compile(r"[\r\n]([ \t]+)\S")
_UNIT = "    "


class _Insertion(NamedTuple):
    at: int
    text: str


class Settings:
    """A settings file's text, and the same with changes.

    Attributes:
        name: the file, as it is named to the user.
        text: what it holds.

    Raises:
        ConfigurationError: it is not one object in JSON with comments.
    """

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        if not _blanked(_COMMENT, "comment", text).strip("\ufeff \t\r\n"):
            ended = text if text.endswith(("\n", "\r", "\ufeff")) or not text else f"{text}\n"
            text = f"{ended}{{}}\n"
        self.text = text
        self._commas = _blanked(_COMMENT, "comment", self.text)
        decoded = decode(_blanked(_TRAILING_COMMA, "comma", self._commas), "settings.json")
        self._document: Document = decoded.document
        if not decoded.readable:
            first = decoded.findings[0]
            at = f"{name}:{first.location.line}:{first.location.column}"
            raise ConfigurationError(f"{at}: {first.message}")
        if not isinstance(self.value, dict):
            raise ConfigurationError(f"{name}:1:1: settings are one object in braces")

    @property
    def value(self) -> Any:
        """What the settings say."""
        return self._document.value

    def value_at(self, path: Path) -> Any:
        """What stands at a path that is there."""
        return self._document.value_at(path)

    def place(self, path: Path) -> str:
        """Where a value stands, as `file:line:column`."""
        at = self._document.locate(path)
        return f"{self.name}:{at.line}:{at.column}"

    def with_member(self, path: Path, value: Any) -> Settings:
        """The settings with a member, new or in the place of its old value."""
        owner = self._document.value_at(path[:-1])
        if path[-1] not in owner:
            entry = f"{json.dumps(path[-1], ensure_ascii=False)}: "
            return self._inserted(path[:-1], entry, value)
        span = self._document.node(path).span
        written = self._written(value, self._indent_at(span.start))
        return Settings(self.name, self.text[: span.start] + written + self.text[span.end :])

    def with_item(self, path: Path, value: Any) -> Settings:
        """The settings with one more item at the end of an array."""
        return self._inserted(path, "", value)

    def _inserted(self, path: Path, entry: str, value: Any) -> Settings:
        text = self.text
        for insertion in reversed(self._insertions(self._document.node(path), entry, value)):
            text = text[: insertion.at] + insertion.text + text[insertion.at :]
        return Settings(self.name, text)

    def _insertions(self, owner: Node, entry: str, value: Any) -> list[_Insertion]:
        start, end = owner.span
        members = (owner.members or {}).values()
        entries = [(each.key.start, each.node.span.end) for each in members] or [
            (each.span.start, each.span.end) for each in owner.items or ()
        ]
        outer = self._indent_at(start)
        if not entries:
            inner = outer + self._unit
            has_break = _breaks(self.text[start:end])
            close = "" if has_break else f"{self._line_break}{outer}"
            body = entry + self._written(value, inner)
            return [_Insertion(start + 1, f"{self._line_break}{inner}{body}{close}")]
        first, last = min(entries), max(entries)
        comma = self._comma_after(last[1])
        anchor = last[1] if comma is None else comma + 1
        separator = [_Insertion(last[1], ",")] if comma is None else []
        after = "" if comma is None else ","
        if not _breaks(self.text[start : first[0]]):
            return [*separator, _Insertion(anchor, f" {entry}{json.dumps(value)}{after}")]
        inner = self._indent_at(last[0])
        comments = _COMMENTS_TO_LINE_END.match(self.text, anchor)
        body = f"{self._line_break}{inner}{entry}{self._written(value, inner)}{after}"
        return [*separator, _Insertion(comments.end() if comments else anchor, body)]

    def _comma_after(self, offset: int) -> int | None:
        rest = self._commas[offset:]
        found = len(rest) - len(rest.lstrip())
        return offset + found if rest[found : found + 1] == "," else None

    def _written(self, value: Any, indent: str) -> str:
        text = json.dumps(value, indent=self._unit, ensure_ascii=False)
        return text.replace("\n", self._line_break + indent)

    def _indent_at(self, offset: int) -> str:
        """What the line of an offset begins with."""
        line = re.split(r"[\r\n]", self.text[:offset])[-1] + "x"
        return line[: len(line) - len(line.lstrip(" \t"))]

    @property
    def _unit(self) -> str:
        found = _INDENT.search(self._commas)
        return found[1] if found else _UNIT

    @property
    def _line_break(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"


def _breaks(text: str) -> bool:
    return "\n" in text or "\r" in text


def _blanked(pattern: re.Pattern[str], group: str, text: str) -> str:
    """A text with blanks in the place of what a pattern finds, line ends kept."""
    return pattern.sub(
        lambda found: found[0] if found[group] is None else _NOT_BREAK.sub(" ", found[0]), text
    )
