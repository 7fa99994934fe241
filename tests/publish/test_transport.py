"""Proxies, certificates and waits: what is wrong with them is told in words that help."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from command import MANIFEST as COMMAND
from command import environment
from rehearsal import (
    ACCEPTED,
    DOMAIN,
    NOT_SENT,
    RATE_LIMITED,
    UNKNOWN,
    USAGE,
    User,
    site,
    zipped,
)
from test_faults import LIMITED, TOKEN, answering

pytestmark = pytest.mark.slow

FAR = "https://api.example.invalid"


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        (
            "ALL_PROXY",
            "socks5://u:geheim@127.0.0.1:9",
            "ALL_PROXY names a SOCKS proxy: run `python -m",
        ),
        ("https_proxy", "socks5h://127.0.0.1:9", "HTTPS_PROXY names a SOCKS proxy"),
        (
            "HTTPS_PROXY",
            "ftp://u:geheim@x",
            "HTTPS_PROXY is not the address of a proxy; use http://",
        ),
        ("HTTPS_PROXY", "http://u:geheim@[::1", "HTTPS_PROXY is not the address"),
        ("ALL_PROXY", "http://u:geheim@", "ALL_PROXY is not the address"),
        ("ALL_PROXY", "http://u:geheim@x:port", "ALL_PROXY is not the address"),
        ("HTTP_PROXY", "://", "HTTP_PROXY is not the address"),
        ("SSL_CERT_FILE", "/nope", "SSL_CERT_FILE: /nope: cannot be used as certificate"),
        ("SSL_CERT_FILE", __file__, "it contains no certificates in PEM form"),
        ("SSL_CERT_FILE", "/", "SSL_CERT_FILE: /: cannot be used"),
    ],
)
def test_what_the_environment_says_of_the_way_is_checked_first(
    tmp_path: Path, variable: str, value: str, told: str
) -> None:
    user = User(tmp_path / "home", FAR, {**TOKEN, variable: value})
    for ended in (user("sites"), user.deploy(zipped(tmp_path / "s.zip"))):
        assert (ended.code, ended.out) == (USAGE, "")
        assert told in ended.err
        assert "geheim" not in ended.err
    assert not user.receipts


@pytest.mark.parametrize("value", ["u:geheim@127.0.0.1:9", "http://u:geheim@a..b:80"])
def test_a_proxy_that_cannot_be_reached_is_told_without_its_password(
    tmp_path: Path, value: str
) -> None:
    user = User(tmp_path / "home", FAR, {**TOKEN, "HTTPS_PROXY": value})
    ended = user("sites", "--max-wait=0")
    assert ended.code == NOT_SENT
    assert "geheim" not in ended.err


def test_a_proxy_that_refuses_is_named_at_the_first_try_without_its_password(
    tmp_path: Path,
) -> None:
    refusal = b"HTTP/1.1 407 u:ge-heim said dTpnZS1oZWlt\r\nContent-Length: 0\r\n\r\n"
    for command in ("sites", "deploy"):
        with answering(refusal) as url:
            proxy = url.replace("://", "://u:ge%2Dheim@")
            user = User(tmp_path / "home", FAR, {**TOKEN, "HTTPS_PROXY": proxy})
            if command == "deploy":
                ended = user.deploy(zipped(tmp_path / "s.zip"))
            else:
                ended = user("sites")
        assert ended.code == NOT_SENT
        assert "the proxy of HTTPS_PROXY or ALL_PROXY refused" in ended.err
        assert "the service" not in ended.err
        assert "heim" not in ended.out + ended.err
        assert "dTpn" not in ended.out + ended.err


@pytest.mark.parametrize("host", ["a..b", f"{'a' * 64}.example", ".example"])
def test_a_host_that_no_name_can_have_is_told(tmp_path: Path, host: str) -> None:
    ended = User(tmp_path / "home", f"https://{host}", TOKEN)("sites", "--max-wait=0")
    assert ended.code in {USAGE, NOT_SENT}
    assert "host name is invalid" in ended.err


@pytest.mark.parametrize(
    "base",
    [
        *("https://me:geheim@a.example", "https://me:ge?heim@a.example"),
        "https://me:ge#heim@a.example",
        *("https://a.example?token=geheim", "https://a.example#geheim", "https://me:geheim@[::1"),
    ],
)
def test_an_address_with_a_password_is_refused_without_showing_it(
    tmp_path: Path, base: str
) -> None:
    for options in ([], ["--json"]):
        ended = User(tmp_path / "home", base, TOKEN)("sites", *options)
        assert ended.code == USAGE
        assert "geheim" not in ended.out + ended.err
        assert "me:ge" not in ended.out + ended.err


# -- certificates ----------------------------------------------------------------------------


@contextmanager
def tls(certificate: trustme.LeafCert) -> Iterator[str]:
    """A service with a certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):  # the listener is closed at the end
            while True:
                connection, _ = listener.accept()
                with suppress(OSError), context.wrap_socket(connection, server_side=True) as safe:
                    safe.recv(65536)
                    safe.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]")

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"https://localhost:{listener.getsockname()[1]}"
    with suppress(OSError):
        listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join(30)


