"""One request over HTTP: through a proxy or not, within a time."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import socket
import ssl
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any, cast
from urllib.parse import SplitResult, unquote, unquote_to_bytes, urlsplit
from urllib.request import getproxies, proxy_bypass

import anyio
import httpcore2
import httpx2

from manifestkit.model.errors import ConfigurationError
from manifestkit.model.printable import printable
from manifestkit.publish.address import Address
from manifestkit.publish.secrets import Secret

_MOST_RESPONSE = 1024 * 1024
"""Bytes of a response that are read."""
_CONNECT, _WRITE, _READ = 10.0, 60.0, 60.0
_CANCEL_AGAIN = 0.1
_CHUNK = 64 * 1024
_STATUS = b"HTTP/1.1 200"
_BEGINS_INTERIM = re.compile(rb"HTTP/1\.\d 1(?!01)")
_INTERIM = re.compile(rb"\A(?:HTTP/1\.\d 1(?!01)[^\n]*+\n(?:[^\r\n][^\n]*+\n)*+\r?\n)+")
_HEADERS = {
    "User-Agent": f"manifestkit/{version('manifestkit')}",
    "Accept": "*/*",
    "Accept-Encoding": "identity",
}
_FAILURES: tuple[tuple[type[Exception] | tuple[type[Exception], ...], str, bool], ...] = (
    (httpcore2.ProxyError, "the proxy of HTTPS_PROXY or ALL_PROXY refused", True),
    ((UnicodeError, httpx2.InvalidURL), "the host name is invalid", True),
    (httpcore2.ConnectTimeout, f"no connection within {_CONNECT:g} s", False),
    (httpcore2.WriteTimeout, f"it accepted no data for {_WRITE:g} s", False),
    (httpcore2.ReadTimeout, "no response within {read:g} s", False),
    (
        httpcore2.RemoteProtocolError,
        "the connection was closed without a response in HTTP",
        False,
    ),
)
"""Reasons for errors of the HTTP library, whose texts may hold a secret, and which are final."""
_ERRORS = (
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.ProxyError,
    httpcore2.TimeoutException,
    httpx2.InvalidURL,
    anyio.BusyResourceError,  # a service that changes its TLS keys during an upload
    OSError,
    UnicodeError,
)
for _name in ("httpx2", "httpcore2"):  # they log whole addresses, tokens included
    logging.getLogger(_name).setLevel(logging.CRITICAL + 1)


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

    @property
    def problem(self) -> str | None:
        """Return the words for a body that cannot be read; None for one that can."""
        encoding = self.headers.get("content-encoding", "identity").lower()
        if encoding != "identity":  # none was asked for; unpacking is not worth a bomb
            return "a body in another encoding"
        if len(self.body) > _MOST_RESPONSE:
            return f"a body of more than {_MOST_RESPONSE:,} bytes"
        return None


@dataclass(frozen=True, slots=True)
class Failure:
    """A request without a response.

    Attributes:
        reason: why, without secrets.
        is_final: whether trying again is of no use.
    """

    reason: str
    is_final: bool = False


class _Connection(httpcore2.AsyncNetworkStream):
    """A connection that is read while it is written.

    A service may refuse a request and close before it has read the body. Once a write has failed
    for that, the library for connections gives away what the service said.
    """

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream
        self._early = b""
        self._reading: asyncio.Task[bytes] | None = None

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write bytes; raise WriteError where the final response has begun, or none can come."""
        writing = asyncio.create_task(self._stream.write(buffer, timeout))
        try:
            while not writing.done():
                self._reading = self._reading or asyncio.create_task(self._stream.read(_CHUNK))
                tasks = [writing, self._reading]
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                if self._reading.done():
                    if self._reading.exception() or not self._reading.result():
                        raise httpcore2.WriteError("no response can come")
                    self._early += self._reading.result()
                    self._reading = None
                if _is_final(self._early):
                    raise httpcore2.WriteError("the response has begun")
            writing.result()
        finally:
            await _end(writing)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read bytes, first those that came while something was written."""
        data, self._early = self._early, b""
        if data:
            return data
        reading, self._reading = self._reading, None
        if reading is None:
            return await self._stream.read(max_bytes, timeout)
        try:
            await asyncio.wait([reading], timeout=timeout)
        finally:
            await _end(reading)
        if reading.cancelled():
            raise httpcore2.ReadTimeout
        return reading.result()

    async def aclose(self) -> None:
        """Close it."""
        if self._reading:
            await _end(self._reading)
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Return an encrypted connection over this one."""
        if self._reading:
            await _end(self._reading)
        return _Connection(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        """Return what the library asks of a connection."""
        return self._stream.get_extra_info(info)


def _is_final(data: bytes) -> bool:
    """Return whether a response has begun, behind interim ones (RFC 9110, section 15.2)."""
    rest = _INTERIM.sub(b"", data, count=1)
    is_known = len(rest) >= len(_STATUS)
    return len(data) > _CHUNK or (is_known and not _BEGINS_INTERIM.match(rest))


class _Network(httpcore2.AnyIOBackend):
    async def connect_tcp(self, *address: Any, **options: Any) -> httpcore2.AsyncNetworkStream:
        """Connect to a service or a proxy."""
        return _Connection(await super().connect_tcp(*address, **options))


async def _end(task: asyncio.Task[Any]) -> None:
    """Cancel a task until it ends: the HTTP library cancels its task, too, and may lose one."""
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=_CANCEL_AGAIN)
    if not task.cancelled():
        task.exception()  # seen, so that it is not logged


