"""`manifest new`."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from manifestkit.authoring.inputs import Input, input_options, read_answers
from manifestkit.authoring.starter import Answers, Made, fill, start
from manifestkit.cli.commands.new.prompts import Prompter
from manifestkit.cli.console import error, note, read_stdin, write_document
from manifestkit.cli.exit_codes import ExitCode
from manifestkit.cli.inputs import name_advice
from manifestkit.cli.options import OF, OptionGroup, argument, manifest_command, option
from manifestkit.engine.options import Options
from manifestkit.engine.workspace import Workspace
from manifestkit.files import posix_name
from manifestkit.model.document import Syntax
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.finding import Severity


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
    manifest new calm.manifest.yaml         YAML, with comments
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
)
def command(
    *,
    path: str | None = argument(required=False, path="any"),
    options: NewOptions = NewOptions.group(),
    of: str | None = OF,
    **texts: tuple[str, ...],
) -> int:
    """Create a manifest, asking for missing values.

    PATH is the file to create, or an existing folder for it; without PATH, the file is named after
    the last part of the provider's id. The configuration that covers PATH applies, as for
    `manifest lint`. The file name or --of selects the format. Existing files are never overwritten,
    and --fill only adds members. Questions are asked only on a terminal. An entry point that is a
    path counts from the folder of the manifest.
    """
    if path == "-":
        raise click.UsageError("- is not a file: to print the manifest, use --dry-run")
    prompter = None if options.yes else Prompter.at_terminal()
    given = None if options.source is None else read_answers(options.source, read_stdin)
    answers = Answers(
        {name: texts[_param(name)] for name in input_options() if texts[_param(name)]},
        given,
        prompter.ask if prompter else None,
        options.yes,
    )
    severity = {"ignored-member": Severity.INFO}
    workspace = Workspace(Options(schema=options.schema, severity=severity), uses_baseline=False)
    if not options.fill:
        made = _started(workspace, path, of, answers, options)
    elif path is None:
        raise click.UsageError("--fill needs the PATH of a manifest")
    elif options.syntax or options.with_schema:
        raise click.UsageError("--fill cannot be combined with --format or --with-schema")
    else:
        made = fill(workspace, path, of, answers)
    for problem in made.problems:
        error(problem)
    if made.problems and not (prompter and prompter.may_write_anyway()):
        return ExitCode.USAGE
    if options.dry_run:
        write_document(made.text)
    else:
        made.write()
    _report(workspace, made, is_written=not options.dry_run)
    return ExitCode.CLEAN


def _started(
    workspace: Workspace, path: str | None, of: str | None, answers: Answers, options: NewOptions
) -> Made:
    try:
        return start(workspace, path, of, answers, options.syntax, with_schema=options.with_schema)
    except ConfigurationError as refused:
        if path and answers.texts and not Path(path).suffix:  # a word of one, without quotes?
            raise click.UsageError(f"PATH: {refused}") from refused
        raise


def _report(workspace: Workspace, made: Made, *, is_written: bool) -> None:
    for each in made.notes:
        note(each)
    if not is_written:
        return
    for file in made.files:
        name = posix_name(file)
        is_schema = file.name.endswith(".schema.json")
        check = f"; check it with `{shlex.join(('manifest', 'lint', name))}`"
        advice = "" if is_schema else f"{check}{name_advice(workspace, file)}"
        note(f"{name} is written{advice}")
    if not made.files:
        note("no member is missing")


def _param(name: str) -> str:
    return f"input_{name.replace('-', '_')}"


def _option(name: str, question: Input) -> click.Option:
    field = question.single.field
    about = field.description or field.title or ""
    declared = option(
        f"{about} May be repeated." if question.item else about,
        f"--{name}",
        words=lambda *_: {str(value): meaning for value, meaning in field.values},
        metavar=question.form or ("VALUE" if field.values else "TEXT"),
    )
    made: click.Option = declared.parameter(_param(name), "tuple[str, ...]", {})
    return made


command.params[1:1] = [_option(*each) for each in input_options().items()]
