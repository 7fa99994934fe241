"""Inputs of a fleet: their units, and the rows of a unit."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import sha256
from itertools import count, islice
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from manifestkit.files import open_regular, reason_of
from manifestkit.fleet.rows import REASON
from manifestkit.model.document import SUFFIXES
from manifestkit.model.errors import ConfigurationError, ManifestkitError, UnreadableFileError

_LINES = (".jsonl", ".ndjson")
_PARQUET = ".parquet"
_FILES = 1_000  # in a unit
_BUFFER = 1 << 20
_BATCH_ROWS = 32  # few, as each may have megabytes
_MOST_LINE = 64 * 1024 * 1024
_BATCH = pa.schema(
    {"uri": pa.string(), "content": pa.binary(), "name": pa.string(), REASON: pa.string()}
)

_Row = tuple[str, bytes | None, str | None, str | None]


class Place(NamedTuple):
    """A file or a folder that pyarrow can reach."""

    address: str  # as the user wrote it
    store: fs.FileSystem
    path: str  # in the store

    @classmethod
    def of(cls, address: str) -> Place:
        """Return the place of a path or an address.

        Raises:
            ConfigurationError: there is no store of its kind, or it has credentials in it.
        """
        if "://" not in address:
            path = os.path.abspath(address).replace(os.sep, "/")  # noqa: PTH100 - a text
            return cls(address, fs.LocalFileSystem(), path)
        parts = urlsplit(address)
        if "@" in parts.netloc:
            shown = f"{parts.scheme}://…@{parts.netloc.rpartition('@')[2]}{parts.path}"
            raise ConfigurationError(f"{shown}: credentials are read from the environment only")
        try:
            store, path = fs.FileSystem.from_uri(address)
        except (ImportError, OSError, ValueError, NotImplementedError) as error:
            raise ConfigurationError(f"{address}: {reason(error)}") from None
        return cls(address, store, path.rstrip("/"))

    @property
    def is_local(self) -> bool:
        """Return whether this is a path of this machine."""
        return isinstance(self.store, fs.LocalFileSystem)

    def below(self, name: str) -> Place:
        """Return a file or a folder in this folder."""
        return Place(f"{self.address.rstrip('/')}/{name}", self.store, f"{self.path}/{name}")

    def open(self) -> BinaryIO:
        """Return a file, open for reading; what is no regular file is refused."""
        if self.is_local:
            return open_regular(self.path)
        return io.BufferedReader(self.store.open_input_file(self.path), _BUFFER)


@contextmanager
def reading(place: Place) -> Iterator[None]:
    """Say why a place cannot be read.

    Raises:
        UnreadableFileError: it cannot.
    """
    try:
        yield
    except (UnreadableFileError, OSError, pa.ArrowException, UnicodeError) as error:
        raise UnreadableFileError(_escaped(place.address), reason(error)) from None


def reason(error: Exception) -> str:
    """Return why a store cannot do something."""
    if isinstance(error, UnreadableFileError):
        return error.reason
    if isinstance(error, OSError) and error.errno is not None:
        return reason_of(OSError(error.errno, os.strerror(error.errno)))
    if isinstance(error, FileNotFoundError):  # of pyarrow, which names the place only
        return "no such file or folder"
    return " ".join(str(error).split())[:300] or type(error).__name__


def _escaped(path: str) -> str:
    """Return a path as text: bytes of it that are not UTF-8 as escapes."""
    return os.fsencode(path).decode(errors="backslashreplace")


class Unit(NamedTuple):
    """Rows that are read, checked and written as one."""

    name: str  # of the file with its results
    files: tuple[tuple[str, Place], ...]  # many with a manifest each, or one with many; by URI
    row_group: int  # of Parquet
    state: str  # tells the files from what they were before they changed


class _Listed(NamedTuple):
    """A file of an input."""

    uri: str  # its path in the input
    place: Place
    state: tuple[int | None, ...]  # size and time of modification


def units_of(root: Place) -> tuple[list[Unit], list[ManifestkitError]]:
    """Return the units of an input, in order, and why some of its files have none.

    Raises:
        ConfigurationError: there is none.
        UnreadableFileError: the input, or all of it, cannot be read.
    """
    problems: list[ManifestkitError] = []
    with reading(root):
        files = sorted(_files(root, problems))

    def units_in(file: _Listed) -> list[Unit]:
        try:
            return _units(file)
        except UnreadableFileError as problem:
            problems.append(problem)
            return []

    with ThreadPoolExecutor() as pool:
        many = (each for each in files if each.uri.lower().endswith((*_LINES, _PARQUET)))
        units = [unit for found in pool.map(units_in, many) for unit in found]
    single = [each for each in files if each.uri.lower().endswith(SUFFIXES)]
    units.extend(
        _unit("manifests", start // _FILES, single[start : start + _FILES])
        for start in range(0, len(single), _FILES)
    )
    if problems and not units:
        raise problems[0]
    if not files:
        raise ConfigurationError(
            f"{root.address}: no manifests; it may have Parquet (.parquet), JSON lines (.jsonl), "
            ".json, .yaml or .yml files"
        )
    return units, problems


def _files(root: Place, problems: list[ManifestkitError]) -> Iterator[_Listed]:
    """Yield the files of an input, without those that have a name that data tools skip."""
    for uri, state in (_walked if root.is_local else _selected)(root, problems):
        is_skipped = any(part.startswith((".", "_")) for part in uri.split("/"))
        if not uri:
            yield _Listed(root.path.rpartition("/")[2], root, state)
        elif uri.lower().endswith((*SUFFIXES, *_LINES, _PARQUET)) and not is_skipped:
            yield _Listed(uri, root.below(uri), state)


def _walked(
    root: Place, problems: list[ManifestkitError]
) -> Iterator[tuple[str, tuple[int | None, ...]]]:
    """Yield the files of this machine; links to folders, which may lead anywhere, are skipped."""

    def note(error: OSError) -> None:
        problems.append(UnreadableFileError(_escaped(error.filename), reason(error)))

    if not os.path.isdir(root.path):  # noqa: PTH112 - a text
        yield "", _state(os.stat(root.path))  # noqa: PTH116 - likewise
        return
    for folder, _, names in os.walk(root.path, onerror=note):
        for name in names:
            path = f"{folder}/{name}".replace(os.sep, "/")
            try:
                state = _state(os.stat(path))  # noqa: PTH116 - likewise
            except OSError:  # which reading it tells
                state = ()
            yield path[len(root.path) :].lstrip("/"), state


def _state(status: os.stat_result) -> tuple[int, ...]:
    return status.st_size, status.st_mtime_ns


def _selected(
    root: Place, _: list[ManifestkitError]
) -> Iterator[tuple[str, tuple[int | None, ...]]]:
    info = root.store.get_file_info(root.path)
    if info.type == fs.FileType.NotFound:
        raise FileNotFoundError(2, "")
    listed = [info]
    if not info.is_file:
        listed = root.store.get_file_info(fs.FileSelector(root.path, recursive=True))
    for each in listed:
        if each.is_file:
            yield each.path[len(root.path) :].lstrip("/"), (each.size, each.mtime_ns)


def _units(file: _Listed) -> list[Unit]:
    """Return the units of one file that holds many manifests."""
    slug = re.sub(r"[^A-Za-z0-9-]+", "-", file.uri)[:60]
    stem = f"{slug}-{sha256(os.fsencode(file.uri)).hexdigest()[:8]}"
    count = 1
    with reading(file.place), file.place.open() as opened:
        if file.uri.lower().endswith(_PARQUET):
            count = pq.ParquetFile(opened).num_row_groups
    return [_unit(stem, index, [file]) for index in range(count)]


def _unit(stem: str, index: int, files: list[_Listed]) -> Unit:
    state = json.dumps([(_escaped(each.uri), *each.state) for each in files])
    places = tuple((each.uri, each.place) for each in files)
    digest = sha256(state.encode()).hexdigest()
    return Unit(f"{stem}-{index:05}{_PARQUET}", places, index, digest)


def batches_of(unit: Unit, most_bytes: int) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a unit; of a file with more than `most_bytes`, a byte more.

    Raises:
        UnreadableFileError: a file with many manifests cannot be read, or is damaged.
    """
    uri, file = unit.files[0]
    with reading(file):
        if uri.lower().endswith(SUFFIXES):
            yield from _batches(_of_file(*each, most_bytes) for each in unit.files)
            return
        with file.open() as opened:
            if uri.lower().endswith(_PARQUET):
                yield from _of_row_group(opened, unit.row_group)
            else:
                yield from _batches(_of_lines(opened, _escaped(uri)))


