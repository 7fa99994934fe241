"""What the texts of a command line, and of an answer, say as JSON."""

from __future__ import annotations

from typing import Any

from manifestkit.decode import decode
from manifestkit.model.errors import AuthoringError


def read_value(text: str) -> tuple[Any, ...]:
    """The value that a text says, alone; nothing where it is no JSON.

    Raises:
        AuthoringError: it is JSON, and gives a member twice or passes a limit.
    """
    decoded = decode(text, "value.json")
    if any(each.rule == "syntax-error" for each in decoded.findings):
        return ()
    for each in decoded.findings:
        raise AuthoringError(f"{each.message}; {each.help}" if each.help else each.message)
    return (decoded.document.value,)
