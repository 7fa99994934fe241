"""Responses of the service, read whatever form they have, and the outcome of each request."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from manifestkit.model.errors import (
    AuthenticationError,
    NotSentError,
    PublishError,
    RateLimitedError,
    RejectedError,
)
from manifestkit.model.printable import printable, truncate
from manifestkit.publish.address import Address, origin_of
from manifestkit.publish.redaction import HIDDEN, Redactor
from manifestkit.publish.wire import CODE, DETAILS, ERROR, MESSAGE, SUCCESS

MOST_BYTES = 1024 * 1024
"""Bytes of a response that are read."""
_MOST_SHOWN = 2_000
_DENIED = frozenset({401, 403})
_PASSING = frozenset({502, 503, 504})


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
    def members(self) -> dict[str, Any]:
        """The members of the body; none where it is no object."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def is_success(self) -> bool:
        """Return whether it is a 2xx that does not say of itself that it is an error."""
        return HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES and not (
            self._says_success is False or self.members.get(ERROR)
        )

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
        details = self._error(DETAILS)
        try:
            text = json.dumps(details, ensure_ascii=False)
        except RecursionError:
            return HIDDEN
        if len(text) > _MOST_SHOWN:
            return truncate(self.redactor.text(text), _MOST_SHOWN)
        return self.redactor.value(details)

    def summary(self) -> str:
        """Return the response in a sentence for a person."""
        message = self.note or self._shown(self._message())
        if HTTPStatus.MULTIPLE_CHOICES <= self.status < HTTPStatus.BAD_REQUEST:
            message = self._redirect()
        phrase = next((each.phrase.lower() for each in HTTPStatus if each == self.status), "")
        parts = [f"status {self.status}", self.code, message or phrase]
        if (details := self.details) not in (None, {}, []):
            parts.append(f"details: {printable(json.dumps(details, ensure_ascii=False))}")
        return ", ".join(filter(None, parts))

    @property
    def _says_success(self) -> bool | None:
        """The `success` member, if it can be understood."""
        success = self.members.get(SUCCESS, True)
        if isinstance(success, str):
            return {"true": True, "false": False}.get(success.lower())
        is_number = isinstance(success, int | float) and success in {0, 1}
        return bool(success) if is_number else None

    @property
    def _is_page(self) -> bool:
        """Return whether it is a page for people, of a proxy or of a login say."""
        if self.is_json or not self.value.strip():
            return False
        is_html = "html" in self.headers.get("content-type", "").lower()
        return is_html or self.value.lstrip()[:1] == "<"

    def _shown(self, text: str) -> str:
        """Return a text in one line, not too long; the secrets go first."""
        return printable(truncate(" ".join(self.redactor.text(text).split()), _MOST_SHOWN))

    def _error(self, member: str) -> Any:
        error = self.members.get(ERROR)
        return error.get(member) if isinstance(error, dict) else None

    def _message(self) -> str:
        if not self.is_json:
            return "" if self._is_page else self.value
        error = self.members.get(ERROR)
        message = error.get(MESSAGE) if isinstance(error, dict) else error
        if isinstance(message, list) and message:
            return json.dumps(self.redactor.value(message), ensure_ascii=False)
        message = message if isinstance(message, str) else self.members.get(MESSAGE)
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
    status: int, headers: Mapping[str, str], body: bytes, redactor: Redactor
) -> Response:
    """Return a response; of more than `MOST_BYTES`, the body is not looked at."""
    encoding = headers.get("content-encoding", "identity").lower()
    note = None
    if encoding != "identity":  # none was asked for; unpacking is not worth a bomb
        note = f"(a body in the encoding {printable(redactor.text(encoding))!r})"
    elif len(body) > MOST_BYTES:
        note = f"(a body of more than {MOST_BYTES:,} bytes)"
    if note is not None:
        return Response(status, headers, "", False, False, redactor, note)  # noqa: FBT003 - no body
    try:
        value = _json(body)
    except (ValueError, RecursionError):
        text = body.decode("utf-8-sig", errors="replace")
        is_json_type = "json" in headers.get("content-type", "").lower()
        if text.strip():
            is_whole = "\0" not in text and not is_json_type and text.lstrip()[0] not in "{["
        else:  # an empty body that just ends may have been cut off
            has_length = "content-length" in headers or "transfer-encoding" in headers
            is_whole = bool(body) or has_length or status == HTTPStatus.NO_CONTENT
        return Response(status, headers, text, is_json=False, is_whole=is_whole, redactor=redactor)
    return Response(status, headers, value, is_json=True, is_whole=True, redactor=redactor)


def _json(body: bytes | str) -> Any:
    """Parse JSON text, in UTF-8 or in what else RFC 8259 and its elders allow."""
    try:
        return json.loads(
            body, parse_constant=_finite, parse_float=_finite, object_pairs_hook=_members
        )
    except UnicodeDecodeError as error:
        return _json(error.object.decode("utf-8-sig", errors="replace"))


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a name appears twice")
    return members


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


