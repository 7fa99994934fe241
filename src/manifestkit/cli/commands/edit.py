"""`manifest add`, `get`, `set` and `remove`: change values of a manifest, or print one."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import click

from manifestkit.authoring.changes import EditRequest, ManifestPlace, kinds, pointers
from manifestkit.authoring.convert import json_at
from manifestkit.authoring.edit import edit
from manifestkit.cli.console import error, note, say, write_document
from manifestkit.cli.exit_codes import ExitCode
from manifestkit.cli.inputs import read_manifest, schemas_here
from manifestkit.cli.options import (
    STDIN_PATH,
    argument,
    manifest_command,
    option,
)
from manifestkit.edits.patch import require_editable
from manifestkit.engine.options import Options
from manifestkit.engine.workspace import Workspace
from manifestkit.files import is_there, rewrite
from manifestkit.model.document import SUFFIXES
from manifestkit.model.errors import (
    AuthoringError,
    EditRefusedError,
    ManifestkitError,
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
_FEW = 3
_PAIR = 2
_WHOLE = {".", "$", "#"}
_SIGNS = ("=", ":", ":=", "=>", "to")
_ASSIGNMENT = re.compile(r"""([^/=][^=]*[\w\]"])(?:=|:$)(.*)""", re.DOTALL)
_NESTED = re.compile(r"[./\[]")
_LABEL = re.compile(r"[\w.\[\]-]+")
_PLAIN = re.compile(r"[\w@%+=:,./-]+")
_SPECIAL = re.compile(r"[\"$`\\!]")


def _change_file(
    file: Path | None, requests: Iterable[EditRequest], *, force: bool, diff: bool
) -> int:
    """Change one manifest, by default the only one in the working folder: all, or nothing."""
    if file is not None and str(file) == STDIN_PATH and not diff:
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


class _List(NamedTuple):
    """A list of a manifest: its name, the values listed for it, what its items must have."""

    name: str
    values: dict[str, str | None]
    parts: tuple[str, ...]


def _lists(*_: object) -> dict[str, _List]:
    """Return the lists of the schemas here, each by the name of one item."""
    found = {}
    for schema in schemas_here():
        for kind, name in kinds(schema).items():
            if field := schema.field((name, 0)):
                values = {str(value): text for value, text in field.values}
                found[kind] = _List(name, values, field.required if field.members else ())
    return found


def _items(ctx: click.Context, _: str) -> dict[str, str | None]:
    kind = _lists().get(ctx.params.get("kind", ""))
    return kind.values if kind else {}


def _pointers(*, absent: bool) -> dict[str, str]:
    """Return the pointers into the one manifest of the folder, or those that its schema knows."""
    value, schemas = None, schemas_here()
    with suppress(ManifestkitError, click.UsageError):
        workspace = Workspace(uses_baseline=False)
        read = read_manifest(workspace, None)
        document = read.decoded.document
        value, schemas = document.value, [workspace.described_schema_of(document, read.folder)]
    return dict(pair for each in schemas for pair in pointers(value, each, absent=absent))


class _Edit(click.Command):
    """Names the command that was meant where its words make none; takes a negative number."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; every option of such a command is a flag."""
        words = [each for each in args if _VALUE.match(each)]
        options = [each for each in args if each not in words and each != "--"]
        if words and ctx.info_name and not ctx.resilient_parsing and {*options} <= _FLAGS:
            _check_words(ctx.info_name, words, options)
        if ctx.info_name == "set" and "--" not in args and any(map(_NEGATIVE.fullmatch, args)):
            args = [*(each for each in args if each not in words), "--", *words]
        return super().parse_args(ctx, args)


def _is_named_as_document(name: str) -> bool:
    return Path(name).suffix in SUFFIXES


def _is_document(name: str) -> bool:
    return _is_named_as_document(name) and is_there(Path(name))


