"""The formats of JSON Schema, for the engine `jsonschema`, which has few of them by itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from ipaddress import AddressValueError, IPv6Address

UNSUPPORTED = frozenset(
    {"idn-email", "idn-hostname", "iri", "iri-reference", "regex", "uri-template"}
)
"""Formats that are not checked here, so that a schema that asks for one is refused."""

_TIME = r"([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))"
_DAY = 24 * 60  # minutes
_UNRESERVED = r"[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2}"
_PCHAR = rf"(?:{_UNRESERVED}|[:@])"
_IPV6 = r"\[([0-9A-Fa-f:.]+)\]|\[[vV][0-9A-Fa-f]+\.(?:[A-Za-z0-9._~!$&'()*+,;=:-])+\]"
_AUTHORITY = rf"(?:(?:{_UNRESERVED}|:)*@)?(?:{_IPV6}|(?:{_UNRESERVED})*)(?::\d*)?"
_AFTER = rf"(?:\?(?:{_PCHAR}|[/?])*)?(?:\#(?:{_PCHAR}|[/?])*)?"
_SEGMENTS = rf"(?:/{_PCHAR}*)*"
_ROOTED = rf"//{_AUTHORITY}{_SEGMENTS}|/(?:{_PCHAR}+{_SEGMENTS})?"
_URI = rf"[A-Za-z][A-Za-z0-9+.-]*:(?:{_ROOTED}|{_PCHAR}+{_SEGMENTS}|){_AFTER}"
_RELATIVE = rf"(?:{_ROOTED}|(?:{_UNRESERVED}|@)+{_SEGMENTS}|){_AFTER}"
_POINTER = r"(?:/(?:[^/~]|~[01])*)*"
_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_DURATION = (
    r"P(?:\d+W|(?=\d|T\d)(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?"
    r"(?:T(?=\d)(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)"
)
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"


def _full(pattern: str) -> Callable[[str], bool]:
    matched = re.compile(pattern, re.ASCII).fullmatch
    return lambda value: matched(value) is not None


def _is_date(value: str) -> bool:
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", value, re.ASCII):
        return False
    # The calendar of the year 0, which Python does not know, is that of the year 2000.
    try:
        date.fromisoformat(f"2000{value[4:]}" if value.startswith("0000") else value)
    except ValueError:
        return False
    return True


def _is_time(value: str) -> bool:
    found = re.fullmatch(_TIME, value, re.ASCII)
    if found is None or found[3] != "60":
        return found is not None
    sign = -1 if found[4] == "+" else 1
    minutes = int(found[1]) * 60 + int(found[2])
    offset = int(found[5] or 0) * 60 + int(found[6] or 0)
    return (minutes + sign * offset + 1) % _DAY == 0  # a leap second is the last of a day of UTC


def _is_date_time(value: str) -> bool:
    return value[10:11] in ("T", "t") and _is_date(value[:10]) and _is_time(value[11:])


def _is_ipv6(value: str) -> bool:
    try:
        return IPv6Address(value).scope_id is None and "%" not in value
    except AddressValueError:
        return False


def _uri(pattern: str) -> Callable[[str], bool]:
    matched = re.compile(pattern, re.ASCII).fullmatch

    def is_valid(value: str) -> bool:
        found = matched(value)
        return found is not None and all(each is None or _is_ipv6(each) for each in found.groups())

    return is_valid


_is_plain_host_name = _full(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*")
_is_plain_email = _full(
    rf"(?=[^@]{{1,64}}@){_ATOM}(?:\.{_ATOM})*@(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*"
)


def _is_host_name(value: str) -> bool:
    if any(each[2:4] == "--" for each in value.split(".")):
        raise ValueError("names such as `xn--a` are not checked without jsonschema-rs")
    return _is_plain_host_name(value)


def _is_email(value: str) -> bool:
    if not re.fullmatch(r"""[^"\[\]()<>\\]*""", value):
        raise ValueError("quoted parts of email addresses are not checked without jsonschema-rs")
    return _is_plain_email(value)


FORMATS: dict[str, Callable[[str], bool]] = {
    "date": _is_date,
    "date-time": _is_date_time,
    "duration": _full(_DURATION),
    "email": _is_email,
    "hostname": _is_host_name,
    "ipv4": _full(rf"{_OCTET}(?:\.{_OCTET}){{3}}"),
    "ipv6": _is_ipv6,
    "json-pointer": _full(_POINTER),
    "relative-json-pointer": _full(rf"(?:0|[1-9]\d*)(?:\#|{_POINTER})"),
    "time": _is_time,
    "uri": _uri(_URI),
    "uri-reference": _uri(f"{_URI}|{_RELATIVE}"),
    "uuid": _full(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"),
}
"""The formats, each with what checks a text."""
