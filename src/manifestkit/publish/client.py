"""The operations of API v1: log in, list sites, deploy; and when to send them again."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from manifestkit.model.errors import PublishError
from manifestkit.model.printable import truncate
from manifestkit.publish import wire
from manifestkit.publish.address import Address
from manifestkit.publish.archive import Packed, Progress
from manifestkit.publish.http import READ_DEPLOY, Deadline, Request, proxy_passwords, send
from manifestkit.publish.outcomes import Attempt, Outcome, conclude
from manifestkit.publish.secrets import LONGEST_TOKEN, WITHHELD, KnownSecrets, Secret, is_token

_MOST_TRIES = 4
_LONGEST_NAME = 200
_BACKOFF, _LONGEST_BACKOFF = 0.5, 20.0
_WINDOW = 5.0  # seconds, four times as long after each try: a rate limit that tells no end
_EPOCH = 1_000_000_000.0  # a larger reset is a point in time, a smaller one a number of seconds
_DAY = 86_400.0
_SENTENCES: Mapping[Outcome, str] = {
    Outcome.AUTHENTICATION: "the service denies access",
    Outcome.REJECTED: "the service refused",
    Outcome.RATE_LIMITED: "the rate limit of the service is reached",
    Outcome.NOT_SENT: "no response from {origin}",
}


@dataclass(frozen=True, slots=True)
class Authorization:
    """Tokens that allow a deploy.

    Attributes:
        token: the user token; None where none is sent.
        site_token: the token that identifies the site; None where there is none.
        placement: where the user token travels: `query` or `part`.
        site_token_part: how the part with the site token is spelt.
    """

    token: Secret | None = None
    site_token: Secret | None = None
    placement: str = wire.QUERY
    site_token_part: str = wire.SITE_TOKEN_PARTS[0]


class _Upload:
    """The archive of a deploy, as a file to read.

    As long as `is_complete` is false, the service cannot have an archive to publish: the end of its
    last piece has not been read yet.
    """

    def __init__(self, packed: Packed, progress: Progress | None) -> None:
        self.is_complete = False
        self.fileno = packed.file.fileno
        self._packed = packed
        self._progress = progress

    def seek(self, offset: int) -> int:
        self.is_complete = False
        return self._packed.file.seek(offset)

    def read(self, size: int) -> bytes:
        chunk = self._packed.file.read(size)
        done = self._packed.file.tell()
        self.is_complete = done == self._packed.size
        if self._progress:
            self._progress(done, self._packed.size)
        return chunk


class Client:
    """Client of one service.

    Args:
        address: the service.
        timeout: seconds for all of one operation: its tries and the waits between them.
        max_wait: the longest wait in seconds that the service may ask for.
        on_wait: is called with how many seconds there are to wait before the next try, and why.
    """

    def __init__(
        self,
        address: Address,
        timeout: float,
        max_wait: float,
        on_wait: Callable[[float, str], None] = lambda *_: None,
    ) -> None:
        self.address = address
        self._timeout = timeout
        self._max_wait = max_wait
        self._on_wait = on_wait
        self._known = KnownSecrets()
        self._known.add(*proxy_passwords(address))

    def login(self, email: str, password: Secret) -> tuple[str, Secret]:
        """Return the user name and the token of an account (section 4, login).

        Raises:
            PublishError: there is none; its kind says why.
        """
        self._known.add(password)
        body = json.dumps({wire.EMAIL: email, wire.PASSWORD: password.reveal()})
        content = {"headers": wire.JSON_HEADERS, "content": body}
        value = self._value(Request("POST", self.address.form.login, content))
        members = value if isinstance(value, dict) else {}
        token, name = members.get(wire.TOKEN), members.get(wire.NAME)
        if not is_token(token):
            raise PublishError(
                Outcome.REJECTED.value,
                "the service responded to the login without a token of at most "
                f"{LONGEST_TOKEN:,} characters; nothing is stored",
            )
        self._known.add(Secret(token))
        shown = self._known.shown(name) if isinstance(name, str) else ""
        return truncate(shown, _LONGEST_NAME), Secret(token)

    def sites(self, token: Secret) -> list[Any]:
        """Return the account's sites as the service gives them, whatever they are.

        Raises:
            PublishError: there is no list; its kind says why.
        """
        self._known.add(token)
        content = {"headers": wire.JSON_HEADERS}
        value = self._value(Request("GET", self.address.form.sites, content, token))
        sites = value.get(wire.SITES) if isinstance(value, dict) else value
        if not isinstance(sites, list):
            text = "the response of the service is not a list of sites"
            raise PublishError(Outcome.REJECTED.value, text)
        return [WITHHELD if self._known.are_in(json.dumps(each)) else each for each in sites]

    async def deploy(
        self, packed: Packed, domain: str, by: Authorization, progress: Progress | None = None
    ) -> list[Attempt]:
        """Send an archive (section 4, deploy), and return each attempt; the last one counts.

        A deploy makes a new version of the site each time. So it is sent again only when the
        service cannot have had all of it, or has refused it unread with 429. To cancel it is an
        outcome, too: interrupted, or unknown once the last byte has left.
        """
        self._known.add(by.token, by.site_token)
        upload = _Upload(packed, progress)
        archive = "archive.zip", upload, wire.ARCHIVE_TYPE
        content = {"data": _fields(domain, by), "files": {wire.ARCHIVE_PART: archive}}
        token = by.token if by.placement == wire.QUERY else None
        request = Request("POST", self.address.form.deploy, content, token, READ_DEPLOY)
        attempts: list[Attempt] = []

        async def attempt(deadline: Deadline) -> Attempt:
            result = await send(self.address, request, deadline)
            last = conclude(result, self._known, is_complete=upload.is_complete)
            upload.is_complete = upload.is_complete and not last.may_retry
            return last

        try:
            async for each in self._tries(attempt):
                attempts.append(each)  # noqa: PERF401 - those before an interrupt stay
        except asyncio.CancelledError:
            outcome = Outcome.UNKNOWN if upload.is_complete else Outcome.INTERRUPTED
            attempts.append(Attempt(outcome, "interrupted"))
        return attempts

    def _value(self, request: Request) -> Any:
        async def attempt(deadline: Deadline) -> Attempt:
            return conclude(await send(self.address, request, deadline), self._known)

        async def run() -> Attempt:
            return [each async for each in self._tries(attempt)][-1]

        last = asyncio.run(run())
        if last.outcome is Outcome.ACCEPTED:
            return last.value
        sentence = _SENTENCES[last.outcome].format(origin=self.address.origin)
        text = f"{sentence}: {last.reason}"
        raise PublishError(last.outcome.value, text, last.code, last.details)

    async def _tries(
        self, attempt: Callable[[Deadline], Awaitable[Attempt]]
    ) -> AsyncIterator[Attempt]:
        """Yield attempts until another one is of no use, not safe, or too long to wait for."""
        deadline = Deadline(self._timeout)
        for tries in range(1, _MOST_TRIES + 1):
            last = await attempt(deadline)
            if not last.may_retry or tries == _MOST_TRIES:
                yield last
                return
            is_limited = last.outcome is Outcome.RATE_LIMITED
            asked = _asked_wait(last.headers) if is_limited else None
            seconds = _delay(tries, asked, self._max_wait, is_limited=is_limited)
            if seconds > self._max_wait or seconds >= deadline.left:
                name = "`max-wait`" if seconds > self._max_wait else "--timeout"
                then = f"; it asks to wait {asked:,.0f} s, see {name}" if asked else ""
                yield replace(last, reason=f"{last.reason}{then}")
                return
            yield last
            self._on_wait(seconds, last.reason)
            await asyncio.sleep(seconds)


def _fields(domain: str, by: Authorization) -> Mapping[str, str]:
    fields = {}
    if by.site_token is not None:
        fields[by.site_token_part] = by.site_token.reveal()
    fields[wire.DOMAIN_PART] = domain
    if by.placement == wire.PART and by.token is not None:
        fields[wire.TOKEN] = by.token.reveal()
    return fields


def _delay(tries: int, asked: float | None, max_wait: float, *, is_limited: bool) -> float:
    """Return how many seconds to wait after so many tries (section 8)."""
    if asked is not None:
        return max(asked, _BACKOFF)
    if is_limited:
        window = min(_WINDOW * 4.0 ** (tries - 1), max_wait)
        return window * random.uniform(0.75, 1)  # noqa: S311 - no secret
    return random.uniform(0, min(_LONGEST_BACKOFF, _BACKOFF * 2**tries))  # noqa: S311 - likewise


def _asked_wait(headers: Mapping[str, str]) -> float | None:
    """Return how many seconds the service asks to wait; None where it does not say, or says 0."""
    given = headers.get(wire.RETRY_AFTER.lower(), "")
    if at := _date(given):
        now = _date(headers.get("date", "")) or datetime.now(UTC)
        return max(0.0, (at - now).total_seconds()) or None
    for text in (given, *(headers.get(name.lower(), "") for name in wire.RESET_HEADERS)):
        try:
            seconds = float(text)
        except ValueError:
            continue
        seconds -= time.time() if seconds > _EPOCH else 0
        return seconds if 0 < seconds <= _DAY else None
    return None


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (TypeError, ValueError, OverflowError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
