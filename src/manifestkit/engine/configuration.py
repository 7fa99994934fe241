"""What a project's configuration file says: `manifestkit.toml`, or a table of `pyproject.toml`."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from manifestkit.engine.ignoring import Ignore
from manifestkit.engine.toml_place import toml_place
from manifestkit.errors import ConfigurationError, UnreadableFileError
from manifestkit.files import read_bytes, shown
from manifestkit.limits import DEFAULT_LIMITS
from manifestkit.rules.wording import words
from manifestkit.schema import Fault, Schema, packaged_schema

_OWN_FILE = "manifestkit.toml"
_SHARED_FILE = "pyproject.toml"
_SHARED_TABLE = ("tool", "manifestkit")


@dataclass(frozen=True, slots=True)
class Configuration:
    """What is configured for the files of a folder.

    Attributes:
        exclude: the files to leave out.
        schema: a schema in place of the manifest document's; None for that.
    """

    exclude: Ignore | None = None
    schema: Path | None = None


NOTHING_CONFIGURED = Configuration()


class Configurations:
    """The configuration of each folder, read once."""

    def __init__(self) -> None:
        self._known: dict[Path, Configuration] = {}

    def of(self, folder: Path) -> Configuration:
        """The nearest configuration at or above an absolute folder; there is no merging.

        Raises:
            ConfigurationError: the file cannot be used; the text names file, line and column.
        """
        if folder not in self._known:
            self._known[folder] = self._nearest(folder)
        return self._known[folder]

    def _nearest(self, folder: Path) -> Configuration:
        own = folder / _OWN_FILE
        if own.is_file():
            return read_configuration(own)
        shared = folder / _SHARED_FILE
        if shared.is_file() and _table(shared, _parsed(shared)[1]) is not None:
            return read_configuration(shared)
        return self.of(folder.parent) if folder.parent != folder else NOTHING_CONFIGURED


def read_configuration(path: Path) -> Configuration:
    """The configuration in a file.

    Raises:
        ConfigurationError: the file cannot be used; the text names file, line and column.
    """
    text, values = _parsed(path)
    table = _table(path, values)
    problems = [_problem(path, text, fault) for fault in _schema().faults(table or {})]
    if problems:
        raise ConfigurationError("\n".join(problems))
    return _configuration(path.parent, table or {})


def _configuration(folder: Path, table: dict[str, Any]) -> Configuration:
    return Configuration(
        exclude=Ignore.of(folder, table["exclude"]) if "exclude" in table else None,
        schema=folder / table["schema"] if "schema" in table else None,
    )


def _parsed(path: Path) -> tuple[str, dict[str, Any]]:
    try:
        text = read_bytes(path, DEFAULT_LIMITS.bytes).decode()
        return text, tomllib.loads(text)
    except UnreadableFileError as error:
        raise ConfigurationError(f"configuration {error}") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{shown(path)}: a configuration is written in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        match = _TOML_PLACE.search(str(error))
        place = f":{match[1]}:{match[2]}" if match else ""
        reason = _TOML_PLACE.sub("", str(error))
        raise ConfigurationError(
            f"{shown(path)}{place}: {reason[:1].lower()}{reason[1:]}"
        ) from None


_TOML_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)")


def _table(path: Path, values: dict[str, Any]) -> dict[str, Any] | None:
    """Our part of a configuration file; None when a shared file has none."""
    if path.name != _SHARED_FILE:
        return values
    table: Any = values
    for name in _SHARED_TABLE:
        table = table.get(name) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else None


def _problem(path: Path, text: str, fault: Fault) -> str:
    message, help_text = words(fault)
    outside = _SHARED_TABLE if path.name == _SHARED_FILE else ()
    line, column = toml_place(text, (*outside, *fault.path))
    return f"{shown(path)}:{line}:{column}: {message}" + (f"; {help_text}" if help_text else "")


@cache
def _schema() -> Schema:
    return packaged_schema("configuration.schema.json")
