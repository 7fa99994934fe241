"""A client of `manifest lsp`: what an editor sends and sees."""

from __future__ import annotations

import contextlib
import itertools
import json
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

from command import Forked, environment, start

Message = dict[str, Any]

PULL: Message = {"textDocument": {"diagnostic": {}}}
WITH_VERSIONS: Message = {
    "workspace": {"workspaceEdit": {"documentChanges": True, "resourceOperations": ["create"]}}
}
_PATIENCE = 300.0


class ServerError(Exception):
    """The server answered with an error."""


class Client:
    """One session with a server.

    Attributes:
        process: the server.
        seen: every notification and request that the server sent and that was looked at.
    """

    def __init__(self, process: Forked | subprocess.Popen[bytes]) -> None:
        self.process = process
        self.seen: list[Message] = []
        self._ids = itertools.count(1)
        self._queue: Queue[Message] = Queue()
        self._answers: dict[int, Message] = {}
        self._done: set[int | None] = set()
        self._errors: list[bytes] = []
        self._threads = [Thread(target=each, daemon=True) for each in (self._read, self._read_log)]
        for each in self._threads:
            each.start()

    # -- what is sent ------------------------------------------------------------------------

    def start(
        self,
        capabilities: Message | None = None,
        encodings: tuple[str, ...] = (),
        **more: Any,
    ) -> Message:
        """Shake hands; what the server can do."""
        given: Message = {**(capabilities or {})}
        if encodings:
            given["general"] = {"positionEncodings": list(encodings)}
        params = {"processId": None, "rootUri": None, "capabilities": given, **more}
        result = self.ask("initialize", params)
        self.tell("initialized", {})
        capabilities = result["capabilities"]
        assert isinstance(capabilities, dict)
        return capabilities

    def open(self, path: Path, text: str, version: int = 1) -> str:
        """Open a document; its URI."""
        uri = path.as_uri()
        item = {"uri": uri, "languageId": path.suffix[1:], "version": version, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})
        return uri

    def change(self, uri: str, version: int, *changes: Message | str) -> None:
        """Change a document: each change is a whole new text, or one in a range."""
        parts = [{"text": each} if isinstance(each, str) else each for each in changes]
        params = {"textDocument": {"uri": uri, "version": version}, "contentChanges": parts}
        self.tell("textDocument/didChange", params)

    def tell(self, method: str, params: Any) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        """Send a request, and wait for what it gives."""
        return self.answer(self.send_request(method, params))

    def send_request(self, method: str, params: Any) -> int:
        """Send a request; its number."""
        number = self.number()
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def number(self) -> int:
        """The number of a new request."""
        return next(self._ids)

    def send(self, message: Message) -> None:
        """Send a message."""
        body = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def send_bytes(self, data: bytes) -> None:
        """Send what may be no message."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    # -- what comes back -----------------------------------------------------------------------

    @property
    def answered(self) -> set[int]:
        """The numbers of the requests whose answers came while another one was waited for."""
        return set(self._answers)

    def answer(self, number: int) -> Any:
        """What the request of a number gives."""
        while number not in self._answers:
            self._look(self._next())
        message = self._answers.pop(number)
        if "error" in message:
            raise ServerError(message["error"])
        return message["result"]

    def wait_for(self, method: str, is_it: Callable[[Any], bool] = lambda _: True) -> Any:
        """The parameters of the first notification or request of a kind, sent already or soon."""
        for index in itertools.count():
            while index >= len(self.seen):
                self._look(self._next())
            message = self.seen[index]
            if message["method"] == method and is_it(message.get("params")):
                return message.get("params")
        raise AssertionError

    def published(self, uri: str, version: int = 1) -> list[Message]:
        """The diagnostics that are sent for a version of a document."""
        found = self.wait_for(
            "textDocument/publishDiagnostics",
            lambda each: (each["uri"], each.get("version")) == (uri, version),
        )
        diagnostics = found["diagnostics"]
        assert isinstance(diagnostics, list)
        return diagnostics

    def pulled(self, uri: str) -> list[Message]:
        """The diagnostics that a document has."""
        report = self.answer(self.pull(uri))
        items = report["items"]
        assert isinstance(items, list)
        return items

    def pull(self, uri: str) -> int:
        """Ask for the diagnostics of a document; the number of that request."""
        return self.send_request("textDocument/diagnostic", {"textDocument": {"uri": uri}})

    def stop(self) -> int:
        """Say goodbye; the server's exit code."""
        self.ask("shutdown", None)
        self.tell("exit", None)
        return self.process.wait(_PATIENCE)

    def hang_up(self) -> None:
        """Say nothing more."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()

    def log(self) -> str:
        """All that an ended server has written on standard error."""
        for each in self._threads:
            each.join(_PATIENCE)
        return b"".join(self._errors).decode()

    def _next(self) -> Message:
        try:
            message = self._queue.get(timeout=_PATIENCE)
        except Empty:
            raise AssertionError("the server says nothing") from None
        assert message, f"the server is gone: {self.log()}"
        return message

    def _look(self, message: Message) -> None:
        if "method" not in message:
            assert message["id"] not in self._done, "each request has one answer"
            self._done.add(message["id"])
            self._answers[message["id"]] = message
            return
        self.seen.append(message)
        if "id" in message:
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": None})

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while header := stream.readline():
            length = 0
            while header.strip():
                name, _, value = header.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
                header = stream.readline()
            self._queue.put(json.loads(stream.read(length)))
        self._queue.put({})

    def _read_log(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._errors.append(line)


@contextlib.contextmanager
def running(cwd: Path, *arguments: str, server: Sequence[str] = ()) -> Iterator[Client]:
    """A server, gone when all is done.

    Args:
        cwd: its folder.
        arguments: the options of `manifest lsp`.
        server: a program to start in place of `manifest lsp`.
    """
    pipe = subprocess.PIPE
    client = Client(
        subprocess.Popen(server, cwd=cwd, env=environment(), stdin=pipe, stdout=pipe, stderr=pipe)
        if server
        else start("lsp", *arguments, cwd=cwd)
    )
    try:
        yield client
    finally:
        client.hang_up()
        try:
            client.process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            client.process.kill()
            raise
        finally:
            client.log()
            for stream in (client.process.stdout, client.process.stderr):
                if stream is not None:
                    stream.close()
