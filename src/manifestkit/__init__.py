"""Lint and author activity provider manifests.

>>> import manifestkit
>>> result = manifestkit.lint('{"schema_version": 1}', "manifest.json")
>>> result.findings[-1].message
'`schema_version` must be a string, not the number `1`'
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # as in `typing`, which would load before an interrupt is awaited
if TYPE_CHECKING:
    from typing import Any

    from manifestkit.authoring.fixing import Fixed, RefusedFix
    from manifestkit.changes import diff
    from manifestkit.engine.many import lint_paths
    from manifestkit.engine.options import Options
    from manifestkit.library import (
        LoadedManifest,
        fix,
        format,  # noqa: A004 - what it does, and what the command is called
        lint,
        load,
        load_profile,
        load_schema,
    )
    from manifestkit.model.change import Change
    from manifestkit.model.errors import (
        ConfigurationError,
        CrashedFileError,
        EditRefusedError,
        ManifestkitError,
        SchemaError,
        UnreadableFileError,
    )
    from manifestkit.model.finding import Edit, Finding, Fix, Related, Severity
    from manifestkit.model.limits import Limits
    from manifestkit.model.location import Location, Span
    from manifestkit.model.report import FileResult, Report, Summary, Suppressed
    from manifestkit.rendering import render, to_dict
    from manifestkit.schema.model import Schema

    __version__: str

__all__ = [
    "Change",
    "ConfigurationError",
    "CrashedFileError",
    "Edit",
    "EditRefusedError",
    "FileResult",
    "Finding",
    "Fix",
    "Fixed",
    "Limits",
    "LoadedManifest",
    "Location",
    "ManifestkitError",
    "Options",
    "RefusedFix",
    "Related",
    "Report",
    "Schema",
    "SchemaError",
    "Severity",
    "Span",
    "Summary",
    "Suppressed",
    "UnreadableFileError",
    "__version__",
    "diff",
    "fix",
    "format",
    "lint",
    "lint_paths",
    "load",
    "load_profile",
    "load_schema",
    "render",
    "to_dict",
]

# Each name is imported when it is first used: `manifest --version` needs none of them.
_NAMES = {
    "changes": ("diff",),
    "engine.options": ("Options",),
    "engine.many": ("lint_paths",),
    "authoring.fixing": ("Fixed", "RefusedFix"),
    "library": (
        "LoadedManifest",
        "fix",
        "format",
        "lint",
        "load",
        "load_profile",
        "load_schema",
    ),
    "model.change": ("Change",),
    "model.errors": (
        "ConfigurationError",
        "CrashedFileError",
        "EditRefusedError",
        "ManifestkitError",
        "SchemaError",
        "UnreadableFileError",
    ),
    "model.finding": ("Edit", "Finding", "Fix", "Related", "Severity"),
    "model.limits": ("Limits",),
    "model.location": ("Location", "Span"),
    "model.report": ("FileResult", "Report", "Summary", "Suppressed"),
    "rendering": ("render", "to_dict"),
    "schema.model": ("Schema",),
}
_HOMES = {name: f"{__name__}.{home}" for home, names in _NAMES.items() for name in names}


if not TYPE_CHECKING:  # to a type checker, a name that is misspelt would be of any type

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            from importlib.metadata import version  # noqa: PLC0415 - slow to import

            return version(__name__)
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = getattr(importlib.import_module(_HOMES[name]), name)
        return globals()[name]


def __dir__() -> list[str]:
    return [*globals(), *__all__]
