"""Look for bytes that break what must hold: `python tests/fuzz/fuzz.py --seconds 60 [TARGET ...]`.

Needs atheris, in an environment of its own. The seconds are of each target. What breaks one is
kept as a file in the corpus, to be fixed and committed; what is new to the fuzzer stays in
`.fuzz`, where the next run begins. With `--runs` the same cases are tried each time.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
GROWN = HERE.parents[1] / ".fuzz"
LONGEST = 4096
SLOWEST = 5
MOST_RSS = 1024
SLOWER = {"messages": 20}
"""Targets that take so many times as long as the others, and get as many fewer runs."""


def fuzz(target: str, grown: str, amount: dict[str, int]) -> None:
    """Run one target in this process as often or as long as asked; it ends the process."""
    import atheris  # noqa: PLC0415 - in its own environment only

    # Nothing else is looked into: what the libraries do is not ours to cover.
    with atheris.instrument_imports(include=["manifestkit"]):
        from targets import TARGETS  # noqa: PLC0415 - likewise

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
    atheris.Setup([__file__, *told, grown, str(HERE / "corpus" / target)], TARGETS[target])
    atheris.Fuzz()


def main() -> int:
    """Run the targets one after the other; the exit code is 1 when something was found."""
    names = sorted(each.name for each in (HERE / "corpus").iterdir())
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", nargs="*", choices=[[], *names])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--runs", type=int, help="as many cases of each target, the same each time")
    parser.add_argument("--grown", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.grown:
        amount = (
            {"runs": asked.runs, "seed": 1} if asked.runs else {"max_total_time": asked.seconds}
        )
        fuzz(asked.target[0], asked.grown, amount)
    broken = []
    for name in asked.target or names:
        runs = asked.runs and asked.runs // SLOWER.get(name, 1)
        much = f"--runs={runs}" if runs else f"--seconds={asked.seconds}"
        print(name, much, flush=True)
        with tempfile.TemporaryDirectory() as empty:
            grown = Path(empty) if runs else GROWN / name
            grown.mkdir(parents=True, exist_ok=True)
            command = [sys.executable, __file__, name, much, f"--grown={grown}"]
            if subprocess.run(command, check=False).returncode:
                broken.append(name)
    print(f"broken: {', '.join(broken)}" if broken else "nothing found")
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
