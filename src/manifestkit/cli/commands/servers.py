"""`manifest lsp` and `mcp`: the servers of editors and of coding agents."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Literal

from manifestkit.cli import exit_codes
from manifestkit.cli.console import note
from manifestkit.cli.options import manifest_command, need, option

_SECONDS = 60
_INSTRUCTIONS = (
    "Checks, fixes, explains, compares and creates manifests (JSON or YAML) of activity providers. "
    "Paths are relative to the folder in which the server runs, and stay inside it."
)


@manifest_command(
    """
    manifest lsp            an editor starts it; `manifest editor` prints the settings
    """,
    """
    0   the editor shut it down, or disconnected
    1   the editor ended it without a shutdown request
    141 the output was closed before the end
    """,
)
def lsp(*, stdio: bool = option("Use standard input and output, as always.")) -> int:
    """Run the editor server, on standard input and output.

    It implements the Language Server Protocol, and reports the findings of `manifest lint` in open
    manifests, with the same configuration. It ends with its input, or with the editor.
    """
    del stdio
    need("lsp")
    if sys.stdin.isatty():
        note("editors start this; `manifest editor` prints their settings")
    from manifestkit.lsp.server import serve  # noqa: PLC0415 - it needs an extra

    return exit_codes.CLEAN if serve(sys.stdin.buffer, sys.stdout.buffer) else exit_codes.FINDINGS


@manifest_command(
    """
    manifest mcp            a coding agent starts it; see docs/agents.md for its settings
    """,
    """
    0   the agent disconnected
    2   the extra `mcp` is not installed
    """,
)
def mcp() -> int:
    """Run the server for coding agents, on standard input and output.

    It implements the Model Context Protocol. Its tools are `lint`, `fix`, `explain`, `diff` and
    `new`; its resources are the schema and the rules. The tools read only files in the current
    folder, and only `fix` writes one, if asked to.
    """
    need("mcp")
    from mcp.server.mcpserver import MCPServer  # noqa: PLC0415 - it comes with the extra
    from mcp.types import ToolAnnotations  # noqa: PLC0415 - likewise

    server: MCPServer[Any] = MCPServer(
        "manifestkit", instructions=_INSTRUCTIONS, log_level="WARNING"
    )
    tools = _Tools(Path.cwd())
    reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    for tool in (tools.lint, tools.explain, tools.diff, tools.new):
        server.tool(annotations=reads)(tool)
    writes = ToolAnnotations(destructive_hint=True, idempotent_hint=True, open_world_hint=False)
    server.tool(annotations=writes)(tools.fix)
    server.resource("manifest://schema", mime_type="application/schema+json")(tools.schema)
    server.resource("manifest://rules", mime_type="text/markdown")(tools.rules)
    server.resource("manifest://rules/{topic}", mime_type="text/plain")(tools.explain)
    server.run()
    return exit_codes.CLEAN


class _Tools:
    """Tools of a folder. Each is a run of the command, in a separate process.

    So they say what the command says, and a hostile manifest ends no server.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    async def lint(
        self,
        path: str = "",
        text: str = "",
        name: str = "manifest.json",
        profile: tuple[str, ...] = (),
    ) -> dict[str, Any]:
        """Check a manifest, or those in a folder.

        Give `path`, or `text` with `name`, whose suffix selects JSON or YAML. `profile` names the
        files of hosts' requirements. Each finding has a rule, a line, a message and a help.
        """
        source = self._source(path, text)
        profiles = (f"--profile={self._inside(each)}" for each in profile)
        options = (*profiles, f"--stdin-filename={name}", source)
        return await self._report("lint", *options, stdin=text)

    async def fix(
        self,
        path: str = "",
        text: str = "",
        name: str = "manifest.json",
        unsafe: bool = False,  # noqa: FBT001, FBT002 - arguments have names here
        write: bool = False,  # noqa: FBT001, FBT002 - likewise
    ) -> dict[str, str]:
        """Fix what is wrong with a manifest, and give its text back.

        Only safe fixes are applied, unless `unsafe` is set. The file at `path` is changed only with
        `write`. `remaining` lists what is left to do.
        """
        source = self._source(path, text)
        options = ["--fix", "--output-format=concise", *(["--unsafe-fixes"] if unsafe else [])]
        if path and write:
            remaining, _ = await self._run("lint", *options, source)
            return {"text": self._read(source), "remaining": remaining}
        given = self._read(source) if path else text
        options.append(f"--stdin-filename={source if path else name}")
        fixed, remaining = await self._run("lint", *options, "-", stdin=given)
        return {"text": fixed, "remaining": remaining}

    async def explain(self, topic: str) -> str:
        """Explain a rule, a member by its JSON Pointer, or a permission or capability."""
        return (await self._run("explain", "--", topic))[0]

    async def diff(self, old: str, new: str) -> dict[str, Any]:
        """Compare two manifests by their paths: what changed, and which rule speaks of it."""
        return await self._report("diff", self._inside(old), self._inside(new))

    async def new(self, values: dict[str, Any], syntax: Literal["json", "yaml"] = "json") -> str:
        """Return a manifest with these members; an error names the members that are missing."""
        options = ("--from=-", "--dry-run", f"--format={syntax}")
        return (await self._run("new", *options, stdin=json.dumps(values)))[0]

    async def schema(self) -> str:
        """Return the JSON Schema of manifests."""
        return (await self._run("schema"))[0]

    async def rules(self) -> str:
        """Return the list of rules."""
        return (await self._run("rules", "--output-format=markdown"))[0]

    def _source(self, path: str, text: str) -> str:
        """Return the argument of the command for a path, or for a text on standard input.

        Neither can be None: the SDK reads JSON in what is no plain `str`.
        """
        if bool(path) is bool(text):
            raise _tool_error("give either `path` or `text`")
        return self._inside(path) if path else "-"

    def _inside(self, path: str) -> str:
        try:
            return f"./{(self._root / path).resolve().relative_to(self._root)}"
        except (OSError, ValueError):
            raise _tool_error(f"{path} is not in the folder of this server") from None

    def _read(self, path: str) -> str:
        try:
            return (self._root / path).read_bytes().decode()
        except (OSError, UnicodeDecodeError) as error:
            raise _tool_error(f"{path}: {error}") from None

    async def _report(self, command: str, *arguments: str, stdin: str = "") -> dict[str, Any]:
        text, _ = await self._run(command, "--output-format=json", *arguments, stdin=stdin)
        report: dict[str, Any] = json.loads(text)
        return report

    async def _run(self, *arguments: str, stdin: str = "") -> tuple[str, str]:
        """Return the output of the command, and what it says beside it."""
        import anyio  # noqa: PLC0415 - it comes with the extra

        command = [sys.executable, "-m", "manifestkit", *arguments]
        given = stdin.encode(errors="surrogatepass")
        try:
            with anyio.fail_after(_SECONDS):
                done = await anyio.run_process(command, input=given, cwd=self._root, check=False)
        except TimeoutError:
            raise _tool_error(f"stopped after {_SECONDS} seconds") from None
        except (OSError, ValueError) as error:  # too long, or with a NUL
            raise _tool_error(str(error)) from None
        said = done.stderr.decode()
        if done.returncode not in {exit_codes.CLEAN, exit_codes.FINDINGS}:
            raise _tool_error(said.strip())
        return done.stdout.decode(), said


def _tool_error(text: str) -> Exception:
    from mcp.server.mcpserver.exceptions import ToolError  # noqa: PLC0415 - it comes with the extra

    return ToolError(text)
