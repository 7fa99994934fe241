"""Measures the editor server as an editor meets it: a process, a change, and what comes back.

    python benchmarks/server.py [--edits N] [--peer PATH]

It fails beyond the marks: from a change to its diagnostics, of 100 kB, 15 ms at the 95th percentile
with 20 findings and 60 ms with one in every activity; three publications for 30 quick edits of
1 MB; and memory that grows over N random edits.

A shared machine slows down for seconds at a time. So a fixed loop is run before each change, and
the times are told as they were, and as they are at the best pace of that loop; the marks are for
the latter.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

_HERE = Path(__file__).parent
sys.path[:0] = [str(_HERE.parent / "tests"), str(_HERE.parent / "tests" / "lsp")]

from changes import manifest  # noqa: E402 - beside this script
from client import Client, Message, running  # noqa: E402 - beside the tests
from command import MANIFEST  # noqa: E402 - likewise
from peers import SCHEMA  # noqa: E402 - beside this script
from timing import pace  # noqa: E402 - beside this script

_FEW_MS, _MANY_MS, _MOST_PUBLISHED, _MOST_GROWTH = 15.0, 60.0, 3, 1.15
_FEW = 20
_ACTIVITY = 264  # the bytes of one
_ROUNDS, _ROUNDS_OF_PEER = 200, 40


def text_of(size: int, faults: int | None) -> str:
    """Return a manifest of so many bytes, with so many faults; None for one in each activity."""
    value = manifest(size // _ACTIVITY, "note")
    activities = value["activities"]
    for each in activities[: len(activities) if faults is None else faults]:
        each["duration_minutes"] = "5"
    return json.dumps(value, indent=2)


def _typed(text: str) -> Iterator[tuple[int, Message]]:
    """Versions, each with the change that leads to it: a letter, and its removal."""
    line = text[: text.index("relaxation", len(text) // 2)].count("\n")
    for number in range(sys.maxsize):
        there = {"line": line, "character": 21}
        end = {"line": line, "character": 21 + number % 2}
        change = {"range": {"start": there, "end": end}, "text": "" if number % 2 else "x"}
        yield number + 2, change


class Latency(NamedTuple):
    """The milliseconds from a change to its diagnostics, over and over.

    Attributes:
        raw: as they were, in order of size.
        at_best: as they are at the best pace of the machine, likewise.
        work: the processor time of the server in each, as it was.
    """

    raw: list[float]
    at_best: list[float]
    work: float


def latency(text: str, folder: Path, peer: str | None = None) -> Latency:
    """Change a document and wait for its diagnostics, over and over.

    The first tenth is left out: by then everything has been imported.

    Args:
        text: the document.
        folder: where its file would be.
        peer: the command of VS Code's server for JSON, to be measured in place of ours.
    """
    times: list[float] = []
    paces: list[float] = []
    worked = 0.0
    rounds = _ROUNDS if peer is None else _ROUNDS_OF_PEER
    server = (peer, "--stdio") if peer else (*MANIFEST, "lsp")
    with running(folder, server=server) as client:
        client.start(initializationOptions={"handledSchemaProtocols": ["file"]})
        if peer:
            client.tell("workspace/didChangeConfiguration", {"settings": _settings()})
        uri = client.open(folder / "a.manifest.json", text)
        _published(client, uri)
        for version, change in _typed(text):
            del client.seen[:]
            if len(times) == rounds // 10:
                worked = _work(client)
            paces.append(pace())
            start = time.perf_counter()
            client.change(uri, version, change)
            _published(client, uri)
            times.append((time.perf_counter() - start) * 1_000)
            if len(times) == rounds:
                kept, best = times[rounds // 10 :], min(paces)
                pairs = zip(kept, paces[rounds // 10 :], strict=True)
                at_best = sorted(each * best / loop for each, loop in pairs)
                return Latency(sorted(kept), at_best, (_work(client) - worked) / len(kept))
    raise AssertionError


def _published(client: Client, uri: str) -> None:
    """Wait for the diagnostics of a document: of the newest version, as each one is waited for."""
    method = "textDocument/publishDiagnostics"
    client.wait_for(method, lambda each: bool(each["uri"] == uri))


def _settings() -> Message:
    """Return the settings that tell VS Code's server of our schema."""
    schema = json.loads(Path(SCHEMA).read_text("utf-8"))
    row = {"fileMatch": ["*"], "url": "file:///manifest.schema.json", "schema": schema}
    return {"json": {"validate": {"enable": True}, "schemas": [row]}}


