"""The page of the sandbox: what it has, and faults on demand.

What it shows comes from strangers too: names, domains, digests. All of it is escaped, there is no
script, and a change is accepted from this page alone.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple
from urllib.parse import urlsplit

from aiohttp import web

from manifestkit.model.printable import printable
from manifestkit.publish.wire import DOMAIN_PART
from manifestkit.sandbox.deploys import Received
from manifestkit.sandbox.faults import MEANINGS, OPERATIONS, Fault, Faults, Kind, parse_fault
from manifestkit.sandbox.store import Store

PATH = "/_sandbox/"
_STYLE, _FAULTS, _CLEAR = f"{PATH}style.css", f"{PATH}faults", f"{PATH}clear"
_MOST_SHOWN = 50
_DROPPED = frozenset({Kind.DROP_BEFORE, Kind.DROP_AFTER, Kind.CUT})
_SAFE = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    # Without a policy that keeps it for this page, its own form would come from `null`.
    "Referrer-Policy": "same-origin",
}


class Arrival(NamedTuple):
    """A deploy that came, and its outcome: the sandbox's side of a receipt."""

    at: float
    domain: str
    sha256: str
    outcome: str


class Arrivals:
    """The latest deploys since the start, the last one first."""

    def __init__(self) -> None:
        self.latest: deque[Arrival] = deque(maxlen=_MOST_SHOWN)

    def add(
        self, received: Received | None, fault: Fault | None, response: web.StreamResponse
    ) -> None:
        """Keep a deploy.

        Args:
            received: what came of it; None where nothing was read.
            fault: the fault that was played.
            response: the response.
        """
        domain = received.texts.get(DOMAIN_PART, "") if received else ""
        outcome = f"status {response.status}"
        if fault is not None:
            played = f"fault {fault.kind.value}"
            outcome = played if fault.kind in _DROPPED else f"{played}, {outcome}"
        sha256 = (received.sha256 if received else None) or ""
        self.latest.appendleft(Arrival(time.time(), domain, sha256, outcome))


class Page:
    """The page and its forms.

    Args:
        store: what the sandbox remembers.
        faults: the faults that are left.
        arrivals: the deploys that came.
    """

    def __init__(self, store: Store, faults: Faults, arrivals: Arrivals) -> None:
        self._store = store
        self._faults = faults
        self._arrivals = arrivals

    def add_to(self, application: web.Application) -> None:
        """Serve it; the hosts are checked before."""
        application.router.add_get(PATH, self._show)
        application.router.add_get(PATH.rstrip("/"), _to_page)
        application.router.add_get(_STYLE, _show_style)
        application.router.add_post(_FAULTS, self._add_fault)
        application.router.add_post(_CLEAR, self._clear_faults)

    async def _show(self, request: web.Request) -> web.Response:
        port = urlsplit(f"//{request.host}").port
        text = _document(self._sections(f":{port}" if port else ""))
        return web.Response(text=text, content_type="text/html", headers=_SAFE)

    async def _add_fault(self, request: web.Request) -> web.Response:
        _refuse_others(request)
        try:
            form = await request.post()
            given = [form.get(name) for name in ("operation", "fault", "times", "seconds")]
            operation, *rest = (each if isinstance(each, str) else "" for each in given)
            self._faults.add(parse_fault(f"{operation}={','.join(rest)}"))
        except (ValueError, LookupError) as problem:
            return web.Response(status=422, text=printable(str(problem)), headers=_SAFE)
        return _back()

    async def _clear_faults(self, request: web.Request) -> web.Response:
        _refuse_others(request)
        self._faults.clear()
        return _back()

    def _sections(self, port: str) -> Iterable[str]:
        store = self._store
        yield _table(
            "Accounts",
            ("account", "user name", "token"),
            [(each.email, each.name, each.token) for each in store.accounts()],
        )
        yield _table(
            "Sites",
            ("site", "account", "site token", "version"),
            [
                (
                    _Link(f"http://{each.name}.localhost{port}/"),
                    each.email,
                    each.site_token,
                    each.version,
                )
                for each in store.all_sites()
            ],
        )
        yield _table(
            "Versions",
            ("site", "version", "archive (sha256)", "bytes", "accepted"),
            [
                (each.site, each.number, each.sha256, f"{each.size:,}", _moment(each.created))
                for each in store.versions(_MOST_SHOWN)
            ],
        )
        yield _table(
            "Receipts: deploys since the start",
            ("received", "domain", "archive (sha256)", "outcome"),
            [
                (_moment(each.at), each.domain, each.sha256, each.outcome)
                for each in self._arrivals.latest
            ],
        )
        yield _table(
            "Faults to come",
            ("operation", "fault", "what happens", "seconds"),
            [
                (each.operation, each.kind.value, MEANINGS[each.kind], f"{each.seconds:g}")
                for each in self._faults.left[:_MOST_SHOWN]
            ],
        )
        yield _FORM


