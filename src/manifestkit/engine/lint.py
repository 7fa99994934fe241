"""One manifest to its verdict, and to as many findings as are shown."""

from __future__ import annotations

from functools import cache
from itertools import chain

from manifestkit.config.policy import Policy
from manifestkit.decode import Decoded, decode
from manifestkit.model.limits import DEEPEST_JUDGED, is_deeper
from manifestkit.model.report import STDIN, FileResult
from manifestkit.model.surroundings import NOWHERE, Surroundings
from manifestkit.model.violation import CLEAN, Verdict
from manifestkit.rules.check import check, violations_of_text
from manifestkit.schema.manifest import Manifest


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
    return lint(decode(source, name, policy.limits), policy)


def lint(
    decoded: Decoded,
    policy: Policy | None = None,
    surroundings: Surroundings = NOWHERE,
    *,
    only_verdict: bool = False,
) -> FileResult:
    """Lint one manifest that has been read.

    Args:
        decoded: what decoding it gave.
        policy: which rules count and how; None for all that are on by default.
        surroundings: what stands around it, for `missing-file` and `version-mismatch`.
        only_verdict: whether to leave out the findings: the tally says what is broken.

    Raises:
        SchemaError: a schema or a profile cannot be used.
    """
    policy = policy or default_policy()
    manifest, verdict = judge(decoded, policy, surroundings)
    if verdict is CLEAN:
        return FileResult(decoded.document.name)
    from manifestkit.engine.describe import result_of  # noqa: PLC0415 - clean runs go without

    return result_of(verdict, manifest, policy, only_verdict=only_verdict)


def judge(
    decoded: Decoded,
    policy: Policy,
    surroundings: Surroundings = NOWHERE,
) -> tuple[Manifest, Verdict]:
    """Return a manifest, and the verdict on it, before anything is said of a violation.

    Args:
        decoded: what decoding it gave.
        policy: which rules count and how.
        surroundings: what stands around it.

    Raises:
        SchemaError: a schema or a profile cannot be used.
    """
    document = decoded.document
    requirements = policy.requirements(document)
    depth = policy.limits.depth
    manifest = Manifest(
        document,
        requirements.schema,
        surroundings=surroundings,
        is_too_deep=depth > DEEPEST_JUDGED and is_deeper(document.value, DEEPEST_JUDGED),
        profiles=requirements.profiles,
        duplicates=tuple(each.pointer for each in decoded.findings if each.rule == "duplicate-key"),
    )
    found = violations_of_text(decoded, is_locked=bool(policy.locked))
    if decoded.readable:
        most = policy.limits.findings
        found = chain(found, check(manifest, requirements.required, policy.checks, most))
    first = next(found, None)
    if first is None:
        return manifest, CLEAN
    return manifest, policy.verdict(chain((first,), found), manifest)
