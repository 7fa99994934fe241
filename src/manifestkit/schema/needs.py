"""Tables of needs: which items of one list need which of another, as plain JSON Schema.

``{"/permissions": {"host.timer.start": ["host.timer"]}}`` beside a list says that its item
``host.timer.start`` needs ``host.timer`` in the list at ``/permissions``. Each such requirement
becomes an `if` and `then` at the schema's root, with its annotation on the items that break it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from operator import getitem
from typing import Any, NamedTuple

from manifestkit.model.document import Document
from manifestkit.model.errors import PointerSyntaxError
from manifestkit.model.pointer import Path, format_pointer, parse_pointer
from manifestkit.schema.checks import Reference, SchemaFile
from manifestkit.schema.drafts import subschemas
from manifestkit.schema.fields import ANNOTATION, Field
from manifestkit.schema.model import Schema
from manifestkit.schema.sources import local_sources
from manifestkit.schema.suggest import nearest, not_listed

_NEEDS = "needs"
_NEEDED = "{needed}"
_RULE = "schema-needs"
_WITHOUT_IF = "6"
_TEXTS = frozenset({"rule", "severity", "message", "help", "url", "clause", "fix"})


_SAME_VALUE = frozenset(
    {
        *("allOf", "anyOf", "dependencies", "dependentSchemas"),
        *("else", "if", "not", "oneOf", "then"),
    }
)


class _Table(NamedTuple):
    """A table, as it stands in a schema.

    Attributes:
        where: the annotation's place in the schema.
        place: the list that it is about; an index stands for any item.
        notes: what the annotations on the path to it say.
        needs: the table.
    """

    where: Path
    place: Path
    notes: Mapping[str, Any]
    needs: Mapping[str, Mapping[str, list[str]]]


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


def needs_of(schema: Schema) -> Iterator[Need]:
    """Find what the tables of a schema say."""
    for table in _tables(schema.contents, (), (), {}):
        for pointer, needs in table.needs.items():
            others: Path = (*parse_pointer(pointer), 0)
            for item, needed in needs.items():
                where = (*table.where, pointer, item)
                yield Need(where, (*table.place, 0), item, others, tuple(needed))


def has_needs(schema: dict[str, Any]) -> bool:
    """Return whether a table is in the annotation of a schema."""
    return _NEEDS in (schema.get(ANNOTATION) or {})


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
    maker = _Maker(file, manifest_schema)
    found = list(_tables(contents, (), (), {}))
    if file.draft == _WITHOUT_IF:
        raise file.error(places[0], f"`{_NEEDS}` needs draft 7 or newer")
    reached = {table.where for table in found}
    strays = [table.where for table in found if not maker.is_list(table.place)]
    strays += [where for where in places if where not in reached]
    if strays:
        raise file.error(
            strays[0],
            f"`{_NEEDS}` must be next to a list that `properties`, `items` and `allOf` lead to",
        )
    made = [each for table in found for each in maker.requirements(table)]
    value = {**contents, "allOf": [*contents.get("allOf", ()), *made]}
    read = file.document
    return SchemaFile(Document(read.name, read.text, value, read.scan, read.syntax), file.draft)


def _tables(schema: Any, where: Path, place: Path, above: Mapping[str, Any]) -> Iterator[_Table]:
    if not isinstance(schema, dict):
        return
    own = schema.get(ANNOTATION) or {}
    notes = {**above, **own}
    if _NEEDS in own:
        yield _Table((*where, ANNOTATION, _NEEDS), place, notes, own[_NEEDS])
    for name, each in schema.get("properties", {}).items():
        yield from _tables(each, (*where, "properties", name), (*place, name), notes)
    if "prefixItems" not in schema:  # else `items` is not about all items
        yield from _tables(schema.get("items"), (*where, "items"), (*place, 0), notes)
    for index, each in enumerate(schema.get("allOf", ())):
        yield from _tables(each, (*where, "allOf", index), place, notes)


class _Maker:
    def __init__(self, file: SchemaFile, manifest_schema: Schema) -> None:
        self._file = file
        self._own = Schema("", local_sources("", file.contents))
        self._manifest = manifest_schema

    def is_list(self, path: Path) -> bool:
        """Return whether a list is due at a place; none is at the root."""
        if not path:
            return False
        field = self._field(path)
        if field is None or not field.types:
            return self._field((*path, 0)) is not None
        return "array" in field.types

    def requirements(self, table: _Table) -> Iterator[dict[str, Any]]:
        """Yield a schema for each set of items that are needed together."""
        items = (*table.place, 0)
        for pointer, needs in table.needs.items():
            where = (*table.where, pointer)
            needed_list = self._list(where, pointer)
            by_needed: dict[tuple[str, ...], list[str]] = {}
            for item, needed in needs.items():
                self._check((*where, item), item, items)
                for index, each in enumerate(needed):
                    self._check((*where, item, index), each, (*needed_list, 0))
                by_needed.setdefault(tuple(dict.fromkeys(needed)), []).append(item)
            for needed_items, names in by_needed.items():
                contained = [{"contains": {"const": each}} for each in needed_items]
                annotation = self._annotation(table, items, needed_list, needed_items)
                requirement = {"not": {"enum": names}, ANNOTATION: annotation}
                # Inside `not`, it evaluates nothing that `unevaluated...` would leave out.
                yield {
                    "if": {"not": _present(needed_list, {"allOf": contained})},
                    "then": _at(items, requirement),
                }

    def _list(self, where: Path, pointer: str) -> Path:
        try:
            path = parse_pointer(pointer)
        except PointerSyntaxError as error:
            raise self._file.error(where, str(error)) from None
        if not self.is_list(path):
            owner = self._field(path[:-1])
            near = nearest(path[-1], owner.members) if owner and path else None
            hint = ""
            if near is not None and near != path[-1]:
                hint = f"; did you mean `{format_pointer((*path[:-1], near))}`?"
            raise self._file.error(where, f"there is no list at `{pointer}`{hint}")
        return path

    def _check(self, where: Path, item: str, place: Path) -> None:
        field = self._field(place)
        values = [each for each, _ in field.values if isinstance(each, str)] if field else []
        if values and (problem := not_listed(item, place, values)):
            raise self._file.error(where, problem)

    def _field(self, path: Path) -> Field | None:
        """Return the description of a place by the schema, else by the manifest's."""
        try:
            own = self._own.field(path)
        except (LookupError, PointerSyntaxError, TypeError):  # a reference to another file
            own = None
        if own is not None and (own.types or own.values):
            return own
        return self._manifest.field(path) or own

    def _annotation(
        self, table: _Table, items: Path, needed_list: Path, needed: tuple[str, ...]
    ) -> dict[str, Any]:
        owner, other = self._field(items), self._field((*needed_list, 0))
        nouns = [each.title.lower() if each and each.title else "item" for each in (owner, other)]
        plural = "s" if len(needed) > 1 else ""
        name = needed_list[-1]
        defaults = {
            "rule": _RULE,
            "message": f"the {nouns[0]} {{value}} needs the {nouns[1]}{plural} {_NEEDED}",
            "help": f"add {_NEEDED} to `{name}`, or remove {{value}}",
        }
        notes = {name: each for name, each in table.notes.items() if name in _TEXTS}
        annotation = {**defaults, **notes}
        quoted = [f"`{each}`" for each in needed]
        listed = " and ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))
        for text in ("message", "help"):
            annotation[text] = annotation[text].replace(_NEEDED, listed)
        target = f"{len(items)}{format_pointer(needed_list)}/-"
        fix = [{"op": "add", "path": target, "value": each} for each in needed]
        return {"fix": fix, **annotation}


