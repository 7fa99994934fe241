"""The document with answers that `manifest new --from` names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from manifestkit.decode import decode
from manifestkit.edits.patch import check_size
from manifestkit.files import AS_INPUT, posix_name, read_bytes
from manifestkit.model.errors import ConfigurationError, EditRefusedError
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.report import STDIN


def read_answers(file: str, piped: bytes | None) -> dict[str, Any]:
    """Return the answers in a document: a file by its suffix, what is piped by how it begins.

    Raises:
        UnreadableFileError: the file cannot be read.
        ConfigurationError: it is not one readable object.
    """
    name = posix_name(file) if piped is None else STDIN
    data = read_bytes(Path(file), DEFAULT_LIMITS.bytes, AS_INPUT) if piped is None else piped
    suffix = "" if piped is None or data.lstrip()[:1] == b"{" else ".yaml"
    decoded = decode(data, f"{name}{suffix}")
    document = decoded.document
    for first in decoded.findings:
        at = first.location
        raise ConfigurationError(f"{name}:{at.line}:{at.column}: {first.message}")
    if not isinstance(document.value, dict):
        raise ConfigurationError(f"{name}:1:1: answers must be an object, like a manifest")
    try:
        check_size(document)
    except EditRefusedError as problem:
        raise ConfigurationError(f"{name}: {problem}") from None
    return document.value
