"""Each rule's bad example gives exactly its rule, and its good one nothing."""

from __future__ import annotations

import json
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import manifestkit
from judging import BASE, PROFILES, RULE_FILES, SCHEMAS, as_text, written
from manifestkit import ConfigurationError, Finding, Options
from manifestkit.config.configuration import ALWAYS
from manifestkit.rules import checks
from manifestkit.rules.catalogue import catalogue
from manifestkit.rules.check import implementation
from manifestkit.rules.rule import Example, Rule
from manifestkit.schema.drafts import Dialect
from rows import rows

_RULES = [rule for rule in catalogue().values() if rule.bad.manifest != ""]
_RULE = Draft202012Validator(json.loads((SCHEMAS / "rule.schema.json").read_text()))
_ANNOTATION = Draft202012Validator(json.loads((SCHEMAS / "annotation.schema.json").read_text()))


def findings_of(
    folder: Path, rule: Rule, example: Example, ignore: tuple[str, ...] = ()
) -> tuple[Finding, ...]:
    """What is said of an example, by a run that selects its rule if that is off by default."""
    shown = example.manifest
    for earlier in folder.glob("manifest.*"):
        earlier.unlink()
    file = written(
        folder / f"manifest.{example.syntax}",
        shown if isinstance(shown, str) else {**BASE, **shown},
    )
    profiles: tuple[Path, ...] = ()
    if example.profile is not None:
        profiles = (written(folder / "host.schema.json", example.profile),)
    table = "".join(
        "[[suppress]]\n"
        + "".join(f"{name} = {json.dumps(value)}\n" for name, value in entry.items())
        for entry in example.suppress
    )
    written(folder / "manifestkit.toml", table)
    select = None if rule.severity else (rule.id,)
    paths = [file, folder]  # the named file is not passed over as a manifest of something else
    options = Options(profiles=profiles, select=select, ignore=ignore)
    return manifestkit.lint_paths(paths, options).findings


@rows(
    "rule",
    [each for each in catalogue().values() if each.id != "archive"],  # has no manifest
    ids=lambda rule: rule.id,
)
def test_each_rule_is_silent_when_it_is_ignored_or_refuses_to_be(
    rule: Rule, tmp_path: Path
) -> None:
    if rule.id in ALWAYS:
        with pytest.raises(ConfigurationError, match=f"`{rule.id}` is always reported"):
            findings_of(tmp_path, rule, rule.bad, ignore=(rule.id,))
    else:
        example = rule.bad
        if example.manifest == "":  # it is about a file beside the manifest
            written(tmp_path / "package.json", {"version": "9.9.9"})
            example = Example(manifest={})
        told = "schema-enum" if rule.id == "schema-keyword" else rule.id
        for ignore, is_told in (((), True), ((rule.id,), False)):
            found = findings_of(tmp_path, rule, example, ignore)
            assert (told in {each.rule for each in found}) == is_told


@rows("rule", _RULES, ids=lambda rule: rule.id)
def test_the_bad_example_gives_exactly_its_rule(rule: Rule, tmp_path: Path) -> None:
    found = findings_of(tmp_path, rule, rule.bad)
    assert [each.rule for each in found] == [
        "schema-enum" if rule.id == "schema-keyword" else rule.id
    ]
    severity = rule.severity or manifestkit.Severity.WARNING
    assert [each.severity for each in found] == [severity]


@rows("rule", _RULES, ids=lambda rule: rule.id)
def test_the_good_example_gives_nothing(rule: Rule, tmp_path: Path) -> None:
    assert findings_of(tmp_path, rule, rule.good) == ()


@rows("rule", _RULES, ids=lambda rule: rule.id)
def test_every_finding_stands_on_a_clause_and_says_what_to_do(rule: Rule, tmp_path: Path) -> None:
    for finding in findings_of(tmp_path, rule, rule.bad):
        assert finding.clause or finding.profile
        assert finding.help


def test_an_annotation_of_the_manifest_schema_agrees_with_the_file_of_its_rule() -> None:
    schema = json.loads((SCHEMAS / "activity-provider-manifest.schema.json").read_text("utf-8"))
    notes = [note for note in _annotations(schema) if "rule" in note]
    assert notes
    for note in notes:
        rule = catalogue()[note["rule"]]
        assert note.get("help", rule.help) == rule.help
        assert note.get("clause", rule.clause) == rule.clause


def _annotations(contents: Any) -> list[Any]:
    if isinstance(contents, dict):
        own = [contents["x-manifestkit"]] if "x-manifestkit" in contents else []
        return own + [note for each in contents.values() for note in _annotations(each)]
    if isinstance(contents, list):
        return [note for each in contents for note in _annotations(each)]
    return []


