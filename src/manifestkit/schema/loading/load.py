"""Schemas from the user's files, checked before anything is judged by them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit
from urllib.request import url2pathname

from referencing import Registry, Resource, Specification
from referencing.exceptions import NoSuchResource, Unresolvable
from referencing.jsonschema import specification_with

from manifestkit.files import read_bytes, relative_name
from manifestkit.model.errors import SchemaError, UnreadableFileError
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.schema.drafts import Dialect
from manifestkit.schema.loading.file import SchemaFile
from manifestkit.schema.loading.needs import with_needs
from manifestkit.schema.loading.profile import check_profile
from manifestkit.schema.loading.references import References
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import base_schema
from manifestkit.schema.sources import Place, Sources


def load_schema(path: Path, manifest_schema: Schema | None = None) -> Schema:
    """Return a schema from the user's file; it may refer to ours by ``$id`` and to files beside it.

    Args:
        path: the file.
        manifest_schema: what a manifest must be, if the schema is a profile beside it; a reference
            to its ``$id`` leads to it.

    Raises:
        SchemaError: the file cannot be read (that is its cause), is no JSON Schema, misspells a
            keyword, has a pattern that the linear engine does not take, a reference that leads
            nowhere, outside the file's folder, to the network, or back to itself, or more
            evaluation paths than anyone can wait for.
    """
    try:
        return _loaded(path, manifest_schema)
    except SchemaError:
        raise
    except Exception as error:
        # A stranger's schema can say what no check expects, at any place.
        raise SchemaError(f"{relative_name(path)}: this schema cannot be used: {error}") from error


def _loaded(path: Path, manifest_schema: Schema | None) -> Schema:
    described_by = manifest_schema or base_schema()
    files = _Files(path, described_by)
    registry = files.registry()
    root = files.root
    references = References()
    checked: set[str] = set()
    seen: set[Path] = set()
    while left := [each for each in files.read if each not in checked]:
        for each in left:
            own, path_of_own = files.read[each], _file_of(each).resolve()
            resolver = _Resolver(registry.resolver(each), specification_with(own.draft.uri))
            is_root, is_again = own is files.root, path_of_own in seen
            references.check(own, each, resolver, is_root=is_root, is_again=is_again)
            checked.add(each)
            seen.add(path_of_own)
    read = [*files.read.values()]
    references.check_needs(root.contents, read)
    resolver = _Resolver(registry.resolver(files.uri), specification_with(root.draft.uri))
    sources = Sources(
        files.uri,
        root.contents,
        resolver.within(root.contents),
        root.draft,
        files.resources(),
        {_file_of(uri): each.contents for uri, each in files.read.items()},
    )
    schema = Schema(relative_name(path), sources, read_by=(load_schema, (path, manifest_schema)))
    if manifest_schema is not None:
        targets = {id(each.schema): each.target for each in references.found}
        check_profile(schema, manifest_schema, read, targets)
    known = {name for each in (described_by, schema) for name in each.member_names}
    for own in read:
        own.check_placeholders(known)
    schema.validator.compile()
    return schema


class _Resolver(NamedTuple):
    resolver: Any
    specification: Specification[Any]

    def lookup(self, reference: str) -> Place:
        """Look a reference up.

        Raises:
            LookupError: it leads nowhere; its cause says why.
        """
        try:
            found = self.resolver.lookup(reference)
        except (Unresolvable, ValueError) as error:
            raise LookupError(reference) from error
        return found.contents, self._replace(resolver=found.resolver)

    def within(self, schema: Any) -> _Resolver:
        if not isinstance(schema, dict) or "$id" not in schema:
            return self
        resource = self.specification.create_resource(schema)
        return self._replace(resolver=self.resolver.in_subresource(resource))


class _Files:
    """The files that a schema is made of: nothing but what stands in its folder.

    Attributes:
        root: the schema's own file.
        uri: the URI of that file.
        read: each file that was read, by its URI. It is read once: a loop of references is known
            by coming to the very same schema again.
    """

    def __init__(self, path: Path, manifest_schema: Schema) -> None:
        self._manifest_schema = manifest_schema
        self._draft = Dialect.CURRENT
        self.root = self._read(path, relative_name(path))
        self._draft = self.root.draft
        file = path.resolve()
        self._folder = file.parent
        self.uri = file.as_uri()
        self.read = {self.uri: self.root}

    def registry(self) -> Registry[Any]:
        """Return the manifest's schema and whatever stands in the folder."""
        own: Registry[Any] = Registry(retrieve=self._retrieve)  # type: ignore[call-arg]  # attrs
        contents = _resources_of(self._manifest_schema)
        resource = self._resource(self.root.contents)
        if resource.id() is not None:
            # A changed copy of ours keeps our $id: inside it, that must mean the copy.
            contents[urljoin(self.uri, str(resource.id()))] = self.root.contents
        contents[self.uri] = self.root.contents
        resources = ((uri, self._resource(each)) for uri, each in contents.items())
        # Crawled once: what is looked up by an anchor would crawl it each time.
        return own.with_resources(resources).crawl()

    def resources(self) -> dict[str, Any]:
        """Every schema that may be referred to, by its own URI and by that of its file."""
        found: dict[str, Any] = {}
        for uri, file in self.read.items():
            found.setdefault(urljoin(uri, _id_of(file.contents) or ""), file.contents)
            found.setdefault(uri, file.contents)
        return {**_resources_of(self._manifest_schema), **found}

    def _resource(self, contents: Any) -> Resource[Any]:
        default = specification_with(self._draft.uri)
        named = contents.get("$schema") if isinstance(contents, dict) else None
        specification = specification_with(named, default=default) if named else default
        return specification.create_resource(contents)

    def _retrieve(self, uri: str) -> Resource[Any]:
        for each, file in self.read.items():
            if uri == urljoin(each, _id_of(file.contents) or ""):
                return self._resource(file.contents)
        if uri not in self.read:
            path = _file_of(uri).resolve()
            if urlsplit(uri).scheme != "file" or not path.is_relative_to(self._folder):
                raise NoSuchResource(uri)
            self.read[uri] = self._read(path, relative_name(path))
        return self._resource(self.read[uri].contents)

    def _read(self, path: Path, name: str) -> SchemaFile:
        try:
            data = read_bytes(path, DEFAULT_LIMITS.bytes)
        except UnreadableFileError as error:
            raise SchemaError(f"{name}: {error.reason}") from error
        file = SchemaFile.read(data, name)
        draft = Dialect.of(file.contents, self._draft)
        if draft is None:
            named = file.contents["$schema"]
            raise file.error(
                ("$schema",),
                f"{named if isinstance(named, str) else json.dumps(named)} is not a supported "
                "draft; use https://json-schema.org/draft/2020-12/schema or draft 7",
            )
        file = SchemaFile(file.document, draft)
        file.check()
        return with_needs(file, self._manifest_schema)


def _file_of(uri: str) -> Path:
    return Path(url2pathname(urlsplit(uri).path))


def _id_of(contents: Any) -> str | None:
    found = contents.get("$id") if isinstance(contents, dict) else None
    return found and found.removesuffix("#")


def _resources_of(schema: Schema) -> dict[str, Any]:
    """Return a schema that others may refer to by its ``$id``, and what it refers to itself."""
    resources = dict(schema.sources.resources or {schema.uri: schema.contents})
    return {_id_of(schema.contents) or base_schema().uri: schema.contents, **resources}
