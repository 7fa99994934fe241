"""Whatever there is twice as much of takes twice the work, not four times."""

from __future__ import annotations

import cProfile
from pathlib import Path

import pytest

from dimensions import Dimension, dimensions
from in_process import manifest_here

pytestmark = pytest.mark.slow

_GROWTH = 2.5
_SIZES = (50, 100, 200)
_TWICE = 400
"""What is done from some size on seems to grow there by leaps; it is in step from then on."""
_FEW_CALLS = 5_000
"""What is done once, from some size on, may be as much; each with each is more."""
_FEW_FILES = 3
"""More are judged by other processes, whose work is not counted here."""


def _work(dimension: Dimension, size: int, folder: Path) -> int:
    """How many functions are called, Python's own among them."""
    for name, text in dimension.files(size).items():
        (folder / name).write_bytes(text.encode("utf-8", "surrogatepass"))
    with cProfile.Profile() as counted:
        manifest_here(*dimension.arguments)
    return sum(each.callcount for each in counted.getstats())


def _counted() -> list[Dimension]:
    """Those that are counted in no time; `each_alone.py dimensions` measures all, in full size."""
    return [
        each
        for each in dimensions()
        if not (each.is_product or each.name.startswith(("YAML", "JSON text")))
        and len(each.files(4)) <= _FEW_FILES
    ]


@pytest.mark.parametrize("dimension", _counted(), ids=lambda each: each.name)
def test_the_work_grows_in_step(
    dimension: Dimension, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _work(dimension, _SIZES[0], tmp_path)  # what is worked out once
    works = [_work(dimension, size, tmp_path) for size in _SIZES]
    if not _in_step(*works):
        works = [*works[1:], _work(dimension, _TWICE, tmp_path)]
    assert _in_step(*works), works


def _in_step(one: int, two: int, four: int) -> bool:
    return four - two <= _GROWTH * max(two - one, _FEW_CALLS)
