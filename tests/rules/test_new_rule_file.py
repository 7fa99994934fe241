"""A new file in `schemas/rules/` is a new rule, and a new member in the schema a new field.

The command runs from a copy of the tree with the file added, and no Python is edited.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from command import CLEAN, FINDINGS, REPOSITORY, Outcome, manifest, package_in
from judging import with_activity, written
from manifestkit.rules.catalogue import SITE
from test_schema_keywords import with_support_url

pytestmark = pytest.mark.slow

RULE: dict[str, Any] = {
    "$schema": "../rule.schema.json",
    "title": "An activity's name has more than 40 characters",
    "description": "Hosts show names on small screens, where a long one is cut.",
    "x-manifestkit": {
        "rule": "long-activity-name",
        "severity": "warning",
        "help": "keep at most 40 characters, and tell the rest elsewhere",
        "clause": "advice, not a requirement of the format",
        "bad": {"manifest": {"activities": [{"id": "a", "name": "n" * 41}]}},
        "good": {"manifest": {"activities": [{"id": "a", "name": "n" * 40}]}},
    },
    "given": "/activities/*/name",
    "then": {"maxLength": 40},
}
LONG, SHORT = with_activity(name="é" * 41), with_activity(name="é" * 40)


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree with one more rule, as it would be installed."""
    root = tmp_path_factory.mktemp("tree")
    for name in ("schemas", "examples"):
        shutil.copytree(REPOSITORY / name, root / name)
    shutil.copytree(REPOSITORY / "tests" / "rules", root / "tests" / "rules")
    for name in ("command.py", "in_process.py", "rows.py"):
        shutil.copy(REPOSITORY / "tests" / name, root / "tests")
    off = json.loads(json.dumps(RULE).replace("long-activity-name", "long-name-unless-asked"))
    off["x-manifestkit"]["severity"] = "off"
    for folder in (root, package_in(root / "package")):
        written(folder / "schemas" / "rules" / "long-activity-name.schema.json", RULE)
        written(folder / "schemas" / "rules" / "long-name-unless-asked.schema.json", off)
    return root


def run(tree: Path, cwd: Path, *arguments: str) -> Outcome:
    return manifest(*arguments, cwd=cwd, env={"PYTHONPATH": str(tree / "package")})


def told(tree: Path, folder: Path, value: Any, *options: str) -> list[str]:
    written(folder / "manifest.json", value)
    outcome = run(tree, folder, "lint", "manifest.json", "--output-format", "json", *options)
    return [
        f"{each['severity']} {each['rule']} {each['pointer']} {each['message']}"
        for each in json.loads(outcome.out)["findings"]
    ]


def test_lint_finds_what_it_demands(tree: Path, tmp_path: Path) -> None:
    (found,) = told(tree, tmp_path, LONG)
    assert found == (
        "warning long-activity-name /activities/0/name "
        "`activities[0].name` has 41 characters, more than 40"
    )
    assert told(tree, tmp_path, SHORT) == []


