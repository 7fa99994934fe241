"""The changes of `add`, `set` and `remove`: read off the schema, at the places that texts lead to.

A place is a JSON pointer or a path as messages show it, to what is there or is to be made.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice, takewhile, zip_longest
from typing import Any, Literal, NamedTuple

from manifestkit.authoring.inputs import Input, check_text, plain
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
from manifestkit.edits.writing import Spellings
from manifestkit.findings.fingerprints import item_name
from manifestkit.findings.words import counted, excerpt, label, listed, named
from manifestkit.model.document import Document
from manifestkit.model.errors import AuthoringError, EditRefusedError, PointerSyntaxError
from manifestkit.model.limits import DEFAULT_LIMITS, Limits
from manifestkit.model.pointer import END, Path, array_index, format_pointer, parse_place, path_in
from manifestkit.model.printable import printable
from manifestkit.schema.model import Field, Schema
from manifestkit.schema.suggest import full_name, nearest

_TWO = 2
_FEW = 3
_MOST_NAMES = 10_000
_MOST_POINTERS = 500
_FIRST = "0"
_NOTHING = object()
_OTHER_INDEX = re.compile(r"\*|-[1-9]\d{0,8}")


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
        drops: what it drops of the value that it replaces, and how to keep that; "" for nothing.
    """

    message: str
    operation: Operation | None = None
    unchanged: str = ""
    after: str | None = None
    doubt: str | None = None
    spellings: Spellings | None = None
    drops: str = ""

    def applied(self, document: Document, limits: Limits) -> Decoded:
        """Return the manifest with the change, and not a byte of it elsewhere.

        Raises:
            EditRefusedError: the change cannot be made in the text.
        """
        if self.operation is None:
            return Decoded(document, ())
        try:
            check_size(document)
            editor = Editor(document, self.spellings)
            if self.operation["op"] == "add":
                path = path_in(document.value, self.operation["path"])
                edits = editor.add(path, self.operation["value"], after=self.after)
            else:
                edits = list(editor.patch([self.operation]))
            return verify(document, edits, apply_patch(document.value, [self.operation]), limits)
        except EditRefusedError as problem:
            raise EditRefusedError(f"{problem}; by hand: {self.message}") from None


class EditRequest(NamedTuple):
    """A change that is asked for.

    Attributes:
        verb: to `add` an item of a kind, or to `set` or `remove` what is at a place.
        at: the kind or the place.
        text: what is added or set.
    """

    verb: Literal["add", "set", "remove"]
    at: str
    text: str = ""

    def edit_of(self, document: Document, schema: Schema) -> ManifestEdit:
        """Return what it changes in a manifest of a schema.

        Raises:
            AuthoringError: it cannot be understood.
            EditRefusedError: it cannot be done.
        """
        if self.verb == "add":
            return _addition(document, schema, self.at, self.text)
        if self.verb == "set":
            check_text(self.at)
            return _set(ManifestPlace.parse(document, schema, self.at), self.text)
        path = ManifestPlace.parse(document, schema, self.at).existing()
        operation = {"op": "remove", "path": format_pointer(path)}
        return ManifestEdit(f"remove {_removed(document, schema, path)}", operation)


def _addition(document: Document, schema: Schema, kind: str, text: str) -> ManifestEdit:
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
    item, _ = Input.at(schema, (name, 0)).parse(text)
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


def _set(at: ManifestPlace, text: str) -> ManifestEdit:
    """Give a member or an item a value; objects and arrays on the path to it are made."""
    document, schema = at.document, at.schema
    path, slip = at.to_make(), at.slip()
    try:
        value, spellings = Input.at(schema, path).parse(text)
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
        drops = _drops(at, value)
        edit = ManifestEdit(message, operation, spellings=spellings, drops=drops)
    else:
        new = len(at.path) + 1
        for token in reversed(path[new:]):
            value = [value] if isinstance(token, int) else {token: value}
        edit = _put(document, schema, path[:new], value, message, spellings)
    return replace(edit, doubt=slip or _repeated(document, schema, path, edit))


