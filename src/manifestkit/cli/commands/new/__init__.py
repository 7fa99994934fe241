"""`manifest new`."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

from manifestkit.authoring.changes import filled, kinds
from manifestkit.authoring.inputs import Input, inputs, missing_inputs
from manifestkit.authoring.project import project_values
from manifestkit.authoring.starter import (
    as_written,
    findings_at,
    in_order,
    joined,
    missing_by_mistake,
    place_in,
    read_source,
    unused,
    with_empty_lists,
    with_starters,
    with_value,
)
from manifestkit.authoring.text import (
    as_text,
    default_name,
    identifier_path,
    name_to_be_found,
    syntax_of,
)
from manifestkit.cli import exit_codes
from manifestkit.cli.commands.new.prompts import Prompter, is_terminal
from manifestkit.cli.console import confirm, error, note, read_stdin, write_document, writing
from manifestkit.cli.inputs import format_named
from manifestkit.cli.options import (
    OF,
    STDIN_PATH,
    Choice,
    FilePath,
    OptionGroup,
    Word,
    argument,
    group,
    manifest_command,
    option,
)
from manifestkit.decode import Decoded, decode
from manifestkit.edits.patch import require_editable
from manifestkit.edits.spellings import Spellings
from manifestkit.engine import STDIN, FileResult, Options, Policy, Target, Workspace
from manifestkit.files import AS_INPUT, create, is_file, is_folder, posix_name, read_bytes, rewrite
from manifestkit.findings.words import counted, label, named
from manifestkit.model.document import Document, Syntax
from manifestkit.model.errors import (
    AuthoringError,
    ConfigurationError,
    EditRefusedError,
    ManifestkitError,
    UnreadableFileError,
    UnwritableFileError,
)
from manifestkit.model.finding import Finding, Severity
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.pointer import Path as Pointer
from manifestkit.model.pointer import format_pointer
from manifestkit.rendering import visible
from manifestkit.schema.formats import Format
from manifestkit.schema.packaged import packaged_text

_SHOWN = 3
_EXAMPLE = "com.example."
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
            workspace = Workspace(
                Options(schema=Path(schema) if schema is not None else None), uses_baseline=False
            )
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
    by_name = inputs(policy.described, taken)
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


class NewOptions(OptionGroup):
    """Options besides those for values of the schema."""

    yes: bool = option(
        "Do not ask: use the project's name, version and id, or the folder's name, then the "
        "schema's examples, or else the first allowed value."
    )
    source: str | None = option(
        "Read answers from a file or standard input: a manifest or a part of one, in JSON or YAML.",
        "--from",
        metavar="FILE|-",
    )
    syntax: Syntax | None = option(
        "Syntax of the manifest.  [default: from the suffix of PATH, or else json]",
        "--format",
        type=Choice(["json", "yaml"]),
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
    path: str | None = argument(required=False, type=FilePath()),
    options: NewOptions = group(NewOptions),
    of: str | None = OF,
    **given: Any,
) -> int:
    """Create a manifest, asking for missing values.

    PATH is the file to create, or a folder for it; without PATH, the file is named after the last
    part of the provider's id. The schema, profiles and rules configured there apply, as for
    `manifest lint`. The file name or --of selects the format. Existing files are never overwritten,
    and --fill only adds members. Questions are asked only on a terminal.
    """
    del of  # as `--schema`, it says which options there are
    if path == STDIN_PATH:
        raise click.UsageError("- is not a file: to print the manifest, use --dry-run")
    if path and path.endswith(("/", os.sep)) and not is_folder(path):
        raise ConfigurationError(f"no such folder: {path}")
    inputs = inputs_of(click.get_current_context())
    run = _NewRun(Path(path) if path is not None else None, options, inputs, inputs.texts(given))
    return run.fill() if options.fill else run.create()


@dataclass
class _NewRun:
    """One call of the command: the values that a manifest may have, and the texts of options."""

    path: Path | None
    options: NewOptions
    inputs: Inputs
    texts: dict[str, Any]
    has_asked: bool = False

    @cached_property
    def source(self) -> Document | None:
        name = self.options.source
        if name is None:
            return None
        if name == STDIN_PATH:
            return read_source(read_stdin(DEFAULT_LIMITS.bytes), STDIN, is_file=False)
        data = read_bytes(Path(name), DEFAULT_LIMITS.bytes, AS_INPUT)
        return read_source(data, posix_name(name), is_file=True)

    @cached_property
    def _spellings(self) -> Spellings | None:
        return Spellings(self.source) if self.source else None

    @cached_property
    def _syntax(self) -> Syntax:
        return syntax_of(self.path, self.options.syntax)

    def create(self) -> int:
        schema, workspace = self.inputs.policy.described, self.inputs.workspace
        value = self.source.value if self.source else {}
        self._check_place(value)
        value = in_order(schema, self._answered(value, self._check_place))
        self._check_place(value)
        file = self._file(value)
        text = as_text(schema, value, self._syntax, self._reference(file), self._spellings)
        target = Target(posix_name(file), found=False)
        decoded = workspace.decode(text.encode(), target.name, target.folder)
        findings = workspace.lint(target, decoded).findings
        least = max(self.inputs.policy.fail_on.rank, Severity.WARNING.rank)
        if self._refuse([each for each in findings if each.severity.rank <= least]):
            return exit_codes.USAGE
        for finding in (each for each in findings if each.severity.rank > least):
            note(f"{finding.pointer}: {finding.message}; {finding.help}")
        self._note_unused(value, "an option gives another value")
        if self.options.dry_run:
            write_document(text)
            return exit_codes.CLEAN
        self._write(file, text)
        self._note_example(value, target.name)
        return exit_codes.CLEAN

    def _note_example(self, value: Any, name: str) -> None:
        """Say that the identifier is an example, where its author did not give it."""
        path = identifier_path(self.inputs.policy.described) or ()
        given = [self.inputs.by_name[each].path for each in self.texts]
        text = _member_at(value, path)
        if path in given or not str(text).startswith(_EXAMPLE):
            return
        if self.source is None or _member_at(self.source.value, path) != text:
            own = _command("set", format_pointer(path), "ID", name)
            note(f"{label(path)} is an example, {named(text)}: write your own with `{own}`")

    def _note_unused(self, value: Any, why: str) -> None:
        if self.source is None:
            return
        for path in unused(self.source.value, value):
            place = place_in(self.source, format_pointer(path))
            note(f"{place}: {label(path)} is not used: {why}")

    def fill(self) -> int:
        if self.path is None:
            raise click.UsageError("--fill needs the PATH of a manifest")
        if self.options.syntax or self.options.with_schema:
            raise click.UsageError("--fill cannot be combined with --format or --with-schema")
        source, workspace, schema = self.source, self.inputs.workspace, self.inputs.policy.described
        target = Target(posix_name(self.path), found=False)
        name, data = target.name, workspace.read(target)
        before = workspace.decode(data, name, target.folder)
        document = _fillable(before)
        misnamed = missing_by_mistake(self.inputs.policy, before)
        refused = [*(_rename(each, document) for each in misnamed), *self._there_already(document)]
        for reason in refused:
            error(reason)
        if refused:
            return exit_codes.USAGE
        value = joined(document.value, source.value) if source else document.value
        self._note_unused(value, f"{name} has another value")
        value = in_order(schema, self._answered(value, lambda _: None))
        try:
            limits = workspace.limits(target.folder)
            after = filled(before, schema, value, self._spellings, limits)
        except EditRefusedError as problem:
            raise ConfigurationError(f"{name}: not changed: {problem}") from None
        text = after.document.text
        judged = workspace.lint(target, before)
        outcome = judged if after is before else workspace.lint(target, after)
        if self._refuse(_new_findings(judged, outcome)):
            return exit_codes.USAGE
        if self.options.dry_run:
            write_document(text)
        elif text == document.text:
            note(f"{name} has no missing members")
        else:
            rewrite(self.path, text.encode(), data)
            note(f"added the missing members to {name}")
        left = sum(each.severity is not Severity.INFO for each in outcome.findings)
        if left:
            remaining = counted(left, "finding remains", "findings remain")
            note(f"{remaining}; see `{_command('lint', name)}`")
        return exit_codes.CLEAN

    def _answered(self, value: Any, check: Callable[[Any], None]) -> Any:
        """Return a value with the answers of options, and what it must have besides."""
        for name, text in self.texts.items():
            entry = self.inputs.by_name[name]
            try:
                new = entry.value([text] if isinstance(text, str) else text)
                value = with_value(value, entry.path, new)
            except AuthoringError as problem:
                raise ConfigurationError(f"--{name}: {problem}") from None
        check(value)
        document = decode(json.dumps(value), "manifest.json")
        misnamed = missing_by_mistake(self.inputs.policy, document)
        if lines := [self._line(each) for each in misnamed]:
            raise ConfigurationError("; ".join(lines[:_SHOWN]))
        return self._completed(value, check)

    def _completed(self, value: Any, check: Callable[[Any], None]) -> Any:
        policy, schema, yes = self.inputs.policy, self.inputs.policy.described, self.options.yes
        defaults = self._defaults(value) if yes or is_terminal() else {}
        if yes:
            for path, default in defaults.items():
                value = with_value(value, path, default)
            value = with_starters(schema, value, examples=True)
        offered = with_empty_lists(policy, with_starters(schema, value, examples=False))
        missing = list(missing_inputs(schema, offered))
        if not missing:
            return offered
        if not yes and is_terminal():
            self.has_asked = True
            return Prompter(policy, check, defaults).complete(value)
        names = {entry.path: name for name, entry in self.inputs.by_name.items()}
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
        found = findings_at(policy, value, ())
        wrong = (each for each in found if each.pointer and each.severity is Severity.ERROR)
        lines = map(self._line, islice(wrong, _SHOWN))
        raise ConfigurationError(*lines, f"missing: {', '.join(listed)}; {do}")

    def _defaults(self, value: Any) -> dict[Pointer, Any]:
        """Return the project's values for missing members that have no findings."""
        policy = self.inputs.policy
        missing = {each.path for each in missing_inputs(policy.described, value)}
        found = project_values(policy.described, Path(self.inputs.folder)) if missing else {}
        return {
            path: each
            for path, each in found.items()
            if path in missing and not findings_at(policy, with_value(value, path, each), path)
        }

    def _there_already(self, document: Document) -> Iterator[str]:
        """Yield the error of each option for a member that a manifest has."""
        kind_of = {member: kind for kind, member in kinds(self.inputs.policy.described).items()}
        for option_name, given in self.texts.items():
            entry, name = self.inputs.by_name[option_name], document.name
            at = entry.path
            try:
                document.value_at(at)
            except (KeyError, IndexError, TypeError):
                continue
            text = given if isinstance(given, str) else given[0]
            if len(at) == 1 and at[0] in kind_of:
                instead = _command("add", kind_of[str(at[0])], text, name)
            else:
                item = ("-",) if entry.item else ()
                instead = _command("set", format_pointer((*at, *item)), text, name)
            yield f"--{option_name}: {name} has {label(at)} already; use `{instead}`"

    def _refuse(self, findings: Sequence[Finding]) -> bool:
        for finding in findings:
            error(self._line(finding))
        if not findings or not self.has_asked:
            return bool(findings)
        question = "Write the manifest anyway?"
        return not confirm(question, err=not sys.stdout.isatty())

    def _line(self, finding: Finding) -> str:
        below = f"{finding.pointer}/"
        paths = ((name, format_pointer(self.inputs.by_name[name].path)) for name in self.texts)
        given = next((f"--{name}" for name, at in paths if below.startswith(f"{at}/")), None)
        place = given or (place_in(self.source, finding.pointer) if self.source else None)
        where = " ".join(filter(None, (place, finding.pointer)))
        if self.source and place and not given:
            finding = as_written(self.source, self.inputs.policy, finding)
        help_text = f"; {finding.help}" if finding.help else ""
        return f"{where or 'the manifest'}: {finding.message}{help_text}"

    @cached_property
    def _format(self) -> Format:
        return self.inputs.policy.formats.default

    @cached_property
    def _own_schema(self) -> Path | None:
        return self.inputs.workspace.schema_file(self.inputs.folder, self._format)

    def _check_place(self, value: Any) -> None:
        """Refuse a place where no file can be made, as soon as it is known."""
        is_unnamed = self.path is None or is_folder(self.path)
        if self.options.dry_run or (is_unnamed and self._identifier(value) is None):
            return
        file = self._file(value)
        name, beside = posix_name(file), self._schema_beside(file)
        if os.path.lexists(file):
            raise ConfigurationError(f"{name} exists already; choose another file, or remove it")
        if not is_folder(file.parent):
            raise ConfigurationError(f"{name}: no such folder: {posix_name(file.parent)}")
        if beside == file:
            raise ConfigurationError(
                f"{name} is the file name that --with-schema uses for the schema; "
                "choose another file"
            )
        if beside and os.path.lexists(beside) and not self._is_schema(beside):
            raise ConfigurationError(
                f"{posix_name(beside)} exists already and is not the schema that --with-schema "
                "writes; remove it, or omit --with-schema"
            )

    def _identifier(self, value: Any) -> Any:
        path = identifier_path(self.inputs.policy.described)
        return _member_at(value, path) if path else ""

    def _file(self, value: Any) -> Path:
        if self.path is None or is_folder(self.path):
            name = default_name(self._identifier(value), self._syntax, self._format)
            return (self.path or Path()) / name
        return self.path

    def _schema_beside(self, file: Path) -> Path | None:
        wanted = self.options.with_schema and self._own_schema is None
        return file.with_name(self._format.schema) if wanted else None

    def _is_schema(self, path: Path) -> bool:
        try:
            data = read_bytes(path, DEFAULT_LIMITS.bytes)
        except UnreadableFileError:
            return False
        return data == packaged_text(self._format.schema).encode()

    def _reference(self, file: Path) -> str | None:
        """Return the path of the schema, relative to the manifest."""
        if not self.options.with_schema:
            return None
        schema = self._own_schema or file.with_name(self._format.schema)
        relative = os.path.relpath(schema, file.parent)
        return quote(f"./{Path(relative).as_posix()}".replace("./../", "../"))

    def _write(self, file: Path, text: str) -> None:
        """Write the manifest, and the schema beside it, or none."""
        schema = self._schema_beside(file)
        written = []
        try:
            if schema and not os.path.lexists(schema):
                with writing(schema):
                    create(schema, packaged_text(self._format.schema))
                written.append(schema)
            with writing(file):
                create(file, text)
        except UnwritableFileError:
            for each in written:
                each.unlink()
            raise
        name = posix_name(file)
        note(f"{name} is written; check it with `{_command('lint', name)}`")
        for each in written:
            note(f"{posix_name(each)} is written")
        better = name_to_be_found(file, self._syntax, self._format)
        if better:
            note(
                "`manifest lint` checks this file only when it is given by name; in a folder, it "
                f"looks for names such as {better}"
            )


