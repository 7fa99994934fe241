"""A publishing service with its accounts and sites, served on this machine.

Its accounts, sites and versions are in SQLite, and the pages of the versions in folders. What the
API document says of the wire is written here a second time: what the client gets wrong, the
sandbox refuses.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import math
import os
import re
import secrets
import shutil
import sqlite3
import time
import zipfile
import zlib
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple, Self
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from manifestkit.files import is_file, is_folder
from manifestkit.model.errors import ConfigurationError
from manifestkit.publish.names import name_problems

_DOMAIN = "localhost"  # browsers take every name under it for this machine
_DATABASE = "sandbox.sqlite3"
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_PAGES = "version-"
_SCHEMA = """
create table if not exists account (
  email text primary key, name text not null, salt blob not null, hash blob not null,
  token text not null unique
);
create table if not exists site (
  name text primary key, email text not null references account (email),
  token text not null unique
);
create table if not exists version (
  site text not null references site (name), number integer not null,
  folder text not null unique, primary key (site, number)
);
"""
_SITES = """
select name, email, token, coalesce(max(number), 0), folder
from site left join version on site = name where {} = ? group by name order by name
"""
_ADD_VERSION = """
insert into version
    select :site, coalesce(max(number), 0) + 1, :pages from version where site = :site
"""
_MOST_BYTES = 4 * 1024**3  # of an archive, packed or not
_LOCAL = frozenset({_DOMAIN, "127.0.0.1", "::1"})
_ADDRESS = "127.0.0.1"  # which every name under localhost leads to
_SITE_TOKEN_PARTS = ("site_token", "sitetoken")
_JSON_HEADERS = {"Content-Type": "application/json", "Cache-Control": "no-cache"}  # section 4
_MOST_REQUESTS, _WINDOW = 100, 60.0  # seconds (section 8)
_PARTS = frozenset({*_SITE_TOKEN_PARTS, "domain", "token", "archive"})
_FORM_TYPES = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})
_INDEX = "index.html"
_LOG = logging.getLogger("manifestkit.sandbox")
_FAULTS_OF_CLIENTS = (HttpProcessingError, web.RequestPayloadError, ConnectionError)
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
_PATIENCE = 0.2  # seconds for what is under way when the sandbox stops

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_Tell = Callable[[str], None]


class _HostedSite(NamedTuple):
    """A site of an account."""

    name: str
    email: str  # of the account
    token: str
    version: int = 0  # the latest; 0 before the first
    folder: str | None = None  # with the pages of that

    @property
    def domain(self) -> str:
        return f"{self.name}.{_DOMAIN}"


class Store:
    """The data folder, a context; what is in it is there again at the next start.

    Nobody but its user can read it, and one process at a time uses it.

    Raises:
        ConfigurationError: the folder cannot be used, or another process uses it.
    """

    def __init__(self, folder: Path) -> None:
        self._sites = folder / "sandbox-sites"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(folder / _DATABASE, os.O_RDWR | os.O_CREAT, 0o600))
            self._sites.mkdir(mode=0o700, exist_ok=True)
            self._database = sqlite3.connect(folder / _DATABASE, timeout=0.1)
            with ExitStack() as unless_used:
                unless_used.callback(self._database.close)
                self._database.execute("pragma locking_mode = exclusive")
                self._database.execute("begin exclusive")
                self._database.commit()
                self._database.executescript(_SCHEMA)
                self.emails()  # the database may be another's
                self._remove_leftovers()
                unless_used.pop_all()
        except (OSError, sqlite3.Error) as error:
            reason = str(error)
            if "locked" in reason:
                reason = "another sandbox uses this folder; stop it, or choose another with --data"
            raise ConfigurationError(f"{folder}: {reason}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def _remove_leftovers(self) -> None:
        """Remove what a process left that was killed: pages of no version."""
        kept = {folder for (folder,) in self._database.execute("select folder from version")}
        for path in self._sites.glob(f"{_PAGES}*"):
            if path.name not in kept:
                shutil.rmtree(path)

    def emails(self) -> list[str]:
        """Return the accounts."""
        return [email for (email,) in self._database.execute("select email from account")]

    def add_account(self, email: str, password: str | None = None) -> str | None:
        """Have an account; return its password when it is new and none was given, else None.

        A password that is given takes the place of the one before.
        """
        made = None
        if password is None:
            if email in self.emails():
                return None
            password = made = secrets.token_urlsafe(12)
        salt, token = secrets.token_bytes(16), secrets.token_urlsafe(24)
        row = email, email.partition("@")[0], salt, _hash(password, salt), token
        with self._database:
            self._database.execute(
                "insert into account values (?, ?, ?, ?, ?) on conflict (email) "
                "do update set salt = excluded.salt, hash = excluded.hash",
                row,
            )
        return made

    def login(self, email: str, password: str) -> tuple[str, str] | None:
        """Return the name and the token of an account, if the password is its own."""
        row = self._one("select salt, hash, name, token from account where email = ?", email)
        if row is None or not secrets.compare_digest(_hash(password, row[0]), row[1]):
            return None
        return row[2], row[3]

    def email(self, token: str) -> str | None:
        """Return the account of a token."""
        row = self._one("select email from account where token = ?", token)
        return row[0] if row else None

    def sites(self, column: str, value: str) -> list[_HostedSite]:
        """Return the sites that have a value in a column, by name."""
        rows = self._database.execute(_SITES.format(column), (value,))
        return [_HostedSite(*row) for row in rows]

    def site(self, column: str, value: str) -> _HostedSite | None:
        """Return the site that has a value in a column that is each site's own."""
        return next(iter(self.sites(column, value)), None)

    def create_site(self, name: str, email: str) -> _HostedSite:
        """Create a site of an account."""
        site = _HostedSite(name, email, secrets.token_urlsafe(16))
        with self._database:
            self._database.execute("insert into site values (?, ?, ?)", site[:3])
        return site

    def pages(self, folder: str | None = None) -> Path:
        """Return the folder with the pages of a version; a new one if none is named."""
        return self._sites / (folder or f"{_PAGES}{secrets.token_hex(8)}")

    def add_version(self, site: _HostedSite, pages: Path) -> int:
        """Make unpacked pages the latest version of a site; return the version's number."""
        with self._database:
            self._database.execute(_ADD_VERSION, {"site": site.name, "pages": pages.name})
        return self.sites("name", site.name)[0].version

    def _one(self, query: str, value: str) -> Any:
        return self._database.execute(query, (value,)).fetchone()


