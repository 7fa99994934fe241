"""Requests over HTTP: through a proxy or not, within a time."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import unquote
from urllib.request import getproxies

import httpx2

from manifestkit.files import reason_of
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.printable import printable
from manifestkit.publish.address import Address
from manifestkit.publish.redaction import Redactor, Secret
from manifestkit.publish.response import (
    MOST_BYTES,
    Digest,
    Failure,
    Response,
    read_response,
)
from manifestkit.publish.retry import DEFAULT_RETRY_POLICY, Deadline, RetryPolicy
from manifestkit.publish.wire import TOKEN


class _Watch:
    """Knows how far one request has come, and cuts its connection when the deadline passes.

    A read timeout is for one read: a service that sends a byte now and then would never meet it.
    """

    def __init__(self, deadline: Deadline) -> None:
        self.connected = self.answering = self.expired = self.interrupted = False
        self._streams: list[Any] = []
        self._deadline = deadline
        self._timer = threading.Timer(deadline.left, self._expire)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def trace(self, event: str, info: dict[str, Any]) -> None:
        """Learn of the connection; a `trace` extension of the HTTP library."""
        stream = info.get("return_value")
        if event.endswith(".complete") and hasattr(stream, "get_extra_info"):
            self._streams.append(stream)
        if event.endswith("http11.send_request_headers.started"):
            self.expired = self.expired or not self._deadline.left
            if self.expired or self.interrupted:
                raise httpx2.ConnectError("it is too late to send anything")
            self.connected = True
        if self.expired or self.interrupted:
            self._cut()

    def interrupt(self) -> None:
        """Cut the connection now: whoever waits for it goes on, without a response."""
        self.interrupted = True
        self._cut()

    def _expire(self) -> None:
        self.expired = True
        self._cut()

    def _cut(self) -> None:
        for stream in self._streams:
            connection = stream.get_extra_info("socket")
            if connection is not None:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)


def _proxy_passwords() -> Iterator[Secret]:
    """Yield the passwords of the proxies.

    Raises:
        ConfigurationError: a proxy cannot be used; the text holds no secret.
    """
    proxies = getproxies()
    for scheme in ("http", "https", "all"):
        given = proxies.get(scheme)
        if not given:
            continue
        name = f"{scheme.upper()}_PROXY"
        try:
            proxy = httpx2.Proxy(given if "://" in given else f"http://{given}")
            is_address = bool(proxy.url.host)
        except (ValueError, TypeError, httpx2.InvalidURL):
            is_address = False
        if not is_address:
            raise ConfigurationError(f"{name} is not the address of a proxy; use http://HOST:PORT")
        if proxy.url.scheme.startswith("socks") and find_spec("socksio") is None:
            raise ConfigurationError(
                f"{name} names a SOCKS proxy: run `python -m pip install 'httpx2[socks]'`, or use "
                "http://HOST:PORT"
            )
        if proxy.auth is not None:
            yield from (Secret(each) for each in {proxy.auth[1], unquote(proxy.auth[1])} if each)


_FINAL = (httpx2.ProxyError, UnicodeError)
_ERRNO = re.compile(r"\[(?:Errno|WinError) -?\d+\] ?")
_SYSTEMS = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_UNKNOWN_AUTHORITY = frozenset({2, 18, 19, 20, 21})
"""OpenSSL's codes for a certificate whose issuer is not known, or that is its own."""
_SSL_PLACE = re.compile(r"^\[SSL: ?\w*\] ?|\[SSL\] ?| ?\(_ssl\.c:\d+\)")


_Read = TypeVar("_Read")


