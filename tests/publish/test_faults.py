"""Whatever goes wrong: its exit code, its receipt, and nothing sent twice that may have arrived."""

from __future__ import annotations

import json
import random
import re
import socket
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from email.utils import formatdate
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifestkit.engine import Options
from manifestkit.publish.address import parse_address
from manifestkit.publish.client import Authorization, Client
from manifestkit.publish.gate import check
from manifestkit.publish.redaction import Secret
from manifestkit.publish.retry import RetryPolicy
from rehearsal import (
    ACCEPTED,
    AUTHENTICATION,
    DOMAIN,
    EMAIL,
    NOT_SENT,
    PASSWORD,
    RATE_LIMITED,
    REJECTED,
    UNKNOWN,
    Sandbox,
    User,
    zipped,
)
from test_deploys import is_a_receipt

pytestmark = pytest.mark.slow

OUTCOMES = {
    ACCEPTED: "accepted",
    AUTHENTICATION: "rejected",
    REJECTED: "rejected",
    RATE_LIMITED: "rejected",
    NOT_SENT: "not-sent",
    UNKNOWN: "unknown",
}
TOKEN = {"MANIFESTKIT_TOKEN": "any"}
QUICK = RetryPolicy(backoff=0.001, deadline=60)
NAMES = ("retry-after", "date", "x-ratelimit-reset", "ratelimit-reset")


@pytest.mark.parametrize(
    ("fault", "code", "tries", "versions", "told"),
    [
        ("early-413", REJECTED, 1, 0, "status 413, too_large, the archive is too large"),
        ("drop-after", UNKNOWN, 1, 1, "everything was handed to the network, then: "),
        ("429-seconds,1,1", ACCEPTED, 2, 1, "accepted"),
        ("429-date,1,1", ACCEPTED, 2, 1, "accepted"),
        ("429-seconds,1,61", RATE_LIMITED, 1, 0, "--max-wait"),
        ("429-date,1,3600", RATE_LIMITED, 1, 0, "--max-wait"),
        ("429-seconds,4,1", RATE_LIMITED, 4, 0, "status 429, rate_limited, too many requests"),
        ("success-false", REJECTED, 1, 0, "status 200, quota_exceeded, no more versions"),
        ("error-string", REJECTED, 1, 0, "status 400, the site is locked"),
        ("error-object", REJECTED, 1, 0, 'there is no such site, details: {"field": "domain"}'),
        ("redirect", REJECTED, 1, 0, "a redirect to http://elsewhere.invalid, which is not "),
        ("html-502", UNKNOWN, 1, 0, "status 502, bad gateway"),
        ("503", UNKNOWN, 1, 0, "status 503, unavailable, come back later"),
        ("empty-500", UNKNOWN, 1, 0, "status 500, internal server error"),
        ("denied", AUTHENTICATION, 1, 0, "status 401, invalid_token"),
        ("cut-200", UNKNOWN, 1, 0, "everything was handed to the network, then: "),
        ("slow,1,0.1", ACCEPTED, 1, 1, "accepted"),
    ],
)
def test_a_fault_of_a_deploy_has_its_code_its_receipt_and_its_words(
    running: Sandbox,
    user: User,
    tmp_path: Path,
    fault: str,
    code: int,
    tries: int,
    versions: int,
    told: str,
) -> None:
    running.play(f"deploy={fault}")
    ended = user.deploy(zipped(tmp_path / "site.zip"))
    assert ended.code == code
    assert told in ended.out + ended.err
    (receipt,) = user.receipts
    assert is_a_receipt(receipt)
    assert receipt["outcome"] == OUTCOMES[code]
    assert len(receipt["attempts"]) == tries
    assert len(running.archives) == versions


def test_the_services_own_words_are_in_the_receipt(
    running: Sandbox, user: User, tmp_path: Path
) -> None:
    running.play("deploy=error-object")
    told = user.deploy(zipped(tmp_path / "site.zip"), "--json").json
    assert told["status"] == 422
    assert told["error"] == {"code": "invalid_site", "details": {"field": "domain"}}
    assert "there is no such site" in told["reason"]
    assert "response" not in told  # a body is stored nowhere
    assert user.receipts == [{name: told[name] for name in user.receipts[0]}]


