"""The `manifest` command, also as `python -m manifestkit`."""

from __future__ import annotations

import gc

_RARELY = 100_000


def main() -> None:
    """Run the command on the process's arguments, and exit."""
    gc.set_threshold(_RARELY)  # what is imported and read stays: there is little to collect
    from manifestkit import cli  # noqa: PLC0415 - importing it is what the collector would disturb

    cli.main()


if __name__ == "__main__":
    main()
