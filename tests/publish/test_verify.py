"""`--verify`: after an acceptance, whether the site has the manifest; patiently, up to a limit."""

from __future__ import annotations

import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from command import MANIFEST as COMMAND
from command import environment
from manifestkit.cli.exit_codes import UNVERIFIED
from rehearsal import ACCEPTED, DOMAIN, MANIFEST, REJECTED, USAGE, Sandbox, User, site
from test_deploys import is_a_receipt, posix


@contextmanager
def pages(*answers: tuple[int, bytes]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """A site that gives these answers, the last of them from then on; and what it was asked."""
    asked: list[tuple[str, str]] = []

    class Page(BaseHTTPRequestHandler):
        def log_message(self, format: str, *arguments: object) -> None:
            del format, arguments

        def do_GET(self) -> None:
            asked.append((self.path, str(self.headers)))
            status, body = answers[min(len(asked), len(answers)) - 1]
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Location", "http://elsewhere.invalid/")
            self.end_headers()
            with suppress(OSError):  # whoever asked has read enough
                self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", asked
    server.shutdown()
    server.server_close()


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    return site(tmp_path / "dist")


@pytest.mark.parametrize("path", ["", "/", "/manifest.json"])
def test_a_site_of_the_sandbox_is_verified(
    path: str, dist: Path, running: Sandbox, user: User
) -> None:
    """By its name under localhost, as in a browser."""
    url = f"http://{DOMAIN}:{running.port}{path}"
    ended = user.deploy(dist, "--verify", url)
    assert ended.code == ACCEPTED, ended.err
    where = f"http://{DOMAIN}:{running.port}/manifest.json"
    assert ended.out.endswith(f"\nverified: {where} has this manifest\n")
    (receipt,) = user.receipts
    assert is_a_receipt(receipt)
    assert receipt["verified"] == {"url": where, "matches": True, "reason": None}


def test_a_site_that_is_slow_to_change_is_asked_again(dist: Path, user: User) -> None:
    with pages((404, b""), (200, b"{}"), (200, MANIFEST)) as (url, asked):
        ended = user.deploy(dist, "--verify", url)
    assert ended.code == ACCEPTED
    assert len(asked) == 3
    headers = asked[0][1].lower()
    assert "cache-control: no-cache" in headers
    assert "authorization" not in headers


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ((200, b"<html>"), "another manifest is there"),
        ((200, MANIFEST + b"\n"), "another manifest is there"),
        ((404, MANIFEST), "status 404"),
        ((500, b""), "status 500"),
        ((302, MANIFEST), "status 302, a redirect, which is not followed"),
    ],
)
def test_a_site_that_does_not_match_in_time_has_a_code_of_its_own(
    answer: tuple[int, bytes], told: str, dist: Path, user: User
) -> None:
    with pages(answer) as (url, _):
        limits = ("--verify", url, "--verify-timeout", "0.2")
        ended = user.deploy(dist, *limits)
        again = user.deploy(dist, *limits, "--json")
    assert ended.code == UNVERIFIED
    assert ended.out.startswith("accepted: ")
    assert f"error: {url}manifest.json is not verified: {told}" in ended.err
    (receipt,) = user.receipts
    assert (receipt["outcome"], receipt["verified"]["matches"]) == ("accepted", False)
    # What was accepted is not sent again, and looked at again.
    assert (again.json["ending"], again.json["exit_code"]) == ("unchanged", UNVERIFIED)
    assert told in again.json["verified"]["reason"]


def test_a_site_that_is_not_there_or_says_nothing_ends_in_time(dist: Path, user: User) -> None:
    limits = ("--verify-timeout", "0.3", "--force")
    ended = user.deploy(dist, "--verify", "http://127.0.0.1:9/", *limits)
    assert (ended.code, "connection refused" in ended.err) == (UNVERIFIED, True)
    with mute() as url:
        ended = user.deploy(dist, "--verify", url, *limits)
    assert (ended.code, "within 0.3 s" in ended.err) == (UNVERIFIED, True)


@contextmanager
def mute() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"


@pytest.mark.parametrize(
    "url",
    [
        *("calm.example.org", "ftp://a/", "https://", "https://u:geheim@a/", "a?geheim"),
        *("http://a/?token=x", "http://a b/", "http://a:x/", "http://a/#x", "http://ä.example/"),
    ],
)
def test_what_is_no_address_of_a_site_is_wrong_usage(url: str, dist: Path, user: User) -> None:
    ended = user.deploy(dist, "--verify", url)
    assert (ended.code, user.receipts) == (USAGE, [])
    assert user.deploy(dist, "--verify", url, "--dry-run").code == USAGE
    assert "--verify: " in ended.err
    assert "geheim" not in ended.err


def test_what_is_not_accepted_is_not_looked_for(dist: Path, running: Sandbox, user: User) -> None:
    with pages((200, MANIFEST)) as (url, asked):
        running.play("deploy=error-object")
        assert user.deploy(dist, "--verify", url).code == REJECTED
        assert user.deploy(dist, "--verify", url, "--dry-run").code == ACCEPTED
    assert asked == []


@posix
def test_an_interrupt_ends_the_wait_and_not_the_deploy(dist: Path, user: User) -> None:
    with (
        pages((404, b"")) as (url, asked),
        subprocess.Popen(
            [*COMMAND, "deploy", dist, "--domain", DOMAIN, "--verify", url],
            env=environment(
                MANIFESTKIT_BASE_URL=user.url,
                XDG_CONFIG_HOME=str(user.home / "config"),
                XDG_STATE_HOME=str(user.home / "state"),
            ),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process,
    ):
        while not asked:
            assert process.poll() is None
        for _ in range(3):
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == UNVERIFIED, err
    assert out.startswith(b"accepted: ")
    assert b"is not verified: interrupted" in err
    assert user.receipts[0]["outcome"] == "accepted"
