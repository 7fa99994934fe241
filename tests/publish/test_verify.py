"""`--verify`: after an acceptance, whether the site serves every file; patiently, up to a limit."""

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

pytestmark = pytest.mark.slow

Answer = tuple[int, bytes]


@contextmanager
def pages(
    files: dict[str, Answer | list[Answer]],
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """A site that answers so, the last of several answers from then on; and what it was asked."""
    asked: list[tuple[str, str]] = []

    class Page(BaseHTTPRequestHandler):
        def log_message(self, format: str, *arguments: object) -> None:
            del format, arguments

        def do_GET(self) -> None:
            asked.append((self.path, str(self.headers)))
            answers = files.get(self.path, (404, b""))
            if isinstance(answers, list):
                times = sum(path == self.path for path, _ in asked)
                answers = answers[min(times, len(answers)) - 1]
            status, body = answers
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


SITE: dict[str, Answer | list[Answer]] = {
    "/index.html": (200, b"<h1>calm</h1>"),
    "/index.js": (200, b"//"),
    "/manifest.json": (200, MANIFEST),
}


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    return site(tmp_path / "dist")


@pytest.mark.parametrize("path", ["", "/"])
def test_a_site_of_the_sandbox_is_verified(
    path: str, dist: Path, running: Sandbox, user: User
) -> None:
    """By its name under localhost, as in a browser; and each of its files, é and all."""
    (dist / "a b").mkdir()
    (dist / "a b" / "é%41.html").write_text("é")
    ended = user.deploy(dist, "--verify", f"http://{DOMAIN}:{running.port}{path}")
    assert ended.code == ACCEPTED, ended.err
    where = f"http://{DOMAIN}:{running.port}/"
    assert ended.out.endswith(f"\nverified: {where} serves 4 of 4 files as they were sent\n")
    (receipt,) = user.receipts
    assert is_a_receipt(receipt)
    assert receipt["verified"] == {
        "url": where,
        "matches": True,
        "files": 4,
        "compared": 4,
        "reason": None,
    }


def test_a_site_that_is_slow_to_change_is_asked_again(dist: Path, user: User) -> None:
    slow: list[Answer] = [(404, b""), (200, b"old"), (200, b"<h1>calm</h1>")]
    with pages({**SITE, "/index.html": slow}) as (url, asked):
        ended = user.deploy(dist, "--verify", url)
    assert ended.code == ACCEPTED
    assert sorted(path for path, _ in asked) == ["/index.html"] * 3 + [
        "/index.js",
        "/manifest.json",
    ]
    headers = asked[0][1].lower()
    assert "cache-control: no-cache" in headers
    assert "authorization" not in headers


def test_an_index_that_is_redirected_is_looked_for_at_its_folder(dist: Path, user: User) -> None:
    """As hosts do that give pages one address."""
    moved: dict[str, Answer | list[Answer]] = {
        "/index.html": (308, b""),
        "/": (200, b"<h1>calm</h1>"),
    }
    with pages({**SITE, **moved}) as (url, _):
        assert user.deploy(dist, "--verify", url).code == ACCEPTED


@pytest.mark.parametrize("name", ["index.html", "index.js", "manifest.json"])
@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ((200, b"the old one"), "another file is there"),
        ((404, MANIFEST), "status 404"),
        ((500, b""), "status 500"),
        ((302, MANIFEST), "status 302, a redirect, which is not followed"),
    ],
)
def test_a_site_with_one_other_file_has_a_code_of_its_own(
    name: str, answer: Answer, told: str, dist: Path, user: User
) -> None:
    with pages({**SITE, f"/{name}": answer, "/": answer}) as (url, _):
        ended = user.deploy(dist, "--verify", url, "--verify-timeout", "0.2")
    assert ended.code == UNVERIFIED
    assert ended.out.startswith("accepted: ")
    found = "it serves 2 of 3 files as they were sent"
    assert f"error: {url} is not verified: {found}; `{name}`: {told}" in ended.err
    (receipt,) = user.receipts
    assert (receipt["outcome"], receipt["verified"]["compared"]) == ("accepted", 2)


def test_a_site_that_is_not_there_or_says_nothing_ends_in_time(dist: Path, user: User) -> None:
    limits = ("--verify-timeout", "0.3")
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
    assert "; use --verify https://HOST/" in ended.err
    assert "geheim" not in ended.err


def test_what_is_not_accepted_is_not_looked_for(dist: Path, running: Sandbox, user: User) -> None:
    with pages(SITE) as (url, asked):
        running.play("deploy=error-object")
        assert user.deploy(dist, "--verify", url).code == REJECTED
        assert user.deploy(dist, "--verify", url, "--dry-run").code == ACCEPTED
    assert asked == []


@posix
def test_an_interrupt_ends_the_wait_and_not_the_deploy(dist: Path, user: User) -> None:
    with (
        pages({}) as (url, asked),
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
    assert b"as they were sent; interrupted" in err
    assert user.receipts[0]["outcome"] == "accepted"
