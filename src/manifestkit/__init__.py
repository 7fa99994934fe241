"""Lint and author activity provider manifests.

>>> import manifestkit
>>> result = manifestkit.lint('{"schema_version": 1}', name="manifest.json")
>>> [finding.rule for finding in result.findings][0]
'missing-field'
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from manifestkit.changes.compare import diff
    from manifestkit.engine.lint import Linter, lint
    from manifestkit.engine.options import Options
    from manifestkit.engine.run import lint_paths
    from manifestkit.model.change import Change
    from manifestkit.model.errors import (
        ConfigurationError,
        ManifestkitError,
        PointerSyntaxError,
        SchemaError,
        UnreadableFileError,
    )
    from manifestkit.model.finding import Edit, Finding, Fix, Related, Severity
    from manifestkit.model.limits import Limits
    from manifestkit.model.location import Location, Span
    from manifestkit.model.report import FileResult, Report, Summary

__all__ = [
    "Change",
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
    "diff",
    "lint",
    "lint_paths",
]

# Each name is imported when it is first used: `manifest --version` needs none of them.
_HOMES = {
    "Change": "manifestkit.model.change",
    "ConfigurationError": "manifestkit.model.errors",
    "Edit": "manifestkit.model.finding",
    "FileResult": "manifestkit.model.report",
    "Finding": "manifestkit.model.finding",
    "Fix": "manifestkit.model.finding",
    "Limits": "manifestkit.model.limits",
    "Linter": "manifestkit.engine.lint",
    "Location": "manifestkit.model.location",
    "ManifestkitError": "manifestkit.model.errors",
    "Options": "manifestkit.engine.options",
    "PointerSyntaxError": "manifestkit.model.errors",
    "Related": "manifestkit.model.finding",
    "Report": "manifestkit.model.report",
    "SchemaError": "manifestkit.model.errors",
    "Severity": "manifestkit.model.finding",
    "Span": "manifestkit.model.location",
    "Summary": "manifestkit.model.report",
    "UnreadableFileError": "manifestkit.model.errors",
    "diff": "manifestkit.changes.compare",
    "lint": "manifestkit.engine.lint",
    "lint_paths": "manifestkit.engine.run",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