def _batches(rows: Iterator[_Row]) -> Iterator[pa.RecordBatch]:
    while batch := list(islice(rows, _BATCH_ROWS)):
        columns = zip(zip(*batch, strict=True), _BATCH.types, strict=True)
        yield pa.RecordBatch.from_arrays([pa.array(*each) for each in columns], schema=_BATCH)


def _of_row_group(file: BinaryIO, index: int) -> Iterator[pa.RecordBatch]:
    parquet = pq.ParquetFile(file, buffer_size=_BUFFER, pre_buffer=False)
    left = parquet.metadata.row_group(index).num_rows
    names = [each for each in _BATCH.names if each in parquet.schema_arrow.names]
    # Not in threads: a unit takes one processor.
    for batch in parquet.iter_batches(_BATCH_ROWS, [index], names, use_threads=False):
        left -= batch.num_rows
        yield batch
    if left:
        raise pa.ArrowInvalid("it has not as many rows as its footer says")


def _of_file(uri: str, file: Place, most_bytes: int) -> _Row:
    try:
        with file.open() as opened:
            return _escaped(uri), opened.read(most_bytes + 1), None, None
    except (UnreadableFileError, FileNotFoundError, PermissionError) as error:
        return _escaped(uri), None, None, reason(error)


def _of_lines(file: BinaryIO, name: str) -> Iterator[_Row]:
    """Yield the rows of JSON lines; of a line that is wrong, one without content."""
    for number in count(1):
        line = file.readline(_MOST_LINE)
        if len(line) == _MOST_LINE:
            raise pa.ArrowInvalid(f"line {number:,} has more than {_MOST_LINE:,} bytes")
        if not line:
            break
        if line.strip():
            yield _of_line(line, f"{name}@{number}")


def _of_line(line: bytes, unnamed: str) -> _Row:
    """Return the row of a line; `unnamed` is its URI where it has none."""
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError):
        return unnamed, None, None, "the line cannot be read as JSON"
    texts = [value.get(name) for name in _BATCH.names[:3]] if isinstance(value, dict) else []
    if not texts or any(not isinstance(each, str | None) for each in texts) or texts[1] is None:
        return (
            unnamed,
            None,
            None,
            "the line must be an object with texts `uri`, `content` and `name`",
        )
    uri, content, name = (each and each.encode(errors="backslashreplace") for each in texts)
    return (uri or unnamed.encode()).decode(), content, name and name.decode(), None
