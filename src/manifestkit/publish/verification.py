"""Whether a site has the manifest that was deployed."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple
from urllib.parse import SplitResult, quote, urlsplit

from manifestkit.model.errors import ConfigurationError
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.printable import printable
from manifestkit.publish.address import Address, is_loopback, origin_of
from manifestkit.publish.rate_limit import DEFAULT_RETRY_POLICY, Deadline
from manifestkit.publish.redaction import Redactor
from manifestkit.publish.response import Failure
from manifestkit.publish.wire import FORMS

_FIRST_WAIT, _LONGEST_WAIT, _GROWTH = 0.5, 10.0, 1.5
_LOCAL = ".localhost"


class Verification(NamedTuple):
    """What was found at an address.

    Attributes:
        url: the address.
        matches: whether it has the manifest.
        reason: why not, in words; None where it does.
    """

    url: str
    matches: bool
    reason: str | None


@dataclass(frozen=True, slots=True)
class SiteAddress:
    """Where a deployed site is, by the address that the user gave: its own, or its manifest's."""

    parts: SplitResult

    @classmethod
    def parse(cls, url: str) -> SiteAddress:
        """The site at an address.

        Raises:
            ConfigurationError: it is no web address, or one with a password.
        """
        try:
            parts = urlsplit(url)
            is_address = parts.scheme in {"http", "https"} and bool(parts.hostname)
            origin_of(parts)
        except ValueError:
            is_address = False
        if not is_address or not url.isascii() or not url.isprintable() or " " in url:
            shown = printable(re.split("[?#]", url.rpartition("@")[2])[0])
            raise ConfigurationError(f"--verify: `{shown}` is not a web address; use https://HOST/")
        if parts.username is not None or parts.query or parts.fragment:
            raise ConfigurationError("--verify: the address cannot have a user, query or fragment")
        return cls(parts)

    def path_of(self, manifest: str) -> str:
        """The path of the manifest; an address that ends with `/` is that of the site."""
        path = self.parts.path or "/"
        return f"{path}{quote(manifest)}" if path.endswith("/") else path


class Verifier:
    """Asks a site for its manifest until it has the one that was deployed."""

    def __init__(self, site: SiteAddress, ca_bundle: Path | None) -> None:
        from manifestkit.publish.transport import Transport  # noqa: PLC0415 - it needs an extra

        parts = site.parts
        self._site = site
        self._headers = {"Cache-Control": "no-cache"}
        host = parts.hostname or ""
        base = origin_of(parts)
        if parts.scheme == "http" and host.endswith(_LOCAL):
            # As browsers do: the names under localhost are this machine, whatever a resolver says.
            self._headers["Host"] = parts.netloc
            base = f"http://127.0.0.1:{parts.port or 80}"
        is_local = is_loopback(host) or host.endswith(_LOCAL)
        address = Address(base, FORMS["base"], is_local)
        self._transport = Transport(address, Redactor(), ca_bundle)
        self._interrupted = threading.Event()

    def close(self) -> None:
        """Let go of the connection."""
        self._transport.close()

    def interrupt(self) -> None:
        """Stop at once, from the handler of a signal."""
        self._interrupted.set()
        self._transport.interrupt()

    def verify(self, manifest: str, sha256: str, seconds: float) -> Verification:
        """What the site has, when it has the manifest, or has not got it in time.

        Args:
            manifest: the manifest's name in the archive.
            sha256: the digest of its content, in hex.
            seconds: how long to ask.
        """
        path = self._site.path_of(manifest)
        url = origin_of(self._site.parts) + path
        deadline = Deadline(seconds)
        reason = ""
        for wait in _waits():
            reason = self._problem(path, sha256, deadline) or ""
            if not reason or self._interrupted.is_set() or deadline.left <= wait:
                break
            self._interrupted.wait(wait)
        if self._interrupted.is_set() and reason:
            reason = "interrupted"
        return Verification(url, not reason, reason or None)

    def _problem(self, path: str, sha256: str, deadline: Deadline) -> str | None:
        """Why the site does not have the manifest yet; None when it does."""
        found = self._transport.digest(
            path,
            headers=self._headers,
            at_most=DEFAULT_LIMITS.bytes,
            timeouts=DEFAULT_RETRY_POLICY.timeouts,
            deadline=deadline,
        )
        if isinstance(found, Failure):
            return f"the site cannot be read: {found.reason}"
        if HTTPStatus.MULTIPLE_CHOICES <= found.status < HTTPStatus.BAD_REQUEST:
            return f"status {found.status}, a redirect, which is not followed"
        if found.status != HTTPStatus.OK:
            return f"status {found.status}"
        return None if found.sha256 == sha256 else "another manifest is there"


def _waits() -> Iterator[float]:
    wait = _FIRST_WAIT
    while True:
        yield wait
        wait = min(wait * _GROWTH, _LONGEST_WAIT)
