"""The command line that was probably meant, by what other tools have (`other-tools.json`).

A wrong line is corrected step by step: by the first row of `lines` that applies, else by what its
command and its options are like.

A row is a command, the words that stand behind it, what is written in their place, and why. A word
is a regular expression; `--a=X` is an option with its value, in one word or in two, and stands
anywhere, any other word where it is written; a word with `+` is all the words that fit. A name in
capitals is a kind of word: an expression in `words`, whose groups have names, too, or a table in
`tables`, which has ours for each of theirs; with a number, it is another word of that kind.

What is written stands before the other words; options, and what has `...` before it, behind them.
With `manifest` it replaces the command, too; options apply where the command has the first one.
Null is for a row whose reason alone helps.
"""

from __future__ import annotations

import re
import shlex
import sys
from functools import cache, partial
from pathlib import Path

import click

from manifestkit.authoring.inputs import Input
from manifestkit.files import is_there, other_tools
from manifestkit.rendering.escape import as_typed, visible
from manifestkit.schema.suggest import nearest

_Words = list[str]
_Corrected = tuple[_Words, str]
_MOST_STEPS = 12
_MOST_WORDS = 60
_PIPED = "--password-stdin"
_MOST_MEANT = 3
_NOT_UNDONE = {"deploy", "login", "logout", "remove"}
_DENIALS = {"no", "not", "without", "disable", "skip", "false", "off", "0"}
_SWITCHES = {"", "true", "yes", "on", "1", *_DENIALS}
_split = cache(shlex.split)  # a row of the table is tried several times on one line
_FILE = re.compile(r"(?!\.\w+$)[^-,;=][^,;=]*\.(?:html|json|md|sarif|toml|txt|xml|ya?ml)")
_KIND = re.compile(r"[A-Z]{2,}\d?")


def correction_of(typed: _Words, ctx: click.Context) -> str:
    """Return what to write for a wrong command line, and why; empty where nothing tells.

    A line is only given if its command takes it. One with an empty word has none: a variable
    is not set, and what it would have held is unknown. Nor has one that cannot be shown as it is.
    """
    if not 0 < len(typed) <= _MOST_WORDS or any(each != visible(each or " ") for each in typed):
        return ""
    words, reasons = typed, dict[str, None]()
    for _ in range(_MOST_STEPS):
        problem = _problem_of(words, ctx.find_root().command)
        after, why = _step(words, problem, (problem and problem.ctx) or ctx)
        if not after:
            return why
        if "--" in typed and why.startswith("leave out"):  # it is a file that is not there
            return ""
        if after == words:
            break
        words = after
        reasons[why] = None
    else:
        return ""
    if problem:
        return "" if words[0] == typed[0] else f"see `manifest {words[0]} -h`"
    return "" if words == typed else _said(words, [*filter(None, reasons)])


def _step(words: _Words, problem: click.UsageError | None, ctx: click.Context) -> _Corrected:
    """Return words with one thing corrected, and why; as they are where nothing more is known."""
    for row in other_tools("lines"):
        rewritten, why = _rewritten(words, [*_options(ctx)], *row)
        if rewritten != words:
            return rewritten, why
    if problem is None:
        return words, ""
    if ctx.parent is None and words[0][:1] != "-":
        return _with_command(words, ctx)
    return _with_option(words, problem, ctx)


def _said(words: _Words, reasons: _Words) -> str:
    if is_piped := words[0] == "login" and "--email" in words and not sys.stdin.isatty():
        words = [*(each for each in words if each != _PIPED), _PIPED]
    reports = (re.fullmatch(r"\w+=(.+)/[^/]+", each) for each in words[1:])
    folder = next((found[1] for found in reports if found and not is_there(Path(found[1]))), "")
    make = f"mkdir -p {as_typed(folder)} && " if folder and "--output-format" in words else ""
    make = 'printf %s "$PASSWORD" | ' if is_piped else make
    line = f"`{make}manifest {as_typed(*words)}`"
    return f"{', and '.join(reasons)}: write {line}" if reasons else f"did you mean {line}?"


