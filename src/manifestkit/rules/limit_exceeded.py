"""`limit-exceeded` where a manifest could be read, but not all be said of it."""

from __future__ import annotations

from manifestkit.finding import Finding
from manifestkit.rules.rule import Manifest
from manifestkit.severity import Severity

RULE = "limit-exceeded"


def too_many(beyond: Finding, most: int) -> Finding:
    """What is said in place of the first finding that is one too many."""
    return Finding(
        path=beyond.path,
        rule=RULE,
        severity=Severity.ERROR,
        message=f"too much to say; the limit is {most:,} findings",
        pointer=beyond.pointer,
        location=beyond.location,
        help="mend what is told first: it is likely to be one mistake, made many times",
    )


def too_deep(manifest: Manifest, schema: str) -> Finding:
    """What is said of a manifest that a schema cannot be followed into."""
    return Finding(
        path=manifest.document.name,
        rule=RULE,
        severity=Severity.ERROR,
        message=f"nested too deep to be judged by {schema}",
        pointer="",
        location=manifest.document.locate(()),
        help="no manifest needs as much; keep to the default limit on depth",
    )
