"""The editor server: its answers, request by request, and what it sends unasked."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.metadata import version
from typing import Any, BinaryIO, TypeVar, cast

from lsprotocol import types as lsp
from pygls.capabilities import get_capability
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcServerNotInitialized,
)
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, json_rpc, lsp_method
from pygls.protocol.json_rpc import JsonRPCRequestMessage

from manifestkit.engine import lint_text
from manifestkit.lsp import findings
from manifestkit.lsp.completion import complete
from manifestkit.lsp.documents import Analysis, Documents, Opened, target_of
from manifestkit.lsp.hover import hover
from manifestkit.lsp.stdio import MessageInput, MessageOutput
from manifestkit.lsp.tolerant import cursor_at
from manifestkit.lsp.workspace import WorkspaceReports
from manifestkit.model.errors import EditRefusedError
from manifestkit.rules.catalogue import find_rule

_THREADS = 6
_SLOW, _LONGEST_WAIT = 0.1, 0.3
_LONGEST_HELD = 30.0
_REFUSED = "manifestkit/refused"
"""The method of requests whose parameters are none."""

_SETTINGS = ("**/manifestkit.toml", "**/pyproject.toml", "**/*.json", "**/*.yaml", "**/*.yml")
_WATCHING = "manifestkit-files"
T = TypeVar("T")

_log = logging.getLogger(__name__)


def _is_unexpected(record: logging.LogRecord) -> bool:
    """Return whether a record of pygls's log is more than the answer to a refused request."""
    return not (record.exc_info and isinstance(record.exc_info[1], JsonRpcException))


