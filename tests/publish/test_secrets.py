"""Secrets reach nothing that is shown, logged or kept, whatever goes wrong and however written."""

from __future__ import annotations

import html
import json
import logging
import re
import traceback
from collections.abc import Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifestkit.errors import ConfigurationError, PublishError
from manifestkit.publish.address import parse_address
from manifestkit.publish.client import Client
from manifestkit.publish.pace import Patience
from manifestkit.publish.redaction import HIDDEN, Redactor, Secret
from manifestkit.sandbox.faults import Kind
from rehearsal import EMAIL, Sandbox, User, sandbox, zipped

CANARIES = {
    "token": 'tok/en+kü %&=?#"<ã>\\',
    "password": "pass wörd%2F+&'\"\\;",
    "site token": "site#tok=en/%41 é",
}


def forms(secret: str) -> set[str]:
    """A secret as those write it who print addresses, JSON, pages or representations."""
    return {
        secret,
        quote(secret, safe=""),
        quote(secret),
        quote_plus(secret),
        re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), quote_plus(secret)),
        quote(quote(secret, safe=""), safe=""),
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        html.escape(secret),
        repr(secret)[1:-1],
        repr(secret.encode())[2:-1],
    }


def is_clean(text: str) -> bool:
    leaks = [form for secret in CANARIES.values() for form in forms(secret) if form in text]
    assert not leaks, (leaks, text)
    return True


@pytest.fixture
def logged() -> Iterator[list[str]]:
    """Everything that is logged, at every level, by whoever."""
    records: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(f"{record.name} {record.getMessage()}")

    keep = Keep(1)
    names = ("", "httpx2", "httpcore2", "httpcore2.http11", "httpcore2.connection")
    for name in names:
        logging.getLogger(name).addHandler(keep)
        logging.getLogger(name).setLevel(1)
    yield records
    for name in names:
        logging.getLogger(name).removeHandler(keep)
        logging.getLogger(name).setLevel(logging.NOTSET)
    logging.getLogger().setLevel(logging.WARNING)


FAULTS = [f"{kind.value},1,0" for kind in Kind]


def test_no_run_with_a_fault_shows_a_secret(tmp_path: Path, logged: list[str]) -> None:
    canary = {"MANIFESTKIT_SITE_TOKEN": CANARIES["site token"]}
    archive = zipped(tmp_path / "site.zip")
    with sandbox(
        tmp_path / "data", password=CANARIES["password"], token=CANARIES["token"]
    ) as running:
        user = User(tmp_path / "home", running.url, canary)
        shown = []
        for form in ("base", "alt"):
            for fault in [None, *FAULTS]:
                for operation in ("login", "sites", "deploy"):
                    if fault:
                        running.play(f"{operation}={fault}")
                    limits = ("--api-form", form, "--max-wait", "0", "--timeout", "5")
                    as_json = ("--json",) if form == "alt" else ()
                    if operation == "login":
                        ended = user.login(*limits, *as_json, password=CANARIES["password"])
                    elif operation == "sites":
                        ended = user("sites", *limits, *as_json)
                    else:
                        ended = user.deploy(archive, *limits, *as_json)
                    shown += [ended.out, ended.err]
        shown += [user("logout").out, *running.log]
    assert is_clean("\n".join(shown))
    assert is_clean("\n".join(logged))
    kept = [path for path in user.home.rglob("*") if path.is_file()]
    assert len(kept) > len(FAULTS)
    assert all(is_clean(path.read_text("utf-8")) for path in kept)  # after the logout


