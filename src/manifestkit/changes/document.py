"""The change document: what changed, for the change rules, and where its parts stand.

`change-document.schema.json` describes it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from manifestkit.changes.differences import Differences
from manifestkit.findings.fingerprints import stable_pointer
from manifestkit.findings.words import counted, excerpt, kind, label, named
from manifestkit.model.change import ABSENT, Change
from manifestkit.model.document import Document
from manifestkit.model.finding import Finding, Related, Severity
from manifestkit.model.location import Location
from manifestkit.model.pointer import Path, format_pointer, path_in
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.model import Schema

_NUMBER = r"(0|[1-9][0-9]*)"
_PLAIN = re.compile(rf"{_NUMBER}\.{_NUMBER}")
_NAME = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_SEMANTIC = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-({_NAME}))?(?:\+{_NAME})?")
_STEPS = ("major", "minor", "patch", "pre-release")

_VersionPart = tuple[int, int, str]
Arrival = Literal["renamed", "added"]
"""Arrival of a manifest at a path: moved there, or new beside one of its provider."""


class _LintChange(NamedTuple):
    """A finding of lint about one of the two manifests that the other has not."""

    finding: Finding
    path: Path  # its place in the manifest that it is about
    is_new: bool  # whether that is the new one


class _ChangePart(NamedTuple):
    """Part of the change document, as one of the new manifest."""

    said: str  # that in words
    path: Path  # its place in the new manifest, or the nearest around it
    location: Location  # the characters there
    stable: str = ""  # what stays of the place; in the old manifest where it is gone
    related: tuple[Related, ...] = ()  # its place in the old manifest

    @property
    def pointer(self) -> str:
        """Its place in the new manifest as a JSON pointer."""
        return format_pointer(self.path)


class Pair:
    """Two manifests, and their differences; one of them may be missing.

    Findings have the names that are given, of the new one also where it would be. `arrival` says
    that the file has another path now, or is new beside the old one.
    """

    def __init__(
        self,
        old: Document | None,
        new: Document | None,
        schema: Schema,
        old_name: str,
        name: str,
        arrival: Arrival | None = None,
    ) -> None:
        self.schema = schema
        self.old_name = old_name
        self.name = name
        self.old = old
        self.new = new
        self.changes: tuple[Change, ...] = ()
        self._compared: Differences | None = None
        self._lint_changes: list[_LintChange] = []
        self._old_errors: list[Finding] = []
        if old and new:
            self._compared = Differences(old.value, new.value, schema)
            self.changes = self._compared.changes
            if arrival:
                names = (old_name, name) if arrival == "renamed" else (ABSENT, new.value)
                self.changes = (Change(arrival, "", (), (), *names), *self.changes)
        elif new:
            self.changes = (Change("added", "", (), (), new=new.value),)
        elif old:
            self.changes = (Change("removed", "", (), (), old=old.value),)

    @property
    def document(self) -> Document:
        """The manifest that findings are about: the new one, if there is one."""
        document = self.new or self.old
        assert document is not None  # noqa: S101 - there is at least one
        return document

    def one_by_one(self) -> Pair:
        """Return the pair of a new manifest, with each member of its sets as a change."""
        pair = Pair(None, self.new, self.schema, self.old_name, self.name)
        changes = Differences({}, self.document.value, self.schema).changes
        pair.changes = tuple(each for each in changes if each.new_path[:-1] in self.schema.sets)
        return pair

    def note_findings(self, old: Sequence[Finding], new: Sequence[Finding]) -> None:
        """Have what lint finds in only one of the two in the change document."""
        self._old_errors = [each for each in old if each.severity is Severity.ERROR]
        all_old = [_LintChange(each, _path(self.old, each.pointer), is_new=False) for each in old]
        all_new = [_LintChange(each, _path(self.new, each.pointer), is_new=True) for each in new]
        before = {self._known_by(each) for each in all_old} | {each.identity for each in old}
        after = {self._known_by(each) for each in all_new} | {each.identity for each in new}
        for some, others in ((all_new, before), (all_old, after)):
            self._lint_changes += (
                each
                for each in some
                if others.isdisjoint((self._known_by(each), each.finding.identity))
            )

    def _known_by(self, change: _LintChange) -> tuple[str, Path | None, str | None]:
        path = change.path if change.is_new else self._path_in_new(change.path)
        return change.finding.rule, path, change.finding.property

    def contents(self) -> dict[str, Any]:
        """Return the change document."""
        version, mentioned = self._version(), self.changes or self._lint_changes
        return {
            **({"version": version} if version else {}),
            "changes": [self._change(each) for each in self.changes],
            "findings": [
                {
                    "state": "new" if each.is_new else "fixed",
                    "rule": each.finding.rule,
                    "severity": each.finding.severity.value,
                    "message": each.finding.message,
                }
                for each in self._lint_changes
            ],
            # What did not change is not mentioned, whatever is wrong with it.
            "old": {"name": self.old_name, "errors": len(self._old_errors) * bool(mentioned)},
        }

    def _change(self, change: Change) -> dict[str, Any]:
        contents = change.contents()
        value = change.old if change.new is ABSENT else change.new
        field = self.schema.field(change.new_path if change.old is ABSENT else change.old_path)
        if isinstance(value, dict) and field and field.identifier in value:
            contents["item"] = value[field.identifier]
        if change.old is not ABSENT and change.new is not ABSENT:
            contents["values"] = _from_to(change.old, change.new)
        is_added = change.kind == "added" and not change.field
        return {**contents, "change": self._asks() if is_added else _sentence(change)}

    def _asks(self) -> str:
        """Return in words that the manifest is new, and what people are asked to consent to."""
        asked = list[Any]()
        for place in self.schema.sets:
            item = self.schema.field((*place, 0))
            if item and item.consents:
                held = _held_at(self.new, place)
                if not isinstance(held, list):
                    return "this manifest is new, and nobody can say what it asks for"
                asked += held
        names = list(dict.fromkeys(map(named, asked)))
        both = " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
        return f"this manifest is new and asks for {both or 'no permission'}"

    def _version(self) -> dict[str, Any] | None:
        path = self.schema.version
        old, new = _held_at(self.old, path), _held_at(self.new, path)
        if not isinstance(old, str) or not isinstance(new, str):
            return None
        order, step = order_of(old, new)
        count = sum(each.field != "" or each.kind == "changed" for each in self.changes)
        contents = {"old": old, "new": new, "order": order, "changes": count}
        return {**contents, "step": step} if step else contents

    def part(self, path: Path, contents: dict[str, Any]) -> _ChangePart:
        """Return what a place in the change document is about."""
        start = self.document.locate_key(())
        match path:
            case ("changes", int(index), *inside):
                change, said = self.changes[index], contents["changes"][index]["change"]
                below = inside[1:] if change.field and inside[:1] == ["new"] else ()
                return self._changed(
                    said,
                    change.old_path,
                    (*change.new_path, *below),
                    was_there=change.old is not ABSENT,
                    is_there=change.new is not ABSENT,
                )
            case ("findings", int(index), *_):
                finding, place, is_new = self._lint_changes[index]
                stable = finding.identity.pointer if finding.identity else finding.pointer
                if is_new:
                    return _ChangePart(finding.message, place, finding.location, stable)
                said, nearest = f"no longer found: {finding.message}", self._nearest(place)
                at, there = self.document.locate_key(nearest), self._there(finding)
                return _ChangePart(said, nearest, at, stable, (there,))
            case ("version", *_):
                place = self.schema.version or ()
                old, new = contents["version"]["old"], contents["version"]["new"]
                is_now = f"changed {_from_to(old, new)}" if old != new else f"is still {named(new)}"
                return self._changed(f"{label(place)} {is_now}", place, place)
            case ("old", *_) if self._old_errors:
                said = f"{named(self.old_name)} has {counted(len(self._old_errors), 'error')}"
                there = self._there(self._old_errors[0])
                return _ChangePart(said, (), start, related=(there,))
            case _:
                return self._changed("something changed", (), ())

    def _changed(
        self,
        said: str,
        old_path: Path,
        path: Path,
        *,
        was_there: bool = True,
        is_there: bool = True,
    ) -> _ChangePart:
        """Return the part about a value that either manifest has, or lacks, at a path."""
        if self.new is None or not (self.old or path):
            return _ChangePart(said, (), self.document.locate_key(()))
        document, lasting, related = self.new, path, tuple[Related, ...]()
        if self.old:
            if not is_there:
                document, lasting = self.old, old_path
            was = "it was here" if was_there else "it was not here"
            there = _located(self.old, old_path, is_value=was_there)
            related = (Related(was, format_pointer(old_path), there, self.old_name),)
        stable = stable_pointer(Manifest(document, self.schema), lasting)
        return _ChangePart(said, path, _located(self.new, path, is_value=is_there), stable, related)

    def _nearest(self, path: Path) -> Path:
        """Return the place in the new manifest that is nearest to one in the old."""
        there = self._path_in_new(path)
        while there is None:
            path = path[:-1]
            there = self._path_in_new(path)
        while there and _held_at(self.new, there) is None:
            there = there[:-1]
        return there

    def _there(self, finding: Finding) -> Related:
        return Related(finding.message, finding.pointer, finding.location, self.old_name)

    def _path_in_new(self, path: Path) -> Path | None:
        return self._compared.path_in_new(path) if self._compared else path


def _located(document: Document, path: Path, *, is_value: bool) -> Location:
    """Return the place of a value; the start of the manifest, and of what encloses a value."""
    return document.locate(path) if is_value and path else document.locate_key(path)


def _path(document: Document | None, pointer: str) -> Path:
    value = document.value if document else None
    with suppress(KeyError, IndexError, TypeError):
        return path_in(value, pointer)
    return ()


def _sentence(change: Change) -> str:
    if change.old is not ABSENT and change.new is not ABSENT:
        return f"{label(change.new_path)} changed {_from_to(change.old, change.new)}"
    is_gone = change.new is ABSENT
    path, value = (change.old_path, change.old) if is_gone else (change.new_path, change.new)
    # An object of one member says less than the member.
    while path and isinstance(value, dict) and len(value) == 1:
        ((name, value),) = value.items()
        path = (*path, name)
    if is_gone:
        return f"{label(path)} was removed; it was {named(value)}"
    return f"{label(path)} is new: {named(value)}"


def _held_at(document: Document | None, path: Path | None) -> Any:
    return None if document is None or path is None else document.value_or_none(path)


def order_of(old: str, new: str) -> tuple[str, str | None]:
    """Return how a version follows another: `raised`, `same`, `equal`, `lowered` or `incomparable`.

    Only two of the form `N.N`, or two semantic versions (semver.org, section 11), are compared;
    two that differ in build metadata alone are `equal`.

    Returns:
        The order and, of one that is raised, its first part that is: `major`, `minor`, `patch` or
        `pre-release`.
    """
    if old == new:
        return "same", None
    one, two = _parts(old), _parts(new)
    if not one or len(one) != len(two):
        return "incomparable", None
    for step, before, after in zip(_STEPS, one, two, strict=False):
        if before != after:
            return ("raised", step) if before < after else ("lowered", None)
    return "equal", None


def _parts(version: str) -> list[list[_VersionPart]]:
    """Return what orders a version, the first part first; nothing for one of neither form."""
    if plain := _PLAIN.fullmatch(version):
        return [[_version_part(each)] for each in plain.groups()]
    semantic = _SEMANTIC.fullmatch(version)
    if not semantic:
        return []
    *numbers, release = semantic.groups()
    # A version comes after all of its pre-releases; of two, the one with more names does.
    last = [_version_part(each) for each in release.split(".")] if release else [(2, 0, "")]
    return [*([_version_part(each)] for each in numbers), last]


def _version_part(name: str) -> _VersionPart:
    """Return a name that orders as it should: numbers by their size, and before all texts."""
    if re.fullmatch("[0-9]+", name):
        return 0, len(name.lstrip("0")), name.lstrip("0")
    return 1, 0, name


def _from_to(old: Any, new: Any) -> str:
    """Return two values so that people can tell them apart: ``from `a` to `b```."""
    one, two = (float if type(each) is int else type(each) for each in (old, new))
    if one is not two:
        return f"from {kind(old)} to {kind(new)}"
    for shown in (named, excerpt):
        if shown(old) != shown(new):
            return f"from {shown(old)} to {shown(new)}"
    return f"in what is left out of {excerpt(old)}"
