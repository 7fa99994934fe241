"""Answers from a file: a manifest, or the beginning of one, in JSON or YAML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from manifestkit.decode import decode
from manifestkit.model.document import Document
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.limits import DEFAULT_LIMITS, count_characters
from manifestkit.model.pointer import parse_pointer


@dataclass(frozen=True, slots=True)
class Source:
    """What someone wrote beforehand.

    Attributes:
        document: what was read.
    """

    document: Document

    @property
    def value(self) -> dict[str, Any]:
        """The answers, as they stand in a manifest."""
        value: dict[str, Any] = self.document.value
        return value

    def place(self, pointer: str) -> str | None:
        """Where a value stands, as `file:line:column`; None if it is not from here."""
        path: list[str | int] = []
        value = self.document.value
        try:
            for token in parse_pointer(pointer):
                path.append(int(token) if isinstance(value, list) else token)
                value = value[path[-1]]
            at = self.document.locate(path)
        except (KeyError, IndexError):
            return None
        return f"{self.document.name}:{at.line}:{at.column}"


def read_source(data: bytes, name: str, *, is_file: bool) -> Source:
    """Read answers: by the suffix of a file's name, and what has no name, as it begins.

    Raises:
        ConfigurationError: they are not one readable object.
    """
    suffix = "" if is_file or data.lstrip()[:1] == b"{" else ".yaml"
    decoded = decode(data, f"{name}{suffix}")
    document = decoded.document
    if suffix:
        document = document.as_of(name=name)
    if decoded.findings:
        first = decoded.findings[0]
        at = first.location
        raise ConfigurationError(f"{name}:{at.line}:{at.column}: {first.message}")
    if not isinstance(document.value, dict):
        raise ConfigurationError(f"{name}:1:1: answers are an object, as a manifest is one")
    if count_characters(document.value) > DEFAULT_LIMITS.bytes:  # aliases repeat what they name
        raise ConfigurationError(
            f"{name}:1:1: these answers make a manifest of more than {DEFAULT_LIMITS.bytes:,} bytes"
        )
    return Source(document)
