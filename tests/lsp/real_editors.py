"""Neovim and Emacs, without a screen, with `manifest lsp` and the settings of docs/editors.md.

`python tests/lsp/real_editors.py [nvim|emacs]...` prints what each was seen to do, and fails
when one does otherwise than it should.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent / "editors"
_PAGE = Path(__file__).parents[2] / "docs" / "editors.md"
_EDITORS = {
    "nvim": ["nvim", "--headless", "-u", "NONE", "-c", f"luafile {_HERE / 'neovim.lua'}"],
    "emacs": ["emacs", "--batch", "--load", str(_HERE / "eglot.el")],
}
_LANGUAGES = {"nvim": "lua", "emacs": "elisp"}
_BEFORE = """\
{
  "schema_version": "1.0",
  "provider": { "id": "com.example.box", "name": "𝄞 Box", "version": "1.0" },
  "runtime": { "entrypoint": "index.js", "sdk_version": "1.0" },
  "activities": [
    { "id": "one", "name": "👩‍👩‍👧", "duration_minutes": 30.0 }, { "id": "box", "name": "b" }
  ],
  "permissions": ["host.timer", "profile.basic", "host.haptic"],
  "capabilities": ["host.haptic", "host.haptic"]
}"""
_QUICK_FIX = _BEFORE.replace('"profile.basic", "host.haptic"', '"profile.basic", "host.haptics"')
_FIX_ALL = _QUICK_FIX.replace("30.0", "30").replace(
    '["host.haptic", "host.haptic"]', '["host.haptic"]'
)
_LINES = _BEFORE.split("\n")


def _units(text: str) -> int:
    """What an editor counts before a place: bytes in Neovim, characters in Emacs."""
    return len(text.encode())


def _places(columns: Any) -> list[tuple[int, int]]:
    wanted = [(5, "30.0", 0), (7, '"host.haptic"', 0), (8, ' "host.haptic"', 1)]
    return [
        (line, columns(_LINES[line][: _LINES[line].rindex(text)]) + more)
        for line, text, more in wanted
    ]


def _settings_of(editor: str) -> str:
    block = rf"^```{_LANGUAGES[editor]}\n(.*?)^```$"
    settings, *_ = re.findall(block, _PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return str(settings)


def _seen_by(editor: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "a.manifest.json").write_text(_BEFORE + "\n", encoding="utf-8")
        result = folder / "seen"
        environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "SETTINGS": _settings_of(editor),
            "RESULT": str(result),
            "HOME": name,
            "LANG": "C.UTF-8",
        }
        done = subprocess.run(
            _EDITORS[editor],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        if not result.exists():
            raise AssertionError(f"{editor} says nothing: {done.stdout}{done.stderr}")
        seen: dict[str, Any] = json.loads(result.read_text("utf-8"))
    return seen


def _check(editor: str) -> str:
    """What an editor was seen to do; raises AssertionError where that is wrong."""
    seen = _seen_by(editor)
    assert "error" not in seen, seen["error"]
    columns = _units if editor == "nvim" else len
    places = sorted((each["line"], each["column"]) for each in seen["diagnostics"])
    assert places == _places(columns), (places, _places(columns))
    assert seen["quick_fix"].rstrip("\n") == _QUICK_FIX, seen["quick_fix"]
    assert len(seen["after_fix"]) == len(places) - 1
    assert seen["fix_all"].rstrip("\n") == _FIX_ALL, seen["fix_all"]
    assert "Version of the manifest format" in seen["hover"], seen["hover"]
    assert seen["completion"] is True, seen["completion"]
    assert json.loads(seen["formatted"]) == json.loads(_FIX_ALL)
    assert ":  " not in seen["formatted"], seen["formatted"]
    return str(seen["version"])


if __name__ == "__main__":
    for each in sys.argv[1:] or _EDITORS:
        print(
            f"{each} {_check(each)}: diagnostics at their columns, quick fix, fix-all, hover,"
            " completion, formatting"
        )
