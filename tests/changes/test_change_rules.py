"""Change rules are rules: files, words, options, suppressions, and a profile of a host's own."""

from __future__ import annotations

import json
import random
import re
import tempfile
import textwrap
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from changing import BASE, PERMISSIONS, SCHEMAS, compared, random_manifest
from command import CLEAN, FINDINGS, USAGE, Outcome, manifest, package_in
from in_process import manifest_here
from manifestkit.config.configuration import ALWAYS
from manifestkit.rules.catalogue import change_rules
from manifestkit.rules.check import LIMIT_EXCEEDED
from manifestkit.rules.rule import Rule
from rows import rows

FILES = sorted((SCHEMAS / "changes").glob("*.schema.json"))
_RULE = Draft202012Validator(json.loads((SCHEMAS / "rule.schema.json").read_text()))
_ANNOTATION = Draft202012Validator(json.loads((SCHEMAS / "annotation.schema.json").read_text()))
TIMER = {**BASE, "permissions": ["host.timer"]}


def written(path: Path, contents: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(contents if isinstance(contents, str) else json.dumps(contents), "utf-8")
    return path


def diff(folder: Path, old: Any, new: Any, *options: str, **env: str) -> Outcome:
    """What `manifest diff` says of two manifests in a folder."""
    written(folder / "old.json", old)
    written(folder / "new.json", new)
    run = manifest if env else manifest_here  # of another package
    return run("diff", "old.json", "new.json", *options, cwd=folder, env=env)


def rules_of(outcome: Outcome) -> list[str]:
    return [line.split()[2] for line in outcome.out.splitlines()]


@rows("rule", change_rules().values(), ids=lambda each: each.id)
def test_the_suppression_that_explain_shows_has_an_effect(rule: Rule, tmp_path: Path) -> None:
    explained = manifest_here("explain", rule.id).out
    entry = textwrap.dedent(explained.partition("manifestkit.toml`:\n")[2])
    if rule.bad.old is None:
        assert 'path = "' not in explained
        return
    written(tmp_path / "manifestkit.toml", entry)
    assert isinstance(rule.bad.manifest, dict)
    old, new = {**BASE, **rule.bad.old}, {**BASE, **rule.bad.manifest}
    outcome = diff(tmp_path, old, new, f"--severity={rule.id}=error")
    assert rule.id not in rules_of(outcome)
    assert "suppressed" in outcome.err


@rows("file", FILES, ids=lambda file: file.name)
def test_a_rule_file_says_all_there_is_to_say(file: Path) -> None:
    contents = json.loads(file.read_text("utf-8"))
    notes = contents["x-manifestkit"]
    assert [error.message for error in _RULE.iter_errors(contents)] == []
    Draft202012Validator.check_schema(contents.get("then", {}))
    assert contents["$schema"] == "../rule.schema.json"
    others = {**notes, "rule": "some-rule"}  # ours may be about files that cannot be checked
    assert [error.message for error in _ANNOTATION.iter_errors(others)] == []
    assert f"{notes['rule']}.schema.json" == file.name
    assert {"severity", "help", "clause", "bad", "good"} <= notes.keys()
    for text in (notes["help"], notes.get("message", "x")):
        assert text == text.strip()
        assert not text.endswith(".")
        assert text[0].islower() or text[0] in "{`"
    assert contents["title"][0].isupper()
    assert not contents["title"].endswith(".")
    assert contents["description"].endswith(".")


@rows(
    "rule",
    [each for each in change_rules().values() if each.bad.old is not None],
    ids=lambda each: each.id,
)
def test_the_examples_of_a_rule_show_it(rule: Rule) -> None:
    for example, is_bad in ((rule.bad, True), (rule.good, False)):
        assert isinstance(example.manifest, dict)
        assert example.old is not None
        # Both sides show what differs; a member of no format may be new.
        assert {*example.old} == {*example.manifest} - ({*example.manifest} - {*BASE}), rule.id
        found = compared({**BASE, **example.old}, {**BASE, **example.manifest}).findings
        told = [each for each in found if each.rule == rule.id]
        assert bool(told) is is_bad
        for each in told:
            assert each.severity is rule.severity
            assert each.help
            assert each.clause
            assert each.rule == "new-finding" or each.related[0].path == "old.json"


def asked_for(name: str, meaning: str) -> str:
    said = f"{meaning[0].lower()}{meaning[1:-1]}"
    return f"the provider asks for a new permission, `{name}` (meaning: {said})"


def test_all_is_said_of_what_is_gone_and_of_what_is_new_with_its_place() -> None:
    (found,) = [each for each in compared(BASE, TIMER).findings if each.rule == "permission-added"]
    assert found.pointer == "/permissions/0"
    assert found.message == asked_for("host.timer", "Use the host's timer or alarm.")
    old = json.dumps(TIMER, indent=2)
    (gone,) = [each for each in compared(old, BASE).findings if each.rule == "permission-removed"]
    assert (gone.pointer, gone.path) == ("/permissions", "new.json")
    (place,) = gone.related
    assert (place.pointer, place.path) == ("/permissions/0", "old.json")
    assert old[place.location.span.start : place.location.span.end] == '"host.timer"'


def test_the_sentence_of_consent_is_shown_for_each_permission() -> None:
    meanings = json.loads((SCHEMAS / "activity-provider-manifest.schema.json").read_text("utf-8"))[
        "$defs"
    ]["permission"]["markdownEnumDescriptions"]
    found = compared(BASE, {**BASE, "permissions": PERMISSIONS}).findings
    told = [each.message for each in found if each.rule == "permission-added"]
    assert told == [
        asked_for(name, meaning) for name, meaning in zip(PERMISSIONS, meanings, strict=True)
    ]
    unknown = compared(BASE, {**BASE, "permissions": ["host.camera"]}).findings
    (message,) = (each.message for each in unknown if each.rule == "permission-added")
    assert message == "the provider asks for a new permission, `host.camera`"


LONG = "x" * 200


@rows(
    ("old", "new", "told"),
    [
        ("1.0", 1.0, 'from the string `"1.0"` to the number `1.0`'),
        (1, True, "from the number `1` to the boolean `true`"),
        (None, "null", 'from null to the string `"null"`'),
        (5, 6.5, "from `5` to `6.5`"),
        ({"a": 1}, {"a": 2}, 'from `{"a": 1}` to `{"a": 2}`'),
        ([1], [2], "from `[1]` to `[2]`"),
        ([1], {}, "from an array to an object"),
        (f"{LONG}a", f"{LONG}b", 'in what is left out of `"x'),
        ([LONG], [LONG, 1], "in what is left out of `["),
    ],
)
def test_an_old_and_a_new_value_can_be_told_apart(old: Any, new: Any, told: str) -> None:
    (found,) = compared({**BASE, "more": old}, {**BASE, "more": new}).findings[-1:]
    assert found.message.startswith(f"`more` changed {told}")


@rows(
    ("member", "rule"),
    [
        ("schema_version", "schema-version-changed"),
        ("provider/id", "provider-id-changed"),
        ("runtime/entrypoint", "entrypoint-changed"),
        ("runtime/sdk_version", "sdk-version-changed"),
    ],
)
def test_a_change_of_type_alone_names_the_types(member: str, rule: str) -> None:
    old, new = json.loads(json.dumps([BASE, BASE]))
    *outer, name = member.split("/")
    for each, value in ((old, "1.0"), (new, 1.0)):
        (each[outer[0]] if outer else each)[name] = value
    (found,) = [each for each in compared(old, new).findings if each.rule == rule]
    assert found.message.endswith(' changed from the string `"1.0"` to the number `1.0`')


def test_an_object_of_one_member_is_told_by_that_member() -> None:
    for value, place, shown in (
        ({"dark": 1}, "more.dark", "`1`"),
        ({"dark": {"a": 1}}, "more.dark.a", "`1`"),
        ({"dark": 1, "light": 1}, "more", "an object"),
        ({}, "more", "an object"),
    ):
        pair = BASE, {**BASE, "more": value}
        (added,) = [each for each in compared(*pair).findings if each.rule == "member-changed"]
        (gone,) = [each for each in compared(*pair[::-1]).findings if each.rule == "member-changed"]
        assert added.message == f"`{place}` is new: {shown}"
        assert gone.message == f"`{place}` was removed; it was {shown}"
        assert added.pointer == gone.related[0].pointer == "/more"


@rows(
    ("member", "value", "told"),
    [
        ("presentation", {"thumbnail": "a.png"}, ["text-changed /presentation/thumbnail"]),
        (
            "presentation",
            {"thumbnail": "a.png", "x": 1},
            ["text-changed /presentation/thumbnail", "member-changed /presentation/x"],
        ),
        ("presentation", {}, ["member-changed /presentation"]),
        ("surfaces", ["phone", "tv"], [f"text-changed /activities/0/surfaces/{i}" for i in (0, 1)]),
        ("surfaces", [], ["member-changed /activities/0/surfaces"]),
        ("surfaces", "phone", ["member-changed /activities/0/surfaces"]),
    ],
)
def test_an_object_or_a_list_that_is_new_or_gone_is_told_once_by_its_parts(
    member: str, value: Any, told: list[str]
) -> None:
    (activity,) = BASE["activities"]
    new = {**BASE, member: value}
    if member == "surfaces":
        new = {**BASE, "activities": [{**activity, member: value}]}
    added, gone = compared(BASE, new), compared(new, BASE)
    places = [f"{each.rule} {each.pointer}" for each in added.findings if "changed" in each.rule]
    assert sorted(places) == sorted(told)
    assert len(added.changes or ()) == len(gone.changes or ()) == len(told)
    places = [
        f"{each.rule} {each.related[0].pointer}" for each in gone.findings if "changed" in each.rule
    ]
    assert sorted(places) == sorted(told)


def test_options_weigh_change_rules_as_all_others(tmp_path: Path) -> None:
    assert diff(tmp_path, BASE, TIMER).code == FINDINGS
    ignored = diff(tmp_path, BASE, TIMER, "--ignore", "permission-added")
    assert (ignored.code, rules_of(ignored)) == (CLEAN, ["version-not-raised"])
    selected = diff(tmp_path, BASE, TIMER, "--select", "version-not-raised")
    assert (selected.code, rules_of(selected)) == (CLEAN, ["version-not-raised"])
    failing = diff(tmp_path, BASE, TIMER, "--select=version-not-raised", "--fail-on=warning")
    assert failing.code == FINDINGS
    info = diff(tmp_path, BASE, TIMER, "--severity", "permission-added=info")
    assert (info.code, "info permission-added" in info.out) == (CLEAN, True)
    slip = diff(tmp_path, BASE, TIMER, "--ignore", "permision-added")
    assert (slip.code, "did you mean `permission-added`?" in slip.err) == (USAGE, True)


def test_a_selected_new_finding_is_one_of_any_rule_of_lint(tmp_path: Path) -> None:
    new = {**BASE, "permissions": ["host.timer", "host.timer"]}
    outcome = diff(tmp_path, TIMER, new, "--select", "new-finding")
    assert rules_of(outcome) == ["new-finding"]
    outcome = diff(tmp_path, TIMER, new, "--ignore", "duplicate-item")
    assert rules_of(outcome) == []


def test_a_suppression_in_the_configuration_holds_for_diff_and_is_let_be_by_lint(
    tmp_path: Path,
) -> None:
    entry = '[[suppress]]\nrule = "permission-added"\npointer = "/permissions/host.timer"\n'
    written(tmp_path / "manifestkit.toml", f'{entry}reason = "agreed"\n')
    outcome = diff(tmp_path, BASE, {**BASE, "permissions": ["host.timer", "host.haptics"]})
    assert [line.split("`")[1] for line in outcome.out.splitlines() if "new perm" in line] == [
        "host.haptics"
    ]
    assert "1 suppressed" in outcome.err
    linted = manifest_here("lint", "new.json", cwd=tmp_path)
    assert (linted.code, linted.out) == (CLEAN, "")


def test_what_is_gone_is_suppressed_by_its_old_place(tmp_path: Path) -> None:
    entry = '[[suppress]]\nrule = "permission-removed"\npointer = "/permissions/host.timer"\n'
    written(tmp_path / "manifestkit.toml", f'{entry}reason = "agreed"\n')
    outcome = diff(tmp_path, TIMER, BASE)
    assert rules_of(outcome) == ["version-not-raised"]


@rows(
    "unclear",
    [
        *({"permissions": each} for each in ("host.timer", 5, {"host.timer": True}, None)),
        {"permisions": ["host.timer", "host.haptics"]},
    ],
)
def test_no_permission_counts_as_removed_where_nobody_can_read_them(
    unclear: dict[str, Any], tmp_path: Path
) -> None:
    without = {name: value for name, value in BASE.items() if name != "permissions"}
    rules = rules_of(diff(tmp_path, TIMER, {**without, **unclear}))
    assert "permissions-unreadable" in rules
    assert "permission-removed" not in rules


VALUES = st.sampled_from([None, 5, "host.timer", {"host.timer": True}, ["host.timer", 5]])
LISTS = st.lists(st.sampled_from(PERMISSIONS))
IDS = st.sampled_from([BASE["provider"]["id"], "com.example.other", None, ["a"]])
PROVIDERS = st.fixed_dictionaries({}, optional={"id": IDS, "ID": IDS})


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "provider": PROVIDERS | VALUES,
            "permissions": LISTS | VALUES,
            "permisions": LISTS,
        },
    )
)
def test_no_other_provider_and_nothing_to_consent_to_goes_through(members: dict[str, Any]) -> None:
    others = {name: BASE[name] for name in BASE.keys() - {"provider", "permissions"}}
    provider, asked = members.get("provider"), members.get("permissions")
    is_same = isinstance(provider, dict) and provider.get("id") == BASE["provider"]["id"]
    is_no_more = isinstance(asked, list) and all(each == "host.timer" for each in asked)
    assert compared(TIMER, {**others, **members}).fails != (is_same and is_no_more)