def _present(place: Path, schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema for the value at a place, where nothing on the way may be missing."""
    for token in reversed(place):
        schema = {"properties": {token: schema}, "required": [token]}
    return schema


def _at(place: Path, schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema for the values at a place; an index stands for each item."""
    for token in reversed(place):
        schema = {"items": schema} if isinstance(token, int) else {"properties": {token: schema}}
    return schema


def check_needs_reached(root: Any, files: list[SchemaFile], found: list[Reference]) -> None:
    """Refuse a reference to a table of needs from where the table would not count.

    A table counts at the root of its file (see `with_needs`). So a file with tables is referred
    to as a whole, from where the whole manifest is judged.

    Args:
        root: the schema.
        files: the files that it is made of.
        found: the references in them.

    Raises:
        SchemaError: with the file, line and column of the first such reference.
    """
    holding = {
        each
        for file in files
        for schema in file.schemas
        if has_needs(schema)
        for each in _around(file, file.paths[id(schema)])
    }
    if not holding:
        return
    leading = _closure(
        holding,
        ((id(ref.target), each) for ref in found for each in _around(ref.file, ref.path[:-1])),
    )
    same_value = [
        (id(schema), id(below))
        for file in files
        for schema in file.schemas
        for tokens, below in subschemas(schema)
        if tokens[0] in _SAME_VALUE
    ]
    same_value += [(id(ref.schema), id(ref.target)) for ref in found]
    of_whole = _closure({id(root)}, same_value)
    wholes = {id(file.contents) for file in files}
    for ref in found:
        target = id(ref.target)
        is_whole = target in wholes or target not in holding
        if target in leading and not (is_whole and id(ref.schema) in of_whole):
            raise ref.file.error(
                ref.path,
                f"`{ref.text}` leads to `needs`, which would not apply here; put it next to a "
                "list that `properties`, `items` and `allOf` lead to",
            )


def _around(file: SchemaFile, path: Path) -> Iterator[int]:
    """Return the ids of what is on a path, its end included."""
    return map(id, accumulate(path, getitem, initial=file.contents))


def _closure(start: set[int], steps: Iterable[tuple[int, int]]) -> set[int]:
    """Return all that steps lead to, the start included."""
    after: dict[int, list[int]] = {}
    for one, other in steps:
        after.setdefault(one, []).append(other)
    reached, todo = set(start), list(start)
    while todo:
        new = {*after.get(todo.pop(), ())} - reached
        reached |= new
        todo.extend(new)
    return reached