def _member_at(value: Any, path: Pointer) -> Any:
    """Return the member of a member, and so on; None where there is none."""
    for token in path:
        value = value.get(token) if isinstance(value, dict) else None
    return value


def _fillable(decoded: Decoded) -> Document:
    reason = "a manifest is one object"
    try:
        document = require_editable(decoded)
        if isinstance(document.value, dict):
            return document
    except EditRefusedError as problem:
        reason = str(problem)
    raise ConfigurationError(f"{decoded.document.name}: fix it first: {reason}")


def _command(*arguments: str) -> str:
    """Return a command whose last argument is a file."""
    *others, file = arguments
    return shlex.join(("manifest", *others, f"./{file}" if file.startswith("-") else file))


def _rename(misnamed: Finding, document: Document) -> str:
    """Return what to do first about a member that is missing only by name or place."""
    is_safe = any(fix.safety == "safe" for fix in misnamed.fixes)
    options = ["--fix"] if is_safe else ["--fix", "--unsafe-fixes"]
    place = place_in(document, misnamed.pointer)
    return f"{place}: {misnamed.message}; run `{_command('lint', *options, document.name)}` first"


def _new_findings(before: FileResult, after: FileResult) -> list[Finding]:
    """Return the errors and warnings that a manifest had not before."""
    old = {(each.rule, each.pointer) for each in before.findings}
    return [
        each
        for each in after.findings
        if each.severity is not Severity.INFO and (each.rule, each.pointer) not in old
    ]