class Outcome(Enum):
    """The outcome of a request, in detail."""

    ACCEPTED = "accepted"
    DENIED = "denied"
    REJECTED = "rejected"
    RATE_LIMITED = "rate-limited"
    NOT_SENT = "not-sent"
    INTERRUPTED = "interrupted"
    UNKNOWN = "unknown"

    @property
    def summary(self) -> str:
        """The outcome for the site: `accepted`, `rejected`, `not-sent` or `unknown`."""
        return _SUMMARIES.get(self, self.value)


_SUMMARIES = {
    Outcome.DENIED: "rejected",
    Outcome.RATE_LIMITED: "rejected",
    Outcome.INTERRUPTED: "not-sent",
}
ERRORS: Mapping[Outcome, type[PublishError]] = {
    Outcome.DENIED: AuthenticationError,
    Outcome.REJECTED: RejectedError,
    Outcome.RATE_LIMITED: RateLimitedError,
    Outcome.NOT_SENT: NotSentError,
}
"""The error that is raised for an outcome without a result."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A request that is over, or a deploy with all its attempts.

    Attributes:
        outcome: its outcome.
        reason: why, in words, without secrets.
        response: the response of the service; None where there was none.
        may_retry: whether another attempt is safe, and may have another outcome.
        tries: each attempt of a deploy, in order.
    """

    outcome: Outcome
    reason: str
    response: Response | None = None
    may_retry: bool = False
    tries: tuple[Attempt, ...] = ()

    def concluded(self, tries: tuple[Attempt, ...]) -> Attempt:
        """Return the end of all tries: once one may have arrived, only an acceptance settles it."""
        is_unknown = any(each.outcome is Outcome.UNKNOWN for each in tries)
        if not is_unknown or self.outcome in {Outcome.ACCEPTED, Outcome.UNKNOWN}:
            return replace(self, tries=tries)
        reason = f"an earlier attempt may have arrived; the last attempt: {self.reason}"
        return replace(self, outcome=Outcome.UNKNOWN, reason=reason, tries=tries)


def deploy_attempt(
    result: Response | Failure, *, may_be_complete: bool, retry_unknown: bool
) -> Attempt:
    """Return how an attempt at a deploy ended; the service may have the whole archive or not."""
    in_doubt = Outcome.UNKNOWN if may_be_complete else Outcome.NOT_SENT
    if isinstance(result, Failure):
        reason = result.reason
        if may_be_complete:
            reason = f"everything was handed to the network, then: {reason}"
        may_retry = not result.is_final and (retry_unknown or not may_be_complete)
        return Attempt(in_doubt, reason, may_retry=may_retry)
    outcome, reason = _outcome(result), result.summary()
    is_clear = result.is_clear and (isinstance(result.value, dict) or not result.is_json)
    if result.is_success and not (may_be_complete and is_clear):
        why = "a response that cannot be understood" if may_be_complete else "before all was sent"
        return Attempt(Outcome.UNKNOWN, f"{reason}, {why}", result, may_retry=retry_unknown)
    if result.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        may_retry = may_be_complete and retry_unknown
        return Attempt(in_doubt, reason, result, may_retry=may_retry)
    return Attempt(outcome, reason, result, may_retry=outcome is Outcome.RATE_LIMITED)


def attempt(result: Response | Failure, address: Address) -> Attempt:
    """Return how an attempt at a request ended that changes nothing."""
    if isinstance(result, Failure):
        outcome, reason = Outcome.NOT_SENT, result.reason
        if result.timed_out:
            reason = f"the service does not respond in time: {reason}"
        elif result.late:
            outcome = Outcome.REJECTED
            reason = f"the service broke off its response: {reason}"
        elif not result.of_proxy:
            reason = (
                f"the service at {address.origin} cannot be reached: {reason}"
                f"{sandbox_hint(address)}"
            )
        return Attempt(outcome, reason, may_retry=not result.is_final)
    outcome = _outcome(result)
    sentence = {
        Outcome.DENIED: "the service denies access",
        Outcome.RATE_LIMITED: "the rate limit of the service is reached",
    }.get(outcome, "the service refused")
    if result.is_success and outcome is Outcome.REJECTED:
        sentence = "the service's response cannot be understood"
    may_retry = outcome is Outcome.RATE_LIMITED or result.status in _PASSING
    return Attempt(outcome, f"{sentence}: {result.summary()}", result, may_retry)


def _outcome(response: Response) -> Outcome:
    if response.status == HTTPStatus.TOO_MANY_REQUESTS:
        return Outcome.RATE_LIMITED
    if response.status in _DENIED:
        return Outcome.DENIED
    is_accepted = response.is_success and response.is_clear
    return Outcome.ACCEPTED if is_accepted else Outcome.REJECTED


def sandbox_hint(address: Address) -> str:
    """Return what may be wrong with a service of this machine, to end a sentence."""
    return " (is `manifest sandbox` running?)" if address.is_loopback else ""
