"""A manifest as a person sees it who has to decide about it.

What there is to see follows from the schema: the object with an identifier is what the manifest
describes, lists of such objects are cards, lists of allowed values are explained, with the
sentences that people agree to where the schema has them, and all else is a detail.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from manifestkit.findings.words import counted, listed, named
from manifestkit.model.document import Document
from manifestkit.model.finding import Finding
from manifestkit.model.pointer import Path, format_pointer, walk
from manifestkit.model.printable import truncate
from manifestkit.model.report import FileResult, Report
from manifestkit.rendering import FORMATS
from manifestkit.rendering.escape import Style, paragraph
from manifestkit.schema.loading.needs import Need, needs_of
from manifestkit.schema.model import Field, Schema
from manifestkit.schema.packaged import packaged_formats, packaged_schema

_MOST_SHOWN = 500
_LONGEST = 300
_MARGIN = "  "
_ROLES = {"": "gutter", "due": "error", "same": "info"}
"""Roles of the note of a section, by its news."""
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_BLANK = Field()


class Fact(NamedTuple):
    """A value of a manifest as the manifest has it, with the schema's title of it."""

    title: str
    value: str
    kind: str = ""  # of what names a file: `path`, `URL` or `data`


class Card(NamedTuple):
    """An object that people know by a name, or a value of a list by what it means."""

    title: str  # of an object the name or the identifier, whichever is not blank first
    subtitle: str  # the identifier or the value; empty where it says no more
    facts: tuple[Fact, ...] = ()  # its other members
    purpose: str = ""  # what a profile says that it is for
    warning: str = ""  # that nothing in the manifest needs it, if a profile says so


class PreviewSection(NamedTuple):
    """A part of a preview under a heading."""

    heading: str
    note: str = ""
    cards: tuple[Card, ...] = ()
    facts: tuple[Fact, ...] = ()
    changes: tuple[Finding, ...] = ()
    form: str = "entries"  # of a page's list: `cards` for objects
    amount: str = ""  # of what is in a list of the manifest, which can have more than is shown
    is_consent: bool = False  # the cards are what people agree to
    news: str = ""  # whether a new consent is `due`, or all is the `same`, since another manifest


class Preview(NamedTuple):
    """Preview of a manifest: what it describes, its lists and its other members."""

    subject: Card
    sections: tuple[PreviewSection, ...]
    result: FileResult
    origin: str = ""  # the sentence that names a schema that anyone can have written
    suppressed: str = ""  # the sentence about what is not among the findings and the changes

    @classmethod
    def of(
        cls,
        document: Document,
        schema: Schema,
        profiles: Sequence[Schema],
        result: FileResult,
        old_name: str = "",
        compared: FileResult | None = None,
    ) -> Preview:
        """Return the preview of a manifest, with what changed since an older one.

        Tables of profiles tell what permissions are for.
        """
        value = document.value if isinstance(document.value, dict) else {}
        needs = [(each.name, need) for each in (schema, *profiles) for need in needs_of(each)]
        texts = {
            (tuple(0 if isinstance(token, int) else token for token in path), each)
            for path, each in walk(value)
            if needs and isinstance(each, str)
        }
        subject = Card(result.path, "")
        lists: list[PreviewSection] = []
        details: list[Fact] = []
        for name in _ordered(value, schema.field(()) or _BLANK):
            path, each = (name,), value[name]
            field, item = schema.field(path) or _BLANK, schema.field((name, 0)) or _BLANK
            if isinstance(each, dict) and schema.identifier and schema.identifier[:-1] == path:
                subject = _card(each, path, schema, unnamed=result.path)
            elif isinstance(each, list) and item.identifier:
                cards = [_card(one, (name, 0), schema) for one in each[:_MOST_SHOWN]]
                lists.append(_list(name, each, field, item, cards)._replace(form="cards"))
            elif isinstance(each, list) and (item.values or item.consents):
                about = [(by, need) for by, need in needs if need.others == (name, 0)]
                cards = [_listed_value(one, item, about, texts) for one in each[:_MOST_SHOWN]]
                lists.append(_list(name, each, field, item, cards))
            elif isinstance(each, dict) and field.members:
                details += _facts(each, path, schema)
            else:
                details.append(_fact(name, each, field))
        lists.sort(key=lambda each: not each.is_consent)
        sections = [*_without_repeated_notes(lists)]
        if details:
            sections.append(PreviewSection("Details", facts=tuple(details)))
        if compared is not None:
            sections.insert(0, _news(old_name, compared, schema, lists))
            if compared.findings:
                sections.append(PreviewSection("What changed", changes=compared.findings))
        suppressed = _suppressed([result, *([compared] if compared else [])])
        return cls(subject, tuple(sections), result, _origin(schema), suppressed)

    def text(self, style: Style) -> Iterator[str]:
        """Yield it within the width of a terminal."""
        yield from paragraph(self.subject.title, style, role="strong")
        if self.subject.subtitle:
            yield from paragraph(self.subject.subtitle, style, role="gutter")
        for fact in self.subject.facts:
            yield from paragraph(_said(fact), style)
        if self.origin:
            yield "\n"
            yield from paragraph(self.origin, style, role="warning")
        for section in self.sections:
            yield from _section_text(section, style)
        if self.result.findings:
            yield from ("\n", *paragraph("Findings", style, role="help"), "\n")
            yield from FORMATS["full"](Report.of([self.result]), style)
        if self.suppressed:
            yield "\n"
            yield from paragraph(self.suppressed, style, role="warning")


