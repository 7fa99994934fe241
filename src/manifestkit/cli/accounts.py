"""Whose tokens a command uses, and where this user's files are."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from manifestkit.cli.options import FILE, option, option_group
from manifestkit.files import posix_name
from manifestkit.model.errors import AuthenticationError, ConfigurationError
from manifestkit.publish.address import Address
from manifestkit.publish.credentials import CredentialsFile, StoredLogin
from manifestkit.publish.private import read_private
from manifestkit.publish.redaction import Secret
from manifestkit.publish.wire import FORMS

TOKEN_VARIABLE = "MANIFESTKIT_TOKEN"  # noqa: S105 - the name of a variable
SITE_TOKEN_VARIABLE = "MANIFESTKIT_SITE_TOKEN"  # noqa: S105 - likewise


def credentials_file() -> CredentialsFile:
    """Return the file with this user's tokens.

    Raises:
        ConfigurationError: this user has no home.
    """
    return CredentialsFile(_own_folder("config") / "credentials.json")


def receipt_folder() -> Path:
    """Return the folder of this user's receipts.

    Raises:
        ConfigurationError: this user has no home.
    """
    return _own_folder("state") / "receipts"


def _own_folder(kind: Literal["config", "state"]) -> Path:
    import platformdirs  # noqa: PLC0415 - an extra

    own = {"config": platformdirs.user_config_path, "state": platformdirs.user_state_path}
    try:
        return own[kind]("manifestkit", appauthor=False)
    except RuntimeError:
        raise ConfigurationError(
            f"this user has no home folder: set HOME, or XDG_{kind.upper()}_HOME"
        ) from None


def given_secret(variable: str, file: Path | None = None, option: str = "") -> Secret | None:
    """Return the secret in an environment variable, else in the file of an option, if there is one.

    Raises:
        ConfigurationError: it is none that an address or a header could hold, or the file cannot
            be read.
    """
    text = os.environ.get(variable, "").strip()
    if text and not text.isprintable():
        raise ConfigurationError(f"{variable} contains a character that is not allowed in a token")
    if text or file is None:
        return Secret(text) if text else None
    try:
        text = read_private(file).strip()
    except FileNotFoundError:
        raise ConfigurationError(f"{file}: no such file; check {option}") from None
    if not text or not text.isprintable():
        raise ConfigurationError(f"{file}: a token must be one line of text")
    return Secret(text)


@dataclass(frozen=True)
class AccountOptions:
    """Whose token is used."""

    account: str | None = option("The account, if you are logged in to several.", metavar="EMAIL")
    token_file: Path | None = option(
        f"Read your token from this file; or set {TOKEN_VARIABLE}.",
        **FILE,
    )

    def access(self, address: Address) -> Access:
        """Return whose token is used at a service: one that is given, else that of the last login.

        Raises:
            ConfigurationError: the token or the credentials cannot be used.
        """
        given = given_secret(TOKEN_VARIABLE, self.token_file, "--token-file")
        stored = None if given else credentials_file().account(address.origin, self.account)
        return Access(address, self, given, stored)


account_options = option_group("account", AccountOptions)


@dataclass(frozen=True)
class Access:
    """Whose user token a command uses.

    Attributes:
        address: the service.
        options: what the user asked for.
        given: the token in the environment or in a file; None where there is none.
        account: else the account that this user is logged in to; None likewise.
    """

    address: Address
    options: AccountOptions
    given: Secret | None
    account: StoredLogin | None

    @property
    def email(self) -> str | None:
        """The account, as far as it is known."""
        return self.account.email if self.account else self.options.account

    @property
    def source(self) -> str:
        """The source of the token."""
        if self.account is None:
            in_variable = given_secret(TOKEN_VARIABLE) is not None
            return TOKEN_VARIABLE if in_variable else posix_name(self.options.token_file or "")
        return "keyring" if self.account.in_keyring else posix_name(credentials_file().path)

    def token(self) -> Secret | None:
        """Return the token, wherever it is."""
        return self.account.stored_token() if self.account else self.given

    def required_token(self) -> Secret:
        """Return the token.

        Raises:
            AuthenticationError: there is none.
        """
        token = self.token()
        if token is None:
            raise self.not_logged_in()
        return token

    def not_logged_in(self) -> AuthenticationError:
        """Return the error that says how to log in."""
        email, form = self.options.account, self.address.form
        who, account = (f" as {email}", f" --email {email}") if email else ("", "")
        if form is not next(iter(FORMS.values())):
            account = f" --api-form {form.name}{account}"
        return AuthenticationError(
            f"not logged in to {self.address.origin}{who}: run `manifest login --base-url "
            f"{self.address.base}{account}`, or set {TOKEN_VARIABLE}"
        )


def denied_help() -> str:
    """Return what to do when the service takes the user token for wrong."""
    if given_secret(TOKEN_VARIABLE) is not None:
        return f"{TOKEN_VARIABLE} is set, and the service does not accept it: correct or unset it"
    return "get a new token with `manifest login`"
