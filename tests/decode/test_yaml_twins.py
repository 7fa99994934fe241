"""What is said of a JSON manifest is said of its YAML twin."""

from __future__ import annotations

from pathlib import Path

import manifestkit
from command import EXAMPLES, GOLDEN
from rows import rows

JSON = [*EXAMPLES.glob("valid/*.json"), *GOLDEN.glob("*/*.json")]
TWINS = [
    (file, file.with_suffix(".yaml")) for file in sorted(JSON) if file.with_suffix(".yaml").exists()
]


def found(file: Path) -> list[tuple[str, str, str | None]]:
    findings = manifestkit.lint(file.read_bytes(), name=file.name).findings
    return sorted((each.rule, each.pointer, each.property) for each in findings)


def test_every_example_but_those_of_the_syntax_of_json_has_a_twin() -> None:
    alone = set(JSON) - {json for json, _ in TWINS}
    alone = {file for file in alone if file.name != "cr-only.manifest.json"}  # told of YAML as such
    assert {rule for file in alone for rule, _, _ in found(file)} == {"syntax-error"}


@rows(("json", "yaml"), TWINS, ids=lambda file: file.name)
def test_twins_have_the_same_findings_by_rule_and_pointer(json: Path, yaml: Path) -> None:
    assert found(yaml) == found(json)
