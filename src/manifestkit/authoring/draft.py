"""An unfinished manifest: what it lacks, what is wrong with it so far, and what may be added."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import islice
from operator import getitem
from typing import Any

from manifestkit.authoring.inputs import Input
from manifestkit.config.policy import Policy
from manifestkit.edits.patch import apply_patch
from manifestkit.engine.lint import lint_text
from manifestkit.files import absolute
from manifestkit.model.errors import AuthoringError
from manifestkit.model.finding import Finding, Fix, Severity
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.rules.checks import missing_file
from manifestkit.rules.project import projects
from manifestkit.schema.model import Field, Schema

_MISSING = "missing-field"
_MOVES = ("move", "remove")
_MOST_LISTS = 8
_MOST_EMPTY = 20
_NO_NAME = re.compile(r"[^a-z0-9-]+")
_BETWEEN_WORDS = re.compile(r"[-_.\s]+")


@dataclass(frozen=True, slots=True)
class Draft:
    """An unfinished manifest.

    Attributes:
        policy: what it is to meet when it is finished.
        value: what it says so far.
        defaults: what to offer in place of the schema's examples, by path.
    """

    policy: Policy
    value: Any
    defaults: Mapping[Path, Any] = field(default_factory=dict)

    @property
    def identifier(self) -> Any:
        """The identifier of what it describes; None where it says none."""
        value = self.value
        for token in self.policy.described.identifier or ():
            value = value.get(token) if isinstance(value, dict) else None
        return value

    def put(self, path: Path, value: Any) -> Draft:
        """Return it with a value at a path; the objects and arrays above it are made.

        Raises:
            AuthoringError: something else than an object or array stands above it.
        """
        return replace(self, value=_put(self.value, path, value))

    def fixed(self, fix: Fix) -> Draft:
        """Return it with a fix."""
        return replace(self, value=apply_patch(self.value, fix.patch))

    def missing(self, below: Path = ()) -> list[Input]:
        """Return what it must say at a path or below, and does not."""
        value = reduce(getitem, below, self.value)
        return list(Input.missing(self.policy.described, value, below))

    def findings(self, path: Path = ()) -> list[Finding]:
        """Return what is wrong at a path or below, apart from what is missing."""
        below = f"{format_pointer(path)}/"
        found = lint_text(json.dumps(self.value), "manifest.json", self.policy).findings
        return [
            each for each in found if each.rule != _MISSING and f"{each.pointer}/".startswith(below)
        ]

    def misnamed(self) -> Iterator[Finding]:
        """Yield the findings of missing members that are misspelt, or in the wrong object.

        Each has the pointer of the member as it is written.
        """
        plain = Policy(own_schema=self.policy.schema, profiles=self.policy.profiles)
        for each in lint_text(json.dumps(self.value), "manifest.json", plain).findings:
            steps = (step for fix in each.fixes for step in fix.patch if step["op"] in _MOVES)
            if each.rule == _MISSING and (step := next(steps, None)):
                yield each._replace(pointer=step.get("from", step["path"]))

    def is_refused(self, finding: Finding) -> bool:
        """Return whether a manifest with a finding is better not written.

        One that names a file is written: that is often made later.
        """
        least = max(self.policy.fail_on.rank, Severity.WARNING.rank)
        return finding.severity.rank <= least and finding.rule != missing_file.ID

    def objections(self, path: Path) -> list[Finding]:
        """Return what is to be refused at a path or below, and no change elsewhere can fix."""
        found = filter(self.is_refused, self.findings(path))
        return [each for each in found if not _fix_elsewhere(each)]

    def needs(self) -> dict[str, Fix]:
        """Return the fixes elsewhere that values need, by a question for each.

        The permission for a capability, for example.
        """
        fixes = ((each, _fix_elsewhere(each)) for each in self.findings())
        return {f"{each.message}: {fix.message}?": fix for each, fix in fixes if fix}

    def may_be_empty(self, question: Input) -> bool:
        """Return whether a list may be empty."""
        return not self.put(question.path, []).findings(question.path)

    def offer(self, question: Input) -> tuple[Any, ...]:
        """Return the value to use if none is given, alone in a tuple; or none."""
        if question.path in self.defaults:
            return (self.defaults[question.path],)
        return question.field.starter or question.field.examples[:1]

    def with_defaults(self, folder: str) -> Draft:
        """Return it with what the project of a folder says of what is missing, to offer that.

        What has findings is not offered.
        """
        missing = {each.path for each in self.missing()}
        found = _project_values(self.policy.described, folder) if missing else {}
        good = {
            path: each
            for path, each in found.items()
            if path in missing and not self.put(path, each).findings(path)
        }
        return replace(self, defaults=good)

    def with_offers(self, *, examples: bool) -> Draft:
        """Return it with the values that the schema has for every new manifest.

        With `examples`, it gets one of everything that it must say, as far as there is one. A list
        of objects gets one of them; the bound is for a schema that leads back to itself.
        """
        draft = self
        todo = deque(self.missing())
        lists = _MOST_LISTS if examples else 0
        while todo:
            question = todo.popleft()
            listed = tuple(value for value, _ in question.field.values[:1])
            offered = (self.offer(question) or listed) if examples else question.field.starter
            if offered:
                draft = draft.put(question.path, offered[0])
            elif question.takes_objects and lists:
                lists -= 1
                first = (*question.path, 0)
                draft = draft.put(first, {})
                todo.extend(draft.missing(first))
        return draft

    def with_empty_lists(self) -> Draft:
        """Return it with each list that it must have and that may be empty."""
        draft = self
        for question in islice((each for each in self.missing() if each.item), _MOST_EMPTY):
            if draft.may_be_empty(question):
                draft = draft.put(question.path, [])
        return draft

    def in_order(self) -> Draft:
        """Return it in the schema's order, with the empty objects that must be there."""
        return replace(self, value=_in_order(self.policy.described, self.value, ()))


