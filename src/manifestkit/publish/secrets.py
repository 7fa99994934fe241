"""Secrets: they do not print, and a text of the service that holds one is not shown."""

from __future__ import annotations

import html
import json
import os
import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from manifestkit.model.errors import ConfigurationError
from manifestkit.model.printable import printable, truncate

_WITHHELD = "[not shown: it holds a secret]"
_LONGEST_TOKEN = 8_192
_SHORTEST = 8  # characters, without blanks; a shorter one is a word that texts are made of
_LAYERS = 5
_MOST_DECODED = 12_000_000  # characters of all layers; a text with more is taken to hold a secret
_MOST_SHOWN = 2_000
_JSON = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|([bfnrt])|(.))", re.DOTALL)
_HTML = re.compile("&(?:#[0-9]{1,20}|#[Xx][0-9A-Fa-f]{1,20}|[A-Za-z][0-9A-Za-z]{1,31});?")
_STANDARD = str.maketrans("-_", "+/")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{11,}")  # what eight bytes take


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
        if more := re.match(r"(?i)(?:bearer|token)\b:?(?=\s)|[\"']", text):
            raise ConfigurationError(f"{variable}: leave out `{more[0]}`: it is the token alone")
        if re.match(r"\$[({]|%\w+%$|#?\{", text):
            do = "define it where the command runs"
            raise ConfigurationError(f"{variable}: the variable in it was not filled in; {do}")
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


@dataclass(frozen=True, slots=True)
class Authorization:
    """Tokens that allow a deploy."""

    token: Secret | None = None  # the user token
    site_token: Secret | None = None  # identifies the site
    placement: str = "query"  # of the user token; or `part`
    site_token_part: str = "site_token"  # noqa: S105 - the name of a part


class KnownSecrets:
    """The secrets of a command, to be searched for in what it shows of a response."""

    def __init__(self) -> None:
        self._needles: set[str] = set()

    def add(self, *secrets: Secret | None) -> None:
        """Search for these as well from now on."""
        needles = (_comparable(each.reveal()) for each in secrets if each is not None)
        self._needles.update(each for each in needles if len(each) >= _SHORTEST)

    def are_in(self, text: str) -> bool:
        """Return whether a text holds a secret: as it is, or encoded, in any mix.

        White space and characters that are not seen may stand anywhere in it.
        """
        layer, seen, size = {text}, set[str](), 0
        for _ in range(_LAYERS + 1) if self._needles else ():
            size += sum(map(len, layer))
            if size > _MOST_DECODED:
                return True
            if any(needle in each for each in map(_comparable, layer) for needle in self._needles):
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


def _comparable(text: str) -> str:
    return _closed_up(text).replace("+", "").lower()  # a form writes a blank so


def _closed_up(text: str) -> str:
    """Return a text without white space and what is not seen, such as joiners of no width."""
    unseen = (ord(each) for each in set(text) if each == " " or not each.isprintable())
    return text.translate(dict.fromkeys(unseen))


def _decoded(text: str) -> Iterator[str]:
    """Yield a text without one layer of each kind of escape, and what its runs may encode."""
    yield unquote(text, errors="ignore")
    yield _HTML.sub(lambda character: html.unescape(character[0]), text)
    units = _JSON.sub(
        lambda escape: chr(int(escape[1], 16)) if escape[1] else escape[3] or "", text
    )
    yield units.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
    runs = [each[0].translate(_STANDARD) for each in _BASE64.finditer(_closed_up(text))]
    for start in range(4):  # another text may stand right before it
        pieces = (each[start:] for each in runs)
        whole = (each[: len(each) - (len(each) % 4 == 1)] + "==" for each in pieces)
        yield "\n".join(b64decode(each).decode(errors="ignore") for each in whole)
