"""`manifest diff`: its output formats, its exit codes, its page."""

from __future__ import annotations

import json
import re
import tempfile
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import manifestkit
from changing import BASE, REPOSITORY, SCHEMAS
from checkout import make_repository
from command import CLEAN, FINDINGS, USAGE, Outcome
from in_process import manifest_here
from manifestkit.rendering import FORMATS
from manifestkit.rules.catalogue import catalogue, change_rules
from readers import parsed_xml

PAGE = (REPOSITORY / "docs" / "changes.md").read_text("utf-8")
REPORT = Draft202012Validator(json.loads((SCHEMAS / "lint-report.schema.json").read_text("utf-8")))
TIMER = {**BASE, "permissions": ["host.timer"]}


def written(path: Path, contents: Any) -> Path:
    text = contents if isinstance(contents, str) else json.dumps(contents, indent=2)
    path.write_text(text, "utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with manifests, and with what is none."""
    written(tmp_path / "old.json", BASE)
    written(tmp_path / "same.json", BASE)
    written(tmp_path / "new.json", TIMER)
    written(tmp_path / "broken.json", '{"schema_version": ')
    (tmp_path / "binary.json").write_bytes(b"\x00\xff\xfe" * 50)
    (tmp_path / "folder.json").mkdir()
    return tmp_path


def diff(folder: Path, *arguments: str) -> Outcome:
    with chdir(folder):
        return manifest_here("diff", *arguments)


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_tells_a_change_and_is_whole_without_one(form: str, folder: Path) -> None:
    told = diff(folder, "old.json", "new.json", "--output-format", form)
    assert told.code == FINDINGS
    assert "permission-added" in told.out
    assert "new.json" in told.out
    same = diff(folder, "old.json", "same.json", "--output-format", form)
    assert same.code == CLEAN
    assert "permission-added" not in _without_descriptions(form, same.out)
    if form in {"json", "sarif", "gitlab"}:
        json.loads(same.out)
    if form == "junit":
        parsed_xml(same.out)


def test_one_of_the_two_can_come_on_standard_input(folder: Path) -> None:
    old, new = ((folder / name).read_bytes() for name in ("old.json", "new.json"))
    plain = diff(folder, "old.json", "new.json")
    piped_old = manifest_here("diff", "-", "new.json", cwd=folder, stdin=old)
    piped_new = manifest_here("diff", "old.json", "-", cwd=folder, stdin=new)
    assert (plain.code, plain.err) == (piped_old.code, piped_old.err)
    assert piped_old.out == plain.out
    assert piped_new.out == plain.out.replace("new.json:", "<stdin>:")
    refused = manifest_here("diff", "-", "-", cwd=folder, stdin=old)
    assert refused.code == USAGE
    assert "only one of OLD and NEW" in refused.err


@pytest.mark.parametrize("names", [("-", "new.yaml"), ("old.yaml", "-")])
def test_standard_input_has_the_syntax_of_the_other(names: tuple[str, str], folder: Path) -> None:
    old, new = (
        "".join(f"{name}: {json.dumps(value)}\n" for name, value in each.items())
        for each in (BASE, TIMER)
    )
    written(folder / "old.yaml", old)
    written(folder / "new.yaml", new)
    piped = old if names[0] == "-" else new
    told = manifest_here("diff", *names, cwd=folder, stdin=piped.encode())
    assert "permission-added" in told.out


def _without_descriptions(form: str, text: str) -> str:
    return json.dumps(json.loads(text)["runs"][0]["results"]) if form == "sarif" else text


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("old", ["gone.json", "broken.json", "binary.json", "folder.json"])
def test_what_is_not_compared_never_reads_as_nothing_changed(
    form: str, old: str, folder: Path
) -> None:
    for pair in ((old, "new.json"), ("old.json", old)):
        outcome = diff(folder, *pair, "--output-format", form)
        assert outcome.code == USAGE
        assert "not-compared" in outcome.out
        assert form == "sarif" or "unreadable-file" not in outcome.out  # it is told once
        is_told_there = form in ("full", "concise")  # and not once more
        assert (f"error: {old}: " in outcome.err) is not is_told_there
        assert "Not checked" not in outcome.out
        for text in (outcome.out, outcome.err):
            assert "nothing changed" not in text
        silent = diff(
            folder, *pair, "--output-format", form, "--select", "permission-added", "-q",
            "--ignore=not-compared",
        )  # fmt: skip
        assert silent.code == USAGE
        assert (silent.out, "not-compared" in silent.out) != ("", False) or silent.err


def test_what_cannot_be_compared_is_told_with_the_place(folder: Path) -> None:
    written(folder / "broken.json", '{"a": [1,\n2 3]}')
    for pair in (("broken.json", "new.json"), ("old.json", "broken.json")):
        (found,) = json.loads(diff(folder, *pair, "--output-format", "json").out)["findings"]
        assert (found["path"], found["line"]) == (pair[1], 1)
        assert found["message"].startswith("broken.json: cannot be read: ")
        assert found["message"].endswith("(line 2, column 2)")


NO_CONTEXT = {"properties": {"new": {"not": {"const": "context.goals"}}}}
HOOKS = {
    each["id"]: each["entry"].split()[1:]
    for each in yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text("utf-8"))
}


