"""The laws of the verdict: what is told together, shortened or left out never decides what counts.

The loop that the linter is compared with stands in `plain_loop`; `python tests/rules/plain_loop.py
20000` compares more.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import manifestkit
from command import CLEAN, FINDINGS, USAGE
from in_process import manifest_here
from judging import BASE, RULE_FILES, SECTION_2, lint, with_members, written
from manifestkit import Options, Severity
from manifestkit.config.configuration import NOT_SUPPRESSED
from manifestkit.model.pointer import format_pointer
from plain_loop import (
    ADVICE,
    Broken,
    Requirement,
    always,
    drawn,
    every_violation,
    manifest,
    requirement,
    run,
    tallied,
)
from rows import rows

SEEDS = st.integers(0, 1_000_000)


def test_the_verdict_is_that_of_a_plain_loop() -> None:
    assert run(100, seed=7) == []


def profiles_of(folder: Path, requirements: list[Requirement]) -> tuple[Any, ...]:
    files = (
        written(folder / f"{index}.schema.json", each.contents)
        for index, each in enumerate(requirements)
    )
    return tuple(map(manifestkit.load_profile, files))


def verdict(value: Any, folder: Path, requirements: list[Requirement]) -> Any:
    return tallied(json.dumps(value), Options(profiles=profiles_of(folder, requirements)))


@given(seed=SEEDS)
def test_no_order_changes_the_verdict(seed: int) -> None:
    random = Random(seed)
    value = manifest(random)
    with tempfile.TemporaryDirectory() as name:
        requirements, _ = drawn(seed, Path(name))
        before = verdict(value, Path(name), requirements)
        shuffled = random.sample(requirements, len(requirements))
        members = dict(random.sample(list(value.items()), len(value)))
        assert verdict(members, Path(name), shuffled) == before


@given(seed=SEEDS)
def test_a_requirement_more_lets_nothing_pass(seed: int) -> None:
    random = Random(seed)
    value = manifest(random)
    with tempfile.TemporaryDirectory() as name:
        requirements, _ = drawn(seed, Path(name))
        fails, found = verdict(value, Path(name), requirements)
        more = [*requirements]
        more.insert(random.randrange(len(more) + 1), requirement(random))
        fails_then, found_then = verdict(value, Path(name), more)
        assert found <= found_then
        assert fails_then or not fails


@given(seed=SEEDS, how=st.sampled_from([None, Severity.INFO]))
def test_a_setting_of_one_rule_changes_nothing_of_another(seed: int, how: Severity | None) -> None:
    value = manifest(Random(seed))
    with tempfile.TemporaryDirectory() as name:
        requirements, profiles = drawn(seed, Path(name))
        every = every_violation(value, requirements)
        for rule in {each.rule for each in every}:
            options = Options(profiles=profiles, severity={rule: how})
            fails, found = tallied(json.dumps(value), options)
            others = [each for each in every if each.rule != rule]
            assert fails == any(each.severity == "error" for each in others)
            left = {(each.rule, each.pointer) for each in (others if how is None else every)}
            assert {each for each in found if each[0] not in ADVICE} == left


@given(seed=SEEDS)
def test_a_suppression_takes_out_what_it_names_and_nothing_else(seed: int) -> None:
    random = Random(seed)
    value = manifest(random)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        requirements, profiles = drawn(seed, folder)
        every = every_violation(value, requirements)
        if not every:
            return
        chosen = random.choice(every)
        file = written(folder / "manifest.json", value)
        entry = f'rule = "{chosen.rule}"\npointer = "{chosen.pointer}"\nreason = "known"\n'
        written(folder / "manifestkit.toml", f"[[suppress]]\n{entry}")
        report = manifestkit.lint_paths([file], Options(profiles=profiles))
        left = [each for each in every if each[:2] != chosen[:2]]
        assert report.fails == any(each.severity == "error" for each in left)
        shown = {rule for each in report.findings for rule in (each.rule, *each.covers)}
        assert shown - ADVICE == {each.rule for each in left}


def identity(each: Broken, value: Any) -> tuple[str, str, str, str]:
    """What a baseline knows a violation by: an item of a list by itself."""
    tokens = each.pointer.split("/")
    lists = ("permissions", "capabilities")
    if len(tokens) > 2 and tokens[1] in lists and isinstance(value[tokens[1]], list):
        item = value[tokens[1]][int(tokens[2])]
        if item is not None:
            tokens[2] = item if isinstance(item, str) else json.dumps(item)
    return each.rule, "/".join(tokens), each.member, each.demand


@given(seed=SEEDS)
def test_a_baseline_accepts_what_it_was_written_for_and_nothing_else(seed: int) -> None:
    random = Random(seed)
    value, later = manifest(random), manifest(random)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        requirements, _ = drawn(seed, folder)
        profiles_of(folder, requirements)
        files = ", ".join(f'"{index}.schema.json"' for index in range(len(requirements)))
        written(folder / "manifestkit.toml", f"profile = [{files}]\n")
        written(folder / "manifest.json", value)
        lint("manifest.json", "--write-baseline", "known.json", cwd=folder)
        same = lint("manifest.json", "--baseline", "known.json", cwd=folder)
        assert (same.code, same.findings) == (CLEAN, [])
        written(folder / "manifest.json", later)
        outcome = lint("manifest.json", "--baseline", "known.json", cwd=folder)
        known = {identity(each, value) for each in every_violation(value, requirements)}
        left = [
            each
            for each in every_violation(later, requirements)
            if identity(each, later) not in known
        ]
        assert (outcome.code == FINDINGS) == any(each.severity == "error" for each in left)


@pytest.mark.slow
@given(seed=SEEDS)
def test_every_output_has_the_same_verdict(seed: int) -> None:
    value = manifest(Random(seed))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        requirements, _ = drawn(seed, folder)
        profiles_of(folder, requirements)
        every = every_violation(value, requirements)
        fails = any(each.severity == "error" for each in every)
        file = written(folder / "manifest.json", value)
        options = [
            f"--profile={folder / f'{index}.schema.json'}" for index in range(len(requirements))
        ]

        def output(*more: str) -> Any:
            outcome = manifest_here("lint", str(file), "--isolated", *options, *more)
            assert (outcome.code == FINDINGS) == fails, more
            return outcome

        output("--quiet")
        summary = json.loads(output("--output-format=json").out)["summary"]
        assert (summary["errors"] > 0) == fails
        (sarif,) = json.loads(output("--output-format=sarif").out)["runs"]
        assert any(each["level"] == "error" for each in sarif["results"]) == fails
        junit = output("--output-format=junit").out
        assert ("<failure" in junit) == fails
        held = Options(
            profiles=profiles_of(folder, requirements), ignore=("wrong-type",), locked=True
        )
        assert manifestkit.lint_paths([file], held).fails == fails


# -- what was lost from sight --------------------------------------------------------------------

SWAPPED = {"permissions": ["host.haptic"], "capabilities": ["host.haptics"]}


def codes(tmp_path: Path, members: dict[str, Any], *options: str) -> int:
    written(tmp_path / "manifest.json", with_members(**members))
    return lint("manifest.json", *options, cwd=tmp_path).code


def limited(tmp_path: Path, most: int) -> str:
    """The option for at most so many findings."""
    return f"--config={written(tmp_path / 'limits.toml', f'limits = {{findings = {most}}}')}"


def test_two_lists_that_look_swapped_keep_the_verdict_of_each(tmp_path: Path) -> None:
    options = ("--ignore=unknown-permission", "--select=unknown-capability")
    assert codes(tmp_path, SWAPPED, *options) == FINDINGS
    found = lint("manifest.json", *options, cwd=tmp_path).findings
    assert [(each["rule"], each["pointer"]) for each in found] == [
        ("unknown-capability", "/capabilities/0")
    ]


def test_a_valid_item_beside_a_wrong_one_is_no_swap(tmp_path: Path) -> None:
    members = {"permissions": ["host.timer", "host.haptic"], "capabilities": []}
    codes(tmp_path, members)
    (finding,) = lint("manifest.json", cwd=tmp_path).findings
    assert (finding["pointer"], finding["suggestion"]) == ("/permissions/1", "host.haptics")
    assert [each["safety"] for each in finding["fixes"]] == ["safe"]


def test_a_swap_names_the_rules_that_it_covers(tmp_path: Path) -> None:
    codes(tmp_path, SWAPPED)
    (finding,) = lint("manifest.json", cwd=tmp_path).findings
    assert (finding["rule"], finding["covers"]) == ("unknown-permission", ["unknown-capability"])


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_profiles_the_more_severe_counts_in_any_order(
    tmp_path: Path, order: tuple[int, int]
) -> None:
    files = [
        written(
            tmp_path / f"{severity}.schema.json",
            {"required": ["author"], "x-manifestkit": {"severity": severity}},
        )
        for severity in ("info", "error")
    ]
    options = [f"--profile={files[index]}" for index in order]
    assert codes(tmp_path, {}, *options) == FINDINGS


def test_a_type_that_is_advice_hides_no_error_and_is_told_itself(tmp_path: Path) -> None:
    typed = {**always({"type": "integer"}), "x-manifestkit": {"severity": "info"}}
    listed = {"enum": ["3.0"], "x-manifestkit": {"severity": "error"}}
    profile = {"properties": {"schema_version": {"allOf": [typed, listed]}}}
    option = f"--profile={written(tmp_path / 'host.schema.json', profile)}"
    assert codes(tmp_path, {}, option) == FINDINGS
    (finding,) = lint("manifest.json", option, cwd=tmp_path).findings
    assert (finding["rule"], finding["severity"]) == ("wrong-type", "error")
    assert finding["covers"] == ["schema-enum"]
    assert codes(tmp_path, {}, option, "--ignore=wrong-type") == FINDINGS
    assert codes(tmp_path, {}, option, "--ignore=schema-enum") == CLEAN
    (finding,) = lint("manifest.json", option, "--ignore=schema-enum", cwd=tmp_path).findings
    assert (finding["rule"], finding["severity"]) == ("wrong-type", "info")


def test_a_rule_that_only_groups_has_no_severity_of_its_own(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", {"manifest_version": 3, "name": "x", "version": "1"})
    (finding,) = lint("manifest.json", cwd=tmp_path).findings
    assert (finding["rule"], finding["covers"]) == ("not-a-manifest", ["missing-field"])
    shown = Counter(
        each["rule"]
        for each in lint("--ignore=not-a-manifest", "manifest.json", cwd=tmp_path).findings
    )
    assert shown == {"missing-field": 6}
    lowered = lint("manifest.json", "--severity=not-a-manifest=info", cwd=tmp_path)
    assert lowered.code == FINDINGS
    ignored = lint("manifest.json", "--ignore=missing-field", cwd=tmp_path)
    assert (ignored.code, ignored.findings) == (CLEAN, [])


def test_a_misspelt_member_is_missing_and_unknown_where_a_profile_allows_no_others(
    tmp_path: Path,
) -> None:
    profile = {
        "properties": dict.fromkeys(BASE, True),
        "additionalProperties": False,
        "x-manifestkit": {"rule": "host-closed"},
    }
    option = f"--profile={written(tmp_path / 'host.schema.json', profile)}"
    value = with_members()
    value["runtme"] = value.pop("runtime")
    written(tmp_path / "manifest.json", value)
    found = lint("manifest.json", option, cwd=tmp_path).findings
    assert {each["rule"] for each in found} == {"missing-field", "host-closed"}
    assert lint("manifest.json", option, "--fix", cwd=tmp_path).code == CLEAN


def test_a_profile_that_refers_to_our_schema_elsewhere_counts_there(tmp_path: Path) -> None:
    ours = "urn:manifestkit:activity-provider-manifest"
    profile = {"properties": {"inner": {"$ref": ours}}}
    option = f"--profile={written(tmp_path / 'host.schema.json', profile)}"
    assert codes(tmp_path, {"inner": with_members(schema_version=1)}, option) == FINDINGS


# -- names and rules as nobody would choose them -------------------------------------------------

ODD_NAMES = st.sampled_from(["", "0", "1", "01", "+1", "~", "a/b", "*", "x"])
DIALECTS: dict[str, dict[str, Any]] = {
    "2020-12": {},
    "7": {"$schema": "http://json-schema.org/draft-07/schema#"},
}
BROKEN: list[tuple[dict[str, Any], Any, str]] = [
    ({"uniqueItems": True}, [1, 1], "/1"),
    ({"contains": {"type": "null"}}, [1, 1], ""),
    ({"type": "string"}, 5, ""),
    ({"additionalProperties": {"type": "string"}}, {"": 5}, "/"),
    (
        {"additionalProperties": {"properties": {"a": {"uniqueItems": True}}}},
        {"": {"a": [1, 1]}},
        "//a/1",
    ),
    ({"properties": {"": {"const": 1}, "1": {"const": 1}}}, {"01": 0, "": 0, "1": 1}, "/"),
]


@pytest.mark.parametrize("dialect", DIALECTS)
@given(names=st.sets(ODD_NAMES, min_size=1), broken=st.sampled_from(BROKEN))
def test_a_member_of_any_name_is_judged_by_a_profile_of_any_draft(
    dialect: str, names: set[str], broken: tuple[dict[str, Any], Any, str]
) -> None:
    part, value, below = broken
    profile = {
        **DIALECTS[dialect],
        "patternProperties": {"^([^a-z]{0,2}|x|a/b)$": part},
        "allOf": [{"properties": {each: {"minLength": 0} for each in names}}],
    }
    text = json.dumps(with_members(**dict.fromkeys(names, value)))
    with tempfile.TemporaryDirectory() as name:
        profiles = (manifestkit.load_profile(written(Path(name) / "p.json", profile)),)
        fails, found = tallied(text, Options(profiles=profiles))
    assert fails
    assert {at for rule, at in found if rule.startswith(("schema-", "wrong-"))} == {
        format_pointer((each,)) + below for each in names
    }


def test_a_profile_with_a_lone_surrogate_is_refused(tmp_path: Path) -> None:
    profile = written(tmp_path / "host.json", {"properties": {"\ud800": {"type": "string"}}})
    assert codes(tmp_path, {"\ud800": 5}, f"--profile={profile}") == USAGE


@rows("rule", sorted(NOT_SUPPRESSED))
def test_a_profile_has_no_rule_about_what_is_no_part_of_a_manifest(
    tmp_path: Path, rule: str
) -> None:
    profile = {"required": ["x"], "x-manifestkit": {"rule": rule, "severity": "off"}}
    file = written(tmp_path / "host.json", json.dumps(profile))
    written(tmp_path / "manifest.json", with_members())
    refused = manifest_here("lint", f"--profile={file}", str(tmp_path / "manifest.json"))
    assert refused.code == USAGE
    assert f"host.json:1:{json.dumps(profile).index(rule)}: `" in refused.err


RULES = {path.name.partition(".")[0] for path in RULE_FILES}


@rows("rule", sorted(RULES - NOT_SUPPRESSED))
def test_a_requirement_counts_whatever_its_rule_is(tmp_path: Path, rule: str) -> None:
    """And every setting applies to it: what a profile may name, a user may accept."""
    schema = {"required": ["extra"], "x-manifestkit": {"rule": rule}}
    file = written(tmp_path / "own.schema.json", schema)
    assert codes(tmp_path, {}, f"--profile={file}") == FINDINGS
    assert codes(tmp_path, {}, f"--schema={file}") == FINDINGS
    assert codes(tmp_path, {}, f"--profile={file}", f"--select={rule}") == FINDINGS
    for option in (f"--ignore={rule}", f"--severity={rule}=warning"):
        assert codes(tmp_path, {}, f"--profile={file}", option) == CLEAN
    entry = f'[[suppress]]\nrule = "{rule}"\nreason = "agreed"\n'
    settings = written(tmp_path / "accepted.toml", entry)
    assert codes(tmp_path, {}, f"--profile={file}", f"--config={settings}") == CLEAN


@given(
    severity=st.sampled_from(["error", "warning", "info", "off"]),
    ignore=st.sampled_from([(), ("host-x",)]),
    misspelt=st.sampled_from(
        [
            {"presentaton": {"foo": 1}},
            {"presentaton": 5},
            {"activities": [{**BASE["activities"][0], "thumbnal": 5, "categry": None}]},
        ]
    ),
)
def test_a_guess_at_an_optional_member_breaks_nothing_more(
    severity: str, ignore: tuple[str, ...], misspelt: dict[str, Any]
) -> None:
    notes = {"rule": "host-x", "severity": severity}
    wanted = [
        {"required": ["presentation"]},
        {"properties": {"activities": {"items": {"required": ["thumbnail", "category"]}}}},
    ]
    text = json.dumps(with_members(**misspelt))
    with tempfile.TemporaryDirectory() as name:
        profile = written(Path(name) / "p.json", {"allOf": wanted, "x-manifestkit": notes})
        profiles = (manifestkit.load_profile(profile),)
        _, found = tallied(text, Options(profiles=profiles, ignore=ignore))
        _, without = tallied(text, Options())
    assert {each for each in found if each[0] != "host-x"} == without


# -- limits ----------------------------------------------------------------------------------


@given(seed=SEEDS, more=st.integers(-3, 3))
def test_what_fails_without_a_limit_fails_with_one(seed: int, more: int) -> None:
    random = Random(seed)
    unknown = [f"host.unknown{index}" for index in range(random.randrange(5))]
    value = {**manifest(random), "permissions": unknown}
    ours = {"$ref": SECTION_2["$id"]}
    with tempfile.TemporaryDirectory() as name:
        requirements, _ = drawn(seed, Path(name))
        requirements = [
            each._replace(severity=random.choice([each.severity, "off"])) for each in requirements
        ]
        profiles = profiles_of(Path(name), random.sample(requirements, len(requirements)))
        if random.randrange(2):
            wanted = [ours, {"allOf": [ours]}, *(each.contents for each in requirements)]
            file = written(Path(name) / "all.schema.json", {"allOf": wanted})
            profiles = (manifestkit.load_profile(file),)
        rules = sorted({each.rule for each in every_violation(value, requirements)})
        ignore = tuple(random.sample(rules, max(0, len(rules) - random.randrange(3))))
        options = Options(profiles=profiles, ignore=ignore, isolated=True)
        file = written(Path(name) / "manifest.json", value)
        if manifestkit.lint_paths([file], options).fails:
            most = max(1, len(every_violation(value, [])) + more)
            limited = options._replace(limits={"findings": most})
            assert manifestkit.lint_paths([file], limited).fails
            assert tallied(json.dumps(value), limited)[0]


@pytest.mark.parametrize("most", [2, 3])
def test_what_is_told_once_hides_no_limit(tmp_path: Path, most: int) -> None:
    ours = {"$ref": SECTION_2["$id"]}
    wanted = {"allOf": [ours, {"allOf": [ours]}, {"required": ["support_email"]}]}
    options = ["--profile", written(tmp_path / "p.json", wanted), limited(tmp_path, most)]
    members = {"permissions": ["host.one", "host.two"]}
    assert codes(tmp_path, members, *map(str, options), "--ignore=unknown-permission") == FINDINGS


def test_a_requirement_that_is_off_uses_up_no_limit(tmp_path: Path) -> None:
    off = {"required": ["category"], "x-manifestkit": {"rule": "host-off", "severity": "off"}}
    profiles = [
        written(tmp_path / "off.json", {"properties": {"activities": {"items": off}}}),
        written(tmp_path / "on.json", {"required": ["author"]}),
    ]
    activities = [{"id": f"a{index}", "name": "A"} for index in range(5)]
    options = [f"--profile={each}" for each in profiles]
    assert codes(tmp_path, {"activities": activities}, *options, limited(tmp_path, 3)) == FINDINGS


def test_a_baseline_tells_an_index_from_an_identifier_of_digits(tmp_path: Path) -> None:
    codes(tmp_path, {"activities": [{"id": "a0", "name": "ok"}, {"id": None, "name": 6}]})
    lint("manifest.json", "--write-baseline", "known.json", cwd=tmp_path)
    members = {"activities": [{"id": "1", "name": 5}]}
    assert codes(tmp_path, members, "--baseline=known.json") == FINDINGS


def test_what_is_beyond_a_limit_is_told_also_at_a_value_of_the_wrong_type(tmp_path: Path) -> None:
    codes(tmp_path, {"permissions": [1, 2, 3]})
    found = lint("manifest.json", limited(tmp_path, 2), cwd=tmp_path).findings
    assert "limit-exceeded" in [each["rule"] for each in found]


def test_what_is_beyond_a_limit_is_told_also_of_what_is_no_manifest(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", {"manifest_version": 3, "name": "x", "version": "1"})
    found = lint("manifest.json", limited(tmp_path, 2), cwd=tmp_path).findings
    assert {each["rule"] for each in found} == {"not-a-manifest", "limit-exceeded"}
