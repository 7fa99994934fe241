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

_Words = list[str]
_MOST_SLIPS = 9
_MOST_WORDS = 60
_NOT_UNDONE = {"deploy", "login", "remove"}
_KIND = re.compile(r"[A-Z]{2,}\d?")


def usage_message(problem: click.ClickException) -> str:
    """Return what is wrong with the arguments and what was probably meant, in one line."""
    ctx = getattr(problem, "ctx", None) or click.get_current_context(silent=True)
    message, do = _message(problem, ctx), _corrected(ctx) if ctx else ""
    return f"{message.partition('; ')[0]}; {do}" if do and message[-6:] != "unset?" else message


def _corrected(ctx: click.Context) -> str:
    """Return the command line that was probably meant, and why, or a reason alone; or nothing."""
    words: _Words = ctx.obj or []
    typed, reasons = words, dict[str, None]()
    for _ in range(_MOST_SLIPS if 0 < len(typed) <= _MOST_WORDS else 0):
        problem = _problem_of(words, ctx.find_root().command)
        before, known = words, _options((problem and problem.ctx) or ctx)
        for row in other_tools("lines"):
            words, why = _rewritten(words, known, *row)
            reasons[why] = None
            if words[:1] != before[:1]:  # another command has other options
                break
        if words == before and problem:
            words, why = _with_ours(words, known, problem)
            reasons[why] = None
        if not words or (words == before and problem):
            return why if not words else f"see `manifest {words[0]} -h`" * (words[0] != typed[0])
        if words == before != typed:
            line, why = shlex.join(words), ", and ".join(filter(None, reasons))
            folder = re.search(r" --output-format \w+=(\S+)/", line)
            make = f"mkdir -p {folder[1]} && " if folder and not is_there(Path(folder[1])) else ""
            line = visible(f"`{make}manifest {line}`")
            return f"{why}: write {line}" if why else f"did you mean {line}?"
    return ""


def _problem_of(words: _Words, root: click.Command) -> click.UsageError | None:
    """Return what is wrong with the words of a command line; the command does not run."""
    ctx = click.Context(root, info_name="manifest", **root.context_settings)
    rest = [each for each in words if each != "--help"]
    try:
        while isinstance(ctx.command, click.Group) and words != ["--version"]:
            name, command, rest = ctx.command.resolve_command(ctx, rest or [""])
            ctx = click.Context(command or root, parent=ctx, info_name=name)
        ctx.command.make_context(ctx.info_name, rest, ctx.parent)
    except click.UsageError as problem:
        return problem
    return None


def _rewritten(
    words: _Words, known: _Words, command: str, typed: str, ours: str | None, why: str
) -> tuple[_Words, str]:
    """Return words as a row of the table has them, and why; none for a row that only says why."""
    first, left, values = words[:1], words[1:], dict[str, str]()
    for form in (command, *shlex.split(typed)):
        if (found := _taken(form, first or left)) is None:
            return words, ""
        values |= found
    if ours is None:
        return [], why
    parts = shlex.split(ours.removeprefix("... "))
    if ours[:1] == "-" and (parts[0] not in known or "--" in left):
        return words, ""
    new = [_KIND.sub(lambda it: values.get(it[0], it[0]), each) for each in parts]
    new = [*left, *filter(None, new)] if ours[:1] in ("-", ".") else [*filter(None, new), *left]
    changed = new[1:] if ours.startswith("manifest ") else [*words[:1], *new]
    return changed, why if changed != words else ""


def _taken(form: str, words: _Words) -> dict[str, str] | None:
    """Take what has a form out of some words; return what its kinds are in it; None if none has."""
    is_long, is_option = form.endswith("+"), form[0] == "-" or "=" in form
    name, equals, value = form.removesuffix("+").replace(".", r"\.").partition("=")
    text = f"(?:{name}){equals}(?:{value})" if equals or form[0] != "-" else f"(?:{name})(?:=.*)?"
    text = _KIND.sub(lambda it: f"(?P<{it[0]}>{other_tools('words')[it[0].rstrip('23')]})", text)
    for at in range(len(words) + 1 if is_option else 1):
        for count in range(len(words), -1, -1) if is_long else range(1, 2 + is_option):
            word = (" " if is_long else "=").join([*words, ""][at : at + count])
            if match := re.fullmatch(text, word, re.DOTALL):
                del words[at : at + count]
                return match.groupdict()
    return None


def _with_ours(words: _Words, known: _Words, problem: click.UsageError) -> tuple[_Words, str]:
    """Return words with ours for the first that is wrong, or without it, and why."""
    name = str(getattr(problem, "option_name", ""))
    at = next((i for i, each in enumerate(words) if each.partition("=")[0] == name), 0)
    after, (_, equals, value) = words[at + 1 :], words[at].partition("=")
    if problem.message.endswith("not take a value."):
        given = [name] * (value.lower() not in ("false", "no", "off", "0"))
        return [*words[:at], *given, *after], ""
    if not isinstance(problem, click.NoSuchOption) or not at:
        return words, ""
    begun = [each for each in known if each.startswith(name if name[:2] == "--" else f"-{name}")]
    if near := begun[0] if len(begun) == 1 else nearest(name, known):
        return [*words[:at], f"{near}{equals}{value}", *after], ""
    if words[0] in _NOT_UNDONE:
        return words, ""
    is_value = not equals and after and after[0][:1] != "-" and not is_there(Path(after[0]))
    return [*words[:at], *after[bool(is_value) :]], f"leave out `{name}`"


def _options(ctx: click.Context) -> list[str]:
    parameters = ctx.command.get_params(ctx)
    return [max(each.opts, key=len) for each in parameters if isinstance(each, click.Option)]


def _message(problem: click.ClickException, ctx: click.Context | None) -> str:
    """Return what is wrong, with advice on the first mistake."""
    message = _plain(problem.message)
    if ctx is None or message.startswith("no such command"):
        return f"{message}; `{ctx.command_path} --help` lists them" if ctx else message
    if isinstance(problem, (click.NoSuchOption, click.BadOptionUsage)):
        return message.replace("no such", "there is no") + _example(problem.option_name, ctx)
    if isinstance(problem, click.BadParameter) and problem.param is not None:
        name = _plain(re.sub(r" \(env var: .*\)", "", problem.param.get_error_hint(ctx)))
        if isinstance(problem, click.MissingParameter):
            return f"{name} is missing{_example('', ctx)}"
        if ctx.get_parameter_source(problem.param.name or "") is ParameterSource.ENVIRONMENT:
            name = f"{name}, from the variable {problem.param.envvar}"
        said = message if name.startswith("`{") else f"{name}: {message}"
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
    return (text[:1].lower() + text[1:] if text[1:2].islower() else text).removesuffix(".")
