"""What a service may say, and what it means: never accepted in doubt, never sent twice."""

from __future__ import annotations

import hashlib
import os
import socket
import struct
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import product
from pathlib import Path

import pytest

from manifestkit.publish.client import Outcome, conclude
from manifestkit.publish.http import Failure, Response
from manifestkit.publish.secrets import KnownSecrets
from readers import forged_commands
from rehearsal import (
    ACCEPTED,
    AUTHENTICATION,
    MANIFEST,
    NOT_SENT,
    RATE_LIMITED,
    REJECTED,
    UNKNOWN,
    USAGE,
    Ended,
    Reply,
    Stub,
    User,
    http,
    stub,
    whole_request,
    zipped,
)
from rows import rows

CODES = {
    Outcome.ACCEPTED: ACCEPTED,
    Outcome.AUTHENTICATION: AUTHENTICATION,
    Outcome.REJECTED: REJECTED,
    Outcome.RATE_LIMITED: RATE_LIMITED,
    Outcome.NOT_SENT: NOT_SENT,
    Outcome.UNKNOWN: UNKNOWN,
}
BODIES: dict[str, tuple[bytes, dict[str, str]]] = {
    "nothing": (b"", {}),
    "an object": (b'{"version": 3}', {}),
    "success": (b'{"success": true}', {}),
    "text": (b"published", {"Content_Type": "text/plain"}),
    "failure": (b'{"success": false, "error": {"code": "x"}}', {}),
    "failure as a word": (b'{"success": "False"}', {}),
    "success as null": (b'{"success": null}', {}),
    "success as 0": (b'{"success": 0}', {}),
    "success as an empty text": (b'{"success": ""}', {}),
    "success as a list": (b'{"success": []}', {}),
    "an error": (b'{"error": "no"}', {}),
    "failure in capitals": (b'{"Success": false}', {}),
    "failure beside success": (b'{"Success": false, "success": true}', {}),
    "an error beside none": (b'{"Error": "no", "error": null}', {}),
    "failure, then success": (b'{"success": false, "success": true}', {}),
    "an error, then none": (b'{"error": {"code": "x"}, "error": null}', {}),
    "no word for success": (b'{"success": "maybe"}', {}),
    "a page": (b"<!doctype html><h1>Log in</h1>", {"Content_Type": "text/html"}),
    "a list": (b"[]", {}),
    "null": (b"null", {}),
    "cut JSON": (b'{"success": tr', {}),
    "text that should be JSON": (b"ok", {"Content_Type": "application/json"}),
    "no number": (b'{"a": NaN}', {}),
    "deep": (b"[" * 100_000, {}),
    "binary": (b"\xff\xfe\x00\x01", {}),
    "packed": (b"\x1f\x8b", {"Content_Encoding": "gzip"}),
    "long": (b" " * 2**20 + b"{}", {}),
}
CLEAR = {"nothing", "an object", "success", "text"}
FAILED = {"failure", "failure in capitals", "failure as a word", "an error"}
FAILED |= {"failure beside success", "an error beside none"}
STATUSES = [101, 200, 201, 204, 299, 301, 303, 307, 400, 401, 403, 404, 408, 413, 422, 425, 429]
STATUSES += [451, 499, 500, 501, 502, 503, 504, 599, 600, 999]


def expected(status: int, body: str, *, is_complete: bool) -> Outcome:
    """As the design has it, said another way than the code says it."""
    if status in {401, 403}:
        return Outcome.AUTHENTICATION
    if status == 429:
        return Outcome.RATE_LIMITED
    if 200 <= status < 300:
        if body in FAILED:
            return Outcome.REJECTED
        return Outcome.ACCEPTED if body in CLEAR and is_complete else Outcome.UNKNOWN
    if 400 <= status < 500 and status != 408:
        return Outcome.REJECTED
    if is_complete:
        return Outcome.UNKNOWN
    return Outcome.REJECTED if 300 <= status < 400 else Outcome.NOT_SENT


@rows("is_complete", [False, True], ids=["before", "after"])
@rows("body", BODIES)
def test_every_status_with_every_body_before_and_after_the_last_byte(
    body: str, is_complete: bool
) -> None:
    content, given = BODIES[body]
    headers = {name.replace("_", "-").lower(): value for name, value in given.items()}
    headers["content-length"] = str(len(content))
    for status in STATUSES:
        response = Response(status, headers, content)
        ended = conclude(response, KnownSecrets(), is_complete=is_complete)
        assert ended.outcome is expected(status, body, is_complete=is_complete), status
        assert ended.may_retry == (status == 429)


