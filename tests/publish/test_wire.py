"""Each sentence of the API document on the wire; and what other clients of the API send."""

from __future__ import annotations

import json
import re
import socket
import zipfile
from collections.abc import Mapping
from email import message_from_bytes, policy
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import pytest

from manifestkit.sandbox.service import Store
from rehearsal import (
    ACCEPTED,
    AUTHENTICATION,
    DOMAIN,
    EMAIL,
    OTHER_EMAIL,
    PASSWORD,
    REJECTED,
    Sandbox,
    User,
    asked,
    http,
    sandbox,
    stub,
    zip_bytes,
    zipped,
)
from rows import rows

TOKEN = "tö ken/+%&=?#"  # noqa: S105 - of a stub


def read(request: bytes) -> tuple[str, Any, bytes]:
    """The request line, the headers and the body of a request."""
    head, _, body = request.partition(b"\r\n\r\n")
    line, _, headers = head.partition(b"\r\n")
    return line.decode(), message_from_bytes(headers), body


def parts(headers: Any, body: bytes) -> list[tuple[str, str | None, str, bytes]]:
    """Name, file name, type and content of each part, in order."""
    whole = b"Content-Type: " + headers["Content-Type"].encode() + b"\r\n\r\n" + body
    message = message_from_bytes(whole, policy=policy.HTTP)
    return [
        (
            str(part.get_param("name", header="content-disposition")),
            part.get_filename(),
            str(part["Content-Type"]),
            bytes(part.get_payload(decode=True)),
        )
        for part in message.iter_parts()
    ]


class Exchange(NamedTuple):
    """The requests of one login, one list of sites and one deploy, in both address forms."""

    form: str
    login: tuple[str, Any, bytes]
    sites: tuple[str, Any, bytes]
    deploy: tuple[str, Any, bytes]
    listed: str


