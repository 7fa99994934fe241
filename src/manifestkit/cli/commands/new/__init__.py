"""`manifest new`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from manifestkit.authoring.inputs import Input, missing_inputs
from manifestkit.authoring.project import project_values
from manifestkit.authoring.starter import (
    Answers,
    findings_at,
    in_order,
    joined,
    missing_by_mistake,
    read_source,
    with_empty_lists,
    with_starters,
    with_value,
)
from manifestkit.authoring.text import as_text, syntax_of
from manifestkit.cli import exit_codes
from manifestkit.cli.commands.new.fill import fill
from manifestkit.cli.commands.new.options import Inputs, SchemaCommand, inputs_of
from manifestkit.cli.commands.new.prompts import Prompter, is_terminal
from manifestkit.cli.commands.new.target import NewFiles
from manifestkit.cli.console import error, note, read_stdin, write_document
from manifestkit.cli.options import OF, Choice, FilePath
from manifestkit.decode import decode
from manifestkit.engine import Policy, Workspace
from manifestkit.engine import Target as LintTarget
from manifestkit.files import is_folder, posix_name, read_bytes, reason_of
from manifestkit.model.errors import AuthoringError, ConfigurationError, UnreadableFileError
from manifestkit.model.finding import Finding, Severity
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.pointer import Path as Pointer
from manifestkit.model.pointer import format_pointer

_STDIN = "-"
_SHOWN = 3


class _PathType(FilePath):
    """A file, or a folder that must be there when the text ends as only a folder's does."""

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str | bytes | os.PathLike[str]:
        """Return the path, if it can be one."""
        if os.fspath(value).endswith(("/", os.sep)) and not is_folder(value):
            raise ConfigurationError(f"no such folder: {os.fspath(value)}")
        return super().convert(value, param, ctx)


@click.command(
    cls=SchemaCommand,
    epilog="""\b
Examples:
  manifest new                            ask for each value
  manifest new app/manifest.yaml          YAML, with comments
  manifest new --id com.example.box --name Box --version 1.0.0 \\
      --entrypoint dist/index.js --sdk-version 1.0 --activity box="Box breathing"
  manifest new --yes --dry-run            print a manifest of example values
  manifest new --from answers.json        read the answers from a file
  manifest new x.robot.json               a format configured for this name
  manifest new --schema host.schema.json  follow another schema
  manifest new manifest.json --fill       add only missing members

\b
Exit codes:
  0    written, or printed with --dry-run
  2    an answer is missing or invalid, a file exists already, or wrong usage; nothing is written
  130  interrupted; nothing is written
""",
)
@click.argument("path", required=False, type=_PathType(path_type=Path))
@click.option(
    "--yes",
    is_flag=True,
    help="Do not ask: use the project's name, version and id, or the folder's name, then the "
    "schema's examples, or else the first allowed value.",
)
@click.option(
    "--from",
    "source",
    metavar="FILE|-",
    help=(
        "Read answers from a file or standard input: a manifest or a part of one, in JSON or YAML."
    ),
)
@click.option(
    "--format",
    "syntax",
    type=Choice(["json", "yaml"]),
    help="Syntax of the manifest.  [default: from the suffix of PATH, or else json]",
)
@click.option(
    "--fill",
    is_flag=True,
    help="Add the missing members to the manifest at PATH, and change nothing else.",
)
@click.option("--dry-run", is_flag=True, help="Print the manifest without writing it.")
@click.option(
    "--with-schema",
    is_flag=True,
    help=(
        "Also write the schema next to the manifest, and refer to it in the manifest, for editors."
    ),
)
@click.option(
    "--schema",
    metavar="FILE",
    type=FilePath(path_type=Path),
    help="Ask for what this JSON Schema requires, instead of the configured or the built-in one.",
)
@OF
@click.pass_context
def command(ctx: click.Context, /, path: Path | None, **settings: Any) -> int:
    """Create a manifest, asking for missing values.

    PATH is the file to create, or a folder for it; without PATH, the file is named after the last
    part of the provider's id. The schema, profiles and rules configured there apply, as for
    `manifest lint`. The file name or --of selects the format. Existing files are never overwritten,
    and --fill only adds members. Questions are asked only on a terminal.
    """
    inputs = inputs_of(ctx)
    policy = inputs.policy
    if settings["fill"]:
        return _fill(path, policy, inputs, settings)
    target = NewFiles(
        path,
        syntax_of(path, settings["syntax"]),
        policy,
        inputs.workspace.schema_file(inputs.folder, policy.formats.default),
        settings,
    )
    source = _source(settings["source"])
    value = source.value if source else {}
    target.check(value)
    texts = inputs.texts(settings)
    for name, text in texts.items():
        value = _with_option(value, name, inputs.by_name[name], text)
    target.check(value)
    options = {inputs.by_name[name].path: f"--{name}" for name in texts}
    _check_names(policy, value, options, source)
    value = _completed(policy, value, target.check, inputs, yes=settings["yes"])
    value = in_order(policy.schema, value)
    target.check(value)
    text = as_text(policy.schema, value, target.syntax, target.reference(value))
    findings = _linted(inputs.workspace, target.file(value), text)
    least = max(policy.fail_on.rank, Severity.WARNING.rank)
    bad = [each for each in findings if each.severity.rank <= least]
    if bad:
        for finding in bad:
            error(_line(finding, options, source, policy))
        return exit_codes.USAGE
    return _finish(target, value, text, findings)


