"""The results of very many files, in a temporary file in place of memory."""

import io
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple, Self, overload

from manifestkit.model.report import FileResult, FileSummary, SummarizedResults

_MOST_IN_MEMORY = 10_000  # results
_CHUNK = 1 << 16  # bytes


class StoredResult(NamedTuple):
    """The result of a file.

    Attributes:
        summary: the facts about it that count.
        data: the result itself, or its offset in the file of the store.
    """

    summary: FileSummary
    data: FileResult | int


class ResultStore:
    """Keeps results: the first 10,000 in memory, the others in a file until it is closed."""

    def __init__(self) -> None:
        self._kept = 0
        self._summaries: dict[FileSummary, FileSummary] = {}
        self._file: io.RawIOBase | None = None
        self._reader: io.BufferedReader | None = None
        self._end = 0
        self._behind = bytearray()
        self._is_full = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._reader:
            self._reader.close()

    def keep(self, result: FileResult, summary: FileSummary) -> StoredResult:
        """Return a result in a form that takes little memory."""
        self._kept += 1
        stored = StoredResult(self._summaries.setdefault(summary, summary), result)
        if self._kept > _MOST_IN_MEMORY:
            with suppress(RecursionError):  # a value nested very deeply
                return stored._replace(data=self._written(result))
        return stored

    def _written(self, result: FileResult) -> int:
        import pickle  # noqa: PLC0415 - most runs are short

        offset = self._end + len(self._behind)
        self._behind += pickle.dumps(result)
        if len(self._behind) > _CHUNK and not self._is_full:
            try:
                self._flush()
            except OSError:  # the disk is full: memory may hold the rest
                self._is_full = True
        return offset

    def _flush(self) -> None:
        if self._file is None:
            import tempfile  # noqa: PLC0415 - most runs are short

            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed with this
            self._reader = io.BufferedReader(self._file)
        if self._file.write(self._behind) != len(self._behind):
            raise OSError
        self._end += len(self._behind)
        self._behind.clear()

    def read(self, offset: int) -> FileResult:
        """Return a result from the file."""
        import pickle  # noqa: PLC0415 - most runs are short

        if self._reader and offset < self._end:
            self._reader.seek(offset)
            result: FileResult = pickle.load(self._reader)  # noqa: S301 - of our own process
        else:
            result = pickle.loads(memoryview(self._behind)[offset - self._end :])  # noqa: S301 - so
        return result


class StoredResults(SummarizedResults):
    """Results in a store."""

    def __init__(self, stored: Sequence[StoredResult], store: ResultStore) -> None:
        self.summaries = [each.summary for each in stored]
        self._stored = stored
        self._store = store

    def __len__(self) -> int:
        return len(self._stored)

    @overload
    def __getitem__(self, index: int) -> FileResult: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[FileResult]: ...
    def __getitem__(self, index: int | slice) -> FileResult | Sequence[FileResult]:
        if isinstance(index, slice):
            return StoredResults(self._stored[index], self._store)
        data = self._stored[index].data
        return data if isinstance(data, FileResult) else self._store.read(data)