@pytest.fixture(scope="module", params=["base", "alt"])
def exchange(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Exchange:
    folder = tmp_path_factory.mktemp("wire")
    replies = (http(200, {"name": "me", "token": TOKEN}), http(200), http(200, [DOMAIN]))
    with stub(*replies) as service:
        user = User(folder / "home", service.url, {"MANIFESTKIT_API_FORM": request.param})
        assert user.login().code == ACCEPTED
        assert user.deploy(zipped(folder / "site.zip")).code == ACCEPTED
        listed = user("sites")
        assert listed.code == ACCEPTED
    login, deploy, sites = map(read, service.requests)
    return Exchange(request.param, login, sites, deploy, listed.out)


ENCODED = quote(TOKEN, safe="").replace("%20", "+")


def test_section_4_each_operation_has_its_method_and_path(exchange: Exchange) -> None:
    """| Operation | Method | Path under {base_url} | Path under {alt_base_url} |."""
    paths = {
        "base": ["POST /cli/login", "GET /cli/sites", "POST /v2/cli/deploy"],
        "alt": ["POST /api/cli/login", "GET /api/cli/sites", "POST /api/cli/deploy"],
    }
    lines = [exchange.login[0], exchange.sites[0], exchange.deploy[0]]
    assert [re.split(r"[?]| HTTP", line)[0] for line in lines] == paths[exchange.form]
    assert all(line.endswith(" HTTP/1.1") for line in lines)


def test_section_4_requests_except_the_deploy_carry_two_headers(exchange: Exchange) -> None:
    """Content-Type: application/json and Cache-Control: no-cache."""
    for _, headers, _ in (exchange.login, exchange.sites):
        assert headers["Content-Type"] == "application/json"
        assert headers["Cache-Control"] == "no-cache"
    _, headers, _ = exchange.deploy
    assert headers["Content-Type"].startswith("multipart/form-data; boundary=")
    assert headers["Cache-Control"] is None


def test_section_4_login_sends_an_object_with_email_and_password(exchange: Exchange) -> None:
    assert json.loads(exchange.login[2]) == {"email": EMAIL, "password": PASSWORD}


def test_section_4_fetch_sites_has_the_token_in_the_query_and_no_body(exchange: Exchange) -> None:
    """Section 5: send the token as the query parameter `token` on later requests."""
    assert exchange.sites[0].partition(" ")[2].partition(" ")[0].endswith(f"?token={ENCODED}")
    assert exchange.sites[2] == b""
    assert exchange.listed == f"{DOMAIN}\n"


def test_section_4_deploy_is_multipart_form_data_with_these_parts(exchange: Exchange) -> None:
    """The variant form: the target site is given in the parameters, with the user token."""
    line, headers, body = exchange.deploy
    assert (f"?token={ENCODED}" in line) == (exchange.form == "base")
    assert headers["Transfer-Encoding"] is None
    assert int(headers["Content-Length"]) == len(body)
    *fields, archive = parts(headers, body)
    token = [("token", None, "None", TOKEN.encode())] if exchange.form == "alt" else []
    assert fields == [("domain", None, "None", DOMAIN.encode()), *token]
    name, file_name, kind, content = archive
    assert (name, file_name, kind) == ("archive", "archive.zip", "application/zip")
    with zipfile.ZipFile(BytesIO(content)) as sent:
        assert sent.namelist() == ["index.js", "manifest.json"]


def test_each_request_says_which_version_of_which_client_it_is_of(exchange: Exchange) -> None:
    for _, headers, _ in (exchange.login, exchange.sites, exchange.deploy):
        assert headers["User-Agent"] == f"manifestkit/{version('manifestkit')}"


@rows(
    ("settings", "env", "names", "in_query"),
    [
        ("", {}, ["domain", "archive"], True),
        ("", {"MANIFESTKIT_SITE_TOKEN": "s"}, ["site_token", "domain", "archive"], True),
        ('site-token-env = "CALM"', {"CALM": "s"}, ["site_token", "domain", "archive"], True),
        (
            'site-token-part = "sitetoken"',
            {"MANIFESTKIT_SITE_TOKEN": "s"},
            ["sitetoken", "domain", "archive"],
            True,
        ),
        ('token-placement = "part"', {}, ["domain", "token", "archive"], False),
        (
            'token-placement = "none"',
            {"MANIFESTKIT_SITE_TOKEN": "s"},
            ["site_token", "domain", "archive"],
            False,
        ),
        ('api-form = "alt"', {}, ["domain", "token", "archive"], False),
        ('api-form = "alt"\ntoken-placement = "query"', {}, ["domain", "archive"], True),
    ],
)
def test_what_the_document_leaves_open_can_be_chosen(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: str,
    env: Mapping[str, str],
    names: list[str],
    in_query: bool,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "manifestkit.toml").write_text(f"[publish]\n{settings}\n")
    with stub(http(200)) as service:
        user = User(tmp_path / "home", service.url, {"MANIFESTKIT_TOKEN": "t", **env})
        assert user.deploy(zipped(tmp_path / "site.zip")).code == ACCEPTED
    (request,) = service.requests
    line, headers, body = read(request)
    assert [name for name, *_ in parts(headers, body)] == names
    assert ("?token=t " in line) == in_query


# -- other clients ---------------------------------------------------------------------------


def send(
    running: Sandbox, path: str, body: bytes, kind: str, method: str = "POST"
) -> tuple[int, Any]:
    headers = {"Content_Type": kind, "Cache_Control": "no-cache"}
    status, content = asked(running.port, method, path, body, **headers)
    return status, json.loads(content)


@pytest.mark.parametrize("missing", ["Content-Type", "Cache-Control"])
def test_the_sandbox_notes_a_header_that_the_document_shows_and_serves(
    running: Sandbox, token: bytes, missing: str
) -> None:
    headers = {"Content-Type": "application/json", "Cache-Control": "no-cache"}
    del headers[missing]
    path = f"/cli/sites?token={token.decode()}"
    assert asked(running.port, "GET", path, None, **headers) == (200, b"[]")
    assert [note.partition("`")[2].partition(":")[0] for note in running.notes] == [missing]


def multipart(*fields: tuple[str, bytes]) -> bytes:
    """Parts as browsers and command-line tools send them."""
    body = b""
    for name, content in fields:
        file = b'; filename="site.zip"' if name == "archive" else b""
        body += b'--x\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n%s\r\n' % (
            name.encode(),
            file,
            content,
        )
    return body + b"--x--\r\n"


FORM = "multipart/form-data; boundary=x"
ARCHIVE = ("archive", zip_bytes({"index.html": b"hello"}))


@pytest.fixture
def token(running: Sandbox) -> bytes:
    body = urlencode({"email": EMAIL, "password": PASSWORD}).encode()
    status, value = send(running, "/api/cli/login", body, "application/x-www-form-urlencoded")
    assert (status, value["name"]) == (200, "me")
    return str(value["token"]).encode()


@pytest.mark.parametrize("path", ["/v2/cli/deploy", "/api/cli/deploy"])
@pytest.mark.parametrize("order", ["before", "after", "query"])
def test_a_client_sends_its_token_before_or_after_the_archive_and_no_site_token(
    running: Sandbox, token: bytes, path: str, order: str
) -> None:
    fields = [("domain", DOMAIN.encode()), ARCHIVE]
    if order == "query":
        path += f"?token={token.decode()}"
    else:
        fields.insert(0 if order == "before" else 2, ("token", token))
    status, value = send(running, path, multipart(*fields), FORM)
    assert (status, value["success"]) == (200, True)
    assert running.page() == (200, b"hello")
    listed = send(running, f"/cli/sites?token={token.decode()}", b"", "application/json", "GET")
    assert listed == (200, [DOMAIN])


@pytest.fixture
def site_token(tmp_path: Path) -> bytes:
    """The token of a site that there is before the sandbox starts."""
    with Store(tmp_path / "sandbox") as store:
        store.add_account(EMAIL, PASSWORD)
        return store.create_site("calm", EMAIL).token.encode()


@pytest.mark.parametrize("name", ["site_token", "sitetoken"])
def test_a_client_names_the_site_by_its_token_alone(
    site_token: bytes, running: Sandbox, name: str
) -> None:
    body = multipart((name, site_token), ARCHIVE)
    assert send(running, "/v2/cli/deploy", body, FORM)[1]["version"] == 1


def test_a_new_site_is_shown_with_its_token_which_takes_deploys_to_it_alone(
    running: Sandbox, user: User, tmp_path: Path
) -> None:
    archive = zipped(tmp_path / "site.zip")
    deployed = user.deploy(archive)
    address = f"http://{DOMAIN}:{running.port}/"
    assert (deployed.code, f"the site is at {address}" in deployed.err) == (ACCEPTED, True)
    (made,) = (line for line in running.log if line.startswith("site "))
    shown, _, token = made.rpartition(" ")
    assert shown == f"site {address} of {EMAIL}, site token"
    nobody = User(tmp_path / "nobody", running.url, {"MANIFESTKIT_SITE_TOKEN": token})
    assert nobody.deploy(archive).code == ACCEPTED
    assert nobody("deploy", archive, "--domain", "other.localhost").code == REJECTED


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ([ARCHIVE, ("domain", b"a.localhost")], 401, "invalid_token"),
        ([ARCHIVE, ("domain", b"a.localhost"), ("token", b"no")], 401, "invalid_token"),
        ([ARCHIVE, ("site_token", b"no")], 401, "invalid_site_token"),
        ([("domain", b"a.localhost")], 422, "archive_missing"),
        ([ARCHIVE, ("domain", b"a"), ("domain", b"a")], 400, "invalid_part"),
        ([ARCHIVE, ("colour", b"red")], 400, "invalid_part"),
    ],
)
def test_what_is_wrong_with_a_deploy_is_told_by_the_documented_object(
    running: Sandbox, fields: list[tuple[str, bytes]], status: int, code: str
) -> None:
    got, value = send(running, "/v2/cli/deploy", multipart(*fields), FORM)
    assert (got, value["success"], value["error"]["code"]) == (status, False, code)
    assert isinstance(value["error"]["message"], str)
    assert isinstance(value["error"]["details"], dict)
    assert list((running.folder / "sandbox-sites").iterdir()) == []


