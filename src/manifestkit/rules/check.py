"""Every requirement that a manifest breaks: what its schemas find, and what our rules do."""

import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import accumulate, compress, islice
from operator import attrgetter
from typing import Any, NamedTuple

from manifestkit.findings.words import counted
from manifestkit.model.finding import Description, Severity
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.model import Schema
from manifestkit.schema.validation_error import NotJudgedError, TooDeepError, ValidationError

LIMIT_EXCEEDED = "limit-exceeded"

_LONGEST_POINTER = 1_000
_MARKS_DEPRECATED = attrgetter("marks_deprecated")
_IGNORES = "(?i)ignore|disable"
_IN_ANY = frozenset({"$schema"})


class Required(NamedTuple):
    """A schema that a manifest is held to."""

    schema: Schema
    profile: str | None = None  # its name, if it is a profile
    is_ours: bool = False  # whether it is of the package, whose rules are chosen before
    is_locked: bool = False  # whether what it requires can be neither lowered nor suppressed


def check(
    manifest: Manifest, required: list[Required], rules: Sequence[Rule], most: int
) -> Iterator[Violation]:
    """Find every violation in a manifest that can be read.

    What a profile requires by a reference to the manifest's own schema is found as that schema's;
    once more as the profile's, only if it is of another rule or severity there.

    Args:
        manifest: the manifest.
        required: what it is held to.
        rules: the rules that look at it in their own way.
        most: how many violations of a schema to find; where there are more, `limit-exceeded` says
            so, whatever becomes of those that were found.
    """
    own: dict[tuple[object, ...], set[tuple[object, ...]]] = {}
    for each in required:
        for violation in _violations_of(each, manifest, most):
            error = violation.about
            if isinstance(error, ValidationError):
                place = error.path, error.keyword, error.member
                kind = violation.rule, violation.severity, violation.is_off, violation.is_locked
                if each.profile is None:
                    own.setdefault(place, set()).add(kind)
                elif place in own and error.requirement.passes(manifest.schema.contents):
                    if kind not in own[place]:
                        yield violation._replace(repeats_own=True)
                    continue
            yield violation
    traits = _traits(manifest) if rules else ()
    for rule in rules:
        if rule.trait in traits:
            yield from implementation(rule.id).check(rule, manifest)


def implementation(rule_id: str) -> Any:
    """Return the module of a rule in Python, which has its name."""
    name = rule_id.replace("-", "_")
    return import_module(f"manifestkit.rules.checks.{name}")  # only now: most runs need none


def _violations_of(required: Required, manifest: Manifest, most: int) -> list[Violation]:
    """Return what a manifest breaks of one schema; or that it cannot be checked against it."""
    schema, profile, is_ours, is_locked = required
    message = f"nested too deeply to be checked against {schema.name}"
    do = "reduce the nesting, or use the default limit on depth"
    errors: list[ValidationError] | None = None
    try:
        if not (manifest.is_too_deep and schema.is_unbounded):
            errors = list(islice(schema.validator.errors(manifest.value), most + 1))
    except TooDeepError:
        pass
    except NotJudgedError as problem:
        message, do = str(problem), "make the manifest smaller, or the schema simpler"
    if errors is None:
        return [Violation(LIMIT_EXCEEDED, Severity.ERROR, (), Description(message, do))]
    found: list[Violation] = []
    for error in errors:
        need = error.requirement
        violation = Violation(
            need.rule,
            need.severity,
            error.path,
            error,
            error.member if need.keyword == "required" else None,
            profile,
            is_off=need.is_off and not is_ours,
            is_locked=is_locked,
            is_ours=is_ours,
        )
        found.append(violation if len(found) < most else too_many(violation, most))
    return found


def too_many(beyond: Violation, most: int, what: str | None = None) -> Violation:
    """Return what stands for the first violation that is one too many, and all after it.

    Args:
        beyond: the violation.
        most: how many there may be.
        what: what is counted; None for findings.
    """
    about = Description(
        f"stopped after {f'{most:,} {what}' if what else counted(most, 'finding')}",
        "fix the first findings; the others may have the same cause",
    )
    sizes = accumulate(1 + len(str(token)) for token in beyond.path)
    told = sum(size <= _LONGEST_POINTER for size in sizes)  # what holds it, if it is too long
    return Violation(
        LIMIT_EXCEEDED,
        Severity.ERROR,
        beyond.path[:told],
        about,
        on_key=beyond.on_key,
        span=beyond.span,
        stands_for_others=True,
    )


# -- traits: what a quick look shows ---------------------------------------------------------------


def _traits(manifest: Manifest) -> frozenset[str]:
    """Return the traits of a manifest: a rule that needs another one finds nothing.

    - ``fractions``: a number with a fraction or an exponent
    - ``unseen``: a character that is not ASCII, or an escape, or a YAML document, where a value has
      line breaks without an escape
    - ``ambiguous``: a scalar that other readers of YAML read otherwise
    - ``ignores``: a text in YAML that has ``ignore`` or ``disable``
    - ``files``, ``folder``: known surroundings
    - ``deprecated``: a schema that marks something so
    - ``unknown``: a member that is not described
    - ``blank``: a required text with nothing in it
    - ``equal``: two items with one identifier
    """
    document = manifest.document
    found = {
        "fractions": document.has_fractions,
        "unseen": document.syntax == "yaml"
        or "\\" in document.text
        or "\x7f" in document.text
        or not document.text.isascii(),
        "ambiguous": bool(document.ambiguous),
        "ignores": document.syntax == "yaml" and re.search(_IGNORES, document.text) is not None,
        "files": manifest.surroundings.lack is not None,
        "folder": manifest.surroundings.folder is not None,
        "deprecated": any(map(_MARKS_DEPRECATED, (manifest.schema, *manifest.profiles))),
    }
    own = compress(found, found.values())
    return frozenset(_traits_of_objects(manifest.schema, manifest.value).union(own))


def _traits_of_objects(schema: Schema, value: Any) -> set[str]:
    """Return the traits of the objects in a value; the items of a list are looked at together."""
    found: set[str] = set()
    todo = [([value], schema.description)] if schema.description else []
    for alike, here in todo:
        names, is_open, required = here.names, here.is_open, here.field.required
        for each in alike:
            if isinstance(each, dict):
                if is_open and not names.issuperset(each) and each.keys() - names - _IN_ANY:
                    found.add("unknown")
                for name in required:
                    text = each.get(name)
                    if text.__class__ is str and not text.strip():
                        found.add("blank")
                for name, below in here.composed:
                    if name in each:
                        todo.append(([each[name]], below))
            elif isinstance(each, list) and not here.is_plain and (item := here.item):
                todo.append((each, item))
                found.update(_traits_of_items(each, item.field.identifier))
    return found


def _traits_of_items(items: list[Any], identifier: str | None) -> tuple[str, ...]:
    seen = set()
    for each in items if identifier else ():
        name = each.get(identifier) if each.__class__ is dict else None
        if name.__class__ is str:
            if name in seen:
                return ("equal",)
            seen.add(name)
    return ()
