"""Schemas from the user's files, checked before anything is judged by them."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for
from jsonschema_specifications import REGISTRY as METASCHEMAS  # type: ignore[import-untyped]
from referencing import Registry, Resource
from referencing.exceptions import NoSuchResource
from referencing.jsonschema import DRAFT202012, specification_with

from manifestkit.decode import decode
from manifestkit.document import Document
from manifestkit.errors import SchemaError, UnreadableFileError
from manifestkit.files import nearby, read_bytes, shown
from manifestkit.limits import DEFAULT_LIMITS
from manifestkit.schema.checks import (
    check_annotations,
    check_dialect,
    check_has_keywords,
    check_keywords,
    check_references,
    check_spelling,
)
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import BASE_ID, base_schema, packaged_schema

_ANNOTATION_FILE = "annotation.schema.json"


def load_schema(path: Path, manifest_schema: Schema | None = None) -> Schema:
    """A schema from the user's file; it may refer to ours by ``$id`` and to files beside it.

    Args:
        path: the file.
        manifest_schema: what a manifest must be, when that is another schema than ours: then a
            reference to its ``$id`` leads to it.

    Raises:
        SchemaError: the file cannot be read (that is its cause), is no JSON Schema, misspells a
            keyword, has a pattern that the linear engine does not take, or a reference that leads
            nowhere, outside the file's folder, to the network, or back to itself.
    """
    try:
        return _loaded(path, manifest_schema)
    except SchemaError:
        raise
    except Exception as error:
        # A stranger's schema can say what no check expects, at any place.
        raise SchemaError(f"{shown(path)}: this schema cannot be used: {error}") from error


def _loaded(path: Path, manifest_schema: Schema | None) -> Schema:
    document, dialect = _read(path, shown(path))
    root = path.resolve()
    resource = _resource(document.value)
    beside: _Beside = {}
    registry = _local_registry(root.parent, beside).with_resource(root.as_uri(), resource)
    if manifest_schema is not None:
        replaced = DRAFT202012.create_resource(manifest_schema.contents)
        registry = registry.with_resource(replaced.id() or manifest_schema.uri, replaced)
    if resource.id() is not None:
        # A changed copy of ours keeps our $id: inside it, that must mean the copy.
        registry = registry.with_resource(str(resource.id()), resource)
    registry = registry.crawl()  # once: what is looked up by an anchor would crawl it each time
    has_few_ways = check_references(document, resource, registry.resolver(root.as_uri()))
    _check_beside(beside, registry)
    is_current = dialect is Draft202012Validator
    return Schema(
        shown(path),
        resource.contents,
        root.as_uri(),
        None if is_current else dialect,
        registry,
        is_compilable=is_current and has_few_ways,
    )


_Beside = dict[str, tuple[Document, Resource[Any]]]
"""The files that references led to, by their URIs."""


def _check_beside(beside: _Beside, registry: Registry[Any]) -> None:
    """Check the references of the files that were referred to, and of those that they refer to."""
    checked: set[str] = set()
    while left := [uri for uri in beside if uri not in checked]:
        checked.update(left)
        for uri in left:
            check_references(*beside[uri], registry.resolver(uri))


def _local_registry(folder: Path, beside: _Beside) -> Registry[Any]:
    """Ours, the metaschemas, and whatever stands in a folder; nothing is ever fetched.

    Args:
        folder: where files may stand.
        beside: gets each file that is read, by its URI. It is read once: a loop of references is
            known by coming to the very same schema again.
    """

    def retrieve(uri: str) -> Resource[Any]:
        if uri in beside:
            return beside[uri][1]
        parts = urlsplit(uri)
        if parts.scheme != "file":
            raise NoSuchResource(uri)
        path = Path(url2pathname(parts.path)).resolve()
        if not path.is_relative_to(folder):
            raise NoSuchResource(uri)
        document = _read(path, nearby(path))[0]
        resource = _resource(document.value)
        beside[uri] = document, resource
        return resource

    ours: Registry[Any] = Registry(retrieve=retrieve)  # type: ignore[call-arg]  # attrs alias
    registry: Registry[Any] = ours.combine(METASCHEMAS).with_resource(
        BASE_ID, DRAFT202012.create_resource(base_schema().contents)
    )
    return registry


def _resource(contents: Any) -> Resource[Any]:
    """A resource without its ``$schema``: jsonschema would turn to a validator class of its own."""
    if not isinstance(contents, dict):
        return DRAFT202012.create_resource(contents)
    specification = specification_with(contents.get("$schema", ""), default=DRAFT202012)
    return specification.create_resource(
        {name: member for name, member in contents.items() if name != "$schema"}
    )


def _read(path: Path, name: str) -> tuple[Document, Any]:
    """A schema file, named so to the user, and the validator class of its dialect."""
    try:
        data = read_bytes(path, DEFAULT_LIMITS.bytes)
    except UnreadableFileError as error:
        raise SchemaError(f"{name}: {error.reason}") from error
    decoded = decode(data, name)
    if decoded.findings:
        first = decoded.findings[0]
        place = f"{first.path}:{first.location.line}:{first.location.column}"
        raise SchemaError(f"{place}: {first.message}")
    contents = decoded.document.value
    named = isinstance(contents, dict) and isinstance(contents.get("$schema"), str)
    find: Any = validator_for  # whose type knows no None
    dialect = find(contents, default=None) if named else Draft202012Validator
    check_dialect(decoded.document, dialect)
    check_keywords(decoded.document, dialect)
    check_spelling(decoded.document, dialect)
    check_has_keywords(decoded.document, dialect)
    check_annotations(decoded.document, packaged_schema(_ANNOTATION_FILE))
    return decoded.document, dialect