class Transport:
    """Sends requests to one service, each over a connection of its own."""

    def __init__(
        self,
        address: Address,
        redactor: Redactor,
        ca_bundle: Path | None = None,
        policy: RetryPolicy = DEFAULT_RETRY_POLICY,
    ) -> None:
        self._address = address
        self._redactor = redactor
        self._policy = policy
        self._watch: _Watch | None = None
        # Secrets for this machine never go by way of a proxy, which plain http would show them to.
        if not address.is_loopback:
            redactor.learn(*_proxy_passwords())
        self._http = httpx2.Client(
            verify=_tls(address, ca_bundle),
            trust_env=not address.is_loopback,
            follow_redirects=False,
            limits=httpx2.Limits(max_keepalive_connections=0),
            headers={
                "User-Agent": f"manifestkit/{version('manifestkit')}",
                "Accept-Encoding": "identity",
            },
        )

    def close(self) -> None:
        """Close every connection."""
        self._http.close()

    def send(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str],
        body: Iterable[bytes] | Secret | None,
        token: Secret | None,
        deadline: Deadline,
    ) -> Response | Failure:
        """Send one request, once, with the token in its query; what a body raises is raised."""
        return self._exchange(
            self._read,
            deadline,
            method,
            path,
            headers=headers,
            content=body.reveal() if isinstance(body, Secret) else body,
            params={TOKEN: token.reveal()} if token else None,
        )

    def digest(
        self, path: str, *, headers: Mapping[str, str], at_most: int, deadline: Deadline
    ) -> Digest | Failure:
        """Return the digest of what is at a path; of more than `at_most` bytes, none."""

        def read(response: httpx2.Response) -> Digest:
            digest, left = hashlib.sha256(), at_most
            for chunk in response.iter_raw():
                digest.update(chunk)
                left -= len(chunk)
                if left < 0:
                    return Digest(response.status_code, None)
            return Digest(response.status_code, digest.hexdigest())

        return self._exchange(read, deadline, "GET", path, headers=headers)

    def _exchange(
        self,
        read: Callable[[httpx2.Response], _Read],
        deadline: Deadline,
        method: str,
        path: str,
        **request: Any,
    ) -> _Read | Failure:
        if not deadline.left:
            return Failure(_late(deadline), is_final=True, timed_out=True)
        policy = self._policy
        connect = min(policy.connect, deadline.left)
        timeout = httpx2.Timeout(
            connect=connect, write=policy.write, read=policy.read, pool=connect
        )
        with self._redactor.redacting_logs(), _Watch(deadline) as watch:
            self._watch = watch
            try:
                with self._http.stream(
                    method,
                    self._address.base + path,
                    timeout=timeout,
                    extensions={"trace": watch.trace},
                    **request,
                ) as response:
                    watch.answering = True
                    return read(response)
            except (
                *(httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, OSError),
                UnicodeError,  # of a host's name that cannot be looked up
            ) as error:
                return self._failure(error, watch, deadline)

    def interrupt(self) -> None:
        """Cut the connection of the request that is under way."""
        if self._watch is not None:
            self._watch.interrupt()

    def _read(self, response: httpx2.Response) -> Response:
        body = bytearray()
        for chunk in response.iter_raw():
            body += chunk
            if len(body) > MOST_BYTES:
                break
        headers = {name.lower(): value for name, value in response.headers.items()}
        return read_response(response.status_code, headers, bytes(body), self._redactor)

    def _failure(self, error: Exception, watch: _Watch, deadline: Deadline) -> Failure:
        is_tls = any(isinstance(each, ssl.SSLError) for each in _causes(error))
        of_proxy = isinstance(error, httpx2.ProxyError)
        if watch.interrupted:
            reason = "interrupted"
        elif watch.expired:
            reason = _late(deadline)
        elif isinstance(error, httpx2.ConnectTimeout):
            reason = f"no connection within {self._policy.connect:g} s"
        elif isinstance(error, httpx2.WriteTimeout):
            reason = f"it accepted no data for {self._policy.write:g} s"
        elif isinstance(error, httpx2.ReadTimeout):
            reason = f"no response within {self._policy.read:g} s"
        elif isinstance(error, httpx2.RemoteProtocolError):
            reason = _broken(error, watch)
        elif isinstance(error, UnicodeError):
            reason = "the host name is invalid: each of its parts has 1 to 63 characters"
        else:
            reason = self._text_of(error)
        if of_proxy:
            reason = f"the proxy of HTTPS_PROXY or ALL_PROXY refused: {reason}"
        if any(
            isinstance(each, ssl.SSLCertVerificationError)
            and each.verify_code in _UNKNOWN_AUTHORITY
            for each in _causes(error)
        ):
            reason = f"{reason}; add your own certificate authority with --ca-bundle"
        return Failure(
            reason,
            is_final=(is_tls and not watch.connected) or isinstance(error, _FINAL),
            late=watch.answering,
            timed_out=watch.expired or isinstance(error, httpx2.ReadTimeout),
            of_proxy=of_proxy,
        )

    def _text_of(self, error: Exception) -> str:
        text = _system_reason(error)
        if text is None:
            text = _SSL_PLACE.sub("", _ERRNO.sub("", str(error))) or type(error).__name__
            text = printable(self._redactor.text(text)).rstrip(".")
        return text[:1].lower() + text[1:]


def _tls(address: Address, ca_bundle: Path | None) -> ssl.SSLContext:
    """Return the certificate authorities to trust: the system's, and those of a file.

    For plain http, which needs none, they are not read: it takes its time.
    """
    if ca_bundle is None and address.base.startswith("http:"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    name = next((each for each in _SYSTEMS if os.environ.get(each)), "the system")
    source = f"{name}: {os.environ.get(name, 'its certificates')}"
    try:
        context = httpx2.create_ssl_context()
        if ca_bundle is not None:
            source = f"--ca-bundle: {ca_bundle}"
            context.load_verify_locations(ca_bundle)
    except OSError as error:
        is_content = isinstance(error, ssl.SSLError)
        reason = "it contains no certificates in PEM form" if is_content else reason_of(error)
        raise ConfigurationError(
            f"{printable(source)}: cannot be used as certificate authorities: {reason}"
        ) from None
    return context


def _late(deadline: Deadline) -> str:
    return f"it did not finish within {deadline.seconds:g} s"


def _broken(error: Exception, watch: _Watch) -> str:
    """Why a response cannot be read; the library's own words show Python's representations."""
    if watch.answering:
        return "the connection broke during the response"
    if "without sending a response" in str(error):
        return "the connection was closed without a response"
    return "the response is not HTTP"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _system_reason(error: BaseException) -> str | None:
    """Return the system's own error text, which holds no secret."""
    for each in _causes(error):
        if isinstance(each, OSError) and each.errno and each.strerror == os.strerror(each.errno):
            return each.strerror
    return None
