"""The proxies that the environment names: those that cannot be used are told before a request."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from urllib.parse import unquote
from urllib.request import getproxies

from manifestkit.model.errors import ConfigurationError
from manifestkit.publish.redaction import Secret


def check_proxies() -> Iterator[Secret]:
    """The passwords of the proxies.

    Raises:
        ConfigurationError: a proxy cannot be used; the text holds no secret.
    """
    import httpx2  # noqa: PLC0415 - an extra

    proxies = getproxies()
    for scheme in ("http", "https", "all"):
        given = proxies.get(scheme)
        if not given:
            continue
        name = f"{scheme.upper()}_PROXY"
        try:
            proxy = httpx2.Proxy(given if "://" in given else f"http://{given}")
            is_address = bool(proxy.url.host)
        except (ValueError, TypeError, httpx2.InvalidURL):
            is_address = False
        if not is_address:
            raise ConfigurationError(f"{name} is no address of a proxy; write http://HOST:PORT")
        if proxy.url.scheme.startswith("socks") and find_spec("socksio") is None:
            raise ConfigurationError(
                f"{name} names a SOCKS proxy: `python -m pip install 'httpx2[socks]'`, "
                "or write http://HOST:PORT"
            )
        if proxy.auth is not None:
            yield from (Secret(each) for each in {proxy.auth[1], unquote(proxy.auth[1])} if each)
