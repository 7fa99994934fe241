"""JSON as text that nothing but a JSON reader acts on."""

from __future__ import annotations

import json
from typing import Any


def json_text(value: Any, indent: int | None = None) -> str:
    """The value in ASCII, with no control character and no build service's command in it."""
    text = json.dumps(value, indent=indent)
    # DEL is the one control character that ASCII output leaves raw. `##` can stand in a string
    # only; at the head of `##[name]` or `##vso[name]` it opens a command on GitHub or Azure.
    return text.replace("\x7f", "\\u007f").replace("##", "#\\u0023")
