"""The token of each service: for its user alone, in one file or the keyring, never lost or half."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import keyring
import keyring.backend
import pytest

from manifestkit.model.errors import ConfigurationError
from manifestkit.publish.secrets import Secret
from manifestkit.publish.store import LoginStore
from rehearsal import (
    ACCEPTED,
    AUTHENTICATION,
    EMAIL,
    PASSWORD,
    REJECTED,
    USAGE,
    Sandbox,
    User,
    http,
    sandbox,
    stub,
)
from skips import posix

ORIGIN = "https://api.example.org"


@posix
def test_only_the_user_can_read_the_file_whatever_the_umask(user: User) -> None:
    before = os.umask(0)
    try:
        user("logout")
        assert user.login().code == ACCEPTED
    finally:
        os.umask(before)
    (file,) = user.logins.iterdir()
    assert (file.stat().st_mode & 0o777, user.logins.stat().st_mode & 0o777) == (0o600, 0o700)


@posix
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604])
def test_a_file_that_others_can_read_is_refused_and_logout_removes_it(
    user: User, mode: int
) -> None:
    (file,) = user.logins.iterdir()
    file.chmod(mode)
    refused = user("sites")
    assert (refused.code, "other users can read this file" in refused.err) == (USAGE, True)
    assert user("logout").code == ACCEPTED
    assert list(user.logins.iterdir()) == []
    assert user.login().code == ACCEPTED


@posix
@pytest.mark.parametrize("mode", [0o777, 0o730])
def test_a_folder_in_which_others_can_replace_the_file_is_refused(user: User, mode: int) -> None:
    user.logins.chmod(mode)
    refused = user("sites")
    assert (refused.code, "other users can replace the files" in refused.err) == (USAGE, True)
    (file,) = user.logins.iterdir()
    before = file.read_bytes()
    refused = user.login(password="wrong")  # told before anything is sent
    assert (refused.code, "other users can replace the files" in refused.err) == (USAGE, True)
    assert file.read_bytes() == before


WRONG = [
    "",
    "{",
    "[]",
    "{}",
    '{"origin": 1, "email": "a", "name": "", "token": "t"}',
    "\0",
    "[" * 9**5,
]


@pytest.mark.parametrize("contents", WRONG)
def test_what_is_no_login_is_told_and_a_new_one_works(user: User, contents: str) -> None:
    (file,) = user.logins.iterdir()
    file.write_text(contents)
    refused = user("sites")
    assert (refused.code, "not a login of manifestkit" in refused.err) == (USAGE, True)
    assert user.login().code == ACCEPTED
    assert user("sites").code == ACCEPTED


def test_a_token_belongs_to_one_service(running: Sandbox, user: User) -> None:
    other = f"http://localhost:{running.port}"
    assert user("sites", "--base-url", other).code == AUTHENTICATION
    (file,) = user.logins.iterdir()
    file.rename(file.with_name(file.name.replace("127.0.0.1", "localhost")))
    refused = user("sites", "--base-url", other)
    assert (refused.code, "not a login of manifestkit" in refused.err) == (USAGE, True)


def test_the_environments_token_comes_first_and_needs_no_file(user: User, tmp_path: Path) -> None:
    stranger = User(tmp_path / "stranger", user.url, {"MANIFESTKIT_TOKEN": "none of this service"})
    assert stranger("sites").code == AUTHENTICATION
    ended = user("sites", env={"MANIFESTKIT_TOKEN": "none of this service"})
    assert (ended.code, "correct or unset MANIFESTKIT_TOKEN" in ended.err) == (AUTHENTICATION, True)


@pytest.mark.parametrize("token", ["a\nb", "x" * 8_193, "\x00"])
def test_a_token_that_no_request_could_hold_is_told(user: User, token: str) -> None:
    if "\0" not in token:
        ended = user("sites", env={"MANIFESTKIT_TOKEN": token})
        assert (ended.code, "MANIFESTKIT_TOKEN: a token must be" in ended.err) == (USAGE, True)
    with stub(http(200, {"name": "me", "token": token})) as service:
        stranger = User(user.home, service.url)
        assert stranger.login().code == REJECTED


@pytest.mark.parametrize(
    "body",
    [{}, {"token": ""}, {"token": 1}, {"token": None}, [], "t", {"success": False, "token": "t"}],
)
def test_only_a_token_of_a_success_is_stored(tmp_path: Path, body: object) -> None:
    for status in (200, 403):
        with stub(http(status, body)) as service:
            user = User(tmp_path / "home", service.url)
            assert user.login().code in {REJECTED, AUTHENTICATION}
    assert list(user.logins.iterdir()) == []


def test_a_password_is_never_cut(tmp_path: Path) -> None:
    long = "pass word " * 10_000 + "\t"
    with sandbox(tmp_path / "data", password=long) as running:
        user = User(tmp_path / "home", running.url)
        assert user.login(password=long).code == ACCEPTED
        assert user.login(password=long[:-1]).code == AUTHENTICATION


def test_a_new_login_takes_the_place_of_the_one_before(user: User) -> None:
    before = user.logins.joinpath(os.listdir(user.logins)[0]).read_text()  # noqa: PTH208
    assert user.login().code == ACCEPTED
    (file,) = user.logins.iterdir()
    assert file.read_text() == before


# -- the keyring -------------------------------------------------------------------------------


class Keyring(keyring.backend.KeyringBackend):
    """In memory; it fails or forgets when it is told to."""

    priority = 1.0
    mood = ""
    kept: dict[tuple[str, str], str] = {}  # noqa: RUF012 - it is for all

    def get_password(self, service: str, username: str) -> str | None:
        self._fail("get")
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._fail("set")
        if self.mood != "forgets":
            self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._fail("delete")
        self.kept.pop((service, username), None)

    def _fail(self, operation: str) -> None:
        if self.mood in {operation, "fails"}:
            raise RuntimeError(f"no keyring for {self.kept}")


@pytest.fixture
def a_keyring(monkeypatch: pytest.MonkeyPatch) -> Keyring:
    made = Keyring()  # type: ignore[no-untyped-call]  # of its base
    monkeypatch.setattr(Keyring, "mood", "")
    monkeypatch.setattr(Keyring, "kept", {})
    keyring.set_keyring(made)
    return made


def test_a_token_in_the_keyring_is_in_no_file(a_keyring: Keyring, user: User) -> None:
    assert "the token is stored in the keyring" in user.login().out
    (token,) = a_keyring.kept.values()
    assert token not in next(user.logins.iterdir()).read_text()
    assert user("sites").code == ACCEPTED
    assert user("logout").code == ACCEPTED
    assert (a_keyring.kept, list(user.logins.iterdir())) == ({}, [])


@pytest.mark.usefixtures("a_keyring")
@pytest.mark.parametrize("mood", ["set", "get", "fails", "forgets"])
def test_a_keyring_that_takes_nothing_is_a_warning_and_never_a_trap(user: User, mood: str) -> None:
    Keyring.mood = mood
    ended = user.login()
    assert (ended.code, "the keyring cannot be used" in ended.err) == (ACCEPTED, True)
    assert "no keyring for" not in ended.err
    assert user("sites").code == ACCEPTED
    assert user("logout").code == ACCEPTED
    assert user("sites").code == AUTHENTICATION


@pytest.mark.usefixtures("a_keyring")
def test_a_keyring_that_has_gone_is_told_and_login_and_logout_work(user: User) -> None:
    user.login()
    Keyring.mood = "fails"
    ended = user("sites")
    assert ended.code == USAGE
    assert "run `manifest login` again, or set MANIFESTKIT_TOKEN" in ended.err
    assert user.login().code == ACCEPTED
    assert user("sites").code == ACCEPTED
    Keyring.mood = ""
    user.login()
    Keyring.mood = "fails"
    ended = user("logout", "--json")
    assert (ended.code, ended.json["deleted"]) == (ACCEPTED, False)
    assert "the keyring did not delete the token (RuntimeError)" in ended.err
    assert list(user.logins.iterdir()) == []


@posix
@pytest.mark.parametrize("is_folder", [True, False])
def test_logout_takes_the_token_out_of_the_keyring_whoever_can_see_the_login(
    a_keyring: Keyring, user: User, *, is_folder: bool
) -> None:
    user.login()
    (user.logins if is_folder else next(user.logins.iterdir())).chmod(0o777)
    assert user("sites").code == USAGE
    assert "the token is deleted here" in user("logout").out
    assert a_keyring.kept == {}


# -- kill -9 -----------------------------------------------------------------------------------

KEEP = """
import sys
from pathlib import Path
from manifestkit.publish.secrets import Secret
from manifestkit.publish.store import LoginStore
store = LoginStore(Path(sys.argv[1]))
print("ready", flush=True)
for number in range(10_000):
    store.keep("https://api.example.org", "me", Secret(f"canary-{number:06}" * 100))
    print(end=".", flush=True)
"""


@posix
@pytest.mark.slow
def test_kill_9_leaves_no_half_store_and_logout_leaves_no_token(tmp_path: Path) -> None:
    store = LoginStore(tmp_path / "logins")
    for moment in range(20):
        with subprocess.Popen(
            [sys.executable, "-c", KEEP, store.folder],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"},
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            process.stdout.read(1 + moment * 7)  # as many logins later
            process.kill()
        try:
            token = store.token(ORIGIN)
        except ConfigurationError as between:  # the keyring was being asked
            assert "run `manifest login` again" in str(between)  # noqa: PT017 - or it is a token
        else:
            assert token is not None
            assert token.reveal()[:7] == "canary-"
        assert store.forget(ORIGIN)[0]
        assert list(store.folder.iterdir()) == []


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="set MANIFESTKIT_TOKEN"):
        LoginStore(tmp_path / "file" / "x").keep(ORIGIN, EMAIL, Secret(PASSWORD))
