"""Files of a site that are not published, and the pattern that says so."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple
from unicodedata import normalize

from manifestkit.config.exclude import Pattern
from manifestkit.model.errors import ConfigurationError
from manifestkit.publish.names import LONGEST_PATH

IGNORE_FILE = ".manifestignore"
_MOST_LINES = 1_000
_SECONDS = 30.0
_DEFAULTS = "the defaults"
_SETTING = "[publish]"

_KEY_FILES = """
*.env *.key *.pem *.p8 *.p12 *.pfx *.pkcs12 *.ppk *.jks *.keystore *.keytab *.kdb *.kdbx *.ovpn
id_rsa* id_dsa* id_ecdsa* id_ed25519* *_rsa *_ecdsa *_ed25519
_netrc htpasswd *.htpasswd kubeconfig *.kubeconfig
credentials credentials.csv credentials.json credentials.toml credentials.y*ml
secrets.json secrets.toml secrets.y*ml
service-account*.json service_account*.json serviceaccount*.json client_secret*.json
*firebase-adminsdk*.json application_default_credentials.json
local.settings.json *.publishsettings *.tfstate *.tfstate.* *.tfvars *.tfvars.json
thumbs.db desktop.ini
""".split()  # noqa: SIM905 - a list of words
"""Patterns, in upper or lower case, of files that are left out; never of folders."""

_FOLDERS = (
    ".*/",
    "!.well-known/",
    *("node_modules/", "bower_components/", "venv/", "virtualenv/", "__pycache__/"),
)
_PARTS = re.compile("[^/]*/|[^/]+")
_EVERY_FOLDER = re.compile(r"!/?(?:\*\*/)*\*+/")  # to look into: it takes back none of these


class _Line(NamedTuple):
    pattern: str
    shown: str
    place: str


class LeftOut(NamedTuple):
    """A file or folder that is left out.

    Attributes:
        name: its name, with `/` at the end for a folder.
        pattern: the pattern that says so, as it is written.
        place: where that is written: the defaults, `[publish]`, or a line of the ignore file.
    """

    name: str
    pattern: str
    place: str

    @property
    def is_by_default(self) -> bool:
        """Return whether nobody asked for it."""
        return self.place == _DEFAULTS and self.name != IGNORE_FILE


class LeavingOut:
    """Patterns as in a `.gitignore`, the last that matches decides.

    First the built-in ones, then those of the configuration and of the site's ignore file, and
    what is included in spite of them.

    Raises:
        ConfigurationError: a pattern is none.
    """

    def __init__(
        self,
        ignore: Sequence[str] = (),
        include: Sequence[str] = (),
        ignore_file: tuple[str, bytes] | None = None,
    ) -> None:
        folders = [_Line(_in_any_case(each), each, _DEFAULTS) for each in _FOLDERS]
        own = [_Line(each, each, _SETTING) for each in ignore]
        if ignore_file is not None:
            own += _lines_of(*ignore_file)
        lines = [*_default_lines(), *folders]
        for each in own:
            lines += [each, *folders] if _EVERY_FOLDER.fullmatch(each.pattern) else [each]
        lines += (_Line(f"!{each}", each, _SETTING) for each in include)
        self._patterns = list(_compiled(lines))
        self._until = time.monotonic() + _SECONDS
        self._verdicts: dict[str, LeftOut | None] = {}

    @property
    def left_out(self) -> list[LeftOut]:
        """The files and folders that were left out; nothing that is in one of these folders."""
        return [each for each in self._verdicts.values() if each is not None]

    def leaves_out(self, name: str) -> bool:
        """Return whether a file is left out, or a folder, whose name ends in a slash.

        What is in a folder that is left out is left out, too.

        Raises:
            ConfigurationError: there is too much to compare.
        """
        if len(name) > LONGEST_PATH or {"", ".", ".."} & set(name.removesuffix("/").split("/")):
            return False
        for path in accumulate(_PARTS.findall(name)):
            if path not in self._verdicts:
                self._verdicts[path] = self._reason(path)
            if self._verdicts[path] is not None:
                return True
        return False

    def _reason(self, path: str) -> LeftOut | None:
        if time.monotonic() > self._until:
            raise ConfigurationError(
                f"comparing all names with {len(self._patterns):,} patterns takes too long"
            )
        name, is_folder = normalize("NFC", path.removesuffix("/")), path.endswith("/")
        for line, pattern in reversed(self._patterns):
            if pattern.matches(name, is_folder=is_folder):
                return LeftOut(path, line.shown, line.place) if pattern.excludes else None
        return None


def _default_lines() -> Iterator[_Line]:
    for shown in _KEY_FILES:
        pattern = _in_any_case(shown)
        yield _Line(pattern, shown, _DEFAULTS)
        yield _Line(f"!{pattern}/", shown, _DEFAULTS)
    yield from (_Line(each, each, _DEFAULTS) for each in (".*", "Icon[\r]"))


def _in_any_case(pattern: str) -> str:
    return re.sub("[A-Za-z]", lambda letter: f"[{letter[0].lower()}{letter[0].upper()}]", pattern)


def _lines_of(name: str, data: bytes) -> Iterable[_Line]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise ConfigurationError(f"{name}: it is not UTF-8 text; save it as UTF-8")
    numbered = [
        _Line(line, line, f"{name}:{number}")
        for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1)
    ]
    if len(numbered) > _MOST_LINES:
        raise ConfigurationError(f"{name}: it has more than {_MOST_LINES:,} lines")
    return numbered


def _compiled(lines: Iterable[_Line]) -> Iterator[tuple[_Line, Pattern]]:
    for line in lines:
        try:
            pattern = Pattern.of(normalize("NFC", line.pattern))
        except ValueError as error:
            raise ConfigurationError(f"{line.place}: {error}") from None
        if pattern is not None:
            yield line, pattern
