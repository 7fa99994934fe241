"""Manifests as bytes, which tests change by their text."""

from __future__ import annotations

from command import EXAMPLES

VALID = (EXAMPLES / "valid" / "minimal.activity-provider.json").read_bytes()
BROKEN = VALID.replace(b'"1.0"', b"1", 1)
FIXABLE = VALID.replace(b'"permissions": []', b'"permissions": ["host.timr"]')
FIXED = FIXABLE.replace(b"host.timr", b"host.timer")
MESSY = b'{"provider": {"version": "1", "id": "a", "name": "b"},\r\n"schema_version": 1e0}'
