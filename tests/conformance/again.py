"""Run a command on the path in each line of the input, and print an exit code for each.

`python again.py COMMAND [ARGUMENT ...]` runs what an installed command runs again and again in one
process, without the time that the start of each would take.
"""

from __future__ import annotations

import importlib.metadata
import os
import sys
from pathlib import Path


def main() -> None:
    """Run the command on each path; what it prints is lost."""
    (command,) = importlib.metadata.entry_points(group="console_scripts", name=sys.argv[1])
    run = command.load()
    arguments = sys.argv[2:]
    with os.fdopen(os.dup(1), "w") as output, Path(os.devnull).open("w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
        for path in sys.stdin.read().splitlines():
            sys.argv[1:] = [*arguments, path]
            try:
                code = run()
            except SystemExit as end:
                code = end.code
            except Exception:  # noqa: BLE001 - as Python ends a process
                code = 1
            print(code or 0, file=output)


if __name__ == "__main__":
    main()
