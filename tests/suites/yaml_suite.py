"""Measure the YAML reader against the YAML test suite: ``yaml_suite.py DIR``.

DIR is a checkout of the suite's branch `data`, or the same flattened: ``y_ID.yaml`` with
``y_ID.value.json`` (to be read, to that value), ``n_ID.yaml`` (no YAML) and ``i_ID.yaml`` (several
documents, or no JSON value). A text counts as read when its document can be judged, and as refused
when it cannot. Exits with 1 on any deviation that is not listed here.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from manifestkit.decode import Decoded, decode

EXPECTED = {
    "i_4ABK": "is one document with a JSON value; the suite only lacks the value",
}


def main(folder: Path) -> int:
    """Read every file, print a table, and tell whether all is as listed."""
    deviations: dict[str, str] = {}
    total: Counter[str] = Counter()
    told: list[str] = []
    start = time.perf_counter()
    for name, data, values in sorted(cases(folder)):
        kind = name[0]
        total[kind] += 1
        try:
            outcome = decode(data, f"{name}.yaml")
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what we look for
            deviations[name] = f"crash: {error!r}"
            continue
        problem = judge(kind, outcome, values)
        if problem:
            deviations[name] = problem
        elif kind == "y" and outcome.findings:
            told.append(f"{name}: {outcome.findings[0].rule}")
    seconds = time.perf_counter() - start
    report(total, deviations, told, seconds)
    return 1 if not total or deviations.keys() != EXPECTED.keys() else 0


def cases(folder: Path) -> Iterator[tuple[str, bytes, list[Any]]]:
    """Each text with its name, flattened, and the JSON values of its documents."""
    for path in folder.glob("[yni]_*.yaml"):
        expected = path.with_suffix(".value.json")
        yield path.stem, path.read_bytes(), values_in(expected)
    for path in folder.glob("[A-Z0-9][A-Z0-9][A-Z0-9][A-Z0-9]/**/in.yaml"):
        values = values_in(path.with_name("in.json"))
        kind = "n" if path.with_name("error").exists() else "y" if len(values) == 1 else "i"
        name = "-".join(path.parent.relative_to(folder).parts)
        yield f"{kind}_{name}", path.read_bytes(), values


def values_in(path: Path) -> list[Any]:
    """The JSON values that stand in a file one behind the other; none where there is no file."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    values, at = [], 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        value, at = json.JSONDecoder().raw_decode(text, at)
        values.append(value)
    return values


def judge(kind: str, outcome: Decoded, values: list[Any]) -> str | None:
    """What is not as the suite wants it."""
    if kind != "y":
        return "accepted" if outcome.readable else None
    if not outcome.readable:
        return f"refused: {outcome.findings[0].message}"
    value = outcome.document.value
    return None if [value] == values else f"wrong value: {value!r}"


def report(
    total: Counter[str], deviations: dict[str, str], told: list[str], seconds: float
) -> None:
    """Print the table."""
    found = Counter((name[0], text.split(":")[0]) for name, text in deviations.items())
    print(f"{'':24}{'files':>6}{'crash':>7}{'refused':>9}{'accepted':>10}{'wrong value':>13}")
    for kind, label in (("y", "y_ to be read"), ("n", "n_ no YAML"), ("i", "i_ no single value")):
        counts = [found[kind, each] for each in ("crash", "refused", "accepted", "wrong value")]
        print(f"{label:24}{total[kind]:>6}" + "{:>7}{:>9}{:>10}{:>13}".format(*counts))
    print(f"{sum(total.values())} files in {seconds:.2f} s")
    for name in sorted(deviations.keys() | EXPECTED.keys()):
        known = EXPECTED.get(name)
        print(
            f"  {name}: {deviations.get(name, 'as the suite wants it')} ({known or 'NOT LISTED'})"
        )
    print(f"read, with a finding beside the value: {', '.join(told)}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: yaml_suite.py DIR")
    sys.exit(main(Path(sys.argv[1])))
