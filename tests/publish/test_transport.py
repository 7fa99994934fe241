"""Proxies, certificates, deadlines and interrupts."""

from __future__ import annotations

import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from command import MANIFEST as COMMAND
from command import environment
from rehearsal import (
    ACCEPTED,
    AUTHENTICATION,
    DOMAIN,
    INTERRUPTED,
    NOT_SENT,
    RATE_LIMITED,
    REJECTED,
    UNKNOWN,
    USAGE,
    Ended,
    User,
    http,
    stub,
    whole_request,
    zipped,
)
from rows import rows
from skips import posix

FAR = "https://api.example.invalid"
TOKEN = {"MANIFESTKIT_TOKEN": "token-of-a-user"}


@rows(
    ("variable", "value", "told"),
    [
        ("HTTPS_PROXY", "ftp://u:geheim@x", "HTTPS_PROXY or ALL_PROXY is not the address"),
        ("ALL_PROXY", "http://u:geheim@x:port", "HTTPS_PROXY or ALL_PROXY is not the address"),
        ("ALL_PROXY", "socks5://u:geheim@x:1080", "HTTPS_PROXY or ALL_PROXY is not the address"),
        ("SSL_CERT_FILE", "/nope", "SSL_CERT_FILE or SSL_CERT_DIR has no certificates"),
        ("SSL_CERT_FILE", __file__, "SSL_CERT_FILE or SSL_CERT_DIR has no certificates"),
        ("SSLKEYLOGFILE", "/nope/keys", "SSLKEYLOGFILE cannot be written"),
    ],
)
def test_what_the_environment_says_of_the_way_is_told(
    tmp_path: Path, variable: str, value: str, told: str
) -> None:
    user = User(tmp_path / "home", FAR, {**TOKEN, variable: value})
    for ended in (user("sites"), user.deploy(zipped(tmp_path / "s.zip"))):
        assert (ended.code, ended.out) == (USAGE, "")
        assert told in ended.err
        assert "geheim" not in ended.err


def test_a_proxy_that_refuses_is_named_at_the_first_try_without_its_password(
    tmp_path: Path,
) -> None:
    refusal = b"HTTP/1.1 407 u:ge-heim said dTpnZS1oZWlt\r\nContent-Length: 0\r\n\r\n"
    archive = zipped(tmp_path / "s.zip")
    commands: list[Callable[[User], Ended]] = [
        lambda user: user("sites"),
        lambda user: user.deploy(archive),
    ]
    for command in commands:
        with stub(refusal) as service:
            proxy = service.url.replace("://", "://u:ge%2Dheim@")
            ended = command(User(tmp_path / "home", FAR, {**TOKEN, "HTTPS_PROXY": proxy}))
        assert (ended.code, len(service.requests)) == (NOT_SENT, 1)
        assert "the proxy of HTTPS_PROXY or ALL_PROXY refused" in ended.err
        assert "heim" not in ended.out + ended.err
        assert "dTpn" not in ended.out + ended.err


@pytest.mark.slow
def test_a_proxy_that_cannot_be_reached_is_named(tmp_path: Path) -> None:
    with stub(b"") as service:
        proxy = service.url.replace("://", "://u:geheim-and-more@")
    ended = User(tmp_path / "home", FAR, {**TOKEN, "HTTPS_PROXY": proxy})("sites", "--timeout=5")
    assert ended.code == NOT_SENT
    assert "connection refused (through the proxy of HTTPS_PROXY or ALL_PROXY)" in ended.err
    assert "geheim" not in ended.err


