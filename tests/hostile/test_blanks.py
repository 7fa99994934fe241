"""Many blanks, wherever they stand, take time in step with their number."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from in_process import manifest_here
from report_cases import GOOD

pytestmark = pytest.mark.slow

_FEW, _MANY = 10_000, 80_000
_GROWTH = 24
"""Eight times as many take eight times as long, and 64 times if each is compared with each."""
_LEAST = 0.02  # seconds of processor time

COMMANDS = {
    "lint": ("lint",),
    "lint --fix": ("lint", "--fix", "--unsafe-fixes", "--diff"),
    "fmt": ("fmt", "--check"),
    "set": ("set", "--force", "--diff", "/x", "1", "manifest.json"),
}


def _paths(value: Any) -> Iterator[tuple[str | int, ...]]:
    yield ()
    for key, each in value.items() if isinstance(value, dict) else enumerate(value):
        below = _paths(each) if isinstance(each, dict | list) else [()]
        yield from ((key, *path) for path in below)


def _replaced(path: tuple[str | int, ...], text: str) -> Any:
    value = json.loads(json.dumps(GOOD))
    if not path:
        return text
    owner = value
    for step in path[:-1]:
        owner = owner[step]
    owner[path[-1]] = text
    return value


def _values() -> dict[str, Callable[[int], str]]:
    """A text with blanks in the place of each value."""
    return {
        f"in the place of {path}": lambda size, path=path: json.dumps(  # type: ignore[misc]
            _replaced(path, f"a{' ' * size}b")
        )
        for path in _paths(GOOD)
    }


def _gaps() -> dict[str, Callable[[int], str]]:
    """Blanks and line ends before each token."""
    text = json.dumps(GOOD)
    starts = [each.start() for each in re.finditer(r'[\[\]{}:,]|"[^"]*"|\d+', text)]
    return {
        f"before {text[at : at + 12]} at {at}": lambda size, at=at: (  # type: ignore[misc]
            text[:at] + " \n" * (size // 2) + text[at:]
        )
        for at in [*starts, len(text)]
    }


def _seconds(command: tuple[str, ...], text: str, folder: Path) -> float:
    (folder / "manifest.json").write_text(text, "utf-8")
    start = time.process_time()
    manifest_here(*command)
    return time.process_time() - start


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("texts", [_values(), _gaps()], ids=["in values", "between tokens"])
def test_eight_times_as_many_take_eight_times_as_long(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    texts: dict[str, Callable[[int], str]],
    command: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in texts.items():
        few = max(_seconds(command, text(_FEW), tmp_path), _LEAST)
        assert _seconds(command, text(_MANY), tmp_path) < _GROWTH * few, name