def _problem_of(words: _Words, root: click.Command) -> click.UsageError | None:
    """Return what is wrong with the words of a command line; the command does not run."""
    ctx = click.Context(root, info_name="manifest", **root.context_settings)
    rest = [each for each in words if each not in ("-h", "--help")]
    try:
        while isinstance(ctx.command, click.Group) and words != ["--version"]:
            name, command, rest = ctx.command.resolve_command(ctx, rest or [""])
            ctx = click.Context(command or root, parent=ctx, info_name=name)
        ctx.command.make_context(ctx.info_name, rest, ctx.parent)
    except click.UsageError as problem:
        return problem
    except click.exceptions.Exit:  # help, as one of several letters
        pass
    return None


def _options(ctx: click.Context) -> dict[str, click.Option]:
    parameters = ctx.command.get_params(ctx)
    return {max(each.opts, key=len): each for each in parameters if isinstance(each, click.Option)}


def _rewritten(
    words: _Words, known: _Words, command: str, typed: str, ours: str | None, why: str
) -> _Corrected:
    """Return words as a row of the table has them, and why; as they are where it does not apply.

    `known` are the options of their command. No words come back where only `why` helps.
    """
    rest, values = words[1:], dict[str, str]()
    for form, others in [(command, words[:1]), *((each, rest) for each in _split(typed))]:
        found = _taken(form, others)
        if found is None:
            return words, ""
        values |= found
    fill = partial(_KIND.sub, lambda kind: values.get(kind[0], kind[0]))
    if ours is None:
        return [], fill(why)
    values["SLUG"] = Input.slug(values.get("PHRASE", ""))
    first = words[: not ours.startswith("manifest ")]
    parts = _split(ours.removeprefix("... ").removeprefix("manifest "))
    is_option = ours.startswith("-")
    if is_option and (parts[0] not in known or "--" in rest):
        return words, ""
    new = [filled for each in parts if (filled := fill(each))]
    is_last = is_option or ours.startswith("... ")
    rewritten = [*first, *rest, *new] if is_last else [*first, *new, *rest]
    if is_option and _apart(rewritten) == _apart(words):
        return words, ""
    return rewritten, ", and ".join(filter(None, [why, _left_out(values.get("left", ""))]))


def _left_out(value: str) -> str:
    return "" if value.lower() in _SWITCHES else f"leave out `{as_typed(value)}`"


def _apart(words: _Words) -> _Words:
    """Return words in the order of the alphabet, an option and its value as two."""
    pairs = (each.split("=", 1) if each[:2] == "--" else [each] for each in words)
    return sorted(part for pair in pairs for part in pair)


def _taken(form: str, words: _Words) -> dict[str, str] | None:
    """Take what has a form out of words, and return what the form's kinds are in it, or None.

    An option stands anywhere, a word first; a form with `+` at its end takes all words that fit.
    """
    is_long, most = form.endswith("+"), (form[0] == "-" or "=" in form) * (1 + form.count(" "))
    pattern = _pattern(form.removesuffix("+"))
    for at in range(len(words) + 1 if most else 1):
        for count in range(len(words), -1, -1) if is_long else range(1, 2 + most):
            first, *others = [*words, ""][at : at + count] or [""]
            word = f"{first}{' ' if is_long else '='}{' '.join(others)}" if others else first
            if match := re.fullmatch(pattern, word, re.DOTALL):
                del words[at : at + count]
                tables, found = other_tools("tables"), match.groupdict().items()
                return {kind: tables.get(kind, {}).get(word.lower(), word) for kind, word in found}
    return None


@cache
def _pattern(form: str) -> str:
    """Return the regular expression for a word of a row."""
    name, equals, value = form.replace(".", r"\.").partition("=")
    tail = f"{equals}(?:{value})" if equals else r"(?:\Z|=)(?P<left>.*)" * (form[0] == "-")
    kinds = {kind: f"(?i:{'|'.join(table)})" for kind, table in other_tools("tables").items()}
    kinds |= other_tools("words")
    return _KIND.sub(
        lambda kind: f"(?P<{kind[0]}>{kinds[kind[0].rstrip('23')]})", f"(?:{name}){tail}"
    )


