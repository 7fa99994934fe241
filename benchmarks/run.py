"""Measures how long linting takes, ours and others' in turn, and prints a table.

    python benchmarks/run.py --yaml --peer check-jsonschema=venv/bin/check-jsonschema

Each program is a process of its own, start-up included. They run alternately, so that whatever
else the machine does meets all alike; a ratio is taken within each round.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from corpora import large_yaml, many_json, many_yaml
from peers import OURS, Peer, programs

_LONGEST = 1800
_MEGABYTE = 1024  # of the kilobytes that getrusage counts in


@dataclass(frozen=True)
class Corpus:
    """Files to lint, and how often."""

    name: str
    files: Sequence[Path]
    rounds: int


def main() -> int:
    """Measure what the command line asks for."""
    options = _options()
    found = programs(dict(each.split("=", 1) for each in options.peer))
    if OURS not in found:
        print("no `manifest` on the search path; name it with --peer manifest=PATH")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        print(
            "| corpus | program | seconds (median) | min - max | times ours, median | min - max |"
        )
        print("|---|---|---|---|---|---|")
        for corpus in _corpora(Path(folder), options):
            _print(corpus, _measured(corpus, found))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // _MEGABYTE
    print(f"\nlargest process: {peak} MB; Python {sys.version.split()[0]}")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--yaml", action="store_true", help="YAML only")
    parser.add_argument("--json", action="store_true", help="JSON only")
    parser.add_argument("--count", type=int, default=1000, help="manifests (default 1000)")
    parser.add_argument("--large", type=int, default=10, help="megabytes of the one large file")
    parser.add_argument("--rounds", type=int, default=5, help="rounds; of the large file, one")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PATH")
    return parser.parse_args()


def _corpora(folder: Path, options: argparse.Namespace) -> list[Corpus]:
    corpora = []
    if not options.json:
        name = f"{options.count:,} YAML manifests"
        files = many_yaml(folder / "yaml", options.count)
        corpora.append(Corpus(name, files, options.rounds))
        if options.large:
            files = large_yaml(folder / "large", options.large)
            corpora.append(Corpus(f"one YAML file of {options.large} MB", files, 1))
    if not options.yaml:
        files = many_json(folder / "json", options.count)
        corpora.append(Corpus(f"{options.count:,} JSON manifests", files, options.rounds))
    return corpora


def _measured(corpus: Corpus, found: dict[Peer, str]) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {peer.name: [] for peer in found}
    for _ in range(corpus.rounds):
        for peer, program in found.items():
            start = time.perf_counter()
            done = subprocess.run(
                peer.command(program, corpus.files),
                capture_output=True,
                text=True,
                timeout=_LONGEST,
                check=False,
            )
            times[peer.name].append(time.perf_counter() - start)
            if done.returncode:
                raise SystemExit(f"{peer.name} finds fault: {done.stdout}{done.stderr}")
    return times


def _print(corpus: Corpus, times: dict[str, list[float]]) -> None:
    ours = times[OURS.name]
    for name, seconds in times.items():
        ratios = [other / own for other, own in zip(seconds, ours, strict=True)]
        cells = (
            corpus.name,
            name,
            f"{statistics.median(seconds):.2f}",
            f"{min(seconds):.2f} - {max(seconds):.2f}",
            f"{statistics.median(ratios):.1f}",
            f"{min(ratios):.1f} - {max(ratios):.1f}",
        )
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    sys.exit(main())
