"""Results of what stands beside manifests: settings and archives."""

from __future__ import annotations

from collections.abc import Iterable

from manifestkit.config.policy import Policy
from manifestkit.engine.describe import described
from manifestkit.model.document import Document, Node
from manifestkit.model.finding import Description
from manifestkit.model.location import Location, Span
from manifestkit.model.pointer import Path
from manifestkit.model.report import FileResult
from manifestkit.model.violation import Violation
from manifestkit.rules.catalogue import catalogue
from manifestkit.schema.manifest import Manifest


def violation_of_file(
    rule: str, message: str, path: Path = (), help: str | None = None, line: int = 1
) -> Violation:
    """Return the violation of a rule by a file as a whole, or by a line of it."""
    at = Location(line=line, end_line=line)
    return catalogue()[rule].violation(path, Description(message, help=help, location=at))


def result_beside(
    file: str | Document, found: Iterable[Violation], policy: Policy
) -> FileResult | None:
    """Return the result of a file that is no manifest; None where nothing in it counts.

    Args:
        file: its name, or the file as it was read.
        found: what is wrong with it.
        policy: tells what counts.
    """
    if isinstance(file, str):
        file = Document(file, "", None, lambda _: Node(Span(0, 0)))
    manifest = Manifest(file, policy.schema)
    told = [
        described(each._replace(severity=severity), manifest)
        for each in found
        if (severity := policy.severity_of(each))
    ]
    if not told:
        return None
    findings, crashes = zip(*told, strict=True)
    fails = any(each.severity.rank <= policy.fail_on.rank for each in findings)
    crash = next(filter(None, crashes), None)
    text = file.text or None
    return FileResult(file.name, findings, text, is_manifest=False, fails=fails, crash=crash)
