"""The hostile texts, and the verdict that each is due: the table in `texts.tsv`."""

from __future__ import annotations

import csv
import json
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from command import Outcome
from hostile_json import Case, json_texts
from hostile_yaml import yaml_texts
from outsized import outsized_texts

_TABLE = Path(__file__).with_name("texts.tsv")
_HEAVY = 50_000
"""Bytes from which on a text is given a process of its own, by `each_alone.py`."""


class Verdict(NamedTuple):
    """What `manifest lint` says of a text.

    Attributes:
        code: the exit code.
        findings: how many there are.
        rule: the rule of the first.
        line: where that one begins.
        column: likewise.
    """

    code: str
    findings: str
    rule: str = ""
    line: str = ""
    column: str = ""


@cache
def texts() -> tuple[Case, ...]:
    """Every text."""
    return tuple(chain(json_texts(), yaml_texts(), outsized_texts()))


def light() -> list[Case]:
    """The texts that take no time."""
    return [case for case in texts() if not _is_heavy(case)]


def heavy() -> list[Case]:
    """The others."""
    return [case for case in texts() if _is_heavy(case)]


def _is_heavy(case: Case) -> bool:
    name, _, data = case
    return len(data) >= _HEAVY or name.startswith("s")


def verdict(outcome: Outcome) -> Verdict:
    """What a run with `--output-format json` says of its one file."""
    findings = json.loads(outcome.out)["findings"]
    if not findings:
        return Verdict(str(outcome.code), "0")
    where = str(findings[0]["line"]), str(findings[0]["column"])
    return Verdict(str(outcome.code), str(len(findings)), findings[0]["rule"], *where)


def table() -> dict[str, Verdict]:
    """The verdicts that are due, by the names of the files."""
    with _TABLE.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return {row["file"]: Verdict(*(row[name] for name in Verdict._fields)) for row in rows}


def write_table(verdicts: dict[str, Verdict]) -> None:
    """Put verdicts into the table; those of other texts stay."""
    known = {**(table() if _TABLE.exists() else {}), **verdicts}
    with _TABLE.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, delimiter="\t", lineterminator="\n")
        rows.writerow(["file", "what", *Verdict._fields])
        for name, what, _ in texts():
            rows.writerow([name, what, *known.get(name, Verdict("", ""))])