class Echo(BaseHTTPRequestHandler):
    """Throws back what it gets, in every form that a service might have it in."""

    status = HTTPStatus.BAD_REQUEST
    kind = "json"

    def log_message(self, format: str, *arguments: object) -> None:
        del format, arguments

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        known = {"login": ["password"], "sites": ["token"], "deploy": ["token", "site token"]}
        given = known[self.path.partition("?")[0].rpartition("/")[2]]
        everything = [form for name in given for form in sorted(forms(CANARIES[name]))]
        told = [self.path, *everything]
        if self.kind == "json":
            error = {"code": told[0], "message": " ".join(told), "details": {told[1]: told}}
            body = json.dumps({"success": False, "error": error, "token": told[0]}).encode()
        elif self.kind == "string":
            body = json.dumps({"success": False, "error": " ".join(told)}).encode()
        else:
            body = f"<title>{' '.join(told)}</title>".encode()
        self.send_response(self.status)
        location = quote(CANARIES[given[0]], safe="")
        self.send_header("Location", f"https://{location}.example/{location}?x={location}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer  # noqa: N815 - the library's names


@pytest.mark.parametrize(
    ("kind", "status"),
    [("json", 200), ("html", 302), ("string", 401), ("json", 429), ("html", 500)],
)
def test_a_service_that_throws_secrets_back_shows_none(
    tmp_path: Path, logged: list[str], kind: str, status: int
) -> None:
    handler = type("Handler", (Echo,), {"kind": kind, "status": HTTPStatus(status)})
    server = HTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    secrets = {
        "MANIFESTKIT_TOKEN": CANARIES["token"],
        "MANIFESTKIT_SITE_TOKEN": CANARIES["site token"],
    }
    user = User(tmp_path / "home", url, secrets)
    archive = zipped(tmp_path / "site.zip")
    shown = []
    for form in ("base", "alt"):
        limits = ("--api-form", form, "--max-wait", "0", "--json")
        runs = (
            user.deploy(archive, *limits),
            user.deploy(archive, *limits[:-1]),
            user("sites", *limits),
            user("sites", *limits[:-1]),
        )
        shown += [text for ended in runs for text in (ended.out, ended.err)]
    with (
        Client(parse_address(url, "base"), Patience(max_wait=0)) as client,
        pytest.raises(PublishError) as raised,
    ):
        client.login(EMAIL, Secret(CANARIES["password"]))
    told = traceback.TracebackException.from_exception(raised.value, capture_locals=True)
    del told.stack[0]  # this function knows them, after all
    server.shutdown()
    server.server_close()
    assert is_clean("\n".join(shown))
    assert is_clean("\n".join(logged))
    assert is_clean("".join(told.format()))
    assert all(is_clean(path.read_text("utf-8")) for path in user.home.rglob("*.json"))


WAYS = (
    str,
    lambda one: quote(one, safe=""),
    lambda one: one if one.isalnum() else quote(one, safe="").lower(),
    lambda one: quote(quote(one, safe=""), safe=""),
    lambda one: json.dumps(one)[1:-1],
    html.escape,
    lambda one: f"&#{ord(one)};",
    lambda one: f"&#x{ord(one):X};",
    lambda one: repr(one)[1:-1],
    lambda one: repr(one.encode())[2:-1],
    lambda one: "".join(f"%{octet:02X}" for octet in one.encode()),
)


@given(st.data())
def test_a_secret_is_found_however_each_of_its_characters_is_written(data: st.DataObject) -> None:
    secret = data.draw(st.text(st.characters(codec="utf-8"), min_size=1, max_size=6))
    ways = data.draw(st.lists(st.sampled_from(WAYS), min_size=len(secret), max_size=len(secret)))
    written = "".join(way(one) for way, one in zip(ways, secret, strict=True))
    redactor = Redactor()
    redactor.learn(Secret(secret))
    assert redactor.text(f"\x00{written}\x00") in {
        f"\x00{HIDDEN}\x00",
        redactor.text("\x00") + HIDDEN + redactor.text("\x00"),
    }


def test_members_that_are_secrets_by_their_names_are_hidden_and_others_stay() -> None:
    value = {"site_token": "x", "sites": [{"apiKey": "y", "name": "calm"}], "tokens": 3}
    assert Redactor().value(value) == {
        "site_token": HIDDEN,
        "sites": [{"apiKey": HIDDEN, "name": "calm"}],
        "tokens": 3,
    }


def test_a_secret_is_not_shown_by_printing_it() -> None:
    secret = Secret(CANARIES["token"])
    assert is_clean(f"{secret} {secret!r} {[secret]}")


# -- where secrets may go, and where they lie ------------------------------------------------


@pytest.mark.parametrize(
    ("base", "told"),
    [
        ("http://api.example.org", "write https://api.example.org"),
        ("http://127.0.0.1.example.org", "write https://"),
        ("http://localhost.example.org", "write https://"),
        ("http://[2001:db8::1]", "write https://"),
        ("http://0.0.0.0:80", "write https://"),
        ("ftp://api.example.org", "is no address"),
        ("api.example.org", "is no address"),
        ("https://", "is no address"),
        ("https://a:99999", "is no address"),
        ("https://a b", "is no address"),
        ("https://user:geheim@api.example.org", "holds no user"),
        ("https://api.example.org/?token=geheim", "holds no user, query"),
        ("https://api.example.org/#x", "holds no user, query or fragment"),
    ],
)
def test_an_address_that_secrets_must_not_go_to_is_refused(base: str, told: str) -> None:
    with pytest.raises(ConfigurationError, match=told) as raised:
        parse_address(base, "base")
    assert "geheim" not in str(raised.value)


@pytest.mark.parametrize(
    ("base", "origin"),
    [
        ("https://API.example.org:443/", "https://api.example.org"),
        ("https://api.example.org:8443/x/", "https://api.example.org:8443"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://127.8.9.1", "http://127.8.9.1"),
        ("http://[::1]:80", "http://[::1]"),
        ("http://localhost:8080", "http://localhost:8080"),
    ],
)
def test_one_origin_has_one_spelling(base: str, origin: str) -> None:
    assert parse_address(base, "base").origin == origin


def test_the_prefix_of_the_alt_form_is_not_to_be_given_twice() -> None:
    with pytest.raises(ConfigurationError, match="leave it out"):
        parse_address("https://example.org/api", "alt")


def test_a_proxy_is_not_asked_about_this_machine(
    tmp_path: Path, running: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    assert User(tmp_path / "home", running.url).login().code == 0
