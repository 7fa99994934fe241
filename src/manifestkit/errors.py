"""What the library raises.

::

    ManifestkitError
    ├── PointerSyntaxError      text that is not an RFC 6901 pointer
    ├── ConfigurationError      an option or a configuration file that cannot be used
    │   └── SchemaError         a schema, rule or profile that cannot be used
    └── UnreadableFileError     a named file whose bytes cannot be had

A fault *in a manifest* is never raised: it is a `manifestkit.Finding`.
"""

from __future__ import annotations


class ManifestkitError(Exception):
    """Root of everything this library raises on purpose. Its text says what to do next."""


class PointerSyntaxError(ManifestkitError, ValueError):
    """Text that is not a JSON Pointer (RFC 6901, section 3)."""


class ConfigurationError(ManifestkitError):
    """An option or a configuration file that cannot be used; the text names the place."""


class SchemaError(ConfigurationError):
    """A schema, rule or profile that cannot be used; the text names the file and the place."""


class UnreadableFileError(ManifestkitError):
    """A file whose bytes cannot be had.

    Attributes:
        path: the file as the user named it, joined with ``/``.
        reason: why, in a few words without the path.
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"
