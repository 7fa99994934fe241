"""The editor server: its answers, request by request, and what it sends unasked.

Its client may be slow, lie or die: it is read from and written to by classes that bear that.
"""

from __future__ import annotations

import asyncio
import io
import logging
import os
import select
from collections.abc import Callable, Generator
from contextlib import suppress
from importlib.metadata import version
from queue import SimpleQueue
from threading import Thread
from typing import Any, BinaryIO, cast

from lsprotocol import types as lsp
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcException, JsonRpcInvalidRequest
from pygls.lsp.server import LanguageServer
from pygls.protocol import JsonRPCRequestMessage, LanguageServerProtocol, lsp_method

from manifestkit.authoring.convert import format_manifest
from manifestkit.engine.lint import lint_text
from manifestkit.lsp import findings
from manifestkit.lsp.completion import complete, hover
from manifestkit.lsp.documents import Analysis, Documents, Opened
from manifestkit.model.errors import EditRefusedError
from manifestkit.rules.catalogue import find_rule

_SETTINGS = ("**/manifestkit.toml", "**/pyproject.toml", "**/*.json", "**/*.yaml", "**/*.yml")
_WATCHING = "manifestkit-files"
_SECONDS_TO_END = 5.0
_SECONDS_TO_LIVE = 2.0
_IS_POSIX = os.name == "posix"
_REFUSE = "manifestkit/refuse"
_LAST = 2**31 - 1  # the largest number that the protocol has

_log = logging.getLogger(__name__)


