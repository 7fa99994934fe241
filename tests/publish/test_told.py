"""What the commands say, to people and with --json, when things go well and when they do not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rehearsal import (
    ACCEPTED,
    AUTHENTICATION,
    DOMAIN,
    OTHER_EMAIL,
    REFUSED,
    USAGE,
    Sandbox,
    User,
    site,
    zipped,
)
from test_deploys import posix
from test_faults import answering


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["deploy", "dist", "--json"], "--domain"),
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


@pytest.mark.parametrize("arguments", [["deploy", "dist"], ["deploy", "--", "--json"]])
def test_wrong_usage_is_told_to_people_without_json(tmp_path: Path, arguments: list[str]) -> None:
    ended = User(tmp_path, "")(*arguments)
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


@posix
def test_a_link_in_a_folder_is_refused_by_the_gate(tmp_path: Path, user: User) -> None:
    folder = site(tmp_path / "dist")
    (folder / "odd.html").symlink_to("index.html")
    (folder / "out").symlink_to("/etc")
    ended = user.deploy(folder, "--json")
    assert ended.code == REFUSED
    assert ended.json["gate"]["problems"] == [
        "`odd.html` is a link: replace it by a file, or list it in .manifestignore",
        "`out` is a link: replace it by a file, or list it in .manifestignore",
    ]
    assert "nothing was sent" in user.deploy(folder).err


def test_an_acceptance_names_the_version_and_the_address(
    tmp_path: Path, running: Sandbox, user: User
) -> None:
    archive = zipped(tmp_path / "site.zip")
    for version in (1, 2):
        told = user.deploy(archive, "--force").out
        where = f"http://{DOMAIN}:{running.port}/"
        assert told.endswith(f" for {DOMAIN}, as version {version}: {where}\n")


@pytest.mark.parametrize(
    ("response", "told"),
    [
        ({}, ""),
        ({"version": True, "url": 3}, ""),
        ({"version": "v7"}, ", as version v7"),
        ({"url": "https://a.example/"}, ": https://a.example/"),
        ({"version": 3, "url": "javascript:alert(1)"}, ", as version 3"),
        ({"version": "\x1b[31m9\n10", "url": "http://a/\x1b]8;;x\x07"}, ""),
        ({"version": "1" * 500, "url": f"https://{'a' * 5000}/"}, ""),
        ({"version": 1, "url": "http://[::1"}, ", as version 1"),
        ([1], ""),
    ],
)
def test_of_an_acceptance_only_what_can_be_shown_is(
    tmp_path: Path, response: Any, told: str
) -> None:
    body = json.dumps(response).encode()
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    with answering(answer) as url:
        user = User(tmp_path / "home", url, {"MANIFESTKIT_TOKEN": "sesame-token"})
        ended = user.deploy(zipped(tmp_path / "site.zip"))
    assert ended.code == ACCEPTED
    assert ended.out.endswith(f") for {DOMAIN}{told}\n")


def test_who_is_not_logged_in_is_told_how_to_be(tmp_path: Path, running: Sandbox) -> None:
    user = User(tmp_path / "home", running.url)
    login = f"`manifest login --base-url {running.url}"
    assert f"{login}`, or set" in user("sites").err
    assert f"as {OTHER_EMAIL}: run {login} --email {OTHER_EMAIL}`" in (
        user("sites", "--account", OTHER_EMAIL).err
    )
