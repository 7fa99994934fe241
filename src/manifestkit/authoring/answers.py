"""The document that `manifest new --from` names: its answers, and where they stand in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import Any

from manifestkit.config.policy import Policy
from manifestkit.decode import Decoded, decode
from manifestkit.edits.patch import is_same_data
from manifestkit.edits.writing import Spellings
from manifestkit.engine.lint import lint
from manifestkit.files import AS_INPUT, posix_name, read_bytes
from manifestkit.findings.words import label
from manifestkit.model.document import Document
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.finding import Finding
from manifestkit.model.limits import DEFAULT_LIMITS, each_value
from manifestkit.model.pointer import Path as Pointer
from manifestkit.model.pointer import format_pointer, path_in
from manifestkit.model.report import STDIN


@dataclass(frozen=True)
class Answers:
    """A document with values for a manifest: a manifest or a part of one, or none."""

    document: Document | None = None

    @property
    def value(self) -> Any:
        """The value of the document; an empty object where there is none."""
        return self.document.value if self.document else {}

    @classmethod
    def read(cls, file: str, piped: bytes | None) -> Answers:
        """Read a document with answers: a file by its suffix, and what is piped by how it begins.

        Raises:
            UnreadableFileError: the file cannot be read.
            ConfigurationError: it is not one readable object.
        """
        name = posix_name(file) if piped is None else STDIN
        data = read_bytes(Path(file), DEFAULT_LIMITS.bytes, AS_INPUT) if piped is None else piped
        suffix = "" if piped is None or data.lstrip()[:1] == b"{" else ".yaml"
        decoded = decode(data, f"{name}{suffix}")
        document = decoded.document
        if suffix:
            document = document.named(name)
        if decoded.findings:
            first = decoded.findings[0]
            at = first.location
            raise ConfigurationError(f"{name}:{at.line}:{at.column}: {first.message}")
        if not isinstance(document.value, dict):
            raise ConfigurationError(f"{name}:1:1: answers must be an object, like a manifest")
        if (
            _count_characters(document.value) > DEFAULT_LIMITS.bytes
        ):  # aliases repeat what they name
            raise ConfigurationError(
                f"{name}:1:1: these answers would make a manifest larger than "
                f"{DEFAULT_LIMITS.bytes:,} bytes"
            )
        return cls(document)

    @cached_property
    def spellings(self) -> Spellings | None:
        """The spellings of the values."""
        return Spellings(self.document) if self.document else None

    def place(self, pointer: str) -> str | None:
        """Return the place of a value as `file:line:column`; None if it is not in the document."""
        try:
            at = self.document and self.document.locate(path_in(self.value, pointer))
        except (KeyError, IndexError, TypeError):
            return None
        return f"{self.document.name}:{at.line}:{at.column}" if self.document and at else None

    def unused(self, value: Any, why: str) -> list[str]:
        """Return a line for each part of the document that a manifest does not say."""
        return [
            f"{self.place(format_pointer(path))}: {label(path)} is not used: {why}"
            for path in _unused_places(self.value, value)
        ]

    def as_written(self, policy: Policy, finding: Finding) -> Finding:
        """Return a finding as a linter words it of the answers themselves, if it does.

        A number may be written otherwise in the manifest than here, where it is to be fixed.
        """
        found = lint(Decoded(self.document, ()), policy).findings if self.document else ()
        same = (each.rule == finding.rule and each.pointer == finding.pointer for each in found)
        return next(compress(found, same), finding)


def _unused_places(answers: Any, value: Any, path: Pointer = ()) -> Iterator[Pointer]:
    """Yield the places of answers that a value has not; for an item of a list, the list."""
    if isinstance(answers, dict) and isinstance(value, dict):
        for name, each in answers.items():
            yield from _unused_places(each, value.get(name), (*path, name))
        return
    if isinstance(answers, list) and isinstance(value, list) and len(answers) <= len(value):
        is_used = not any([*_unused_places(*pair)] for pair in zip(answers, value, strict=False))
    else:
        is_used = is_same_data(answers, value)
    if not is_used:
        yield path


def _count_characters(value: Any) -> int:
    """Count the characters in the strings and names of a value, each time they stand."""
    texts = (each for each in each_value(value) if isinstance(each, str | dict))
    return sum(len(each) if isinstance(each, str) else sum(map(len, each)) for each in texts)
