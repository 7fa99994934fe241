"""Schemas from the user's files, checked before anything is judged by them."""

from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit
from urllib.request import url2pathname

from referencing import Registry, Resource
from referencing.exceptions import NoSuchResource
from referencing.jsonschema import specification_with

from manifestkit.decode import decode
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
from manifestkit.schema.sources import Sources

_KIND = "; a profile is a JSON Schema in JSON or YAML, such as `manifest schema` prints"
_SUFFIXES = (".json", ".yaml", ".yml", "")


def load_schema(path: Path, manifest_schema: Schema | None = None) -> Schema:
    """Return a schema from the user's file; it may refer to ours by ``$id`` and to files beside it.

    If it is a profile, `manifest_schema` is what a manifest must be, and its ``$id`` leads to it.

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
    references = References(described_by.sources)
    resolved: set[str] = set()
    while left := [each for each in files.read.items() if each[0] not in resolved]:
        for uri, file in left:
            references.resolve(file, registry.resolver(uri))
            resolved.add(uri)
    read = [*files.read.values()]
    references.check(read)
    schema = Schema(
        relative_name(path),
        Sources(
            files.root.contents,
            references.targets,
            (*(file.contents for file in read), *described_by.sources.resources),
            files.root.draft,
            {_file_of(uri): each.contents for uri, each in files.read.items()},
        ),
        read_by=(load_schema, (path, manifest_schema)),
    )
    if manifest_schema is not None:
        check_profile(schema, manifest_schema, read)
    known = {name for each in (described_by, schema) for name in each.member_names}
    for file in read:
        file.check_requires()
        file.check_placeholders(known)
    schema.validator.compile()
    return schema


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
        ours, root = self._manifest_schema, self.root.contents
        contents = {
            _id_of(ours.contents) or base_schema().contents["$id"]: ours.contents,
            # A changed copy of ours keeps our $id: inside it, that must mean the copy.
            urljoin(self.uri, _id_of(root)): root,
            self.uri: root,
        }
        resources = ((uri, self._resource(each)) for uri, each in contents.items())
        # Crawled once: what is looked up by an anchor would crawl it each time.
        return own.with_resources(resources).crawl()

    def _resource(self, contents: Any) -> Resource[Any]:
        draft = Dialect.of(contents, self._draft) or self._draft
        return specification_with(draft.uri).create_resource(contents)

    def _retrieve(self, uri: str) -> Resource[Any]:
        for each, file in self.read.items():
            if uri == urljoin(each, _id_of(file.contents)):
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
            is_name = not path.suffix and "no such" in error.reason
            likely = [f"{path.name}.*", f"*/{path.name}.*"] * is_name
            found = (sorted(path.parent.glob(x)) for x in ([path.name] if "*" in name else likely))
            near = [relative_name(x) for each in found for x in each if x.suffix in _SUFFIXES[:-1]]
            reason = f"{error.reason}{f'; did you mean `{near[0]}`?' if near else _KIND * is_name}"
            if "*" in name:
                each = f"name each file, such as `{next(iter(near), 'host.json')}`"
                reason = f"no such file: wildcards are not expanded here; {each}"
            raise SchemaError(f"{name}: {reason}") from error
        read = decode(data, name)
        if read.findings:
            first = read.findings[0]
            place = f"{first.path}:{first.location.line}:{first.location.column}"
            kind = "" if path.suffix in _SUFFIXES else _KIND
            raise SchemaError(f"{place}: {first.message}{kind}")
        file = SchemaFile(read.document, self._draft)
        file.check()
        return with_needs(file, self._manifest_schema)


def _file_of(uri: str) -> Path:
    return Path(url2pathname(urlsplit(uri).path))


def _id_of(contents: Any) -> str:
    found = contents.get("$id") if isinstance(contents, dict) else None
    return (found or "").removesuffix("#")