def test_accepted_is_what_says_so_with_each_member_by_itself() -> None:
    def outcome(*pairs: tuple[str, str]) -> Outcome:
        body = ", ".join(f'"{name}": {value}' for name, value in pairs)
        response = Response(200, {}, f"{{{body}}}".encode())
        return conclude(response, KnownSecrets(), is_complete=True).outcome

    names = "success", "Success", "error", "Error", "url"
    values = "true", "false", "null", '"no"', '{"code": "x"}', '{"a": 1, "a": 2}'
    alone = {each: outcome(each) for each in product(names, values)}
    for both in product(alone, repeat=2):
        if outcome(*both) is Outcome.ACCEPTED:
            assert {alone[each] for each in both} == {Outcome.ACCEPTED}, both


def test_without_a_response_the_last_byte_decides() -> None:
    for is_final in (True, False):
        failure = Failure("gone", is_final)
        late = conclude(failure, KnownSecrets(), is_complete=True)
        assert (late.outcome, late.may_retry) == (Outcome.UNKNOWN, False)
        early = conclude(failure, KnownSecrets(), is_complete=False)
        assert (early.outcome, early.may_retry) == (Outcome.NOT_SENT, not is_final)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return zipped(tmp_path / "site.zip", large=bytes(200))


def deployed(
    tmp_path: Path, archive: Path, *replies: Reply, options: tuple[str, ...] = ()
) -> tuple[Ended, Stub]:
    with stub(*replies) as service:
        user = User(tmp_path / "home", service.url, {"MANIFESTKIT_TOKEN": "token-of-a-user"})
        return user.deploy(archive, *options), service


@pytest.mark.parametrize(
    ("status", "body"),
    [
        *((200, each) for each in ("failure", "a page", "nothing", "cut JSON", "binary")),
        *((each, "success") for each in (200, 303, 400, 401, 404, 408, 422, 500, 503)),
    ],
)
def test_over_the_wire_each_is_sent_once_and_has_its_code(
    tmp_path: Path, archive: Path, status: int, body: str
) -> None:
    content, headers = BODIES[body]
    ended, service = deployed(tmp_path, archive, http(status, content, **headers))
    assert ended.code == CODES[expected(status, body, is_complete=True)], ended.err
    assert len(service.requests) == 1


def dropped(connection: socket.socket) -> None:
    whole_request(connection)


def reset(connection: socket.socket) -> None:
    whole_request(connection)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def cut_body(connection: socket.socket) -> None:
    whole_request(connection)
    connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"success": true}')


