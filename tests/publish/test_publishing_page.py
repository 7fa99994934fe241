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
from manifestkit.publish.packing import MOST_BYTES, MOST_ENTRIES
from manifestkit.publish.retry import DEPLOY_RETRY_POLICY, MOST_TRIES
from rehearsal import ACCEPTED, DOMAIN, User, site
from test_commands import sandbox_process
from test_deploys import posix

pytestmark = pytest.mark.slow

PAGE = (REPOSITORY / "docs" / "publishing.md").read_text("utf-8")
TUTORIAL = (REPOSITORY / "docs" / "tutorials" / "publishing.md").read_text("utf-8")
COMMANDS = ("login", "logout", "whoami", "sites", "deploy", "deploys", "sandbox", "lint", "new")


def test_every_option_on_the_page_is_one() -> None:
    context = click.Context(app)
    known = {"--help"}
    for name in COMMANDS:
        command = app.get_command(context, name)
        assert command is not None
        known.update(option for each in command.get_params(context) for option in each.opts)
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", PAGE + TUTORIAL)) <= known


@pytest.mark.parametrize("job", ["check", "deploy"])
def test_the_recipe_runs(
    tmp_path: Path, user: User, job: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (recipe,) = re.findall(r"^```yaml\n# \S+\n(.*?)^```$", TUTORIAL, re.MULTILINE | re.DOTALL)
    steps = yaml.safe_load(recipe)["jobs"][job]["steps"]
    (command,) = [each["run"] for each in steps if each.get("run", "").startswith("manifest ")]
    site(tmp_path / "dist")
    monkeypatch.chdir(tmp_path)
    _, *arguments = shlex.split(command.replace("calm.example.org", DOMAIN))
    assert user(*arguments).code == ACCEPTED
    assert (tmp_path / "receipt.json").exists() == (job == "deploy")


@posix
def test_the_tutorial_runs_as_it_is_written(tmp_path: Path) -> None:
    tutorial = TUTORIAL[TUTORIAL.index("## Your first") : TUTORIAL.index("## In continuous")]
    blocks = re.findall(r"^```(sh|toml)\n(.*?)^```$", tutorial, re.MULTILINE | re.DOTALL)
    start = blocks[0][1]
    (settings,) = (text for kind, text in blocks if kind == "toml")
    password = re.search("MANIFESTKIT_SANDBOX_PASSWORD=(.*)", start)
    options = re.search("--account .*", start)
    assert password is not None
    assert options is not None
    secret = {"MANIFESTKIT_SANDBOX_PASSWORD": password[1]}
    with sandbox_process(tmp_path / "data", *options[0].split(), **secret) as (url, _):
        port = url.rpartition(":")[2]
        (tmp_path / "manifestkit.toml").write_text(settings.replace("8080", port))
        script = "".join(text for kind, text in blocks[1:] if kind == "sh").replace("8080", port)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=tmp_path,
            env=environment(
                HOME=str(tmp_path), PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}"
            ),
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stdout
    told = [line.partition(":")[0].partition(" (")[0] for line in done.stdout.splitlines()]
    sent = [each for each in told if each in {"accepted", "verified"}]
    assert sent == ["accepted", "accepted", "verified"]
    assert "left out  .env: `*.env`, by default" in done.stdout


def test_the_numbers_on_the_page_are_those_of_the_code() -> None:
    text = " ".join(PAGE.split())
    assert f"more than {MOST_ENTRIES:,} files (`--max-entries`)" in text
    assert f"{MOST_BYTES // 1024**3} GiB unpacked (`--max-size`)" in text
    assert f"at most {MOST_TRIES} attempts" in text
    assert f"{DEPLOY_RETRY_POLICY.read:g} s for a deploy" in text
    assert f"{DEPLOY_RETRY_POLICY.connect:g} s to connect" in text
