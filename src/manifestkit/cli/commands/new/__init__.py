"""`manifest new`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from manifestkit.authoring.answers import read_answers
from manifestkit.authoring.inputs import Input
from manifestkit.authoring.starter import Starter
from manifestkit.cli.commands.new.prompts import Prompter
from manifestkit.cli.console import error, note, read_stdin, write_document
from manifestkit.cli.exit_codes import ExitCode
from manifestkit.cli.options import OF, OptionGroup, argument, manifest_command, option
from manifestkit.engine.options import Options
from manifestkit.engine.workspace import Workspace
from manifestkit.files import create, rewrite
from manifestkit.model.document import Syntax
from manifestkit.model.errors import ManifestkitError
from manifestkit.model.finding import Severity
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.rendering.escape import visible
from manifestkit.rules.checks import ignored_member

_STARTER, _PARAMS = f"{__name__}.starter", f"{__name__}.params"


class SchemaCommand(click.Command):
    """Has an option for each value of the schema: that of `--schema`, or as configured.

    The configuration is that of the folder in which the command's first argument is to stand; its
    name, or what it says already, tells the format, if `--of` does not.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read `--schema`, `--of` and the argument first: they say which options there are."""
        ahead = self._ahead(ctx, args)
        schema = Path(ahead["--schema"]) if "--schema" in ahead else None
        try:
            options = Options(schema=schema, severity={ignored_member.ID: Severity.INFO})
            workspace = Workspace(options, uses_baseline=False)
            self._ask(ctx, workspace, ahead.get("PATH"), ahead.get("--of"))
        except ManifestkitError:
            if not ctx.resilient_parsing and not {*ctx.help_option_names} & {*args}:
                raise
        return super().parse_args(ctx, args)

    def _ahead(self, ctx: click.Context, args: list[str]) -> dict[str, str]:
        """Return the values of options, each the last, and the first argument as `PATH`."""
        own = super().get_params(ctx)
        # Every answer is an option with a value.
        flags = {name for each in own if getattr(each, "is_flag", False) for name in each.opts}
        found: dict[str, str] = {}
        given = iter(args)
        for each in given:
            name, equals, value = each.partition("=")
            if each == "--" or not each.startswith("-"):
                path = next(given, None) if each == "--" else each
                if path is not None:
                    found.setdefault("PATH", path)
            elif name not in flags:
                found[name] = value if equals else next(given, "")
        return found

    def _ask(
        self, ctx: click.Context, workspace: Workspace, path: str | None, of: str | None
    ) -> None:
        own = super().get_params(ctx)
        taken = {name[2:] for each in own for name in each.opts if name.startswith("--")}
        starter = ctx.meta[_STARTER] = Starter.at(workspace, path, of, taken)
        ctx.meta[_PARAMS] = [_option(*each) for each in starter.questions.items()]

    def _answers(self, ctx: click.Context) -> list[click.Option]:
        if _PARAMS not in ctx.meta:
            self._ask(ctx, Workspace(Options(isolated=True)), None, None)
        found: list[click.Option] = ctx.meta[_PARAMS]
        return found

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the command's own parameters, and those of the schema."""
        return [*super().get_params(ctx), *self._answers(ctx)]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the schema's options first, under their own heading."""
        own = [each for each in super().get_params(ctx) if isinstance(each, click.Option)]
        for heading, params in (("Answers", self._answers(ctx)), ("Options", own)):
            records = [each.get_help_record(ctx) for each in params]
            with formatter.section(heading):
                formatter.write_dl([record for record in records if record])


def _param(name: str) -> str:
    return f"input_{name.replace('-', '_')}"


def _option(name: str, question: Input) -> click.Option:
    field = question.single.field
    about = visible(field.description or field.title or "")
    shown = visible(question.form) or ("VALUE" if field.values else None)
    declared = option(
        f"{about} May be repeated." if question.item else about,
        f"--{name}",
        words=lambda *_: {str(value): meaning for value, meaning in field.values},
        metavar=shown or "/".join(field.types).upper().replace("STRING", "TEXT"),
    )
    made: click.Option = declared.parameter(_param(name), "tuple[str, ...]", {})
    return made


