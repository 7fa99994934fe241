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

from manifestkit.model.printable import printable
from manifestkit.publish.address import origin_of
from manifestkit.publish.redaction import Redactor
from manifestkit.publish.wire import CODE, DETAILS, ERROR, MESSAGE, SUCCESS

TOO_MANY = 429
DENIED = frozenset({401, 403})
MOST_BYTES = 1024 * 1024
"""How much of a response is read."""
_MOST_KEPT = 16 * 1024
_MOST_SHOWN = 300
_MOST_PAGE = 64 * 1024
_DEEPEST = 200
_TITLE = re.compile(r"<title[^>]{0,200}>(.{0,1000}?)</title", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<(script|style)\b[^<]*</\1[^<>]*>|<[^<>]*>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Response:
    """A response of the service.

    Attributes:
        status: the HTTP status.
        headers: the headers by name in lower case.
        value: the body: a JSON value, or text that is none; secrets included.
        is_json: whether the body is JSON.
        is_whole: whether all of the body could be read and decoded.
        redactor: takes the secrets out of what is shown.
        note: what to say in place of a body that was not read; None where it was.
    """

    status: int
    headers: Mapping[str, str] = field(repr=False)
    value: Any = field(repr=False)
    is_json: bool
    is_whole: bool
    redactor: Redactor = field(repr=False)
    note: str | None = None

    @property
    def is_success(self) -> bool:
        """Whether it is a 2xx that does not say of itself that it is an error."""
        return HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES and not (
            self._says_success is False or (isinstance(self.value, dict) and self.value.get(ERROR))
        )

    @property
    def is_clear(self) -> bool:
        """Whether it can be understood; where it cannot, nobody knows what the service meant."""
        return self.is_whole and not self._is_page and self._says_success is not None

    @property
    def is_redirect(self) -> bool:
        """Whether it sends the client elsewhere."""
        return HTTPStatus.MULTIPLE_CHOICES <= self.status < HTTPStatus.BAD_REQUEST

    @property
    def code(self) -> str | None:
        """The service's code for the error (section 7)."""
        code = self._error(CODE)
        if isinstance(code, bool) or not isinstance(code, str | int):
            return None
        return printable(_cut(self.redactor.text(str(code)), _MOST_SHOWN))

    @property
    def details(self) -> Any:
        """The details of the error (section 7), without secrets; None where there are none."""
        return _kept(self.redactor.value(self._error(DETAILS)))

    @property
    def kept(self) -> Any:
        """The body as it may be kept: without secrets, and not longer than a receipt should be."""
        return self.note or _kept(self.redactor.value(self.value))

    def summary(self) -> str:
        """The response in a sentence for a person."""
        parts = [f"status {self.status}"]
        if self.code is not None:
            parts.append(self.code)
        if self.is_redirect:
            parts.append(self._redirect())
        else:
            parts.append(self.note or self._shown(self._message()) or self._phrase())
        if self.details not in (None, {}, []):
            parts.append(f"details: {self._shown(json.dumps(self.details, ensure_ascii=False))}")
        return ", ".join(filter(None, parts))

    @property
    def _says_success(self) -> bool | None:
        """What it says of success, where it says something that can be understood."""
        success = self.value.get(SUCCESS, True) if isinstance(self.value, dict) else True
        if isinstance(success, str):
            return {"true": True, "false": False}.get(success.lower())
        is_number = isinstance(success, int | float) and success in {0, 1}
        return bool(success) if is_number else None

    @property
    def _is_page(self) -> bool:
        """Whether it is a page for people, of a proxy or of a login say."""
        if self.is_json or not self.value.strip():
            return False
        return "html" in self.headers.get("content-type", "") or self.value.lstrip()[:1] == "<"

    def _shown(self, text: str) -> str:
        """A text in one line, not too long; the secrets go first, and those that joining makes."""
        line = self.redactor.text(" ".join(self.redactor.text(text).split()))
        return printable(_cut(line, _MOST_SHOWN))

    def _error(self, member: str) -> Any:
        error = self.value.get(ERROR) if isinstance(self.value, dict) else None
        return error.get(member) if isinstance(error, dict) else None

    def _message(self) -> str:
        if not self.is_json:
            page = self.value[:_MOST_PAGE]
            title = _TITLE.search(page)
            return html.unescape(title[1] if title else _TAG.sub(" ", page))
        if not isinstance(self.value, dict):
            return ""
        error = self.value.get(ERROR)
        message = error.get(MESSAGE) if isinstance(error, dict) else error
        if isinstance(message, list) and message:
            return json.dumps(self.redactor.value(message), ensure_ascii=False)
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
            return "a redirect, which is not followed: check --base-url and --api-form"
        where = printable(self.redactor.text(origin))
        return (
            f"a redirect to {where}, which is not followed: if it is correct, use it as --base-url"
        )

    def _phrase(self) -> str:
        try:
            return HTTPStatus(self.status).phrase.lower()
        except ValueError:
            return ""


@dataclass(frozen=True, slots=True)
class Failure:
    """A request without a response.

    Attributes:
        reason: why, without secrets.
        is_final: whether trying again is of no use.
        late: whether the response had begun.
        timed_out: whether the response did not come, or did not end, in time.
    """

    reason: str
    is_final: bool = False
    late: bool = False
    timed_out: bool = False


def read_response(
    status: int, headers: Mapping[str, str], body: bytes, redactor: Redactor, *, is_whole: bool
) -> Response:
    """A response from its status, headers and body.

    Args:
        status: the HTTP status.
        headers: the headers by name in lower case.
        body: as much of the body as was read.
        redactor: takes the secrets out of what is shown.
        is_whole: whether that is all of it.
    """
    encoding = headers.get("content-encoding", "identity").lower()
    if encoding != "identity":  # none was asked for; unpacking is not worth a bomb
        note = f"(a body in the encoding {printable(redactor.text(encoding))!r})"
        return _unread(status, headers, redactor, note)
    if not is_whole:
        return _unread(status, headers, redactor, f"(a body of more than {MOST_BYTES:,} bytes)")
    try:
        value = _json(body)
    except (ValueError, RecursionError):
        text = body.decode("utf-8-sig", errors="replace")
        claims_json = "json" in headers.get("content-type", "").lower()
        claims_json = bool(text.strip()) and (claims_json or text.lstrip()[:1] in {"{", "["})
        is_whole = not claims_json and "\0" not in text
        return Response(status, headers, text, is_json=False, is_whole=is_whole, redactor=redactor)
    redactor.learn_from(value)
    return Response(status, headers, value, is_json=True, is_whole=True, redactor=redactor)


def _unread(status: int, headers: Mapping[str, str], redactor: Redactor, note: str) -> Response:
    return Response(
        status, headers, "", is_json=False, is_whole=False, redactor=redactor, note=note
    )


def _json(body: bytes) -> Any:
    """The value of JSON text, in UTF-8 or in what else it may be by RFC 8259 and its elders.

    Raises:
        ValueError: it is no JSON, or JSON that two readers may read differently.
    """
    try:
        value = _loaded(body)
    except UnicodeDecodeError:
        value = _loaded(body.decode("utf-8-sig", errors="replace"))
    _refuse_deep(value)
    return value


def _loaded(text: str | bytes) -> Any:
    return json.loads(
        text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_members
    )


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a name appears twice")
    return members


def _refuse_deep(value: Any) -> None:
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            item
            for each in level
            if isinstance(each, dict | list)
            for item in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return
    raise ValueError("nested too deep")


def _kept(value: Any) -> Any:
    text = value if isinstance(value, str) else json.dumps(value)
    return value if len(text) <= _MOST_KEPT else _cut(text, _MOST_KEPT)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}…"


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number
