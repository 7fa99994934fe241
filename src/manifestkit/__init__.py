"""Lint and author activity provider manifests."""
