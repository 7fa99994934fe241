"""A program for shells that is the command: what it is asked is done in a forked process.

To start Python and import the package takes a shell's call several times as long.
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread

from command import Forked

_PROGRAM = """#!{python} -IS
import os, socket, sys

arguments = sys.argv[1:]
if arguments[:3] == ["-P", "-m", "manifestkit"]:  # as Python is asked
    arguments = arguments[3:]
parts = [os.getcwd(), str(len(arguments)), *arguments, *map("=".join, os.environ.items())]
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    socket.send_fds(server, [b"\\n"], [0, 1, 2])
    server.sendall(os.fsencode("\\0".join(parts)))
    server.shutdown(socket.SHUT_WR)
    sys.exit(int(server.recv(9)))
"""


@contextmanager
def serving() -> Iterator[Path]:
    """The program, for as long as the context lasts; its calls are answered one after another."""
    with (
        tempfile.TemporaryDirectory() as folder,
        socket.socket(socket.AF_UNIX) as listener,
    ):
        address = f"{folder}/s"
        listener.bind(address)
        listener.listen()
        program = Path(folder, "manifest")
        program.write_text(_PROGRAM.format(python=sys.executable, address=address))
        program.chmod(0o755)
        thread = Thread(target=_serve, args=(listener,), daemon=True)
        thread.start()
        yield program
        listener.shutdown(socket.SHUT_RDWR)  # wakes who waits for a call
        thread.join(30)


def _serve(listener: socket.socket) -> None:
    with suppress(OSError):  # the listener is closed at the end
        while True:
            caller, _ = listener.accept()
            with caller:
                caller.sendall(b"%d" % _answer(caller))


def _answer(caller: socket.socket) -> int:
    _, numbers, _, _ = socket.recv_fds(caller, 1, 3)
    streams = [Connection(number) for number in numbers]
    data = b"".join(iter(lambda: caller.recv(65_536), b""))
    folder, count, *rest = map(os.fsdecode, data.split(b"\0"))
    env = dict(each.split("=", 1) for each in rest[int(count) :])
    code = Forked(rest[: int(count)], Path(folder), env, streams).wait(300)
    for each in streams:
        each.close()
    return code % 256