@pytest.mark.parametrize("fault", ["html-502", "drop-after", "cut-200", "empty-500"])
def test_what_may_have_arrived_is_sent_again_only_when_the_user_says_so(
    running: Sandbox, user: User, tmp_path: Path, fault: str
) -> None:
    running.play(f"deploy={fault}")
    ended = user.deploy(zipped(tmp_path / "site.zip"), "--retry-unknown", "--json")
    assert ended.code == ACCEPTED
    assert [each["ending"] for each in ended.json["attempts"]] == ["unknown", "accepted"]


def test_once_a_try_may_have_arrived_a_refusal_of_the_next_settles_nothing(
    running: Sandbox, user: User, tmp_path: Path
) -> None:
    running.play("deploy=drop-after", "deploy=error-object")
    ended = user.deploy(zipped(tmp_path / "site.zip"), "--retry-unknown", "--json")
    assert ended.code == UNKNOWN
    assert [each["ending"] for each in ended.json["attempts"]] == ["unknown", "rejected"]


def large(path: Path) -> Path:
    """An archive that no socket's buffers hold."""
    zipped(path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_STORED) as archive:
        archive.writestr("large.bin", random.Random(1).randbytes(16_000_000))
    return path


def test_a_connection_that_breaks_amid_the_body_is_tried_again(
    running: Sandbox, user: User, tmp_path: Path
) -> None:
    running.play("deploy=drop-before")
    ended = user.deploy(large(tmp_path / "site.zip"), "--json")
    assert ended.code == ACCEPTED
    assert [each["ending"] for each in ended.json["attempts"]] == ["not-sent", "accepted"]


def test_one_that_breaks_each_time_is_not_sent(running: Sandbox, tmp_path: Path) -> None:
    running.play("deploy=drop-before,4")
    with (
        Client(running.address(), QUICK) as client,
        check(large(tmp_path / "site.zip"), Options()) as checked,
    ):
        token = client.login(EMAIL, Secret(PASSWORD)).token
        assert checked.packed is not None
        sent = client.deploy(checked.packed, DOMAIN, Authorization(token))
    assert sent.outcome.summary == "not-sent"
    assert len(sent.tries) == 4
    assert running.archives == []


def test_a_refusal_amid_the_body_is_a_refusal(running: Sandbox, user: User, tmp_path: Path) -> None:
    running.play("deploy=early-413")
    assert user.deploy(large(tmp_path / "site.zip")).code == REJECTED


