"""The changes of `add`, `set` and `remove`: read off the schema, and made in the text alone.

A place is a JSON pointer or a path as messages show it, to what is there or is to be made; where it
leads nowhere, a suggestion says what may be meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile, zip_longest
from typing import Any

from manifestkit.authoring.inputs import Input, check_text, input_at, read_json
from manifestkit.decode import Decoded
from manifestkit.edits.editor import Editor
from manifestkit.edits.patch import (
    TOO_DEEP,
    Operation,
    apply_patch,
    check_size,
    is_same_data,
    verify,
)
from manifestkit.edits.spellings import Spellings
from manifestkit.findings.fingerprints import item_name
from manifestkit.findings.words import counted, excerpt, fits, label, listed, named, type_name
from manifestkit.model.document import Document
from manifestkit.model.errors import AuthoringError, EditRefusedError
from manifestkit.model.limits import DEFAULT_LIMITS, Limits
from manifestkit.model.pointer import END, Path, array_index, format_pointer, parse_place, path_in
from manifestkit.model.printable import printable
from manifestkit.schema.fields import Field
from manifestkit.schema.model import Schema
from manifestkit.schema.suggest import full_name, nearest

_NOTHING = object()
_TWO = 2
_MOST_NAMES = 10_000
_MOST_POINTERS = 500
_FIRST = "0"
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

    @property
    def done(self) -> str:
        """Its result, as a sentence without its full stop."""
        verb, rest = self.message.split(" ", 1)
        return f"{_DONE[verb]} {rest}"


def addition(document: Document, schema: Schema, kind: str, text: str) -> ManifestEdit:
    """Add an item, of one of `kinds`, to a list of the manifest.

    Its text is the item; of an object, its required members, with ``=`` between them.

    Raises:
        AuthoringError: the text is no such item.
        EditRefusedError: there is something else than a list.
    """
    name = kinds(schema)[kind]
    item, spellings = _value(input_at(schema, (name, 0)), text)
    message = f"add {_shown(item)} to {label((name,))}"
    if not isinstance(document.value, dict):
        raise EditRefusedError("a manifest is an object: fix that first")
    there = document.value.get(name)
    if there is None:
        return _put(document, schema, (name,), [item], message, spellings)
    if not isinstance(there, list):
        raise EditRefusedError(f"{label((name,))} is not an array: fix that first")
    if any(is_same_data(each, item) or _has_all(each, item) for each in there):
        return ManifestEdit(message, unchanged=f"{_shown(item)} is already in {label((name,))}")
    path = (name, len(there))
    change = _put(document, schema, path, item, message, spellings)
    return replace(change, doubt=_repeated(document, schema, path, change))


def setting(document: Document, schema: Schema, place: str, text: str) -> ManifestEdit:
    """Give a member or an item a value; objects and arrays on the path to it are made.

    In an array, the place has an index, ``-`` for a new item, or an item's id or text. The text is
    the value, as it is where the schema wants a string, else JSON.

    Raises:
        PointerSyntaxError: the place is none.
        AuthoringError: the text is no such value.
        EditRefusedError: it leads nowhere or names several items, or the text is no value and the
            place a slip.
    """
    check_text(place)
    path, missing = place_of(document, schema, place)
    whole = path_to_make(document.value_at(path), schema, path, missing)
    slip = misspelt(schema, path, missing)
    if missing and not slip and not path and (others := _elsewhere(document, schema, place)):
        slip = f"there is no {named(_name(place))}{did_you_mean(others)}"
    try:
        value, spellings = _value(input_at(schema, whole), text)
    except AuthoringError as problem:
        if slip:
            raise EditRefusedError(slip) from None
        if closed := not_allowed(schema, path, missing):
            raise EditRefusedError(f"{closed}; {problem}") from None
        raise
    if missing and isinstance(whole[-1], int):
        message = f"add {_shown(value)} to {label(whole[:-1])}"
    else:
        message = f"set {label(whole)} to {excerpt(value)}"
    if not missing:
        is_same = is_same_data(document.value_at(path), value)
        operation = {"op": "replace", "path": format_pointer(path), "value": value}
        unchanged = f"{label(whole)} is already {excerpt(value)}"
        change = ManifestEdit(
            message, None if is_same else operation, unchanged, spellings=spellings
        )
    else:
        new = len(path) + 1
        for token in reversed(whole[new:]):
            value = [value] if isinstance(token, int) else {token: value}
        change = _put(document, schema, whole[:new], value, message, spellings)
    return replace(change, doubt=slip or _repeated(document, schema, whole, change))


def filled(
    manifest: Decoded,
    schema: Schema,
    value: Any,
    spellings: Spellings | None,
    limits: Limits = DEFAULT_LIMITS,
) -> Decoded:
    """Return a manifest with the members that a value has more, each in its place by the schema."""
    for path, added in list(_additions(manifest.document.value, value)):
        message = f"set {label(path)} to {excerpt(added)}"
        change = _put(manifest.document, schema, path, added, message, spellings)
        manifest = apply_change(manifest.document, change, limits)
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
    """Take a member or an item out; in an array, the place has an index, or its id or text.

    Raises:
        PointerSyntaxError: the place is none.
        EditRefusedError: it names several items, or nothing.
    """
    path = existing(document, schema, place)
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


def apply_change(
    document: Document, change: ManifestEdit, limits: Limits = DEFAULT_LIMITS
) -> Decoded:
    """Return the manifest with a change, and not a byte of it elsewhere.

    Raises:
        EditRefusedError: its text cannot be edited so; says what to do by hand.
    """
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
    after = member_before(document.value_at(path[:-1]), schema, path)
    return ManifestEdit(message, operation, after=after, spellings=spellings)


def _repeated(document: Document, schema: Schema, path: Path, change: ManifestEdit) -> str | None:
    """Return why an item repeats another: by its first required member, or a listed value.

    Elsewhere than in such lists, two items may well be alike.
    """
    if change.operation is None:
        return None
    holder = apply_patch(document.value, [change.operation])
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
    return (
        isinstance(value, dict)
        and isinstance(wanted, dict)
        and all(value.get(name) == each for name, each in wanted.items())
    )


def member_before(owner: Any, schema: Schema, path: Path) -> str | None:
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


# -- places ------------------------------------------------------------------------------------


def kinds(schema: Schema) -> Mapping[str, str]:
    """Return the lists of a manifest, each by the name of one item."""
    root = schema.field(())
    found = {}
    for name in root.members if root else ():
        item = schema.field((name, 0))
        if item and item.title:
            found[item.title.lower()] = name
    return found


def existing(document: Document, schema: Schema, place: str) -> Path:
    """Return the path that a place leads to.

    Raises:
        PointerSyntaxError: the place is none.
        EditRefusedError: it names several items, or nothing.
    """
    path, missing = place_of(document, schema, place)
    if not missing:
        return path
    owner = document.value_at(path)
    there = set(owner) if isinstance(owner, dict) else set[str]()
    if isinstance(owner, list):
        there = item_names(owner, schema, path)
    meant = [] if path else _elsewhere(document, schema, place)
    near = nearest(missing[0], there)
    if near is not None:
        meant.append(format_pointer((*path, near, *missing[1:])))
    meant = [each for each in meant if not place_of(document, schema, each)[1]]
    raise EditRefusedError(f"there is no {named(place)}{did_you_mean(meant)}")


def _elsewhere(document: Document, schema: Schema, place: str) -> list[str]:
    """Return the pointers that a place of one name, which leads nowhere, may stand for.

    They lead to what the schema has by that name, or to an item that is called so.
    """
    name = _name(place)
    if not name:
        return []
    found = elsewhere(schema, name)
    for member, value in document.value.items() if isinstance(document.value, dict) else ():
        names = item_names(value, schema, (member,)) if isinstance(value, list) else ()
        near = name if name in names else nearest(name, names)
        found += [format_pointer((member, _token(near)))] if near else []
    return list(dict.fromkeys(found))


def _name(place: str) -> str:
    """Return the one name that a place consists of, with its dots; empty for a longer one."""
    tokens = parse_place(place)
    if place.startswith("/"):
        return str(tokens[0]) if len(tokens) == 1 else ""
    names = [each for each in tokens if isinstance(each, str)]
    return ".".join(names) if len(names) == len(tokens) else ""


def elsewhere(schema: Schema, name: str) -> list[str]:
    """Return the pointers that a name which is no member of the manifest itself may stand for.

    They lead to a member of that name in one of its objects, or to a listed value in its lists.
    """
    root = schema.field(())
    if root is None or name in root.members:
        return []
    found = []
    for member in root.members:
        field, item = schema.field((member,)), schema.field((member, 0))
        is_value = item is not None and any(value == name for value, _ in item.values)
        if is_value or (field is not None and name in field.members):
            found.append(format_pointer((member, name)))
    return found


def did_you_mean(found: Iterable[str]) -> str:
    """Ask which of some pointers was meant, to end a sentence; empty for none."""
    each = [f"`{printable(pointer)}`" for pointer in dict.fromkeys(found)]
    return f" (did you mean {listed(each)}?)" if each else ""


def pointers(value: Any, schema: Schema, *, absent: bool) -> Iterator[tuple[str, str]]:
    """Yield the pointers that `setting` or `removal` take, each with what stands there in words.

    With `absent`, also those of members that are not there, and of items to come.
    """
    todo: list[tuple[tuple[str, ...], Path, Any]] = [((), (), value)]
    for _ in range(_MOST_POINTERS):
        if not todo:
            return
        tokens, path, here = todo.pop()
        field = schema.field(path)
        if tokens:
            yield format_pointer(tokens), (field.title or "") if field else ""
        below: list[tuple[str, str | int, Any]] = []
        if isinstance(here, list):
            item = schema.field((*path, 0))
            names = [_name_of(each, item) for each in here]
            below = [
                (_token(name) if name and names.count(name) == 1 else str(index), 0, here[index])
                for index, name in enumerate(names)
            ]
        elif isinstance(here, dict):
            below = [(name, name, each) for name, each in here.items()]
        if absent and _is_array(field):
            below.append((END, 0, None))
        elif absent and field and END not in tokens:
            there = here if isinstance(here, dict) else {}
            below += [(name, name, None) for name in field.members if name not in there]
        todo += [((*tokens, name), (*path, step), each) for name, step, each in reversed(below)]


def place_of(document: Document, schema: Schema, place: str) -> tuple[Path, tuple[str, ...]]:
    """Return the path that a place leads to, as far as there is one, and the tokens beyond it.

    A place is a JSON pointer, or a path as messages show it. In an array, a token is an index, or
    an item's identifier or text; without a pointer's slashes, such a text may have dots.

    Raises:
        PointerSyntaxError: the place is none.
        EditRefusedError: several items are called so, or it leads too deep.
    """
    tokens = parse_place(place)
    path: Path = ()
    value = document.value
    number = 0
    while number < len(tokens):
        step: str | int | None = None
        taken = 1
        if isinstance(value, list):
            field = schema.field((*path, 0))
            for taken in _name_lengths(tokens[number:], place):
                token = tokens[number] if taken == 1 else _joined(tokens[number : number + taken])
                step = _index(value, field, token, path, tokens[number + taken :])
                if step is not None:
                    break
        elif isinstance(value, dict) and tokens[number] in value:
            step = tokens[number]
        elif isinstance(value, dict) and isinstance(tokens[number], int):
            raise EditRefusedError(f"{label(path)} is an object, and has no item {tokens[number]}")
        if step is None:
            if len(tokens) - number > DEFAULT_LIMITS.depth:
                raise EditRefusedError(TOO_DEEP)
            return path, tuple(map(str, tokens[number:]))
        path, value = (*path, step), value[step]
        number += taken
    return path, ()


def _joined(names: tuple[str | int, ...]) -> str:
    return ".".join(map(str, names))


def _name_lengths(tokens: tuple[str | int, ...], place: str) -> range:
    """Return how many tokens may be one name: in a path with dots, several."""
    names = takewhile(lambda token: isinstance(token, str), tokens)
    return range(1, 2 if place.startswith("/") else max(2, 1 + len(list(names))))


def path_to_make(value: Any, schema: Schema, path: Path, missing: tuple[str, ...]) -> Path:
    """Return the whole path to what is not there: an item to come has the index that it will have.

    The value is what stands at the path, which goes as far as there is something; the schema says
    what on the way is an array.

    Raises:
        EditRefusedError: what is there has no members, or no item that is called so.
    """
    for number, token in enumerate(missing):
        there = number == 0
        if there and not isinstance(value, dict | list):
            raise EditRefusedError(f"{label(path)} is {excerpt(value)}, and has no {named(token)}")
        is_list = isinstance(value, list) if there else _is_array(schema.field(path))
        if not is_list:
            path = (*path, token)
        elif token == END or (token == _FIRST and not there):
            path = (*path, len(value) if there else 0)
        else:
            raise EditRefusedError(_no_item(value, schema, path, missing[number:]))
    return path


def _no_item(value: Any, schema: Schema, path: Path, missing: tuple[str, ...]) -> str:
    items = value if isinstance(value, list) else []
    there = f"{label(path)} has no item {named(missing[0])}"
    if array_index(missing[0]) is not None:
        there += f": it has {counted(len(items), 'item')}"
    near = nearest(missing[0], item_names(items, schema, path))
    if near is not None:
        return there + did_you_mean([format_pointer((*path, near, *missing[1:]))])
    kind = next((kind for kind, name in kinds(schema).items() if (name,) == path), None)
    if kind is not None:
        return f"{there}; add a new one with `manifest add {kind}`"
    return f"{there}; use `{END}` for a new one"


def item_names(items: list[Any], schema: Schema, path: Path) -> set[str]:
    """Return the names of an array's items."""
    field = schema.field((*path, 0))
    names = (_name_of(item, field) for item in items[:_MOST_NAMES])
    return {each for each in names if each is not None}


