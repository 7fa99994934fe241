"""Validation errors: those of the engine, with paths, members and schemas.

The engine says yes or no of values of any size; but each of its errors holds a copy of the value
that it is about, and all of them are made before the first is seen. So it is asked for the errors
of small values only. A large one is judged part by part, each by the part of the schema that
speaks of it, until enough is found.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from manifestkit.model.errors import SchemaError
from manifestkit.model.limits import DEEPEST_JUDGED, DEFAULT_LIMITS, is_deeper
from manifestkit.schema.engine import ValidatorCache
from manifestkit.schema.evaluate import Evaluation, SchemaPart
from manifestkit.schema.sources import Sources
from manifestkit.schema.surrogates import Encodable
from manifestkit.schema.validation import TooDeepError, ValidationError

_SMALL = 2_000


class Validator:
    """Judges values by one schema.

    Args:
        name: how the schema is named to the user.
        sources: the schema, and what it refers to.
        small: how many values a value may hold for the engine to be asked for all its errors.
    """

    def __init__(self, name: str, sources: Sources, small: int = _SMALL) -> None:
        self._name = name
        self._validators = ValidatorCache(sources)
        self._evaluation = Evaluation(self._validators, small)
        self._start = SchemaPart(sources.contents, sources.resolver, (), (), {})

    def is_valid(self, value: Any) -> bool:
        """Return whether a value is as the schema wants it.

        Raises:
            SchemaError, TooDeepError: see `errors`.
        """
        try:
            return self._judge(value)
        except UnicodeEncodeError:
            return self._judge(Encodable(value).value)

    def errors(self, value: Any) -> Iterator[ValidationError]:
        """Find every validation error of a value, one by one as requested.

        Raises:
            SchemaError: the schema cannot be judged by.
            TooDeepError: the value is nested too deep for the engine.
        """
        try:
            if self.is_valid(value):
                return
            yield from self._explained(value)
        except (SchemaError, TooDeepError):
            raise
        except Exception as error:
            if isinstance(error, ValueError) and is_deeper(value, DEFAULT_LIMITS.depth):
                raise TooDeepError from None
            # A stranger's schema can say what the engine does not expect, at any place.
            raise SchemaError(f"{self._name}: this schema cannot be used: {error}") from error

    def compile(self) -> None:
        """Compile the schema, which else happens when it is first asked.

        Raises:
            ValueError: it cannot be compiled.
        """
        assert self._validators.whole  # noqa: S101 - it has no other use here

    def _judge(self, value: Any) -> bool:
        try:
            return bool(self._validators.whole.is_valid(value))
        except UnicodeEncodeError:
            raise
        except ValueError as error:  # the engine goes only so deep
            if is_deeper(value, DEFAULT_LIMITS.depth):
                raise TooDeepError from None
            raise SchemaError(f"{self._name}: {error}") from None

    def _explained(self, value: Any) -> Iterator[ValidationError]:
        if not self._evaluation.is_simple(value) and is_deeper(value, DEEPEST_JUDGED):
            raise TooDeepError
        told = 0
        try:
            for error in self._evaluation.explained(self._start, value):
                yield error
                told += 1
        except UnicodeEncodeError:
            encoded = Encodable(value)
            found = self._evaluation.explained(self._start, encoded.value)
            for error in islice(found, told, None):
                yield _in_terms_of(value, encoded, error)


def _in_terms_of(
    value: Any, encoded: Encodable, error: ValidationError, *, is_of_name: bool = False
) -> ValidationError:
    """Return an error about an encodable value as one about the value itself.

    Args:
        value: the value.
        encoded: the encodable one.
        error: the error.
        is_of_name: whether it is about the name of a member.
    """
    path = tuple(map(encoded.restored, error.path))
    is_of_name = is_of_name or error.keyword == "propertyNames"
    instance = value
    for token in () if is_of_name else path:
        instance = instance[token]
    branches = (
        _in_terms_of(value, encoded, each, is_of_name=is_of_name) for each in error.branches
    )
    return error._replace(
        path=path,
        instance=encoded.restored(error.instance) if is_of_name else instance,
        member=encoded.restored(error.member),
        first=error.first and tuple(map(encoded.restored, error.first)),
        branches=tuple(branches),
    )
