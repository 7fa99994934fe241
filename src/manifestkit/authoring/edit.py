"""Changes of one manifest: all or none, and none that makes it invalid.

What `add`, `set` and `remove` change is read off the schema.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from itertools import zip_longest
from typing import Any, Literal, NamedTuple

from manifestkit.authoring.inputs import Input
from manifestkit.authoring.places import ManifestPlace
from manifestkit.decode import Decoded
from manifestkit.edits.editor import edited
from manifestkit.edits.layout import comments
from manifestkit.edits.patch import is_same_data, require_editable
from manifestkit.engine.discovery import Target
from manifestkit.engine.workspace import Workspace
from manifestkit.findings.fingerprints import item_name
from manifestkit.findings.words import excerpt, label, listed, named
from manifestkit.model.document import Document
from manifestkit.model.errors import AuthoringError, EditRefusedError
from manifestkit.model.finding import Severity
from manifestkit.model.limits import Limits
from manifestkit.model.pointer import END, Path, format_pointer
from manifestkit.model.violation import Violation
from manifestkit.schema.model import Schema
from manifestkit.schema.suggest import nearest

_NOTHING = object()
_ANYWAY = "use --force to change it anyway"
_SHOWN = 3
# Probably a mistake, though valid.
_SLIPS = {"duplicate-activity-id", "duplicate-item", "ignored-member", "misspelt-field"}
_DONE = {"add": "Added", "remove": "Removed", "set": "Set"}


class _Change(NamedTuple):
    """One change of a manifest."""

    message: str  # what it does, as an instruction; or why there is nothing to do
    op: str = ""  # of JSON Patch; empty if there is nothing to do
    path: Path = ()
    value: Any = None
    typed: Document | None = None  # the text of the value, where numbers in it keep their spelling

    def applied(self, document: Document, schema: Schema, limits: Limits) -> Decoded:
        """Return the manifest with the change, and not a byte of it elsewhere.

        Raises:
            EditRefusedError: the change cannot be made in the text.
        """
        operation = {"op": self.op, "path": format_pointer(self.path), "value": self.value}
        after = None
        if self.op == "add":
            after = _member_before(document.value_at(self.path[:-1]), schema, self.path)
        try:
            return edited(document, [operation], limits, after=after, typed=self.typed)
        except EditRefusedError as problem:
            raise EditRefusedError(f"{problem}; by hand: {self.message}") from None


class EditRequest(NamedTuple):
    """A change that is asked for."""

    verb: Literal["add", "set", "remove"]
    at: str  # the kind of an item to add; the place of what is set or removed
    text: str = ""  # what is added or set

    def change(self, document: Document, schema: Schema, *, force: bool) -> _Change:
        """Return what it changes in a manifest of a schema; with force, however odd that looks.

        Raises:
            AuthoringError: it cannot be understood.
            EditRefusedError: it cannot be done.
        """
        if self.verb == "add":
            return self._addition(document, schema)
        at = ManifestPlace.parse(document, schema, self.at)
        if self.verb == "set":
            return self._set(at, force=force)
        path = at.existing()
        is_item = path and isinstance(path[-1], int) and isinstance(at.value, str | dict)
        name = item_name(at.value, schema.field(path)) if is_item else None
        gone = label(path) if name is None else f"{named(name)} from {label(path[:-1])}"
        return _Change(f"remove {gone}", "remove", path)

    def _addition(self, document: Document, schema: Schema) -> _Change:
        """Add an item of a kind to its list in the manifest.

        Its text is the item; of an object, its required members, with ``=`` between them.
        """
        known = schema.kinds
        if self.at not in known:
            near = nearest(self.at, known)
            places = ManifestPlace.parse(document, schema, self.at).in_format()
            at = next(iter(places), self.at).strip("`")
            place = ManifestPlace.parse(document, schema, at)
            field = schema.field((*place.path, *place.missing))
            step = "/" if at.startswith("/") else "."
            end = f"{step}{END}" if field and "array" in field.types else ""
            do = f"write `manifest set {shlex.join([at + end, self.text])}`"
            hint = f"; did you mean `{near}`?" if near else f"; {do}"
            all_kinds = f"one of {', '.join(known)}" if known else "a kind of this format"
            raise AuthoringError(f"`{self.at}` is not {all_kinds}{hint}")
        name = known[self.at]
        item = Input.at(schema, (name, 0)).parse(self.text)
        there = document.value.get(name, []) if isinstance(document.value, dict) else None
        if not isinstance(there, list):
            raise EditRefusedError(f"{label((name,))} must be an array: fix that first")
        if any(_has_all(each, item) for each in there):
            return _Change(f"{_shown(item)} is already in {label((name,))}")
        place = ManifestPlace.parse(document, schema, format_pointer((name, END)))
        return self._set(place, force=True)

    def _set(self, at: ManifestPlace, *, force: bool) -> _Change:
        """Give a member or an item a value; objects and arrays on the path to it are made."""
        path = at.to_make()
        elsewhere = [] if force or at.schema.field(path) else at.elsewhere() or at.in_format()
        if at.missing and elsewhere:
            meant = f"did you mean {listed(elsewhere)}?"
            raise EditRefusedError(f"there is no {named(at.text)} ({meant}); {_ANYWAY}")
        value, typed = Input.at(at.schema, path).parse_spelt(self.text, keep=force)
        spelt = typed and typed.spelling(())
        shown = named(spelt) if spelt else excerpt(value)
        message = f"set {label(path)} to {shown}"
        if not at.missing:
            if at.has(value, typed):
                return _Change(f"{label(path)} is already {shown}")
            return _Change(message, "replace", path, value, typed)
        if isinstance(path[-1], int):
            message = f"add {_shown(value)} to {label(path[:-1])}"
        new = len(at.path) + 1
        for token in reversed(path[new:]):
            value = [value] if isinstance(token, int) else {token: value}
        return _Change(message, "add", path[:new], value, typed)


class Edited(NamedTuple):
    """A manifest that was changed."""

    text: str
    done: list[str]  # what was changed, in a sentence for each change
    notes: list[str]  # what is worth knowing of it since then


def edit(
    workspace: Workspace,
    target: Target,
    before: Decoded,
    requests: Iterable[EditRequest],
    *,
    force: bool,
) -> Edited:
    """Make changes to a manifest, all or none.

    With `force`, they are made even if they make it invalid.

    Raises:
        AuthoringError: a change cannot be understood.
        EditRefusedError: a change cannot be made, or is not made without force.
    """
    try:
        require_editable(before)
    except EditRefusedError as problem:
        raise EditRefusedError(f"fix it first: {problem}") from None
    after, policy = before, workspace.policy(target.folder)
    done: list[str] = []
    for request in requests:
        schema = policy.requirements(after.document).described
        try:
            change = request.change(after.document, schema, force=force)
        except EditRefusedError:
            request.change(before.document, schema, force=force)  # refused for what is in the file
            raise
        said = change.message
        if change.op:
            old, after = after, change.applied(after.document, schema, policy.limits)
            lost = Counter(comments(old.document)) - Counter(comments(after.document))
            if lost and change.op == "replace" and not force:
                raise EditRefusedError(f"this would drop the comment {named(min(lost))}; {_ANYWAY}")
            verb, rest = said.split(" ", 1)
            said = f"{_DONE[verb]} {rest}"
        done.append(f"{said} in {target.name}")
    if after is before or force:
        return Edited(after.document.text, done, [])
    return Edited(after.document.text, done, [*_notes(workspace, target, before, after)])


def _notes(workspace: Workspace, target: Target, before: Decoded, after: Decoded) -> Iterator[str]:
    """Yield what is worth knowing of new findings.

    Raises:
        EditRefusedError: the manifest has new errors, an item twice, or a member of no format.
    """
    old, now = (workspace.lint(target, each) for each in (before, after))
    known = {(each.rule, each.message) for each in old.findings}
    new = [each for each in now.findings if (each.rule, each.message) not in known]
    errors_before, errors = (_errors(workspace, target, each) for each in (before, after))
    # What is missing in a member that was missing itself was not counted before.
    missing = [(*each.path, each.member) for each in errors_before if each.member]
    caused = (
        each
        for each in errors
        if not (each.member and any(each.path[: len(at)] == at for at in missing))
    )
    if not old.is_cut and Counter(map(_anywhere, caused)) - Counter(map(_anywhere, errors_before)):
        told = [each for each in new or now.findings if each.severity is Severity.ERROR]
        helps = [(each.help or "").removeprefix("remove it, or ") for each in told]  # not there yet
        wrong = [
            f"{each.message} ({do})" if do else each.message
            for each, do in zip(told, helps, strict=True)
        ]
        more = f"; and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        reasons = "; ".join(wrong[:_SHOWN])
        raise EditRefusedError(f"this would make the manifest invalid: {reasons}{more}; {_ANYWAY}")
    for each in new:
        if each.rule in _SLIPS:
            _, free, keep = (each.help or "").partition("remove it, or ")
            raise EditRefusedError(f"{each.message}; {keep}{free and ', or '}{_ANYWAY}")
        if each.severity is not Severity.ERROR:
            yield f"{each.pointer or target.name}: {each.message}; {each.help}"


def _errors(workspace: Workspace, target: Target, decoded: Decoded) -> list[Violation]:
    verdict = workspace.lint(target, decoded, only_verdict=True).verdict
    found = verdict.violations if verdict else ()
    return [each for each in found if each.severity is Severity.ERROR]


def _anywhere(error: Violation) -> Hashable:
    """Return what an error is about, without the indices of its place, which a change may shift."""
    place = tuple(token for token in error.path if isinstance(token, str))
    return error.rule, error.identity and error.identity.requirement, place, error.member


def _shown(value: Any) -> str:
    return named(value) if isinstance(value, str) else excerpt(value)


def _has_all(value: Any, wanted: Any) -> bool:
    if isinstance(value, dict) and isinstance(wanted, dict):
        return all(is_same_data(value.get(name, _NOTHING), each) for name, each in wanted.items())
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


def filled(
    manifest: Decoded, schema: Schema, value: Any, limits: Limits, typed: Document | None
) -> Decoded:
    """Return a manifest with the members that a value has more, each in its place by the schema.

    Raises:
        EditRefusedError: it has another value there, or cannot be edited.
    """
    for path, added in list(_additions(manifest.document.value, value)):
        change = _Change(f"set {label(path)} to {excerpt(added)}", "add", path, added, typed)
        manifest = change.applied(manifest.document, schema, limits)
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
