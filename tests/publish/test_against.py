"""`manifest deploy --against`: what changed is shown before anything is sent, or refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from checkout import git, make_repository
from rehearsal import ACCEPTED, MANIFEST, REFUSED, USAGE, Sandbox, User, site, zipped

ASKING = {**json.loads(MANIFEST), "permissions": ["profile.basic", "host.timer", "host.haptics"]}
RAISED = json.loads(MANIFEST)
RAISED["provider"] = {**RAISED["provider"], "version": "99.0.0"}


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    return site(tmp_path / "dist")


def ask(dist: Path) -> None:
    (dist / "manifest.json").write_text(json.dumps(ASKING, indent=2), "utf-8")


@pytest.mark.parametrize("way", ["last", "file", "revision"])
def test_a_new_permission_is_refused_and_nothing_is_sent(
    way: str, dist: Path, tmp_path: Path, running: Sandbox, user: User
) -> None:
    assert user.deploy(dist).code == ACCEPTED
    before = running.page("/manifest.json")
    shutil.copy(dist / "manifest.json", tmp_path / "old.json")
    make_repository(dist)
    against = {"last": "last", "file": str(tmp_path / "old.json"), "revision": "HEAD"}[way]
    assert user.deploy(dist, "--against", against).code == ACCEPTED
    ask(dist)
    refused = user.deploy(dist, "--against", against)
    assert refused.code == REFUSED
    assert "asks for a new permission, `host.haptics`" in refused.out
    assert running.page("/manifest.json") == before
    assert user.deploy(dist).code == ACCEPTED


def test_the_configuration_can_allow_what_changed(
    dist: Path, tmp_path: Path, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "old.json"
    shutil.copy(dist / "manifest.json", old)
    ask(dist)
    monkeypatch.chdir(tmp_path)
    against = "--against", old, "--dry-run"
    assert "allow them by `suppress` or `ignore`" in user.deploy(dist, *against).err
    one, two, three = (
        f'[[suppress]]\nrule = "permission-added"\npointer = "/permissions/{each}"\nreason = "-"\n'
        for each in ASKING["permissions"]
    )
    for allowed, code in (
        ('ignore = ["permission-added"]', ACCEPTED),
        (one + two, REFUSED),
        (one + two + three, ACCEPTED),
    ):
        (tmp_path / "manifestkit.toml").write_text(allowed)
        assert user.deploy(dist, *against).code == code


def test_fail_on_says_what_is_refused(dist: Path, tmp_path: Path, user: User) -> None:
    old = tmp_path / "old.json"
    shutil.copy(dist / "manifest.json", old)
    (dist / "manifest.json").write_text(json.dumps(RAISED), "utf-8")
    passed = user.deploy(dist, "--against", old, "--dry-run")
    assert (passed.code, "info version-raised" in passed.out) == (ACCEPTED, True)
    assert user.deploy(dist, "--against", old, "--fail-on", "info", "--dry-run").code == REFUSED


def test_what_changed_is_in_the_one_object_for_programs(
    dist: Path, tmp_path: Path, user: User
) -> None:
    old = tmp_path / "old.json"
    shutil.copy(dist / "manifest.json", old)
    ask(dist)
    ended = user.deploy(dist, "--against", old, "--json")
    assert ended.code == REFUSED
    assert "permission-added" in {each["rule"] for each in ended.json["findings"]}
    assert ended.json["gate"]["verdict"] == "refused"
    assert json.loads(ended.json["manifest"]["text"]) == ASKING


@pytest.mark.parametrize("old", ["{", "", "\x00", None])
def test_where_nothing_can_be_compared_nothing_is_sent(
    old: str | None, dist: Path, tmp_path: Path, user: User
) -> None:
    receipts = len(user.receipts)
    file = tmp_path / "old.json"
    if old is not None:
        file.write_text(old, "utf-8")
    refused = user.deploy(dist, "--against", file)
    assert (refused.code, refused.out) == (USAGE, "")
    assert refused.err.startswith("error: ")
    assert len(user.receipts) == receipts


def test_an_archive_is_in_no_revision(tmp_path: Path, dist: Path, user: User) -> None:
    make_repository(dist)
    assert git(dist, "rev-parse", "HEAD")
    archive = zipped(tmp_path / "site.zip")
    refused = user.deploy(archive, "--against", "HEAD")
    assert (refused.code, "archives are not in git" in refused.err) == (USAGE, True)
