"""What the commands say, to people and with --json, when things go well and when they do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from rehearsal import (
    AUTHENTICATION,
    OTHER_EMAIL,
    USAGE,
    Sandbox,
    User,
    zipped,
)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["deploy", "dist", "--json", "--base-url", "https://a.example"], "--domain"),
        (["deploy", "--json", "--domain", "a"], "FOLDER"),
        (["login", "--json", "--api-form", "foo"], "foo"),
        (["logout", "--nonsense", "--json"], "--nonsense"),
        (["sites", "--json", "--timeout", "soon"], "soon"),
        (["sites", "--json"], "MANIFESTKIT_BASE_URL"),
    ],
)
def test_wrong_usage_is_one_object_with_json(
    tmp_path: Path, arguments: list[str], told: str
) -> None:
    ended = User(tmp_path, "")(*arguments)
    assert (ended.code, ended.err) == (USAGE, "")
    error = ended.json["error"]
    assert told in error.pop("message")
    assert error == {"kind": "usage", "code": None, "details": None}
    assert ended.json["exit_code"] == USAGE


def test_wrong_usage_is_told_to_people_without_json(tmp_path: Path) -> None:
    ended = User(tmp_path, "")("deploy", "dist", "--base-url=https://a.example")
    assert (ended.code, ended.out) == (USAGE, "")
    assert "domain" in ended.err


def test_a_token_that_the_environment_holds_is_told_where_it_is_refused(
    tmp_path: Path, running: Sandbox, user: User
) -> None:
    advice = "MANIFESTKIT_TOKEN is set, and the service does not accept it: correct or unset it"
    env = {"MANIFESTKIT_TOKEN": "stale"}
    for ended in (
        user("sites", env=env),
        user.deploy(zipped(tmp_path / "site.zip"), env=env),
    ):
        assert ended.code == AUTHENTICATION
        assert advice in ended.err
        assert "manifest login" not in ended.err
    running.play("sites=denied")
    assert "get a new token with `manifest login`" in user("sites").err


def test_who_is_not_logged_in_is_told_how_to_be(tmp_path: Path, running: Sandbox) -> None:
    user = User(tmp_path / "home", running.url)
    login = f"`manifest login --base-url {running.url}"
    assert f"{login}`, or set" in user("sites").err
    assert f"{login} --api-form alt`" in user("whoami", "--api-form", "alt").err
    assert f"as {OTHER_EMAIL}: run {login} --email {OTHER_EMAIL}`" in (
        user("sites", "--account", OTHER_EMAIL).err
    )
