"""The operations of API v1: log in, list sites, deploy."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from manifestkit.model.errors import RejectedError
from manifestkit.model.printable import truncate
from manifestkit.publish.address import Address
from manifestkit.publish.packing import Packed, Progress
from manifestkit.publish.redaction import LONGEST_TOKEN, Redactor, Secret, is_token
from manifestkit.publish.response import ERRORS, Attempt, Outcome, Response, attempt, deploy_attempt
from manifestkit.publish.retry import (
    DEFAULT_RETRY_POLICY,
    MOST_TRIES,
    Deadline,
    RetryPolicy,
    retry_after,
)
from manifestkit.publish.wire import (
    ARCHIVE_PART,
    ARCHIVE_TYPE,
    DOMAIN_PART,
    EMAIL,
    JSON_HEADERS,
    NAME,
    PART,
    PASSWORD,
    QUERY,
    SITE_TOKEN_PARTS,
    SITES,
    TOKEN,
)

MOST_SITES = 10_000
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Login:
    """The result of a login: the account's user name and its token."""

    name: str
    token: Secret


@dataclass(frozen=True, slots=True)
class Authorization:
    """Tokens that allow a deploy.

    Attributes:
        token: the user token; None where there is none.
        site_token: the token that identifies the site; None where there is none.
        placement: where the user token travels: `query`, `part` or `none`; None for what is usual
            in the form of the address.
        site_token_part: how the part with the site token is spelt.
    """

    token: Secret | None = None
    site_token: Secret | None = None
    placement: str | None = None
    site_token_part: str = SITE_TOKEN_PARTS[0]


class _Upload:
    """The body of one try: multipart form data with the archive as its last part.

    The archive's last piece goes out together with the body's end: as long as `may_be_complete` is
    false, the service cannot have an archive to publish.
    """

    def __init__(
        self, packed: Packed, fields: Mapping[str, str], progress: Progress | None
    ) -> None:
        boundary = uuid.uuid4().hex
        self.may_be_complete = False
        self._packed = packed
        self._progress = progress
        head = "".join(
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in fields.items()
        )
        head += (
            f"--{boundary}\r\nContent-Disposition: form-data; "
            f'name="{ARCHIVE_PART}"; filename="archive.zip"\r\n'
            f"Content-Type: {ARCHIVE_TYPE}\r\n\r\n"
        )
        self._head = head.encode()
        self._tail = f"\r\n--{boundary}--\r\n".encode()
        length = len(self._head) + packed.size + len(self._tail)
        self.headers = {
            "Content-Type": f"multipart/form-data; boundary={boundary}",
            "Content-Length": str(length),
        }

    def __iter__(self) -> Iterator[bytes]:
        yield self._head
        sent = 0
        for chunk in self._packed.chunks():
            sent += len(chunk)
            self.may_be_complete = sent == self._packed.size
            yield chunk + self._tail if self.may_be_complete else chunk
            if self._progress:
                self._progress(sent, self._packed.size)


@dataclass(slots=True)
class _Operation:
    """Time and attempts that one operation has used and has left."""

    deadline: Deadline
    attempts: list[Attempt] = field(default_factory=list)
    upload: _Upload | None = None
    is_interrupted: bool = False
    is_over: bool = False

    @property
    def may_be_complete(self) -> bool:
        """Return whether the service may have all of what is under way."""
        return self.upload is not None and self.upload.may_be_complete