def misspelt(schema: Schema, path: Path, missing: tuple[str, ...]) -> str | None:
    """Say that an absent member is almost one that the schema knows, or has no name."""
    here = path
    for number, token in enumerate(missing):
        field = schema.field(here)
        known = field.members if field else ()
        before = (*path, *missing[:number])
        if not token and token not in known:
            meant = format_pointer((*before, "NAME"))
            return f"there is no member with an empty name; write `{printable(meant)}`"
        is_closed = field is not None and field.closed
        near = None
        if token not in known:
            near = nearest(token, known, sure=not is_closed) or full_name(token, known)
        if near is not None:
            meant = format_pointer((*before, near, *missing[number + 1 :]))
            return f"there is no {named(token)}{did_you_mean([meant])}"
        here = (*here, 0 if _is_array(field) else token)
    return None


def not_allowed(schema: Schema, path: Path, missing: tuple[str, ...]) -> str | None:
    """Say that the schema forbids an absent member."""
    for token in missing:
        field = schema.field(path)
        if field and field.closed and token not in field.members:
            return f"{label(path)} does not allow the member {named(token)}"
        path = (*path, 0 if _is_array(field) else token)
    return None


def _is_array(field: Field | None) -> bool:
    return field is not None and "array" in field.types and "object" not in field.types