EDITS = {"rule": "edits", "severity": "warning"}
NO_EDITS = {"properties": {"changes": {"items": {"not": {}, "x-manifestkit": EDITS}}}}


@given(st.integers(min_value=0))
def test_what_fails_without_a_limit_fails_with_one(seed: int) -> None:
    chance = random.Random(seed)
    old, new = random_manifest(chance), random_manifest(chance)
    has_profile = chance.randrange(2)
    rules = [*["edits"] * has_profile, *sorted(change_rules().keys() - ALWAYS)]
    chosen = chance.sample(rules, chance.randrange(1, len(rules)))
    option = chance.choice(["--select", "--ignore"])
    options = [text for each in chosen for text in (option, each)]
    with tempfile.TemporaryDirectory() as folder:
        if has_profile:
            options.append(f"--profile={written(Path(folder, 'p.json'), NO_EDITS)}")
        files = written(Path(folder, "old.json"), old), written(Path(folder, "new.json"), new)
        arguments = ["diff", *map(str, files), "--output-format=json", *options]
        whole = manifest_here(*arguments, "--isolated")
        limit = Path(folder, "limits.toml")
        limit.write_text(f"[limits]\nfindings = {chance.randrange(1, 9)}\n")
        cut = manifest_here(*arguments, f"--config={limit}")
    found, left = (
        Counter((each["rule"], each["pointer"]) for each in json.loads(outcome.out)["findings"])
        for outcome in (whole, cut)
    )
    assert cut.code >= whole.code
    assert {rule for rule, _ in left - found} <= {LIMIT_EXCEEDED}


