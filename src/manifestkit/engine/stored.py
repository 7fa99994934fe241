"""The results of very many files, in a temporary file in place of memory."""

import io
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Self, overload

from manifestkit.model.report import FileResult, FileSummary

_MOST_IN_MEMORY = 1_000  # results


class StoredResult(NamedTuple):
    """The result of a file.

    Attributes:
        path: the name of the file in messages.
        summary: the facts about it that count.
        data: the result itself; or pickled, as it comes from another process; or its offset in the
            file of the store.
    """

    path: str
    summary: FileSummary
    data: FileResult | bytes | int

    @classmethod
    def of(cls, result: FileResult) -> Self:
        """Return a result with the facts about it that count."""
        return cls(result.path, result.summary, result)

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        """For another process: the result stays pickled there until somebody looks at it."""
        return type(self), (*self[:-1], self.pickled())

    def pickled(self) -> bytes:
        """Return the result, pickled."""
        import pickle  # noqa: PLC0415 - few files need no other process

        return self.data if isinstance(self.data, bytes) else pickle.dumps(self.data)


class ResultStore:
    """Keeps results: the first thousand in memory, the others in a file until it is closed."""

    def __init__(self) -> None:
        self._file: io.RawIOBase | None = None
        self._end = 0
        self._kept = 0
        self._summaries: dict[FileSummary, FileSummary] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file:
            self._file.close()

    def keep(self, result: StoredResult) -> StoredResult:
        """Return a result that takes little memory."""
        self._kept += 1
        data = result.data
        if self._kept > _MOST_IN_MEMORY:
            with suppress(OSError, RecursionError):  # a full disk, a value nested very deeply
                data = self._written(result.pickled())
        same = self._summaries.setdefault(result.summary, result.summary)
        return result._replace(summary=same, data=data)

    def _written(self, data: bytes) -> int:
        if self._file is None:
            import tempfile  # noqa: PLC0415 - most runs are short

            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed with this
        start = self._file.seek(self._end)
        if self._file.write(data) != len(data):
            raise OSError
        self._end += len(data)
        return start

    def results(self, kept: Sequence[StoredResult]) -> Sequence[FileResult]:
        """Return results, each read from the file when somebody looks at it."""
        return _Results(kept, io.BufferedReader(self._file or io.BytesIO()))


class _Results(Sequence[FileResult]):
    """Results in a file."""

    def __init__(self, kept: Sequence[StoredResult], file: io.BufferedReader) -> None:
        self._kept = kept
        self._file = file

    def __len__(self) -> int:
        return len(self._kept)

    @overload
    def __getitem__(self, index: int) -> FileResult: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[FileResult]: ...
    def __getitem__(self, index: int | slice) -> FileResult | Sequence[FileResult]:
        if isinstance(index, slice):
            return _Results(self._kept[index], self._file)
        data = self._kept[index].data
        if isinstance(data, FileResult):
            return data
        import pickle  # noqa: PLC0415 - few files need no other process

        if isinstance(data, int):
            self._file.seek(data)
        source = io.BytesIO(data) if isinstance(data, bytes) else self._file
        result: FileResult = pickle.load(source)  # noqa: S301 - of our own process
        return result
