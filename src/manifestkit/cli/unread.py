"""Settings by a wrong name, which nobody reads: a note says the right one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import click

from manifestkit.config.configuration import OWN_FILE, SHARED_FILE
from manifestkit.files import is_file, other_tools, read_bytes
from manifestkit.model.errors import ConfigurationError, UnreadableFileError

_VARIABLE = r"MANIFEST(?:_?KIT)?_(\w+)"
_DOTENV = (".env", ".env.local")
_OTHERS = {*_DOTENV, "package.json", SHARED_FILE}
_OURS = {"manifest.json", "manifest.yaml", OWN_FILE}
_FEW = 6


def unread(ctx: click.Context) -> Iterator[str]:
    """Yield a sentence for each setting of the environment and this folder that is not read."""
    prefix = f"{ctx.command_path} ".replace(" ", "_").upper()
    options = [each for each in ctx.command.params if isinstance(each, click.Option)]
    variables = [str(each.envvar) for each in options]
    read = {each.replace(prefix, "MANIFEST_", 1).partition("_")[2]: each for each in variables}
    if "BASE_URL" in read:
        read["TOKEN"] = "MANIFESTKIT_TOKEN"  # noqa: S105 - the name of a variable
    for name in (each for each in os.environ if "MANIFEST" in each):
        given = re.fullmatch(_VARIABLE, name.replace(prefix, "MANIFEST_", 1))
        if given is None or name in read.values():
            continue
        from manifestkit.schema.suggest import nearest  # noqa: PLC0415 - most runs need none

        near = nearest(given[1], read, sure=True)
        if near and name.encode() not in _bytes(OWN_FILE) + _bytes(SHARED_FILE):
            level = other_tools("tables")["LEVELS"].get(os.environ[name].lower())
            of = next((each.type for each in options if each.envvar == read[near]), None)
            do = f"={level}" if isinstance(of, click.Choice) and level in of.choices else ""
            yield f"the variable {name} is not read; set {read[near]}{do}"
    is_configured = "ISOLATED" in read and not ctx.params["isolated"] and not ctx.params["config"]
    with suppress(OSError):  # a folder that cannot be listed
        names = {*os.listdir()} - _OURS  # noqa: PTH208
        for name in sorted(each for each in names if "manifest" in each[:9] or each in _OTHERS):
            if name in _DOTENV:
                yield from _variables_in(name, read.values())
            elif is_configured:
                yield from _settings_in(name)


def _variables_in(file: str, read: Iterable[str]) -> Iterator[str]:
    """Yield what reads the variables in a file that other tools read by themselves."""
    names = map(bytes.decode, re.findall(rb"(?m)^\s*(?:export\s+)?(\w+)\s*=", _bytes(file)))
    if unset := sorted({*names}.intersection(read) - os.environ.keys()):
        does = f"which sets {' and '.join(unset)}"
        yield f"{file} is not read; run `set -a; . ./{file}; set +a` first, {does}"


def _settings_in(file: str) -> Iterator[str]:
    """Yield what to do with a file whose settings nobody reads, and with the settings in it."""
    for names, content, instead in other_tools("files"):
        if re.fullmatch(names, file) and (found := re.search(content.encode(), _bytes(file))):
            yield instead.format(file, *map(bytes.decode, found.groups()))
            yield from _in_toml(Path(file)) if instead.endswith("in TOML") else ()


def _bytes(name: str) -> bytes:
    """Return the start of a file; nothing where there is none to read."""
    with suppress(UnreadableFileError):  # it may be about nothing that this run is about
        return read_bytes(Path(name), 128 * 1024) if is_file(Path(name)) else b""
    return b""


def _in_toml(path: Path) -> Iterator[str]:
    """Yield how the settings of a file in another syntax are written, if they are few."""
    from manifestkit.config.file import read_configuration  # noqa: PLC0415 - most runs need none

    try:
        read_configuration(path)
    except ConfigurationError as error:
        yield from error.problems if len(error.problems) <= _FEW else ()
