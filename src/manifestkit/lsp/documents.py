"""Open documents, linted by the configuration of their folders."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lsprotocol.types import (
    DidChangeTextDocumentParams,
    PositionEncodingKind,
    TextDocumentContentChangePartial,
)
from pygls.uris import to_fs_path, urlparse

from manifestkit.config.configuration import OWN_FILE, SHARED_FILE
from manifestkit.config.policy import Policy
from manifestkit.decode import Decoded
from manifestkit.engine.discovery import Target
from manifestkit.engine.options import Options
from manifestkit.engine.workspace import Workspace
from manifestkit.lsp.text import Text
from manifestkit.model.errors import CrashContext, CrashedFileError, ManifestkitError
from manifestkit.model.finding import Finding
from manifestkit.model.location import Span
from manifestkit.model.report import FileResult
from manifestkit.schema.model import Schema

_SCHEMES = frozenset({"file", "untitled"})
_MOST_ROUNDS = 5
_Stamp = tuple[int, int] | None


class Analysis(NamedTuple):
    """The findings and the value of one version of a document.

    Attributes:
        uri: what the client calls the document.
        text: the version's text.
        version: its number.
        target: the file.
        workspace: what judged it.
        decoded: what reading it gave; None for a file that is no manifest.
        result: what there is to say.
        problem: why something else than what is configured holds, if so.
        details: of a bug in this library, the traceback.
    """

    uri: str
    text: Text
    version: int | None
    target: Target
    workspace: Workspace
    decoded: Decoded | None
    result: FileResult
    problem: str | None = None
    details: str = ""

    @property
    def policy(self) -> Policy:
        """The policy for the file."""
        return self.workspace.policy(self.target.folder)

    @property
    def manifest(self) -> Decoded:
        """The manifest as it was read; only a file that is one is asked for it."""
        assert self.decoded is not None  # noqa: S101 - see `Documents.analysis`
        return self.decoded

    @property
    def schema(self) -> Schema:
        """The schema for the file."""
        return self.policy.requirements(self.manifest.document).schema

    def findings_at(self, span: Span) -> Iterator[Finding]:
        """Yield the findings about a stretch of the text, its edges included."""
        for finding in self.result.findings:
            start, end = finding.location.span
            if start <= span.end and span.start <= end:
                yield finding


class _Generation(NamedTuple):
    """The configurations as they were read, until one changes.

    Attributes:
        workspace: judges by it.
        seen: of each folder, the state of each file that its configuration depends on.
        problems: the folders whose configuration cannot be used, and why.
    """

    workspace: Workspace
    seen: dict[str, dict[str, _Stamp]]
    problems: dict[str, str]


class _Workspaces:
    """Holds a workspace for each folder, and follows the files that it depends on."""

    def __init__(self) -> None:
        self._renew()
        self._isolated = Workspace(Options(isolated=True))

    def _renew(self) -> None:
        self._now = _Generation(Workspace(), {}, {})

    def of(self, folder: str) -> tuple[Workspace, str | None]:
        """Return the workspace of a folder, and why it is not the configured one, if so.

        Where a configuration cannot be used, the built-in one is.
        """
        if self._has_changed():
            self._renew()
        now = self._now
        if folder not in now.seen:
            around = (Path(folder), *Path(folder).parents)
            own = [str(each / name) for each in around for name in (OWN_FILE, SHARED_FILE)]
            before = {each: _stamp_of(each) for each in own}
            try:
                if not now.workspace.leaves_out(folder):
                    now.workspace.finder(folder)
                    now.workspace.policy(folder)
            except ManifestkitError as error:
                now.problems[folder] = _until_corrected(
                    str(error), "the built-in configuration is used"
                )
            now.seen[folder] = {
                each: _stamp_of(each) for each in map(str, now.workspace.inputs())
            } | before
        problem = now.problems.get(folder)
        return (self._isolated if problem else now.workspace), problem

    def follow(self) -> bool:
        """Read all configurations anew if a file that they depend on has changed; whether so."""
        is_stale = bool(self._now.problems) or self._has_changed()
        if is_stale:
            self._renew()
        return is_stale

    def _has_changed(self) -> bool:
        seen = [*self._now.seen.values()]  # other threads add to it
        stamps = (each for files in seen for each in files.items())
        return any(_stamp_of(file) != stamp for file, stamp in stamps)


def _until_corrected(problem: str, instead: str) -> str:
    return f"{problem}; {instead} until it is corrected"


def _stamp_of(file: str) -> _Stamp:
    """Return a value that changes with a file; None where there is none."""
    try:
        status = os.stat(file)  # noqa: PTH116 - asked often
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


def _target_of(uri: str) -> Target | None:
    """Return the file of a document; None for what is no file, such as a version in a history."""
    try:
        scheme, _, path, *_ = urlparse(uri)
        path = to_fs_path(uri) or path
    except ValueError:
        return None
    if scheme not in _SCHEMES:
        return None
    return Target(Path(path).as_posix(), found=True) if os.path.isabs(path) else None  # noqa: PTH117


@dataclass(eq=False)
class Opened:
    """A document that is open.

    Attributes:
        uri: what the client calls it.
        target: its file.
        version: the number of the version that is open.
        text: the text of that version.
        last: the newest analysis there is, of this version or one before.
        running: the analysis that is made now, or was made last.
        publishing: sends its diagnostics, or has sent them.
    """

    uri: str
    target: Target
    version: int | None
    text: Text
    last: Analysis | None = None
    running: asyncio.Future[Analysis] | None = None
    publishing: asyncio.Future[None] | None = None


class Documents:
    """All that is open; only the judging is done in other threads."""

    def __init__(self) -> None:
        self.workspaces = _Workspaces()
        self.opened: dict[str, Opened] = {}
        self.encoding = PositionEncodingKind.Utf16

    def open(self, uri: str, version: int | None, content: str) -> Opened | None:
        """Open a document, and return it; None when it is no file."""
        target = _target_of(uri)
        if target is None:
            return None
        self.opened[uri] = Opened(uri, target, version, Text(content, self.encoding))
        return self.opened[uri]

    def change(self, opened: Opened, params: DidChangeTextDocumentParams) -> None:
        """Change an open document; its version is the client's affair."""
        text = opened.text
        for change in params.content_changes:
            if isinstance(change, TextDocumentContentChangePartial):
                text = text.edited(change.range, change.text)
            else:
                text = Text(change.text, self.encoding)
        opened.version, opened.text = params.text_document.version, text

    async def analysis(self, uri: str) -> Analysis | None:
        """Return the analysis of a document as it is now; None if it is no manifest.

        Whoever asks while it changes waits for the same analysis; of one that changes all the
        time, it is of a version not long gone.
        """
        opened = self.opened.get(uri)
        if opened is None:
            return None
        found = await self.analysed(opened)
        return found if found.decoded is not None else None

    async def analysed(self, opened: Opened) -> Analysis:
        """Return the analysis of an open document as it is now, whatever it is."""
        for _ in range(_MOST_ROUNDS):
            if opened.running is None or opened.running.done():
                asked = (opened.uri, opened.target, opened.version, opened.text, opened.last)
                opened.running = asyncio.ensure_future(asyncio.to_thread(self._analyse, *asked))
            opened.last = found = await asyncio.shield(opened.running)
            if found.text is opened.text:
                break
        return found

    def _analyse(
        self,
        uri: str,
        target: Target,
        version: int | None,
        text: Text,
        last: Analysis | None,
    ) -> Analysis:
        """Analyse a text, if that is not done yet."""
        workspace, problem = self.workspaces.of(target.folder)
        judged_by = (text, workspace, problem)
        if last is not None and (last.text, last.workspace, last.problem) == judged_by:
            return last
        nothing = FileResult(target.name)
        found = Analysis(uri, text, version, target, workspace, None, nothing, problem)
        try:
            with CrashContext(target.name):
                if not workspace.excluded(target) and workspace.finder(target.folder)(
                    Path(target.name).name
                ):
                    content = text.content.encode()
                    decoded = workspace.decode(content, target.name, target.folder)
                    result = workspace.lint(target, decoded)
                    found = found._replace(
                        decoded=None if result.skipped else decoded, result=result
                    )
        except CrashedFileError as crash:
            found = found._replace(problem=str(crash), details=crash.details)
        except ManifestkitError as error:  # a schema that can be read, and not be judged by
            unchecked = _until_corrected(str(error), f"{target.name} is not checked")
            found = found._replace(problem=unchecked)
        return found