@rows(
    "file",
    [*RULE_FILES, *PROFILES, SCHEMAS / "activity-provider-manifest.schema.json"],
    ids=lambda file: file.name,
)
def test_every_annotation_is_one_by_its_own_schema(file: Path) -> None:
    contents = json.loads(file.read_text("utf-8"))
    notes = _annotations(contents)
    assert notes
    if file in RULE_FILES:
        assert [error.message for error in _RULE.iter_errors(contents)] == []
        Draft202012Validator.check_schema(contents.get("then", {}))
        assert contents.get("then", {}).keys() <= Dialect.CURRENT.keywords - {"$ref"}
        for note in notes:
            note.pop("rule", None)  # ours may be about files that cannot be checked
    else:
        Draft202012Validator.check_schema(contents)
    assert [error.message for note in notes for error in _ANNOTATION.iter_errors(note)] == []


@rows("file", RULE_FILES, ids=lambda file: file.name)
def test_a_rule_file_is_named_for_its_rule_and_says_all_there_is_to_say(file: Path) -> None:
    contents = json.loads(file.read_text("utf-8"))
    rule = file.name.removesuffix(".schema.json")
    notes = contents["x-manifestkit"]
    assert notes["rule"] == rule
    assert contents["$schema"] == "../rule.schema.json"
    assert {"severity", "help", "clause", "bad", "good"} <= notes.keys()
    assert contents["title"]
    assert contents["description"]


def test_the_catalogue_holds_every_rule_file_once() -> None:
    assert list(catalogue()) == [file.name.removesuffix(".schema.json") for file in RULE_FILES]


def test_every_check_in_python_has_its_rule_file_and_no_demand_in_json_schema_beside_it() -> None:
    checked = [rule for rule in catalogue().values() if rule.trait]
    assert all(implementation(rule.id).check for rule in checked)
    modules = {module.name for module in iter_modules(checks.__path__)}
    names = {rule.replace("-", "_") for rule in catalogue()}
    assert modules <= names
    assert {rule.id.replace("-", "_") for rule in checked} <= modules
    assert [rule.id for rule in _RULES if rule.trait and rule.schema] == []


def test_the_table_of_the_design_is_what_the_catalogue_holds() -> None:
    by_severity: dict[str, list[str]] = {
        "error": [
            "duplicate-key",
            "limit-exceeded",
            "missing-field",
            "no-activities",
            "schema-keyword",
            "syntax-error",
            "unknown-capability",
            "unknown-member",
            "unknown-permission",
            "wrong-type",
        ],
        "warning": [
            "control-character",
            "duplicate-activity-id",
            "duplicate-item",
            "empty-text",
            "expired-suppression",
            "float-integer",
            "lone-surrogate",
            "misspelt-field",
            "non-positive-duration",
            "unused-suppression",
        ],
        "info": ["version-form"],
        "off": ["ignored-member"],
    }
    for severity, rules in by_severity.items():
        held = [
            rule.id
            for rule in _RULES
            if (rule.severity.value if rule.severity else "off") == severity
        ]
        # A rule that is added needs no line here; one that goes or gets another severity is found.
        assert set(held) >= set(rules)


def test_the_manifest_that_fragments_are_merged_over_is_clean() -> None:
    assert manifestkit.lint(as_text(BASE)).findings == ()


@rows(
    ("name", "is_one"),
    [
        *(
            (each, True)
            for each in ("${A}", "$(NAME)", "{{ a }}", "<APP NAME>", "@string/app_name")
        ),
        *((each, False) for each in ("$5 walk", "I <3 walks", "@acme/calm", "a {b}", "1 < 2 > 0")),
    ],
)
def test_what_a_template_leaves_is_told_from_names(name: str, is_one: bool) -> None:
    manifest = {**BASE, "provider": {**BASE["provider"], "name": name}}
    found = manifestkit.lint(as_text(manifest), "manifest.json").findings
    assert [each.rule for each in found] == ["unfilled-placeholder"] * is_one


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("“Calm”", True),
        ("„Calm“", True),
        ("«Calm»", True),
        ("‘Calm’", True),
        ("'Calm'", True),
        ('"Calm"', True),
        ("“Calm” and “Easy”", False),
        ("Calm “down”", False),
        ("’Tis calm", False),
        ("5′ of calm", False),
    ],
)
def test_quotes_around_a_whole_text_are_found(name: str, is_one: bool) -> None:
    manifest = {**BASE, "provider": {**BASE["provider"], "name": name}}
    found = manifestkit.lint(as_text(manifest), "manifest.json").findings
    assert [each.rule for each in found] == ["quoted-text"] * is_one