def _list(
    name: str, items: Sequence[Any], field: Field, item: Field, cards: Iterable[Card]
) -> PreviewSection:
    title = field.title or name
    heading = "What people agree to" if item.consents else title
    if len(items) > _MOST_SHOWN:
        heading += f": {_MOST_SHOWN} of {len(items):,}"
    return PreviewSection(
        heading,
        item.reading if items else "None.",
        tuple(cards),
        amount=f"{len(items):,} {title.lower()}",
        is_consent=bool(item.consents),
    )


def _without_repeated_notes(sections: Iterable[PreviewSection]) -> Iterator[PreviewSection]:
    seen = set[str]()
    for each in sections:
        yield each._replace(note="") if each.note in seen and each.cards else each
        seen.add(each.note)


def _news(
    old_name: str, compared: FileResult, schema: Schema, lists: Iterable[PreviewSection]
) -> PreviewSection:
    """Return what people have not agreed to yet, and whether they must."""
    changes = compared.changes or ()
    identifier = schema.identifier or ()
    is_another = any(each.new_path == identifier for each in changes if identifier)
    new = {
        _shown(each.new)
        for each in changes
        if each.kind == "added" and (schema.field(each.new_path) or _BLANK).consents
    }
    due = tuple(
        each
        for group in lists
        if group.is_consent
        for each in group.cards
        if is_another or each.subtitle in new
    )
    note = "People need not agree again."
    if due:
        title = ((schema.field(identifier) or _BLANK).title or "identifier").lower()
        because = f", because the {title} changed" if is_another else ""
        note = f"People have to agree again{because}. They have not agreed to:"
    return PreviewSection(f"Since {old_name}", note, due, news="due" if due else "same")


def _origin(schema: Schema) -> str:
    if schema in [packaged_schema(row.schema) for row in packaged_formats().rows]:
        return ""
    return f"The meanings are those of the schema {schema.name}, not of the built-in one."


def _suppressed(results: Iterable[FileResult]) -> str:
    found = [each.finding.rule for result in results for each in result.suppressed]
    rules = listed([*dict.fromkeys(found)], "and")
    return f"{counted(len(found), 'finding')} suppressed, by {rules}." if found else ""


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
        yield _fact(name, value[name], schema.field((*path, name)) or _BLANK)


def _fact(name: str, value: Any, field: Field) -> Fact:
    title = field.title or f"{truncate(name)} (not in the manifest format)"
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return Fact(title, truncate(", ".join(value[:_MOST_SHOWN]), _LONGEST))
    return Fact(title, _shown(value), _kind(value) if field.file else "")


def _kind(value: Any) -> str:
    if not isinstance(value, str):
        return ""
    if value.lower().startswith("data:"):
        return "data"
    return "URL" if _ADDRESS.match(value) or value.startswith("//") else "path"


def _listed_value(
    value: Any, item: Field, needs: Iterable[tuple[str, Need]], texts: Container[tuple[Path, str]]
) -> Card:
    """Return the card of a value of a list, by who needs it and the texts of the manifest."""
    shown = Card("Not described by the schema.", _shown(value))
    if not isinstance(value, str):
        return shown
    described = (about for each, about in item.values if each == value)
    if meaning := item.consents.get(value) or next(described, None):
        shown = shown._replace(title=meaning)
    about = [(by, need) for by, need in needs if value in need.needed]
    if not about:
        return shown
    users = [need.item for _, need in about if (need.items, need.item) in texts]
    if users:
        return shown._replace(purpose=f"for {listed([*dict.fromkeys(map(named, users))], 'and')}")
    by = listed([*dict.fromkeys(name for name, _ in about)], "and")
    where = listed([*dict.fromkeys(f"`{format_pointer(need.items[:-1])}`" for _, need in about)])
    return shown._replace(warning=f"nothing in {where} needs it, according to {by}")


def _section_text(section: PreviewSection, style: Style) -> Iterator[str]:
    yield "\n"
    yield from paragraph(section.heading, style, role="help")
    if section.note:
        yield from paragraph(section.note, style, _MARGIN, _ROLES[section.news])
    for card in section.cards:
        subtitle = f" ({card.subtitle})" if card.subtitle else ""
        yield from paragraph(f"- {card.title}{subtitle}", style, _MARGIN)
        for fact in card.facts:
            yield from paragraph(_said(fact), style, 2 * _MARGIN)
        for note, role in ((card.purpose, "gutter"), (card.warning, "warning")):
            if note:
                yield from paragraph(note.replace("`", ""), style, 2 * _MARGIN, role)
    for fact in section.facts:
        yield from paragraph(_said(fact), style, _MARGIN)
    for finding in section.changes:
        yield from paragraph(f"- {finding.message}", style, _MARGIN)


def _said(fact: Fact) -> str:
    return f"{fact.title}: {fact.value}" + (f" ({fact.kind})" if fact.kind else "")
