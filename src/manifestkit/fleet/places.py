"""Places of manifests and results: local paths, and addresses of object stores."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple
from urllib.parse import urlsplit

import pyarrow as pa
from pyarrow import fs as stores

from manifestkit.files import is_folder, reason_of, unlike_file
from manifestkit.model.errors import ConfigurationError, UnreadableFileError

CONNECT_SECONDS = 5
REQUEST_SECONDS = 10
ATTEMPTS = 3

_OBJECT_STORES = frozenset({"abfs", "gcs", "s3"})
_ENDPOINT = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
_REGION = ("AWS_REGION", "AWS_DEFAULT_REGION")
_REFUSED = (
    r"ACCESS_DENIED|INVALID_ACCESS_KEY_ID|INVALID_CLIENT_TOKEN_ID|SIGNATURE_DOES_NOT_MATCH"
    r"|InvalidAccessKeyId|Forbidden|HTTP (?:status|response code) 40[13]"
)
_REFUSED_MEANS = (
    "the store refuses the credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or what "
    "your store reads from the environment"
)
_REASONS = (
    (_REFUSED, _REFUSED_MEANS),
    (r"NO_SUCH_BUCKET|[Bb]ucket .*(?:does not exist|not found)", "there is no such bucket"),
    (
        r"NETWORK_CONNECTION|REQUEST_TIMEOUT|curlCode|[Tt]imed? ?out|SLOW_DOWN",
        f"the store does not answer; tried {ATTEMPTS} times, {REQUEST_SECONDS} s each",
    ),
)
"""Texts of stores, and what they mean."""
_OF_STORES = r"(?i)\bAWS\b|google::cloud|\bazure\b|\bHDFS\b|\bHTTP\b"
"""Part of all of pyarrow's errors about a store, and of none about a file."""
_ODD_CONTENT = (pa.ArrowInvalid, pa.ArrowNotImplementedError, UnicodeDecodeError, EOFError)
_UNSUPPORTED = r"(?i)not (?:yet )?implemented|unsupported"


class StoredFile(NamedTuple):
    """A file of a store, or what stands where one is meant to be.

    A slash ends the path of a folder that cannot be listed. Bytes of a name of this machine that
    are not UTF-8 are lone surrogates.
    """

    path: str  # in the store
    size: int
    mtime_ns: int | None
    unlike: str | None = None  # why it cannot be read; None for a file
    is_linked_folder: bool = False  # a link of this machine to a folder, which is not followed


class Place(NamedTuple):
    """A file or a folder of a store."""

    address: str  # as the user wrote it
    store: stores.FileSystem
    path: str  # in the store

    @property
    def is_local(self) -> bool:
        """Return whether this is a path of this machine."""
        return bool(self.store.type_name == "local")

    @property
    def puts_whole(self) -> bool:
        """Return whether the store cannot rename, and writes an object at once."""
        return self.store.type_name in _OBJECT_STORES

    def below(self, name: str) -> Place:
        """Return a file or a folder in this folder."""
        path = f"{self.path}/{name}" if self.path else name
        return self._replace(address=f"{self.address.rstrip('/')}/{name}", path=path)

    def file(self) -> StoredFile | None:
        """Return the status of a file; None for a folder.

        Raises:
            UnreadableFileError: there is nothing.
        """
        with reading(self.address):
            if self.is_local and os.path.lexists(self.path):
                return None if is_folder(self.path) else _local(self.path)
            info = None if self.is_local else self.store.get_file_info(self.path)
        if info is None or info.type == stores.FileType.NotFound:
            raise UnreadableFileError(self.address, "no such file or folder")
        return _stored(info) if info.is_file else None

    def files(self) -> list[StoredFile]:
        """List the files and links in a folder and below, in order; none without a folder."""
        with reading(self.address):
            if self.is_local:  # whose links to folders may lead anywhere
                found = [*_walked(self.path)]
            else:
                selector = stores.FileSelector(self.path, allow_not_found=True, recursive=True)
                found = [_stored(i) for i in self.store.get_file_info(selector) if i.is_file]
        return sorted(found)


def _stored(info: stores.FileInfo) -> StoredFile:
    return StoredFile(info.path, info.size, info.mtime_ns)


def _walked(folder: str) -> Iterator[StoredFile]:
    errors: list[OSError] = []
    for parent, folders, names in os.walk(folder, onerror=errors.append):
        yield from (_local(f"{parent}/{name}".replace(os.sep, "/")) for name in names)
        for name in folders:
            if os.path.islink(path := f"{parent}/{name}"):  # noqa: PTH114 - a text
                yield StoredFile(path.replace(os.sep, "/"), 0, None, is_linked_folder=True)
    for error in errors:
        if not isinstance(error, FileNotFoundError):
            yield StoredFile(f"{error.filename}/".replace(os.sep, "/"), 0, None, reason(error))


