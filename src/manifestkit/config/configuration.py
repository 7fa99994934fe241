"""The configuration of a folder, and the rules that it selects."""

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from manifestkit.files import relative_name
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.finding import Severity
from manifestkit.model.pointer import Path as Pointer
from manifestkit.model.report import STDIN
from manifestkit.rules.catalogue import find_rule, rule_ids, setting_names

if TYPE_CHECKING:
    from manifestkit.config.exclude import Ignore
    from manifestkit.schema.formats import Format


_OF_RUNS = frozenset({"crash", "unreadable-file"})
ALWAYS = _OF_RUNS | {"limit-exceeded", "not-compared", "syntax-error", "yaml-unsupported"}
"""Rules that no setting changes: silence would look like a good file."""

NOT_SUPPRESSED = frozenset({*ALWAYS, "archive"})
"""Rules about no part of a manifest: nothing suppresses them, and no profile may name them."""


class Selection(NamedTuple):
    """The rules that count, and how much; ``schema-keyword`` is every ``schema-<keyword>``.

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

    def turns_on(self, rule: str) -> bool:
        """Return whether a rule that is off by default is turned on."""
        return rule in (self.select or ()) or self.severity.get(rule) is not None

    def counts(self, rule: str) -> bool:
        """Return whether a rule may find something."""
        known = find_rule(rule)
        return self.severity_of(rule, known.severity if known else Severity.ERROR) is not None

    def severity_of(self, rule: str, own: Severity | None) -> Severity | None:
        """Return the severity that a finding of a rule is to have; None when it does not count.

        Args:
            rule: its id.
            own: the severity that it has if no other is set; None where it is off by default.
        """
        names = setting_names(rule)
        if not set(names).isdisjoint(self.ignore):
            return None
        if self.select is not None and set(names).isdisjoint(self.select):
            return None
        for name in names:
            if name in self.severity:
                return self.severity[name]
        if own is not None:
            return own
        on = self.select is not None or rule in self.turned_on
        return Severity.WARNING if on else None


class Suppression(NamedTuple):
    """One entry of the configuration's `suppress`.

    Attributes:
        rule: the rule that it suppresses; `schema-keyword` stands for every `schema-<keyword>`.
        reason: why.
        files: the files that it speaks of; None for all.
        example: one of them, which may not be there.
        pointer: the places that it speaks of; `*` stands for one name or index, and an array's
            item may be named by its `id` or by itself, with a `=` before what looks like an index;
            None for all.
        places: the pointers that this stands for, as a regular expression.
        expires: the last day on which it holds; None for ever.
        source: the configuration file.
        number: which of the file's entries it is.
        line: its line there.
    """

    rule: str
    reason: str
    files: "Ignore | None"
    example: Path | None
    pointer: str | None
    places: re.Pattern[str] | None
    expires: date | None
    source: str
    number: int
    line: int

    @property
    def place(self) -> tuple[str, int]:
        """The file and the number, which no other entry has."""
        return self.source, self.number

    def covers(self, name: str) -> bool:
        """Return whether it speaks of a file."""
        return self.files is None or (name != STDIN and self.files.covers(Path(name)))

    @property
    def is_pattern(self) -> bool:
        """Return whether it is for more than one place."""
        return self.pointer is None or "*" in self.pointer

    def applies_to(self, rule: str, pointers: set[str]) -> bool:
        """Return whether it is for a rule at a place, which may be written in several ways."""
        if self.rule not in setting_names(rule):
            return False
        return self.places is None or any(map(self.places.fullmatch, pointers))

    def expired(self, today: date) -> bool:
        """Return whether it has expired."""
        return self.expires is not None and self.expires < today


OWN_FILE = "manifestkit.toml"
SHARED_FILE = "pyproject.toml"


class Publishing(NamedTuple):
    """The configuration of deploys; None for what is not configured and has no default."""

    base_url: str | None = None
    api_form: str = "base"
    domain: str | None = None
    folder: Path | None = None
    manifest: str | None = None
    fail_on: Severity | None = None
    ignore: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    site_token_env: str = "MANIFESTKIT_SITE_TOKEN"  # noqa: S105 - the name of a variable
    site_token_part: str = "site_token"  # noqa: S105 - the name of a part
    token_placement: str | None = None
    max_entries: int = 20_000
    max_size: int = 2 * 1024**3
    max_wait: float = 60.0


class Configuration(NamedTuple):
    """The configuration of the files of a folder: its options, and the file of each of them.

    Attributes:
        source: the file that says so; None where there is none.
        files: that file, and those that it extends.
        origins: the file and line of each option, and of each member of `severity`, `limits` and
            `publish`.
        formats: manifests of other formats than ours, with schemas of their own.
        select: the only rules that count; None for all that are on by default.
        severity: what rules have in place of their own severity; None turns a rule off.
    """

    source: Path | None = None
    files: tuple[Path, ...] = ()
    origins: Mapping[Pointer, tuple[Path, int]] = {}
    exclude: "Ignore | None" = None
    schema: Path | None = None
    profiles: tuple[Path, ...] = ()
    change_profiles: tuple[Path, ...] = ()
    formats: tuple["Format", ...] = ()
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity | None] = {}
    fail_on: Severity = Severity.ERROR
    baseline: Path | None = None
    suppressions: tuple[Suppression, ...] = ()
    limits: Mapping[str, int] = {}
    publish: Publishing = Publishing()

    def check(
        self,
        declared: Collection[str],
        counted: Iterable[str] = (),
        with_severity: Iterable[str] = (),
    ) -> None:
        """Refuse ids that no rule has: those of options, then those of its files.

        Args:
            declared: the ids of rules that schemas and profiles declare.
            counted: ids that options select.
            with_severity: ids that options turn off, or give another severity.

        Raises:
            ConfigurationError: an id is unknown, or the rule of an id cannot be changed so.
        """
        at, entries = self.file_of, self.suppressions
        named = [
            *((rule, "", False) for rule in counted),
            *((rule, "", True) for rule in with_severity),
            *((rule, f"{at('select')}: select: ", False) for rule in self.select or ()),
            *((rule, f"{at('ignore')}: ignore: ", True) for rule in self.ignore),
            *((rule, f"{at('severity', rule)}: severity: ", True) for rule in self.severity),
            *(
                (each.rule, f"{each.source}:{each.line}: suppress[{each.number}]: ", True)
                for each in entries
            ),
        ]
        for rule, prefix, is_changed in named:
            _check_rule(rule, declared, prefix, is_changed=is_changed)
        for each in entries:
            if each.rule in NOT_SUPPRESSED:
                raise ConfigurationError(
                    f"{each.source}:{each.line}: `{each.rule}` cannot be suppressed: ignore it, or "
                    "give it another severity"
                )

    def file_of(self, *option: str) -> str:
        """Return the file and line that set an option, as the user is told; empty for none."""
        if option not in self.origins:
            return ""
        path, line = self.origins[option]
        return f"{relative_name(path)}:{line}" if line else relative_name(path)


def _check_rule(rule: str, declared: Collection[str], prefix: str, *, is_changed: bool) -> None:
    """Refuse an id that no rule has, and a change of a rule that cannot be changed."""
    if rule not in rule_ids() and rule not in declared:
        from manifestkit.findings.words import listed, named  # noqa: PLC0415 - rarely needed
        from manifestkit.schema.suggest import nearest  # noqa: PLC0415 - likewise

        known = {*rule_ids(), *declared}
        near = nearest(rule, known)
        begun = sorted(each for each in known if rule and each.startswith(f"{rule}-"))
        meant = listed([near] if near else begun, say=named)
        hint = f"did you mean {meant}?" if meant else "`manifest explain` lists them"
        if "," in rule:
            several = rule.replace(",", " ")
            hint = f"repeat the option for each; in a variable, blanks stand between: `{several}`"
        elif "/" in rule or "*" in rule[:-1]:
            deploy = " of a deploy, move the line under `[publish]`; for others" if prefix else ""
            hint = f"for files{deploy}, write `exclude = [{chr(34)}{rule}{chr(34)}]`"
        elif rule.lower() in ("*", "all", "default"):
            hint = "leave it out: rules are on unless they are off by default"
        raise ConfigurationError(f"{prefix}unknown rule `{rule}`; {hint}")
    if rule in (ALWAYS if is_changed else _OF_RUNS):  # of a run, there is nothing to select
        cannot = "it cannot be ignored, suppressed or changed" if is_changed else "leave it out"
        raise ConfigurationError(f"{prefix}`{rule}` is always reported: {cannot}")
