"""The responses of the service, read whatever form they have."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from manifestkit.model.printable import printable, truncate
from manifestkit.publish.address import origin_of
from manifestkit.publish.redaction import Redactor
from manifestkit.publish.wire import CODE, DETAILS, ERROR, MESSAGE, SUCCESS

MOST_BYTES = 1024 * 1024
"""Bytes of a response that are read."""
_MOST_SHOWN = 2_000


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
        """Return whether it is a 2xx that does not say of itself that it is an error."""
        return HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES and not (
            self._says_success is False or (isinstance(self.value, dict) and self.value.get(ERROR))
        )

    @property
    def is_rate_limited(self) -> bool:
        """Return whether the service wants fewer requests."""
        return self.status == HTTPStatus.TOO_MANY_REQUESTS

    @property
    def is_clear(self) -> bool:
        """Return whether it can be understood; if not, the outcome is unknown."""
        return self.is_whole and not self._is_page and self._says_success is not None

    @property
    def code(self) -> str | None:
        """The service's code for the error (section 7), without secrets."""
        code = self._error(CODE)
        is_code = isinstance(code, str | int) and not isinstance(code, bool)
        return self._shown(str(code)) if is_code else None

    @property
    def details(self) -> Any:
        """The details of the error (section 7), without secrets; None where there are none."""
        details = self.redactor.value(self._error(DETAILS))
        text = json.dumps(details, ensure_ascii=False)
        return details if len(text) <= _MOST_SHOWN else truncate(text, _MOST_SHOWN)

    def summary(self) -> str:
        """Return the response in a sentence for a person."""
        message = self.note or self._shown(self._message())
        if HTTPStatus.MULTIPLE_CHOICES <= self.status < HTTPStatus.BAD_REQUEST:
            message = self._redirect()
        parts = [f"status {self.status}", self.code, message or _phrase(self.status)]
        if self.details not in (None, {}, []):
            parts.append(f"details: {printable(json.dumps(self.details, ensure_ascii=False))}")
        return ", ".join(filter(None, parts))

    @property
    def _says_success(self) -> bool | None:
        """The `success` member, if it can be understood."""
        success = self.value.get(SUCCESS, True) if isinstance(self.value, dict) else True
        if isinstance(success, str):
            return {"true": True, "false": False}.get(success.lower())
        is_number = isinstance(success, int | float) and success in {0, 1}
        return bool(success) if is_number else None

    @property
    def _is_page(self) -> bool:
        """Return whether it is a page for people, of a proxy or of a login say."""
        if self.is_json or not self.value.strip():
            return False
        return "html" in self.headers.get("content-type", "") or self.value.lstrip()[:1] == "<"

    def _shown(self, text: str) -> str:
        """Return a text in one line, not too long; the secrets go first."""
        return printable(truncate(" ".join(self.redactor.text(text).split()), _MOST_SHOWN))

    def _error(self, member: str) -> Any:
        error = self.value.get(ERROR) if isinstance(self.value, dict) else None
        return error.get(member) if isinstance(error, dict) else None

    def _message(self) -> str:
        if not self.is_json:
            return "" if self._is_page else self.value
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
        return (
            f"a redirect to {self._shown(origin)}, which is not followed: if it is correct, use it "
            "as --base-url"
        )


@dataclass(frozen=True, slots=True)
class Failure:
    """A request without a response.

    Attributes:
        reason: why, without secrets.
        is_final: whether trying again is of no use.
        late: whether the response had begun.
        timed_out: whether the response did not come, or did not end, in time.
        of_proxy: whether a proxy refused, and the service was never asked.
    """

    reason: str
    is_final: bool = False
    late: bool = False
    timed_out: bool = False
    of_proxy: bool = False


class Digest(NamedTuple):
    """The status of a response, and the digest of its body in hex; None for one too long."""

    status: int
    sha256: str | None


def read_response(
    status: int, headers: Mapping[str, str], body: bytes, redactor: Redactor, *, is_whole: bool
) -> Response:
    """Return a response by its status, headers and body.

    Args:
        status: the HTTP status.
        headers: the headers by name in lower case.
        body: as much of the body as was read.
        redactor: takes the secrets out of what is shown.
        is_whole: whether that is all of it.
    """
    encoding = headers.get("content-encoding", "identity").lower()
    note = None
    if encoding != "identity":  # none was asked for; unpacking is not worth a bomb
        note = f"(a body in the encoding {printable(redactor.text(encoding))!r})"
    elif not is_whole:
        note = f"(a body of more than {MOST_BYTES:,} bytes)"
    if note is not None:
        return Response(status, headers, "", False, False, redactor, note)  # noqa: FBT003 - no body
    try:
        value = _json(body)
    except (ValueError, RecursionError):
        text = body.decode("utf-8-sig", errors="replace")
        claims_json = "json" in headers.get("content-type", "").lower()
        claims_json = bool(text.strip()) and (claims_json or text.lstrip()[:1] in {"{", "["})
        is_whole = not claims_json and "\0" not in text and (bool(body) or _may_be_empty(headers))
        if status == HTTPStatus.NO_CONTENT:
            is_whole = True
        return Response(status, headers, text, is_json=False, is_whole=is_whole, redactor=redactor)
    return Response(status, headers, value, is_json=True, is_whole=True, redactor=redactor)


def _may_be_empty(headers: Mapping[str, str]) -> bool:
    """Return whether an empty body is meant; one that just ends may have been cut off."""
    return "content-length" in headers or "transfer-encoding" in headers


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase.lower()
    except ValueError:
        return ""


def _json(body: bytes) -> Any:
    """Parse JSON text, in UTF-8 or in what else RFC 8259 and its elders allow."""
    try:
        return _loaded(body)
    except UnicodeDecodeError:
        return _loaded(body.decode("utf-8-sig", errors="replace"))


def _loaded(text: str | bytes) -> Any:
    return json.loads(
        text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_members
    )


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a name appears twice")
    return members


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number
