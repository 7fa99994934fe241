"""The operations of API v1: log in, list sites, deploy."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from manifestkit.model.errors import (
    AuthenticationError,
    NotSentError,
    PublishError,
    RateLimitedError,
    RejectedError,
)
from manifestkit.publish.address import Address
from manifestkit.publish.outcome import Deployment, Outcome, deployment_of
from manifestkit.publish.packing import Packed, Progress
from manifestkit.publish.redaction import Redactor, Secret
from manifestkit.publish.response import DENIED, TOO_MANY, Failure, Response
from manifestkit.publish.retry import (
    DEFAULT_RETRY_POLICY,
    MOST_TRIES,
    Deadline,
    RetryPolicy,
    retry_after,
)
from manifestkit.publish.upload import Upload
from manifestkit.publish.wire import (
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
_PASSING = frozenset({502, 503, 504})


@dataclass(frozen=True, slots=True)
class Login:
    """The result of a login: the account's user name and its token."""

    name: str
    token: Secret


@dataclass(frozen=True, slots=True)
class Authorization:
    """What a deploy is allowed by.

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


@dataclass(slots=True)
class _Operation:
    """What one operation has spent, and what it has left."""

    deadline: Deadline
    tries: int = 0
    attempts: list[Deployment] = field(default_factory=list)
    upload: Upload | None = None
    is_interrupted: bool = False
    is_over: bool = False

    @property
    def may_be_complete(self) -> bool:
        """Whether the service may have all of what is under way."""
        return self.upload is not None and self.upload.may_be_complete


class Client:
    """Client of one service; not for several threads at once.

    Args:
        address: the service.
        policy: how long to wait for what.
        ca_bundle: certificate authorities to trust beside the system's.
        on_wait: is called with how many seconds there are to wait before the next try, and why.

    Raises:
        ConfigurationError: the certificate authorities cannot be read.
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
        self._transport = Transport(address, self.redactor, ca_bundle, policy.timeouts)
        self._deploy: _Operation | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection."""
        self._transport.close()

    def login(self, email: str, password: Secret) -> Login:
        """Log in to an account (section 4, login).

        Raises:
            PublishError: there is none; the subclass says why.
        """
        self.redactor.learn(password)
        body = Secret(json.dumps({EMAIL: email, PASSWORD: password.reveal()}))
        response = self._response_to("POST", self.address.form.login, None, body)
        value = response.value if isinstance(response.value, dict) else {}
        token, name = value.get(TOKEN), value.get(NAME)
        if not isinstance(token, str) or not token.strip() or not token.isprintable():
            raise RejectedError(
                "the service responded to the login without a token; nothing is stored"
            )
        secret = Secret(token)
        self.redactor.learn(secret)
        return Login(self.redactor.text(name) if isinstance(name, str) else "", secret)

    def sites(self, token: Secret) -> list[Any]:
        """Return the account's sites as the service gives them, whatever they are.

        Raises:
            PublishError: there is no list; the subclass says why.
        """
        self.redactor.learn(token)
        response = self._response_to("GET", self.address.form.sites, token, None)
        value = response.value
        if isinstance(value, dict) and isinstance(value.get(SITES), list):
            value = value[SITES]
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
    ) -> Deployment:
        """Send an archive (section 4, deploy), and return the outcome; it raises nothing.

        A deploy makes a new version of the site each time. So it is sent again only when the
        service cannot have had all of it, or has refused it unread with 429.

        Args:
            packed: the archive.
            domain: the host name of the site.
            by: what allows it.
            retry_unknown: whether to send it again, too, when its outcome is unknown.
            progress: is called for each piece of the archive that is sent.
        """
        self.redactor.learn(by.token, by.site_token)
        operation = self._deploy = _Operation(Deadline(self._policy.deadline))
        try:
            deployment = self._tried(
                operation, packed, domain, by, progress, retry_unknown=retry_unknown
            )
            operation.is_over = True
        except KeyboardInterrupt:
            operation.is_over = True
            outcome = Outcome.UNKNOWN if operation.may_be_complete else Outcome.INTERRUPTED
            deployment = Deployment(outcome, "interrupted")
            operation.attempts.append(deployment)
        return deployment.concluded(tuple(operation.attempts))

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

    def _tried(
        self,
        operation: _Operation,
        packed: Packed,
        domain: str,
        by: Authorization,
        progress: Progress | None,
        *,
        retry_unknown: bool,
    ) -> Deployment:
        """How the last try ended."""
        placement = by.placement or self.address.form.token_placement
        fields = _fields(domain, by, placement)
        while True:
            operation.tries += 1
            upload = operation.upload = Upload(packed, fields, progress)
            result = self._sent(
                operation,
                "POST",
                self.address.form.deploy,
                headers=upload.headers,
                body=upload,
                token=by.token if placement == QUERY else None,
            )
            deployment = deployment_of(result, upload)
            operation.attempts.append(deployment)
            may_retry = deployment.may_retry and (
                deployment.outcome is not Outcome.UNKNOWN or retry_unknown
            )
            if not may_retry or operation.is_interrupted or operation.tries >= MOST_TRIES:
                return deployment
            operation.upload = None
            if not self._wait(result, operation, deployment.reason):
                return replace(deployment, reason=f"{deployment.reason}{_wait_text(result)}")

    def _response_to(
        self, method: str, path: str, token: Secret | None, body: Secret | None
    ) -> Response:
        """The response to a request that changes nothing, and may be sent again."""
        operation = _Operation(Deadline(self._policy.deadline))
        while True:
            operation.tries += 1
            result = self._sent(
                operation, method, path, headers=JSON_HEADERS, body=body, token=token
            )
            if isinstance(result, Response) and result.is_success and result.is_clear:
                return result
            if not _is_passing(result) or operation.tries >= MOST_TRIES:
                raise _error(result, self.address)
            if not self._wait(result, operation, str(_error(result, self.address))):
                raise _error(result, self.address, _wait_text(result))

    def _sent(
        self,
        operation: _Operation,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str],
        body: Iterable[bytes] | Secret | None,
        token: Secret | None,
    ) -> Response | Failure:
        """The response to one request, or why there is none."""
        if not operation.deadline.left:
            reason = f"it did not finish within {operation.deadline.seconds:g} s"
            return Failure(reason, is_final=True, timed_out=True)
        return self._transport.send(
            method,
            path,
            headers=headers,
            body=body,
            token=token,
            deadline=operation.deadline,
        )

    def _wait(self, result: Response | Failure, operation: _Operation, why: str) -> bool:
        """Wait as long as the service asks, or as is usual; not longer than the user would.

        Returns whether the wait is done.
        """
        response = result if isinstance(result, Response) else None
        seconds = self._policy.delay(
            operation.tries,
            response.headers if response else None,
            is_limited=response is not None and response.status == TOO_MANY,
        )
        if seconds > self._policy.max_wait or seconds >= operation.deadline.left:
            return False
        self._on_wait(seconds, why)
        time.sleep(seconds)
        return True


def _fields(domain: str, by: Authorization, placement: str) -> Mapping[str, str]:
    fields = {}
    if by.site_token is not None:
        fields[by.site_token_part] = by.site_token.reveal()
    fields[DOMAIN_PART] = domain
    if placement == PART and by.token is not None:
        fields[TOKEN] = by.token.reveal()
    return fields


def _wait_text(result: Response | Failure) -> str:
    """How long the service asks to wait, as the end of a sentence."""
    asked = retry_after(result.headers) if isinstance(result, Response) else None
    return "" if asked is None else f"; it asks to wait {asked:,.0f} s, see --max-wait"


def _is_passing(result: Response | Failure) -> bool:
    if isinstance(result, Failure):
        return not result.is_final
    return result.status == TOO_MANY or result.status in _PASSING


def sandbox_hint(address: Address) -> str:
    """Return what may be wrong with a service of this machine, as the end of a sentence."""
    return " (is `manifest sandbox` running?)" if address.is_loopback else ""


def _error(result: Response | Failure, address: Address, then: str = "") -> PublishError:
    if isinstance(result, Failure):
        if result.of_proxy:
            return NotSentError(result.reason)
        if result.timed_out:
            return NotSentError(f"the service does not respond in time: {result.reason}")
        if result.late:
            return RejectedError(f"the service broke off its response: {result.reason}")
        return NotSentError(
            f"the service at {address.origin} cannot be reached: {result.reason}"
            f"{sandbox_hint(address)}"
        )
    summary = result.summary()
    if result.status == TOO_MANY:
        return RateLimitedError(
            f"the rate limit of the service is reached: {summary}{then}",
            result.code,
            result.details,
        )
    if result.status in DENIED:
        return AuthenticationError(
            f"the service denies access: {summary}", result.code, result.details
        )
    if result.is_success:
        return RejectedError(f"the service's response cannot be understood: {summary}")
    return RejectedError(f"the service refused: {summary}", result.code, result.details)
