"""Tokens lie where only their owner can read them."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from command import MANIFEST, environment
from rehearsal import (
    ACCEPTED,
    AUTHENTICATION,
    DOMAIN,
    EMAIL,
    PASSWORD,
    REJECTED,
    USAGE,
    Sandbox,
    User,
    sandbox,
    zipped,
)
from test_deploys import posix
from test_faults import answer, answering


def credentials(user: User) -> Path:
    return next(user.home.rglob("credentials.json"))


@posix
def test_only_the_user_can_read_the_file_whatever_the_umask(
    tmp_path: Path, running: Sandbox
) -> None:
    user = User(tmp_path / "home", running.url)
    mask = os.umask(0)
    try:
        assert user.login().code == ACCEPTED
    finally:
        os.umask(mask)
    file = credentials(user)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert {each.name for each in file.parent.iterdir()} == {file.name, f"{file.name}.lock"}
    assert all(stat.S_IMODE(each.stat().st_mode) == 0o600 for each in file.parent.iterdir())


@pytest.mark.slow
def test_logins_and_logouts_at_once_lose_nothing(tmp_path: Path) -> None:
    emails = [f"u{number}@example.org" for number in range(4)]

    def start(url: str, *arguments: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [*MANIFEST, *arguments, "--base-url", url],
            env=environment(XDG_CONFIG_HOME=str(tmp_path / "config"), LOCALAPPDATA=str(tmp_path)),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        assert process.stdin is not None
        process.stdin.write(f"{PASSWORD}\n".encode())
        process.stdin.close()
        return process

    def stored() -> set[str]:
        (file,) = tmp_path.rglob("credentials.json")
        return {each["account"] for each in json.loads(file.read_text("utf-8"))["accounts"]}

    with answering(*[answer(b'{"name": "me", "token": "sesame-open"}')] * 4) as url:
        logins = [start(url, "login", "--email", each, "--password-stdin") for each in emails]
        assert [process.wait(120) for process in logins] == [0] * 4
        assert stored() == set(emails)
        logouts = [start(url, "logout", "--account", each) for each in emails[:3]]
        assert [process.wait(120) for process in logouts] == [0] * 3
    assert stored() == {emails[3]}


def test_what_a_login_stores_can_be_read_again(tmp_path: Path) -> None:
    def given(token: str, name: str = "me") -> bytes:
        return answer(json.dumps({"token": token, "name": name}).encode())

    longest, sites = "T" * 8_192, answer(b"[]")
    with answering(
        *(given("T" * 1_000_000), given(longest, "a" * 1_000_000), sites, given(f"{longest}b"))
    ) as url:
        user = User(tmp_path, url)
        assert user.login().code == REJECTED
        assert not [*tmp_path.rglob("credentials.json")]
        assert user.login().code == ACCEPTED
        assert user("sites").code == ACCEPTED
        assert "at most 8,192 characters" in user.login().err
    assert len(credentials(user).read_text("utf-8")) < 10_000


def test_a_file_of_credentials_never_grows_longer_than_can_be_read(tmp_path: Path) -> None:
    with answering(*[answer(json.dumps({"token": "T" * 8_192}).encode())] * 2) as url:
        user = User(tmp_path, url)
        assert user.login().code == ACCEPTED
        file = credentials(user)
        contents = json.loads(file.read_text("utf-8"))
        (own,) = contents["accounts"]
        others = [{**own, "account": f"{number}@example.org"} for number in range(125)]
        file.write_text(json.dumps({**contents, "accounts": [*others, own]}))
        before = file.read_bytes()
        ended = user("login", "--email", "last@example.org", "--password-stdin", stdin="x\n")
        assert (ended.code, "log out of an account first" in ended.err) == (USAGE, True)
    assert file.read_bytes() == before


def test_an_account_is_not_claimed_for_a_token_that_is_given(tmp_path: Path, user: User) -> None:
    token = {"MANIFESTKIT_TOKEN": "sesame-open"}
    for command in (["sites"], ["whoami"], ["deploy", tmp_path, "--domain", DOMAIN]):
        ended = user(*command, "--account", "nobody@example.org", env=token)
        assert (ended.code, "or --account" in ended.err) == (USAGE, True)


@posix
@pytest.mark.parametrize(
    ("mode", "command"),
    [(0o640, "sites"), (0o604, "login"), (0o620, "logout"), (0o644, "sites")],
)
def test_a_file_that_others_can_read_is_refused(user: User, mode: int, command: str) -> None:
    file = credentials(user)
    file.chmod(mode)
    ended = user.login() if command == "login" else user(command)
    assert ended.code == USAGE
    assert "other users can read this file; run `chmod 600` on it" in ended.err


@posix
def test_a_site_token_file_that_others_can_read_is_refused(tmp_path: Path, user: User) -> None:
    file = tmp_path / "site-token"
    file.write_text("secret")
    file.chmod(0o644)
    ended = user.deploy(zipped(tmp_path / "site.zip"), "--site-token-file", file)
    assert ended.code == USAGE
    assert "`chmod 600` on it" in ended.err
    missing = user.deploy(tmp_path / "site.zip", "--site-token-file", tmp_path / "gone")
    assert (missing.code, "no such file" in missing.err) == (USAGE, True)


def test_the_environments_token_comes_first_and_needs_no_file(user: User) -> None:
    assert user("sites", env={"MANIFESTKIT_TOKEN": "wrong"}).code == AUTHENTICATION
    token = json.loads(credentials(user).read_text("utf-8"))["accounts"][0]["token"]
    credentials(user).write_text("damaged")
    assert user("sites", env={"MANIFESTKIT_TOKEN": token}).code == ACCEPTED
    assert "not a credentials file of manifestkit" in user("sites").err


def test_a_token_belongs_to_one_service(running: Sandbox, user: User) -> None:
    other = running.url.replace("127.0.0.1", "localhost")
    assert user("sites", "--base-url", other).code == AUTHENTICATION


def test_of_several_accounts_one_must_be_named(user: User) -> None:
    file = credentials(user)
    contents = json.loads(file.read_text("utf-8"))
    other = {**contents["accounts"][0], "account": "you@example.org", "token": "wrong"}
    contents["accounts"].append(other)
    file.write_text(json.dumps(contents))
    ended = user("sites")
    assert ended.code == USAGE
    assert f"as {EMAIL}, you@example.org; choose one with --account" in ended.err
    assert user("sites", "--account", EMAIL).code == ACCEPTED
    assert user("sites", "--account", "you@example.org").code == AUTHENTICATION
    assert user("logout", "--account", "you@example.org").code == ACCEPTED
    assert user("sites").code == ACCEPTED


def test_a_new_login_keeps_the_other_accounts_and_the_site_tokens(user: User) -> None:
    file = credentials(user)
    contents = json.loads(file.read_text("utf-8"))
    contents["accounts"][0]["site_tokens"] = {DOMAIN: "s"}
    contents["accounts"].append({**contents["accounts"][0], "origin": "https://other.example"})
    file.write_text(json.dumps(contents))
    assert user.login().code == ACCEPTED
    accounts = json.loads(file.read_text("utf-8"))["accounts"]
    assert {each["origin"] for each in accounts} == {"https://other.example", user.url}
    assert all(each["site_tokens"] == {DOMAIN: "s"} for each in accounts)
    assert user("logout").code == ACCEPTED
    assert user("whoami").code == AUTHENTICATION
    (left,) = (
        each for each in json.loads(file.read_text("utf-8"))["accounts"] if "token" not in each
    )
    assert left["site_tokens"] == {DOMAIN: "s"}
    assert user.login().code == ACCEPTED
    (entry,) = (
        each
        for each in json.loads(file.read_text("utf-8"))["accounts"]
        if each["origin"] == user.url
    )
    assert entry["site_tokens"] == {DOMAIN: "s"}


@pytest.mark.parametrize(
    "contents",
    [
        "",
        "[]",
        "{}",
        '{"version": 2, "accounts": []}',
        '{"version": 1, "accounts": [{}]}',
        "[" * 9999,
    ],
)
def test_what_is_no_credentials_file_is_told_and_left_alone(user: User, contents: str) -> None:
    credentials(user).write_text(contents)
    for ended in (user("sites"), user.login(), user("logout")):
        assert ended.code == USAGE
        assert "not a credentials file of manifestkit" in ended.err
    assert credentials(user).read_text("utf-8") == contents


BACKEND = '''
import json, pathlib, keyring.backend, os

class Keyring(keyring.backend.KeyringBackend):
    """Keeps passwords in a file, as a system's keyring would elsewhere."""

    priority = 1
    _file = pathlib.Path(os.environ["KEYRING_FILE"])

    def _all(self):
        return json.loads(self._file.read_text()) if self._file.exists() else {}

    def get_password(self, service, username):
        return self._all().get(f"{service} {username}")

    def set_password(self, service, username, password):
        self._file.write_text(json.dumps({**self._all(), f"{service} {username}": password}))

    def delete_password(self, service, username):
        self._file.write_text(json.dumps(
            {name: each for name, each in self._all().items() if name != f"{service} {username}"}
        ))
