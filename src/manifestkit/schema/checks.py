"""Whether a user's schema can be judged by, told with the place of what is wrong in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from manifestkit.document import Document
from manifestkit.errors import SchemaError
from manifestkit.pointer import Path
from manifestkit.schema.fields import ANNOTATION, CLOSED, Resolver
from manifestkit.schema.model import Schema
from manifestkit.schema.nearness import nearest
from manifestkit.schema.patterns import is_pattern
from manifestkit.schema.ways import EndlessError, Ways, references

_APPLICATORS = ("then", "else", "definitions", "minContains", "maxContains")
_ANNOTATIONS = frozenset({"title", "description", "examples", "default", "deprecated"})
_MOST_UNKNOWN = 250
_REMOTE = ("http:", "https:", "ftp:")


def check_dialect(document: Document, dialect: Any) -> None:
    """Refuse a schema of a draft that is not known here.

    Raises:
        SchemaError: with the file, line and column.
    """
    contents = document.value
    if dialect is None or not hasattr(dialect, "META_SCHEMA") or "const" not in dialect.VALIDATORS:
        raise _error(
            document,
            ("$schema",),
            f"{contents['$schema']} is no draft that is known here; use draft 6, 7, 2019-09 or "
            "https://json-schema.org/draft/2020-12/schema",
        )


def check_has_keywords(document: Document, dialect: Any) -> None:
    """Refuse an object without a keyword: it would allow everything.

    Raises:
        SchemaError: with the file, line and column.
    """
    contents = document.value
    if isinstance(contents, dict):
        words = {name for name in contents if not name.startswith(("$", "x-"))} - _ANNOTATIONS
        if words and not words & {*dialect.VALIDATORS, *_APPLICATORS} and "$ref" not in contents:
            raise _error(
                document, (), "no JSON Schema: it has no keyword of one; is it a manifest?"
            )


def check_keywords(document: Document, dialect: Any) -> None:
    """Refuse a document that is no schema, or has a pattern that cannot be used.

    Raises:
        SchemaError: with the file, line and column of the first thing that is wrong.
    """
    wrong = _first_wrong(document.value, dialect)
    if wrong is not None:
        raise _error(document, wrong[0], f"no JSON Schema: {wrong[1]}")
    paths = dict(_paths(document.value))
    for schema in _subschemas(document.value):
        _check_patterns(document, schema, paths[id(schema)])


def check_spelling(document: Document, dialect: Any) -> None:
    """Refuse a misspelt keyword, which would be passed over, and what it demands with it.

    Any other unknown name is an annotation, as JSON Schema has it (2020-12 core, 6.5); so is one
    that starts with `x-` or `$`, and whatever resembles the name of an annotation only. Of more
    unknown names than a schema written by hand has, the first are looked at.

    Raises:
        SchemaError: with the file, line and column of one such keyword.
    """
    keywords = frozenset({*dialect.VALIDATORS, *_APPLICATORS})
    meant: dict[str, str | None] = {}
    for schema in _subschemas(document.value):
        for name in schema:
            if name in keywords or name.startswith(("$", "x-")):
                continue
            if name not in meant and len(meant) < _MOST_UNKNOWN:
                meant[name] = nearest(name, keywords, sure=True)
            if meant.get(name) is not None:
                path = dict(_paths(document.value))[id(schema)]
                place = document.locate_key((*path, name))
                raise SchemaError(
                    f"{document.name}:{place.line}:{place.column}: "
                    f"`{name}` is no keyword; did you mean `{meant[name]}`?"
                )


def _first_wrong(contents: Any, dialect: Any) -> tuple[Path, str] | None:
    """What keeps a document from being a schema of a draft, with its place; None if it is one."""
    named = contents
    if isinstance(contents, dict):  # else an unknown `$schema` would be fetched
        named = {**contents, "$schema": dialect.META_SCHEMA["$schema"]}
    try:
        jsonschema_rs.meta.validate(named)
    except jsonschema_rs.ValidationError as error:
        return tuple(error.instance_path), error.message
    except ValueError:  # what the compiled engine cannot hold
        slow = best_match(dialect(dialect.META_SCHEMA).iter_errors(contents))
        return None if slow is None else (tuple(slow.absolute_path), slow.message)
    return None


def check_annotations(document: Document, annotation: Schema) -> None:
    """Refuse an annotation that would be passed over: a misspelt member, a wrong type.

    Raises:
        SchemaError: with the file, line and column of the first such annotation.
    """
    paths = dict(_paths(document.value))
    for schema in _subschemas(document.value):
        for fault in annotation.faults(schema[ANNOTATION]) if ANNOTATION in schema else ():
            if fault.keyword in CLOSED:
                known = ", ".join(f"`{name}`" for name in annotation.contents["properties"])
                problem = f"`{ANNOTATION}` knows no `{fault.member}`; it has {known}"
            elif "message" in fault.annotations():
                problem = fault.annotations()["message"]
                problem = problem.replace("{value}", f"`{json.dumps(fault.instance)}`")
            else:
                place = ".".join(map(str, (ANNOTATION, *fault.path)))
                problem = f"`{place}` breaks `{fault.keyword}`: {json.dumps(fault.expected)}"
            path = (*paths[id(schema)], ANNOTATION, *fault.path)
            raise _error(document, path, problem)


def check_references(document: Document, resource: Resource[Any], resolver: Resolver) -> bool:
    """Refuse a schema with a reference that leads nowhere, or back to itself without end.

    Args:
        document: the schema's file, for telling places in it.
        resource: the schema, as a resource of its draft.
        resolver: looks its references up.

    Returns:
        Whether the ways through it are few: see `Ways`.

    Raises:
        SchemaError: with the file, line and column of the first such reference.
    """
    paths = dict(_paths(resource.contents))
    subschemas = list(_resolvable_subschemas(resource, resolver))
    known = frozenset(id(schema) for schema, _ in subschemas)
    for schema, inside in subschemas:
        _check_reference(document, schema, paths[id(schema)], inside, known)
    try:
        ways = Ways(subschemas)
    except EndlessError as error:
        own = [paths[id(schema)] for schema, _ in subschemas if id(schema) in error.schemas]
        if not own:
            return False  # of a file beside this one, which is checked for itself
        raise _error(
            document,
            own[0],
            "this schema leads back to itself by a reference: judging by it would never end",
        ) from None
    return ways.are_few(resource.contents)


def _check_patterns(document: Document, schema: dict[str, Any], path: Path) -> None:
    patterns: list[tuple[Path, str]] = [
        (("patternProperties", name), name) for name in schema.get("patternProperties", ())
    ]
    if "pattern" in schema:
        patterns.append((("pattern",), schema["pattern"]))
    for where, pattern in patterns:
        if not is_pattern(pattern):
            raise _error(
                document,
                (*path, *where),
                f"`{pattern}` is no regular expression that can be used: patterns run in linear "
                "time, without lookaround and backreferences",
            )


def _check_reference(
    document: Document,
    schema: dict[str, Any],
    path: Path,
    resolver: Resolver,
    known: frozenset[int],
) -> None:
    for keyword, reference in references(schema):
        try:
            target = resolver.lookup(reference).contents
        except (Unresolvable, ValueError) as error:
            raise _error(
                document,
                (*path, keyword),
                f"`{reference}` leads nowhere: {_reason(reference, error)}",
            ) from None
        if id(target) not in known and not _is_schema(target):
            raise _error(document, (*path, keyword), f"`{reference}` leads to what is no schema")


def _is_schema(target: Any) -> bool:
    """Whether what stands at a place where no schema is due is one all the same."""
    return isinstance(target, dict | bool) and _first_wrong(target, Draft202012Validator) is None


def _reason(reference: str, error: BaseException) -> str:
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, SchemaError):
        cause = cause.__cause__
    if cause is not None:
        return str(cause)
    if reference.startswith(_REMOTE):
        return "nothing is fetched over the network; save the schema beside this file"
    return "name a place in this file, a file in its folder, or a schema by its `$id`"


def _subschemas(contents: Any) -> Iterator[dict[str, Any]]:
    resource = Resource.from_contents(contents, default_specification=DRAFT202012)
    return (schema for schema, _ in _resolvable_subschemas(resource, Registry().resolver()))


def _resolvable_subschemas(
    whole: Resource[Any], resolver: Resolver
) -> Iterator[tuple[dict[str, Any], Resolver]]:
    """Every object among a schema's subschemas, with the resolver of its references."""
    todo = [(whole, resolver)]
    while todo:
        resource, outside = todo.pop()
        inside = outside.in_subresource(resource)
        if isinstance(resource.contents, dict):
            yield resource.contents, inside
        todo.extend((each, inside) for each in resource.subresources())


def _paths(value: Any) -> Iterator[tuple[int, Path]]:
    todo: list[tuple[Any, Path]] = [(value, ())]
    while todo:
        each, path = todo.pop()
        if isinstance(each, dict):
            yield id(each), path
            todo.extend((member, (*path, name)) for name, member in each.items())
        elif isinstance(each, list):
            todo.extend((item, (*path, index)) for index, item in enumerate(each))


def _error(document: Document, path: Path, message: str) -> SchemaError:
    try:
        place = document.locate(path)
    except KeyError:
        place = document.locate(())
    return SchemaError(f"{document.name}:{place.line}:{place.column}: {message}")
