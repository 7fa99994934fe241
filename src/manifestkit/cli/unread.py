"""Settings by a wrong name, which nobody reads: a note says the right one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click

from manifestkit.config.configuration import SHARED_FILE
from manifestkit.files import is_file, is_there, read_bytes
from manifestkit.model.errors import UnreadableFileError
from manifestkit.schema.packaged import other_tools

_VARIABLE = re.compile(r"MANIFEST(?:_?KIT)?_(\w+)")
_TABLE = re.compile(
    rb"^\[+(manifestkit|tool\.(?!manifestkit\b)manifest(?:[-_.]?(?:kit|lint))?)\b(?!-)",
    re.MULTILINE,
)


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
    if "ISOLATED" in read and not ctx.params["isolated"] and not ctx.params["config"]:
        yield from _files()


def _files() -> Iterator[str]:
    for name, instead in other_tools("files").items():
        if is_there(Path(name)):
            yield f"{name} is not read; {instead}"
    with suppress(UnreadableFileError):  # it may be about nothing that this run is about
        shared = read_bytes(SHARED_FILE, 128 * 1024) if is_file(Path(SHARED_FILE)) else b""
        if wrong := _TABLE.search(shared):
            own = f"[{wrong[1].decode()}]"
            yield f"{SHARED_FILE}: `{own}` is not read; write `[tool.manifestkit]`"
