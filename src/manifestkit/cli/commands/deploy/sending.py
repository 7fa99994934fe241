"""Sending what passed the check, its receipts, and a look at the site afterwards."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Self

from manifestkit.cli.accounts import Access, receipt_folder
from manifestkit.cli.commands.deploy.options import DeployOptions
from manifestkit.cli.commands.deploy.site import Site
from manifestkit.cli.console import error, ignore_interrupts, on_interrupt, transfer
from manifestkit.cli.service import NetworkOptions, report_wait
from manifestkit.model.errors import ConfigurationError, NotSentError
from manifestkit.publish.client import Client
from manifestkit.publish.gate import Checked
from manifestkit.publish.outcome import Attempt, Outcome
from manifestkit.publish.receipts import Receipt, receipt_name, refuse_receipt
from manifestkit.publish.retry import DEPLOY_RETRY_POLICY
from manifestkit.publish.verification import Verification, Verifier


class Records(NamedTuple):
    """Files for receipts.

    Attributes:
        given: the file of `--receipt`.
        folder: this user's receipts; None where this user has no home.
    """

    given: Path | None
    folder: Path | None

    @classmethod
    def of(cls, given: Path | None, source: Path) -> Records:
        """Return the file that is asked for, and the receipts of this user.

        Raises:
            ConfigurationError: that file is another one's, or there is no place for receipts.
        """
        if given is None:
            return cls(None, receipt_folder())
        refuse_receipt(given, source)
        try:
            return cls(given, receipt_folder())
        except ConfigurationError:
            return cls(given, None)

    def files_of(self, receipt: Receipt) -> list[Path]:
        """Return the files for a receipt: the one that is asked for comes first."""
        own = [self.folder / receipt_name(receipt)] if self.folder else []
        return [self.given, *own] if self.given else own

    def keep(self, receipt: Receipt, files: list[Path]) -> None:
        """Write a receipt to its first file, and to the others where they can be written.

        Raises:
            NotSentError: the first one cannot be written.
        """
        first, *copies = files
        receipt.write(first)
        for each in copies:
            with suppress(NotSentError):  # the file that was asked for is there
                receipt.write(each)

    def kept(self, receipt: Receipt, files: list[Path]) -> Path | None:
        """Write a receipt, and return its file; a deploy that is over counts without it, too."""
        try:
            self.keep(receipt, files)
        except NotSentError as problem:
            error(str(problem))
            return None
        return files[0]


class Sender:
    """Who deploys to which site, by which client; a context that closes its connections."""

    def __init__(
        self, site: Site, access: Access, options: DeployOptions, network: NetworkOptions
    ) -> None:
        self._domain = site.domain or ""
        self._by = options.authorization(access, self._domain)
        self._options = options
        policy = replace(DEPLOY_RETRY_POLICY, max_wait=network.max_wait, deadline=network.timeout)
        ca_bundle = network.ca_bundle
        self._verifier = Verifier(site.shown_at, ca_bundle) if site.shown_at else None
        self._client = Client(access.address, policy, ca_bundle, on_wait=report_wait)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()
        if self._verifier is not None:
            self._verifier.close()

    def send(self, checked: Checked) -> Attempt:
        """Send the archive, and return the outcome.

        From its first byte on the client alone is interrupted, up to the end of the process: the
        outcome of the deploy decides how that ends.
        """
        assert checked.packed is not None  # noqa: S101 - it passed the check
        on_interrupt(self._client.interrupt)
        try:
            with transfer("uploading", then="waiting for the response") as progress:
                attempt = self._client.deploy(
                    checked.packed,
                    self._domain,
                    self._by,
                    retry_unknown=self._options.retry_unknown,
                    progress=progress,
                )
        except KeyboardInterrupt:
            attempt = Attempt(Outcome.INTERRUPTED, "interrupted")
        if attempt.outcome is Outcome.ACCEPTED and self._verifier is not None:
            on_interrupt(self._verifier.interrupt)
        else:
            ignore_interrupts()
        return attempt

    def verify(self, checked: Checked) -> Verification | None:
        """Return what the site shows, once it shows every file; None where nobody asks.

        An interrupt ends the wait: the deploy is accepted already.
        """
        if self._verifier is None or checked.packed is None:
            return None
        with transfer("comparing", then="waiting for the rest") as progress:
            verification = self._verifier.verify(
                checked.packed, checked.listing.files, self._options.verify_timeout, progress
            )
        ignore_interrupts()
        return verification
