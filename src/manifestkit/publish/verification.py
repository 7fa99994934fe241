"""Verification that a site serves every file that was deployed."""

from __future__ import annotations

import threading
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple
from urllib.parse import SplitResult, quote

from manifestkit.model.printable import printable
from manifestkit.publish.address import Address, is_loopback, origin_of
from manifestkit.publish.packing import Packed, Progress
from manifestkit.publish.redaction import Redactor
from manifestkit.publish.response import Digest, Failure
from manifestkit.publish.retry import Deadline
from manifestkit.publish.wire import FORMS

_FIRST_WAIT, _LONGEST_WAIT, _GROWTH = 0.5, 10.0, 1.5
_LOCAL = ".localhost"
_INDEX = "index.html"


class Verification(NamedTuple):
    """Result of comparing a site with what was deployed.

    Attributes:
        url: the address of the site.
        matches: whether each file there is the one that was deployed.
        files: how many files were deployed.
        compared: how many of them the site serves as they were deployed.
        reason: why not all, in words; None where all are.
    """

    url: str
    matches: bool
    files: int
    compared: int
    reason: str | None


class Verifier:
    """Compares a site with what was deployed until all of it is there."""

    def __init__(self, parts: SplitResult, ca_bundle: Path | None) -> None:
        from manifestkit.publish.transport import Transport  # noqa: PLC0415 - it needs an extra

        self._path = f"{parts.path.rstrip('/')}/"
        self._url = origin_of(parts) + self._path
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
        """Close the connection."""
        self._transport.close()

    def interrupt(self) -> None:
        """Stop at once, from the handler of a signal."""
        self._interrupted.set()
        self._transport.interrupt()

    def verify(
        self,
        packed: Packed,
        files: tuple[tuple[str, int], ...],
        seconds: float,
        progress: Progress | None = None,
    ) -> Verification:
        """Return what the site has when it has each file in an archive, or after some seconds."""
        deadline = Deadline(seconds)
        digests = packed.digests()
        left = {name: "" for name, _ in files}
        sizes = dict(files)
        wait, done = _FIRST_WAIT, 0
        while True:
            for name in [*left]:
                problem = self._problem(name, sizes[name], digests[name], deadline)
                left[name] = problem or ""
                if problem is None:
                    del left[name]
                    done += sizes[name]
                    if progress:
                        progress(done, sum(sizes.values()))
                if self._interrupted.is_set() or not deadline.left:
                    break
            if not left or self._interrupted.is_set() or deadline.left <= wait:
                break
            self._interrupted.wait(wait)
            wait = min(wait * _GROWTH, _LONGEST_WAIT)
        name, problem = next(((each, why) for each, why in left.items() if why), ("", None))
        reason = f"`{printable(name)}`: {problem}" if problem else "no response in time"
        if self._interrupted.is_set() and left:
            reason = "interrupted"
        found = len(files) - len(left)
        return Verification(self._url, not left, len(files), found, reason if left else None)

    def _problem(self, name: str, size: int, sha256: str, deadline: Deadline) -> str | None:
        found = self._found(name, size, deadline)
        is_index = name == _INDEX or name.endswith(f"/{_INDEX}")
        if is_index and not isinstance(found, Failure) and _is_redirect(found.status):
            found = self._found(name.removesuffix(_INDEX), size, deadline)
        if isinstance(found, Failure):
            return f"the site cannot be read: {found.reason}"
        if _is_redirect(found.status):
            return f"status {found.status}, a redirect, which is not followed"
        if found.status != HTTPStatus.OK:
            return f"status {found.status}"
        return None if found.sha256 == sha256 else "another file is there"

    def _found(self, name: str, size: int, deadline: Deadline) -> Digest | Failure:
        return self._transport.digest(
            self._path + quote(name),
            headers=self._headers,
            at_most=size,
            deadline=deadline,
        )


def _is_redirect(status: int) -> bool:
    return HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST
