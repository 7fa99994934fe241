"""Messages about a wrong command line, and the one that was probably meant."""

from __future__ import annotations

import os
import re
import shlex

import click
from click.core import ParameterSource

from manifestkit.cli.corrected_line import correction_of
from manifestkit.model.printable import names_secret, redacted

_PART = re.compile("[:=]")


def usage_message(problem: click.ClickException) -> str:
    """Return what is wrong with the arguments and what was probably meant, in one line."""
    ctx = getattr(problem, "ctx", None) or click.get_current_context(silent=True)
    typed: list[str] = ctx.obj or [] if ctx else []
    shown = [*map(_redacted, typed, ["", *typed])]
    value = os.environ.get(str(getattr(getattr(problem, "param", None), "envvar", "")), "")
    given = [*typed, *value.split(), value]
    message = redacted(problem.message)
    for old, new in zip(given, [*shown, *map(_redacted, given[len(typed) :])], strict=True):
        for secret, mark in ((old, new), (_PART.split(old, 1)[-1], _PART.split(new, 1)[-1])):
            if secret != mark:
                message = mark.join(re.split(rf"(?<!\w){re.escape(secret)}(?!\w)", message))
    if ctx is not None:
        ctx.obj = shown
    message, do = _message(problem, message, ctx), ctx and correction_of(shown, ctx)
    return f"{message.partition('; ')[0]}; {do}" if do else message


def _redacted(word: str, before: str = "") -> str:
    """Return a word of a command line with a mark for each secret, known by the one before, too."""
    if before[:1] == "-" != word[:1] and names_secret(before) and not _PART.search(before):
        return redacted(word, before)
    name, mark, value = re.split("([:=]|$)", word, maxsplit=1)
    return redacted(f"{name}{mark}{redacted(value, name)}")


def _message(problem: click.ClickException, said: str, ctx: click.Context | None) -> str:
    """Return what is wrong, as click said it, with advice on the first mistake."""
    message = _plain(said).replace("no such command", "there is no command")
    if ctx is None or message.startswith("there is no command"):
        return f"{message}; `{ctx.command_path} --help` lists them" if ctx else message
    if isinstance(problem, (click.NoSuchOption, click.BadOptionUsage)):
        name = problem.option_name
        typed = (word for word in ctx.obj or [] if word[:2] == name and word[1:].isalpha())
        message = message.replace(f"`{name}`", f"`{next(typed, name)}`")
        return message.replace("no such", "there is no") + _example(name, ctx)
    if isinstance(problem, click.BadParameter) and problem.param is not None:
        name = _plain(re.sub(r" \(env var: .*\)", "", problem.param.get_error_hint(ctx)))
        if isinstance(problem, click.MissingParameter):
            return f"{name} is missing{_example('', ctx)}"
        if ctx.get_parameter_source(problem.param.name or "") is ParameterSource.ENVIRONMENT:
            variable, flag = str(problem.param.envvar), max(problem.param.opts, key=len)
            name = f"{name}, from the variable {variable}"
            value = _redacted(os.environ.get(variable, ""))
            do = correction_of([*(ctx.obj or []), flag, value], ctx)
            if right := " ".join(re.findall(rf" {flag} ([^ `]+)", do)):
                write = f"write `{variable}={shlex.quote(right)}`"
                message = f"{message.partition('; ')[0]}; {write}"
        return message if name.startswith("`{") else f"{name}: {message}"
    return message


def _example(word: str, ctx: click.Context) -> str:
    """Return an example of the command with a word, to end a sentence."""
    examples = re.findall(r"(?m)^  (manifest (?:(?!  ).)+)", ctx.command.epilog or "")
    has = re.compile(rf"\b{re.escape(word.strip('-'))}", re.IGNORECASE)
    shown = next((f"write, for example, `{each}`" for each in examples if has.search(each)), None)
    return f"; {shown or f'`{ctx.command_path} --help` lists the options'}"


def _plain(text: str) -> str:
    """Return a sentence of click's in one line, as our own are written."""
    text = " ".join(text.split())
    if "`" not in text:  # else it is a sentence of ours, and the quotes are for a shell
        text = re.sub(r"(?<![\w\"])'([^']*)'(?![\w\"])|\"('[^\"]*')\"", r"`\1\2`", text)
    text = text.replace("a valid integer range", "a whole number")
    return (text[:1].lower() + text[1:] if text[1:2].islower() else text).removesuffix(".")
