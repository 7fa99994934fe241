"""What receipts keep, and `manifest deploys`; what `--against last` compares with; `whoami`."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from rehearsal import (
    ACCEPTED,
    AUTHENTICATION,
    DOMAIN,
    EMAIL,
    NOT_SENT,
    REFUSED,
    REJECTED,
    USAGE,
    Sandbox,
    User,
    site,
)
from test_against import RAISED, ask
from test_deploys import is_a_receipt, posix
from test_faults import answer, answering


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    return site(tmp_path / "dist")


@posix
def test_a_receipt_is_for_its_user_alone(dist: Path, tmp_path: Path, user: User) -> None:
    own = tmp_path / "receipt.json"
    mask = os.umask(0)
    try:
        for _ in range(2):  # the second one takes the place of the first
            assert user.deploy(dist, "--receipt", own).code == ACCEPTED
    finally:
        os.umask(mask)
    for file in (own, *user.home.rglob("receipts/*.json")):
        assert file.stat().st_mode & 0o777 == 0o600
        assert is_a_receipt(json.loads(file.read_text("utf-8")))


def test_without_a_home_a_receipt_goes_where_it_is_asked_for(
    dist: Path, tmp_path: Path, user: User
) -> None:
    (tmp_path / "state").write_text("")
    homeless = {"XDG_STATE_HOME": str(tmp_path / "state")}  # a file: no folder can be there
    assert user.deploy(dist, env=homeless).code == NOT_SENT
    assert user.deploy(dist, "--receipt", tmp_path / "r.json", env=homeless).code == ACCEPTED
    into_a_file = tmp_path / "r.json" / "x.json"
    assert user.deploy(dist, "--receipt", into_a_file).code == NOT_SENT


def test_each_receipt_is_written_whatever_becomes_of_the_other(
    dist: Path, tmp_path: Path, running: Sandbox, user: User
) -> None:
    running.play("deploy=slow,1,1")
    folder = tmp_path / "asked"

    def make_it_a_file() -> None:
        while not (folder / "r.json").exists():
            pass
        (folder / "r.json").unlink()
        folder.rmdir()
        folder.write_text("")

    thread = threading.Thread(target=make_it_a_file)
    thread.start()
    ended = user.deploy(dist, "--receipt", folder / "r.json")
    thread.join()
    assert ended.code == ACCEPTED
    assert "the receipt cannot be written" in ended.err
    assert [each["outcome"] for each in user.receipts] == ["accepted"]


@posix
@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_a_stream_is_no_file_for_a_receipt_or_an_archive(dist: Path, user: User, name: str) -> None:
    for option in ("--receipt", "--output"):
        refused = user.deploy(dist, option, name)
        assert (refused.code, "is not a file" in refused.err) == (USAGE, True)
    assert not Path("-").exists()


def test_the_last_deploy_is_found_behind_a_thousand_others(dist: Path, user: User) -> None:
    assert user.deploy(dist).code == ACCEPTED
    (first,) = user.home.rglob("receipts/*.json")
    other = first.read_text("utf-8").replace(DOMAIN, "other.localhost")
    for number in range(1001):
        (first.parent / f"2999{number:04}.json").write_text(other)
    assert user.deploy(dist, "--against", "last").code == ACCEPTED


def test_what_is_no_receipt_confuses_nobody(dist: Path, user: User) -> None:
    assert user.deploy(dist).code == ACCEPTED
    folder = next(user.home.rglob("receipts"))
    whole = user.receipts[0]
    for number, text in enumerate(
        (
            *("", "{", "[]", '"x"', "\x00", "[" * 100_000),
            json.dumps({**whole, "service": None, "domain": 1, "archive": 7, "started": None}),
            json.dumps({**whole, "service": {}, "outcome": ["accepted"], "manifest": 1}),
            json.dumps({**whole, "domain": "\x1b[31m::error::x"}),
        )
    ):
        (folder / f"99999999-{number}.json").write_text(text)
    (folder / "99999999-x.json").mkdir()
    assert user.deploy(dist, "--against", "last").code == ACCEPTED
    listed = user("deploys")
    assert listed.code == ACCEPTED
    assert "\x1b" not in listed.out
    assert user("deploys", "--json").json["deploys"][-1]["domain"] == DOMAIN


@pytest.mark.slow
def test_the_longest_receipt_can_be_read_again(tmp_path: Path, user: User) -> None:
    """Of a site with the most warnings, about the longest names."""
    dist = site(tmp_path / "dist")
    plain = (dist / "manifest.json").read_bytes()
    ask(dist)
    assert user.deploy(dist).code == ACCEPTED
    folder = dist.joinpath(*["\u0434" * 120] * 3)
    folder.mkdir(parents=True)
    for number in range(1_100):
        (folder / f"x{number} ").write_bytes(b"")
    (dist / "manifest.json").write_bytes(plain)
    own = tmp_path / "r.json"
    assert user.deploy(dist, "--receipt", own).code == ACCEPTED
    assert len(user("deploys", "--json").json["deploys"]) == 2
    assert user.receipts[-1]["gate"]["problems"][-1] == "and 900 more"
    ask(dist)
    assert user.deploy(dist, "--against", "last").code == REFUSED
    assert user.deploy(dist, "--receipt", own).code == ACCEPTED


def test_deploys_are_listed_newest_first(dist: Path, running: Sandbox, user: User) -> None:
    assert "none in " in user("deploys").err
    user.deploy(dist)
    running.play("deploy=denied", "deploy=429-seconds,1,999", "deploy=drop-after")
    for _ in range(3):
        user.deploy(dist)
    user("deploy", dist, "--domain", "other.localhost")
    user.deploy(dist, "--dry-run")
    (dist / "manifest.json").write_text("{}")
    user.deploy(dist)  # refused: nothing was begun
    listed = user("deploys")
    assert [line.split()[1:3] for line in listed.out.splitlines()] == [
        ["accepted", "other.localhost"],
        ["unknown", DOMAIN],
        ["rate-limited", DOMAIN],
        ["denied", DOMAIN],
        ["accepted", DOMAIN],
    ]
    assert len({line.index("localhost") for line in listed.out.splitlines()}) == 2
    assert all(len(line) <= 100 for line in listed.out.splitlines())
    assert "look at the site for the outcome" in listed.err
    assert len(user("deploys", "--limit", "1").out.splitlines()) == 1
    (only,) = user("deploys", "--domain", "other.localhost", "--json").json["deploys"]
    assert (only["outcome"], Path(only["receipt"]).exists()) == ("accepted", True)


# -- --against last -----------------------------------------------------------------------------


def test_last_is_the_last_accepted_deploy(dist: Path, running: Sandbox, user: User) -> None:
    assert user.deploy(dist).code == ACCEPTED
    (dist / "manifest.json").write_text(json.dumps(RAISED), "utf-8")
    running.play("deploy=error-object")
    assert user.deploy(dist, "--against", "last").code == REJECTED
    raised = user.deploy(dist, "--against", "last")
    assert (raised.code, "info version-raised" in raised.out) == (ACCEPTED, True)
    assert "version-raised" not in user.deploy(dist, "--against", "last").out
    ask(dist)
    for options in ([], ["--dry-run"]):
        refused = user.deploy(dist, "--against", "last", *options)
        assert (refused.code, "error permission-added" in refused.out) == (REFUSED, True)
    (dist / "manifest.json").write_text(json.dumps({**RAISED, "provider": {}}), "utf-8")
    assert user.deploy(dist, "--against", "last").code == REFUSED


def test_without_a_last_deploy_nothing_is_sent(dist: Path, running: Sandbox, user: User) -> None:
    requests = list(running.log)
    refused = user.deploy(dist, "--against", "last")
    assert refused.code == USAGE
    assert "there is no receipt of an accepted deploy to calm.localhost" in refused.err
    assert running.log == requests


def test_a_planted_receipt_is_believed_nowhere(
    dist: Path, tmp_path: Path, running: Sandbox, user: User
) -> None:
    """Whoever can change the repository can write such a file."""
    assert user.deploy(dist).code == ACCEPTED
    ask(dist)
    planted = json.loads(json.dumps(user.receipts[0]))
    planted["manifest"]["text"] = (dist / "manifest.json").read_text("utf-8")
    planted["started"] = "2999-01-01T00:00:00.000Z"
    receipt = tmp_path / "receipt.json"
    receipt.write_text(json.dumps(planted))
    refused = user.deploy(dist, "--receipt", receipt, "--against", "last")
    assert (refused.code, "error permission-added" in refused.out) == (REFUSED, True)
    assert user.deploy(dist, "--against", receipt).code in {REFUSED, USAGE}
    assert running.versions == 1
    assert user.deploy(dist, "--receipt", receipt).code == ACCEPTED  # and is no reason to skip one


def test_last_needs_a_site(dist: Path, user: User) -> None:
    refused = user("deploy", dist, "--dry-run", "--against", "last")
    assert refused.code == USAGE
    assert "--against last needs --domain and --base-url" in refused.err


def test_a_manifest_that_is_no_text_is_told(dist: Path, user: User) -> None:
    assert user.deploy(dist).code == ACCEPTED
    (file,) = user.home.rglob("receipts/*.json")
    contents = json.loads(file.read_text("utf-8"))
    contents["manifest"]["text"] = "\ud800{}"
    file.write_text(json.dumps(contents))
    refused = user.deploy(dist, "--against", "last")
    assert (refused.code, "cannot be read" in refused.err) == (USAGE, True)


def test_last_is_of_the_same_base_url_account_and_site(dist: Path, user: User) -> None:
    assert user.deploy(dist).code == ACCEPTED
    for options in (
        ("--domain", "other.localhost"),
        ("--domain", DOMAIN, "--base-url", f"{user.url}/elsewhere"),
        ("--domain", DOMAIN, "--token-placement", "none"),
    ):
        env = {"MANIFESTKIT_TOKEN": "any"} if "none" in options else {}
        ended = user("deploy", dist, "--against", "last", *options, env=env)
        assert ended.code != ACCEPTED, options
        assert "there is no receipt" in ended.err or "not logged in" in ended.err


# -- whoami -------------------------------------------------------------------------------------


def test_whoami_names_the_account_and_asks_the_service(running: Sandbox, user: User) -> None:
    told = user("whoami")
    assert told.code == ACCEPTED
    assert told.out.startswith(f"{EMAIL} (me) at {running.url}, 0 sites; the token is from ")
    assert told.out.endswith("credentials.json\n")
    assert user("whoami", "--json").json["account"] == EMAIL
    running.play("sites=denied")
    assert user("whoami").code == AUTHENTICATION


def test_whoami_knows_no_account_of_a_token_in_the_environment(user: User) -> None:
    denied = user("whoami", env={"MANIFESTKIT_TOKEN": "stale"})
    assert (denied.code, "MANIFESTKIT_TOKEN is set" in denied.err) == (AUTHENTICATION, True)
    entry = json.loads(next(user.home.rglob("credentials.json")).read_text("utf-8"))
    token = entry["accounts"][0]["token"]
    told = user("whoami", "--json", env={"MANIFESTKIT_TOKEN": token})
    assert (told.json["account"], told.json["token_from"]) == (None, "MANIFESTKIT_TOKEN")
    assert token not in told.out + user("whoami", env={"MANIFESTKIT_TOKEN": token}).out


def test_a_service_with_other_responses_is_understood(tmp_path: Path) -> None:
    """A list of strings, and an error that is a string in a 200."""
    token = {"MANIFESTKIT_TOKEN": "any"}
    with answering(answer(b'["a.example", "b.example"]')) as url:
        assert ", 2 sites;" in User(tmp_path / "home", url, token)("whoami").out
    with answering(answer(b'{"error": "no such token"}')) as url:
        ended = User(tmp_path / "home", url, token)("whoami")
        assert (ended.code, "no such token" in ended.err) == (REJECTED, True)
