"""What the texts of a command line say, by the types of the schema."""

from __future__ import annotations

from typing import Any

from manifestkit.decode.value import read_value as read_json
from manifestkit.model.errors import AuthoringError
from manifestkit.model.pointer import Path
from manifestkit.rules.messages import excerpt, fits, label, named, type_name
from manifestkit.schema.fields import Field


def check_text(given: str) -> None:
    """Refuse what no UTF-8 file can hold as it is: a byte that the system could not read, mostly.

    Raises:
        AuthoringError: there is such a character.
    """
    try:
        given.encode()
    except UnicodeEncodeError:
        raise AuthoringError(f"{named(given)} is no text in UTF-8: look at your locale") from None


def read_item(text: str, kind: str, field: Field | None) -> Any:
    """The item that a text says."""
    if field is None or not field.required:
        return read_value(text, field, (kind,))
    parts = text.split("=", len(field.required) - 1)
    if len(parts) < len(field.required) or not all(parts):
        form = "=".join(name.upper() for name in field.required)
        raise AuthoringError(f"{named(text)} is no {kind}: write {form}")
    return dict(zip(field.required, parts, strict=True))


def read_value(text: str, field: Field | None, path: Path) -> Any:
    """The value that a text says: the text itself where a string is due, else JSON."""
    types = field.types if field else ()
    if types == ("string",):
        return text
    for value in read_json(text):
        return value
    if "string" in types:
        return text
    wanted = type_name(types) if types else "a value in JSON"
    raise AuthoringError(f"{label(path)} takes {wanted}, not {named(text)}{_hint(text, types)}")


def _hint(text: str, types: tuple[str, ...]) -> str:
    if not types:
        return "; a string stands in quotes, as in '\"text\"'"
    items = [each.strip() for each in text.strip("[] ").split(",")]
    if types != ("array",) or not all(items) or not fits(items):
        return ""
    return f"; write '{excerpt(items).strip('`')}'"
