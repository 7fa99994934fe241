"""Findings of the change rules about two manifests."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import chain, islice
from typing import Any

from manifestkit.changes.document import Arrival, Pair
from manifestkit.config.policy import Policy
from manifestkit.decode import Decoded
from manifestkit.engine.describe import described, result_of
from manifestkit.engine.lint import lint
from manifestkit.model.document import Document, Node
from manifestkit.model.errors import UnreadableFileError
from manifestkit.model.finding import Description, Identity
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
        arrival: Arrival | None = None,
    ) -> FileResult:
        """Return what changed from one manifest to another, with the findings of the change rules.

        Args:
            old: what reading the old manifest gave; None where there was none.
            new: the same of the new one; None where there is none.
            old_name: the old manifest, as findings shall name it.
            name: the new manifest's name for findings.
            arrival: how the file came to its path, if it is another one now.

        Raises:
            UnreadableFileError: one of them cannot be read as a manifest: nothing is compared.
            SchemaError: a schema or a profile cannot be judged by.
        """
        one, two = _readable(old, old_name), _readable(new, name)
        document = two or one
        assert document is not None  # noqa: S101 - there is at least one
        schema = self._policy.requirements(document).schema
        pair = Pair(one, two, schema, old_name, name, arrival)
        if old and new:
            linted = [self._lint(each, name) for each in (old, new)]
            pair.note_findings(*(each.findings for each in linted))
            pair.crashes += (each.crash for each in linted if each.crash)
        return self._result(pair)

    def _lint(self, decoded: Decoded, name: str) -> FileResult:
        """Return the result of lint of one of the two, by the new one's suppressions."""
        as_new = decoded._replace(document=decoded.document.named(name))
        return lint(as_new, self._of_manifests)

    def _result(self, pair: Pair) -> FileResult:
        found = chain(self._violations(pair), self._of_new_manifest(pair))
        counting = (each for each in found if self._policy.severity_of(each) is not None)
        most = self._policy.limits.findings
        manifest = Manifest(pair.document.named(pair.name), pair.schema)
        verdict = self._policy.verdict(
            sorted(islice(counting, most + 1), key=lambda each: (each.span, each.rule)),
            manifest,
        )
        result = result_of(verdict, manifest, self._policy)
        return result._replace(
            text=pair.document.text,
            crash=next(iter(pair.crashes), result.crash),
            is_comparison=True,
            changes=pair.changes,
        )

    def _of_new_manifest(self, pair: Pair) -> Iterator[Violation]:
        """Yield what change profiles say of each member of a set, such as a permission."""
        if pair.old is None and len(self._required) > 1:
            each_added = pair.one_by_one()
            subject = _subject(pair.name, each_added.contents())
            for each in self._broken(subject, self._required[1:]):
                if len(each.path) > 1 and each.path[0] == "changes":
                    yield each_added.violation(each, subject)
            pair.crashes += each_added.crashes

    def _broken(self, subject: Manifest, required: list[Required]) -> list[Violation]:
        """Return what is wrong with a change document, without what is off."""
        return [
            each
            for each in check(subject, required, (), self._policy.limits.findings)
            if not each.is_off or self._policy.severity_of(each) is not None
        ]

    def _violations(self, pair: Pair) -> Iterator[Violation]:
        """Yield the violations by a pair."""
        value = pair.contents()
        subject = _subject(pair.name, value)
        covered: set[int] = set()
        if value.get("version", {}).get("order", "same") != "same":
            version = pair.schema.version
            covered.update(
                index for index, each in enumerate(pair.changes) if each.new_path == version
            )
        found = self._broken(subject, self._required)
        for each in found:
            if len(each.path) > 1 and each.path[0] == "changes" and each.profile is None:
                covered.add(int(each.path[1]))
            yield pair.violation(each, subject)
        if any(each.stands_for_others for each in found):
            return  # whether a rule is about the other changes is not known
        rule = change_rules()[_UNTOLD]
        for number, change in enumerate(value["changes"]):
            if number not in covered:
                untold = rule.violation(("changes", number), Description(change["change"]))
                yield pair.violation(untold, subject)


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
    raise UnreadableFileError(name, reason)


def not_compared(problem: UnreadableFileError, name: str) -> FileResult:
    """Return the result of a manifest that could not be compared for some problem."""
    rule = change_rules()["not-compared"]
    violation = rule.violation((), Description(f"{problem.path}: {problem.reason}"))
    identity = Identity(rule.id, "", "", 0)
    finding, crash = described(violation._replace(identity=identity), _subject(name, None))
    result = FileResult(name, (finding,), "", is_manifest=False, fails=True, is_comparison=True)
    return result._replace(crash=crash)


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