def _drops(at: ManifestPlace, value: Any) -> str:
    """Return what is in an object or array and not in the value that replaces it, if anything."""
    old, field, how = at.value, at.schema.field((*at.path, 0)), ""
    if isinstance(old, dict) and isinstance(value, dict):
        gone = [name for name in old if name not in value]
        changed = (name for name in value if name not in old or value[name] != old[name])
        name = next(changed, None)
        if name is not None:
            place, text = label((*at.path, name)).strip("`"), shlex.quote(plain(value[name]))
            if "[" in place:
                place = format_pointer((*at.path, name))
            how = f"; to set one member, use `manifest set {printable(f'{place} {text}')}`"
    elif isinstance(old, list) and isinstance(value, list):
        gone = [item_name(each, field) or excerpt(each) for each in old if each not in value]
        new = next((each for each in value if isinstance(each, str) and each not in old), None)
        kind = next((each for each, name in kinds(at.schema).items() if (name,) == at.path), None)
        if new is not None and kind:
            how = f"; to add one, use `manifest add {kind} {printable(shlex.quote(new))}`"
    else:
        return ""
    return f"this drops {listed(gone, 'and', named)} from {label(at.path)}{how}" if gone else ""


def _removed(document: Document, schema: Schema, path: Path) -> str:
    if not path or not isinstance(path[-1], int):
        return label(path)
    value = document.value_at(path)
    if not isinstance(value, dict | list):
        return f"{named(value)} from {label(path[:-1])}"
    name = item_name(value, schema.field((*path[:-1], 0)))
    return f"{named(name)} from {label(path[:-1])}" if name else label(path)


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
        manifest = change.applied(manifest.document, limits)
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


