"""The commands as their users run them: processes of their own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from command import CLEAN, MANIFEST, USAGE, environment, manifest, modules_after
from rehearsal import ACCEPTED, DOMAIN, EMAIL, PASSWORD, Sandbox, User, asked, served, site
from skips import posix


@posix
def test_a_sandbox_from_the_command_line_keeps_what_it_got(tmp_path: Path) -> None:
    with served(tmp_path / "data", "--account", EMAIL) as (url, said, _):
        account = re.fullmatch(rf"account {EMAIL}, password (\S+)\n", said[0])
        assert account is not None
        user = User(tmp_path / "home", url)
        assert user.login(password=account[1]).code == CLEAN
        assert user.deploy(site(tmp_path / "dist")).code == CLEAN
    with served(tmp_path / "data") as (url, said, _):
        assert not any("password" in each for each in said)  # it is shown only once
        user = User(tmp_path / "home", url)
        assert user.login(password=account[1]).code == CLEAN
        assert user("sites").out == f"{DOMAIN}\n"
        port = int(url.rpartition(":")[2])
        assert asked(port, "GET", "/", Host=f"{DOMAIN}:{port}") == (200, b"<h1>calm</h1>")


@posix
def test_without_options_there_is_an_account_and_nothing_is_left(tmp_path: Path) -> None:
    with served(None, TMPDIR=str(tmp_path)) as (url, said, _):
        account = re.fullmatch(rf"account {EMAIL}, password (\S+)\n", said[0])
        assert account is not None
        user = User(tmp_path / "home", url)
        assert user.login(password=account[1]).code == CLEAN
        assert user.deploy(site(tmp_path / "dist")).code == CLEAN
    assert not list(tmp_path.glob("manifestkit-sandbox-*"))


@posix
def test_a_password_from_the_environment_is_confirmed_and_not_shown(tmp_path: Path) -> None:
    secret = {"MANIFESTKIT_SANDBOX_PASSWORD": PASSWORD}
    with served(tmp_path / "data", "--account", EMAIL, **secret) as (url, said, _):
        assert said[0] == f"account {EMAIL}, password of MANIFESTKIT_SANDBOX_PASSWORD\n"
        assert User(tmp_path / "home", url).login().code == CLEAN


@posix
def test_on_a_terminal_a_password_is_asked_for_and_not_shown(
    tmp_path: Path, running: Sandbox
) -> None:
    ours, theirs = os.openpty()
    with subprocess.Popen(
        [*MANIFEST, "login"],
        env=environment(TERM="xterm", **User(tmp_path, running.url).variables),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,  # so that it finds no other terminal than this
    ) as process:
        os.close(theirs)
        seen = read_until(ours, b"E-mail: ")
        os.write(ours, f"{EMAIL}\n".encode())
        seen += read_until(ours, b"Password: ")
        os.write(ours, f"{PASSWORD}\n".encode())
        seen += read_until(ours, b".json")
        assert process.wait(30) == CLEAN
    os.close(ours)
    assert b"logged in to " in seen
    assert PASSWORD.encode() not in seen


def read_until(descriptor: int, end: bytes) -> bytes:
    seen = b""
    while end not in seen:
        seen += os.read(descriptor, 4096)
    return seen


@pytest.mark.parametrize("command", ["deploy", "lsp", "sandbox"])
def test_what_is_not_installed_is_told_with_the_way_to_install_it(
    tmp_path: Path, command: str
) -> None:
    arguments = {"deploy": ["a.zip", "--domain=a"], "sandbox": ["--data=d"]}.get(command, [])
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['httpx2', 'aiohttp', 'pygls'])); "
        "from manifestkit.cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, command, *arguments],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    extra = "publish" if command == "deploy" else command
    assert done.returncode == USAGE
    assert done.stderr == (
        f"error: this command needs the extra `{extra}`: "
        f"python -m pip install 'manifestkit[{extra}]', or before a release, '.[{extra}]' in a "
        f"clone, elsewhere 'manifestkit[{extra}] @ git+URL@COMMIT'\n"
    )


def test_checking_manifests_loads_nothing_of_publishing(tmp_path: Path) -> None:
    code = (
        "from manifestkit.cli.main import app; "
        "app.main(['lint', '--show-files', '.'], standalone_mode=False)"
    )
    loaded = modules_after(code, tmp_path)
    assert not [name for name in loaded if name.startswith(("httpx2", "aiohttp", "asyncio"))]
    assert not [name for name in loaded if name.startswith("manifestkit.publish")]
    assert manifest("--version", cwd=tmp_path).code == CLEAN


def test_the_outcome_is_in_every_object(tmp_path: Path, user: User) -> None:
    """That it is as its schema says is checked for each that a test reads."""
    assert user.login("--json").json["outcome"] == "done"
    dist = site(tmp_path / "dist")
    for command in (["sites"], ["deploy", str(dist), "--list"], ["logout"]):
        told = user(*command, "--json").json
        assert (told["outcome"], told["exit_code"]) == ("done", ACCEPTED)
    (dist / "a\\b").write_text("")
    assert user("deploy", dist, "--list", "--json").json["outcome"] == "refused"
