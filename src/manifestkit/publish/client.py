"""The operations of API v1: log in, list sites, deploy; what came of them, and when to try again.

| point | the document says | our choice |
| --- | --- | --- |
| address | two forms | one of them, never the other one instead |
| user token on a deploy | not shown | in the query for `base`, a part `token` for `alt`, or none |
| site token's part | two spellings | `site_token`, or `sitetoken` by a setting; never both |
| entries of the list of sites | not shown | whatever is there |
| deploy response | not shown | `_OUTCOMES` |
| statuses of errors | not shown | an error is no 2xx, or says `success: false` |
| names of rate limit headers | not shown | the customary ones |
| limits of the archive | not shown | `archive` |
"""

import json
import math
import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum
from http import HTTPStatus
from http.client import responses
from threading import Lock
from typing import Any

from manifestkit.files import posix_name
from manifestkit.model.errors import PublishError
from manifestkit.model.printable import truncate
from manifestkit.publish.address import Address
from manifestkit.publish.archive import Packed
from manifestkit.publish.gate import Checked
from manifestkit.publish.http import LONGEST_WAIT, Failure, Request, Response, send
from manifestkit.publish.secrets import Authorization, KnownSecrets, Secret

_MOST_TRIES = 4
_LONGEST_NAME = 200
_BACKOFF, _LONGEST_BACKOFF = 0.5, 20.0
_WINDOW = 5.0  # seconds, four times as long after each try: a rate limit that tells no end
_EPOCH = 1_000_000_000.0  # what is larger is a point in time, what is smaller a number of seconds
_MOST_DETAILS = 2_000
_READ_DEPLOY = 300.0  # seconds to wait for the response to a deploy
_JSON_HEADERS: Mapping[str, str] = {
    "Content-Type": "application/json",
    "Cache-Control": "no-cache",
}
"""On every request but the multipart deploy request (section 4)."""
_WAITS = ("retry-after", "x-ratelimit-reset", "ratelimit-reset")


class Outcome(Enum):
    """The outcome of a request, or of a deploy that made none."""

    ACCEPTED = "accepted"
    DRY_RUN = "dry-run"
    REFUSED = "refused"
    AUTHENTICATION = "authentication"
    REJECTED = "rejected"
    RATE_LIMITED = "rate-limited"
    NOT_SENT = "not-sent"
    INTERRUPTED = "interrupted"
    UNKNOWN = "unknown"


_ACCEPTED, _REJECTED, _UNKNOWN = Outcome.ACCEPTED, Outcome.REJECTED, Outcome.UNKNOWN
_NOT_SENT, _DENIED, _LIMITED = Outcome.NOT_SENT, Outcome.AUTHENTICATION, Outcome.RATE_LIMITED

_OUTCOMES: Mapping[int | str, tuple[Outcome, Outcome, Outcome]] = {
    "nothing": (_NOT_SENT, _NOT_SENT, _UNKNOWN),
    "1xx": (_REJECTED, _NOT_SENT, _UNKNOWN),
    "2xx": (_ACCEPTED, _UNKNOWN, _ACCEPTED),
    "2xx, an error": (_REJECTED, _REJECTED, _REJECTED),
    "2xx, unclear": (_REJECTED, _UNKNOWN, _UNKNOWN),
    "3xx": (_REJECTED, _REJECTED, _UNKNOWN),
    401: (_DENIED, _DENIED, _DENIED),
    403: (_DENIED, _DENIED, _DENIED),
    408: (_REJECTED, _NOT_SENT, _UNKNOWN),
    429: (_LIMITED, _LIMITED, _LIMITED),
    "4xx": (_REJECTED, _REJECTED, _REJECTED),
    "5xx": (_REJECTED, _NOT_SENT, _UNKNOWN),
}
"""By what came back: the outcome of a login or a list of sites; that of a deploy before its last
byte has left; and after it. What may have created a version is never sent again."""

