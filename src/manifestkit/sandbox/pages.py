"""Deployed sites, served out of their archives."""

from __future__ import annotations

import mimetypes
import zipfile
import zlib
from pathlib import Path

from aiohttp import web

from manifestkit.sandbox.responses import drop
from manifestkit.sandbox.store import Store

_CHUNK = 64 * 1024
_INDEX = "index.html"
_TYPES = mimetypes.MimeTypes()  # without what this machine has registered


async def serve_page(request: web.Request, store: Store, name: str) -> web.StreamResponse:
    """A page of the latest version of a site."""
    site = store.site(name)
    if site is None or not site.version:
        return _none(f"There is no site {name} here yet; deploy one.")
    if request.method not in {"GET", "HEAD"}:
        return web.Response(status=405, headers={"Allow": "GET, HEAD"})
    return await _send(request, store.archive(site.sha256))


async def _send(request: web.Request, archive: Path) -> web.StreamResponse:
    with zipfile.ZipFile(archive) as pages:
        entry = _entry(pages, request.path.removeprefix("/"))
        if entry is None:
            return _none("There is no such page in this site.")
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
    names = [path, f"{path}/{_INDEX}"] if path and not path.endswith("/") else [path + _INDEX]
    for name in names:
        try:
            return pages.getinfo(name)
        except KeyError:
            continue
    return None


def _none(text: str) -> web.Response:
    return web.Response(status=404, text=text)
