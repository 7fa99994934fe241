"""How the service may list sites: the API document does not show it."""

from __future__ import annotations

SHAPES = ("strings", "objects", "wrapped")
"""The list of sites as texts, as objects, or as objects inside an object."""
