"""The results of a run: a folder with a Parquet file for each unit, and a plan of them.

A file is written aside and moved into place, or put at once where a store moves nothing: what is
there is whole. Its footer says by which policy it was made, of what, and the digest of the file
with zeros in the place of the digest: so a file that somebody changed is not taken for a result.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from hashlib import sha256
from itertools import compress
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from manifestkit.fleet.inputs import Unit
from manifestkit.fleet.parquet import gathered, opened
from manifestkit.fleet.places import (
    Place,
    escaped,
    is_damage,
    place,
    reading,
    reading_parquet,
    reason,
)
from manifestkit.fleet.policy import COLUMNS, FleetPolicy
from manifestkit.fleet.rows import SCHEMA, VERSION_KEY
from manifestkit.model.errors import ConfigurationError, UnreadableFileError, UnwritableFileError

_PLAN = "_fleet.json"
_ASIDE = "_aside"
_LEFT = re.compile(rf"{_ASIDE}/.+\.[0-9a-f]{{32}}")
_MADE_BY = b"manifestkit.fleet.made-by"
_DIGEST = b"manifestkit.fleet.sha256"
_NO_DIGEST = b"0" * 64
_STATED = _DIGEST + b"\x18\x40"  # as Thrift writes it: a text of 64 bytes follows
_PIECE = 1 << 20
_GROUP_ROWS = 10_000
_GROUP_BYTES = 16 * 1024 * 1024
_AT_ONCE = 16


class Plan(NamedTuple):
    """Plan of a folder of results: its files, each with the state of what it is made of."""

    policy: str  # its digest
    units: dict[str, str]

    @classmethod
    def of(cls, policy: FleetPolicy, units: Iterable[Unit]) -> Plan:
        """Return the plan of a run."""
        return cls(policy.digest, {each.name: each.state for each in units})

    def mark(self, name: str) -> bytes:
        """Return what the footer of a file says: how it was made, and of what."""
        return json.dumps([COLUMNS, self.policy, self.units[name]]).encode()


@contextmanager
def alone_in(address: str) -> Iterator[None]:
    """Keep other runs from writing to a folder of this machine, until the context ends.

    A process that is killed lets it go too.

    Raises:
        ConfigurationError: another run writes there.
    """
    out = _folder(address)
    if sys.platform == "win32" or not out.is_local:
        yield
        return
    import fcntl  # noqa: PLC0415 - not on Windows

    with _writing(address):
        Path(out.path).mkdir(parents=True, exist_ok=True)
        folder = os.open(out.path, os.O_RDONLY)
    try:
        with suppress(OSError):  # not every file system can lock
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ConfigurationError(
                    f"{address}: another run writes here; wait for its end, or give another folder"
                ) from None
        yield
    finally:
        os.close(folder)


def prepare(address: str, plan: Plan) -> set[str]:
    """Make a folder ready for the results of a plan, and return those that it has already.

    Files of an earlier plan that this one has not are deleted.

    Raises:
        ConfigurationError: there is something else in the folder, or results of another policy,
            which someone may want to compare with.
    """
    out = _folder(address)
    there = _names(out)
    old = _read_plan(out) if _PLAN in there else None
    own = {*plan.units, *old.units, _PLAN} if old else set()
    others = sorted(escaped(each) for each in there - own if not _LEFT.fullmatch(each))
    if others:
        raise ConfigurationError(
            f"{address}: holds {others[0]}, no result of `manifest fleet lint`; give another folder"
        )
    if old and old.policy != plan.policy and not there.isdisjoint(old.units):
        raise ConfigurationError(
            f"{address}: has results of another profile, other options or another version of "
            "manifestkit; give another folder, or delete this one"
        )
    with _writing(address):
        for name in there - {*plan.units, _PLAN}:
            out.store.delete_file(out.below(name).path)
    if old != plan:
        text = json.dumps({"columns": COLUMNS, **plan._asdict()}, indent=1)
        _put(out, _PLAN, lambda file: file.write(f"{text}\n".encode()))
    return _made(out, plan, there)


def _folder(address: str) -> Place:
    out = place(address)
    if escaped(out.path) != out.path:
        raise ConfigurationError(f"{escaped(address)}: its name is not UTF-8; give another folder")
    return out


def _names(out: Place) -> set[str]:
    """Return the files of a folder that can be read."""
    return {each.path[len(out.path) + 1 :] for each in out.files() if not each.unlike}


def finish(address: str) -> None:
    """Delete what an interrupted write has left."""
    out = place(address)
    if out.puts_whole:
        return
    with suppress(OSError, UnreadableFileError):
        left = out.below(_ASIDE)
        for each in left.files():
            if _LEFT.fullmatch(each.path[len(out.path) + 1 :]):
                out.store.delete_file(each.path)
        if not left.files():
            out.store.delete_dir(left.path)


def write(
    out: Place, policy: FleetPolicy, unit: Unit, batches: Iterable[pa.RecordBatch]
) -> tuple[int, int]:
    """Write the results of one unit, and return how many rows they are and how many fail."""
    rows = failing = 0

    def fill(file: Any) -> None:
        nonlocal rows, failing
        made_by = Plan.of(policy, [unit]).mark(unit.name)
        schema = SCHEMA.with_metadata({**(SCHEMA.metadata or {}), _MADE_BY: made_by})
        # Whatever the defaults of a version of pyarrow are: the same rows are the same bytes.
        with pq.ParquetWriter(
            file,
            schema,
            version="2.6",
            data_page_version="1.0",
            compression="zstd",
            compression_level=3,
            use_dictionary=True,
            write_statistics=True,
            store_schema=True,
        ) as writer:
            for table in gathered(batches, _GROUP_ROWS, _GROUP_BYTES):
                rows += table.num_rows
                failing += pc.sum(table["fails"]).as_py() or 0
                writer.write_table(table.replace_schema_metadata(schema.metadata))
            writer.add_key_value_metadata({_DIGEST: _NO_DIGEST})
        _, digest, at = _digests(file)
        file.seek(at)
        file.write(digest)

    _put(out, unit.name, fill)
    return rows, failing


def _read_plan(out: Place) -> Plan:
    try:
        with reading(out.address), out.store.open_input_stream(out.below(_PLAN).path) as file:
            said = json.loads(file.read())
        if said["columns"] != COLUMNS:
            raise ConfigurationError(
                f"{out.address}: made by another version of manifestkit (columns "
                f"{said['columns']}, not {COLUMNS}); lint into another folder"
            )
        plan = Plan(said["policy"], said["units"])
        texts = (plan.policy, *plan.units.values())
        is_ours = all(type(each) is str for each in texts)
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        is_ours = False
    if not is_ours:
        raise ConfigurationError(
            f"{out.address}: {_PLAN} in it is not that of `manifest fleet lint`; delete the "
            "folder, or give another one"
        )
    return plan


class Results:
    """The results of a run that is complete.

    Raises:
        ConfigurationError: there are none, or some are missing.
    """

    def __init__(self, address: str) -> None:
        self._out = _folder(address)
        there = _names(self._out)
        if _PLAN not in there:
            raise ConfigurationError(f"{address}: no results of `manifest fleet lint` here")
        self.plan = _read_plan(self._out)
        # Whether they are whole is seen as they are read.
        missing = self.plan.units.keys() - _made(self._out, self.plan, there, whole=False)
        parquet = {each for each in there if each.endswith(".parquet") and "/" not in each}
        if unlisted := parquet.difference(self.plan.units):
            raise ConfigurationError(
                f"{address}: {_PLAN} does not list {escaped(min(unlisted))}; run "
                "`manifest fleet lint` again to make the results again"
            )
        if missing:
            raise ConfigurationError(
                f"{address}: not complete, {len(missing):,} of {len(self.plan.units):,} files are "
                "missing or of an earlier run; run `manifest fleet lint` again to complete it"
            )

    def batches(self, name: str, columns: Collection[str]) -> Iterator[pa.RecordBatch]:
        """Yield some columns of the rows of a unit.

        Raises:
            ConfigurationError: the file is not as it was written.
        """
        path = self._out.below(name)
        with reading_parquet(path.address):
            with path.store.open_input_file(path.path) as stored:
                held = pa.BufferReader(stored.read_buffer())
            try:
                _check_digest(held)
            except pa.ArrowInvalid:
                raise ConfigurationError(
                    f"{path.address}: not as it was written; run `manifest fleet lint` again to "
                    "make it again"
                ) from None
            with pq.ParquetFile(held) as file:
                yield from file.iter_batches(_GROUP_ROWS, columns=list(columns), use_threads=False)


def _made(out: Place, plan: Plan, there: Collection[str], *, whole: bool = True) -> set[str]:
    """Return the files that are there as a plan says; if `whole`, to the byte."""

    def is_made(name: str) -> bool:
        if name not in there:
            return False
        try:
            with opened(out.store, out.below(name).path) as file:
                metadata = file.schema_arrow.metadata or {}
            is_ours = metadata.get(_MADE_BY) == plan.mark(name) and VERSION_KEY in metadata
            if is_ours and whole:
                with out.store.open_input_file(out.below(name).path) as stored:
                    _check_digest(stored)
        except FileNotFoundError:
            return False
        except (OSError, pa.ArrowException, UnicodeDecodeError, EOFError) as error:
            if not is_damage(error):
                raise
            return False
        return is_ours

    with reading(out.address), ThreadPoolExecutor(_AT_ONCE) as pool:
        return set(compress(plan.units, pool.map(is_made, plan.units)))


def _check_digest(file: Any) -> None:
    said, digest, _ = _digests(file)
    if said != digest:
        raise pa.ArrowInvalid("not what its digest says")


def _digests(file: Any) -> tuple[bytes, bytes, int]:
    """Return the digest that a result says it has, the one that it has, and where it says so."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 8))
    footer_size = int.from_bytes(file.read(4), "little") + 8
    begins = size - footer_size
    file.seek(max(0, begins))
    footer = file.read(footer_size)
    at = footer.rfind(_STATED) + len(_STATED)
    end = at + len(_NO_DIGEST)
    if begins < 0 or at < len(_STATED):
        raise pa.ArrowInvalid("a result without its digest")
    digest = sha256()
    file.seek(0)
    for start in range(0, begins, _PIECE):
        digest.update(file.read(min(_PIECE, begins - start)))
    digest.update(footer[:at] + _NO_DIGEST + footer[end:])
    return footer[at:end], digest.hexdigest().encode(), begins + at


def _put(out: Place, name: str, fill: Callable[[Any], None]) -> None:
    """Write a file of a folder, whole or not at all."""
    with _writing(out.below(name).address):
        if out.is_local:
            _replace(Path(out.path), name, fill)
            return
        with tempfile.TemporaryFile() as spooled:
            fill(spooled)
            spooled.seek(0)
            path = out.below(name).path
            aside = out.below(_ASIDE).below(f"{name}.{uuid4().hex}").path
            if not out.puts_whole:
                out.store.create_dir(out.below(_ASIDE).path)
            with out.store.open_output_stream(path if out.puts_whole else aside) as stream:
                shutil.copyfileobj(spooled, stream, _PIECE)
            if not out.puts_whole:
                out.store.move(aside, path)


def _replace(folder: Path, name: str, fill: Callable[[Any], None]) -> None:
    aside = folder / _ASIDE / f"{name}.{uuid4().hex}"
    aside.parent.mkdir(parents=True, exist_ok=True)
    try:
        with aside.open("w+b") as file:
            fill(file)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(folder / name)
    finally:
        aside.unlink(missing_ok=True)


@contextmanager
def _writing(address: str) -> Iterator[None]:
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise UnwritableFileError(address, f"cannot be written: {reason(error)}") from error
