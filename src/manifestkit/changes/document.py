"""The change document: what changed, for the change rules, and where its parts stand.

`change-document.schema.json` describes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import takewhile
from typing import Any, NamedTuple

from manifestkit.changes.differences import Differences
from manifestkit.engine.describe import described
from manifestkit.findings.fingerprints import stable_pointer
from manifestkit.findings.words import counted, excerpt, kind, label, named
from manifestkit.model.change import ABSENT, Change
from manifestkit.model.document import Document
from manifestkit.model.finding import Finding, Identity, Related, Severity
from manifestkit.model.location import Location
from manifestkit.model.pointer import Path, format_pointer, parse_pointer, path_in
from manifestkit.model.violation import Violation
from manifestkit.schema.drafts import CLOSED
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.model import Schema
from manifestkit.schema.validation_error import ValidationError

_UNDO = "undo this, or ask the host to allow it"
_ON_NAME = CLOSED | {"propertyNames"}
_ADDED = "manifest-added"
_NUMBER = r"(0|[1-9][0-9]*)"
_PLAIN = re.compile(rf"{_NUMBER}\.{_NUMBER}")
_NAME = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_SEMANTIC = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-({_NAME}))?(?:\+{_NAME})?")
_STEPS = ("major", "minor", "patch", "pre-release")
_BEFORE_DIFFERENCE = 20  # characters that are shown

_Part = tuple[int, int, str]


class _LintChange(NamedTuple):
    """A finding of lint about one of the two manifests that the other has not."""

    finding: Finding
    path: Path  # its place in the manifest that it is about
    is_new: bool  # whether that is the new one


class Pair:
    """Two manifests, and what is different; one of them may be missing.

    Args:
        old: the old manifest.
        new: the new one.
        schema: what a manifest must be.
        old_name: the old manifest, as findings shall name it.
        name: the new manifest, or where it would be, as findings shall name it.
        is_moved: whether the file has another path now.

    Attributes:
        changes: their differences.
    """

    def __init__(
        self,
        old: Document | None,
        new: Document | None,
        schema: Schema,
        old_name: str,
        name: str,
        *,
        is_moved: bool = False,
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
            moved = (Change("renamed", "", (), (), old_name, name),) if is_moved else ()
            self.changes = (*moved, *self._compared.changes)
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
        """Return the pair of a new manifest, with each of its members as a change."""
        pair = Pair(None, self.new, self.schema, self.old_name, self.name)
        pair.changes = Differences({}, self.document.value, self.schema).changes
        return pair

    def note_findings(self, old: Sequence[Finding], new: Sequence[Finding]) -> None:
        """Have what lint finds in each of the two in the change document."""
        if not old and not new:
            return
        self._old_errors = [each for each in old if each.severity is Severity.ERROR]
        left: dict[Any, list[_LintChange]] = {}
        for each in old:
            path = _path(self.old, each.pointer)
            there = self._path_in_new(path)
            key = each.rule, path if there is None else there, each.property, there is None
            left.setdefault(key, []).append(_LintChange(each, path, is_new=False))
        added: list[_LintChange] = []
        for each in new:
            path = _path(self.new, each.pointer)
            same = left.get((each.rule, path, each.property, False))
            if same:
                same.pop()
            else:
                added.append(_LintChange(each, path, is_new=True))
        gone = [each for some in left.values() for each in some]
        # The items of a misspelt list are compared with no others: they are known by their names.
        both = {each.finding.identity for each in gone} & {each.finding.identity for each in added}
        self._lint_changes += (each for each in added + gone if each.finding.identity not in both)

    def contents(self) -> dict[str, Any]:
        """Return the change document."""
        version = self._version()
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
            "old": {"errors": len(self._old_errors) if self.changes or self._lint_changes else 0},
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

    def joins_a_set(self, index: int) -> bool:
        """Return whether a change adds a member to a set."""
        change = self.changes[index]
        return change.kind == "added" and change.new_path[:-1] in self.schema.sets

    def additions(self, more: Iterable[Pair]) -> Iterator[Change]:
        """Yield the members of sets that the old manifest has, and those of more pairs lack."""
        told = {each.new_path for each in self.changes if each.kind == "added"}
        for other in more:
            for index, each in enumerate(other.changes):
                if other.joins_a_set(index) and each.new_path not in told:
                    told.add(each.new_path)
                    yield each

    def violation(self, violation: Violation, subject: Manifest) -> Violation:
        """Return a violation by the change document as one by the manifest, about its finding.

        Args:
            violation: what is wrong with the change document.
            subject: the change document.
        """
        finding = self._placed(self._described(violation, subject), violation.path)
        return Violation(
            finding.rule,
            finding.severity,
            parse_pointer(finding.pointer),
            finding,
            profile=finding.profile,
            span=finding.location.span,
        )

    def in_comparison(self, violation: Violation) -> Violation:
        """Return a violation that says with which old manifest the new one was compared."""
        finding = violation.about
        message = f"{finding.message} (compared with {named(self.old_name)})"
        return violation._replace(about=finding._replace(message=message))

    def _described(self, violation: Violation, subject: Manifest) -> Finding:
        """Return a finding; of what a profile does not allow, one that speaks of the manifest."""
        error = violation.about
        if violation.profile is None or not isinstance(error, ValidationError):
            (finding,) = described([violation], subject)
            if violation.rule == _ADDED:  # it lists everything, however long that is
                change = subject.document.value_at(violation.path)
                return finding._replace(message=change["change"])
            return finding
        value = self._value_at(error.path)
        if value is None or (len(error.path) == value[2] and error.keyword in _ON_NAME):
            (finding,) = described([violation], subject)
            return self._about_change(finding, error, subject.document.value)
        document, place, depth = value
        error = error.moved(lambda path: (*place, *path[depth:]))
        moved = violation._replace(path=error.path, about=error)
        (finding,) = described([moved], Manifest(document, self.schema))
        if document is self.new:
            return finding
        # Nobody can change the old manifest.
        return self._by_profile(finding, error, f"in {named(self.old_name)}, {finding.message}")

    def _value_at(self, path: Path) -> tuple[Document, Path, int] | None:
        """Return the manifest that has a value of the change document; None for one of its own.

        With it, the place of the old or new value, and how many tokens of the path lead to that.
        """
        match path:
            case ("changes", int(index), "old" | "new" as side, *_):
                change = self.changes[index]
                if change.kind == "renamed" and not change.field:
                    return None  # they are the names of files
                place = change.new_path if side == "new" else change.old_path
            case ("version", "old" | "new" as side):
                place = self.schema.version or ()
            case _:
                return None
        document = self.new if side == "new" else self.old
        return (document, place, 3 if path[0] == "changes" else 2) if document else None

    def _about_change(
        self, finding: Finding, error: ValidationError, contents: dict[str, Any]
    ) -> Finding:
        """Return a finding about the change document, as one about what it describes."""
        said, place = None, self.schema.version
        match error.path:
            case ("changes", int(index), *_):
                said = contents["changes"][index]["change"]
                place = self.changes[index].new_path or self.changes[index].old_path
            case ("version", *_):
                old, new = contents["version"]["old"], contents["version"]["new"]
                change = f"changed {_from_to(old, new)}" if old != new else f"is still {named(new)}"
                said = f"{label(place or ())} {change}"
            case ("findings", int(index), *_):
                about = self._lint_changes[index]
                said = f"{'' if about.is_new else 'no longer found: '}{about.finding.message}"
                place = about.path
            case ("old", *_):
                errors = contents["old"]["errors"]
                said = f"{named(self.old_name)} has {counted(errors, 'error')}"
        if said is None:
            message = finding.message.replace(label(()), "the comparison", 1)
        else:
            message = f"{said}, which the profile does not allow"
        own = finding.message.replace(label(error.path), label(place or ()))
        return self._by_profile(finding._replace(message=own), error, message)

    def _by_profile(self, finding: Finding, error: ValidationError, message: str) -> Finding:
        """Return a finding with texts for what the profile says nothing of."""
        annotations = error.requirement.annotations
        return finding._replace(
            message=finding.message if "message" in annotations else message,
            help=finding.help if annotations.keys() & {"help", "message"} else _UNDO,
        )

    def _placed(self, finding: Finding, path: Path) -> Finding:
        """Return a finding about a place in the change document, as one about the manifest."""
        finding = finding._replace(path=self.name, fixes=(), suggestion=None, property=None)
        match path:
            case ("changes", int(index), *inside):
                change = self.changes[index]
                below = inside[1:] if inside[:1] == ["new"] and self._value_at(path) else ()
                return self._at(
                    finding,
                    change.old_path,
                    (*change.new_path, *below),
                    was_there=change.old is not ABSENT,
                    is_there=change.new is not ABSENT,
                )
            case ("findings", int(index), *_):
                return self._at_finding(finding, self._lint_changes[index])
            case ("version", *_):
                path = self.schema.version or ()
                return self._at(finding, path, path)
            case ("old", *_) if self._old_errors:
                first = self._old_errors[0]
                return self._at(finding, (), ())._replace(related=(self._there(first),))
            case _:
                return self._at(finding, (), ())

    def _at_finding(self, finding: Finding, change: _LintChange) -> Finding:
        about = change.finding
        if change.is_new:
            placed = finding._replace(pointer=about.pointer, location=about.location)
        else:
            path: Path | None = change.path
            there = self._path_in_new(change.path)
            while there is None:
                path = path[:-1] if path else ()
                there = self._path_in_new(path)
            while there and _held_at(self.new, there) is None:
                there = there[:-1]
            placed = self._at(finding, change.path, there, is_there=False)
            placed = placed._replace(related=(self._there(about),))
        stable = about.identity.pointer if about.identity else about.pointer
        return placed._replace(identity=Identity(finding.rule, stable, "", 0))

    def _path_in_new(self, path: Path) -> Path | None:
        return self._compared.path_in_new(path) if self._compared else path

    def _at(
        self,
        finding: Finding,
        old_path: Path,
        new_path: Path,
        *,
        was_there: bool = True,
        is_there: bool = True,
    ) -> Finding:
        """Return a finding about a place in the new manifest, with the one in the old.

        Its identity is what stays of the place; in the old manifest where it is gone.
        """
        if self.new is None or not (self.old or new_path):
            identity = Identity(finding.rule, "", "", 0)
            start = self.document.locate_key(())
            return finding._replace(pointer="", location=start, identity=identity)
        document, path = self.new, new_path
        if self.old and not is_there:
            document, path = self.old, old_path
        stable = stable_pointer(Manifest(document, self.schema), path)
        placed = finding._replace(
            pointer=format_pointer(new_path),
            location=_located(self.new, new_path, is_value=is_there),
            identity=Identity(finding.rule, stable, "", 0),
        )
        if self.old is None:
            return placed
        related = Related(
            "it was here" if was_there else "it was not here",
            format_pointer(old_path),
            _located(self.old, old_path, is_value=was_there),
            self.old_name,
        )
        return placed._replace(related=(related,))

    def _there(self, finding: Finding) -> Related:
        return Related(finding.message, finding.pointer, finding.location, self.old_name)


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
    for form in (_PLAIN, _SEMANTIC):
        one, two = form.fullmatch(old), form.fullmatch(new)
        if one and two:
            break
    else:
        return "incomparable", None
    for step, (before, after) in zip(
        _STEPS, zip(_parts(one), _parts(two), strict=True), strict=False
    ):
        if before != after:
            return ("raised", step) if before < after else ("lowered", None)
    return "equal", None


def _parts(version: re.Match[str]) -> list[list[_Part]]:
    numbers = [[_part(each)] for each in version.groups()[:3]]
    if version.re is _PLAIN:
        return numbers
    release = version[4]
    # A version comes after all of its pre-releases; of two, the one with more names does.
    return [*numbers, [_part(each) for each in release.split(".")] if release else [(2, 0, "")]]


def _part(name: str) -> _Part:
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
    texts = [
        each if isinstance(each, str) else json.dumps(each, ensure_ascii=False)
        for each in (old, new)
    ]
    same = takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False))
    start = max(0, sum(1 for _ in same) - _BEFORE_DIFFERENCE)
    before, after = (named(f"…{text[start:]}") for text in texts)
    return f"from {before} to {after}"
