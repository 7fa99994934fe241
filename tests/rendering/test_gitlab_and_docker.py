"""The GitLab component and the image: their scripts run in a shell, as their platforms would."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from action import ACTION
from checkout import make_repository
from report_cases import EXAMPLES, GOLDEN, REPOSITORY

_TEMPLATE = (REPOSITORY / "templates" / "lint.yml").read_text("utf-8")
_HEADER, _JOBS = _TEMPLATE.split("\n---\n")
_INPUTS: dict[str, Any] = yaml.safe_load(_HEADER)["spec"]["inputs"]
_GOOD = EXAMPLES / "valid" / "minimal.activity-provider.json"
_BROKEN = GOLDEN / "broken" / "unknown-permission-typo.manifest.json"


def _job(**given: str) -> dict[str, Any]:
    """The job that the component makes of inputs, by their names with underscores."""
    inputs = {name: each["default"] for name, each in _INPUTS.items()}
    inputs |= {name.replace("_", "-"): value for name, value in given.items()}
    text = re.sub(r"\$\[\[ inputs\.([\w-]+) \]\]", lambda found: inputs[found[1]], _JOBS)
    jobs: dict[str, Any] = yaml.safe_load(text)
    ((name, job),) = jobs.items()
    assert name == inputs["job-name"]
    return dict(job)


def _run(job: dict[str, Any], folder: Path) -> int:
    """The exit code of a job's script: one shell, which ends at the first line that fails."""
    return _ended(job, folder).returncode


def _ended(job: dict[str, Any], folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{folder.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["/bin/sh", "-ec", "\n".join(job["script"])],
        cwd=folder,
        env={"PATH": path, "HOME": str(folder), "PYTHONUTF8": "1", **job["variables"]},
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.fixture
def project(tmp_path: Path, stand_in: Path) -> Path:
    """A repository with a good manifest, beside the programs that a job installs."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "manifest").symlink_to(stand_in)
    (programs / "pip").write_text("#!/bin/sh\n")
    (programs / "pip").chmod(0o755)
    folder = tmp_path / "project"
    folder.mkdir()
    shutil.copy(_GOOD, folder / "manifest.json")
    return make_repository(folder)


def test_every_input_is_described_has_a_default_and_is_used() -> None:
    assert set(re.findall(r"inputs\.([\w-]+)", _JOBS)) == _INPUTS.keys()
    for each in _INPUTS.values():
        assert each["description"].endswith(".")
        assert isinstance(each["default"], str)
    assert {"paths", "args", "diff-base", "version"} <= ACTION["inputs"].keys() & _INPUTS.keys()


def test_the_component_writes_the_reports_that_gitlab_reads(project: Path) -> None:
    job = _job()
    assert _run(job, project) == 0
    shutil.copy(_BROKEN, project)
    assert _run(job, project) == 1
    reports = job["artifacts"]["reports"]
    (issue,) = json.loads((project / reports["codequality"]).read_text())
    assert issue["location"]["path"] == _BROKEN.name
    assert len(list(project.glob(reports["junit"]))) == 1
    assert _run(_job(paths="manifest.json", args="--fail-on warning"), project) == 0


def test_the_component_fails_on_a_new_permission(project: Path) -> None:
    file = project / "manifest.json"
    contents = json.loads(file.read_text())
    file.write_text(json.dumps({**contents, "permissions": ["host.timer"]}))
    assert _run(_job(), project) == 0
    job = _job(diff_base="HEAD")
    done = _ended(job, project)
    assert (done.returncode, "is not read" in done.stderr) == (1, False)
    reports = project.glob(job["artifacts"]["reports"]["junit"])
    assert sum("permission-added" in each.read_text("utf-8") for each in reports) == 1
    shutil.copy(_GOOD, project / "other.json")
    assert _run(_job(diff_base="HEAD", paths="other.json"), project) == 0
    assert _run(_job(diff_base="gone"), project) == 2


@pytest.mark.parametrize("paths", ["gone.json", "manifest.json"])
@pytest.mark.parametrize("base", ["", "HEAD", "gone"])
def test_what_could_not_be_done_counts_more_than_a_finding(
    paths: str, base: str, project: Path
) -> None:
    file = project / "manifest.json"
    contents = json.loads(file.read_text())
    file.write_text(json.dumps({**contents, "permissions": ["host.timer"]}))
    expected = 2 if "gone" in paths + base else 1 if base else 0
    assert _run(_job(paths=paths, diff_base=base), project) == expected


_DOCKERFILE = re.sub(r"\\\n", "", (REPOSITORY / "Dockerfile").read_text("utf-8"))
_STEPS = re.findall(r"^([A-Z]+) (.*)$", _DOCKERFILE, re.MULTILINE)


def test_the_image_gets_what_the_build_needs_and_runs_the_command_as_a_user() -> None:
    kept = [
        line[1:] for line in (REPOSITORY / ".dockerignore").read_text().split() if line[0] == "!"
    ]
    assert all((REPOSITORY / each).exists() for each in kept)
    assert not any(fnmatch.fnmatch(each, ".git*") for each in kept)
    words = [word for word, _ in _STEPS]
    assert words.index("USER") < words.index("ENTRYPOINT")
    assert ("ENTRYPOINT", '["manifest"]') in _STEPS
