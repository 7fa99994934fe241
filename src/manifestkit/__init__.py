"""Lint and author activity provider manifests.

>>> import manifestkit
>>> result = manifestkit.lint('{"schema_version": 1}', name="manifest.json")
>>> [finding.rule for finding in result.findings][0]
'missing-field'
"""

from __future__ import annotations

from manifestkit.engine import FileResult, Linter, Options, Report, Summary, lint, lint_paths
from manifestkit.errors import (
    ConfigurationError,
    ManifestkitError,
    PointerSyntaxError,
    SchemaError,
    UnreadableFileError,
)
from manifestkit.finding import Edit, Finding, Fix, Related, Severity
from manifestkit.limits import Limits
from manifestkit.location import Location, Span

__all__ = [
    "ConfigurationError",
    "Edit",
    "FileResult",
    "Finding",
    "Fix",
    "Limits",
    "Linter",
    "Location",
    "ManifestkitError",
    "Options",
    "PointerSyntaxError",
    "Related",
    "Report",
    "SchemaError",
    "Severity",
    "Span",
    "Summary",
    "UnreadableFileError",
    "lint",
    "lint_paths",
]
