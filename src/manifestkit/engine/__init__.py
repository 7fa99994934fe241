"""Bytes and a name to a result; many files to a report."""

from __future__ import annotations

from manifestkit.config.configuration import ALWAYS, OFF, parse_severity
from manifestkit.decode import Decoded
from manifestkit.engine.discovery import Search, Target
from manifestkit.engine.lint import Linter
from manifestkit.engine.many import lint_all, lint_paths
from manifestkit.engine.options import Options
from manifestkit.engine.run import Run, crashes_at, is_manifest_name
from manifestkit.model.report import STDIN, FileResult, Report, Summary, Suppressed

__all__ = [
    "ALWAYS",
    "OFF",
    "STDIN",
    "Decoded",
    "FileResult",
    "Linter",
    "Options",
    "Report",
    "Run",
    "Search",
    "Summary",
    "Suppressed",
    "Target",
    "crashes_at",
    "is_manifest_name",
    "lint_all",
    "lint_paths",
    "parse_severity",
]
