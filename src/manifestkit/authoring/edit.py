"""Changes of one manifest: all or none, and none that makes it invalid; and its formatting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from typing import NamedTuple

from manifestkit.authoring.changes import EditRequest
from manifestkit.decode import Decoded
from manifestkit.edits.formatting import formatted
from manifestkit.edits.patch import Operation, require_editable
from manifestkit.engine.discovery import Target
from manifestkit.engine.workspace import Workspace
from manifestkit.findings.words import named
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.finding import Finding, Severity
from manifestkit.model.pointer import parse_pointer
from manifestkit.model.report import FileResult
from manifestkit.rules.check import LIMIT_EXCEEDED
from manifestkit.rules.checks import ignored_member, not_a_manifest

_ANYWAY = "use --force to change it anyway"
_SHOWN = 3
_REPEATED = {"duplicate-activity-id", "duplicate-item"}  # probably a mistake, though valid
_DONE = {"add": "Added", "remove": "Removed", "set": "Set"}


class Edited(NamedTuple):
    """A manifest that was changed.

    Attributes:
        text: its text.
        done: what was changed, in a sentence for each change.
        notes: what is worth knowing of it since then.
    """

    text: str
    done: list[str]
    notes: list[str]


def edit(
    workspace: Workspace,
    target: Target,
    before: Decoded,
    requests: Iterable[EditRequest],
    *,
    force: bool,
) -> Edited:
    """Make changes to a manifest, all or none.

    With `force`, they are made even if they make it invalid, or are probably a mistake.

    Raises:
        AuthoringError: a change cannot be understood.
        EditRefusedError: a change cannot be made, or is not made without force.
    """
    try:
        require_editable(before)
    except EditRefusedError as problem:
        raise EditRefusedError(f"fix it first: {problem}") from None
    after = before
    done: list[str] = []
    notes: list[str] = []
    operations: list[Operation] = []
    for request in requests:
        schema = workspace.described_schema_of(after.document, target.folder)
        change = request.change(after.document, schema)
        if change.operation is None:
            done.append(f"{change.message} in {target.name}")
            continue
        if change.doubt and not force:
            raise EditRefusedError(f"{change.doubt}; {_ANYWAY}")
        after = change.applied(after.document, workspace.limits(target.folder))
        verb, rest = change.message.split(" ", 1)
        done.append(f"{_DONE[verb]} {rest} in {target.name}")
        operations.append(change.operation)
        notes += [change.drops] if change.drops else []
    text = after.document.text
    if not operations or force:
        return Edited(text, done, [])
    old, new = (workspace.lint(target, each).findings for each in (before, after))
    errors, errors_now = ([*_errors(workspace, target, each)] for each in (before, after))
    if _has_new(errors, errors_now, operations):
        if notes:
            raise EditRefusedError("; ".join(notes))
        wrong = [each for each in new if each.severity is Severity.ERROR]
        worse = _new_findings(old, wrong) or wrong
        reasons = "; ".join(map(_reason, worse[:_SHOWN]))
        more = f"; and {len(worse) - _SHOWN} more" if len(worse) > _SHOWN else ""
        reason = f"this would make the manifest invalid: {reasons}{more}; {_ANYWAY}"
        raise EditRefusedError(reason)
    return Edited(text, done, [*notes, *_advice(target.name, _new_findings(old, new))])


def _advice(name: str, found: Iterable[Finding]) -> Iterator[str]:
    """Yield what is worth knowing of new findings; one about an item twice refuses the change."""
    for each in found:
        if each.rule in _REPEATED:
            raise EditRefusedError(f"{each.message}; {_ANYWAY}")
        if each.severity is not Severity.ERROR:
            do = "nobody has to read it" if each.rule == ignored_member.ID else each.help
            yield f"{each.pointer or name}: {each.message}; {do}"


def _has_new(before: list[_Error], after: list[_Error], operations: Iterable[Operation]) -> bool:
    """Return whether operations cause an error, whatever was wrong before with what they replace.

    A member that was missing, or is one of what was missing, is no new error.
    """
    if any(each.kind[0] == LIMIT_EXCEEDED for each in before):  # those left out are not new
        return len(after) > len(before)
    replaced = {tuple(parse_pointer(each["path"])) for each in operations}
    kept = (each for each in before if each.is_missing or not _is_within(each.place, replaced))
    missing = {each.place for each in before if each.is_missing}
    caused = (
        each for each in after if not (each.is_missing and _is_within(each.place[:-1], missing))
    )
    return not Counter(each.kind for each in caused) <= Counter(each.kind for each in kept)


def _is_within(place: tuple[str, ...], places: Container[tuple[str, ...]]) -> bool:
    return any(place[:end] in places for end in range(len(place) + 1))


class _Error(NamedTuple):
    """An error: its place, its kind whatever the indexes are, and whether a member is missing."""

    place: tuple[str, ...]
    kind: tuple[str, ...]
    is_missing: bool


def _errors(workspace: Workspace, target: Target, decoded: Decoded) -> Iterator[_Error]:
    verdict = workspace.lint(target, decoded, only_verdict=True).verdict
    for each in verdict.violations if verdict else ():
        if each.severity is Severity.ERROR and each.identity:
            member = each.identity.member
            place = (*parse_pointer(each.pointer), *([member] if member else ()))
            anywhere = ("" if token.isdecimal() else token for token in place)
            kind = each.rule, each.identity.requirement, *anywhere
            yield _Error(place, kind, bool(member))


def _new_findings(before: Iterable[Finding], after: Iterable[Finding]) -> list[Finding]:
    known = {(each.rule, each.message) for each in before}
    return [each for each in after if (each.rule, each.message) not in known]


def _reason(finding: Finding) -> str:
    """Return what is wrong, with what was probably meant."""
    advice, message = (finding.help or "").removeprefix("remove it, or "), finding.message
    is_said = finding.suggestion is not None and named(finding.suggestion) in message
    is_answer = advice.startswith(("did you mean ", "use ", "list it in "))
    return f"{message} ({advice})" if is_answer and not is_said else message


def format_manifest(
    workspace: Workspace,
    decoded: Decoded,
    folder: str,
    lint: Callable[[Decoded], FileResult],
) -> str:
    """Return the text of a manifest as it is formatted, by the configuration of a folder.

    Raises:
        EditRefusedError: it cannot be read or formatted, or is none.
    """
    schema = workspace.schema_of(decoded.document, folder)
    text = formatted(require_editable(decoded), schema, workspace.limits(folder))
    value, root = decoded.document.value, schema.field(())
    if root and root.types == ("object",) and not isinstance(value, dict):
        raise EditRefusedError("a manifest is an object")
    if isinstance(value, dict) and schema.marks.isdisjoint(value):
        for finding in lint(decoded).findings:
            if finding.rule == not_a_manifest.ID:
                raise EditRefusedError(finding.message)
    return text
