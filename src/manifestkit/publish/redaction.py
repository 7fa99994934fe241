"""Secrets, kept out of what is shown, logged and written of a response."""

from __future__ import annotations

import base64
import html
import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, quote_plus, unquote_to_bytes

HIDDEN = "[redacted]"
_SHORT = 4  # a shorter secret is a word that texts are made of: it is hidden as a word only
_DEEPEST_VALUE = 100
_MOST_LAYERS = 8
_LATIN_1 = {0xDC00 + octet: octet for octet in range(0x80, 0x100)}
_ESCAPE = re.compile(
    r"(?P<octets>(?:\\x[0-9a-f]{2})+)|(?P<octal>(?:\\[0-3][0-7]{2})+)|(?P<units>(?:\\u[0-9a-f]{4})+)"
    r"|\\U(?P<point>000[0-9a-f]{5}|0010[0-9a-f]{4})|\\(?P<plain>.)",
    re.IGNORECASE | re.DOTALL,
)
_SIMPLE = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_BASE64 = re.compile(r"[A-Za-z0-9+/_=-]+(?:[ \t]*[\r\n][\s>]*[A-Za-z0-9+/_=-]+)*")
_HEX = re.compile(r"[0-9a-f]{2}(?:[\s:,_.-]*(?:\\x|0x)?[0-9a-f]{2})*", re.IGNORECASE)
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
    """Replaces secrets in texts of a service.

    A secret is replaced where it stands as it is, percent-encoded, or escaped as in JSON or HTML. A
    text that has one written in any other way, in base64 say, is replaced as a whole.
    """

    def __init__(self) -> None:
        self._secrets: set[str] = set()
        self._written: re.Pattern[str] | None = None

    def learn(self, *secrets: Secret | None) -> None:
        """Replace these as well from now on."""
        self._secrets |= {each.reveal() for each in secrets if each is not None and each.reveal()}
        forms = sorted({form for each in self._secrets for form in _forms(each)}, key=len)
        self._written = re.compile("|".join(reversed(forms)), re.IGNORECASE) if forms else None

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
        if self._written is None:
            return text
        shown = self._written.sub(HIDDEN, text)
        long = {_plain(each) for each in self._secrets if len(each) >= _SHORT}
        rest = shown.replace(HIDDEN, "\0")
        return HIDDEN if long and any(_has(rest, each) for each in long) else shown

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
    """The usual ways to write a secret, as regular expressions."""
    if len(secret) < _SHORT:
        yield rf"(?<!\w){re.escape(secret)}(?!\w)"
        return
    octets = secret.encode(errors="surrogatepass")
    in_json = [json.dumps(secret, ensure_ascii=is_ascii)[1:-1] for is_ascii in (True, False)]
    for form in {
        secret,
        quote(octets),
        quote(octets, safe=""),
        quote_plus(octets),
        *in_json,
        *(each.replace("/", "\\/") for each in in_json),
        html.escape(secret),
    }:
        yield re.escape(form)


def _has(text: str, plain: str, depth: int = 0) -> bool:
    """Whether a text has a secret in it, however it is written."""
    if plain in _plain(text):
        return True
    if depth > 1:
        return False
    layers = {text, _decoded(text), _fully_decoded(text)}
    return any(_has(inner, plain, depth + 1) for each in layers for inner in _packed(each, plain))


def _plain(text: str) -> str:
    """A text with every escape decoded, in one case, with blanks for `+`, without backslashes."""
    return _fully_decoded(text).casefold().replace("+", " ").replace("\\", "")


def _fully_decoded(text: str) -> str:
    for _ in range(_MOST_LAYERS):
        before, text = text, _decoded(text)
        if text == before:
            break
    return text


def _decoded(text: str) -> str:
    if "%" in text:
        octets = text.encode(errors="surrogatepass")
        for _ in range(
            _MOST_LAYERS
        ):  # before it is text: one octet of a letter may be escaped twice
            octets = unquote_to_bytes(octets)
        text = _text_of(octets)
    text = html.unescape(text)
    return _ESCAPE.sub(_meant, text) if "\\" in text else text


def _text_of(octets: bytes) -> str:
    """The text that bytes are; what is no UTF-8 in them is read as Latin-1."""
    return octets.decode(errors="surrogateescape").translate(_LATIN_1)


def _meant(escape: re.Match[str]) -> str:
    text = escape[escape.lastgroup or 0]
    match escape.lastgroup:
        case "octets":
            return _text_of(bytes.fromhex(re.sub(r"(?i)\\x", "", text)))
        case "octal":
            return _text_of(bytes(int(each, 8) for each in text.split("\\")[1:]))
        case "units":
            units = bytes.fromhex(re.sub(r"(?i)\\u", "", text))
            return units.decode("utf-16-be", errors="surrogatepass")
        case "point":
            return chr(int(text, 16))
        case _:
            return _SIMPLE.get(text, text)


def _packed(text: str, plain: str) -> Iterator[str]:
    """What may be base64 or hexadecimal digits in a text, decoded."""
    least = len(plain) // 2
    for found in _BASE64.finditer(text):
        for piece in re.split("=+", re.sub(r"[\s>]+", "", found[0])):
            digits = piece.replace("-", "+").replace("_", "/")
            for start in range(4 if len(digits) > least else 0):
                end = len(digits) - (len(digits) - start) % 4
                rest = digits[end:] if len(digits) - end > 1 else ""
                group = digits[start:end] + (rest + "=" * (4 - len(rest)) if rest else "")
                yield _text_of(base64.b64decode(group))
    for found in _HEX.finditer(text):
        digits = re.sub(r"(?i)0x|[^0-9a-f]", "", found[0])
        for start in range(2 if len(digits) > 2 * least else 0):
            end = len(digits) - (len(digits) - start) % 2
            yield _text_of(bytes.fromhex(digits[start:end]))
