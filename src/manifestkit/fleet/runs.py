"""A run over a fleet, on the processors of this machine.

An input is divided into units; those that are not done are given to processes.

Results are a folder with a Parquet file for each unit. A file is written in the folder
`_incomplete` and moved into place: what is in place is whole. Its name says of what it was made,
and by which policy. `_incomplete` is there until all units are done.
"""

from __future__ import annotations

import io
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import urlsplit
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyarrow import fs

from manifestkit.engine.pool import map_in_order, processors
from manifestkit.files import open_regular, reason_of, refuse_link_out
from manifestkit.fleet.rows import REASON, SCHEMA, FleetPolicy, lint_batches
from manifestkit.model.document import SUFFIXES
from manifestkit.model.errors import (
    ConfigurationError,
    CrashedFileError,
    ManifestkitError,
    UnreadableFileError,
    UnwritableFileError,
)

_SKIPPED = (".", "_")
_PARQUET = ".parquet"
_MANY = (".jsonl", ".ndjson", _PARQUET)  # manifests in a file
_FILES = 1_000  # in a unit
_BUFFER = 1 << 20
_BATCH_ROWS = 32  # few, as each may have megabytes
_MOST_LINE = 64 * 1024 * 1024
_BATCH = pa.schema(
    {"uri": pa.binary(), "content": pa.binary(), "name": pa.binary(), REASON: pa.string()}
)

_Row = dict[str, str | bytes | None]
_TEXTS = ("uri", "content", "name")
_NO_ROW = "the line must be a JSON object with the texts `uri` and `content`, and `name` if any"
_INCOMPLETE = "_incomplete"
_GROUP_ROWS = 10_000
_GROUP_BYTES = 16 * 1024 * 1024


class RunResult(NamedTuple):
    """Outcome of a run."""

    units: int
    skipped: int  # units that were done before
    not_done: int  # units without a result, and files of the input without units
    rows: int  # of all units that are done
    failing: int
    rules: Counter[str]  # the findings of each
    errors: list[ManifestkitError]
    passed_over: list[str]  # what of a folder is no input


def lint(
    source: str,
    output: str,
    policy: FleetPolicy,
    workers: int | None = None,
    watched: Callable[[list[_Unit]], AbstractContextManager[Iterable[_Unit]]] = nullcontext,
) -> RunResult:
    """Check all manifests of an input that have no result of the policy yet.

    Args:
        source: a Parquet or JSON lines file, or a folder; a path or an address.
        output: the folder for the results.
        policy: what to check by.
        workers: how many processes; None for one on each processor.
        watched: gives the units that are to be done, one by one, and shows how far the run is.
    """
    given, out = _StorePath.of(source), _StorePath.of(output)
    if given.store == out.store and f"{out.path}/".startswith(f"{given.path.rstrip('/')}/"):
        raise ConfigurationError(
            f"{output}: choose a folder outside of {source}: its results would be read the next "
            "time"
        )
    units, errors, passed_over = _units_of(given)
    done = _prepare(out, policy, units)
    left = [each for each in units if each.name + _ending(policy) not in done]
    places, unreadable = [out.below(each) for each in done], len(errors)
    each_unit, at_once = partial(_lint_unit, out, policy), workers or processors()
    with (
        watched(left) as taken,
        closing(map_in_order(each_unit, taken, at_once, forks=False)) as outcomes,
    ):
        for _, outcome in outcomes:
            if isinstance(outcome, _StorePath):
                places.append(outcome)
            elif outcome:
                errors.append(outcome)
            if isinstance(outcome, UnwritableFileError):
                break  # nor can the others be
    undone = len(units) - len(places)
    if not undone:
        with _writing(out):
            out.store.delete_dir_contents(out.below(_INCOMPLETE).path, missing_dir_ok=True)
            out.store.delete_dir(out.below(_INCOMPLETE).path)
    tally = _tally(sorted(places))
    return RunResult(len(units), len(done), unreadable + undone, *tally, errors, passed_over)


@contextmanager
def results(address: str) -> Iterator[ds.Dataset]:
    """Open the results of a run that is complete; say why they cannot be read.

    Raises:
        ConfigurationError: the run is not complete.
        UnreadableFileError: they cannot be read.
    """
    place = _StorePath.of(address)
    with _reading(place):
        incomplete = place.below(_INCOMPLETE).path
        if place.store.get_file_info(incomplete).type != fs.FileType.NotFound:
            raise ConfigurationError(
                f"{address}: not complete; run `manifest fleet lint` again until it is"
            )
        files = fs.FileSelector(place.path, allow_not_found=True, recursive=True)
        names = [each.base_name for each in place.store.get_file_info(files) if each.is_file]
        if any(not name.endswith(_PARQUET) and name[0] not in _SKIPPED for name in names):
            raise ConfigurationError(f"{address}: no results of `manifest fleet lint` here")
        yield ds.dataset(place.path, filesystem=place.store, format="parquet")


