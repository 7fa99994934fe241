"""What is nested deep is formatted soon, or left alone."""

from __future__ import annotations

import json

from manifestkit.decode import decode
from manifestkit.edits.formatting import formatted
from manifestkit.schema.packaged import base_schema
from rows import rows


@rows("shell", ["[%s]", '{"a": %s}', '[{"name": %s}, 1]'])
def test_every_depth_within_the_limits_is_formatted(shell: str) -> None:
    text = "1"
    for _ in range(90):
        text = shell % text
    document = decode(text, "manifest.json").document
    once = formatted(document, base_schema())
    assert json.loads(once) == document.value
    assert formatted(decode(once, "manifest.json").document, base_schema()) == once