def _is_file(name: str) -> bool:
    """Return whether a last word is the FILE."""
    return (
        _is_named_as_document(name) or name == STDIN_PATH or (name != "" and is_there(Path(name)))
    )


def _check_words(verb: str, words: list[str], flags: list[str]) -> None:
    """Refuse words that make no command, and say the command that was meant."""
    before = 2 if verb == "set" else 1
    at = len(words) - 1
    if at >= before and not words[at]:  # an empty FILE is refused as such
        return
    if not _is_file(words[at]):
        at = next((at for at, each in enumerate(words) if _is_document(each)), at + 1)
    file = words[at : at + 1] if len(words) > before else []
    rest = [*words[:at], *words[at + 1 :]] if file else words
    if verb != "add" and _is_document(rest[0]):
        raise click.UsageError(f"a PLACE is missing before {visible(rest[0])}, the FILE")
    meant = _additions(rest) if verb == "add" else _at_places(verb, rest)
    given = [verb, *words]
    commands = [[*each, *file] for each in meant]
    if commands and commands != [given]:
        shown = [" ".join(map(_in_shell, ["manifest", *each, *flags])) for each in commands[:_FEW]]
        advice = "put what has blanks in quotes: " if any(" " in each for each in meant[0]) else ""
        told = f"{advice}write `{'`, then `'.join(shown)}`"
        raise click.UsageError(told, click.get_current_context())


def _in_shell(word: str) -> str:
    """Return a word as a shell takes it; in double quotes, if it can be, as all shells do."""
    if _PLAIN.fullmatch(word):
        return word
    return visible(shlex.quote(word) if _SPECIAL.search(word) else f'"{word}"')


def _at_places(verb: str, words: list[str]) -> list[list[str]]:
    """Return the commands that get, set or remove what words name as `add` or other tools do."""
    if verb == "get" and words[0] in _WHOLE:
        return [[verb, ""]]
    if verb == "set":
        words = [each for each in words if each not in _SIGNS]
        assigned = [found.groups() for each in words if (found := _ASSIGNMENT.fullmatch(each))]
        if len(assigned) == len(words) > 1:
            return [[verb, *each] for each in assigned]
        if assigned and (len(words) == 1 or words[0].endswith(("=", ":"))):
            words = [*filter(None, assigned[0]), *words[1:]]
    if len(words) == 1 and not words[0].partition("=")[0].isidentifier():
        return [[verb, *words]]
    lists = _lists()
    names = {*lists, *(each.name for each in lists.values())}
    if verb != "set":
        head, sign, tail = words[0].partition("=")
        is_list = sign and head in names
        words = [head, tail] if is_list else sorted(words, key=lambda each: each not in lists)
    kind = next((kind for kind, each in lists.items() if words[0] in (kind, each.name)), "")
    name, *rest = lists[kind].name if kind else words[0], *words[1:]
    if verb == "set" and rest and kind and lists[kind].values.keys() >= {*rest}:
        return [["add", kind, *rest]]
    return [[verb, *each] for each in _places(name, rest, 1 if verb == "set" else 0)]


def _places(name: str, rest: list[str], values: int) -> list[list[str]]:
    """Return places, each with its value if it takes one, of a first name and what is behind it."""
    roots = (each.field(()) for each in schemas_here())
    members = {member for each in roots if each for member in each.members}
    is_below = len(rest) > values and name in members and rest[0] not in members
    if values:
        place, texts = (_joined(name, rest[0]), rest[1:]) if is_below else (name, rest)
        return [[place, " ".join(texts)] if texts else [place]]
    return (
        [[_joined(name, each)] for each in rest] if is_below else [[each] for each in (name, *rest)]
    )


def _joined(name: str, item: str) -> str:
    return f"{name}.{item}" if _LABEL.fullmatch(item) else format_pointer((name, item))


