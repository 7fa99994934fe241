"""A sandbox and a stub service to deploy to, over real sockets, and the commands that use them."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import sqlite3
import subprocess
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from command import EXAMPLES, REPOSITORY, Forked, start
from manifestkit.cli.main import app
from manifestkit.model.errors import ManifestkitError
from manifestkit.sandbox.service import Store, serving

RECEIPT = Draft202012Validator(
    json.loads((REPOSITORY / "schemas" / "deploy-receipt.schema.json").read_text("utf-8"))
)
MANIFEST = (EXAMPLES / "valid" / "minimal.activity-provider.json").read_bytes()
EMAIL, PASSWORD = "me@example.org", "sesame-and-more"
OTHER_EMAIL = "you@example.org"
DOMAIN = "calm.localhost"

ACCEPTED, REFUSED, USAGE, AUTHENTICATION, REJECTED, RATE_LIMITED, NOT_SENT, UNKNOWN = range(8)
INTERRUPTED = 130


@dataclass
class Sandbox:
    """A sandbox that runs."""

    port: int
    folder: Path
    log: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What the database says; the sandbox must not run."""
        with closing(sqlite3.connect(self.folder / "sandbox.sqlite3")) as database:
            return database.execute(query).fetchall()

    @property
    def deploys(self) -> list[str]:
        return [line for line in self.log if "/cli/deploy" in line]

    def page(self, path: str = "/", host: str = DOMAIN, method: str = "GET") -> tuple[int, bytes]:
        """What a browser gets: it takes each name under localhost for this machine."""
        return asked(self.port, method, path, Host=f"{host}:{self.port}")


def asked(
    port: int, method: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, bytes]:
    """The status and the body of a response of this machine."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request(method, path, body, given)
        response = connection.getresponse()
        return response.status, response.read()


@contextmanager
def sandbox(folder: Path, password: str = PASSWORD, *others: str) -> Iterator[Sandbox]:
    """A sandbox with an account, and those of others, for as long as the context lasts."""
    started = Sandbox(0, folder)
    is_up = threading.Event()
    stops: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def run() -> None:
        with Store(folder) as store:
            for email in (EMAIL, *others):
                store.add_account(email, password)
            stops.append((asyncio.get_running_loop(), asyncio.Event()))
            async with serving(store, 0, started.log.append, started.notes.append) as port:
                started.port = port
                is_up.set()
                await stops[0][1].wait()

    thread = threading.Thread(target=asyncio.run, args=(run(),), daemon=True)
    thread.start()
    assert is_up.wait(30)
    try:
        yield started
    finally:
        loop, stop = stops[0]
        loop.call_soon_threadsafe(stop.set)
        thread.join(30)


class Served(NamedTuple):
    """A sandbox in a process of its own: its address, and what it said before that."""

    url: str
    said: list[str]
    process: Forked | subprocess.Popen[bytes]


@contextmanager
def served(data: Path | None, *options: str, **variables: str) -> Iterator[Served]:
    """`manifest sandbox` for as long as the context lasts, unless it is killed meanwhile."""
    place = () if data is None else ("--data", str(data))
    env = {"PYTHONUNBUFFERED": "1", **variables}
    process = start("sandbox", *place, "--port", "0", *options, cwd=Path.cwd(), env=env)
    assert process.stdin
    assert process.stdout
    assert process.stderr
    with process.stdin, process.stdout, process.stderr:
        said = []
        try:
            for line in process.stdout:
                said.append(line.decode())
                if line.startswith(b"sites at "):
                    break
            port = int(said[-1].rpartition(":")[2].rstrip("/\n"))
            yield Served(f"http://127.0.0.1:{port}", said, process)
        finally:
            process.terminate()
            out = b"" if process.stdout.closed else process.stdout.read()
            err = process.stderr.read()
            assert b"Traceback" not in err, err
            assert process.wait(120) in {ACCEPTED, -9}, (out, err)


def with_account(data: Path) -> AbstractContextManager[Served]:
    """A sandbox in a process of its own, with an account whose password is known."""
    return served(data, "--account", EMAIL, MANIFESTKIT_SANDBOX_PASSWORD=PASSWORD)


Reply = bytes | Callable[[socket.socket], None]


@dataclass
class Stub:
    """A service that says what it is told to, and keeps what it was sent."""

    port: int
    requests: list[bytes] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def stub(
    *replies: Reply, wrap: Callable[[socket.socket], socket.socket] | None = None
) -> Iterator[Stub]:
    """A service with a reply for each request; the last one again and again.

    Bytes are sent once the whole request is there, and the connection is closed; a function gets
    the connection before anything is read.
    """
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    kept = Stub(listener.getsockname()[1])
    left = list(replies)

    def serve(client: socket.socket, reply: Reply) -> None:
        with suppress(OSError), client, wrap(client) if wrap else client as connection:
            if callable(reply):
                reply(connection)
                return
            kept.requests.append(whole_request(connection))
            connection.sendall(reply)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass

    def accept() -> None:
        with suppress(OSError):  # the listener is closed at the end
            while True:
                client, _ = listener.accept()
                client.settimeout(60)
                reply = left.pop(0) if len(left) > 1 else left[0]
                threading.Thread(target=serve, args=(client, reply), daemon=True).start()

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    try:
        yield kept
    finally:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)  # wakes who waits for a client
        listener.close()
        accepting.join(30)


def whole_request(connection: socket.socket) -> bytes:
    """A request with its body, as its length says."""
    data = b""
    while b"\r\n\r\n" not in data:
        if not (more := connection.recv(65536)):
            return data
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    length = int(lengths[0].split(b":")[1]) if lengths else 0
    pieces, received = [body], len(body)
    while received < length and (more := connection.recv(1 << 20)):
        pieces.append(more)
        received += len(more)
    return head + b"\r\n\r\n" + b"".join(pieces)


def http(status: int, body: bytes | object = b"", **headers: str) -> bytes:
    """A response as it should be."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status} Told", f"Content-Length: {len(content)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode() + content


