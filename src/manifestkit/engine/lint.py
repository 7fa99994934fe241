"""One manifest to its verdict, and to as many findings as are shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain

from manifestkit.config.policy import Policy
from manifestkit.decode import Decoded, decode
from manifestkit.model.limits import is_deeper
from manifestkit.model.pointer import parse_pointer
from manifestkit.model.report import STDIN, FileResult
from manifestkit.model.violation import Verdict, Violation
from manifestkit.rules.check import check
from manifestkit.schema.manifest import Manifest, Surroundings

_CLEAN = Verdict()
_DEEPEST = 1_000  # levels, to which the engine, whose stack is limited, follows a value


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
    policy: Policy,
    surroundings: Surroundings | None = None,
    *,
    only_verdict: bool = False,
) -> FileResult:
    """Lint one manifest that has been read.

    Args:
        decoded: what decoding it gave.
        policy: which rules count and how.
        surroundings: what stands around it, for `missing-file` and `version-mismatch`.
        only_verdict: whether to leave out the findings: the result has the verdict.

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
        is_too_deep=depth > _DEEPEST and is_deeper(document.value, _DEEPEST),
        profiles=requirements.profiles,
        faults=decoded.findings,
    )
    found: Iterable[Violation] = _violations_of_text(decoded, policy) if decoded.findings else ()
    if decoded.readable:
        most = policy.limits.findings
        found = chain(found, check(manifest, requirements.required, policy.checks, most))
    verdict = policy.verdict(found, manifest)
    if verdict == _CLEAN:
        return FileResult(document.name)
    from manifestkit.engine.describe import result_of  # noqa: PLC0415 - clean runs go without

    result = result_of(verdict, manifest, policy, only_verdict=only_verdict)
    return result if decoded.readable else result._replace(is_unread=True)


def _violations_of_text(decoded: Decoded, policy: Policy) -> Iterator[Violation]:
    """Yield what the reader has found in a text."""
    is_locked = bool(policy.locked)
    for each in decoded.findings:
        path = parse_pointer(each.pointer)
        span = each.location.span
        yield Violation(each.rule, each.severity, path, each, span=span, is_locked=is_locked)
