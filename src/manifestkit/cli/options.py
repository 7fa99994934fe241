"""Commands and their parameters.

A command is a function whose signature declares its arguments and options. Options that several
commands take are an `OptionGroup`, which a command takes as one object.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from importlib.util import find_spec
from inspect import cleandoc, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, dataclass_transform

import click

from manifestkit.cli.console import completed, note
from manifestkit.cli.unread import unread
from manifestkit.engine.options import Options
from manifestkit.files import other_tools
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.finding import Severity
from manifestkit.rendering.escape import visible
from manifestkit.rules.catalogue import all_rules, change_rules
from manifestkit.rules.rule import LEVELS
from manifestkit.schema.packaged import packaged_formats

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_Words = Mapping[str, str | None] | Iterable[str]
"""Words that a shell offers, each with its meaning where there is one."""


class _FilePath(click.Path):
    """A path that is not empty: an unset variable would name the current folder."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """Return the path."""
        if value == "":
            self.fail("it is empty; is a variable unset?", param, ctx)
        if "," in value and getattr(param, "multiple", False) and not os.path.lexists(value):
            self.fail(f"{visible(value)}: no such file", param, ctx)
        return super().convert(value, param, ctx)


def _files(ctx: click.Context, _: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return names of files, unless one is no file and rather an option, or a report alone."""
    is_file = os.path.lexists
    rather_option = re.compile(r"[-\u2013\u2014](?!.*\.(?:json|ya?ml)$).")
    odd = [each for each in names if not is_file(each) and rather_option.match(each)]
    if not (odd or any(map(is_file, names))):
        odd = [each for each in names if re.fullmatch(other_tools("words")["OUT"], each)]
    if odd:
        raise click.UsageError(f"{visible(odd[0])}: no such file", ctx)
    return names


class _Word(click.ParamType):  # type: ignore[type-arg]  # generic only since click 8.4
    """A text that a function reads, and that a shell completes."""

    name = "text"

    def __init__(
        self, words: Callable[[click.Context, str], _Words], read: Callable[[str], Any]
    ) -> None:
        self._words = words
        self._read = read

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Return the value of a text."""
        try:
            return self._read(str(value))
        except ValueError as problem:
            self.fail(str(problem), param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the words that start so."""
        del param
        return completed(self._words(ctx, incomplete), incomplete)


_EXTRAS = {
    "fleet": ("pyarrow",),
    "lsp": ("pygls",),
    "publish": ("httpx2", "platformdirs"),
    "sandbox": ("aiohttp",),
}
"""The parts that are installed on demand, each with the modules that it needs."""


def _need(extra: str) -> None:
    """Refuse to go on without an extra, and say how to install it."""
    if any(find_spec(module) is None for module in _EXTRAS[extra]):
        raise ConfigurationError(
            f"this command needs the extra `{extra}`: python -m pip install "
            f"'manifestkit[{extra}]', or before a release, '.[{extra}]' in a clone, elsewhere "
            f"'manifestkit[{extra}] @ git+URL@COMMIT'"
        )


def _rules(*_: object) -> dict[str, str | None]:
    return {rule.id: rule.title for rule in all_rules().values()}


def _rule_severity(text: str) -> tuple[str, Severity | None]:
    rule, equals, level = text.partition("=")
    if equals and level in LEVELS:
        return rule, LEVELS[level]
    raise ValueError(f"`{text}` is not RULE=LEVEL; write `{rule or 'RULE'}={'|'.join(LEVELS)}`")


def _rules_or_severities(ctx: click.Context, incomplete: str) -> _Words:
    rule, equals, _ = incomplete.partition("=")
    return (f"{rule}={level}" for level in LEVELS) if equals else _rules(ctx)


