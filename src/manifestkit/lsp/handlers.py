"""The answers of the server, request by request, and its beginning and end."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO, cast

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from manifestkit.engine import lint_text
from manifestkit.lsp import findings
from manifestkit.lsp.completion import complete
from manifestkit.lsp.documents import Analysis, target_of
from manifestkit.lsp.hover import hover
from manifestkit.lsp.server import REFUSED, Server
from manifestkit.lsp.stdio import MessageInput, MessageOutput
from manifestkit.lsp.structure import Structure
from manifestkit.lsp.tolerant import cursor_at
from manifestkit.model.errors import EditRefusedError
from manifestkit.rules.catalogue import find_rule

_SETTINGS = ("**/manifestkit.toml", "**/pyproject.toml", "**/*.json", "**/*.yaml", "**/*.yml")
_WATCHING = "manifestkit-files"
_LONGEST_HELD = 30.0
Supports = Callable[[str], Any]


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
    ls.changed.set()
    targets = (target_of(each.uri) for each in params.changes)
    if any(target and ls.documents.workspaces.reads(target.name) for target in targets):
        ls.documents.workspaces.renew()
        ls.judge_again()


def _saved(ls: Server, params: lsp.DidSaveTextDocumentParams) -> None:
    ls.changed.set()
    target = target_of(params.text_document.uri)
    if target and ls.documents.workspaces.reads(target.name):
        ls.documents.workspaces.renew()
        ls.judge_again()


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
        if analysis.decoded and analysis.decoded.readable:
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


def _answer(make: Callable[..., Any]) -> Callable[..., Any]:
    """Answer a request about a manifest in a thread; with nothing where it is about another file.

    Args:
        make: makes the answer of an analysis, the parameters, and a question for the capabilities
            of the client.
    """

    async def answer(ls: Server, params: Any) -> Any:
        analysis = await ls.documents.analysis(params.text_document.uri)
        if analysis is None:
            return None
        try:
            return await ls.in_thread(make, analysis, params, ls.supports)
        except EditRefusedError as problem:
            raise JsonRpcException(str(problem), lsp.LSPErrorCodes.RequestFailed) from None

    return answer


def _code_actions(
    analysis: Analysis, params: lsp.CodeActionParams, supports: Supports
) -> list[lsp.CodeAction]:
    span = analysis.text.span(params.range)
    return findings.Actions(analysis, supports).of(span, params.context.only)


def _rename(
    analysis: Analysis, params: lsp.RenameParams, supports: Supports
) -> lsp.WorkspaceEdit | None:
    edits = Structure(analysis).rename(params.position, params.new_name)
    if edits is None:
        return None
    return findings.workspace_edit(analysis.uri, analysis.version, edits, supports)


_ANSWERS: dict[str, Callable[[Analysis, Any, Supports], Any]] = {
    lsp.TEXT_DOCUMENT_CODE_ACTION: _code_actions,
    lsp.TEXT_DOCUMENT_HOVER: lambda found, asked, _: hover(found, asked.position),
    lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL: lambda found, *_: Structure(found).symbols(),
    lsp.TEXT_DOCUMENT_FOLDING_RANGE: lambda found, *_: Structure(found).folds(),
    lsp.TEXT_DOCUMENT_SELECTION_RANGE: (
        lambda found, asked, _: Structure(found).selections(asked.positions)
    ),
    lsp.TEXT_DOCUMENT_DEFINITION: (
        lambda found, asked, _: Structure(found).definition(asked.position)
    ),
    lsp.TEXT_DOCUMENT_REFERENCES: (
        lambda found, asked, _: Structure(found).references(asked.position)
    ),
    lsp.TEXT_DOCUMENT_PREPARE_RENAME: (
        lambda found, asked, _: Structure(found).prepare_rename(asked.position)
    ),
    lsp.TEXT_DOCUMENT_RENAME: _rename,
}
"""The answers about a manifest, which are made in a thread."""

_FEATURES: dict[str, Callable[..., Any]] = {
    **{method: _answer(make) for method, make in _ANSWERS.items()},
    lsp.INITIALIZE: _initialize,
    lsp.INITIALIZED: _initialized,
    lsp.SHUTDOWN: _shutdown,
    REFUSED: _refused,
    lsp.EXIT: _exit,
    lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES: _files_changed,
    lsp.TEXT_DOCUMENT_DID_SAVE: _saved,
    lsp.TEXT_DOCUMENT_DIAGNOSTIC: _diagnostic,
    lsp.WORKSPACE_DIAGNOSTIC: _workspace_diagnostic,
    lsp.TEXT_DOCUMENT_FORMATTING: _formatting,
    lsp.TEXT_DOCUMENT_COMPLETION: _completion,
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
