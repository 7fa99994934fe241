"""Settings by a wrong name, which nobody reads: a note says the right one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import click

from manifestkit.config.configuration import SHARED_FILE
from manifestkit.files import is_file, other_tools, read_bytes
from manifestkit.model.errors import ConfigurationError, UnreadableFileError

_VARIABLE = re.compile(r"MANIFEST(?:_?KIT)?_(\w+)")
_TABLE = re.compile(
    rb"(?m)^\[+(manifestkit|tool\.(?!manifestkit\b)manifest(?:[-_.]?(?:kit|lint))?)\b(?!-)"
)
_FEW = 6


def unread(ctx: click.Context) -> Iterator[str]:
    """Yield a sentence for each setting of the environment and this folder that is not read."""
    prefix = f"{ctx.command_path} ".replace(" ", "_").upper()
    variables = [str(x.envvar) for x in ctx.command.params if isinstance(x, click.Option)]
    read = {each.replace(prefix, "MANIFEST_", 1).partition("_")[2]: each for each in variables}
    if "BASE_URL" in read:
        read["TOKEN"] = "MANIFESTKIT_TOKEN"  # noqa: S105 - the name of a variable
    for name in os.environ:
        given = _VARIABLE.fullmatch(name.replace(prefix, "MANIFEST_", 1))
        if given is None or name in read.values():
            continue
        from manifestkit.schema.suggest import nearest  # noqa: PLC0415 - most runs need none

        if near := nearest(given[1], read, sure=True):
            yield f"the variable {name} is not read; set {read[near]}"
    yield from _dotenv(read.values())
    if "ISOLATED" in read and not ctx.params["isolated"] and not ctx.params["config"]:
        yield from _files()


def _dotenv(read: Iterable[str]) -> Iterator[str]:
    """Yield what reads the variables in a file that other tools read by themselves."""
    for file in (".env", ".env.local"):
        names = map(bytes.decode, re.findall(rb"(?m)^\s*(?:export\s+)?(\w+)\s*=", _bytes(file)))
        if unset := sorted({*names}.intersection(read) - os.environ.keys()):
            does = f"which sets {' and '.join(unset)}"
            yield f"{file} is not read; run `set -a; . ./{file}; set +a` first, {does}"


def _files() -> Iterator[str]:
    names: list[str] = []
    with suppress(OSError):  # a folder that cannot be listed
        names = sorted(each for each in os.listdir() if "manifest" in each[:9])  # noqa: PTH208
    for name in names:
        for instead in (do for names, do in other_tools("files") if re.fullmatch(names, name)):
            yield f"{name} is not read; {instead}"
            yield from _settings(Path(name)) if "TOML" in instead else ()
    if re.search(rb'"manifestkit"\s*:\s*\{', _bytes("package.json")):
        yield "package.json: `manifestkit` is not read; its settings belong in manifestkit.toml"
    if wrong := _TABLE.search(_bytes(SHARED_FILE)):
        own = f"[{wrong[1].decode()}]"
        yield f"{SHARED_FILE}: `{own}` is not read; write `[tool.manifestkit]`"


def _bytes(name: str) -> bytes:
    """Return the start of a file; nothing where there is none to read."""
    with suppress(UnreadableFileError):  # it may be about nothing that this run is about
        return read_bytes(Path(name), 128 * 1024) if is_file(Path(name)) else b""
    return b""


def _settings(path: Path) -> Iterator[str]:
    """Yield how the settings of a file in another syntax are written, if they are few."""
    from manifestkit.config.file import read_configuration  # noqa: PLC0415 - most runs need none

    try:
        read_configuration(path)
    except ConfigurationError as error:
        yield from error.problems if len(error.problems) <= _FEW else ()
