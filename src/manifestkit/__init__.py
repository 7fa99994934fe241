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
    from manifestkit.engine.lint import Linter, lint
    from manifestkit.engine.options import Options
    from manifestkit.engine.report import FileResult, Report, Summary
    from manifestkit.engine.run import lint_paths
    from manifestkit.errors import (
        ConfigurationError,
        ManifestkitError,
        PointerSyntaxError,
        SchemaError,
        UnreadableFileError,
    )
    from manifestkit.finding import Edit, Finding, Fix, Related
    from manifestkit.limits import Limits
    from manifestkit.location import Location, Span
    from manifestkit.severity import Severity

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

# Each name is imported when it is first used: `manifest --version` needs none of them.
_HOMES = {
    "ConfigurationError": "manifestkit.errors",
    "Edit": "manifestkit.finding",
    "FileResult": "manifestkit.engine.report",
    "Finding": "manifestkit.finding",
    "Fix": "manifestkit.finding",
    "Limits": "manifestkit.limits",
    "Linter": "manifestkit.engine.lint",
    "Location": "manifestkit.location",
    "ManifestkitError": "manifestkit.errors",
    "Options": "manifestkit.engine.options",
    "PointerSyntaxError": "manifestkit.errors",
    "Related": "manifestkit.finding",
    "Report": "manifestkit.engine.report",
    "SchemaError": "manifestkit.errors",
    "Severity": "manifestkit.severity",
    "Span": "manifestkit.location",
    "Summary": "manifestkit.engine.report",
    "UnreadableFileError": "manifestkit.errors",
    "lint": "manifestkit.engine.lint",
    "lint_paths": "manifestkit.engine.run",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
