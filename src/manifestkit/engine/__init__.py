"""Bytes and a name to a result; many files to a report."""

from __future__ import annotations

from manifestkit.decode import Decoded
from manifestkit.engine.beside import finding_of, result_beside
from manifestkit.engine.discovery import Search, Target
from manifestkit.engine.lint import default_policy, lint, lint_text
from manifestkit.engine.many import lint_all, lint_paths
from manifestkit.engine.options import Options
from manifestkit.engine.stored import ResultStore
from manifestkit.engine.workspace import Workspace, crash_context, is_manifest_name

__all__ = [
    "Decoded",
    "Options",
    "ResultStore",
    "Search",
    "Target",
    "Workspace",
    "crash_context",
    "default_policy",
    "finding_of",
    "is_manifest_name",
    "lint",
    "lint_all",
    "lint_paths",
    "lint_text",
    "result_beside",
]
