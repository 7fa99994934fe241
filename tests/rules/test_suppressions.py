"""Findings to live with: suppressions with reason and expiry, and what they silence."""

from __future__ import annotations

import json
import random
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import manifestkit
from command import CLEAN, FINDINGS, USAGE
from in_process import manifest_here
from judging import BASE, lint, with_members, written
from manifestkit import ConfigurationError, Options, Report
from report_cases import GOOD
from rows import rows

BAD = with_members(permissions=["host.camera", "host.timer"])


def table(**entry: Any) -> str:
    """A configuration with one suppression, with a reason."""
    entry = {"rule": "unknown-permission", "reason": "the host grants it", **entry}
    lines = (
        f"{name} = {value.isoformat() if isinstance(value, date) else json.dumps(value)}\n"
        for name, value in entry.items()
    )
    return "[[suppress]]\n" + "".join(lines)


def report_with(
    folder: Path, configuration: str, value: Any, name: str = "manifest.json"
) -> Report:
    written(folder / "manifestkit.toml", configuration)
    written(folder / name, value)
    return manifestkit.lint_paths([folder])


def told(report: Report) -> list[str]:
    return [each.rule for each in report.findings]


def test_a_suppressed_finding_is_counted_and_not_shown(tmp_path: Path) -> None:
    report = report_with(tmp_path, table(), BAD)
    assert (report.findings, report.fails) == ((), False)
    assert report.summary.suppressed == 1
    ((suppressed,),) = (each.suppressed for each in report.results if each.suppressed)
    assert suppressed.finding.rule == "unknown-permission"
    assert (suppressed.by, suppressed.reason) == ("configuration", "the host grants it")


def test_an_entry_for_what_is_no_pointer_has_no_effect(tmp_path: Path) -> None:
    report = report_with(tmp_path, table(pointer="/permissions/~2"), BAD)
    assert told(report) == ["unknown-permission", "unused-suppression"]


def test_entries_in_an_array_count_as_tables_do(tmp_path: Path) -> None:
    entries = [
        'rule = "misspelt-field", reason = "x"',
        'rule = "unknown-permission", reason = "never"',
        'rule = "empty-text", reason = "old", expires = 2020-01-01',
        'rule = "wrong-type", reason = "old", expires = 2020-01-01',
    ]
    tables = "".join("[[suppress]]\n{}\n".format(each.replace(", ", "\n")) for each in entries)
    array = "suppress = [{}]\n".format(", ".join(f"{{ {each} }}" for each in entries))
    found = [told(report_with(tmp_path, form, BAD)) for form in (tables, array)]
    assert sorted(found[0]) == sorted(found[1])
    assert len(found[0]) == 3


def test_a_path_means_the_same_file_from_wherever_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    written(tmp_path / "a" / "manifest.json", BAD)
    written(tmp_path / "manifestkit.toml", table(path="/a/manifest.json"))
    for name in ("../a/manifest.json", "../b/../a"):
        outcome = manifest_here("lint", name, cwd=tmp_path / "b")
        assert (outcome.code, outcome.out) == (CLEAN, ""), name


