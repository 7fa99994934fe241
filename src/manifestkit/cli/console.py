"""What the commands say beside their output, and how it looks."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TextIO

import click

from manifestkit.model.errors import ManifestkitError
from manifestkit.render.escape import visible
from manifestkit.render.terminal import Style

_WIDTH_OFF_TERMINAL = 100


def error(text: str) -> None:
    """Say on standard error what went wrong."""
    _say("error", text)


def note(text: str) -> None:
    """Say on standard error what is worth knowing."""
    _say("note", text)


def tell(text: str) -> None:
    """Say on standard error what was done."""
    with suppress(OSError):  # where nobody can be told, the exit code still tells
        show(f"{visible(text)}\n", sys.stderr)


def show(text: str, stream: TextIO | None = None, *, color: bool | None = None) -> None:
    """Write what people read, in the encoding of the stream: standard output, if none is named.

    click would write UTF-8 where that encoding is ASCII.
    """
    click.echo(text, stream or sys.stdout, nl=False, color=color)


def write_document(text: str, stream: TextIO | None = None) -> None:
    """Write what another program reads: UTF-8, lines ending as they do, whatever the encoding."""
    stream = stream or sys.stdout
    stream.flush()
    stream.buffer.write(text.encode(errors="backslashreplace"))


def failure(problem: click.ClickException | ManifestkitError) -> None:
    """Say on standard error why the command cannot go on, in a line for each reason."""
    if isinstance(problem, ManifestkitError):
        for each in problem.problems:
            error(each)
        return
    if isinstance(problem, click.exceptions.NoArgsIsHelpError):
        problem.show()
        return
    if isinstance(problem, click.UsageError) and problem.ctx is not None:
        help_is = f"Try '{problem.ctx.command_path} --help' for help.\n"
        for line in f"{problem.ctx.get_usage()}\n{help_is}".split("\n"):
            tell(line)
    error(" ".join(problem.format_message().split()))


def drop_output(stream: TextIO | None = None) -> None:
    """Let go of what cannot be written, so that Python does not write it on its way out."""
    with suppress(OSError, ValueError):  # the stream was closed before the start
        os.dup2(os.open(os.devnull, os.O_WRONLY), (stream or sys.stdout).fileno())


def _say(role: str, text: str) -> None:
    style = style_for(sys.stderr, "auto")
    with suppress(OSError):  # likewise
        said = f"{style.paint(role, role + ':')} {visible(text)}"
        show(f"{said}\n", sys.stderr, color=style.color)


def style_for(stream: TextIO, color: str) -> Style:
    """How text looks on a stream: by `--color`, FORCE_COLOR, NO_COLOR, then the terminal."""
    is_terminal = stream.isatty()
    width = _terminal_width() if is_terminal else _WIDTH_OFF_TERMINAL
    return Style(
        color=_has_color(color, is_terminal=is_terminal),
        width=max(width, 40),
        encoding=stream.encoding or "utf-8",
    )


def _terminal_width() -> int:
    import shutil  # noqa: PLC0415 - slow to import, and off a terminal not needed

    return shutil.get_terminal_size().columns


def _has_color(choice: str, *, is_terminal: bool) -> bool:
    if choice != "auto":
        return choice == "always"
    if os.environ.get("FORCE_COLOR"):
        return os.environ["FORCE_COLOR"] != "0"
    if os.environ.get("NO_COLOR"):
        return False
    return is_terminal and os.environ.get("TERM") != "dumb"
