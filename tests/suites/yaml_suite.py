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
    "i_UKK6-02": "a lone `!` is told of, beside its value",
    "n_CVW2": "a comment right after a comma",
    "n_DK95-01": "a tab in the lines of a quoted text",
    "n_G5U8": "`-` in brackets",
    "n_S98Z": "empty lines deeper than the block of text",
    "n_X4QW": "a comment right after `>`",
    "n_Y79Y-003": "a tab before a bracket",
    "n_YJV2": "`-` in brackets",
    "y_2LFX": "a directive: refused before parsing",
    "y_2SXE": "a name of an anchor that libyaml reads otherwise or refuses",
    "y_4MUZ-00": "a key in brackets that libyaml does not take for one",
    "y_4MUZ-01": "a key in brackets that libyaml does not take for one",
    "y_4MUZ-02": "a key in brackets that libyaml does not take for one",
    "y_58MP": "a key in brackets that libyaml does not take for one",
    "y_5MUD": "a key in brackets that libyaml does not take for one",
    "y_5T43": "a key in brackets that libyaml does not take for one",
    "y_652Z": "`?` in brackets: libyaml takes it for an indicator",
    "y_6BCT": "a tab where libyaml wants a space",
    "y_6CA3": "a tab where libyaml wants a space",
    "y_6CK3": "a directive: refused before parsing",
    "y_6LVF": "a directive: refused before parsing",
    "y_8XYN": "a name of an anchor that libyaml reads otherwise or refuses",
    "y_96NN-00": "a tab where libyaml wants a space",
    "y_96NN-01": "a tab where libyaml wants a space",
    "y_9SA2": "a key in brackets that libyaml does not take for one",
    "y_A2M4": "a tab where libyaml wants a space",
    "y_BEC7": "a directive: refused before parsing",
    "y_C4HZ": "a directive: refused before parsing",
    "y_CC74": "a directive: refused before parsing",
    "y_DBG4": "a key in brackets that libyaml does not take for one",
    "y_DK3J": "libyaml refuses it",
    "y_DK95-00": "a tab where libyaml wants a space",
    "y_DK95-03": "a tab where libyaml wants a space",
    "y_DK95-04": "a tab where libyaml wants a space",
    "y_FP8R": "libyaml refuses it",
    "y_HM87-00": "a key in brackets that libyaml does not take for one",
    "y_HM87-01": "`?` in brackets: libyaml takes it for an indicator",
    "y_K3WX": "a key in brackets that libyaml does not take for one",
    "y_MUS6-02": "a directive: refused before parsing",
    "y_MUS6-03": "a directive: refused before parsing",
    "y_MUS6-04": "a directive: refused before parsing",
    "y_MUS6-05": "a directive: refused before parsing",
    "y_MUS6-06": "a directive: refused before parsing",
    "y_NJ66": "a key in brackets that libyaml does not take for one",
    "y_P76L": "a directive: refused before parsing",
    "y_Q5MG": "a tab where libyaml wants a space",
    "y_R4YG": "a tab where libyaml wants a space",
    "y_U3C3": "a directive: refused before parsing",
    "y_VJP3-01": "a key in brackets that libyaml does not take for one",
    "y_W5VH": "a name of an anchor that libyaml reads otherwise or refuses",
    "y_Y2GN": "a name of an anchor that libyaml reads otherwise or refuses",
    "y_Y79Y-001": "a tab where libyaml wants a space",
    "y_Y79Y-010": "a tab where libyaml wants a space",
    "y_Z9M4": "a directive: refused before parsing",
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
