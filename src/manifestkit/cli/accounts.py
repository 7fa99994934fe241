"""Whose tokens a command uses, and where this user's files are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from manifestkit.model.errors import AuthenticationError, ConfigurationError
from manifestkit.publish.address import Address
from manifestkit.publish.client import Authorization
from manifestkit.publish.credentials import Account, CredentialsFile, read_private
from manifestkit.publish.redaction import Secret
from manifestkit.publish.wire import FORMS, NONE

TOKEN_VARIABLE = "MANIFESTKIT_TOKEN"  # noqa: S105 - the name of a variable
SITE_TOKEN_VARIABLE = "MANIFESTKIT_SITE_TOKEN"  # noqa: S105 - likewise


def credentials_file() -> CredentialsFile:
    """Where this user's tokens are.

    Raises:
        ConfigurationError: this user has no home.
    """
    return CredentialsFile(_own_folder("config") / "credentials.json")


def receipt_folder() -> Path:
    """Where this user's receipts are.

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


def secret_from(variable: str) -> Secret | None:
    """The secret in an environment variable, if it is set.

    Raises:
        ConfigurationError: it is none that an address or a header could hold.
    """
    text = os.environ.get(variable, "").strip()
    if text and not text.isprintable():
        raise ConfigurationError(f"{variable} contains a character that is not allowed in a token")
    return Secret(text) if text else None


class Access(NamedTuple):
    """Whose user token a command uses.

    Attributes:
        given: the token in the environment or in a file; None where there is none.
        account: else the account that this user is logged in to; None likewise.
    """

    given: Secret | None
    account: Account | None

    def token(self) -> Secret | None:
        """Return the token, wherever it is."""
        if self.account is not None:
            return self.account.stored_token()
        return self.given


def find_access(address: Address, email: str | None, token_file: Path | None) -> Access:
    """Return whose token is used at a service: one that is given, else that of the last login.

    Raises:
        ConfigurationError: the token or the credentials cannot be used.
    """
    given = secret_from(TOKEN_VARIABLE) or _secret_in(token_file, "--token-file")
    account = None if given else credentials_file().account(address.origin, email)
    return Access(given, account)


def required_token(access: Access, address: Address, email: str | None) -> Secret:
    """Return the user token for a service.

    Raises:
        AuthenticationError: there is none.
    """
    token = access.token()
    if token is None:
        raise AuthenticationError(_not_logged_in(address, email))
    return token


def _not_logged_in(address: Address, email: str | None) -> str:
    who = f" as {email}" if email else ""
    account = f" --email {email}" if email else ""
    form = "" if address.form is next(iter(FORMS.values())) else f" --api-form {address.form.name}"
    return (
        f"not logged in to {address.origin}{who}: run `manifest login --base-url "
        f"{address.base}{form}{account}`, or set {TOKEN_VARIABLE}"
    )


def denied_help() -> str:
    """What to do when the service takes the user token for wrong."""
    if secret_from(TOKEN_VARIABLE) is not None:
        return f"{TOKEN_VARIABLE} is set, and the service does not accept it: correct or unset it"
    return "get a new token with `manifest login`"


def authorization(
    access: Access, address: Address, domain: str, settings: Mapping[str, Any]
) -> Authorization:
    """Return what the deploy is allowed by.

    Raises:
        AuthenticationError: there is neither a user token nor a site token.
        ConfigurationError: the credentials cannot be used.
    """
    placement = settings["token_placement"]
    token = access.given if placement == NONE else access.token()
    site_token = secret_from(SITE_TOKEN_VARIABLE) or _secret_in(
        settings["site_token_file"], "--site-token-file"
    )
    if site_token is None and access.account is not None:
        site_token = access.account.site_tokens.get(domain)
    if token is None and site_token is None and placement != NONE:
        raise AuthenticationError(_not_logged_in(address, settings["account"]))
    return Authorization(token, site_token, placement, settings["site_token_part"])


def _secret_in(path: Path | None, option: str) -> Secret | None:
    if path is None:
        return None
    try:
        text = read_private(path).strip()
    except FileNotFoundError:
        raise ConfigurationError(f"{path}: no such file; check {option}") from None
    if not text or not text.isprintable():
        raise ConfigurationError(f"{path}: a token must be one line of text")
    return Secret(text)
