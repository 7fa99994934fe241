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
_TOLD_AT_ONCE = {"--help", "--version"}
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
        problem = _problem_of(line, ctx.find_root().command)
        if problem is None:
            return f"manifest {visible(line)}" if line != typed else "", ", and ".join(reasons)
        before, line = line, _with_ours(line, problem)
        if line == before:
            break
    return "", ""


def _problem_of(line: str, root: click.Command) -> click.UsageError | None:
    """Return what is wrong with the words of a command line; the command does not run."""
    words = [each for each in shlex.split(line) if each != "--help"]
    ctx = click.Context(root)
    if line in _TOLD_AT_ONCE:
        return None
    try:
        while isinstance(ctx.command, click.Group):
            name, command, words = ctx.command.resolve_command(ctx, words or [""])
            ctx = click.Context(command or root, parent=ctx, info_name=name)
        ctx.command.make_context(ctx.info_name, words, ctx.parent)
    except click.UsageError as problem:
        return problem
    return None


def _with_ours(line: str, problem: click.UsageError) -> str:
    """Return a command line with our name for the command or the option that is not there."""
    if not isinstance(problem, click.NoSuchOption) or problem.ctx is None:
        name, _, rest = line.partition(" ")
        return f"{other_tools('commands').get(name, name)} {rest}".strip()
    name, known = problem.option_name, _options(problem.ctx)
    ours, _, value = other_tools("options").get(name, "").partition(" ")
    if ours in known:
        ours = ours if _PLACEHOLDER.match(value) else f"{ours} {value}".strip()
    elif ours and ours[0] != "-":  # what to do is told in words
        return line
    else:
        start = name if name.startswith("--") else f"-{name}"
        begun = [each for each in known if each.startswith(start)]
        ours = (begun[0] if len(begun) == 1 else nearest(name, known)) or name
    return re.sub(rf"(?<!\S){re.escape(name)}(?=[ =]|$)", ours, line, count=1)


def _options(ctx: click.Context) -> list[str]:
    parameters = ctx.command.get_params(ctx)
    return [max(each.opts, key=len) for each in parameters if isinstance(each, click.Option)]


def _message(problem: click.ClickException, ctx: click.Context | None) -> str:
    """Return what is wrong, with advice on the first mistake."""
    message = _plain(problem.message)
    if ctx is None:
        return message
    if message.startswith("got unexpected extra argument"):
        message += _instead(ctx)
    elif message.startswith("no such command"):
        message += f"; {_command_for(message.split('`')[1], ctx)}"
    elif isinstance(problem, click.NoSuchOption):
        message = f"there is no option `{problem.option_name}`{_ours(problem.option_name, ctx)}"
    elif isinstance(problem, click.BadParameter) and problem.param is not None:
        name = _plain(re.sub(r" \(env var: .*\)", "", problem.param.get_error_hint(ctx)))
        if isinstance(problem, click.MissingParameter):
            message = f"{name} is missing"
        elif not (isinstance(problem.param, click.Argument) and name.startswith("`{")):
            if ctx.get_parameter_source(problem.param.name or "") is ParameterSource.ENVIRONMENT:
                variable = f"{ctx.auto_envvar_prefix}_{problem.param.name}".upper()
                name = f"{name}, from the variable {problem.param.envvar or variable}"
            message = f"{name}: {message}{_choice(message, problem.param.type)}"
    return message


def _instead(ctx: click.Context) -> str:
    """Return what a command takes, to end a sentence."""
    takes = " ".join(ctx.command.collect_usage_pieces(ctx)[1:])
    return f"; give no more than {takes}" if takes else ""


def _command_for(name: str, ctx: click.Context) -> str:
    """Return the command that a file or folder in the place of one is for."""
    if ctx.info_name == "profile" and name.endswith((".json", ".yaml", ".yml")):
        return f"to check manifests, run `manifest lint --profile {visible(name)}`"
    if ctx.info_name == "fleet" and is_there(Path(name)):
        return f"to check it, run `manifest fleet lint {visible(name)} --output OUT`"
    return f"`{ctx.command_path} --help` lists them"


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
    known = _options(ctx)
    if value and option in known:
        return f": option and value came as one argument; write `{option}={visible(value)}`"
    if re.fullmatch(r"-[0-9.]+", name):
        return "; write `--` before a negative number"
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