def _told_by(command: list[str], folder: Path) -> list[tuple[str, str]]:
    """What a command tells, but for what `diff` tells of lint, which is by the selection."""
    with chdir(folder):
        outcome = manifest_here(*command, "--output-format=json")
    findings = json.loads(outcome.out)["findings"]
    of_lint = {"new-finding", "finding-fixed"}
    return [(each["rule"], each["severity"]) for each in findings if each["rule"] not in of_lint]


@pytest.mark.parametrize("how", ["configuration", "pyproject", "extended"])
@pytest.mark.parametrize(
    ("command", "others"),
    [
        (["lint", "new.json"], ["permission-added"]),
        (HOOKS["manifest-lint"] + ["new.json"], ["no-context"]),
        (["diff", "old.json", "new.json"], ["wrong-type"]),
        (["diff", "old.json", "new.json"], ["schema-keyword", "unknown-permission"]),
        (HOOKS["manifest-diff"] + ["new.json"], ["wrong-type"]),
    ],
    ids=str,
)
def test_a_configured_selection_of_rules_of_the_other_kind_takes_none_away(
    command: list[str], others: list[str], how: str, folder: Path
) -> None:
    """Else one line turns the gate for permissions off, and another one lint."""
    new = {**BASE, "schema_version": 1, "permissions": ["context.goals", "host.camera"]}
    of_host = {**NO_CONTEXT, "x-manifestkit": {"rule": "no-context"}}
    plain = {"properties": {"new": {"not": {"const": "host.camera"}}}}
    rules = {"properties": {"changes": {"items": {"allOf": [of_host, plain]}}}}
    written(folder / "changes.json", rules)
    written(folder / "new.json", BASE)
    make_repository(folder)
    written(folder / "new.json", new)
    file = "pyproject.toml" if how == "pyproject" else "manifestkit.toml"
    head = "[tool.manifestkit]\n" if how == "pyproject" else ""
    profile = 'change-profile = ["changes.json"]\n'
    written(folder / file, f"{head}{profile}")
    before = _told_by(command, folder)
    assert len(before) > 1
    selected = f"select = {json.dumps(others)}\n"
    if how == "extended":
        written(folder / "company.toml", selected)
        selected = 'extend = "company.toml"\n'
    written(folder / file, f"{head}{profile}{selected}")
    assert _told_by(command, folder) == before


_OF_RUNS = {"crash", "unreadable-file"}  # nobody selects what is always reported


