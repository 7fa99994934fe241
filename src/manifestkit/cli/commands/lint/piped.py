"""Standard input, judged with what else is."""

from __future__ import annotations

from manifestkit.cli.console import note, read_stdin
from manifestkit.engine import STDIN, Detail, FileResult, Report, Workspace, crash_context
from manifestkit.model.errors import CrashedFileError, UnreadableFileError


def with_stdin(workspace: Workspace, report: Report, name: str, detail: Detail) -> Report:
    """Return a report with the result of what comes on standard input.

    Args:
        workspace: judges it.
        report: of files.
        name: how findings name it; its suffix tells the syntax.
        detail: how much to say of what is wrong.

    Raises:
        ConfigurationError: a configuration file, a schema or a baseline cannot be used.
    """
    try:
        data = read_stdin(workspace.limits("").bytes)
        with crash_context(name):
            decoded = workspace.decode(data, name)
            result = workspace.lint_stdin(decoded, detail=detail)
            workspace.note_use(result, "")
    except UnreadableFileError as problem:
        return report.joined([], [problem])
    except CrashedFileError as problem:
        return report.joined([], [], [problem])
    if name == STDIN and _may_be_yaml(result, decoded.document.text):
        note("standard input was read as JSON; for YAML, use `--stdin-filename manifest.yaml`")
    return report.joined([result])


def _may_be_yaml(result: FileResult, text: str) -> bool:
    """Return whether a text is no JSON, and begins unlike JSON."""
    is_wrong = any(each.rule == "syntax-error" for each in result.findings)
    return is_wrong and text.lstrip()[:1] not in ("", "{", "[")
