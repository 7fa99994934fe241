"""Messages about a wrong command line, and the one that was probably meant."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
from click.core import ParameterSource

from manifestkit.cli.console import meant
from manifestkit.files import is_there
from manifestkit.rendering.escape import visible
from manifestkit.schema.packaged import other_tools
from manifestkit.schema.suggest import nearest

_MOST_SLIPS = 6
_NOT_UNDONE = {"deploy", "login", "remove"}
_FORMAT = re.compile(r"(?<= --output-format[ =])\w+")
_PLACEHOLDER = re.compile("RULE|FILE|FORMAT")


def usage_message(problem: click.ClickException) -> str:
    """Return what is wrong with the arguments and what was probably meant, in one line."""
    ctx = getattr(problem, "ctx", None) or click.get_current_context(silent=True)
    message = _message(problem, ctx)
    line, reasons = _corrected(ctx) if ctx else ("", "")
    do = f"{reasons}: write `{line}`" if reasons else f"did you mean `{line}`?"
    return f"{message.partition('; ')[0]}; {do}" if line else message


def _corrected(ctx: click.Context) -> tuple[str, str]:
    """Return the command line that was probably meant, and why; empty where nothing takes it."""
    line = typed = shlex.join(ctx.obj or ())
    reasons: dict[str, None] = {}
    for _ in range(_MOST_SLIPS if typed else 0):
        for wrong, right, reason in other_tools("lines"):
            before, line = line, re.sub(wrong, right, line)
            reasons |= {reason: None} if reason and line != before else {}
        ours = other_tools("formats")
        line = re.sub(_FORMAT, lambda at: ours.get(at[0], at[0]), line)  # noqa: B023 - used at once
        problem = _problem_of(line, ctx.find_root().command)
        if problem is None:
            folder = re.search(r" --output-format[ =]\w+=(\S+)/", line)
            make = f"mkdir -p {folder[1]} && " if folder and not is_there(Path(folder[1])) else ""
            return visible(f"{make}manifest {line}") * (line != typed), ", and ".join(reasons)
        before, (line, reason) = line, _with_ours(line, problem)
        reasons |= {reason: None} if reason else {}
        if line == before:
            break
    return "", ""


def _problem_of(line: str, root: click.Command) -> click.UsageError | None:
    """Return what is wrong with the words of a command line; the command does not run."""
    ctx = click.Context(root)
    if line in ("--help", "--version"):
        return None
    try:
        words = [each for each in shlex.split(line) if each != "--help"]
        while isinstance(ctx.command, click.Group):
            name, command, words = ctx.command.resolve_command(ctx, words or [""])
            ctx = click.Context(command or root, parent=ctx, info_name=name)
        ctx.command.make_context(ctx.info_name, words, ctx.parent)
    except click.UsageError as problem:
        return problem
    except ValueError:  # a quote was torn from its pair
        return click.UsageError(line)
    return None


def _with_ours(line: str, problem: click.UsageError) -> tuple[str, str]:
    """Return a command line with our word for the first that is wrong, and why it is left out."""
    ctx, message = problem.ctx, _plain(problem.message)
    if isinstance(problem, click.NoSuchOption) and ctx:
        name = problem.option_name
        if ours := _option_meant(name, ctx):
            return re.sub(rf"(?<!\S){re.escape(name)}(?=[ =]|$)", ours, line, count=1), ""
        value = re.search(rf" {re.escape(name)}(?:=\S+| (?!-)('[^']*'|\S+)|(?= |$))", line)
        told = re.sub("^--.*", "", _instead_of(name, ctx))
        why = told.removeprefix("leave it out: ")
        if value is None or ctx.info_name in _NOT_UNDONE or (told and why == told):
            return line, ""
        kept = f" {value[1]}" if value[1] and is_there(Path(value[1])) else ""
        return line.replace(value[0], kept, 1), why or f"leave out `{name}`"
    if isinstance(problem, click.BadOptionUsage) and message.endswith("not take a value"):
        return re.sub(rf"(?<= {problem.option_name})=\S+", "", line), ""
    name, _, rest = line.partition(" ")
    return f"{other_tools('commands').get(name, name)} {rest}".strip(), ""


def _instead_of(name: str, ctx: click.Context) -> str:
    """Return what a command has in place of an option of another tool; empty for nothing."""
    ours: dict[str, str] = other_tools("options")
    return ours.get(f"{ctx.info_name} {name}", ours.get(name, ""))


def _option_meant(name: str, ctx: click.Context) -> str:
    """Return what an option of another tool is here, or one that is misspelt; empty for none."""
    ours, _, value = _instead_of(name, ctx).partition(" ")
    if ours in (known := _options(ctx)):
        return ours if _PLACEHOLDER.match(value) else f"{ours} {value}".strip()
    if ours[:1] not in ("", "-"):  # what to do is told in words
        return ""
    start = name if name.startswith("--") else f"-{name}"
    begun = [each for each in known if each.startswith(start)]
    return begun[0] if len(begun) == 1 else nearest(name, known) or ""


def _options(ctx: click.Context) -> list[str]:
    parameters = ctx.command.get_params(ctx)
    return [max(each.opts, key=len) for each in parameters if isinstance(each, click.Option)]


def _message(problem: click.ClickException, ctx: click.Context | None) -> str:
    """Return what is wrong, with advice on the first mistake."""
    message = _plain(problem.message)
    if ctx is None:
        return message
    if message.startswith("no such command"):
        return f"{message}; `{ctx.command_path} --help` lists them"
    if isinstance(problem, click.NoSuchOption):
        name = problem.option_name
        ours, do = _instead_of(name, ctx), _example(name, ctx)
        if ours.partition(" ")[0] in _options(ctx):
            do = f"; did you mean `{ours}`?"
        elif ours and not ours.startswith("--"):
            do = f"; {ours}"
        return f"there is no option `{name}`{do}"
    if isinstance(problem, click.BadOptionUsage):
        return f"{message}{_example(problem.option_name, ctx)}"
    if isinstance(problem, click.BadParameter) and problem.param is not None:
        name = _plain(re.sub(r" \(env var: .*\)", "", problem.param.get_error_hint(ctx)))
        if isinstance(problem, click.MissingParameter):
            return f"{name} is missing{_example('', ctx)}"
        if ctx.get_parameter_source(problem.param.name or "") is ParameterSource.ENVIRONMENT:
            name = f"{name}, from the variable {problem.param.envvar}"
        is_plain = isinstance(problem.param, click.Argument) and name.startswith("`{")
        said = message if is_plain else f"{name}: {message}"
        return f"{said}{_choice(message, problem.param.type)}"
    return message


def _choice(message: str, of: object) -> str:
    """Return a question for the choice that a word has in it, begins or resembles."""
    if not isinstance(of, click.Choice) or not message.startswith("`"):
        return ""
    word, choices = message.split("`")[1], list(map(str, of.choices))
    held = [each for each in choices if each in word or each.startswith(word or each)]
    return f"; did you mean `{held[0]}`?" if len(held) == 1 else meant(word, choices)


def _example(word: str, ctx: click.Context) -> str:
    """Return an example of the command with a word, to end a sentence."""
    examples = re.findall(r"(?m)^  (manifest (?:(?!  ).)+)", ctx.command.epilog or "")
    has = re.compile(rf"\b{re.escape(word.strip('-'))}", re.IGNORECASE)
    if shown := next(filter(has.search, examples), None):
        return f"; write, for example, `{shown}`"
    is_group = isinstance(ctx.command, click.Group)
    return "" if is_group else f"; `{ctx.command_path} --help` lists the options"


def _plain(text: str) -> str:
    """Return a sentence of click's in one line, as our own are written."""
    text = " ".join(text.split())
    if "`" not in text:  # else it is a sentence of ours, and the quotes are for a shell
        text = re.sub(r"(?<![\w\"])'([^']*)'(?![\w\"])|\"('[^\"]*')\"", r"`\1\2`", text)
    text = text.replace("a valid integer range", "a whole number")
    is_word = text[1:2].islower()
    return (text[:1].lower() + text[1:] if is_word else text).removesuffix(".")
