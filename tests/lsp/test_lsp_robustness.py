"""A server outlives clients that lie and race, ends with those that die, and keeps none waiting."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client import PULL, Client, Message, ServerError, running
from command import CLOSED_PIPE, EXAMPLES, MANIFEST, environment
from manifestkit.lsp.completion import cursors_at
from manifestkit.model.document import Syntax
from rows import rows

pytestmark = pytest.mark.slow

_TEXT = (EXAMPLES / "valid" / "minimal.activity-provider.json").read_text("utf-8")
_WRONG = _TEXT.replace('"schema_version"', '"schema_versio"')


def _is_alive(client: Client, folder: Path, name: str = "alive") -> None:
    uri = client.open(folder / f"{name}.manifest.json", _WRONG)
    assert "missing-field" in {each["code"] for each in client.published(uri)}


def _request(method: str, params: Any, number: int = 99) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


_HOVER = _request("textDocument/hover", {"textDocument": {"uri": "file:///x"}, "position": 3})


def test_it_ends_as_the_protocol_says(tmp_path: Path) -> None:
    with running(tmp_path, "--stdio") as client:  # as VS Code's client starts it
        client.start()
        assert client.stop() == 0
    with running(tmp_path) as client:
        client.start()
        client.tell("exit", None)
        assert client.process.wait(60) == 1


@pytest.mark.parametrize(
    "last",
    [b"", b"Content-Le", b"Content-Length: 50\r\n", b"Content-Length: 50\r\n\r\n{", b"\xff\x00"],
)
def test_it_ends_when_its_input_does_wherever_that_is(tmp_path: Path, last: bytes) -> None:
    with running(tmp_path) as client:
        client.start()
        client.open(tmp_path / "a.manifest.json", _WRONG)
        client.send_bytes(last)
        client.hang_up()
        assert client.process.wait(60) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there, nobody else keeps the input open")
def test_it_ends_when_its_client_is_gone_though_its_input_is_open(tmp_path: Path) -> None:
    with running(tmp_path) as client, subprocess.Popen(["cat"], stdin=subprocess.PIPE) as editor:
        client.start(processId=editor.pid)
        _is_alive(client, tmp_path)
        editor.communicate()
        assert client.process.wait(60) == 0


def test_a_client_that_cannot_be_seen_is_not_waited_for(tmp_path: Path) -> None:
    with subprocess.Popen(["true"]) as gone:
        pass
    with running(tmp_path) as client:
        client.start(processId=gone.pid)
        _is_alive(client, tmp_path)
        assert client.stop() == 0


def test_it_ends_when_nobody_reads_what_it_says(tmp_path: Path) -> None:
    initialize: Message = {"processId": None, "rootUri": None, "capabilities": {}}
    position = {"line": 0, "character": 0}
    about = {"textDocument": {"uri": "file:///manifest.json"}, "position": position}
    hover = _request("textDocument/hover", about)
    messages = [_request("initialize", initialize), *[hover] * 500]
    log = tmp_path / "log"  # a pipe that is full would hold the server up
    with (
        log.open("wb") as stderr,
        subprocess.Popen(
            [*MANIFEST, "lsp"],
            cwd=tmp_path,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
        ) as server,
    ):
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdout.close()
        with contextlib.suppress(BrokenPipeError):  # it may be gone already
            for body in messages:
                server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            server.stdin.flush()  # and stays open
        assert server.wait(60) == CLOSED_PIPE
        with contextlib.suppress(BrokenPipeError):
            server.stdin.close()
    assert "Traceback" not in log.read_text()


def test_at_a_terminal_it_says_who_starts_it(tmp_path: Path) -> None:
    controller, terminal = os.openpty()
    os.write(controller, b"\x04")  # the end of the input
    with subprocess.Popen(
        [*MANIFEST, "lsp"],
        cwd=tmp_path,
        env=environment(),
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as server:
        out, err = server.communicate(timeout=60)
    os.close(terminal)
    os.close(controller)
    assert err == b"note: editors start this; docs/editors.md has their settings\n"
    assert (server.returncode, out) == (0, b"")


_NO_MESSAGES = (
    b"Content-Length: many\r\n\r\n",
    b"\r\n\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"Content-Length: 4\r\n\r\nnull",
    b"Content-Length: 2\r\n\r\n[]",
    b"Content-Length: 3\r\n\r\n\xff\xfe\x00",
    b"Content-Length: 4000\r\n\r\n" + b"[" * 4000,
    b"Content-Length: %d\r\n\r\n" % len(_HOVER) + _HOVER,
)


def test_after_a_message_that_is_none_it_goes_on(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        client.start()
        for number, message in enumerate(_NO_MESSAGES):
            client.send_bytes(message)
            _is_alive(client, tmp_path, str(number))
        assert client.stop() == 0


def _range(*ends: int) -> Message:
    return {
        "start": {"line": ends[0], "character": ends[1]},
        "end": {"line": ends[2], "character": ends[3]},
    }


_IMPOSSIBLE = {
    (999, 0, 999, 5): "a\n𝄞b\nX",
    (0, 999, 0, 999): "aX\n𝄞b\n",
    (0, 1, 0, 0): "X\n𝄞b\n",
    (1, 1, 1, 2): "a\nXb\n",
    (0, 0, 2_000_000_000, 2_000_000_000): "X",
    (0, -1, 4_294_967_295, 2**63): "X",
    (2, 7, 0, 1): "aX",
}


def test_ranges_that_cannot_be_are_taken_for_the_nearest_that_can(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        client.start(PULL)
        for number, (ends, expected) in enumerate(_IMPOSSIBLE.items()):
            uri = client.open(tmp_path / f"a{number}.manifest.yaml", "a\n𝄞b\n")
            client.change(uri, 2, {"range": _range(*ends), "text": "X"})
            whole = client.open(tmp_path / f"b{number}.manifest.yaml", expected)
            assert client.pulled(uri) == client.pulled(whole) != [], ends


_AT = {"line": 0, "character": 0}
_TO = {"start": _AT, "end": _AT}
_ASKED: dict[str, Message] = {
    "textDocument/hover": {"position": _AT},
    "textDocument/completion": {"position": _AT, "context": {"triggerKind": 1}},
    "textDocument/formatting": {"options": {"tabSize": 2, "insertSpaces": True}},
    "textDocument/diagnostic": {"previousResultId": "1"},
    "textDocument/codeAction": {
        "range": _TO,
        "context": {"diagnostics": [{"range": _TO, "message": "of another tool"}], "only": ["x"]},
    },
    "workspace/executeCommand": {"command": "manifestkit.explain", "arguments": ["x", "y"]},
    "workspace/unknown": {"a": 1},
}
_ODD: st.SearchStrategy[Any] = st.integers() | st.sampled_from(
    [2**31, 2**32 - 1, 2**63, -1, 0.5, 1e300, None, "", [], {}]
)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, str]]:
    """A server, and what it has open."""
    folder = tmp_path_factory.mktemp("odd")
    with running(folder) as client:
        client.start()
        yield client, client.open(folder / "a.manifest.json", _WRONG)


def _spoiled(data: st.DataObject, value: Any) -> Any:
    """Another value in place of one, or of a part of it, or a part left out."""
    if not value or not isinstance(value, dict | list) or data.draw(st.integers(0, 3)) == 0:
        return data.draw(_ODD)
    copy = value.copy()
    key = data.draw(st.sampled_from([*copy] if isinstance(copy, dict) else range(len(copy))))
    if data.draw(st.integers(0, 3)) == 0:
        del copy[key]
    else:
        copy[key] = _spoiled(data, copy[key])
    return copy


@given(data=st.data())
def test_every_request_has_one_answer_whatever_it_holds(
    asked: tuple[Client, str], data: st.DataObject
) -> None:
    client, uri = asked
    method = data.draw(st.sampled_from([*_ASKED]))
    params = {"textDocument": {"uri": uri}, **_ASKED[method]}
    message: Message = {"jsonrpc": "2.0", "method": method, "params": params}
    for _ in range(data.draw(st.integers(1, 3))):
        message = _spoiled(data, message)
        message = message if isinstance(message, dict) else {}
    number = client.number()
    client.send({"method": "", **message, "jsonrpc": "2.0", "id": number})
    with suppress(ServerError):
        client.answer(number)
    place = {"textDocument": {"uri": uri}, "position": _AT}
    client.ask("textDocument/hover", place)


@rows(
    ("method", "params", "code"),
    [
        ("textDocument/hover", {"position": {"line": 4_000_000_000, "character": -1}}, None),
        ("textDocument/hover", {"position": {"line": -1, "character": 2**63}}, None),
        ("textDocument/hover", {}, -32602),
        ("textDocument/hover", None, -32602),
        ("textDocument/formatting", {"options": {"tabSize": -1, "insertSpaces": True}}, -32602),
    ],
)
def test_a_place_is_taken_for_the_nearest_and_what_cannot_be_read_is_an_error(
    asked: tuple[Client, str], method: str, params: Message | None, code: int | None
) -> None:
    client, uri = asked
    given = params if params is None else {"textDocument": {"uri": uri}, **params}
    with pytest.raises(ServerError, match=str(code)) if code else nullcontext():
        client.ask(method, given)


def test_the_diagnostics_of_other_tools_do_not_matter(asked: tuple[Client, str]) -> None:
    client, uri = asked
    asks = {"textDocument": {"uri": uri}, "range": _range(0, 0, 9, 9)}
    fixes = client.ask("textDocument/codeAction", {**asks, "context": {"diagnostics": []}})
    for foreign in ({"range": _range(5, 0, 5, 9223372036854776000)}, {"range": None}, None):
        context = {"diagnostics": [foreign]}
        assert client.ask("textDocument/codeAction", {**asks, "context": context}) == fixes != []


def test_after_shutdown_a_request_is_refused(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        client.start()
        uri = client.open(tmp_path / "a.manifest.json", _WRONG)
        client.ask("shutdown", None)
        for method in ("textDocument/hover", "shutdown"):
            params = {"textDocument": {"uri": uri}, "position": _AT}
            with pytest.raises(ServerError, match="-32600"):
                client.ask(method, params if method != "shutdown" else None)
        client.tell("exit", None)
        assert client.process.wait(60) == 0


@pytest.mark.parametrize(
    "change", [{"range": {"start": None, "end": _AT}, "text": "x"}, {"range": _TO}, None]
)
def test_a_change_that_cannot_be_read_is_told_once_and_nothing_is_said_of_that_text(
    tmp_path: Path, change: Any
) -> None:
    with running(tmp_path) as client:
        client.start()
        uri = client.open(tmp_path / "a.manifest.json", _WRONG)
        assert client.published(uri)
        told = len(client.seen)
        for version in (2, 3):
            document = {"uri": uri, "version": version}
            params = {"textDocument": document, "contentChanges": [change]}
            client.tell("textDocument/didChange", params)
        client.change(uri, 4, {"range": _range(0, 0, 0, 0), "text": "\n"})
        _is_alive(client, tmp_path)
        after = [each["params"] for each in client.seen[told:]]
        shown = [each["message"] for each in after if "message" in each]
        assert shown == ["a change cannot be read; close and open the file to have it checked"]
        assert [each["diagnostics"] for each in after if each.get("uri") == uri] == [[]]
        client.open(tmp_path / "a.manifest.json", _WRONG, 9)
        assert client.published(uri, 9)


def test_what_a_client_says_of_documents_may_be_wrong(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        client.start()
        nowhere = (tmp_path / "never.manifest.json").as_uri()
        client.change(nowhere, 2, "{}")
        client.tell("textDocument/didClose", {"textDocument": {"uri": nowhere}})
        client.tell("textDocument/didSave", {"textDocument": {"uri": nowhere}})
        for odd in (
            "",
            "x",
            "git:/a/manifest.json",
            "file://%00/%ff",
            "untitled:Untitled-1",
            "file:",
        ):
            item = {"uri": odd, "languageId": "json", "version": 1, "text": "{}"}
            client.tell("textDocument/didOpen", {"textDocument": item})
            params = {"textDocument": {"uri": odd}, "position": {"line": 0, "character": 0}}
            assert client.ask("textDocument/hover", params) is None
        uri = client.open(tmp_path / "a.manifest.json", "{}", 5)
        assert client.published(uri, 5)
        assert client.open(tmp_path / "a.manifest.json", _TEXT, 1) == uri
        assert client.published(uri, 1) == []
        client.change(uri, 9, _WRONG)
        assert client.published(uri, 9)
        client.change(uri, 3, _TEXT)
        assert client.published(uri, 3) == []
        with pytest.raises(ServerError, match="-32601"):
            client.ask("textDocument/nonsense", {})
        client.tell("$/nonsense", {})
        client.tell("$/cancelRequest", {"id": 12345})
        _is_alive(client, tmp_path)


def test_a_new_file_that_is_not_saved_yet_is_judged_by_its_name(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        client.start()
        uri = f"untitled:{tmp_path.as_posix()}/new.activity-provider.json"
        item = {"uri": uri, "languageId": "json", "version": 1, "text": _WRONG}
        client.tell("textDocument/didOpen", {"textDocument": item})
        assert client.published(uri)


def test_half_a_character_keeps_nobody_from_being_answered(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        client.start()
        uri = client.open(tmp_path / "a.manifest.json", '{"\ud834": "\udd1e"}')
        assert client.published(uri)
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
        context = {"textDocument": {"uri": uri}, "range": whole, "context": {"diagnostics": []}}
        assert client.ask("textDocument/codeAction", context) is not None


def test_what_is_closed_is_told_no_more(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        client.start()
        uri = client.open(tmp_path / "a.manifest.json", _WRONG)
        client.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
        _is_alive(client, tmp_path)
        told = [each["params"] for each in client.seen if each["params"]["uri"] == uri]
        assert told[-1]["diagnostics"] == []


def test_a_thousand_files_can_be_open(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        client.start()
        uris = [
            client.open(tmp_path / f"{number}.manifest.json", _WRONG) for number in range(1_000)
        ]
        for uri in uris:
            client.change(uri, 2, _TEXT)
        for uri in reversed(uris):
            assert client.published(uri, 2) == []


def _many_activities(size: int) -> str:
    one = '{"id": "a", "name": "b", "duration_minutes": "x"}'
    return _TEXT.replace('"activities": [', '"activities": [' + f"{one},\n" * (size // len(one)))


def _bomb() -> str:
    tens = (f"a{each}: &a{each} [{', '.join([f'*a{each - 1}'] * 10)}]" for each in range(1, 12))
    return "\n".join(("a0: &a0 [x]", *tens))


@pytest.mark.parametrize(
    ("name", "text"),
    [("big.manifest.json", _many_activities(10_000_000)), ("bomb.manifest.yaml", _bomb())],
    ids=["10 MB", "bomb"],
)
def test_while_one_file_takes_long_others_are_answered(
    tmp_path: Path, name: str, text: str
) -> None:
    with running(tmp_path) as client:
        client.start(PULL)
        small = client.open(tmp_path / "small.manifest.json", _WRONG)
        assert client.pulled(small)
        big = client.open(tmp_path / name, text)
        asked = client.pull(big)
        started = time.monotonic()
        for version in range(2, 12):
            client.change(small, version, _WRONG + " " * version)
            assert client.pulled(small)
        spent = time.monotonic() - started
        assert client.answer(asked)["items"]
        assert spent < 10  # each alone takes a few milliseconds


def test_a_profile_that_is_refused_is_told_and_the_rest_is_judged(tmp_path: Path) -> None:
    refused = tmp_path / "refused"
    refused.mkdir()
    (refused / "manifestkit.toml").write_text('profile = ["host.schema.json"]\n')
    loop = {"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}
    (refused / "host.schema.json").write_text(json.dumps(loop))
    with running(tmp_path) as client:
        client.start()
        uri = client.open(refused / "a.manifest.json", _WRONG)
        assert "host.schema.json" in client.wait_for("window/showMessage")["message"]
        assert client.published(uri)
        _is_alive(client, tmp_path)
        (refused / "host.schema.json").write_text('{"maxProperties": 1}')
        client.change(uri, 2, _TEXT)
        assert {each["code"] for each in client.published(uri, 2)} == {"schema-maxProperties"}


def test_many_quick_edits_of_a_large_file_are_looked_at_together(tmp_path: Path) -> None:
    text = _many_activities(1_000_000)
    with running(tmp_path) as client:
        client.start()
        uri = client.open(tmp_path / "a.manifest.json", text)
        client.published(uri)
        before = len(client.seen)
        here = {"line": 0, "character": 1}
        for version in range(2, 32):
            change = {"range": {"start": here, "end": here}, "text": " "}
            client.change(uri, version, change)
        assert client.published(uri, 31)
        assert len(client.seen) - before <= 3


@pytest.mark.parametrize("odd", ["http://[::1/x.manifest.json", "file://[x]/a.manifest.json"])
def test_a_uri_that_cannot_be_parsed_is_no_file(tmp_path: Path, odd: str) -> None:
    settings = tmp_path / "manifestkit.toml"
    with running(tmp_path) as client:
        client.start()
        uri = client.open(tmp_path / "a.manifest.json", _WRONG)
        assert client.published(uri)
        item = {"uri": odd, "languageId": "json", "version": 1, "text": "{}"}
        client.tell("textDocument/didOpen", {"textDocument": item})
        client.tell("textDocument/didSave", {"textDocument": {"uri": odd}})
        settings.write_text('ignore = ["missing-field"]\n')
        changes = [{"uri": each, "type": 1} for each in (odd, settings.as_uri())]
        client.tell("workspace/didChangeWatchedFiles", {"changes": changes})
        told = client.wait_for(
            "textDocument/publishDiagnostics", lambda each: not each["diagnostics"]
        )
        assert told["uri"] == uri


_DEEP = {
    "objects.manifest.json": '{"a":' * 15_000,
    "brackets.manifest.yaml": "a: " + "[1," * 15_000,
    "dashes.manifest.yaml": "- " * 15_000,
}


def _peak(process: int) -> int:
    status = Path(f"/proc/{process}/status").read_text("utf-8")
    return int(status.partition("VmHWM:")[2].split()[0])


@pytest.mark.skipif(sys.platform != "linux", reason="there, a process does not tell its peak")
def test_what_is_deep_takes_no_more_memory_than_it_is_long(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        client.start(PULL)
        for name, text in _DEEP.items():
            uri = client.open(tmp_path / name, text)
            assert client.pulled(uri)
            before = _peak(client.process.pid)
            place = {"line": 0, "character": len(text) - 3}
            here = {"textDocument": {"uri": uri}, "position": place}
            assert client.ask("textDocument/completion", here) == []
            client.ask("textDocument/hover", here)
            assert _peak(client.process.pid) - before < 50_000, name


@pytest.mark.parametrize(
    ("syntax", "start", "end"),
    [("json", '{"a":', "1"), ("json", "[", "1"), ("yaml", "{a: ", "1"), ("yaml", "- ", "1")],
)
def test_a_place_is_known_as_deep_as_a_reader_reads(syntax: Syntax, start: str, end: str) -> None:
    for depth in (1, 199, 200):
        cursors = cursors_at(start * depth + end, len(start) * depth, syntax)
        assert depth in {len(each.path) for each in cursors}
    for depth in (201, 100_000):
        assert not list(cursors_at(start * depth + end, len(start) * depth, syntax))


def test_while_a_large_file_is_scanned_others_are_answered(tmp_path: Path) -> None:
    text = '{"x": [' + "1," * 120_000 + "1]}"
    with running(tmp_path) as client:
        client.start(PULL)
        small, big = (
            {"textDocument": {"uri": client.open(tmp_path / name, text)}}
            for name, text in (("small.manifest.json", _TEXT), ("big.manifest.json", text))
        )
        for each in (small, big):
            client.pulled(each["textDocument"]["uri"])
        far, near = {"line": 0, "character": len(text) - 3}, {"line": 1, "character": 5}
        for method in ("completion", "hover"):
            number = client.send_request(f"textDocument/{method}", {**big, "position": far})
            assert client.ask("textDocument/hover", {**small, "position": near})
            assert number not in client.answered
            client.answer(number)


def test_a_text_that_is_too_long_is_scanned_for_no_place(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        client.start(PULL)
        for spaces in (0, 1_000_000):
            text = _TEXT + " " * spaces
            uri = client.open(tmp_path / f"{spaces}.manifest.json", text)
            here = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 5}}
            for method in ("hover", "completion"):
                assert bool(client.ask(f"textDocument/{method}", here)) == (not spaces), method