class _Protocol(LanguageServerProtocol):
    """Hands what is opened, changed and closed to our own documents, and answers all requests.

    The documents of pygls end lines where the protocol does not, at U+2028 for one.
    """

    _server: Server

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return a message by its type; a request that is of none is answered too."""
        if "jsonrpc" in data and "method" in data:
            data.setdefault("params", None)  # which JSON-RPC lets a client leave out
        try:
            return super().structure_message(data)
        except JsonRpcException:
            if "method" not in data or not isinstance(data.get("id"), int | str):
                raise
            return JsonRPCRequestMessage(data["id"], _REFUSED, self.VERSION, data["method"])

    def handle_message(self, message: Any) -> None:
        """Handle a message in a session; outside of it, requests are refused, the rest dropped."""
        method = getattr(message, "method", None)
        refusal = None if method in {None, lsp.EXIT} else self._server.refusal(method)
        if refusal is None:
            super().handle_message(message)
        elif hasattr(message, "id") and self.writer is not None:
            error = {"code": refusal.code, "message": refusal.message}
            body = json.dumps({"jsonrpc": self.VERSION, "id": message.id, "error": error}).encode()
            self.writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

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
        self._server.changed.set()
        if self._server.documents.opened.pop(uri, None) and not self._server.pulls:
            self._server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


class Server(LanguageServer):
    """The editor server.

    Attributes:
        documents: what is open.
        pulls: whether the client asks for diagnostics; they are sent to it if not.
        input: where its messages come from.
        changed: set when there may be something else to say than before.
        is_started: whether the client has come.
        is_stopping: whether the client has said that it will go.
        was_left: whether it went without.
    """

    def __init__(self) -> None:
        super().__init__(
            "manifestkit",
            version("manifestkit"),
            protocol_cls=_Protocol,
            max_workers=_THREADS,
        )
        logging.getLogger(json_rpc.__name__).addFilter(_is_unexpected)
        self.documents = Documents(lambda: self.thread_pool)
        self.pulls = False
        self.input: MessageInput | None = None
        self.is_started = False
        self.is_stopping = False
        self.was_left = False
        self.changed = asyncio.Event()
        self._manifests = WorkspaceReports(self.documents)
        self._told: set[str] = set()

    def report_server_error(self, error: Exception, source: type[Any]) -> None:
        """Tell the log what went wrong; who asked for something has been answered."""
        del source
        _log.warning("error: %s", error)

    def refusal(self, method: str) -> JsonRpcException | None:
        """Return why a message of the client comes at a wrong time, if it does."""
        if self.is_stopping:
            return JsonRpcInvalidRequest("the server is shut down")
        if method == lsp.INITIALIZE and self.is_started:
            return JsonRpcInvalidRequest("the server is initialized already")
        if method != lsp.INITIALIZE and not self.is_started:
            return JsonRpcServerNotInitialized("the server is not initialized")
        return None

    def supports(self, path: str) -> Any:
        """Return a capability of the client, by its names; None where it does not say."""
        return get_capability(self.client_capabilities, path)

    async def in_thread(self, call: Callable[..., T], *arguments: Any) -> T:
        """Run a call that may take long, and return its result."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.thread_pool, call, *arguments)

    def publish_soon(self, opened: Opened) -> None:
        """Send the diagnostics of a document, if they are to be sent; once for several changes."""
        self.changed.set()
        if not self.pulls and opened.publishing is None:
            opened.publishing = asyncio.ensure_future(self._publish(opened))

            def published(_: object) -> None:
                opened.publishing = None

            opened.publishing.add_done_callback(published)

    async def _publish(self, opened: Opened) -> None:
        is_newest = is_burst = False
        while not is_newest and self.documents.opened.get(opened.uri) is opened:
            await self._until_quiet(opened, is_burst=is_burst)
            analysis = await self.documents.analysed_once(opened)
            self.tell_problems(analysis)
            is_newest = analysis.text is opened.text
            is_burst = not is_newest
            if self.documents.opened.get(opened.uri) is opened:
                found = findings.diagnostics(analysis)
                self.text_document_publish_diagnostics(
                    lsp.PublishDiagnosticsParams(opened.uri, found, analysis.version)
                )

    async def _until_quiet(self, opened: Opened, *, is_burst: bool) -> None:
        """Wait for more changes if an analysis takes long, or if they come quickly."""
        spent = opened.last.spent if opened.last else 0.0
        wait = min(spent, _LONGEST_WAIT) if is_burst or spent > _SLOW else 0.0
        latest = time.monotonic() + 3 * _LONGEST_WAIT
        while (rest := min(wait - opened.age, latest - time.monotonic())) > 0:  # noqa: ASYNC110 - no event tells of quiet
            await asyncio.sleep(rest)

    async def workspace_reports(
        self, known: Mapping[str, str]
    ) -> list[lsp.WorkspaceDocumentDiagnosticReport]:
        """Report each manifest in the folders of the workspace.

        Args:
            known: of each file, by its URI, the report that the client has.
        """
        named = [self.workspace.root_uri, *self.workspace.folders]
        found = (target_of(uri) for uri in dict.fromkeys(named) if uri)
        folders = [each.path for each in found if each]
        opened = {
            each.target.name: await self.documents.analysed(each)
            for each in list(self.documents.opened.values())
        }
        made = await self.in_thread(self._manifests.reports, folders, opened, known)
        for problem in self._manifests.problems:
            self._tell(problem)
        return made

    def tell_problems(self, analysis: Analysis) -> None:
        """Show what keeps a document from being judged as is configured, once."""
        if analysis.crash is not None:
            self._tell(f"this is a bug in manifestkit: {analysis.crash}", analysis.crash.details)
        elif analysis.problem is not None:
            self._tell(analysis.problem)
        elif self._told:
            self._told.clear()

    def _tell(self, text: str, details: str = "") -> None:
        if text not in self._told:
            self._told.add(text)
            _log.warning("%s", details or text)
            self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Error, text))

    def follow(self, uris: list[str]) -> None:
        """Lint again what is open, if one of the files that changed may be a configuration."""
        self.changed.set()
        workspaces = self.documents.workspaces
        targets = (target_of(each) for each in uris)
        if not any(target and workspaces.reads(target.name) for target in targets):
            return
        workspaces.renew()
        for opened in self.documents.opened.values():
            self.publish_soon(opened)
        if self.pulls and self.supports("workspace.diagnostics.refresh_support"):
            self.workspace_diagnostic_refresh(None)


def _initialize(ls: Server, params: lsp.InitializeParams) -> None:
    if ls.input is not None:
        ls.input.watch(params.process_id)
    ls.is_started = True
    ls.pulls = ls.supports("text_document.diagnostic") is not None
    ls.documents.encoding = lsp.PositionEncodingKind(ls.workspace.position_encoding)


async def _initialized(ls: Server, _: lsp.InitializedParams) -> None:
    if ls.supports("workspace.did_change_watched_files.dynamic_registration"):
        watchers = [lsp.FileSystemWatcher(pattern) for pattern in _SETTINGS]
        options = lsp.DidChangeWatchedFilesRegistrationOptions(watchers)
        method = lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES
        registration = lsp.Registration(_WATCHING, method, options)
        ls.client_register_capability(lsp.RegistrationParams([registration]))
    ls.thread_pool.submit(_warm_up)


def _warm_up() -> None:
    """Import what the first finding needs, and keep it from garbage collection."""
    lint_text("{}", "manifest.json")
    lint_text("a: 1", "manifest.yaml")
    gc.freeze()


def _refused(_: Server, method: str) -> None:
    raise JsonRpcInvalidParams(f"{method} does not take these parameters")


def _shutdown(ls: Server, _: None) -> None:
    ls.is_stopping = True


def _exit(ls: Server, _: None) -> None:
    ls.was_left = not ls.is_stopping