def _linted(workspace: Workspace, file: Path, text: str) -> tuple[Finding, ...]:
    """Return the findings that `manifest lint` will have in a file."""
    target = LintTarget(posix_name(file), found=False)
    return workspace.lint(
        target, workspace.decode(text.encode(), target.name, target.folder)
    ).findings


def _fill(path: Path | None, policy: Policy, inputs: Inputs, settings: dict[str, Any]) -> int:
    source = _source(settings["source"])
    texts = inputs.texts(settings)
    options = {inputs.by_name[name].path: f"--{name}" for name in texts}

    def completed(value: Any) -> Any:
        value = joined(value, source.value) if source else value
        for name, text in texts.items():
            value = _with_option(value, name, inputs.by_name[name], text)
        _check_names(policy, value, options, source)
        return _completed(policy, value, lambda _: None, inputs, yes=settings["yes"])

    def told(finding: Finding) -> str:
        return _line(finding, options, source, policy)

    return fill(path, settings, inputs, completed, told)


def _source(name: str | None) -> Answers | None:
    if name is None:
        return None
    if name == _STDIN:
        return read_source(read_stdin(DEFAULT_LIMITS.bytes), "<stdin>", is_file=False)
    try:
        data = read_bytes(Path(name), DEFAULT_LIMITS.bytes)
    except UnreadableFileError as problem:
        raise ConfigurationError(f"{problem.path}: {problem.reason}") from None
    return read_source(data, posix_name(name), is_file=True)


def _with_option(value: Any, name: str, entry: Input, text: Any) -> Any:
    try:
        return with_value(value, entry.path, entry.value([text] if isinstance(text, str) else text))
    except AuthoringError as problem:
        raise ConfigurationError(f"--{name}: {problem}") from None


def _check_names(
    policy: Policy, value: Any, options: Mapping[Pointer, str], source: Answers | None
) -> None:
    """Refuse a missing member that is there by another name: a default would take its place.

    Raises:
        ConfigurationError: there is such a member.
    """
    lines = [
        _line(each, options, source, policy)
        for each in missing_by_mistake(policy.schema, decode(json.dumps(value), "manifest.json"))
    ]
    if lines:
        raise ConfigurationError("; ".join(lines[:_SHOWN]))


def _completed(
    policy: Policy, value: Any, check: Callable[[Any], None], inputs: Inputs, *, yes: bool
) -> Any:
    """Complete a value with what it must have, by starters, examples or prompts."""
    schema = policy.schema
    defaults = _defaults(policy, value, inputs, yes=yes)
    if yes:
        for path, default in defaults.items():
            value = with_value(value, path, default)
        value = with_starters(schema, value, examples=True)
    offered = with_empty_lists(policy, with_starters(schema, value, examples=False))
    missing = list(missing_inputs(schema, offered))
    if not missing:
        return offered
    if not yes and is_terminal():
        return Prompter(policy, check, defaults).complete(value)
    names = {entry.path: name for name, entry in inputs.by_name.items()}
    listed = [
        f"--{names[each.path]} {each.form}".rstrip()
        if each.path in names
        else format_pointer(each.path)
        for each in missing
    ]
    by = "with --from FILE"
    if any(each.path in names for each in missing):
        by = f"with these options or {by}"
    do = (
        f"the schema has no example for it; answer {by}"
        if yes
        else f"answer {by}, or use --yes to accept the examples"
    )
    raise ConfigurationError(f"missing: {', '.join(listed)}; {do}")


def _defaults(policy: Policy, value: Any, inputs: Inputs, *, yes: bool) -> dict[Pointer, Any]:
    """Return the project's values for missing members that have no findings."""
    if not yes and not is_terminal():
        return {}
    missing = {each.path for each in missing_inputs(policy.schema, value)}
    if not missing:
        return {}
    found = project_values(policy.schema, Path(inputs.folder))
    return {
        path: each
        for path, each in found.items()
        if path in missing and not findings_at(policy, with_value(value, path, each), path)
    }


def _line(
    finding: Finding, options: Mapping[Pointer, str], source: Answers | None, policy: Policy
) -> str:
    """Return a finding in one line, with the place to fix it at."""
    below = f"{finding.pointer}/"
    option = next(
        (name for at, name in options.items() if below.startswith(f"{format_pointer(at)}/")), None
    )
    place = option or (source.place(finding.pointer) if source else None)
    where = " ".join(filter(None, (place, finding.pointer)))
    if source and place and not option:
        finding = source.as_written(policy, finding)
    help_text = f"; {finding.help}" if finding.help else ""
    return f"{where or 'the manifest'}: {finding.message}{help_text}"


def _finish(target: NewFiles, value: Any, text: str, findings: Sequence[Finding]) -> int:
    for finding in findings:
        note(f"{finding.pointer}: {finding.message}; {finding.help}")
    if target.dry_run:
        write_document(text)
        return exit_codes.CLEAN
    try:
        written = target.write(value, text)
    except OSError as problem:
        name = problem.filename or posix_name(target.file(value))
        error(f"{name}: cannot be written: {reason_of(problem)}")
        return exit_codes.USAGE
    for file in written:
        note(f"{posix_name(file)} is written")
    better = target.name_to_be_found(written[0])
    if better:
        note(
            "`manifest lint` checks this file only when it is given by name; in a folder, it "
            f"looks for names such as {better}"
        )
    return exit_codes.CLEAN
