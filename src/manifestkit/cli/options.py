"""Options that several commands take.

Each group is a dataclass, and a decorator that adds its options to a command and passes their
values as one object.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from functools import wraps
from pathlib import Path
from typing import Any, TextIO

import click

from manifestkit.cli.output import Output
from manifestkit.cli.parameters import (
    LIMIT,
    LIMITS,
    RULE,
    RULE_SEVERITY,
    STDIN_PATH,
    Choice,
    FilePath,
    OutputFormat,
)
from manifestkit.engine import Options
from manifestkit.model.finding import Severity
from manifestkit.rendering import FORMATS
from manifestkit.rules.checks import ignored_member

Command = Callable[..., Any]


def option(text: str, *flags: str, **attributes: Any) -> Any:
    """Return a field of an option group.

    Args:
        text: its help.
        flags: how it is written; by default, the name of the field after two hyphens.
        attributes: what `click.option` takes besides.
    """
    default = attributes.get("default", () if attributes.get("multiple") else None)
    if attributes.get("is_flag"):
        default = False
    return field(default=default, metadata={"flags": flags, "help": text, **attributes})


def option_group(
    name: str, group: type, *only: str, **changes: dict[str, Any]
) -> Callable[[Command], Command]:
    """Return a decorator that adds the options of a group, and passes their values as one object.

    Args:
        name: the command's parameter for the object.
        group: the dataclass of the object; each of its fields is an `option`.
        only: the fields to add options for; the others keep their defaults. All, if none is named.
        changes: what differs for this command, by the field: attributes of `click.option`.
    """
    chosen = [each for each in fields(group) if not only or each.name in only]

    def add(command: Command) -> Command:
        @wraps(command)
        def run(**values: Any) -> Any:
            own = {each.name: values.pop(each.name) for each in chosen}
            return command(**values, **{name: group(**own)})

        filled: Command = run
        for each in reversed(chosen):
            attributes = {**each.metadata, **changes.get(each.name, {})}
            flags = attributes.pop("flags") or (f"--{each.name.replace('_', '-')}",)
            filled = click.option(*flags, each.name, **attributes)(filled)
        return filled

    return add


FILE: dict[str, Any] = {"type": FilePath(path_type=Path), "metavar": "FILE"}
"""Attributes of an option that names a file."""


@dataclass(frozen=True)
class RuleOptions:
    """Options that say what counts as a finding."""

    schema: Path | None = option(
        "Check against this JSON Schema instead of the built-in one.", **FILE
    )
    profile: tuple[Path, ...] = option(
        "Also check against this profile: a JSON Schema with a host's requirements. May be "
        "repeated.",
        multiple=True,
        **FILE,
    )
    select: tuple[str, ...] = option(
        "Report only this rule. May be repeated.", multiple=True, type=RULE
    )
    ignore: tuple[str, ...] = option(
        "Do not report this rule. May be repeated.", multiple=True, type=RULE
    )
    severity: tuple[tuple[str, Severity | None], ...] = option(
        "Set a rule's severity: error, warning, info or off. May be repeated.",
        multiple=True,
        type=RULE_SEVERITY,
    )
    strict: bool = option("Also report members that the format does not have.", is_flag=True)
    fail_on: str | None = option(
        "Exit with 1 if a finding has at least this severity.  [default: error]",
        type=Choice([each.value for each in Severity]),
    )
    baseline: Path | None = option("Do not report the findings listed in this file.", **FILE)
    config: Path | None = option("Use this configuration file for every manifest.", **FILE)
    isolated: bool = option(
        "Ignore configuration files, and comments that suppress findings.", is_flag=True
    )
    force_exclude: bool = option(
        "Skip excluded files and manifests of another kind even if they are given by name (for "
        "hooks).",
        is_flag=True,
    )
    limit: tuple[tuple[str, int], ...] = option(
        "Change a limit of the reader. Defaults: "
        f"{', '.join(f'{name}={default}' for name, default in LIMITS.items())}. May be repeated.",
        multiple=True,
        type=LIMIT,
    )

    def options(self) -> Options:
        """Return them as the options of a workspace.

        Raises:
            click.UsageError: they cannot be combined.
        """
        if self.isolated and self.config:
            raise click.UsageError("--isolated and --config cannot be combined")
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
            turned_on=(ignored_member.ID,) if self.strict else (),
            limits=dict(self.limit),
        )


def output_help(names: Iterable[str], default: str) -> str:
    """Return the help of `--output-format`."""
    return (
        f"Output format, and the file to write it to: {', '.join(names)}. May be repeated, each "
        f"with its own FILE.  [default: {default}]"
    )


@dataclass(frozen=True)
class ReportOptions:
    """Options that say how findings are reported."""

    output_format: tuple[Output, ...] = option(
        output_help(FORMATS, "full on a terminal, concise elsewhere"),
        multiple=True,
        type=OutputFormat(FORMATS),
        envvar="MANIFEST_OUTPUT_FORMAT",
        show_envvar=True,
    )
    output_file: Path | None = option(
        "Write the report to this file; of several formats, the one without a FILE.",
        "-o",
        "--output-file",
        **FILE,
    )
    color: str = option(
        "When to use colours.",
        type=Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
    )
    quiet: bool = option("Show findings without the summary.", "-q", "--quiet", is_flag=True)
    exit_zero: bool = option("Exit with 0 even when a manifest is invalid.", is_flag=True)

    @property
    def wanted(self) -> tuple[Output, ...]:
        """The outputs that are asked for."""
        file = self.output_file
        if file is None or str(file) == STDIN_PATH:
            return self.output_format
        formats = self.output_format or (Output("concise"),)
        return tuple(each if each.file else Output(each.format, file) for each in formats)

    def outputs(self, stream: TextIO) -> tuple[Output, ...]:
        """Return the outputs, with the usual ones of a stream where none is asked for.

        A job of GitHub Actions gets annotations, too.
        """
        usual = Output("full" if stream.isatty() else "concise")
        is_job = os.environ.get("GITHUB_ACTIONS") == "true"
        return self.wanted or ((usual, Output("github")) if is_job else (usual,))
