"""Secrets, kept out of everything that is shown, logged or written."""

from __future__ import annotations

import json
import logging
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any

from manifestkit.publish.decoding import layers, packed, text_of

HIDDEN = "[redacted]"
SHORT = 4
"""A secret of fewer characters is a word that texts are made of: it is hidden as a word only."""
_LONG = 16
_LONGEST = 64 * 1024
_EXPANSION = 64  # characters that one may be encoded as
_MOST_LEARNED = 32
_MOST_PACKED = 2  # times in base64 or hexadecimal digits, and that encoded as often again
_DEEPEST_VALUE = 100
_MARKS = re.compile(r"[\W_]+")
_SECRET_NAMES = re.compile(
    r"token|secret|passw(?:or)?d|passphrase|passcode|pwd|credential|authori[sz]ation|bearer|cookie"
    r"|jwt|sessionid|(?:api|access|private|signing|auth)key|^(?:x?auth|basicauth|oauth2?)$"
)
_NAMING = frozenset({"name", "key", "field", "header", "param", "parameter"})
_NAMED = frozenset({"value", "values", "content", "data"})
_ASSIGNED = re.compile(
    r"(?<![\w.-])(?P<name>[A-Za-z][\w.-]*+)(?:(?P<quote>\\*[\"'])\s*[:=]\s*(?P=quote)|=[\"']?)"
    r"(?P<value>[^\s\"'\\&,;<>(){}\[\]]+)"
)
_SCHEME = re.compile(r"\b(?:bearer|basic)\s+(?P<value>[A-Za-z0-9._~+/=-]{8,})", re.IGNORECASE)
_LOGGERS = (
    "httpx2",
    *(f"httpcore2.{name}" for name in ("connection", "http11", "http2", "proxy", "socks")),
)


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

    Three things are taken out: the secrets that it has learned, as they are and in every encoding
    that `docs/publishing.md` lists; whatever stands under a name that secrets have; and what a
    text says that such a name is.
    """

    def __init__(self) -> None:
        self._texts: set[str] = set()
        self._patterns: tuple[re.Pattern[str], ...] = ()
        self._shortest = 0

    def learn(self, *secrets: Secret | None) -> None:
        """Take these out as well from now on."""
        self._texts.update(filter(None, (each.reveal() for each in secrets if each is not None)))
        forms = {form for text in self._texts for form in _forms(text)}
        self._patterns = tuple(_pattern(each) for each in sorted(forms))
        long = [len(each.encode(errors="replace")) for each in self._texts if len(each) >= SHORT]
        self._shortest = min(long, default=0)

    @contextmanager
    def redacting_logs(self) -> Iterator[None]:
        """Take secrets out of what the HTTP library logs: whole addresses, tokens included."""
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
        """The text without the secrets.

        Of a very long one only the beginning, and no part of a secret at its end.
        """
        if len(text) > _LONGEST:
            cut = text[: _LONGEST + _EXPANSION * max(map(len, self._texts), default=0)]
            return f"{self._without(cut, _LONGEST)}…"
        return self._without(text, len(text))

    def value(self, value: Any, depth: int = 0) -> Any:
        """A JSON value without the secrets, and without what its member's name says is one.

        What lies deeper than anybody looks is taken out, too.
        """
        if depth > _DEEPEST_VALUE:
            return HIDDEN
        if isinstance(value, str):
            return self._string(value, depth)
        if isinstance(value, dict):
            return {
                self.text(name): HIDDEN
                if _is_hidden(value, name)
                else self.value(member, depth + 1)
                for name, member in value.items()
            }
        if isinstance(value, list):
            return [self.value(item, depth + 1) for item in value]
        if isinstance(value, int | float) and not isinstance(value, bool):
            written = str(value)
            return value if self.text(written) == written else HIDDEN
        return value

    def learn_from(self, value: Any) -> None:
        """Take out, wherever else they are, the long texts that a JSON value names as secrets."""
        self.learn(*map(Secret, islice(_long_texts(value), _MOST_LEARNED)))

    def _string(self, text: str, depth: int) -> str:
        """A string, which may hold JSON itself."""
        if text.lstrip()[:1] in {"{", "["}:
            try:
                inner = json.loads(text)
                hidden = self.value(inner, depth + 1)
            except (ValueError, RecursionError):
                return self.text(text)
            if hidden != inner:
                return json.dumps(hidden)
        return self.text(text)

    def _without(self, text: str, at_most: int) -> str:
        """So many characters of a text, without the secrets that begin in them."""
        spans = [*self._spans(text, 0), *_named_spans(text)]
        if not spans:
            return text[:at_most]
        parts: list[str] = []
        done = 0
        for start, end in _merged(spans):
            if start < at_most:
                parts += (text[done:start], HIDDEN)
            else:
                parts.append(text[done:at_most])
            done = end
        return "".join((*parts, text[done:at_most]))

    def _spans(self, text: str, depth: int) -> Iterator[tuple[int, int]]:
        """Where the learned secrets are."""
        if not self._patterns:
            return
        for layer in layers(text):
            for pattern in self._patterns:
                found = pattern.search(layer.text)
                while found:
                    yield layer.span(*found.span())
                    found = pattern.search(layer.text, found.start() + 1)
            if not self._shortest or max(depth, layer.depth - 1) >= _MOST_PACKED:
                continue
            for start, end, inner in packed(layer.text, self._shortest):
                if next(self._spans(inner, depth + 1), None):
                    yield layer.span(start, end)


def _forms(secret: str) -> Iterator[str]:
    """What a secret reads in a text that is decoded so many times: escapes may be part of it."""
    octets = secret.encode(errors="surrogatepass")
    for text in {secret, text_of(octets), _in_latin_1(secret)}:
        yield from (layer.text for layer in layers(text) if layer.text.strip(" +"))
    yield secret


def _in_latin_1(secret: str) -> str:
    """How its bytes in Latin-1 read as UTF-8."""
    try:
        return text_of(secret.encode("latin-1"))
    except UnicodeEncodeError:
        return secret


def _pattern(form: str) -> re.Pattern[str]:
    """A form in upper or lower case, with `+` for a blank as in forms of the web."""
    blank = "[ +]" if form.strip(" +") else ""
    text = "".join(blank if blank and each in " +" else _letter(each) for each in form)
    if len(form) < SHORT:
        text = rf"(?<!\w){text}(?!\w)"
    return re.compile(text, re.IGNORECASE)


def _letter(letter: str) -> str:
    """A character, as it is or as its bytes read where they are decoded one by one."""
    if letter.isascii():
        return re.escape(letter)
    octets = letter.encode(errors="surrogatepass").decode("latin-1")
    return f"(?:{re.escape(letter)}|{re.escape(octets)})"


def _named_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where a text says what something is that has the name of a secret."""
    for layer in layers(text):
        for found in _ASSIGNED.finditer(layer.text):
            if is_secret_name(found["name"]):
                yield layer.span(*found.span("value"))
        for found in _SCHEME.finditer(layer.text):
            yield layer.span(*found.span("value"))


