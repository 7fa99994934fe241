"""The references of a user's schema: each leads to a schema, to one only, and never in a loop."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from graphlib import CycleError
from typing import Any, NamedTuple
from urllib.parse import quote, urljoin, urlsplit

from manifestkit.model.errors import SchemaError
from manifestkit.model.pointer import Path
from manifestkit.schema.drafts import OLD, subschemas, subschemas_of
from manifestkit.schema.loading.evaluation_paths import has_few_paths, references
from manifestkit.schema.loading.file import SchemaFile
from manifestkit.schema.sources import Place, Resolver

_REMOTE = ("http:", "https:", "ftp:")
_IN_URI = "!$%&'()*+,/:;=?@[]"
_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


class Reference(NamedTuple):
    """A reference in a file, and the part of a schema that it leads to."""

    file: SchemaFile
    path: Path
    text: str
    schema: dict[str, Any]
    target: Any


def check_references(
    file: SchemaFile,
    uri: str,
    resolver: Resolver,
    known: frozenset[int],
    named: dict[str, Any],
    *,
    is_root: bool,
) -> list[Reference]:
    """Return the references of a file; refuse one that leads nowhere, or back without end.

    Refuse a schema, too, through which more evaluation paths lead than the engine can follow.

    Args:
        file: the schema's file.
        uri: its URI.
        resolver: looks its references up.
        known: the ids of schemas that need no check.
        named: the schemas of the files so far by their names, to which those of this one come.
        is_root: whether the others are read for this one.

    Raises:
        SchemaError: with the file, line and column of the first such reference.
    """
    _check_names(file, uri, named)
    places = list(_places(file.contents, resolver, file.draft))
    # What stands elsewhere than where keywords have schemas is not checked, by file.
    checked = {id(file.contents): set(map(id, file.schemas))}
    found: list[Reference] = []
    for schema, inside in places:
        for keyword, reference in references(schema, file.draft):
            path = (*file.paths[id(schema)], keyword)
            _check_uri(file, path, reference)
            target = _target(file, inside, path, reference, is_root=is_root)
            found.append(Reference(file, path, reference, schema, target))
            if isinstance(target, bool) or id(target) in checked[id(file.contents)]:
                continue
            contents, _ = inside.lookup(reference.partition("#")[0] or "#")
            if id(contents) not in checked:
                checked[id(contents)] = set(map(id, subschemas_of(contents)))
            if id(target) not in checked[id(contents)]:
                raise file.error(
                    path,
                    f"`{reference}` does not lead to a schema; put schemas that others refer to "
                    f"into `{'definitions' if file.draft == OLD else '$defs'}`",
                )
    try:
        has_few = has_few_paths(file.contents, places, known, file.draft)
    except CycleError as error:
        own = [schema for schema, _ in places if id(schema) in error.args[1]]
        if not own:
            return found  # of a file beside this one, which is checked for itself
        raise file.error(
            file.paths[id(own[0])],
            "this schema refers to itself in a loop: checking against it would never end",
        ) from None
    if not has_few:
        raise file.error(
            (),
            "this schema has too many evaluation paths: use fewer `$ref`, `allOf`, `anyOf` and "
            "`oneOf` that lead to the same schema",
        )
    return found


def _check_uri(file: SchemaFile, path: Path, reference: str) -> None:
    """Refuse what is no URI reference (RFC 3986), which the engine cannot follow."""
    base, number, fragment = reference.partition("#")
    uri = quote(_PERCENT.sub("%25", base), _IN_URI, errors="surrogatepass")
    if uri != base:
        meant = f"{uri}{number}{fragment}"
        raise file.error(path, f"`{reference}` is not a URI reference; write `{meant}`")


def _target(
    file: SchemaFile, inside: Resolver, path: Path, reference: str, *, is_root: bool
) -> Any:
    """Return the part of a schema that a reference leads to; the path ends in its keyword."""
    has_id = isinstance(file.contents, dict) and "$id" in file.contents
    error: LookupError | None = None
    # Relative in a file beside the root, it may count from the file or from its `$id`.
    if is_root or not has_id or reference.startswith("#") or urlsplit(reference).scheme:
        try:
            return inside.lookup(reference)[0]
        except LookupError as problem:
            error = problem
    reason = _reason(reference, error, has_id=has_id)
    raise file.error(path, f"`{reference}` cannot be resolved: {reason}")


def _check_names(file: SchemaFile, uri: str, named: dict[str, Any]) -> None:
    """Refuse a schema with the name of another one: a reference may lead to either."""
    anchors = () if file.draft == OLD else ("$anchor", "$dynamicAnchor")
    named.setdefault(uri, file.contents)
    todo: list[tuple[Any, str]] = [(file.contents, uri)]
    for schema, base in todo:
        if not isinstance(schema, dict):
            continue
        inside, names = base, {}
        is_ignored = file.draft == OLD and "$ref" in schema
        own = None if is_ignored else schema.get("$id")
        _check_uri(file, (*file.paths[id(schema)], "$id"), own or "")
        if own and own.startswith("#") and own != "#":  # an anchor of draft 7
            names["$id"] = base + own
        elif own is not None:
            inside = names["$id"] = urljoin(base, own.removesuffix("#"))
        names.update((each, f"{inside}#{schema[each]}") for each in anchors if each in schema)
        for keyword, name in names.items():
            if named.setdefault(name, schema) is not schema:
                path = (*file.paths[id(schema)], keyword)
                message = f"`{schema[keyword]}` names another schema too"
                raise file.error(path, f"{message}; give each its own name")
        todo.extend((below, inside) for below in _judging(schema, file.draft))


def _places(contents: Any, resolver: Resolver, draft: str) -> Iterator[Place]:
    """Yield the objects among a schema's subschemas, each with the resolver of its references."""
    todo = [(contents, resolver)]
    while todo:
        schema, outside = todo.pop()
        inside = outside.within(schema)
        if isinstance(schema, dict):
            yield schema, inside
        todo.extend((below, inside) for below in _judging(schema, draft))


