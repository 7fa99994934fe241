"""`manifest profile test`: a host's examples against its profile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from command import CLEAN, FINDINGS, REPOSITORY, USAGE
from in_process import manifest_here
from report_cases import GOOD

CATALOGUE = REPOSITORY / "examples" / "profiles" / "host-catalogue.schema.json"


def with_category(category: str) -> str:
    (activity, *others) = GOOD["activities"]
    return json.dumps({**GOOD, "activities": [{**activity, "category": category}, *others]})


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A profile, configured, and two examples of its one rule."""
    notes = {"rule": "calm-category", "message": "{value} is not calm", "help": "use `calm`"}
    category = {"enum": ["calm"], "x-manifestkit": notes}
    profile: dict[str, Any] = {
        "properties": {"activities": {"items": {"properties": {"category": category}}}}
    }
    (tmp_path / "host.json").write_text(json.dumps(profile))
    (tmp_path / "manifestkit.toml").write_text('profile = ["host.json"]\n')
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "calm-category.bad.json").write_text(with_category("wild"))
    (tmp_path / "examples" / "calm-category.good.json").write_text(with_category("calm"))
    (tmp_path / "examples" / "README.md").write_text("not an example")
    return tmp_path


def test_examples_that_are_judged_as_their_names_say_pass(here: Path) -> None:
    for arguments in (["examples"], ["examples", "--profile", "host.json"]):
        outcome = manifest_here("profile", "test", *arguments, cwd=here)
        assert outcome.code == CLEAN
        assert outcome.out == "ok   calm-category.bad.json\nok   calm-category.good.json\n"
        assert outcome.err == "2 examples checked\n"
    assert manifest_here("profile", "test", cwd=here / "examples").code == CLEAN


def test_a_rule_that_the_configuration_keeps_quiet_is_told(here: Path) -> None:
    with (here / "manifestkit.toml").open("a") as configuration:
        configuration.write('severity = {calm-category = "off"}')
    outcome = manifest_here("profile", "test", "examples", cwd=here)
    assert outcome.code == FINDINGS
    assert "`calm-category` finds nothing; the configuration turns it off" in outcome.out


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "calm-category.bad.x.json",
            with_category("calm"),
            "`calm-category` finds nothing",
        ),
        ("calm-category.good.yaml", with_category("wild"), "error calm-category "),
        ("calm-category.bad.2.json", "{", "syntax-error"),
        ("calm-categroy.bad.json", with_category("wild"), "did you mean `calm-category`?"),
        (
            "calm-category.bad.y.json",
            with_category("wild").replace('"permissions": [', '"permissions": ["x"'),
            "unknown-permission",
        ),
    ],
)
def test_an_example_that_is_not_judged_so_fails(
    here: Path, name: str, text: str, said: str
) -> None:
    (here / "examples" / name).write_text(text)
    outcome = manifest_here("profile", "test", "examples", cwd=here)
    assert outcome.code == FINDINGS
    (line,) = [
        each for each in outcome.out.splitlines() if each.startswith("FAIL ") and said in each
    ]
    assert line.startswith(f"FAIL {name}:")
    assert "3 examples checked, 1 failed" in outcome.err
    assert "RULE.bad.json must have a finding of RULE, and no error of another" in outcome.err


def test_rules_without_a_bad_example_are_named(here: Path) -> None:
    outcome = manifest_here("profile", "test", "examples", "--profile", str(CATALOGUE), cwd=here)
    assert outcome.code == FINDINGS
    assert "no bad example of `host-category`" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gone"], "gone: no such file or directory"),
        (["host.json"], "host.json: not a directory; if it is the profile, write `manifest"),
        (["."], "no examples; name them RULE.good.json"),
        (["examples", "--profile", "gone.json"], "gone.json: no such file"),
    ],
)
def test_what_cannot_be_tested_is_told(here: Path, arguments: list[str], said: str) -> None:
    outcome = manifest_here("profile", "test", *arguments, cwd=here)
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert said in outcome.err


def test_without_a_profile_there_is_nothing_to_test(here: Path) -> None:
    (here / "manifestkit.toml").unlink()
    outcome = manifest_here("profile", "test", "examples", cwd=here)
    assert outcome.code == USAGE
    assert "no profile: use --profile FILE" in outcome.err


KEYWORDS: list[dict[str, Any]] = [
    {},
    {"type": "object"},
    {"required": ["presentation"]},
    {"properties": {"provider": {"required": ["author"]}}},
    {"minProperties": 1},
    {"title": "Ours", "allOf": [{"required": ["presentation"]}]},
]


@pytest.mark.parametrize("beside", KEYWORDS, ids=str)
def test_what_stands_in_place_of_a_keyword_is_refused_whatever_is_beside_it(
    beside: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(GOOD))
    schemas = {name: {"minItems": 1} for name in GOOD}
    for members in ({name: schemas[name] for name in list(schemas)[:most]} for most in range(1, 8)):
        for given in (members, {name: GOOD[name] for name in members}):
            for profile in ({**beside, **given}, {"allOf": [{**beside, **given}]}):
                (tmp_path / "host.json").write_text(json.dumps(profile))
                outcome = manifest_here("lint", "--profile", "host.json", cwd=tmp_path)
                assert outcome.code == USAGE, profile


def test_a_text_beside_properties_may_be_an_annotation(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(GOOD))
    noted = {"id": "urn:x", "name": "Ours", "properties": {"id": {"const": GOOD["provider"]["id"]}}}
    (tmp_path / "host.json").write_text(json.dumps({"properties": {"provider": noted}}))
    assert manifest_here("lint", "--profile", "host.json", cwd=tmp_path).code == CLEAN