'''


@pytest.fixture
def keyring_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A keyring of this test's own, by the way in which systems plug theirs in."""
    import keyring  # noqa: PLC0415 - with the environment of the test

    (tmp_path / "file_keyring.py").write_text(BACKEND)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("KEYRING_FILE", str(tmp_path / "keyring.json"))
    sys.modules.pop("file_keyring", None)
    keyring.core.set_keyring(keyring.core.load_keyring("file_keyring.Keyring"))
    return tmp_path / "keyring.json"


def test_a_token_in_the_keyring_is_in_no_file(
    tmp_path: Path, running: Sandbox, keyring_file: Path
) -> None:
    user = User(tmp_path / "home", running.url)
    assert user.login("--keyring").out.endswith("the token is stored in the system's keyring\n")
    (token,) = json.loads(keyring_file.read_text()).values()
    assert token not in credentials(user).read_text("utf-8")
    assert user("sites").code == ACCEPTED
    assert user("logout").code == ACCEPTED
    assert json.loads(keyring_file.read_text()) == {}
    assert user.login("--keyring").code == ACCEPTED
    assert user.login().code == ACCEPTED
    assert json.loads(keyring_file.read_text()) == {}


def test_a_keyring_that_fails_is_told_without_its_words(
    tmp_path: Path, running: Sandbox, keyring_file: Path
) -> None:
    keyring_file.mkdir()  # so that the backend cannot write
    user = User(tmp_path / "home", running.url)
    ended = user.login("--keyring")
    assert ended.code == USAGE
    assert "log in without --keyring, or set MANIFESTKIT_TOKEN" in ended.err
    assert PASSWORD not in ended.err
    assert user("sites").code == AUTHENTICATION


@posix
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o722])
def test_a_folder_in_which_others_can_replace_the_file_is_refused(user: User, mode: int) -> None:
    credentials(user).parent.chmod(mode)
    for ended in (user("sites"), user("logout"), user.login()):
        assert ended.code == USAGE
        assert (
            "other users can replace the files in this folder; run `chmod 700` on it" in ended.err
        )


def test_a_token_can_be_in_a_file(user: User, tmp_path: Path, running: Sandbox) -> None:
    token = json.loads(credentials(user).read_text("utf-8"))["accounts"][0]["token"]
    nobody = User(tmp_path / "nobody", running.url)
    file = tmp_path / "token"
    file.write_text(f"{token}\n")
    file.chmod(0o600)
    given = ("--token-file", file)
    assert nobody.deploy(zipped(tmp_path / "s.zip"), *given).code == ACCEPTED
    assert nobody("sites", *given).out == f"{DOMAIN}\n"
    assert nobody("whoami", *given, "--json").json["token_from"] == str(file)
    assert nobody("sites", *given, env={"MANIFESTKIT_TOKEN": "stale"}).code == AUTHENTICATION
    assert nobody("sites", "--token-file", tmp_path / "gone").code == USAGE
    file.chmod(0o644)
    assert nobody("sites", *given).code == (USAGE if os.name == "posix" else ACCEPTED)


@pytest.mark.slow
def test_a_password_is_never_cut(tmp_path: Path) -> None:
    long = "x" * 100_000
    with sandbox(tmp_path / "data", password=long) as running:
        user = User(tmp_path / "home", running.url)
        assert user.login(password=long[:-1]).code == AUTHENTICATION
        ended = user.login(password=long)
        assert ended.code == ACCEPTED
        assert "gives access to the whole account" in ended.err
        assert "recommends version 2" in ended.err
        assert user.login(password="x" * 2_000_000).code == USAGE


@pytest.mark.parametrize("token", ["\ud800", "a\nb", ""])
def test_a_token_that_no_request_could_hold_is_told(user: User, token: str) -> None:
    contents = json.loads(credentials(user).read_text("utf-8"))
    contents["accounts"][0]["token"] = token
    credentials(user).write_text(json.dumps(contents))
    ended = user("sites")
    assert ended.code == USAGE
    assert "this is not a credentials file of manifestkit" in ended.err
