"""The tokens of this user: in a file that nobody else can read, or in the system's keyring."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from manifestkit.files import posix_name, reason_of
from manifestkit.model.errors import ConfigurationError
from manifestkit.publish.private import (
    MOST_PRIVATE_BYTES,
    read_private,
    refuse_open_folder,
    write_private,
)
from manifestkit.publish.redaction import Secret, is_token

_SECONDS = 30.0
_HINT = "log in without --keyring, or set MANIFESTKIT_TOKEN"
_VERSION = 1
_KEYRING = "keyring"
_PATIENCE = 60.0  # a keyring that asks its user may hold the lock for half of that


@dataclass(frozen=True, slots=True)
class StoredLogin:
    """An account that this user is logged in to.

    Attributes:
        origin: the service.
        email: the account.
        name: its user name, as the service told it.
        token: its token; None while that is in the system's keyring.
        site_tokens: tokens of sites by their domain in lower case; users write them into the file.
    """

    origin: str
    email: str
    name: str
    token: Secret | None
    site_tokens: Mapping[str, Secret] = field(default_factory=dict)

    @property
    def in_keyring(self) -> bool:
        """Return whether the system's keyring holds the token."""
        return self.token is None

    def stored_token(self) -> Secret:
        """Return its token, from the file or the keyring.

        Raises:
            ConfigurationError: the keyring does not give it.
        """
        if self.token is not None:
            return self.token
        token = _call_keyring("get_password", self)
        if not isinstance(token, str):
            raise ConfigurationError(
                f"the keyring no longer has a token for {self.email}; log in again"
            )
        return Secret(token)

    def forget_in_keyring(self) -> None:
        """Delete its token in the keyring."""
        if isinstance(_call_keyring("get_password", self), str):
            _call_keyring("delete_password", self)


class CredentialsFile:
    """The file of accounts; it is replaced whole or not at all."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def accounts(self, origin: str | None = None) -> tuple[StoredLogin, ...]:
        """Return the accounts, of one service or of all.

        Raises:
            ConfigurationError: others can read the file, or it is none of ours.
        """
        accounts = map(_account, filter(_has_token, self._entries()))
        return tuple(each for each in accounts if origin in {None, each.origin})

    def account(self, origin: str, email: str | None = None) -> StoredLogin | None:
        """Return the account at a service: the one named, else the only one; None without any.

        Raises:
            ConfigurationError: there are several and none is named; or as `accounts`.
        """
        known = [each for each in self.accounts(origin) if email in {None, each.email}]
        if len(known) > 1:
            emails = ", ".join(each.email for each in known)
            raise ConfigurationError(
                f"you are logged in to {origin} as {emails}; choose one with --account"
            )
        return known[0] if known else None

    def store(self, account: StoredLogin, *, in_keyring: bool = False) -> None:
        """Store an account and its token, in place of what was stored of it.

        Raises:
            ConfigurationError: the file or the keyring cannot be used.
        """
        token = account.stored_token().reveal()
        with self._alone():
            entries = self._entries()
            former = next((each for each in entries if _is(each, account)), {})
            entry = {"origin": account.origin, "account": account.email, "name": account.name}
            if in_keyring:
                _call_keyring("set_password", account, token)
                entry["store"] = _KEYRING
            else:
                entry["token"] = token
                if former.get("store") == _KEYRING:
                    account.forget_in_keyring()
            if "site_tokens" in former:
                entry["site_tokens"] = former["site_tokens"]
            self._write([*(each for each in entries if not _is(each, account)), entry])

    def forget(self, account: StoredLogin) -> None:
        """Delete an account and its token; keep the site tokens, which the user wrote.

        Raises:
            ConfigurationError: the file or the keyring cannot be used.
        """
        with self._alone():
            if account.in_keyring:
                account.forget_in_keyring()
            entries = self._entries()
            for each in entries:
                if _is(each, account):
                    each.pop("token", None)
                    each.pop("store", None)
                    each.pop("name", None)
            self._write(each for each in entries if _has_token(each) or each.get("site_tokens"))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep others that change the file waiting."""
        import filelock  # noqa: PLC0415 - an extra

        lock = filelock.FileLock(f"{os.path.realpath(self.path)}.lock", mode=0o600)
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with lock.acquire(timeout=_PATIENCE):
                yield
        except filelock.Timeout:
            raise ConfigurationError(
                f"{posix_name(self.path)}: another process has locked it; try again later"
            ) from None
        except OSError as error:
            raise ConfigurationError(
                f"{posix_name(self.path)}: cannot be written: {reason_of(error)}; "
                "set MANIFESTKIT_TOKEN to log in without storing a token"
            ) from None

    def _entries(self) -> list[dict[str, Any]]:
        refuse_open_folder(self.path.parent)
        try:
            text = read_private(self.path)
        except FileNotFoundError:
            return []
        try:
            contents = json.loads(text)
            entries = contents["accounts"] if contents["version"] == _VERSION else None
        except (ValueError, RecursionError, KeyError, TypeError):
            entries = None
        if not isinstance(entries, list) or not all(map(_is_entry, entries)):
            raise ConfigurationError(
                f"{posix_name(self.path)}: this is not a credentials file of manifestkit; move it "
                "away, and log in again"
            )
        return entries

    def _write(self, entries: Iterable[dict[str, Any]]) -> None:
        text = json.dumps({"version": _VERSION, "accounts": list(entries)}, indent=2) + "\n"
        if len(text) > MOST_PRIVATE_BYTES:
            raise ConfigurationError(
                f"{posix_name(self.path)}: it would have more than {MOST_PRIVATE_BYTES:,} bytes; "
                "log out of an account first"
            )
        write_private(self.path, [text.encode()])


def _call_keyring(operation: str, account: StoredLogin, *secret: str) -> Any:
    try:
        import keyring  # noqa: PLC0415 - an extra
    except ImportError:
        raise ConfigurationError(
            "no keyring library is installed: python -m pip install 'manifestkit[keyring]', or "
            f"'.[keyring]' in a clone; or {_HINT}"
        ) from None
    answers: list[Any] = []
    errors: list[str] = []
    function: Callable[..., Any] = getattr(keyring, operation)

    def ask() -> None:
        try:
            answers.append(function(f"manifestkit {account.origin}", account.email, *secret))
        except Exception as error:  # noqa: BLE001 - every backend has errors of its own
            errors.append(type(error).__name__)  # its text might hold the token

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(_SECONDS)
    if errors or not answers:
        reason = errors[0] if errors else f"no response within {_SECONDS:g} s"
        raise ConfigurationError(f"the keyring cannot be used ({reason}); {_HINT}")
    return answers[0]


def _is_entry(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("origin"), str)
        and isinstance(entry.get("account"), str)
        and (_has_token(entry) or "site_tokens" in entry)
        and isinstance(entry.get("site_tokens", {}), dict)
        and all(map(is_token, entry.get("site_tokens", {}).values()))
    )


def _has_token(entry: dict[str, Any]) -> bool:
    """Return whether the user is logged in; after a logout, an entry may have site tokens only."""
    return is_token(entry.get("token")) or entry.get("store") == _KEYRING


def _account(entry: dict[str, Any]) -> StoredLogin:
    return StoredLogin(
        entry["origin"],
        entry["account"],
        str(entry.get("name", "")),
        Secret(entry["token"]) if "token" in entry else None,
        {each.lower(): Secret(token) for each, token in entry.get("site_tokens", {}).items()},
    )


def _is(entry: dict[str, Any], account: StoredLogin) -> bool:
    return (entry["origin"], entry["account"]) == (account.origin, account.email)