_PASSING = frozenset({HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, 504})


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request that is over."""

    outcome: Outcome
    reason: str  # why, in words, without secrets
    may_retry: bool = False  # whether that is safe, and may have another outcome
    status: int | None = None  # in HTTP; None where there was no response, as for what follows
    code: str | None = None  # the service's code for the error (section 7)
    details: Any = None  # the details of the error (section 7)
    value: Any = field(default=None, repr=False)  # the body as JSON, secrets included
    wait: float | None = None  # the seconds that the service asks to wait
    url: str | None = None  # where the service says that the site is


_SENTENCES: Mapping[Outcome, str] = {
    Outcome.AUTHENTICATION: "the service denies access",
    Outcome.REJECTED: "the service refused",
    Outcome.RATE_LIMITED: "the rate limit of the service is reached",
    Outcome.NOT_SENT: "no response from {origin}",
}


@dataclass(frozen=True, slots=True)
class Deployed:
    """A deploy that is over, or one that was not begun."""

    checked: Checked
    address: Address | None  # None only for a dry run, as for what follows
    domain: str | None
    started: datetime
    attempts: Sequence[Attempt] = ()  # in order; none where nothing was sent

    @property
    def last(self) -> Attempt:
        """The attempt that counts."""
        if self.attempts:
            return self.attempts[-1]
        if self.checked.passes:
            return Attempt(Outcome.DRY_RUN, "nothing was to be sent")
        return Attempt(Outcome.REFUSED, "the site or its manifest failed the check")

    def contents(self) -> dict[str, Any]:
        """Return it as the members of a JSON object, without secrets."""
        checked, last = self.checked, self.last
        packed, manifest, listing = checked.packed, checked.manifest, checked.listing
        return {
            "outcome": last.outcome.value,
            "reason": last.reason,
            "started": _time(self.started),
            "ended": _time(datetime.now(UTC)),
            "base_url": self.address.base if self.address else None,
            "domain": self.domain,
            "archive": {
                "source": posix_name(checked.source),
                "sha256": packed.sha256 if packed else None,
                "size": packed.size if packed else None,
                "files": len(listing.files),
                "left_out": len(listing.left_out),
            },
            "manifest": manifest and {"name": manifest.name, "sha256": manifest.sha256},
            **listing.contents(),
            "status": last.status,
            "code": last.code,
            "url": last.url,
            "details": last.details,
            "attempts": [
                {"outcome": each.outcome.value, "reason": each.reason, "status": each.status}
                for each in self.attempts
            ],
        }


class _Sending:
    """An archive while it is sent: a file that nobody reads once it is known how much was read."""

    def __init__(self, packed: Packed) -> None:
        self._file, self._size = packed.file, packed.size
        self._lock = Lock()
        self._is_ended = False

    def restart(self) -> None:
        """Let it be read from its start."""
        self._file.seek(0)
        self._is_ended = False

    def ended(self) -> bool:
        """End the reading, and return whether all was read.

        If not, a service cannot have an archive to publish.
        """
        with self._lock:
            self._is_ended = True
            return self._file.tell() == self._size

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, for the HTTP library."""
        with self._lock:
            if self._is_ended:
                raise OSError
            return self._file.read(size)

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place, for the HTTP library to learn the size."""
        with self._lock:
            return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Return the place, likewise."""
        return self._file.tell()