def _fix_elsewhere(finding: Finding) -> Fix | None:
    """Return the fix of a finding that changes other values only."""
    own = f"{finding.pointer}/"
    for fix in finding.fixes:
        if fix.patch and not any(f"{each['path']}/".startswith(own) for each in fix.patch):
            return fix
    return None


def _project_values(schema: Schema, folder: str) -> dict[Path, Any]:
    """Return what the project of a folder says of a manifest, by path.

    A project that nothing else names is called as its folder. A file is one beside the manifest.
    """
    around = [*projects(folder)]
    found = ((each.member("name"), each.member("version")) for each in around)
    named = ((name, version) for name, version in found if name)
    name, version = next(named, (absolute(folder).name, None))
    identifier = schema.identifier
    values: dict[Path, Any] = {}
    if identifier and name:
        holder = schema.field(identifier[:-1])
        if holder and holder.label:
            values[(*identifier[:-1], holder.label)] = _as_title(name)
        values[identifier] = _identifier(name, schema.field(identifier))
    if schema.version and version:
        values[schema.version] = version
    beside = [each for each in around if each.file.parent == absolute(folder)]
    for path, member in schema.fields:
        known = member.synonyms if member.file else ()
        files = (each.member(name) for each in beside for name in known)
        values.setdefault(path, next(filter(None, files), None))
    return {path: each for path, each in values.items() if each}


def _identifier(name: str, field: Field | None) -> str:
    """Return a name under the domain of the example."""
    slug = _NO_NAME.sub("-", name.rpartition("/")[2].lower()).strip("-")
    example = field.examples[0] if field and field.examples else ""
    domain, _, _ = str(example).rpartition(".")
    return f"{domain}.{slug}" if domain and slug else ""


def _as_title(name: str) -> str:
    words = _BETWEEN_WORDS.split(name.rpartition("/")[2].strip())
    return " ".join(f"{each[:1].upper()}{each[1:]}" for each in words if each)


def _put(value: Any, path: Path, new: Any) -> Any:
    if not path:
        return new
    token, *rest = path
    if isinstance(token, int):
        items = [] if value is None else value
        if not isinstance(items, list) or token > len(items):
            raise AuthoringError(f"no array with an item {token}")
        inner = items[token] if token < len(items) else None
        return [*items[:token], _put(inner, tuple(rest), new), *items[token + 1 :]]
    if not isinstance(value, dict | None):
        raise AuthoringError(f"no object for `{token}` to be a member of")
    members = value or {}
    return {**members, token: _put(members.get(token), tuple(rest), new)}


def _in_order(schema: Schema, value: Any, path: Path) -> Any:
    if isinstance(value, list):
        return [_in_order(schema, item, (*path, index)) for index, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    members = {**value, **{name: {} for name in _empty_objects(schema, value, path)}}
    described = schema.field(path)
    known = described.members if described else ()
    first = [name for name in value if name.startswith("$") and name not in known]
    names = dict.fromkeys((*first, *known, *members))
    own = {name: name for name in members}  # which are spelt as they are
    return {
        own[name]: _in_order(schema, members[name], (*path, name)) for name in names if name in own
    }


def _empty_objects(schema: Schema, value: dict[str, Any], path: Path) -> Iterator[str]:
    described = schema.field(path)
    for name in described.required if described else ():
        member = schema.field((*path, name))
        is_object = member and member.members and not member.values
        if name not in value and member and is_object and not member.required:
            yield name
