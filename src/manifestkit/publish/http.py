"""One request over HTTP: through a proxy or not, within a time."""

import logging
import os
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from threading import Thread
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2

from manifestkit.model.errors import ConfigurationError
from manifestkit.model.printable import printable
from manifestkit.publish.address import Address
from manifestkit.publish.secrets import Secret

_MOST_RESPONSE = 1024 * 1024
"""Bytes of a response that are read."""
_CONNECT, _WRITE, _READ = 10.0, 60.0, 60.0
LONGEST_WAIT = 0.2
"""Seconds until a wait notices that somebody asks to end it."""
_HEADERS = {
    "User-Agent": f"manifestkit/{version('manifestkit')}",
    "Accept-Encoding": "identity",
}
_FAILURES: tuple[tuple[type[Exception] | tuple[type[Exception], ...], str, bool], ...] = (
    (httpx2.ProxyError, "the proxy of HTTPS_PROXY or ALL_PROXY refused", True),
    ((UnicodeError, httpx2.InvalidURL), "the host name is invalid", True),
    (httpx2.ConnectTimeout, f"no connection within {_CONNECT:g} s", False),
    (httpx2.WriteTimeout, f"it accepted no data for {_WRITE:g} s", False),
    (httpx2.ReadTimeout, "no response within {read:g} s", False),
    (
        httpx2.RemoteProtocolError,
        "the connection was closed without a whole response in HTTP",
        False,
    ),
)
"""Reasons for errors of the HTTP library, whose texts may hold a secret, and which are final."""
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
    def text(self) -> str | None:
        """Return the body as text; None where it is none, too long, or encoded, as none asked."""
        is_encoded = self.headers.get("content-encoding", "identity").lower() != "identity"
        if is_encoded or len(self.body) > _MOST_RESPONSE:
            return None
        try:
            return self.body.decode("utf-8-sig")
        except UnicodeDecodeError:
            return None


@dataclass(frozen=True, slots=True)
class Failure:
    """A request without a response."""

    reason: str  # without secrets
    is_final: bool = False  # whether trying again is of no use


def _proxy(address: Address) -> str | None:
    """Return the proxy on the way to a service: none to this machine, as it could read a token."""
    proxy = getproxies().get("https") or getproxies().get("all")
    if not proxy or address.is_loopback or proxy_bypass(urlsplit(address.origin).netloc):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _transport(address: Address) -> httpx2.HTTPTransport:
    try:  # to read the authorities takes longer than all else: without TLS, none is trusted
        tls = address.origin.startswith("https:") or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        return httpx2.HTTPTransport(verify=tls, proxy=_proxy(address))
    except OSError:
        raise ConfigurationError(
            "SSL_CERT_FILE or SSL_CERT_DIR has no certificates in PEM form that can be read, or "
            "SSLKEYLOGFILE cannot be written"
        ) from None
    except (ImportError, ValueError, httpx2.InvalidURL):
        raise ConfigurationError(
            "HTTPS_PROXY or ALL_PROXY is not the address of a proxy that can be used: use "
            "http://HOST:PORT"
        ) from None


def send(
    address: Address, request: Request, seconds: float, is_interrupted: Callable[[], bool]
) -> Response | Failure | None:
    """Send one request, once, and return its response.

    It is sent in a thread that nobody waits for longer: a name server, too, may not answer in time.

    Args:
        address: the service.
        request: what to send.
        seconds: how long to wait for the response.
        is_interrupted: whether somebody asks not to wait any longer.

    Returns:
        the response or the failure; None where neither came in time.

    Raises:
        ConfigurationError: a proxy or a certificate authority cannot be used.
    """
    sent = Future[Response | Failure]()

    def fulfil() -> None:
        try:
            sent.set_result(_sent(address, request))
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            sent.set_exception(error)

    end = time.monotonic() + seconds
    if not is_interrupted():
        Thread(target=fulfil, daemon=True).start()
    while not is_interrupted() and (left := end - time.monotonic()) > 0:
        if wait([sent], min(left, LONGEST_WAIT)).done:
            return sent.result()
    return None


def _sent(address: Address, request: Request) -> Response | Failure:
    times = httpx2.Timeout(_CONNECT, write=_WRITE, read=request.read_timeout)
    params = {"token": request.token.reveal()} if request.token else None
    content = bytearray()
    try:
        with (
            httpx2.Client(
                transport=_transport(address), headers=_HEADERS, timeout=times, trust_env=False
            ) as client,
            client.stream(
                request.method, address.base + request.path, params=params, **request.content
            ) as response,
        ):
            for chunk in response.iter_raw():
                content += chunk
                if len(content) > _MOST_RESPONSE:
                    break
            return Response(response.status_code, dict(response.headers), bytes(content))
    except (httpx2.TransportError, httpx2.InvalidURL, OSError, UnicodeError) as error:
        for kinds, reason, is_final in _FAILURES:
            if isinstance(error, kinds):
                return Failure(reason.format(read=request.read_timeout), is_final)
        failure, hint = _connection_failure(error), ""
        if isinstance(error, httpx2.ConnectError):
            if address.is_loopback:
                no_tls = "`manifest sandbox` is at http://, without the s"
                hint = f" ({no_tls if failure.is_final else 'is `manifest sandbox` running?'})"
            elif _proxy(address):
                hint = " (through the proxy of HTTPS_PROXY or ALL_PROXY)"
        return replace(failure, reason=f"{failure.reason}{hint}")


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
