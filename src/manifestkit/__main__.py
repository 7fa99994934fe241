"""The `manifest` command, also as `python -m manifestkit`."""

from __future__ import annotations

import atexit
import gc
import sys

_RARELY = 200_000, 30  # new objects, and looks at those
_INTERRUPTED = 130


def main() -> None:
    """Run the command on the process's arguments, and exit."""
    gc.set_threshold(*_RARELY)  # what is imported and read stays: there is little to collect
    atexit.register(gc.freeze)  # and at the end nothing: the system frees the whole memory
    try:
        from manifestkit.cli.main import main as run  # noqa: PLC0415 - an interrupt may come here

        run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    finally:
        import signal  # noqa: PLC0415 - an interrupt may come while it loads

        signal.signal(signal.SIGINT, signal.SIG_IGN)  # how it ends is decided


if __name__ == "__main__":
    main()
