"""Errors of the library.

::

    ManifestkitError
    ├── PointerSyntaxError      text that is not an RFC 6901 pointer
    ├── ConfigurationError      an option or a configuration file that cannot be used
    │   └── SchemaError         a schema, rule or profile that cannot be used
    ├── UnreadableFileError     a named file whose bytes cannot be had
    ├── CrashedFileError        a named file at which this library fails: a bug of ours
    ├── UnwritableFileError     a file whose new content cannot take its place
    ├── AuthoringError          a wish for a change that no manifest can fulfil
    ├── EditRefusedError        a change that cannot be made without touching more than it says
    └── PublishError            the publishing service did not do what was asked

A fault *in a manifest* is never raised: it is a `manifestkit.Finding`.
"""

from __future__ import annotations

from manifestkit.model.printable import redacted


class ManifestkitError(Exception):
    """Root of everything this library raises on purpose. Its text says what to do next.

    Example:
        >>> try:
        ...     manifestkit.load_profile("gone.schema.json")
        ... except manifestkit.ManifestkitError as error:
        ...     print(error)
        gone.schema.json: no such file
    """

    @property
    def problems(self) -> tuple[str, ...]:
        """The problems, one by one."""
        return (str(self),)


class PointerSyntaxError(ManifestkitError, ValueError):
    """Text that is not a JSON Pointer (RFC 6901, section 3)."""


class ConfigurationError(ManifestkitError):
    """An option or a configuration file that cannot be used; the text names the place.

    Example:
        >>> try:
        ...     manifestkit.lint(MANIFEST, config="gone.toml")
        ... except manifestkit.ConfigurationError as error:
        ...     print(error)
        configuration gone.toml: no such file
    """

    def __str__(self) -> str:
        return "\n".join(self.problems)

    @property
    def problems(self) -> tuple[str, ...]:
        """The problems, one by one."""
        return tuple(redacted(str(each)) for each in self.args)


class SchemaError(ConfigurationError):
    """A schema, rule or profile that cannot be used; the text names the file and the place.

    Example:
        >>> try:
        ...     manifestkit.lint(MANIFEST, profile="manifest.json")  # not a JSON Schema
        ... except manifestkit.SchemaError as error:
        ...     print(error)  # doctest: +ELLIPSIS
        manifest.json:1:1: ...
    """


class _FileError(ManifestkitError):
    """A file with which something cannot be done.

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


class UnreadableFileError(_FileError):
    """A file that cannot be read.

    Example:
        >>> (error,) = manifestkit.lint_paths("gone.json").unreadable
        >>> error.path, error.reason
        ('gone.json', 'no such file')
    """


class CrashedFileError(_FileError):
    """A file on which this library fails, which is a bug in manifestkit.

    Attributes:
        details: the traceback, for a bug report.

    Example:
        >>> manifestkit.lint_paths("manifest.json").crashed
        ()
    """

    def __init__(self, path: str, reason: str, details: str = "") -> None:
        super().__init__(path, reason)
        self.args = (path, reason, details)
        self.details = details

    @classmethod
    def of(cls, path: str, error: BaseException) -> CrashedFileError:
        """Return the error about a file that follows from an unexpected one."""
        reason = f"this is a bug in manifestkit ({type(error).__name__})"
        if isinstance(error, MemoryError):
            reason = "there is not enough memory"
        return cls(path, reason, _traceback(error))

    @classmethod
    def of_dead_process(cls, path: str, error: BaseException) -> CrashedFileError:
        """Return the error about a file that no process survives."""
        why = "the process that checked it was killed, ran out of memory or crashed"
        return cls(path, why, _traceback(error))


FileProblem = CrashedFileError | UnreadableFileError
"""Why a file has no result."""


def _traceback(error: BaseException) -> str:
    import traceback  # noqa: PLC0415 - only a crash needs it

    return "".join(traceback.format_exception(error))


class UnwritableFileError(_FileError):
    """A file that cannot be written; it keeps its old content."""


class AuthoringError(ManifestkitError, ValueError):
    """A requested change that is unclear or impossible in this manifest."""


class EditRefusedError(ManifestkitError):
    """A change that cannot be made in the text without touching more; the text says why.

    Example:
        >>> try:
        ...     manifestkit.format('{"permissions": [')
        ... except manifestkit.EditRefusedError as error:
        ...     print(error)  # doctest: +ELLIPSIS
        `[` ... (line 1, column 17); ...
    """


class PublishError(ManifestkitError):
    """The publishing service did not do what was asked; the text holds no secret.

    Attributes:
        kind: the outcome: `authentication`, `rejected`, `rate-limited` or `not-sent`.
        code: the service's own code for the error, where it gave one.
        details: what the service said beyond its message, where it did.
    """

    def __init__(
        self, kind: str, text: str, code: str | None = None, details: object = None
    ) -> None:
        super().__init__(text)
        self.kind = kind
        self.code = code
        self.details = details


class CrashContext:
    """Names the file at which something unexpected goes wrong; errors raised on purpose pass."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        """Tell of a crash; a panic of an extension in Rust is no Exception, but one, too.

        Raises:
            CrashedFileError: something went wrong that nobody raised on purpose.
        """
        on_purpose = (ManifestkitError, KeyboardInterrupt, SystemExit, GeneratorExit)
        if error is not None and not isinstance(error, on_purpose):
            raise CrashedFileError.of(self._name, error) from error
