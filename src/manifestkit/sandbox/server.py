"""The sandbox's server, on this machine only."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from manifestkit.sandbox.service import Service

_ADDRESSES = ("127.0.0.1", "::1")
_LOG = logging.getLogger("manifestkit.sandbox")
_PATIENCE = 0.2  # seconds for what is under way when the sandbox stops


def _is_of_interest(record: logging.LogRecord) -> bool:
    """Return whether a record is a bug: a request that is no HTTP is none."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, HttpProcessingError)


_LOG.addFilter(_is_of_interest)


@asynccontextmanager
async def serving(service: Service, port: int = 0) -> AsyncIterator[int]:
    """Yield a server that runs the service for as long as the context lasts; its port.

    Args:
        service: what to run.
        port: where to listen; 0 for any free port.

    Raises:
        OSError: the port cannot be had.
    """
    runner = web.AppRunner(
        service.application(),
        access_log=None,
        handle_signals=False,
        shutdown_timeout=_PATIENCE,
        logger=_LOG,
    )
    sockets: list[socket.socket] = []
    await runner.setup()
    try:
        sockets = _sockets(port)
        service.port = sockets[0].getsockname()[1]
        for listening in sockets:
            await web.SockSite(runner, listening).start()
        yield service.port
    finally:
        await _accept_no_more(sockets)
        await runner.cleanup()


async def _accept_no_more(sockets: list[socket.socket]) -> None:
    """Leave the sockets open, but let only what is already accepted become a connection.

    asyncio makes a connection in a task of its own after it has accepted it; a server that
    closes in between leaves its socket open and says so to nobody (python/cpython#109564).
    """
    loop = asyncio.get_running_loop()
    for listening in sockets:
        with suppress(NotImplementedError):  # Windows: made at once when accepted
            loop.remove_reader(listening)
    await asyncio.sleep(0)


def _sockets(port: int) -> list[socket.socket]:
    """Return a socket on each loopback address; on the second only where there is one."""
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