class NewOptions(OptionGroup):
    """Options besides those for values of the schema."""

    yes: bool = option("Do not ask: use the schema's examples, or else the first allowed value.")
    source: str | None = option(
        "Read answers from a file or standard input: a manifest or a part of one, in JSON or YAML.",
        "--from",
        metavar="FILE|-",
    )
    syntax: Syntax | None = option(
        "Syntax of the manifest.  [default: from the suffix of PATH, or else json]",
        "--format",
        choices=["json", "yaml"],
    )
    fill: bool = option("Add the missing members to the manifest at PATH, and change nothing else.")
    dry_run: bool = option("Print the manifest without writing it.")
    with_schema: bool = option(
        "Also write the schema next to the manifest, and refer to it in the manifest, for editors."
    )
    schema: Path | None = option(
        "Ask for what this JSON Schema requires, instead of the configured or the built-in one."
    )


@manifest_command(
    """
    manifest new                            ask for each value
    manifest new app/manifest.yaml          YAML, with comments
    manifest new --id com.example.box --name Box --version 1.0.0 \\
        --entrypoint dist/index.js --sdk-version 1.0 --activity box="Box breathing"
    manifest new --from answers.json        read the answers from a file
    manifest new manifest.json --fill       add only missing members
    """,
    """
    0    written, or printed with --dry-run
    2    an answer is missing or invalid, a file exists already, or wrong usage; nothing is written
    130  interrupted; nothing is written
    """,
    cls=SchemaCommand,
)
def command(
    *,
    path: str | None = argument(required=False, path="any"),
    options: NewOptions = NewOptions.group(),
    of: str | None = OF,
    **given: Any,
) -> int:
    """Create a manifest, asking for missing values.

    PATH is the file to create, or a folder for it; without PATH, the file is named after the last
    part of the provider's id. The configuration that covers PATH applies, as for
    `manifest lint`. The file name or --of selects the format. Existing files are never overwritten,
    and --fill only adds members. Questions are asked only on a terminal.
    """
    del of  # as `--schema`, it says which options there are
    if path == "-":
        raise click.UsageError("- is not a file: to print the manifest, use --dry-run")
    starter: Starter = click.get_current_context().meta[_STARTER]
    texts = {name: found for name in starter.questions if (found := given[_param(name)])}
    answers = None
    if options.source is not None:
        piped = read_stdin(DEFAULT_LIMITS.bytes) if options.source == "-" else None
        answers = read_answers(options.source, piped)
    prompter = None if options.yes else Prompter.at_terminal()
    starter = replace(
        starter,
        texts=texts,
        answers=answers,
        prompt=prompter.ask if prompter else None,
        with_examples=options.yes,
        syntax=options.syntax,
        with_schema=options.with_schema,
    )
    if not options.fill:
        made = starter.create()
    elif path is None:
        raise click.UsageError("--fill needs the PATH of a manifest")
    elif options.syntax or options.with_schema:
        raise click.UsageError("--fill cannot be combined with --format or --with-schema")
    else:
        made = starter.fill(Path(path))
    for problem in made.problems:
        error(problem)
    if made.problems and not (prompter and prompter.may_write_anyway()):
        return ExitCode.USAGE
    for each in made.notes:
        note(each)
    if options.dry_run:
        write_document(made.text)
    else:
        _write(made.files, made.before, made.written)
    return ExitCode.CLEAN


def _write(files: Mapping[Path, str], before: bytes | None, written: Sequence[str]) -> None:
    created: list[Path] = []
    try:
        for file, text in files.items():
            if before is not None:
                rewrite(file, text.encode(), before)
                continue
            create(file, text)
            created.append(file)
    except BaseException:  # an interrupt too leaves nothing behind
        for file in created:
            file.unlink()
        raise
    for each in written:
        note(each)