def _additions(words: list[str]) -> list[list[str]]:
    """Return the commands that add what words name in another order or form."""
    lists = _lists()
    kinds_of = {each.name: kind for kind, each in lists.items()} | {each: each for each in lists}
    first, *items = words
    head, sign, tail = first.partition("=" if "=" in first else ":")
    kind = kinds_of.get(first) or (kinds_of.get(head, "") if sign else "")
    if kind:
        items = [tail, *items] if tail else items
    elif kind := next((each for each in items if each in lists), ""):
        items = [each for each in words if each != kind]
    elif kind := next((kind for kind, each in lists.items() if first in each.values), ""):
        items = words
    elif len(items) == 1 and _NESTED.search(first):
        return [["set", *words]]
    if not (kind and items):
        return []
    parts = lists[kind].parts
    return [["add", kind, *(_pairs(items, parts) if len(parts) == _PAIR else items)]]


def _pairs(words: list[str], parts: tuple[str, ...]) -> list[str]:
    """Return words as items of two parts, ID=NAME, of which they are what a shell has split."""
    given = dict(each.split("=", 1) for each in words if "=" in each)
    if given.keys() == {*parts}:
        return ["=".join(given[each] for each in parts)]
    items: list[str] = []
    for each in words:
        if not _is_bare(each) or not items or items[-1].startswith("{"):
            items.append(each.removesuffix(":"))
        else:
            items[-1] += f"{' ' if '=' in items[-1] else '='}{each}"
    if _is_bare(items[-1]) and not (sys.stdin.isatty() and sys.stderr.isatty()):
        items[-1] += f"={parts[1].upper()}"  # nobody can be asked
    return items


def _is_bare(item: str) -> bool:
    return "=" not in item and not item.startswith("{")


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
    kind: str = argument(words=_lists, metavar="KIND"),
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
    is_file = _is_named_as_document(last) or (last != "" and is_there(Path(last)))
    file, items = (Path(last), values[:-1]) if is_file else (None, values)
    if not items:
        raise click.UsageError(f"a VALUE is missing before {visible(last)}, the FILE")
    of = _lists().get(kind, _List("", {}, ()))
    parts = [part for each in items for part in each.split(",")]
    if len(parts) > len(items) and of.values.keys() >= {*parts}:
        raise click.UsageError(f"separate the values with spaces: {visible(' '.join(parts))}")
    if len(of.parts) == _PAIR and len(items) == 1 and _is_bare(items[0]):  # at a terminal
        name = click.prompt(f"{of.parts[1].capitalize()} of {visible(items[0])}", err=True)
        items = (f"{items[0]}={name}",)
    requests = [EditRequest("add", kind, each) for each in items]
    return _change_file(file, requests, force=force, diff=diff)


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
    place: str = argument(words=lambda *_: _pointers(absent=False)),
    file: Path | None = argument(required=False),
) -> int:
    """Print the value of a member or an item.

    PLACE is a JSON pointer, or a path as messages show it; in an array, it names an item by its
    index, id or text. A string is printed as it is, any other value as JSON. FILE is - for standard
    input (default: the only manifest in this folder).
    """
    workspace = Workspace(uses_baseline=False)
    read = read_manifest(workspace, file)
    target = read.target
    try:
        document = require_editable(read.decoded)
    except EditRefusedError as problem:
        error(f"{target.name}: {problem}")
        return ExitCode.FINDINGS
    try:
        schema = workspace.described_schema_of(document, read.folder)
        path = ManifestPlace.parse(document, schema, place).existing()
    except AuthoringError as problem:
        raise click.UsageError(str(problem)) from None
    except EditRefusedError as problem:
        raise click.UsageError(f"{target.name}: {problem}") from None
    value = document.value_at(path)
    if isinstance(value, str):
        write_document(f"{visible(value) if sys.stdout.isatty() else value}\n")
    else:
        write_document(json_at(document, path))
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
    place: str = argument(words=lambda *_: _pointers(absent=True)),
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
    if file is None and _is_named_as_document(value) and is_there(Path(value)):
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
    place: str = argument(words=lambda *_: _pointers(absent=False)),
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
