"""Inputs of a fleet: their units, and the rows of a unit."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from itertools import islice
from typing import Any, BinaryIO, Literal, NamedTuple

import pyarrow as pa

from manifestkit.files import read_bytes
from manifestkit.findings.messages import kind as json_kind
from manifestkit.fleet.parquet import BATCH_BYTES, BATCH_ROWS, opened, row_group
from manifestkit.fleet.places import (
    Place,
    StoredFile,
    encodable,
    escaped,
    place,
    reading,
    reading_parquet,
)
from manifestkit.fleet.rows import REASON, check_columns
from manifestkit.model.errors import ConfigurationError, ManifestkitError, UnreadableFileError
from manifestkit.model.printable import printable, truncate

Kind = Literal["files", "lines", "parquet"]

_SUFFIXES: dict[str, Kind] = {
    **dict.fromkeys((".json", ".yaml", ".yml"), "files"),
    **dict.fromkeys((".jsonl", ".ndjson"), "lines"),
    ".parquet": "parquet",
}
_KINDS = "Parquet (.parquet), JSON lines (.jsonl), .json, .yaml or .yml files"
_FILES = 1_000  # in a unit
_LINES = 16 * 1024 * 1024  # bytes of JSON lines in a unit
_AT_ONCE = 16  # footers that are read
_BATCH = pa.schema(
    {"uri": pa.string(), "content": pa.binary(), "name": pa.string(), REASON: pa.string()}
)
_NAMED = 5  # members of a line, or links to folders
_MEMBERS = ("uri", "content", "name")

_Row = tuple[str, bytes | None, str | None, str | None]


class Unit(NamedTuple):
    """Rows that are read, checked and written as one."""

    name: str  # of the file with its results
    kind: Kind
    paths: tuple[str, ...]  # in their store
    start: int  # the row group of Parquet, or the first byte of JSON lines
    state: str  # tells the files from what they were before they changed


class Units(NamedTuple):
    """The units of an input, in order, and what has none."""

    units: list[Unit]
    problems: list[ManifestkitError]
    left_out: str  # the links to folders, which are not followed, in words; empty without any


def units_of(address: str) -> Units:
    """Return the units of an input.

    Raises:
        ConfigurationError: there is none.
    """
    root = place(address)
    there = _files(root)
    files = [each for each in there if not each.is_linked_folder]
    left_out = _left_out(root, [each for each in there if each.is_linked_folder])
    loose = [each for each in files if _kind(each.path) == "files"]
    problems: list[ManifestkitError] = []

    def units_in(file: StoredFile) -> list[Unit]:
        try:
            return _units(root, file)
        except (ConfigurationError, UnreadableFileError) as problem:
            problems.append(problem)
            return []

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        alone = [each for each in files if _kind(each.path) != "files"]
        units = [unit for each in pool.map(units_in, alone) for unit in each]
    for index, start in enumerate(range(0, len(loose), _FILES)):
        units.append(_unit(root, "manifests", "files", loose[start : start + _FILES], index))
    problems.sort(key=str)
    if problems and not units:
        raise problems[0]
    if not files:
        raise ConfigurationError(f"{address}: no manifests; {left_out or f'it may have {_KINDS}'}")
    return Units(units, problems, left_out)


def _left_out(root: Place, links: list[StoredFile]) -> str:
    if not links:
        return ""
    names = ", ".join(escaped(_relative(root.path, each.path)) for each in links[:_NAMED])
    more = f" and {len(links) - _NAMED:,} more" if len(links) > _NAMED else ""
    return f"links to folders are not followed: {names}{more}"


def _files(root: Place) -> list[StoredFile]:
    """Return the files of an input; of a folder, those that it may have, and what is in the way."""
    file = root.file()
    if file:
        if file.unlike:
            raise UnreadableFileError(root.address, file.unlike)
        if _kind(file.path) is None:
            raise ConfigurationError(f"{root.address}: not a kind of input; it may be {_KINDS}")
        return [file]
    return [
        each
        for each in root.files()
        if _is_meant(_relative(root.path, each.path))
        and (_kind(each.path) or each.path.endswith("/") or each.is_linked_folder)
    ]


def _is_meant(path: str) -> bool:
    """Return whether no part of a path is hidden, or has a name that data tools skip."""
    parts = (part for part in path.split("/") if part not in (".", ".."))
    return not any(part.startswith((".", "_")) for part in parts)


def _kind(path: str) -> Kind | None:
    name = path.rpartition("/")[2].lower()
    return next((kind for suffix, kind in _SUFFIXES.items() if name.endswith(suffix)), None)


def _units(root: Place, file: StoredFile) -> list[Unit]:
    """Return the units of one file that holds many manifests."""
    if file.unlike:
        raise UnreadableFileError(escaped(file.path), file.unlike)
    name, kind = _relative(root.path, file.path), _kind(file.path)
    if escaped(file.path) != file.path:
        raise UnreadableFileError(escaped(file.path), "its name is not UTF-8; rename it")
    stem = f"{re.sub(r'[^A-Za-z0-9-]+', '-', name)[:60]}-{sha256(name.encode()).hexdigest()[:8]}"
    if kind == "parquet":
        shown = _shown(root, file.path)
        with reading_parquet(shown), opened(root.store, file.path) as parquet:
            check_columns(parquet.schema_arrow, f"{shown}: ")
            count = parquet.num_row_groups
        return [_unit(root, stem, kind, [file], index) for index in range(count)]
    starts = range(0, file.size, _LINES)
    return [_unit(root, stem, "lines", [file], start) for start in starts]


def _unit(root: Place, stem: str, kind: Kind, files: list[StoredFile], start: int) -> Unit:
    state = [(_relative(root.path, each.path), each.size, each.mtime_ns) for each in files]
    digest = sha256(json.dumps([kind, start, *state]).encode()).hexdigest()
    number = start // _LINES if kind == "lines" else start
    paths = tuple(each.path for each in files)
    return Unit(f"{stem}-{number:05}.parquet", kind, paths, start, digest)


def _relative(root: str, path: str) -> str:
    """Return the path of a file below an input, or its name where it is the input."""
    return path.rpartition("/")[2] if path == root else path[len(root) :].lstrip("/")


def _shown(root: Place, path: str) -> str:
    """Return a file of an input as errors name it: by the address that the user wrote."""
    return root.address if path == root.path else root.below(_relative(root.path, path)).address


def batches_of(root: Place, unit: Unit, most_bytes: int) -> Iterator[pa.RecordBatch]:
    """Return the rows of a unit; of a file with more than `most_bytes`, a byte more."""
    if unit.kind == "parquet":
        (path,) = unit.paths
        shown = _shown(root, path)
        with reading_parquet(shown):
            yield from row_group(root.store, path, shown, unit.start, most_bytes)
        return
    read = _of_files if unit.kind == "files" else _of_lines
    batch: list[_Row] = []
    size = 0
    for row in read(root, unit, most_bytes):
        batch.append(row)
        size += sum(map(len, filter(None, row)))
        if len(batch) == BATCH_ROWS or size >= BATCH_BYTES:
            yield _record(batch)
            batch, size = [], 0
    if batch:
        yield _record(batch)


def _record(rows: list[_Row]) -> pa.RecordBatch:
    arrays = [pa.array(each, kind) for each, kind in zip(zip(*rows), _BATCH.types, strict=True)]  # noqa: B905
    return pa.RecordBatch.from_arrays(arrays, schema=_BATCH)


def _of_files(root: Place, unit: Unit, most_bytes: int) -> Iterator[_Row]:
    for path in unit.paths:
        content, why = _content(root, path, most_bytes)
        yield escaped(_relative(root.path, path)), content, None, why


def _content(root: Place, path: str, most_bytes: int) -> tuple[bytes | None, str | None]:
    try:
        if root.is_local:
            return read_bytes(path, most_bytes), None
        with reading(_shown(root, path)), root.store.open_input_stream(path) as file:
            return file.read(most_bytes + 1), None
    except UnreadableFileError as error:
        if not root.is_local and not isinstance(
            error.__cause__, FileNotFoundError | PermissionError
        ):
            raise
        return None, error.reason


def _of_lines(root: Place, unit: Unit, most_bytes: int) -> Iterator[_Row]:
    """Yield the rows of the lines that begin in a unit; the last may go on beyond its end."""
    (path,) = unit.paths
    name = _relative(root.path, path)
    at, end, most = unit.start, unit.start + _LINES, 2 * most_bytes + BATCH_BYTES
    with reading(_shown(root, path)), _buffered(root, path) as file:
        if at:
            file.seek(at - 1)
            at += _skipped(file) - 1
        while at < end and (line := file.readline(most)):
            unnamed = f"{name}@{at}"
            at += len(line)
            if len(line) == most and not line.endswith(b"\n"):
                at += _skipped(file)
                yield unnamed, None, None, f"the line is longer than {most:,} bytes"
            elif line.strip():
                yield _of_line(line, unnamed)


def _skipped(file: BinaryIO) -> int:
    """Go to the end of a line; how many bytes that was."""
    count = 0
    while piece := file.readline(BATCH_BYTES):
        count += len(piece)
        if piece.endswith(b"\n"):
            break
    return count


def _of_line(line: bytes, unnamed: str) -> _Row:
    """Return the row of a line; without content, and with the reason, where it is wrong."""
    members: list[tuple[str, Any]] = []

    def read(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal members
        members = pairs  # of the outermost object in the end
        return dict(pairs)

    try:
        value: Any = json.loads(line, object_pairs_hook=read)
    except ValueError:
        return unnamed, None, None, "the line cannot be read as JSON"
    except RecursionError:
        return unnamed, None, None, "the line is nested too deeply"
    if not isinstance(value, dict):
        return unnamed, None, None, f"the line is {json_kind(value)}, not an object"
    uri, name = value.get("uri"), value.get("name")
    named = encodable(uri) if isinstance(uri, str) else unnamed
    counts = Counter(member for member, _ in members)
    why = next(_faults(value, counts), None)
    if why:
        return named, None, None, why
    return named, value["content"].encode(errors="surrogatepass"), name and encodable(name), None


def _faults(value: dict[str, Any], counts: Counter[str]) -> Iterator[str]:
    """Yield why an object, with so many members of each name, is no row."""
    if "content" not in value:
        names = [printable(truncate(each)) for each in islice(value, _NAMED)]
        more = f" and {len(value) - _NAMED:,} more" if len(value) > _NAMED else ""
        there = ", ".join(names) or "none"
        yield f"there is no member `content`; there is: {there}{more}"
    for member in _MEMBERS:
        given = value.get(member)
        if counts[member] > 1:
            yield f"`{member}` is there more than once"
        if not isinstance(given, str) and (given is not None or member == "content"):
            yield f"`{member}` is {json_kind(given)}, not text"


def _buffered(root: Place, path: str) -> io.BufferedReader:
    return io.BufferedReader(root.store.open_input_file(path), 1 << 20)
