"""Secrets, kept out of what is shown, logged and written of a response."""

from __future__ import annotations

import json
import logging
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

HIDDEN = "[redacted]"
_SHORT = 4  # a shorter secret is a word that texts are made of: it is hidden as a word only
_DEEPEST_VALUE = 100
_ESCAPED = re.compile(r"[^A-Za-z0-9]")
_LOGGERS = (
    "httpx2",
    *(f"httpcore2.{name}" for name in ("connection", "http11", "http2", "proxy", "socks")),
)


@dataclass(frozen=True, slots=True)
class Secret:
    """A token or a password; its text is had by asking for it, never by printing it."""

    _text: str = field(repr=False)

    def reveal(self) -> str:
        """Return the secret itself."""
        return self._text

    def __str__(self) -> str:
        return HIDDEN


class Redactor:
    """Replaces secrets in texts: as they are, percent-encoded, escaped as in JSON, or in base64."""

    def __init__(self) -> None:
        self._forms: set[str] = set()
        self._written: re.Pattern[str] | None = None

    def learn(self, *secrets: Secret | None) -> None:
        """Replace these as well from now on."""
        for each in secrets:
            if each is not None and each.reveal():
                self._forms.update(_forms(each.reveal()))
        if self._forms:
            longest_first = sorted(self._forms, key=len, reverse=True)
            self._written = re.compile("|".join(longest_first), re.IGNORECASE)

    @contextmanager
    def redacting_logs(self) -> Iterator[None]:
        """Replace secrets in what the HTTP library logs: whole addresses, tokens included."""
        loggers = [logging.getLogger(name) for name in _LOGGERS]
        for logger in loggers:
            logger.addFilter(self._redact)
        try:
            yield
        finally:
            for logger in loggers:
                logger.removeFilter(self._redact)

    def _redact(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self.text(record.getMessage()), ()
        return True

    def text(self, text: str) -> str:
        """Return a text without the secrets."""
        return text if self._written is None else self._written.sub(HIDDEN, text)

    def value(self, value: Any, depth: int = 0) -> Any:
        """Return a JSON value without the secrets; what lies deeper than anybody looks is one."""
        if depth > _DEEPEST_VALUE:
            return HIDDEN
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(name): self.value(each, depth + 1) for name, each in value.items()}
        if isinstance(value, list):
            return [self.value(each, depth + 1) for each in value]
        if isinstance(value, int | float) and not isinstance(value, bool):
            written = str(value)
            return value if self.text(written) == written else HIDDEN
        return value


def _forms(secret: str) -> Iterator[str]:
    """Yield the ways to write a secret, as regular expressions."""
    if len(secret) < _SHORT:
        yield rf"(?<!\w){re.escape(secret)}(?!\w)"
        return
    yield _ESCAPED.sub(_spellings, secret)
    octets = secret.encode(errors="surrogatepass")
    for before in range(3):  # how many bytes of something else share its first digits
        start, end = -(-before * 8 // 6), (before + len(octets)) * 8 // 6
        for encode in (b64encode, urlsafe_b64encode):
            yield re.escape(encode(bytes(before) + octets)[start:end].decode())


def _spellings(character: re.Match[str]) -> str:
    """Return how a character is written: as it is, percent-encoded or escaped as in JSON."""
    written = character[0]
    spellings = {
        written,
        "".join(f"%{octet:02x}" for octet in written.encode(errors="surrogatepass")),
        json.dumps(written)[1:-1],
        f"\\u{ord(written):04x}",
        f"\\{written}",
        written.replace(" ", "+"),
    }
    return f"(?:{'|'.join(map(re.escape, sorted(spellings, key=len, reverse=True)))})"