def _prepare(out: _StorePath, policy: FleetPolicy, units: Iterable[_Unit]) -> set[str]:
    """Make a folder ready for results, and return which files of it are results already.

    Results of what is no longer in the input are deleted.

    Raises:
        ConfigurationError: there is something else in the folder, or results of another policy,
            which someone may want to compare with.
    """
    with _reading(out):
        there = out.store.get_file_info(fs.FileSelector(out.path, allow_not_found=True))
    names = {each.base_name for each in there} - {_INCOMPLETE}
    if others := sorted(name for name in names if not name.endswith(_ending(policy))):
        raise ConfigurationError(
            f"{out.address}: {others[0]} in it was not made with this profile, these options and "
            "this version of manifestkit; give another folder"
        )
    done = names & {each.name + _ending(policy) for each in units}
    with _writing(out):
        out.store.create_dir(out.below(_INCOMPLETE).path)
        for name in names - done:
            out.store.delete_file(out.below(name).path)
    return done


def _ending(policy: FleetPolicy) -> str:
    """Return how the names of results of a policy end."""
    return f".{policy.digest}{_PARQUET}"


def _lint_unit(out: _StorePath, policy: FleetPolicy, unit: _Unit) -> _StorePath | ManifestkitError:
    """Read, check and write one unit."""
    try:
        batches = _batches_of(unit, policy.policy.limits.bytes)
        return _write(out, policy, unit, lint_batches(batches, policy))
    except ConfigurationError as error:
        return UnreadableFileError(unit.files[0].place.address, str(error))
    except ManifestkitError as error:
        return error
    except Exception as error:  # noqa: BLE001 - the other units are done all the same
        return CrashedFileError.of(unit.name, error)


def _write(
    out: _StorePath, policy: FleetPolicy, unit: _Unit, batches: Iterable[pa.RecordBatch]
) -> _StorePath:
    """Write the results of one unit, and return their place."""
    aside = out.below(_INCOMPLETE).below(f"{unit.name}.{uuid4().hex}").path
    place = out.below(unit.name + _ending(policy))
    with _writing(place):
        with (
            out.store.open_output_stream(aside) as file,
            pq.ParquetWriter(file, SCHEMA, compression="zstd") as writer,
        ):
            for table in _gathered(batches):
                writer.write_table(table)
        out.store.move(aside, place.path)
    return place


def _tally(places: Iterable[_StorePath]) -> tuple[int, int, Counter[str]]:
    """Return how many rows results have, how many fail, and the findings of each rule."""
    rows, failing, rules, read = 0, 0, Counter[str](), ["fails", "findings.list.element.rule"]
    for place in places:
        with _reading(place), place.store.open_input_file(place.path) as file:
            table = pq.ParquetFile(file).read(read)
        rows, failing = rows + table.num_rows, failing + (pc.sum(table["fails"]).as_py() or 0)
        found = pc.list_flatten(table["findings"])
        rules.update(pc.struct_field(found, "rule").to_pylist())
    return rows, failing, rules


