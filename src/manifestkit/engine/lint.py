"""Bytes and a name to a result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from manifestkit.decode import decode
from manifestkit.engine.foreign import foreign_kind
from manifestkit.engine.report import FileResult
from manifestkit.finding import Finding
from manifestkit.limits import DEFAULT_LIMITS, Limits
from manifestkit.rules.conformance import check_conformance
from manifestkit.schema import Schema, base_schema

STDIN = "<stdin>"


@dataclass(frozen=True, slots=True)
class Linter:
    """Judges manifests, one by one, by the same schema and limits.

    Attributes:
        schema: what a manifest must be.
        limits: how much a manifest may demand of its reader.
    """

    schema: Schema = field(default_factory=base_schema)
    limits: Limits = DEFAULT_LIMITS

    def lint(
        self, source: bytes | str, name: str = STDIN, *, skip_foreign: bool = False
    ) -> FileResult:
        """Judge one manifest.

        Args:
            source: the file's bytes, or its text.
            name: the file, as findings shall name it; its suffix tells the syntax.
            skip_foreign: whether to leave alone what is evidently a manifest of something else.

        Raises:
            SchemaError: the schema cannot be judged by.
        """
        decoded = decode(source, name, self.limits)
        document = decoded.document
        if skip_foreign:
            kind = foreign_kind(document.value, self._required())
            if kind:
                return FileResult(name, skipped=kind)
        findings = list(decoded.findings)
        if decoded.readable:
            findings.extend(check_conformance(document, self.schema))
        return FileResult(name, _ordered(findings), document.text if findings else None)

    def _required(self) -> tuple[str, ...]:
        root = self.schema.field(())
        return root.required if root else ()


@cache
def _default_linter() -> Linter:
    return Linter()


def lint(source: bytes | str, name: str = STDIN) -> FileResult:
    """Judge one manifest by section 2 of the manifest document.

    Args:
        source: the file's bytes, or its text.
        name: the file, as findings shall name it; its suffix tells the syntax.
    """
    return _default_linter().lint(source, name)


def _ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """By place, then rule; what several schemas say alike of one value, once."""
    unique = {
        (each.rule, each.pointer, each.property, each.location.span): each
        for each in reversed(list(findings))
    }
    return tuple(
        sorted(
            unique.values(),
            key=lambda each: (each.location.span, each.rule, each.property or "", each.message),
        )
    )
