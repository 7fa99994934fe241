"""The manifests in the folders of the workspace, open or not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path

from lsprotocol.types import (
    WorkspaceDocumentDiagnosticReport,
    WorkspaceFullDocumentDiagnosticReport,
    WorkspaceUnchangedDocumentDiagnosticReport,
)

from manifestkit.engine import Search, Target, Workspace
from manifestkit.lsp.documents import Analysis, Documents, Stamp, stamp_of
from manifestkit.lsp.findings import diagnostics
from manifestkit.lsp.text import Text
from manifestkit.model.errors import UnreadableFileError

_MOST_FILES = 10_000


class WorkspaceReports:
    """Judges files again only where they, or what judges them, are others than before.

    Attributes:
        problems: why some were not judged as is configured, when all were judged last.
    """

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self.problems: set[str] = set()
        self._seen: dict[str, tuple[Stamp, Workspace, str | None, str]] = {}

    def reports(
        self, folders: Iterable[Path], opened: Mapping[str, Analysis], known: Mapping[str, str]
    ) -> list[WorkspaceDocumentDiagnosticReport]:
        """Return the report of each manifest in some folders.

        Args:
            folders: the folders.
            opened: the analyses of the documents that are open, by their files.
            known: of each file, by its URI, the report that the client has.
        """
        self.problems.clear()
        made: list[WorkspaceDocumentDiagnosticReport] = []
        for folder in folders:
            for target in self._found(folder):
                uri = target.path.as_uri()
                if analysis := opened.get(target.name):
                    made.append(_report(analysis, known.get(analysis.uri)))
                elif report := self._of_file(uri, target, known.get(uri)):
                    made.append(report)
        gone = known.keys() - {each.uri for each in made}
        return made + [WorkspaceFullDocumentDiagnosticReport(uri=uri, items=[]) for uri in gone]

    def _found(self, folder: Path) -> Iterator[Target]:
        @cache
        def run_of(name: str) -> Workspace:
            return self._documents.workspaces.of(name)[0]

        found = Search(
            [folder],
            lambda target: run_of(target.folder).excluded(target),
            lambda name: run_of(name).finder(name),
        )
        return islice(found, _MOST_FILES)

    def _of_file(
        self, uri: str, target: Target, known: str | None
    ) -> WorkspaceDocumentDiagnosticReport | None:
        """Report a file; None where it cannot be read, or is gone by now."""
        workspace, problem = self._documents.workspaces.of(target.folder)
        if problem is not None:
            self.problems.add(problem)
        stamp = stamp_of(target.name)
        seen = self._seen.get(target.name)
        if seen is not None and seen == (stamp, workspace, problem, known):
            return WorkspaceUnchangedDocumentDiagnosticReport(uri=uri, result_id=known or "")
        try:
            data = workspace.read(target)
        except UnreadableFileError:
            return None
        text = Text(data.decode(errors="replace"), self._documents.encoding)
        analysis = self._documents.analyse(uri, target, None, text, data=data)
        self._seen[target.name] = stamp, workspace, problem, str(analysis.serial)
        return _report(analysis, known)


def _report(analysis: Analysis, known: str | None) -> WorkspaceDocumentDiagnosticReport:
    uri, result = analysis.uri, str(analysis.serial)
    if result == known:
        return WorkspaceUnchangedDocumentDiagnosticReport(
            uri=uri, result_id=result, version=analysis.version
        )
    found = diagnostics(analysis)
    return WorkspaceFullDocumentDiagnosticReport(
        uri=uri, items=found, version=analysis.version, result_id=result
    )
