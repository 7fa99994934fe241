"""Gated deploys through the site publishing service's API, version 1.

`gate` packs a site and checks its manifest; `client` logs in, lists sites and sends the archive
that was checked. `store` keeps the token of each service.
"""