def test_a_service_that_is_not_there_gets_nothing(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    user = User(tmp_path / "home", url, TOKEN)
    ended = user.deploy(zipped(tmp_path / "site.zip"), "--max-wait=0")
    assert ended.code == NOT_SENT
    assert f"not sent to {url}: connection refused" in ended.err
    for command in ("sites", "whoami"):
        ended = user(command, "--max-wait=0")
        assert ended.code == NOT_SENT
        assert f"the service at {url} cannot be reached: connection refused" in ended.err
        assert "is `manifest sandbox` running?" in ended.err


@pytest.mark.parametrize(
    "fault",
    [
        *("html-502", "503", "drop-after", "drop-before", "cut-200"),
        *("429-seconds,1,0", "429-date,1,0", "429-seconds,1,1", "slow,1,0.1", "html-502,3"),
    ],
)
def test_what_changes_nothing_is_asked_again_where_that_may_help(
    running: Sandbox, fault: str
) -> None:
    running.play(f"login={fault}", f"sites={fault}")
    with Client(running.address(), QUICK) as client:
        assert client.sites(client.login(EMAIL, Secret(PASSWORD)).token) == []


@pytest.mark.parametrize(
    ("fault", "code", "told"),
    [
        ("429-seconds,1,3600", RATE_LIMITED, "it asks to wait 3,600 s, see --max-wait"),
        ("success-false", REJECTED, "quota_exceeded"),
        ("error-string", REJECTED, "the site is locked"),
        ("error-object", REJECTED, "invalid_site"),
        ("redirect", REJECTED, "a redirect to http://elsewhere.invalid"),
        ("empty-500", REJECTED, "status 500"),
        ("denied", AUTHENTICATION, "invalid_token"),
    ],
)
def test_where_it_may_not_help_it_is_told_at_once(
    running: Sandbox, tmp_path: Path, fault: str, code: int, told: str
) -> None:
    user = User(tmp_path / "home", running.url)
    running.play(f"login={fault}", f"sites={fault}")
    for ended in (user.login(), user("sites", env=TOKEN)):
        assert ended.code == code
        assert told in ended.err


def test_a_wait_is_told_before_it_begins(running: Sandbox, user: User, tmp_path: Path) -> None:
    running.play("sites=429-seconds,1,1", "deploy=429-seconds,1,1")
    for ended in (user("sites", "--json"), user.deploy(zipped(tmp_path / "site.zip"), "--json")):
        assert ended.code == ACCEPTED
        assert ended.json["exit_code"] == ACCEPTED
        assert ended.err.startswith("note: ")
        assert "too many requests; trying again in 1 s\n" in ended.err


LIMITED = "HTTP/1.1 429 No\r\nContent-Length: 0\r\n{}\r\n"
SOON: dict[str, Callable[[], str]] = {
    "seconds": lambda: "Retry-After: 1",
    "a date": lambda: f"Retry-After: {formatdate(time.time() + 2, usegmt=True)}",
    "X-RateLimit-Reset, a moment": lambda: f"X-RateLimit-Reset: {time.time() + 2:.0f}",
    "RateLimit-Reset, seconds": lambda: "RateLimit-Reset: 1",
}
NO_TIME: dict[str, Callable[[], str]] = {
    "0 seconds": lambda: "Retry-After: 0",
    "a date in the past": lambda: "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT",
    "nothing": lambda: "Server: x",
    "no number": lambda: "X-RateLimit-Reset: nan",
    "no time": lambda: "RateLimit-Reset: 1e300",
}

SCALE = 100


@pytest.mark.parametrize("form", [*SOON, *NO_TIME])
def test_a_429_is_waited_for_in_each_form(tmp_path: Path, form: str) -> None:
    """Sections 7 and 8: no status and no header is shown, clients should back off."""
    waits: list[float] = []
    header = {**SOON, **NO_TIME}[form]()
    limited = LIMITED.format(f"{header}\r\n").encode()
    policy = (
        RetryPolicy() if form in SOON else RetryPolicy(max_wait=60 / SCALE, backoff=0.5 / SCALE)
    )
    times = 1 if form in SOON else 3
    with (
        answering(*[limited] * times, answer(b"{}")) as url,
        check(zipped(tmp_path / "site.zip"), Options()) as checked,
        Client(
            parse_address(url, "base"), policy, on_wait=lambda wait, _: waits.append(wait)
        ) as client,
    ):
        assert checked.packed is not None
        sent = client.deploy(checked.packed, DOMAIN, Authorization(Secret("any")))
    assert (sent.outcome.summary, len(sent.tries)) == ("accepted", times + 1)
    if form in SOON:
        assert 0.5 <= waits[0] <= 3
    else:  # in all as long as the window of a minute is, here on a scale of 1 to 100
        assert waits[0] < waits[1] < waits[2]
        assert 60 / SCALE <= sum(waits) <= 90 / SCALE


@given(st.integers(1, 3), st.dictionaries(st.sampled_from(NAMES), st.text(max_size=20)))
def test_no_two_tries_are_within_half_a_second(tries: int, headers: dict[str, str]) -> None:
    for is_limited in (True, False):
        assert RetryPolicy().delay(tries, headers, is_limited=is_limited) >= 0.5


@pytest.mark.parametrize("operation", ["sites", "deploy"])
def test_an_answer_that_trickles_for_ever_comes_to_an_end(
    running: Sandbox, user: User, tmp_path: Path, operation: str
) -> None:
    running.play(f"{operation}=slow,1,3600")
    if operation == "sites":
        ended = user("sites", "--timeout=0.5")
        assert (ended.code, ended.out) == (NOT_SENT, "")
        assert "the service does not respond in time: it did not finish within 0.5 s" in ended.err
    else:
        ended = user.deploy(zipped(tmp_path / "site.zip"), "--timeout=0.5")
        assert (ended.code, user.receipts[0]["outcome"]) == (UNKNOWN, "unknown")
        assert "it did not finish within 0.5 s" in ended.err


def test_nothing_is_sent_after_the_time_is_over(
    running: Sandbox, user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_up = socket.getaddrinfo

    def look_up_slowly(*arguments: Any, **more: Any) -> Any:
        time.sleep(0.3)
        return look_up(*arguments, **more)

    monkeypatch.setattr(socket, "getaddrinfo", look_up_slowly)
    ended = user.deploy(zipped(tmp_path / "site.zip"), "--timeout=0.1")
    assert (ended.code, running.versions) == (NOT_SENT, 0)
    assert "it did not finish within 0.1 s" in ended.err


@contextmanager
def answering(*answers: bytes) -> Iterator[str]:
    """A service that answers requests so, whatever they are, and is gone after the last answer."""
    listener = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"

    def serve() -> None:
        with listener:  # one request too many is refused, and does not wait for its timeout
            for answer in answers:
                try:
                    connection, _ = listener.accept()
                except OSError:  # nobody asked, and it is closed
                    return
                take_request(connection)
                with suppress(OSError):  # a client need not take all of it
                    connection.sendall(answer)
                connection.close()

    threading.Thread(target=serve, daemon=True).start()
    yield url
    listener.close()


def take_request(connection: socket.socket) -> None:
    """Read a request, with the last byte of its body."""
    head, _, body = connection.recv(65536).partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
    left = int(length[1]) - len(body) if length else 0
    while left > 0:
        more = connection.recv(65536)
        assert more, "the connection ended before the request"
        left -= len(more)


def answer(body: bytes, kind: str = "application/json", *headers: str) -> bytes:
    lines = ["HTTP/1.1 200 OK", f"Content-Type: {kind}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (answer(b"{}"), ACCEPTED),
        (answer(b"", "text/plain"), ACCEPTED),
        (answer(b"OK", "text/plain"), ACCEPTED),
        (answer(b'{"success": true}'), ACCEPTED),
        (answer(b'{"success": false}'), REJECTED),
        (answer(b'{"success": false}', "text/html"), REJECTED),
        (answer(b'{"success": fal'), UNKNOWN),
        (answer(b'{"success": false, "n": NaN}'), UNKNOWN),
        (answer(b"[" * 100_000), UNKNOWN),
        (b"HTTP/1.1 200 OK\r\n\r\n", UNKNOWN),  # it may have been cut before its first byte
        (b"HTTP/1.1 200 OK\r\n\r\nOK", ACCEPTED),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", ACCEPTED),
        (b"HTTP/1.1 204 No Content\r\n\r\n", ACCEPTED),
        (answer(b"{" + b" " * 2_000_000 + b"}"), UNKNOWN),
        (answer(b"xx", "application/json", "Content-Encoding: gzip"), UNKNOWN),
        (answer(b'{"error": {"code": "quota", "message": "no more"}}'), REJECTED),
        (answer(b'{"success": true, "error": {"code": "quota"}}'), REJECTED),
        (answer(b'{"success": true, "error": "no more"}'), REJECTED),
        (answer(b'{"error": ["no more"]}'), REJECTED),
        (answer(b'{"error": true, "message": "no more"}'), REJECTED),
        (answer(b'{"success": "false"}'), REJECTED),
        (answer(b'{"success": "False"}'), REJECTED),
        (answer(b'{"success": 0}'), REJECTED),
        (answer(b'{"success": 0.0}'), REJECTED),
        (answer(b'\xef\xbb\xbf{"success": false}'), REJECTED),
        (answer('{"success": false}'.encode("utf-16")), REJECTED),
        (answer(b'{"success": false}', "text/plain"), REJECTED),
        (answer(b'{"success": false, "error": "\xff\xfe"}'), REJECTED),
        (answer(b'{"success": null}'), UNKNOWN),
        (answer(b'{"success": "no"}'), UNKNOWN),
        (answer(b'{"success": {}}'), UNKNOWN),
        (answer(b'{"success": []}'), UNKNOWN),
        (answer(b'{"success": 2}'), UNKNOWN),
        (answer(b'{"success": false, "success": true}'), UNKNOWN),
        (answer(b"<!doctype html><title>Log in</title>", "text/html"), UNKNOWN),
        (answer(b"<html>", "application/xhtml+xml"), UNKNOWN),
        (answer(b"<html>", "text/plain"), UNKNOWN),
        (answer(b"<html>", "application/json"), UNKNOWN),
        (answer(b" \r\n<HTML>", ""), UNKNOWN),
        (answer(b"Please log in", "text/html; charset=utf-8"), UNKNOWN),
        (answer(b"Please log in", "Text/HTML"), UNKNOWN),
        (answer(b'[{"success": false, "error": {"code": "quota"}}]'), UNKNOWN),
        (answer(b'"error: denied"'), UNKNOWN),
        (answer('{"success": fal'.encode("utf-16"), "text/plain"), UNKNOWN),
        (answer(b'{"a":' * 400 + b"1" + b"}" * 400), ACCEPTED),
        (answer(b'{"error":' * 400 + b"1" + b"}" * 400), REJECTED),
        (answer(b'{"error": {"details": ' + b"[" * 480 + b"]" * 480 + b"}}"), REJECTED),
        (answer(b"", "text/html"), ACCEPTED),
        (answer(b"", "application/json"), ACCEPTED),
        (answer(b'\xef\xbb\xbf{"success": true}'), ACCEPTED),
        (answer(b'{"success": "true", "error": null}'), ACCEPTED),
        (answer(b'{"success": 1, "error": {}, "errors": ["old"]}'), ACCEPTED),
        (answer(b'{"error": [], "status": "error"}'), ACCEPTED),
        (answer(b'{"message": "\xff"}'), ACCEPTED),
        (answer(b'{"success": true}', "text/html"), ACCEPTED),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", UNKNOWN),
        (b"not http at all\r\n\r\n", UNKNOWN),
    ],
)
def test_in_doubt_a_deploy_is_not_accepted(tmp_path: Path, given: bytes, code: int) -> None:
    with answering(given) as url:
        user = User(tmp_path / "home", url, TOKEN)
        ended = user.deploy(zipped(tmp_path / "site.zip"))
    assert ended.code == code
    assert is_a_receipt(user.receipts[0])


@pytest.mark.parametrize(
    "body",
    [
        b'{"token": "long-enough", "success": "false"}',
        b'{"token": "long-enough", "error": {"code": "locked"}}',
        b'{"token": "long-enough", "success": null}',
        b'["long-enough"]',
        b"<html>",
    ],
)
def test_what_a_2xx_means_is_the_same_for_a_login_and_a_list_of_sites(
    tmp_path: Path, body: bytes
) -> None:
    listed = body.replace(b'"token": "long-enough"', b'"sites": ["long-enough"]')
    if listed == b'["long-enough"]':
        listed = b'{"success": false, "sites": []}'
    with answering(answer(body), answer(listed)) as url:
        user = User(tmp_path / "home", url, TOKEN)
        login, sites = user.login(), user("sites")
    assert (login.code, sites.code, sites.out) == (REJECTED, REJECTED, "")
    assert not list(user.home.rglob("credentials.json"))
    assert "long-enough" not in login.err


def test_a_list_of_sites_without_end_is_refused(tmp_path: Path) -> None:
    many = json.dumps(["a.example"] * 10_001).encode()
    with answering(answer(b'["a"' + b',"a"' * 2_000_000 + b"]"), answer(many)) as url:
        user = User(tmp_path / "home", url, TOKEN)
        ended = user("sites"), user("sites")
    assert [each.code for each in ended] == [REJECTED, REJECTED]
    assert "(a body of more than 1,048,576 bytes)" in ended[0].err
    assert "lists 10,001 sites" in ended[1].err


@pytest.mark.parametrize(
    "body",
    [b"{}", b"null", b'{"token": ""}', b'{"token": 5}', b'{"token": "a\\nb"}', b"<html>", b'"x"'],
)
def test_a_login_without_a_token_stores_nothing(tmp_path: Path, body: bytes) -> None:
    with answering(answer(body)) as url:
        user = User(tmp_path / "home", url)
        assert user.login().code == REJECTED
    assert not list(user.home.rglob("credentials.json"))


@pytest.mark.parametrize("body", [b"{}", b"null", b'{"sites": {}}', b'"a"', b"<html>"])
def test_what_is_no_list_of_sites_is_an_error_and_no_empty_list(
    tmp_path: Path, body: bytes
) -> None:
    with answering(answer(body)) as url:
        user = User(tmp_path / "home", url, TOKEN)
        ended = user("sites")
    assert ended.code == REJECTED
    assert ended.out == ""


def test_control_characters_of_the_service_do_not_reach_the_terminal(tmp_path: Path) -> None:
    body = b'{"success": false, "error": {"code": "a\\u001b[31m", "message": "b\\u0007\\u202ec"}}'
    with answering(answer(body)) as url:
        user = User(tmp_path / "home", url, TOKEN)
        ended = user.deploy(zipped(tmp_path / "site.zip"))
    assert ended.code == REJECTED
    assert r"a\u001b[31m, b\u0007\u202ec" in ended.err
    assert not set("\x1b\x07\u202e") & set(ended.err)


@pytest.mark.parametrize(
    "body", [b"[7]", b"[[1, 2]]", b'[{"a": 1}, "b", null]', b'{"sites": [true]}']
)
def test_sites_are_passed_on_whatever_they_are(tmp_path: Path, body: bytes) -> None:
    """Section 2: the fields of a site entry are not shown."""
    with answering(answer(body), answer(body)) as url:
        user = User(tmp_path / "home", url, TOKEN)
        listed = json.loads(body)
        listed = listed["sites"] if isinstance(listed, dict) else listed
        assert user("sites", "--json").json["sites"] == listed
        assert len(user("sites").out.splitlines()) == len(listed)


def test_a_member_that_has_the_name_of_a_secret_is_shown(tmp_path: Path) -> None:
    details = {"site_token": ["must be 32 characters"]}
    error = {"message": "the password is wrong", "details": details}
    body = json.dumps({"success": False, "error": error}).encode()
    with answering(answer(body)) as url:
        ended = User(tmp_path / "home", url, TOKEN).deploy(zipped(tmp_path / "site.zip"), "--json")
    assert ended.json["error"]["details"] == details
    assert "the password is wrong" in ended.json["reason"]


def test_an_interrupt_at_any_step_between_two_attempts_ends_the_deploy(tmp_path: Path) -> None:
    """Each event of the loop is a moment: none lets the archive be sent again."""
    archive = zipped(tmp_path / "site.zip")
    limited = b"HTTP/1.1 429 x\r\nContent-Length: 0\r\n\r\n"
    moment, is_left = 0, True
    while is_left and moment < 200:
        sent, sent_before = [0], [-1]

        def trace(
            frame: FrameType,
            _event: str,
            _argument: Any,
            left: Iterator[int] = iter(range(moment, -1, -1)),  # noqa: B008 - one for each moment
            seen: tuple[list[int], list[int]] = (sent, sent_before),
        ) -> Any:
            if frame.f_code.co_name == "_repeated" and seen[0][0] and next(left, None) == 0:
                seen[1][0] = seen[0][0]
                client.interrupt()
            return trace

        def count(done: int, total: int, sent: list[int] = sent) -> None:
            sent[0] += done == total

        with (
            answering(limited, answer(b"{}")) as url,
            Client(parse_address(url, "base"), QUICK) as client,
            check(archive, Options(isolated=True)) as checked,
        ):
            assert checked.packed is not None
            before = sys.gettrace()
            sys.settrace(trace)
            try:
                client.deploy(checked.packed, DOMAIN, Authorization(Secret("any")), progress=count)
            finally:
                sys.settrace(before)
        is_left = sent_before[0] >= 0
        assert not is_left or sent == sent_before, moment
        moment += 1
    assert moment > 10
