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
from manifestkit.lsp.documents import target_of
from manifestkit.lsp.hover import hover
from manifestkit.lsp.server import REFUSED, Server
from manifestkit.lsp.stdio import MessageInput, MessageOutput
from manifestkit.lsp.structure import Structure, outline_of, structure_of
from manifestkit.lsp.tolerant import cursor_at
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.pointer import Path
from manifestkit.rules.catalogue import find_rule

_SETTINGS = ("**/manifestkit.toml", "**/pyproject.toml", "**/*.json", "**/*.yaml", "**/*.yml")
_WATCHING = "manifestkit-files"
_LONGEST_HELD = 30.0


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
    found = findings.diagnostics(analysis, opened.uri)
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


async def _code_actions(ls: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
    analysis = await ls.documents.analysis(params.text_document.uri)
    if analysis is None:
        return None
    operations = ls.supports("workspace.workspace_edit.resource_operations") or ()
    actions = findings.Actions(
        analysis,
        params.text_document.uri,
        with_versions=bool(ls.supports("workspace.workspace_edit.document_changes")),
        creates_files=lsp.ResourceOperationKind.Create in operations,
    )
    span = analysis.text.span(params.range)
    return await ls.in_thread(actions.of, span, params.context.only)


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


async def _hover(ls: Server, params: lsp.HoverParams) -> lsp.Hover | None:
    analysis = await ls.documents.analysis(params.text_document.uri)
    if analysis is None:
        return None
    return await ls.in_thread(hover, analysis, params.position)


async def _structure(ls: Server, params: Any) -> Structure | None:
    analysis = await ls.documents.analysis(params.text_document.uri)
    return structure_of(analysis) if analysis else None


async def _outline(ls: Server, params: Any) -> Structure | None:
    analysis = await ls.documents.analysis(params.text_document.uri)
    return await ls.in_thread(outline_of, analysis) if analysis else None


async def _symbols(ls: Server, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
    found = await _outline(ls, params)
    return await ls.in_thread(found.symbols) if found else []


async def _folds(ls: Server, params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
    found = await _outline(ls, params)
    return await ls.in_thread(found.folds) if found else []


async def _selections(
    ls: Server, params: lsp.SelectionRangeParams
) -> list[lsp.SelectionRange] | None:
    found = await _outline(ls, params)
    return await ls.in_thread(found.selections, params.positions) if found else None


async def _identifiers(ls: Server, params: Any) -> tuple[Structure, list[Path]] | None:
    found = await _structure(ls, params)
    paths = await ls.in_thread(found.identifiers_at, params.position) if found else []
    return (found, paths) if found and paths else None


async def _references(ls: Server, params: lsp.ReferenceParams) -> list[lsp.Location] | None:
    found = await _identifiers(ls, params)
    if found is None:
        return None
    places = await ls.in_thread(found[0].places, found[1])
    return [lsp.Location(params.text_document.uri, each) for each in places]


async def _definition(ls: Server, params: lsp.DefinitionParams) -> list[lsp.Location] | None:
    found = await _structure(ls, params)
    if found is None:
        return None
    return await ls.in_thread(found.needed, params.position, params.text_document.uri)


async def _prepare_rename(
    ls: Server, params: lsp.PrepareRenameParams
) -> lsp.PrepareRenamePlaceholder | None:
    found = await _identifiers(ls, params)
    return await ls.in_thread(found[0].name_at, params.position) if found else None


async def _rename(ls: Server, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
    found = await _identifiers(ls, params)
    if found is None:
        return None
    structure, _ = found
    try:
        edits = await ls.in_thread(structure.renamed, params.position, params.new_name)
    except EditRefusedError as problem:
        raise JsonRpcException(str(problem), lsp.LSPErrorCodes.RequestFailed) from None
    with_versions = bool(ls.supports("workspace.workspace_edit.document_changes"))
    uri, version = params.text_document.uri, structure.version
    return findings.workspace_edit(uri, version, edits, with_versions=with_versions)


_FEATURES: dict[str, tuple[Callable[..., Any], Any]] = {
    lsp.INITIALIZE: (_initialize, None),
    lsp.INITIALIZED: (_initialized, None),
    lsp.SHUTDOWN: (_shutdown, None),
    REFUSED: (_refused, None),
    lsp.EXIT: (_exit, None),
    lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES: (_files_changed, None),
    lsp.TEXT_DOCUMENT_DID_SAVE: (_saved, None),
    lsp.TEXT_DOCUMENT_DIAGNOSTIC: (
        _diagnostic,
        lsp.DiagnosticOptions(inter_file_dependencies=False, workspace_diagnostics=True),
    ),
    lsp.WORKSPACE_DIAGNOSTIC: (_workspace_diagnostic, None),
    lsp.TEXT_DOCUMENT_CODE_ACTION: (
        _code_actions,
        lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix, findings.FIX_ALL]),
    ),
    lsp.TEXT_DOCUMENT_FORMATTING: (_formatting, None),
    lsp.TEXT_DOCUMENT_COMPLETION: (
        _completion,
        lsp.CompletionOptions(trigger_characters=['"', ":", " "]),
    ),
    lsp.TEXT_DOCUMENT_HOVER: (_hover, None),
    lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (_symbols, None),
    lsp.TEXT_DOCUMENT_FOLDING_RANGE: (_folds, None),
    lsp.TEXT_DOCUMENT_SELECTION_RANGE: (_selections, None),
    lsp.TEXT_DOCUMENT_DEFINITION: (_definition, None),
    lsp.TEXT_DOCUMENT_REFERENCES: (_references, None),
    lsp.TEXT_DOCUMENT_PREPARE_RENAME: (_prepare_rename, None),
    lsp.TEXT_DOCUMENT_RENAME: (_rename, None),
}


def serve(stdin: BinaryIO, stdout: BinaryIO) -> bool:
    """Answer a client until it goes, or its messages end; whether it went in the right way."""
    server = Server()
    for method, (handler, options) in _FEATURES.items():
        server.feature(method, options)(handler)
    server.command(findings.EXPLAIN)(_explain)
    output = MessageOutput(stdout)
    server.input = MessageInput(stdin)
    server.start_io(cast(BinaryIO, server.input), cast(BinaryIO, output))
    output.close()
    return not server.was_left