class Client:
    """Client of one service, a context; not for several threads at once.

    Args:
        address: the service.
        policy: how long to wait for what.
        ca_bundle: certificate authorities to trust beside the system's.
        on_wait: is called with how many seconds there are to wait before the next try, and why.
    """

    def __init__(
        self,
        address: Address,
        policy: RetryPolicy = DEFAULT_RETRY_POLICY,
        ca_bundle: Path | None = None,
        on_wait: Callable[[float, str], None] = lambda *_: None,
    ) -> None:
        from manifestkit.publish.transport import Transport  # noqa: PLC0415 - it needs an extra

        self.address = address
        self.redactor = Redactor()
        self._policy = policy
        self._on_wait = on_wait
        self._transport = Transport(address, self.redactor, ca_bundle, policy)
        self._deploy: _Operation | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._transport.close()

    def login(self, email: str, password: Secret) -> Login:
        """Log in to an account (section 4, login).

        Raises:
            PublishError: there is none; the subclass says why.
        """
        self.redactor.learn(password)
        body = Secret(json.dumps({EMAIL: email, PASSWORD: password.reveal()}))
        response = self._response_to("POST", self.address.form.login, None, body)
        token, name = response.members.get(TOKEN), response.members.get(NAME)
        if not is_token(token):
            raise RejectedError(
                "the service responded to the login without a token of at most "
                f"{LONGEST_TOKEN:,} characters; nothing is stored"
            )
        secret = Secret(token)
        self.redactor.learn(secret)
        shown = self.redactor.text(name) if isinstance(name, str) else ""
        return Login(truncate(shown, _LONGEST_NAME), secret)

    def sites(self, token: Secret) -> list[Any]:
        """Return the account's sites as the service gives them, whatever they are.

        Raises:
            PublishError: there is no list; the subclass says why.
        """
        self.redactor.learn(token)
        response = self._response_to("GET", self.address.form.sites, token, None)
        value = response.members.get(SITES, response.value)
        if not isinstance(value, list):
            raise RejectedError("the response of the service is not a list of sites")
        if len(value) > MOST_SITES:
            raise RejectedError(
                f"the service lists {len(value):,} sites; at most {MOST_SITES:,} are read"
            )
        return [self.redactor.value(each) for each in value]

    def deploy(
        self,
        packed: Packed,
        domain: str,
        by: Authorization,
        *,
        retry_unknown: bool = False,
        progress: Progress | None = None,
    ) -> Attempt:
        """Send an archive (section 4, deploy), and return the outcome; it raises nothing.

        A deploy makes a new version of the site each time. So it is sent again only when the
        service cannot have had all of it, or has refused it unread with 429; and, with
        `retry_unknown`, when its outcome is unknown.
        """
        self.redactor.learn(by.token, by.site_token)
        placement = by.placement or self.address.form.token_placement
        fields = _fields(domain, by, placement)
        operation = self._deploy = _Operation(Deadline(self._policy.deadline))

        def send() -> Attempt:
            upload = operation.upload = _Upload(packed, fields, progress)
            result = self._transport.send(
                "POST",
                self.address.form.deploy,
                headers=upload.headers,
                body=upload,
                token=by.token if placement == QUERY else None,
                deadline=operation.deadline,
            )
            return deploy_attempt(
                result, may_be_complete=upload.may_be_complete, retry_unknown=retry_unknown
            )

        try:
            last = self._repeated(operation, send)
            operation.is_over = True
        except KeyboardInterrupt:
            operation.is_over = True
            outcome = Outcome.UNKNOWN if operation.may_be_complete else Outcome.INTERRUPTED
            last = Attempt(outcome, "interrupted")
            if operation.upload is not None:  # not in a wait between two attempts
                operation.attempts.append(last)
        return last.concluded(tuple(operation.attempts))

    def interrupt(self) -> None:
        """Let a deploy come to its end at once, from the handler of a signal.

        Once the service may have all of it, an exception could hide the outcome: then the
        connection is cut instead, and `deploy` returns. When it has returned, nothing happens.

        Raises:
            KeyboardInterrupt: the service cannot have all of it.
        """
        operation = self._deploy
        if operation is None:
            raise KeyboardInterrupt
        if operation.is_over or operation.is_interrupted:
            return
        operation.is_interrupted = True
        if not operation.may_be_complete:
            raise KeyboardInterrupt
        self._transport.interrupt()

    def _response_to(
        self, method: str, path: str, token: Secret | None, body: Secret | None
    ) -> Response:
        """Return the response to a request that changes nothing, and may be sent again."""
        operation = _Operation(Deadline(self._policy.deadline))

        def send() -> Attempt:
            result = self._transport.send(
                method,
                path,
                headers=JSON_HEADERS,
                body=body,
                token=token,
                deadline=operation.deadline,
            )
            return attempt(result, self.address)

        last = self._repeated(operation, send)
        response = last.response
        if last.outcome is Outcome.ACCEPTED and response is not None:
            return response
        known = (response.code, response.details) if response else ()
        raise ERRORS[last.outcome](last.reason, *known)

    def _repeated(self, operation: _Operation, send: Callable[[], Attempt]) -> Attempt:
        """Send a request until it is of no use, or not safe, to send it again.

        Between two attempts it waits as long as the service asks, or as is usual; not longer than
        the user would.
        """
        while True:
            last = send()
            operation.attempts.append(last)
            tries = len(operation.attempts)
            if not last.may_retry or tries >= MOST_TRIES:
                return last
            operation.upload = None  # from here on, an interrupt raises
            if operation.is_interrupted:
                return last
            response = last.response
            headers = response.headers if response else {}
            is_limited = last.outcome is Outcome.RATE_LIMITED
            seconds = self._policy.delay(tries, headers, is_limited=is_limited)
            if seconds > self._policy.max_wait or seconds >= operation.deadline.left:
                asked = retry_after(headers)
                option = "--max-wait" if seconds > self._policy.max_wait else "--timeout"
                then = f"; it asks to wait {asked:,.0f} s, see {option}" if asked else ""
                return replace(last, reason=f"{last.reason}{then}")
            self._on_wait(seconds, last.reason)
            time.sleep(seconds)


def _fields(domain: str, by: Authorization, placement: str) -> Mapping[str, str]:
    fields = {}
    if by.site_token is not None:
        fields[by.site_token_part] = by.site_token.reveal()
    fields[DOMAIN_PART] = domain
    if placement == PART and by.token is not None:
        fields[TOKEN] = by.token.reveal()
    return fields
