"""The page of the sandbox: it shows what there is, to this machine alone."""

from __future__ import annotations

import re
import sqlite3
from html.parser import HTMLParser
from http.client import HTTPConnection
from pathlib import Path

import pytest

from rehearsal import (
    ACCEPTED,
    DOMAIN,
    EMAIL,
    OTHER_EMAIL,
    REJECTED,
    UNKNOWN,
    USAGE,
    Sandbox,
    User,
    site,
)
from test_commands import sandbox_process
from test_deploys import posix

PAGE = "/_sandbox/"
FORM = "application/x-www-form-urlencoded"


def fetch(
    running: Sandbox, path: str = PAGE, method: str = "GET", body: str = "", **headers: str
) -> tuple[int, dict[str, str], str]:
    connection = HTTPConnection("127.0.0.1", running.port, timeout=30)
    named = {"Host": f"127.0.0.1:{running.port}"}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body.encode() or None, named)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, {name.lower(): value for name, value in response.getheaders()}, text


def database(running: Sandbox, query: str, *values: str) -> list[tuple[str, ...]]:
    with sqlite3.connect(running.folder / "sandbox.sqlite3") as connection:
        rows = connection.execute(query, values).fetchall()
    connection.close()
    return rows


class Tables(HTMLParser):
    """The tables of a page, by their captions; each row is the texts of its cells."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self._texts: list[str] = []
        self._row: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag in {"caption", "td", "th"}:
            self._texts = []
        if tag == "tr":
            self._row = []

    def handle_data(self, data: str) -> None:
        self._texts.append(data)

    def handle_endtag(self, tag: str) -> None:
        text = "".join(self._texts)
        if tag == "caption":
            self.tables[text] = []
        elif tag == "td":
            self._row.append(text)
        elif tag == "tr" and self._row:
            list(self.tables.values())[-1].append(self._row)


def tables(running: Sandbox) -> dict[str, list[list[str]]]:
    return {name.partition(":")[0]: rows for name, rows in Tables(fetch(running)[2]).tables.items()}


def test_the_page_shows_what_there_is(tmp_path: Path, running: Sandbox, user: User) -> None:
    sent = user.deploy(site(tmp_path / "dist"), "--json").json
    running.play("deploy=drop-after")
    assert user.deploy(site(tmp_path / "dist")).code == UNKNOWN
    shown = tables(running)
    assert [row[0] for row in shown["Accounts"]] == [EMAIL, OTHER_EMAIL]
    tokens = [token for (token,) in database(running, "select token from account order by email")]
    assert [row[2] for row in shown["Accounts"]] == tokens
    ((site_token,),) = database(running, "select site_token from site")
    where = f"http://{DOMAIN}:{running.port}/"
    assert shown["Sites"] == [[where, EMAIL, site_token, "2"]]
    digest = sent["archive"]["sha256"]
    assert [row[1:3] for row in shown["Versions"]] == [["2", digest], ["1", digest]]


@pytest.mark.parametrize(
    "host", ["evil.example", "calm.localhost", "127.0.0.1.nip.io", "127.0.0.2"]
)
def test_the_page_is_on_no_other_host(running: Sandbox, host: str) -> None:
    status, _, text = fetch(running, Host=f"{host}:{running.port}")
    assert status in {403, 404}
    assert EMAIL not in text


def test_the_page_is_shown_in_no_frame_and_has_no_script(running: Sandbox) -> None:
    _, headers, text = fetch(running)
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"
    assert "script" not in text
    assert fetch(running, f"{PAGE}style.css")[1]["content-type"].startswith("text/css")


HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "http://evil.example/",
    "</table><form action=//evil.example>",
    "\u202egnp.exe\x1b[31m",
    "&lt;b&gt;",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_strangers_send_is_text(running: Sandbox, text: str, user: User) -> None:
    before = Tables(fetch(running)[2])
    body = (
        '--x\r\nContent-Disposition: form-data; name="domain"\r\n\r\n'
        f'{text}\r\n--x\r\nContent-Disposition: form-data; name="archive"\r\n\r\nzip\r\n--x--\r\n'
    )
    kind = "multipart/form-data; boundary=x"
    assert fetch(running, "/v2/cli/deploy", "POST", body, Content_Type=kind)[0] == 422
    database(running, "insert into account values (?, ?, x'', x'', 't')", text, text)
    page = fetch(running)[2]
    after = Tables(page)
    assert (after.tags, after.attributes) == (before.tags, before.attributes)
    assert not set(page) & {"\x1b", "\u202e"}
    assert 'href="http://evil' not in page
    shown = {name.partition(":")[0]: rows for name, rows in after.tables.items()}
    assert re.sub("[\u202e\x1b]", "", text) in {
        re.sub(r"\\u....", "", row[0]) for row in shown["Accounts"]
    }
    assert user("sites").code == ACCEPTED


# -- --site --------------------------------------------------------------------------------------


@posix
def test_a_site_with_a_token_takes_deploys_by_it(tmp_path: Path) -> None:
    options = ("--account", EMAIL, "--site", f"{DOMAIN}=s3cret", "--site", "other.localhost")
    with sandbox_process(tmp_path / "data", *options) as (url, said):
        made = [line for line in said if line.startswith("site ")]
        assert made[0] == f"site {DOMAIN} of {EMAIL}, site token s3cret\n"
        other = re.fullmatch(rf"site other.localhost of {EMAIL}, site token (\S+)\n", made[1])
        assert other is not None
        nobody = User(tmp_path / "home", url, {"MANIFESTKIT_SITE_TOKEN": "s3cret"})
        dist = site(tmp_path / "dist")
        assert nobody.deploy(dist).code == ACCEPTED
        assert nobody("deploy", dist, "--domain", "other.localhost").code == REJECTED
        by_other = {"MANIFESTKIT_SITE_TOKEN": other[1]}
        assert nobody("deploy", dist, "--domain", "other.localhost", env=by_other).code == ACCEPTED
    with sandbox_process(tmp_path / "data", "--site", f"{DOMAIN}=new") as (url, said):
        assert f"site {DOMAIN} of {EMAIL}, site token new\n" in said
        nobody = User(tmp_path / "home", url, {"MANIFESTKIT_SITE_TOKEN": "new"})
        assert nobody.deploy(dist).code == ACCEPTED


@pytest.mark.parametrize(
    "options",
    [
        ["--site", DOMAIN],  # of whom?
        ["--account", EMAIL, "--site", f"{DOMAIN}="],
        ["--account", EMAIL, "--site", f"{DOMAIN}= "],
        ["--account", EMAIL, "--site", "calm.example.org"],
        ["--account", EMAIL, "--site", "-.localhost=x"],
        ["--account", EMAIL, "--site", "a.localhost=x", "--site", "b.localhost=x"],
    ],
)
def test_a_site_that_cannot_be_is_wrong_usage(tmp_path: Path, options: list[str]) -> None:
    user = User(tmp_path, "")
    ended = user("sandbox", "--data", tmp_path / "data", *options)
    assert (ended.code, "--site" in ended.err) == (USAGE, True)