class Client:
    """Client of one service.

    Args:
        address: the service.
        timeout: seconds for all of one operation: its tries and the waits between them.
        max_wait: the longest wait in seconds that the service may ask for.
        on_wait: is called with how many seconds there are to wait before the next try, and why.
        secrets: what the service may know and must not show, beside what is sent.
    """

    def __init__(
        self,
        address: Address,
        timeout: float,
        max_wait: float,
        on_wait: Callable[[float, str], None] = lambda *_: None,
        secrets: Iterable[Secret | None] = (),
    ) -> None:
        self.address = address
        self._timeout = timeout
        self._max_wait = max_wait
        self._on_wait = on_wait
        self._known = KnownSecrets()
        self._known.add(*secrets)

    def login(self, email: str, password: Secret) -> tuple[str, Secret]:
        """Return the user name and the token of an account (section 4, login).

        Raises:
            PublishError: there is none; its kind says why.
        """
        self._known.add(password)
        body = json.dumps({"email": email, "password": password.reveal()})
        content = {"headers": _JSON_HEADERS, "content": body}
        value = self._value(Request("POST", self.address.form.login, content))
        members = value if isinstance(value, dict) else {}
        token, name = Secret.of(members.get("token")), members.get("name")
        if token is None:
            raise PublishError(
                Outcome.REJECTED.value,
                "the service responded to the login without a token that a request can hold; "
                "nothing is stored",
            )
        self._known.add(token)
        shown = self._known.shown(name) if isinstance(name, str) else ""
        return truncate(shown, _LONGEST_NAME), token

    def sites(self, token: Secret) -> list[Any]:
        """Return the account's sites as the service gives them, whatever they are.

        Raises:
            PublishError: there is no list; its kind says why.
        """
        self._known.add(token)
        content = {"headers": _JSON_HEADERS}
        value = self._value(Request("GET", self.address.form.sites, content, token))
        sites = value.get("sites") if isinstance(value, dict) else value
        if not isinstance(sites, list):
            text = "the response of the service is not a list of sites"
            raise PublishError(Outcome.REJECTED.value, text)
        is_clean = self._known.checked(sites) is sites  # to search each for itself takes far longer
        return sites if is_clean else list(map(self._known.checked, sites))

    def deploy(
        self,
        packed: Packed,
        domain: str,
        by: Authorization,
        is_interrupted: Callable[[], bool] = lambda: False,
    ) -> list[Attempt]:
        """Send an archive (section 4, deploy), and return each attempt; the last one counts.

        A deploy makes a new version of the site each time. So it is sent again only when the
        service cannot have had all of it, or has refused it unread with 429.

        Args:
            packed: the archive.
            domain: the domain of the site.
            by: what allows it.
            is_interrupted: whether somebody asks to end it, which is an outcome: interrupted, or
                unknown once the last byte has left.
        """
        self._known.add(by.token, by.site_token)
        sending = _Sending(packed)
        archive = "archive.zip", sending, "application/zip"
        fields = {by.site_token_part: by.site_token.reveal()} if by.site_token else {}
        fields["domain"] = domain
        if by.placement == "part" and by.token is not None:
            fields["token"] = by.token.reveal()
        content = {"data": fields, "files": {"archive": archive}}
        token = by.token if by.placement == "query" else None
        request = Request("POST", self.address.form.deploy, content, token, _READ_DEPLOY)
        return self._attempts(request, sending, is_interrupted)

    def _value(self, request: Request) -> Any:
        last = self._attempts(request)[-1]
        if last.outcome is Outcome.ACCEPTED:
            return last.value
        text = f"{_SENTENCES[last.outcome].format(origin=self.address.origin)}: {last.reason}"
        raise PublishError(last.outcome.value, text, last.code, last.details)

    def _attempts(
        self,
        request: Request,
        sending: _Sending | None = None,
        is_interrupted: Callable[[], bool] = lambda: False,
    ) -> list[Attempt]:
        """Return attempts until another one is of no use, not safe, or too long to wait for.

        All of them end at one moment, by the monotonic clock, the waits between them included.
        """
        attempts: list[Attempt] = []
        late = Failure(f"it did not finish within {self._timeout:g} s", is_final=True)
        end = time.monotonic() + self._timeout
        while True:
            if sending:
                sending.restart()
            result = send(self.address, request, end - time.monotonic(), is_interrupted)
            is_complete = sending.ended() if sending else None
            if result is None and is_interrupted():
                outcome = Outcome.UNKNOWN if is_complete else Outcome.INTERRUPTED
                return [*attempts, Attempt(outcome, "interrupted")]
            last = conclude(result or late, self._known, is_complete=is_complete)
            attempts.append(last)
            if not last.may_retry or len(attempts) == _MOST_TRIES:
                return attempts
            seconds = _delay(len(attempts), last, self._max_wait)
            if seconds > self._max_wait or seconds >= end - time.monotonic():
                name = "`max-wait` under [publish]" if seconds > self._max_wait else "--timeout"
                asks = last.wait and f"it asks to wait {last.wait:,.0f} s"
                why = f"{last.reason}; {asks or 'no time for another try'}, see {name}"
                attempts[-1] = replace(last, reason=why)
                return attempts
            self._on_wait(seconds, last.reason)
            again = time.monotonic() + seconds
            while not is_interrupted() and (left := again - time.monotonic()) > 0:
                time.sleep(min(left, LONGEST_WAIT))


def _delay(tries: int, last: Attempt, max_wait: float) -> float:
    """Return how many seconds to wait after so many tries (section 8)."""
    if last.wait is not None:
        return max(last.wait, _BACKOFF)
    if last.outcome is Outcome.RATE_LIMITED:
        window = min(_WINDOW * 4.0 ** (tries - 1), max_wait)
        return max(_BACKOFF, window * random.uniform(0.75, 1))  # noqa: S311 - no secret
    return random.uniform(0, min(_LONGEST_BACKOFF, _BACKOFF * 2**tries))  # noqa: S311 - likewise


def _asked_wait(headers: Mapping[str, str]) -> float | None:
    """Return how many seconds the service asks to wait; None where it does not say, or says 0."""
    for name in _WAITS:
        seconds = _seconds(headers.get(name, ""))
        if seconds is not None:
            return seconds if 0 < seconds < _EPOCH else None
    return None


