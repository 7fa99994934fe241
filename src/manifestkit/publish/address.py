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
_USE = "use --base-url https://HOST"
_PREFIX = "/api"


@dataclass(frozen=True, slots=True)
class Address:
    """A service, and the form of its addresses.

    Attributes:
        base: the address that paths are counted from.
        origin: scheme, host and port: what a token belongs to.
        form: the form of its addresses.
        is_loopback: whether it is this very machine: only there, plain http may go.
    """

    base: str
    origin: str
    form: AddressForm
    is_loopback: bool


def parse_address(base: str, form_name: str) -> Address:
    """Return the service at a base address.

    Raises:
        ConfigurationError: the address is none, or secrets must not travel to it.
    """
    shown = printable(re.split("[?#]", base.rpartition("@")[2])[0])
    try:
        parts = urlsplit(base)
        is_address = parts.scheme in _PORTS and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or not _PLAIN.fullmatch(base):
        raise ConfigurationError(f"`{shown}` is not a web address; {_USE}")
    if parts.username is not None or parts.query or parts.fragment:
        raise ConfigurationError(f"an address cannot have a user, query or fragment; {_USE}")
    path = parts.path.rstrip("/")
    if path.endswith(_PREFIX):
        rest = f"{_origin_of(parts)}{path.removesuffix(_PREFIX)}"
        raise ConfigurationError(
            f"the form `alt` adds {_PREFIX} itself; use --base-url {rest} --api-form alt"
        )
    is_local = _is_loopback(parts.hostname or "")
    if parts.scheme == "http" and not is_local:
        secure = f"https:{base.partition(':')[2]}"
        raise ConfigurationError(f"plain http would expose your token on the network; use {secure}")
    origin = _origin_of(parts)
    return Address(f"{origin}{path}", origin, FORMS[form_name], is_local)


def _origin_of(parts: SplitResult) -> str:
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    port = parts.port
    shown = "" if port in {None, _PORTS.get(parts.scheme)} else f":{port}"
    return f"{parts.scheme}://{host}{shown}"


def _is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
