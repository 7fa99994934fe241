"""An unfinished manifest: what it lacks, what is wrong with it so far, and what may be added."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import Any, NamedTuple

from manifestkit.authoring.convert import as_text
from manifestkit.authoring.inputs import Input
from manifestkit.config.policy import Policy
from manifestkit.engine.lint import lint_text
from manifestkit.findings.words import label
from manifestkit.model.document import Document
from manifestkit.model.errors import AuthoringError
from manifestkit.model.finding import Finding, Severity
from manifestkit.model.pointer import Path, format_pointer, value_at
from manifestkit.rules.checks import missing_file

_MISSING = "missing-field"
_MOVES = ("move", "remove")
_MOST_LISTS = 8
_MOST_EMPTY = 20


class Draft(NamedTuple):
    """An unfinished manifest."""

    policy: Policy  # what it is to meet when it is finished
    value: Any  # what it says so far
    source: Document | None = None  # the answers, where numbers in them keep their spelling

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
            AuthoringError: something else than an object is to have it as a member.
        """
        return self._replace(value=_put(self.value, path, value))

    def missing(self, below: Path = ()) -> list[Input]:
        """Return what it must say at a path or below, and does not."""
        value = value_at(self.value, below)
        return list(Input.missing(self.policy.described, value, below))

    def taken_examples(self, finished: Any) -> list[str]:
        """Return the places of what it lacks where a finished value has what is an example."""
        added = ((each, value_at(finished, each.path)) for each in self.missing())
        return [label(each.path) for each, value in added if value and not each.field.starter]

    def findings(self, path: Path = ()) -> list[Finding]:
        """Return what is wrong at a path or below, apart from what is missing."""
        below = f"{format_pointer(path)}/"
        return [
            each
            for each in self._lint()
            if each.rule != _MISSING and f"{each.pointer}/".startswith(below)
        ]

    def misnamed(self) -> list[Finding]:
        """Return the findings of missing members that are misspelt, or in the wrong object."""
        return [
            each
            for each in self._lint()
            if each.rule == _MISSING
            and any(step["op"] in _MOVES for fix in each.fixes for step in fix.patch)
        ]

    def _lint(self) -> tuple[Finding, ...]:
        return lint_text(as_text(self.value, self.source), "manifest.json", self.policy).findings

    def is_refused(self, finding: Finding) -> bool:
        """Return whether a manifest with a finding is better not written.

        One that names a file is written: that is often made later.
        """
        least = max(self.policy.fail_on.rank, Severity.WARNING.rank)
        return finding.severity.rank <= least and finding.rule != missing_file.ID

    def objections(self, path: Path) -> list[Finding]:
        """Return what is to be refused at a path or below, and no change elsewhere can fix."""
        found = filter(self.is_refused, self.findings(path))
        return [each for each in found if not _is_fixed_elsewhere(each)]

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
            offered = (question.offer or listed) if examples else question.field.starter
            if offered:
                draft = draft.put(question.path, offered[0])
            elif lists and question.item and question.item.parts:
                lists -= 1
                first = (*question.path, 0)
                draft = draft.put(first, {})
                todo.extend(draft.missing(first))
        return draft

    def with_empty_lists(self) -> Draft:
        """Return it with each list that it must have and that may be empty."""
        draft = self
        for question in islice((each for each in self.missing() if each.item), _MOST_EMPTY):
            emptied = draft.put(question.path, [])
            draft = draft if emptied.findings(question.path) else emptied
        return draft


def _is_fixed_elsewhere(finding: Finding) -> bool:
    """Return whether a fix changes other values only: adds the permission for a capability, say."""
    own = f"{finding.pointer}/"
    places = ([f"{each['path']}/" for each in fix.patch] for fix in finding.fixes)
    return any(each and not any(at.startswith(own) for at in each) for each in places)


def _put(value: Any, path: Path, new: Any) -> Any:
    if not path:
        return new
    token, *rest = path
    if isinstance(token, int):
        items = [] if value is None else value
        inner = items[token] if token < len(items) else None
        return [*items[:token], _put(inner, tuple(rest), new), *items[token + 1 :]]
    if not isinstance(value, dict | None):
        raise AuthoringError(f"no object for `{token}` to be a member of")
    members = value or {}
    return {**members, token: _put(members.get(token), tuple(rest), new)}
