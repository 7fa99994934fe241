"""`manifest add`, `get`, `set` and `remove`: change values of a manifest, or print one."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from manifestkit.authoring.changes import EditRequest
from manifestkit.authoring.convert import text_at
from manifestkit.authoring.edit import edit
from manifestkit.cli.console import error, note, say, write_document
from manifestkit.cli.exit_codes import ExitCode
from manifestkit.cli.inputs import lists_here, pointers_here, read_manifest, schemas_here
from manifestkit.cli.options import (
    ManifestCommand,
    argument,
    manifest_command,
    option,
)
from manifestkit.engine.options import Options
from manifestkit.engine.workspace import Workspace
from manifestkit.files import is_there, rewrite
from manifestkit.findings.words import listed
from manifestkit.model.document import SUFFIXES
from manifestkit.model.errors import (
    AuthoringError,
    EditRefusedError,
)
from manifestkit.model.pointer import format_pointer
from manifestkit.rendering.diff import diff as diff_of
from manifestkit.rendering.escape import visible
from manifestkit.rules.checks import ignored_member

_EXIT_CODES = """
    0   changed, already as requested, or shown with --diff
    1   the change is impossible, is probably a mistake, or would make the manifest invalid;
        the file is unchanged
    2   wrong usage or configuration, or a file that cannot be read or written
"""
_FORCE = option("Make the change even if it makes the manifest invalid or is probably a mistake.")
_DIFF = option("Show the change without writing it.")

_NEGATIVE = re.compile(r"-\d.*")
_VALUE = re.compile(r"-\d|-?$|[^-]")
_FLAGS = {"--diff", "--force"}
_PAIR = 2
_WHOLE = {".", "$", "#"}
_ASSIGNMENT = re.compile(r"""([^/=]*[\w\]"])=(.+)""", re.DOTALL)


def _change_file(
    file: Path | None, requests: Iterable[EditRequest], *, force: bool, diff: bool
) -> int:
    """Change one manifest, by default the only one in the working folder: all, or nothing."""
    if file is not None and str(file) == "-" and not diff:
        raise click.UsageError("standard input cannot be changed: give a FILE, or use --diff")
    workspace = Workspace(Options(turned_on=(ignored_member.ID,)), uses_baseline=False)
    read = read_manifest(workspace, file)
    target, decoded = read.target, read.decoded
    try:
        changed = edit(workspace, target, decoded, requests, force=force)
    except AuthoringError as problem:
        raise click.UsageError(str(problem)) from None
    except EditRefusedError as problem:
        error(f"{target.name}: not changed: {problem}")
        return ExitCode.FINDINGS
    before, after = (each.encode() for each in (decoded.document.text, changed.text))
    if diff:
        write_document(diff_of(target.name, before, after))
    else:
        if after != before:
            rewrite(target.path, after, before)
        for each in changed.done:
            say(each)
    for each in changed.notes:
        note(each)
    return ExitCode.CLEAN


def _items(ctx: click.Context, _: str) -> dict[str, str | None]:
    of = lists_here().get(ctx.params.get("kind", ""))
    return {str(value): text for value, text in of.values} if of else {}


class _Edit(ManifestCommand):
    """Says what to write where the words make no command; takes a negative number."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; every option of such a command is a flag."""
        words = [each for each in args if _VALUE.match(each)]
        options = {each for each in args if each not in words and each != "--"}
        is_run = words and not ctx.resilient_parsing and options <= _FLAGS
        if is_run and (advice := _advice(ctx.info_name or "", words)):
            raise click.UsageError(advice, ctx)
        if ctx.info_name == "set" and "--" not in args and any(map(_NEGATIVE.fullmatch, args)):
            args = [*(each for each in args if each not in words), "--", *words]
        return super().parse_args(ctx, args)