def _refuse_others(request: web.Request) -> None:
    """Refuse what a page of another site sends: the browser says where it comes from.

    Raises:
        HTTPForbidden: it is from elsewhere, or from no browser that says so.
    """
    if request.headers.get("Origin") != f"http://{request.host}":
        raise web.HTTPForbidden


async def _to_page(request: web.Request) -> web.Response:
    del request
    return _back()


def _back() -> web.Response:
    return web.Response(status=303, headers={"Location": PATH})


async def _show_style(request: web.Request) -> web.Response:
    del request
    return web.Response(text=_CSS, content_type="text/css", headers=_SAFE)


def _moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(seconds))


def _text(value: object) -> str:
    return escape(printable(str(value)))


class _Link(str):
    """An address of the sandbox's own."""

    __slots__ = ()


def _cell(value: object) -> str:
    text = _text(value)
    return (
        f'<td><a href="{text}">{text}</a></td>' if isinstance(value, _Link) else f"<td>{text}</td>"
    )


def _table(caption: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    head = "".join(f'<th scope="col">{_text(each)}</th>' for each in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>\n" for row in rows)
    body = body or f'<tr><td colspan="{len(columns)}" class="none">none</td></tr>\n'
    return (
        f'<div class="wide"><table><caption>{_text(caption)}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div>\n"
    )


def _options(values: Iterable[str]) -> str:
    return "".join(f"<option>{_text(each)}</option>" for each in values)


_FORM = f"""<form method="post" action="{_FAULTS}">
<label>Operation <select name="operation">{_options(reversed(OPERATIONS))}</select></label>
<label>Fault <select name="fault">{_options(each.value for each in MEANINGS)}</select></label>
<label>Times <input name="times" type="number" min="1" max="10000" value="1" required></label>
<label>Seconds <input name="seconds" type="number" min="0" max="3600" step="any" value="1"
required></label>
<button>Simulate</button>
</form>
<form method="post" action="{_CLEAR}"><button>Clear all faults</button></form>
"""


def _document(sections: Iterable[str]) -> str:
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f'<title>manifest sandbox</title><link rel="stylesheet" href="{_STYLE}"></head>\n'
        f'<body><h1>manifest sandbox</h1>\n<p><a href="{PATH}">Refresh</a></p>\n'
        f"{''.join(sections)}</body></html>\n"
    )


_CSS = """:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { margin: 2rem auto; max-width: 70rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
caption { font: 600 1.2rem system-ui, sans-serif; padding: 1.5rem 0 .5rem; text-align: left }
th, td { border-bottom: 1px solid #8888; padding: .3rem .6rem; text-align: left }
td { font-family: ui-monospace, monospace; font-size: .85rem; overflow-wrap: anywhere }
.none { color: #767676 }
.wide { overflow-x: auto }
form { align-items: end; display: flex; flex-wrap: wrap; gap: 1rem; padding-top: 1rem }
label { display: grid }
input, select, button { font: inherit }
"""
