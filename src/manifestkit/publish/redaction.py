"""Secrets, kept out of everything that is shown, logged or written."""

from __future__ import annotations

import html
import json
import logging
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

HIDDEN = "[redacted]"
_SECRET_NAMES = re.compile(
    r"token|secret|passw(?:or)?d|api[-_]?key|authorization|cookie", re.IGNORECASE
)
_LOGGERS = ("httpx2", "httpcore2")


@dataclass(frozen=True, slots=True)
class Secret:
    """A token or a password; its text is had by asking for it, never by printing it."""

    _text: str = field(repr=False)

    def reveal(self) -> str:
        """The secret itself."""
        return self._text

    def __str__(self) -> str:
        return HIDDEN


class Redactor:
    """Takes secrets out of text, however they are written in it.

    A secret is found as it is, percent-encoded wholly, partly or twice, as a form or JSON or HTML
    or Python would write it, and in any mixture of these.
    """

    def __init__(self) -> None:
        self._texts: set[str] = set()
        self._pattern: re.Pattern[str] | None = None

    def learn(self, *secrets: Secret | None) -> None:
        """Take these out as well from now on."""
        self._texts.update(filter(None, (each.reveal() for each in secrets if each is not None)))
        patterns = map(_pattern, sorted(self._texts, key=len, reverse=True))
        self._pattern = re.compile("|".join(patterns)) if self._texts else None

    def text(self, text: str) -> str:
        """The text without the secrets."""
        return self._pattern.sub(HIDDEN, text) if self._pattern else text

    def value(self, value: Any) -> Any:
        """A JSON value without the secrets, and without what its member's name says is one."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {
                self.text(name): HIDDEN
                if isinstance(member, str) and _SECRET_NAMES.search(name)
                else self.value(member)
                for name, member in value.items()
            }
        if isinstance(value, list):
            return [self.value(item) for item in value]
        return value


def _pattern(secret: str) -> str:
    return "".join(map(_character, secret))


def _character(character: str) -> str:
    """A pattern for one character in every way that it may be written."""
    octets = character.encode(errors="surrogatepass")
    percent = "".join(f"%(?:25)*(?i:{octet:02x})" for octet in octets)
    units = character.encode("utf-16-be", errors="surrogatepass").hex()
    unicode_escape = "".join(
        rf"\\+u(?i:{units[start : start + 4]})" for start in range(0, len(units), 4)
    )
    ways = {
        re.escape(character),
        percent,
        unicode_escape,
        re.escape(quote(character, safe="")),
        re.escape(json.dumps(character)[1:-1]),
        re.escape(repr(character)[1:-1]),
        "".join(rf"\\+x(?i:{octet:02x})" for octet in octets),
        re.escape(html.escape(character)),
        f"&#0*{ord(character)};",
        f"&#(?i:x0*{ord(character):x});",
    }
    if character == " ":
        ways.add(r"\+")
    if character in "'\"":
        ways.add(rf"\\+{character}")
    return f"(?:{'|'.join(sorted(ways, key=len, reverse=True))})"


def silence_http_logs() -> None:
    """Turn off the loggers of the HTTP library, which write whole addresses, tokens included."""
    for name in {*_LOGGERS, *logging.root.manager.loggerDict}:
        if name.partition(".")[0] in _LOGGERS:
            logging.getLogger(name).disabled = True
