"""`manifest add`, `get`, `set` and `remove`: change values of a manifest, or print one."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from manifestkit.authoring.convert import text_at
from manifestkit.authoring.edit import EditRequest, edit
from manifestkit.cli.console import error, note, say, write_document
from manifestkit.cli.exit_codes import ExitCode
from manifestkit.cli.inputs import lists_here, pointers_here, read_manifest
from manifestkit.cli.options import argument, manifest_command, option
from manifestkit.edits.patch import require_editable
from manifestkit.engine.options import Options
from manifestkit.engine.workspace import Workspace
from manifestkit.files import is_there, rewrite
from manifestkit.model.document import SUFFIXES
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.pointer import format_pointer
from manifestkit.rendering.diff import diff as diff_of
from manifestkit.rendering.escape import as_typed, visible

_EXIT_CODES = """
    0   changed, already as requested, or shown with --diff
    1   the change is impossible, is probably a mistake, or would make the manifest invalid;
        the file is unchanged
    2   wrong usage or configuration, or a file that cannot be read or written
"""
_FORCE = option("Make the change even if it makes the manifest invalid or is probably a mistake.")
_DIFF = option("Show the change without writing it.")


def _is_file(word: str) -> bool:
    """Return whether a last word is the FILE."""
    return word == "-" or Path(word).suffix in SUFFIXES or (word != "" and is_there(Path(word)))


def _check_file(file: Path | None) -> None:
    if file and not _is_file(str(file)):
        raise click.UsageError(f"`{visible(str(file))}`: no such file")


def _change_file(file: Path | None, requests: list[EditRequest], *, force: bool, diff: bool) -> int:
    """Change one manifest, by default the only one in the working folder: all, or nothing."""
    if file is not None and str(file) == "-" and not diff:
        raise click.UsageError("standard input cannot be changed: give a FILE, or use --diff")
    workspace = Workspace(Options(turned_on=("ignored-member",)), uses_baseline=False)
    read = read_manifest(workspace, file, "")
    target, decoded = read.target, read.decoded
    try:
        changed = edit(workspace, target, decoded, requests, force=force)
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


def _with_file(words: list[str]) -> tuple[list[str], Path | None]:
    """Return words without the last one if that is the FILE, and the FILE."""
    return (words[:-1], Path(words[-1])) if words and _is_file(words[-1]) else (words, None)


def _with_name(kind: str, item: str) -> str:
    """Return an item as ID=NAME or an object; a name that it lacks is asked for at a terminal."""
    of = lists_here().get(kind)
    is_bare = of and of.item.members and "=" not in item and item[:1] != "{"
    if of and is_bare and sys.stdin.isatty() and sys.stderr.isatty():
        name = click.prompt(
            f"{(of.item.label or 'name').capitalize()} of {visible(item)}", err=True
        )
        return f"{item}={name}"
    return item


def _check_kind(command: str, word: str, items: list[str], file: Path | None) -> None:
    """Refuse a word that is no KIND before items of which the kind is known."""
    lists = lists_here()
    known = {of.kind: {str(each) for each, _ in of.item.values} for of in lists.values()}
    kind = next((kind for kind, values in known.items() if values.issuperset(items)), None)
    if kind and items and word.partition(".")[0] not in lists:
        line = as_typed(command, kind, *items, *filter(None, [str(file or "")]))
        raise click.UsageError(f"`{visible(word)}` is not a KIND; write `manifest {line}`")


def _check_items(kind: str, items: list[str]) -> None:
    """Refuse values with commas between them, members by name, and an id or a name by itself."""
    of, text = lists_here().get(kind), visible(" ".join(items))
    if of and of.item.values and any(each in item for item in items for each in ",; "):
        words = as_typed(*re.split(r"[,;\s]+", text.strip(",; ")))
        raise click.UsageError(f"each value is a word: write `manifest add {kind} {words}`")
    named = re.match(r"(\{ ?)?(\w+)(?(1):|=)", items[0])
    members = of.item.members if of else {}
    is_bare = " " in text and not any(each in text for each in "={")
    if members and (is_bare or (named and named[2] in members)):
        raise click.UsageError(f"`{text}` is not ID=NAME")


def _items(ctx: click.Context, _: str) -> dict[str, str | None]:
    of = lists_here().get(ctx.params.get("kind", ""))
    return {str(value): text for value, text in of.item.values} if of else {}


@manifest_command(
    """
    manifest add activity box="Box breathing"      in the only manifest here
    manifest add activity '{"id": "box", "name": "Box breathing", "duration_minutes": 5}'
    manifest add permission host.timer host.haptics
    manifest add permission host.timer app/manifest.yaml
    manifest add capability host.timer.start --diff
    """,
    _EXIT_CODES,
)
def add(
    *,
    kind: str = argument(
        words=lambda *_: dict.fromkeys(each.kind for each in lists_here().values()), metavar="KIND"
    ),
    values: tuple[str, ...] = argument(
        words=_items, nargs=-1, required=False, metavar="VALUE|ID=NAME... [FILE]"
    ),
    force: bool = _FORCE,
    diff: bool = _DIFF,
) -> int:
    """Add an activity, a permission or a capability, or several.

    KIND is activity, permission or capability; an activity is written ID=NAME. FILE is the last
    argument if it exists or ends in .json, .yaml or .yml (default: the only manifest in this
    folder); nothing else in it changes.
    """
    if values and _is_file(kind):
        raise click.UsageError(f"{visible(kind)} is not a KIND; the FILE comes last")
    lists, (name, _, item) = lists_here(), kind.partition(".")  # as a place is written
    of, word = lists.get(name), kind
    if of and of.item.members and "." in item and "=" not in item:  # a place in an item
        of = None
    kind, first = (of.kind, [item]) if of else (word, [])
    items, file = _with_file([*filter(None, first), *values])
    _check_kind("add", word, items or [word], file)
    if not items:
        before = f" before {visible(str(file))}, the FILE" if file else ""
        raise click.UsageError(f"a VALUE is missing{before}")
    if not force:
        _check_items(kind, items)
    requests = [EditRequest("add", kind, _with_name(kind, each)) for each in items]
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
)
def get(
    *,
    place: str = argument(words=lambda *_: pointers_here()),
    file: Path | None = argument(required=False),
) -> int:
    """Print the value of a member or an item.

    PLACE is a JSON pointer, or a path as messages show it; in an array, it names an item by its
    index, id or text. A string is printed as it is, any other value as JSON. FILE is - for standard
    input (default: the only manifest in this folder).
    """
    _check_file(file)
    workspace = Workspace(uses_baseline=False)
    read = read_manifest(workspace, file, "")
    try:
        document = require_editable(read.decoded)
    except EditRefusedError as problem:
        error(f"{read.target.name}: {problem}")
        return ExitCode.FINDINGS
    schema = workspace.policy(read.target.folder).requirements(document).described
    text = text_at(document, schema, place)
    if sys.stdout.isatty():
        text = "\n".join(map(visible, text.split("\n")))
    write_document(f"{text}\n")
    return ExitCode.CLEAN


@manifest_command(
    """
    manifest set provider.version 1.2.0                in the only manifest here
    manifest set activities.box.duration_minutes 5 app/manifest.yaml
    manifest set 'activities[0].surfaces' '["phone", "watch"]'
    manifest set /presentation/thumbnail images/provider.png
    """,
    _EXIT_CODES,
)
def set_value(
    *,
    place: str = argument(words=lambda *_: pointers_here()),
    value: str = argument(),
    file: Path | None = argument(required=False),
    force: bool = _FORCE,
    diff: bool = _DIFF,
) -> int:
    """Set the value of a member.

    PLACE is a JSON pointer, or a path as messages show it; in an array, it names an item by its
    index, id or text, and - appends an item. VALUE is used as it is where a string is expected, and
    read as JSON elsewhere; write -- before a negative number. Nothing else in FILE (default: the
    only manifest in this folder) changes; FILE is required where VALUE is the name of an existing
    .json, .yaml or .yml file.
    """
    is_manifest = Path(value).suffix in SUFFIXES and is_there(Path(value))
    if file is None and is_manifest and place.lstrip("/") != "$schema":
        name = visible(value)
        why = f"a VALUE is missing before {name}; or, if that is the VALUE, a FILE after it"
        raise click.UsageError(why)
    _check_file(file)
    return _change_file(file, [EditRequest("set", place, value)], force=force, diff=diff)


@manifest_command(
    """
    manifest remove permissions.host.timer             from the only manifest here
    manifest remove permission host.timer host.haptics
    manifest remove activities.box app/manifest.yaml
    manifest remove /presentation --diff
    """,
    _EXIT_CODES.replace(", already as requested", ""),
)
def remove(
    *,
    words: tuple[str, ...] = argument(
        words=lambda *_: pointers_here(),
        nargs=-1,
        required=True,
        metavar="PLACE|KIND ITEM... [FILE]",
    ),
    force: bool = option("Make the change even if it makes the manifest invalid."),
    diff: bool = _DIFF,
) -> int:
    """Remove a member or an item from a manifest.

    PLACE is a JSON pointer, or a path as messages show it; in an array, it names an item by its
    index, id or text. Items are also named by their KIND, as for `manifest add`. A comment after
    what is removed, on the same line, is removed too. Nothing else in FILE (default: the only
    manifest in this folder) changes.
    """
    if "" in words[1:]:
        raise click.UsageError("the last word names nothing: it is empty; is a variable unset?")
    items, file = _with_file([*words]) if words[1:] else ([*words], None)
    lists, (place, *others) = lists_here(), items
    _check_kind("remove", place, others, file)
    if place in lists and others:
        items = [format_pointer((lists[place].name, each)) for each in others]
    elif others or file:
        _check_file(Path(*others[:1]) if others else file)
    requests = [EditRequest("remove", each) for each in items]
    return _change_file(file, requests, force=force, diff=diff)
