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
_ENCODING = ((5, 2), (8, 4))  # likewise, and a field of it
_DICTIONARY_PAGE = 2
_BY_DICTIONARY = ([2], [8])
_COLUMNS = ("uri", "content", "name")

_Fields = dict[int, "int | _Fields"]


def opened(store: stores.FileSystem, path: str) -> pq.ParquetFile:
    """Return a Parquet file, of which only its footer is read."""
    return pq.ParquetFile(path, filesystem=store, buffer_size=1 << 20, pre_buffer=False)


def row_group(
    store: stores.FileSystem, path: str, shown: str, index: int, most_bytes: int
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a row group.

    Args:
        store: where the file is.
        path: its path there.
        shown: as errors name it.
        index: which row group.
        most_bytes: the size of the largest manifest that is read.

    Raises:
        UnreadableFileError: a page is too large.
    """
    with opened(store, path) as file, store.open_input_file(path) as raw:
        schema, group = file.schema_arrow, file.metadata.row_group(index)
        names = [name for name in _COLUMNS if name in schema.names]
        most_page = max(_MOST_PAGE, 4 * most_bytes)
        longest = 1
        for chunk in map(group.column, range(group.num_columns)):
            if (name := chunk.path_in_schema) in names:
                keeps = pa.types.is_dictionary(schema.field(name).type)
                try:
                    longest = max(longest, _longest(raw, chunk, most_page, keeps_dictionary=keeps))
                except _PageTooLargeError as error:
                    raise UnreadableFileError(
                        shown,
                        f"the column `{name}` has a page of {error.args[0]:,} bytes, which are "
                        f"more than {most_page:,}; write it again in smaller row groups",
                    ) from None
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


class _PageTooLargeError(Exception):
    """Of a page of so many bytes."""


def _longest(
    file: pa.NativeFile, chunk: pq.ColumnChunkMetaData, most_page: int, *, keeps_dictionary: bool
) -> int:
    """Return an upper bound on the length of one value of a column.

    Args:
        file: the file.
        chunk: the column.
        most_page: the bytes of the largest page that is read.
        keeps_dictionary: whether its dictionary is decoded as a whole, and not its values.

    Raises:
        _PageTooLargeError: a page is larger.
    """
    if chunk.total_uncompressed_size * 16 <= _DECODED:
        return int(chunk.total_uncompressed_size)
    longest = 1
    for size, is_dictionary in _pages(file, chunk):
        if size > most_page:
            raise _PageTooLargeError(size)
        if not (keeps_dictionary and is_dictionary):
            longest = max(longest, size)
    return longest


def _pages(file: pa.NativeFile, chunk: pq.ColumnChunkMetaData) -> Iterator[tuple[int, bool]]:
    """Yield the bytes of each page of a column, and whether it is of a dictionary."""
    at = chunk.data_page_offset
    if chunk.has_dictionary_page and chunk.dictionary_page_offset:
        at = min(at, chunk.dictionary_page_offset)
    end = at + chunk.total_compressed_size
    while at < end:
        header, length = _header(file, at)
        size, packed = header.get(_SIZE), header.get(_PACKED)
        if not isinstance(size, int) or not isinstance(packed, int) or min(size, packed) < 0:
            raise pa.ArrowInvalid("a page without its size")
        encodings = [
            part.get(encoding)
            for field, encoding in _ENCODING
            if isinstance(part := header.get(field), dict)
        ]
        is_dictionary = header.get(_KIND) == _DICTIONARY_PAGE or encodings[:1] in _BY_DICTIONARY
        yield size, is_dictionary
        at += length + packed


def _header(file: pa.NativeFile, at: int) -> tuple[_Fields, int]:
    """Return the header of a page, and how many bytes it has."""
    size = _HEADER
    while True:
        file.seek(at)
        data = file.read(size)
        try:
            reader = _Compact(data)
            return reader.structure(), reader.at
        except IndexError:
            if len(data) < size or size > _MOST_HEADER:
                raise pa.ArrowInvalid("a page without its header") from None
            size *= 16


class _Compact:
    """Reader of Thrift's compact protocol: https://github.com/apache/thrift/blob/master/doc/specs."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    def structure(self, depth: int = 0) -> _Fields:
        """Return the numbers and the structures of a structure, by the numbers of their fields."""
        fields: _Fields = {}
        number = 0
        while kind := self._byte():
            number = number + (kind >> 4) if kind >> 4 else self._number()
            value = self._value(kind & 15, depth)
            if value is not None:
                fields[number] = value
        return fields

    def _value(self, kind: int, depth: int) -> int | _Fields | None:
        if kind in _BOOLEANS:
            return None
        if kind in _NUMBERS:
            return self._number()
        if kind == _TEXT:
            self._skip(self._unsigned())
        elif kind == _STRUCTURE and depth < _DEEPEST:
            return self.structure(depth + 1)
        elif kind in _SIZES:
            self._skip(_SIZES[kind])
        else:
            raise pa.ArrowInvalid("a page with an odd header")
        return None

    def _byte(self) -> int:
        self.at += 1
        return self._data[self.at - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 128:
            value |= (byte & 127) << shift
            shift += 7
        return value | byte << shift

    def _number(self) -> int:
        value = self._unsigned()
        return value >> 1 ^ -(value & 1)

    def _skip(self, size: int) -> None:
        self.at += size
        if self.at > len(self._data):
            raise IndexError


_BOOLEANS = (1, 2)
_NUMBERS = (4, 5, 6)
_TEXT = 8
_STRUCTURE = 12
_SIZES = {3: 1, 7: 8}
