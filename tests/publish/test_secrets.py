"""Secrets reach nothing that is shown, logged or kept, whatever goes wrong and however written."""

from __future__ import annotations

import html
import json
import logging
import re
import time
import traceback
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import quote, quote_plus

import httpcore2
import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manifestkit.model.errors import ConfigurationError, PublishError
from manifestkit.publish.address import parse_address
from manifestkit.publish.client import Client
from manifestkit.publish.redaction import HIDDEN, Redactor, Secret
from manifestkit.publish.response import read_response
from manifestkit.publish.retry import RetryPolicy
from manifestkit.sandbox.faults import Kind
from rehearsal import EMAIL, Sandbox, User, sandbox, zipped
from test_faults import answering

pytestmark = pytest.mark.slow

CANARIES = {
    "token": 'tok/en+kü %&=?#"<ã>\\',
    "password": "pass wörd%2F+&'\"\\;",
    "site token": "site#tok=en/%41 é",
}


def forms(secret: str) -> set[str]:
    """A secret in every way that a service may write it."""
    return {
        secret,
        quote(secret),
        json.dumps(secret, ensure_ascii=False)[1:-1],
        *(encode(secret) for encode in ENCODERS.values()),
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


FAULTS = [f"{kind.label},1,0" for kind in Kind]


def test_whatever_the_http_library_logs_is_redacted(logged: list[str]) -> None:
    sources = [*Path(httpx2.__file__).parent.rglob("*.py")]
    sources += Path(httpcore2.__file__).parent.rglob("*.py")
    texts = [path.read_text("utf-8") for path in sources]
    names = {name for text in texts for name in re.findall(r'getLogger\("([\w.]+)"\)', text)}
    assert {"httpx2", "httpcore2.http11"} < names
    redactor = Redactor()
    redactor.learn(Secret(CANARIES["token"]))
    with redactor.redacting_logs():
        for name in names:
            logging.getLogger(name).error("sent %s", CANARIES["token"])
    assert is_clean("\n".join(logged))
    assert [each for each in logged if HIDDEN in each]


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
                for operation in ("login", "sites", "whoami", "deploy"):
                    if fault:
                        asked = "sites" if operation == "whoami" else operation
                        running.play(f"{asked}={fault}")
                    limits = ("--api-form", form, "--max-wait", "0", "--timeout", "5")
                    as_json = ("--json",) if form == "alt" else ()
                    if operation == "login":
                        ended = user.login(*limits, *as_json, password=CANARIES["password"])
                    elif operation != "deploy":
                        ended = user(operation, *limits, *as_json)
                    else:
                        ended = user.deploy(archive, *limits, *as_json)
                    shown += [ended.out, ended.err]
        shown += [user("deploys", "--json").out, user("deploys").out]
        shown += [user("logout").out, *running.log]
    assert is_clean("\n".join(shown))
    assert is_clean("\n".join(logged))
    assert any(each.startswith("httpx2 HTTP Request:") and HIDDEN in each for each in logged)
    logging.getLogger("httpx2").info("the log of another client")
    assert "httpx2 the log of another client" in logged
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
            user("whoami", *limits),
            user("whoami", *limits[:-1]),
            user("deploys", "--json"),
            user("deploys"),
        )
        shown += [text for ended in runs for text in (ended.out, ended.err)]
    with (
        Client(parse_address(url, "base"), RetryPolicy(max_wait=0)) as client,
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


def core(text: str, before: int) -> str:
    """The base64 digits that a text shares with nothing around it."""
    octets = bytes(before) + text.encode()
    return b64encode(octets).decode()[-(-before * 8 // 6) : len(octets) * 8 // 6]


ENCODERS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "upper case": lambda text: re.sub("[a-z]+", lambda found: found[0].upper(), text),
    "percent": lambda text: quote(text, safe=""),
    "percent, lower case": lambda text: re.sub("%..", lambda x: x[0].lower(), quote(text, safe="")),
    "percent, in a path": quote,
    "form": quote_plus,
    "JSON": lambda text: json.dumps(text)[1:-1],
    "JSON, in UTF-8": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "JSON, slashes escaped": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "JSON, safe in HTML": lambda text: json.dumps(text)[1:-1].replace("<", "\\u003C"),
    "base64": lambda text: core(text, 0),
    "base64, after one byte": lambda text: core(text, 1),
    "base64, after two": lambda text: core(text, 2),
    "base64, for addresses": lambda text: core(text, 0).replace("+", "-").replace("/", "_"),
}
"""How a service may write a secret that it throws back; `docs/publishing.md` lists them."""

SECRETS = st.text(st.sampled_from("aZ0-_.~ /+=%&?#<>\"'\\äß€😀"), min_size=8, max_size=24).filter(
    lambda text: len(set(text.strip())) > 3
)


def nested(text: str, shape: list[str]) -> Any:
    value: Any = f"it said ({text}) to us"
    for each in shape:
        if each == "list":
            value = [1, value, None]
        elif each == "member":
            value = {"a": value}
        elif each == "key" and isinstance(value, str):
            value = {value: "b"}
    return value


@given(
    secret=SECRETS,
    encoder=st.sampled_from(sorted(ENCODERS)),
    shape=st.lists(st.sampled_from(["list", "member", "key"]), max_size=4),
)
def test_a_secret_is_found_in_every_encoding_however_nested(
    secret: str, encoder: str, shape: list[str]
) -> None:
    written = ENCODERS[encoder](secret)
    redactor = Redactor()
    redactor.learn(Secret(secret), Secret("another secret"))
    shown = json.dumps(redactor.value(nested(written, shape)), ensure_ascii=False)
    assert written not in shown
    assert HIDDEN in shown


ESCAPES: tuple[Callable[[str], str], ...] = (
    str,
    lambda text: quote(text, safe=""),
    lambda text: "".join(f"%{octet:02x}" for octet in text.encode()),
    lambda text: json.dumps(text)[1:-1],
    lambda text: re.sub("....", r"\\u\g<0>", text.encode("utf-16-be").hex()),
    lambda text: "".join(f"&#{ord(each)};" for each in text),
    lambda text: "".join(f"&#x{ord(each):X};" for each in text),
    html.escape,
)


@given(data=st.data(), secret=SECRETS.filter(lambda text: not {*"%&\\"} & {*text}))
def test_a_secret_is_found_in_any_mix_of_escapes(data: st.DataObject, secret: str) -> None:
    escapes = st.lists(st.sampled_from(ESCAPES), max_size=2)
    written = ""
    for letter in secret:
        spelt = letter
        for escape in data.draw(escapes):
            spelt = escape(spelt)
        written += spelt
    redactor = Redactor()
    redactor.learn(Secret(secret))
    assert redactor.text(f"it said ({written}) to us") == f"it said ({HIDDEN}) to us"


@pytest.mark.parametrize("unit", ["a", "%61", "%25", "\\u0061", "&#97;", "\\\\"])
def test_the_time_to_redact_grows_with_the_text(unit: str) -> None:
    def seconds(length: int) -> float:
        redactor = Redactor()
        redactor.learn(Secret("a" * length + "b"))
        text = unit * length
        began = time.process_time()
        redactor.text(text)
        return time.process_time() - began

    short, long = (min(seconds(length) for _ in range(3)) for length in (8_000, 64_000))
    assert long < 30 * short + 0.1  # 8 times the text; were it quadratic, 64 times the time


@settings(max_examples=max(10, settings().max_examples // 10))  # each is a long text
@given(encoder=st.sampled_from(sorted(ENCODERS)), before=st.integers(0, 400), kind=st.booleans())
def test_no_part_of_a_secret_is_left_where_a_text_is_cut(
    encoder: str, before: int, kind: bool
) -> None:
    """Before a cut the secrets are out."""
    secret = "xq7zvk3jw9pyb5hd8mtc2rg4"  # noqa: S105 - of a test
    written = ENCODERS[encoder](secret)
    redactor = Redactor()
    redactor.learn(Secret(secret))
    message = ["-." * (before // 2) + "(" + written, "-" * (64 * 1024 - before) + "(" + written][
        kind
    ]
    body = json.dumps({"success": False, "error": {"message": message}}).encode()
    answer = read_response(400, {}, body, redactor)
    assert not any(
        written[start : start + 6] in text
        for text in (answer.summary(), redactor.text(message))
        for start in range(len(written) - 6)
        if len(set(written[start : start + 6])) > 3
    )


def test_what_says_nothing_of_a_secret_stays() -> None:
    value = {
        "author": "me",
        "token": ["must be 32 characters"],
        "password": "is too short",
        "has_password": True,
        "name": "token",
        "url": "https://a",
    }
    redactor = Redactor()
    redactor.learn(Secret("sesame-open"))
    assert redactor.value(value) == value
    assert redactor.text("the token is not valid: ask for a new one") == (
        "the token is not valid: ask for a new one"
    )


def test_a_secret_of_digits_is_hidden_as_a_number_too() -> None:
    redactor = Redactor()
    redactor.learn(Secret("90210042"))
    assert redactor.value([90210042, 1, 9021004299]) == [HIDDEN, 1, HIDDEN]


def test_a_very_short_secret_is_hidden_as_a_word_only() -> None:
    redactor = Redactor()
    redactor.learn(Secret("on"))
    assert redactor.text("connection: on") == f"connection: {HIDDEN}"


RESPONSES = {
    "nothing": None,
    "no HTTP": b"?",
    "an empty 401": b"HTTP/1.1 401 x\r\nContent-Length: 0\r\n\r\n",
    "a packed body": (b"HTTP/1.1 400 x\r\nContent-Encoding: zip\r\nContent-Length: 1\r\n\r\nx"),
}


@pytest.mark.parametrize("response", RESPONSES.values(), ids=RESPONSES)
def test_a_secret_that_is_a_word_of_ours_hides_nothing_of_our_sentences(
    tmp_path: Path, response: bytes | None
) -> None:
    """No text of a stranger is in them."""
    archive = zipped(tmp_path / "s.zip")

    def told(secret: str) -> str:
        with ExitStack() as stack:
            url = "http://127.0.0.1:9"
            if response is not None:
                url = stack.enter_context(answering(response))
            user = User(tmp_path / secret, url, {"MANIFESTKIT_TOKEN": secret})
            sent = user.deploy(archive, "--max-wait=0")
            reasons = [each["reason"] for each in user.receipts]
            return f"{sent.out}{sent.err.partition('note: ')[0]}{reasons}"

    said = told("x7Qz4pLw")
    words = set(re.findall(r"[a-z]{4,}", said.rpartition("error: ")[2]))
    assert len(words) >= 3
    for word in words:
        assert told(word) == said


def test_a_password_that_is_a_word_of_ours_hides_nothing_of_our_sentences(tmp_path: Path) -> None:
    user = User(tmp_path / "home", "http://127.0.0.1:9")
    for word in ("connection", "refused", "x7Qz4pLw"):
        said = user.login("--max-wait=0", password=word).err
        assert said.endswith(": connection refused (is `manifest sandbox` running?)\n")


def test_a_secret_is_not_shown_by_printing_it() -> None:
    secret = Secret(CANARIES["token"])
    assert is_clean(f"{secret} {secret!r} {[secret]}")


# -- where secrets may go, and where they lie ------------------------------------------------


@pytest.mark.parametrize(
    ("base", "told"),
    [
        ("http://api.example.org", "use https://api.example.org"),
        ("http://127.0.0.1.example.org", "use https://"),
        ("http://localhost.example.org", "use https://"),
        ("http://[2001:db8::1]", "use https://"),
        ("http://0.0.0.0:80", "use https://"),
        ("ftp://api.example.org", "is not a web address"),
        ("api.example.org", "is not a web address"),
        ("https://", "is not a web address"),
        ("https://a:99999", "is not a web address"),
        ("https://a b", "is not a web address"),
        ("https://user:geheim@api.example.org", "cannot have a user"),
        ("https://api.example.org/?token=geheim", "cannot have a user, query"),
        ("https://api.example.org/#x", "cannot have a user, query or fragment"),
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
