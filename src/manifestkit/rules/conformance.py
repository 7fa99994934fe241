"""What breaks a schema, as findings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from manifestkit.finding import Finding, Fix, Related, Severity
from manifestkit.location import Location
from manifestkit.pointer import Path, format_pointer
from manifestkit.printable import printable
from manifestkit.rules.fixes import patch_fix, rename_fix, replace_fix
from manifestkit.rules.nearness import counterparts, nearest
from manifestkit.rules.rule import Manifest
from manifestkit.rules.wording import (
    excerpt,
    fits,
    label,
    listed,
    meaning,
    named,
    with_article,
    words,
)
from manifestkit.schema.fault import CLOSED, Fault
from manifestkit.schema.fields import Field
from manifestkit.schema.model import Schema

_RULES = {
    "required": "missing-field",
    "type": "wrong-type",
    **dict.fromkeys(CLOSED, "unknown-member"),
}
_OFF = "off"
_HOLE = re.compile(r"\{(?:path|value)\}")
_INTEGER = re.compile(r"-?[0-9]{1,15}")
_ON_KEY = CLOSED | {"propertyNames", "required"}


def check_conformance(
    manifest: Manifest, schema: Schema, profile: str | None = None
) -> Iterator[Finding]:
    """Every way in which a manifest breaks a schema.

    Args:
        manifest: the manifest, with the schema that describes its fields.
        schema: what it is held to; what it says by referring to the manifest's own schema is left
            to that one.
        profile: the name of the profile that `schema` is, if it is one.
    """
    faults = list(schema.faults(manifest.document.value))
    # A rule of ours that is off by default runs when it is selected; a host's demand is just off.
    is_rule = schema is not manifest.schema and profile is None
    mistyped = {fault.path for fault in faults if fault.keyword == "type"}
    for fault in faults:
        if schema is not manifest.schema and fault.passes(manifest.schema.contents):
            continue
        if not is_rule and fault.annotation("severity") == _OFF:
            continue
        # Of a value of the wrong type nothing else needs saying.
        if fault.keyword == "type" or fault.path not in mistyped or fault.member is not None:
            yield _Telling(manifest, fault, profile).finding()


@dataclass(frozen=True, slots=True)
class _Advice:
    """What one can do about a fault."""

    message: str | None = None
    help: str | None = None
    suggestion: str | None = None
    fixes: tuple[Fix, ...] = ()
    related: tuple[Related, ...] = ()


@dataclass(frozen=True, slots=True)
class _Telling:
    """Tells of one fault."""

    manifest: Manifest
    fault: Fault
    profile: str | None

    def finding(self) -> Finding:
        fault, document = self.fault, self.manifest.document
        message, help_text = words(fault)
        advice = self._advice(help_text)
        return Finding(
            path=document.name,
            rule=fault.annotation("rule") or _RULES.get(fault.keyword, f"schema-{fault.keyword}"),
            severity=self._severity(),
            message=self._filled("message") or advice.message or message,
            pointer=format_pointer(fault.path),
            location=self._location(),
            property=fault.member if fault.keyword == "required" else None,
            related=advice.related,
            fixes=self._own_fix() or advice.fixes,
            suggestion=advice.suggestion,
            help=self._filled("help") or advice.help,
            clause=fault.annotation("clause"),
            profile=self.profile,
            url=fault.annotation("url"),
        )

    def _severity(self) -> Severity:
        weight = self.fault.annotation("severity") or "error"
        return Severity.WARNING if weight == _OFF else Severity(weight)

    def _location(self) -> Location:
        fault, document = self.fault, self.manifest.document
        on_key = fault.keyword in _ON_KEY
        return document.locate_key(fault.path) if on_key else document.locate(fault.path)

    def _filled(self, name: str) -> str | None:
        """A text of a schema, with the value and the path that it speaks of."""
        template = self.fault.annotation(name)
        if template is None:
            return None
        values = {"{path}": label(self.fault.path), "{value}": named(self.fault.instance)}
        text = " ".join(str(template).split())
        return printable(_HOLE.sub(lambda hole: values[hole[0]], text))

    def _own_fix(self) -> tuple[Fix, ...]:
        patch = self.fault.annotation("fix")
        fix = patch_fix(self.manifest.document, self.fault.path, patch) if patch else None
        return (fix,) if fix else ()

    # -- advice by keyword -------------------------------------------------------------------

    def _advice(self, help_text: str | None) -> _Advice:
        fault = self.fault
        if fault.keyword == "required":
            return self._for_missing(str(fault.member))
        if fault.keyword == "type":
            return self._for_type(help_text)
        if fault.keyword == "enum":
            return self._for_value(help_text)
        if fault.keyword in CLOSED:
            return self._for_unknown(help_text)
        if fault.first is not None:
            place = self.manifest.document.locate(fault.first)
            first = Related("first listed here", format_pointer(fault.first), place)
            return _Advice(help=help_text, related=(first,))
        return _Advice(help=help_text)

    def _field(self, path: Path) -> Field | None:
        return self.manifest.schema.field(path)

    def _for_missing(self, name: str) -> _Advice:
        path, document = self.fault.path, self.manifest.document
        purpose = meaning(self._field((*path, name)))
        add = f"add {named(name)}: {purpose}" if purpose else f"add {named(name)}"
        pairs = self.manifest.renames(path, self.fault.instance)
        written = next((written for written, meant in pairs.items() if meant == name), None)
        if written is None:
            return _Advice(help=add)
        at = (*path, written)
        place = Related(f"is {named(name)} meant?", format_pointer(at), document.locate_key(at))
        return _Advice(
            help=f"write {named(name)} for {named(written)}, if that is meant",
            suggestion=name,
            fixes=(rename_fix(document, at, name),),
            related=(place,),
        )

    def _for_unknown(self, help_text: str | None) -> _Advice:
        path, document = self.fault.path, self.manifest.document
        field = self._field(path[:-1])
        if field is None or not field.members:
            return _Advice(help=help_text)
        siblings = document.node(path[:-1]).members or {}
        meant = self.manifest.renames(path[:-1], siblings).get(str(self.fault.member))
        if meant is not None:
            return _Advice(
                help=f"did you mean {named(meant)}?",
                suggestion=meant,
                fixes=(rename_fix(document, path, meant),),
            )
        known = listed([named(name) for name in field.members], "and")
        verb = "is" if len(field.members) == 1 else "are"
        return _Advice(help=f"{help_text}; only {known} {verb} allowed")

    def _for_type(self, help_text: str | None) -> _Advice:
        path, document = self.fault.path, self.manifest.document
        field = self._field(path)
        purpose = meaning(field)
        meant = self._retyped()
        if meant is not None and self._is_allowed(meant, field):
            fix = replace_fix(document, path, meant)
            said = self._as_written() if isinstance(meant, str) else None
            return _Advice(said, f"write {excerpt(meant)}", str(meant), (fix,))
        example = next((each for each in field.examples if fits(each)), None) if field else None
        do = help_text if example is None else f"write, for example, {excerpt(example)}"
        return _Advice(help=f"{do}: {purpose}" if purpose else do)

    def _written(self) -> str:
        return self.manifest.document.source(self.fault.path)

    def _as_written(self) -> str | None:
        """The message for a number that is not spelt as it is read (`1.10`); else None."""
        written = self._written()
        if written == json.dumps(self.fault.instance):
            return None
        return f"{words(self.fault)[0]}, written {named(written)}"

    def _retyped(self) -> Any:
        """The same text as a value of the right type, where that is plain; else None."""
        fault, written = self.fault, self._written()
        is_number = isinstance(fault.instance, int | float) and not isinstance(fault.instance, bool)
        if fault.expected == "string" and is_number:
            return written
        if fault.expected == "integer" and isinstance(fault.instance, str):
            return int(fault.instance) if _INTEGER.fullmatch(fault.instance) else None
        return None

    @staticmethod
    def _is_allowed(value: Any, field: Field | None) -> bool:
        """Whether a value is in the list of allowed ones, where there is one."""
        return field is None or not field.values or value in [each for each, _ in field.values]

    def _for_value(self, help_text: str | None) -> _Advice:
        value = self.fault.instance
        if not isinstance(value, str):
            return _Advice(help=help_text)
        allowed = tuple(each for each in self.fault.expected if isinstance(each, str))
        other = self._list_of(value)
        answers = counterparts(value, allowed) if other else _one(nearest(value, allowed))
        message = self._not_of_list(value, other, answers)
        if not answers:
            return _Advice(message, help_text)
        meant = f"did you mean {listed([named(answer) for answer in answers])}?"
        if len(answers) > 1:
            return _Advice(message, meant)
        fix = replace_fix(self.manifest.document, self.fault.path, answers[0])
        return _Advice(message, meant, answers[0], (fix,))

    def _not_of_list(self, value: str, other: str | None, answers: tuple[str, ...]) -> str | None:
        """What is wrong with a value by the title of its list; None where that has none."""
        title = self.fault.way[0].get("title")
        if not isinstance(title, str):
            return None
        own = title.lower()
        if other is None:
            return f"{named(value)} is not {with_article(own)}"
        if len(answers) == 1:
            return f"{named(value)} is {with_article(other)}; the {own} is {named(answers[0])}"
        return f"{named(value)} is {with_article(other)}, not {with_article(own)}"

    def _list_of(self, value: str) -> str | None:
        """The title of another list that has a value."""
        for _, field in self.manifest.schema.lists:
            values = [each for each, _ in field.values]
            if value in values and values != self.fault.expected and field.title:
                return field.title.lower()
        return None


def _one(answer: str | None) -> tuple[str, ...]:
    return () if answer is None else (answer,)