@dataclass(frozen=True, slots=True)
class ManifestPlace:
    """A place in a manifest of a schema.

    Attributes:
        document: the manifest.
        schema: its schema.
        text: the place as it is given.
        path: the path to it, as far as there is something.
        missing: the tokens beyond that; empty for what is there.
        indices: which of these are written as indices, `[0]`.
    """

    document: Document
    schema: Schema
    text: str
    path: Path
    missing: tuple[str, ...]
    indices: frozenset[int] = frozenset()

    @classmethod
    def parse(cls, document: Document, schema: Schema, text: str) -> ManifestPlace:
        """Return where a place leads.

        A place is a JSON pointer, or a path as messages show it. In an array, a token is an index,
        or an item's identifier or text; without a pointer's slashes, such a text may have dots.

        Raises:
            AuthoringError: the place is none.
            EditRefusedError: several items are called so, or it leads too deep.
        """
        try:
            tokens = parse_place(text)
        except PointerSyntaxError as problem:
            raise AuthoringError(str(problem)) from None
        path: Path = ()
        value = document.value
        number = 0
        while number < len(tokens):
            step: str | int | None = None
            taken = 1
            if isinstance(value, list):
                field = schema.field((*path, 0))
                for taken in _name_lengths(tokens[number:], text):
                    token = (
                        tokens[number] if taken == 1 else _joined(tokens[number : number + taken])
                    )
                    step = _index(value, field, token, path, tokens[number + taken :])
                    if step is not None:
                        break
            elif isinstance(value, dict) and tokens[number] in value:
                step = tokens[number]
            elif isinstance(value, dict) and isinstance(tokens[number], int):
                raise EditRefusedError(
                    f"{label(path)} is an object, and has no item {tokens[number]}"
                )
            if step is None:
                if len(tokens) - number > DEFAULT_LIMITS.depth:
                    raise EditRefusedError(TOO_DEEP)
                break
            path, value = (*path, step), value[step]
            number += taken
        missing = tokens[number:]
        indices = frozenset(at for at, token in enumerate(missing) if isinstance(token, int))
        return cls(document, schema, text, path, tuple(map(str, missing)), indices)

    @property
    def value(self) -> Any:
        """The value at the path."""
        return self.document.value_at(self.path)

    def existing(self) -> Path:
        """Return the path to what is there.

        Raises:
            EditRefusedError: there is nothing.
        """
        if not self.missing:
            return self.path
        meant = self._elsewhere()
        near = nearest(self.missing[0], self._names())
        if near is not None:
            meant.append(self._instead(0, near))
        meant = [each for each in meant if not self.parse(self.document, self.schema, each).missing]
        rest = _did_you_mean(meant) or f"; {self._contents()}"
        raise EditRefusedError(f"there is no {named(self.text)}{rest}")

    def _contents(self) -> str:
        """Return in words what is at the path."""
        value, at = self.value, label(self.path)
        if not isinstance(value, dict | list):
            return f"{at} is {excerpt(value)}"
        names = list(value) if isinstance(value, dict) else sorted(self._names())
        if not names or (isinstance(value, list) and array_index(self.missing[0]) is not None):
            return f"{at} has {counted(len(value), 'item')}" if value else f"{at} is empty"
        return f"{at} has {listed(names, 'and', named)}"

    def to_make(self) -> Path:
        """Return the whole path: an item to come has the index that it will have.

        An index, or the schema, says what is an array of that which is not there.

        Raises:
            EditRefusedError: what is there has no members, or no item that is called so.
        """
        path, value = self.path, self.value
        for number, token in enumerate(self.missing):
            there = number == 0
            if there and not isinstance(value, dict | list):
                is_no_owner = f"{label(path)} is {excerpt(value)}"
                raise EditRefusedError(f"{is_no_owner}, and has no {named(token)}")
            is_due = number in self.indices or _is_array(self.schema.field(path))
            is_list = isinstance(value, list) if there else is_due
            if not is_list:
                path = (*path, token)
            elif token == END or (token == _FIRST and not there):
                path = (*path, len(value) if there else 0)
            else:
                raise EditRefusedError(self._no_item(path, number))
        return path

    def slip(self) -> str | None:
        """Return why it is probably not meant: it is almost what the schema or the manifest has."""
        path = self.path
        for number, token in enumerate(self.missing):
            field = self.schema.field(path)
            known = field.members if field else ()
            if not token and token not in known:
                meant = format_pointer((*self.path, *self.missing[:number], "NAME"))
                return f"there is no member with an empty name; write `{printable(meant)}`"
            near = None
            if token not in known:
                is_closed = field is not None and field.closed
                near = nearest(token, known, sure=not is_closed) or full_name(token, known)
            if near is not None:
                return f"there is no {named(token)}{_did_you_mean([self._instead(number, near)])}"
            path = (*path, 0 if _is_array(field) else token)
        others = self._elsewhere() if self.missing else []
        return f"there is no {named(_name(self.text))}{_did_you_mean(others)}" if others else None

    def _instead(self, number: int, name: str) -> str:
        """Return the pointer with another name for a missing one."""
        return format_pointer(
            (*self.path, *self.missing[:number], name, *self.missing[number + 1 :])
        )

    def _names(self) -> set[str]:
        """Return the names of what the value at the path has."""
        value = self.value
        if isinstance(value, list):
            return _item_names(value, self.schema, self.path)
        return set(value) if isinstance(value, dict) else set()

    def _no_item(self, path: Path, number: int) -> str:
        name = self.missing[number]
        there = f"{label(path)} has no item {named(name)}"
        items = self.value if number == 0 else []
        if array_index(name) is not None:
            there += f": it has {counted(len(items), 'item')}"
        item = self.schema.field((*path, 0))
        if items and item and name in item.members:
            return there + _did_you_mean([format_pointer((*path, 0, *self.missing[number:]))])
        near = nearest(name, _item_names(items, self.schema, path))
        if near is not None:
            return there + _did_you_mean([self._instead(number, near)])
        names = kinds(self.schema).items()
        kind = next((kind for kind, member in names if (member,) == path), None)
        if kind is not None:
            form = Input.at(self.schema, (*path, 0)).form or "VALUE"
            if array_index(name) is None:
                _, sign, rest = form.partition("=")
                whole = name if sign else ".".join(self.missing[number:])
                form = printable(shlex.quote(f"{whole}{sign}{rest}"))
            return f"{there}; add it with `manifest add {kind} {form}`"
        return f"{there}; use `{END}` for a new one"

    def _elsewhere(self) -> list[str]:
        """Return the pointers that one name, which leads nowhere, may stand for.

        They lead to what the schema has by that name one level below, or to an item called so.
        """
        parent = self.schema.field(self.path)
        if self.path and parent and len(self.missing) == 1 and _is_lacking(parent, self.missing[0]):
            return self._same_name()
        name, root = _name(self.text), self.schema.field(())
        value = self.document.value if isinstance(self.document.value, dict) else {}
        known = root.members if root else ()
        if self.path or not name or name in known:
            return []
        found = []
        for member in dict.fromkeys((*known, *value)):
            field, item = self.schema.field((member,)), self.schema.field((member, 0))
            described = [*field.members] if field else []
            described += [each for each, _ in item.values] if item else []
            items = value.get(member)
            names = _item_names(items, self.schema, (member,)) if isinstance(items, list) else set()
            near = name if name in (*described, *names) else nearest(name, names)
            found += [format_pointer((member, _token(near)))] if near else []
        return found or self._same_name()

    def _same_name(self) -> list[str]:
        """Return the pointers to the first few members that have, or may have, the missing name."""
        end = format_pointer(self.missing[-1:])
        there = pointers(self.document.value, self.schema, absent=True)
        return list(islice((each for each, _ in there if each.endswith(end)), _FEW))


