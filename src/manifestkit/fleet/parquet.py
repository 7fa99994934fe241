"""The rows of a Parquet file in batches that are small, however much its pages unfold to.

A few bytes of a dictionary or of a compressed page can stand for gigabytes. But a value is never
longer than its page says that it is uncompressed; so the headers of the pages tell how many values
are safe to decode at once. pyarrow does not show them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs as stores

from manifestkit.model.errors import UnreadableFileError

BATCH_ROWS = 1_000
BATCH_BYTES = 8 * 1024 * 1024  # where one row has not more
_DECODED = 32 * 1024 * 1024  # at once, where one row has not more
_MOST_PAGE = 128 * 1024 * 1024
_HEADER = 4_096  # of a page, that is read at once
_MOST_HEADER = 1 << 22
_DEEPEST = 8  # structures in a header
_KIND, _SIZE, _PACKED = 1, 2, 3  # fields of the header of a page
_DICTIONARY_PAGE = 2
_COLUMNS = ("uri", "content", "name")


def opened(store: stores.FileSystem, path: str) -> pq.ParquetFile:
    """Return a Parquet file, of which only its footer is read."""
    return pq.ParquetFile(path, filesystem=store, buffer_size=1 << 20, pre_buffer=False)


def row_group(
    store: stores.FileSystem, path: str, shown: str, index: int, most_bytes: int
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a row group of a file, which errors name as `shown`.

    Raises:
        UnreadableFileError: a page is too large.
    """
    with opened(store, path) as file, store.open_input_file(path) as raw:
        schema, group = file.schema_arrow, file.metadata.row_group(index)
        names = [name for name in _COLUMNS if name in schema.names]
        most_page = max(_MOST_PAGE, 4 * most_bytes)
        longest = 1  # an upper bound on the length of one value
        for chunk in map(group.column, range(group.num_columns)):
            name = chunk.path_in_schema
            if name not in names:
                continue
            if chunk.total_uncompressed_size * 16 <= _DECODED:
                longest = max(longest, chunk.total_uncompressed_size)
                continue
            keeps_dictionary = pa.types.is_dictionary(schema.field(name).type)
            for size, is_dictionary in _pages(raw, chunk):
                if size > most_page:
                    raise UnreadableFileError(
                        shown,
                        f"the column `{name}` has a page of {size:,} bytes, which are more than "
                        f"{most_page:,}; write it again in smaller row groups",
                    )
                if not (is_dictionary and keeps_dictionary):
                    longest = max(longest, size)
        rows = max(1, min(BATCH_ROWS, _DECODED // longest))
        read = 0
        # Not in threads: a unit takes one processor.
        batches = file.iter_batches(rows, [index], names, use_threads=False)
        for table in gathered(batches, BATCH_ROWS, BATCH_BYTES):
            read += table.num_rows
            yield from table.combine_chunks().to_batches()
        if read != group.num_rows:
            raise pa.ArrowInvalid("not as many rows as its footer says")


def gathered(
    batches: Iterable[pa.RecordBatch], most_rows: int, most_bytes: int
) -> Iterator[pa.Table]:
    """Batches joined into tables; each ends once it has `most_rows` rows or `most_bytes` bytes."""
    group: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        group.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= most_rows or size >= most_bytes:
            yield pa.Table.from_batches(group)
            group, rows, size = [], 0, 0
    if group:
        yield pa.Table.from_batches(group)


def _pages(file: pa.NativeFile, chunk: pq.ColumnChunkMetaData) -> Iterator[tuple[int, bool]]:
    """Yield the bytes of each page of a column, and whether it is its dictionary."""
    at = chunk.data_page_offset
    if chunk.has_dictionary_page and chunk.dictionary_page_offset:
        at = min(at, chunk.dictionary_page_offset)
    end = at + chunk.total_compressed_size
    while at < end:
        header = _header(file, at)
        size, packed = header.numbers.get(_SIZE, -1), header.numbers.get(_PACKED, -1)
        if min(size, packed) < 0:
            raise pa.ArrowInvalid("a page without its size")
        yield size, header.numbers.get(_KIND) == _DICTIONARY_PAGE
        at += header.size + packed


def _header(file: pa.NativeFile, at: int) -> _PageHeader:
    size = _HEADER
    while True:
        file.seek(at)
        data = file.read(size)
        try:
            return _PageHeader(data)
        except IndexError:
            if len(data) < size or size > _MOST_HEADER:
                raise pa.ArrowInvalid("a page without its header") from None
            size *= 16


class _PageHeader:
    """The numbers in the header of a page, by their fields, and how many bytes it has.

    It is in Thrift's compact protocol: https://github.com/apache/thrift/blob/master/doc/specs.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = 0
        self.numbers = self._structure()

    def _structure(self, depth: int = 0) -> dict[int, int]:
        numbers: dict[int, int] = {}
        field = 0
        while head := self._byte():
            kind = head & 15
            field = field + (head >> 4) if head >> 4 else self._signed()
            if kind in _NUMBERS:
                numbers[field] = self._signed()
            elif kind == _TEXT:
                size = self._unsigned()  # moves the place itself
                self.size += size
            elif kind == _STRUCTURE and depth < _DEEPEST:
                self._structure(depth + 1)
            elif kind in _FIXED_SIZES:
                self.size += _FIXED_SIZES[kind]
            else:
                raise pa.ArrowInvalid("a page with an odd header")
        return numbers

    def _byte(self) -> int:
        self.size += 1
        return self._data[self.size - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 128:
            value |= (byte & 127) << shift
            shift += 7
        return value | byte << shift

    def _signed(self) -> int:
        value = self._unsigned()
        return value >> 1 ^ -(value & 1)


_NUMBERS = (4, 5, 6)
_TEXT = 8
_STRUCTURE = 12
_FIXED_SIZES = {1: 0, 2: 0, 3: 1, 7: 8}  # the first two are true and false
