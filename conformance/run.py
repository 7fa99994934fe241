"""Run a validator of manifests on every case (standard library only).

    python conformance/run.py --validator 'check-jsonschema --schemafile schema.json {file}'

Each manifest is written to a separate file; `{file}` stands for its path. Exit code 0 means that
the validator accepts it, another that it does not. A validator that a signal ends, that cannot be
run (126, 127) or that takes two minutes gives no verdict, and agrees with nothing. The exit code of
this script is 0 if the validator agrees with every scored case, 1 if not, and 2 if it cannot start.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

CASES = Path(__file__).parent / "cases"
_SECONDS = 120
_NOT_RUN = (126, 127)


class Outcome(NamedTuple):
    """What a validator says of a case: None where it gives no verdict."""

    case: dict[str, Any]
    accepts: bool | None

    @property
    def agrees(self) -> bool | None:
        """Return whether that is right; None for a case that is scored for nobody."""
        return None if self.case["valid"] is None else self.accepts == self.case["valid"]


def cases() -> Iterator[dict[str, Any]]:
    """Yield every case."""
    for file in sorted(CASES.glob("*.json")):
        yield from json.loads(file.read_text("ascii"))


def content(case: dict[str, Any]) -> bytes:
    """Return the manifest of a case, as its file has it."""
    text = case["text"] if "text" in case else json.dumps(case["manifest"], indent=2)
    return str(text).encode()


def run(validator: str, jobs: int) -> list[Outcome]:
    """Run a validator on every case.

    Raises:
        OSError: it cannot be started.
    """
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:

        def judge(case: dict[str, Any]) -> Outcome:
            file = Path(folder) / f"{case['id']}.manifest.json"
            file.write_bytes(content(case))
            words = [each.replace("{file}", str(file)) for each in shlex.split(validator)]
            try:
                done = subprocess.run(words, capture_output=True, check=False, timeout=_SECONDS)
            except subprocess.TimeoutExpired:
                return Outcome(case, None)
            is_verdict = done.returncode >= 0 and done.returncode not in _NOT_RUN
            return Outcome(case, done.returncode == 0 if is_verdict else None)

        return list(pool.map(judge, cases()))


def table(outcomes: list[Outcome]) -> str:
    """Return the counts by clause, and each case in which the validator disagrees."""
    lines = [f"{'clause':<16} {'accept':>12} {'reject':>12}"]
    scored = [each for each in outcomes if each.agrees is not None]
    for clause in sorted({each.case["clause"] for each in scored}):
        cells = []
        for valid in (True, False):
            here = [
                each.agrees
                for each in scored
                if each.case["clause"] == clause and each.case["valid"] == valid
            ]
            cells.append(f"{here.count(True)} of {len(here)}" if here else "-")
        lines.append(f"section {clause:<8} {cells[0]:>12} {cells[1]:>12}")
    for each in scored:
        if not each.agrees:
            verb = {True: "accepts", False: "refuses", None: "gives no verdict on"}[each.accepts]
            lines.append(
                f"{verb} {each.case['id']}: {each.case['why']} (section {each.case['clause']})"
            )
    right = sum(bool(each.agrees) for each in scored)
    return "\n".join([*lines, f"agrees with {right} of {len(scored)}"])


def main() -> int:
    """Run the validator of the command line, and return the exit code."""
    parser = argparse.ArgumentParser(description="Run a validator of manifests on every case.")
    parser.add_argument("--validator", required=True, metavar="'CMD {file}'", help="the command")
    parser.add_argument("--json", action="store_true", help="print the outcomes as JSON")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at once")
    given = parser.parse_args()
    if "{file}" not in given.validator:
        parser.error("--validator needs {file}, where the path of a manifest goes")
    try:
        outcomes = run(given.validator, given.jobs)
    except OSError as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    if given.json:
        rows = [
            {"id": each.case["id"], "accepts": each.accepts, "agrees": each.agrees}
            for each in outcomes
        ]
        print(json.dumps({"version": 1, "cases": rows}, indent=2))
    else:
        print(table(outcomes))
    return int(any(each.agrees is False for each in outcomes))


if __name__ == "__main__":
    sys.exit(main())
