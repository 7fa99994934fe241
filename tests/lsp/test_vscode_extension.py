"""The extension for VS Code says the same as the package."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from command import REPOSITORY

_PACKAGE = json.loads((REPOSITORY / "editors" / "vscode" / "package.json").read_text("utf-8"))


def test_it_has_the_version_of_the_package() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    assert _PACKAGE["version"] == project["version"]
    locked = REPOSITORY / "editors" / "vscode" / "package-lock.json"
    assert json.loads(locked.read_text("utf-8"))["version"] == project["version"]


def test_its_default_command_starts_the_server() -> None:
    settings = _PACKAGE["contributes"]["configuration"]["properties"]
    name, *arguments = settings["manifestkit.command"]["default"]
    command = shutil.which(name, path=Path(sys.executable).parent)
    assert command is not None  # in the environment of the tests, which need not be on the path
    served = subprocess.run([command, *arguments], stdin=subprocess.DEVNULL, check=False)
    assert served.returncode == 0
