"""`manifest profile test`: a host's good and bad examples against its profile."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from manifestkit.cli.console import note, say, show, style_for
from manifestkit.cli.exit_codes import ExitCode
from manifestkit.cli.options import argument, command_group, manifest_command, option
from manifestkit.engine.discovery import Target
from manifestkit.engine.options import Options
from manifestkit.engine.workspace import Workspace
from manifestkit.files import is_folder, posix_name, reason_of
from manifestkit.findings.words import counted, listed, named
from manifestkit.model.document import SUFFIXES
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.finding import Severity
from manifestkit.rendering.escape import visible
from manifestkit.rules.catalogue import named_rules, rule_ids
from manifestkit.schema.suggest import nearest

_EXAMPLE = re.compile(r"(?P<rule>[^.]+)\.(?P<kind>good|bad)(?:\.[^.]+)*\.(?:json|ya?ml)")
_NAMES = "RULE.good.json, RULE.bad.json (or .yaml, .yml)"
_EXIT_CODES = """
    0   all examples pass
    1   an example fails
    2   wrong usage or configuration, no profile, no example, or one that cannot be read
"""


@command_group(
    """
    manifest profile test examples --profile host.schema.json
    """,
    _EXIT_CODES,
)
def command() -> None:
    """Test a profile with good and bad examples."""


@manifest_command(
    """
    manifest profile test examples --profile host.schema.json
    manifest profile test                  those in this folder, by the configured profile
    """,
    _EXIT_CODES,
)
def check_examples(
    *,
    folder: Path = argument(default=".", metavar="[DIR]"),
    profiles: tuple[Path, ...] = option(
        "The profile to test.  [default: those configured for DIR]  May be repeated.",
        "--profile",
    ),
) -> int:
    """Check the findings in the examples in DIR.

    RULE.bad.json must have a finding of that rule, and no error of another; RULE.good.json must
    have no findings. A name can have another part, as in RULE.bad.no-timer.yaml. A rule without a
    bad example is named, and does not fail.
    """
    if folder.suffix in SUFFIXES and not is_folder(folder):
        name = posix_name(folder)
        do = f"name a folder with {_NAMES}, and a profile with --profile"
        do = f"`lint` checks a manifest; to test a profile, {do}"
        if is_folder(Path("examples")) and not _EXAMPLE.fullmatch(folder.name):
            line = f"manifest profile test examples --profile {shlex.quote(name)}"
            do = f"if it is the profile, write `{line}`"
        raise ConfigurationError(f"{name}: not a directory; {do}")
    workspace = Workspace(Options(profiles=profiles), uses_baseline=False)
    policy = workspace.policy(f"{posix_name(folder)}/")
    if not policy.profiles:
        raise ConfigurationError("no profile: use --profile FILE, or configure one")
    rules = [rule for each in policy.profiles for rule in named_rules(each)]
    names = _names_in(folder)
    examples = [found for each in sorted(names) if (found := _EXAMPLE.fullmatch(each))]
    if not examples:
        raise ConfigurationError(
            f"{posix_name(folder)}: no examples; name them {_NAMES}{_of_profile(rules)}"
        )
    style = style_for(sys.stdout)
    wrong = 0
    for each in examples:
        target = Target(posix_name(folder / each.string), found=False)
        reasons = list(_reasons(each, target, workspace, rules))
        verdict = style.paint("error", "FAIL") if reasons else "ok  "
        show(
            "".join(f"{verdict} {visible(each.string)}{visible(why)}\n" for why in reasons or [""])
        )
        wrong += bool(reasons)
    untested = set(rules) - {each["rule"] for each in examples if each["kind"] == "bad"}
    if untested:
        note(f"no bad example of {listed([named(rule) for rule in sorted(untested)], 'and')}")
    if wrong:
        note(
            "RULE.bad.json must have a finding of RULE, and no error of another rule; "
            "RULE.good.json must have no finding; each is a whole manifest"
        )
    failed = f", {wrong:,} failed" if wrong else ""
    say(f"{counted(len(examples), 'example')} checked{failed}")
    return ExitCode.FINDINGS if wrong else ExitCode.CLEAN


def _of_profile(rules: Sequence[str]) -> str:
    """Return the rules of a profile, or how to name one, to end a sentence."""
    if rules:
        return f"; the profile has {listed(sorted(rules), 'and', named)}"
    return (
        "; take the rules of its findings, such as `schema-pattern`, or name your own "
        'beside its keyword: `"x-manifestkit": {"rule": "..."}`'
    )


def _names_in(folder: Path) -> list[str]:
    try:
        return [each.name for each in folder.iterdir()]
    except OSError as problem:
        raise ConfigurationError(f"{posix_name(folder)}: {reason_of(problem)}") from None


def _reasons(
    example: re.Match[str], target: Target, workspace: Workspace, rules: Sequence[str]
) -> Iterator[str]:
    """Why an example is not judged as its name says."""
    rule, is_bad = example["rule"], example["kind"] == "bad"
    result = workspace.lint_file(target)
    known = {*rules, *rule_ids()}
    if rule not in known:
        near = nearest(rule, known)
        do = f"; did you mean {named(near)}?" if near else _of_profile(rules)
        yield f": there is no rule {named(rule)}{do}"
        return
    if is_bad and all(rule not in (each.rule, *each.covers) for each in result.findings):
        is_off = not workspace.policy(target.folder).counts(rule)
        yield f": {named(rule)} finds nothing{'; the configuration turns it off' * is_off}"
    for each in result.findings:
        is_meant = each.rule == rule or each.severity is not Severity.ERROR
        if not is_bad or not is_meant:
            place = f"{each.location.line}:{each.location.column}"
            yield f":{place}: {each.severity.value} {each.rule} {each.message}"


command.add_command(check_examples, "test")
