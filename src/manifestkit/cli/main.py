"""The `manifest` command: the only place that prints and exits."""

from __future__ import annotations

import io
import os
import sys

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.app import app
from manifestkit.cli.console import drop_output, error, failure, tell
from manifestkit.files import reason_of
from manifestkit.model.errors import ManifestkitError

__all__ = ["main"]


def main() -> None:
    """Run the command on the process's arguments, and exit."""
    _replace_closed_streams()
    _buffer_output()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    code = _run()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # nobody is left to tell
            drop_output(stream)
    sys.exit(code)


def _run() -> int:
    try:
        code = app.main(prog_name="manifest", standalone_mode=False)
        sys.stdout.flush()
    except (click.ClickException, ManifestkitError) as problem:
        failure(problem)
        return exit_codes.USAGE
    except (click.Abort, KeyboardInterrupt):
        return exit_codes.INTERRUPTED
    except SystemExit as end:  # click exits by itself after completion, and on a closed pipe
        return _closed_pipe() if end.code else exit_codes.CLEAN
    except BrokenPipeError:
        return _closed_pipe()
    except OSError as problem:
        drop_output()
        if not _has_working_folder():
            error("the working folder is gone: go to one that is there")
        else:
            error(f"the output cannot be written: {reason_of(problem)}")
        return exit_codes.USAGE
    except BaseException as bug:  # noqa: BLE001 - a panic of an extension in Rust is no Exception
        return _crash(bug)
    return int(code or exit_codes.CLEAN)


def _replace_closed_streams() -> None:
    """Put the null device where a stream was closed before the start, which Python makes None.

    For standard input it is one that cannot be read, so that nobody takes it for an empty file.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115


def _buffer_output() -> None:
    """Put a buffer before an unbuffered output, as PYTHONUNBUFFERED makes it.

    Without one Python drops what a short write leaves over, and so the error of the next write.
    """
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        sys.stdout = open(  # noqa: SIM115
            sys.stdout.fileno(), "w", encoding=sys.stdout.encoding, closefd=False
        )


def _has_working_folder() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 - pathlib gives no more
    except OSError:
        return False
    return True


def _closed_pipe() -> int:
    drop_output()
    return exit_codes.CLOSED_PIPE


def _crash(bug: BaseException) -> int:
    import traceback  # noqa: PLC0415 - only a crash needs them

    from manifestkit.cli.crash import REPORT_IT, write_log  # noqa: PLC0415

    log = write_log("".join(traceback.format_exception(bug)))
    error(f"this is a bug in manifestkit ({type(bug).__name__})")
    tell(f"Please report it, with the details in {log}, {REPORT_IT}.")
    return exit_codes.CRASH
