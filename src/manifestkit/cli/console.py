"""The standard streams."""

from __future__ import annotations

import codecs
import io
import math
import os
import re
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sized
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TextIO, TypeVar

import click
from click.core import ParameterSource

from manifestkit.files import is_there, reason_of
from manifestkit.model.document import SUFFIXES
from manifestkit.model.errors import UnreadableFileError
from manifestkit.model.printable import printable
from manifestkit.model.report import STDIN
from manifestkit.rendering.escape import Style, visible

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_WIDTH_OFF_TERMINAL = 100


def error(text: str) -> None:
    """Say on standard error what went wrong."""
    _say("error", text)


def note(text: str) -> None:
    """Say on standard error what is worth knowing."""
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
    """Keep a text in the system's temporary folder; return the file, and how to report it."""
    import tempfile  # noqa: PLC0415 - only a crash needs it

    descriptor, name = tempfile.mkstemp(".log", "manifestkit-")
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as log:
        log.write(text)
    return f"{name}, as described in CONTRIBUTING.md under “Reporting a bug”"


def meant(word: object, words: Iterable[str]) -> str:
    """Return a question for the word that was probably meant, to end a sentence; empty for none."""
    from manifestkit.schema.suggest import nearest  # noqa: PLC0415 - rarely needed

    near = nearest(str(word), tuple(words))
    return f"; did you mean `{near}`?" if near else ""


def format_meant(text: str, formats: Collection[str]) -> str:
    """Return the same for an output format, as other tools name it or with `:` before its file."""
    from manifestkit.schema.packaged import other_tools  # noqa: PLC0415 - rarely needed

    if "," in text:
        return "; repeat the option for each format"
    head, _, rest = text.partition(":")
    kind = head.rpartition(".")[2]
    ours = other_tools("formats").get(kind, kind)
    written = "=".join(filter(None, (ours, rest or (head if "." in head else ""))))
    return f"; did you mean `{written}`?" if ours in formats else meant(text, formats)


def usage_message(problem: click.ClickException) -> str:
    """Return what is wrong with the arguments, in one line."""
    message = _plain(problem.message)
    ctx = getattr(problem, "ctx", None) or click.get_current_context(silent=True)
    if ctx is None:
        return message
    if message.startswith("got unexpected extra argument"):
        message += _instead(message, ctx)
    elif message.startswith("no such command"):
        message += f"; {_command_for(message.split('`')[1], ctx)}"
    elif isinstance(problem, click.NoSuchOption):
        message = f"there is no option `{problem.option_name}`{_ours(problem.option_name, ctx)}"
    elif isinstance(problem, click.BadParameter) and problem.param is not None:
        name = _plain(re.sub(r" \(env var: .*\)", "", problem.param.get_error_hint(ctx)))
        if isinstance(problem, click.MissingParameter):
            message = f"{name} is missing{_as_two_words(ctx)}"
        elif not (isinstance(problem.param, click.Argument) and name.startswith("`{")):
            if ctx.get_parameter_source(problem.param.name or "") is ParameterSource.ENVIRONMENT:
                variable = f"{ctx.auto_envvar_prefix}_{problem.param.name}".upper()
                name = f"{name}, from the variable {problem.param.envvar or variable}"
            message = f"{name}: {message}{_choice(message, problem.param.type)}"
    return message


def _instead(message: str, ctx: click.Context) -> str:
    """Return what a command takes, and which options take more, to end a sentence."""
    takes = " ".join(ctx.command.collect_usage_pieces(ctx)[1:])
    options = {name for each in ctx.command.params for name in each.opts}
    arguments = [each for each in ctx.command.params if isinstance(each, click.Argument)]
    given = ctx.params.get(arguments[0].name or "") if len(arguments) == 1 else None
    if given and (extra := re.search(r"\((\S+)\)$", message)):
        first, second = visible(str(given)), visible(extra[1])
        if "--output" in options:
            return f"; did you mean `{ctx.command_path} {first} --output {second}`?"
        profiles = [each for each in (first, second) if Path(each).suffix in SUFFIXES]
        if "--profile" in options and profiles:
            return f"; name a profile with `--profile {profiles[0]}`"
    hints = [f"give no more than {takes}"] if takes else []
    hints += ["--output FILE to write to a file"] if "--output" in options else []
    hints += ["give the address with --email"] if "--email" in options else []
    return f"; {', and '.join(hints)}" if hints else ""