def _is_lacking(field: Field, name: str) -> bool:
    """Return whether an object has members, and none of a name."""
    return bool(field.members) and name not in field.members


def _joined(names: tuple[str | int, ...]) -> str:
    return ".".join(map(str, names))


def _name_lengths(tokens: tuple[str | int, ...], place: str) -> range:
    """Return how many tokens may be one name: in a path with dots, several."""
    names = takewhile(lambda token: isinstance(token, str), tokens)
    return range(1, 2 if place.startswith("/") else max(2, 1 + len(list(names))))


def kinds(schema: Schema) -> Mapping[str, str]:
    """Return the lists of a manifest, each by the name of one item."""
    root = schema.field(())
    found = {}
    for name in root.members if root else ():
        item = schema.field((name, 0))
        if item and item.title:
            found[item.title.lower()] = name
    return found


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


def _did_you_mean(found: Iterable[str]) -> str:
    """Ask which of some pointers was meant, to end a sentence; empty for none."""
    each = [f"`{printable(pointer)}`" for pointer in dict.fromkeys(found)]
    return f" (did you mean {listed(each)}?)" if each else ""


def _name(place: str) -> str:
    """Return the one name that a place consists of, with its dots; empty for a longer one."""
    tokens = parse_place(place)
    if place.startswith("/"):
        return str(tokens[0]) if len(tokens) == 1 else ""
    names = [each for each in tokens if isinstance(each, str)]
    return ".".join(names) if len(names) == len(tokens) else ""


def _item_names(items: list[Any], schema: Schema, path: Path) -> set[str]:
    """Return the names of an array's items."""
    field = schema.field((*path, 0))
    names = (_name_of(item, field) for item in items[:_MOST_NAMES])
    return {each for each in names if each is not None}


def _is_array(field: Field | None) -> bool:
    return field is not None and "array" in field.types and "object" not in field.types


def _index(
    items: list[Any],
    field: Field | None,
    token: str | int,
    path: Path,
    below: tuple[str | int, ...],
) -> int | None:
    """Return the index of the item that a token means: ``=NAME`` is never an index."""
    if isinstance(token, int) and token >= 0:
        return token if token < len(items) else None
    token = str(token)
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
    if items and not found and _OTHER_INDEX.fullmatch(token):
        at = max(len(items) + int(token), 0) if token[1:] else 0
        place = label((*path, at, *below))
        raise EditRefusedError(f"{named(token)} is not an index (the first is 0): write {place}")
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
