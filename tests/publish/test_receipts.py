"""What receipts answer: whether anything changed, what was deployed, and what is not known."""

from __future__ import annotations

import json
import re
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
    UNKNOWN,
    USAGE,
    Sandbox,
    User,
    sandbox,
    site,
)
from test_against import RAISED, ask
from test_deploys import is_a_receipt, posix
from test_faults import answer, answering


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    return site(tmp_path / "dist")


def test_nothing_changed_so_nothing_is_sent(dist: Path, running: Sandbox, user: User) -> None:
    first = user.deploy(dist)
    requests = list(running.log)
    again = user.deploy(dist)
    assert again.code == ACCEPTED
    assert again.out.startswith(f"unchanged: {dist} (")
    assert f"accepted by {DOMAIN} at " in again.out
    assert "as version 1: " in again.out
    assert "nothing was sent, --force sends it again" in again.out
    told = user.deploy(dist, "--json")
    assert (told.json["ending"], told.json["outcome"]) == ("unchanged", "not-sent")
    assert is_a_receipt({name: told.json[name] for name in user.receipts[0]})
    assert running.log == requests
    assert len(user.receipts) == 1
    assert told.json["receipt"] in first.err
    assert user.deploy(dist, "--force").out.endswith(
        f"as version 2: http://{DOMAIN}:{running.port}/\n"
    )
    (dist / "new.html").write_text("new")
    assert "as version 3" in user.deploy(dist).out
    assert "note: nothing changed: accepted by " in user.deploy(dist, "--dry-run").err


def test_another_site_or_service_knows_nothing_of_it(
    dist: Path, tmp_path: Path, user: User
) -> None:
    assert user.deploy(dist).code == ACCEPTED
    assert user("deploy", dist, "--domain", "other.localhost").out.startswith("accepted: ")
    with sandbox(tmp_path / "elsewhere", token="t") as other:
        there = {"MANIFESTKIT_TOKEN": "t", "MANIFESTKIT_BASE_URL": other.url}
        assert user.deploy(dist, env=there).out.startswith("accepted: ")
    assert user("deploy", dist, "--domain", DOMAIN.upper()).out.startswith("unchanged: ")


def test_what_was_deployed_in_between_counts(dist: Path, tmp_path: Path, user: User) -> None:
    """Also where its receipt went elsewhere."""
    assert user.deploy(dist).code == ACCEPTED
    other = site(tmp_path / "other", **{"index.html": b"other"})
    assert user.deploy(other, "--receipt", tmp_path / "elsewhere.json").code == ACCEPTED
    assert "as version 3" in user.deploy(dist).out


@posix
def test_a_receipt_in_a_file_alone_is_enough(dist: Path, tmp_path: Path, user: User) -> None:
    """As in a pipeline that keeps one file from run to run."""
    receipt = tmp_path / "receipt.json"
    assert user.deploy(dist, "--receipt", receipt).code == ACCEPTED
    kept = receipt.read_bytes()
    for each in user.home.rglob("receipts/*.json"):
        each.unlink()
    assert user.deploy(dist, "--receipt", receipt).out.startswith("unchanged: ")
    assert receipt.read_bytes() == kept
    (tmp_path / "state").write_text("")
    homeless = {"XDG_STATE_HOME": str(tmp_path / "state")}  # a file: no folder can be there
    assert user.deploy(dist, "--receipt", receipt, env=homeless).out.startswith("unchanged: ")
    forced = user.deploy(dist, "--receipt", receipt, "--force", env=homeless)
    assert forced.code == ACCEPTED, forced.err


def test_a_receipt_that_is_asked_for_is_there_though_nothing_was_sent(
    dist: Path, tmp_path: Path, user: User
) -> None:
    assert user.deploy(dist).code == ACCEPTED
    receipt = tmp_path / "receipt.json"
    assert user.deploy(dist, "--receipt", receipt).out.startswith("unchanged: ")
    assert json.loads(receipt.read_text("utf-8")) == user.receipts[0]
    into_a_file = tmp_path / "receipt.json" / "x.json"
    assert user.deploy(dist, "--receipt", into_a_file).code == NOT_SENT


@pytest.mark.parametrize("fault", ["early-413", "denied", "429-seconds,1,999", "success-false"])
def test_what_was_not_accepted_is_sent_again(
    fault: str, dist: Path, running: Sandbox, user: User
) -> None:
    running.play(f"deploy={fault}")
    assert user.deploy(dist).code != ACCEPTED
    assert user.deploy(dist).out.startswith("accepted: ")


def test_what_the_gate_refuses_is_refused_though_it_was_accepted(
    dist: Path, tmp_path: Path, user: User
) -> None:
    """A profile that is new, say."""
    assert user.deploy(dist).code == ACCEPTED
    (tmp_path / "p.json").write_text('{"maxProperties": 1}')
    assert user.deploy(dist, "--profile", tmp_path / "p.json").code == REFUSED


