"""API v1 on the wire: every path, header and part name, and our choice where the document is open.

The client and the sandbox read the same table, so that a point is decided once. Where the real
service may differ, the choice is a parameter (`docs/publishing.md` lists them).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

QUERY, PART, NONE = "query", "part", "none"
TOKEN_PLACEMENTS = (QUERY, PART, NONE)
"""Placements of the user token in a deploy request; section 4 does not show one."""


@dataclass(frozen=True, slots=True)
class AddressForm:
    """One of the two address forms (section 4): its paths, counted from the base address.

    The user token travels in a deploy request as `token_placement` says, unless told otherwise.
    """

    name: str
    login: str
    sites: str
    deploy: str
    token_placement: str


FORMS: Mapping[str, AddressForm] = {
    "base": AddressForm("base", "/cli/login", "/cli/sites", "/v2/cli/deploy", QUERY),
    "alt": AddressForm("alt", "/api/cli/login", "/api/cli/sites", "/api/cli/deploy", PART),
}
"""The address forms by name."""

JSON_HEADERS: Mapping[str, str] = {
    "Content-Type": "application/json",
    "Cache-Control": "no-cache",
}
"""On every request but the multipart deploy request (section 4)."""

EMAIL, PASSWORD = "email", "password"
NAME, TOKEN = "name", "token"
SITES = "sites"

SITE_TOKEN_PARTS = ("site_token", "sitetoken")
"""The spellings of the part that identifies the site; only one of them is ever sent."""
ARCHIVE_PART = "archive"
ARCHIVE_TYPE = "application/zip"
DOMAIN_PART = "domain"

SUCCESS, ERROR, CODE, MESSAGE, DETAILS = "success", "error", "code", "message", "details"

REQUESTS_PER_WINDOW = 100
WINDOW_SECONDS = 60.0
"""100 requests per minute per API key (section 8)."""
RETRY_AFTER = "Retry-After"
LIMIT_HEADER = "X-RateLimit-Limit"
REMAINING_HEADER = "X-RateLimit-Remaining"
RESET_HEADER = "X-RateLimit-Reset"
RESET_HEADERS = (RESET_HEADER, "RateLimit-Reset")
"""The names of the rate limit headers are not shown (section 8): these are the customary ones."""

SHAPES = ("strings", "objects", "wrapped")
"""Forms of a list of sites: texts, objects, or objects inside an object."""