def test_a_deploy_goes_through_a_proxy_that_is_logged_in_to(tmp_path: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("api.example.invalid").configure_cert(context)
    asked: list[bytes] = []

    def tunnel(connection: socket.socket) -> None:
        asked.append(whole_request(connection))
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 Connected\r\n\r\n")
        with context.wrap_socket(connection, server_side=True) as encrypted:
            asked.append(whole_request(encrypted))
            encrypted.sendall(http(200))

    with stub(tunnel) as service:
        proxy = service.url.replace("://", "://\xfc:ge%2Dheim@")
        env = {**TOKEN, "HTTPS_PROXY": proxy, "SSL_CERT_FILE": str(tmp_path / "ca.pem")}
        ended = User(tmp_path / "home", FAR, env).deploy(large(tmp_path / "s.zip"))
    assert (ended.code, len(asked)) == (ACCEPTED, 2), ended.err
    assert asked[0].startswith(b"CONNECT api.example.invalid:443 HTTP/1.1\r\n")
    assert b"Proxy-Authorization: Basic w7w6Z2UtaGVpbQ==\r\n" in asked[0]
    assert asked[1].startswith(b"POST /v2/cli/deploy?token=token-of-a-user HTTP/1.1\r\n")
    assert len(asked[1]) > 6_000_000


@pytest.mark.slow
def test_a_service_that_no_proxy_names_is_reached_without_the_proxy(tmp_path: Path) -> None:
    env = {
        **TOKEN,
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "NO_PROXY": "other.example,.example.invalid",
    }
    ended = User(tmp_path / "home", FAR, env)("sites", "--timeout=5")
    assert (ended.code, "proxy" in ended.err) == (NOT_SENT, False), ended.err


def test_an_authority_of_ones_own_is_advised_where_it_helps(tmp_path: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    past = datetime.now(UTC) - timedelta(days=1)
    trusted = {"SSL_CERT_FILE": str(tmp_path / "ca.pem")}

    def told(certificate: trustme.LeafCert, env: dict[str, str]) -> tuple[int, str]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.configure_cert(context)

        def wrap(client: socket.socket) -> socket.socket:
            return context.wrap_socket(client, server_side=True)

        with stub(http(200, []), wrap=wrap) as service:
            url = service.url.replace("http://127.0.0.1", "https://localhost")
            ended = User(tmp_path / "home", url, {**TOKEN, **env})("sites", "--timeout=5")
        return ended.code, ended.err

    good = authority.issue_cert("localhost")
    assert told(good, trusted)[0] == ACCEPTED
    code, err = told(good, {})
    assert (code, "to trust another authority, set SSL_CERT_FILE" in err) == (NOT_SENT, True)
    code, err = told(authority.issue_cert("localhost", not_after=past), trusted)
    assert (code, "certificate has expired" in err) == (NOT_SENT, True)
    code, err = told(authority.issue_cert("other.example"), trusted)
    assert (code, "not valid for 'localhost'" in err) == (NOT_SENT, True)


def test_to_this_very_machine_no_authority_is_read(tmp_path: Path) -> None:
    with stub(http(200, [])) as service:
        env = {**TOKEN, "SSL_CERT_FILE": "/nope"}
        ended = User(tmp_path / "home", service.url, env)("sites")
    assert ended.code == ACCEPTED, ended.err


def test_https_to_a_sandbox_is_answered_with_its_scheme(tmp_path: Path) -> None:
    def plain(connection: socket.socket) -> None:
        connection.recv(10_000)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with stub(plain) as service:
        ended = User(tmp_path / "home", service.url.replace("http", "https"), TOKEN)("sites")
    assert (ended.code, "`manifest sandbox` is at http://" in ended.err) == (NOT_SENT, True)


@rows("option", ["--timeout=inf", "--timeout=nan", "--timeout=0"])
def test_a_time_that_is_none_is_wrong_usage(tmp_path: Path, option: str) -> None:
    assert User(tmp_path / "home", FAR, TOKEN)("sites", option).code == USAGE


# -- ends ----------------------------------------------------------------------------------------


class Progress:
    """How much of a deploy a service has taken in; it says nothing before it is told to go on."""

    def __init__(self, take: int | None) -> None:
        self.take = take
        self.is_there = threading.Event()
        self.go_on = threading.Event()

    def __call__(self, connection: socket.socket) -> None:
        if self.take is None:
            whole_request(connection)
        else:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
            left = self.take
            while left > 0 and (data := connection.recv(min(left, 65536))):
                left -= len(data)
        self.is_there.set()
        self.go_on.wait(60)


@contextmanager
def deploying(
    user: User, archive: Path, *options: str, by: Sequence[str] = COMMAND
) -> Iterator[subprocess.Popen[str]]:
    """A deploy in a process of its own, which ends with the context."""
    with subprocess.Popen(
        [*by, "deploy", archive, "--domain", DOMAIN, *options],
        env=environment(**user.variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def large(path: Path) -> Path:
    """Six megabytes that do not pack: more than the buffers of a connection hold."""
    with zipfile.ZipFile(zipped(path), "a") as archive:
        archive.writestr("noise", os.urandom(6_000_000))
    return path


@rows("is_encrypted", [False, True])
@rows("read", [1_000, 3_000_000])
@rows(
    ("status", "code"),
    [(413, REJECTED), (401, AUTHENTICATION), (429, RATE_LIMITED)],
)
def test_a_response_before_all_is_sent_is_read(
    tmp_path: Path, status: int, code: int, read: int, is_encrypted: bool
) -> None:
    """A service that refuses a site by its headers closes the connection, and resets it."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    said: list[bool] = []

    def refuse(connection: socket.socket) -> None:
        said.append(True)
        # What waits for an acknowledgement is lost where the connection is reset.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        received = 0
        while received < read:
            received += len(connection.recv(min(65536, read - received)))
        connection.sendall(http(status, {"error": {"message": "five megabytes are too many"}}))

    def wrap(client: socket.socket) -> socket.socket:
        return context.wrap_socket(client, server_side=True) if is_encrypted else client

    with stub(refuse, wrap=wrap) as service:
        url = service.url.replace("127.0.0.1", "localhost")
        url = url.replace("http:", "https:") if is_encrypted else url
        user = User(tmp_path / "home", url, {**TOKEN, "SSL_CERT_FILE": str(tmp_path / "ca.pem")})
        ended = user.deploy(large(tmp_path / "s.zip"), "--timeout=3")
    assert (ended.code, "five megabytes are too many" in ended.err) == (code, True), ended.err
    assert len(said) == 1


CASES = [(None, UNKNOWN), (0, INTERRUPTED), (300_000, INTERRUPTED)]


@posix
@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        *(pytest.param(each, marks=pytest.mark.slow) for each in (signal.SIGINT, signal.SIGHUP)),
    ],
)
@pytest.mark.parametrize(("take", "code"), CASES)
def test_a_signal_ends_a_deploy_with_its_code(
    tmp_path: Path, number: signal.Signals, take: int | None, code: int
) -> None:
    progress = Progress(take)
    with stub(progress) as service:
        user = User(tmp_path / "home", service.url, TOKEN)
        with deploying(user, large(tmp_path / "s.zip")) as process:
            assert progress.is_there.wait(30)
            process.send_signal(number)
            _, err = process.communicate(timeout=120)
        progress.go_on.set()
    assert process.returncode == code, err
    assert ("note: sent at " in err) == (code == UNKNOWN)
    assert ("the service cannot have published it" in err) == (code == INTERRUPTED)


@posix
def test_the_log_of_a_killed_deploy_says_what_was_being_sent(tmp_path: Path) -> None:
    progress = Progress(None)
    with stub(progress) as service:
        user = User(tmp_path / "home", service.url, TOKEN)
        with deploying(user, zipped(tmp_path / "s.zip")) as process:
            assert progress.is_there.wait(30)
            process.kill()
            _, err = process.communicate(timeout=60)
        progress.go_on.set()
    assert re.fullmatch(
        rf"note: sending \S+ \(2 files, .*sha256 .*\) for {DOMAIN} at http://\S+\n", err
    )


@posix
def test_a_second_signal_changes_nothing(tmp_path: Path) -> None:
    progress = Progress(None)
    with stub(progress) as service:
        user = User(tmp_path / "home", service.url, TOKEN)
        with deploying(user, zipped(tmp_path / "s.zip"), "--json") as process:
            assert progress.is_there.wait(30)
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGTERM):
                process.send_signal(number)
            out, err = process.communicate(timeout=120)
        progress.go_on.set()
    assert process.returncode == UNKNOWN, err
    assert re.search(r'"outcome": "unknown"', out)


@pytest.mark.slow
@pytest.mark.parametrize(("take", "code"), [(None, UNKNOWN), (300_000, NOT_SENT)])
def test_a_deadline_ends_a_deploy_with_its_code(
    tmp_path: Path, take: int | None, code: int
) -> None:
    progress = Progress(take)
    archive = large(tmp_path / "s.zip")
    with stub(progress) as service:
        user = User(tmp_path / "home", service.url, TOKEN)
        ended = user.deploy(archive, "--timeout=2")
        progress.go_on.set()
    assert (ended.code, "did not finish within 2 s" in ended.err) == (code, True), ended.err


WITHOUT_ANSWER = """
import socket, threading
socket.getaddrinfo = lambda *_, **__: threading.Event().wait()
from manifestkit.__main__ import main
main()
"""


def test_a_name_server_that_does_not_answer_keeps_nobody_waiting(tmp_path: Path) -> None:
    user = User(tmp_path / "home", FAR, TOKEN)
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT_ANSWER, "sites", "--timeout=1"],
        env=environment(**user.variables),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (NOT_SENT, "")
    assert ended.stderr == f"error: no response from {FAR}: it did not finish within 1 s\n"


IGNORING = """
import signal
signal.signal({}, signal.SIG_IGN)
from manifestkit.__main__ import main
main()
"""


@posix
@pytest.mark.parametrize("ignored", [signal.SIGHUP, signal.SIGINT])
def test_what_is_ignored_stays_ignored(tmp_path: Path, ignored: signal.Signals) -> None:
    progress = Progress(None)

    def answer(connection: socket.socket) -> None:
        progress(connection)
        connection.sendall(http(200))

    with stub(answer) as service:
        user = User(tmp_path / "home", service.url, TOKEN)
        by = (sys.executable, "-c", IGNORING.format(ignored))
        with deploying(user, zipped(tmp_path / "s.zip"), by=by) as process:
            assert progress.is_there.wait(30)
            process.send_signal(ignored)
            progress.go_on.set()
            _, err = process.communicate(timeout=120)
    assert process.returncode == ACCEPTED, err
