"""What breaks a schema, as findings."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from manifestkit.model.finding import Finding, Fix, Severity
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.location import Location
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.model.printable import cut, printable
from manifestkit.rules.advice import Advice, advise, patch_fix, swap_advice
from manifestkit.rules.limit_exceeded import too_deep, too_many
from manifestkit.rules.messages import label, message_and_help, named
from manifestkit.rules.rule import Manifest
from manifestkit.rules.slips import swapped_with
from manifestkit.schema.fields import CLOSED
from manifestkit.schema.model import Schema
from manifestkit.schema.validation import TooDeepError, ValidationError

_RULES = {
    "required": "missing-field",
    "type": "wrong-type",
    **dict.fromkeys(CLOSED, "unknown-member"),
}
_OFF = "off"
_HOLE = re.compile(r"\{([A-Za-z_]\w*)(!s)?\}")
_LONGEST = 300
_ON_KEY = CLOSED | {"propertyNames", "required"}


def check_conformance(
    manifest: Manifest,
    schema: Schema,
    profile: str | None = None,
    most: int = DEFAULT_LIMITS.findings,
    *,
    turns_on: Callable[[str], bool],
) -> Iterator[Finding]:
    """Every validation error of a manifest against a schema.

    Args:
        manifest: the manifest, with the schema that describes its fields.
        schema: what it is held to; what it says by referring to the manifest's own schema is left
            to that one.
        profile: the name of the profile that `schema` is, if it is one.
        most: how many of them to tell; one more is told by `limit-exceeded`.
        turns_on: whether a rule that a host turned off is turned on, by its id.
    """
    if manifest.is_too_deep and schema.goes_deep:
        yield too_deep(manifest, schema.name)
        return
    try:
        errors = manifest.errors(schema, most + 1)
    except TooDeepError:
        yield too_deep(manifest, schema.name)
        return
    is_rule = schema is not manifest.schema and profile is None
    mistyped = {error.path for error in errors if error.keyword == "type"}
    for error, other in _swaps_once(manifest, errors):
        if schema is not manifest.schema and error.passes(manifest.schema.contents):
            continue
        annotations = error.annotations()
        if (
            not is_rule
            and is_off(annotations)
            and not turns_on(rule_of(error.keyword, annotations))
        ):
            continue
        # Of a value of the wrong type nothing else needs saying.
        if error.keyword == "type" or error.path not in mistyped or error.member is not None:
            advice = None if other is None else swap_advice(manifest, error.path, other)
            yield _Reported(manifest, error, annotations, profile).finding(advice)
    if len(errors) > most:
        last = errors[-1]
        yield too_many(_Reported(manifest, last, last.annotations(), profile).finding(), most)


def rule_of(keyword: str, annotations: Mapping[str, Any]) -> str:
    """The rule of a broken keyword, by the annotations on the way to it."""
    return annotations.get("rule") or _RULES.get(keyword, f"schema-{keyword}")


def severity_of(annotations: Mapping[str, Any]) -> Severity:
    """The severity of a broken keyword; a warning where its rule is off by default."""
    severity = annotations.get("severity") or "error"
    return Severity.WARNING if severity == _OFF else Severity(severity)


def is_off(annotations: Mapping[str, Any]) -> bool:
    """Whether a host's requirement is turned off."""
    return annotations.get("severity") == _OFF


def _swaps_once(
    manifest: Manifest, errors: Collection[ValidationError]
) -> Iterator[tuple[ValidationError, Path | None]]:
    """The errors; those of two lists that hold each other's values as one, with the other list.

    It is told of the first list in the schema, whatever the order of the members.
    """
    first: dict[Path, ValidationError] = {}
    for error in errors:
        if error.keyword == "enum":
            first.setdefault(error.path[:-1], error)
    swapped = {place: other for place in first if (other := swapped_with(manifest, place))}
    lists = [where[:-1] for where, _ in manifest.schema.lists]
    told: set[Path] = set()
    for place in sorted(swapped, key=lambda place: lists.index(manifest.as_meant(place))):
        if place not in told:
            told |= {place, swapped[place]}
            yield first[place]._replace(path=place), swapped[place]
    for error in errors:
        if error.path[:-1] not in told:
            yield error, None


class _Reported(NamedTuple):
    """Tells of one error."""

    manifest: Manifest
    error: ValidationError
    annotations: Mapping[str, Any]
    profile: str | None

    def finding(self, advice: Advice | None = None) -> Finding:
        error, document = self.error, self.manifest.document
        has_texts = "message" in self.annotations and "help" in self.annotations
        message, help_text = ("", None) if has_texts else message_and_help(error)
        advice = advice or advise(self.manifest, error, help_text)
        own_fix = self._own_fix()
        return Finding(
            path=document.name,
            rule=rule_of(error.keyword, self.annotations),
            severity=severity_of(self.annotations),
            message=self._filled("message") or advice.message or message,
            pointer=format_pointer(error.path),
            location=advice.location or self._location(),
            property=error.member if error.keyword == "required" else None,
            related=advice.related,
            fixes=own_fix or advice.fixes,
            suggestion=advice.suggestion,
            help=self._filled("help") or next((fix.message for fix in own_fix), advice.help),
            clause=self.annotations.get("clause"),
            profile=self.profile,
            url=self.annotations.get("url"),
        )

    def _location(self) -> Location:
        error, document = self.error, self.manifest.document
        on_key = error.keyword in _ON_KEY
        return document.locate_key(error.path) if on_key else document.locate(error.path)

    def _filled(self, name: str) -> str | None:
        """A text of a schema, with the value and the path that it speaks of."""
        template = self.annotations.get(name)
        if template is None:
            return None
        text = " ".join(str(template).split())
        return printable(_HOLE.sub(self._in_hole, text))

    def _in_hole(self, hole: re.Match[str]) -> str:
        """What `{value}`, `{path}` and, of an object, `{member}` and `{member!s}` stand for."""
        instance, name = self.error.instance, hole[1]
        if hole[0] == "{path}":
            return label(self.error.path)
        if hole[0] == "{value}":
            return named(instance)
        if not isinstance(instance, dict) or name not in instance:
            return hole[0]
        return cut(str(instance[name]), _LONGEST) if hole[2] else named(instance[name])

    def _own_fix(self) -> tuple[Fix, ...]:
        patch = self.annotations.get("fix")
        fix = patch_fix(self.manifest, self.error.path, patch) if patch else None
        return (fix,) if fix else ()