def _index(
    items: list[Any],
    field: Field | None,
    token: str | int,
    path: Path,
    below: tuple[str | int, ...],
) -> int | None:
    """Return the index of the item that a token means: ``=NAME`` is never an index.

    Raises:
        EditRefusedError: it may mean several items.
    """
    if isinstance(token, int):
        return token if token < len(items) else None
    name = token.removeprefix("=")
    found = [index for index, item in enumerate(items) if _name_of(item, field) == name != ""]
    index = array_index(token)
    by_name = f"write `{printable(format_pointer((*path, f'={token}', *below)))}` for the name"
    if token == END and found:
        raise EditRefusedError(
            f"{named(token)} may be a new item of {label(path)} or the name of one: {by_name}"
        )
    if index is not None and index < len(items) and {*found} - {index}:
        by_index = f"{label((*path, index, *below))} for the index"
        raise EditRefusedError(
            f"{named(token)} may be an index of {label(path)} or the name of another item: "
            f"{by_name}, or {by_index}"
        )
    if index is not None and index < len(items):
        return index
    if len(found) > 1:
        count = "two" if len(found) == _TWO else f"{len(found):,}"
        each = [label((*path, index, *below)) for index in found]
        raise EditRefusedError(
            f"{count} items of {label(path)} are called {named(name)}: write {listed(each)}"
        )
    return found[0] if found else None


def _name_of(item: Any, field: Field | None) -> str | None:
    """Return the id or the text of an item; a number in a list has no name."""
    return item_name(item, field) if isinstance(item, str | dict) else None


def _token(name: str) -> str:
    """Return the token that names an item, and is no index."""
    is_clear = name != END and not name.startswith("=") and array_index(name) is None
    return name if is_clear else f"={name}"
