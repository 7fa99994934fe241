"""A deploy exits by what became of it, whoever interrupts and whatever cannot be written."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import pytest

from command import MANIFEST as COMMAND
from command import environment
from rehearsal import ACCEPTED, DOMAIN, NOT_SENT, REFUSED, REJECTED, UNKNOWN, USAGE, User, zipped
from test_deploys import posix
from test_faults import TOKEN, answer, answering, large, take_request

pytestmark = [pytest.mark.slow, posix]
FULL = Path("/dev/full")


def deploy(
    url: str, archive: Path, *options: str | Path, **streams: int | IO[Any] | None
) -> subprocess.Popen[bytes]:
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    process: subprocess.Popen[bytes] = subprocess.Popen(
        [*COMMAND, "deploy", archive, "--domain", DOMAIN, *options],
        env=environment(
            MANIFESTKIT_BASE_URL=url, XDG_STATE_HOME=str(archive.parent / "state"), **TOKEN
        ),
        **streams,  # type: ignore[call-overload]
    )
    return process


def outcome(archive: Path) -> str:
    (receipt,) = (archive.parent / "state").rglob("*.json")
    return str(json.loads(receipt.read_text("utf-8"))["outcome"])


@pytest.mark.parametrize(
    ("given", "code", "told", "output", "options"),
    [
        (b"{}", ACCEPTED, b"accepted: ", "/dev/full", []),
        (b"{}", ACCEPTED, b"accepted: ", "closed pipe", ["--json"]),
        (b'{"success": false}', REJECTED, b"the service rejected the", "/dev/full", ["--json"]),
        (b"<html>", UNKNOWN, b"the outcome is unknown", "closed pipe", []),
    ],
)
def test_an_output_that_cannot_be_written_changes_no_outcome(
    tmp_path: Path, given: bytes, code: int, told: bytes, output: str, options: list[str]
) -> None:
    if output == "closed pipe":
        read, write = os.pipe()
        os.close(read)
    else:
        write = os.open(output, os.O_WRONLY)
    with (
        answering(answer(given)) as url,
        deploy(url, zipped(tmp_path / "s.zip"), *options, stdout=write) as process,
    ):
        _, err = process.communicate(timeout=60)
    os.close(write)
    assert process.returncode == code, err
    assert told in err
    assert (b"the output cannot be written" in err) == (code == ACCEPTED or bool(options))
    assert b"nothing was sent" not in err


def test_with_no_stream_at_all_the_exit_code_still_tells(tmp_path: Path) -> None:
    with (
        FULL.open("wb") as full,
        answering(answer(b"{}")) as url,
        deploy(url, zipped(tmp_path / "s.zip"), stdout=full, stderr=full) as process,
    ):
        assert process.wait(60) == ACCEPTED
    assert outcome(tmp_path / "s.zip") == "accepted"


@pytest.mark.parametrize("command", ["login", "logout"])
def test_a_login_that_is_stored_is_no_wrong_usage(user: User, command: str) -> None:
    with FULL.open("wb") as full:
        done = subprocess.run(
            [
                *COMMAND,
                command,
                *(["--email=me@example.org", "--password-stdin"] * (command == "login")),
            ],
            env=environment(
                MANIFESTKIT_BASE_URL=user.url, XDG_CONFIG_HOME=str(user.home / "config")
            ),
            input=b"sesame\n",
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 0
    assert b"; the output cannot be written: no space left on device" in done.stderr
    assert b"logged " + {"login": b"in", "logout": b"out"}[command] in done.stderr


def test_a_terminal_that_goes_away_does_not_end_an_upload(tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    archive = large(tmp_path / "s.zip")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(60)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with deploy(url, archive, stderr=theirs) as process:
            os.close(theirs)
            connection, _ = listener.accept()
            os.read(ours, 10)  # the bar is there
            os.close(ours)
            take_request(connection)
            connection.sendall(answer(b"{}"))
            assert process.wait(60) == ACCEPTED
            connection.close()
    assert outcome(archive) == "accepted"


def test_a_record_that_cannot_be_written_at_the_end_changes_no_outcome(tmp_path: Path) -> None:
    folder = tmp_path / "receipts"
    folder.mkdir()
    archive = zipped(tmp_path / "s.zip")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(60)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with deploy(url, archive, "--receipt", folder / "r.json") as process:
            connection, _ = listener.accept()
            take_request(connection)
            (folder / "r.json").unlink()
            folder.rmdir()
            folder.write_text("")
            connection.sendall(answer(b"{}"))
            out, err = process.communicate(timeout=60)
            connection.close()
    assert process.returncode == ACCEPTED
    assert out.startswith(b"accepted: ")
    assert b"the receipt cannot be written" in err


# -- signals ---------------------------------------------------------------------------------


@contextmanager
def mute(archive: Path, *options: str) -> Iterator[tuple[subprocess.Popen[bytes], socket.socket]]:
    """A deploy to a service that says nothing, and the service's end of the connection."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(60)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with deploy(url, archive, *options) as process:
            connection, _ = listener.accept()
            with connection:
                yield process, connection


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(("pause", "count"), [(0, 1), (0.001, 5)])
def test_interrupts_after_the_last_byte_are_7_however_many(
    tmp_path: Path, kind: signal.Signals, pause: float, count: int
) -> None:
    archive = zipped(tmp_path / "s.zip")
    with mute(archive, "--retry-unknown") as (process, connection):
        take_request(connection)
        for _ in range(count):
            process.send_signal(kind)
            began = time.perf_counter()
            while time.perf_counter() - began < pause:
                pass
        _, err = process.communicate(timeout=60)
    assert process.returncode == UNKNOWN, err
    assert b"the outcome is unknown" in err
    assert outcome(archive) == "unknown"


