"""A manifest as a person sees it who has to decide about it.

What there is to see follows from the schema: the object with an identifier is what the manifest
describes, lists of such objects are cards, lists of allowed values are explained, with the
sentences that people agree to where the schema has them, and all else is a detail.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from manifestkit.findings.words import counted, listed, named
from manifestkit.model.document import Document
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.model.printable import truncate
from manifestkit.model.report import FileResult, Report
from manifestkit.rendering import FORMATS
from manifestkit.rendering.escape import Style, folded
from manifestkit.schema.loading.needs import needs_of
from manifestkit.schema.model import Field, Schema
from manifestkit.schema.packaged import packaged_formats, packaged_schema

_MOST_SHOWN = 500
_LONGEST = 300
_MARGIN = "  "
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_BLANK = Field()
_Users = dict[tuple[Path, str], list[tuple[str, Path, str]]]
"""By a list and a value of it: the items that need it, each with its list and who says so."""


class Fact(NamedTuple):
    """A value of a manifest as the manifest has it, with the schema's title of it."""

    title: str
    value: str
    kind: str = ""  # of what names a file: `path`, `URL` or `data`


class Card(NamedTuple):
    """An object that people know by a name."""

    title: str  # the name or the identifier, whichever is not blank first
    subtitle: str  # the identifier; empty where it says no more
    facts: tuple[Fact, ...] = ()  # its other members


class ListedValue(NamedTuple):
    """A value of a list."""

    value: str
    meaning: str = "Not described by the schema."  # what people agree to, or what it means
    purpose: str = ""  # what a profile says that it is for
    warning: str = ""  # that nothing in the manifest needs it, if a profile says so


class ValueList(NamedTuple):
    """A list of a manifest: cards of its objects, or its values."""

    title: str
    size: int
    cards: tuple[Card, ...] = ()
    entries: tuple[ListedValue, ...] = ()
    is_consent: bool = False  # the values are what people agree to
    reading: str = ""  # where their meanings come from, if the format has none

    @property
    def heading(self) -> str:
        """The title for people."""
        heading = "What people agree to" if self.is_consent else self.title
        return heading if self.size <= _MOST_SHOWN else f"{heading}: {_MOST_SHOWN} of {self.size:,}"


