"""The outcome of each request: what a response, or none, means."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from http import HTTPStatus
from typing import Any, TypeGuard

from manifestkit.publish.http import MOST_RESPONSE, Failure, Response
from manifestkit.publish.secrets import WITHHELD, KnownSecrets
from manifestkit.publish.wire import CODE, DETAILS, ERROR, MESSAGE, SUCCESS, TOKEN

_MOST_DETAILS = 2_000


class Outcome(Enum):
    """The outcome of a request."""

    ACCEPTED = "accepted"
    AUTHENTICATION = "authentication"
    REJECTED = "rejected"
    RATE_LIMITED = "rate-limited"
    NOT_SENT = "not-sent"
    INTERRUPTED = "interrupted"
    UNKNOWN = "unknown"


_ACCEPTED, _REJECTED, _UNKNOWN = Outcome.ACCEPTED, Outcome.REJECTED, Outcome.UNKNOWN
_NOT_SENT, _DENIED, _LIMITED = Outcome.NOT_SENT, Outcome.AUTHENTICATION, Outcome.RATE_LIMITED

_OUTCOMES: Mapping[str, tuple[Outcome, Outcome, Outcome]] = {
    "nothing": (_NOT_SENT, _NOT_SENT, _UNKNOWN),
    "1xx": (_REJECTED, _NOT_SENT, _UNKNOWN),
    "2xx": (_ACCEPTED, _UNKNOWN, _ACCEPTED),
    "2xx, an error": (_REJECTED, _REJECTED, _REJECTED),
    "2xx, unclear": (_REJECTED, _UNKNOWN, _UNKNOWN),
    "3xx": (_REJECTED, _REJECTED, _UNKNOWN),
    "401, 403": (_DENIED, _DENIED, _DENIED),
    "408": (_REJECTED, _NOT_SENT, _UNKNOWN),
    "429": (_LIMITED, _LIMITED, _LIMITED),
    "4xx": (_REJECTED, _REJECTED, _REJECTED),
    "5xx": (_REJECTED, _NOT_SENT, _UNKNOWN),
}
"""By what came back: the outcome of a login or a list of sites; that of a deploy before its last
byte has left; and after it. What may have created a version is never sent again."""

_SAYING_NO = ("error", "fail", "failed", "failure")  # a `status`, where the document has none
_PASSING = frozenset({HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, 504})


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request that is over.

    Attributes:
        outcome: its outcome.
        reason: why, in words, without secrets.
        may_retry: whether sending it again is safe, and may have another outcome.
        status: the HTTP status; None where there was no response, as for what follows.
        code: the service's code for the error (section 7).
        details: the details of the error (section 7).
        value: the body as JSON, secrets included; None where it is none.
        headers: the headers by name in lower case.
    """

    outcome: Outcome
    reason: str
    may_retry: bool = False
    status: int | None = None
    code: str | None = None
    details: Any = None
    value: Any = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


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
    value, text, problem = _body(result)
    case = _case(result.status, value, problem, is_deploy=is_complete is not None)
    outcome = _OUTCOMES[case][column]
    code, details, reason = _described(result, value, text, known)
    if case == "2xx, unclear":
        reason += f", {problem or 'a response'} that cannot be understood"
    elif case == "2xx" and outcome is Outcome.UNKNOWN:
        reason += ", before all was sent"
    may_retry = case == "429" or (is_complete is None and result.status in _PASSING)
    return Attempt(outcome, reason, may_retry, result.status, code, details, value, result.headers)


def _case(status: int, value: Any, problem: str | None, *, is_deploy: bool) -> str:
    if status in {401, 403}:
        return "401, 403"
    if status in {408, 429}:
        return str(status)
    hundreds = min(status // 100, 5)
    if hundreds != 2:  # noqa: PLR2004 - the class of success
        return f"{hundreds}xx"
    members = {name.lower(): each for name, each in value.items()} if _is_object(value) else {}
    success = members.get(SUCCESS, True)
    if isinstance(success, str):
        success = {"true": True, "false": False}.get(success.lower(), success)
    if not success or members.get(ERROR):
        return "2xx, an error"
    is_value = value is None or _is_object(value) or not is_deploy
    says_no = members.get("errors") or str(members.get("status")).lower() in _SAYING_NO
    is_clear = is_value and problem is None and success == 1 and not says_no
    if _is_object(value) and len(members) < len(value):  # `success` and `Success`
        is_clear = False
    return "2xx" if is_clear else "2xx, unclear"


def _is_object(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _body(response: Response) -> tuple[Any, str, str | None]:
    """Return the JSON value of a body, its text if it is none, and why it cannot be understood."""
    encoding = response.headers.get("content-encoding", "identity").lower()
    if encoding != "identity":  # none was asked for; unpacking is not worth a bomb
        return None, "", "a body in another encoding"
    if len(response.body) > MOST_RESPONSE:
        return None, "", f"a body of more than {MOST_RESPONSE:,} bytes"
    try:
        text = response.body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None, "", "a body"
    kind = response.headers.get("content-type", "").lower()
    try:
        value = json.loads(
            text, parse_constant=_finite, parse_float=_finite, object_pairs_hook=_members
        )
    except (ValueError, RecursionError):
        start = text.lstrip()[:1]
    else:
        return (value, "", None) if value is not None else (None, "", "the value null")
    if "html" in kind or start == "<":
        return None, "", "a page"
    if not text.strip():  # an empty body that just ends may have been cut off
        has_end = "content-length" in response.headers or "transfer-encoding" in response.headers
        is_whole = has_end or response.status == HTTPStatus.NO_CONTENT
        return None, "", None if is_whole else "an empty body"
    is_broken = "json" in kind or start in {"{", "["} or "\0" in text
    return None, text, "broken JSON" if is_broken else None


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


def _described(
    response: Response, value: Any, text: str, known: KnownSecrets
) -> tuple[str | None, Any, str]:
    """Return the code and the details of a response, and all of it in a sentence."""
    members = value if _is_object(value) else {}
    if TOKEN in members:  # a new one, which is no known secret yet, and may stand in any text
        members = {}
    if response.status // 100 == 2:  # noqa: PLR2004 - the class of success
        text = ""  # likewise
    error = members.get(ERROR)
    own = error if isinstance(error, dict) else {}
    code, message, details = own.get(CODE), own.get(MESSAGE, error), own.get(DETAILS)
    code = known.shown(str(code)) if isinstance(code, str | int) else None
    if not isinstance(message, str):
        message = members.get(MESSAGE)
    message = known.shown(message if isinstance(message, str) else text)
    status = response.status
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        message = "a redirect, which is not followed: check --base-url and --api-form"
    phrase = next((each.phrase.lower() for each in HTTPStatus if each == status), "")
    parts = [f"status {status}", code, message or phrase]
    if details not in (None, {}, []):
        written = json.dumps(details, ensure_ascii=False)
        shown = known.shown(written)
        if shown == WITHHELD or len(written) > _MOST_DETAILS:
            details = shown
        parts.append(f"details: {shown}")
    return code, details, ", ".join(filter(None, parts))