def _judging(schema: Any, draft: str) -> Iterator[Any]:
    """Yield the subschemas of a schema, without `$defs` in draft 7, which ignores it."""
    for (keyword, *_), below in subschemas(schema):
        if keyword != "$defs" or draft != OLD:
            yield below


def outermost_anchors(
    root: Any, files: Iterable[SchemaFile], found: Iterable[Reference], metaschema: Any
) -> dict[str, dict[str, Any]]:
    """Return what a dynamic reference leads to, by its anchor, where several schemas have it.

    All evaluation paths come through the root, and through the metaschema to its parts.

    Args:
        root: the schema.
        files: the files that it is made of.
        found: the references in them.
        metaschema: that of draft 2020-12, if a reference may lead to it.

    Raises:
        SchemaError: it depends on the evaluation path; with the file, line and column.
    """
    anchored: dict[str, list[dict[str, Any]]] = {}
    outermost: dict[str, dict[str, Any]] = {}
    for file in files:
        for name, schema, is_inner in _anchors(file.contents):
            anchored.setdefault(name, []).append(schema)
            if file.contents is root and not is_inner:
                outermost[name] = schema
    if metaschema is not None:
        name = metaschema["$dynamicAnchor"]
        if name not in anchored:
            outermost[name] = metaschema
        anchored.setdefault(name, []).append(metaschema)
    for each in found:
        keyword, target = each.path[-1], each.target if isinstance(each.target, dict) else {}
        name = each.text.partition("#")[2]
        is_dynamic = keyword != "$ref" and name == target.get("$dynamicAnchor")
        if is_dynamic and name not in outermost and len(anchored.get(name, ())) > 1:
            message = f"`{each.text}` may lead to several schemas, one for each way to this place"
            raise each.file.error(each.path, f"{message}; name one of them in a `$ref`")
    return {
        name: schema
        for name, schema in outermost.items()
        if len(anchored[name]) > 1 or schema is metaschema
    }


def _anchors(contents: Any) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Yield each dynamic anchor with its schema, and whether that is inside one with an `$id`."""
    todo = [(contents, False)]
    while todo:
        schema, is_inner = todo.pop()
        if not isinstance(schema, dict):
            continue
        is_inner = is_inner or ("$id" in schema and schema is not contents)
        if "$dynamicAnchor" in schema:
            yield schema["$dynamicAnchor"], schema, is_inner
        todo.extend((below, is_inner) for _, below in subschemas(schema))


def _reason(reference: str, error: BaseException | None, *, has_id: bool) -> str:
    while error is not None and not isinstance(error, SchemaError):
        error = error.__cause__
    if error is not None:
        return "; ".join(error.problems)
    if reference.startswith(_REMOTE):
        return "schemas are not fetched over the network; save the schema next to this file"
    if has_id and not reference.startswith("#"):  # it counts from there
        return (
            "use a place in this file, or the `$id` of a schema; to refer to a file in its folder, "
            "leave out the `$id` of this one"
        )
    return "use a place in this file, a file in its folder, or the `$id` of a schema"
