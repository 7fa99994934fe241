"""JSON as text that nothing but a JSON reader acts on."""

from __future__ import annotations

import json
from typing import Any


def json_text(value: Any, indent: int | None = None) -> str:
    """The value in ASCII, with no control character and no build service's command in it."""
    text = json.dumps(value, indent=indent)
    # All but printable ASCII is escaped, so no control or bidi character is raw. `##` can stand in
    # a string only; at the head of `##[name]` or `##vso[name]` it is a command of GitHub or Azure.
    return text.replace("##", "#\\u0023")
