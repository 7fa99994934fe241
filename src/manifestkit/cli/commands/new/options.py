"""A command whose options are made from a schema: one for each value that a manifest may have."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from manifestkit.authoring.inputs import Input, inputs
from manifestkit.cli.inputs import format_named
from manifestkit.cli.options import Word
from manifestkit.decode import decode
from manifestkit.engine import Options, Policy, Target, Workspace
from manifestkit.files import is_file, is_folder, posix_name
from manifestkit.model.errors import ConfigurationError, ManifestkitError, UnreadableFileError
from manifestkit.rendering import visible
from manifestkit.schema.formats import Format

_META = f"{__name__}.inputs"
_SCHEMA, _OF = "--schema", "--of"


@dataclass(frozen=True)
class Inputs:
    """Answers of one run, by options or prompts.

    Attributes:
        folder: the folder for the manifest: its configuration says what schemas there are.
        policy: the policy there for the format that is meant.
        by_name: the values that may be given by options, by the options' names.
        params: the options, in the same order.
    """

    workspace: Workspace
    folder: str
    policy: Policy
    by_name: Mapping[str, Input]
    params: tuple[click.Option, ...]

    def texts(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the texts that options were given, by the options' names."""
        texts: dict[str, Any] = {}
        for name, param in zip(self.by_name, self.params, strict=True):
            each = given[str(param.name)]
            if "" in ([each] if isinstance(each, str) else each or ()):
                raise ConfigurationError(f"--{name}: it is empty; give it a text, or leave it out")
            if each:
                texts[name] = each
        return texts


class SchemaCommand(click.Command):
    """Has an option for each value of the schema: that of `--schema`, or as configured.

    The configuration is that of the folder in which the command's first argument is to stand; its
    name, or what it says already, tells the format, if `--of` does not.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read `--schema`, `--of` and the argument first: they say which options there are."""
        schema, of, file = self._ahead(ctx, args)
        try:
            workspace = Workspace(Options(schema=Path(schema) if schema is not None else None))
            ctx.meta[_META] = _inputs(workspace, Path(file) if file else None, of, ctx)
        except ManifestkitError:
            if not ctx.resilient_parsing and not {*ctx.help_option_names} & {*args}:
                raise
        return super().parse_args(ctx, args)

    def _ahead(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, str | None, str | None]:
        """Return the values of `--schema` and `--of`, and the first argument."""
        own = super().get_params(ctx)
        # Every answer is an option with a value.
        flags = {name for each in own if getattr(each, "is_flag", False) for name in each.opts}
        found: dict[str, str] = {}
        arguments: list[str] = []
        given = iter(args)
        for each in given:
            name, equals, value = each.partition("=")
            if each == "--":
                arguments.extend(given)
            elif not each.startswith("-"):
                arguments.append(each)
            elif not equals and name not in flags:
                value = next(given, "")
            if name in (_SCHEMA, _OF):
                found[name] = value
        return found.get(_SCHEMA), found.get(_OF), next(iter(arguments), None)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the command's own parameters, and those of the schema."""
        return [*super().get_params(ctx), *inputs_of(ctx).params]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the schema's options first, under their own heading."""
        for heading, params in (
            ("Answers", inputs_of(ctx).params),
            ("Options", tuple(super().get_params(ctx))),
        ):
            records = [
                each.get_help_record(ctx) for each in params if isinstance(each, click.Option)
            ]
            with formatter.section(heading):
                formatter.write_dl([record for record in records if record])


def inputs_of(ctx: click.Context) -> Inputs:
    """Return the answers of a context."""
    if _META not in ctx.meta:
        ctx.meta[_META] = _inputs(Workspace(Options(isolated=True)), None, None, ctx)
    found: Inputs = ctx.meta[_META]
    return found


def _inputs(workspace: Workspace, file: Path | None, of: str | None, ctx: click.Context) -> Inputs:
    folder = ""
    if file:
        name = posix_name(file)
        folder = f"{name}/" if is_folder(file) else Target(name, found=False).folder
    every = workspace.policy(folder)
    policy = every.of_format(
        format_named(every.formats, of) if of else _format_of(file, workspace, every)
    )
    own = click.Command.get_params(ctx.command, ctx)
    taken = {name[2:] for each in own for name in each.opts if name.startswith("--")}
    by_name = inputs(policy.schema, taken)
    params = tuple(_option(name, entry) for name, entry in by_name.items())
    return Inputs(workspace, folder, policy, by_name, params)


def _format_of(file: Path | None, workspace: Workspace, policy: Policy) -> Format:
    """Return the format of a file by its name, and by what it says if it is there."""
    formats = policy.formats
    if file is None or is_folder(file):
        return formats.default
    value: Any = None
    if len(formats.rows) > 1 and is_file(file):
        with suppress(UnreadableFileError):
            value = decode(
                workspace.read(Target(posix_name(file), found=False)), file.name
            ).document.value
    return formats.of(posix_name(file), value)


def _option(name: str, entry: Input) -> click.Option:
    field = entry.single.field
    about = visible(field.description or "")
    shown = visible(entry.form) or ("VALUE" if field.values else None)
    return click.Option(
        [f"--{name}", f"input_{name.replace('-', '_')}"],
        type=Word("text", lambda *_: {str(value): meaning for value, meaning in field.values}),
        metavar=shown or "/".join(field.types).upper().replace("STRING", "TEXT"),
        multiple=entry.item is not None,
        help=f"{about} May be repeated." if entry.item else about,
    )