def test_a_site_is_its_accounts_alone(tmp_path: Path) -> None:
    with sandbox(tmp_path / "sandbox", PASSWORD, OTHER_EMAIL) as running:
        user, other = (User(tmp_path / name, running.url) for name in ("home", "other"))
        assert user.login().code == ACCEPTED
        assert user.deploy(zipped(tmp_path / "site.zip")).code == ACCEPTED
        options = ("--email", OTHER_EMAIL, "--password-stdin")
        assert other("login", *options, stdin=f"{PASSWORD}\n").code == ACCEPTED
        refused = other.deploy(tmp_path / "site.zip")
        assert refused.code == AUTHENTICATION
        assert "status 403, not_your_site" in refused.err
        assert other("sites").out == ""


@pytest.mark.parametrize("domain", ["../x.localhost", "A_B.localhost", "", "x..example.org-"])
def test_only_names_under_localhost_are_sites(running: Sandbox, token: bytes, domain: str) -> None:
    body = multipart(ARCHIVE, ("token", token), ("domain", domain.encode()))
    assert send(running, "/api/cli/deploy", body, FORM)[1]["error"]["code"] == "invalid_domain"


def test_a_domain_elsewhere_is_served_under_localhost(running: Sandbox, token: bytes) -> None:
    body = multipart(ARCHIVE, ("token", token), ("domain", b"calm.example.org"))
    assert send(running, "/api/cli/deploy", body, FORM)[1]["domain"] == "calm-example-org.localhost"


