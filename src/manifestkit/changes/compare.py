"""Findings of the change rules about two manifests."""

from collections.abc import Iterator
from functools import cache
from itertools import chain, islice
from typing import Any

from manifestkit.changes.document import Arrival, Pair
from manifestkit.config.policy import Policy
from manifestkit.decode import Decoded
from manifestkit.engine.describe import described, result_of
from manifestkit.engine.lint import lint
from manifestkit.findings.words import label
from manifestkit.model.document import Document, Node
from manifestkit.model.errors import CrashedFileError, UnreadableFileError
from manifestkit.model.finding import Description, Identity
from manifestkit.model.limits import is_deeper
from manifestkit.model.location import Span
from manifestkit.model.report import FileResult
from manifestkit.model.violation import Violation
from manifestkit.rules.catalogue import change_rules
from manifestkit.rules.check import Required, check
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.packaged import all_of, change_schema
from manifestkit.schema.validation_error import ValidationError

_DEEPEST = 250  # what follows a value takes two calls a level
_ADDED, _UNTOLD = "manifest-added", "member-changed"
_UNDO = "undo this, or ask the host to allow it"


def compare(
    policy: Policy,
    old: Decoded | None,
    new: Decoded | None,
    old_name: str,
    name: str,
    arrival: Arrival | None = None,
) -> FileResult:
    """Return what changed from one manifest to another, with the findings of the change rules.

    Args:
        policy: its rules count for changes too.
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
    pair = Pair(one, two, policy.requirements(document).schema, old_name, name, arrival)
    comparison = _Comparison(policy.of_changes, pair)
    if old and new:
        # Both by the suppressions for the new one.
        renamed = (each._replace(document=each.document.named(name)) for each in (old, new))
        linted = [lint(each, policy) for each in renamed]
        pair.note_findings(*(each.findings for each in linted))
        comparison.crashes += (each.crash for each in linted if each.crash)
    return comparison.result()


class _Comparison:
    """A pair of manifests, held to the change rules and to the change profiles of a policy."""

    def __init__(self, policy: Policy, pair: Pair) -> None:
        self._policy = policy
        self._pair = pair
        self._profiles = [Required(each, each.name) for each in policy.change_profiles]
        self.crashes: list[CrashedFileError] = []

    def result(self) -> FileResult:
        pair, policy = self._pair, self._policy
        found = chain(self._of_changes(), self._of_new_manifest())
        counting = (each for each in found if policy.severity_of(each) is not None)
        first = islice(counting, policy.limits.findings + 1)
        manifest = Manifest(pair.document.named(pair.name), pair.schema)
        verdict = policy.verdict(sorted(first, key=lambda each: (each.span, each.rule)), manifest)
        result = result_of(verdict, manifest, policy)
        return result._replace(
            text=pair.document.text,
            crash=next(iter(self.crashes), result.crash),
            is_comparison=True,
            changes=pair.changes,
        )

    def _of_changes(self) -> Iterator[Violation]:
        pair = self._pair
        value = pair.contents()
        subject = _subject(pair.name, value)
        covered: set[int] = set()
        if value.get("version", {}).get("order", "same") != "same":
            version = pair.schema.version
            covered.update(
                index for index, each in enumerate(pair.changes) if each.new_path == version
            )
        found = self._broken(subject, [_change_rules(), *self._profiles])
        for each in found:
            if len(each.path) > 1 and each.path[0] == "changes" and each.profile is None:
                covered.add(int(each.path[1]))
            yield self._in_manifest(each, subject, pair)
        if any(each.stands_for_others for each in found):
            return  # whether a rule is about the other changes is not known
        rule = change_rules()[_UNTOLD]
        for number, change in enumerate(value["changes"]):
            if number not in covered:
                untold = rule.violation(("changes", number), Description(change["change"]))
                yield self._in_manifest(untold, subject, pair)

    def _of_new_manifest(self) -> Iterator[Violation]:
        """Yield what change profiles say of each member of a set, such as a permission."""
        if self._pair.old is None and self._profiles:
            each_added = self._pair.one_by_one()
            subject = _subject(each_added.name, each_added.contents())
            for each in self._broken(subject, self._profiles):
                if len(each.path) > 1 and each.path[0] == "changes":
                    yield self._in_manifest(each, subject, each_added)

    def _broken(self, subject: Manifest, required: list[Required]) -> list[Violation]:
        """Return what is wrong with a change document, without what is off."""
        return [
            each
            for each in check(subject, required, (), self._policy.limits.findings)
            if not each.is_off or self._policy.severity_of(each) is not None
        ]

    def _in_manifest(self, violation: Violation, subject: Manifest, pair: Pair) -> Violation:
        """Return a violation by the change document as one by the manifest, about its finding."""
        finding, crash = described(violation, subject)
        self.crashes += [crash] if crash else []
        part = pair.part(violation.path, subject.document.value)
        if violation.rule == _ADDED:  # it lists everything, however long that is
            finding = finding._replace(message=part.said)
        if isinstance(error := violation.about, ValidationError) and violation.profile:
            own = error.requirement.annotations
            message = finding.message.replace(label(error.path), label(part.path))
            said = f"{part.said}, which the profile does not allow"
            finding = finding._replace(
                message=message if "message" in own else said,
                help=finding.help if "help" in own else _UNDO,
            )
        finding = finding._replace(
            path=pair.name,
            pointer=part.pointer,
            location=part.location,
            property=None,
            fixes=(),
            suggestion=None,
            identity=Identity(finding.rule, part.stable, "", 0),
            related=part.related,
        )
        return Violation(
            finding.rule,
            finding.severity,
            part.path,
            finding,
            profile=finding.profile,
            span=finding.location.span,
        )


def _readable(decoded: Decoded | None, name: str) -> Document | None:
    if decoded is None:
        return None
    if is_deeper(decoded.document.value, _DEEPEST):
        raise UnreadableFileError(name, f"is more than {_DEEPEST} levels deep")
    return decoded.require_readable(name)


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

    def spans(self, path: object) -> tuple[None, Span]:
        del path
        return None, Span(0, 0)


def _subject(name: str, value: Any) -> Manifest:
    """Return a change document as the change rules look at it."""
    return Manifest(_ChangeDocument(name, value), change_schema())


@cache
def _change_rules() -> Required:
    """Return what all change rules require as one schema, for one call of the engine."""
    schemas = tuple(rule.schema for rule in change_rules().values() if rule.schema)
    return Required(all_of(schemas), is_ours=True)
