"""In a job of GitHub Actions, the Markdown report is added to the step's summary."""

from __future__ import annotations

from pathlib import Path

import pytest

from action import run_step
from command import EXAMPLES, FINDINGS, Outcome
from in_process import manifest_here

GOOD = (EXAMPLES / "valid" / "minimal.activity-provider.json").read_text("utf-8")
BAD = GOOD.replace('"permissions": []', '"permissions": ["host.camera"]')
LINT = ("lint", "new.manifest.json")
DIFF = ("diff", "old.manifest.json", "new.manifest.json")
FIRST_LINE = {LINT: "<!-- manifestkit -->\n", DIFF: "<!-- manifestkit diff -->\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "old.manifest.json").write_text(GOOD, "utf-8")
    (tmp_path / "new.manifest.json").write_text(BAD, "utf-8")
    return tmp_path


def run(command: tuple[str, ...], folder: Path, summary: Path) -> Outcome:
    return manifest_here(*command, cwd=folder, env={"GITHUB_STEP_SUMMARY": str(summary)})


@pytest.mark.parametrize("command", [LINT, DIFF])
def test_the_report_is_added_to_what_the_step_has_written(
    command: tuple[str, ...], folder: Path
) -> None:
    summary = folder / "summary.md"
    summary.write_text("# Mine\n", "utf-8")
    report = manifest_here(*command, "--output-format=markdown", cwd=folder).out
    assert report.startswith(FIRST_LINE[command])
    assert run(command, folder, summary) == manifest_here(*command, cwd=folder)
    assert summary.read_text("utf-8") == f"# Mine\n{report}"
    for more in (("--output-format=json",), ("--output-format=markdown=report.md",)):
        run((*command, *more), folder, summary)
    assert summary.read_text("utf-8") == f"# Mine\n{report * 3}"


@pytest.mark.parametrize("more", [("--show-files",), ("--write-baseline=known.json",)])
def test_a_run_without_a_report_adds_none(more: tuple[str, ...], folder: Path) -> None:
    run((*LINT, *more), folder, folder / "summary.md")
    assert not (folder / "summary.md").exists()


@pytest.mark.parametrize("command", [LINT, DIFF])
@pytest.mark.parametrize("where", ["gone/summary.md", "."])
def test_a_summary_that_cannot_be_written_is_a_note(
    command: tuple[str, ...], where: str, folder: Path
) -> None:
    plain = manifest_here(*command, cwd=folder)
    outcome = run(command, folder, folder / where)
    assert (outcome.code, outcome.out) == (plain.code, plain.out) == (FINDINGS, plain.out)
    (added,) = set(outcome.err.splitlines()) - set(plain.err.splitlines())
    assert added.startswith(f"note: the step summary {folder / where} cannot be written: ")


def test_each_step_of_the_action_adds_one_report(folder: Path) -> None:
    summary = folder / "summary.md"
    job = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
    run_step("lint", folder, paths="new.manifest.json", comment="true", env=job)
    assert summary.read_text("utf-8").count("<!-- manifestkit -->") == 1