def test_no_other_name_reaches_the_sandbox(running: Sandbox) -> None:
    assert running.page("/cli/sites", "evil.example.org")[0] == 403
    assert running.page("/", "none.localhost")[0] == 404
    assert running.page("/no/such/operation", "localhost")[0] == 404


# Recorded from two clients that exist for this API, with their own libraries: forge's Ruby gem
# (rest-client 2.1, rubyzip 2.3) and hexo-deployer-getforge (request 2.88, archiver). The archives
# are theirs byte by byte: rubyzip writes UTF-8 names and does not mark them so.
RECORDINGS = {
    "ruby": (
        (
            "POST /v2/cli/deploy HTTP/1.1\r\nAccept: */*\r\n"
            "User-Agent: rest-client/2.1.0 (linux x86_64) ruby/3.1.2p20\r\n"
            "Content-Type: multipart/form-data; boundary=----RubyFormBoundaryZ2h1XrD0Lf4vGlmJ\r\n"
            "Accept-Encoding: gzip;q=1.0,deflate;q=0.6,identity;q=0.3\r\n"
        ),
        "----RubyFormBoundaryZ2h1XrD0Lf4vGlmJ",
        [
            ('archive"; filename="archive.zip', "application/zip", "{archive}"),
            ("domain", None, DOMAIN),
            ("site_token", None, "{site_token}"),
        ],
    ),
    "hexo": (
        (
            "POST /api/cli/deploy HTTP/1.1\r\n"
            "content-type: multipart/form-data; boundary=--------------------------0123456789\r\n"
        ),
        "--------------------------0123456789",
        [
            ('archive"; filename="public.zip', "application/zip", "{archive}"),
            ("token", None, "{token}"),
            ("domain", None, DOMAIN),
        ],
    ),
}


RECORDED_REQUESTS = {
    "ruby": (
        "POST /cli/login HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n",
        "GET /cli/sites?token={token} HTTP/1.1\r\nAccept: */*\r\n",
    ),
    "hexo": (
        "POST /api/cli/login HTTP/1.1\r\ncontent-type: application/x-www-form-urlencoded\r\n",
        "GET /api/cli/sites?token={token} HTTP/1.1\r\n",
    ),
}


def raw(running: Sandbox, head: str, body: bytes = b"") -> bytes:
    head += f"Host: 127.0.0.1:{running.port}\r\nContent-Length: {len(body)}\r\n"
    with socket.create_connection(("127.0.0.1", running.port)) as connection:
        connection.sendall(head.encode() + b"Connection: close\r\n\r\n" + body)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 200 "), answer
    return answer.partition(b"\r\n\r\n")[2]


@pytest.mark.parametrize("client", RECORDINGS)
def test_a_real_second_client_logs_in_lists_and_deploys(
    site_token: bytes, running: Sandbox, client: str
) -> None:
    login, sites = RECORDED_REQUESTS[client]
    form = urlencode({"email": EMAIL, "password": PASSWORD}).encode()
    token = str(json.loads(raw(running, login, form))["token"])
    assert json.loads(raw(running, sites.format(token=token))) == [DOMAIN]
    archive = unmarked({"index.html": b"ruby", "caf\xe9/\xfcber.html": b"\xc3\xa9"})
    head, boundary, fields = RECORDINGS[client]
    body = b""
    for name, kind, value in fields:
        content = {"{archive}": archive, "{token}": token.encode(), "{site_token}": site_token}
        body += f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n'.encode()
        body += f"Content-Type: {kind}\r\n".encode() if kind else b""
        body += b"\r\n" + content.get(value, value.encode()) + b"\r\n"
    body += f"--{boundary}--\r\n".encode()
    raw(running, head, body)
    assert running.page() == (200, b"ruby")
    assert running.page(quote("/caf\xe9/\xfcber.html")) == (200, b"\xc3\xa9")


def unmarked(files: Mapping[str, bytes]) -> bytes:
    """An archive with names in UTF-8 that are not marked so, as rubyzip writes them."""
    data = bytearray(zip_bytes(files))
    for mark, at in ((b"PK\3\4", 7), (b"PK\1\2", 9)):
        found = data.find(mark)
        while found >= 0:
            data[found + at] &= ~0x08
            found = data.find(mark, found + 4)
    return bytes(data)