def _gathered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Join batches into tables that are large enough for a row group."""
    group: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        group.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= _GROUP_ROWS or size >= _GROUP_BYTES:
            yield pa.Table.from_batches(group)
            group, rows, size = [], 0, 0
    if group:
        yield pa.Table.from_batches(group)


@contextmanager
def _writing(place: _StorePath) -> Iterator[None]:
    """Say why a place cannot be written."""
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise UnwritableFileError(place.address, f"cannot be written: {_reason(error)}") from None


class _StorePath(NamedTuple):
    """A file or a folder that pyarrow can reach."""

    address: str  # as the user wrote it
    store: fs.FileSystem
    path: str  # in the store
    root: str = ""  # the folder that a link of it may not lead out of

    @classmethod
    def of(cls, address: str) -> _StorePath:
        """Return the place of a path, or of an address of a kind that pyarrow knows."""
        if "://" not in address:
            path = os.path.abspath(address).replace(os.sep, "/")  # noqa: PTH100 - a text
            return cls(address, fs.LocalFileSystem(), path)
        parts = urlsplit(address)
        if "@" in parts.netloc:
            shown = address.partition("?")[0]
            raise ConfigurationError(f"{shown}: credentials are read from the environment only")
        try:
            store, path = fs.FileSystem.from_uri(address)
        except (ImportError, OSError, ValueError, NotImplementedError) as error:
            raise ConfigurationError(f"{address}: {_reason(error)}") from None
        return cls(address, store, path.rstrip("/"))

    @property
    def is_local(self) -> bool:
        """Return whether this is a path of this machine."""
        return isinstance(self.store, fs.LocalFileSystem)

    def below(self, name: str) -> _StorePath:
        """Return a file or a folder in this folder."""
        address, root = f"{self.address.rstrip('/')}/{name}", self.root or self.path
        return _StorePath(address, self.store, f"{self.path}/{name}", root)

    def open(self) -> BinaryIO:
        """Return a file, open for reading; what is no regular file is refused."""
        if self.is_local:
            if self.root and os.path.islink(self.path):  # noqa: PTH114 - a text
                refuse_link_out(self.path, [self.root])
            return open_regular(self.path)
        return io.BufferedReader(self.store.open_input_file(self.path), _BUFFER)


@contextmanager
def _reading(place: _StorePath) -> Iterator[None]:
    """Say why a place cannot be read."""
    try:
        yield
    except (UnreadableFileError, OSError, pa.ArrowException, UnicodeError) as error:
        raise UnreadableFileError(_escaped(place.address), _reason(error)) from None


def _reason(error: Exception) -> str:
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


_State = tuple[int | None, ...]
"""The size of a file and the time of its modification; empty where they cannot be known."""


class _Listed(NamedTuple):
    """A file of an input."""

    uri: str  # its path in the input
    place: _StorePath
    state: _State


class _Unit(NamedTuple):
    """Rows that are read, checked and written as one."""

    name: str  # with which that of the file with its results begins
    files: tuple[_Listed, ...]  # many with a manifest each, or one with many
    row_group: int  # of Parquet


def _units_of(root: _StorePath) -> tuple[list[_Unit], list[ManifestkitError], list[str]]:
    """Return the units of an input, in order, why some files have none, and what is no input."""
    problems, passed_over = list[ManifestkitError](), list[str]()
    with _reading(root):
        files = sorted(_files(root, problems, passed_over))
    units: list[_Unit] = []
    single: list[_Listed] = []
    for each in files:
        if not each.uri.lower().endswith(_MANY):
            single.append(each)
            continue
        try:
            units += _units(each)
        except UnreadableFileError as problem:
            problems.append(problem)
    units.extend(
        _unit("manifests", start // _FILES, single[start : start + _FILES])
        for start in range(0, len(single), _FILES)
    )
    if problems and not units:
        raise problems[0]
    if not files:
        raise ConfigurationError(
            f"{root.address}: no manifests; only Parquet (.parquet), JSON lines (.jsonl, .ndjson), "
            ".json, .yaml and .yml files are read; of another file, make JSON lines, with "
            '`{"uri": "a.json", "content": "..."}` for each manifest'
        )
    return units, problems, sorted(passed_over)


def _files(
    root: _StorePath, problems: list[ManifestkitError], passed_over: list[str]
) -> Iterator[_Listed]:
    """Yield the files of an input, without those that have a name that data tools skip."""
    top = os.path.realpath(root.path)
    for uri, state in (_walked if root.is_local else _selected)(root, problems):
        is_skipped = any(part.startswith(_SKIPPED) for part in uri.split("/"))
        name, place = uri or root.path.rpartition("/")[2], root.below(uri) if uri else root
        is_out = root.is_local and not Path(os.path.realpath(place.path)).is_relative_to(top)
        if (is_out or name.lower().endswith((*SUFFIXES, *_MANY))) and not is_skipped:
            yield _Listed(name, place, state)
        else:
            passed_over.append(_escaped(name))


def _walked(root: _StorePath, problems: list[ManifestkitError]) -> Iterator[tuple[str, _State]]:
    """Yield the files of this machine, and the folders that are not entered."""

    def note(error: OSError) -> None:
        problems.append(UnreadableFileError(_escaped(error.filename), _reason(error)))

    refuse_link_out(root.path)
    if not os.path.isdir(root.path):  # noqa: PTH112 - a text
        yield "", _state(os.stat(root.path))  # noqa: PTH116 - likewise
        return
    for folder, folders, names in os.walk(root.path, onerror=note):
        links = [each for each in folders if os.path.islink(f"{folder}/{each}")]  # noqa: PTH114
        closed = {*links, *(each for each in folders if each.startswith(_SKIPPED))}
        folders[:] = [each for each in folders if each not in closed]
        for name in (*names, *closed):
            path = f"{folder}/{name}".replace(os.sep, "/")
            state: _State = ()
            with suppress(OSError):  # which reading it tells
                state = _state(os.stat(path))  # noqa: PTH116 - likewise
            yield path[len(root.path) :].lstrip("/"), state


def _state(status: os.stat_result) -> _State:
    return status.st_size, status.st_mtime_ns


def _selected(root: _StorePath, _: list[ManifestkitError]) -> Iterator[tuple[str, _State]]:
    info = root.store.get_file_info(root.path)
    if info.type == fs.FileType.NotFound:
        raise FileNotFoundError(2, "")
    listed = [info]
    if not info.is_file:
        listed = root.store.get_file_info(fs.FileSelector(root.path, recursive=True))
    for each in listed:
        if each.is_file:
            yield each.path[len(root.path) :].lstrip("/"), (each.size, each.mtime_ns)


def _units(file: _Listed) -> list[_Unit]:
    """Return the units of one file that holds many manifests."""
    slug = re.sub(r"[^A-Za-z0-9-]+", "-", file.uri)[:60]
    stem = f"{slug}-{sha256(os.fsencode(file.uri)).hexdigest()[:8]}"
    groups = 1
    with _reading(file.place), file.place.open() as opened:
        if file.uri.lower().endswith(_PARQUET):
            groups = pq.ParquetFile(opened).num_row_groups
    return [_unit(stem, index, [file]) for index in range(groups)]


def _unit(stem: str, index: int, files: list[_Listed]) -> _Unit:
    """Return a unit; its name tells the files from what they were before they changed."""
    state = json.dumps([(_escaped(each.uri), *each.state) for each in files])
    digest = sha256(state.encode()).hexdigest()[:32]
    return _Unit(f"{stem}-{index:05}-{digest}", tuple(files), index)


def _batches_of(unit: _Unit, most_bytes: int) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a unit; of a file with more than `most_bytes`, a byte more."""
    uri, file, _ = unit.files[0]
    with _reading(file):
        if not uri.lower().endswith(_MANY):
            yield from _batches(_of_file(each, most_bytes) for each in unit.files)
            return
        with file.open() as opened:
            if uri.lower().endswith(_PARQUET):
                yield from _of_row_group(opened, unit.row_group)
            else:
                yield from _batches(_of_lines(opened, _escaped(uri)))