def test_what_lint_has_suppressed_is_no_new_finding(tmp_path: Path) -> None:
    entry = '[[suppress]]\nrule = "duplicate-item"\nreason = "agreed"\n'
    written(tmp_path / "manifestkit.toml", entry)
    assert rules_of(diff(tmp_path, TIMER, {**BASE, "permissions": ["host.timer"] * 2})) == []


def test_explain_and_rules_tell_of_change_rules(tmp_path: Path) -> None:
    explained = manifest_here("explain", "permission-added", cwd=tmp_path)
    assert explained.code == CLEAN
    before, after, todo = (
        explained.out.index(f"\n{each}\n") for each in ("Before", "After", "What to do")
    )
    assert before < after < todo
    for rule in change_rules():
        told = manifest_here("explain", rule).out
        assert ("*" in told.partition('pointer = "')[2]) is ("the accepted item" in told)
        # Of a change, no line of the new manifest is to be taken back.
        assert not re.search(r"^ +[-+] ", told[told.index("\nWhat to do\n") :], re.MULTILINE)
    listed = manifest_here("explain", cwd=tmp_path).out
    assert all(f"\n{rule} " in listed for rule in change_rules())
    asked = {"_MANIFEST_COMPLETE": "bash_complete", "COMP_CWORD": "3"}
    words = {"COMP_WORDS": "manifest diff --ignore permission-"}
    assert "permission-added" in manifest_here(cwd=tmp_path, env={**asked, **words}).out


