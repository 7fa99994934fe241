"""Numbers with exponents that no other reader of numbers takes: a verdict, and no command fails."""

from __future__ import annotations

import json
from pathlib import Path

from command import CLEAN, FINDINGS
from in_process import manifest_here
from report_cases import GOOD_TEXT
from rows import rows

_HUGE = "9" * 20

# A number as it is written, and the integer that it is.
_INTEGERS = {
    f"0e-{_HUGE}": 0,
    f"0e{_HUGE}": 0,
    f"0.0e+{_HUGE}": 0,
    f"-0e-{_HUGE}": 0,
    "1E+0000000000000000000000001": 10,
    f"0.{'0' * 900}1e901": 1,
}
_NO_INTEGERS = (
    *(f"1e-{_HUGE}", "1e-999999999", "1e-400", "-1e-400", "0.99999999999999999999"),
    *("1.0000000000000000001", "2.99999999999999999999", "-2.00000000000000000001"),
)


def _with_duration(number: str) -> str:
    return GOOD_TEXT.replace(
        '"name": "Box breathing"', f'"name": "Box breathing", "duration_minutes": {number}'
    )


@rows("number", _INTEGERS, ids=lambda number: number[:30])
@rows("suffix", ["json", "yaml"])
def test_an_integer_of_any_exponent_is_found_and_fixed(
    number: str, suffix: str, tmp_path: Path
) -> None:
    file = tmp_path / f"manifest.{suffix}"
    file.write_text(_with_duration(number), "utf-8")
    found = manifest_here("lint", "--isolated", "--output-format=json", str(file))
    assert found.code == CLEAN
    rules = [each["rule"] for each in json.loads(found.out)["findings"]]
    assert "float-integer" in rules
    manifest_here("lint", "--isolated", "--fix", str(file))
    assert f'"duration_minutes": {_INTEGERS[number]}' in file.read_text("utf-8")


@rows("number", _NO_INTEGERS)
@rows("suffix", ["json", "yaml"])
def test_what_only_rounds_to_an_integer_is_none(number: str, suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"manifest.{suffix}"
    file.write_text(_with_duration(number), "utf-8")
    found = manifest_here("lint", "--isolated", "--output-format=json", str(file))
    assert found.code == FINDINGS
    assert [each["rule"] for each in json.loads(found.out)["findings"]] == ["wrong-type"]
    manifest_here("lint", "--isolated", "--fix", str(file))
    assert file.read_text("utf-8") == _with_duration(number)


@rows("number", [*_INTEGERS, *_NO_INTEGERS, f"1e{_HUGE}", "1" + "0" * 400])
@rows("suffix", ["json", "yaml"])
@rows(
    "arguments",
    [
        ("fmt",),
        ("set", "/provider/version", "2.0.0"),
        ("set", "/extra", "[{number}]"),
        ("add", "permission", "host.timer"),
        ("remove", "/provider"),
    ],
    ids=" ".join,
)
def test_every_command_ends_well_beside_such_a_number(
    arguments: tuple[str, ...], number: str, suffix: str, tmp_path: Path
) -> None:
    file = tmp_path / f"manifest.{suffix}"
    file.write_text(_with_duration(number), "utf-8")
    given = [each.format(number=number) for each in arguments]
    assert manifest_here(*given, str(file)).code in {CLEAN, FINDINGS}


@rows("number", [*_INTEGERS, *_NO_INTEGERS], ids=lambda number: number[:30])
@rows("keyword", ["multipleOf", "minimum", "const", "maxLength", "minItems"])
def test_a_schema_may_hold_such_a_number(keyword: str, number: str, tmp_path: Path) -> None:
    manifest, profile = tmp_path / "manifest.json", tmp_path / "host.json"
    manifest.write_text(_with_duration(number), "utf-8")
    given = f'{{"properties": {{"activities": {{"items": {{"{keyword}": {number}}}}}}}}}'
    profile.write_text(given, "utf-8")
    outcome = manifest_here("lint", "--isolated", f"--profile={profile}", str(manifest))
    assert outcome.code in {CLEAN, FINDINGS, 2}
