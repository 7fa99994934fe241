"""Messages about a wrong command line, and the one that was probably meant."""

from __future__ import annotations

import os
import re
import shlex

import click
from click.core import ParameterSource

from manifestkit.cli.console import without_secrets
from manifestkit.cli.corrected_line import correction_of
from manifestkit.rendering.escape import as_typed


def usage_message(problem: click.ClickException) -> str:
    """Return what is wrong with the arguments and what was probably meant, in one line."""
    ctx = getattr(problem, "ctx", None) or click.get_current_context(silent=True)
    if ctx is None:
        return _plain(problem.message)
    variable, given = _variable(getattr(problem, "param", None), ctx)
    (ctx.obj or []).extend(given)
    shown = [*map(without_secrets, ctx.obj or [])]
    message = _message(problem, without_secrets(problem.message), shown, ctx)
    do = correction_of(shown, ctx)
    if variable:
        message = re.sub("(?=: )", f", from the variable {variable}", message, count=1)
        right = " ".join(re.findall(rf" {given[0]} ([^ `]+)", do))
        do = right and f"write `{variable}={shlex.quote(right)}`"
    return f"{message.partition('; ')[0]}; {do}" if do else message


def _variable(param: click.Parameter | None, ctx: click.Context) -> tuple[str, list[str]]:
    """Return the variable that a wrong value stands in, and its values as words, or nothing."""
    source = param and ctx.get_parameter_source(param.name or "")
    if param is None or source is not ParameterSource.ENVIRONMENT:
        return "", []
    flag, value = max(param.opts, key=len), os.environ[str(param.envvar)]
    values = value.split() if param.multiple else [value]
    return str(param.envvar), [word for each in values for word in (flag, each)]


def _message(problem: click.ClickException, said: str, words: list[str], ctx: click.Context) -> str:
    """Return what is wrong, as click said it, with advice on the first mistake."""
    message = _plain(said).replace("no such command", "there is no command")
    if message.startswith("there is no command"):
        return f"{message}; `{ctx.command_path} --help` lists them"
    if isinstance(problem, (click.NoSuchOption, click.BadOptionUsage)):
        name = problem.option_name
        whole = (word for word in words if word[:2] == name and word[1:].isalpha())
        message = message.replace(f"`{name}`", f"`{next(whole, name)}`")
        return message.replace("no such", "there is no") + _example(name, ctx)
    if isinstance(problem, click.BadParameter) and problem.param is not None:
        name = _plain(re.sub(r" \(env var: .*\)", "", problem.param.get_error_hint(ctx)))
        if isinstance(problem, click.MissingParameter):
            flag = max(problem.param.opts, key=len)
            added = re.search(rf"{flag} \S+", (ctx.command.epilog or "") if flag[0] == "-" else "")
            line = as_typed("manifest", *words, *added[0].split()) if added else ""
            return f"{name} is missing{f'; write `{line}`' if line else _example('', ctx)}"
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
