"""A publishing service with its accounts, its sites and its faults."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Any, TypeGuard
from urllib.parse import urlsplit

from aiohttp import web

from manifestkit.publish.wire import (
    DOMAIN_PART,
    EMAIL,
    FORMS,
    JSON_HEADERS,
    NAME,
    PASSWORD,
    SHAPES,
    SITES,
    SUCCESS,
    TOKEN,
)
from manifestkit.sandbox.deploys import Received, receive
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
            verdict = self._limiter.admit(request.query.get(TOKEN) or f"from {request.remote}")
            fault = self.faults.next(name) if verdict.passes else None
            if not verdict.passes:
                return error(429, "rate_limited", "too many requests", {}, verdict.headers)
            if fault is not None:
                return await self._play(fault, request, handler, verdict.headers)
            return await _answered(handler, request, verdict.headers)

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
            {
                "name": site.name,
                "domain": _domain(site),
                "url": self._url(site),
                "version": site.version,
            }
            for site in sites
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
        body = {
            SUCCESS: True,
            DOMAIN_PART: _domain(site),
            "version": number,
            "url": self._url(site),
        }
        return web.json_response(body)

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
    """Refuse a request without the headers that section 4 shows.

    Raises:
        ApiError: one is missing.
    """
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