def _advice(verb: str, words: list[str]) -> str:
    """Return what to write in place of words that make no command; empty where they may be one."""
    first = words[0]
    before = 2 if verb == "set" else 1
    files = [each for each in words[before:] if _is_document(each)]
    if len(files) > 1:
        return f"give one FILE at a time, not {visible(listed(files, 'and'))}"
    if verb == "add":
        return _advice_to_add(words, files)
    if _is_document(first):
        return f"a PLACE is missing before {visible(first)}, the FILE; the FILE is the last word"
    if verb == "get" and first in _WHOLE:
        return 'for the whole manifest, write `manifest get ""`'
    assigned = _ASSIGNMENT.fullmatch(first)
    if assigned and before > len([each for each in words if not _is_document(each)]):
        return f"write `{visible(shlex.join(('manifest', verb, *assigned.groups())))}`"
    if len(words) > before and words[before] and not _is_file(words[before]):
        return _advice_on_words(verb, words, before, files)
    return ""


def _advice_on_words(verb: str, words: list[str], before: int, files: list[str]) -> str:
    """Return what to write where words stand before the FILE that are none of the command's."""
    first = words[0]
    names = {kind: name for schema in schemas_here() for kind, name in schema.kinds.items()}
    if before == 1 and first in names:
        place = format_pointer((names[first], words[1]))
        return f"write `{visible(shlex.join(('manifest', verb, place, *words[2:])))}`"
    if verb == "set" and re.search(r"\w[./]\w", first):
        meant = [first, " ".join(each for each in words[1:] if each not in files)]
        return f"write `{visible(shlex.join(('manifest', verb, *meant, *files)))}`"
    value = "" if before == 1 else ", and a VALUE with blanks in quotes"
    no_file = f"`{visible(words[before])}` is not a FILE"
    return f"{no_file}; write the PLACE as one word, as in `provider.version`{value}"


def _advice_to_add(words: list[str], files: list[str]) -> str:
    if files and files[0] != words[-1]:
        return f"{visible(files[0])} is the FILE, which is the last word"
    lists = lists_here().items()
    kinds = (kind for kind, of in lists if any(words[0] == value for value, _ in of.values))
    kind = next(kinds, "")
    return f"write `manifest add {kind} {visible(' '.join(words))}`" if kind else ""


def _is_document(name: str) -> bool:
    return Path(name).suffix in SUFFIXES and is_there(Path(name))


def _is_file(name: str) -> bool:
    """Return whether a last word is the FILE."""
    is_named_so = Path(name).suffix in SUFFIXES or name == "-"
    return is_named_so or (name != "" and is_there(Path(name)))


@manifest_command(
    """
    manifest add activity box="Box breathing"      in the only manifest here
    manifest add permission host.timer host.haptics
    manifest add permission host.timer app/manifest.yaml
    manifest add capability host.timer.start --diff
    """,
    _EXIT_CODES,
    cls=_Edit,
)
def add(
    *,
    kind: str = argument(words=lambda *_: [*lists_here()], metavar="KIND"),
    values: tuple[str, ...] = argument(
        words=_items, nargs=-1, required=True, metavar="VALUE|ID=NAME... [FILE]"
    ),
    force: bool = _FORCE,
    diff: bool = _DIFF,
) -> int:
    """Add an activity, a permission or a capability, or several.

    KIND is activity, permission or capability; an activity is written ID=NAME. FILE is the last
    argument if it exists or ends in .json, .yaml or .yml (default: the only manifest in this
    folder); nothing else in it changes.
    """
    last = values[-1]
    file, items = (Path(last), values[:-1]) if _is_file(last) else (None, values)
    if not items:
        raise click.UsageError(f"a VALUE is missing before {visible(last)}, the FILE")
    of = lists_here().get(kind)
    parts = [part for each in items for part in each.split(",")]
    if of and len(parts) > len(items) and {*dict(of.values)} >= {*parts}:
        raise click.UsageError(f"separate the values with spaces: {visible(' '.join(parts))}")
    if of and of.members:
        items = _named_items(items, of.label or "name")
    requests = [EditRequest("add", kind, each) for each in items]
    return _change_file(file, requests, force=force, diff=diff)


