"""Secrets: they do not print, and a text of the service that holds one is not shown."""

from __future__ import annotations

import html
import json
import os
import re
from base64 import b64decode
from dataclasses import dataclass, field
from typing import Any

from manifestkit.model.errors import ConfigurationError
from manifestkit.model.printable import printable, truncate

_WITHHELD = "[not shown: it holds a secret]"
_LONGEST_TOKEN = 8_192
_SHORTEST = 8  # characters; a shorter one is a word that texts are made of
_LAYERS = 5
_MOST_DECODED = 12_000_000  # bytes of all layers; beyond them a text is taken to hold a secret
_MOST_SHOWN = 2_000
_PERCENT = re.compile(rb"(?:%|\\x)([0-9A-Fa-f]{2})")
_JSON = re.compile(
    rb"\\u([Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}|[0-9A-Fa-f]{4})|\\([^ux])",
    re.DOTALL,
)
_HTML = re.compile(rb"&(?:#[0-9]{1,20}|#[Xx][0-9A-Fa-f]{1,20}|[A-Za-z][0-9A-Za-z]{1,31});?")
_CONTROLS = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{11,}")  # what eight bytes take
_HEX = re.compile(rb"[0-9A-Fa-f]{16,}")  # likewise


@dataclass(frozen=True, slots=True)
class Secret:
    """A token or a password; its text is had by asking for it, never by printing it."""

    _text: str = field(repr=False)

    @classmethod
    def given(cls, variable: str) -> Secret | None:
        """Return the secret in an environment variable, if any.

        Raises:
            ConfigurationError: it is none that a request can hold.
        """
        text = os.environ.get(variable, "").strip()
        secret = cls.of(text)
        if text and secret is None:
            raise ConfigurationError(
                f"{variable}: a token must be one line of text, of at most {_LONGEST_TOKEN:,} "
                "characters"
            )
        return secret

    @classmethod
    def of(cls, value: object) -> Secret | None:
        """Return the token that a value is; None if no address or form can hold it."""
        if not isinstance(value, str) or not value.strip():
            return None
        return cls(value) if value.isprintable() and len(value) <= _LONGEST_TOKEN else None

    def reveal(self) -> str:
        """Return the secret itself."""
        return self._text

    def __str__(self) -> str:
        return "[secret]"


class KnownSecrets:
    """The secrets of a command, to be searched for in what it shows of a response."""

    def __init__(self) -> None:
        self._needles: set[bytes] = set()

    def add(self, *secrets: Secret | None) -> None:
        """Search for these as well from now on."""
        for each in secrets:
            if each is not None and len(each.reveal()) >= _SHORTEST:
                needle = _comparable(each.reveal().encode(errors="surrogatepass"))
                self._needles.add(needle)
                if len((closed := _closed_up(needle)).decode()) >= _SHORTEST:
                    self._needles.add(closed)

    def are_in(self, text: str) -> bool:
        """Return whether a text holds a secret: as it is, or encoded, in any mix.

        White space and characters that are not seen may stand anywhere in it.
        """
        layer = {text.encode(errors="surrogatepass")}
        seen, size = set[bytes](), 0
        for _ in range(_LAYERS + 1):
            if not self._needles or not layer:
                return False
            size += sum(map(len, layer))
            if size > _MOST_DECODED:
                return True
            for each in layer:
                comparable = _comparable(each)
                texts = comparable, _closed_up(comparable)
                if any(needle in text for needle in self._needles for text in texts):
                    return True
            seen |= layer
            layer = {decoded for each in layer for decoded in _decoded(each)} - seen
        return False

    def checked(self, value: Any) -> Any:
        """Return a JSON value; one that holds a secret is withheld."""
        return _WITHHELD if self.are_in(json.dumps(value, ensure_ascii=False)) else value

    def shown(self, text: str) -> str:
        """Return a text in one line, not too long; one that holds a secret is withheld."""
        if self.are_in(text):
            return _WITHHELD
        return printable(truncate(" ".join(text.split()), _MOST_SHOWN))


def _comparable(octets: bytes) -> bytes:
    return octets.lower().replace(b"+", b" ")


def _closed_up(octets: bytes) -> bytes:
    """Return a text without white space and what is not seen, such as joiners of no width."""
    text = octets.decode(errors="ignore")
    unseen = (ord(each) for each in set(text) if each == " " or not each.isprintable())
    return text.translate(dict.fromkeys(unseen)).encode()


def _decoded(octets: bytes) -> list[bytes]:
    """Return a text without one layer of each kind of escape, and what its runs may encode."""
    closed = _closed_up(octets)
    decoded = [
        closed,
        _PERCENT.sub(lambda escape: bytes.fromhex(escape[1].decode()), octets),
        _JSON.sub(_json, octets),
        _HTML.sub(_character, octets),
    ]
    for text in {octets, closed}:
        runs = [run[0].translate(bytes.maketrans(b"-_", b"+/")) for run in _BASE64.finditer(text)]
        for start in range(4):  # another text may stand right before it
            pieces = [each[start:] for each in runs]
            pieces = [
                b64decode(each[: len(each) - (len(each) % 4 == 1)] + b"==") for each in pieces
            ]
            decoded.append(b"\n".join(pieces))
        digits = [run[0].decode() for run in _HEX.finditer(text)]
        for start in range(2):
            pairs = (each[start : len(each) - (len(each) - start) % 2] for each in digits)
            decoded.append(b"\n".join(map(bytes.fromhex, pairs)))
    return decoded


def _json(escape: re.Match[bytes]) -> bytes:
    if escape[2]:
        return _CONTROLS.get(escape[2], escape[2])
    units = bytes.fromhex(escape[1].replace(rb"\u", b"").decode())
    return units.decode("utf-16-be", "surrogatepass").encode(errors="surrogatepass")


def _character(escape: re.Match[bytes]) -> bytes:
    return html.unescape(escape[0].decode()).encode(errors="surrogatepass")