@settings(max_examples=40)
@given(st.data())
def test_no_selection_of_one_kind_takes_a_rule_of_the_other_away(data: st.DataObject) -> None:
    command = data.draw(st.sampled_from([["lint", "new.json"], ["diff", "old.json", "new.json"]]))
    others = change_rules() if command[0] == "lint" else catalogue()
    select = data.draw(
        st.lists(st.sampled_from(sorted(others.keys() - _OF_RUNS)), min_size=1, max_size=4)
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written(folder / "old.json", BASE)
        written(folder / "new.json", {**TIMER, "schema_version": 1})
        before = _told_by(command, folder)
        written(folder / "manifestkit.toml", f"select = {json.dumps(select)}")
        after = _told_by(command, folder)
    assert before == after != []


def test_an_approval_that_has_expired_is_told(folder: Path) -> None:
    entry = '[[suppress]]\nrule = "permission-added"\nreason = "agreed"\nexpires = 2020-01-01\n'
    written(folder / "manifestkit.toml", entry)
    outcome = diff(folder, "old.json", "new.json")
    assert outcome.code == FINDINGS
    assert "error permission-added " in outcome.out
    assert "manifestkit.toml:1:1: warning expired-suppression " in outcome.out
    unused = entry.replace("2020", "9999").replace("permission-added", "capability-removed")
    written(folder / "manifestkit.toml", unused)
    assert "suppression" not in diff(folder, "old.json", "new.json").out


@pytest.mark.parametrize("fail_on", ["error", "warning"])
def test_an_approval_is_nothing_to_say_once_its_change_is_merged(
    fail_on: str, folder: Path
) -> None:
    """Else each approval fails a later build, of somebody who changed nothing."""
    entry = '[[suppress]]\nrule = "permission-added"\nreason = "agreed"\nexpires = 2020-01-01\n'
    written(folder / "manifestkit.toml", entry)
    for command in (["lint", "new.json"], ["diff", "new.json", "new.json"], ["lint"]):
        written(folder / "manifest.json", TIMER)
        with chdir(folder):
            outcome = manifest_here(*command, "--fail-on", fail_on)
        assert (outcome.code, outcome.out) == (CLEAN, ""), command
    told = diff(folder, "old.json", "new.json", "--output-format=json")
    assert "expired-suppression" in {each["rule"] for each in json.loads(told.out)["findings"]}


@pytest.mark.parametrize("quiet", [False, True])
def test_what_is_skipped_is_named_with_its_kind_unless_it_is_unchanged(
    folder: Path, *, quiet: bool
) -> None:
    foreign = {"manifest_version": 3, "name": "x", "version": "1.0"}
    written(folder / "same.manifest.json", foreign)
    make_repository(folder)
    written(folder / "manifest.json", foreign)
    outcome = diff(folder, "--base", "HEAD", *["--quiet"] * quiet)
    assert outcome.code == CLEAN
    skipped = "note: manifest.json: skipped, it is a browser extension's manifest\n"
    assert (skipped in outcome.err) is not quiet
    assert "same.manifest.json" not in outcome.err


def test_what_is_not_there_is_told_in_few_words(folder: Path) -> None:
    outcome = diff(folder, "old.json", "gone.json")
    assert outcome.out == (
        "gone.json:1:1: error not-compared gone.json: no such file; make sure that it can be read\n"
    )
    assert outcome.err == "0 manifests compared, 1 not compared: 1 error\n"
    to_file = diff(folder, "old.json", "gone.json", "--output-format", "concise=found.txt")
    assert to_file.err.startswith("error: gone.json: no such file\n")


@pytest.mark.parametrize(
    ("paths", "ref"),
    [
        (["new.json"], "HEAD new.json"),
        (["HEAD"], "HEAD"),
        (["main...HEAD"], "main..."),
        ([], "HEAD"),
    ],
)
def test_a_revision_in_place_of_a_file_is_told_the_option(
    paths: list[str], ref: str, folder: Path
) -> None:
    outcome = diff(folder, *paths)
    assert outcome.code == USAGE
    do = f"to compare with a revision in git, write `manifest diff --base {ref}`\n"
    assert outcome.err.endswith(do)


@pytest.mark.parametrize(
    ("paths", "base"),
    [(["main", "topic"], "main"), (["main..topic"], "main"), (["main...topic"], "main...")],
)
def test_two_revisions_are_compared_where_the_second_is_checked_out(
    paths: list[str], base: str, folder: Path
) -> None:
    outcome = diff(folder, *paths)
    do = f"write `manifest diff --base {base}`, after `git switch --detach topic`\n"
    assert (outcome.code, outcome.err.endswith(do)) == (USAGE, True)


@pytest.mark.parametrize("depth", [150, 240, 900, 3_000])
@pytest.mark.parametrize("schema", ["ours", "one that goes on for ever"])
def test_a_deep_manifest_is_compared_or_said_not_to_be(
    depth: int, schema: str, folder: Path
) -> None:
    """By a schema that describes each level, and by one that describes none."""
    written(folder / "manifestkit.toml", "[limits]\ndepth = 5000\n")
    options = ["--output-format", "json"]
    if schema != "ours":
        written(folder / "own.schema.json", {"properties": {"x": {"$ref": "#"}}})
        options += ["--schema", "own.schema.json"]
    for name, end in (("old.json", "1"), ("new.json", "2")):
        deep = '{"x": ' * depth + end + "}" * depth
        written(folder / name, deep)
    outcome = diff(folder, "old.json", "new.json", *options)
    form = json.loads(outcome.out)
    if depth < 250:
        assert len(form["changes"]) == 1
    else:
        assert outcome.code == USAGE
        assert "levels deep" in form["errors"][0]["message"]


def test_not_compared_cannot_be_turned_off(folder: Path) -> None:
    outcome = diff(folder, "gone.json", "new.json", "--severity", "not-compared=off")
    assert outcome.code == USAGE
    assert "always reported" in outcome.err


def test_the_json_form_is_as_its_schema_says(folder: Path) -> None:
    for old, new in (("old.json", "new.json"), ("new.json", "old.json"), ("gone.json", "new.json")):
        form = json.loads(diff(folder, old, new, "--output-format", "json").out)
        assert [error.message for error in REPORT.iter_errors(form)] == []
    (change,) = json.loads(diff(folder, "old.json", "new.json", "--output-format=json").out)[
        "changes"
    ]
    assert change == {
        "path": "new.json",
        "kind": "added",
        "field": "/permissions/*",
        "new": "host.timer",
        "meaning": "use the host's timer or alarm",
        "old_pointer": None,
        "new_pointer": "/permissions/0",
    }


def test_lint_has_no_changes_in_its_json_form(folder: Path) -> None:
    linted = manifest_here("lint", "old.json", "--output-format", "json", cwd=folder)
    assert "changes" not in json.loads(linted.out)


def test_what_is_no_manifest_any_more_has_the_finding_that_lint_has(folder: Path) -> None:
    written(folder / "new.json", {"manifest_version": 3, "name": "ext", "version": "1"})
    linted = manifest_here("lint", "new.json", "--output-format=json", cwd=folder)
    rules = [each["rule"] for each in json.loads(linted.out)["findings"]]
    found = json.loads(diff(folder, "old.json", "new.json", "--output-format=json").out)["findings"]
    told = [each["message"] for each in found if each["rule"] == "new-finding"]
    assert len(told) == len(rules)
    assert all(f"`{rule}`" in message for rule, message in zip(rules, told, strict=True))


def test_an_invalid_old_manifest_is_compared_and_said_so(folder: Path) -> None:
    written(folder / "old.json", {**BASE, "permissions": ["host.camera"]})
    outcome = diff(folder, "old.json", "new.json")
    assert outcome.code == FINDINGS
    assert "info old-is-invalid the old manifest `old.json` is invalid (errors: 1)" in outcome.out
    assert "asks for a new permission, `host.timer`" in outcome.out


def test_a_comment_for_a_pull_request_is_never_too_long(folder: Path) -> None:
    many = [{"id": f"a{index}", "name": "N" * 500} for index in range(2_000)]
    written(folder / "new.json", {**BASE, "activities": many})
    outcome = diff(folder, "old.json", "new.json", "--output-format", "markdown")
    assert len(outcome.out) < 65_536
    assert "`manifest diff` shows them all" in outcome.out


@pytest.mark.parametrize(
    "arguments",
    [(), ("old.json",), ("old.json", "new.json", "same.json")],
    ids=lambda each: " ".join(each) or "nothing",
)
def test_wrong_usage_is_told(arguments: tuple[str, ...], folder: Path) -> None:
    outcome = diff(folder, *arguments)
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert "Usage: manifest diff" in outcome.err


def test_an_output_takes_the_place_of_no_manifest(folder: Path) -> None:
    outcome = diff(folder, "old.json", "new.json", "--output-format", "json=old.json")
    assert outcome.code == USAGE
    assert json.loads((folder / "old.json").read_text("utf-8")) == BASE


def test_help_has_examples_and_exit_codes(folder: Path) -> None:
    text = diff(folder, "--help").out
    assert "manifest diff --base main" in text
    assert "Exit codes:" in text
    for option in ("--output-format", "--fail-on", "--select", "--profile", "--base"):
        assert option in text


def test_hostile_values_act_on_nobody(folder: Path) -> None:
    text = "\x1b[31m\n::error::x {new} {meaning!s} <script> @all [a](b) \u202e"
    written(folder / "new.json", {**BASE, text: text, "permissions": [text]})
    for form in FORMATS:
        outcome = diff(folder, "old.json", "new.json", "--output-format", form)
        assert outcome.code == FINDINGS
        assert "\x1b" not in outcome.out
        assert "\u202e" not in outcome.out
        assert not re.search(r"^::error::x", outcome.out, re.MULTILINE)


def test_from_python_it_is_one_call() -> None:
    result = manifestkit.diff(json.dumps(BASE), json.dumps(TIMER))
    assert [(each.kind, each.field, each.new) for each in result.changes or ()] == [
        ("added", "/permissions/*", "host.timer")
    ]
    assert result.fails
    with pytest.raises(manifestkit.UnreadableFileError):
        manifestkit.diff("{", json.dumps(TIMER))


# -- the page ----------------------------------------------------------------------------------

SESSIONS = [
    each.removeprefix("$ ").split("\n", 1)
    for each in re.findall(r"^```console\n((?:.*\n)*?)```$", PAGE, re.MULTILINE)
]
(PROFILE,) = re.findall(
    r"^```yaml\n# host-changes.schema.yaml\n((?:.*\n)*?)```$", PAGE, re.MULTILINE
)


def test_the_page_shows_what_happens(tmp_path: Path) -> None:
    written(tmp_path / "host-changes.schema.yaml", PROFILE)
    written(tmp_path / "old.json", _spread(BASE))
    for (command, shown), permissions, version in zip(
        SESSIONS, (["host.timer"], ["context.goals"]), ("1.0.0", "1.1.0"), strict=True
    ):
        provider = {**BASE["provider"], "version": version}
        new = {**BASE, "provider": provider, "permissions": permissions}
        written(tmp_path / "manifest.json", _spread(new))
        outcome = manifest_here(*command.split()[1:], cwd=tmp_path)
        assert outcome.out + outcome.err == shown


def _spread(value: Any) -> str:
    """A manifest in the form of `manifest fmt`, with short lists on one line."""
    text = json.dumps(value, indent=2)
    return re.sub(r"\[\s+(\"[^\]]*\")\s+\]|\[\s+\{\s+([^}]*?)\s+\}\s+\]", _on_one_line, text)


def _on_one_line(found: re.Match[str]) -> str:
    return " ".join(found[0].split())


@pytest.mark.parametrize(
    ("permission", "version", "is_told"),
    [
        ("context.goals", "1.1.0", True),
        ("context.goals", "2.0.0", False),
        ("context.goals", "1.0.0", True),
        ("context.goals", "spring", True),
        ("host.timer", "1.1.0", False),
    ],
)
@pytest.mark.parametrize("how", ["option", "configuration"])
def test_the_hosts_own_demand_of_the_page_holds(
    how: str, permission: str, version: str, is_told: bool, folder: Path
) -> None:
    profile = written(folder / "host-changes.schema.yaml", PROFILE)
    provider = {**BASE["provider"], "version": version}
    written(folder / "new.json", {**BASE, "provider": provider, "permissions": [permission]})
    options = ["--profile", profile.name]
    if how == "configuration":
        written(folder / "manifestkit.toml", f'change-profile = ["{profile.name}"]\n')
        options = []
    outcome = diff(folder, "old.json", "new.json", *options, "--output-format", "json")
    told = [each for each in json.loads(outcome.out)["findings"] if each["profile"]]
    assert [each["rule"] for each in told] == ["context-needs-major"] * is_told
    for each in told:
        assert each["message"] == f"adds `{permission}` without a major version bump"
        assert each["pointer"] == "/permissions/0"
    assert manifest_here("lint", "old.json", cwd=folder).code == CLEAN


@pytest.mark.parametrize("how", ["option", "configuration"])
@pytest.mark.parametrize("name", ["new/manifest.json", "new/box.manifest.yaml"])
@pytest.mark.parametrize("others", [[], [TIMER]], ids=["alone", "beside another"])
def test_the_demand_of_the_page_holds_for_each_permission_of_a_new_manifest(
    others: list[Any], name: str, how: str, tmp_path: Path
) -> None:
    """Else a second manifest is the way round the profile."""
    profile = written(tmp_path / "host-changes.schema.yaml", PROFILE)
    for index, other in enumerate(others):
        written(tmp_path / f"{index}.manifest.json", other)
    make_repository(tmp_path)
    options = ["--profile", profile.name]
    if how == "configuration":
        written(tmp_path / "manifestkit.toml", f'change-profile = ["{profile.name}"]\n')
        options = []
    (tmp_path / "new").mkdir()
    new = {**BASE, "permissions": ["host.timer", "context.goals", "context.library"]}
    written(tmp_path / name, json.dumps(new))
    outcome = diff(tmp_path, "--base", "HEAD", *options, "--output-format", "json")
    told = [each for each in json.loads(outcome.out)["findings"] if each["profile"]]
    assert outcome.code == FINDINGS
    assert [(each["pointer"], each["message"]) for each in told] == [
        (
            f"/permissions/{index}",
            f"adds `{new['permissions'][index]}` without a major version bump",
        )
        for index in (1, 2)
    ]
    written(tmp_path / name, json.dumps(TIMER))
    assert diff(tmp_path, "--base", "HEAD", *options).code == CLEAN


def test_a_configured_rule_about_changes_is_listed_explained_and_let_be_by_lint(
    folder: Path,
) -> None:
    written(folder / "host-changes.schema.yaml", PROFILE)
    settings = 'change-profile = ["host-changes.schema.yaml"]\n[severity]\n'
    written(folder / "manifestkit.toml", f'{settings}context-needs-major = "warning"\n')
    assert "\ncontext-needs-major " in manifest_here("explain", cwd=folder).out
    assert (
        "without a major version bump"
        in manifest_here("explain", "context-needs-major", cwd=folder).out
    )
    told = manifest_here("explain", "context-needs-major", cwd=folder).out
    assert ("legacy/**" in told, "expires = " in told) == (False, True)
    assert manifest_here("lint", "old.json", cwd=folder).code == CLEAN
    written(folder / "new.json", {**BASE, "permissions": ["context.goals"]})
    assert "warning context-needs-major" in diff(folder, "old.json", "new.json").out


def test_a_hosts_rule_that_is_off_says_something_only_where_it_is_turned_on(folder: Path) -> None:
    off = {"rule": "host-change", "severity": "off", "message": "{field} changed"}
    changed = {"properties": {"kind": {"not": {"const": "changed"}}}, "x-manifestkit": off}
    written(folder / "off.json", {"properties": {"changes": {"items": changed}}})
    written(folder / "new.json", {**BASE, "provider": {**BASE["provider"], "name": "Other"}})
    arguments = ("old.json", "new.json", "--profile", "off.json")
    assert "host-change" not in diff(folder, *arguments).out
    assert "host-change" in diff(folder, *arguments, "--severity", "host-change=error").out
