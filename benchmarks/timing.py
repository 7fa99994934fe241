"""How long whole processes take, and how much memory; and how fast the machine is just now."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_ONCE = Path(__file__).with_name("once.py")
GOOD = frozenset({0})
"""Exit codes that say that nothing is wrong."""
BAD = frozenset({1, 2})
"""Exit codes that say that something is."""
_KILOBYTE = 1024
_STEPS = 50_000  # of the loop: a millisecond or two


@dataclass(frozen=True)
class Taken:
    """What one process took.

    Attributes:
        seconds: from its start to its end.
        work: the seconds of processor time of it and its children.
        megabytes: the resident memory of the largest process among it and its children.
    """

    seconds: float
    work: float
    megabytes: float


@dataclass(frozen=True)
class Row:
    """What a program took over all rounds, and beside ours.

    Attributes:
        name: the program.
        seconds: median, least and most.
        work: the seconds of processor time, median.
        megabytes: the most.
        ratio: its time by ours, taken within each round: median, least and most.
    """

    name: str
    seconds: tuple[float, float, float]
    work: float
    megabytes: float
    ratio: tuple[float, float, float]


def pace() -> float:
    """Time a fixed loop, in seconds: a shared machine slows down for a while."""
    start = time.perf_counter()
    for _ in range(_STEPS):
        pass
    return time.perf_counter() - start


def timed(command: Sequence[str], codes: frozenset[int]) -> Taken:
    """Run a command; what it prints is thrown away.

    Raises:
        SystemExit: it ended with another code than these, so that it judged wrongly or not at all.
    """
    done = subprocess.run(
        [sys.executable, "-SE", str(_ONCE), *command], capture_output=True, text=True, check=True
    )
    seconds, work, kilobytes, code = done.stdout.split()
    if int(code) not in codes:
        raise SystemExit(f"{' '.join(command[:8])} ... ended with {code}")
    return Taken(float(seconds), float(work), int(kilobytes) / _KILOBYTE)


def compared(
    commands: Mapping[str, Sequence[str]],
    rounds: int,
    codes: frozenset[int] = GOOD,
    prepare: Callable[[], None] | None = None,
) -> list[Row]:
    """Run commands in turn, so that whatever else the machine does meets all alike.

    Args:
        commands: by the program's name, ours first.
        rounds: how often, after a round that does not count.
        codes: the exit codes that they may end with.
        prepare: makes their files anew before each run.
    """
    taken: dict[str, list[Taken]] = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name, command in commands.items():
            if prepare:
                prepare()
            each = timed(command, codes)
            if turn:
                taken[name].append(each)
    ours = taken[next(iter(taken))]
    return [
        Row(
            name,
            _spread([each.seconds for each in runs]),
            statistics.median(each.work for each in runs),
            max(each.megabytes for each in runs),
            _spread([other.seconds / own.seconds for other, own in zip(runs, ours, strict=True)]),
        )
        for name, runs in taken.items()
    ]


def _spread(figures: Sequence[float]) -> tuple[float, float, float]:
    return statistics.median(figures), min(figures), max(figures)