class Preview(NamedTuple):
    """Preview of a manifest."""

    subject: Card  # what it describes
    groups: tuple[ValueList, ...]  # those first that people agree to
    details: Card  # the other members
    result: FileResult
    old_name: str | None = None  # the manifest that it is compared with
    compared: FileResult | None = None
    consents: ValueList = ValueList("Consents", 0)  # what people have not agreed to yet
    new_id: str = ""  # the title of the identifier, if that changed
    own_schema: str = ""  # the schema that it is shown by, if that is not the built-in one

    @classmethod
    def of(
        cls, document: Document, schema: Schema, profiles: Sequence[Schema], result: FileResult
    ) -> Preview:
        """Return the preview of a manifest; tables of profiles tell what permissions are for."""
        value = document.value if isinstance(document.value, dict) else {}
        users = _users((schema, *profiles))
        subject = Card(result.path, "")
        groups: list[ValueList] = []
        details: list[Fact] = []
        for name in _ordered(value, schema.field(()) or _BLANK):
            path, each = (name,), value[name]
            field, item = schema.field(path), schema.field((name, 0))
            title = field.title if field and field.title else name
            if isinstance(each, dict) and schema.identifier and schema.identifier[:-1] == path:
                subject = _card(each, path, schema, unnamed=result.path)
            elif isinstance(each, list) and item and item.identifier:
                cards = (_card(one, (name, 0), schema) for one in each[:_MOST_SHOWN])
                groups.append(ValueList(title, len(each), cards=tuple(cards)))
            elif isinstance(each, list) and item and (item.values or item.consents):
                entries = (
                    _listed_value(one, (name, 0), item, users, value) for one in each[:_MOST_SHOWN]
                )
                is_consent = bool(item.consents)
                groups.append(
                    ValueList(title, len(each), (), tuple(entries), is_consent, item.reading)
                )
            elif isinstance(each, dict) and field and field.members:
                details += _facts(each, path, schema)
            else:
                details.append(_fact(name, each, field))
        groups.sort(key=lambda group: not group.is_consent)
        built_in = [packaged_schema(row.schema) for row in packaged_formats().rows]
        own_schema = "" if schema in built_in else schema.name
        shown = Card("Details", "", tuple(details))
        return cls(subject, tuple(groups), shown, result, own_schema=own_schema)

    @property
    def readings(self) -> Iterable[str]:
        """The sentences that say who gave the meanings, where the format has none."""
        found = (group.reading for group in self.groups if group.entries and group.reading)
        return dict.fromkeys(found)

    @property
    def origin(self) -> str:
        """The sentence that names a schema that anyone can have written."""
        if not self.own_schema:
            return ""
        return f"The meanings are those of the schema {self.own_schema}, not of the built-in one."

    @property
    def suppressed(self) -> str:
        """The sentence that says what is not shown among the findings and the changes."""
        results = (self.result, *([self.compared] if self.compared else []))
        found = [each.finding.rule for result in results for each in result.suppressed]
        rules = listed([*dict.fromkeys(found)], "and")
        return f"{counted(len(found), 'finding')} suppressed, by {rules}." if found else ""

    @property
    def verdict(self) -> str:
        """The sentence that says whether people must consent again."""
        if not self.consents.size:
            return "People need not agree again."
        because = f", because the {self.new_id} changed" if self.new_id else ""
        return f"People have to agree again{because}. They have not agreed to:"

    def text(self, style: Style) -> Iterator[str]:
        """Yield it within the width of a terminal."""
        for text, role in _texts(self.subject):
            yield from _told(text, style, role=role)
        if self.origin:
            yield "\n"
            yield from _told(self.origin, style, role="warning")
        if self.compared is not None:
            yield from _news(self, style)
        for group in self.groups:
            yield from _group(group, style)
        for reading in self.readings:
            yield "\n"
            yield from _told(reading, style, role="gutter")
        if self.details.facts:
            yield from _heading(self.details.title, style)
        for fact in self.details.facts:
            yield from _told(_said(fact), style, _MARGIN)
        if self.result.findings:
            yield from _heading("Findings", style)
            yield "\n"
            yield from FORMATS["full"](Report.of([self.result]), style)
        if self.suppressed:
            yield "\n"
            yield from _told(self.suppressed, style, role="warning")

    def against(self, old_name: str, compared: FileResult, schema: Schema) -> Preview:
        """Return a preview that also shows what changed since an older manifest."""
        changes = compared.changes or ()
        identifier = schema.identifier or ()
        is_another = any(each.new_path == identifier for each in changes if identifier)
        field = schema.field(identifier) or _BLANK
        new = {
            _shown(each.new)
            for each in changes
            if each.kind == "added" and (schema.field(each.new_path) or _BLANK).consents
        }
        consents = tuple(
            each
            for group in self.groups
            if group.is_consent
            for each in group.entries
            if is_another or each.value in new
        )
        return self._replace(
            old_name=old_name,
            compared=compared,
            consents=self.consents._replace(size=len(consents), entries=consents),
            new_id=(field.title or "identifier").lower() if is_another else "",
        )


def _users(schemas: Iterable[Schema]) -> _Users:
    found: _Users = {}
    for schema in schemas:
        for need in needs_of(schema):
            for each in dict.fromkeys(need.needed):
                user = (need.item, need.items, schema.name)
                found.setdefault((need.others, each), []).append(user)
    return found


def _shown(value: Any) -> str:
    written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return truncate(written, _LONGEST)


def _ordered(value: dict[str, Any], field: Field) -> list[str]:
    """Return the members of an object, those that the schema describes first."""
    described = [name for name in field.members if name in value]
    return [*described, *(name for name in value if name not in field.members)][:_MOST_SHOWN]


def _card(value: Any, path: Path, schema: Schema, unnamed: str = "(no name)") -> Card:
    """Return the card of an object; of what should be one and is not, its value."""
    field = schema.field(path) or _BLANK
    if not isinstance(value, dict):
        shown = _shown(value)
        return Card(shown if shown.strip() else unnamed, "")
    name, identifier = (_shown(value.get(each, "")) for each in (field.label, field.identifier))
    others = {name: value[name] for name in value if name not in (field.label, field.identifier)}
    title = next(filter(str.strip, (name, identifier)), unnamed)
    subtitle = "" if identifier == title else identifier
    return Card(title, subtitle, tuple(_facts(others, path, schema)))


