"""The configuration file: TOML."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date
from functools import cached_property, partial
from itertools import islice
from pathlib import Path, PurePath
from typing import Any

from manifestkit.config import mistakes
from manifestkit.config.configuration import SHARED_FILE, Configuration, Suppression
from manifestkit.config.exclude import Ignore
from manifestkit.files import parse_toml, read_bytes, reason_of, relative_name
from manifestkit.findings.words import label
from manifestkit.model.errors import ConfigurationError, UnreadableFileError
from manifestkit.model.finding import Severity
from manifestkit.model.pointer import Path as Pointer
from manifestkit.model.pointer import walk
from manifestkit.rules.rule import LEVELS
from manifestkit.schema.formats import Format, wildcards
from manifestkit.schema.packaged import packaged_formats, packaged_schema
from manifestkit.schema.validation_error import ValidationError

_SHARED_TABLE = ("tool", "manifestkit")
_TABLE_OR_SETTING = re.compile(r"\s*+(\[*+)([^=\]#]*+)[=\]]")
_TEXT = re.compile(r"""(?s)\"{3}.*?\"{3}|'{3}.*?'{3}""")
_NO_BRACKET = re.compile(r""""(?:\\.|[^"\\])*+"|'[^']*+'|#.*|[^]\[{}]""")
_MOST_BYTES = 128 * 1024
_MOST_PROBLEMS = 20
_MOST_FILES = 16
_NO_PRESETS = "; there are no presets or packages: delete it, or name a file, as in `../base.toml`"


def read_configuration(
    path: Path, extending: Sequence[Path] = (), folder: Path | None = None
) -> Configuration | None:
    """Return the configuration in a file; None where one that others share has no part for us.

    Args:
        path: the file.
        extending: the files that extend it, one after the other.
        folder: the folder that it is used in, if that is another than its own.

    Raises:
        ConfigurationError: the file cannot be used; the text names the file and the key.
    """
    name = relative_name(path)
    try:
        data = read_bytes(path, _MOST_BYTES)
    except UnreadableFileError as error:
        by = f"{relative_name(extending[-1])}: `extend` names" if extending else "configuration"
        is_preset = extending and path.suffix != ".toml"
        raise ConfigurationError(
            f"{by} {name}: {error.reason}{_NO_PRESETS if is_preset else ''}"
        ) from None
    if len(data) > _MOST_BYTES:
        raise ConfigurationError(f"configuration {name}: is larger than {_MOST_BYTES:,} bytes")
    if path.name == SHARED_FILE and b"manifestkit" not in data:
        return None  # whatever other tools make of it
    table, slips = _parsed(name, data)
    for each in _SHARED_TABLE if path.name == SHARED_FILE else ():
        table = table.get(each) if isinstance(table, dict) else None
    if table is None and slips:
        raise ConfigurationError(*slips)
    if table is None:
        return None
    source = _ConfigurationSource(path, folder, data)
    if not isinstance(table, dict):
        raise source.error((), f"`{'.'.join(_SHARED_TABLE)}` must be a table")
    errors = islice(
        packaged_schema("configuration.schema.json").validator.errors(table), _MOST_PROBLEMS
    )
    problems = [*slips, *map(source.problem, errors)]
    if problems:
        raise ConfigurationError(*problems)
    return _configuration(source, table, _base(source, table, (*extending, path)))


def _parsed(name: str, data: bytes) -> tuple[Any, list[str]]:
    """Return what a text in TOML says, with its dates as JSON Schema knows them, and its slips."""
    try:
        table, slips = mistakes.parsed(name, data.decode("utf-8-sig"))
        return json.loads(json.dumps(table, default=str)), slips
    except RecursionError:
        raise ConfigurationError(f"{name}: arrays and tables are nested too deeply") from None
    except ValueError as error:  # not UTF-8
        raise ConfigurationError(f"{name}: {reason_of(error)}") from None


def _base(
    source: _ConfigurationSource, table: dict[str, Any], chain: Sequence[Path]
) -> Configuration:
    if "extend" not in table:
        return Configuration()
    if len(chain) > _MOST_FILES:
        raise source.error(("extend",), f"more than {_MOST_FILES} files extend one another")
    path = Path(os.path.normpath(source.path.parent / table["extend"]))
    base = read_configuration(path, chain, source.used_in)
    if base is None:
        raise source.error(
            ("extend",), f"`extend` names {relative_name(path)}: it has no [tool.manifestkit]"
        )
    return base


