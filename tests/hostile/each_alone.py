"""Run each heavy text in a process of its own: ``each_alone.py [--regenerate]``.

`lint` gets 10 seconds of processor time for each, twice what it takes at most where nothing else
runs, `lint --fix`, `fmt` and `convert` get 20; all get 512 MB.
Exits with 1 if one takes more, crashes, says something else than `texts.tsv`, or changes a file
that it refuses. With --regenerate the verdicts are written into the table.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from command import MANIFEST, Outcome, environment
from verdicts import heavy, table, verdict, write_table

_KILOBYTES = 512 * 1024
_COMMANDS = {
    ("lint", "--output-format=jsonl"): 10,
    ("lint", "--fix"): 20,
    ("fmt",): 20,
    ("convert", "--to=json"): 20,
    ("convert", "--to=yaml"): 20,
}


def _run(arguments: tuple[str, ...], seconds: int, folder: Path) -> tuple[Outcome, float, int]:
    """How a run ended, its seconds of processor time, and its peak of memory in kB."""
    with (folder / "out").open("wb+") as out, (folder / "err").open("wb+") as err:
        process = subprocess.Popen(
            [*MANIFEST, *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env=environment(),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1)),
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    said = Outcome(
        process.returncode, (folder / "out").read_text("utf-8"), (folder / "err").read_text("utf-8")
    )
    return said, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def _tell_most(costs: list[tuple[float, int, str]]) -> None:
    for number in range(len(_COMMANDS)):
        seconds, _, run = max(costs[number :: len(_COMMANDS)])
        print(f"at most {seconds:.1f} s of processor time: {run}")
    memory, run = max(cost[1:] for cost in costs)
    print(f"at most {memory / 1024:.0f} MB: {run}")


def main() -> int:
    """Run all, and print a line for each that is not as it should be, and the extremes."""
    regenerates = "--regenerate" in sys.argv
    due = {} if regenerates else table()
    found, problems = {}, 0
    costs: list[tuple[float, int, str]] = []
    for name, what, data in heavy():
        for arguments, most in _COMMANDS.items():
            with tempfile.TemporaryDirectory() as made:
                folder = Path(made)
                (folder / name).write_bytes(data)
                outcome, seconds, memory = _run((*arguments, name), most, folder)
                left = (folder / name).read_bytes()
            run = f"{' '.join(arguments)} {name} ({what})"
            costs.append((seconds, memory, run))
            faults = []
            if outcome.code not in {0, 1} or "Traceback" in outcome.err:
                faults.append(f"ended with {outcome.code}: {outcome.err[:200]}")
            if memory > _KILOBYTES:
                faults.append(f"took {memory:,} kB")
            if left != data and (
                arguments[0] == "convert" or (outcome.code and "fmt" in arguments)
            ):
                faults.append("changed a file that it refused")
            if "jsonl" in arguments[-1]:
                found[name] = verdict(outcome)
                if not regenerates and found[name] != due.get(name):
                    faults.append(f"said {found[name]}, not {due.get(name)}")
            for fault in faults:
                print(f"{run}: {fault}")
            problems += len(faults)
    if regenerates:
        write_table(found)
    print(f"{len(heavy())} texts; {problems} problems")
    _tell_most(costs)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
