"""The `manifest` command and its subcommands, and the code that each ends with."""

from __future__ import annotations

import importlib
import io
import os
import sys
from contextlib import suppress
from itertools import takewhile
from typing import TYPE_CHECKING, Any, ClassVar, TextIO

import click

from manifestkit.cli.console import completed, drop_output, error, say, write_log
from manifestkit.cli.exit_codes import ExitCode
from manifestkit.files import reason_of
from manifestkit.model.errors import ManifestkitError
from manifestkit.rendering.escape import visible

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_TOGETHER = {
    "add": "edit:add",
    "get": "edit:get",
    "login": "account:login",
    "logout": "account:logout",
    "remove": "edit:remove",
    "set": "edit:set_value",
    "sites": "account:sites",
}
"""The commands that share a module: its name, and that of the command in it."""

# What each is for is the first sentence of its own help.
_GROUPS = {
    "Write": {
        "new": "Create a manifest, asking for missing values.",
        "fmt": "Format manifests.",
        "add": "Add an activity, a permission or a capability, or several.",
        "get": "Print the value of a member or an item.",
        "set": "Set the value of a member.",
        "remove": "Remove a member or an item from a manifest.",
        "convert": "Convert a manifest to JSON or YAML.",
    },
    "Check": {
        "lint": "Check manifests and report each problem with its location.",
        "diff": "Compare two manifests and report what changed.",
        "explain": "Explain a rule, a member or a value, or list the rules.",
        "schema": "Print the JSON Schema of manifests.",
    },
    "Host": {
        "profile": "Test a profile with good and bad examples.",
        "preview": "Show a manifest as a host's reviewer sees it.",
        "fleet": "Check millions of manifests and compare the results.",
    },
    "Publish": {
        "login": "Log in to the publishing service.",
        "logout": "Delete the token that `manifest login` stored.",
        "sites": "List your sites, one per line.",
        "deploy": "Check a site and its manifest, then publish it.",
        "sandbox": "Run a local publishing service to try out deploys.",
    },
    "Editors": {
        "lsp": "Run the editor server, on standard input and output.",
        "completion": "Print the completion script for SHELL.",
    },
}
_COMMANDS = {name: text for each in _GROUPS.values() for name, text in each.items()}


class _Commands(click.Group):
    """Imports a subcommand only when it is asked for, and none to list them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        name, _, function = _TOGETHER.get(cmd_name, f"{cmd_name}:command").partition(":")
        module = importlib.import_module(f"manifestkit.cli.commands.{name}")
        command: click.Command = getattr(module, function)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the words as they are typed, for what is said of them where they are wrong."""
        ctx.obj = [*args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what goes wrong is told here, where the words that were typed are known.

        A value too many or too few does not tell where it was given.
        """
        try:
            return super().invoke(ctx)
        except (click.ClickException, ManifestkitError) as problem:
            if isinstance(problem, click.BadOptionUsage):
                name = ctx.invoked_subcommand or ""
                its = self.get_command(ctx, name) or self
                problem.ctx = problem.ctx or click.Context(its, parent=ctx, info_name=name)
            report_failure(problem)
            return ExitCode.USAGE

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 - likewise
        formatter: click.HelpFormatter,
    ) -> None:
        widest = max(map(len, _COMMANDS))
        for heading, commands in _GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:<{widest}}", text) for name, text in commands.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        named = completed(_COMMANDS, incomplete)
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]


@click.command(
    cls=_Commands,
    invoke_without_command=True,
    no_args_is_help=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
Examples:
  manifest lint                       check the manifests in this folder
  manifest lint manifest.json         check one file
  manifest lint --fix                 apply the safe fixes
  manifest preview manifest.json      show what a manifest contains
  manifest diff --base main           report what changed since main
  manifest fmt                        format the manifests in this folder
  manifest add permission host.timer  add a permission
  manifest explain unknown-member     explain a rule
  manifest new                        create a manifest
  manifest deploy dist --domain NAME  check and publish a site
  manifest completion bash            set up shell completion
""",
)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    help="Show the versions of manifest, its schema engine and Python, and exit.",
)
@click.pass_context
def app(ctx: click.Context, /, *, version: bool) -> None:
    """Lint and author activity provider manifests."""
    if not version:
        if ctx.invoked_subcommand is None:
            raise click.UsageError("missing command", ctx)
        return
    from importlib import metadata  # noqa: PLC0415 - slow to import

    from manifestkit.schema.engines import ENGINE, NOT_THE_FASTER  # noqa: PLC0415 - likewise

    why = f"; jsonschema-rs does not load: {NOT_THE_FASTER}" if NOT_THE_FASTER else ""
    click.echo(f"manifest {metadata.version('manifestkit')}")
    click.echo(f"schema engine: {ENGINE.NAME} {metadata.version(ENGINE.NAME)}{why}")
    click.echo(f"Python {sys.version.split()[0]}")
    ctx.exit()