@pytest.mark.parametrize(
    ("kind", "count"), [(signal.SIGINT, 1), (signal.SIGTERM, 5), (signal.SIGHUP, 2)]
)
def test_interrupts_before_the_last_byte_are_130_however_many(
    tmp_path: Path, kind: signal.Signals, count: int
) -> None:
    archive = large(tmp_path / "s.zip")
    with mute(archive) as (process, connection):
        connection.recv(1)
        for _ in range(count):
            process.send_signal(kind)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert b"interrupted before all was sent" in err
    assert outcome(archive) == "not-sent"


def test_an_interrupt_with_the_response_hides_no_acceptance(tmp_path: Path) -> None:
    codes = set()
    for each in range(3):
        (tmp_path / f"{each}").mkdir()
        archive = zipped(tmp_path / f"{each}" / "s.zip")
        with mute(archive) as (process, connection):
            take_request(connection)
            connection.sendall(answer(b"{}"))
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        codes.add(process.returncode)
        assert outcome(archive) == {ACCEPTED: "accepted", UNKNOWN: "unknown"}[process.returncode]
    assert codes <= {ACCEPTED, UNKNOWN}


# -- before the body is through --------------------------------------------------------------


@pytest.mark.parametrize("status", [500, 503])
def test_a_5xx_before_the_body_is_through_is_not_sent(tmp_path: Path, status: int) -> None:
    archive = large(tmp_path / "s.zip")
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listener.accept()
        connection.recv(10)
        connection.sendall(b"HTTP/1.1 %d No\r\nContent-Length: 0\r\n\r\n" % status)
        with suppress(OSError):  # the client may be gone
            connection.shutdown(socket.SHUT_RD)
        connection.close()

    threading.Thread(target=serve, daemon=True).start()
    user = User(tmp_path / "home", f"http://127.0.0.1:{listener.getsockname()[1]}", TOKEN)
    ended = user.deploy(archive)
    listener.close()
    assert ended.code == NOT_SENT
    (receipt,) = user.receipts
    assert [each["ending"] for each in receipt["attempts"]] == ["not-sent"]


def test_a_gate_that_refuses_into_a_full_disk_says_that_nothing_was_sent(tmp_path: Path) -> None:
    with FULL.open("wb") as full:
        archive = tmp_path / "s.zip"
        archive.write_bytes(b"no zip")
        with deploy("http://127.0.0.1:9", archive, "--json", stdout=full) as process:
            _, err = process.communicate(timeout=60)
    assert process.returncode in {REFUSED, USAGE}
    assert b"the output cannot be written" in err


@pytest.mark.parametrize("module", ["click", "manifestkit.cli.main", "manifestkit.publish.client"])
def test_an_interrupt_while_modules_load_ends_without_a_traceback(module: str) -> None:
    with subprocess.Popen(
        [COMMAND[0], "-Ximporttime", *COMMAND[1:], "login", "--email=a@b.c", "--password-stdin"],
        env=environment(),
        stdin=subprocess.PIPE,  # which it waits for, so that it does not end before the interrupt
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.split(b"|")[-1].strip().startswith(module.encode()):
                break
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
    assert (process.returncode, b"Traceback" in rest) == (130, False), rest


def test_a_receipt_goes_into_a_file_and_not_into_a_pipe(tmp_path: Path) -> None:
    pipe, archive = tmp_path / "pipe", zipped(tmp_path / "s.zip")
    os.mkfifo(pipe)
    with (
        answering(answer(b"{}")) as url,
        deploy(url, archive, "--receipt", pipe) as process,
    ):
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (USAGE, b"")
    assert b"is a pipe or a device; choose a file, or read the receipt with --json" in err
    assert not list((tmp_path / "state").rglob("*.json"))
