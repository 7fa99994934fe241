"""Responses of the sandbox."""

from __future__ import annotations

import asyncio
import mimetypes
import time
import zipfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from email.utils import formatdate
from pathlib import Path
from typing import Any

from aiohttp import web

from manifestkit.publish.names import utf8_name
from manifestkit.publish.wire import (
    CODE,
    DETAILS,
    ERROR,
    MESSAGE,
    RETRY_AFTER,
    SUCCESS,
)
from manifestkit.sandbox.faults import Fault, Kind
from manifestkit.sandbox.store import Store

_CHUNK = 64 * 1024
_INDEX = "index.html"
_TYPES = mimetypes.MimeTypes()  # without what this machine has registered


async def serve_page(request: web.Request, store: Store, name: str) -> web.StreamResponse:
    """Return a page of the latest version of a site."""
    site = store.site(name)
    if site is None or not site.version:
        return _none(f"There is no site {name} yet; deploy one.")
    if request.method not in {"GET", "HEAD"}:
        return web.Response(status=405, headers={"Allow": "GET, HEAD"})
    return await _send(request, store.archive(site.sha256))


async def _send(request: web.Request, archive: Path) -> web.StreamResponse:
    with zipfile.ZipFile(archive) as pages:
        entry = _entry(pages, request.path.removeprefix("/"))
        if entry is None:
            return _none("This site has no such page.")
        try:
            content = pages.open(entry)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError):
            return web.Response(status=500, text="This page cannot be read from the archive.")
        response = web.StreamResponse(
            headers={"Content-Length": str(entry.file_size), "X-Content-Type-Options": "nosniff"}
        )
        response.content_type = _TYPES.guess_type(entry.filename)[0] or "application/octet-stream"
        with content:
            await response.prepare(request)
            if request.method == "GET":
                try:
                    while chunk := content.read(_CHUNK):
                        await response.write(chunk)
                except (zipfile.BadZipFile, zlib.error, EOFError):
                    drop(request)  # its length is told already: only a break tells of damage
                    return response
            await response.write_eof()
        return response


def _entry(pages: zipfile.ZipFile, path: str) -> zipfile.ZipInfo | None:
    wanted = {path, f"{path}/{_INDEX}"} if path and not path.endswith("/") else {path + _INDEX}
    return next((each for each in pages.infolist() if utf8_name(each) in wanted), None)


def _none(text: str) -> web.Response:
    return web.Response(status=404, text=text)


_PAGE = "<html><head><title>502 Bad Gateway</title></head><body><h1>Bad gateway</h1></body></html>"
_DRIP = b" " * 20


class ApiError(Exception):
    """A request that gets the documented error object (section 7)."""

    def __init__(self, status: int, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.response = error(status, code, message, details)


def error(
    status: int,
    code: str,
    message: str,
    details: Mapping[str, Any],
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    """Return the documented error object."""
    body = {SUCCESS: False, ERROR: {CODE: code, MESSAGE: message, DETAILS: dict(details)}}
    return web.json_response(body, status=status, headers=headers)


def fault_reply(fault: Fault) -> web.Response:
    """Response of a fault.

    Raises:
        KeyError: it is one of those that answer nothing, or the truth.
    """
    return _REPLIES[fault.kind](fault.seconds)


def _limited(retry_after: str) -> web.Response:
    return error(429, "rate_limited", "too many requests", {}, {RETRY_AFTER: retry_after})


_REPLIES: Mapping[Kind, Callable[[float], web.Response]] = {
    Kind.TOO_LARGE: lambda _: error(413, "too_large", "the archive is too large", {"limit": 1024}),
    Kind.LIMIT_SECONDS: lambda seconds: _limited(str(int(seconds))),
    Kind.LIMIT_DATE: lambda seconds: _limited(formatdate(time.time() + seconds, usegmt=True)),
    Kind.SUCCESS_FALSE: lambda _: error(
        200, "quota_exceeded", "no more versions this month", {"quota": 10}
    ),
    Kind.ERROR_STRING: lambda _: web.json_response(
        {SUCCESS: False, ERROR: "the site is locked"}, status=400
    ),
    Kind.ERROR_OBJECT: lambda _: error(
        422, "invalid_site", "there is no such site", {"field": "domain"}
    ),
    Kind.REDIRECT: lambda _: web.Response(
        status=302, headers={"Location": "http://elsewhere.invalid/deploy"}
    ),
    Kind.BAD_GATEWAY: lambda _: web.Response(status=502, text=_PAGE, content_type="text/html"),
    Kind.UNAVAILABLE: lambda _: error(503, "unavailable", "come back later", {}),
    Kind.EMPTY: lambda _: web.Response(status=500),
    Kind.DENIED: lambda _: error(401, "invalid_token", "the token is not valid", {}),
}


async def send_in_part(request: web.Request) -> web.StreamResponse:
    """Begin a good answer, and break off."""
    response = web.StreamResponse(headers={"Content-Length": "100"})
    response.content_type = "application/json"
    await response.prepare(request)
    await response.write(b'{"success": tr')
    drop(request)
    return response


async def send_slowly(
    request: web.Request, answer: web.Response, seconds: float
) -> web.StreamResponse:
    """Send a good answer, with blanks before it that take their time."""
    response = web.StreamResponse(status=answer.status)
    response.content_type = "application/json"
    with suppress(ConnectionResetError):  # who asked has gone, as one does who waits too long
        await response.prepare(request)
        for blank in _DRIP:
            await response.write(bytes([blank]))
            await asyncio.sleep(seconds / len(_DRIP))
        if isinstance(answer.body, bytes):
            await response.write(answer.body)
        await response.write_eof()
    return response


def drop(request: web.Request) -> None:
    """Break the connection, as a cable does."""
    if request.transport is not None:
        request.transport.abort()
