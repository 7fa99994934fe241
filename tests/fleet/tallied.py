"""What a tally says of mutants, beside what the findings in full say.

    python tests/fleet/tallied.py 20000

The profiles are those of the examples, and schemas made by chance; every second manifest is YAML.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from command import EXAMPLES, GOLDEN
from manifestkit import Options, Severity
from manifestkit.decode import decode
from manifestkit.engine import Linter, Run
from manifestkit.engine.tally import Tallied, Tally
from odd_manifests import odd_text
from suites.reference import Generator

_TEXTS = [
    file.read_bytes()
    for folder in (EXAMPLES, GOLDEN)
    for file in sorted((folder / "valid").glob("*.json"))
]
_CLEAN: list[Any] = [json.loads(each) for each in _TEXTS]
_TRICKY_PROFILE = {
    "patternProperties": {"": {"type": ["array", "object", "string"]}},
    "properties": {
        "provider": {
            "properties": {
                "version": {
                    "x-manifestkit": {"rule": "host-version", "severity": "warning"},
                    "enum": ["1.0.0"],
                    "pattern": "^1",
                }
            }
        }
    },
}
"""Any name is described, two keywords have one rule, and advice meets values of a wrong type."""

_BROKEN = sorted(
    file for folder in (EXAMPLES, GOLDEN) for file in (folder / "broken").glob("*.*") if file.suffix
)
_PER_SCHEMA = 50
_OPTIONS = (
    Options(isolated=True),
    Options(isolated=True, ignore=("wrong-type",), severity={"missing-field": Severity.INFO}),
    Options(isolated=True, turned_on=("misspelt-field",), severity={"no-activities": None}),
)


def _tricky(value: Any) -> Iterator[Any]:
    """A manifest with what takes more than a look at the broken keywords."""
    yield {**value, "": 1}
    yield {**value, "0": 1, "+1": None}
    yield {**value, "permissions": ["activity.start"], "capabilities": ["host.timer"]}
    others = {name: each for name, each in value.items() if name != "provider"}
    yield {**others, "provder": {**value["provider"], "id": 5}}
    for version in ("2.0.0", 2, "v1"):
        yield {**value, "provider": {**value["provider"], "version": version}}


def _linter(seed: int, generator: Generator, folder: Path) -> Linter:
    options = _OPTIONS[seed % len(_OPTIONS)]
    tricky = folder / "tricky.json"
    tricky.write_text(json.dumps(_TRICKY_PROFILE), "utf-8")
    profiles = sorted((EXAMPLES / "profiles").glob("*.schema.json"))
    chosen = [[], profiles[:1], [profiles[1], tricky], profiles][seed % 4]
    if seed % 5 == 0:
        file = folder / f"{seed}.json"
        file.write_text(json.dumps({"x-seed": seed, **generator.schema()}), "utf-8")
        chosen = [*chosen, file]
    return Run(options._replace(profiles=tuple(chosen))).linter("")


_VALUES = [*_CLEAN, *(odd for each in _CLEAN[:3] for odd in _tricky(each))]


def _manifest(seed: int, number: int, generator: Generator) -> tuple[str, str]:
    if number % 10 == 0:
        return odd_text(Random(seed * _PER_SCHEMA + number)), "odd.manifest.yaml"
    value: Any = generator.mutant(_VALUES)
    if number % 10 == 1:
        value = {"manifest": value}
    text = json.dumps(value, indent=number % 3 or None)
    return text, ("m.manifest.yaml" if number % 2 else "m.manifest.json")


def difference(linter: Linter, tally: Tally, source: str | bytes, name: str) -> str | None:
    """How a tally differs from the findings in full; None where it does not."""
    decoded = decode(source, name, linter.limits)
    findings = linter.judge(decoded).findings
    full = Counter(Tallied(each.rule, each.severity, each.pointer) for each in findings)
    told = Counter(tally.of(decoded))
    if full == told:
        return None
    return f"{name}: {source!r}: full {full - told}, tally {told - full}"


def run(count: int, seed: int = 0) -> tuple[int, list[str]]:
    """Tally so many mutants; how many had findings, and what was different."""
    wrong: list[str] = []
    done = faulty = 0
    with tempfile.TemporaryDirectory() as name:
        while done < count:
            generator = Generator(seed)
            linter = _linter(seed, generator, Path(name))
            tally = Tally(linter)
            for number in range(min(_PER_SCHEMA, count - done)):
                source, file = _manifest(seed, number, generator)
                wrong += filter(None, [difference(linter, tally, source, file)])
                faulty += bool(tally.of(decode(source, file, linter.limits)))
                done += 1
            seed += 1
    return faulty, wrong


def broken() -> list[str]:
    """What is different in the broken examples."""
    linter = Linter(uses_comments=False)
    tally = Tally(linter)
    found = (difference(linter, tally, file.read_bytes(), file.name) for file in _BROKEN)
    return [each for each in found if each]


if __name__ == "__main__":
    with_findings, differences = run(int(sys.argv[1]), int((sys.argv[2:] or ["0"])[0]))
    differences += broken()
    print(*differences[:20], sep="\n")
    print(f"{sys.argv[1]} mutants, {with_findings:,} with findings; {len(differences):,} differ")
    sys.exit(bool(differences))
