"""Which rules count, and how much."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from manifestkit.model.errors import ConfigurationError
from manifestkit.model.finding import Severity
from manifestkit.rules.catalogue import find_rule, rule_ids
from manifestkit.rules.rule import Rule

if TYPE_CHECKING:
    from manifestkit.model.finding import Finding

ALWAYS = frozenset({"syntax-error", "limit-exceeded", "yaml-unsupported"})
"""Where one of these is found there is no value to judge: silence would look like a good file."""

OFF = "off"


class Selection(NamedTuple):
    """Which rules count, and how much; ``schema-keyword`` stands for every ``schema-<keyword>``.

    Attributes:
        select: the only rules that count; None for all that are on by default.
        ignore: rules that do not count.
        severity: what rules have in place of their own severity; None turns a rule off.
        turned_on: rules that count, as warnings, though they are off by default.
    """

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity | None] = {}
    turned_on: tuple[str, ...] = ()

    def with_severity(self, finding: Finding) -> Finding | None:
        """The finding with the severity that it is to have; None when it does not count."""
        if finding.rule in ALWAYS:
            return finding
        severity = self._severity(finding.rule, finding.severity)
        if severity is finding.severity:
            return finding
        return None if severity is None else finding._replace(severity=severity)

    def runs(self, rule: Rule) -> bool:
        """Whether a rule needs to be looked at."""
        return self._severity(rule.id, rule.severity) is not None

    def _severity(self, rule: str, own: Severity | None) -> Severity | None:
        known = find_rule(rule)
        names = {rule: None, known.id: None} if known else {rule: None}
        if not names.keys().isdisjoint(self.ignore):
            return None
        if self.select is not None and names.keys().isdisjoint(self.select):
            return None
        for name in names:
            if name in self.severity:
                return self.severity[name]
        off_by_default = known is not None and known.severity is None
        if not off_by_default:
            return own
        on = self.select is not None or rule in self.turned_on
        return Severity.WARNING if on else None


ALL_RULES = Selection()


def parse_severity(text: str) -> Severity | None:
    """A severity by its name; None for ``off``."""
    return None if text == OFF else Severity(text)


def check_rules(
    counted: Iterable[str], with_severity: Iterable[str], declared: Collection[str], where: str = ""
) -> None:
    """Refuse ids that no rule has, and settings that cannot be.

    Args:
        counted: ids that are selected.
        with_severity: ids that are turned off, given another severity or suppressed.
        declared: the ids of rules that schemas and profiles declare.
        where: the file that says so, for the message.

    Raises:
        ConfigurationError: an id is unknown, or the rule of an id cannot be changed.
    """
    with_severity = tuple(with_severity)
    prefix = f"{where}: " if where else ""
    for rule in (*counted, *with_severity):
        if rule not in rule_ids() and rule not in declared:
            from manifestkit.schema.suggest import nearest  # noqa: PLC0415 - rarely needed

            near = nearest(rule, {*rule_ids(), *declared})
            hint = f"did you mean `{near}`?" if near else "`manifest rules` lists them"
            raise ConfigurationError(f"{prefix}there is no rule `{rule}`; {hint}")
    for rule in with_severity:
        if rule in ALWAYS:
            raise ConfigurationError(
                f"{prefix}`{rule}` is always an error: such a file cannot be judged at all"
            )
