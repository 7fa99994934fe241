"""Look for bytes that break what must hold: `python tests/fuzz/fuzz.py --seconds 60 [TARGET ...]`.

Needs atheris, in an environment of its own. The seconds are of each target. What breaks one is
kept as a file in the corpus, to be fixed and committed; what is new to the fuzzer stays in
`.fuzz`, where the next run begins. With `--runs` the same cases are tried each time.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

import atheris

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
# Nothing else is looked into: what the libraries do is not ours to cover.
with atheris.instrument_imports(include=["manifestkit"]):
    from targets import TARGETS

GROWN = HERE.parents[1] / ".fuzz"
LONGEST = 4096
SLOWEST = 5
MOST_RSS = 1024
SLOWER = {"messages": 20}
"""Targets that take so many times as long as the others, and get as many fewer runs."""


def fuzz(target: str, grown: Path, amount: dict[str, int]) -> int:
    """Run one target as often or as long as asked; its exit code. It ends the process it is in."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status)
    options = {
        **amount,
        "max_len": LONGEST,
        "timeout": SLOWEST,
        "rss_limit_mb": MOST_RSS,
        "artifact_prefix": f"{HERE / 'corpus' / target}/",
        "dict": HERE / "words.dict",
        "print_final_stats": 1,
        "verbosity": 0,
    }
    told = [f"-{name}={value}" for name, value in options.items()]
    atheris.Setup([__file__, *told, str(grown), str(HERE / "corpus" / target)], TARGETS[target])
    atheris.Fuzz()
    return 1  # never


def main() -> int:
    """Run the targets one after the other; the exit code is 1 when something was found."""
    names = sorted(each.name for each in (HERE / "corpus").iterdir())
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", nargs="*", choices=[[], *names])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--runs", type=int, help="as many cases of each target, the same each time")
    asked = parser.parse_args()
    broken = []
    for name in asked.target or names:
        runs = asked.runs and asked.runs // SLOWER.get(name, 1)
        amount = {"runs": runs, "seed": 1} if runs else {"max_total_time": asked.seconds}
        print(name, *(f"{option}={value}" for option, value in amount.items()), flush=True)
        with tempfile.TemporaryDirectory() as empty:
            grown = Path(empty) if runs else GROWN / name
            grown.mkdir(parents=True, exist_ok=True)
            if fuzz(name, grown, amount):
                broken.append(name)
    print(f"broken: {', '.join(broken)}" if broken else "nothing found")
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
