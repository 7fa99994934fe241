"""A publishing service with its accounts, its sites and its faults, served on this machine."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import json
import logging
import re
import socket
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeGuard
from urllib.parse import urlsplit

from aiohttp import BodyPartReader, web
from aiohttp.http_exceptions import HttpProcessingError

from manifestkit.publish.names import collisions, name_problems, utf8_name
from manifestkit.publish.wire import (
    ARCHIVE_PART,
    DOMAIN_PART,
    EMAIL,
    FORMS,
    JSON_HEADERS,
    NAME,
    PASSWORD,
    SHAPES,
    SITE_TOKEN_PARTS,
    SITES,
    SUCCESS,
    TOKEN,
)
from manifestkit.sandbox.faults import DEPLOY, LOGIN, Fault, Faults, Kind, Limiter
from manifestkit.sandbox.faults import SITES as SITES_OPERATION
from manifestkit.sandbox.responses import (
    ApiError,
    drop,
    error,
    fault_reply,
    send_in_part,
    send_slowly,
    serve_page,
)
from manifestkit.sandbox.store import Account, Store, StoredSite

DOMAIN = "localhost"
"""The hosting domain: browsers take every name under it for this machine."""

_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_LOCAL = frozenset({DOMAIN, "127.0.0.1", "::1"})
_BEFORE_BODY = frozenset({Kind.TOO_LARGE, Kind.LIMIT_SECONDS, Kind.LIMIT_DATE})
_AT_LEAST = 64 * 1024
_CHUNK = 64 * 1024
_MOST_TEXT = 64 * 1024
_KNOWN_PARTS = frozenset({*SITE_TOKEN_PARTS, DOMAIN_PART, TOKEN})
_ADDRESSES = ("127.0.0.1", "::1")
_LOG = logging.getLogger("manifestkit.sandbox")
_PATIENCE = 0.2  # seconds for what is under way when the sandbox stops
_FORMS = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})

_Handler = Callable[[web.Request], Awaitable[web.Response]]


class Service:
    """The service behind the address.

    Args:
        store: what it remembers.
        limiter: how many requests it takes.
        shape: how it lists sites.
        log: gets each request in one line, which holds no secret.
    """

    def __init__(
        self,
        store: Store,
        limiter: Limiter | None = None,
        shape: str = SHAPES[0],
        log: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.store = store
        self.faults = Faults()
        self.port = 0
        self._limiter = limiter or Limiter()
        self._shape = shape
        self._log = log

    def application(self) -> web.Application:
        """Return the service for a server to run."""
        application = web.Application(middlewares=[self._dispatch])
        for form in FORMS.values():
            application.router.add_post(form.login, self._operation(LOGIN, self._login))
            application.router.add_get(form.sites, self._operation(SITES_OPERATION, self._sites))
            application.router.add_post(form.deploy, self._operation(DEPLOY, self._deploy))
        return application

    @web.middleware
    async def _dispatch(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """By the host: the API, a site, or nothing for names that a stranger's page made up."""
        host = _host(request)
        if host in _LOCAL:
            try:
                response = await handler(request)
            except web.HTTPException as refusal:
                response = _refused(refusal)
        elif host.endswith(f".{DOMAIN}") and _LABEL.fullmatch(host.removesuffix(f".{DOMAIN}")):
            response = await serve_page(request, self.store, host.removesuffix(f".{DOMAIN}"))
        else:
            response = error(403, "wrong_host", "the sandbox serves only this machine", {})
        self._log(f"{request.method} {request.path!r} {response.status}")
        return response

    def _operation(self, name: str, handler: _Handler) -> Callable[..., Any]:
        async def handle(request: web.Request) -> web.StreamResponse:
            key = request.query.get(TOKEN) or f"from {request.remote}"
            passes, headers = self._limiter.admit(key)
            if not passes:
                return error(429, "rate_limited", "too many requests", {}, headers)
            fault = self.faults.next(name)
            if fault is not None:
                return await self._play(fault, request, handler, headers)
            return await _answered(handler, request, headers)

        return handle

    async def _play(
        self, fault: Fault, request: web.Request, handler: _Handler, headers: Mapping[str, str]
    ) -> web.StreamResponse:
        if fault.kind is Kind.DROP_BEFORE:
            await request.content.read(_AT_LEAST)
            drop(request)
            return web.Response(status=500)
        if fault.kind is Kind.DROP_AFTER:
            await _answered(handler, request, headers)
            drop(request)
            return web.Response(status=500)
        if fault.kind is Kind.CUT:
            await _drain(request)
            return await send_in_part(request)
        if fault.kind is Kind.SLOW:
            answer = await _answered(handler, request, headers)
            return await send_slowly(request, answer, fault.seconds)
        if fault.kind not in _BEFORE_BODY:
            await _drain(request)
        return fault_reply(fault)

    async def _login(self, request: web.Request) -> web.Response:
        """JSON as documented; forms, too, as some clients send them, without the headers."""
        given: Any
        if request.content_type not in _FORMS:
            _require_headers(request)
            try:
                given = json.loads(await request.read())
            except (ValueError, RecursionError):
                raise ApiError(400, "invalid_json", "the body is not JSON") from None
        else:
            try:
                given = await request.post()
            except (ValueError, LookupError):  # damaged, or in a character set that is none
                raise ApiError(400, "invalid_form", "the body is not a form") from None
        email, password = (
            (given.get(EMAIL), given.get(PASSWORD)) if isinstance(given, Mapping) else (None, None)
        )
        if not _is_text(email) or not _is_text(password):
            raise ApiError(422, "field_missing", "a login needs email and password")
        account = self.store.login(email, password)
        if account is None:
            raise ApiError(401, "invalid_login", "the e-mail address or the password is wrong")
        return web.json_response({NAME: account.name, TOKEN: account.token})

    async def _sites(self, request: web.Request) -> web.Response:
        _require_headers(request)
        account = self._account(request.query.get(TOKEN))
        if account is None:
            raise ApiError(401, "invalid_token", "the token is missing")
        sites = self.store.sites(account.email)
        if self._shape == SHAPES[0]:
            return web.json_response([_domain(site) for site in sites])
        described = [
            {"name": each.name, "domain": _domain(each), "url": self._url(each)}
            | {"version": each.version}
            for each in sites
        ]
        return web.json_response(described if self._shape == SHAPES[1] else {SITES: described})

    async def _deploy(self, request: web.Request) -> web.Response:
        self._account(request.query.get(TOKEN))  # a wrong one is refused before the body is read
        received = Received(self.store.incoming())
        try:
            await receive(request, received)
            site = self._target(received, request.query.get(TOKEN))
            number = self.store.add_version(site, received.file, received.sha256 or "")
        finally:
            with suppress(FileNotFoundError):
                received.file.unlink()
        body = {SUCCESS: True, DOMAIN_PART: _domain(site), "version": number}
        return web.json_response({**body, "url": self._url(site)})

    def _target(self, received: Received, token: str | None) -> StoredSite:
        """Return the site to deploy to, and whether the tokens allow it."""
        account = self._account(token if token is not None else received.texts.get(TOKEN))
        site_token = received.site_token
        domain = received.texts.get(DOMAIN_PART)
        try:
            name = None if domain is None else site_name(domain)
        except ValueError as problem:
            raise ApiError(422, "invalid_domain", str(problem), field=DOMAIN_PART) from None
        if site_token is not None:
            site = self.store.by_site_token(site_token)
            if site is None:
                raise ApiError(401, "invalid_site_token", "no site has this site token")
            if name not in {None, site.name}:
                raise ApiError(
                    422, "domain_mismatch", "the domain belongs to another site", site=name
                )
        elif account is None:
            raise ApiError(401, "invalid_token", "the token and the site token are missing")
        elif name is None:
            raise ApiError(422, "site_missing", "give the domain or the site token")
        else:
            site = self.store.site(name) or self.store.add_site(name, account.email)
        if account is not None and site.email != account.email:
            raise ApiError(403, "not_your_site", "the site belongs to another account", site=name)
        return site

    def _account(self, token: str | None) -> Account | None:
        if token is None:
            return None
        account = self.store.by_token(token)
        if account is None:
            raise ApiError(401, "invalid_token", "the token is not valid")
        return account

    def _url(self, site: StoredSite) -> str:
        return f"http://{_domain(site)}:{self.port}/"


