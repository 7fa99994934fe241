"""`--write-baseline` draws a line; `--baseline` hides what was there before."""

from __future__ import annotations

import copy
import json
import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import command
import manifestkit
from command import CLEAN, FINDINGS, USAGE
from in_process import manifest_here
from judging import BASE, SCHEMAS, findings_of, lint, with_members, written
from manifestkit import Options
from manifests import CAPABILITIES, PERMISSIONS, Breakage, breakages
from report_cases import GOOD
from rows import rows
from test_suppressions import FAULTY, another_form

BASELINE_SCHEMA = json.loads((SCHEMAS / "baseline.schema.json").read_text("utf-8"))


def drawn(folder: Path, *names: str) -> Any:
    """The baseline of files in a folder, written by the command."""
    outcome = manifest_here("lint", *names, "--write-baseline", "known.json", cwd=folder)
    assert outcome.code == CLEAN, outcome.err
    return json.loads((folder / "known.json").read_text("utf-8"))


@pytest.fixture(scope="session")
def baseline_of_faulty(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The baseline of the faulty manifest, as text."""
    folder = tmp_path_factory.mktemp("drawn")
    written(folder / "manifest.json", FAULTY)
    return json.dumps(drawn(folder, "manifest.json"))


def test_a_baseline_is_one_by_its_own_schema(baseline_of_faulty: str) -> None:
    Draft202012Validator(BASELINE_SCHEMA).validate(json.loads(baseline_of_faulty))


def test_what_it_lists_is_hidden_and_counted(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", FAULTY)
    entries = drawn(tmp_path, "manifest.json")["entries"]
    outcome = lint("manifest.json", "--baseline", "known.json", cwd=tmp_path)
    assert (outcome.code, outcome.findings) == (CLEAN, [])
    assert json.loads(outcome.out)["summary"]["suppressed"] == len(entries) > 15


def test_what_is_hidden_is_counted_as_it_was_shown(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({**GOOD, "permissions": [1, 2]}))
    entries = drawn(tmp_path, "manifest.json")["entries"]
    shown = len(lint("manifest.json", cwd=tmp_path).findings)
    assert 0 < shown < len(entries)
    ended = manifest_here("lint", "manifest.json", "--baseline", "known.json", cwd=tmp_path)
    assert f"no problems found, {shown} suppressed" in ended.out + ended.err
    assert json.loads(lint("--baseline", "known.json", cwd=tmp_path).out)["summary"] == {
        "files": 1, "errors": 0, "warnings": 0, "info": 0, "suppressed": shown, "skipped": 0
    }  # fmt: skip


def test_what_is_new_is_shown(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", FAULTY)
    drawn(tmp_path, "manifest.json")
    changed = copy.deepcopy(FAULTY)
    changed["permissions"].insert(0, "host.microphone")
    written(tmp_path / "manifest.json", changed)
    outcome = lint("manifest.json", "--baseline", "known.json", cwd=tmp_path)
    assert [each["pointer"] for each in outcome.findings] == ["/permissions/0"]
    assert outcome.code == FINDINGS


def test_one_more_of_what_is_known_is_shown(tmp_path: Path) -> None:
    """ "an ordinal among equals": three of a kind are not hidden by an entry for two."""
    written(tmp_path / "manifest.json", with_members(permissions=["host.camera"] * 2))
    drawn(tmp_path, "manifest.json")
    written(tmp_path / "manifest.json", with_members(permissions=["host.camera"] * 3))
    outcome = lint("manifest.json", "--baseline", "known.json", cwd=tmp_path)
    assert sorted(each["rule"] for each in outcome.findings) == [
        "duplicate-item",
        "unknown-permission",
    ]


@given(text=another_form(FAULTY))
def test_a_baseline_survives_another_order_and_layout(baseline_of_faulty: str, text: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        file = written(Path(name) / "manifest.json", text.removeprefix("\ufeff"))
        known = written(Path(name) / "known.json", baseline_of_faulty)
        report = manifestkit.lint_paths([file], Options(baseline=known))
        assert [(each.rule, each.pointer, each.message) for each in report.findings] == []


@given(text=another_form(FAULTY))
def test_fingerprints_stay_and_none_is_that_of_another(baseline_of_faulty: str, text: str) -> None:
    entries = json.loads(baseline_of_faulty)["entries"]
    marks = [
        each.identity.fingerprint
        for each in manifestkit.lint(text.removeprefix("\ufeff"), "manifest.json").findings
        if each.identity is not None
    ]
    assert sorted(marks) == sorted(entry["fingerprint"] for entry in entries)
    assert len(set(marks)) == len(marks)


def with_shuffled_members(value: Any, chance: random.Random) -> Any:
    """The same with members, and no items, in another order."""
    if isinstance(value, list):
        return [with_shuffled_members(each, chance) for each in value]
    if not isinstance(value, dict):
        return value
    members = [(name, with_shuffled_members(each, chance)) for name, each in value.items()]
    return dict(chance.sample(members, len(members)))


LISTED = st.lists(st.sampled_from(PERMISSIONS + CAPABILITIES), max_size=2)
SWAPPED = st.fixed_dictionaries(
    {
        "permissions": st.lists(st.sampled_from(CAPABILITIES), max_size=2) | LISTED,
        "capabilities": st.lists(st.sampled_from(PERMISSIONS), max_size=2) | LISTED,
    }
)


@given(
    others=st.one_of(st.just({}), SWAPPED),
    breakage=st.sampled_from([None, *breakages(BASE)]),
    chance=st.randoms(use_true_random=False),
)
def test_the_order_of_members_changes_no_fingerprint(
    others: dict[str, Any], breakage: Breakage | None, chance: random.Random
) -> None:
    value = breakage.apply(BASE) if breakage else BASE
    value = {**value, **others} if isinstance(value, dict) else value
    before, after = (
        {each.identity for each in findings_of(manifest)}
        for manifest in (value, with_shuffled_members(value, chance))
    )
    assert after == before


def test_a_baseline_knows_each_item_of_swapped_lists(tmp_path: Path) -> None:
    swapped = {"permissions": ["context.getGoals"], "capabilities": ["host.timer"]}
    written(tmp_path / "manifest.json", with_members(**swapped))
    entries = drawn(tmp_path, "manifest.json")["entries"]
    assert [(entry["rule"], entry["pointer"]) for entry in entries] == [
        ("unknown-capability", "/capabilities/host.timer"),
        ("unknown-permission", "/permissions/context.getGoals"),
    ]
    others = {"permissions": ["activity.start"], "capabilities": ["host.timer"]}
    written(tmp_path / "manifest.json", with_members(**others))
    outcome = lint("manifest.json", "--baseline", "known.json", cwd=tmp_path)
    assert [(each["rule"], each["pointer"]) for each in outcome.findings] == [
        ("unused-suppression", "/entries/1"),
        ("unknown-permission", "/permissions/0"),
    ]


def test_an_entry_that_matches_nothing_is_told_with_its_place(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", with_members(permissions=["host.camera", "host.timers"]))
    drawn(tmp_path, "manifest.json")
    written(tmp_path / "manifest.json", with_members(permissions=["host.timers"]))
    outcome = lint("manifest.json", "--baseline", "known.json", cwd=tmp_path)
    (finding,) = outcome.findings
    assert (finding["rule"], finding["path"]) == ("unused-suppression", "known.json")
    assert finding["message"] == (
        "`unknown-permission` at `/permissions/host.camera` in manifest.json is no longer found"
    )
    line = (tmp_path / "known.json").read_text().splitlines()[finding["line"] - 1]
    assert line.strip() == "{"
    assert outcome.code == CLEAN


def test_an_entry_about_the_whole_manifest_names_no_place(tmp_path: Path) -> None:
    lacking = {name: each for name, each in BASE.items() if name != "permissions"}
    written(tmp_path / "manifest.json", lacking)
    drawn(tmp_path, "manifest.json")
    written(tmp_path / "manifest.json", BASE)
    (finding,) = lint("manifest.json", "--baseline", "known.json", cwd=tmp_path).findings
    assert finding["message"] == "`missing-field` in manifest.json is no longer found"


def test_an_entry_for_what_a_suppression_takes_too_is_not_told(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", with_members(permissions=["host.camera"]))
    drawn(tmp_path, "manifest.json")
    entry = '[[suppress]]\nrule = "unknown-permission"\nreason = "granted"\n'
    written(tmp_path / "manifestkit.toml", f'baseline = "known.json"\n{entry}')
    outcome = lint(cwd=tmp_path)
    assert (outcome.findings, json.loads(outcome.out)["summary"]["suppressed"]) == ([], 1)


def test_what_a_baseline_hides_is_shown_and_fixed_without_it(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", with_members(permissions=["host.timr"]))
    drawn(tmp_path, "manifest.json")
    written(tmp_path / "manifestkit.toml", 'baseline = "known.json"\n')
    hidden = manifest_here("lint", "--fix", cwd=tmp_path)
    without = hidden.err.rpartition(": ")[2].split()
    assert "0 fixed: no problems found, 1 suppressed\nnote: the baseline keeps" in hidden.err
    assert without == ["--baseline", "/dev/null"]
    (finding,) = lint(*without, cwd=tmp_path).findings
    assert finding["rule"] == "unknown-permission"
    fixed = manifest_here("lint", "--fix", "--unsafe-fixes", *without, cwd=tmp_path)
    assert "1 file checked, 1 fixed: no problems found\n" in fixed.err
    assert "the baseline keeps" not in manifest_here("lint", "--fix", cwd=tmp_path).err


def test_a_place_where_no_baseline_can_be_is_not_given_as_advice(tmp_path: Path) -> None:
    for option in ("--baseline", "--write-baseline"):
        (tmp_path / "folder").mkdir(exist_ok=True)
        written(tmp_path / "manifest.json", BASE)
        outcome = manifest_here("lint", option, "folder", cwd=tmp_path)
        assert (outcome.code, outcome.err) == (USAGE, "error: baseline folder: is a folder\n")


def test_entries_of_files_that_were_not_looked_at_are_left_alone(tmp_path: Path) -> None:
    for name in ("a.manifest.json", "b.manifest.json"):
        written(tmp_path / name, with_members(permissions=["host.camera"]))
    drawn(tmp_path, ".")
    outcome = lint("a.manifest.json", "--baseline", "known.json", cwd=tmp_path)
    assert outcome.findings == []


def test_an_entry_for_a_file_that_is_gone_is_reported(tmp_path: Path) -> None:
    faulty = with_members(permissions=["host.camera", "host.sound"])
    for name in ("a", "b", "c"):
        written(tmp_path / name / "manifest.json", faulty)
    written(tmp_path / "c" / "manifestkit.toml", "")
    drawn(tmp_path, ".")
    (tmp_path / "a" / "manifest.json").rename(tmp_path / "b" / "x.manifest.json")
    (tmp_path / "a").rmdir()
    for folder, number in ((".", 2), ("c", 0), ("b/manifest.json", 0)):
        outcome = lint(folder, "--baseline", "known.json", cwd=tmp_path)
        unused = [each for each in outcome.findings if each["rule"] == "unused-suppression"]
        assert len(unused) == number, folder
        gone = "in a/manifest.json is no longer found: the file is gone, or was moved"
        assert all(each["message"].endswith(gone) for each in unused)
        moved = "if it was moved to b/x.manifest.json, write that as its `path`; else remove"
        assert all(each["help"].startswith(moved) for each in unused)


def test_a_baseline_in_a_folder_that_is_missing_is_told_with_the_folder(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", FAULTY)
    outcome = manifest_here("lint", "--write-baseline", "ci/known.json", cwd=tmp_path)
    assert outcome.code == USAGE
    assert "the folder `ci` does not exist; create it first" in outcome.err


@rows(
    ("text", "options"),
    [
        ("{ broken", []),
        (json.dumps({"name": "an app", "start_url": "/", "icons": []}), ["--force-exclude"]),
        (json.dumps(FAULTY), ["--ignore", "wrong-type", "--ignore", "unknown-permission"]),
        (json.dumps(FAULTY), ["--config", "limits.toml"]),
    ],
    ids=["broken", "another format's", "ignored", "cut"],
)
def test_nothing_is_said_to_be_fixed_that_was_not_looked_for(
    text: str, options: list[str], tmp_path: Path
) -> None:
    written(tmp_path / "manifest.json", FAULTY)
    written(tmp_path / "other" / "manifest.json", FAULTY)
    written(tmp_path / "limits.toml", "[limits]\nfindings = 1\n")
    drawn(tmp_path, ".")
    (tmp_path / "manifest.json").write_text(text)
    outcome = lint(".", "--baseline", "known.json", *options, cwd=tmp_path)
    told = {each["rule"] for each in outcome.findings if each["path"] == "known.json"}
    assert told == set()


def test_paths_count_from_the_folder_of_the_baseline(tmp_path: Path) -> None:
    written(tmp_path / "app" / "manifest.json", with_members(permissions=["host.camera"]))
    (entry,) = drawn(tmp_path, ".")["entries"]
    assert entry["path"] == "app/manifest.json"
    for arguments, cwd in (
        (("manifest.json", "--baseline", "../known.json"), tmp_path / "app"),
        (("app", "--baseline", "known.json"), tmp_path),
        ((str(tmp_path / "app" / "manifest.json"), "--baseline", "known.json"), tmp_path),
    ):
        assert lint(*arguments, cwd=cwd).findings == [], arguments


def test_the_configuration_may_name_it(tmp_path: Path) -> None:
    written(tmp_path / "app" / "manifest.json", with_members(permissions=["host.camera"]))
    drawn(tmp_path, ".")
    written(tmp_path / "manifestkit.toml", 'baseline = "known.json"')
    assert lint("manifest.json", cwd=tmp_path / "app").findings == []
    isolated = lint("manifest.json", "--isolated", cwd=tmp_path / "app")
    assert [each["rule"] for each in isolated.findings] == ["unknown-permission"]


def test_one_that_the_configuration_names_is_told_by_its_path_from_here(tmp_path: Path) -> None:
    written(tmp_path / "manifestkit.toml", 'baseline = "ci/known.json"')
    written(tmp_path / "manifest.json", BASE)
    missing = manifest_here("lint", "manifest.json", cwd=tmp_path)
    assert missing.err.startswith("error: baseline ci/known.json: no such file; create one")
    fixed = {"path": "../manifest.json", "rule": "x", "pointer": "/x", "fingerprint": "0" * 16}
    written(tmp_path / "ci" / "known.json", {"version": 2, "entries": [fixed]})
    (finding,) = lint("manifest.json", cwd=tmp_path).findings
    assert (finding["rule"], finding["path"]) == ("unused-suppression", "ci/known.json")
    concise = manifest_here("lint", "manifest.json", "--output-format=concise", cwd=tmp_path)
    assert concise.out.startswith("ci/known.json:")


def test_a_baseline_drawn_again_with_itself_at_hand_is_the_same(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", FAULTY)
    written(tmp_path / "manifestkit.toml", 'baseline = "known.json"')
    written(tmp_path / "known.json", {"version": 2, "entries": []})
    first = drawn(tmp_path, "manifest.json")
    assert first["entries"]
    assert drawn(tmp_path, "manifest.json") == first


def test_what_keeps_a_file_from_being_judged_is_never_hidden(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", "{")
    drawn(tmp_path, "manifest.json")
    outcome = lint("manifest.json", "--baseline", "known.json", cwd=tmp_path)
    assert "syntax-error" in [each["rule"] for each in outcome.findings]
    assert outcome.code == FINDINGS


def test_an_entry_for_such_a_finding_hides_nothing_either(tmp_path: Path) -> None:
    (finding,) = manifestkit.lint("{", "manifest.json").findings
    assert finding.identity is not None
    mark = {"pointer": finding.identity.pointer, "fingerprint": finding.identity.fingerprint}
    entry = {"path": "manifest.json", "rule": "syntax-error", **mark}
    known = written(tmp_path / "known.json", {"version": 2, "entries": [entry]})
    file = written(tmp_path / "manifest.json", "{")
    report = manifestkit.lint_paths([file], Options(baseline=known, isolated=True))
    assert [each.rule for each in report.findings] == ["syntax-error"]
    assert report.fails


@rows(
    ("text", "place", "words"),
    [
        ('{"version": 1, "entries": []}', "1:13", "`version` is the number `1`, not `2`"),
        ('{"version": 2}', "1:1", "`entries`"),
        ('{"version": 2, "entries": [{"path": 1}]}', "1:28", "`rule`"),
        ('{"version": 2, "entries": [], "x": 1}', "1:36", "`x`"),
        ("[]", "1:1", "an object"),
        ("{", "1:1", "is never closed"),
    ],
)
def test_a_broken_baseline_is_an_error_with_its_place(
    text: str, place: str, words: str, tmp_path: Path
) -> None:
    written(tmp_path / "manifest.json", BASE)
    written(tmp_path / "known.json", text)
    outcome = manifest_here("lint", "manifest.json", "--baseline", "known.json", cwd=tmp_path)
    assert outcome.code == USAGE
    assert f"known.json:{place}: " in outcome.err
    assert words in outcome.err


def test_a_baseline_that_is_not_there_says_how_to_make_one(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", BASE)
    outcome = manifest_here("lint", "manifest.json", "--baseline", "gone.json", cwd=tmp_path)
    assert outcome.code == USAGE
    command = "manifest lint --write-baseline gone.json"
    assert f"gone.json: no such file; create one with `{command}`" in outcome.err


@rows("known", [None, {"version": 1, "entries": []}])
@rows(
    "arguments",
    [
        ["lint", "--write-baseline", "known.json"],
        ["lint", "--write-baseline", "other.json"],
        ["fmt"],
        ["new", "x.manifest.json", "--yes"],
        ["set", "/provider/version", "2.0.0"],
        ["explain", "wrong-type"],
    ],
)
def test_only_what_uses_the_configured_baseline_needs_it(
    arguments: list[str], known: object, tmp_path: Path
) -> None:
    written(tmp_path / "manifest.json", with_members(permissions=["host.camera"]))
    written(tmp_path / "manifestkit.toml", 'baseline = "known.json"')
    if known:
        written(tmp_path / "known.json", known)
    refused = manifest_here("lint", cwd=tmp_path)
    assert (refused.code, "this is not a baseline" in refused.err) == (USAGE, bool(known))
    is_replaced = known and "known.json" in arguments
    assert manifest_here(*arguments, cwd=tmp_path).code == (USAGE if is_replaced else CLEAN)


@pytest.mark.parametrize("other", [BASE, {"version": "1.0", "entries": []}])
def test_a_file_that_is_no_baseline_is_not_overwritten(tmp_path: Path, other: object) -> None:
    written(tmp_path / "manifest.json", BASE)
    file = written(tmp_path / "other.json", other)
    outcome = manifest_here("lint", "manifest.json", "--write-baseline", "other.json", cwd=tmp_path)
    assert outcome.code == USAGE
    assert json.loads(file.read_text()) == other


def test_what_cannot_be_in_a_baseline_is_said(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"schema_version": "1.0",,}', "utf-8")
    outcome = manifest_here("lint", "--write-baseline", "known.json", cwd=tmp_path)
    assert "note: 0 entries written to known.json" in outcome.err
    assert "findings cannot be in a baseline: the file cannot be checked" in outcome.err


def test_entries_that_a_new_baseline_lacks_are_counted(tmp_path: Path) -> None:
    for name in ("a.manifest.json", "b.manifest.json"):
        written(tmp_path / name, with_members(permissions=["host.camera"]))
    draw = ("lint", "--write-baseline", "known.json")
    assert manifest_here(*draw, cwd=tmp_path).err.startswith(
        "note: 2 entries written to known.json; "
    )
    assert manifest_here(*draw, cwd=tmp_path).err.startswith(
        "note: 2 entries written to known.json; "
    )
    less = manifest_here(*draw, "a.manifest.json", cwd=tmp_path)
    assert less.err.startswith("note: 1 entry written to known.json (and 1 removed); use it with")


@pytest.mark.parametrize("named", [["none"], ["gone"], ["manifest.json", "gone"], ["linked"]])
def test_a_run_that_could_not_check_what_was_named_empties_no_baseline(
    tmp_path: Path, named: list[str]
) -> None:
    for name in ("manifest.json", "none/other.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        written(tmp_path / name, FAULTY)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "manifest.json").symlink_to("../manifest.json")
    manifest_here("lint", "manifest.json", "--write-baseline=known.json", cwd=tmp_path)
    before = (tmp_path / "known.json").read_bytes()
    plain = manifest_here("lint", *named, cwd=tmp_path)
    outcome = manifest_here("lint", *named, "--write-baseline=known.json", cwd=tmp_path)
    assert (outcome.code, plain.code) == (USAGE, USAGE)
    assert (tmp_path / "known.json").read_bytes() == before
    assert "known.json is not written" in outcome.err
    reasons = [line for line in plain.err.splitlines() if line.startswith("error: ")]
    assert reasons
    assert {*reasons} <= {*outcome.err.splitlines()}


def test_what_was_known_of_a_file_that_cannot_be_judged_stays(tmp_path: Path) -> None:
    draw = ("lint", "manifest.json", "--write-baseline=known.json")
    written(tmp_path / "manifest.json", FAULTY)
    manifest_here(*draw, cwd=tmp_path)
    before = (tmp_path / "known.json").read_bytes()
    (tmp_path / "manifest.json").write_text(json.dumps(FAULTY) + "]", "utf-8")
    manifest_here(*draw, cwd=tmp_path)
    assert (tmp_path / "known.json").read_bytes() == before


def test_a_baseline_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", BASE)
    outcome = manifest_here(
        "lint", "manifest.json", "--write-baseline", "no/known.json", cwd=tmp_path
    )
    assert outcome.code == USAGE
    assert "no/known.json: the baseline cannot be written" in outcome.err


def test_what_came_on_standard_input_is_known_wherever_the_baseline_stands(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    text = json.dumps(FAULTY).encode()
    draw = ("lint", "-", "--write-baseline", "sub/known.json")
    assert command.manifest(*draw, cwd=tmp_path, stdin=text).code == CLEAN
    hide = ("lint", "-", "--baseline", "sub/known.json")
    outcome = command.manifest(*hide, cwd=tmp_path, stdin=text)
    assert (outcome.code, outcome.out) == (CLEAN, "")


def _of_name(*demands: Any) -> dict[str, Any]:
    return {"properties": {"provider": {"properties": {"name": {"allOf": [*demands]}}}}}


def _counted(member: str) -> dict[str, Any]:
    return {"properties": {"activities": {"contains": {"required": [member]}, "minContains": 1}}}


_NAME_FORM = {"x-manifestkit": {"rule": "name-form"}}
_NAMES = [{"provider": {**BASE["provider"], "name": each}} for each in ("A", "Zoo")]
_MEMBERS = [
    {"activities": [{"id": "box", "name": "Box", each: value}]}
    for each, value in (("surfaces", ["phone"]), ("category", "calm"))
]


@rows("option", ["--profile", "--schema"])
@rows(
    ("requirements", "manifests"),
    [
        (_of_name({"pattern": "^Z"}, {"pattern": "^.$"}), _NAMES),
        (_of_name({"pattern": "^Z", **_NAME_FORM}, {"maxLength": 1, **_NAME_FORM}), _NAMES),
        (
            _of_name(*({"if": {"pattern": each}, "then": False} for each in ("^A", "^Z"))),
            _NAMES,
        ),
        (
            _of_name(
                *({"if": {"pattern": each}, "then": {"not": {"minLength": 1}}} for each in "AZ")
            ),
            _NAMES,
        ),
        ({"allOf": [_counted("category"), _counted("surfaces")]}, _MEMBERS),
    ],
)
def test_a_baseline_tells_two_requirements_of_one_rule_apart(
    tmp_path: Path, option: str, requirements: Any, manifests: list[dict[str, Any]]
) -> None:
    required = f"{option}={written(tmp_path / 'host.json', {'type': 'object', **requirements})}"
    first, second = (with_members(**each) for each in manifests)
    file = written(tmp_path / "manifest.json", first)
    lint(file, required, "--write-baseline=known.json", cwd=tmp_path)
    assert lint(file, required, "--baseline=known.json", cwd=tmp_path).code == CLEAN
    written(file, second)
    assert lint(file, required, "--baseline=known.json", cwd=tmp_path).code == FINDINGS


_OWN = {"$ref": "#/$defs/own"}


@rows(
    ("demand", "own"),
    [
        ({"anyOf": [_OWN]}, [{"required": ["support"]}, {"required": ["privacy"]}]),
        ({"oneOf": [_OWN]}, [{"required": ["support"]}, {"required": ["privacy"]}]),
        ({"not": _OWN}, [{"required": ["provider"]}, {"required": ["runtime"]}]),
        ({"if": _OWN, "then": False}, [{"required": ["provider"]}, {"required": ["runtime"]}]),
        ({"propertyNames": _OWN}, [{"maxLength": 3}, {"maxLength": 4}]),
        (
            {"properties": {"permissions": {"contains": _OWN}}},
            [{"const": "context.goals"}, {"const": "profile.basic"}],
        ),
        (
            {"anyOf": [{"allOf": [{"$ref": "#/$defs/around"}]}]},
            [{"required": ["support"]}, {"required": ["privacy"]}],
        ),
    ],
    ids=lambda each: next(iter(each)) if isinstance(each, dict) else "",
)
def test_what_a_reference_leads_to_tells_two_requirements_apart(
    tmp_path: Path, demand: dict[str, Any], own: list[Any]
) -> None:
    file = written(tmp_path / "manifest.json", BASE)
    one, two = (
        written(
            tmp_path / f"{name}.json",
            {**demand, "$defs": {"own": each, "around": {"anyOf": [_OWN]}}},
        )
        for name, each in zip(("one", "two"), own, strict=True)
    )
    lint(file, f"--profile={one}", "--write-baseline=known.json", cwd=tmp_path)
    known = "--baseline=known.json"
    assert lint(file, f"--profile={one}", known, cwd=tmp_path).code == CLEAN
    assert lint(file, f"--profile={two}", known, cwd=tmp_path).code == FINDINGS
    alone, others, both = (
        manifestkit.lint_paths(file, Options(profiles=each)).findings
        for each in ((one,), (two,), (one, two))
    )
    assert len(both) == len(alone) + len(others)


def test_one_of_standard_input_is_by_the_configuration_of_its_folder(tmp_path: Path) -> None:
    written(tmp_path / "in" / "manifestkit.toml", 'ignore = ["version-form"]\n')
    text = json.dumps({**BASE, "provider": {**BASE["provider"], "version": "v1"}})
    draw = ("lint", "-", "--stdin-filename=in/m.json", "--write-baseline=known.json")
    assert manifest_here(*draw, cwd=tmp_path, stdin=text.encode()).code == CLEAN
    assert json.loads((tmp_path / "known.json").read_text("utf-8"))["entries"] == []
