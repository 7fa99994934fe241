"""What the service answered, read whatever form it has."""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import urljoin, urlsplit

from manifestkit.printable import printable
from manifestkit.publish.address import origin_of
from manifestkit.publish.redaction import Redactor
from manifestkit.publish.wire import CODE, DETAILS, ERROR, MESSAGE, SUCCESS

TOO_MANY = 429
DENIED = frozenset({401, 403})
MOST_BYTES = 1024 * 1024
"""How much of an answer is read."""
_MOST_KEPT = 16 * 1024
_MOST_TOLD = 300
_TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<(script|style)\b.*?</\1|<[^>]*>", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the service.

    Attributes:
        status: the HTTP status.
        headers: the headers by name in lower case.
        value: the body: a JSON value, or text that is none; secrets included.
        is_json: whether the body is JSON.
        is_whole: whether all of the body could be read and understood; where it is not, nobody
            knows what the service meant.
        redactor: takes the secrets out of what is shown.
    """

    status: int
    headers: Mapping[str, str] = field(repr=False)
    value: Any = field(repr=False)
    is_json: bool
    is_whole: bool
    redactor: Redactor = field(repr=False)

    @property
    def is_success(self) -> bool:
        """Whether it is a 2xx that does not say of itself that it is an error."""
        denied = isinstance(self.value, dict) and self.value.get(SUCCESS) is False
        return HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES and not denied

    @property
    def is_redirect(self) -> bool:
        """Whether it sends the client elsewhere."""
        return HTTPStatus.MULTIPLE_CHOICES <= self.status < HTTPStatus.BAD_REQUEST

    @property
    def code(self) -> str | None:
        """The service's code for the error (section 7)."""
        code = self._error(CODE)
        return printable(self.redactor.text(str(code))) if code is not None else None

    @property
    def details(self) -> Any:
        """The details of the error (section 7), without secrets; None where there are none."""
        return self.redactor.value(self._error(DETAILS))

    @property
    def kept(self) -> Any:
        """The body as it may be kept: without secrets, and not longer than a receipt should be."""
        value = self.redactor.value(self.value)
        if isinstance(value, str):
            return value[:_MOST_KEPT]
        text = json.dumps(value)
        return value if len(text) <= _MOST_KEPT else text[:_MOST_KEPT]

    def told(self) -> str:
        """The answer in words for a person."""
        said = [f"status {self.status}"]
        if self.code is not None:
            said.append(self.code)
        if self.is_redirect:
            said.append(self._redirect())
        else:
            message = " ".join(self.redactor.text(self._message()).split())
            cut = message if len(message) <= _MOST_TOLD else f"{message[:_MOST_TOLD]}…"
            said.append(printable(cut) or self._phrase())
        if self.details not in (None, {}, []):
            details = json.dumps(self.details, ensure_ascii=False)
            cut = details if len(details) <= _MOST_TOLD else f"{details[:_MOST_TOLD]}…"
            said.append(f"details: {printable(cut)}")
        return ", ".join(filter(None, said))

    def _error(self, member: str) -> Any:
        error = self.value.get(ERROR) if isinstance(self.value, dict) else None
        return error.get(member) if isinstance(error, dict) else None

    def _message(self) -> str:
        if not self.is_json:
            title = _TITLE.search(self.value)
            return html.unescape(title[1] if title else _TAG.sub(" ", self.value))
        if not isinstance(self.value, dict):
            return ""
        error = self.value.get(ERROR)
        message = error.get(MESSAGE) if isinstance(error, dict) else error
        message = message if isinstance(message, str) else self.value.get(MESSAGE)
        return message if isinstance(message, str) else ""

    def _redirect(self) -> str:
        target = self.headers.get("location", "")
        try:
            parts = urlsplit(urljoin("https://unknown.invalid", target))
            origin = origin_of(parts)
        except ValueError:
            origin = ""
        if not target or not origin or parts.hostname == "unknown.invalid":
            return "a redirect, which is not followed: look at --base-url and --api-form"
        where = printable(self.redactor.text(origin))
        return (
            f"a redirect to {where}, which is not followed: if it is yours, give it as --base-url"
        )

    def _phrase(self) -> str:
        try:
            return HTTPStatus(self.status).phrase.lower()
        except ValueError:
            return ""


def read_answer(
    status: int, headers: Mapping[str, str], body: bytes, redactor: Redactor, *, is_whole: bool
) -> Answer:
    """The answer in a response's status, headers and body.

    Args:
        status: the HTTP status.
        headers: the headers by name in lower case.
        body: as much of the body as was read.
        redactor: takes the secrets out of what is shown.
        is_whole: whether that is all of it.
    """
    encoding = headers.get("content-encoding", "identity").lower()
    if encoding != "identity":  # none was asked for; unpacking is not worth a bomb
        note = f"(a body in the encoding {encoding[:40]!r})"
        return Answer(status, headers, note, is_json=False, is_whole=False, redactor=redactor)
    text = body.decode("utf-8-sig", errors="replace")
    claims_json = "json" in headers.get("content-type", "").lower() or text.lstrip()[:1] == "{"
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except (ValueError, RecursionError):
        is_whole = is_whole and (not claims_json or not text.strip())
        return Answer(status, headers, text, is_json=False, is_whole=is_whole, redactor=redactor)
    return Answer(status, headers, value, is_json=True, is_whole=is_whole, redactor=redactor)


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number
