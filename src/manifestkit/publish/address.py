"""The service's address: where secrets may go, and where not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from manifestkit.model.errors import ConfigurationError
from manifestkit.model.printable import printable
from manifestkit.publish.wire import FORMS, AddressForm

_PLAIN = re.compile(r"[!-~]+")  # a name in other letters is written as its `xn--` form
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Address:
    """A service, and the form of its addresses; only to this machine, plain http may go."""

    base: str
    form: AddressForm
    is_loopback: bool

    @property
    def origin(self) -> str:
        """Scheme, host and port: what a token belongs to."""
        return origin_of(urlsplit(self.base))


def parse_address(base: str, form_name: str) -> Address:
    """Return the service at a base address.

    Raises:
        ConfigurationError: the address is none, or secrets must not travel to it.
    """
    form = FORMS[form_name]
    parts = split_address(base, "--base-url https://HOST")
    path = parts.path.rstrip("/")
    prefix = form.login.removesuffix("/cli/login")
    if prefix and path.endswith(prefix):
        raise ConfigurationError(
            f"the form `{form.name}` adds {prefix} itself; leave it out of --base-url"
        )
    is_local = is_loopback(parts.hostname or "")
    if parts.scheme == "http" and not is_local:
        secure = f"https:{base.partition(':')[2]}"
        raise ConfigurationError(f"plain http would expose your token on the network; use {secure}")
    return Address(f"{origin_of(parts)}{path}", form, is_local)


def split_address(url: str, usage: str) -> SplitResult:
    """Return the parts of a web address.

    Raises:
        ConfigurationError: it is none, or has a part where a secret may be.
    """
    shown = printable(re.split("[?#]", url.rpartition("@")[2])[0])
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in _PORTS and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or not _PLAIN.fullmatch(url):
        raise ConfigurationError(f"`{shown}` is not a web address; use {usage}")
    if parts.username is not None or parts.query or parts.fragment:
        raise ConfigurationError(f"an address cannot have a user, query or fragment; use {usage}")
    return parts


def origin_of(parts: SplitResult) -> str:
    """Return the origin of an address, in one spelling."""
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    port = parts.port
    shown = "" if port in {None, _PORTS.get(parts.scheme)} else f":{port}"
    return f"{parts.scheme}://{host}{shown}"


def is_loopback(host: str) -> bool:
    """Return whether a host is this very machine, whatever a resolver says."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
