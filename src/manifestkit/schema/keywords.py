"""The keywords that speak of members and items, with errors that name them.

jsonschema names neither the missing member nor the one too many, points `uniqueItems` at the
array and `propertyNames` at the object, and loses the path to what ``false`` refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from jsonschema import ValidationError

from manifestkit.pointer import Path
from manifestkit.schema.evaluated import evaluated_indexes, evaluated_names
from manifestkit.schema.patterns import has_format, matches

Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError]]
"""A check of jsonschema's: validator, the keyword's value, the instance, the schema -> errors."""


class MemberError(ValidationError):
    """An error about a member or an item that jsonschema would not name."""

    def __init__(self, path: Path = (), member: str | None = None, **details: Any) -> None:
        super().__init__("", path=path, **details)
        self.member = member
        self.first: int | None = None


def _type(validator: Any, types: Any, instance: Any, _: Any) -> Iterator[ValidationError]:
    # The words of jsonschema's own error hold the whole instance, which may be large or deep.
    allowed = [types] if isinstance(types, str) else types
    if not any(validator.is_type(instance, each) for each in allowed):
        yield MemberError()


def _required(_: Any, required: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for name in required:
            if name not in instance:
                yield MemberError(member=name)


def _dependent_required(
    _: Any, dependent: Any, instance: Any, __: Any
) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for name, required in dependent.items():
            if name in instance:
                for needed in required:
                    if needed not in instance:
                        yield MemberError(member=needed, validator_value={name: [needed]})


PARTS = "manifestkit_parts"
"""The attribute of a validator class that holds the `Parts` of its schema, or None."""


def _descend(
    validator: Any, value: Any, schema: Any, token: str | int
) -> Iterator[ValidationError]:
    """Judge a part of a value; jsonschema forgets the path to a part that ``false`` refuses."""
    parts = getattr(validator, PARTS, None)
    if schema is False:
        member = token if isinstance(token, str) else None
        yield MemberError((token,), member, validator="false", instance=value)
    elif parts is None or not parts.knows_valid(schema, value):
        yield from validator.descend(value, schema, path=token)


def _properties(
    validator: Any, properties: Any, instance: Any, _: Any
) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for name, schema in properties.items():
            if name in instance:
                yield from _descend(validator, instance[name], schema, name)


def _prefix_items(validator: Any, prefix: Any, instance: Any, _: Any) -> Iterator[ValidationError]:
    if isinstance(instance, list):
        for index, (item, schema) in enumerate(zip(instance, prefix, strict=False)):
            yield from _descend(validator, item, schema, index)


def _pattern_properties(
    validator: Any, patterns: Any, instance: Any, _: Any
) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for pattern, schema in patterns.items():
            for name, value in instance.items():
                if matches(pattern, name):
                    yield from _descend(validator, value, schema, name)


def _property_names(validator: Any, names: Any, instance: Any, _: Any) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for name in instance:
            errors = list(validator.descend(name, names))
            if errors:
                yield MemberError((name,), name, context=errors, instance=name)


def _additional_properties(
    validator: Any, additional: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    known = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    for name, value in instance.items():
        if name in known or any(matches(pattern, name) for pattern in patterns):
            continue
        if additional is False:
            yield MemberError((name,), name, instance=value)
        else:
            yield from _descend(validator, value, additional, name)


def _unevaluated_properties(
    validator: Any, unevaluated: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    evaluated = evaluated_names(validator, instance, schema)
    for name, value in instance.items():
        if name in evaluated:
            continue
        if unevaluated is False:
            yield MemberError((name,), name, instance=value)
        else:
            yield from _descend(validator, value, unevaluated, name)


def items(validator: Any, rest: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """`items` of draft 2020-12: the items after `prefixItems`."""
    if not isinstance(instance, list):
        return
    for index in range(len(schema.get("prefixItems", ())), len(instance)):
        if rest is False:
            yield MemberError((index,), instance=instance[index])
        else:
            yield from _descend(validator, instance[index], rest, index)


def _unevaluated_items(
    validator: Any, unevaluated: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if not isinstance(instance, list):
        return
    evaluated = evaluated_indexes(validator, instance, schema)
    for index, item in enumerate(instance):
        if index in evaluated:
            continue
        if unevaluated is False:
            yield MemberError((index,), instance=item)
        else:
            yield from _descend(validator, item, unevaluated, index)


def _unique_items(_: Any, unique: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    if not unique or not isinstance(instance, list):
        return
    seen: dict[Any, int] = {}
    for index, item in enumerate(instance):
        first = seen.setdefault(frozen(item), index)
        if first != index:
            error = MemberError((index,), instance=item)
            error.first = first
            yield error


def _pattern(_: Any, pattern: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not matches(pattern, instance):
        yield MemberError()


def _format(_: Any, name: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not has_format(name, instance):
        yield MemberError()


def _multiple_of(_: Any, divisor: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    number = isinstance(instance, int | float) and not isinstance(instance, bool)
    if number and _exact(instance) % _exact(divisor):
        yield MemberError()


def _exact(number: float) -> Fraction:
    """A number as it is written: 0.1 is a tenth, which no float is."""
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def frozen(value: Any) -> Any:
    """A hashable stand-in that is equal exactly when two JSON values are: 1 is 1.0, not true."""
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, list):
        return tuple(frozen(item) for item in value)
    if isinstance(value, dict):
        return frozenset((name, frozen(member)) for name, member in value.items())
    return value


MEMBER_KEYWORDS: dict[str, Keyword] = {
    "additionalProperties": _additional_properties,
    "dependentRequired": _dependent_required,
    "format": _format,
    "multipleOf": _multiple_of,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "prefixItems": _prefix_items,
    "properties": _properties,
    "propertyNames": _property_names,
    "required": _required,
    "type": _type,
    "unevaluatedItems": _unevaluated_items,
    "unevaluatedProperties": _unevaluated_properties,
    "uniqueItems": _unique_items,
}