def _named_items(items: tuple[str, ...], label: str) -> tuple[str, ...]:
    """Return items, each ID=NAME or an object; the name of a single one is asked for at a terminal.

    Raises:
        click.UsageError: a shell has split one; the text has it in one word.
    """
    bare = [at for at, each in enumerate(items) if "=" not in each and each[:1] != "{"]
    if not bare:
        return items
    if len(items) == 1 and sys.stdin.isatty() and sys.stderr.isatty():
        name = click.prompt(f"{label.capitalize()} of {visible(items[0])}", err=True)
        return (f"{items[0]}={name}",)
    if len(items) == 1:
        return items
    if bare[0] == 0 and " " in items[1]:
        rest = "; `manifest set` writes what else it has" if items[2:] else ""
        raise click.UsageError(f'write "{visible("=".join(items[:2]))}"{rest}')
    meant = " ".join(items[bare[0] - 1 :])
    if bare[0] == 0:
        meant = f"{items[0]}={' '.join(items[1:])}"
    if " " not in meant:  # which of the words is the name?
        raise click.UsageError('write ID=NAME, as in box="Box breathing"')
    raise click.UsageError(f'put what has blanks in quotes: "{visible(meant)}"')


@manifest_command(
    """
    manifest get provider.version                      of the only manifest here
    manifest get activities.box app/manifest.yaml
    manifest get 'activities[0].name'
    generate | manifest get /permissions -
    """,
    """
    0   printed
    1   the manifest is not valid JSON or YAML
    2   there is no such value; or wrong usage, or a file that cannot be read
    """,
    cls=_Edit,
)
def get(
    *,
    place: str = argument(words=lambda *_: pointers_here(absent=False)),
    file: Path | None = argument(required=False),
) -> int:
    """Print the value of a member or an item.

    PLACE is a JSON pointer, or a path as messages show it; in an array, it names an item by its
    index, id or text. A string is printed as it is, any other value as JSON. FILE is - for standard
    input (default: the only manifest in this folder).
    """
    workspace = Workspace(uses_baseline=False)
    read = read_manifest(workspace, file)
    schema = workspace.described_schema_of(read.decoded.document, read.folder)
    try:
        text, is_string = text_at(read.decoded, schema, place)
    except AuthoringError as problem:
        raise click.UsageError(str(problem)) from None
    except EditRefusedError as problem:
        error(f"{read.target.name}: {problem}")
        return ExitCode.FINDINGS
    shown = visible(text) if is_string and sys.stdout.isatty() else text
    write_document(f"{shown}\n")
    return ExitCode.CLEAN


@manifest_command(
    """
    manifest set provider.version 1.2.0                in the only manifest here
    manifest set activities.box.duration_minutes 5 app/manifest.yaml
    manifest set 'activities[0].surfaces' '["phone", "watch"]'
    manifest set /presentation/thumbnail images/provider.png
    """,
    _EXIT_CODES,
    cls=_Edit,
)
def set_value(
    *,
    place: str = argument(words=lambda *_: pointers_here(absent=True)),
    value: str = argument(),
    file: Path | None = argument(required=False),
    force: bool = _FORCE,
    diff: bool = _DIFF,
) -> int:
    """Set the value of a member.

    PLACE is a JSON pointer, or a path as messages show it; in an array, it names an item by its
    index, id or text, and - appends an item. VALUE is used as it is where a string is expected, and
    read as JSON elsewhere. Nothing else in FILE (default: the only manifest in this folder)
    changes; FILE is required where VALUE is the name of an existing .json, .yaml or .yml file.
    """
    if file is None and _is_document(value) and place.lstrip("/") != "$schema":
        raise click.UsageError(
            f"a VALUE is missing before {visible(value)}; or, if that is the VALUE, a FILE after it"
        )
    return _change_file(file, [EditRequest("set", place, value)], force=force, diff=diff)


@manifest_command(
    """
    manifest remove permissions.host.timer             from the only manifest here
    manifest remove activities.box app/manifest.yaml
    manifest remove /presentation --diff
    """,
    _EXIT_CODES,
    cls=_Edit,
)
def remove(
    *,
    place: str = argument(words=lambda *_: pointers_here(absent=False)),
    file: Path | None = argument(required=False),
    force: bool = option("Make the change even if it makes the manifest invalid."),
    diff: bool = _DIFF,
) -> int:
    """Remove a member or an item from a manifest.

    PLACE is a JSON pointer, or a path as messages show it; in an array, it names an item by its
    index, id or text. A comment after it on the same line is removed too. Nothing else in FILE
    (default: the only manifest in this folder) changes.
    """
    return _change_file(file, [EditRequest("remove", place)], force=force, diff=diff)
