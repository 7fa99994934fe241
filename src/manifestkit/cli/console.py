"""The standard streams."""

from __future__ import annotations

import codecs
import io
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sized
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TextIO, TypeVar

import click

from manifestkit.files import is_there, reason_of
from manifestkit.model.errors import UnreadableFileError
from manifestkit.model.printable import printable, redacted
from manifestkit.model.report import STDIN
from manifestkit.rendering.escape import Style, visible

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_WIDTH_OFF_TERMINAL = 100


def error(text: str) -> str:
    """Say on standard error what went wrong; return it as it was said, without secrets."""
    said = without_secrets(text)
    _say("error", said)
    return said


def without_secrets(text: str) -> str:
    """Return a text without the secrets that were typed; the name of what is there has none."""
    ctx = click.get_current_context(silent=True)
    words = ["" if is_there(Path(each)) else each for each in (ctx and ctx.obj) or sys.argv[1:]]
    return text if is_there(Path(text)) else redacted(text, typed=words)


def note(*texts: str) -> None:
    """Say on standard error what is worth knowing, each in a line."""
    for text in texts:
        _say("note", text)


def say(text: str) -> None:
    """Say on standard error what was done, behind what stands on standard output."""
    with suppress(OSError):  # where nobody can be told, the exit code still tells
        sys.stdout.flush()
    with suppress(OSError):  # likewise
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
    stream.flush()


def write_log(text: str) -> str:
    """Keep a text without its secrets in a temporary file; return that, and how to report it."""
    import tempfile  # noqa: PLC0415 - only a crash needs it

    descriptor, name = tempfile.mkstemp(".log", "manifestkit-")
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as log:
        log.write(without_secrets(text))
    return f"{name}, as described in CONTRIBUTING.md under “Reporting a bug”"


def drop_output(stream: TextIO | None = None) -> None:
    """Let go of what cannot be written, so that Python does not write it on its way out."""
    with suppress(OSError, ValueError):  # the stream was closed before the start
        os.dup2(os.open(os.devnull, os.O_WRONLY), (stream or sys.stdout).fileno())


def _say(role: str, text: str) -> None:
    _StatusLine.clear()
    ctx = click.get_current_context(silent=True)
    style = style_for(sys.stderr, (ctx.params.get("color") if ctx else None) or "auto")
    with suppress(OSError):  # likewise
        line = f"{style.paint(role, role + ':')} {visible(text)}"
        show(f"{line}\n", sys.stderr, color=style.color)


def style_for(stream: TextIO, color: str = "auto") -> Style:
    """Return the style of a stream: by `--color`, the environment, then the terminal."""
    is_terminal = stream.isatty()
    width = _WIDTH_OFF_TERMINAL
    if is_terminal:
        import shutil  # noqa: PLC0415 - slow to import, and off a terminal not needed

        width = shutil.get_terminal_size().columns
    forced = os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE")
    if color != "auto":
        has_color = color == "always"
    elif forced:
        has_color = forced != "0"
    else:
        is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        has_color = is_terminal and not is_plain
    return Style(color=has_color, width=max(width, 40), encoding=stream.encoding or "utf-8")


_LONG = 1.0
_PAUSE = 0.1
_CLEAR_LINE = "\r\x1b[K"

T = TypeVar("T")


class _StatusLine:
    """A line on standard error that shows how far a run is, and is gone at the end."""

    _is_shown: ClassVar = False

    @classmethod
    def show(cls, text: str) -> None:
        cls._is_shown = True
        _write_to_terminal(f"{_CLEAR_LINE}{text}")

    @classmethod
    def clear(cls) -> None:
        """Remove the line that is shown, if one is."""
        if cls._is_shown:
            cls._is_shown = False
            _write_to_terminal(_CLEAR_LINE)


@contextmanager
def progress(items: Iterable[T], what: str = "files") -> Iterator[Iterable[T]]:
    """Yield the items, with a line on standard error that counts them once it has taken a while."""
    total = f" of {len(items):,}" if isinstance(items, Sized) else ""

    def counted() -> Iterator[T]:
        due = time.monotonic() + _LONG
        for done, item in enumerate(items):
            if time.monotonic() >= due:
                due = time.monotonic() + _PAUSE
                _StatusLine.show(f"{done:,}{total} {what} checked")
            yield item

    try:
        yield counted() if _has_terminal() else items
    finally:
        _StatusLine.clear()


def _has_terminal() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def _write_to_terminal(text: str) -> None:
    with suppress(OSError):  # a terminal that is gone stops nothing
        sys.stderr.write(text)
        sys.stderr.flush()


_PIECE = 64 * 1024


def read_stdin(at_most: int, name: str = "", *, whole: bool = False) -> bytes:
    """Read standard input, or its first `at_most` + 1 bytes; a note tells what is no JSON.

    With `whole`, it is refused if it has more bytes than that.
    """
    stream: Any = sys.stdin.buffer  # a reader with `read1`, which its type does not say
    pieces: list[bytes] = []
    left = at_most + 1
    try:
        # Piece by piece: an interrupt that comes between two is not lost.
        while left and (piece := stream.read1(min(left, _PIECE))):
            pieces.append(piece)
            left -= len(piece)
        data = b"".join(pieces)
    except io.UnsupportedOperation:
        raise UnreadableFileError(STDIN, "standard input is closed") from None
    except OSError as problem:
        raise UnreadableFileError(STDIN, reason_of(problem)) from None
    if whole and not left:
        raise UnreadableFileError(STDIN, f"is larger than {at_most:,} bytes")
    first = data.removeprefix(codecs.BOM_UTF8).lstrip()[:1]
    if name == STDIN and left and first not in {b"", b"{", b"["}:
        note("standard input was read as JSON; for YAML, use `--stdin-filename manifest.yaml`")
    return data


def completed(
    choices: Mapping[str, str | None] | Iterable[str], incomplete: str
) -> list[CompletionItem]:
    """Return the words that start so, each with what it means; a shell reads them line by line."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - a run completes nothing

    meanings = choices if isinstance(choices, Mapping) else dict.fromkeys(choices)
    return [
        CompletionItem(choice, help=meaning and printable(meaning))
        for choice, meaning in meanings.items()
        if choice.startswith(incomplete) and choice.isprintable()
    ]
