"""Tables of needs: which items of one list need which of another, as plain JSON Schema.

``{"/permissions": {"host.timer.start": ["host.timer"]}}`` beside a list says that its item
``host.timer.start`` needs ``host.timer`` in the list at ``/permissions``. Each such requirement
becomes an `if` and `then` at the schema's root, with its annotation on the items that break it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from manifestkit.model.document import Document
from manifestkit.model.errors import PointerSyntaxError
from manifestkit.model.pointer import Path, format_pointer, parse_pointer
from manifestkit.schema.drafts import ANNOTATION, nested
from manifestkit.schema.loading.file import SchemaFile, has_needs
from manifestkit.schema.loading.profile import check_members_of
from manifestkit.schema.model import Field, Schema
from manifestkit.schema.sources import Sources
from manifestkit.schema.suggest import nearest, not_listed
from manifestkit.schema.validation_error import Requirement

_NEEDS = "needs"
_NEEDED = "{needed}"
_RULE = "schema-needs"
_TEXTS = frozenset({"rule", "severity", "message", "help", "url", "clause"})


class Need(NamedTuple):
    """The items that an item of a list needs.

    Attributes:
        where: the place in the schema that says so.
        items: where the item stands; 0 stands for any index.
        item: the item.
        others: where what it needs stands.
        needed: what it needs.
    """

    where: Path
    items: Path
    item: str
    others: Path
    needed: tuple[str, ...]


class _Table(NamedTuple):
    """A table, with its annotation's place, its list, and the annotations on the path to it."""

    where: Path
    place: Path
    notes: Mapping[str, Any]
    needs: Mapping[str, Mapping[str, list[str]]]


def needs_of(schema: Schema) -> Iterator[Need]:
    """Find what the tables of a schema say."""
    for table in _tables(schema.contents, (), (), {}):
        for pointer in table.needs:
            yield from _needs_in(table, pointer)


def with_needs(file: SchemaFile, manifest_schema: Schema) -> SchemaFile:
    """Return a schema in which tables of needs are said by keywords.

    Args:
        file: the schema's file.
        manifest_schema: what describes the lists that the schema does not describe itself.

    Raises:
        SchemaError: a table cannot be judged by; the text names file, line and column.
    """
    contents = file.contents
    places = [
        (*file.paths[id(each)], ANNOTATION, _NEEDS) for each in file.schemas if has_needs(each)
    ]
    if not places:
        return file
    found = list(_tables(contents, (), (), {}))
    maker = _Maker(file, Schema("", Sources.local("", contents)), manifest_schema)
    reached = {table.where for table in found}
    strays = [table.where for table in found if not maker.is_list(table.place)]
    strays += [where for where in places if where not in reached]
    if strays:
        roots = {str(table.place[0]) for table in found if table.place}
        check_members_of(manifest_schema, roots, file.document.name)
        raise file.error(
            strays[0],
            f"`{_NEEDS}` must be next to a list that `properties`, `items` and `allOf` lead to",
            on_key=True,
        )
    made = [each for table in found for each in maker.requirements(table)]
    value = {**contents, "allOf": [*contents.get("allOf", ()), *made]}
    read = file.document
    return SchemaFile(Document(read.name, read.text, value, read.scan, read.syntax), file.draft)


def _tables(schema: Any, where: Path, place: Path, above: Mapping[str, Any]) -> Iterator[_Table]:
    if not isinstance(schema, dict):
        return
    own = schema.get(ANNOTATION) or {}
    notes = Requirement.nearest(own, above)
    if _NEEDS in own:
        yield _Table((*where, ANNOTATION, _NEEDS), place, notes, own[_NEEDS])
    for name, each in schema.get("properties", {}).items():
        yield from _tables(each, (*where, "properties", name), (*place, name), notes)
    if "prefixItems" not in schema:  # else `items` is not about all items
        yield from _tables(schema.get("items"), (*where, "items"), (*place, 0), notes)
    for index, each in enumerate(schema.get("allOf", ())):
        yield from _tables(each, (*where, "allOf", index), place, notes)


def _needs_in(table: _Table, pointer: str) -> Iterator[Need]:
    others: Path = (*parse_pointer(pointer), 0)
    for item, needed in table.needs[pointer].items():
        yield Need((*table.where, pointer, item), (*table.place, 0), item, others, tuple(needed))


