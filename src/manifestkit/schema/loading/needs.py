"""Tables of needs: which items of one list need which of another, as plain JSON Schema.

``{"/permissions": {"host.timer.start": ["host.timer"]}}`` beside a list says that its item
``host.timer.start`` needs ``host.timer`` in the list at ``/permissions``. Each such requirement
becomes an `if` and `then` at the schema's root, with its annotation on the items that break it.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from manifestkit.model.document import Document
from manifestkit.model.pointer import Path, format_pointer, parse_pointer
from manifestkit.schema.drafts import ANNOTATION, at_places
from manifestkit.schema.loading.file import SchemaFile, has_needs
from manifestkit.schema.model import Field, Schema
from manifestkit.schema.packaged import change_schema
from manifestkit.schema.sources import Sources
from manifestkit.schema.suggest import not_listed
from manifestkit.schema.validation_error import Requirement

_NEEDS = "needs"
_NEEDED = "{needed}"
_RULE = "schema-needs"
_TEXTS = frozenset({"rule", "severity", "message", "help", "url", "clause"})


class Need(NamedTuple):
    """The items that an item of a list needs."""

    where: Path  # the place in the schema that says so
    items: Path  # where the item stands; 0 stands for any index
    item: str
    others: Path  # where what it needs stands
    needed: tuple[str, ...]
    notes: Mapping[str, Any]  # the annotations on the path to the table


def needs_of(schema: Schema) -> Iterator[Need]:
    """Find what the tables of a schema say."""
    return _needs(schema.contents, (), (), {})


def with_needs(file: SchemaFile, manifest_schema: Schema) -> SchemaFile:
    """Return a schema in which tables of needs are said by keywords.

    Args:
        file: the schema's file.
        manifest_schema: what describes the lists that the schema does not describe itself.

    Raises:
        SchemaError: a table cannot be judged by; the text names file, line and column.
    """
    contents = file.contents
    tables = [
        (*file.paths[id(each)], ANNOTATION, _NEEDS) for each in file.schemas if has_needs(each)
    ]
    if not tables:
        return file
    found = list(_needs(contents, (), (), {}))
    maker = _Maker(file, Schema("", Sources.local(contents)), manifest_schema)
    beside_lists = {need.where[:-2] for need in found if maker.is_list(need.items[:-1])}
    for where in tables:
        if where not in beside_lists:
            problem = "must be next to a list that `properties`, `items` and `allOf` lead to"
            if manifest_schema is change_schema():
                lint = "belongs in a profile for `manifest lint`: use that there, or as `profile`"
                problem = f"{lint} in the file of `--config`; in one for changes, leave it out"
            raise file.error(where, f"`{_NEEDS}` {problem}", on_key=True)
    made = map(maker.requirement, found)
    value = {**contents, "allOf": [*contents.get("allOf", ()), *made]}
    read = file.document
    return SchemaFile(Document(read.name, read.text, value, read.scan, read.syntax), file.draft)


def _needs(schema: Any, where: Path, place: Path, above: Mapping[str, Any]) -> Iterator[Need]:
    if not isinstance(schema, dict):
        return
    own = schema.get(ANNOTATION) or {}
    notes = Requirement.nearest(own, above)
    for pointer, table in own.get(_NEEDS, {}).items():
        others: Path = (*parse_pointer(pointer), 0)
        for item, needed in table.items():
            at = (*where, ANNOTATION, _NEEDS, pointer, item)
            yield Need(at, (*place, 0), item, others, tuple(dict.fromkeys(needed)), notes)
    for name, each in schema.get("properties", {}).items():
        yield from _needs(each, (*where, "properties", name), (*place, name), notes)
    if "prefixItems" not in schema:  # else `items` is not about all items
        yield from _needs(schema.get("items"), (*where, "items"), (*place, 0), notes)
    for index, each in enumerate(schema.get("allOf", ())):
        yield from _needs(each, (*where, "allOf", index), place, notes)


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

    def is_demanded(self, path: Path) -> bool:
        """Return whether the manifest's schema demands a list at a place, in objects only."""
        fields = (self.manifest.field(path[:length]) for length in range(len(path) + 1))
        *around, here = (field.types if field else () for field in fields)
        return here == ("array",) and all(each == ("object",) for each in around)

    def requirement(self, need: Need) -> dict[str, Any]:
        """Return a schema that says what an item needs; refuse lists and items that are none."""
        there, pointer = need.others[:-1], str(need.where[-2])
        if not self.is_list(there):
            near = self.manifest.nearest_pointer(parse_pointer(pointer))
            hint = f"; did you mean `{near}`?" if near not in (None, pointer) else ""
            text = f"there is no list at `{pointer}`{hint}"
            raise self.file.error(need.where[:-1], text, on_key=True)
        others = (((*need.where, at), each, need.others) for at, each in enumerate(need.needed))
        for where, item, place in ((need.where, need.item, need.items), *others):
            field = self.field(place)
            values = [each for each, _ in field.values if isinstance(each, str)] if field else []
            if values and (problem := not_listed(item, place, values)):
                raise self.file.error(where, problem, on_key=True)
        contained = [{"contains": {"const": each}} for each in need.needed]
        # Inside `not`, it evaluates nothing that `unevaluated...` would leave out.
        present = _present(there, {"allOf": contained}, typed=not self.is_demanded(there))
        requirement = {"not": {"enum": [need.item]}, ANNOTATION: self.annotation(need)}
        return {"if": {"not": present}, "then": at_places([need.items], requirement)}

    def field(self, path: Path) -> Field | None:
        """Return the description of a place by the schema, else by the manifest's."""
        own, ours = self.own.field(path), self.manifest.field(path)
        return own if own and (own.types or own.values) else ours or own

    def annotation(self, need: Need) -> dict[str, Any]:
        """Return what to say of an item without what it needs."""
        needed_list, needed = need.others[:-1], need.needed
        lists = need.items, need.others  # a profile's title may be no noun
        fields = [self.manifest.field(each) or self.own.field(each) for each in lists]
        nouns = [each.title.lower() if each and each.title else "item" for each in fields]
        plural = "s" if len(needed) > 1 else ""
        annotation: dict[str, Any] = {
            "needed": [format_pointer(needed_list), needed],
            "rule": _RULE,
            "message": f"the {nouns[0]} {{value}} needs the {nouns[1]}{plural} {_NEEDED}",
            "help": f"add {_NEEDED} to `{needed_list[-1]}`, or remove {{value}}",
            **{name: each for name, each in need.notes.items() if name in _TEXTS},
        }
        quoted = [f"`{each}`" for each in needed]
        listed = " and ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))
        for text in ("message", "help"):
            annotation[text] = annotation[text].replace(_NEEDED, listed)
        return annotation


def _present(place: Path, schema: dict[str, Any], *, typed: bool) -> dict[str, Any]:
    """Return a schema for the list at a place, where nothing on the way may be missing.

    With `typed`, what is no object or list there counts as missing too; else the manifest's schema
    demands the type.
    """
    if typed:
        schema = {"type": "array", **schema}
    for token in reversed(place):
        schema = {"properties": {token: schema}, "required": [token]}
        if typed:
            schema["type"] = "object"
    return schema