def _require_headers(request: web.Request) -> None:
    """Refuse a request without the headers that section 4 shows."""
    for name, value in JSON_HEADERS.items():
        if request.headers.get(name, "").partition(";")[0].strip().lower() != value:
            raise ApiError(400, "header_missing", f"send `{name}: {value}`", header=name)


async def _answered(
    handler: _Handler, request: web.Request, headers: Mapping[str, str]
) -> web.Response:
    try:
        response = await handler(request)
    except ApiError as refusal:
        response = refusal.response
    response.headers.update(headers)
    return response


def _host(request: web.Request) -> str:
    """Return the host that is asked; empty for what is none."""
    try:
        return urlsplit(f"//{request.host}").hostname or ""
    except ValueError:
        return ""


def _refused(refusal: web.HTTPException) -> web.Response:
    """Return the documented error object for what the server library refuses."""
    if refusal.status == HTTPStatus.NOT_FOUND:
        return error(404, "not_found", "there is no such operation", {})
    phrase = HTTPStatus(refusal.status).phrase.lower()
    return error(refusal.status, phrase.replace(" ", "_"), phrase, {})


def _is_text(value: Any) -> TypeGuard[str]:
    """Return whether a value is text that UTF-8 can hold: JSON has lone surrogates."""
    return isinstance(value, str) and not any("\ud800" <= each <= "\udfff" for each in value)


async def _drain(request: web.Request) -> None:
    async for _ in request.content.iter_any():
        pass


def _domain(site: StoredSite) -> str:
    return f"{site.name}.{DOMAIN}"


