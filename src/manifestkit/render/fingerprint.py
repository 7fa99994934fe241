"""What a platform tells by that a finding is the one it knows already."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator

from manifestkit.model.finding import Finding


def stable_fingerprint(finding: Finding) -> str:
    """The finding's own, or one for what has none: an entry of the configuration, say."""
    if finding.identity is not None:
        return finding.identity.fingerprint
    return _digest(finding.rule, finding.pointer, finding.message)


def unique_fingerprints(findings: Iterable[Finding]) -> Iterator[str]:
    """One for each finding that no other finding of any file has."""
    seen: Counter[tuple[str, str]] = Counter()
    for finding in findings:
        key = (finding.path, stable_fingerprint(finding))
        yield _digest(*key, *([str(seen[key])] if seen[key] else []))
        seen[key] += 1


def file_fingerprint(path: str) -> str:
    """One for a file that there is no result of."""
    return _digest(path)


def _digest(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]
