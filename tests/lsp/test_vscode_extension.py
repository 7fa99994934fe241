"""The extension for VS Code says the same as the package."""

from __future__ import annotations

import json
import tomllib

from command import REPOSITORY
from in_process import manifest_here

_PACKAGE = json.loads((REPOSITORY / "editors" / "vscode" / "package.json").read_text("utf-8"))


def test_it_has_the_version_of_the_package() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    assert _PACKAGE["version"] == project["version"]
    locked = REPOSITORY / "editors" / "vscode" / "package-lock.json"
    assert json.loads(locked.read_text("utf-8"))["version"] == project["version"]


def test_it_starts_what_manifest_editor_prints() -> None:
    settings = _PACKAGE["contributes"]["configuration"]["properties"]
    printed = json.loads(manifest_here("editor", "vscode").out)
    assert printed == {name: each["default"] for name, each in settings.items()}
