"""The `manifest` command, also as `python -m manifestkit`."""

from __future__ import annotations

import gc

from manifestkit.cli.main import main as run

_RARELY = 100_000


def main() -> None:
    """Run the command on the process's arguments, and exit."""
    gc.set_threshold(_RARELY)  # what is imported and read stays: there is little to collect
    run()


if __name__ == "__main__":
    main()
