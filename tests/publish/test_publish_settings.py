"""`[publish]` in the configuration, what comes before it, and arguments that are empty."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rehearsal import ACCEPTED, DOMAIN, REFUSED, USAGE, Sandbox, User, site, zipped
from rows import rows


@pytest.fixture
def project(tmp_path: Path, running: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a site and all settings of it."""
    folder = tmp_path / "project"
    site(folder / "dist" / "site", **{"a.map": b""})
    (folder / "dist" / "app").mkdir()
    (folder / "dist" / "site" / "manifest.json").rename(
        folder / "dist" / "site" / "x.manifest.json"
    )
    (folder / "manifestkit.toml").write_text(
        f"""
        [publish]
        base-url = "{running.url}"
        api-form = "alt"
        domain = "{DOMAIN}"
        folder = "dist/site"
        manifest = "x.manifest.json"
        ignore = ["*.map"]
        """
    )
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def somebody(tmp_path: Path, project: Path) -> User:
    """Somebody who names no service."""
    assert project
    someone = User(tmp_path / "home", "")
    assert someone.login().code == ACCEPTED
    return someone


def test_everything_can_be_configured(project: Path, running: Sandbox, somebody: User) -> None:
    ended = somebody("deploy", "--json")
    assert ended.code == ACCEPTED, ended.err
    requests = [line for line in running.log if not line.startswith("site ")]
    assert requests == ["POST '/api/cli/login' 200", "POST '/api/cli/deploy' 200"]
    assert ended.json["manifest"]["name"] == "x.manifest.json"
    assert ended.json["archive"]["source"] == "dist/site"
    assert ended.json["archive"]["left_out"] == 1
    assert somebody("sites").out == f"{DOMAIN}\n"
    assert project.name == "project"


def test_an_option_and_the_environment_come_first(
    tmp_path: Path, project: Path, running: Sandbox, somebody: User
) -> None:
    settings = project / "manifestkit.toml"
    settings.write_text(settings.read_text().replace(running.url, "http://127.0.0.1:9"))
    by_environment = {"MANIFESTKIT_BASE_URL": running.url, "MANIFESTKIT_API_FORM": "base"}
    other = zipped(tmp_path / "site.zip")
    options = ("--domain", "other.localhost", "--manifest", "manifest.json")
    ended = somebody("deploy", other, *options, "--json", env=by_environment)
    assert (ended.code, ended.json["domain"]) == (ACCEPTED, "other.localhost")
    assert ended.json["base_url"] == running.url
    ended = somebody("deploy", "--base-url", running.url, "--api-form=alt", env=by_environment)
    assert ended.code == ACCEPTED
    assert [line.split()[1] for line in running.deploys] == [
        "'/v2/cli/deploy'", "'/api/cli/deploy'",
    ]  # fmt: skip


def test_the_threshold_of_deploys_is_their_own(project: Path, somebody: User) -> None:
    (project / "dist" / "site" / "index.js").unlink()  # a missing file is a warning
    assert somebody("deploy", "--dry-run").code == ACCEPTED
    settings = project / "manifestkit.toml"
    settings.write_text(f'{settings.read_text()}\nfail-on = "warning"')
    assert somebody("deploy", "--dry-run").code == REFUSED
    assert somebody("deploy", "--dry-run", "--fail-on", "error").code == ACCEPTED
    assert somebody("lint", "dist").code == ACCEPTED


def test_members_of_an_extended_file_hold_one_by_one(project: Path, somebody: User) -> None:
    (project / "manifestkit.toml").rename(project / "base.toml")
    (project / "manifestkit.toml").write_text(
        'extend = "base.toml"\n[publish]\ndomain = "other.localhost"\n'
    )
    ended = somebody("deploy", "--json")
    assert (ended.code, ended.json["domain"]) == (ACCEPTED, "other.localhost")


@pytest.mark.parametrize("given", ["http://api.example.org", "https://u:p@a.example", "nonsense"])
def test_a_base_url_that_cannot_be_is_told_with_its_file(
    project: Path, somebody: User, given: str
) -> None:
    (project / "manifestkit.toml").write_text(f'[publish]\nbase-url = "{given}"')
    for command in ("sites", "logout", "login"):
        told = somebody(command)
        assert told.code == USAGE
        assert re.match("error: manifestkit.toml(?::2)?: `publish.base-url`", told.err)
        assert "u:p" not in told.err


def test_no_setting_comes_out_of_what_is_deployed(
    tmp_path: Path, project: Path, somebody: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A site from a stranger names a service of its own, which gets no token."""
    stranger = '[publish]\nbase-url = "http://127.0.0.1:9"\ndomain = "x.localhost"\n'
    token = {"MANIFESTKIT_TOKEN": "any"}
    dist = project / "dist" / "site"
    (dist / "manifestkit.toml").write_text(stranger)
    assert somebody("deploy", "--json").json["domain"] == DOMAIN
    archive = zipped(tmp_path / "s.zip", **{"manifestkit.toml": stranger.encode()})
    ended = somebody("deploy", archive, "--manifest=manifest.json", "--json")
    assert ended.json["domain"] == DOMAIN
    monkeypatch.chdir(dist)
    refused = somebody("deploy", ".", env=token)
    assert refused.code == USAGE
    assert "manifestkit.toml is in the folder that is deployed" in refused.err
    (dist / "manifestkit.toml").write_text('ignore = ["permission-added"]\n')
    assert somebody("deploy", ".", "--dry-run").code == USAGE
    named = somebody("deploy", ".", "--config", "manifestkit.toml", "--list")
    assert named.code == ACCEPTED


EMPTY = {
    "source": ["deploy", "", "--domain", DOMAIN],
    "blank source": ["deploy", " ", "--domain", DOMAIN],
    **{
        option: ["deploy", ".", f"--domain={DOMAIN}", *option.split("|")]
        for option in (
            *("--domain=", "--domain|", "--manifest=", "--base-url=", "--profile=", "--config="),
            *("--output=", "--fail-on="),
        )
    },
    "login": ["login", "--email", ""],
}


@rows("arguments", EMPTY.values(), ids=EMPTY)
def test_an_empty_argument_is_wrong_usage(
    tmp_path: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`"$UNSET"` would name the folder that one is in, and publish it."""
    monkeypatch.chdir(site(tmp_path / "private"))
    before = sorted(tmp_path.rglob("*"))
    ended = User(tmp_path / "home", "http://127.0.0.1:9")(
        *arguments, env={"MANIFESTKIT_TOKEN": "t"}
    )
    assert (ended.code, ended.out) == (USAGE, "")
    assert "is empty; is a variable unset?" in ended.err
    assert sorted(tmp_path.rglob("*")) == before


def test_an_empty_argument_is_told_as_one_object_too(tmp_path: Path) -> None:
    ended = User(tmp_path / "home", "")("deploy", "", "--json")
    assert ended.json["exit_code"] == ended.code == USAGE
    assert "is empty; is a variable unset?" in ended.json["error"]["message"]
