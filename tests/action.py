"""The GitHub Action, step by step as the runner runs it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from command import REPOSITORY

ACTION: dict[str, Any] = yaml.safe_load((REPOSITORY / "action.yml").read_text("utf-8"))
STEPS = {step["id"]: step for step in ACTION["runs"]["steps"]}


def run_step(
    step: str,
    folder: Path,
    python: str = sys.executable,
    env: Mapping[str, str] | None = None,
    **inputs: str,
) -> subprocess.CompletedProcess[str]:
    """Run a step's script as the runner does."""
    given = {name: each["default"] for name, each in ACTION["inputs"].items()}
    given |= {name.replace("_", "-"): value for name, value in inputs.items()}
    environment = {}
    for name, value in STEPS[step]["env"].items():
        source = re.fullmatch(r"\$\{\{ inputs\.(\S+) \}\}", value)
        environment[name] = given[source[1]] if source else python
    return subprocess.run(
        ["/bin/bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[step]["run"]],
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONUTF8": "1",
            "RUNNER_TEMP": str(folder),
            "GITHUB_ACTION_PATH": str(REPOSITORY),
            "GITHUB_OUTPUT": str(folder / "output"),
            "HOME": str(folder),
            **environment,
            **(env or {}),
        },
        capture_output=True,
        text=True,
        check=False,
    )