@lru_cache(maxsize=1024)
def is_secret_name(name: str) -> bool:
    """Whether something of this name is a secret, whatever its case and its separators."""
    plain = _MARKS.sub("", unicodedata.normalize("NFKC", name)).lower()
    return _SECRET_NAMES.search(plain) is not None


def _is_hidden(holder: dict[str, Any], name: str) -> bool:
    """Whether a member is one by its name, or by what a sibling says that its name is."""
    if holder[name] is None or isinstance(holder[name], bool):
        return False
    if is_secret_name(name):
        return True
    if name.lower() not in _NAMED:
        return False
    given = (member for each, member in holder.items() if each.lower() in _NAMING)
    return any(isinstance(each, str) and is_secret_name(each) for each in given)


def _long_texts(value: Any) -> Iterator[str]:
    """The texts under names of secrets that are too long to be words."""
    left = [(value, False)]
    while left:
        each, named = left.pop()
        if isinstance(each, dict):
            left += [(item, named or _is_hidden(each, name)) for name, item in each.items()]
        elif isinstance(each, list):
            left += [(item, named) for item in each]
        elif isinstance(each, str) and named and len(each) >= _LONG:
            yield each


def _merged(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans in order, those that touch as one."""
    ordered = sorted(spans)
    start, end = ordered[0]
    for first, last in ordered[1:]:
        if first > end:
            yield start, end
            start, end = first, last
        else:
            end = max(end, last)
    yield start, end
