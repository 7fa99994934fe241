"""Findings of the change rules about two manifests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, islice
from typing import Any

from manifestkit.changes.document import Pair
from manifestkit.config.policy import Policy
from manifestkit.decode import Decoded
from manifestkit.engine.describe import described, result_of
from manifestkit.engine.lint import judge, lint
from manifestkit.model.document import Document, Node
from manifestkit.model.errors import UnreadableFileError
from manifestkit.model.finding import Description, Finding, Identity, Related
from manifestkit.model.limits import is_deeper
from manifestkit.model.location import Span
from manifestkit.model.report import FileResult
from manifestkit.model.violation import Violation
from manifestkit.rules.catalogue import change_rules
from manifestkit.rules.check import Required, check
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.packaged import all_of, change_schema

_DEEPEST = 250  # what follows a value takes two calls a level
_UNTOLD = "member-changed"


class _UnreadableTextError(UnreadableFileError):
    """A manifest whose text cannot be decoded, with the text and the first finding in it."""

    def __init__(self, path: str, reason: str, text: str, first: Finding) -> None:
        super().__init__(path, reason)
        self.args = (path, reason, text, first)
        self.text = text
        self.location = first.location


class Comparer:
    """Compares manifests, pair by pair, by one policy: its rules count for changes too."""

    def __init__(self, policy: Policy) -> None:
        self._of_manifests = policy
        self._policy = policy.of_changes
        self._required = [
            _change_rules(),
            *(Required(each, each.name) for each in policy.change_profiles),
        ]

    def compare(
        self,
        old: Decoded | None,
        new: Decoded | None,
        old_name: str,
        name: str,
        *,
        is_moved: bool = False,
        others: Iterable[tuple[str, Decoded]] = (),
    ) -> FileResult:
        """Return what changed from one manifest to another, with the findings of the change rules.

        Args:
            old: what reading the old manifest gave; None where there was none.
            new: the same of the new one; None where there is none.
            old_name: the old manifest, as findings shall name it.
            name: the new manifest's name for findings.
            is_moved: whether the file has another path now.
            others: more old manifests, each with its name: a permission or another member of a
                set that one of them lacks is added too.

        Raises:
            UnreadableFileError: one of them cannot be read as a manifest: nothing is compared.
            SchemaError: a schema or a profile cannot be judged by.
        """
        one, two = _readable(old, old_name), _readable(new, name)
        document = two or one
        assert document is not None  # noqa: S101 - there is at least one
        schema = self._policy.requirements(document).schema
        pair = Pair(one, two, schema, old_name, name, is_moved=is_moved)
        if old and new:
            value, marks = new.document.value, schema.marks
            # What is no manifest at all has one finding, as in lint.
            is_other = isinstance(value, dict) and bool(marks) and marks.isdisjoint(value)
            findings = (self._lint(each, name, is_other=is_other) for each in (old, new))
            pair.note_findings(*findings)
        more = [
            Pair(each, two, schema, other, name)
            for other, decoded in others
            if two and (each := _readable(decoded, other))
        ]
        return self._result(pair, more)

    def _lint(self, decoded: Decoded, name: str, *, is_other: bool) -> tuple[Finding, ...]:
        """Return the findings of lint in one of the two, by the new one's suppressions."""
        as_new = decoded._replace(document=decoded.document.named(name))
        policy = self._of_manifests
        if is_other:
            return lint(as_new, policy).findings
        manifest, verdict = judge(as_new, policy)
        return tuple(described(verdict.violations, manifest))

    def _result(self, pair: Pair, more: Sequence[Pair]) -> FileResult:
        found = self._all_violations(pair, more)
        counting = (each for each in found if self._policy.severity_of(each) is not None)
        most = self._policy.limits.findings
        manifest = Manifest(pair.document.named(pair.name), pair.schema)
        verdict = self._policy.verdict(
            sorted(islice(counting, most + 1), key=lambda each: (each.span, each.rule)),
            manifest,
        )
        return result_of(verdict, manifest, self._policy)._replace(
            text=pair.document.text,
            is_comparison=True,
            changes=(*pair.changes, *pair.additions(more)),
        )

    def _all_violations(self, pair: Pair, more: Iterable[Pair]) -> Iterator[Violation]:
        """Yield the violations by a pair, and those by more pairs about members of sets, once."""
        told = set()
        for each, _ in chain(self._violations(pair), self._of_new_manifest(pair)):
            told.add((each.rule, each.path, each.about.message))
            yield each
        for other in more:
            for each, index in self._violations(other):
                key = each.rule, each.path, each.about.message
                if index is not None and other.joins_a_set(index) and key not in told:
                    told.add(key)
                    yield other.in_comparison(each)

    def _of_new_manifest(self, pair: Pair) -> Iterator[tuple[Violation, int]]:
        """Yield what change profiles say of each member of a set, such as a permission."""
        if pair.old is None and self._policy.change_profiles:
            each_added = pair.one_by_one()
            for violation, index in self._violations(each_added):
                if violation.profile and index is not None and each_added.joins_a_set(index):
                    yield violation, index

    def _violations(self, pair: Pair) -> Iterator[tuple[Violation, int | None]]:
        """Yield the violations by a pair, each with the number of its change, if it has one."""
        value = pair.contents()
        subject = _subject(pair.name, value)
        covered: set[int] = set()
        if value.get("version", {}).get("order", "same") != "same":
            version = pair.schema.version
            covered.update(
                index for index, each in enumerate(pair.changes) if each.new_path == version
            )
        most = self._policy.limits.findings
        found = [
            each
            for each in check(subject, self._required, (), most)
            if not each.is_off or self._policy.severity_of(each) is not None
        ]
        for each in found:
            index = None
            if len(each.path) > 1 and each.path[0] == "changes":
                index = int(each.path[1])
                if each.profile is None:
                    covered.add(index)
            yield pair.violation(each, subject), index
        if any(each.stands_for_others for each in found):
            return  # whether a rule is about the other changes is not known
        rule = change_rules()[_UNTOLD]
        for number, change in enumerate(value["changes"]):
            if number not in covered:
                untold = rule.violation(("changes", number), Description(change["change"]))
                yield pair.violation(untold, subject), number