class _Option(click.Option):
    """An option that one variable gives: its own, or that named for its command and its flag."""

    def handle_parse_result(self, ctx: click.Context, opts: Any, args: list[str]) -> Any:
        """Read the value."""
        path = f"{ctx.command_path} {max(self.opts, key=len).removeprefix('--')}".upper()
        self.envvar = self.envvar if self.show_envvar else path.replace(" ", "_").replace("-", "_")
        return super().handle_parse_result(ctx, opts, args)


class _Declared(NamedTuple):
    """A parameter, declared as the default of a parameter of a function or in a group."""

    kind: type[click.Parameter]
    flags: tuple[str, ...]
    attributes: dict[str, Any]

    def parameter(self, name: str, of: str, changes: Mapping[str, Any]) -> click.Parameter:
        given = {**self.attributes, **changes}
        attributes = _type(of, given)
        if self.kind is click.Argument:
            return click.Argument([name], **{**attributes, "metavar": None, **given})
        attributes["is_flag"] = of == "bool" or None
        attributes["multiple"] = of.startswith("tuple")
        attributes["show_default"] = "default" in given or None
        attributes["show_envvar"] = "envvar" in given
        flags = self.flags or (f"--{name.replace('_', '-')}",)
        return _Option([*flags, name], **{**attributes, **given})


def _type(of: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of click for the type of a parameter; they take ours out of a dict."""
    if "choices" in given:
        return {"type": click.Choice(given.pop("choices"))}
    if "words" in given:
        return {"type": _Word(given.pop("words"), given.pop("read", str))}
    is_path = "Path" in of
    kind = given.pop("path", "any" if is_path else None)
    if kind is None:
        return {}
    its_type = _FilePath(
        file_okay=kind != "folder",
        dir_okay=kind != "file",
        readable=False,  # whoever reads the file says why it cannot be read
        path_type=Path if is_path else None,
    )
    callback = _files if given.get("nargs", 1) < 0 else None
    return {"type": its_type, "metavar": "FILE" if is_path else None, "callback": callback}


@dataclass_transform(frozen_default=True, kw_only_default=True)
class OptionGroup:
    """Options that a command takes as one object; each annotated attribute is an `option`.

    To type checkers it is a dataclass. One would be made anew at each start, by generated code.
    """

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    @classmethod
    def group(cls, *only: str, **changes: dict[str, Any]) -> Any:
        """Declare the options, or `only` these, as the default of a parameter of a command.

        Changes are attributes of `option` that differ for this command, by the option's name.
        """
        return _Group(cls, only, changes)


_EMPTY = {"bool": False, "tuple": ()}


class _Group:
    """Options that a command takes as one object; those of it that are not asked for are empty."""

    def __init__(
        self, of: type[OptionGroup], only: tuple[str, ...], changes: dict[str, dict[str, Any]]
    ) -> None:
        types = of.__annotations__
        self.of = of
        self.parameters = {
            name: getattr(of, name).parameter(name, types[name], changes.get(name, {}))
            for name in types
            if not only or name in only
        }
        self.empty = {name: _EMPTY.get(types[name].partition("[")[0]) for name in types}


def option(help: str, *flags: str, **attributes: Any) -> Any:
    """Declare an option, as the default of a parameter of a command or in a group.

    Its type says whether it is a flag (`bool`), may be repeated (`tuple[...]`), or names a file
    (`Path`); all else is text, unless it has a `type` such as `click.INT`. By default, it is
    written as its name after two hyphens. Attributes are those of `click.Option`, and ours:

    choices: the words of which it is one.
    words, read: functions that return the words that a shell offers for what is typed so far, and
        the value of a text; for a wrong one, a ValueError says what is wrong.
    path: that a text is a path, of `any`thing, a `file`, a `folder` or a `profile`.
    """
    return _Declared(click.Option, flags, {"help": help, **attributes})


def argument(**attributes: Any) -> Any:
    """Declare an argument, as the default of a parameter of a command; likewise."""
    return _Declared(click.Argument, (), attributes)


def manifest_command(
    examples: str, exits: str, *, extra: str = "", cls: type[click.Command] = click.Command
) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that makes a command of a function, whose parameters declare its own.

    Its help is its docstring, and ends with examples and exit codes, a line for each. An extra must
    be installed, which the help says.
    """

    def declare(function: Callable[..., Any]) -> click.Command:
        parameters: list[click.Parameter] = []
        groups: dict[str, _Group] = {}
        for name, each in signature(function).parameters.items():
            if isinstance(each.default, _Group):
                groups[name] = each.default
                parameters += each.default.parameters.values()
            elif isinstance(each.default, _Declared):
                parameters.append(each.default.parameter(name, each.annotation, {}))

        @wraps(function)
        def run(**values: Any) -> Any:
            os.getcwd()  # noqa: PTH109 - without a working folder no command can go on
            if extra:
                _need(extra)
            for sentence in unread(click.get_current_context()):
                note(sentence)
            for name, each in groups.items():
                own = {field: values.pop(field) for field in each.parameters}
                values[name] = each.of(**{**each.empty, **own})
            return function(**values)

        needs = f"\n\nRequires the extra `{extra}`." if extra else ""
        command = click.command(
            cls=cls,
            params=parameters,
            help=cleandoc(function.__doc__ or "") + needs,
            epilog=_epilog(examples, exits),
        )
        return command(run)

    return declare


def command_group(examples: str, exits: str) -> Callable[[Callable[[], None]], click.Group]:
    """Return a decorator that makes a command of commands, of a function that does nothing."""
    return click.group(epilog=_epilog(examples, exits))


def _epilog(examples: str, exits: str) -> str:
    return f"\b\nExamples:\n{_indented(examples)}\n\n\b\nExit codes:\n{_indented(exits)}"


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in cleandoc(text).splitlines())