def _site_name(domain: str) -> str:
    """Return the name of a site; a ValueError says that the domain has none.

    A domain that is not under ours is served there, with dashes for its dots.
    """
    name = domain.lower().partition(":")[0].removesuffix(f".{_DOMAIN}").replace(".", "-")
    if not _LABEL.fullmatch(name):
        raise ValueError(f"a domain must be NAME.{_DOMAIN}, or another host name in ASCII")
    return name


def _unpack(archive: IO[bytes], folder: Path) -> None:
    """Unpack an archive into a new folder; a ValueError says why its pages cannot be served."""
    folder.mkdir(mode=0o700)
    try:
        with zipfile.ZipFile(archive, metadata_encoding="utf-8") as opened:
            if sum(each.file_size for each in opened.infolist()) > _MOST_BYTES:
                raise ValueError("the archive is too large")
            for problem in name_problems(opened.namelist()):
                if not problem.is_warning:
                    raise ValueError(str(problem))
            opened.extractall(folder)
    except _DAMAGED:
        raise ValueError("the archive cannot be unpacked") from None


def _hash(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, n=2**12, r=8, p=1)


class _ApiError(Exception):
    """A request that gets the documented error object (section 7)."""

    def __init__(self, status: int, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.response = _error(status, code, message, **details)


def _error(status: int, code: str, message: str, **details: Any) -> web.Response:
    error = {"code": code, "message": message, "details": details}
    return web.json_response({"success": False, "error": error}, status=status)


class _Limiter:
    """Counts the requests of each key in the last stretch of time."""

    def __init__(self) -> None:
        self._seen: dict[str, deque[float]] = {}

    def admit(self, key: str) -> tuple[bool, Mapping[str, str]]:
        """Count a request; return whether it is within the limit, and the headers that say so."""
        now = time.monotonic()
        seen = self._seen.setdefault(key, deque())
        while seen and now - seen[0] >= _WINDOW:
            seen.popleft()
        passes = len(seen) < _MOST_REQUESTS
        if passes:
            seen.append(now)
        wait = max(0.0, seen[0] + _WINDOW - now)
        headers = {
            "X-RateLimit-Limit": str(_MOST_REQUESTS),
            "X-RateLimit-Remaining": str(_MOST_REQUESTS - len(seen)),
            "X-RateLimit-Reset": str(math.ceil(time.time() + wait)),
        }
        return passes, headers if passes else {**headers, "Retry-After": str(math.ceil(wait))}


class _Service:
    def __init__(self, store: Store, log: _Tell, note: _Tell) -> None:
        self.port = 0
        self._store = store
        self._log = log
        self._note = note
        self._limiter = _Limiter()

    def application(self) -> web.Application:
        application = web.Application(middlewares=[self._dispatch])
        for before, deploy in (("", "/v2/cli/deploy"), ("/api", "/api/cli/deploy")):  # section 4
            application.router.add_post(f"{before}/cli/login", self._login)
            application.router.add_get(f"{before}/cli/sites", self._sites)
            application.router.add_post(deploy, self._deploy)
        return application

    @web.middleware
    async def _dispatch(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        """By the host: the API, a site, or nothing for names that a stranger's page made up."""
        host = _host(request)
        if host in _LOCAL:
            response = await self._answer(request, handler)
        elif host.endswith(f".{_DOMAIN}"):
            response = self._page(request, host)
        else:
            response = _error(403, "wrong_host", "the sandbox serves only this machine")
        self._log(f"{request.method} {request.path!r} {response.status}")
        return response

    async def _answer(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        passes, headers = self._limiter.admit(request.query.get("token") or f"{request.remote}")
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
        except ConnectionError:  # the client has gone
            raise
        except (OSError, sqlite3.Error) as error:
            response = _error(507, "storage_failed", f"the sandbox cannot store it: {error}")
        response.headers.update(headers)
        return response

    def _page(self, request: web.Request, host: str) -> web.StreamResponse:
        try:
            site = self._store.site("name", _site_name(host))
        except ValueError:
            site = None
        if site is None or site.folder is None:
            return web.Response(status=404, text="There is no such site yet; deploy one.")
        if request.method not in {"GET", "HEAD"}:
            return web.Response(status=405, headers={"Allow": "GET, HEAD"})
        parts = [each for each in request.path.split("/") if each]
        path = self._store.pages(site.folder).joinpath(*parts)
        if is_folder(path):
            path /= _INDEX
        if ".." in parts or "\0" in request.path or "\\" in request.path or not is_file(path):
            return web.Response(status=404, text="This site has no such page.")
        return web.FileResponse(path, headers={"X-Content-Type-Options": "nosniff"})

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
        email, password = members.get("email"), members.get("password")
        if not (isinstance(email, str) and isinstance(password, str)):
            raise _ApiError(422, "field_missing", "a login needs email and password")
        account = None
        with suppress(UnicodeEncodeError):
            account = self._store.login(email, password)
        if account is None:
            raise _ApiError(401, "invalid_login", "the e-mail address or the password is wrong")
        return web.json_response({"name": account[0], "token": account[1]})

    async def _sites(self, request: web.Request) -> web.Response:
        self._note_headers(request)
        email = self._email(request.query.get("token"))
        if email is None:
            raise _ApiError(401, "invalid_token", "the token is missing")
        return web.json_response([each.domain for each in self._store.sites("email", email)])

    async def _deploy(self, request: web.Request) -> web.Response:
        token = request.query.get("token")
        self._email(token)  # a wrong one is refused before the body is read
        if not request.content_type.startswith("multipart/"):
            raise _ApiError(400, "invalid_request", "a deploy must be multipart form data")
        try:
            form = await request.clone(client_max_size=_MOST_BYTES).post()
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
        archive = parts.get("archive")
        if not isinstance(archive, web.FileField):
            raise _ApiError(422, "archive_missing", "a file is missing", part="archive")
        texts = {name: value for name, value in fields if isinstance(value, str)}
        site = self._target(texts, token)
        pages = self._store.pages()
        try:
            await asyncio.to_thread(_unpack, archive.file, pages)
            number = self._store.add_version(site, pages)
        except BaseException as error:
            shutil.rmtree(pages, ignore_errors=True)
            if not isinstance(error, ValueError):
                raise
            raise _ApiError(422, "invalid_archive", str(error), part="archive") from None
        return web.json_response(
            {"success": True, "domain": site.domain, "version": number, "url": self._url(site)}
        )

    def _target(self, texts: Mapping[str, str], token: str | None) -> _HostedSite:
        """Return the site to deploy to, if the tokens allow it."""
        email = self._email(token if token is not None else texts.get("token"))
        domain = texts.get("domain")
        site_token = next((texts[name] for name in _SITE_TOKEN_PARTS if name in texts), None)
        try:
            name = None if domain is None else _site_name(domain)
        except ValueError as problem:
            raise _ApiError(422, "invalid_domain", str(problem), field="domain") from None
        if site_token is not None:
            known = self._store.site("token", site_token)
            if known is None:
                raise _ApiError(401, "invalid_site_token", "no site has this site token")
            if name not in {None, known.name}:
                raise _ApiError(422, "domain_mismatch", "the domain is of another site", site=name)
        elif email is None:
            raise _ApiError(401, "invalid_token", "the token and the site token are missing")
        elif name is None:
            raise _ApiError(422, "site_missing", "give the domain or the site token")
        else:
            known = self._store.site("name", name) or self._new_site(name, email)
        if email is not None and known.email != email:
            raise _ApiError(403, "not_your_site", "the site is of another account", site=name)
        return known

    def _new_site(self, name: str, email: str) -> _HostedSite:
        site = self._store.create_site(name, email)
        self._log(f"site {self._url(site)} of {email}, site token {site.token}")
        return site

    def _url(self, site: _HostedSite) -> str:
        return f"http://{site.domain}:{self.port}/"

    def _email(self, token: str | None) -> str | None:
        if token is None:
            return None
        email = self._store.email(token)
        if email is None:
            raise _ApiError(401, "invalid_token", "the token is not valid")
        return email

    def _note_headers(self, request: web.Request) -> None:
        """Note what section 4 shows and the request has not; the service serves it all the same."""
        for name, value in _JSON_HEADERS.items():
            if request.headers.get(name, "").partition(";")[0].strip().lower() != value:
                self._note(f"{request.method} {request.path!r} has no `{name}: {value}`")


def _host(request: web.Request) -> str:
    try:
        return urlsplit(f"//{request.host}").hostname or ""
    except ValueError:
        return ""


def _is_of_interest(record: logging.LogRecord) -> bool:
    """Return whether a record is of a bug: a damaged request or a lost connection is none."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, _FAULTS_OF_CLIENTS)


_LOG.addFilter(_is_of_interest)


@asynccontextmanager
async def serving(
    store: Store,
    port: int = 0,
    log: _Tell = lambda _: None,
    note: _Tell = lambda _: None,
) -> AsyncIterator[int]:
    """Run the service on a port, 0 for any free one, while the context lasts; yield the port.

    Args:
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
