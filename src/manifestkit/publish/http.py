"""One request over HTTP: through a proxy or not, within a time."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies

import httpx2

from manifestkit.model.errors import ConfigurationError
from manifestkit.model.printable import printable
from manifestkit.publish.address import Address
from manifestkit.publish.secrets import Secret
from manifestkit.publish.wire import TOKEN

MOST_RESPONSE = 1024 * 1024
"""Bytes of a response that are read."""
READ_DEPLOY = 300.0
"""Seconds to wait for the response to a deploy."""
_CONNECT, _WRITE, _READ = 10.0, 60.0, 60.0
_CANCEL_AGAIN = 0.1
_FAILURES: tuple[tuple[type[Exception] | tuple[type[Exception], ...], str, bool], ...] = (
    (httpx2.ProxyError, "the proxy of HTTPS_PROXY or ALL_PROXY refused", True),
    ((UnicodeError, httpx2.InvalidURL), "the host name is invalid", True),
    (httpx2.ConnectTimeout, f"no connection within {_CONNECT:g} s", False),
    (httpx2.WriteTimeout, f"it accepted no data for {_WRITE:g} s", False),
    (httpx2.ReadTimeout, "no response within {read:g} s", False),
)
"""Reasons for errors of the HTTP library, whose texts may hold a secret, and which are final."""
for _name in ("httpx2", "httpcore2"):  # they log whole addresses, tokens included
    logging.getLogger(_name).setLevel(logging.CRITICAL + 1)


class Deadline:
    """The moment by which an operation is over, all its requests and waits included."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """The seconds that are left, at least 0."""
        return max(0.0, self._end - time.monotonic())


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a service: `content` as the HTTP library takes it, the token in the query."""

    method: str
    path: str
    content: Mapping[str, Any] = field(repr=False)
    token: Secret | None = None
    read_timeout: float = _READ


@dataclass(frozen=True, slots=True)
class Response:
    """A response: its status, its headers by name in lower case, and the start of its body."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Failure:
    """A request without a response.

    Attributes:
        reason: why, without secrets.
        is_final: whether trying again is of no use.
    """

    reason: str
    is_final: bool = False


def proxy_passwords() -> Iterator[Secret]:
    """Yield the passwords of the proxies that the environment names."""
    for proxy in getproxies().values():
        try:
            password = urlsplit(proxy).password
        except ValueError:
            continue
        yield from (Secret(each) for each in {password, unquote(password or "")} if each)


def _new_client(address: Address) -> httpx2.AsyncClient:
    try:
        return httpx2.AsyncClient(
            verify=_tls(address),
            # Secrets for this machine never go by way of a proxy, which could read them.
            trust_env=not address.is_loopback,
            follow_redirects=False,
            headers={
                "User-Agent": f"manifestkit/{version('manifestkit')}",
                "Accept-Encoding": "identity",
            },
        )
    except (ValueError, TypeError, ImportError, httpx2.InvalidURL):
        raise ConfigurationError(
            "HTTPS_PROXY or ALL_PROXY is not the address of a proxy that can be used: use "
            "http://HOST:PORT"
        ) from None


def _tls(address: Address) -> ssl.SSLContext:
    if address.base.startswith("http:"):  # it needs none, and to read them takes its time
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        return httpx2.create_ssl_context()
    except OSError:
        raise ConfigurationError(
            "SSL_CERT_FILE or SSL_CERT_DIR has no certificates in PEM form that can be read"
        ) from None


async def send(address: Address, request: Request, deadline: Deadline) -> Response | Failure:
    """Send one request, once, and read its response.

    The HTTP library cancels its task, too, and a cancellation from outside that comes at the same
    time may be lost. So it has a task of its own, which is cancelled until it ends.

    Raises:
        ConfigurationError: a proxy or a certificate authority cannot be used.
    """
    task = asyncio.create_task(_sent(address, request))
    try:
        await asyncio.wait([task], timeout=deadline.left)
    finally:
        while not task.done():
            task.cancel()
            await asyncio.wait([task], timeout=_CANCEL_AGAIN)
    if task.cancelled():
        return Failure(f"it did not finish within {deadline.seconds:g} s", is_final=True)
    return task.result()


async def _sent(address: Address, request: Request) -> Response | Failure:
    has_answered = False
    try:
        async with (
            _new_client(address) as http,
            http.stream(
                request.method,
                address.base + request.path,
                **request.content,
                params={TOKEN: request.token.reveal()} if request.token else None,
                timeout=httpx2.Timeout(_CONNECT, write=_WRITE, read=request.read_timeout),
            ) as response,
        ):
            has_answered = True
            content = bytearray()
            async for chunk in response.aiter_raw():
                content += chunk
                if len(content) > MOST_RESPONSE:
                    break
            headers = {name.lower(): value for name, value in response.headers.items()}
            return Response(response.status_code, headers, bytes(content))
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, UnicodeError) as error:
        for kinds, reason, is_final in _FAILURES:
            if isinstance(error, kinds):
                return Failure(reason.format(read=request.read_timeout), is_final)
        if has_answered:
            return Failure("the connection broke during the response")
        if isinstance(error, httpx2.RemoteProtocolError):
            return Failure("the connection was closed without a response in HTTP")
        failure = _connection_failure(error)
        if isinstance(error, httpx2.ConnectError) and address.is_loopback:
            return replace(failure, reason=f"{failure.reason} (is `manifest sandbox` running?)")
        return failure


def _connection_failure(error: Exception) -> Failure:
    """Return the system's or the TLS library's own words, which hold no secret."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Failure(
                f"its certificate is not trusted: {printable(cause.verify_message)}; to trust "
                "another authority, set SSL_CERT_FILE",
                is_final=True,
            )
        if isinstance(cause, ssl.SSLError):
            reason = printable((cause.reason or "no reason").lower().replace("_", " "))
            return Failure(f"TLS failed: {reason}", is_final=True)
        if isinstance(cause, OSError) and cause.errno and cause.strerror:
            is_name = isinstance(cause, socket.gaierror)
            reason = cause.strerror if is_name else os.strerror(cause.errno)
            return Failure(f"{reason[:1].lower()}{reason[1:]}")
        cause = cause.__cause__ or cause.__context__
    return Failure(type(error).__name__)