class _Protocol(LanguageServerProtocol):
    """Hands what is opened, changed and closed to our own documents, and answers every request.

    The documents of pygls end lines where the protocol does not, at U+2028 for one. It leaves
    without an answer what it cannot read, or what comes after the last request.
    """

    _server: Server

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Read a message, or an object in one: any place, and no diagnostics of other tools."""
        is_request = data.keys() >= {"jsonrpc", "id", "method"}
        for name in data.keys() & {"line", "character", "diagnostics"}:
            if isinstance(data[name], int):
                data[name] = min(max(data[name], 0), _LAST)
            elif isinstance(data[name], list):
                data[name] = []
        try:
            if is_request and self._server.is_stopping:
                raise JsonRpcInvalidRequest
            return super().structure_message(data)
        except JsonRpcException as error:
            if is_request:
                return JsonRPCRequestMessage(data["id"], _REFUSE, self.VERSION, error)
            if data.get("method") != lsp.TEXT_DOCUMENT_DID_CHANGE:
                raise
            self._server.tell("a change cannot be read; close and open the file to have it checked")
            return super().structure_message({**data, "method": lsp.TEXT_DOCUMENT_DID_CLOSE})

    @lsp_method(_REFUSE)
    def refuse(self, error: JsonRpcException) -> None:
        """Answer a request with an error."""
        raise error

    @lsp_method(lsp.SHUTDOWN)
    def lsp_shutdown(self, *_: Any) -> Generator[Any, Any, None]:
        """Begin to refuse requests; those before are answered."""
        self._server.is_stopping = True
        yield from ()

    @lsp_method(lsp.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: lsp.DidOpenTextDocumentParams) -> None:
        """Open a document."""
        item = params.text_document
        opened = self._server.documents.open(item.uri, item.version, item.text)
        if opened is not None:
            self._server.publish_soon(opened)

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: lsp.DidChangeTextDocumentParams) -> None:
        """Change an open document."""
        opened = self._server.documents.opened.get(params.text_document.uri)
        if opened is not None:
            self._server.documents.change(opened, params)
            self._server.publish_soon(opened)

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: lsp.DidCloseTextDocumentParams) -> None:
        """Close a document."""
        uri = params.text_document.uri
        if self._server.documents.opened.pop(uri, None) and not self._server.pulls:
            self._server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


class Server(LanguageServer):
    """The editor server.

    Attributes:
        documents: what is open.
        input: where its messages come from.
        is_stopping: whether the client has said that it will go.
        was_left: whether it went without.
    """

    def __init__(self) -> None:
        super().__init__(
            "manifestkit",
            version("manifestkit"),
            protocol_cls=_Protocol,
        )
        self.documents = Documents()
        self.input: _WatchedInput | None = None
        self.is_stopping = False
        self.was_left = False
        self._told: set[str] = set()

    @property
    def pulls(self) -> bool:
        """Return whether the client asks for diagnostics; they are sent to it if not."""
        return self.supports("text_document.diagnostic") is not None

    def report_server_error(self, error: Exception, source: type[Any]) -> None:
        """Tell the log what went wrong; the protocol answers who asked for something."""
        del source
        _log.warning("error: %s", error)

    def supports(self, path: str) -> Any:
        """Return a capability of the client, by its names; None where it does not say."""
        return get_capability(self.client_capabilities, path)

    def publish_soon(self, opened: Opened) -> None:
        """Send the diagnostics of a document, if they are to be sent; once for several changes."""
        if not self.pulls and (opened.publishing is None or opened.publishing.done()):
            opened.publishing = asyncio.ensure_future(self._publish(opened))

    async def _publish(self, opened: Opened) -> None:
        is_newest = False
        while not is_newest and self.documents.opened.get(opened.uri) is opened:
            analysis = await self.documents.analysed(opened)
            self.tell_problems(analysis)
            is_newest = analysis.text is opened.text
            if self.documents.opened.get(opened.uri) is opened:
                found = findings.diagnostics(analysis)
                self.text_document_publish_diagnostics(
                    lsp.PublishDiagnosticsParams(opened.uri, found, analysis.version)
                )

    def tell_problems(self, analysis: Analysis) -> None:
        """Show what keeps a document from being judged as is configured, once."""
        problem = analysis.problem
        if problem is None:
            self._told.clear()
        else:
            self.tell(problem, analysis.details)

    def tell(self, problem: str, details: str = "") -> None:
        """Show a problem, once until there is none."""
        if problem not in self._told:
            self._told.add(problem)
            _log.warning("%s", details or problem)
            self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Error, problem))

    def follow(self) -> None:
        """Lint again what is open, if a configuration has changed, or what one depends on."""
        if not self.documents.workspaces.follow():
            return
        for opened in self.documents.opened.values():
            self.publish_soon(opened)
        if self.pulls and self.supports("workspace.diagnostics.refresh_support"):
            self.workspace_diagnostic_refresh(None)


def _initialize(ls: Server, params: lsp.InitializeParams) -> None:
    if ls.input is not None:
        ls.input.watch(params.process_id)
    ls.documents.encoding = lsp.PositionEncodingKind(ls.workspace.position_encoding)


async def _initialized(ls: Server, _: lsp.InitializedParams) -> None:
    if ls.supports("workspace.did_change_watched_files.dynamic_registration"):
        watchers = [lsp.FileSystemWatcher(pattern) for pattern in _SETTINGS]
        options = lsp.DidChangeWatchedFilesRegistrationOptions(watchers)
        method = lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES
        registration = lsp.Registration(_WATCHING, method, options)
        ls.client_register_capability(lsp.RegistrationParams([registration]))
    await asyncio.to_thread(_warm_up)


def _warm_up() -> None:
    """Import what the first finding needs."""
    lint_text("{}", "manifest.json")
    lint_text("a: 1", "manifest.yaml")


def _exit(ls: Server, _: None) -> None:
    ls.was_left = not ls.is_stopping


def _follow(ls: Server, _: object) -> None:
    ls.follow()


async def _diagnostic(
    ls: Server, params: lsp.DocumentDiagnosticParams
) -> lsp.RelatedFullDocumentDiagnosticReport:
    opened = ls.documents.opened.get(params.text_document.uri)
    if opened is None:
        return lsp.RelatedFullDocumentDiagnosticReport([])
    analysis = await ls.documents.analysed(opened)
    ls.tell_problems(analysis)
    return lsp.RelatedFullDocumentDiagnosticReport(findings.diagnostics(analysis))


def _explain(ls: Server, rule: str, page: str) -> None:
    """Show the page of a rule; its sentences where the client shows no pages."""
    if ls.supports("window.show_document.support"):
        ls.window_show_document(lsp.ShowDocumentParams(page, external=True))
        return
    found = find_rule(rule)
    said = f"{found.title}: {found.description} {page}" if found else page
    ls.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, said))


async def _formatting(
    ls: Server, params: lsp.DocumentFormattingParams
) -> list[lsp.TextEdit] | None:
    analysis = await ls.documents.analysis(params.text_document.uri)
    if analysis is None or analysis.problem:
        return None

    def edits() -> list[lsp.TextEdit]:
        after = format_manifest(analysis.workspace, analysis.target, analysis.manifest)
        return analysis.text.edits_to(after)

    try:
        return await asyncio.to_thread(edits)
    except EditRefusedError as problem:
        said = f"{analysis.target.name} cannot be formatted: {problem}"
        if analysis.manifest.readable:
            ls.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Warning, said))
        else:  # the diagnostics show why, and on each save a message would be too much
            ls.window_log_message(lsp.LogMessageParams(lsp.MessageType.Warning, said))
        return None


async def _completion(ls: Server, params: lsp.CompletionParams) -> list[lsp.CompletionItem] | None:
    opened = ls.documents.opened.get(params.text_document.uri)
    if opened is None:
        return None
    text = opened.text
    known = opened.last or await ls.documents.analysed(opened)
    if known.decoded is None:
        return None
    syntax = known.decoded.document.syntax

    def items() -> list[lsp.CompletionItem]:
        schemas = (known.schema, *known.policy.profiles)
        offset = text.offset(params.position)
        return complete(text, offset, schemas, syntax)

    return await asyncio.to_thread(items)


async def _hover(ls: Server, params: lsp.HoverParams) -> lsp.Hover | None:
    analysis = await ls.documents.analysis(params.text_document.uri)
    return await asyncio.to_thread(hover, analysis, params.position) if analysis else None


async def _code_actions(ls: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
    analysis = await ls.documents.analysis(params.text_document.uri)
    if analysis is None:
        return None
    actions = findings.Actions(analysis, ls.supports)
    return await asyncio.to_thread(actions.of, params.range, params.context.only)


_FEATURES: dict[str, Callable[..., Any]] = {
    lsp.INITIALIZE: _initialize,
    lsp.INITIALIZED: _initialized,
    lsp.EXIT: _exit,
    lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES: _follow,
    lsp.TEXT_DOCUMENT_DID_SAVE: _follow,
    lsp.TEXT_DOCUMENT_DIAGNOSTIC: _diagnostic,
    lsp.TEXT_DOCUMENT_FORMATTING: _formatting,
    lsp.TEXT_DOCUMENT_COMPLETION: _completion,
    lsp.TEXT_DOCUMENT_HOVER: _hover,
    lsp.TEXT_DOCUMENT_CODE_ACTION: _code_actions,
}
_OPTIONS = {
    lsp.TEXT_DOCUMENT_DIAGNOSTIC: lsp.DiagnosticOptions(
        inter_file_dependencies=False, workspace_diagnostics=False
    ),
    lsp.TEXT_DOCUMENT_CODE_ACTION: lsp.CodeActionOptions(
        [lsp.CodeActionKind.QuickFix, findings.Actions.fix_all]
    ),
    lsp.TEXT_DOCUMENT_COMPLETION: lsp.CompletionOptions(trigger_characters=['"', ":", " "]),
}


def _is_alive(process: int) -> bool:
    """Return whether there is a process of a number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


