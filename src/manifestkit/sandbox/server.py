"""The sandbox as a server: on this machine only."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from aiohttp import web

from manifestkit.sandbox.service import Service

_ADDRESSES = ("127.0.0.1", "::1")
_PATIENCE = 0.2  # seconds for what is under way when the sandbox stops
_LETTING_GO = 0.01  # and for the connections it has closed to let their sockets go


@asynccontextmanager
async def serving(service: Service, port: int = 0) -> AsyncIterator[int]:
    """A server that runs the service for as long as the context lasts; its port.

    Args:
        service: what to run.
        port: where to listen; 0 for any free port.

    Raises:
        OSError: the port cannot be had.
    """
    runner = web.AppRunner(
        service.application(), access_log=None, handle_signals=False, shutdown_timeout=_PATIENCE
    )
    await runner.setup()
    try:
        sockets = _sockets(port)
        service.port = sockets[0].getsockname()[1]
        for listening in sockets:
            await web.SockSite(runner, listening).start()
        yield service.port
    finally:
        open_ones = [each.transport for each in runner.server.connections] if runner.server else []
        await runner.cleanup()
        for each in filter(None, open_ones):
            each.abort()  # what nobody reads would keep it open
        await asyncio.sleep(_LETTING_GO)


def _sockets(port: int) -> list[socket.socket]:
    """A socket on each loopback address; on the second only where there is one."""
    first = _listening(_ADDRESSES[0], port)
    sockets = [first]
    with suppress(OSError):
        sockets.append(_listening(_ADDRESSES[1], first.getsockname()[1]))
    return sockets


def _listening(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    if family == socket.AF_INET6 and not socket.has_ipv6:
        raise OSError(errno.EAFNOSUPPORT, "no IPv6")
    return socket.create_server((address, port), family=family)