def _with_command(words: _Words, ctx: click.Context) -> _Corrected:
    """Return words with a command in place of one that is not there, or why there is none."""
    commands = ctx.to_info_dict()["command"]["commands"]
    if near := nearest(words[0], [*commands]):
        return [near, *words[1:]], ""
    if any(is_there(Path(each)) for each in [each for each in words if each[:1] != "-"][:2]):
        return ["lint", *words[not is_there(Path(words[0])) :]], ""
    about = re.compile(rf"(?i)[^.]*\b{re.escape(words[0].removesuffix('s'))}s?\b")
    akin = [f"`manifest {name} -h`" for name, its in commands.items() if about.match(its["help"])]
    return ([], f"see {' or '.join(akin[:_MOST_MEANT])}") if akin else (words, "")


def _with_option(words: _Words, problem: click.UsageError, ctx: click.Context) -> _Corrected:
    """Return words with what a wrong option stands for, or without it, and why."""
    given = getattr(problem, "param", None)
    wrong = {getattr(problem, "option_name", ""), *getattr(given, "opts", ())}
    at = next((i for i, each in enumerate(words) if each.partition("=")[0] in wrong), None)
    if at is None:
        return words, ""
    before, (name, equals, value), after = words[:at], words[at].partition("="), words[at + 1 :]
    if problem.message.endswith("not take a value."):
        return [*before, *([] if value.lower() in _DENIALS else [name]), *after], _left_out(value)
    known = [*_options(ctx)] if isinstance(problem, click.NoSuchOption) else []
    if near := _by_name(name, known):
        return [*before, near, *([value] if equals else []), *after], ""
    is_apart = not equals and bool(after) and after[0][:1] != "-"
    value, rest = (after[0], after[1:]) if is_apart else (value, after)
    is_kept = is_apart and (is_there(Path(value)) or _is_name(ctx, [*before[1:], *rest]))
    meant = _meant(name, value, ctx)
    if len(meant) > 1:
        return [], "write " + " or ".join(f"`{as_typed(*each)}`" for each in meant)
    if meant:
        is_told = is_apart or meant[0][1:]
        line = [*before, *meant[0], *(rest if meant[0][1:] else after)]
        return line, "" if is_told else _left_out(value)
    is_file = not is_kept and bool(_FILE.fullmatch(value))
    is_left_out = known and before and before[0] not in _NOT_UNDONE and not is_file
    end = at + 1 + (is_apart and not is_kept)
    left_out = [*before, *words[end:]], f"leave out `{as_typed(*words[at:end])}`"
    return left_out if is_left_out else (words, "")


def _by_name(name: str, known: _Words) -> str | None:
    """Return the option that has a name in another tool, begins so, or is spelled so."""
    theirs: dict[str, str] = other_tools("options")
    named = [each for each in known if re.fullmatch(theirs.get(each, "(?!)"), name)]
    begun = [each for each in known if each.startswith(name) and name[:2] == "--"]
    return named[0] if named else begun[0] if len(begun) == 1 else nearest(name, known)


def _is_name(ctx: click.Context, others: _Words) -> bool:
    """Return whether one more word is what a command is about, by its name; no file."""
    about = next((each for each in ctx.command.params if isinstance(each, click.Argument)), None)
    is_file = about is None or isinstance(about.type, click.Path)
    return not is_file and all(each[:1] == "-" for each in others)


def _meant(name: str, value: str, ctx: click.Context) -> list[_Words]:
    """Return the options that one may stand for, each with the words to write for it.

    They are those that the value, or a part of it, tells, else those whose words are all in the
    name; of several, those that share most words with it.
    """
    typed = {*name.lower().strip("-").split("-")}
    parts = dict.fromkeys(re.split("[,;]", value))
    forms: dict[str, str] = other_tools("values")
    found: dict[tuple[bool, int], list[_Words]] = {(False, 0): []}
    for flag, option in _options(ctx).items():
        own = {*flag[2:].split("-")}
        is_named = own <= typed and not (typed - own) & _DENIALS
        offered = [] if flag in forms else option.shell_complete(ctx, "")
        listed = [each.value for each in offered if each.type == "plain"]
        form = forms.get(flag, "|".join(listed) or "(?!)")
        told = [each for each in parts if re.fullmatch(form, each)]
        given = told or [nearest(value, listed) or value] * (is_named and value != "")
        if option.is_flag and is_named:
            words = [flag]
        elif option.multiple or len(given) == 1:
            words = [word for each in given for word in (flag, each)]
        else:
            words = []
        if words:
            found.setdefault((bool(told), len(own & typed)), []).append(words)
    return found[max(found)][:_MOST_MEANT]
