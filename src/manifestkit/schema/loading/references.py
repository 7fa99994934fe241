"""The references of a user's schema: each leads to a schema, to one only, and never in a loop."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from graphlib import CycleError
from typing import Any, NamedTuple
from urllib.parse import quote, urljoin, urlsplit

from manifestkit.model.errors import PointerSyntaxError, SchemaError
from manifestkit.model.pointer import Path, format_pointer, parse_pointer
from manifestkit.schema.drafts import Dialect, subschemas, subschemas_of
from manifestkit.schema.loading.evaluation_paths import EvaluationPaths
from manifestkit.schema.loading.file import SchemaFile
from manifestkit.schema.packaged import base_schema
from manifestkit.schema.sources import Place, Resolver
from manifestkit.schema.suggest import nearest

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
    named: dict[str, Any],
    paths: EvaluationPaths,
    *,
    is_root: bool,
) -> list[Reference]:
    """Return the references of a file; refuse one that leads nowhere, or back without end.

    Refuse a schema, too, through which more evaluation paths lead than the engine can follow.

    Args:
        file: the schema's file.
        uri: its URI.
        resolver: looks its references up.
        named: the schemas of the files so far by their names, to which those of this one come.
        paths: the counter of the evaluation paths.
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
        if "$ref" not in schema:
            continue
        reference, path = schema["$ref"], (*file.paths[id(schema)], "$ref")
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
                f"into `{'definitions' if file.draft is Dialect.OLD else '$defs'}`",
            )
    try:
        paths.check_loops(places)
    except CycleError as error:
        own = [schema for schema, _ in places if id(schema) in error.args[1]]
        if not own:
            return found  # of a file beside this one, which is checked for itself
        raise file.error(
            file.paths[id(own[0])],
            "this schema refers to itself in a loop: checking against it would never end",
        ) from None
    if places and not paths.are_few(places[0]):
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
    meant = _meant(inside, reference)
    is_near = meant not in (None, reference)
    reason = f"did you mean `{meant}`?" if is_near else _reason(reference, error, has_id=has_id)
    raise file.error(path, f"`{reference}` cannot be resolved: {reason}")


def _meant(inside: Resolver, reference: str) -> str | None:
    """Return the reference that one to nothing was probably meant to be: one name is misspelt."""
    base, _, fragment = reference.partition("#")
    base = nearest(base, [base_schema().uri], sure=True) or base
    with suppress(LookupError, PointerSyntaxError):
        here, _ = inside.lookup(base or "#")
        path: Path = ()
        for token in parse_pointer(fragment):
            if not isinstance(here, dict):
                return None
            name = token if token in here else nearest(token, here, sure=True)
            here, path = here[name], (*path, name or "")
        return f"{base}#{format_pointer(path)}" if fragment else base
    return None


def _check_names(file: SchemaFile, uri: str, named: dict[str, Any]) -> None:
    """Refuse a schema with the name of another one: a reference may lead to either."""
    anchors = () if file.draft is Dialect.OLD else ("$anchor", "$dynamicAnchor")
    named.setdefault(uri, file.contents)
    todo: list[tuple[Any, str]] = [(file.contents, uri)]
    for schema, base in todo:
        if not isinstance(schema, dict):
            continue
        inside, names = base, {}
        is_ignored = file.draft is Dialect.OLD and "$ref" in schema
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


def _places(contents: Any, resolver: Resolver, draft: Dialect) -> Iterator[Place]:
    """Yield the objects among a schema's subschemas, each with the resolver of its references."""
    todo = [(contents, resolver)]
    while todo:
        schema, outside = todo.pop()
        inside = outside.within(schema)
        if isinstance(schema, dict):
            yield schema, inside
        todo.extend((below, inside) for below in _judging(schema, draft))


def _judging(schema: Any, draft: Dialect) -> Iterator[Any]:
    """Yield the subschemas of a schema, without `$defs` in draft 7, which ignores it."""
    for (keyword, *_), below in subschemas(schema):
        if keyword != "$defs" or draft is not Dialect.OLD:
            yield below


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
