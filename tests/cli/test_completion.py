"""Pointers are completed in bash, zsh, fish and PowerShell."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command import environment, manifest
from report_cases import GOOD
from rows import rows

SHELLS = ("bash", "zsh", "fish")
VALUE = {
    **GOOD,
    "activities": [{"id": "box", "name": "Box"}, {"id": "rest", "name": "Rest"}],
    "permissions": ["host.timer"],
}


def offered(shell: str, folder: Path, *words: str) -> list[str]:
    """What a shell is offered for the last word, as its script reads the answer."""
    asked = {"_MANIFEST_COMPLETE": f"{shell}_complete", "COMP_CWORD": str(len(words))}
    asked["COMP_WORDS"] = " ".join(("manifest", *words))
    if shell in {"fish", "powershell"}:
        asked["COMP_CWORD"] = words[-1]
    if shell == "powershell":
        asked["COMP_WORDS"] = "\n".join(("manifest", *words[:-1]))
    outcome = manifest(cwd=folder, env=asked)
    assert outcome.err == ""
    lines = outcome.out.splitlines()
    if shell == "zsh":
        return lines[1::3]
    return [line.removeprefix("plain,").partition("\t")[0] for line in lines if line]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "manifest.json").write_text(json.dumps(VALUE))
    return tmp_path


@pytest.mark.parametrize("shell", SHELLS)
def test_pointers_of_the_schema_are_completed(here: Path, shell: str) -> None:
    for command in ("get", "set", "remove", "explain"):
        assert offered(shell, here, command, "/provider/v") == ["/provider/version"]
        assert "/activities/0/surfaces" in offered(shell, here, command, "/activities/")


@pytest.mark.parametrize("shell", SHELLS)
def test_what_can_be_added_is_completed(here: Path, shell: str) -> None:
    assert offered(shell, here, "add", "") == ["activity", "permission", "capability"]
    assert "host.haptics" in offered(shell, here, "add", "permission", "host.")


@rows("words", [("foo", ""), ("fleet", "foo", ""), ("profile", "foo", "")])
def test_nothing_is_completed_after_a_command_that_there_is_not(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    offered("bash", tmp_path, *words)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_real_shell_completes_a_pointer(here: Path, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    by = f"{sys.executable} -m manifestkit"
    script = manifest("completion", shell, cwd=here).out
    (here / "script").write_text(script)
    (here / "bin").mkdir()
    command = here / "bin" / "manifest"
    command.write_text(f'#!/bin/sh\nexec {by} "$@"\n')
    command.chmod(0o755)
    path = f"{here / 'bin'}:{environment()['PATH']}"
    asks = {
        "bash": "source ./script; COMP_WORDS=(manifest remove /provider/i); COMP_CWORD=2; "
        '_manifest_completion manifest /provider/i remove; printf "%s\\n" "${COMPREPLY[@]}"',
        "fish": "source ./script; complete -C 'manifest remove /provider/i'",
        "zsh": "compdef() { :; }; _describe() { print -l ${(P)3} }; compadd() { print -l $@ }; "
        "source ./script; words=(manifest remove /provider/i); CURRENT=3; _manifest_completion",
    }
    done = subprocess.run(
        [shell, "-c", asks[shell]],
        cwd=here,
        env=environment(PATH=path),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "/provider/id" in done.stdout, done.stderr
