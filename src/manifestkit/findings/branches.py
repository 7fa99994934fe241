"""Which of several schemas a value was probably meant for, and the values that schemas list."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

from manifestkit.model.pointer import Path
from manifestkit.schema.drafts import BRANCHES, TYPES, frozen
from manifestkit.schema.fields import ANNOTATION
from manifestkit.schema.validation_error import MOST_BRANCHES, Branch, Requirement, ValidationError

_DESCRIBING = frozenset({"title", "description", "$comment", "examples", ANNOTATION})
_LISTING = frozenset({"const", "enum"})
_BY_REFERENCE: list[Any] = []
"""Stand-in for the values of a branch that is a reference; compared by identity."""


def best_branch(error: ValidationError) -> Branch | None:
    """Return the branch of `anyOf` or `oneOf` that a value was probably meant for.

    It is one whose constants, listed values and type the value has; of these, the one with the
    fewest errors, and then the one whose first error is deepest.
    """
    failed = [each for each in error.branches.failed if each.errors]
    return min(failed, key=partial(_distance_from, error.path), default=None)


def _distance_from(path: Path, branch: Branch) -> tuple[int, int, int]:
    misses = [
        each
        for each in branch.errors
        if (each.keyword in _LISTING and len(each.path) <= len(path) + 1)
        or (each.keyword == "type" and each.path == path)
    ]
    return len(misses), len(branch.errors), -len(branch.errors[0].path)


def cause(error: ValidationError) -> ValidationError:
    """Return the error to look at: of `anyOf` and `oneOf`, the first one of the best branch."""
    while error.keyword in BRANCHES and not has_own_sentence(error):
        if (found := discriminator(error)) is not None:
            return found
        best = best_branch(error)
        if best is None:
            break
        error = best.errors[0]
    return error


def has_own_sentence(error: ValidationError) -> bool:
    """Return whether one sentence tells what all branches want."""
    tellers = (allowed_values, alternative_types, alternative_members)
    return any(each(error) is not None for each in tellers)


def alternative_types(error: ValidationError) -> list[str] | None:
    """Return the types that the branches allow, if the value has none of them."""
    types: list[str] = []
    for branch in error.branches.failed:
        first = branch.errors[0]
        if first.keyword != "type" or first.path != error.path:
            return None
        types += [first.expected] if isinstance(first.expected, str) else first.expected
    return list(dict.fromkeys(types)) or None


def alternative_members(error: ValidationError) -> list[list[str]] | None:
    """Return the members that each branch requires, if the object only lacks these."""
    needed: list[list[str]] = []
    for branch in error.branches.failed:
        if any(each.keyword != "required" or each.path != error.path for each in branch.errors):
            return None
        names = [str(each.member) for each in branch.errors]
        if names not in needed:
            needed.append(names)
    # To add all that one branch requires would also do where another requires less.
    return [each for each in needed if not any(set(less) < set(each) for less in needed)] or None


def values_of_member(error: ValidationError, name: str) -> list[Any] | None:
    """Return the values that the branches list for a member that each of them requires."""
    found: list[Any] = []
    for branch in error.branches.failed:
        schema = branch.errors[0].requirement.schemas[0]
        values = listed_values(schema.get("properties", {}).get(name))
        if values is None:
            return None
        found += values
    return found if len(error.branches.failed) == len(error.expected) else None


def discriminator(error: ValidationError) -> ValidationError | None:
    """Return the error of a member whose value no branch lists, with the values that they list."""
    failed = error.branches.failed
    if error.keyword not in BRANCHES or not 1 < len(failed) == len(error.expected):
        return None
    by_path = [
        {each.path: each for each in branch.errors if _is_of_listed_member(error, each)}
        for branch in failed
    ]
    for path, first in by_path[0].items():
        if all(path in each for each in by_path):
            values = [value for each in by_path for value in _listed_by(each[path])]
            listed = list({frozen(value): value for value in values}.values())
            return first._replace(keyword="enum", expected=listed)
    return None


def _is_of_listed_member(error: ValidationError, each: ValidationError) -> bool:
    return each.keyword in _LISTING and each.path[:-1] == error.path != each.path


def _listed_by(error: ValidationError) -> list[Any]:
    return [error.expected] if error.keyword == "const" else list(error.expected)


def alternatives(error: ValidationError) -> list[str] | None:
    """Return the members of which each branch requires another one, if it says no more."""
    names: list[str] = []
    for schema in error.expected:
        match required_groups(schema):
            case [[name]]:
                names.append(name)
            case _:
                return None
    return names if len(set(names)) == len(names) else None


def required_groups(schema: Any) -> list[list[str]] | None:
    """Return the members that a schema or each of its branches requires, if it says no more."""
    if not isinstance(schema, dict):
        return None
    said = {name: each for name, each in schema.items() if name not in _DESCRIBING}
    if said.get("type") == "object":
        del said["type"]
    match list(said.items()):
        case [("required", list(names))] if names:
            return [names]
        case [("anyOf", list(branches))]:
            found = list(map(required_groups, branches))
            return [names for groups in found for names in groups or ()] if all(found) else None
    return None


def allowed_values(error: ValidationError) -> list[Any] | None:
    """Return the values that a keyword lists; None if it says something else."""
    if error.keyword == "enum":
        return list(error.expected)
    if error.keyword not in BRANCHES:
        return None
    found: list[Any] = []
    for index, listed in enumerate(_listed_by_each(error.requirement)):
        values = _referred_values(error, index) if listed is _BY_REFERENCE else listed
        if values is None:
            return None
        found += values
    value = error.instance
    if value in found and frozen(value) in map(frozen, found):  # by several branches of `oneOf`
        return None
    return found


@lru_cache(maxsize=512)
def _listed_by_each(requirement: Requirement) -> list[list[Any] | None]:
    """Return the values that each branch lists, until one lists none."""
    found: list[list[Any] | None] = []
    for schema in requirement.schemas[0][requirement.keyword]:
        is_reference = isinstance(schema, dict) and schema.keys() - _DESCRIBING == {"$ref"}
        found.append(_BY_REFERENCE if is_reference else listed_values(schema))
        if found[-1] is None:
            break
    return found


def _referred_values(error: ValidationError, index: int) -> list[Any] | None:
    """Return the values that the schema lists to which a branch refers."""
    failed = error.branches.failed
    if not len(failed) == len(error.expected) <= MOST_BRANCHES:
        return None
    return listed_values(failed[index].errors[0].requirement.schemas[0])


def listed_values(schema: Any) -> list[Any] | None:
    """Return the values that a schema lists; None if it says something else."""
    if not isinstance(schema, dict):
        return None
    said = {name: each for name, each in schema.items() if name not in _DESCRIBING}
    types = said.pop("type", None)
    match list(said.items()):
        case [("const", value)]:
            values = [value]
        case [("enum", list(values))]:
            pass
        case []:
            return [None] if types == "null" else None
        case _:
            return None
    return values if types is None else [each for each in values if _has_type(each, types)] or None


def _has_type(value: Any, types: str | Sequence[str]) -> bool:
    names = [types] if isinstance(types, str) else types
    if isinstance(value, bool):
        return "boolean" in names
    if isinstance(value, float) and value.is_integer() and "integer" in names:
        return True
    return any(isinstance(value, TYPES[name]) for name in names)


def condition(schemas: Sequence[Any]) -> tuple[Path, list[Any] | None] | None:
    """Return the condition under which the innermost of some schemas applies.

    Args:
        schemas: the schemas on the evaluation path, innermost first.

    Returns:
        A member, and the values that it has, if it is there; None for these where it is enough that
        the member is there. None where no condition leads there, or none that is so simple.
    """
    for inner, outer in pairwise(schemas):
        if inner is outer.get("then"):
            return _simple_condition(outer.get("if"), ())
        for keyword in ("dependentSchemas", "dependencies"):
            for name, schema in outer.get(keyword, {}).items():
                if inner is schema:
                    return (name,), None
    return None


def _simple_condition(schema: Any, path: Path) -> tuple[Path, list[Any] | None] | None:
    if not isinstance(schema, dict):
        return None
    values = listed_values(schema)
    if values is not None:
        return (path, values) if path else None
    said = {name: each for name, each in schema.items() if name not in _DESCRIBING}
    members, required = said.pop("properties", {}), said.pop("required", [])
    if said.keys() - {"type"} or len({*members, *required}) > 1:
        return None
    for name, below in members.items():
        return _simple_condition(below, (*path, name))
    return ((*path, required[0]), None) if required else None