def _work(client: Client) -> float:
    """Return the milliseconds of processor time that the server has taken."""
    status = Path(f"/proc/{client.process.pid}/stat").read_text("utf-8")
    user, system = status.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) * 1_000 / os.sysconf("SC_CLK_TCK")


def published(text: str, folder: Path) -> int:
    """How often diagnostics are sent for 30 quick edits."""
    with running(folder) as client:
        client.start()
        uri = client.open(folder / "a.manifest.json", text)
        client.published(uri)
        del client.seen[:]
        for version, change in _typed(text):
            client.change(uri, version, change)
            if version == 31:  # noqa: PLR2004 - the thirtieth
                break
        client.published(uri, 31)
        return len(client.seen)


def _memory(client: Client) -> int:
    """Return the kilobytes that the server holds."""
    status = Path(f"/proc/{client.process.pid}/status").read_text("utf-8")
    return int(status.partition("VmRSS:")[2].split()[0])


def growth(edits: int, folder: Path) -> tuple[int, int]:
    """Return the kilobytes held after a quarter of many random edits, and after all."""
    chance = random.Random(0)  # noqa: S311 - the same edits in each run
    text = text_of(20_000, _FEW)
    lines = text.count("\n")
    sizes = []
    with running(folder) as client:
        client.start()
        uri = client.open(folder / "a.manifest.json", text)
        for version in range(2, edits + 2):
            line, character = chance.randrange(lines), chance.randrange(40)
            there = {"line": line, "character": character}
            end = {"line": line, "character": character + chance.randrange(3)}
            new = chance.choice(["", "x", '"', ",", "{", "}", "[", "]", "𝄞", "\n"])
            client.change(uri, version, {"range": {"start": there, "end": end}, "text": new})
            if version % 50 == 0:
                client.change(uri, version, text)
                client.published(uri, version)
                del client.seen[:]
            if version in {edits // 4, edits}:
                client.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": there})
                sizes.append(_memory(client))
    return sizes[0], sizes[1]


def main() -> int:
    """Measure all, and print it; 1 beyond a mark."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--edits", type=int, default=20_000)
    parser.add_argument("--peer", metavar="PATH", help="vscode-json-language-server")
    options = parser.parse_args()
    is_within = True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(_HEADER)
        cases = {"20 findings": (_FEW, _FEW_MS), "a finding in each activity": (None, _MANY_MS)}
        for what, (faults, most) in cases.items():
            text = text_of(100_000, faults)
            ours = latency(text, folder)
            print(_row(f"`manifest lsp`, {what}", ours), flush=True)
            is_within = is_within and _high(ours.at_best) <= most
            if options.peer:
                print(_row(f"VS Code's, {what}", latency(text, folder, options.peer)), flush=True)
        print()
        kinds: dict[str, Callable[[], str]] = {
            "clean": lambda: text_of(1_000_000, 0),
            "a finding in each activity": lambda: text_of(1_000_000, None),
        }
        counts = {what: published(make(), folder) for what, make in kinds.items()}
        sent = ", ".join(f"{count} times ({what})" for what, count in counts.items())
        print(f"- 30 quick edits of 1 MB: diagnostics sent {sent}")
        is_within = is_within and max(counts.values()) <= _MOST_PUBLISHED
        early, late = growth(options.edits, folder)
        print(
            f"- {options.edits:,} random edits of 20 kB: {early // 1_000} MB after a quarter,"
            f" {late // 1_000} MB after all"
        )
        is_within = is_within and late <= early * _MOST_GROWTH
    return 0 if is_within else 1


_HEADER = """\
| from a change of 100 kB to its diagnostics | ms, median | 95th percentile | at the best pace, \
median | 95th percentile | ms of processor time |
|---|--:|--:|--:|--:|--:|"""


def _row(name: str, found: Latency) -> str:
    raw, at_best = found.raw, found.at_best
    numbers = (raw[len(raw) // 2], _high(raw), at_best[len(at_best) // 2], _high(at_best))
    return f"| {name} | {' | '.join(f'{each:.1f}' for each in (*numbers, found.work))} |"


def _high(times: list[float]) -> float:
    return times[len(times) * 95 // 100]


if __name__ == "__main__":
    sys.exit(main())
