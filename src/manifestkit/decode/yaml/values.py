"""What YAML scalars mean, and what is said of those that mean nothing a manifest can hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from manifestkit.decode import limit_words
from manifestkit.decode.yaml import core
from manifestkit.decode.yaml.scalars import Scalar
from manifestkit.decode.yaml.source import Source
from manifestkit.limits import Limits

_MEANT = {
    "str": "text",
    "int": "an integer",
    "float": "a number",
    "bool": "`true` or `false`",
    "null": "`null`",
    "seq": "a list",
    "map": "a mapping",
}


Where = Callable[[], str]
"""Tells the pointer of the value that is being read."""


class Values:
    """Gives scalars their values.

    Args:
        source: the text.
        limits: bounds on numbers.
    """

    def __init__(self, source: Source, limits: Limits) -> None:
        self._source = source
        self._limits = limits

    def resolve(self, scalar: Scalar, where: Where) -> Any:
        """What a plain scalar means."""
        text = scalar.text
        if text and text[0] not in core.CANDIDATES:
            return text
        return self._number(scalar, core.resolve, where)

    def _number(self, scalar: Scalar, read: Callable[[str, int], Any], where: Where) -> Any:
        source = self._source
        text, start, end, _ = scalar
        try:
            return read(text, self._limits.digits)
        except core.NotFiniteError:
            source.mistake(
                start,
                end,
                f"`{text}` is no number that a manifest can hold",
                "leave the member out, use `null`, or put text in quotes",
                rule="yaml-unsupported",
            )
        except core.DigitsError as error:
            words = limit_words.too_long(text, error.limit)
            source.mistake(start, end, *words, rule="limit-exceeded", pointer=where())
        except core.BeyondDoubleError:
            words = limit_words.too_large(source.excerpt(start, end))
            source.mistake(start, end, *words, rule="limit-exceeded", pointer=where())
        return 0

    def tagged(self, scalar: Scalar, tag: str, where: Where) -> Any:
        """What a scalar means by its tag."""
        text = scalar.text
        value: Any = None
        match tag:
            case "!" if scalar.plain and not text:
                self._source.mistake(
                    scalar.start,
                    scalar.end,
                    "tag `!` before no value",
                    'write the value: `""` or `null`',
                    rule="yaml-unsupported",
                )
                return text
            case "" | "!" | "str":
                return text
            case "int":
                value = self._number(scalar, core.integer, where)
            case "float":
                value = self._number(scalar, core.real, where)
            case "bool":
                value = core.boolean(text)
            case "null" if core.is_null(text):
                return None
        if value is None:
            self.mismatch(scalar.start, scalar.end, tag)
        return value

    def mismatch(self, start: int, end: int, tag: str) -> None:
        """Report a tag that does not fit its value."""
        self._source.mistake(
            start,
            end,
            f"tag `!!{tag}` stands before what is not {_MEANT[tag]}",
            "remove the tag",
            rule="yaml-unsupported",
        )