def site_name(domain: str) -> str:
    """Return the site's name in a domain, with or without the hosting domain.

    Raises:
        ValueError: it is not under the hosting domain.
    """
    name = domain.lower().partition(":")[0].removesuffix(f".{DOMAIN}")
    if not _LABEL.fullmatch(name):
        raise ValueError(f"a domain must be NAME.{DOMAIN}")
    return name


# -- the body of a deploy ----------------------------------------------------------------------


@dataclass(slots=True)
class Received:
    """Contents of a deploy request.

    Attributes:
        file: where the archive is put.
        texts: the other parts, by name.
        sha256: the digest of the archive, in hex; None while there is none.
    """

    file: Path
    texts: dict[str, str] = field(default_factory=dict)
    sha256: str | None = None

    @property
    def site_token(self) -> str | None:
        """The site token, however its part is spelt."""
        given = (self.texts.get(name) for name in SITE_TOKEN_PARTS)
        return next((each for each in given if each is not None), None)


async def receive(request: web.Request, received: Received) -> None:
    """Take in the body.

    Raises:
        ApiError: it is no multipart form, or not one that a deploy has.
    """
    if not request.content_type.startswith("multipart/"):
        raise ApiError(400, "invalid_request", "a deploy must be multipart form data")
    try:
        async for part in await request.multipart():
            if not isinstance(part, BodyPartReader):
                raise ApiError(400, "invalid_request", "parts cannot contain parts")
            name = part.name or ""
            if name == ARCHIVE_PART and received.sha256 is None:
                received.sha256 = await _save(part, received.file)
            elif name in _KNOWN_PARTS and name not in received.texts:
                received.texts[name] = await _text(part)
            else:
                raise ApiError(400, "invalid_part", "an unknown or repeated part", part=name)
    except ValueError:
        raise ApiError(400, "invalid_request", "the multipart form is damaged") from None
    if len(received.texts.keys() & set(SITE_TOKEN_PARTS)) > 1:
        raise ApiError(400, "invalid_part", "the site token appears twice")
    if received.sha256 is None:
        raise ApiError(422, "archive_missing", "the archive is missing", part=ARCHIVE_PART)
    problem = _problem(received.file)
    if problem is not None:
        raise ApiError(422, "invalid_archive", problem, part=ARCHIVE_PART)


async def _save(part: BodyPartReader, path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("wb") as file:
        while chunk := await part.read_chunk(_CHUNK):
            digest.update(chunk)
            file.write(chunk)
    return digest.hexdigest()


async def _text(part: BodyPartReader) -> str:
    text = bytearray()
    while chunk := await part.read_chunk(_CHUNK):
        text += chunk
        if len(text) > _MOST_TEXT:
            raise ApiError(413, "too_large", "a part is too long", part=part.name)
    return text.decode(errors="replace")


def _problem(path: Path) -> str | None:
    """Why the pages of an archive cannot be served, by the names in it; None when they can."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [utf8_name(each) or each.orig_filename for each in archive.infolist()]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return "the archive is not a zip file"
    problems = [each for name in names for each in name_problems(name.removesuffix("/"))]
    problems += collisions(names)
    return next((str(each) for each in problems if not each.is_warning), None)


# -- the server, on this machine only ----------------------------------------------------------


def _is_of_interest(record: logging.LogRecord) -> bool:
    """Return whether a record is a bug: a request that is no HTTP is none."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, HttpProcessingError)


_LOG.addFilter(_is_of_interest)


@asynccontextmanager
async def serving(service: Service, port: int = 0) -> AsyncIterator[int]:
    """Run the service on a port, 0 for any free one, while the context lasts; yield the port.

    Raises:
        OSError: the port cannot be had.
    """
    runner = web.AppRunner(
        service.application(),
        access_log=None,
        handle_signals=False,
        shutdown_timeout=_PATIENCE,
        logger=_LOG,
    )
    sockets: list[socket.socket] = []
    await runner.setup()
    try:
        sockets = _sockets(port)
        service.port = sockets[0].getsockname()[1]
        for listening in sockets:
            await web.SockSite(runner, listening).start()
        yield service.port
    finally:
        await _accept_no_more(sockets)
        await runner.cleanup()


async def _accept_no_more(sockets: list[socket.socket]) -> None:
    """Leave the sockets open, but let only what is already accepted become a connection.

    asyncio makes a connection in a task of its own after it has accepted it; a server that
    closes in between leaves its socket open and says so to nobody (python/cpython#109564).
    """
    loop = asyncio.get_running_loop()
    for listening in sockets:
        with suppress(NotImplementedError):  # Windows: made at once when accepted
            loop.remove_reader(listening)
    await asyncio.sleep(0)


def _sockets(port: int) -> list[socket.socket]:
    """Return a socket on each loopback address; on the second only where there is one."""
    first = _listening(_ADDRESSES[0], port)
    sockets = [first]
    with suppress(OSError):
        sockets.append(_listening(_ADDRESSES[1], first.getsockname()[1]))
    return sockets


def _listening(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    if family == socket.AF_INET6 and not socket.has_ipv6:
        raise OSError(errno.EAFNOSUPPORT, "no IPv6")
    return socket.create_server((address, port), family=family)
