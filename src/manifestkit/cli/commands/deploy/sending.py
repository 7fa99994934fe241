"""Sending what passed the check, its receipts, and a look at the site afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, Self

from manifestkit.cli.accounts import authorization, receipt_folder
from manifestkit.cli.commands.deploy.site import Site
from manifestkit.cli.console import ignore_interrupts, on_interrupt, transfer
from manifestkit.cli.service import report_wait
from manifestkit.model.errors import ConfigurationError, NotSentError
from manifestkit.publish.address import Address
from manifestkit.publish.client import Client
from manifestkit.publish.gate import Checked
from manifestkit.publish.outcome import Deployment, Outcome
from manifestkit.publish.rate_limit import DEPLOY_RETRY_POLICY
from manifestkit.publish.receipts import (
    Earlier,
    KeptReceipt,
    Receipt,
    earlier_deploys,
    receipt_name,
    refuse_receipt,
)
from manifestkit.publish.verification import Verification, Verifier


class Record(NamedTuple):
    """The file of one receipt.

    Attributes:
        path: the file.
        copies: files that get the same where they can be written.
        is_old: whether it is the receipt of an earlier deploy, and stays as it is.
    """

    path: Path
    copies: tuple[Path, ...] = ()
    is_old: bool = False

    def write(self, receipt: Receipt) -> None:
        """Write what is known now.

        Raises:
            NotSentError: it cannot be written.
        """
        if self.is_old:
            return
        receipt.write(self.path)
        for each in self.copies:
            with suppress(NotSentError):  # the file that was asked for is there
                receipt.write(each)

    def problem_of(self, receipt: Receipt) -> str | None:
        """Write what is known at the end; why it cannot be written: the deploy's end counts."""
        try:
            self.write(receipt)
        except NotSentError as problem:
            return str(problem)
        return None


class Records(NamedTuple):
    """Where receipts go, and are.

    Attributes:
        given: the file of `--receipt`.
        folder: this user's receipts; None where this user has no home.
    """

    given: Path | None
    folder: Path | None

    @classmethod
    def of(cls, given: Path | None, source: Path) -> Records:
        """The receipts of this user, and the file that is asked for.

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

    def earlier(self, address: Address | None, domain: str) -> Earlier:
        """What is known of earlier deploys of a site."""
        if address is None:
            return Earlier()
        return earlier_deploys(self.folder, self.given, address.origin, domain)

    def new(self, checked: Checked) -> Record:
        """The file for a receipt of this deploy, and this user's own copy of it."""
        own = [self.folder / receipt_name(checked)] if self.folder else []
        path, *copies = [self.given, *own] if self.given else own
        return Record(path, tuple(copies))

    def accepted(self, accepted: KeptReceipt) -> Record:
        """The receipt of a deploy that stays; in the file that is asked for, a copy of it.

        Raises:
            NotSentError: that cannot be written.
        """
        if self.given is None or self.given == accepted.path:
            return Record(accepted.path, is_old=True)
        Receipt(accepted.contents).write(self.given)
        return Record(self.given, is_old=True)


class Sender:
    """Who deploys to which site, by which client; a context that lets the client go.

    Args:
        address: the service.
        site: what to deploy.
        settings: the options of the command.

    Raises:
        AuthenticationError: there is no token.
        ConfigurationError: credentials, certificates or a proxy cannot be used.
    """

    def __init__(self, address: Address, site: Site, settings: Mapping[str, Any]) -> None:
        self._domain = site.domain
        self._by, login = authorization(address, site.domain, settings)
        self.account: str | None = login.email if login else settings["account"]
        policy = replace(
            DEPLOY_RETRY_POLICY, max_wait=settings["max_wait"], deadline=settings["timeout"]
        )
        self._verifier = Verifier(site.shown_at, settings["ca_bundle"]) if site.shown_at else None
        self._patience: float = settings["verify_timeout"]
        self._client = Client(address, policy, settings["ca_bundle"], on_wait=report_wait)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()
        if self._verifier is not None:
            self._verifier.close()

    def send(
        self, checked: Checked, receipt: Receipt, record: Record, *, retry_unknown: bool
    ) -> Deployment:
        """Send the archive, and say what became of it.

        From its first byte on the client alone is interrupted, up to the end of the process: what
        became of the deploy decides how that ends.

        Raises:
            NotSentError: the receipt cannot be kept; nothing is sent.
        """
        record.write(receipt)
        on_interrupt(self._client.interrupt)
        try:
            with transfer("uploading", then="waiting for the response") as progress:
                deployment = self._client.deploy(
                    checked.snapshot,
                    self._domain,
                    self._by,
                    retry_unknown=retry_unknown,
                    progress=progress,
                )
        except KeyboardInterrupt:
            deployment = Deployment(Outcome.INTERRUPTED, "interrupted")
        if deployment.outcome is Outcome.ACCEPTED and self._verifier is not None:
            on_interrupt(self._verifier.interrupt)
        else:
            ignore_interrupts()
        return deployment

    def verify(self, checked: Checked) -> Verification | None:
        """What the site shows, once it shows the manifest; None where nobody asks.

        An interrupt ends the wait: the deploy is accepted already.
        """
        if self._verifier is None or checked.manifest is None or checked.manifest_sha256 is None:
            return None
        on_interrupt(self._verifier.interrupt)
        verification = self._verifier.verify(
            checked.manifest, checked.manifest_sha256, self._patience
        )
        ignore_interrupts()
        return verification
