"""Parameters that several commands take."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from manifestkit.engine import OFF, parse_severity
from manifestkit.finding import Severity
from manifestkit.rules.catalogue import catalogue

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


RULE = _Rule()
RULE_SEVERITY = _RuleSeverity()
