"""The seam to the engine that judges values: nothing above knows which it is.

`jsonschema-rs` (`compiled.py`) where it loads, else `jsonschema` (`interpreting.py`). Both are
asked one thing only, whether a value is valid by a schema, a part of one or some of its keywords;
`validate.py` makes the errors of that.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from manifestkit.schema.drafts import Dialect

IsValid = Callable[[Any], bool]
"""Returns whether a value is as a schema wants it; a ValueError says that it cannot tell."""


class Engine(Protocol):
    """Questions that both engines answer."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a module's constant
        """Its name on the package index."""

    def registry(self, resources: Mapping[str, tuple[Any, Dialect]]) -> Any:
        """Return what looks up schemas, each of a draft, by their URI."""

    def compiled(self, schema: Any, draft: Dialect, found_in: Any) -> IsValid:
        """Return what tells whether values are valid by a schema.

        Args:
            schema: the schema.
            draft: its draft.
            found_in: the registry that they are looked up in; None for a schema of the package,
                which refers to itself only.
        """

    def format_problem(self, name: str) -> str | None:
        """Return what keeps a format from being judged, if anything."""

    def written(self, pattern: str) -> str:
        """Return a regular expression of a schema as the engine has to be given it."""

    def matches(self, pattern: str, text: str) -> bool:
        """Return whether a regular expression is found in a text (validation, 6.3.3).

        Raises:
            ValueError: the expression cannot be used; the text says why.
        """


def _loaded() -> tuple[Engine, str | None]:
    """Return the engine to use, and why it is not `jsonschema-rs`."""
    try:
        from manifestkit.schema.engines import compiled  # noqa: PLC0415 - may not load
    except (ImportError, OSError) as error:
        from manifestkit.schema.engines import interpreting  # noqa: PLC0415 - slow to import

        return interpreting, str(error)
    return compiled, None


ENGINE, NOT_THE_FASTER = _loaded()
"""The engine, and the reason why jsonschema-rs does not load, if it is not that."""
