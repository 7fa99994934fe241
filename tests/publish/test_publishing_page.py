"""The two pages on publishing: the tutorial runs as it is written, the reference is true."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
import yaml

from command import REPOSITORY, environment
from manifestkit.cli.main import app
from rehearsal import ACCEPTED, DOMAIN, NOT_SENT, RATE_LIMITED, User, served, site
from skips import posix

pytestmark = pytest.mark.slow

PAGE = (REPOSITORY / "docs" / "publishing.md").read_text("utf-8")
TUTORIAL = (REPOSITORY / "docs" / "tutorials" / "publishing.md").read_text("utf-8")
COMMANDS = ("login", "logout", "sites", "deploy", "sandbox", "lint", "new", "diff")


def test_every_option_on_the_page_is_one() -> None:
    context = click.Context(app, **app.context_settings)
    known = {"--help"}
    for name in COMMANDS:
        command = app.get_command(context, name)
        assert command is not None
        known.update(option for each in command.get_params(context) for option in each.opts)
    ours = re.sub(r"\$\(git .*?\)", "", PAGE + TUTORIAL)
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", ours)) <= known


@pytest.mark.parametrize("job", ["check", "deploy", "GitLab's"])
def test_the_recipe_runs(
    tmp_path: Path, user: User, job: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = re.findall(r"^```yaml\n# \S+\n(.*?)^```$", TUTORIAL, re.MULTILINE | re.DOTALL)
    github, gitlab = map(yaml.safe_load, found)
    assert gitlab["deploy"]["retry"]["exit_codes"] == [RATE_LIMITED, NOT_SENT]
    runs = gitlab["deploy"]["script"]
    if job in github["jobs"]:
        runs = [each.get("run", "") for each in github["jobs"][job]["steps"]]
    (command,) = [each for each in runs if each.startswith("manifest ")]
    command, _, receipt = command.partition(" > ")
    site(tmp_path / "dist")
    monkeypatch.chdir(tmp_path)
    _, *arguments = shlex.split(command.replace("calm.example.org", DOMAIN))
    ended = user(*arguments)
    assert ended.code == ACCEPTED
    assert bool(receipt) == (job != "check")
    assert not receipt or ended.json["outcome"] == "accepted"


@posix
def test_the_tutorial_runs_as_it_is_written(tmp_path: Path) -> None:
    tutorial = TUTORIAL[TUTORIAL.index("## Your first") : TUTORIAL.index("## In continuous")]
    blocks = re.findall(r"^```(sh|toml)\n(.*?)^```$", tutorial, re.MULTILINE | re.DOTALL)
    (settings,) = (text for kind, text in blocks if kind == "toml")
    assert blocks[0] == ("sh", "manifest sandbox\n")
    with served(None, TMPDIR=str(tmp_path)) as (url, said, _):
        password = said[0].rpartition(" ")[2].strip()
        port = url.rpartition(":")[2]
        (tmp_path / "manifestkit.toml").write_text(settings.replace("8080", port))
        script = "".join(text for kind, text in blocks[1:] if kind == "sh").replace("8080", port)
        script = script.replace("PASSWORD", password)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=tmp_path,
            env=environment(
                XDG_CONFIG_HOME=str(tmp_path),
                PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            ),
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stdout
    told = [line.partition(":")[0].partition(" (")[0] for line in done.stdout.splitlines()]
    assert told.count("accepted") == 3
    assert "left out  .env: `.*`, by the defaults" in done.stdout
