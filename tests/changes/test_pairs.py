"""What is said of pairs of files: `x.old.json`, `x.new.yaml` and `x.out` in `pairs/` are a test.

`pytest --regenerate` writes the `.out`; read it before you commit it. For each rule there are
`RULE.bad` and `RULE.good`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from changing import SCHEMAS
from command import CLEAN, FINDINGS, USAGE
from in_process import manifest_here
from rows import rows

PAIRS = Path(__file__).with_name("pairs")
NAMES = sorted(file.name.split(".old.")[0] for file in PAIRS.glob("*.old.*"))
IN_GIT = {"manifest-added", "manifest-moved", "manifest-removed"}
RULES = {file.name.removesuffix(".schema.json") for file in (SCHEMAS / "changes").iterdir()}


def _the(pattern: str) -> Path:
    (file,) = PAIRS.glob(pattern)
    return file


@rows("name", NAMES)
def test_a_pair_shows_as_it_always_did(name: str, regenerate: bool) -> None:
    files = [_the(f"{name}.{each}.*").name for each in ("old", "new")]
    outcome = manifest_here("diff", *files, "--output-format=full", cwd=PAIRS)
    said = f"{outcome.out}{outcome.err}exit code {outcome.code}\n"
    expected = PAIRS / f"{name}.out"
    if regenerate:
        expected.write_bytes(said.encode())
    assert said == expected.read_bytes().decode()
    assert outcome.code in {CLEAN, FINDINGS, USAGE}


@rows("rule", sorted(RULES - IN_GIT))
def test_a_rule_speaks_of_its_bad_pair_and_not_of_its_good_one(rule: str) -> None:
    bad, good = ((PAIRS / f"{rule}.{each}.out").read_text("utf-8") for each in ("bad", "good"))
    assert re.search(rf"^[a-z]+\[{rule}\]: ", bad, re.MULTILINE)
    assert f"[{rule}]" not in good


def test_the_table_of_rules_is_there_with_its_severities() -> None:
    severities = {
        rule: json.loads((SCHEMAS / "changes" / f"{rule}.schema.json").read_text("utf-8"))[
            "x-manifestkit"
        ]["severity"]
        for rule in RULES
    }
    expected = {
        "error": ("permission-added", "permissions-unreadable", "provider-id-changed"),
        "warning": (
            *("version-not-raised", "activity-removed", "activity-id-renamed"),
            *("capability-removed", "entrypoint-changed", "schema-version-changed"),
            *("new-finding", "version-lowered"),
        ),
        "info": (
            *("capability-added", "permission-removed", "sdk-version-changed", "activity-added"),
            *("text-changed", "version-incomparable", "finding-fixed"),
        ),
    }
    assert {
        severity: {rule for rule in rules if severities[rule] == severity}
        for severity, rules in expected.items()
    } == {severity: {*rules} for severity, rules in expected.items()}