def _proxy(address: Address) -> SplitResult | None:
    """Return the proxy on the way to a service: none to this machine, as it could read a token.

    Raises:
        ConfigurationError: what the environment names cannot be used.
    """
    text = getproxies().get("https") or getproxies().get("all")
    if not text or address.is_loopback or proxy_bypass(urlsplit(address.origin).netloc):
        return None
    try:
        proxy = urlsplit(text if "://" in text else f"http://{text}")
        text.encode()
        is_plain = proxy.netloc.rpartition("@")[2].isascii() and proxy.port != 0
        is_usable = proxy.scheme in {"http", "https"} and proxy.hostname and is_plain
    except ValueError:
        is_usable = None
    if not is_usable:
        raise ConfigurationError(
            "HTTPS_PROXY or ALL_PROXY is not the address of a proxy that can be used: use "
            "http://HOST:PORT"
        )
    return proxy


def proxy_passwords(address: Address) -> Iterator[Secret]:
    """Yield the password of the proxy on the way to a service, as it is written and as it is."""
    proxy = _proxy(address)
    if proxy and proxy.password:
        yield from map(Secret, {proxy.password, unquote(proxy.password)})


def _connections(address: Address, proxy: SplitResult | None) -> httpcore2.AsyncConnectionPool:
    through = None
    if proxy:
        auth = unquote_to_bytes(proxy.username or ""), unquote_to_bytes(proxy.password or "")
        place = f"{proxy.scheme}://{proxy.netloc.rpartition('@')[2]}"
        through = httpcore2.Proxy(place, auth if any(auth) else None)
    return httpcore2.AsyncConnectionPool(_tls(address), through, network_backend=_Network())


def _tls(address: Address) -> ssl.SSLContext:
    if address.base.startswith("http:"):  # it needs none, and to read them takes its time
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        return httpx2.create_ssl_context()
    except OSError:
        raise ConfigurationError(
            "SSL_CERT_FILE or SSL_CERT_DIR has no certificates in PEM form that can be read, or "
            "SSLKEYLOGFILE cannot be written"
        ) from None


async def send(address: Address, request: Request, seconds: float) -> Response | Failure | None:
    """Send one request, once, and return its response; None where the time was not enough.

    Raises:
        ConfigurationError: a proxy or a certificate authority cannot be used.
    """
    task = asyncio.create_task(_sent(address, request))
    try:
        await asyncio.wait([task], timeout=seconds)
    finally:
        await _end(task)
    return None if task.cancelled() else task.result()


async def _sent(address: Address, request: Request) -> Response | Failure:
    proxy = _proxy(address)
    has_answered = False
    try:
        message = httpx2.Request(
            request.method,
            address.base + request.path,
            params={"token": request.token.reveal()} if request.token else None,
            **request.content,
        )
        message.headers.update(_HEADERS)
        body = None if request.method == "GET" else cast(AsyncIterator[bytes], message.stream)
        times = {"connect": _CONNECT, "write": _WRITE, "read": request.read_timeout}
        async with (
            _connections(address, proxy) as connections,
            connections.stream(
                message.method,
                str(message.url),
                headers=message.headers.raw,
                content=body,
                extensions={"timeout": times},
            ) as response,
        ):
            has_answered = True
            content = bytearray()
            async for chunk in response.aiter_stream():
                content += chunk
                if len(content) > _MOST_RESPONSE:
                    break
            headers = httpx2.Headers(response.headers)
            return Response(response.status, dict(headers.items()), bytes(content))
    except _ERRORS as error:
        for kinds, reason, is_final in _FAILURES:
            if isinstance(error, kinds):
                failure = Failure(reason.format(read=request.read_timeout), is_final)
                break
        else:
            failure = _connection_failure(error)
        if has_answered:
            return Failure("the connection broke during the response")
        if isinstance(error, (httpcore2.ConnectError, httpcore2.ConnectTimeout)):
            if proxy and not failure.is_final:
                port = proxy.port or (443 if proxy.scheme == "https" else 80)
                place = f"{printable(proxy.hostname or '')}:{port}"
                return replace(failure, reason=f"the proxy {place}: {failure.reason}")
            if address.is_loopback:
                is_plain = failure.reason.startswith("TLS failed")
                hint = (
                    "if it has no TLS, use http://"
                    if is_plain
                    else "is `manifest sandbox` running?"
                )
                return replace(failure, reason=f"{failure.reason} ({hint})")
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
