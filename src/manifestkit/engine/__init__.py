"""Bytes and a name to a result; many files to a report."""

from __future__ import annotations

from manifestkit.engine.lint import STDIN, Linter, lint
from manifestkit.engine.report import FileResult, Report, Summary
from manifestkit.engine.run import Found, Options, Run, lint_paths

__all__ = [
    "STDIN",
    "FileResult",
    "Found",
    "Linter",
    "Options",
    "Report",
    "Run",
    "Summary",
    "lint",
    "lint_paths",
]
