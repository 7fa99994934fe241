"""The outputs of a command: their forms, and the files that they go to."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import click

from manifestkit.cli.console import error, meant, note, show, write_document
from manifestkit.cli.options import option
from manifestkit.files import is_folder, is_there, reason_of, replacing
from manifestkit.model.errors import UnwritableFileError
from manifestkit.rendering import FORMATS
from manifestkit.rendering.escape import visible


class Output(NamedTuple):
    """One form of the report, and its file; None for standard output."""

    format: str
    file: Path | None = None
    is_appended: bool = False

    @property
    def is_for_people(self) -> bool:
        """Return whether no program reads it."""
        return self.format == "text" or FORMATS[self.format].is_for_people


def check_outputs(files: Sequence[Path | None], read: Iterable[Path] = ()) -> None:
    """Refuse two outputs to one place, one to where no file can be, and one onto a file to read.

    None is standard output.
    """
    has_files = any(files)
    named = (path for path in read if has_files and "\0" not in str(path))  # else it names no file
    sources = {os.path.realpath(path) for path in named}
    seen: set[str | None] = set()
    for file in files:
        target = os.path.realpath(file) if file else None
        where = visible(str(file)) if file else "standard output"
        if target in sources:
            raise click.UsageError(f"{where} is an input of this run and cannot be an output")
        if target in seen:
            raise click.UsageError(
                f"two output formats write to {where}; give one of them its own =FILE"
            )
        seen.add(target)
        if file and is_folder(file):
            raise click.UsageError(f"{where} is a folder and cannot be an output")
        if file and not is_folder(file.parent):
            folder = f"the folder `{visible(str(file.parent))}`"
            problem = "is a file" if is_there(file.parent) else "does not exist; create it first"
            raise click.UsageError(f"{where} cannot be written: {folder} {problem}")


def write_all(
    texts: Iterable[tuple[Output, Iterable[str]]], stream: TextIO, *, color: bool
) -> bool:
    """Write every form of the report that can be written, and return whether all could be.

    Into files as UTF-8, lines ending in LF on every system, whole or not at all. Files first: a
    reader of standard output may be gone before the end.
    """
    complete = True
    for output, pieces in sorted(texts, key=lambda each: each[0].file is None):
        if output.file is None:
            for piece in pieces:
                if output.is_for_people:
                    show(piece, stream, color=color)
                else:
                    write_document(piece, stream)
            continue
        if output.is_appended:
            _append(output.file, pieces)
            continue
        try:
            with replacing(output.file) as file:
                file.writelines(pieces)
        except UnwritableFileError as problem:
            error(str(problem))
            complete = False
    return complete


def _append(file: Path, pieces: Iterable[str]) -> None:
    try:
        with file.open("a", encoding="utf-8", newline="") as summary_file:
            summary_file.writelines(pieces)
    except OSError as problem:
        note(f"the step summary {file} cannot be written: {reason_of(problem)}")


def output_formats(formats: Iterable[str], default: str, **attributes: Any) -> Any:
    """Return the option `--output-format`: `FORMAT`, or `FORMAT=FILE`."""
    names = tuple(formats)

    def read(text: str) -> Output:
        name, equals, file = text.partition("=")
        if name not in names:
            raise ValueError(f"`{name}` is not one of {', '.join(names)}{meant(name, names)}")
        if more := [each for each in names if f",{each}=" in file]:
            raise ValueError(f"repeat --output-format for `{more[0]}`")
        if equals and not file:
            raise ValueError(f"write {name}=FILE, or {name} for standard output")
        return Output(name, Path(file) if file not in ("", "-") else None)

    return option(
        f"Output format, and the file to write it to: {', '.join(names)}. May be repeated, each "
        f"with its own FILE. An existing FILE is overwritten, unless it is an input.  "
        f"[default: {default}]",
        "--output-format",
        words=lambda *_: names,
        read=read,
        metavar="FORMAT[=FILE]",
        **attributes,
    )