def _command_for(name: str, ctx: click.Context) -> str:
    """Return the command that a file or folder in the place of one is for."""
    if ctx.info_name == "profile" and name.endswith((".json", ".yaml", ".yml")):
        return f"to check manifests, run `manifest lint --profile {visible(name)}`"
    if ctx.info_name == "fleet" and is_there(Path(name)):
        return f"to check it, run `manifest fleet lint {visible(name)} --output OUT`"
    return f"`{ctx.command_path} --help` lists them"


def _as_two_words(ctx: click.Context) -> str:
    """Return how to write a place and its value that are one argument, to end a sentence."""
    place, equals, value = str(ctx.params.get("place", "")).partition("=")
    two = f"`{ctx.command_path} {visible(place)} {visible(value)}`"
    return f"; write a blank for the `=`: {two}" if equals else ""


def _choice(message: str, of: object) -> str:
    """Return a question for the choice that a word has in it, begins or resembles."""
    if not isinstance(of, click.Choice) or not message.startswith("`"):
        return ""
    word, choices = message.split("`")[1], list(map(str, of.choices))
    held = [each for each in choices if each in word or each.startswith(word or each)]
    return f"; did you mean `{held[0]}`?" if len(held) == 1 else meant(word, choices)


def _ours(name: str, ctx: click.Context) -> str:
    """Return what to write instead of an option that is not there, to end a sentence."""
    option, _, value = name.partition(" ")
    parameters = ctx.command.get_params(ctx)
    known = [max(each.opts, key=len) for each in parameters if isinstance(each, click.Option)]
    if value and option in known:
        return f": option and value came as one argument; write `{option}={visible(value)}`"
    if re.fullmatch(r"-[0-9.]+", name):
        return "; write `--` before a negative number"
    from manifestkit.schema.packaged import other_tools  # noqa: PLC0415 - rarely needed

    ours = other_tools("options").get(name, "")
    if ours.partition(" ")[0] in known:
        return f"; did you mean `{ours}`?"
    if isinstance(ctx.command, click.Group):
        return "; write an option after the command that takes it"
    if ours and not ours.startswith("--"):
        return f"; {ours}"
    if near := meant(name, known):
        return near
    examples = re.findall(r"(?m)^  (manifest (?:(?!  ).)+)", ctx.command.epilog or "")
    word = re.compile(rf"\b{re.escape(name.strip('-'))}", re.IGNORECASE)
    if shown := next((each for each in examples if word.search(each)), None):
        return f"; write, for example, `{shown}`"
    return f"; `{ctx.command_path} --help` lists the options"


def _plain(text: str) -> str:
    """Return a sentence of click's in one line, as our own are written."""
    text = " ".join(text.split())
    if "`" not in text:  # else it is a sentence of ours, and the quotes are for a shell
        text = re.sub(r"(?<!\w)'([^']*)'(?!\w)", r"`\1`", text)
    text = text.replace("a valid integer range", "a whole number")
    is_word = text[1:2].islower()
    return (text[:1].lower() + text[1:] if is_word else text).removesuffix(".")


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
    """A line on standard error that shows how far a run is; only on a terminal, gone at the end."""

    _is_shown: ClassVar = False

    def __init__(self, after: float = 0.0) -> None:
        self._next = time.monotonic() + after if _has_terminal() else math.inf

    def is_due(self) -> bool:
        return time.monotonic() >= self._next

    def show(self, text: str) -> None:
        self._next, _StatusLine._is_shown = time.monotonic() + _PAUSE, True
        _write_to_terminal(f"{_CLEAR_LINE}{text}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

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
        for done, item in enumerate(items):
            if line.is_due():
                line.show(f"{done:,}{total} {what} checked")
            yield item

    with _StatusLine(_LONG) as line:
        yield counted()


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
