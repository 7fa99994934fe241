"""A manifest as a person sees it who has to decide about it.

What there is to see follows from the schema: the object with an identifier is what the manifest
describes, lists of such objects are cards, lists of allowed values are explained, with the
sentences that people agree to where the schema has them, and all else is a detail.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from manifestkit.engine import FileResult
from manifestkit.findings.messages import listed, named
from manifestkit.model.document import Document
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.model.printable import truncate
from manifestkit.schema.fields import Field
from manifestkit.schema.model import Schema
from manifestkit.schema.needs import Need, needs_of

MOST_SHOWN = 500
_LONGEST = 300
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_BLANK = Field()


class Fact(NamedTuple):
    """A value of a manifest, and what it is.

    Attributes:
        title: what it is, by the schema.
        value: the value as the manifest has it: text, or JSON.
        kind: of what names a file: ``path``, ``URL`` or ``data``; else empty.
    """

    title: str
    value: str
    kind: str = ""


class Card(NamedTuple):
    """An object that people know by a name.

    Attributes:
        name: the name; empty where there is none.
        identifier: what identifies it; likewise.
        facts: its other members.
    """

    name: str
    identifier: str
    facts: tuple[Fact, ...]

    @property
    def title(self) -> str:
        """The name and the identifier, as far as they are not blank."""
        return next(filter(str.strip, (self.name, self.identifier)), "")


class ListedValue(NamedTuple):
    """A value of a list.

    Attributes:
        value: the value.
        meaning: what people agree to, or what it means; empty where the schema does not say.
        note: what a profile says that it is for.
        is_unused: whether a profile says that nothing in the manifest needs it.
    """

    value: str
    meaning: str
    note: str = ""
    is_unused: bool = False


class ValueList(NamedTuple):
    """A list of a manifest.

    Attributes:
        title: what it is, by the schema.
        size: how many things it has; of more than 500, the first are shown.
        cards: its objects.
        entries: its values.
        is_consent: whether the values are what people agree to.
    """

    title: str
    size: int
    cards: tuple[Card, ...] = ()
    entries: tuple[ListedValue, ...] = ()
    is_consent: bool = False

    @property
    def heading(self) -> str:
        """The title for people."""
        heading = "What people agree to" if self.is_consent else self.title
        return heading if self.size <= MOST_SHOWN else f"{heading}: {MOST_SHOWN} of {self.size:,}"


class Preview(NamedTuple):
    """Preview of a manifest.

    Attributes:
        subject: what it describes.
        groups: its lists, those first that people agree to.
        details: its other values.
        result: the findings.
        old_name: the manifest that it is compared with; None without one.
        compared: what changed since that one.
        consents: what people have not agreed to yet.
        new_id: what the identifier is called, if it changed; else empty.
    """

    subject: Card
    groups: tuple[ValueList, ...]
    details: tuple[Fact, ...]
    result: FileResult
    old_name: str | None = None
    compared: FileResult | None = None
    consents: tuple[ListedValue, ...] = ()
    new_id: str = ""

    @property
    def title(self) -> str:
        """The provider's name; without one, the file's."""
        return self.subject.title or self.result.path

    @property
    def verdict(self) -> str:
        """The sentence that says whether people must consent again."""
        if not self.consents:
            return "People need not agree again."
        because = f", because the {self.new_id} changed" if self.new_id else ""
        return f"People have to agree again{because}. They have not agreed to:"

    def against(self, old_name: str, compared: FileResult, schema: Schema) -> Preview:
        """Preview of a manifest and of what changed since an older one.

        Args:
            old_name: the older manifest.
            compared: what changed.
            schema: what a manifest must be.
        """
        changes = compared.changes or ()
        identifier = schema.identifier or ()
        is_another = any(each.new_path == identifier for each in changes if identifier)
        field = schema.field(identifier) or _BLANK
        new = {
            shown(each.new)
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
            consents=consents,
            new_id=(field.title or "identifier").lower() if is_another else "",
        )


def preview(
    document: Document, schema: Schema, profiles: Sequence[Schema], result: FileResult
) -> Preview:
    """Preview of a manifest.

    Args:
        document: the manifest.
        schema: what it must be.
        profiles: what a host requires; their tables tell what permissions are for.
        result: what lint finds.
    """
    value = document.value if isinstance(document.value, dict) else {}
    needs = [(each, by) for by in (schema, *profiles) for each in needs_of(by)]
    subject = Card("", "", ())
    groups: list[ValueList] = []
    details: list[Fact] = []
    for name in _ordered(value, schema.field(()) or _BLANK):
        path, each = (name,), value[name]
        field, item = schema.field(path), schema.field((name, 0))
        title = field.title if field and field.title else name
        if isinstance(each, dict) and schema.identifier and schema.identifier[:-1] == path:
            subject = _card(each, path, schema)
        elif isinstance(each, list) and item and item.identifier:
            cards = (_card(one, (name, 0), schema) for one in each[:MOST_SHOWN])
            groups.append(ValueList(title, len(each), cards=tuple(cards)))
        elif isinstance(each, list) and item and (item.values or item.consents):
            entries = (_entry(one, (name, 0), item, needs, value) for one in each[:MOST_SHOWN])
            is_consent = bool(item.consents)
            groups.append(
                ValueList(title, len(each), entries=tuple(entries), is_consent=is_consent)
            )
        elif isinstance(each, dict) and field and field.members:
            details += _facts(each, path, schema)
        else:
            details.append(_fact(name, each, field))
    groups.sort(key=lambda group: not group.is_consent)
    return Preview(subject, tuple(groups), tuple(details), result)


def shown(value: Any) -> str:
    """Return a value as people read it: a text as it is, all else as JSON."""
    written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return truncate(written, _LONGEST)


def _ordered(value: dict[str, Any], field: Field) -> list[str]:
    """Return the members of an object, those that the schema describes first."""
    described = [name for name in field.members if name in value]
    return [*described, *(name for name in value if name not in field.members)][:MOST_SHOWN]


def _card(value: Any, path: Path, schema: Schema) -> Card:
    """Return the card of an object; of what should be one and is not, its value."""
    field = schema.field(path) or _BLANK
    if not isinstance(value, dict):
        return Card(shown(value), "", ())
    name, identifier = (shown(value.get(each, "")) for each in (field.label, field.identifier))
    others = {name: value[name] for name in value if name not in (field.label, field.identifier)}
    return Card(name, identifier, tuple(_facts(others, path, schema)))


def _facts(value: dict[str, Any], path: Path, schema: Schema) -> Iterator[Fact]:
    for name in _ordered(value, schema.field(path) or _BLANK):
        yield _fact(name, value[name], schema.field((*path, name)))


def _fact(name: str, value: Any, field: Field | None) -> Fact:
    title = (
        field.title if field and field.title else f"{truncate(name)} (not described by the schema)"
    )
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return Fact(title, truncate(", ".join(value[:MOST_SHOWN]), _LONGEST))
    return Fact(title, shown(value), _kind(value) if field and field.file else "")


def _kind(value: Any) -> str:
    if not isinstance(value, str):
        return ""
    if value.lower().startswith("data:"):
        return "data"
    return "URL" if _ADDRESS.match(value) or value.startswith("//") else "path"


def _entry(
    value: Any, path: Path, item: Field, needs: Sequence[tuple[Need, Schema]], manifest: Any
) -> ListedValue:
    text = shown(value)
    if not isinstance(value, str):
        return ListedValue(text, "")
    meaning = item.consents.get(value) or dict(item.values).get(value) or ""
    about = [(need, by) for need, by in needs if need.others == path and value in need.needed]
    if not about:
        return ListedValue(text, meaning)
    users = [named(need.item) for need, _ in about if need.item in _values(manifest, need.items)]
    if users:
        return ListedValue(text, meaning, f"for {listed([*dict.fromkeys(users)], 'and')}")
    lists = [f"`{format_pointer(need.items[:-1])}`" for need, _ in about]
    by = listed([*dict.fromkeys(schema.name for _, schema in about)], "and")
    where = listed([*dict.fromkeys(lists)])
    return ListedValue(
        text, meaning, f"nothing in {where} needs it, according to {by}", is_unused=True
    )


def _values(value: Any, path: Path) -> list[Any]:
    """Return the values at a path in which 0 stands for any index."""
    found = [value]
    for token in path:
        if isinstance(token, int):
            found = [one for each in found if isinstance(each, list) for one in each]
        else:
            found = [each[token] for each in found if isinstance(each, dict) and token in each]
    return found
