"""What goes over the wire, byte by byte; and what others may send to the sandbox."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from email import message_from_bytes, policy
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from manifestkit.publish.client import Client
from manifestkit.publish.rate_limit import RateLimit, RetryPolicy
from manifestkit.publish.redaction import Secret
from manifestkit.sandbox.faults import Limiter
from rehearsal import (
    ACCEPTED,
    AUTHENTICATION,
    DOMAIN,
    EMAIL,
    OTHER_EMAIL,
    PASSWORD,
    Sandbox,
    User,
    relay,
    sandbox,
    zip_bytes,
    zipped,
)

TOKEN = "tö ken/+%&=?#"  # noqa: S105 - of a sandbox


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


@pytest.mark.parametrize(
    ("form", "login", "sites", "deploy"),
    [
        ("base", "/cli/login", "/cli/sites", "/v2/cli/deploy"),
        ("alt", "/api/cli/login", "/api/cli/sites", "/api/cli/deploy"),
    ],
)
def test_requests_are_what_the_document_shows(
    tmp_path: Path, form: str, login: str, sites: str, deploy: str
) -> None:
    archive = zipped(tmp_path / "site.zip")
    with (
        sandbox(tmp_path / "data", token=TOKEN) as running,
        relay(running.port) as wire,
    ):
        user = User(tmp_path / "home", wire.url, {"MANIFESTKIT_API_FORM": form})
        assert user.login().code == ACCEPTED
        assert user("sites").code == ACCEPTED
        assert user.deploy(archive).code == ACCEPTED
    login_request, sites_request, deploy_request = map(read, wire.requests)

    line, headers, body = login_request
    assert line == f"POST {login} HTTP/1.1"
    assert headers["Content-Type"] == "application/json"
    assert headers["Cache-Control"] == "no-cache"
    assert json.loads(body) == {"email": EMAIL, "password": PASSWORD}

    line, headers, body = sites_request
    encoded = quote(TOKEN, safe="").replace("%20", "+")
    assert line == f"GET {sites}?token={encoded} HTTP/1.1"
    assert headers["Content-Type"] == "application/json"
    assert headers["Cache-Control"] == "no-cache"
    assert body == b""

    line, headers, body = deploy_request
    query = f"?token={encoded}" if form == "base" else ""
    assert line == f"POST {deploy}{query} HTTP/1.1"
    assert headers["Content-Type"].startswith("multipart/form-data; boundary=")
    assert headers["Cache-Control"] is None
    assert headers["Transfer-Encoding"] is None
    assert int(headers["Content-Length"]) == len(body)
    token = [("token", None, "None", TOKEN.encode())] if form == "alt" else []
    assert parts(headers, body) == [
        ("domain", None, "None", DOMAIN.encode()),
        *token,
        ("archive", "archive.zip", "application/zip", archive.read_bytes()),
    ]


@pytest.mark.parametrize(
    ("options", "env", "names", "in_query"),
    [
        ([], {}, ["domain", "archive"], True),
        ([], {"MANIFESTKIT_SITE_TOKEN": "s"}, ["site_token", "domain", "archive"], True),
        (
            ["--site-token-part=sitetoken"],
            {"MANIFESTKIT_SITE_TOKEN": "s"},
            ["sitetoken", "domain", "archive"],
            True,
        ),
        (["--token-placement=part"], {}, ["domain", "token", "archive"], False),
        (["--token-placement=none"], {}, ["domain", "archive"], False),
        (["--api-form=alt"], {}, ["domain", "token", "archive"], False),
        (["--api-form=alt", "--token-placement=query"], {}, ["domain", "archive"], True),
    ],
)
def test_what_the_document_leaves_open_can_be_chosen(
    tmp_path: Path,
    running: Sandbox,
    options: list[str],
    env: Mapping[str, str],
    names: list[str],
    in_query: bool,
) -> None:
    with relay(running.port) as wire:
        user = User(tmp_path / "home", wire.url, {"MANIFESTKIT_TOKEN": "t", **env})
        user.deploy(zipped(tmp_path / "site.zip"), *options)
    (request,) = wire.requests
    line, headers, body = read(request)
    assert [name for name, *_ in parts(headers, body)] == names
    assert ("?token=t " in line) == in_query


def test_a_site_token_is_read_from_a_private_file_and_from_the_credentials(
    tmp_path: Path, running: Sandbox, user: User
) -> None:
    user.deploy(zipped(tmp_path / "site.zip"))
    file = tmp_path / "site-token"
    file.write_text("of the file\n")
    file.chmod(0o600)
    credentials = next(user.home.rglob("credentials.json"))
    contents = json.loads(credentials.read_text("utf-8"))
    with relay(running.port) as wire:
        contents["accounts"][0]["origin"] = wire.url
        contents["accounts"][0]["site_tokens"] = {DOMAIN: "of the credentials"}
        credentials.write_text(json.dumps(contents))
        user.deploy(tmp_path / "site.zip", "--base-url", wire.url)
        user.deploy(tmp_path / "site.zip", "--base-url", wire.url, "--site-token-file", file)
    sent = [parts(*read(request)[1:])[0] for request in wire.requests]
    assert [(name, content) for name, _, _, content in sent] == [
        ("site_token", b"of the credentials"),
        ("site_token", b"of the file"),
    ]


# -- other clients ---------------------------------------------------------------------------


def send(
    running: Sandbox, path: str, body: bytes, kind: str, method: str = "POST"
) -> tuple[int, Any]:
    connection = HTTPConnection("127.0.0.1", running.port, timeout=30)
    connection.request(method, path, body, {"Content-Type": kind})
    response = connection.getresponse()
    value = json.loads(response.read())
    connection.close()
    return response.status, value


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


def test_a_client_logs_in_by_a_form(token: bytes) -> None:
    assert token


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


def site_token_of(running: Sandbox) -> bytes:
    with sqlite3.connect(running.folder / "sandbox.sqlite3") as database:
        (token,) = database.execute("select site_token from site").fetchone()
    database.close()
    return str(token).encode()


@pytest.mark.parametrize("name", ["site_token", "sitetoken"])
def test_a_client_names_the_site_by_its_token_alone(
    running: Sandbox, token: bytes, name: str
) -> None:
    first = multipart(("domain", DOMAIN.encode()), ("token", token), ARCHIVE)
    send(running, "/api/cli/deploy", first, FORM)
    body = multipart((name, site_token_of(running)), ARCHIVE)
    assert send(running, "/v2/cli/deploy", body, FORM)[1]["version"] == 2


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ([ARCHIVE, ("domain", b"a.localhost")], 401, "invalid_token"),
        ([ARCHIVE, ("domain", b"a.localhost"), ("token", b"no")], 401, "invalid_token"),
        ([ARCHIVE, ("site_token", b"no")], 401, "invalid_site_token"),
        ([("domain", b"a.localhost")], 422, "archive_missing"),
        ([("archive", b"no zip"), ("domain", b"a.localhost")], 422, "invalid_archive"),
        ([ARCHIVE, ("site_token", b"a"), ("sitetoken", b"a")], 400, "invalid_part"),
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
    assert running.archives == []


def test_a_site_is_its_accounts_alone(running: Sandbox, user: User, tmp_path: Path) -> None:
    assert user.deploy(zipped(tmp_path / "site.zip")).code == ACCEPTED
    other = User(tmp_path / "other", running.url)
    options = ("--email", OTHER_EMAIL, "--password-stdin")
    assert other("login", *options, stdin=f"{PASSWORD}\n").code == ACCEPTED
    refused = other.deploy(tmp_path / "site.zip")
    assert refused.code == AUTHENTICATION
    assert "status 403, not_your_site" in refused.err
    assert other("sites").out == ""


@pytest.mark.parametrize("domain", ["../x.localhost", "A_B.localhost", "", "x.example.org"])
def test_only_names_under_localhost_are_sites(running: Sandbox, token: bytes, domain: str) -> None:
    body = multipart(ARCHIVE, ("token", token), ("domain", domain.encode()))
    assert send(running, "/api/cli/deploy", body, FORM)[1]["error"]["code"] == "invalid_domain"


def test_no_other_name_reaches_the_sandbox(running: Sandbox) -> None:
    assert running.page("/cli/sites", "evil.example.org")[0] == 403
    assert running.page("/", "none.localhost")[0] == 404
    assert running.page("/no/such/operation", "localhost")[0] == 404


# -- the rate limit --------------------------------------------------------------------------


def test_many_calls_of_one_client_stay_under_the_limit_by_themselves(tmp_path: Path) -> None:
    limit = 20
    with sandbox(tmp_path / "data", limiter=Limiter(limit, 0.5), token="t") as running:
        policy = RetryPolicy(rate_limit=RateLimit(limit, 0.5))
        with Client(running.address(), policy) as client:
            for _ in range(3 * limit):
                client.sites(Secret("t"))
        assert running.refusals == 0


def test_separate_processes_heed_429(tmp_path: Path) -> None:
    with sandbox(tmp_path / "data", limiter=Limiter(2, 0.9), token="t") as running:
        for _ in range(4):
            with Client(running.address()) as client:
                assert client.sites(Secret("t")) == []
        assert running.refusals > 0
