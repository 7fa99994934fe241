"""Run each heavy text in a process of its own: ``each_alone.py [lint | dimensions] [PREFIX]``.

The process is forked from one that has imported the package: starting Python would cost more than
most texts. Whatever a text of up to 10 MB is, each command, or with `lint` that one in JSON alone,
takes at most 512 MB, `lint` in one format and in all at once, and it prints at most 20 MB in any
format. On an idle machine it takes at most 5 seconds of processor time, which the last lines show;
what takes six times as long, here and on a slow machine, grows faster than its text, and is
stopped. With `dimensions`, each dimension of a manifest, a profile and a run is doubled three times
in place of that, and the time of its command grows at most 2.5 times each time, to at most 5
seconds: for an idle machine, and longer than a build should take.

Exits with 1 if one takes more, crashes, says something else than `texts.tsv`, or changes a file
that it refuses. With a prefix only the texts or dimensions whose names begin so are run.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import sys
import tempfile
import traceback
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, NoReturn

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from command import Outcome, become, environment
from dimensions import Dimension, dimensions
from manifestkit.rendering import FORMATS
from verdicts import Verdict, heavy, table, texts, verdict

_KILOBYTES = 512 * 1024
_PRINTED = 20_000_000
_LINT = ("lint", "--output-format=json")
_IN_ALL_FORMATS = (
    "lint",
    "--color=always",
    *(f"--output-format={name}=out.{name}" for name in FORMATS if name not in {"full", "json"}),
    "--output-format=full",
)
_COMMANDS: tuple[tuple[str, ...], ...] = (
    _LINT,
    _IN_ALL_FORMATS,
    ("lint", "--fix"),
    ("fmt",),
    ("convert", "--to=json"),
    ("convert", "--to=yaml"),
)
_SECONDS = 30
_GROWTH = 2.5
_LONGEST = 5.0
_MEASURABLE = 0.3
_SLOWEST = 10
_CRASHED = 1


_Cost = tuple[float, int, int, str]
"""Seconds of processor time, kB, bytes printed, and what."""


class Ran(NamedTuple):
    """What came of one text."""

    name: str
    verdict: Verdict
    problems: tuple[str, ...]
    costs: tuple[_Cost, ...]


def _run(arguments: tuple[str, ...], folder: Path) -> tuple[Outcome, float, int, int]:
    """How a run ended, its seconds of processor time, its peak of memory in kB, and its output."""
    process = os.fork()
    if process == 0:
        _be(arguments, folder)
    _, status, usage = os.wait4(process, 0)
    texts = ((folder / name).read_text("utf-8") for name in ("out", "err"))
    said = Outcome(os.waitstatus_to_exitcode(status), *texts)
    printed = max(each.stat().st_size for each in folder.glob("out*"))
    for each in folder.glob("out*"):
        each.unlink()
    return said, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, printed


def _be(arguments: tuple[str, ...], folder: Path) -> NoReturn:
    """Run a command in this process, and end it."""
    code: object = _CRASHED
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS + 1))
        streams = [Path(os.devnull), folder / "out", folder / "err"]
        become(list(arguments), folder, environment(), streams)
        code = 0
    except SystemExit as end:
        code = end.code or 0
    except BaseException:  # noqa: BLE001 - whatever it is, a user would see it
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code if isinstance(code, int) else 1)


def _try(commands: tuple[tuple[str, ...], ...], text: tuple[str, str, str]) -> Ran:
    """Run commands on one text, which stands in a folder of its own."""
    name, what, where = text
    folder = Path(where)
    data = (folder / name).read_bytes()
    found, problems, costs = Verdict("", ""), [], []
    for arguments in commands:
        (folder / name).write_bytes(data)
        outcome, seconds, memory, printed = _run((*arguments, name), folder)
        left = (folder / name).read_bytes()
        short = "lint in all formats" if arguments == _IN_ALL_FORMATS else " ".join(arguments)
        run = f"{short} {name} ({what})"
        costs.append((seconds, memory, printed, run))
        if outcome.code not in {0, 1} or "Traceback" in outcome.err:
            problems.append(f"{run}: ended with {outcome.code}: {outcome.err[:200]}")
        if memory > _KILOBYTES:
            problems.append(f"{run}: took {memory:,} kB")
        if printed > _PRINTED:
            problems.append(f"{run}: printed {printed:,} bytes")
        is_refused = arguments[0] == "fmt" and outcome.code
        if left != data and (is_refused or arguments[0] == "convert"):
            problems.append(f"{run}: changed a file that it refused or only read")
        if arguments == _LINT and outcome.out:
            found = verdict(outcome)
    return Ran(name, found, tuple(problems), tuple(costs))


def _double(name: str) -> tuple[list[str], _Cost]:
    """What is wrong with how a dimension grows, and what its largest size costs."""
    dimension = next(each for each in dimensions() if each.name == name)
    problems = []
    start, cost, sizes = 0.0, (0.0, 0, 0, name), (dimension.most // part for part in (8, 4, 2, 1))
    for size in (1, *sizes):
        before = cost[0] - start
        for _ in range(3):  # the least is what no other process has slowed
            outcome, cost = _measured(dimension, size)
            grows = before > _MEASURABLE and cost[0] - start > _GROWTH * before
            if not grows or dimension.is_product:
                break
        else:
            problems.append(f"{name}: from {before:.1f} s to {cost[0] - start:.1f} s at {size:,}")
        if outcome.code not in {0, 1, 2} or "Traceback" in outcome.err:
            problems.append(f"{name}: ended with {outcome.code} at {size:,}: {outcome.err[:200]}")
            break
        start = start or cost[0]
    if cost[0] > _LONGEST:
        problems.append(f"{name}: {cost[0]:.1f} s")
    return problems, cost


def _measured(dimension: Dimension, size: int) -> tuple[Outcome, _Cost]:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name, text in dimension.files(size).items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(text.encode("utf-8", "surrogatepass"))
        arguments = (*dimension.arguments, "--output-format=json")
        outcome, seconds, memory, printed = _run(arguments, folder)
    return outcome, (seconds, memory, printed, f"{dimension.name}: {size:,}")


def _written(prefix: str, root: Path) -> list[tuple[str, str, str]]:
    """Each text in a folder of its own; none stays in memory, which a fork would count as its."""
    rows = []
    for name, what, data in heavy():
        if name.startswith(prefix):
            folder = root / name.replace(".", "-")
            folder.mkdir()
            (folder / name).write_bytes(data)
            rows.append((name, what, str(folder)))
    texts.cache_clear()
    return rows


def _tell_most(costs: list[_Cost], commands: int) -> None:
    for number in range(commands):
        seconds, _, _, run = max(costs[number::commands])
        print(f"at most {seconds:.1f} s: {run}")
    memory, run = max((cost[1], cost[3]) for cost in costs)
    print(f"at most {memory / 1024:.0f} MB: {run}")
    printed, run = max((cost[2], cost[3]) for cost in costs)
    print(f"at most {printed / 1e6:.1f} MB printed: {run}")


def main() -> int:
    """Run all, and print a line for each that is not as it should be, and the extremes."""
    doubles, lints = (sys.argv[1:2] == [word] for word in ("dimensions", "lint"))
    prefix = "".join(sys.argv[1 + (doubles or lints) :])
    commands = (_LINT,) if lints else _COMMANDS
    due = table()
    names = [each.name for each in dimensions() if doubles and each.name.startswith(prefix)]
    problems: list[str] = []
    with tempfile.TemporaryDirectory() as made:
        rows = [] if doubles else _written(prefix, Path(made))
        workers = multiprocessing.get_context("spawn")
        with workers.Pool(os.cpu_count(), import_module, ("preloaded",)) as pool:
            ran = list(pool.imap_unordered(partial(_try, commands), rows))
            doubled = list(pool.imap_unordered(_double, names))
    for each in ran:
        problems += each.problems
        if each.verdict != due.get(each.name):
            problems.append(f"{each.name}: said {each.verdict}, not {due.get(each.name)}")
    problems += [problem for found, _ in doubled for problem in found]
    for problem in problems:
        print(problem)
    print(f"{len(rows)} texts, {len(names)} dimensions; {len(problems)} problems")
    if ran:
        _tell_most([cost for each in ran for cost in each.costs], len(commands))
    for seconds, _, _, run in sorted((cost for _, cost in doubled), reverse=True)[:_SLOWEST]:
        print(f"{seconds:.1f} s: {run}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
