"""A manifest in its one form, where the same findings are suppressed by its comments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from manifestkit.config.comments import has_comments
from manifestkit.decode import Decoded, decode
from manifestkit.edits import formatting
from manifestkit.edits.patch import require_editable
from manifestkit.model.document import Document
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.finding import Finding
from manifestkit.model.limits import DEFAULT_LIMITS, Limits
from manifestkit.model.pointer import path_in
from manifestkit.model.report import BY_COMMENT, FileResult
from manifestkit.schema.model import Schema

Lint = Callable[[Decoded], FileResult]


def formatted(decoded: Decoded, schema: Schema, lint: Lint, limits: Limits = DEFAULT_LIMITS) -> str:
    """Return the text of a manifest, formatted; it is linted only where it has comments.

    Raises:
        EditRefusedError: it cannot be read, has a member twice or more values than the limit; or
            the text would say something else, lose a comment, or have other findings suppressed.
    """
    document = require_editable(decoded)
    text = formatting.formatted(document, schema, limits)
    if text != document.text and has_comments(document):
        after = lint(decode(text, document.name, limits))
        _check_suppressed(document, lint(decoded), after)
    return text


def _check_suppressed(document: Document, before: FileResult, after: FileResult) -> None:
    """Refuse a text in which comments suppress more or less than they do now."""
    for result in (before, after):
        if result.cut_by:
            raise EditRefusedError(
                "comments suppress findings in it, and there are more findings than the limit: "
                f"raise the limit `{result.cut_by}`"
            )
    suppressed, suppressed_then = _suppressed(before), _suppressed(after)
    lost = _keys(suppressed) - _keys(suppressed_then)
    gained = _keys(suppressed_then) - _keys(suppressed)
    shown_then = _keys(after.findings)
    for finding in suppressed:
        if _key(finding) in lost and _key(finding) in shown_then:
            advice = _advice(document, finding)
            raise EditRefusedError(f"{_named(finding)} would no longer be suppressed: {advice}")
    for finding in before.findings:
        if _key(finding) in gained:
            raise EditRefusedError(
                f"{_named(finding)} would be suppressed by a comment about something else: write "
                "that comment behind the value that it is about"
            )
    unused, unused_then = _unused(before), _unused(after)
    for message in unused_then - unused:
        raise EditRefusedError(f"then {message}; remove that comment, or write it behind its value")


def _suppressed(result: FileResult) -> list[Finding]:
    return [each.finding for each in result.suppressed if each.by == BY_COMMENT]


def _key(finding: Finding) -> tuple[str, str, str | None]:
    return finding.rule, finding.pointer, finding.property


def _keys(findings: Iterable[Finding]) -> Counter[tuple[str, str, str | None]]:
    return Counter(map(_key, findings))


def _unused(result: FileResult) -> Counter[str]:
    return Counter(each.message for each in result.findings if each.rule == "unused-suppression")


def _named(finding: Finding) -> str:
    place = f" at `{finding.pointer}`" if finding.pointer else ""
    return f"`{finding.rule}`{place} (line {finding.location.line:,})"


def _advice(document: Document, finding: Finding) -> str:
    """Say where to write a comment about a finding so that it stays with it."""
    if not finding.pointer:
        return "write its comment at the top of the file, with an empty line below"
    value = document.value_at(path_in(document.value, finding.pointer))
    if not isinstance(value, dict | list):
        return "write that value on a separate line, with the comment behind it"
    return "write its comment above the line that the value and its name or dash begin on"
