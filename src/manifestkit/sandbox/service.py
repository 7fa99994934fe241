"""A publishing service with its accounts and sites, served on this machine."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import mimetypes
import shutil
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from manifestkit.publish import wire
from manifestkit.sandbox.store import DOMAIN, MOST_BYTES, Site, Store, site_name, unpack

_LOCAL = frozenset({DOMAIN, "127.0.0.1", "::1"})
_ADDRESS = "127.0.0.1"  # which every name under localhost leads to
_PARTS = frozenset({*wire.SITE_TOKEN_PARTS, wire.DOMAIN_PART, wire.TOKEN, wire.ARCHIVE_PART})
_FORM_TYPES = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})
_INDEX = "index.html"
_TYPES = mimetypes.MimeTypes()  # without what this machine has registered
_LOG = logging.getLogger("manifestkit.sandbox")
_FAULTS_OF_CLIENTS = (HttpProcessingError, web.RequestPayloadError, ConnectionError)
_PATIENCE = 0.2  # seconds for what is under way when the sandbox stops

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class _ApiError(Exception):
    """A request that gets the documented error object (section 7)."""

    def __init__(self, status: int, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.response = _error(status, code, message, **details)


def _error(status: int, code: str, message: str, **details: Any) -> web.Response:
    body = {
        wire.SUCCESS: False,
        wire.ERROR: {wire.CODE: code, wire.MESSAGE: message, wire.DETAILS: details},
    }
    return web.json_response(body, status=status)


class _Limiter:
    """Counts the requests of each key in the last stretch of time."""

    def __init__(self) -> None:
        self._seen: dict[str, deque[float]] = {}

    def admit(self, key: str) -> tuple[bool, Mapping[str, str]]:
        """Count a request; return whether it is within the limit, and the headers that say so."""
        now = time.monotonic()
        seen = self._seen.setdefault(key, deque())
        while seen and now - seen[0] >= wire.WINDOW_SECONDS:
            seen.popleft()
        passes = len(seen) < wire.REQUESTS_PER_WINDOW
        if passes:
            seen.append(now)
        wait = max(0.0, seen[0] + wire.WINDOW_SECONDS - now)
        headers = {
            wire.LIMIT_HEADER: str(wire.REQUESTS_PER_WINDOW),
            wire.REMAINING_HEADER: str(wire.REQUESTS_PER_WINDOW - len(seen)),
            wire.RESET_HEADER: str(math.ceil(time.time() + wait)),
        }
        return passes, headers if passes else {**headers, wire.RETRY_AFTER: str(math.ceil(wait))}


class _Service:
    def __init__(
        self, store: Store, log: Callable[[str], None], note: Callable[[str], None]
    ) -> None:
        self.port = 0
        self._store = store
        self._log = log
        self._note = note
        self._limiter = _Limiter()

    def application(self) -> web.Application:
        application = web.Application(middlewares=[self._dispatch])
        for form in wire.FORMS.values():
            application.router.add_post(form.login, self._login)
            application.router.add_get(form.sites, self._sites)
            application.router.add_post(form.deploy, self._deploy)
        return application

    @web.middleware
    async def _dispatch(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        """By the host: the API, a site, or nothing for names that a stranger's page made up."""
        host = _host(request)
        if host in _LOCAL:
            response = await self._answer(request, handler)
        elif host.endswith(f".{DOMAIN}"):
            response = self._page(request, host)
        else:
            response = _error(403, "wrong_host", "the sandbox serves only this machine")
        self._log(f"{request.method} {request.path!r} {response.status}")
        return response

    async def _answer(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        passes, headers = self._limiter.admit(request.query.get(wire.TOKEN) or f"{request.remote}")
        response: web.StreamResponse = _error(429, "rate_limited", "too many requests")
        try:
            if passes:
                response = await handler(request)
        except _ApiError as refusal:
            response = refusal.response
        except web.HTTPException as refusal:
            response = _error(refusal.status, "not_found", refusal.reason)
        except web.RequestPayloadError:
            response = _error(400, "invalid_body", "the body is not as its headers say")
        response.headers.update(headers)
        return response

    def _page(self, request: web.Request, host: str) -> web.StreamResponse:
        try:
            site = self._store.site(site_name(host))
        except ValueError:
            site = None
        if site is None or not site.version:
            return web.Response(status=404, text="There is no such site yet; deploy one.")
        if request.method not in {"GET", "HEAD"}:
            return web.Response(status=405, headers={"Allow": "GET, HEAD"})
        pages = self._store.pages(site)
        parts = [each for each in request.path.split("/") if each]
        if ".." in parts or "\0" in request.path or "\\" in request.path:
            return web.Response(status=404, text="This site has no such page.")
        path = pages.joinpath(*parts)
        if path.is_dir():
            path /= _INDEX
        if not path.is_file():
            return web.Response(status=404, text="This site has no such page.")
        kind = _TYPES.guess_type(path.name)[0] or "application/octet-stream"
        headers = {"Content-Type": kind, "X-Content-Type-Options": "nosniff"}
        return web.FileResponse(path, headers=headers)

    async def _login(self, request: web.Request) -> web.Response:
        """JSON as documented; forms, too, as some clients send them."""
        given: Any
        try:
            if request.content_type in _FORM_TYPES:
                given = await request.post()
            else:
                self._note_headers(request)
                given = json.loads(await request.read())
        except (ValueError, LookupError, RecursionError):
            raise _ApiError(400, "invalid_body", "the body is not JSON") from None
        members = given if isinstance(given, Mapping) else {}
        email, password = members.get(wire.EMAIL), members.get(wire.PASSWORD)
        if not (isinstance(email, str) and isinstance(password, str)):
            raise _ApiError(422, "field_missing", "a login needs email and password")
        try:
            account = self._store.login(email, password)
        except UnicodeEncodeError:
            account = None
        if account is None:
            raise _ApiError(401, "invalid_login", "the e-mail address or the password is wrong")
        return web.json_response({wire.NAME: account[0], wire.TOKEN: account[1]})

    async def _sites(self, request: web.Request) -> web.Response:
        self._note_headers(request)
        email = self._email(request.query.get(wire.TOKEN))
        if email is None:
            raise _ApiError(401, "invalid_token", "the token is missing")
        return web.json_response([each.domain for each in self._store.sites(email)])

    async def _deploy(self, request: web.Request) -> web.Response:
        token = request.query.get(wire.TOKEN)
        self._email(token)  # a wrong one is refused before the body is read
        if not request.content_type.startswith("multipart/"):
            raise _ApiError(400, "invalid_request", "a deploy must be multipart form data")
        try:
            form = await request.clone(client_max_size=MOST_BYTES).post()
        except (ValueError, LookupError, RuntimeError):
            raise _ApiError(400, "invalid_request", "the multipart form is damaged") from None
        try:
            return await self._publish(list(form.items()), token)
        finally:
            for each in form.values():
                if isinstance(each, web.FileField):
                    each.file.close()

    async def _publish(self, fields: list[tuple[str, object]], token: str | None) -> web.Response:
        parts = dict(fields)
        if len(parts) < len(fields) or not parts.keys() <= _PARTS:
            raise _ApiError(400, "invalid_part", "a repeated or unknown part", parts=[*parts])
        archive = parts.get(wire.ARCHIVE_PART)
        if not isinstance(archive, web.FileField):
            raise _ApiError(422, "archive_missing", "a file is missing", part=wire.ARCHIVE_PART)
        texts = {name: value for name, value in fields if isinstance(value, str)}
        site = self._target(texts, token)
        folder = self._store.incoming()
        try:
            await asyncio.to_thread(unpack, archive.file, folder / "pages")
            number = self._store.add_version(site, folder / "pages")
        except ValueError as error:
            raise _ApiError(422, "invalid_archive", str(error), part=wire.ARCHIVE_PART) from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        url = f"http://{site.domain}:{self.port}/"
        return web.json_response(
            {wire.SUCCESS: True, wire.DOMAIN_PART: site.domain, "version": number, "url": url}
        )

    def _target(self, texts: Mapping[str, str], token: str | None) -> Site:
        """Return the site to deploy to, if the tokens allow it."""
        email = self._email(token if token is not None else texts.get(wire.TOKEN))
        domain = texts.get(wire.DOMAIN_PART)
        site_token = next((texts[name] for name in wire.SITE_TOKEN_PARTS if name in texts), None)
        try:
            name = None if domain is None else site_name(domain)
        except ValueError as problem:
            raise _ApiError(422, "invalid_domain", str(problem), field=wire.DOMAIN_PART) from None
        if site_token is not None:
            known = self._store.site_of_token(site_token)
            if known is None:
                raise _ApiError(401, "invalid_site_token", "no site has this site token")
            if name not in {None, known.name}:
                raise _ApiError(422, "domain_mismatch", "the domain is of another site", site=name)
        elif email is None:
            raise _ApiError(401, "invalid_token", "the token and the site token are missing")
        elif name is None:
            raise _ApiError(422, "site_missing", "give the domain or the site token")
        else:
            known = self._store.site(name) or self._new_site(name, email)
        if email is not None and known.email != email:
            raise _ApiError(403, "not_your_site", "the site is of another account", site=name)
        return known

    def _new_site(self, name: str, email: str) -> Site:
        site = self._store.create_site(name, email)
        self._log(f"site {site.domain} of {email}, site token {site.token}")
        return site

    def _email(self, token: str | None) -> str | None:
        if token is None:
            return None
        email = self._store.email(token)
        if email is None:
            raise _ApiError(401, "invalid_token", "the token is not valid")
        return email

    def _note_headers(self, request: web.Request) -> None:
        """Note what section 4 shows and the request has not; the service serves it all the same."""
        for name, value in wire.JSON_HEADERS.items():
            if request.headers.get(name, "").partition(";")[0].strip().lower() != value:
                self._note(f"{request.method} {request.path!r} has no `{name}: {value}`")


def _host(request: web.Request) -> str:
    try:
        return urlsplit(f"//{request.host}").hostname or ""
    except ValueError:
        return ""


def _is_of_interest(record: logging.LogRecord) -> bool:
    """Return whether a record is a bug: a damaged request or a lost connection is none."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, _FAULTS_OF_CLIENTS)


_LOG.addFilter(_is_of_interest)


@asynccontextmanager
async def serving(
    store: Store,
    port: int = 0,
    log: Callable[[str], None] = lambda _: None,
    note: Callable[[str], None] = lambda _: None,
) -> AsyncIterator[int]:
    """Run the service on a port, 0 for any free one, while the context lasts; yield the port.

    Args:
        store: what it remembers.
        port: its port on this machine.
        log: gets each request in one line, and each new site with its token.
        note: gets what a request lacks.

    Raises:
        OSError: the port cannot be had.
    """
    service = _Service(store, log, note)
    runner = web.AppRunner(
        service.application(),
        access_log=None,
        handle_signals=False,
        shutdown_timeout=_PATIENCE,
        logger=_LOG,
    )
    await runner.setup()
    try:
        await web.TCPSite(runner, _ADDRESS, port).start()
        service.port = runner.addresses[0][1]
        yield service.port
    finally:
        await runner.cleanup()