def _facts(value: dict[str, Any], path: Path, schema: Schema) -> Iterator[Fact]:
    for name in _ordered(value, schema.field(path) or _BLANK):
        yield _fact(name, value[name], schema.field((*path, name)))


def _fact(name: str, value: Any, field: Field | None) -> Fact:
    title = (
        field.title if field and field.title else f"{truncate(name)} (not in the manifest format)"
    )
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return Fact(title, truncate(", ".join(value[:_MOST_SHOWN]), _LONGEST))
    return Fact(title, _shown(value), _kind(value) if field and field.file else "")


def _kind(value: Any) -> str:
    if not isinstance(value, str):
        return ""
    if value.lower().startswith("data:"):
        return "data"
    return "URL" if _ADDRESS.match(value) or value.startswith("//") else "path"


def _listed_value(value: Any, path: Path, item: Field, users: _Users, manifest: Any) -> ListedValue:
    shown = ListedValue(_shown(value))
    if not isinstance(value, str):
        return shown
    if meaning := item.consents.get(value) or dict(item.values).get(value):
        shown = shown._replace(meaning=meaning)
    about = users.get((path, value))
    if not about:
        return shown
    present = [named(user) for user, items, _ in about if user in _values(manifest, items)]
    if present:
        return shown._replace(purpose=f"for {listed([*dict.fromkeys(present)], 'and')}")
    lists = [f"`{format_pointer(items[:-1])}`" for _, items, _ in about]
    by = listed([*dict.fromkeys(name for _, _, name in about)], "and")
    where = listed([*dict.fromkeys(lists)])
    return shown._replace(warning=f"nothing in {where} needs it, according to {by}")


def _values(value: Any, path: Path) -> list[Any]:
    """Return the values at a path in which 0 stands for any index."""
    found = [value]
    for token in path:
        if isinstance(token, int):
            found = [one for each in found if isinstance(each, list) for one in each]
        else:
            found = [each[token] for each in found if isinstance(each, dict) and token in each]
    return found


def _group(group: ValueList, style: Style) -> Iterator[str]:
    yield from _heading(group.heading, style)
    if not group.cards and not group.entries:
        yield from _told("none", style, _MARGIN)
    for number, card in enumerate(group.cards):
        yield from ["\n"] * bool(number)
        for text, role in _texts(card):
            yield from _told(text, style, _MARGIN, role)
    for entry in group.entries:
        yield from _entry(entry, style)


def _said(fact: Fact) -> str:
    return f"{fact.title}: {fact.value}" + (f" ({fact.kind})" if fact.kind else "")


def _heading(text: str, style: Style) -> Iterator[str]:
    yield "\n"
    yield from _told(text, style, role="help")


def _entry(entry: ListedValue, style: Style) -> Iterator[str]:
    yield from _told(f"- {entry.meaning} ({entry.value})", style, _MARGIN, hanging=2)
    for note, role in ((entry.purpose, "gutter"), (entry.warning, "warning")):
        if note:
            yield from _told(note.replace("`", ""), style, 2 * _MARGIN, role)


def _news(preview: Preview, style: Style) -> Iterator[str]:
    yield from _heading(f"Since {preview.old_name}", style)
    yield from _told(preview.verdict, style, _MARGIN, "error" if preview.consents.size else "info")
    for entry in preview.consents.entries:
        yield from _entry(entry, style)
    findings = preview.compared.findings if preview.compared else ()
    if findings:
        yield "\n"
        yield from _told("What changed:", style, _MARGIN)
    for finding in findings:
        yield from _told(f"- {finding.message}", style, _MARGIN, hanging=2)


def _texts(card: Card) -> Iterator[tuple[str, str]]:
    yield card.title, "strong"
    if card.subtitle:
        yield card.subtitle, "gutter"
    for fact in card.facts:
        yield _said(fact), ""


def _told(
    text: str, style: Style, margin: str = "", role: str = "", hanging: int = 0
) -> Iterator[str]:
    """Yield a text within the width, behind a margin and, from line two, more blanks."""
    lines = folded(text, style, style.width - len(margin) - hanging)
    for number, line in enumerate(lines):
        yield f"{margin}{' ' * (hanging if number else 0)}{style.paint(role, line)}\n"