@pytest.mark.parametrize("how", ["unknown", "killed"])
def test_after_an_unknown_outcome_the_next_deploy_says_what_to_look_at(
    how: str, dist: Path, running: Sandbox, user: User
) -> None:
    assert user.deploy(dist).code == ACCEPTED
    (dist / "index.html").write_text("second")
    running.play("deploy=drop-after")
    assert user.deploy(dist).code == UNKNOWN
    last = max(user.home.rglob("receipts/*.json"))
    if how == "killed":
        contents = {**json.loads(last.read_bytes()), "outcome": "in-progress", "ending": None}
        last.write_text(json.dumps(contents))
    listed = user("deploys")
    assert f"  {'unknown' if how == 'unknown' else 'in-progress'}" in listed.out
    assert "look at the site" in listed.err
    ended = user.deploy(dist)
    assert ended.out.startswith("accepted: ")
    assert "the outcome of the deploy of 20" in ended.err
    assert f"look at {DOMAIN} and at its receipt, {last}" in ended.err
    assert user.deploy(dist).out.startswith("unchanged: ")


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
    assert user.deploy(dist).out.startswith("unchanged: ")
    listed = user("deploys")
    assert listed.code == ACCEPTED
    assert "\x1b" not in listed.out
    assert user("deploys", "--json").json["deploys"][-1]["domain"] == DOMAIN


def test_deploys_are_listed_newest_first(dist: Path, running: Sandbox, user: User) -> None:
    assert "there are no receipts" in user("deploys").err
    user.deploy(dist)
    user("deploy", dist, "--domain", "other.localhost")
    user.deploy(dist, "--dry-run")
    lines = user("deploys").out.splitlines()
    assert [line.split()[1:3] for line in lines] == [
        ["dry-run", DOMAIN],
        ["accepted", "other.localhost"],
        ["accepted", DOMAIN],
    ]
    assert lines[1].endswith(".json")
    assert f"at {running.url}" in lines[2]
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
    refused = user.deploy(dist, "--against", "last")
    assert (refused.code, "error permission-added" in refused.out) == (REFUSED, True)
    (dist / "manifest.json").write_text(json.dumps({**RAISED, "provider": {}}), "utf-8")
    assert user.deploy(dist, "--against", "last").code == REFUSED


def test_without_a_last_deploy_nothing_is_sent(dist: Path, running: Sandbox, user: User) -> None:
    requests = list(running.log)
    refused = user.deploy(dist, "--against", "last")
    assert refused.code == USAGE
    assert "there is no receipt of an accepted deploy to calm.localhost" in refused.err
    assert running.log == requests


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


def test_whoami_of_nobody_says_how_to_log_in(tmp_path: Path, running: Sandbox) -> None:
    nobody = User(tmp_path / "nobody", running.url, {"MANIFESTKIT_API_FORM": "alt"})
    told = nobody("whoami")
    assert told.code == AUTHENTICATION
    assert f"run `manifest login --base-url {running.url} --api-form alt`" in told.err


def test_a_service_with_other_responses_is_understood(tmp_path: Path) -> None:
    """A list of strings, and an error that is a string in a 200."""
    token = {"MANIFESTKIT_TOKEN": "any"}
    with answering(answer(b'["a.example", "b.example"]')) as url:
        assert ", 2 sites;" in User(tmp_path / "home", url, token)("whoami").out
    with answering(answer(b'{"error": "no such token"}')) as url:
        ended = User(tmp_path / "home", url, token)("whoami")
        assert (ended.code, "no such token" in ended.err) == (REJECTED, True)


@pytest.mark.parametrize(
    ("given", "code", "then"),
    [
        (b"{}", ACCEPTED, "unchanged"),
        (b"", ACCEPTED, "unchanged"),
        (b'["a version"]', ACCEPTED, "unchanged"),
        (b'{"version": [1], "url": 7, "status": "ok"}', ACCEPTED, "unchanged"),
        (b'{"error": "the site is locked"}', REJECTED, "accepted"),
        (b'{"success": "false", "error": ["a", "b"]}', REJECTED, "accepted"),
        (b"<html>please log in</html>", UNKNOWN, "accepted"),
    ],
)
def test_what_another_service_says_is_what_the_next_deploy_knows(
    given: bytes, code: int, then: str, dist: Path, tmp_path: Path
) -> None:
    with answering(answer(given), answer(b"{}")) as url:
        user = User(tmp_path / "home", url, {"MANIFESTKIT_TOKEN": "any"})
        assert user.deploy(dist).code == code
        against = user.deploy(dist, "--against", "last", "--dry-run")
        assert against.code == (ACCEPTED if code == ACCEPTED else USAGE)
        ended = user.deploy(dist)
    assert ended.out.startswith(f"{then}: ")
    assert ("is unknown: it may have been published" in ended.err) == (code == UNKNOWN)


def test_deploys_tells_a_failed_check_from_a_passed_one(
    dist: Path, running: Sandbox, user: User
) -> None:
    user.deploy(dist, "--dry-run")
    running.play("deploy=denied")
    user.deploy(dist)
    running.play("deploy=429-seconds,1,999")
    user.deploy(dist)
    (dist / "manifest.json").write_text("{}")
    user.deploy(dist)
    user.deploy(dist, "--dry-run")
    lines = user("deploys").out.splitlines()
    assert [re.split(r"  +", line)[1:3] for line in lines] == [
        ["dry-run (failed the check)", f"{DOMAIN} at {running.url}"],
        ["not-sent (failed the check)", f"{DOMAIN} at {running.url}"],
        ["rejected (rate-limited)", f"{DOMAIN} at {running.url}"],
        ["rejected (denied)", f"{DOMAIN} at {running.url}"],
        ["dry-run", f"{DOMAIN} at {running.url}"],
    ]
    assert len({line.index(DOMAIN) for line in lines}) == 1
