"""Hold every machine format to its reader's official schema: `official_formats.py FOLDER`.

The folder holds the schemas as their owners publish them, by the names below or as checkouts of
the owners' repositories, which `.github/workflows/ci.yml` pins:

    sarif-schema-2.1.0.json      oasis-tcs/sarif-spec       SARIF 2.1.0, errata 01
    junit-10.xsd                 jenkinsci/xunit-plugin     what Jenkins reads

GitLab publishes none; `tests/formats` has what its documentation says.

Prints a table of what was checked; exits with 1 if a document breaks a schema, with 2 if one of
the schemas is missing.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import jsonschema_rs
import xmlschema
from hypothesis import HealthCheck, Phase, given, settings

from manifestkit import Report
from readers import rendered
from report_cases import GOOD_TEXT, REPORTS, hostile, of_examples, of_rules, report_on

_OURS = Path(__file__).with_name("formats")
_MADE_UP = 300
_SHOWN = 10

Faults = Callable[[str], Iterable[str]]


@dataclass(frozen=True)
class Schema:
    """A schema.

    Attributes:
        format: the format that it is for.
        file: its name.
        load: how a document is held to it.
        checkout: its place among checkouts of the owners' repositories.
    """

    format: str
    file: str
    load: Callable[[Path], Faults]
    checkout: str = ""

    def found(self, folder: Path) -> Path | None:
        """The file in a folder or in ours; None where it is in neither."""
        places = (folder / self.file, folder / self.checkout, _OURS / self.file)
        return next((place for place in places if place.is_file()), None)


def _json_faults(file: Path) -> Faults:
    schema = json.loads(file.read_text("utf-8"))
    validator = jsonschema_rs.validator_for(schema, validate_formats=True)

    def faults(text: str) -> Iterator[str]:
        for error in validator.iter_errors(json.loads(text)):
            yield f"{error.instance_path}: {error.message[:200]}"

    return faults


def _xml_faults(file: Path) -> Faults:
    schema = xmlschema.XMLSchema(file)

    def faults(text: str) -> Iterator[str]:
        for error in schema.iter_errors(text):
            yield f"{error.path}: {error.reason}"

    return faults


SCHEMAS = (
    Schema(
        "sarif",
        "sarif-schema-2.1.0.json",
        _json_faults,
        "sarif-spec/Schemata/sarif-schema-2.1.0.json",
    ),
    Schema(
        "junit",
        "junit-10.xsd",
        _xml_faults,
        "xunit-plugin/src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd",
    ),
    Schema("gitlab", "gitlab-codequality-report.json", _json_faults),
)


def _made_up() -> dict[str, Report]:
    """Reports with text that Hypothesis makes up in names, keys and values."""
    made: list[Report] = []

    @settings(
        max_examples=_MADE_UP,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(REPORTS)
    def collect(report: Report) -> None:
        made.append(report)

    collect()
    return {str(number): report for number, report in enumerate(made)}


def _groups() -> Mapping[str, Mapping[str, Report]]:
    return {
        "nothing found": {"a good manifest": report_on(GOOD_TEXT), "no file": Report(())},
        "every rule": of_rules(),
        "every example": of_examples(),
        "hostile text": hostile(),
        "made-up text": _made_up(),
    }


def main(arguments: list[str]) -> int:
    """Check, print the table, and give the exit code."""
    folder = Path(*arguments[:1])
    files = [(schema, schema.found(folder)) for schema in SCHEMAS]
    missing = [schema.file for schema, file in files if file is None]
    if len(arguments) != 1 or missing:
        print(f"usage: official_formats.py FOLDER; not in it: {', '.join(missing)}")
        return 2
    groups = _groups()
    width = max(len(schema.file) for schema in SCHEMAS)
    print(f"{'format':<11}{'schema':<{width}}" + "".join(f"  {name}" for name in groups))
    broken: list[str] = []
    for schema, file in files:
        assert file is not None
        faults = schema.load(file)
        print(f"{schema.format:<11}{schema.file:<{width}}", end="")
        for group, reports in groups.items():
            found = [
                f"{schema.format}, {schema.file}, {group}, {name}: {fault}"
                for name, report in reports.items()
                for fault in faults(rendered(report, schema.format))
            ]
            broken += found
            verdict = f"{len(found)} faults" if found else f"{len(reports)} ok"
            print(f"  {verdict:>{len(group)}}", end="", flush=True)
        print()
    print(*broken[:_SHOWN], sep="\n", end="")
    if len(broken) > _SHOWN:
        print(f"\n… and {len(broken) - _SHOWN} more")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
