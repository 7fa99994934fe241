"""Measures how long linting takes, ours and others' in turn, and writes docs/performance.md.

    python benchmarks/run.py --peer jsonschema=PATH --peer ajv=PATH --peer check-jsonschema=PATH

`jsonschema` is sourcemeta's program itself: npm's command for it starts node first. An earlier
version of ours, in an environment of its own, is `--peer manifest-earlier=PATH`; the page leaves it
out.

Each program is a process of its own, start-up included. They run alternately, and a ratio is
taken within each round. A peer that is not there is left out.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import corpora
from beside_lint import commands_beside_lint
from page import Section, Table, write_page
from peers import EARLIER, OURS, Programs
from timing import BAD, GOOD, Row, compared

_EDITOR_PEER = "vscode-json-language-server"
_IMPORTS = "import click, jsonschema_rs"
_PAGE = Path(__file__).parent.parent / "docs" / "performance.md"


@dataclass(frozen=True)
class Workload:
    """Something to lint, for every program.

    Attributes:
        name: the table's title.
        make: makes the files in a folder, and returns them.
        files: how many they are.
        rounds: how often each program goes over them.
        findings: whether they have faults, to be told.
        yaml: whether they are YAML.
    """

    name: str
    make: Callable[[Path], Sequence[Path]]
    files: int
    rounds: int
    findings: bool = False
    yaml: bool = False


def main() -> int:
    """Measure what the command line asks for."""
    # A checkout without bytecode would compile all of its sources at each start of ours.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    options = _options()
    programs = Programs(dict(each.split("=", 1) for each in options.peer))
    if OURS not in programs.there():
        print("no `manifest` on the search path; name it with --peer manifest=PATH")
        return 2
    workloads = [each for each in _workloads(options.rounds) if each.name.startswith(options.only)]
    tables = []
    for workload in workloads:
        rows = _in_a_folder(workload.make, partial(_measured, workload, programs))
        print(Table(workload.name, rows).markdown(), flush=True)
        today = [row for row in rows if not row.name.startswith(EARLIER.name)]
        tables.append(Table(workload.name, today))
    if options.only:
        return 0
    own = str(programs.path(OURS))
    for table in commands_beside_lint(own, options.rounds):
        tables.append(table)
        print(table.markdown(), flush=True)
    growth = (_growth_in_files(own), _growth_in_size(own))
    peers = [each for each in programs.given if each != EARLIER.program]
    write_page(_PAGE, tables, *growth, _others(programs.given), peers)
    print(f"written to {_PAGE}")
    return 0


def _others(paths: Mapping[str, str]) -> list[Section]:
    """Measure the library by the other scripts beside this one."""
    editor = paths.get(_EDITOR_PEER)
    scripts = (
        ("The editor server", "server.py", *(("--peer", editor) if editor else ())),
        ("The library", "library.py"),
        ("Two manifests compared", "changes.py"),
        ("A fleet", "fleet.py"),
    )
    return [Section(title, _printed(*command)) for title, *command in scripts]


def _printed(script: str, *arguments: str) -> str:
    """Return what a script prints; beyond its marks too, which the numbers show."""
    command = [sys.executable, str(Path(__file__).with_name(script)), *arguments]
    print(" ".join(command), flush=True)
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=7, help="rounds that count (default 7)")
    parser.add_argument(
        "--only", default="", help="measure the workloads whose names begin so, write no page"
    )
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PATH")
    return parser.parse_args()


def _workloads(rounds: int) -> list[Workload]:
    def clean(count: int) -> Callable[[Path], Sequence[Path]]:
        return lambda folder: corpora.many(folder, ".json", corpora.json_manifest, count)

    def faulty(count: int) -> Callable[[Path], Sequence[Path]]:
        return lambda folder: corpora.many(folder, ".json", corpora.faulty_manifest, count)

    def yaml(text: Callable[[int], str]) -> Callable[[Path], Sequence[Path]]:
        return lambda folder: corpora.many(folder, ".yaml", text, 1_000)

    return [
        Workload("one small valid JSON manifest", clean(1), 1, rounds * 3),
        Workload("10,000 valid JSON manifests", clean(10_000), 10_000, rounds),
        Workload(
            "10,000 JSON manifests, one fault in each", faulty(10_000), 10_000, 5, findings=True
        ),
        Workload("1,000 valid YAML manifests", yaml(corpora.yaml_manifest), 1_000, 5, yaml=True),
        Workload(
            "1,000 YAML manifests, one fault in each",
            yaml(corpora.faulty_yaml_manifest),
            1_000,
            5,
            findings=True,
            yaml=True,
        ),
        Workload(
            "one valid YAML manifest of 10 MB",
            lambda folder: corpora.large_yaml(folder, 10_000),
            1,
            1,
            yaml=True,
        ),
        Workload(
            "one valid JSON manifest of 100 MB",
            lambda folder: corpora.large_json(folder, 100_000),
            1,
            1,
        ),
    ]


def _measured(workload: Workload, programs: Programs, folder: Path) -> list[Row]:
    commands = {
        peer.name: [str(programs.path(peer)), *arguments(folder)]
        for peer in programs.there()
        for arguments in (peer.findings if workload.findings else peer.arguments,)
        if arguments and workload.files <= peer.most and (peer.reads_yaml or not workload.yaml)
    }
    if workload.files == 1 and workload.rounds > 1:  # beside seconds, it says nothing
        python = str(Path(commands[OURS.name][0]).with_name("python"))
        commands["bare Python"] = [python, "-c", "pass"]
        commands[f"Python, `{_IMPORTS}`"] = [python, "-c", _IMPORTS]
    return compared(commands, workload.rounds, BAD if workload.findings else GOOD)


def _in_a_folder(
    make: Callable[[Path], Sequence[Path]], measure: Callable[[Path], list[Row]]
) -> list[Row]:
    folder = Path(tempfile.mkdtemp())
    try:
        make(folder)
        return measure(folder)
    finally:
        shutil.rmtree(folder)


def _growth_in_files(program: str) -> list[tuple[int, Row]]:
    """Of many files, by their number."""
    rounds = {1: 5, 10: 5, 100: 5, 1_000: 5, 10_000: 5, 100_000: 3}
    return [(n, _ours(program, partial(_many_json, count=n), rounds[n])) for n in rounds]


def _many_json(folder: Path, count: int) -> Sequence[Path]:
    return corpora.many(folder, ".json", corpora.json_manifest, count)


def _growth_in_size(program: str) -> list[tuple[int, Row]]:
    """Of one file, by its kilobytes."""
    rounds = {1: 5, 10: 5, 100: 5, 1_000: 5, 10_000: 3, 100_000: 3}
    return [
        (kb, _ours(program, partial(corpora.large_json, kilobytes=kb), rounds[kb])) for kb in rounds
    ]


def _ours(program: str, make: Callable[[Path], Sequence[Path]], rounds: int) -> Row:
    assert OURS.arguments is not None  # noqa: S101 - it lints
    arguments = OURS.arguments
    return _in_a_folder(
        make, lambda folder: compared({OURS.name: [program, *arguments(folder)]}, rounds)
    )[0]


if __name__ == "__main__":
    sys.exit(main())