class _WatchedInput(io.RawIOBase):
    """An input that ends when its client is gone, or reads no more, though it is kept open."""

    client: int | None = None

    def __init__(self, stdin: int, output: _MessageOutput) -> None:
        self._stdin, self._output = stdin, output

    def watch(self, client: int | None) -> None:
        """End when the process of the client is gone; not if it cannot be seen from here."""
        if client is not None and _IS_POSIX and _is_alive(client):
            self.client = client

    def readable(self) -> bool:
        """Return whether it can be read from."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what there is, and wait for it while there is somebody to write it."""
        while _IS_POSIX and not select.select([self._stdin], [], [], _SECONDS_TO_LIVE)[0]:
            if self._output.is_broken or (self.client and not _is_alive(self.client)):
                return 0
        data = os.read(self._stdin, len(buffer))
        buffer[: len(data)] = data
        return len(data)


class _MessageOutput(io.BufferedIOBase):
    """Writes in a thread of its own: a client that does not read keeps no other waiting."""

    def __init__(self, stdout: BinaryIO) -> None:
        self._stdout = stdout
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
        self.is_broken = False
        self._thread = Thread(target=self._write_all, daemon=True)
        self._thread.start()

    def write(self, data: Any) -> int:
        """Write soon, unless nobody reads any more."""
        if not self.is_broken:
            self._queue.put(bytes(data))
        return len(data)

    def close(self) -> None:
        """Write what is left, if somebody reads it."""
        self._queue.put(None)
        self._thread.join(_SECONDS_TO_END)

    def _write_all(self) -> None:
        with suppress(OSError, ValueError):
            while (data := self._queue.get()) is not None:
                self._stdout.write(data)
                self._stdout.flush()
            return
        self.is_broken = True


def serve(stdin: BinaryIO, stdout: BinaryIO) -> bool:
    """Answer a client until it goes, or its messages end; whether it went in the right way."""
    server = Server()
    for method, handler in _FEATURES.items():
        server.feature(method, _OPTIONS.get(method))(handler)
    server.command(findings.Actions.explain)(_explain)
    output = _MessageOutput(stdout)
    server.input = _WatchedInput(stdin.fileno(), output)
    server.start_io(cast(BinaryIO, io.BufferedReader(server.input)), cast(BinaryIO, output))
    output.close()
    return not server.was_left
