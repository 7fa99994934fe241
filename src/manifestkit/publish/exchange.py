"""One request and what became of it; the only place that knows the HTTP library."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manifestkit.errors import ConfigurationError
from manifestkit.files import reason_of
from manifestkit.printable import printable
from manifestkit.publish.address import Address
from manifestkit.publish.answer import MOST_BYTES, Answer, read_answer
from manifestkit.publish.deadline import Deadline, Watch
from manifestkit.publish.redaction import Redactor, Secret, silence_http_logs
from manifestkit.publish.wire import TOKEN

if TYPE_CHECKING:
    import httpx2

_ERRNO = re.compile(r"\[(?:Errno|WinError) -?\d+\] ?")
_SSL_PLACE = re.compile(r"^\[SSL: ?\w*\] ?|\[SSL\] ?| ?\(_ssl\.c:\d+\)")


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How many seconds to wait for a connection, for a write to go on, and for an answer."""

    connect: float = 10.0
    write: float = 60.0
    read: float = 60.0


@dataclass(frozen=True, slots=True)
class Failure:
    """A request without an answer.

    Attributes:
        reason: why, without secrets.
        is_final: whether trying again is of no use.
        late: whether the answer had begun.
        timed_out: whether the answer did not come, or did not end, in time.
    """

    reason: str
    is_final: bool = False
    late: bool = False
    timed_out: bool = False


class Exchange:
    """Sends requests to one service, each over a connection of its own."""

    def __init__(self, address: Address, redactor: Redactor, ca_bundle: Path | None = None) -> None:
        import httpx2  # noqa: PLC0415 - an extra

        silence_http_logs()
        self._address = address
        self._redactor = redactor
        # Secrets for this machine never go by way of a proxy, which plain http would show them to.
        self._http = httpx2.Client(
            verify=_tls(address, ca_bundle),
            trust_env=not address.is_loopback,
            follow_redirects=False,
            limits=httpx2.Limits(max_keepalive_connections=0),
            headers={"User-Agent": "manifestkit", "Accept-Encoding": "identity"},
        )

    def close(self) -> None:
        """Let go of every connection."""
        self._http.close()

    def send(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str],
        body: Iterable[bytes] | Secret | None,
        token: Secret | None,
        timeouts: Timeouts,
        deadline: Deadline,
    ) -> Answer | Failure:
        """Send one request, once.

        Args:
            method: the HTTP method.
            path: the path under the base address.
            headers: the headers beside those that HTTP demands.
            body: the body; what an iterable raises comes out of here as it is.
            token: the user token for the query, where it belongs there.
            timeouts: how long to wait for each step.
            deadline: when the whole operation must be over.
        """
        import httpx2  # noqa: PLC0415 - an extra

        silence_http_logs()  # some of them are born with the first request
        with Watch(deadline) as watch:
            steps = _Steps(watch)
            try:
                request = self._http.build_request(
                    method,
                    self._address.base + path,
                    headers=headers,
                    content=body.reveal() if isinstance(body, Secret) else body,
                    params={TOKEN: token.reveal()} if token else None,
                    timeout=httpx2.Timeout(
                        connect=min(timeouts.connect, deadline.left),
                        write=timeouts.write,
                        read=timeouts.read,
                        pool=timeouts.connect,
                    ),
                    extensions={"trace": steps.trace},
                )
                response = self._http.send(request, stream=True)
                try:
                    steps.answering = True
                    return self._read(response)
                finally:
                    response.close()
            except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, OSError) as error:
                failure = self._failure(error, watch, steps, timeouts, deadline)
        return failure

    def _read(self, response: httpx2.Response) -> Answer:
        body = bytearray()
        is_whole = True
        for chunk in response.iter_raw():
            body += chunk
            if len(body) > MOST_BYTES:
                is_whole = False
                break
        headers = {name.lower(): value for name, value in response.headers.items()}
        return read_answer(
            response.status_code,
            headers,
            bytes(body[:MOST_BYTES]),
            self._redactor,
            is_whole=is_whole,
        )

    def _failure(
        self,
        error: Exception,
        watch: Watch,
        steps: _Steps,
        timeouts: Timeouts,
        deadline: Deadline,
    ) -> Failure:
        import httpx2  # noqa: PLC0415 - an extra

        is_tls = _has_cause(error, ssl.SSLError)
        if watch.expired:
            reason = f"it was not over within {deadline.seconds:g} s"
        elif isinstance(error, httpx2.ConnectTimeout):
            reason = f"no connection within {timeouts.connect:g} s"
        elif isinstance(error, httpx2.WriteTimeout):
            reason = f"it took nothing for {timeouts.write:g} s"
        elif isinstance(error, httpx2.ReadTimeout):
            reason = f"no answer within {timeouts.read:g} s"
        else:
            text = _SSL_PLACE.sub("", _ERRNO.sub("", str(error))) or type(error).__name__
            text = printable(self._redactor.text(text)).rstrip(".")
            reason = text[:1].lower() + text[1:]
        if is_tls and not steps.connected:
            reason = f"{reason}; --ca-bundle takes a certificate authority of your own"
        return Failure(
            reason,
            is_final=is_tls and not steps.connected,
            late=steps.answering,
            timed_out=watch.expired or isinstance(error, httpx2.ReadTimeout),
        )


class _Steps:
    """How far an exchange has come."""

    def __init__(self, watch: Watch) -> None:
        self.connected = False
        self.answering = False
        self._watch = watch

    def trace(self, event: str, info: dict[str, Any]) -> None:
        self._watch.trace(event, info)
        if event.endswith("http11.send_request_headers.started"):
            self.connected = True


def _tls(address: Address, ca_bundle: Path | None) -> ssl.SSLContext | bool:
    """The certificate authorities to trust: the system's, and those of a file.

    For plain http, which needs none, they are not read: it takes its time.
    """
    if ca_bundle is None:
        is_plain = address.base.startswith("http:")
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if is_plain else True
    context = ssl.create_default_context()
    try:
        context.load_verify_locations(ca_bundle)
    except (OSError, ssl.SSLError) as error:
        told = printable(str(ca_bundle))
        is_content = isinstance(error, ssl.SSLError)
        reason = "no certificates in PEM form" if is_content else reason_of(error)
        raise ConfigurationError(f"{told}: cannot be used as --ca-bundle: {reason}") from None
    return context


def _has_cause(error: BaseException | None, kind: type[BaseException]) -> bool:
    while error is not None:
        if isinstance(error, kind):
            return True
        error = error.__cause__ or error.__context__
    return False