def main() -> None:
    """Run the command on the process's arguments, and exit."""
    _prepare_streams()
    code = _run()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # nobody is left to tell
            drop_output(stream)
    sys.exit(code)


def _run() -> int:
    try:
        _refuse_names_of_options(sys.argv[1:])
        code = app.main(prog_name="manifest", standalone_mode=False)
        sys.stdout.flush()
    except (click.ClickException, ManifestkitError) as problem:
        report_failure(problem)
        return ExitCode.USAGE
    except (click.Abort, KeyboardInterrupt):
        return ExitCode.INTERRUPTED
    except (SystemExit, OSError) as end:
        if isinstance(end, SystemExit) and not end.code:  # click exits by itself after completion
            return ExitCode.CLEAN
        return _failed(end)
    except BaseException as bug:  # noqa: BLE001 - a panic of an extension in Rust is no Exception
        return _crash(bug)
    return int(code or ExitCode.CLEAN)


def report_failure(problem: click.ClickException | ManifestkitError) -> None:
    """Say on standard error why the command cannot go on, in a line for each reason."""
    if isinstance(problem, ManifestkitError):
        for each in problem.problems:
            error(each)
        return
    if isinstance(problem, click.exceptions.NoArgsIsHelpError):
        problem.show()
        return
    from manifestkit.cli.usage import usage_message  # noqa: PLC0415 - most runs need none

    if isinstance(problem, click.UsageError) and problem.ctx is not None:
        help_is = f"Try '{problem.ctx.command_path} --help' for help.\n"
        for line in f"{problem.ctx.get_usage()}\n{help_is}".split("\n"):
            say(line)

    error(usage_message(problem))


def _failed(problem: BaseException) -> int:
    """Say what could not be done; click exits by itself, whatever pipe is closed."""
    if _Output.problem is not None:
        drop_output()
        if isinstance(_Output.problem, BrokenPipeError):
            return ExitCode.CLOSED_PIPE
        error(f"the output cannot be written: {reason_of(_Output.problem)}")
        return ExitCode.USAGE
    try:
        os.getcwd()  # noqa: PTH109 - pathlib gives no more
    except OSError:
        error("the current folder no longer exists; change to another one")
        return ExitCode.USAGE
    return _crash(problem)


class _Output(io.RawIOBase):
    """Standard output, which records that it cannot be written: no other file is taken for it."""

    problem: ClassVar[OSError | None] = None

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream  # at its end it would close what is below
        self._raw: Any = getattr(stream.buffer, "raw", stream.buffer)

    def write(self, data: Any) -> int | None:
        """Write what is taken of some bytes."""
        try:
            written: int | None = self._raw.write(data)
        except OSError as problem:
            _Output.problem = problem
            raise
        return written

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._stream.fileno()

    def isatty(self) -> bool:
        """Return whether it is a terminal."""
        return self._stream.isatty()

    def writable(self) -> bool:
        """Return that it is one to write to."""
        return True


def _refuse_names_of_options(arguments: list[str]) -> None:
    """Refuse an option that is the name of a file: a hook or xargs may have meant the file."""
    for each in takewhile(lambda given: given != "--", arguments):
        if each.startswith("-") and each != "-" and os.path.lexists(each):
            name = visible(each)
            raise click.UsageError(
                f"`{name}` looks like an option, and is the name of a file: if you mean the file, "
                f"write `./{name}`; otherwise rename the file"
            )


def _prepare_streams() -> None:
    """Make the standard streams such that nothing is lost without an error.

    Where a stream was closed before the start, Python makes it None: the null device takes its
    place, as standard input one that cannot be read, so that nobody takes it for an empty file, and
    as standard output one that cannot be written, so that nobody takes what is lost for written.

    All are waited for: who shares them may have made them such that a read or write fails at once.

    Standard output is buffered, even if PYTHONUNBUFFERED is set: without a buffer Python drops what
    a short write leaves over, and so the error of the next write.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            flags = os.O_RDONLY if name == "stdout" else os.O_WRONLY
            null = open(os.open(os.devnull, flags), "w", encoding="utf-8")  # noqa: PTH123, SIM115
            setattr(sys, name, null)
        with suppress(AttributeError, OSError, ValueError):  # it has no descriptor
            if sys.platform != "win32":
                os.set_blocking(getattr(sys, name).fileno(), True)
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    if not isinstance(raw, _Output):  # as it is where a process runs the command once more
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(_Output(sys.stdout)),
            sys.stdout.encoding,
            line_buffering=sys.stdout.isatty(),
        )
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _crash(bug: BaseException) -> int:
    import traceback  # noqa: PLC0415 - only a crash needs it

    log = write_log("".join(traceback.format_exception(bug)))
    error(f"this is a bug in manifestkit ({type(bug).__name__})")
    say(f"Please report it, with the details in {log}.")
    return ExitCode.CRASH
