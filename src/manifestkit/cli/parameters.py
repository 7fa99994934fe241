"""Parameters that several commands take."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from manifestkit.cli.console import completed
from manifestkit.cli.output import Output
from manifestkit.engine import OFF, parse_severity
from manifestkit.model.finding import Severity
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.rules.catalogue import all_rules
from manifestkit.schema.packaged import packaged_formats

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

LIMITS: dict[str, int] = DEFAULT_LIMITS._asdict()
"""The default of each limit, by its name."""

STDIN_PATH = "-"
"""The name of standard input where a file is read, and of standard output where one is written."""

_NUMBER = r"[1-9][0-9]{0,17}"
_LEVELS = (*(severity.value for severity in Severity), OFF)


class FilePath(click.Path):
    """A path that is not empty: an unset variable would name the current folder."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """Return the path."""
        if value == "":
            self.fail("it is empty; is a variable unset?", param, ctx)
        return super().convert(value, param, ctx)


class Choice(click.Choice):  # type: ignore[type-arg]  # generic only since click 8.4
    """One of some words; of another, the nearest is named."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Return what is wrong with a value, and what was probably meant."""
        del ctx
        return (
            f"`{value}` is not one of {', '.join(self.choices)}{_meant(str(value), self.choices)}"
        )


def _meant(word: str, words: Iterable[str]) -> str:
    from manifestkit.schema.suggest import nearest  # noqa: PLC0415 - rarely needed

    near = nearest(word, tuple(words))
    return f"; did you mean `{near}`?" if near else ""


class _Rule(click.ParamType):  # type: ignore[type-arg]  # likewise
    """The id of a rule; whether there is one is known when all profiles are."""

    name = "rule"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the ids that start so, each with its title."""
        del ctx, param
        return completed({rule.id: rule.title for rule in all_rules().values()}, incomplete)


class _RuleSeverity(click.ParamType):  # type: ignore[type-arg]  # likewise
    """A rule and its severity: ``RULE=LEVEL``."""

    name = "rule=level"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, Severity | None]:
        """Return the rule's id and its severity; None for ``off``."""
        rule, equals, level = str(value).partition("=")
        if not equals or level not in _LEVELS:
            self.fail(
                f"write RULE={'|'.join(_LEVELS)}, not `{value}`{_meant(level, _LEVELS)}",
                param,
                ctx,
            )
        return rule, parse_severity(level)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the rules that start so; behind a rule and `=`, its severities."""
        rule, equals, _ = incomplete.partition("=")
        if not equals:
            return RULE.shell_complete(ctx, param, incomplete)
        with_severity = (f"{rule}={level}" for level in _LEVELS)
        return completed(dict.fromkeys(with_severity), incomplete)


class _Limit(click.ParamType):  # type: ignore[type-arg]  # likewise
    """A limit of the reader: ``NAME=NUMBER``."""

    name = "name=number"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        """Return the name and the number."""
        name, _, number = str(value).partition("=")
        if name not in LIMITS or not re.fullmatch(_NUMBER, number):
            meant = "" if name in LIMITS else _meant(name, LIMITS)
            self.fail(f"write {'|'.join(LIMITS)}=NUMBER, not `{value}`{meant}", param, ctx)
        return name, int(number)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that start so, each with its default."""
        del ctx, param
        values = (f"{name}={default}" for name, default in LIMITS.items())
        return completed(dict.fromkeys(values), incomplete)


class OutputFormat(click.ParamType):  # type: ignore[type-arg]  # likewise
    """A form of the report, and where it goes: ``FORMAT`` or ``FORMAT=FILE``."""

    name = "format"

    def __init__(self, names: Iterable[str]) -> None:
        self._names = tuple(names)

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Output:
        """Return the form and the file."""
        name, equals, file = str(value).partition("=")
        names = self._names
        if name not in names:
            self.fail(f"`{name}` is not one of {', '.join(names)}{_meant(name, names)}", param, ctx)
        if equals and not file:
            self.fail(f"write {name}=FILE, or {name} for standard output", param, ctx)
        return Output(name, Path(file) if file not in ("", STDIN_PATH) else None)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Return the value as help shows it."""
        del param, ctx
        return "FORMAT[=FILE]"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the forms that start so."""
        del ctx, param
        return completed(dict.fromkeys(self._names), incomplete)


LIMIT = _Limit()
PROFILE = click.option(
    "--profile",
    type=FilePath(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="Include the rules of this profile. May be repeated.",
)
OF = click.option(
    "--of",
    metavar="ID",
    help=f"Id of the manifest format.  [default: {packaged_formats().default.id}]",
)
RULE = _Rule()
RULE_SEVERITY = _RuleSeverity()