def _seconds(text: str) -> float | None:
    """Return how many seconds from now a number or a date says; None for what is neither."""
    with suppress(ValueError):
        seconds = float(text)
        return seconds - time.time() if seconds > _EPOCH else seconds
    with suppress(TypeError, ValueError, OverflowError):
        date = parsedate_to_datetime(text)
        return date.replace(tzinfo=date.tzinfo or UTC).timestamp() - time.time()
    return None


def conclude(
    result: Response | Failure, known: KnownSecrets, *, is_complete: bool | None = None
) -> Attempt:
    """Return what a request came to.

    Args:
        result: what came back.
        known: the secrets that must not be shown.
        is_complete: whether the last byte of a deploy had left; None for another request.
    """
    column = 0 if is_complete is None else 1 + is_complete
    if isinstance(result, Failure):
        reason = result.reason
        if is_complete:
            reason = f"everything was handed to the network, then: {reason}"
        may_retry = not result.is_final and not is_complete
        return Attempt(_OUTCOMES["nothing"][column], reason, may_retry)
    value, text, is_clear = _body(result)
    status = result.status
    case: int | str = status if status in _OUTCOMES else f"{min(status // 100, 5)}xx"
    if case == "2xx":
        case = _success(value, is_clear=is_clear, is_deploy=is_complete is not None)
    outcome = _OUTCOMES[case][column]
    # A token in a response is a new one: no known secret yet, and it may stand in any text.
    members = value if isinstance(value, dict) and "token" not in value else {}
    code, details, reason = _described(result, members, text, known)
    if case == "2xx, unclear":
        reason += ", a response that cannot be understood"
    elif case == "2xx" and outcome is Outcome.UNKNOWN:
        reason += ", before all was sent"
    may_retry = outcome is Outcome.RATE_LIMITED or (is_complete is None and status in _PASSING)
    wait = _asked_wait(result.headers) if outcome is Outcome.RATE_LIMITED else None
    url = members.get("url")
    url = known.shown(url) if isinstance(url, str) else None
    return Attempt(outcome, reason, may_retry, status, code, details, value, wait, url)


def _success(value: Any, *, is_clear: bool, is_deploy: bool) -> str:
    """Return the case of a status of success: what else is no clear success is unclear."""
    is_object = isinstance(value, dict)
    members = [(name.lower(), each) for name, each in value.items()] if is_object else []
    said = {str(each).lower() for name, each in members if name == "success"}
    if "false" in said or any(each for name, each in members if name == "error"):
        return "2xx, an error"
    is_value = value is None or is_object or not is_deploy
    return "2xx" if is_clear and is_value and said <= {"true"} else "2xx, unclear"


def _body(response: Response) -> tuple[Any, str, bool]:
    """Return the JSON value of a body, its text if it is none, and whether it is understood."""
    text = response.text
    if text is None:
        return None, "", False
    with suppress(ValueError, RecursionError):
        value = json.loads(
            text, parse_constant=_finite, parse_float=_finite, object_pairs_hook=_members
        )
        return value, "", value is not None
    kind, start = response.headers.get("content-type", "").lower(), text.lstrip()[:1]
    if "html" in kind or start == "<":
        return None, "", False
    # An empty body that just ends may have been cut off.
    has_end = "content-length" in response.headers or "transfer-encoding" in response.headers
    is_whole = start or has_end or response.status == HTTPStatus.NO_CONTENT
    is_broken = ("json" in kind and start) or start in {"{", "["} or "\0" in text
    return None, text, bool(is_whole and not is_broken)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; none that says something twice, which readers understand in two ways."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError
    return members


def _described(
    response: Response, members: Mapping[str, Any], text: str, known: KnownSecrets
) -> tuple[str | None, Any, str]:
    """Return the code and the details of a response, and all of it in a sentence."""
    if response.status // 100 == 2:  # noqa: PLR2004 - the class of success
        text = ""
    error = members.get("error")
    own = error if isinstance(error, dict) else {}
    code, message, details = own.get("code"), own.get("message", error), own.get("details")
    code = known.shown(str(code)) if isinstance(code, str | int) else None
    if not isinstance(message, str):
        message = members.get("message")
    message = known.shown(message if isinstance(message, str) else text)
    status = response.status
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        message = "a redirect, which is not followed: check --base-url and --api-form"
    parts = [f"status {status}", code, message or responses.get(status, "").lower()]
    if details not in (None, {}, []):
        written = json.dumps(details, ensure_ascii=False)
        shown = known.shown(written)
        details = shown if len(written) > _MOST_DETAILS else known.checked(details)
        parts.append(f"details: {shown}")
    advice = "; check --base-url and --api-form" if status == HTTPStatus.NOT_FOUND else ""
    return code, details, f"{', '.join(filter(None, parts))}{advice}"


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