def test_an_authority_of_ones_own_is_advised_where_it_helps_and_nowhere_else(
    tmp_path: Path,
) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    ours = ("--ca-bundle", tmp_path / "ca.pem")
    past = datetime.now(UTC) - timedelta(days=1)
    user = User(tmp_path / "home", "", TOKEN)
    with tls(authority.issue_cert("localhost")) as url:
        unknown = user("sites", "--base-url", url)
        assert (unknown.code, "--ca-bundle" in unknown.err) == (NOT_SENT, True)
        assert user("sites", "--base-url", url, *ours).code == ACCEPTED
        trusted = {"SSL_CERT_FILE": str(tmp_path / "ca.pem")}  # on this machine, too
        assert user("sites", "--base-url", url, env=trusted).code == ACCEPTED
    with tls(authority.issue_cert("localhost", not_after=past)) as url:
        expired = user("sites", "--base-url", url, *ours)
        assert "certificate has expired" in expired.err
    with tls(authority.issue_cert("other.example")) as url:
        other = user("sites", "--base-url", url, *ours)
    for ended in (expired, other):
        assert (ended.code, "--ca-bundle" in ended.err) == (NOT_SENT, False)


# -- texts -----------------------------------------------------------------------------------


@pytest.mark.parametrize("line", [b"zz", b"\x00\x01", b"HTTP/1.1 abc"])
def test_a_response_that_is_no_http_is_told_without_representations(
    tmp_path: Path, line: bytes
) -> None:
    with answering(*[line + b"\r\n\r\n"] * 5) as url:
        user = User(tmp_path / "home", url, TOKEN)
        ended = user.deploy(zipped(tmp_path / "s.zip"))
        assert ended.code == UNKNOWN
        assert "everything was handed to the network, then: the response is not HTTP" in ended.err
        assert "bytearray" not in ended.err + user("sites", "--max-wait=0").err


@pytest.mark.parametrize(
    ("command", "wait", "options", "blamed"),
    [
        ("sites", 0, ["--max-wait=1"], False),
        ("sites", 100, [], True),
        ("deploy", 100, [], True),
    ],
)
def test_max_wait_is_blamed_only_where_it_was_too_short(
    tmp_path: Path, command: str, wait: int, options: list[str], blamed: bool
) -> None:
    limited = LIMITED.format(f"Retry-After: {wait}\r\n").encode()
    with answering(*[limited] * 4) as url:
        user = User(tmp_path / "home", url, TOKEN)
        archive = zipped(tmp_path / "s.zip")
        ended = user.deploy(archive, *options) if command == "deploy" else user("sites", *options)
    assert ended.code == RATE_LIMITED
    assert ("--max-wait" in ended.err) == blamed
    assert ("it asks to wait 100 s" in ended.err) == blamed


@pytest.mark.parametrize("option", ["--timeout=nan", "--max-wait=nan", "--timeout=inf"])
def test_a_time_that_is_none_is_wrong_usage(tmp_path: Path, option: str) -> None:
    assert User(tmp_path / "home", FAR, TOKEN)("sites", option).code == USAGE


# -- the log of a crash ----------------------------------------------------------------------


def test_the_log_of_a_crash_holds_no_secret(tmp_path: Path) -> None:
    """Whatever raises: here the system, with all that it was asked in its text."""
    code = (
        "import os, socket\n"
        "def fail(*given, **named): raise LookupError(os.environ['MANIFESTKIT_TOKEN'], given)\n"
        "socket.create_connection = fail\n"
        "from manifestkit.cli.main import main; main()"
    )
    done = subprocess.run(
        [COMMAND[0], "-c", code, "sites", "--base-url", "http://127.0.0.1:9"],
        env=environment(MANIFESTKIT_TOKEN="geheim-token", TMPDIR=str(tmp_path)),
        capture_output=True,
        text=True,
        check=False,
    )
    (log,) = tmp_path.glob("manifestkit-*.log")
    told = log.read_text("utf-8")
    assert done.returncode == 70
    assert "geheim" not in told + done.stdout + done.stderr
    assert "LookupError" in told
    assert "in fail" in told


# -- receipts --------------------------------------------------------------------------------


def test_a_receipt_takes_the_place_of_a_receipt_and_of_nothing_else(
    tmp_path: Path, user: User
) -> None:
    archive = zipped(tmp_path / "s.zip")
    token = tmp_path / "token"
    token.write_text("geheim")
    token.chmod(0o600)
    link = tmp_path / "link.json"
    link.symlink_to(archive)
    other = tmp_path / "package.json"
    other.write_text(json.dumps({"version": 1, "name": "app"}))
    credentials = next(user.home.rglob("credentials.json"))
    for path in (archive, token, link, other, credentials):
        before = path.read_bytes()
        ended = user.deploy(archive, "--receipt", path, "--site-token-file", token)
        assert ended.code == USAGE, path
        assert "exists already and is not a receipt" in ended.err or path in {archive, link}
        assert path.read_bytes() == before
        assert user.deploy(archive, "--receipt", path, "--dry-run").code == USAGE
    receipt = tmp_path / "receipt.json"
    receipt.write_text("")
    for _ in range(2):
        assert user.deploy(archive, "--receipt", receipt).code == ACCEPTED
        assert json.loads(receipt.read_text("utf-8"))["outcome"] == "accepted"


def test_a_receipt_is_not_part_of_the_site(tmp_path: Path, user: User) -> None:
    folder = site(tmp_path / "dist")
    (tmp_path / "way").symlink_to(folder)
    for path in (folder / "receipt.json", tmp_path / "way" / "new" / "r.json"):
        ended = user.deploy(folder, "--receipt", path)
        assert ended.code == USAGE
        assert "would be published with it" in ended.err
    assert user.deploy(folder, "--receipt", tmp_path / "dist.json").code == ACCEPTED
    assert user("sites").out == f"{DOMAIN}\n"
