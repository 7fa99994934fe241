"""One manifest to its verdict, and to as many findings as are shown."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from manifestkit.config.policy import Policy, Requirements
from manifestkit.decode import CollectorPause, Decoded, decode
from manifestkit.engine.detail import Detail
from manifestkit.model.limits import DEEPEST_JUDGED, is_deeper
from manifestkit.model.report import STDIN, FileResult
from manifestkit.rules.check import check, violations_of_rules, violations_of_text
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.packaged import foreign_kind
from manifestkit.schema.validation import NotJudgedError, TooDeepError

if TYPE_CHECKING:
    from manifestkit.model.surroundings import Project


@cache
def default_policy() -> Policy:
    """Return the policy where nothing is configured."""
    return Policy()


def lint_text(source: bytes | str, name: str = STDIN, policy: Policy | None = None) -> FileResult:
    """Read one manifest and lint it.

    Args:
        source: the file's bytes, or its text.
        name: the file, for findings; its suffix selects the syntax.
        policy: which rules count and how; None for all that are on by default.

    Raises:
        SchemaError: a schema or a profile cannot be used.
    """
    policy = policy or default_policy()
    with CollectorPause():
        return lint(decode(source, name, policy.limits), policy)


def lint(
    decoded: Decoded,
    policy: Policy | None = None,
    *,
    skip_foreign: bool = False,
    has_file: Callable[[str], bool] | None = None,
    project: Callable[[], Project | None] | None = None,
    detail: Detail = Detail.EDITS,
    is_grouped: bool = True,
) -> FileResult:
    """Lint one manifest that has been read.

    Args:
        decoded: what decoding it gave.
        policy: which rules count and how; None for all that are on by default.
        skip_foreign: whether to skip what is evidently a manifest of a foreign format.
        has_file: returns whether a file is at a path relative to the manifest; without it,
            `missing-file` finds nothing.
        project: returns the project that the manifest is part of; without it, `version-mismatch`
            finds nothing.
        detail: how much to describe.
        is_grouped: whether one finding may cover several violations.

    Raises:
        SchemaError: a schema or a profile cannot be used.
    """
    policy = policy or default_policy()
    document = decoded.document
    requirements = policy.requirements(document)
    depth = policy.limits.depth
    manifest = Manifest(
        document,
        requirements.schema,
        has_file,
        is_too_deep=depth > DEEPEST_JUDGED and is_deeper(document.value, DEEPEST_JUDGED),
        profiles=requirements.profiles,
        project=project,
        duplicates=tuple(each.pointer for each in decoded.findings if each.rule == "duplicate-key"),
    )
    if not decoded.findings and _is_clean(manifest, requirements, policy):
        return FileResult(document.name)
    from manifestkit.engine.describe import result_of  # noqa: PLC0415 - clean runs go without

    if skip_foreign and (kind := kind_of_foreign(decoded, policy)):
        return FileResult(document.name, skipped=kind)
    found = violations_of_text(decoded, is_locked=bool(policy.locked))
    if decoded.readable:
        most = policy.limits.findings
        found = chain(found, check(manifest, requirements.required, policy.checks, most))
    verdict = policy.verdict(found, manifest, has_identities=detail.has_identities)
    return result_of(verdict, manifest, policy, detail, is_grouped=is_grouped)


def kind_of_foreign(decoded: Decoded, policy: Policy) -> str | None:
    """Return the kind of a file that is evidently a foreign manifest; None for others."""
    requirements = policy.requirements(decoded.document)
    if requirements.row.folder is not None:
        return None
    return foreign_kind(decoded.document.value, requirements.schema)


def _is_clean(manifest: Manifest, requirements: Requirements, policy: Policy) -> bool:
    value = manifest.document.value
    try:
        for schema, *_ in requirements.required:
            if manifest.is_too_deep and schema.is_unbounded:
                return False
            if not schema.validator.is_valid(value):
                return False
    except (NotJudgedError, TooDeepError):
        return False
    return next(violations_of_rules(manifest, policy.checks), None) is None
