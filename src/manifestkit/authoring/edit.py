"""Changes of one manifest: all or none, and none that makes it invalid; and its formatting."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from manifestkit.authoring.changes import EditRequest
from manifestkit.decode import Decoded
from manifestkit.edits.formatting import formatted
from manifestkit.edits.patch import require_editable
from manifestkit.engine.discovery import Target
from manifestkit.engine.workspace import Workspace
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.finding import Severity
from manifestkit.rules.checks import not_a_manifest

_ANYWAY = "use --force to change it anyway"
_SHOWN = 3
# Probably a mistake, though valid.
_SLIPS = {"duplicate-activity-id", "duplicate-item", "ignored-member", "misspelt-field"}
_INDEX = re.compile(r"/[0-9]+(?=/)")
_DONE = {"add": "Added", "remove": "Removed", "set": "Set"}

_Error = tuple[str, str, str, str | None]
"""The rule and the requirement of an error, its place with a slash behind, and what is missing."""


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

    With `force`, they are made even if they make it invalid.

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
    for request in requests:
        schema = workspace.policy(target.folder).requirements(after.document).described
        change = request.change(after.document, schema)
        if change.operation is None:
            done.append(f"{change.message} in {target.name}")
            continue
        after = change.applied(after.document, workspace.policy(target.folder).limits)
        verb, rest = change.message.split(" ", 1)
        done.append(f"{_DONE[verb]} {rest} in {target.name}")
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
    missing = tuple(f"{at}{member}/" for _, _, at, member in errors_before if member)
    caused = (each for each in errors if not (each[-1] and each[-2].startswith(missing)))
    if not old.is_cut and Counter(map(_anywhere, caused)) - Counter(map(_anywhere, errors_before)):
        told = [each for each in new or now.findings if each.severity is Severity.ERROR]
        wrong = [f"{each.message} ({each.help})" if each.help else each.message for each in told]
        more = f"; and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        reasons = "; ".join(wrong[:_SHOWN])
        raise EditRefusedError(f"this would make the manifest invalid: {reasons}{more}; {_ANYWAY}")
    for each in new:
        if each.rule in _SLIPS:
            raise EditRefusedError(f"{each.message}; {_ANYWAY}")
        if each.severity is not Severity.ERROR:
            yield f"{each.pointer or target.name}: {each.message}; {each.help}"


def _errors(workspace: Workspace, target: Target, decoded: Decoded) -> list[_Error]:
    verdict = workspace.lint(target, decoded, only_verdict=True).verdict
    return [
        (each.rule, each.identity.requirement, f"{each.pointer}/", each.identity.member)
        for each in (verdict.violations if verdict else ())
        if each.severity is Severity.ERROR and each.identity
    ]


def _anywhere(error: _Error) -> _Error:
    """Return an error without the indices of where it is, which a change may shift."""
    rule, requirement, at, member = error
    return rule, requirement, _INDEX.sub("/", at), member


def format_manifest(workspace: Workspace, target: Target, decoded: Decoded) -> str:
    """Return the text of a manifest as it is formatted, by the configuration of its folder.

    Raises:
        EditRefusedError: it cannot be read or formatted, or is none.
    """
    policy = workspace.policy(target.folder)
    schema = policy.requirements(decoded.document).schema
    text = formatted(require_editable(decoded), schema, policy.limits)
    value, root = decoded.document.value, schema.field(())
    if root and root.types == ("object",) and not isinstance(value, dict):
        raise EditRefusedError("a manifest is an object")
    if isinstance(value, dict) and schema.marks.isdisjoint(value):
        for finding in workspace.lint(target, decoded).findings:
            if finding.rule == not_a_manifest.ID:
                raise EditRefusedError(finding.message)
    return text
