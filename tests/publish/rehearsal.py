"""A sandbox to deploy to, over real sockets, and the commands that talk to it."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import sqlite3
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from io import BytesIO
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

from command import EXAMPLES
from manifestkit.cli.main import app
from manifestkit.model.errors import ManifestkitError
from manifestkit.publish.address import Address, parse_address
from manifestkit.publish.wire import SHAPES
from manifestkit.sandbox.faults import Limiter, parse_fault
from manifestkit.sandbox.service import Service, serving
from manifestkit.sandbox.store import Store

MANIFEST = (EXAMPLES / "valid" / "minimal.activity-provider.json").read_bytes()
EMAIL, PASSWORD = "me@example.org", "sesame"
OTHER_EMAIL = "you@example.org"
DOMAIN = "calm.localhost"

ACCEPTED, REFUSED, USAGE, AUTHENTICATION, REJECTED, RATE_LIMITED, NOT_SENT, UNKNOWN = range(8)


@dataclass
class Sandbox:
    """A sandbox that runs."""

    service: Service
    port: int
    folder: Path
    log: list[str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def archives(self) -> list[str]:
        """The digests of the archives that it has, those included that it is receiving."""
        return sorted(path.stem for path in (self.folder / "archives").iterdir())

    @property
    def versions(self) -> int:
        """How many versions all sites have."""
        with closing(sqlite3.connect(self.folder / "sandbox.sqlite3")) as database:
            return int(database.execute("select count(*) from version").fetchone()[0])

    @property
    def refusals(self) -> int:
        """How many requests it has answered with 429."""
        return sum(line.endswith(" 429") for line in self.log)

    def address(self, form: str = "base") -> Address:
        return parse_address(self.url, form)

    def play(self, *faults: str) -> None:
        """Let something go wrong."""
        for text in faults:
            self.service.faults.add(parse_fault(text))

    def page(self, path: str = "/", host: str = DOMAIN, method: str = "GET") -> tuple[int, bytes]:
        """What a browser gets: it takes each name under localhost for this machine."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(method, path, headers={"Host": f"{host}:{self.port}"})
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response.status, body


@contextmanager
def sandbox(
    folder: Path,
    *,
    shape: str = SHAPES[0],
    limiter: Limiter | None = None,
    password: str = PASSWORD,
    token: str | None = None,
    port: int = 0,
) -> Iterator[Sandbox]:
    """A sandbox with one account, for as long as the context lasts."""
    started: list[Sandbox] = []
    is_up = threading.Event()
    stops: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def run() -> None:
        store = Store(folder)
        store.add_account(EMAIL, password)
        store.add_account(OTHER_EMAIL, PASSWORD)
        if token is not None:
            store.set_token(EMAIL, token)
        log: list[str] = []
        service = Service(store, limiter or Limiter(10_000), shape, log.append)
        stop = asyncio.Event()
        stops.append((asyncio.get_running_loop(), stop))
        async with serving(service, port) as got:
            started.append(Sandbox(service, got, folder, log))
            is_up.set()
            await stop.wait()
        store.close()

    thread = threading.Thread(target=asyncio.run, args=(run(),), daemon=True)
    thread.start()
    assert is_up.wait(30)
    try:
        yield started[0]
    finally:
        loop, stop = stops[0]
        loop.call_soon_threadsafe(stop.set)
        thread.join(30)


@dataclass
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class User:
    """Somebody with a home of their own who gives commands."""

    home: Path
    url: str
    env: dict[str, str] = field(default_factory=dict)

    def __call__(
        self, *arguments: str | Path, stdin: str = "", env: Mapping[str, str] | None = None
    ) -> Ended:
        """Give a command, in this process."""
        variables = {
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_STATE_HOME": str(self.home / "state"),
            "APPDATA": str(self.home),
            "LOCALAPPDATA": str(self.home),
            "HOME": str(self.home),
            "MANIFESTKIT_BASE_URL": self.url,
            "MANIFESTKIT_API_FORM": None,
            "MANIFESTKIT_TOKEN": None,
            "MANIFESTKIT_SITE_TOKEN": None,
            **self.env,
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
        for each, handler in before.items():
            if (
                signal.getsignal(each) is not handler
            ):  # a deploy takes some, up to its process's end
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

    @property
    def receipts(self) -> list[Any]:
        """The records kept, oldest first."""
        files = sorted(self.home.rglob("receipts/*.json"))
        return [json.loads(file.read_text("utf-8")) for file in files]


@dataclass
class Relay:
    """Stands between a client and a service, and keeps what the client sent."""

    port: int
    requests: list[bytes] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def relay(to_port: int) -> Iterator[Relay]:
    """A relay to a port of this machine."""
    listener = socket.create_server(("127.0.0.1", 0))
    kept = Relay(listener.getsockname()[1])
    threads: list[threading.Thread] = []

    def carry(source: socket.socket, target: socket.socket, number: int | None) -> None:
        with suppress(OSError):  # one side is gone: so is the other
            while data := source.recv(65536):
                if number is not None:
                    kept.requests[number] += data
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    def serve(client: socket.socket, number: int) -> None:
        with client, socket.create_connection(("127.0.0.1", to_port)) as service:
            back = threading.Thread(target=carry, args=(service, client, None), daemon=True)
            back.start()
            carry(client, service, number)
            back.join(30)

    def accept() -> None:
        with suppress(OSError):  # the listener is closed at the end
            while True:
                client, _ = listener.accept()
                kept.requests.append(b"")
                arguments = (client, len(kept.requests) - 1)
                threads.append(threading.Thread(target=serve, args=arguments, daemon=True))
                threads[-1].start()

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    try:
        yield kept
    finally:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)  # wakes who waits for a client
        listener.close()
        for thread in (accepting, *threads):
            thread.join(30)


def site(folder: Path, manifest: bytes = MANIFEST, **files: bytes) -> Path:
    """A folder to deploy."""
    folder.mkdir(parents=True, exist_ok=True)
    contents = {"manifest.json": manifest, "index.js": b"//", "index.html": b"<h1>calm</h1>"}
    for name, content in {**contents, **files}.items():
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