def _files_changed(ls: Server, params: lsp.DidChangeWatchedFilesParams) -> None:
    ls.follow([each.uri for each in params.changes])


def _saved(ls: Server, params: lsp.DidSaveTextDocumentParams) -> None:
    ls.follow([params.text_document.uri])


async def _diagnostic(
    ls: Server, params: lsp.DocumentDiagnosticParams
) -> lsp.RelatedFullDocumentDiagnosticReport | lsp.RelatedUnchangedDocumentDiagnosticReport:
    opened = ls.documents.opened.get(params.text_document.uri)
    if opened is None:
        return lsp.RelatedFullDocumentDiagnosticReport([])
    analysis = await ls.documents.analysed(opened)
    ls.tell_problems(analysis)
    result = str(analysis.serial)
    if params.previous_result_id == result:
        return lsp.RelatedUnchangedDocumentDiagnosticReport(result)
    found = findings.diagnostics(analysis)
    return lsp.RelatedFullDocumentDiagnosticReport(found, result_id=result)


async def _workspace_diagnostic(
    ls: Server, params: lsp.WorkspaceDiagnosticParams
) -> lsp.WorkspaceDiagnosticReport:
    """Report all manifests; where the client knows them all, wait for a change."""
    known = {each.uri: each.value for each in params.previous_result_ids}
    for is_last in (False, True):
        ls.changed.clear()
        items = await ls.workspace_reports(known)
        if is_last or any(
            isinstance(each, lsp.WorkspaceFullDocumentDiagnosticReport) for each in items
        ):
            break
        with suppress(TimeoutError):
            await asyncio.wait_for(ls.changed.wait(), _LONGEST_HELD)
    return lsp.WorkspaceDiagnosticReport(items)


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
    if analysis is None:
        return None
    try:
        return await ls.in_thread(findings.formatting, analysis)
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
    known = opened.last or await ls.documents.analysed_once(opened)
    if known.decoded is None:
        return None
    syntax = known.decoded.document.syntax
    snippets = ls.supports("text_document.completion.completion_item.snippet_support")

    def items() -> list[lsp.CompletionItem]:
        cursor = cursor_at(text.content, text.offset(params.position), syntax)
        if cursor is None:
            return []
        schemas = (known.schema, *known.policy.profiles)
        return complete(cursor, schemas, text, syntax, snippets=bool(snippets))

    return await ls.in_thread(items)


async def _hover(ls: Server, params: lsp.HoverParams) -> lsp.Hover | None:
    analysis = await ls.documents.analysis(params.text_document.uri)
    return await ls.in_thread(hover, analysis, params.position) if analysis else None


async def _code_actions(ls: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
    analysis = await ls.documents.analysis(params.text_document.uri)
    if analysis is None:
        return None
    actions = findings.Actions(analysis, ls.supports)
    return await ls.in_thread(actions.of, params.range, params.context.only)


_FEATURES: dict[str, Callable[..., Any]] = {
    lsp.INITIALIZE: _initialize,
    lsp.INITIALIZED: _initialized,
    lsp.SHUTDOWN: _shutdown,
    _REFUSED: _refused,
    lsp.EXIT: _exit,
    lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES: _files_changed,
    lsp.TEXT_DOCUMENT_DID_SAVE: _saved,
    lsp.TEXT_DOCUMENT_DIAGNOSTIC: _diagnostic,
    lsp.WORKSPACE_DIAGNOSTIC: _workspace_diagnostic,
    lsp.TEXT_DOCUMENT_FORMATTING: _formatting,
    lsp.TEXT_DOCUMENT_COMPLETION: _completion,
    lsp.TEXT_DOCUMENT_HOVER: _hover,
    lsp.TEXT_DOCUMENT_CODE_ACTION: _code_actions,
}
_OPTIONS = {
    lsp.TEXT_DOCUMENT_DIAGNOSTIC: lsp.DiagnosticOptions(
        inter_file_dependencies=False, workspace_diagnostics=True
    ),
    lsp.TEXT_DOCUMENT_CODE_ACTION: lsp.CodeActionOptions(
        [lsp.CodeActionKind.QuickFix, findings.FIX_ALL]
    ),
    lsp.TEXT_DOCUMENT_COMPLETION: lsp.CompletionOptions(trigger_characters=['"', ":", " "]),
}


def serve(stdin: BinaryIO, stdout: BinaryIO) -> bool:
    """Answer a client until it goes, or its messages end; whether it went in the right way."""
    server = Server()
    for method, handler in _FEATURES.items():
        server.feature(method, _OPTIONS.get(method))(handler)
    server.command(findings.EXPLAIN)(_explain)
    output = MessageOutput(stdout)
    server.input = MessageInput(stdin)
    server.start_io(cast(BinaryIO, server.input), cast(BinaryIO, output))
    output.close()
    return not server.was_left
