"""The editor server: what it knows of its client, and what it sends unasked."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import version
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidRequest,
    JsonRpcServerNotInitialized,
)
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, json_rpc, lsp_method
from pygls.protocol.json_rpc import JsonRPCRequestMessage

from manifestkit.lsp import findings
from manifestkit.lsp.documents import Analysis, Documents, Opened, target_of
from manifestkit.lsp.stdio import MessageInput
from manifestkit.lsp.workspace import WorkspaceReports

_THREADS = 6
_SLOW, _LONGEST_WAIT = 0.1, 0.3
REFUSED = "manifestkit/refused"
"""The method of requests whose parameters are none."""
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
            return JsonRPCRequestMessage(data["id"], REFUSED, self.VERSION, data["method"])

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
        here: Any = self.client_capabilities
        for name in path.split("."):
            here = getattr(here, name, None)
        return here

    async def in_thread(self, call: Callable[..., T], *arguments: Any) -> T:
        """Run a call that may take long, and return its result."""
        return await asyncio.get_running_loop().run_in_executor(
            self.thread_pool, partial(call, *arguments)
        )

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

        def reports() -> list[lsp.WorkspaceDocumentDiagnosticReport]:
            return list(self._manifests.reports(folders, opened, known))

        made = await self.in_thread(reports)
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

    def judge_again(self) -> None:
        """Lint again what is open: the configuration may have changed."""
        for opened in self.documents.opened.values():
            self.publish_soon(opened)
        if self.pulls and self.supports("workspace.diagnostics.refresh_support"):
            self.workspace_diagnostic_refresh(None)
