"""Secrets, kept out of what is shown, logged and written of a response."""

from __future__ import annotations

import html
import logging
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from string import ascii_lowercase, ascii_uppercase
from typing import Any, TypeGuard

HIDDEN = "[redacted]"
LONGEST_TOKEN = 8_192
_SHORT = 4  # a shorter secret is a word that texts are made of: it is hidden as a word only
_DEEPEST_VALUE = 100
_MOST_LAYERS = 5  # of escapes within escapes
_ESCAPE = re.compile(
    rb"(?P<octet>(?:%|\\x)[0-9A-Fa-f]{2})"
    rb"|\\u(?P<pair>[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2})"
    rb"|\\u(?P<unit>[0-9A-Fa-f]{4})"
    rb"|(?P<character>\\[^ux])"
    rb"|(?P<entity>&(?:#[0-9]{1,20}|#[Xx][0-9A-Fa-f]{1,20}|[A-Za-z][0-9A-Za-z]{1,31});?)",
    re.DOTALL,
)
"""An escape of an address (`%41`), of JSON (`\\u0041`, `\\"`) or of HTML (`&#65;`, `&quot;`)."""
_CONTROLS = {rb"\b": b"\b", rb"\f": b"\f", rb"\n": b"\n", rb"\r": b"\r", rb"\t": b"\t"}
_ALIKE = bytes.maketrans(ascii_uppercase.encode() + b"+", ascii_lowercase.encode() + b" ")
_WORD = re.compile(rb"[\w\x80-\xff]")
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


def is_token(value: object) -> TypeGuard[str]:
    """Return whether a value is a token that an address or a form can hold."""
    if not isinstance(value, str) or not value.strip():
        return False
    return value.isprintable() and len(value) <= LONGEST_TOKEN


class Redactor:
    """Replaces secrets in texts: as they are, in base64, or escaped in any mix of ways."""

    def __init__(self) -> None:
        self._forms: set[bytes] = set()

    def learn(self, *secrets: Secret | None) -> None:
        """Replace these as well from now on."""
        for each in secrets:
            if each is not None and each.reveal():
                self._forms.update(_forms(each.reveal()))

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
        if not self._forms:
            return text
        octets = text.encode(errors="surrogatepass")
        spans = sorted(
            (places[start], places[end])
            for layer, places in _layers(octets)
            for start, end in _found(self._forms, layer)
        )
        shown, done = [], 0
        for start, end in spans:
            if start >= done:
                shown += [octets[done:start], HIDDEN.encode()]
            done = max(done, end)
        return b"".join([*shown, octets[done:]]).decode(errors="surrogatepass")

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


def _forms(secret: str) -> Iterator[bytes]:
    """Yield what to look for: the secret, what it stands for where it has escapes, and base64."""
    octets = secret.encode(errors="surrogatepass")
    for layer, _ in _layers(octets):
        if layer == octets or len(layer) >= _SHORT:
            yield layer.translate(_ALIKE)
    if len(octets) < _SHORT:
        return
    for before in range(3):  # how many bytes of something else share its first digits
        start, end = -(-before * 8 // 6), (before + len(octets)) * 8 // 6
        for encode in (b64encode, urlsafe_b64encode):
            yield encode(bytes(before) + octets)[start:end].translate(_ALIKE)


def _found(forms: Iterable[bytes], text: bytes) -> Iterator[tuple[int, int]]:
    """Yield where a form of a secret begins and ends in a text."""
    searched = text.translate(_ALIKE)
    for form in forms:
        end = 0
        while (start := searched.find(form, end)) >= 0:
            end = start + len(form)
            is_part = _WORD.match(text, max(start - 1, 0), start) or _WORD.match(text, end)
            if len(form) >= _SHORT or not is_part:
                yield start, end


def _layers(octets: bytes) -> Iterator[tuple[bytes, Sequence[int]]]:
    """Yield a text as it is, and without each layer of escapes, with the place of each byte."""
    places: Sequence[int] = range(len(octets) + 1)
    yield octets, places
    for _ in range(_MOST_LAYERS):
        pieces, left, done = [], list[int](), 0
        for escape in _ESCAPE.finditer(octets):
            start, piece = escape.start(), _unescaped(escape)
            pieces += [octets[done:start], piece]
            left += [*places[done:start], *[places[start]] * len(piece)]
            done = escape.end()
        if not pieces:
            return
        octets, places = b"".join([*pieces, octets[done:]]), [*left, *places[done:]]
        yield octets, places


def _unescaped(escape: re.Match[bytes]) -> bytes:
    if digits := escape["octet"]:
        return bytes.fromhex(digits[-2:].decode())
    if digits := escape["pair"] or escape["unit"]:
        units = bytes.fromhex(digits.replace(rb"\u", b"").decode())
        return units.decode("utf-16-be", "surrogatepass").encode(errors="surrogatepass")
    if character := escape["character"]:
        return _CONTROLS.get(character, character[1:])
    return html.unescape(escape["entity"].decode()).encode(errors="surrogatepass")