@pytest.mark.parametrize(("searched", "is_told"), [("../a", True), (".", False)])
def test_an_unused_suppression_is_told_if_its_whole_folder_is_searched(
    tmp_path: Path, searched: str, *, is_told: bool
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        written(tmp_path / name / "manifest.json", BASE)
    configuration = tmp_path / "a" / "own.toml" if is_told else tmp_path / "own.toml"
    written(configuration, table())
    named = f"--config=../{configuration.relative_to(tmp_path).as_posix()}"
    outcome = manifest_here("lint", searched, named, cwd=tmp_path / "b")
    assert ("unused-suppression" in outcome.out) is is_told


@rows(
    ("pointer", "silences"),
    [
        ("/permissions/0", True),
        ("/permissions/host.camera", True),
        ("/permissions/*", True),
        ("/*/0", True),
        ("/*/*", True),
        ("/perm*/host.*", True),
        ("/permissions/1", False),
        ("/permissions", False),
        ("/permissions/0/x", False),
        ("/*", False),
        ("/permissions/host?camera", False),
        ("/permissions/host.c", False),
        ("", False),
    ],
)
def test_a_pointer_says_which_place_is_meant(pointer: str, silences: bool, tmp_path: Path) -> None:
    report = report_with(tmp_path, table(pointer=pointer), BAD)
    assert told(report) == ([] if silences else ["unknown-permission", "unused-suppression"])


@rows(
    ("pattern", "silences"),
    [
        ("legacy/**", True),
        ("legacy/", True),
        ("*.manifest.json", True),
        ("legacy/a.manifest.json", True),
        ("/legacy", True),
        ("other/**", False),
        ("a.json", False),
        ("/a.manifest.json", False),
    ],
)
def test_a_path_says_which_files_are_meant(pattern: str, silences: bool, tmp_path: Path) -> None:
    report = report_with(tmp_path, table(path=pattern), BAD, "legacy/a.manifest.json")
    assert told(report) == ([] if silences else ["unknown-permission", "unused-suppression"])


@rows(("days", "silences"), [(-1, False), (0, True), (1, True)])
@rows("as_text", [True, False])
def test_it_holds_up_to_the_last_day_named(
    days: int,
    silences: bool,
    as_text: bool,
    tmp_path: Path,
) -> None:
    day = date.today() + timedelta(days)  # noqa: DTZ011 - a day where the user is
    report = report_with(tmp_path, table(expires=day.isoformat() if as_text else day), BAD)
    expected = [] if silences else ["unknown-permission", "expired-suppression"]
    assert sorted(told(report)) == sorted(expected)


def test_an_expired_entry_is_told_with_its_place_even_when_it_matches_nothing(
    tmp_path: Path,
) -> None:
    written(tmp_path / "manifest.json", BASE)
    written(tmp_path / "manifestkit.toml", "# first\n\n" + table(expires="2020-01-31"))
    outcome = manifest_here("lint", "manifest.json", cwd=tmp_path)
    assert outcome.code == CLEAN
    assert outcome.out == (
        "manifestkit.toml:3:1: warning expired-suppression `suppress[0]`, about "
        "`unknown-permission`, has no effect: it expired on 2020-01-31; fix the finding, "
        "or give the entry a new date\n"
    )


def test_an_entry_that_silences_nothing_is_told_with_its_place(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", BAD)
    two = table() + "\n" + table(pointer="/permissions/7")
    written(tmp_path / "manifestkit.toml", two)
    outcome = lint(cwd=tmp_path)
    (finding,) = outcome.findings
    assert (finding["rule"], finding["path"]) == ("unused-suppression", "manifestkit.toml")
    assert finding["message"].startswith(
        "`suppress[1]`, about `unknown-permission` at `/permissions/7`, "
    )
    assert outcome.code == CLEAN
    failing = lint("--fail-on", "warning", cwd=tmp_path)
    assert failing.code == FINDINGS


def test_entries_in_pyproject_are_told_in_that_file(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", BASE)
    text = "[project]\nname = 'x'\n\n" + table().replace(
        "[[suppress", "[[tool.manifestkit.suppress"
    )
    written(tmp_path / "pyproject.toml", text)
    (finding,) = lint(cwd=tmp_path).findings
    assert finding["path"] == "pyproject.toml"


def test_what_is_unused_can_be_ignored_and_weighed_as_any_rule(tmp_path: Path) -> None:
    ignoring = 'ignore = ["unused-suppression"]\n' + table()
    assert told(report_with(tmp_path, ignoring, BASE)) == []
    weighing = "severity = { unused-suppression = 'error' }\n" + table()
    assert report_with(tmp_path, weighing, BASE).fails


def test_isolated_runs_know_no_suppressions(tmp_path: Path) -> None:
    written(tmp_path / "manifestkit.toml", table())
    file = written(tmp_path / "manifest.json", BAD)
    report = manifestkit.lint_paths([file], Options(isolated=True))
    assert told(report) == ["unknown-permission"]


@pytest.mark.parametrize("rule", ["syntax-error", "limit-exceeded"])
def test_what_keeps_a_file_from_being_judged_is_never_silenced(rule: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=f"`{rule}` is always reported"):
        report_with(tmp_path, table(rule=rule), "{")


def test_a_rule_of_a_profile_is_silenced_by_its_own_name(tmp_path: Path) -> None:
    written(tmp_path / "p.json", {"maxProperties": 1, "x-manifestkit": {"rule": "few"}})
    configuration = 'profile = ["p.json"]\n' + table(rule="few")
    assert told(report_with(tmp_path, configuration, BASE)) == []


@rows(
    ("pointer", "left"),
    [
        ("/activities/=1/name", ["/activities/1/name", "/activities/2/name"]),
        ("/activities/1/name", ["/activities/0/name", "/activities/2/name"]),
        ("/activities/==1/name", ["/activities/0/name", "/activities/1/name"]),
        ("/activities/*/name", []),
    ],
)
def test_a_number_is_an_index_and_one_behind_an_equals_sign_an_id(
    pointer: str, left: list[str], tmp_path: Path
) -> None:
    activities = [{**GOOD["activities"][0], "id": each, "name": ""} for each in ("1", "0", "=1")]
    value = with_members(activities=activities)
    report = report_with(tmp_path, table(rule="empty-text", pointer=pointer), value)
    assert [each.pointer for each in report.findings] == left


def test_an_item_may_be_named_by_its_id(tmp_path: Path) -> None:
    value = with_members(
        activities=[
            {"id": "box", "name": ""},
            {"id": "a/b~c", "name": ""},
            {"id": "other", "name": ""},
        ]
    )
    two = table(rule="empty-text", pointer="/activities/box/name") + table(
        rule="empty-text", pointer="/activities/a~1b~0c/name"
    )
    report = report_with(tmp_path, two, value)
    assert [each.pointer for each in report.findings] == ["/activities/2/name"]


# -- a manifest in many forms ------------------------------------------------------------------

FAULTY: dict[str, Any] = {
    "schema_version": "v1",
    "provider": {"id": "", "name": "A", "versoin": "1.0", "contact": {"mail": "x"}},
    "runtime": {"entrypoint": "a.js", "sdk_version": 1},
    "presentation": {"banner": "x", "thumbnail": 3},
    "activities": [
        {"id": "box", "name": "", "duration_minutes": 0, "surfaces": ["tv", "phone", "tv"]},
        {"id": "walk", "name": "Walk", "duration_minutes": "5", "catgory": "x"},
        {"id": "twin", "name": "One"},
        {"id": "twin", "name": "Other"},
    ],
    "permissions": ["host.haptic", "host.timer", "host.timer", "host.camera", "host.camera"],
    "capabilities": ["host.timer", "activity.start"],
}


def shuffled(value: Any, chance: random.Random) -> Any:
    """The same with members and items in another order."""
    if isinstance(value, dict):
        members = [(name, shuffled(each, chance)) for name, each in value.items()]
        chance.shuffle(members)
        return dict(members)
    if isinstance(value, list):
        items = [shuffled(each, chance) for each in value]
        chance.shuffle(items)
        return items
    return value


@st.composite
def another_form(draw: st.DrawFn, value: Any) -> str:
    """A text that says the same, in another order and layout."""
    chance = draw(st.randoms(use_true_random=False))
    indent = draw(st.sampled_from([None, 0, 1, 4, "\t"]))
    escaped = draw(st.booleans())
    text = json.dumps(shuffled(value, chance), indent=indent, ensure_ascii=escaped)
    return draw(st.sampled_from([text, text.replace("\n", "\r\n"), "\ufeff" + text, "\n\n" + text]))


def suppressions_of(report: Report) -> str:
    """An entry for each finding, by its place that stays."""
    return "".join(
        table(rule=each.rule, pointer=each.identity.pointer)
        for each in report.findings
        if each.identity is not None
    )


@pytest.mark.slow
@given(another_form(FAULTY))
def test_suppressions_survive_another_order_and_layout(text: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = written(folder / "manifest.json", json.dumps(FAULTY, indent=2))
        before = manifestkit.lint_paths([file])
        assert len(before.findings) > 15
        after = report_with(folder, suppressions_of(before), text)
        assert [each for each in told(after) if each != "byte-order-mark"] == []
        assert after.summary.suppressed == len(before.findings)


@rows(
    "pointer, meant",
    [
        ("permissions/0", "/permissions/0"),
        ("*", "/*"),
        ("$.activities[*].id", "/activities/*/id"),
        ("activities[].id", "/activities/*/id"),
        ("permissions[host.camera]", "/permissions/host.camera"),
        ("permissions/host.camera", "/permissions/host.camera"),
        ("#/provider/id", "/provider/id"),
        ("provider['id']", "/provider/id"),
    ],
)
def test_a_pointer_that_is_none_is_an_error_with_its_place(
    pointer: str, meant: str, tmp_path: Path
) -> None:
    written(tmp_path / "manifest.json", BASE)
    entry = f'[[suppress]]\nrule = "x"\nreason = "y"\npointer = "{pointer}"\n'
    written(tmp_path / "manifestkit.toml", entry)
    outcome = manifest_here("lint", "manifest.json", cwd=tmp_path)
    assert outcome.code == USAGE
    told = f'suppress[0].pointer: `{pointer}` is not a JSON pointer; write `pointer = "{meant}"`'
    assert told in outcome.err


def test_an_entry_that_matches_no_file_is_reported_once(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", BASE)
    written(tmp_path / "a" / "manifest.json", BASE)
    written(tmp_path / "manifestkit.toml", "\n" + table(path="legacy/**"))
    outcome = lint(cwd=tmp_path)
    (finding,) = outcome.findings
    assert (finding["rule"], finding["path"]) == ("unused-suppression", "manifestkit.toml")
    assert (finding["line"], finding["column"]) == (2, 1)
    assert "it matches no finding" in finding["message"]


@rows("path", ["**/dist/**", "dist/", "a/**/dist/*"])
def test_nor_is_one_for_such_folders_anywhere(tmp_path: Path, path: str) -> None:
    written(tmp_path / "a" / "b" / ".gitignore", "dist\n")
    (tmp_path / ".git").mkdir()
    written(tmp_path / "a" / "manifest.json", BASE)
    written(tmp_path / "a" / "b" / "dist" / "manifest.json", BAD)
    for entry, is_unused in ((path, False), (path.replace("dist", "build"), True)):
        written(tmp_path / "manifestkit.toml", table(path=entry))
        assert ("it matches no finding" in manifest_here("lint", cwd=tmp_path).out) is is_unused


@rows("settings", [{".gitignore": "dist/\n"}, {"a/.gitignore": "dist\n"}, {"exclude": "dist/"}])
@rows("path", ["a/dist/**", "/a/dist", "a/d[i]st/", "**/a/dist/**", "a/dist/manifest.json"])
@rows("is_built", [True, False])
def test_an_entry_for_what_a_search_passes_over_is_not_reported(
    tmp_path: Path, settings: dict[str, str], path: str, is_built: bool
) -> None:
    """A deploy uses it: a build folder is not searched, or not there in a fresh checkout."""
    (tmp_path / ".git").mkdir()
    written(tmp_path / "a" / "manifest.json", BASE)
    written(tmp_path / "a" / "dist" / "manifest.json", BAD)
    exclude = f"exclude = [{json.dumps(settings['exclude'])}]\n" if "exclude" in settings else ""
    written(tmp_path / "manifestkit.toml", exclude + 'baseline = "known.json"\n' + table(path=path))
    named = manifest_here(
        "lint", "a/dist/manifest.json", "--write-baseline=known.json", cwd=tmp_path
    )
    assert named.code == CLEAN
    for name, text in settings.items():
        if name != "exclude":
            written(tmp_path / name, text)
    if not is_built:
        (tmp_path / "a" / "dist" / "manifest.json").unlink()
        (tmp_path / "a" / "dist").rmdir()
    assert lint(cwd=tmp_path).findings == []
    if is_built:
        written(tmp_path / "a" / "dist" / "manifest.json", BASE)
        named = lint(".", "a/dist", "--baseline=/dev/null", cwd=tmp_path)
        reported = [] if exclude else ["unused-suppression"]
        assert [each["rule"] for each in named.findings] == reported


@rows("entry", [{}, {"path": "*.json"}, {"path": "other/"}])
@rows("paths", [["manifest.json"], ["--force-exclude", "manifest.json"], ["some"], ["-"]])
def test_of_a_run_over_some_files_no_entry_is_reported(
    tmp_path: Path, entry: dict[str, str], paths: list[str]
) -> None:
    for name in ("manifest.json", "some/manifest.json"):
        written(tmp_path / name, BASE)
    written(tmp_path / "other" / "manifest.json", BAD)
    written(tmp_path / "manifestkit.toml", table(**entry))
    outcome = manifest_here("lint", *paths, cwd=tmp_path, stdin=json.dumps(BASE).encode())
    assert (outcome.code, outcome.out) == (CLEAN, "")


def test_where_a_file_cannot_be_read_no_entry_is_reported(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", BASE)
    (tmp_path / "a.manifest.json").symlink_to("gone")
    written(tmp_path / "manifestkit.toml", table(path="a.manifest.json"))
    outcome = manifest_here("lint", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (USAGE, "")


@rows(
    "text",
    [
        *("", "{ broken", json.dumps(GOOD)[:-1] + ",}", "NaN", '{"name": "an app"}'),
        json.dumps({**BAD, "permissions": ["a", "b"]}),
    ],
)
@rows(("path", "is_told"), [(None, False), ("manifest.json", False), ("other.*", True)])
def test_an_entry_for_a_file_that_was_not_judged_to_its_end_is_not_reported(
    tmp_path: Path, text: str, path: str | None, *, is_told: bool
) -> None:
    (tmp_path / "manifest.json").write_text(text)
    written(tmp_path / "other.manifest.json", BASE)
    entry = {"rule": "empty-text", **({"path": path} if path else {})}
    written(tmp_path / "manifestkit.toml", "[limits]\nfindings = 1\n" + table(**entry))
    outcome = manifest_here("lint", cwd=tmp_path)
    assert outcome.code == FINDINGS
    assert ("unused-suppression" in outcome.out) is is_told


def test_an_entry_about_a_rule_that_is_turned_off_for_a_run_is_not_reported(
    tmp_path: Path,
) -> None:
    written(tmp_path / "manifest.json", BAD)
    written(tmp_path / "manifestkit.toml", table())
    outcome = manifest_here("lint", "--ignore", "unknown-permission", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (CLEAN, "")


def test_an_entry_of_an_extended_file_is_used_by_any_file_that_extends_it(tmp_path: Path) -> None:
    written(tmp_path / "manifestkit.toml", table() + table(pointer="/gone"))
    for name, value in (("a", BASE), ("b", BAD)):
        written(tmp_path / name / "manifest.json", value)
        written(tmp_path / name / "manifestkit.toml", 'extend = "../manifestkit.toml"\n')
    outcome = lint(cwd=tmp_path)
    (finding,) = outcome.findings
    assert (finding["rule"], finding["path"]) == ("unused-suppression", "manifestkit.toml")
    assert finding["pointer"] == "/gone"


def test_an_entry_of_a_shared_file_is_reported_only_when_it_has_expired(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", BAD)
    written(tmp_path / "manifestkit.toml", 'extend = "shared/base.toml"\n')
    used = table(path="/manifest.json")
    unused = table(pointer="/gone") + table(pointer="/gone", expires=date(2026, 1, 31))
    written(tmp_path / "shared" / "base.toml", used + unused)
    for options in ([], ["--config", "shared/base.toml"]):
        outcome = lint(*options, cwd=tmp_path)
        found = [(each["rule"], each["path"]) for each in outcome.findings]
        assert found == [("expired-suppression", "shared/base.toml")]


@pytest.mark.slow
def test_many_suppressions_of_many_findings_take_little_time(tmp_path: Path) -> None:
    def linted(*options: str) -> tuple[float, Any]:
        start = time.perf_counter()
        done = manifest_here("lint", "--output-format=json", *options, cwd=tmp_path)
        return time.perf_counter() - start, json.loads(done.out)

    entries = (
        f'[[suppress]]\nrule = "unknown-permission"\nreason = "r"\npointer = "/permissions/{n}*x"\n'
        for n in range(500)
    )
    (tmp_path / "manifestkit.toml").write_text("".join(entries), "utf-8")
    wrong = [f"{number}-{'y' * 60}" for number in range(3_000)]
    (tmp_path / "manifest.json").write_text(json.dumps({**GOOD, "permissions": wrong}), "utf-8")
    before, _ = linted("--isolated")
    seconds, report = linted()
    assert seconds < 20 * before
    rules = [each["rule"] for each in report["findings"]]
    assert rules.count("unknown-permission") == 3_000
    assert rules.count("unused-suppression") == 500