def without_length(connection: socket.socket) -> None:
    whole_request(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")


def no_http(connection: socket.socket) -> None:
    whole_request(connection)
    connection.sendall(b"220 mail.example.org\r\n")


def slow(connection: socket.socket) -> None:
    whole_request(connection)
    for letter in b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000:
        connection.sendall(bytes([letter]))
        threading.Event().wait(0.05)


@pytest.mark.parametrize(
    "reply",
    [dropped, reset, cut_body, without_length, no_http, pytest.param(slow, marks=pytest.mark.slow)],
)
def test_what_breaks_after_the_last_byte_is_unknown_and_not_sent_again(
    tmp_path: Path, archive: Path, reply: Callable[[socket.socket], None]
) -> None:
    begun: list[float] = []

    def once(connection: socket.socket) -> None:
        begun.append(time.monotonic())
        reply(connection)

    started = time.monotonic()
    ended, _ = deployed(tmp_path, archive, once, http(200), options=("--timeout=2",))
    assert (ended.code, len(begun)) == (UNKNOWN, 1), ended.err
    assert time.monotonic() - started < 20
    assert "sha256 " in ended.err
    assert f"manifest.json in it {hashlib.sha256(MANIFEST).hexdigest()}, for" in ended.err
    assert "look at the site before you deploy again" in ended.err


def early(reply: bytes) -> Callable[[socket.socket], None]:
    def answer(connection: socket.socket) -> None:
        connection.recv(1000)
        connection.sendall(reply)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return answer


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More than the buffers of a connection hold."""
    return zipped(tmp_path_factory.mktemp("large") / "s.zip", noise=os.urandom(12_000_000))


@pytest.mark.slow
def test_what_breaks_before_the_last_byte_is_sent_again(tmp_path: Path, large: Path) -> None:
    ended, service = deployed(tmp_path, large, early(b""), http(200))
    assert (ended.code, len(service.requests)) == (ACCEPTED, 1), ended.err
    assert "attempt 1: " in ended.err
    ended, service = deployed(tmp_path, large, early(b""))
    assert (ended.code, service.requests) == (NOT_SENT, []), ended.err


@pytest.mark.slow
def test_429_is_waited_for_and_sent_again(tmp_path: Path, archive: Path) -> None:
    limited = http(429, Retry_After="1")
    ended, service = deployed(tmp_path, archive, limited, http(200))
    assert (ended.code, len(service.requests)) == (ACCEPTED, 2)
    ended, service = deployed(tmp_path, archive, http(429, Retry_After="100"))
    assert (ended.code, len(service.requests)) == (RATE_LIMITED, 1)
    assert "it asks to wait 100 s, see `max-wait` under [publish]" in ended.err
    ended, service = deployed(
        tmp_path, archive, http(429, Retry_After="30"), options=("--timeout=5",)
    )
    assert (ended.code, "see --timeout" in ended.err) == (RATE_LIMITED, True)
    ended, service = deployed(tmp_path, archive, http(429), options=("--timeout=2",))
    assert (ended.code, "no time for another try, see --timeout" in ended.err) == (5, True)


def ago(seconds: float) -> str:
    return format_datetime(datetime.now(UTC) - timedelta(seconds=seconds), usegmt=True)


LIMITS: dict[str, tuple[Callable[[], dict[str, str]], float, float]] = {
    "seconds": (lambda: {"Retry_After": "2"}, 2, 2.5),
    "part of a second": (lambda: {"Retry_After": "1.5"}, 1.5, 2),
    "date": (lambda: {"Retry_After": ago(-3)}, 1.5, 3),
    "reset": (lambda: {"X_RateLimit_Reset": str(time.time() + 2.5)}, 0.5, 2.5),
    "seconds to the reset": (lambda: {"RateLimit_Reset": "2"}, 2, 2.5),
    "none": (dict, 3.5, 5),
    "0": (lambda: {"Retry_After": "0"}, 3.5, 5),
    "past": (lambda: {"Retry_After": ago(60)}, 3.5, 5),
    "words": (lambda: {"Retry_After": "soon"}, 3.5, 5),
}


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="no zone can be chosen")
def test_a_date_is_one_in_greenwich_and_never_a_number_of_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def wait(date: str) -> float:
        response = Response(429, {"retry-after": date}, b"")
        return conclude(response, KnownSecrets(), is_complete=True).wait or 0

    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        waits = [wait(each) for each in (ago(-90), time.asctime(time.gmtime(time.time() + 90)))]
    time.tzset()
    assert all(85 < each <= 90 for each in waits), waits
    assert wait("Sat, 01 Jan 2000 00:00:00 GMT") == 0


@rows(
    ("headers", "settings", "told"),
    [
        (
            {"Retry_After": "172800"},
            "",
            "it asks to wait 172,800 s, see `max-wait` under [publish]",
        ),
        ({}, "max-wait = 0", "no time for another try, see `max-wait` under [publish]"),
        ({}, "max-wait = 0.1", "no time for another try, see `max-wait` under [publish]"),
    ],
)
def test_on_429_it_is_not_sent_again_before_it_may(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    headers: dict[str, str],
    settings: str,
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("manifestkit.toml").write_text(f"[publish]\n{settings}\n")
    with stub(http(429, **headers)) as service:
        user = User(tmp_path / "home", service.url, {"MANIFESTKIT_TOKEN": "t"})
        ended = user("sites")
    assert (ended.code, len(service.requests)) == (RATE_LIMITED, 1)
    assert ended.err.endswith(f"{told}\n")


@pytest.mark.slow
@pytest.mark.parametrize("kind", LIMITS)
def test_on_429_the_wait_is_what_the_service_asks_for(tmp_path: Path, kind: str) -> None:
    headers, least, most = LIMITS[kind]
    with stub(http(429, **headers()), http(200, [])) as service:
        user = User(tmp_path / "home", service.url, {"MANIFESTKIT_TOKEN": "t"})
        started = time.monotonic()
        assert user("sites").code == ACCEPTED
    assert least - 0.6 <= time.monotonic() - started <= most + 2


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_passing_error_is_tried_again_after_its_own_backoff(tmp_path: Path, status: int) -> None:
    """Headers about the rate limit are of no matter."""
    headers = {"Retry_After": "50", "X_RateLimit_Reset": str(time.time() + 89)}
    with stub(http(status, **headers), http(200, [])) as service:
        user = User(tmp_path / "home", service.url, {"MANIFESTKIT_TOKEN": "t"})
        started = time.monotonic()
        assert user("sites").code == ACCEPTED
    assert time.monotonic() - started < 40


@rows("status", [400, 404, 408, 500, 501])
def test_other_errors_are_not_tried_again(tmp_path: Path, status: int) -> None:
    with stub(http(status), http(200, [])) as service:
        user = User(tmp_path / "home", service.url, {"MANIFESTKIT_TOKEN": "t"})
        assert user("sites").code == REJECTED
    assert len(service.requests) == 1


TOKENS = {"MANIFESTKIT_TOKEN": "token-of-a-user", "MANIFESTKIT_SITE_TOKEN": "token-of-a-site"}


@pytest.mark.parametrize(
    ("status", "settings", "told", "not_told"),
    [
        (401, "", "correct or unset MANIFESTKIT_TOKEN, or correct the site token", "--domain"),
        (401, 'token-placement = "none"', "the site token in MANIFESTKIT_SITE", "KIT_TOKEN,"),
        (403, "", "check --domain and the site token", "does not accept"),
        (404, "", "check --base-url and --api-form", "token"),
    ],
)
def test_advice_is_about_what_was_sent(
    tmp_path: Path,
    archive: Path,
    monkeypatch: pytest.MonkeyPatch,
    status: int,
    settings: str,
    told: str,
    not_told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "manifestkit.toml").write_text(f"[publish]\n{settings}\n")
    with stub(http(status)) as service:
        ended = User(tmp_path / "home", service.url, TOKENS).deploy(archive)
    assert told in ended.err
    assert not_told not in ended.err


def test_the_token_that_the_service_names_is_the_one_to_correct(
    tmp_path: Path, archive: Path
) -> None:
    with stub(http(401, {"error": {"code": "invalid_site_token", "message": "no"}})) as service:
        told = User(tmp_path / "home", service.url, TOKENS).deploy(archive).err
    assert "; correct the site token in MANIFESTKIT_SITE_TOKEN" in told
    assert "MANIFESTKIT_TOKEN" not in told


def test_a_path_that_is_not_there_is_told_with_the_options_for_it(
    tmp_path: Path, archive: Path
) -> None:
    with stub(http(404)) as service:
        user = User(tmp_path / "home", service.url, TOKENS)
        for ended in (user.login(), user("sites"), user.deploy(archive)):
            assert ended.code == REJECTED
            assert "status 404, not found; check --base-url and --api-form" in ended.err


def test_an_address_that_ends_in_api_is_refused_with_the_right_options(
    tmp_path: Path, archive: Path
) -> None:
    with stub(http(200)) as service:
        user = User(tmp_path / "home", f"{service.url}/api", {"MANIFESTKIT_TOKEN": "t"})
        for ended in (user.login(), user.deploy(archive)):
            assert ended.code == USAGE
            assert f"use --base-url {service.url} --api-form alt" in ended.err
    assert service.requests == []


@pytest.mark.slow
def test_a_service_that_is_not_there_is_told(tmp_path: Path, archive: Path) -> None:
    with stub(http(200)) as gone:
        pass
    user = User(tmp_path / "home", gone.url, {"MANIFESTKIT_TOKEN": "t"})
    for ended in (user("sites", "--timeout=4"), user.deploy(archive, "--timeout=4")):
        assert ended.code == NOT_SENT
        assert "connection refused (is `manifest sandbox` running?)" in ended.err


def test_an_error_is_told_with_what_the_service_says(tmp_path: Path, archive: Path) -> None:
    error = {"code": "too_big", "message": "no\x1b[31m room\n", "details": {"most": 3}}
    ended, _ = deployed(tmp_path, archive, http(413, {"success": False, "error": error}))
    assert 'status 413, too_big, no\\u001b[31m room, details: {"most": 3}' in ended.err
    ended, _ = deployed(
        tmp_path, archive, http(413, {"success": False, "error": error}), options=("--json",)
    )
    assert (ended.json["code"], ended.json["details"]) == ("too_big", {"most": 3})
    ended, _ = deployed(tmp_path, archive, http(400, {"error": {"message": "x" * 10_000}}))
    assert len(ended.err) < 2_400


@rows("text", ["##[error]x", "::error::x", "a##vso[task.setvariable variable=P]b", "###[group]"])
def test_no_word_of_a_service_is_a_command_of_the_build_service_that_shows_the_log(
    tmp_path: Path, text: str
) -> None:
    archive, site = zipped(tmp_path / "site.zip"), {"name": text}
    told = {"success": False, "error": {"code": text, "message": text, "details": {text: text}}}
    replies = [http(400, told), http(200, {"success": True, "url": text}), http(200, [site])]
    for reply, command in zip(replies, ("deploy", "deploy", "sites"), strict=True):
        for form in ([], ["--json"]):
            with stub(reply) as service:
                user = User(tmp_path / "home", service.url, {"MANIFESTKIT_TOKEN": "of-a-user"})
                given = [str(archive), "--domain", "calm.localhost"] if command == "deploy" else []
                ended = user(command, *given, *form)
            assert forged_commands(ended.out) == []
            assert forged_commands(ended.err) == []
        shown = ended.json
        assert text in (
            shown.get("code"),
            shown.get("url"),
            *shown.get("sites", [site])[0].values(),
        )
