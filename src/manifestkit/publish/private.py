"""Files with secrets: read only if nobody else can, and written so that nobody else can."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from manifestkit.files import beside, open_regular, posix_name, reason_of
from manifestkit.model.errors import ConfigurationError, UnreadableFileError

MOST_PRIVATE_BYTES = 1024 * 1024
"""Bytes of a file with secrets, read or written."""
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_private(path: Path) -> str:
    """Return the text of a file with a secret.

    Raises:
        FileNotFoundError: there is no such file.
        ConfigurationError: others can read it, or it cannot be read.
    """
    if not os.path.lexists(path):
        raise FileNotFoundError(path)
    try:
        with open_regular(path, "copy it into a file") as file:
            _refuse_shared(path, os.fstat(file.fileno()))
            data = file.read(MOST_PRIVATE_BYTES + 1)
        if len(data) > MOST_PRIVATE_BYTES:
            raise ConfigurationError(
                f"{posix_name(path)}: it has more than {MOST_PRIVATE_BYTES:,} bytes"
            )
        return data.decode()
    except UnreadableFileError as error:
        raise ConfigurationError(str(error)) from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{posix_name(path)}: it is not UTF-8 text") from None
    except OSError as error:
        raise ConfigurationError(f"{posix_name(path)}: {reason_of(error)}") from None


def _refuse_shared(path: Path, status: os.stat_result) -> None:
    if os.name != "posix":  # elsewhere the user's profile folder keeps others out
        return
    if status.st_mode & _OTHERS:
        raise ConfigurationError(
            f"{posix_name(path)}: other users can read this file; run `chmod 600` on it, and "
            "assume that its token is known"
        )
    if status.st_uid not in {os.getuid(), 0}:
        raise ConfigurationError(f"{posix_name(path)}: this file belongs to another user")


def refuse_open_folder(folder: Path) -> None:
    """Refuse a folder in which others can put another file in the place of this user's.

    Raises:
        ConfigurationError: others can.
    """
    with suppress(OSError):  # there is no such folder
        if os.name == "posix" and folder.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise ConfigurationError(
                f"{posix_name(folder)}: other users can replace the files in this folder; run "
                "`chmod 700` on it, and log in again"
            )


def write_private(path: Path, pieces: Iterable[bytes]) -> None:
    """Put a file that nobody else can read in the place of another, whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    with (
        beside(Path(os.path.realpath(path))) as (descriptor, _),
        open(descriptor, "wb") as file,  # noqa: PTH123 - a descriptor, not a path
    ):
        file.writelines(pieces)
        file.flush()
        os.fsync(file.fileno())