OF = option(f"Id of the manifest format.  [default: {packaged_formats().default.id}]", metavar="ID")
STDIN_FILENAME = option(
    "The file name for standard input; its suffix selects the syntax.", metavar="NAME"
)


class RuleOptions(OptionGroup):
    """Options that say what counts as a finding."""

    schema: Path | None = option("Check against this JSON Schema instead of the built-in one.")
    profile: tuple[Path, ...] = option(
        "Also check against this profile: a JSON Schema with a host's requirements. May be "
        "repeated.",
    )
    select: tuple[str, ...] = option(
        "Report only this rule. May be repeated.", words=_rules, metavar="RULE"
    )
    ignore: tuple[str, ...] = option(
        "Do not report this rule. May be repeated.", words=_rules, metavar="RULE"
    )
    severity: tuple[tuple[str, Severity | None], ...] = option(
        "Set a rule's severity: error, warning, info or off. May be repeated.",
        words=_rules_or_severities,
        read=_rule_severity,
        metavar="RULE=LEVEL",
    )
    fail_on: str | None = option(
        "Exit with 1 if a finding has at least this severity.  [default: error]",
        choices=[each.value for each in Severity],
    )
    baseline: Path | None = option("Hide the findings listed in this file; /dev/null hides none.")
    config: Path | None = option("Use this configuration file for every manifest.")
    isolated: bool = option(
        "Use no .gitignore, no configuration file but that of --config, and no link that leads out "
        "of the folder."
    )
    force_exclude: bool = option(
        "Skip excluded files and manifests of another kind even if they are given by name (for "
        "hooks)."
    )

    def options(self, *, of_changes: bool = False) -> Options:
        """Return them as the options of a workspace, in which rules may be `of_changes` or not."""
        for each in (x for x in self.select if not of_changes and x in change_rules()):
            raise click.UsageError(
                f"`{each}` is about what changes between two manifests; use `manifest diff`"
            )
        return Options(
            schema=self.schema,
            profiles=self.profile,
            select=self.select or None,
            ignore=self.ignore,
            severity=dict(self.severity),
            fail_on=Severity(self.fail_on) if self.fail_on else None,
            baseline=self.baseline,
            config=self.config,
            isolated=self.isolated,
            force_exclude=self.force_exclude,
        )
