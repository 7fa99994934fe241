"""docs/performance.md: the tables, the growth, the machine, the commands, and where we lose."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from plot import Line, svg
from timing import Row

Growth = Sequence[tuple[int, Row]]

_INTRODUCTION = """\
# Performance

Whole processes, start-up included, run in turn on one machine; each ratio is from the same round,
and above 1 it is in our favour. Compare the ratios: the seconds depend on the machine.

Beside `manifest` run [sourcemeta's jsonschema](https://github.com/sourcemeta/jsonschema) (C++),
[ajv](https://ajv.js.org) (JavaScript, `ajv-cli`) and
[check-jsonschema](https://check-jsonschema.readthedocs.io) (Python), all by the same schema. They
check the schema only. `manifest` also looks for duplicate members, duplicate activity ids and
everything else in its [rules](rules/index.md).
"""
_MEANINGS = {
    "The editor server": """\
A process that is used as by an editor. A fixed loop is run before each change, because a shared
machine slows down for seconds at a time: the times are given as they were, and as they are at the
best pace of that loop. VS Code's own server for JSON, by the same schema, takes less processor
time, and waits half a second for more changes; ours answers at once.
""",
    "Two manifests compared": """\
A small pair in one process, at best, and two large files by the command.
""",
    "A fleet": """\
Processor time of `manifestkit.fleet.lint_batches` for a row, on one processor, without reading and
writing. The rows are manifests of about 600 bytes; the heavy profile is `host-catalogue`.
[Fleets](fleet.md#what-it-costs) has whole runs on each engine.
""",
}
_LOSSES = """\
## Where we lose

- One file: most of the time goes into starting Python and importing two libraries; a native program
  is faster for a single file.
- Many invalid files: ajv and a native program report which keyword failed. `manifest` also
  determines the location, the correction and the edit for each finding, in Python.
- YAML: our own reader, in Python, is about ten times slower than JSON, and twice as slow again for
  text with tabs.
- The editor server takes more processor time than VS Code's, which is compiled as it runs.
"""


@dataclass(frozen=True)
class Table:
    """What was taken for one workload."""

    title: str
    rows: Sequence[Row]

    def markdown(self) -> str:
        """Return the table under its heading."""
        lines = [
            f"## {self.title[:1].upper()}{self.title[1:]}\n",
            "| program | seconds, median | least to most | peak MB | times ours | least to most |",
            "|---|--:|--:|--:|--:|--:|",
            *(
                f"| {row.name} | {row.seconds[0]:.3g} | {row.seconds[1]:.3g} to "
                f"{row.seconds[2]:.3g} | {row.megabytes:.0f} | {row.ratio[0]:.2f} | "
                f"{row.ratio[1]:.2f} to {row.ratio[2]:.2f} |"
                for row in self.rows
            ),
        ]
        return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Section:
    """What another script prints, as Markdown."""

    title: str
    text: str

    def markdown(self) -> str:
        """Return the text under its heading, with what it means."""
        return f"## {self.title}\n\n{_MEANINGS[self.title]}\n{self.text}"


def write_page(
    page: Path,
    tables: Sequence[Table],
    files: Growth,
    kilobytes: Growth,
    others: Sequence[Section],
    peers: Sequence[str],
) -> None:
    """Write the page and its plots."""
    folder = page.parent / "performance"
    folder.mkdir(exist_ok=True)
    (folder / "files.svg").write_text(_plot(files, "valid JSON manifests of 1.4 kB"), "utf-8")
    (folder / "size.svg").write_text(_plot(kilobytes, "kB of one valid JSON manifest"), "utf-8")
    parts = [
        _INTRODUCTION,
        *(table.markdown() for table in tables),
        "## Growth\n",
        _growth("manifests of 1.4 kB", files),
        "![Seconds and megabytes by the number of files](performance/files.svg)\n",
        _growth("kB of one manifest", kilobytes),
        "![Seconds and megabytes by the size of one file](performance/size.svg)\n",
        *(each.markdown() for each in others),
        _LOSSES,
        _machine(peers),
    ]
    page.write_text("\n".join(parts), "utf-8")


def _growth(what: str, growth: Growth) -> str:
    lines = [
        f"| {what} | seconds, median | peak MB |",
        "|--:|--:|--:|",
        *(f"| {size:,} | {row.seconds[0]:.3g} | {row.megabytes:.0f} |" for size, row in growth),
    ]
    return "\n".join(lines) + "\n"


def _plot(growth: Growth, title: str) -> str:
    seconds = Line("s", "#1f6feb", [(size, row.seconds[0]) for size, row in growth])
    megabytes = Line("MB", "#bf5b04", [(size, row.megabytes) for size, row in growth])
    return svg([seconds, megabytes], title, "seconds, and megabytes of the largest process")


def _machine(peers: Sequence[str]) -> str:
    peer_options = "".join(f" --peer {each.partition('=')[0]}=PATH" for each in peers)
    return (
        "## Machine and command\n\n"
        f"{platform.system()} on {platform.machine()}, {os.cpu_count()} processors, "
        f"Python {sys.version.split()[0]}.\n\n"
        f"    python benchmarks/run.py{peer_options}\n\n"
        "A limit is raised for the largest files: `--limit bytes=200000000 --limit "
        "nodes=20000000`.\n"
    )
