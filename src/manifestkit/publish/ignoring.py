"""Ignored files: the files of a site that are not published, and the pattern that says so."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from manifestkit.config.exclude import Ignore, lines_of
from manifestkit.model.errors import ConfigurationError

_ROOT = Path(os.path.abspath("/"))  # noqa: PTH100 - names are matched from a root of their own
IGNORE_FILE = ".manifestignore"
MOST_IGNORE_BYTES = 1024 * 1024
MOST_PATTERNS = 1_000

LEFT_OUT = (
    ".*",
    "!.well-known/",
    "node_modules/",
    "bower_components/",
    "venv/",
    "virtualenv/",
    "__pycache__/",
    "*.env",
    "*.key",
    "*.pem",
    "*.p8",
    "*.p12",
    "*.pfx",
    "*.pkcs12",
    "*.ppk",
    "*.jks",
    "*.keystore",
    "*.keytab",
    "*.kdb",
    "*.kdbx",
    "*.ovpn",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "*_rsa",
    "*_ecdsa",
    "*_ed25519",
    "_netrc",
    "htpasswd",
    "*.htpasswd",
    "kubeconfig",
    "*.kubeconfig",
    "credentials",
    "credentials.csv",
    "credentials.json",
    "credentials.toml",
    "credentials.y*ml",
    "secrets.json",
    "secrets.toml",
    "secrets.y*ml",
    "service-account*.json",
    "service_account*.json",
    "serviceaccount*.json",
    "client_secret*.json",
    "*firebase-adminsdk*.json",
    "application_default_credentials.json",
    "local.settings.json",
    "*.publishsettings",
    "*.tfstate",
    "*.tfstate.*",
    "*.tfvars",
    "*.tfvars.json",
    "Thumbs.db",
    "desktop.ini",
    "Icon\r",
)
"""Patterns, in upper or lower case, of what is left out unless something brings it back."""


class IgnoreList(NamedTuple):
    """Patterns from one place.

    Attributes:
        patterns: the patterns.
        file: where they are, as it is named to the user; None for `LEFT_OUT`.
        has_lines: whether each has a line of its own there.
    """

    patterns: Ignore
    file: str | None = None
    has_lines: bool = True


class LeftOut(NamedTuple):
    """A file or folder that is left out, and the pattern that says so.

    Attributes:
        name: its name, with `/` at the end for a folder.
        pattern: the pattern as it is written.
        file: the file with the pattern; None for `LEFT_OUT`.
        line: the line of that file; None likewise, and in a configuration.
    """

    name: str
    pattern: str
    file: str | None
    line: int | None

    def __str__(self) -> str:
        if self.file is None:
            return f"`{self.pattern}`, by default"
        line = "" if self.line is None else f":{self.line}"
        return f"{self.file}{line}: `{self.pattern}`"


@dataclass(frozen=True, slots=True)
class Ignoring:
    """Patterns of ignored files: built in, configured, and of the site's ignore file.

    The later list decides, and what is included comes before all of them.
    """

    _lists: tuple[IgnoreList, ...]
    _includes: Ignore

    @classmethod
    def of(cls, configured: IgnoreList | None = None, includes: Sequence[str] = ()) -> Ignoring:
        """Return what is left out before an ignore file is read, but for what `includes` names.

        Raises:
            ConfigurationError: one of `includes` is no pattern.
        """
        lists = [IgnoreList(Ignore.of(_ROOT, map(_in_any_case, LEFT_OUT)))]
        if configured is not None:
            patterns = configured.patterns._replace(folder=_ROOT)
            lists.append(configured._replace(patterns=patterns))
        try:
            return cls(tuple(lists), Ignore.of(_ROOT, includes))
        except ValueError as error:
            raise ConfigurationError(f"include: not a valid .gitignore pattern: {error}") from None

    def with_file(self, name: str, data: bytes) -> Ignoring:
        """Return the same with the patterns of an ignore file.

        Raises:
            ConfigurationError: it cannot be read as one; it never means to leave out nothing.
        """
        if len(data) > MOST_IGNORE_BYTES:
            raise ConfigurationError(f"{name}: it has more than {MOST_IGNORE_BYTES:,} bytes")
        try:
            is_text = "\0" not in data.decode()
        except UnicodeDecodeError:
            is_text = False
        if not is_text:
            raise ConfigurationError(f"{name}: it is not UTF-8 text; save it as UTF-8")
        lines = lines_of(data if b"\n" in data else data.replace(b"\r", b"\n"))
        numbers = (number for number, line in enumerate(lines, 1) if line.strip())
        if extra := next(islice(numbers, MOST_PATTERNS, None), None):
            raise ConfigurationError(f"{name}:{extra}: it has more than {MOST_PATTERNS:,} patterns")
        try:
            patterns = Ignore.of(_ROOT, lines)
        except ValueError as error:
            raise ConfigurationError(f"{name}: not a valid .gitignore pattern: {error}") from None
        return replace(self, _lists=(*self._lists, IgnoreList(patterns, name)))

    @property
    def count(self) -> int:
        """The number of patterns."""
        lists = (self._includes, *(each.patterns for each in self._lists))
        return sum(len(each.patterns) for each in lists)

    def reason(self, name: str, *, is_folder: bool) -> LeftOut | None:
        """Return why a file or folder is left out; None if it is not.

        Only its own name is asked about: what is in a folder that is left out is left out, too.
        """
        spellings = dict.fromkeys((name, normalize("NFC", name), normalize("NFD", name)))
        paths = [_ROOT / each for each in spellings]
        if any(self._includes.verdict(path, is_folder=is_folder) for path in paths):
            return None
        for each in reversed(self._lists):
            found = [each.patterns.deciding(path, is_folder=is_folder) for path in paths]
            pattern = max(filter(None, found), key=lambda one: one.line, default=None)
            if pattern is not None:
                if not pattern.excludes:
                    return None
                shown = f"{name}/" if is_folder else name
                if each.file is None:
                    return LeftOut(shown, LEFT_OUT[pattern.line - 1], None, None)
                line = pattern.line if each.has_lines else None
                return LeftOut(shown, pattern.text, each.file, line)
        return None


def _in_any_case(pattern: str) -> str:
    return re.sub("[A-Za-z]", lambda letter: f"[{letter[0].lower()}{letter[0].upper()}]", pattern)