def test_without_the_file_nothing_is_found(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", LONG)
    assert manifest("lint", "manifest.json", "--quiet", cwd=tmp_path).out == ""


def test_its_finding_is_shown_with_its_own_words(tree: Path, tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", LONG)
    outcome = run(tree, tmp_path, "lint", "manifest.json", "--output-format", "full")
    assert outcome.code == CLEAN
    assert "warning[long-activity-name]: " in outcome.out
    assert "= help: keep at most 40 characters, and tell the rest elsewhere" in outcome.out
    assert "= note: advice, not a requirement of the format" in outcome.out


def test_it_is_selected_ignored_weighed_and_suppressed_as_any_rule(
    tree: Path, tmp_path: Path
) -> None:
    assert told(tree, tmp_path, LONG, "--ignore", "long-activity-name") == []
    assert len(told(tree, tmp_path, LONG, "--select", "long-activity-name")) == 1
    (error,) = told(tree, tmp_path, LONG, "--severity", "long-activity-name=error")
    assert error.startswith("error ")
    assert run(tree, tmp_path, "lint", "--fail-on", "warning").code == FINDINGS
    entry = '[[suppress]]\nrule = "long-activity-name"\nreason = "it is our brand"\n'
    written(tmp_path / "manifestkit.toml", entry)
    assert told(tree, tmp_path, LONG) == []


def test_a_rule_that_is_off_by_default_runs_when_it_is_asked_for(
    tree: Path, tmp_path: Path
) -> None:
    (found,) = told(tree, tmp_path, LONG, "--select", "long-name-unless-asked")
    assert found.startswith("warning long-name-unless-asked ")
    both = told(tree, tmp_path, LONG, "--severity", "long-name-unless-asked=info")
    assert sorted(each.split()[0] for each in both) == ["info", "warning"]


def test_a_slip_in_its_name_is_told_with_the_name(tree: Path, tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", LONG)
    outcome = run(tree, tmp_path, "lint", "manifest.json", "--ignore", "long-activity-names")
    assert "did you mean `long-activity-name`?" in outcome.err


def test_explain_tells_all_about_it(tree: Path, tmp_path: Path) -> None:
    outcome = run(tree, tmp_path, "explain", "long-activity-name")
    assert outcome.code == CLEAN
    notes = RULE["x-manifestkit"]
    for text in (RULE["title"], RULE["description"], notes["help"], notes["clause"], "n" * 41):
        assert text in outcome.out
    assert "--ignore long-activity-name" in outcome.out


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_explain_lists_it(form: str, tree: Path, tmp_path: Path) -> None:
    outcome = run(tree, tmp_path, "explain", "--output-format", form)
    if form == "json":
        listed = {each["rule"]: each for each in json.loads(outcome.out)}
        assert listed["long-activity-name"]["title"] == RULE["title"]
        return
    lines = outcome.out.splitlines()
    (line,) = (each for each in lines if re.search(r"\blong-activity-name\b", each))
    assert "warning" in line
    assert RULE["title"] in line


def test_the_shell_completes_it(tree: Path, tmp_path: Path) -> None:
    asked = {
        "_MANIFEST_COMPLETE": "bash_complete",
        "COMP_WORDS": "manifest explain long-a",
        "COMP_CWORD": "2",
        "PYTHONPATH": str(tree / "package"),
    }
    assert "long-activity-name" in manifest(cwd=tmp_path, env=asked).out


def examples_tested_in(tree: Path) -> subprocess.CompletedProcess[str]:
    """The tests of the new rule's examples, run on a tree.

    With its own place for temporary files: else pytest removes at its end what others have left.
    """
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rA")
    scratch = f"--basetemp={tree.parent / 'scratch'}"
    path = os.pathsep.join([str(tree / "package"), str(tree / "tests")])
    return subprocess.run(
        [
            *command,
            *("-k", "exactly_its_rule or gives_nothing", "--rootdir", str(tree), scratch),
            str(tree / "tests" / "rules" / "test_rule_examples.py"),
        ],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_its_examples_are_tested_with_the_others(tree: Path) -> None:
    done = examples_tested_in(tree)
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_an_example_that_does_not_show_its_rule_is_told(tree: Path, tmp_path: Path) -> None:
    copy = tmp_path / "tree"
    shutil.copytree(tree, copy)
    wrong = json.loads(json.dumps(RULE))
    wrong["x-manifestkit"]["bad"] = wrong["x-manifestkit"]["good"]
    for folder in (copy / "schemas", copy / "package" / "manifestkit" / "schemas"):
        written(folder / "rules" / "long-activity-name.schema.json", wrong)
    done = examples_tested_in(copy)
    assert done.returncode == 1
    assert "row: long-activity-name" in done.stdout


def test_it_looks_at_each_place_that_is_given_and_passes_over_one_that_is_not_there(
    tree: Path, tmp_path: Path
) -> None:
    several = {**RULE, "given": ["/activities/*/surfaces/*", "/provider/name", "/provider"]}
    several["then"] = {"maxLength": 3, "maxProperties": 3}
    long = with_activity(surfaces=["tv", "phone"])
    copy = with_rule(tree, tmp_path, json.dumps(several))
    assert [each.split()[2] for each in told(copy, tmp_path, long)] == ["/activities/0/surfaces/1"]


def with_rule(tree: Path, folder: Path, text: str) -> Path:
    """A copy of the tree whose rule file has another text."""
    copy = folder / "tree"
    shutil.copytree(tree / "package", copy / "package")
    rules = copy / "package" / "manifestkit" / "schemas" / "rules"
    (rules / "long-activity-name.schema.json").write_text(text, "utf-8")
    return copy


# -- a new member of the base schema -----------------------------------------------------------


def test_the_command_lints_and_explains_a_new_required_member(tmp_path: Path) -> None:
    written(tmp_path / "own.schema.json", with_support_url())
    written(tmp_path / "manifest.json", SHORT)
    linted = manifest("lint", "manifest.json", "--schema", "own.schema.json", cwd=tmp_path)
    assert linted.code == FINDINGS
    assert re.search(r"error missing-field `provider` .*`support_url`", linted.out)
    explained = manifest(
        "explain", "/provider/support_url", "--schema", "own.schema.json", cwd=tmp_path
    )
    assert explained.code == CLEAN
    assert explained.out == (
        "/provider/support_url (Support page)\n"
        "\nWhere people get help.\n"
        "\nType\n  string, required\n"
        "\nBased on\n  manifest format, section 2, provider\n"
        f"  {SITE}format/#provider\n"
        '\nExample\n    {\n      "support_url": "https://example.org/help"\n    }\n'
    )


def test_without_the_copy_the_new_member_is_unknown_to_explain(tmp_path: Path) -> None:
    outcome = manifest("explain", "/provider/support_url", cwd=tmp_path)
    assert outcome.code == 2
    assert "the schema does not describe `/provider/support_url`" in outcome.err
