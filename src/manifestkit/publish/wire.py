"""API v1 on the wire: every path, header and part name, and our choice where the document is open.

| point | the document says | our choice |
| --- | --- | --- |
| address | two forms | one of them, never the other one instead |
| user token on a deploy | not shown | in the query for `base`, a part `token` for `alt`, or none |
| site token's part | two spellings | `site_token`, or `sitetoken` by a setting; never both |
| entries of the list of sites | not shown | whatever is there |
| deploy response | not shown | `outcomes` |
| statuses of errors | not shown | an error is no 2xx, or says `success: false` |
| names of rate limit headers | not shown | the customary ones |
| limits of the archive | not shown | `archive` |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

QUERY, PART = "query", "part"
"""Placements of the user token in a deploy request; a third one is `none`."""


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
