"""Parameters that several commands take."""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import CompletionItem

from manifestkit.cli.output import Output
from manifestkit.engine import OFF, parse_severity
from manifestkit.finding import Severity
from manifestkit.render import FORMATS
from manifestkit.rules.catalogue import catalogue
from manifestkit.rules.nearness import nearest

_LEVELS = (*(severity.value for severity in Severity), OFF)


class _Rule(click.ParamType):  # type: ignore[type-arg]  # generic only since click 8.4
    """The id of a rule; whether there is one is known when all profiles are."""

    name = "rule"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The ids that start so, each with its title."""
        del ctx, param
        rules = catalogue().values()
        return [
            CompletionItem(rule.id, help=rule.title)
            for rule in rules
            if rule.id.startswith(incomplete)
        ]


class _RuleSeverity(click.ParamType):  # type: ignore[type-arg]  # likewise
    """A rule and what it shall weigh: ``RULE=LEVEL``."""

    name = "rule=level"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, Severity | None]:
        """The rule's id and its severity; None for ``off``."""
        rule, equals, level = str(value).partition("=")
        if not equals or level not in _LEVELS:
            self.fail(f"write RULE={'|'.join(_LEVELS)}, not {value!r}", param, ctx)
        return rule, parse_severity(level)


class _OutputFormat(click.ParamType):  # type: ignore[type-arg]  # likewise
    """A form of the report, and where it goes: ``FORMAT`` or ``FORMAT=FILE``."""

    name = "format"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Output:
        """The form and the file."""
        name, equals, file = str(value).partition("=")
        if name not in FORMATS:
            near = nearest(name, FORMATS)
            meant = f"; did you mean {near!r}?" if near else ""
            self.fail(f"{name!r} is none of {', '.join(FORMATS)}{meant}", param, ctx)
        if equals and not file:
            self.fail(f"write {name}=FILE, or {name} for standard output", param, ctx)
        return Output(name, Path(file) if file else None)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """How the help shows the value."""
        del param, ctx
        return "FORMAT[=FILE]"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The forms that start so."""
        del ctx, param
        return [CompletionItem(name) for name in FORMATS if name.startswith(incomplete)]


OUTPUT_FORMAT = _OutputFormat()
RULE = _Rule()
RULE_SEVERITY = _RuleSeverity()
