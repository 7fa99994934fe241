"""Gated deploys through the site publishing service's API, version 1.

`deploy` packs a site, checks its manifest and sends the archive that was checked; `client` logs in,
lists sites and sends, as `wire` describes the API. `store` keeps the token of each service.
"""
