"""Hold random pairs to what is true of any: `many.py manifests|trees 10000 [SEED [PROVIDERS]]`.

PROVIDERS, such as "one of several", are those of trees.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from changing import check_pair
from checkout import git
from trees import PROVIDERS, check_trees


def main() -> int:
    """Check as many pairs as the command line asks for."""
    what, count, *more = sys.argv[1:]
    first, number = int(more[0] if more else 0), int(count)
    start = time.perf_counter()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(os.path.realpath(folder))
        git(root, "init", "-q")
        check = (
            partial(check_trees, root, providers=(more[1:] or [*PROVIDERS])[0])
            if what == "trees"
            else check_pair
        )
        for seed in range(first, first + number):
            try:
                check(seed)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is told with its seed
                wrong += 1
                print(f"seed {seed}: {error!r}"[:2_000])
    print(f"{number:,} pairs of {what}, {wrong:,} wrong, {time.perf_counter() - start:.0f} s")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