NO_SECOND_TIMER: dict[str, Any] = {
    "$schema": "../rule.schema.json",
    "title": "An activity is called something long",
    "description": "Long names are cut on small screens.",
    "x-manifestkit": {
        "rule": "name-grew",
        "severity": "error",
        "message": "the name {new} is long",
        "help": "keep it short",
        "clause": "advice, not a requirement of the format",
        "bad": {"old": {}, "manifest": {}},
        "good": {"old": {}, "manifest": {}},
    },
    "given": "/changes/*",
    "then": {
        "not": {
            "properties": {
                "field": {"const": "/activities/*/name"},
                "new": {"minLength": 20},
            }
        }
    },
}


def test_a_file_in_the_folder_is_a_rule_with_no_python_edited(tmp_path: Path) -> None:
    package = package_in(tmp_path / "package")
    written(package / "schemas" / "changes" / "name-grew.schema.json", NO_SECOND_TIMER)
    new = {**BASE, "activities": [{"id": "box", "name": "A very long name indeed"}]}
    ours = {"PYTHONPATH": str(tmp_path / "package")}
    outcome = diff(tmp_path, BASE, new, **ours)
    assert outcome.code == FINDINGS
    assert "error name-grew the name `A very long name indeed` is long" in outcome.out
    assert diff(tmp_path, BASE, new).code == CLEAN
    assert "name-grew" in manifest("explain", cwd=tmp_path, env=ours).out
    assert "keep it short" in manifest("explain", "name-grew", cwd=tmp_path, env=ours).out
    assert diff(tmp_path, BASE, new, "--ignore", "name-grew", **ours).code == CLEAN


def test_the_change_document_is_as_its_own_schema_says(tmp_path: Path) -> None:
    schema = json.loads((SCHEMAS / "change-document.schema.json").read_text("utf-8"))
    closed = json.loads(json.dumps(schema).replace('"type": "object", "required"', '"required"'))
    closed["$id"] = "urn:test:closed"
    closed["properties"]["changes"]["items"]["additionalProperties"] = False
    closed["properties"]["version"]["additionalProperties"] = False
    closed["additionalProperties"] = False
    profile = written(tmp_path / "own.schema.json", closed)
    new = {**TIMER, "activities": [{"id": "x", "name": "Box breathing"}, {"id": "y", "name": "Y"}]}
    for one, two in ((BASE, new), (new, BASE), ({**BASE, "permissions": [1]}, new)):
        outcome = diff(tmp_path, one, two, "--profile", str(profile), "--output-format", "json")
        assert [each for each in json.loads(outcome.out)["findings"] if each["profile"]] == []
