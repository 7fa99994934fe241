"""Findings as diagnostics, and what can be done about them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from lsprotocol.types import (
    CodeAction,
    CodeActionKind,
    CodeDescription,
    Command,
    CreateFile,
    CreateFileOptions,
    Diagnostic,
    DiagnosticRelatedInformation,
    DiagnosticSeverity,
    DiagnosticTag,
    Location,
    OptionalVersionedTextDocumentIdentifier,
    Position,
    Range,
    ResourceOperationKind,
    TextDocumentEdit,
    TextEdit,
    WorkspaceEdit,
)

from manifestkit.authoring.fixing import fix
from manifestkit.config.configuration import ALWAYS, OWN_FILE, SHARED_FILE
from manifestkit.edits.layout import first_break
from manifestkit.files import absolute, parse_toml
from manifestkit.findings.fingerprints import stable_pointer
from manifestkit.lsp.documents import Analysis
from manifestkit.lsp.text import Text
from manifestkit.model.finding import Edit, Finding, Severity
from manifestkit.model.location import Span
from manifestkit.model.pointer import parse_pointer
from manifestkit.schema.manifest import Manifest

_SOURCE = "manifest"
_MOST_SHOWN = 500
_SEVERITIES = {
    Severity.ERROR: DiagnosticSeverity.Error,
    Severity.WARNING: DiagnosticSeverity.Warning,
    Severity.INFO: DiagnosticSeverity.Information,
}
_SAID_TWICE = frozenset({"duplicate-item", "duplicate-key"})
_START = Range(Position(0, 0), Position(0, 0))


def diagnostics(analysis: Analysis) -> list[Diagnostic]:
    """Return the findings as an editor shows them; of more than it can bear, the most severe."""
    findings = analysis.result.findings
    shown = sorted(findings, key=lambda each: each.severity.rank)[:_MOST_SHOWN]
    found = [_diagnostic(each, analysis) for each in shown]
    if len(findings) > len(shown):
        rest = f"{len(findings) - len(shown):,} more findings are not shown here"
        found.append(Diagnostic(_START, rest, DiagnosticSeverity.Information, source=_SOURCE))
    return found


def _diagnostic(finding: Finding, analysis: Analysis) -> Diagnostic:
    """Return one finding as an editor shows it."""
    text, page = analysis.text, finding.url
    return Diagnostic(
        range=text.range(finding.location.span),
        message=finding.message,
        severity=_SEVERITIES[finding.severity],
        code=finding.rule,
        code_description=CodeDescription(page) if page else None,
        source=_SOURCE,
        tags=[DiagnosticTag.Unnecessary] if finding.rule in _SAID_TWICE else None,
        related_information=[
            DiagnosticRelatedInformation(
                Location(analysis.uri, text.range(each.location.span)), each.message
            )
            for each in finding.related
            if each.path is None
        ]
        or None,
    )


class Actions:
    """Offers code actions for the findings of a document.

    Args:
        analysis: what there is to say of it.
        supports: tells a capability of the client by its names.

    Attributes:
        explain: the command that shows a rule.
        fix_all: the kind of the action that applies all safe fixes.
    """

    explain = "manifestkit.explain"
    fix_all = f"{CodeActionKind.SourceFixAll.value}.manifestkit"

    def __init__(self, analysis: Analysis, supports: Callable[[str], Any]) -> None:
        self._analysis = analysis
        self._supports = supports

    def of(self, wanted: Range, only: Sequence[str] | None) -> list[CodeAction]:
        """Return the actions for a range: all, or those of some kinds and of those below them.

        Args:
            wanted: the range.
            only: the kinds that are asked for, each with those below it; None for all.
        """
        span = self._analysis.text.span(wanted)
        quick = self._quick_fixes(span) if _is_wanted(CodeActionKind.QuickFix.value, only) else ()
        whole = self._fix_all() if _is_wanted(self.fix_all, only) else ()
        return [*quick, *whole]

    def _quick_fixes(self, span: Span) -> Iterator[CodeAction]:
        found = list(self._analysis.findings_at(span))
        for finding in found:
            for index, each in enumerate(each for each in finding.fixes if each.edits):
                yield self._quick_fix(
                    finding,
                    each.message[:1].upper() + each.message[1:],
                    is_preferred=index == 0 and each.safety == "safe",
                    edit=self._edit(self._analysis.text.edits(each.edits)),
                )
        for finding in found if not self._analysis.problem else ():
            # A `*` in a setting stands for every name.
            can_be = finding.rule not in ALWAYS and "*" not in self._pointer(finding)
            if can_be and (edit := self._suppression(finding)):
                title = f"Suppress {finding.rule} here, in the configuration"
                yield self._quick_fix(finding, title, edit=edit)
        for finding in {each.rule: each for each in found if each.url}.values():
            title = f"Explain {finding.rule}"
            command = Command(title, self.explain, arguments=[finding.rule, finding.url])
            yield self._quick_fix(finding, title, command=command)

    def _quick_fix(self, finding: Finding, title: str, **what: Any) -> CodeAction:
        shown = [_diagnostic(finding, self._analysis)]
        return CodeAction(title, CodeActionKind.QuickFix, diagnostics=shown, **what)

    def _fix_all(self) -> Iterator[CodeAction]:
        analysis = self._analysis
        fixed = fix(
            partial(analysis.workspace.lint, analysis.target),
            analysis.text.content.encode(),
            analysis.target.name,
            limits=analysis.policy.limits,
        )
        if fixed.fixed and not analysis.problem:  # what is suppressed would be fixed with it
            edits = analysis.text.edits_to(fixed.data.decode())
            yield CodeAction(
                title="Apply all safe fixes", kind=self.fix_all, edit=self._edit(edits)
            )

    def _edit(self, edits: Sequence[TextEdit]) -> WorkspaceEdit:
        return self._edit_of(self._analysis.uri, self._analysis.version, edits)

    def _edit_of(self, uri: str, version: int | None, edits: Sequence[TextEdit]) -> WorkspaceEdit:
        """Return the edits of a version of a file; of the file as it is, for none."""
        if not self._supports("workspace.workspace_edit.document_changes"):
            return WorkspaceEdit(changes={uri: edits})
        named = OptionalVersionedTextDocumentIdentifier(uri, version)
        return WorkspaceEdit(document_changes=[TextDocumentEdit(named, edits)])

    def _suppression(self, finding: Finding) -> WorkspaceEdit | None:
        """Add an entry to the configuration, or to a new one; None where it cannot be added."""
        path = absolute(self._analysis.target.name)
        source = self._analysis.policy.configuration.source
        if source is not None and source.name == SHARED_FILE:
            table = "tool.manifestkit.suppress"
        else:
            table = "suppress"
        owner = source or path.parent / OWN_FILE
        lines = [
            f"[[{table}]]",
            f"rule = {json.dumps(finding.rule)}",
            f"path = {json.dumps(_pattern(path.relative_to(owner.parent).as_posix()))}",
            f"pointer = {json.dumps(self._pointer(finding))}",
            'reason = "why this is acceptable"',
        ]
        entry = "\n".join(lines) + "\n"
        uri = owner.as_uri()
        if source is None:
            operations = self._supports("workspace.workspace_edit.resource_operations") or ()
            whole = self._edit_of(uri, None, [TextEdit(_START, entry)])
            if ResourceOperationKind.Create not in operations or not whole.document_changes:
                return None
            made = CreateFile(uri, options=CreateFileOptions(ignore_if_exists=True))
            return WorkspaceEdit(document_changes=[made, *whole.document_changes])
        text = Text(owner.read_bytes().decode(), self._analysis.text.encoding)
        end = len(text.content)
        gap = "" if not end else "\n" if text.content.endswith("\n") else "\n\n"
        added = (gap + entry).replace("\n", first_break(text.content))
        try:
            parse_toml(text.content + added)
        except ValueError:  # its entries are in one value, which has no place for another table
            return None
        return self._edit_of(uri, None, text.edits([Edit(end, end, added)]))

    def _pointer(self, finding: Finding) -> str:
        """Return a pointer with the names of items, so that it survives reordering."""
        manifest = Manifest(self._analysis.manifest.document, self._analysis.schema)
        return stable_pointer(manifest, parse_pointer(finding.pointer))


def _pattern(path: str) -> str:
    return "/" + re.sub(r"([\\*?\[])", r"\\\1", path)


def _is_wanted(kind: str, only: Sequence[str] | None) -> bool:
    return only is None or any(not each or f"{kind}.".startswith(f"{each}.") for each in only)
