"""The page of the sandbox: the accounts, sites and versions that it has.

What it shows comes from strangers too: names, domains, digests. All of it is escaped, and there is
no script and no form.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from html import escape
from urllib.parse import urlsplit

from aiohttp import web

from manifestkit.model.printable import printable
from manifestkit.sandbox.store import Store

PATH = "/_sandbox/"
_STYLE = f"{PATH}style.css"
_MOST_SHOWN = 50
_SAFE = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def add_page(application: web.Application, store: Store) -> None:
    """Serve the page; the hosts are checked before."""

    async def show(request: web.Request) -> web.Response:
        port = urlsplit(f"//{request.host}").port
        text = _document(_sections(store, f":{port}" if port else ""))
        return web.Response(text=text, content_type="text/html", headers=_SAFE)

    async def show_style(request: web.Request) -> web.Response:
        del request
        return web.Response(text=_CSS, content_type="text/css", headers=_SAFE)

    application.router.add_get(PATH, show)
    application.router.add_get(_STYLE, show_style)


def _sections(store: Store, port: str) -> Iterable[str]:
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
"""
