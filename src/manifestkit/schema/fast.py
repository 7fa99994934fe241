"""Yes or no by a compiled engine, for values that are valid most of the time.

It never says yes to what `jsonschema` refuses: what it cannot compile, or cannot hold, is "not
known to be valid", and the engine that explains has the last word.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import jsonschema_rs


class FastValidator:
    """One JSON Schema of draft 2020-12, compiled.

    Args:
        contents: the schema.
        resource: what a URI that it refers to leads to; None where it leads nowhere.
    """

    def __init__(self, contents: Any, resource: Callable[[str], Any]) -> None:
        def retrieve(uri: str) -> Any:
            found = resource(uri)
            if found is None:
                raise KeyError(uri)
            return found

        self._validator: jsonschema_rs.Draft202012Validator | None = None
        with suppress(Exception):  # what it cannot compile, the other engine judges
            self._validator = jsonschema_rs.Draft202012Validator(
                contents,
                retriever=retrieve,
                pattern_options=jsonschema_rs.RegexOptions(),
                validate_formats=True,
            )

    def knows_valid(self, value: Any) -> bool:
        """Whether it is certain that a value is valid."""
        try:
            return self._validator is not None and self._validator.is_valid(value)
        except (ValueError, OverflowError, RecursionError):
            return False  # a lone surrogate, or a number that the engine cannot hold
