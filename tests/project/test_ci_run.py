"""`.ci/run` goes without a suite only where it is told to, and then by its right name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from command import REPOSITORY, environment


def _refused(**variables: str) -> str:
    """What it says before it starts anything."""
    done = subprocess.run(
        [REPOSITORY / ".ci" / "run"],
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="it is a script of POSIX")
def test_a_suite_that_is_missing_is_told_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    there, nowhere = str(tmp_path / "there"), str(tmp_path / "nowhere")
    told = _refused(WITHOUT="", OFFICIAL_FORMATS=nowhere, YAML_SUITE=there)
    assert told == f"no formats in {nowhere}; WITHOUT=formats goes without\n"
    told = _refused(WITHOUT="", OFFICIAL_FORMATS=there, YAML_SUITE=nowhere)
    assert told == f"no yaml-suite in {nowhere}; WITHOUT=yaml-suite goes without\n"


@pytest.mark.skipif(sys.platform == "win32", reason="it is a script of POSIX")
def test_a_name_that_no_suite_has_is_told() -> None:
    assert _refused(WITHOUT="formats yaml") == (
        "WITHOUT names yaml; it can name: "
        "formats yaml-suite json-schema-suite fuzzing chromium engines image \n"
    )
