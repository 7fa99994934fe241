"""Which rules count, and how much: on the command line, in the configuration, for the exit code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import (
    Draft7Validator,
    Draft202012Validator,
)

import manifestkit
from command import CLEAN, FINDINGS, USAGE
from in_process import manifest_here
from judging import BASE, SCHEMAS, lint, with_activity, with_members, written
from manifestkit import ConfigurationError, Options, Severity
from manifestkit.config.configuration import ALWAYS
from rows import rows

# One error, one warning, one remark.
MIXED = with_members(
    schema_version="v1", permissions=["host.camera"], capabilities=["host.haptic", "host.haptic"]
)
ALL = {"unknown-permission": "error", "duplicate-item": "warning", "version-form": "info"}

CONFIGURATION_SCHEMA = json.loads((SCHEMAS / "configuration.schema.json").read_text("utf-8"))


def judged(folder: Path, *options: str) -> tuple[dict[str, str], int]:
    """What the mixed manifest is told, by the command; and the exit code."""
    written(folder / "manifest.json", MIXED)
    outcome = lint("manifest.json", *options, cwd=folder)
    return {each["rule"]: each["severity"] for each in outcome.findings}, outcome.code


def configured(folder: Path, text: str, value: Any = MIXED) -> dict[str, str]:
    """What is told of a manifest under a configuration."""
    written(folder / "manifestkit.toml", text)
    report = manifestkit.lint_paths([written(folder / "manifest.json", value)])
    return {each.rule: each.severity.value for each in report.findings}


def without(*rules: str) -> dict[str, str]:
    return {rule: severity for rule, severity in ALL.items() if rule not in rules}


@rows(
    ("options", "configuration", "told"),
    [
        ([], "", ALL),
        (["--ignore=version-form"], 'ignore = ["version-form"]', without("version-form")),
        (
            ["--ignore=version-form", "--ignore=unknown-permission"],
            'ignore = ["version-form", "unknown-permission"]',
            {"duplicate-item": "warning"},
        ),
        (["--select=version-form"], 'select = ["version-form"]', {"version-form": "info"}),
        (
            ["--select=version-form", "--select=duplicate-item", "--ignore=version-form"],
            'select = ["version-form", "duplicate-item"]\nignore = ["version-form"]',
            {"duplicate-item": "warning"},
        ),
        (
            ["--severity=version-form=error", "--severity=unknown-permission=info"],
            'severity = { version-form = "error", unknown-permission = "info" }',
            {**ALL, "version-form": "error", "unknown-permission": "info"},
        ),
        (
            ["--severity=version-form=off"],
            '[severity]\nversion-form = "off"',
            without("version-form"),
        ),
        (
            ["--select=version-form", "--severity=version-form=off"],
            'select = ["version-form"]\nseverity.version-form = "off"',
            {},
        ),
    ],
    ids=str,
)
def test_options_and_configuration_choose_and_weigh_alike(
    options: list[str], configuration: str, told: dict[str, str], tmp_path: Path
) -> None:
    assert judged(tmp_path, *options)[0] == told
    assert configured(tmp_path, configuration) == told


@rows(
    ("options", "code"),
    [
        ([], FINDINGS),
        (["--fail-on=error"], FINDINGS),
        (["--ignore=unknown-permission"], CLEAN),
        (["--ignore=unknown-permission", "--fail-on=warning"], FINDINGS),
        (["--ignore=unknown-permission", "--ignore=duplicate-item", "--fail-on=warning"], CLEAN),
        (["--select=version-form", "--fail-on=info"], FINDINGS),
        (["--select=version-form", "--fail-on=warning"], CLEAN),
        (["--severity=unknown-permission=warning"], CLEAN),
        (["--select=version-form", "--severity=version-form=error"], FINDINGS),
        (["--exit-zero"], CLEAN),
    ],
    ids=str,
)
def test_a_run_fails_on_a_finding_of_enough_weight(
    options: list[str], code: int, tmp_path: Path
) -> None:
    assert judged(tmp_path, *options)[1] == code


def test_the_configured_threshold_counts_unless_the_command_line_has_one(tmp_path: Path) -> None:
    written(tmp_path / "manifestkit.toml", 'fail-on = "info"\nselect = ["version-form"]')
    assert judged(tmp_path)[1] == FINDINGS
    assert judged(tmp_path, "--fail-on=warning")[1] == CLEAN
    assert judged(tmp_path, "--isolated", "--select=version-form")[1] == CLEAN


def test_the_command_line_selects_in_place_of_the_configuration_and_ignores_beside_it(
    tmp_path: Path,
) -> None:
    text = 'select = ["version-form"]\nignore = ["unknown-permission"]\n'
    written(tmp_path / "manifestkit.toml", text + 'severity = { duplicate-item = "info" }')
    assert judged(tmp_path)[0] == {"version-form": "info"}
    assert judged(tmp_path, "--select=duplicate-item")[0] == {"duplicate-item": "info"}
    assert judged(tmp_path, "--select=unknown-permission")[0] == {}
    with_severity = judged(tmp_path, "--select=duplicate-item", "--severity=duplicate-item=error")
    assert with_severity[0] == {"duplicate-item": "error"}


def test_a_rule_about_changes_is_refused_where_one_manifest_is_checked(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", BASE)
    outcome = manifest_here("lint", "manifest.json", "--select=permission-added", cwd=tmp_path)
    assert outcome.code == USAGE
    assert "`permission-added` is about what changes between two manifests" in outcome.err


# -- rules that are off by default -------------------------------------------------------------


@pytest.mark.parametrize("how", ["--select=missing-file", "--severity=missing-file=warning"])
def test_a_rule_that_is_off_by_default_can_be_asked_for(how: str, tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", BASE)
    assert lint("manifest.json", cwd=tmp_path).findings == []
    (finding,) = lint("manifest.json", how, cwd=tmp_path).findings
    assert (finding["rule"], finding["severity"]) == ("missing-file", "warning")
    written(tmp_path / "dist" / "index.js", "")
    assert lint("manifest.json", how, cwd=tmp_path).findings == []


@rows(
    ("entrypoint", "looked_for"),
    [
        ("./main", True),
        ("dist/main", True),
        ("main.mjs", True),
        ("MAIN.JS", True),
        ("main", False),
        ("example.box", False),
        ("https://example.org/main.js", False),
        ("data:text/javascript,1", False),
        ("/main.js", False),
        ("", False),
    ],
)
def test_only_what_has_the_form_of_a_relative_path_is_looked_for(
    entrypoint: str,
    looked_for: bool,
    tmp_path: Path,
) -> None:
    value = with_members(runtime={"entrypoint": entrypoint, "sdk_version": "1.0"})
    text = 'select = ["missing-file"]'
    assert bool(configured(tmp_path, text, value)) == looked_for


def test_a_thumbnail_of_an_activity_is_looked_for_too(tmp_path: Path) -> None:
    value = with_activity(thumbnail="images/a.png")
    written(tmp_path / "dist" / "index.js", "")
    written(tmp_path / "manifestkit.toml", 'select = ["missing-file"]')
    file = written(tmp_path / "manifest.json", value)
    (finding,) = manifestkit.lint_paths([file]).findings
    assert finding.pointer == "/activities/0/thumbnail"


# -- what is always reported -------------------------------------------------------------------

_READABLE_ALWAYS = sorted(ALWAYS - {"yaml-unsupported"})


@rows("rule", _READABLE_ALWAYS)
@rows(
    "options",
    [
        {"ignore": "{rule}"},
        {"severity": ("{rule}", None)},
        {"severity": ("{rule}", Severity.INFO)},
    ],
    ids=str,
)
def test_a_rule_that_always_counts_can_be_neither_ignored_nor_weighed(
    rule: str, options: dict[str, Any], tmp_path: Path
) -> None:
    file = written(tmp_path / "manifest.json", BASE)
    chosen = (
        Options(ignore=(rule,))
        if "ignore" in options
        else Options(severity={rule: options["severity"][1]})
    )
    with pytest.raises(ConfigurationError, match=f"`{rule}` is always reported"):
        manifestkit.lint_paths([file], chosen)


@pytest.mark.parametrize("rule", ["crash", "unreadable-file"])
def test_to_select_what_is_said_of_runs_switches_no_rule_off(rule: str, tmp_path: Path) -> None:
    file = written(tmp_path / "manifest.json", BASE)
    with pytest.raises(ConfigurationError, match=f"`{rule}` is always reported: leave it out"):
        manifestkit.lint_paths([file], Options(select=("version-form", rule)))


@pytest.mark.parametrize("text", ["{", "[1e999]"])
def test_a_selection_of_other_rules_does_not_hide_it(text: str, tmp_path: Path) -> None:
    file = written(tmp_path / "manifest.json", text)
    report = manifestkit.lint_paths([file], Options(select=("version-form",), isolated=True))
    assert {each.rule for each in report.findings} <= ALWAYS
    assert report.fails


# -- ids that no rule has ----------------------------------------------------------------------


@rows("option", ["--select", "--ignore", "--severity"])
def test_a_misspelt_rule_is_told_with_the_right_one(option: str, tmp_path: Path) -> None:
    value = "unknown-permision" + ("=off" if option == "--severity" else "")
    written(tmp_path / "manifest.json", BASE)
    outcome = manifest_here("lint", "manifest.json", option, value, cwd=tmp_path)
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert "unknown rule `unknown-permision`; did you mean `unknown-permission`?" in outcome.err
    value = "version" + ("=off" if option == "--severity" else "")
    outcome = manifest_here("lint", "manifest.json", option, value, cwd=tmp_path)
    assert "unknown rule `version`; did you mean `version-form`, " in outcome.err


@rows(
    "text",
    [
        'select = ["unknown-permision"]',
        'ignore = ["unknown-permision"]',
        '[severity]\nunknown-permision = "off"',
        '[severity]\nunknown-permision = "warn"',
        '[[suppress]]\nrule = "unknown-permision"\nreason = "x"',
    ],
)
def test_a_misspelt_rule_in_a_configuration_is_told_with_the_file(
    text: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        configured(tmp_path, text)
    assert "manifestkit.toml" in str(caught.value)
    assert re.search("(did you mean|write) `unknown-permission", str(caught.value))


def test_a_misspelt_keyword_is_told_and_every_keyword_that_can_break_is_a_rule(
    tmp_path: Path,
) -> None:
    with pytest.raises(ConfigurationError, match="unknown rule `schema-enumm`; did you mean"):
        configured(tmp_path, 'ignore = ["schema-enumm"]', BASE)
    drafts = (Draft7Validator, Draft202012Validator)
    # These pass on to other schemas and are never broken themselves.
    passing_on = {"$ref", "$dynamicRef", "allOf", "dependentSchemas", "if"}
    passing_on |= {"patternProperties", "prefixItems", "properties"}
    keywords = {name for draft in drafts for name in draft.VALIDATORS} - passing_on
    ids = [f"schema-{name}" for name in sorted(keywords)]
    assert configured(tmp_path, f"ignore = {json.dumps(ids)}", BASE) == {}


@rows(
    "given, do",
    [
        ("version-form=warn", "did you mean `manifest lint --severity version-form=warning`?"),
        ("version-form:err", "write `manifest lint --severity version-form=error`"),
        ("version-form=ERROR", "did you mean `manifest lint --severity version-form=error`?"),
        ("version-form=none", "did you mean `manifest lint --severity version-form=off`?"),
        ("version-form=2", "did you mean `manifest lint --severity version-form=error`?"),
        ("off=version-form", "write `manifest lint --severity version-form=off`"),
        ("version-form=", "write `version-form=error|warning|info|off`"),
        ("version-form=best", "write `version-form=error|warning|info|off`"),
    ],
)
def test_a_level_that_is_none_is_told_with_the_one_that_was_meant_or_all(
    given: str, do: str, tmp_path: Path
) -> None:
    outcome = manifest_here("lint", "--severity", given, cwd=tmp_path)
    assert outcome.code == USAGE
    assert f"`--severity`: `{given}` is not RULE=LEVEL; " in outcome.err
    assert outcome.err.endswith(f"{do}\n")


def test_a_rule_that_a_profile_declares_is_a_rule(tmp_path: Path) -> None:
    written(tmp_path / "p.json", {"maxProperties": 1, "x-manifestkit": {"rule": "few"}})
    text = 'profile = ["p.json"]\n'
    assert configured(tmp_path, text, BASE) == {"few": "error"}
    assert configured(tmp_path, text + 'severity.few = "info"', BASE) == {"few": "info"}
    assert configured(tmp_path, text + 'ignore = ["few"]', BASE) == {}
    assert configured(tmp_path, text + 'select = ["few"]', BASE) == {"few": "error"}
    with pytest.raises(ConfigurationError, match="did you mean `few`"):
        configured(tmp_path, text + 'ignore = ["fews"]', BASE)


def test_a_keyword_of_a_profile_is_a_rule(tmp_path: Path) -> None:
    written(tmp_path / "p.json", {"maxProperties": 1})
    text = 'profile = ["p.json"]\nseverity.schema-maxProperties = "warning"'
    assert configured(tmp_path, text, BASE) == {"schema-maxProperties": "warning"}
    assert configured(tmp_path, text + '\nignore = ["schema-maxProperties"]', BASE) == {}


def test_all_keywords_of_profiles_go_by_one_rule_too(tmp_path: Path) -> None:
    written(tmp_path / "p.json", {"maxProperties": 1})
    text = 'profile = ["p.json"]\n'
    assert configured(tmp_path, text + 'ignore = ["schema-keyword"]', BASE) == {}
    entry = '[[suppress]]\nrule = "schema-keyword"\nreason = "x"'
    assert configured(tmp_path, text + entry, BASE) == {}
    assert configured(tmp_path, text + 'severity.schema-keyword = "info"', BASE) == {
        "schema-maxProperties": "info"
    }
    assert configured(tmp_path, text + 'select = ["schema-keyword"]', BASE) == {
        "schema-maxProperties": "error"
    }


# -- the configuration's own faults ------------------------------------------------------------

_FAULTS: dict[str, tuple[str, str]] = {
    "extend": ("extend = []", "`extend`"),
    "exclude": ("exclude = 1", "`exclude`"),
    "an item of exclude": ('exclude = ["a", 1]', "`exclude[1]`"),
    "schema": ("schema = []", "`schema`"),
    "profile": ('profile = "p.json"', "`profile`"),
    "change-profile": ("change-profile = 1", "`change-profile`"),
    "format": ("format = 1", "`format`"),
    "select": ('select = "x"', "`select`"),
    "ignore": ("ignore = [true]", "`ignore[0]`"),
    "severity": ("severity = 1", "`severity`"),
    "a severity": ('[severity]\nversion-form = "warn"', 'write `version-form = "warning"`'),
    "fail-on": ('fail-on = "warnings"', 'write `fail-on = "warning"`'),
    "baseline": ("baseline = 1", "`baseline`"),
    "limits": ("limits = 1", "`limits`"),
    "a limit": ("[limits]\ndepth = 0", "`limits.depth` is `0`, less than `1`"),
    "a misspelt limit": ("[limits]\nbyte = 1", "did you mean `bytes`?"),
    "publish": ("publish = 1", "`publish`"),
    "a misspelt option of publish": (
        '[publish]\nbase_url = "https://a.example"',
        "publish.base_url: unknown option `base_url`; write `base-url = ",
    ),
    "a threshold of publish": ('[publish]\nfail-on = "warnings"', 'write `fail-on = "warning"`'),
    "an empty option of publish": ('[publish]\ndomain = ""', "`publish.domain`"),
    "a pattern of publish": (
        '[publish]\nignore = ["["]', "publish.ignore: not a valid .gitignore pattern",
    ),
    "suppress": ('suppress = "x"', "`suppress`"),
    "suppress at a path that none has": (
        '[[suppress]]\nrule = "x"\nreason = "y"\npath = "./a.json"',
        'suppress[0]: `./a.json` is not a .gitignore pattern; write `"a.json"`',
    ),
    "suppress without a reason": ('[[suppress]]\nrule = "x"', "`reason`"),
    "suppress with a blank reason": (
        '[[suppress]]\nrule = "x"\nreason = " "',
        "suppress[0].reason: a suppression without a reason; say why",
    ),
    "suppress without a rule": ('[[suppress]]\nreason = "x"', "`rule`"),
    "expires": (
        '[[suppress]]\nrule = "x"\nreason = "x"\nexpires = "tomorrow"', "suppress[0].expires",
    ),
    "expires with a time": (
        '[[suppress]]\nrule = "x"\nreason = "x"\nexpires = 2026-01-31T12:00:00',
        "suppress[0].expires",
    ),
    "a misspelt option": ('\n\nprofiles = ["p"]', "did you mean `profile`?"),
    "a misspelt option of a suppression": (
        '[[suppress]]\nrule = "x"\nreason = "x"\nexpire = "x"',
        "suppress[0].expire: unknown option `expire`; did you mean `expires`?",
    ),
    "the second of two suppressions": (
        '[[suppress]]\nrule = "x"\nreason = "x"\n[[suppress]]\nrule = "x"', "`suppress[1]`",
    ),
    "an option of another kind": ("colour = 1", "unknown option `colour`; delete it; "),
    "fail_on": ('fail_on = "error"', 'write `fail-on = "error"`'),
}  # fmt: skip


def test_every_option_is_tried() -> None:
    assert CONFIGURATION_SCHEMA["properties"].keys() <= _FAULTS.keys()


@rows("what", _FAULTS)
@rows("name", ["manifestkit.toml", "pyproject.toml"])
def test_a_fault_of_a_configuration_is_told_with_its_place(
    what: str, name: str, tmp_path: Path
) -> None:
    text, words = _FAULTS[what]
    if name == "pyproject.toml":
        text = re.sub(r"^\[(\[?)(?=\w)", r"[\1tool.manifestkit.", text, flags=re.MULTILINE)
        if not text.startswith("["):
            text = "[tool.manifestkit]\n" + text
    written(tmp_path / name, text)
    file = written(tmp_path / "manifest.json", BASE)
    with pytest.raises(ConfigurationError) as caught:
        manifestkit.lint_paths([file])
    message = str(caught.value)
    assert re.search(rf"{re.escape(name)}(:[1-9]\d*)?: ", message)
    assert words in message
    assert "\n" not in message


def test_all_faults_of_a_configuration_are_told_at_once(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", BASE)
    written(tmp_path / "manifestkit.toml", 'profiles = 1\nselect = "x"\n[severity]\na = "b"')
    outcome = manifest_here("lint", "manifest.json", cwd=tmp_path)
    assert outcome.code == USAGE
    told = re.findall(
        r"^error: manifestkit.toml(?::\d+)?: [^`]*`([^`]+)`", outcome.err, re.MULTILINE
    )
    assert sorted(told) == ["profiles", "select", "severity.a"]


def test_the_schema_has_every_option_that_is_read_and_no_other() -> None:
    source = (SCHEMAS.parent / "src/manifestkit/config/file.py").read_text("utf-8")
    options = set(CONFIGURATION_SCHEMA["properties"])
    entry = set(CONFIGURATION_SCHEMA["properties"]["suppress"]["items"]["properties"])
    read = set(re.findall(r'^        "([\w-]+)": ', source, re.MULTILINE))
    assert {"extend", *read} == options
    assert set(re.findall(r'entry(?:\.get\(|\[)"([\w-]+)"', source)) == entry
    assert CONFIGURATION_SCHEMA["additionalProperties"] is False


def test_paths_of_a_configuration_count_from_its_folder(tmp_path: Path) -> None:
    written(tmp_path / "hosts" / "p.json", {"maxProperties": 1})
    written(tmp_path / "hosts" / "s.json", {"minProperties": 90})
    text = 'profile = ["hosts/p.json"]\nschema = "hosts/s.json"'
    written(tmp_path / "manifestkit.toml", text)
    written(tmp_path / "deep" / "er" / "manifest.json", BASE)
    found = lint("manifest.json", cwd=tmp_path / "deep" / "er").findings
    assert sorted(each["rule"] for each in found) == [
        "schema-maxProperties",
        "schema-minProperties",
    ]


def test_profiles_of_the_command_line_count_from_the_working_folder(tmp_path: Path) -> None:
    written(tmp_path / "a" / "p.json", {"maxProperties": 1})
    written(tmp_path / "b" / "manifest.json", BASE)
    outcome = lint("../b/manifest.json", "--profile", "p.json", cwd=tmp_path / "a")
    assert [each["rule"] for each in outcome.findings] == ["schema-maxProperties"]
