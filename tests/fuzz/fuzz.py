"""Look for bytes that break what must hold: `python tests/fuzz/fuzz.py --seconds 60 [TARGET ...]`.

Needs atheris, in an environment of its own. The seconds are of each target. What breaks one is
kept as a file beside the corpus, to be mended and committed; what is new to the fuzzer stays in
`.fuzz`, where the next run begins.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
GROWN = HERE.parents[1] / ".fuzz"
LONGEST = 4096
SLOWEST = 5
MOST_RSS = 1024


def fuzz(target: str, seconds: int) -> None:
    """Run one target in this process until the time is over; it ends the process."""
    import atheris  # noqa: PLC0415 - in its own environment only

    # Nothing else is looked into: what the libraries do is not ours to cover.
    with atheris.instrument_imports(include=["manifestkit"]):
        from targets import TARGETS  # noqa: PLC0415 - likewise

    grown = GROWN / target
    grown.mkdir(parents=True, exist_ok=True)
    options = {
        "max_total_time": seconds,
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


def main() -> int:
    """Run the targets one after the other; the exit code is 1 when something was found."""
    names = sorted(each.name for each in (HERE / "corpus").iterdir())
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", nargs="*", choices=[[], *names])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.here:
        fuzz(asked.target[0], asked.seconds)
    broken = []
    for name in asked.target or names:
        print(f"{name}: {asked.seconds} s", flush=True)
        command = [sys.executable, __file__, "--here", name, "--seconds", str(asked.seconds)]
        if subprocess.run(command, check=False).returncode:
            broken.append(name)
    print(f"broken: {', '.join(broken)}" if broken else "nothing found")
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
