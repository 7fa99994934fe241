"""One test for all rows of a table: a test of its own would cost more than most rows do."""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

Test = Callable[..., None]
Table = Iterable[Any] | Callable[[], Iterable[Any]]
Names = Iterable[str] | Callable[[Any], object]
Row = dict[str, Any]

chosen = ""
"""What `--row` asks for: a part of the names of rows. Others are not tried."""


def rows(
    columns: str | Iterable[str], table: Table, ids: Names = lambda value: value
) -> Callable[[Test], Test]:
    """Try each row, and tell of all that fail, by name; written as `pytest.mark.parametrize` is.

    A table that takes long to make is given by the function that makes it. Each row has a
    `tmp_path` and a `monkeypatch` of its own, and shares what other fixtures give. Two tables are
    tried each with each.
    """
    names = [*map(str.strip, columns.split(","))] if isinstance(columns, str) else [*columns]

    def decorate(test: Test) -> Test:
        inner: Test = getattr(test, "of_a_row", test)
        tables: list[_Table] = [*getattr(test, "tables", ()), _Table(names, table, ids)]

        @functools.wraps(test)
        def try_all(**fixtures: Any) -> None:
            tried = dict(_rows(tables))
            assert tried, "no row has such a name"
            failed = _failed(inner, tried, fixtures)
            if failed:
                told = f"{len(failed)} of {len(tried)} rows: {'; '.join(failed)}"
                raise BaseExceptionGroup(told, [*failed.values()])

        given = inspect.signature(inner)
        of_rows = {name for each in tables for name in each.columns}
        left = [each for name, each in given.parameters.items() if name not in of_rows]
        shown = given.replace(parameters=left)
        vars(try_all).update(of_a_row=inner, tables=tables, __signature__=shown)
        return try_all

    return decorate


class _Table(NamedTuple):
    columns: list[str]
    values: Table
    ids: Names

    def rows(self) -> Iterator[tuple[str, Row]]:
        values = self.values() if callable(self.values) else self.values
        given = None if callable(self.ids) else iter(self.ids)
        for each in values:
            cells = [each] if len(self.columns) == 1 else [*each]
            named = next(given) if given else "-".join(map(self._shown, cells))
            yield named, dict(zip(self.columns, cells, strict=True))

    def _shown(self, value: Any) -> str:
        named = self.ids(value) if callable(self.ids) else value
        text = named if isinstance(named, str) else repr(named)
        return textwrap.shorten(text, 60) if text.isprintable() else ascii(text)[:60]


def _rows(tables: list[_Table]) -> Iterator[tuple[str, Row]]:
    """The rows by name, and by number, too, where another has the same name."""
    seen: set[str] = set()
    for number, parts in enumerate(product(*(each.rows() for each in tables))):
        name = "-".join(name for name, _ in parts)
        name = f"{name}#{number}" if name in seen else name
        seen.add(name)
        if chosen in name:
            yield name, {column: cell for _, row in parts for column, cell in row.items()}


def _failed(test: Test, table: dict[str, Row], fixtures: Row) -> dict[str, BaseException]:
    failed: dict[str, BaseException] = {}
    for number, (name, row) in enumerate(table.items()):
        try:
            with ExitStack() as ends:
                test(**_own(fixtures, number, ends), **row)
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - told with the others
            error.add_note(f"row: {name}")
            failed[name] = error
    return failed


def _own(fixtures: Row, number: int, ends: ExitStack) -> Row:
    own = dict(fixtures)
    if "tmp_path" in own:
        own["tmp_path"] = Path(own["tmp_path"], str(number))
        own["tmp_path"].mkdir()
    if "monkeypatch" in own:
        own["monkeypatch"] = ends.enter_context(pytest.MonkeyPatch.context())
    return own
