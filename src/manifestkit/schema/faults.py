"""What breaks a schema, keyword by keyword, and the way through the schema that led there.

`jsonschema` is the authority on what is valid. Its errors, though, name neither the missing
member nor the one too many, point `uniqueItems` at the array and `propertyNames` at the object,
and forget what stands beside a ``$ref``. So its keywords are extended here: each error carries
its *way*, the schemas that enclose it, and the keywords that speak of members say which.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend
from jsonschema_specifications import REGISTRY as METASCHEMAS  # type: ignore[import-untyped]
from referencing import Registry
from referencing.exceptions import Unresolvable

from manifestkit.errors import SchemaError
from manifestkit.limits import DEFAULT_LIMITS
from manifestkit.schema.budget import Budget, OverBudgetError
from manifestkit.schema.evaluated import BUDGET
from manifestkit.schema.fault import Fault, TooDeepError
from manifestkit.schema.keywords import MEMBER_KEYWORDS, PARTS, Keyword, items
from manifestkit.schema.parts import Parts


def validator_of(
    contents: Any, dialect: Any, registry: Registry[Any] | None, parts: Parts | None
) -> Any:
    """A jsonschema validator whose errors can be told as faults.

    Args:
        contents: the schema, or a reference to it.
        dialect: the jsonschema validator class of its draft; None for 2020-12.
        registry: every resource its references lead to; None when they lead to itself only.
        parts: what knows the schema's parts, to pass over what is valid by them; None to look at
            everything.
    """
    return _traced(dialect or Draft202012Validator, parts)(
        contents, registry=METASCHEMAS if registry is None else registry
    )


def find_faults(validator: Any, value: Any, name: str) -> Iterator[Fault]:
    """Every fault of a value by a validator that `validator_of` made.

    Raises:
        SchemaError: the schema of that name, or one it refers to, leads nowhere, never ends, or
            takes too many steps.
        TooDeepError: the value is deeper than any within the default limits.
    """
    budget: Budget = getattr(validator, BUDGET)
    budget.begin(value)
    try:
        for error in validator.iter_errors(value):
            yield _fault(error)
    except OverBudgetError:
        raise SchemaError(
            f"{name}: judging this manifest takes more than {budget.allowed:,} steps; let fewer "
            "`$ref`, `allOf`, `anyOf` and `oneOf` lead to one schema"
        ) from None
    except RecursionError:
        if _is_deep(value):
            raise TooDeepError from None
        raise SchemaError(
            f"{name}: judging by this schema never ends; look for a `$ref` to itself"
        ) from None
    except Unresolvable as error:
        raise SchemaError(f"{name}: `{error.ref}` leads nowhere") from None
    except Exception as error:
        # A stranger's schema can say what the engine does not expect, at any place.
        raise SchemaError(f"{name}: this schema cannot be judged by: {error}") from error


def _is_deep(value: Any) -> bool:
    """Whether a value is deeper than the default limits allow, so that the schema may be right."""
    level = [value]
    for _ in range(DEFAULT_LIMITS.depth + 1):
        level = [
            child
            for each in level
            if isinstance(each, dict | list)
            for child in (each.values() if isinstance(each, dict) else each)
        ]
    return bool(level)


def _traced(dialect: Any, parts: Parts | None) -> type[Any]:
    """A jsonschema validator class whose errors can be told as faults."""
    keywords: dict[str, Keyword] = {**dialect.VALIDATORS}
    keywords.update({name: own for name, own in MEMBER_KEYWORDS.items() if name in keywords})
    if "prefixItems" in keywords:
        keywords["items"] = items
    budget = Budget()
    traces = {name: _leave_trace(check, budget) for name, check in keywords.items()}
    validator: type[Any] = extend(dialect, traces)  # type: ignore[no-untyped-call]
    setattr(validator, PARTS, parts)
    setattr(validator, BUDGET, budget)
    return validator


def _leave_trace(check: Keyword, budget: Budget) -> Keyword:
    def traced_check(
        validator: Any, expected: Any, instance: Any, schema: Any
    ) -> Iterator[ValidationError]:
        budget.spend(expected)
        for error in check(validator, expected, instance, schema) or ():
            budget.spend(None)
            vars(error).setdefault("way", []).append(schema)
            yield error

    return traced_check


def _fault(error: ValidationError) -> Fault:
    path = tuple(error.absolute_path)
    first = getattr(error, "first", None)
    return Fault(
        path=path,
        keyword=str(error.validator or "false"),
        expected=error.validator_value,
        instance=error.instance,
        member=getattr(error, "member", None),
        first=None if first is None else (*path[:-1], first),
        way=tuple(vars(error).get("way", ())),
        branches=tuple(_fault(each) for each in error.context or ()),
    )
