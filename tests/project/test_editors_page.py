"""The settings on docs/editors.md; the scripts for real editors try them out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from command import CLEAN, REPOSITORY
from in_process import manifest_here
from manifestkit.schema.packaged import packaged_formats

_PAGE = (REPOSITORY / "docs" / "editors.md").read_text("utf-8")
_BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", _PAGE, re.MULTILINE | re.DOTALL)


def test_each_editor_has_its_blocks_of_settings() -> None:
    assert [language for language, _ in _BLOCKS] == ["json", "lua", "lua", "elisp", "sh", "json"]


def test_vscode_finds_the_schema_for_every_name_that_lint_looks_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command, settings = _BLOCKS[4][1], json.loads(_BLOCKS[5][1])
    assert manifest_here(*command.split()[1:]).code == CLEAN
    (of_json,) = settings["json.schemas"]
    ((of_yaml, yaml_names),) = settings["yaml.schemas"].items()
    for url in (of_json["url"], of_yaml):
        assert "$id" in json.loads((tmp_path / url).read_text("utf-8"))
    names = {*of_json["fileMatch"], *yaml_names}
    assert names == set(packaged_formats().default.patterns)