def _local(path: str) -> StoredFile:
    """Return the status of a path of this machine, which is not opened."""
    try:
        status = os.stat(path)  # noqa: PTH116 - a text, and many of them
    except OSError as error:
        return StoredFile(path, 0, None, reason(error))
    return StoredFile(path, status.st_size, status.st_mtime_ns, unlike_file(status.st_mode))


def place(address: str, folder: str = "") -> Place:
    """Return the place of an address.

    A relative path is relative to `folder`, if that is not the current one.

    Raises:
        ConfigurationError: there is no store of its kind, or it has credentials in it.
    """
    if "://" not in address:
        path = os.path.abspath(os.path.join(folder, address))  # noqa: PTH100, PTH118 - no `..`
        path = path.replace(os.sep, "/")
        return Place(address, stores.LocalFileSystem(), path)
    parts = urlsplit(address)
    if parts.username is not None or parts.password is not None:
        shown = f"{parts.scheme}://…@{parts.netloc.rpartition('@')[2]}{parts.path}"
        raise ConfigurationError(f"{shown}: credentials are read from the environment only")
    if parts.scheme == "s3":
        return Place(address, _s3(parts.netloc), f"{parts.netloc}{parts.path}".rstrip("/"))
    try:
        store, path = stores.FileSystem.from_uri(address)
    except pa.ArrowInvalid:
        store, path = _by_fsspec(parts.scheme, address)
    except (OSError, ValueError, NotImplementedError) as error:
        raise ConfigurationError(f"{address}: {reason(error)}") from None
    return Place(address, store, path.rstrip("/"))


def _s3(bucket: str) -> stores.S3FileSystem:
    endpoint = next(filter(None, map(os.environ.get, _ENDPOINT)), None)
    region = next(filter(None, map(os.environ.get, _REGION)), None)
    if region is None and endpoint is None:
        with reading(f"s3://{bucket}"):
            region = stores.resolve_s3_region(bucket)
    at = urlsplit(endpoint or "https://")
    return stores.S3FileSystem(
        endpoint_override=at.netloc or None,
        scheme=at.scheme,
        region=region,
        connect_timeout=CONNECT_SECONDS,
        request_timeout=REQUEST_SECONDS,
        retry_strategy=stores.AwsStandardS3RetryStrategy(max_attempts=ATTEMPTS),
    )


def _by_fsspec(scheme: str, address: str) -> tuple[stores.FileSystem, str]:
    try:
        import fsspec  # noqa: PLC0415 - for stores that pyarrow has not
    except ModuleNotFoundError:
        raise ConfigurationError(
            f"{address}: no store of this kind; `pip install fsspec` and its package for {scheme}"
        ) from None
    try:
        store, path = fsspec.core.url_to_fs(address)
    except (ImportError, OSError, ValueError) as error:
        raise ConfigurationError(f"{address}: {reason(error)}") from None
    return stores.PyFileSystem(stores.FSSpecHandler(store)), path


@contextmanager
def reading(address: str) -> Iterator[None]:
    """Say in plain words why a place cannot be read.

    Raises:
        UnreadableFileError: it cannot.
    """
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise UnreadableFileError(address, reason(error)) from error


@contextmanager
def reading_parquet(address: str) -> Iterator[None]:
    """Say in plain words why a Parquet file cannot be read."""
    try:
        with reading(address):
            yield
    except (UnreadableFileError, UnicodeDecodeError) as error:
        cause = error.__cause__ or error
        if not is_damage(cause) or re.search(_UNSUPPORTED, str(cause)):
            raise
        raise UnreadableFileError(address, "not a whole Parquet file") from error.__cause__


def is_damage(error: BaseException) -> bool:
    """Return whether an error of a Parquet file is about its contents, and not about its store."""
    if isinstance(error, _ODD_CONTENT):
        return True
    if type(error) is not OSError or error.errno is not None:
        return False
    said = str(error)
    return not any(re.search(each, said) for each in (_OF_STORES, *dict(_REASONS)))


def escaped(path: str) -> str:
    """Return a path as text: bytes of it that are not UTF-8 as escapes."""
    return os.fsencode(path).decode(errors="backslashreplace")


def encodable(text: str) -> str:
    """Return a text as UTF-8 can write it: lone surrogates, which JSON can write, as escapes."""
    return text.encode(errors="backslashreplace").decode()


def reason(error: BaseException) -> str:
    """Why a store cannot do something."""
    said = str(error)
    for pattern, meaning in _REASONS:
        if re.search(pattern, said):
            return meaning
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, OSError) and error.errno is not None:
        return reason_of(OSError(error.errno, os.strerror(error.errno)))
    return " ".join(said.split())[:300] or type(error).__name__