def _readable(decoded: Decoded | None, name: str) -> Document | None:
    if decoded is None:
        return None
    if is_deeper(decoded.document.value, _DEEPEST):
        raise UnreadableFileError(name, f"is more than {_DEEPEST} levels deep")
    if decoded.readable:
        return decoded.document
    first = decoded.findings[0]
    place = f"line {first.location.line}, column {first.location.column}"
    reason = f"cannot be read: {first.message} ({place})"
    raise _UnreadableTextError(name, reason, decoded.document.text, first)


def not_compared(problem: UnreadableFileError, name: str) -> FileResult:
    """Return the result of a manifest that could not be compared for some problem."""
    rule = change_rules()["not-compared"]
    violation = rule.violation((), Description(f"{problem.path}: {problem.reason}"))
    identity = Identity(rule.id, "", "", 0)
    broken = [violation._replace(identity=identity)]
    (finding,) = described(broken, _subject(name, None))
    text = ""
    if isinstance(problem, _UnreadableTextError) and problem.path == name:
        finding, text = finding._replace(location=problem.location), problem.text
    elif isinstance(problem, _UnreadableTextError):
        there = Related("it cannot be read here", "", problem.location, problem.path)
        finding = finding._replace(related=(there,))
    return FileResult(name, (finding,), text, is_manifest=False, fails=True, is_comparison=True)


class _ChangeDocument(Document):
    """A change document: it has no text, and each place in it is put for one in the manifest."""

    def __init__(self, name: str, value: Any) -> None:
        super().__init__(name, "", value, lambda _: Node(Span(0, 0)))

    def node(self, path: object) -> Node:
        del path
        return self.root

    def key_span(self, path: object) -> None:
        del path


def _subject(name: str, value: Any) -> Manifest:
    """Return a change document as the change rules look at it."""
    return Manifest(_ChangeDocument(name, value), change_schema())


@cache
def _change_rules() -> Required:
    """Return what all change rules require as one schema, for one call of the engine."""
    schemas = tuple(rule.schema for rule in change_rules().values() if rule.schema)
    return Required(all_of(schemas), is_ours=True)
