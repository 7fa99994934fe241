"""The changes of `add`, `set` and `remove`: read off the schema, and made in the text alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, NamedTuple

from manifestkit.authoring.inputs import Input, check_text, read_json
from manifestkit.authoring.places import ManifestPlace, kinds
from manifestkit.decode import Decoded
from manifestkit.edits.editor import Editor
from manifestkit.edits.patch import (
    Operation,
    apply_patch,
    check_size,
    is_same_data,
    require_editable,
    verify,
)
from manifestkit.edits.spellings import Spellings
from manifestkit.engine.discovery import Target
from manifestkit.engine.workspace import Workspace
from manifestkit.findings.fingerprints import item_name
from manifestkit.findings.words import excerpt, fits, label, named, type_name
from manifestkit.model.document import Document
from manifestkit.model.errors import AuthoringError, EditRefusedError
from manifestkit.model.finding import Finding, Severity
from manifestkit.model.limits import Limits
from manifestkit.model.pointer import END, Path, format_pointer, parse_pointer, path_in
from manifestkit.rules.check import LIMIT_EXCEEDED
from manifestkit.rules.checks import ignored_member
from manifestkit.schema.model import Schema
from manifestkit.schema.suggest import nearest

_ANYWAY = "use --force to change it anyway"
_SHOWN = 3
_NOTHING = object()
_DONE = {"add": "Added", "remove": "Removed", "set": "Set"}


@dataclass(frozen=True, slots=True)
class ManifestEdit:
    """One change of a manifest.

    Attributes:
        message: what it does, as an instruction.
        operation: the change; None if there is nothing to change.
        unchanged: why there is nothing to change.
        after: the member that a new one is to stand behind; "" for before all others.
        doubt: why it is probably not meant, though it can be made.
        spellings: how what is new is spelt where it was given.
    """

    message: str
    operation: Operation | None = None
    unchanged: str = ""
    after: str | None = None
    doubt: str | None = None
    spellings: Spellings | None = None


Plan = Callable[[Document, Schema], ManifestEdit]
"""Change to a manifest of a schema."""


class Changed(NamedTuple):
    """A manifest that was changed.

    Attributes:
        text: its text.
        done: what was changed, in a sentence for each change.
        notes: what is worth knowing of it since then.
    """

    text: str
    done: list[str]
    notes: list[str]


def change(
    workspace: Workspace, target: Target, before: Decoded, plans: Iterable[Plan], *, force: bool
) -> Changed:
    """Make changes to a manifest, all or none.

    With `force`, they are made even if they make it invalid, or are probably a mistake.

    Raises:
        AuthoringError, PointerSyntaxError: a change cannot be understood.
        EditRefusedError: a change cannot be made, or is not made without force.
    """
    try:
        require_editable(before)
    except EditRefusedError as problem:
        raise EditRefusedError(f"fix it first: {problem}") from None
    after = before
    done: list[str] = []
    operations: list[Operation] = []
    for plan in plans:
        edit = plan(after.document, workspace.described_schema_of(after.document, target.folder))
        if edit.operation is None:
            done.append(f"{edit.unchanged} in {target.name}")
            continue
        if edit.doubt and not force:
            raise EditRefusedError(f"{edit.doubt}; {_ANYWAY}")
        after = _applied(after.document, edit, workspace.limits(target.folder))
        verb, rest = edit.message.split(" ", 1)
        done.append(f"{_DONE[verb]} {rest} in {target.name}")
        operations.append(edit.operation)
    text = after.document.text
    if not operations or force:
        return Changed(text, done, [])
    old, new = (workspace.lint(target, each).findings for each in (before, after))
    errors, errors_now = ([*_errors(workspace, target, each)] for each in (before, after))
    if _has_new(errors, errors_now, operations):
        wrong = [each for each in new if each.severity is Severity.ERROR]
        worse = _new_findings(old, wrong) or wrong
        reasons = "; ".join(map(_reason, worse[:_SHOWN]))
        more = f"; and {len(worse) - _SHOWN} more" if len(worse) > _SHOWN else ""
        reason = f"this would make the manifest invalid: {reasons}{more}; {_ANYWAY}"
        raise EditRefusedError(reason)
    notes = []
    for each in _new_findings(old, new):
        if each.severity is not Severity.ERROR:
            do = "nobody has to read it" if each.rule == ignored_member.ID else each.help
            notes.append(f"{each.pointer or target.name}: {each.message}; {do}")
    return Changed(text, done, notes)


def _has_new(before: list[_Error], after: list[_Error], operations: Iterable[Operation]) -> bool:
    """Return whether operations cause an error, whatever was wrong before with what they replace.

    A member that was missing, or is one of what was missing, is no new error.
    """
    if any(each.kind[0] == LIMIT_EXCEEDED for each in before):  # those left out are not new
        return len(after) > len(before)
    replaced = {tuple(parse_pointer(each["path"])) for each in operations}
    kept = (each for each in before if each.is_missing or not _is_within(each.place, replaced))
    missing = {each.place for each in before if each.is_missing}
    caused = (
        each for each in after if not (each.is_missing and _is_within(each.place[:-1], missing))
    )
    return not Counter(each.kind for each in caused) <= Counter(each.kind for each in kept)


def _is_within(place: tuple[str, ...], places: Container[tuple[str, ...]]) -> bool:
    return any(place[:end] in places for end in range(len(place) + 1))


class _Error(NamedTuple):
    """An error: its place, its kind whatever the indexes are, and whether a member is missing."""

    place: tuple[str, ...]
    kind: tuple[str, ...]
    is_missing: bool


def _errors(workspace: Workspace, target: Target, decoded: Decoded) -> Iterator[_Error]:
    verdict = workspace.lint(target, decoded, only_verdict=True).verdict
    for each in verdict.violations if verdict else ():
        if each.severity is Severity.ERROR and each.identity:
            member = each.identity.member
            place = (*parse_pointer(each.pointer), *([member] if member else ()))
            anywhere = ("" if token.isdecimal() else token for token in place)
            kind = each.rule, each.identity.requirement, *anywhere
            yield _Error(place, kind, bool(member))


def _new_findings(before: Iterable[Finding], after: Iterable[Finding]) -> list[Finding]:
    known = {(each.rule, each.message) for each in before}
    return [each for each in after if (each.rule, each.message) not in known]


def _reason(finding: Finding) -> str:
    """Return what is wrong, with what was probably meant."""
    advice, message = finding.help or "", finding.message
    is_said = finding.suggestion is not None and named(finding.suggestion) in message
    return (
        f"{message} ({advice})" if advice.startswith("did you mean ") and not is_said else message
    )


def addition(document: Document, schema: Schema, kind: str, text: str) -> ManifestEdit:
    """Add an item, of one of `kinds`, to a list of the manifest.

    Its text is the item; of an object, its required members, with ``=`` between them.
    """
    known = kinds(schema)
    if kind not in known:
        near = nearest(kind, known)
        hint = f"; did you mean `{near}`?" if near else ""
        all_kinds = f"one of {', '.join(known)}" if known else "a kind of this format"
        raise AuthoringError(f"`{kind}` is not {all_kinds}{hint}")
    name = known[kind]
    item, _ = _value(Input.at(schema, (name, 0)), text)
    if not isinstance(document.value, dict):
        raise EditRefusedError("a manifest is an object: fix that first")
    there = document.value.get(name)
    if there is None:
        return _set(ManifestPlace(document, schema, name, (), (name, END)), text)
    if not isinstance(there, list):
        raise EditRefusedError(f"{label((name,))} is not an array: fix that first")
    if any(_has_all(each, item) for each in there):
        return ManifestEdit("", unchanged=f"{_shown(item)} is already in {label((name,))}")
    return _set(ManifestPlace(document, schema, name, (name,), (END,)), text)


def setting(document: Document, schema: Schema, place: str, text: str) -> ManifestEdit:
    """Give a member or an item a value; objects and arrays on the path to it are made.

    In an array, the place has an index, ``-`` for a new item, or an item's id or text. The text is
    the value, as it is where the schema wants a string, else JSON.
    """
    check_text(place)
    return _set(ManifestPlace.parse(document, schema, place), text)


def _set(at: ManifestPlace, text: str) -> ManifestEdit:
    document, schema = at.document, at.schema
    path, slip = at.to_make(), at.slip()
    try:
        value, spellings = _value(Input.at(schema, path), text)
    except AuthoringError:
        if slip:
            raise EditRefusedError(slip) from None
        raise
    message = f"set {label(path)} to {excerpt(value)}"
    if at.missing and isinstance(path[-1], int):
        message = f"add {_shown(value)} to {label(path[:-1])}"
    if not at.missing:
        if is_same_data(at.value, value):
            return ManifestEdit(message, unchanged=f"{label(path)} is already {excerpt(value)}")
        operation = {"op": "replace", "path": format_pointer(path), "value": value}
        edit = ManifestEdit(message, operation, spellings=spellings)
    else:
        new = len(at.path) + 1
        for token in reversed(path[new:]):
            value = [value] if isinstance(token, int) else {token: value}
        edit = _put(document, schema, path[:new], value, message, spellings)
    return replace(edit, doubt=slip or _repeated(document, schema, path, edit))


def filled(
    manifest: Decoded,
    schema: Schema,
    value: Any,
    spellings: Spellings | None,
    limits: Limits,
) -> Decoded:
    """Return a manifest with the members that a value has more, each in its place by the schema."""
    for path, added in list(_additions(manifest.document.value, value)):
        message = f"set {label(path)} to {excerpt(added)}"
        change = _put(manifest.document, schema, path, added, message, spellings)
        manifest = _applied(manifest.document, change, limits)
    return manifest


def _additions(before: Any, after: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield what a value has more than it had or otherwise: members, and items at the end."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name, value in after.items():
            yield from _additions(before.get(name, _NOTHING), value, (*path, name))
    elif isinstance(before, list) and isinstance(after, list):
        for index, (here, value) in enumerate(zip_longest(before, after, fillvalue=_NOTHING)):
            yield from _additions(here, value, (*path, index))
    elif before != after:
        yield path, after


def removal(document: Document, schema: Schema, place: str) -> ManifestEdit:
    """Take a member or an item out; in an array, the place has an index, or its id or text."""
    path = ManifestPlace.parse(document, schema, place).existing()
    operation = {"op": "remove", "path": format_pointer(path)}
    return ManifestEdit(f"remove {_removed(document, schema, path)}", operation)


def _removed(document: Document, schema: Schema, path: Path) -> str:
    if not path or not isinstance(path[-1], int):
        return label(path)
    value = document.value_at(path)
    if not isinstance(value, dict | list):
        return f"{named(value)} from {label(path[:-1])}"
    name = item_name(value, schema.field((*path[:-1], 0)))
    return f"{named(name)} from {label(path[:-1])}" if name else label(path)


def _applied(document: Document, change: ManifestEdit, limits: Limits) -> Decoded:
    """Return the manifest with a change, and not a byte of it elsewhere."""
    operation = change.operation
    assert operation is not None  # noqa: S101 - else there is nothing to change
    try:
        check_size(document)
        editor = Editor(document, change.spellings)
        if operation["op"] == "add":
            path = path_in(document.value, operation["path"])
            edits = editor.add(path, operation["value"], after=change.after)
        else:
            edits = list(editor.patch([operation]))
        return verify(document, edits, apply_patch(document.value, [operation]), limits)
    except EditRefusedError as problem:
        raise EditRefusedError(f"{problem}; by hand: {change.message}") from None


def _put(
    document: Document,
    schema: Schema,
    path: Path,
    value: Any,
    message: str,
    spellings: Spellings | None,
) -> ManifestEdit:
    """Add what is not there, a member behind those that the schema has before it."""
    operation = {"op": "add", "path": format_pointer(path), "value": value}
    after = _member_before(document.value_at(path[:-1]), schema, path)
    return ManifestEdit(message, operation, after=after, spellings=spellings)


def _repeated(document: Document, schema: Schema, path: Path, edit: ManifestEdit) -> str | None:
    """Return why an item repeats another: by its first required member, or a listed value.

    Elsewhere than in such lists, two items may well be alike.
    """
    holder = apply_patch(document.value, [edit.operation] if edit.operation else [])
    for number, token in enumerate(path):
        field = schema.field(path[: number + 1])
        item, below = holder[token], path[number + 1 :]
        if isinstance(holder, list) and field and field.values and holder.count(item) > 1:
            return f"{label(path[:number])} has {excerpt(item)} already"
        if isinstance(holder, list) and field and isinstance(item, dict):
            first = next(iter(field.required), None)
            known = [each.get(first) for each in holder if isinstance(each, dict)]
            own = item.get(first)
            if own is not None and below in ((), (first,)) and known.count(own) > 1:
                return f"another {(field.title or 'item').lower()} has the {first} {excerpt(own)}"
        holder = item
    return None


def _shown(value: Any) -> str:
    return named(value) if isinstance(value, str) else excerpt(value)


def _value(entry: Input, text: str) -> tuple[Any, Spellings | None]:
    """Return the value that a text says, and how it is spelt if the text is JSON."""
    for value in entry.read(text):
        given = None if value == text else read_json(text)
        if given is None or not is_same_data(given.value, value):
            return value, None
        return given.value, Spellings(given)
    types = entry.field.types
    wanted = type_name(types) if types else "a value in JSON"
    raise AuthoringError(
        f"{label(entry.path)} takes {wanted}, not {named(text)}{_hint(text, types)}"
    )


def _hint(text: str, types: tuple[str, ...]) -> str:
    if not types:
        return "; write a string in quotes, as in '\"text\"'"
    items = [each.strip() for each in text.strip("[] ").split(",")]
    if types != ("array",) or not all(items) or not fits(items):
        return ""
    return f"; write '{excerpt(items).strip('`')}'"


def _has_all(value: Any, wanted: Any) -> bool:
    if isinstance(value, dict) and isinstance(wanted, dict):
        return all(value.get(name) == each for name, each in wanted.items())
    return is_same_data(value, wanted)


def _member_before(owner: Any, schema: Schema, path: Path) -> str | None:
    """Return the member of an owner that a new one at a path is to stand behind, by the schema.

    "" is for before all, None for behind all and for what is no member it knows.
    """
    field = schema.field(path[:-1])
    if not isinstance(owner, dict) or field is None or path[-1] not in field.members:
        return None
    earlier = field.members[: field.members.index(str(path[-1]))]
    there = [name for name in earlier if name in owner]
    is_first = any(name in owner for name in field.members)
    return there[-1] if there else "" if is_first else None
