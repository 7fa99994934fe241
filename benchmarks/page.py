"""docs/performance.md: the tables, the growth, the machine, the commands, faster programs."""

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

Median run times of whole processes, start-up included, in turn on one machine, and their processor
time. The ratio is to the first row in the same round: above 1, the program is slower.

[sourcemeta's jsonschema](https://github.com/sourcemeta/jsonschema) (C++),
[ajv](https://ajv.js.org) (JavaScript, `ajv-cli`) and
[check-jsonschema](https://check-jsonschema.readthedocs.io) (Python) use the same schema;
`manifest` also checks its other [rules](rules/index.md). Findings are printed as JSON, or as the
name says.
"""
_MEANINGS = {
    "The editor server": """\
Times are given as measured, and at the best pace of a fixed loop that runs before each change.
""",
    "The library": """\
`manifestkit.lint` of texts of 1.4 kB in one process.
""",
    "Two manifests compared": """\
A small pair in one process, best of several, and two large files with the command.
""",
    "A fleet": """\
Processor time of `manifestkit.fleet.lint_batches` per row of about 600 bytes, without reading and
writing. The heavy profile is `host-catalogue`.
""",
}
_LOSSES = """\
## Where others are faster

- One file: most of the time is the start of Python and the import of two libraries.
- Many invalid files: `manifest` also determines the location, the correction and the edit for each
  finding, in Python.
- YAML: libyaml parses it, and Python makes the values and places: about twenty times as long as
  JSON takes.
- `lint --fix`: each fixed file is checked twice, verified and synced to the disk.
- Two threads in one process are slower than one: they share Python's global lock.
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
            "| program | seconds | processor | peak MB | ratio | range |",
            "|---|--:|--:|--:|--:|--:|",
            *(
                f"| {row.name} | {row.seconds[0]:.3g} | {row.work:.3g} | {row.megabytes:.0f} | "
                f"{row.ratio[0]:.2f} | {row.ratio[1]:.2f}-{row.ratio[2]:.2f} |"
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
    (first, least), (last, most) = growth[0], growth[-1]
    return (
        f"{first:,} to {last:,} {what}: {least.seconds[0]:.2g} to {most.seconds[0]:.2g} seconds, "
        f"{least.megabytes:.0f} to {most.megabytes:.0f} MB.\n"
    )


def _plot(growth: Growth, title: str) -> str:
    seconds = Line("s", "#1f6feb", [(size, row.seconds[0]) for size, row in growth])
    megabytes = Line("MB", "#bf5b04", [(size, row.megabytes) for size, row in growth])
    return svg([seconds, megabytes], title, "seconds, and megabytes of the largest process")


def _machine(peers: Sequence[str]) -> str:
    peer_options = "".join(f" --peer {each}=PATH" for each in peers)
    return (
        "## Machine and command\n\n"
        f"{platform.system()} on {platform.machine()}, {os.cpu_count()} processors, "
        f"Python {sys.version.split()[0]}.\n\n"
        f"    python benchmarks/run.py{peer_options}\n\n"
        "A `manifestkit.toml` beside a large file raises its limits.\n"
    )