class _ConfigurationSource:
    """A configuration file, for errors in it."""

    def __init__(self, path: Path, used_in: Path | None = None, data: bytes = b"") -> None:
        self.path = path
        self._text = data.decode("utf-8-sig")
        self.used_in = used_in or path.parent

    def error(self, path: Pointer, message: str) -> ConfigurationError:
        """Return the error to raise about the value at a path, which the text names once."""
        key, line = label(path), self.line(path)
        place = "" if not path or key in message else f"{key.strip('`')}: "
        name = f"{relative_name(self.path)}{f':{line}' if line else ''}"
        return ConfigurationError(f"{name}: {place}{message}")

    def line(self, path: Pointer) -> int:
        """Return the line of a setting, or of what it is in; 0 where that has none in TOML."""
        own = _SHARED_TABLE if self.path.name == SHARED_FILE else ()
        place = (*own, *path)
        steps = (place[:length] for length in range(len(place), len(own), -1))
        return next((self._lines[each] for each in steps if each in self._lines), 0)

    @cached_property
    def _lines(self) -> dict[Pointer, int]:
        """The line of each table, and of each setting that begins a line."""
        found: dict[Pointer, int] = {}
        table: Pointer = ()
        rows, depth = Counter[Pointer](), 0
        text = _TEXT.sub(lambda each: "\n" * each[0].count("\n"), self._text)
        for number, line in enumerate(text.split("\n"), 1):
            match = None if depth else _TABLE_OR_SETTING.match(line)
            depth += sum(1 if each in "[{" else -1 for each in _NO_BRACKET.sub("", line))
            if match:
                names = _names(match[2])
                place = (*table, *names)
                if match[1]:
                    table = place = (*names, rows[names]) if match[1] == "[[" else names
                    rows[names] += 1
                for length in range(1, len(place) + 1):
                    found.setdefault(place[:length], number)
        return found

    def origins(self, table: Mapping[str, Any]) -> dict[Pointer, tuple[Path, int]]:
        """Return the file and the line of each option of our table."""
        paths: list[Pointer] = [(name,) for name in table]
        paths += [(name, each) for name in _TABLES for each in table.get(name, ())]
        return {each: (self.path, self.line(each)) for each in paths}

    def patterns(self, path: Pointer, lines: list[str]) -> Ignore:
        """Return the patterns at a path, counted from the file's folder, or where it is used."""
        folder = f"{self.path.parent.absolute().as_posix()}/"
        for line in lines:
            if right := mistakes.pattern_meant(line, folder):
                raise self.error(path, f"`{line}` is not a .gitignore pattern; write {right}")
        try:
            return Ignore.of(self.path.parent, lines, self.used_in)
        except ValueError as error:
            raise self.error(path, f"not a valid .gitignore pattern: {error}") from None

    def problem(self, error: ValidationError) -> str:
        """Return what is wrong with a value, and where."""
        is_shared = self.path.name == SHARED_FILE
        where = f"in `[{'.'.join(_SHARED_TABLE)}]`" if is_shared else "above all tables"
        message, help_text = mistakes.in_setting(error, where)
        said = f"{message}; {help_text}" if help_text else message
        return str(self.error(error.path, said))


def _names(key: str) -> Pointer:
    """Return the names that a key of TOML is made of; none of what is no key."""
    with suppress(ValueError):
        return [*walk(parse_toml(f"{key}=0"))][-1][0]
    return ()


def _configuration(
    source: _ConfigurationSource, table: dict[str, Any], base: Configuration
) -> Configuration:
    folder = source.path.parent
    options: dict[str, Any] = {
        "exclude": partial(source.patterns, ("exclude",)),
        "schema": folder.joinpath,
        "profile": lambda names: tuple(map(folder.joinpath, names)),
        "change-profile": lambda names: tuple(map(folder.joinpath, names)),
        "format": partial(_formats, source),
        "select": tuple,
        "ignore": tuple,
        "severity": lambda levels: {
            **base.severity,
            **{each: LEVELS[it] for each, it in levels.items()},
        },
        "fail-on": Severity,
        "baseline": folder.joinpath,
        "suppress": lambda rows: (
            *base.suppressions,
            *(_suppression(source, index, row) for index, row in enumerate(rows)),
        ),
        "limits": lambda limits: {**base.limits, **limits},
        "publish": lambda table: base.publish._replace(**_publishing(source, table)),
    }
    given = {name: options[name](value) for name, value in table.items() if name in options}
    return base._replace(
        source=source.path,
        files=(*base.files, source.path),
        origins={**base.origins, **source.origins(table)},
        **{_FIELDS.get(name, name.replace("-", "_")): value for name, value in given.items()},
    )


_FIELDS = {
    "change-profile": "change_profiles",
    "format": "formats",
    "profile": "profiles",
    "suppress": "suppressions",
}


_TABLES = ("severity", "limits", "publish")
"""The options whose members are set one by one."""


def _publishing(source: _ConfigurationSource, table: Mapping[str, Any]) -> dict[str, Any]:
    read: dict[str, Any] = {"folder": source.path.parent.joinpath, "fail-on": Severity}
    for name in ("ignore", "include"):
        source.patterns(("publish", name), table.get(name, []))
        read[name] = tuple
    return {name.replace("-", "_"): read.get(name, lambda it: it)(table[name]) for name in table}


def _formats(source: _ConfigurationSource, rows: Sequence[dict[str, Any]]) -> tuple[Format, ...]:
    folder = source.path.parent
    taken = {row.id for row in packaged_formats().rows}
    found = []
    for index, row in enumerate(rows):
        name = row.get("id") or PurePath(row["schema"]).name.partition(".")[0].lower()
        if name in taken:
            problem = f"another format has the id `{name}`; give each format its own `id`"
            raise source.error(("format", index), problem)
        taken.add(name)
        given = {**row, "id": name, "schema": str(folder / row["schema"])}
        found.append(Format.of_row(given, str(folder)))
    return tuple(found)


def _suppression(source: _ConfigurationSource, index: int, entry: dict[str, Any]) -> Suppression:
    at: Pointer = ("suppress", index)
    expires = None
    if "expires" in entry:
        try:
            expires = date.fromisoformat(entry["expires"])
        except ValueError as error:
            raise source.error((*at, "expires"), f"not a valid date: {error}") from None
    pointer, places = entry.get("pointer"), None
    if pointer is not None:
        tokens = (map(re.escape, each.split("*")) for each in pointer.split("/"))
        places = re.compile("/".join(map(wildcards, tokens)))
    files = source.patterns(at, [entry["path"]]) if "path" in entry else None
    name = re.sub(r"\[(\w).*?\]", r"\1", entry.get("path", "").strip("/").replace("**/", ""))
    return Suppression(
        rule=entry["rule"],
        reason=entry["reason"],
        files=files,
        example=files and files.folder / re.sub(r"[*?]+", "x", name) / "manifest.json",
        pointer=pointer,
        places=places,
        expires=expires,
        source=relative_name(source.path),
        number=index,
        line=source.line(at) or 1,
    )
