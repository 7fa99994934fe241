"""The token of each service: in a file that nobody else can read, or in the system's keyring."""

from __future__ import annotations

import json
import os
import stat
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from manifestkit.files import beside, open_regular, posix_name, reason_of
from manifestkit.model.errors import ConfigurationError, UnreadableFileError
from manifestkit.publish.secrets import Secret

_IS_POSIX = os.name == "posix"  # elsewhere the user's profile folder keeps others out
_MOST_BYTES = 64 * 1024
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class LoginStore:
    """A folder with a file for each service; each is replaced whole or not at all."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of_user(cls) -> LoginStore:
        """Return the logins of this user.

        Raises:
            ConfigurationError: there is no folder for them.
        """
        import platformdirs  # noqa: PLC0415 - an extra

        try:
            return cls(platformdirs.user_config_path("manifestkit", appauthor=False) / "logins")
        except RuntimeError:
            raise ConfigurationError(
                "this user has no home folder: set HOME, or XDG_CONFIG_HOME"
            ) from None

    def token(self, origin: str) -> Secret | None:
        """Return the token for a service, from its file or the keyring; None without a login.

        Raises:
            ConfigurationError: others can read or replace the file, it is none of ours, or the
                keyring does not give the token.
        """
        path = self._path(origin)
        if not os.path.lexists(path):
            return None
        self._check_folder()
        status, login = self._read(origin)
        if _IS_POSIX and status.st_mode & _OTHERS:
            raise ConfigurationError(
                f"{posix_name(path)}: other users can read this file; assume that its token is "
                "known, run `manifest logout`, and log in again"
            )
        if login is None:
            raise ConfigurationError(
                f"{posix_name(path)}: this is not a login of manifestkit; `manifest logout` "
                "removes it"
            )
        token, problem = Secret.of(login.get("token")), None
        if token is None:
            text, problem = _call_keyring("get_password", origin, login["email"])
            token = Secret.of(text)
        if token is None:
            raise ConfigurationError(
                f"the keyring does not give the token of {login['email']} "
                f"({problem or 'it has none'}); run `manifest login` again, or set "
                "MANIFESTKIT_TOKEN"
            )
        return token

    def origins(self) -> list[str]:
        """Return the services that someone is logged in to."""
        return sorted(unquote(each.stem) for each in self.folder.glob("*.json"))

    def prepare(self) -> None:
        """Make the folder where there is none.

        Raises:
            ConfigurationError: it cannot be made, or others can replace what is in it.
        """
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise self._unwritable(self.folder, error) from None
        self._check_folder()

    def keep(self, origin: str, email: str, token: Secret) -> tuple[str, str | None]:
        """Store an account and its token, in place of what was stored of the service.

        Returns:
            Where the token is, and why it is not in a keyring that is installed; None if it is, or
            none is.

        Raises:
            ConfigurationError: the file cannot be written.
        """
        self.prepare()
        self._forget_in_keyring(origin)
        contents, problem = {"origin": origin, "email": email}, None
        if find_spec("keyring") is not None:
            self._write(origin, contents)
            _, problem = _call_keyring("set_password", origin, email, token.reveal())
            given, unread = _call_keyring("get_password", origin, email)
            if problem is None and given == token.reveal():
                return "the keyring", None
            problem = problem or unread or "it does not give back what it is given"
        self._write(origin, {**contents, "token": token.reveal()})
        return posix_name(self._path(origin)), problem

    def forget(self, origin: str) -> tuple[bool, str | None]:
        """Delete the account of a service and its token.

        Returns:
            Whether there was one, and why the keyring did not delete its token; None if it did, or
            had none.

        Raises:
            ConfigurationError: the file cannot be deleted.
        """
        problem = self._forget_in_keyring(origin)
        path = self._path(origin)
        try:
            for each in self.folder.glob(f".{path.name[:64]}.*"):  # of a process that was killed
                each.unlink(missing_ok=True)
            path.unlink()
        except FileNotFoundError:
            return False, None
        except OSError as error:
            reason = f"cannot be deleted: {reason_of(error)}"
            raise ConfigurationError(f"{posix_name(path)}: {reason}") from None
        return True, problem

    def _read(self, origin: str) -> tuple[os.stat_result, dict[str, str] | None]:
        """Return what the file of a service holds, whoever may have written it; None for no login.

        Raises:
            ConfigurationError: it cannot be read.
        """
        try:
            with open_regular(self._path(origin)) as file:
                status, contents = os.fstat(file.fileno()), file.read(_MOST_BYTES)
        except (UnreadableFileError, OSError) as error:
            raise ConfigurationError(str(error)) from None
        try:
            login = json.loads(contents)
        except (ValueError, RecursionError):
            login = None
        is_login = isinstance(login, dict) and all(isinstance(each, str) for each in login.values())
        is_ours = is_login and login.get("origin") == origin and "email" in login
        return status, login if is_ours else None

    def _forget_in_keyring(self, origin: str) -> str | None:
        with suppress(ConfigurationError):  # what is no login has no token in the keyring
            _, login = self._read(origin)
            if login is not None and "token" not in login:
                return _call_keyring("delete_password", origin, login["email"])[1]
        return None

    def _path(self, origin: str) -> Path:
        return self.folder / f"{quote(origin, safe='')}.json"

    def _check_folder(self) -> None:
        if _IS_POSIX and self.folder.stat().st_mode & _OTHERS_WRITE:
            raise ConfigurationError(
                f"{posix_name(self.folder)}: other users can replace the files in this folder; "
                "run `chmod 700` on it, run `manifest logout`, and log in again"
            )

    def _write(self, origin: str, contents: dict[str, str]) -> None:
        path = self._path(origin)
        try:
            with beside(path) as (descriptor, _), open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor, not a path
                file.write(json.dumps(contents).encode())
                file.flush()
                os.fsync(descriptor)
        except OSError as error:
            raise self._unwritable(path, error) from None

    @staticmethod
    def _unwritable(path: Path, error: OSError) -> ConfigurationError:
        return ConfigurationError(
            f"{posix_name(path)}: cannot be written: {reason_of(error)}; set "
            "MANIFESTKIT_TOKEN to use a token without storing it"
        )


def _call_keyring(operation: str, origin: str, *arguments: str) -> tuple[Any, str | None]:
    """Return what the keyring says, and why it says nothing."""
    try:
        import keyring  # noqa: PLC0415 - an extra

        return getattr(keyring, operation)(f"manifestkit {origin}", *arguments), None
    except ImportError:
        return None, "it is not installed"
    except Exception as error:  # noqa: BLE001 - every backend has errors of its own
        return None, type(error).__name__  # its text might hold the token