def _batches(rows: Iterator[_Row]) -> Iterator[pa.RecordBatch]:
    while batch := list(islice(rows, _BATCH_ROWS)):
        yield pa.RecordBatch.from_pylist(batch, _BATCH)


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


def _of_file(file: _Listed, most_bytes: int) -> _Row:
    row: _Row = {"uri": _escaped(file.uri)}
    try:
        with file.place.open() as opened:
            return row | {"content": opened.read(most_bytes + 1)}
    except (UnreadableFileError, FileNotFoundError, PermissionError) as error:
        return row | {REASON: _reason(error)}


def _of_lines(file: BinaryIO, name: str) -> Iterator[_Row]:
    """Yield the rows of JSON lines; of a line that is wrong, one without content."""
    for number, line in enumerate(iter(lambda: file.readline(_MOST_LINE), b""), 1):
        if len(line) == _MOST_LINE:
            raise pa.ArrowInvalid(f"line {number:,} has more than {_MOST_LINE:,} bytes")
        if line.strip():
            yield {"uri": f"{name}@{number}", **_of_line(line)}


def _of_line(line: bytes) -> _Row:
    """Return the row of a line, without `uri` where it has none."""
    members: Any = None
    with suppress(ValueError, RecursionError):
        members = json.loads(line)
    if not isinstance(members, dict):
        return {REASON: _NO_ROW}
    texts = {name: each for name in _TEXTS if (each := members.get(name)) is not None}
    row: _Row = {
        name: text.encode(errors="backslashreplace")
        for name, text in texts.items()
        if isinstance(text, str) and (text or name == "content")
    }
    wrong = next((name for name, text in texts.items() if not isinstance(text, str)), None)
    return row | {"content": None, REASON: f"`{wrong}` must be a text"} if wrong else row