@dataclass
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on standard output, which is as its schema says."""
        told = json.loads(self.out)
        RECEIPT.validate(told)
        return told


@dataclass
class User:
    """Somebody with a home of their own who gives commands."""

    home: Path
    url: str
    env: dict[str, str] = field(default_factory=dict)

    @property
    def variables(self) -> dict[str, str]:
        return {
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "APPDATA": str(self.home),
            "LOCALAPPDATA": str(self.home),
            "HOME": str(self.home),
            "MANIFESTKIT_BASE_URL": self.url,
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
            # No authority: to read those of the system takes longer than the rest of a command.
            "SSL_CERT_DIR": str(self.home),
            **self.env,
        }

    @property
    def logins(self) -> Path:
        return self.home / "config" / "manifestkit" / "logins"

    def __call__(
        self, *arguments: str | Path, stdin: str = "", env: Mapping[str, str] | None = None
    ) -> Ended:
        """Give a command, in this process."""
        variables: dict[str, str | None] = {
            "MANIFESTKIT_API_FORM": None,
            "CI": None,
            "MANIFESTKIT_TOKEN": None,
            "MANIFESTKIT_SITE_TOKEN": None,
            **self.variables,
            **(env or {}),
        }
        before = {each: signal.getsignal(each) for each in signal.valid_signals()}
        result = CliRunner().invoke(
            app,
            [str(each) for each in arguments],
            input=stdin,
            env=variables,
            standalone_mode=False,
        )
        for each, handler in before.items():  # a deploy takes some, up to its process's end
            if signal.getsignal(each) is not handler:
                signal.signal(each, handler)
        if isinstance(result.exception, click.UsageError):
            return Ended(USAGE, result.stdout, f"{result.stderr}{result.exception}")
        if isinstance(result.exception, ManifestkitError):
            said = "".join(f"error: {each}\n" for each in result.exception.problems)
            return Ended(USAGE, result.stdout, f"{result.stderr}{said}")
        if result.exception is not None:
            raise result.exception
        return Ended(int(result.return_value or 0), result.stdout, result.stderr)

    def login(self, *arguments: str, password: str = PASSWORD) -> Ended:
        return self(
            "login", "--email", EMAIL, "--password-stdin", *arguments, stdin=f"{password}\n"
        )

    def deploy(self, source: Path, *arguments: str | Path, **more: Any) -> Ended:
        return self("deploy", source, "--domain", DOMAIN, *arguments, **more)


def site(folder: Path, manifest: bytes = MANIFEST, **files: bytes) -> Path:
    """A folder to deploy."""
    folder.mkdir(parents=True, exist_ok=True)
    contents = {"manifest.json": manifest, "index.js": b"//", "index.html": b"<h1>calm</h1>"}
    for name, content in {**contents, **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def zipped(path: Path, manifest: bytes = MANIFEST, **files: bytes) -> Path:
    """An archive to deploy."""
    path.write_bytes(zip_bytes({"manifest.json": manifest, "index.js": b"//", **files}))
    return path


def zip_bytes(files: Mapping[str, bytes]) -> bytes:
    """An archive as a usual tool makes it."""
    data = BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()
