"""The system's keyring, for those who want their tokens there; it may hang, so it gets a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from manifestkit.model.errors import ConfigurationError
from manifestkit.publish.redaction import Secret

_SECONDS = 30.0
_HINT = "log in without --keyring, or set MANIFESTKIT_TOKEN"


def remember(origin: str, email: str, token: Secret) -> None:
    """Put a token into the keyring.

    Raises:
        ConfigurationError: it does not take it.
    """
    _asked("set_password", _service(origin), email, token.reveal())


def recall(origin: str, email: str) -> Secret:
    """The token of an account.

    Raises:
        ConfigurationError: the keyring does not give it.
    """
    token = _asked("get_password", _service(origin), email)
    if not isinstance(token, str):
        raise ConfigurationError(f"the keyring has no token of {email} any more; log in again")
    return Secret(token)


def forget(origin: str, email: str) -> None:
    """Take a token out of the keyring.

    Raises:
        ConfigurationError: it does not let it go.
    """
    if isinstance(_asked("get_password", _service(origin), email), str):
        _asked("delete_password", _service(origin), email)


def _service(origin: str) -> str:
    return f"manifestkit {origin}"


def _asked(operation: str, *arguments: str) -> Any:
    try:
        import keyring  # noqa: PLC0415 - an extra
    except ImportError:
        raise ConfigurationError(
            "there is no keyring library; `python -m pip install 'manifestkit[keyring]'`, "
            f"or {_HINT}"
        ) from None
    answers: list[Any] = []
    faults: list[str] = []
    function: Callable[..., Any] = getattr(keyring, operation)

    def ask() -> None:
        try:
            answers.append(function(*arguments))
        except Exception as error:  # noqa: BLE001 - every backend has errors of its own
            faults.append(type(error).__name__)  # its text might hold the token

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(_SECONDS)
    if faults or not answers:
        reason = faults[0] if faults else f"no answer within {_SECONDS:g} s"
        raise ConfigurationError(f"the keyring does not help ({reason}); {_HINT}")
    return answers[0]
