"""The sandbox's server, started and stopped in a loop of the test's own."""

from __future__ import annotations

import asyncio
import gc
import socket
from pathlib import Path
from typing import Any

import pytest

from manifestkit.publish.wire import SHAPES
from manifestkit.sandbox.faults import Limiter
from manifestkit.sandbox.service import Service, serving
from manifestkit.sandbox.store import Store


@pytest.mark.slow
@pytest.mark.parametrize("rounds", range(8))
def test_a_connection_just_made_is_closed_with_the_server(tmp_path: Path, rounds: int) -> None:
    """Whatever the loop has done of accepting it: asyncio takes several rounds."""
    told: list[dict[str, Any]] = []

    async def connect_and_stop() -> bytes:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
        store = Store(tmp_path)
        async with serving(Service(store, Limiter(10), SHAPES[0], print)) as port:
            client = socket.create_connection(("127.0.0.1", port), timeout=10)
            for _ in range(rounds):
                await asyncio.sleep(0)
        store.close()
        with client:
            try:
                return client.recv(1)
            except ConnectionResetError:
                return b""

    assert asyncio.run(connect_and_stop()) == b""
    gc.collect()
    assert told == []
