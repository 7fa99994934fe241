"""What breaks a schema, as findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from manifestkit.document import Document
from manifestkit.finding import Finding, Related, Severity
from manifestkit.location import Location
from manifestkit.pointer import format_pointer
from manifestkit.rules.wording import excerpt, label, meaning, quoted, words
from manifestkit.schema import CLOSED, Fault, Schema

_RULES = {
    "required": "missing-field",
    "type": "wrong-type",
    **dict.fromkeys(CLOSED, "unknown-member"),
}
_ON_KEY = CLOSED | {"propertyNames"}


def check_conformance(
    document: Document, schema: Schema, profile: str | None = None
) -> Iterator[Finding]:
    """Every way in which a manifest breaks a schema.

    Args:
        document: the manifest.
        schema: what it is held to.
        profile: the name of the profile that the schema is, if it is one.
    """
    faults = list(schema.faults(document.value))
    mistyped = {fault.path for fault in faults if fault.keyword == "type"}
    for fault in faults:
        # Of a value of the wrong type nothing else needs saying.
        if fault.keyword == "type" or fault.path not in mistyped or fault.member is not None:
            yield _Telling(document, schema, fault).finding(profile)


@dataclass(frozen=True, slots=True)
class _Telling:
    document: Document
    schema: Schema
    fault: Fault

    def finding(self, profile: str | None) -> Finding:
        fault = self.fault
        message, help_text = words(fault)
        return Finding(
            path=self.document.name,
            rule=fault.annotation("rule") or _RULES.get(fault.keyword, f"schema-{fault.keyword}"),
            severity=Severity(fault.annotation("severity") or "error"),
            message=self._filled(fault.annotation("message")) or message,
            pointer=format_pointer(fault.path),
            location=self._location(),
            property=fault.member if fault.keyword == "required" else None,
            related=self._related(),
            help=self._filled(fault.annotation("help")) or self._help(help_text),
            clause=fault.annotation("clause"),
            profile=profile,
            url=fault.annotation("url"),
        )

    def _location(self) -> Location:
        fault, document = self.fault, self.document
        if fault.keyword == "required" or fault.keyword in _ON_KEY:
            return document.locate_key(fault.path)
        return document.locate(fault.path)

    def _related(self) -> tuple[Related, ...]:
        first = self.fault.first
        if first is None:
            return ()
        return (Related("first given here", format_pointer(first), self.document.locate(first)),)

    def _filled(self, template: Any) -> str | None:
        """A message of a schema, with the value and the path it speaks of."""
        if template is None:
            return None
        text = str(template).replace("{path}", label(self.fault.path))
        return text.replace("{value}", quoted(self.fault.instance))

    def _help(self, help_text: str | None) -> str | None:
        fault = self.fault
        if fault.keyword == "required":
            purpose = meaning(self.schema.field((*fault.path, str(fault.member))))
            return f"{help_text}: {purpose}" if purpose else help_text
        if fault.keyword == "type":
            return self._right_type()
        if fault.keyword in CLOSED:
            field = self.schema.field(fault.path[:-1])
            known = [f"`{name}`" for name in field.members] if field else []
            return f"{help_text}; the members are {', '.join(known)}" if known else help_text
        return help_text

    def _right_type(self) -> str | None:
        field = self.schema.field(self.fault.path)
        purpose = meaning(field)
        if field is None or not field.examples:
            return purpose
        example = f"write, for example, {excerpt(field.examples[0])}"
        return f"{example}: {purpose}" if purpose else example
