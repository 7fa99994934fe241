"""The service's address: where secrets may go, and where not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from manifestkit.model.errors import ConfigurationError

_NO_SCHEME = re.compile(r"(?P<host>[\w.-]+|\[[\da-fA-F:]+\])(?::\d+)?(?:/[\w./-]*)?")
_PLAIN = re.compile(r"[!-~]+")  # a name in other letters is written as its `xn--` form
_PORTS = {"http": 80, "https": 443}
"""The port of a scheme, where an address names none."""
_USE = (
    "the address of the service {}; write it as https://HOST, or http://localhost:PORT for this "
    "machine"
)
_NO_USER, _PORT = "must have no user", "must have a port from 1 to 65535"
_THIS_MACHINE = {"0.0.0.0", "10.0.2.2", "10.0.3.2", "host.docker.internal"}  # noqa: S104 - as read
_PREFIX = "/api"
_OWN_PATH = re.compile(rf"({_PREFIX})(?:/v\d+)?(?:/cli/\w+)?$|(?:/v\d+)?/cli/\w+$")


@dataclass(frozen=True, slots=True)
class _AddressForm:
    """One of the two address forms (section 4): its paths, counted from the base address.

    The user token travels in a deploy request as `token_placement` says, unless told otherwise: as
    `query` or `part`; a third placement is `none`.
    """

    name: str
    login: str
    sites: str
    deploy: str
    token_placement: str


FORMS: Mapping[str, _AddressForm] = {
    "base": _AddressForm("base", "/cli/login", "/cli/sites", "/v2/cli/deploy", "query"),
    "alt": _AddressForm("alt", "/api/cli/login", "/api/cli/sites", "/api/cli/deploy", "part"),
}
"""The address forms by name."""


@dataclass(frozen=True, slots=True)
class Address:
    """A service, and the form of its addresses."""

    base: str  # what paths are counted from
    origin: str  # scheme, host and port: what a token belongs to
    form: _AddressForm
    is_loopback: bool  # whether it is this very machine: only there, plain http may go

    @classmethod
    def at(cls, base: str, form_name: str) -> Address:
        """Return the service at a base address.

        Raises:
            ConfigurationError: the address is none, or secrets must not travel to it.
        """
        if found := _NO_SCHEME.fullmatch(base):  # nothing in it is secret
            scheme = "http" if _is_loopback(found["host"].strip("[]")) else "https"
            cls.at(f"{scheme}://{base}", form_name)  # what else is wrong has its own advice
            raise ConfigurationError(f"`{base}` has no scheme; write `{scheme}://{base}`")
        try:
            parts = urlsplit(base)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            fault = _NO_USER if "@" in base else "has a wrong host" if "[" in base else _PORT
            raise ConfigurationError(_USE.format(fault)) from None
        faults = {
            "must begin with https:// or http://": parts.scheme not in _PORTS,
            _NO_USER: parts.username is not None,
            "must end before the `?` or `#`": parts.query or parts.fragment,
            "has no host": not host,
            _PORT: port == 0,
            "must have no blank, and only ASCII characters": not _PLAIN.fullmatch(base),
        }
        for fault in filter(faults.get, faults):
            raise ConfigurationError(_USE.format(fault))
        shown_port = "" if port in {None, _PORTS[parts.scheme]} else f":{port}"
        origin = f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{shown_port}"
        path, is_local = parts.path.rstrip("/"), _is_loopback(host)
        right = origin if is_local else origin.replace("http:", "https:")
        if host in _THIS_MACHINE and right != origin:
            right = origin.replace(host, "127.0.0.1", 1)
        if own := _OWN_PATH.search(path):
            form = " --api-form alt" if own[1] else ""
            rest = f"{right}{path[: own.start()]}{form}"
            raise ConfigurationError(f"leave out {own[0]}; use --base-url {rest}")
        if right != origin:
            said = "plain http would expose your token on the network;"
            here = f"{host} is this machine only to a server, an emulator or a container;"
            said = here if host in _THIS_MACHINE else said
            raise ConfigurationError(f"{said} use {right}{path}")
        return cls(f"{origin}{path}", origin, FORMS[form_name], is_local)


def _is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