class _Maker(NamedTuple):
    """Makes requirements of tables; lists are described by the schema, or by the manifest's."""

    file: SchemaFile
    own: Schema
    manifest: Schema

    def is_list(self, path: Path) -> bool:
        """Return whether a list is due at a place; none is at the root."""
        if not path:
            return False
        field = self.field(path)
        if field is None or not field.types:
            return self.field((*path, 0)) is not None
        return "array" in field.types

    def requirements(self, table: _Table) -> Iterator[dict[str, Any]]:
        """Yield a schema for each set of items that are needed together."""
        for pointer in table.needs:
            self.check_list((*table.where, pointer), pointer)
            items_by_need: dict[tuple[str, ...], list[str]] = {}
            for need in _needs_in(table, pointer):
                self.check_item(need.where, need.item, need.items)
                for index, each in enumerate(need.needed):
                    self.check_item((*need.where, index), each, need.others)
                items_by_need.setdefault(tuple(dict.fromkeys(need.needed)), []).append(need.item)
            place, needed_list = (*table.place, 0), parse_pointer(pointer)
            typed = self.manifest.field(needed_list) is None  # else section 2 demands the type
            for needed, items in items_by_need.items():
                contained = [{"contains": {"const": each}} for each in needed]
                annotation = self.annotation(table.notes, place, needed_list, needed)
                requirement = {"not": {"enum": items}, ANNOTATION: annotation}
                # Inside `not`, it evaluates nothing that `unevaluated...` would leave out.
                present = _present(needed_list, {"allOf": contained}, typed=typed)
                yield {
                    "if": {"not": present},
                    "then": nested(place, requirement),
                }

    def check_list(self, where: Path, pointer: str) -> None:
        """Refuse a pointer to what is no list."""
        try:
            path = parse_pointer(pointer)
        except PointerSyntaxError as error:
            raise self.file.error(where, str(error), on_key=True) from None
        if not self.is_list(path):
            owner = self.field(path[:-1])
            near = nearest(path[-1], owner.members) if owner and path else None
            hint = ""
            if near is not None and near != path[-1]:
                hint = f"; did you mean `{format_pointer((*path[:-1], near))}`?"
            raise self.file.error(where, f"there is no list at `{pointer}`{hint}", on_key=True)

    def check_item(self, where: Path, item: str, place: Path) -> None:
        """Refuse an item that a list does not allow."""
        field = self.field(place)
        values = [each for each, _ in field.values if isinstance(each, str)] if field else []
        if values and (problem := not_listed(item, place, values)):
            raise self.file.error(where, problem, on_key=True)

    def field(self, path: Path) -> Field | None:
        """Return the description of a place by the schema, else by the manifest's."""
        try:
            own = self.own.field(path)
        except (LookupError, PointerSyntaxError, TypeError):  # a reference to another file
            own = None
        if own is not None and (own.types or own.values):
            return own
        return self.manifest.field(path) or own

    def annotation(
        self, notes: Mapping[str, Any], items: Path, needed_list: Path, needed: tuple[str, ...]
    ) -> dict[str, Any]:
        """Return what to say of an item without what it needs."""
        owner, other = self.field(items), self.field((*needed_list, 0))
        nouns = [each.title.lower() if each and each.title else "item" for each in (owner, other)]
        plural = "s" if len(needed) > 1 else ""
        annotation: dict[str, Any] = {
            "needed": [format_pointer(needed_list), needed],
            "rule": _RULE,
            "message": f"the {nouns[0]} {{value}} needs the {nouns[1]}{plural} {_NEEDED}",
            "help": f"add {_NEEDED} to `{needed_list[-1]}`, or remove {{value}}",
            **{name: each for name, each in notes.items() if name in _TEXTS},
        }
        quoted = [f"`{each}`" for each in needed]
        listed = " and ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))
        for text in ("message", "help"):
            annotation[text] = annotation[text].replace(_NEEDED, listed)
        return annotation


def _present(place: Path, schema: dict[str, Any], *, typed: bool) -> dict[str, Any]:
    """Return a schema for the list at a place, where nothing on the way may be missing.

    With `typed`, what is no object or list there counts as missing too.
    """
    if typed:
        schema = {"type": "array", **schema}
    for token in reversed(place):
        schema = {"properties": {token: schema}, "required": [token]}
        if typed:
            schema["type"] = "object"
    return schema
