"""Hold random pairs to what must be true of any: `python tests/changes/many.py 10000 [SEED]`."""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from changing import check_pair


def main() -> int:
    """Check as many pairs as the command line asks for."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    start = time.perf_counter()
    wrong = 0
    for seed in range(first, first + count):
        try:
            check_pair(seed)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told with its seed
            wrong += 1
            print(f"seed {seed}: {error!r}"[:2_000])
    print(f"{count:,} pairs, {wrong:,} wrong, {time.perf_counter() - start:.0f} s")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
