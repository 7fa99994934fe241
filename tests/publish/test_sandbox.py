"""The sandbox takes whatever comes, keeps it private, and shares its folder with nobody."""

from __future__ import annotations

import itertools
import json
import os
import re
import socket
import sqlite3
import stat
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from command import MANIFEST as COMMAND
from command import USAGE, environment
from rehearsal import DOMAIN, Sandbox, User, served, with_account, zip_bytes, zipped
from rows import rows
from skips import posix

COUNTER = itertools.count()
JSON_TYPE = b"application/json"
FORM_TYPE = b"application/x-www-form-urlencoded"


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    """A sandbox of its own, whose standard error is looked at when it stops."""
    data = tmp_path_factory.mktemp("data")
    with served(data, "--account=me@example.org") as (url, said, _):
        password = said[0].rpartition(" ")[2].strip()
        yield password, int(url.rpartition(":")[2])


def exchange(port: int, request: bytes) -> bytes:
    """What the sandbox answers to these bytes."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(request)
        response = b""
        while piece := connection.recv(65536):
            response += piece
    return response


def request(
    body: bytes,
    path: bytes = b"/cli/login",
    kind: bytes = JSON_TYPE,
    host: bytes = b"127.0.0.1",
    method: bytes = b"POST",
    more: bytes = b"Connection: close",
) -> bytes:
    length = len(body)
    lines = (b"%s %s HTTP/1.1", b"Host: %s", b"Content-Type: %s", b"Content-Length: %d")
    head = b"\r\n".join((*lines, b"Cache-Control: no-cache", b"%s", b"", b""))
    return head % (method, path, host, kind, length, more) + body


@rows(
    ("sent", "status"),
    [
        (request(b"{}", host=b"[::1"), 403),
        (request(b"{}", host=b""), 403),
        (request(b"[" * 100_000), 400),
        (request(b'{"email":' * 5_000), 400),
        (request(b"1" * 5_000), 400),
        (request(b"\xff"), 400),
        (request(b"a=b", kind=FORM_TYPE + b"; charset=nope"), 400),
        (request(b"email=%ff", kind=FORM_TYPE + b"; charset=utf-16"), 400),
        (request(b'{"email": "\\ud800", "password": "x"}'), 401),
        (request(b'{"email": "x", "password": "\\ud800"}'), 401),
        (request(b'{"email": "\\u0000", "password": "\\u0000"}'), 401),
        (request(b"{}" + b" " * 2_000_000), 413),
        (request(b"", method=b"GET"), 405),
        (request(b"", method=b"PUT"), 405),
        (request(b"", b"/cli/sites?token=%ED%A0%80", method=b"GET"), 401),
        (request(b"", b"/v2/cli/deploy", b"multipart/form-data"), 400),
        (request(b"", b"/v2/cli/deploy", b"multipart/form-data; boundary=x"), 400),
        (request(b"{}", more=b"Content-Encoding: gzip\r\nConnection: close"), 400),
        (request(b"", b"/%00", host=b"a.localhost", method=b"GET"), 404),
        (request(b"", b"/", host=b"\xff.localhost", method=b"GET"), 404),
    ],
)
def test_what_is_wrong_with_a_request_is_told_and_no_error_of_the_sandbox(
    process: tuple[str, int], sent: bytes, status: int
) -> None:
    response = exchange(process[1], sent)
    assert response.startswith(b"HTTP/1.1 %d " % status), response[:300]
    if status != 404:
        assert json.loads(response.partition(b"\r\n\r\n")[2])["success"] is False


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
HEADER = st.binary(max_size=40).map(lambda data: re.sub(rb"[\x00\r\n]", b"", data))
KINDS = st.sampled_from(
    [
        *(JSON_TYPE, FORM_TYPE, b"multipart/form-data; boundary=x", b"text/plain", b"", b"/", b";"),
        *(b"application/json; charset=nope", FORM_TYPE + b"; charset=utf-7", b"multipart/mixed"),
    ]
)
PART_HEADERS = st.sampled_from(
    [
        *(b"Content-Transfer-Encoding: base64", b"Content-Transfer-Encoding: nope", b"x", b": "),
        *(b"Content-Encoding: gzip", b"Content-Length: 9", b"Content-Type: multipart/mixed"),
        *(b"Content-Type: text/plain; charset=nope", b"Content-Type: multipart/mixed; boundary=x"),
    ]
)
NAMES = st.sampled_from([b"archive", b"domain", b"token", b"site_token", b"sitetoken"])
ARCHIVE = zip_bytes({"index.html": b"hello"})


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    """Logins and forms that are nearly right."""
    if draw(st.booleans()):
        value: Any = {"email": draw(JSON), "password": draw(JSON)}
        return json.dumps(draw(st.sampled_from([value, draw(JSON)]))).encode()
    parts = b""
    for _ in range(draw(st.integers(0, 3))):
        name = draw(NAMES | HEADER)
        content = draw(st.binary(max_size=30) | st.sampled_from([ARCHIVE, ARCHIVE[:-9], b"a"]))
        more = b"".join(each + b"\r\n" for each in draw(st.lists(PART_HEADERS, max_size=2)))
        head = b'Content-Disposition: form-data; name="%s"\r\n%s' % (name, more)
        parts += b"--x\r\n" + head + b"\r\n" + content + b"\r\n"
    whole = parts + b"--x--\r\n"
    return whole[: draw(st.integers(0, len(whole)))] if draw(st.booleans()) else whole


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    body=bodies() | st.binary(max_size=200),
    path=st.sampled_from(
        [*(b"/cli/login", b"/api/cli/login", b"/cli/sites", b"/v2/cli/deploy", b"/api/cli/deploy")]
    ),
    query=HEADER.map(lambda data: data.replace(b" ", b"")),
    kind=KINDS | HEADER,
    host=st.sampled_from([b"127.0.0.1", b"localhost:1", b"[::1]", b"[::1", b"a.localhost"])
    | HEADER,
    method=st.sampled_from([b"POST", b"GET", b"HEAD", b"PUT"]),
)
def test_no_request_makes_the_sandbox_fail(
    process: tuple[str, int],
    body: bytes,
    path: bytes,
    query: bytes,
    kind: bytes,
    host: bytes,
    method: bytes,
) -> None:
    key = str(next(COUNTER)).encode()  # of its own, so that no limit is met
    whole = request(body, path + b"?token=" + key + query, kind, host, method)
    response = exchange(process[1], whole)
    assert re.match(rb"HTTP/1\.[01] [1-4]\d\d ", response), (whole, response[:300])
    assert b"Traceback" not in response


FORM = request(
    b'--x\r\nContent-Disposition: form-data; name="archive"; filename="a.zip"\r\n\r\n'
    + ARCHIVE
    + b"\r\n--x--\r\n",
    b"/v2/cli/deploy",
    b"multipart/form-data; boundary=x",
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    whole=st.sampled_from(
        [FORM, request(b'{"email": "a", "password": "b"}'), request(b"email=a", kind=FORM_TYPE)]
    ),
    sent=st.floats(0, 1),
    is_reset=st.booleans(),
    encoding=st.sampled_from([b"", b"Content-Encoding: gzip", b"Content-Encoding: deflate"]),
)
def test_a_request_that_breaks_off_is_no_error_of_the_sandbox(
    process: tuple[str, int], whole: bytes, sent: float, is_reset: bool, encoding: bytes
) -> None:
    whole = whole.replace(b"Connection: close", encoding or b"Connection: close")
    with socket.create_connection(("127.0.0.1", process[1]), timeout=30) as connection:
        connection.sendall(whole[: int(sent * len(whole))])
        exchange(process[1], request(b"", b"/", host=b"a.localhost"))  # so long it has waited
        if is_reset:
            linger = struct.pack("ii", 1, 0)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)


def test_a_page_that_is_not_read_to_its_end_is_no_error_of_the_sandbox(tmp_path: Path) -> None:
    with with_account(tmp_path / "data") as (url, _, _):
        user = User(tmp_path / "home", url)
        user.login()
        assert user.deploy(zipped(tmp_path / "s.zip", large=bytes(20_000_000))).code == 0
        page = request(b"", b"/large", host=DOMAIN.encode(), method=b"GET")
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2]))) as connection:
                connection.sendall(page)
                assert connection.recv(9) == b"HTTP/1.1 "


# -- the data folder -------------------------------------------------------------------------


@posix
def test_what_the_sandbox_keeps_is_its_users_alone(tmp_path: Path) -> None:
    mask = os.umask(0)
    try:
        with served(tmp_path / "data", "--account=me@example.org") as (url, said, _):
            user = User(tmp_path / "home", url)
            assert user.login(password=said[0].rpartition(" ")[2].strip()).code == 0
            assert user.deploy(zipped(tmp_path / "s.zip")).code == 0
            paths = [tmp_path / "data", *(tmp_path / "data").rglob("*")]
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in paths}
    finally:
        os.umask(mask)
    assert modes["data"] == modes["sandbox-sites"] == 0o700
    assert modes["sandbox.sqlite3"] == 0o600


@posix
def test_two_sandboxes_do_not_share_a_folder(tmp_path: Path) -> None:
    with served(tmp_path / "data", "--account=me@example.org"):
        second = subprocess.run(
            [*COMMAND, "sandbox", "--data", tmp_path / "data", "--port", "0"],
            env=environment(),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert (second.returncode, second.stdout) == (USAGE, "")
    assert "another sandbox uses this folder; stop it" in second.stderr
    with served(tmp_path / "data"):
        pass


def test_without_a_port_no_account_is_told(user: User) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ended = user("sandbox", "--port", str(taken.getsockname()[1]))
    assert (ended.code, ended.out) == (USAGE, "")
    assert ended.err.startswith("error: port "), ended.err


def test_a_database_of_another_is_told(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "sandbox.sqlite3")) as database:
        database.execute("create table account (x int)")
    ended = User(tmp_path / "home", "")("sandbox", "--data", tmp_path, "--port", "0")
    assert (ended.code, "no such column: email" in ended.err) == (USAGE, True), ended.err


@posix
def test_a_sandbox_whose_log_nobody_reads_serves_on(tmp_path: Path) -> None:
    with with_account(tmp_path / "data") as (url, _, process):
        assert process.stdout is not None
        process.stdout.close()
        user = User(tmp_path / "home", url)
        for _ in range(2):
            assert user.login().code == 0
            assert user.deploy(zipped(tmp_path / "s.zip")).code == 0


@pytest.mark.skipif(sys.platform != "linux", reason="a limit of another process")
def test_a_full_disk_is_no_fault_of_an_archive(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    with with_account(tmp_path / "data") as (url, _, process):
        user = User(tmp_path / "home", url)
        user.login()
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (200_000, 200_000))
        for content in (bytes(3_000_000), os.urandom(3_000_000)):
            ended = user.deploy(zipped(tmp_path / "s.zip", large=content))
            assert ended.code in {6, 7}, ended.err  # by what is read when the disk is full
            assert "storage_failed" in ended.err
        assert user.deploy(zipped(tmp_path / "s.zip")).code == 0


@posix
def test_what_a_killed_sandbox_left_is_removed_at_the_next_start(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with with_account(data) as (url, _, process):
        user = User(tmp_path / "home", url)
        user.login()
        assert user.deploy(zipped(tmp_path / "s.zip")).code == 0
        process.kill()
    sites = data / "sandbox-sites"
    (kept,) = sites.iterdir()
    (sites / "version-0123456789abcdef" / "app").mkdir(parents=True)
    (sites / "mine.txt").write_text("not of the sandbox")
    with served(data) as (url, _, _):
        left = sorted(path.name for path in sites.iterdir())
        assert user("sites", "--base-url", url).code == 3  # a token belongs to one port
    assert left == ["mine.txt", kept.name]


def test_pages_are_served_from_files(running: Sandbox, user: User, tmp_path: Path) -> None:
    pages = {"docs/index.html": b"docs", "a b/\u00e9.css": b"css", "x.unknown": b"?"}
    assert user.deploy(zipped(tmp_path / "s.zip", **pages)).code == 0
    assert running.page("/docs/") == running.page("/docs") == (200, b"docs")
    assert running.page("/a%20b/%C3%A9.css") == (200, b"css")
    assert running.page("/x.unknown", method="HEAD") == (200, b"")
    for path in ("/../sandbox.sqlite3", "/%2e%2e/%2e%2e/sandbox.sqlite3", "/docs%5c..", "/none"):
        assert running.page(path)[0] == 404
    assert running.page(f"/{'a' * 5_000}")[0] == 404
    assert running.page("/", method="POST")[0] == 405


def test_the_limit_of_section_8_is_kept_for_each_token(running: Sandbox, user: User) -> None:
    """100 requests per minute per API key."""

    def ask(token: str) -> bytes:
        sent = request(b"", b"/cli/sites?token=" + token.encode(), method=b"GET")
        return exchange(running.port, sent).partition(b"\r\n\r\n")[0]

    answers = [ask("one") for _ in range(101)]
    assert all(each.startswith(b"HTTP/1.1 401") for each in answers[:100])
    assert b"X-RateLimit-Remaining: 0" in answers[99]
    assert answers[100].startswith(b"HTTP/1.1 429")
    assert b"Retry-After: " in answers[100]
    assert ask("two").startswith(b"HTTP/1.1 401")
    assert user("sites").code == 0
