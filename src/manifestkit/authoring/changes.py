"""The changes of `add`, `set` and `remove`, each read off the schema."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, Literal, NamedTuple

from manifestkit.authoring.inputs import Input
from manifestkit.authoring.places import ManifestPlace
from manifestkit.decode import Decoded
from manifestkit.edits.editor import Editor
from manifestkit.edits.patch import Operation, apply_patch, check_size, is_same_data, verify
from manifestkit.findings.words import excerpt, label, listed, named
from manifestkit.model.document import Document
from manifestkit.model.errors import AuthoringError, EditRefusedError
from manifestkit.model.limits import Limits
from manifestkit.model.pointer import END, Path, format_pointer, path_in
from manifestkit.schema.model import Schema
from manifestkit.schema.suggest import nearest

_NOTHING = object()


class ManifestEdit(NamedTuple):
    """One change of a manifest.

    Attributes:
        message: what it does, as an instruction; or why there is nothing to do.
        operation: the change; None if there is nothing to do.
        after: the member that a new one is to stand behind; "" for before all others.
    """

    message: str
    operation: Operation | None = None
    after: str | None = None

    def applied(self, document: Document, limits: Limits) -> Decoded:
        """Return the manifest with the change, and not a byte of it elsewhere.

        Raises:
            EditRefusedError: the change cannot be made in the text.
        """
        assert self.operation is not None  # noqa: S101 - else there is nothing to apply
        try:
            check_size(document)
            editor = Editor(document)
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
        force: whether it is meant, whatever it looks like.
    """

    verb: Literal["add", "set", "remove"]
    at: str
    text: str = ""
    force: bool = False

    def change(self, document: Document, schema: Schema) -> ManifestEdit:
        """Return what it changes in a manifest of a schema.

        Raises:
            AuthoringError: it cannot be understood.
            EditRefusedError: it cannot be done.
        """
        if self.verb == "add":
            return self._addition(document, schema)
        at = ManifestPlace.parse(document, schema, self.at)
        if self.verb == "set":
            return self._set(at)
        path = at.existing()
        is_item = path and isinstance(path[-1], int) and isinstance(at.value, str)
        gone = f"{named(at.value)} from {label(path[:-1])}" if is_item else label(path)
        return ManifestEdit(f"remove {gone}", {"op": "remove", "path": format_pointer(path)})

    def _addition(self, document: Document, schema: Schema) -> ManifestEdit:
        """Add an item of a kind to its list in the manifest.

        Its text is the item; of an object, its required members, with ``=`` between them.
        """
        known = schema.kinds
        if self.at not in known:
            near = nearest(self.at, known)
            hint = f"; did you mean `{near}`?" if near else ""
            all_kinds = f"one of {', '.join(known)}" if known else "a kind of this format"
            raise AuthoringError(f"`{self.at}` is not {all_kinds}{hint}")
        name = known[self.at]
        item = Input.at(schema, (name, 0)).parse(self.text)
        there = document.value.get(name, []) if isinstance(document.value, dict) else None
        if not isinstance(there, list):
            raise EditRefusedError(f"{label((name,))} must be an array: fix that first")
        if any(_has_all(each, item) for each in there):
            return ManifestEdit(f"{_shown(item)} is already in {label((name,))}")
        return self._set(ManifestPlace.parse(document, schema, format_pointer((name, END))))

    def _set(self, at: ManifestPlace) -> ManifestEdit:
        """Give a member or an item a value; objects and arrays on the path to it are made."""
        path = at.to_make()
        elsewhere = [] if self.force or at.schema.field(path) else at.elsewhere()
        if at.missing and elsewhere:
            meant = f"did you mean {listed(elsewhere)}?"
            raise EditRefusedError(
                f"there is no {named(at.text)} ({meant}); use --force to change it anyway"
            )
        value = Input.at(at.schema, path).parse(self.text)
        message = f"set {label(path)} to {excerpt(value)}"
        if not at.missing:
            if is_same_data(at.value, value):
                return ManifestEdit(f"{label(path)} is already {excerpt(value)}")
            operation = {"op": "replace", "path": format_pointer(path), "value": value}
            return ManifestEdit(message, operation)
        if isinstance(path[-1], int):
            message = f"add {_shown(value)} to {label(path[:-1])}"
        new = len(at.path) + 1
        for token in reversed(path[new:]):
            value = [value] if isinstance(token, int) else {token: value}
        return _put(at.document, at.schema, path[:new], value, message)


def _put(document: Document, schema: Schema, path: Path, value: Any, message: str) -> ManifestEdit:
    """Add what is not there, a member behind those that the schema has before it."""
    operation = {"op": "add", "path": format_pointer(path), "value": value}
    after = _member_before(document.value_at(path[:-1]), schema, path)
    return ManifestEdit(message, operation, after)


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
        return "" if path == ("$schema",) and owner else None
    earlier = field.members[: field.members.index(str(path[-1]))]
    there = [name for name in earlier if name in owner]
    is_first = any(name in owner for name in field.members)
    return there[-1] if there else "" if is_first else None


def filled(manifest: Decoded, schema: Schema, value: Any, limits: Limits) -> Decoded:
    """Return a manifest with the members that a value has more, each in its place by the schema.

    Raises:
        EditRefusedError: it has another value there, or cannot be edited.
    """
    for path, added in list(_additions(manifest.document.value, value)):
        message = f"set {label(path)} to {excerpt(added)}"
        change = _put(manifest.document, schema, path, added, message)
        manifest = change.applied(manifest.document, limits)
    return manifest


def _additions(before: Any, after: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield what a value has more than it had: members, and items at the end."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name, value in after.items():
            yield from _additions(before.get(name, _NOTHING), value, (*path, name))
    elif isinstance(before, list) and isinstance(after, list):
        for index, pair in enumerate(zip_longest(before, after, fillvalue=_NOTHING)):
            yield from _additions(*pair, (*path, index))
    elif before is _NOTHING:
        yield path, after
    elif not is_same_data(before, after):
        there = f"{label(path)} is {excerpt(before)} already"
        is_of_item = any(isinstance(each, int) for each in path)
        more = "add another item with `manifest add`, or " if is_of_item else ""
        raise EditRefusedError(f"{there}; {more}change it with `manifest set`")
