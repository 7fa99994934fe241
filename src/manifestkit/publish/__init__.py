"""Gated deploys through the site publishing service's API, version 1."""
