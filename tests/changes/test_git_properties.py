"""No way to move, copy or replace manifests gains a permission past `manifest diff --base`."""

from __future__ import annotations

import json
import os
import random
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from changing import BASE
from checkout import git, make_repository
from in_process import manifest_here

pytestmark = pytest.mark.slow

PATHS = (
    *("manifest.json", "a/manifest.json", "b/manifest.json", "b/c/manifest.json"),
    *("a/x.manifest.json", "y.activity-provider.json"),
)
ODD_PATHS = ("custom.json", "b/other.yml", "a/Box.YAML")  # manifests only when they are named
PROVIDERS = ("com.example.x", "com.example.x", "com.example.y")
PERMISSIONS = ("host.timer", "profile.basic", "context.goals")
FOREIGN: tuple[dict[str, Any], ...] = (
    {"name": "Box", "start_url": "/", "icons": []},
    {"manifest_version": 3, "permissions": [*PERMISSIONS]},
)


def _manifest(chance: random.Random, provider: str, most: int) -> dict[str, Any]:
    about = {"id": provider, "name": "Box", "version": chance.choice(["1.0.0", "2.0.0"])}
    permissions = PERMISSIONS[: chance.randrange(most + 1)]
    return {**BASE, "provider": about, "permissions": [*permissions]}


def _free(root: Path, name: str) -> Path:
    """A path with nothing there, and no link on the way."""
    path = root / name
    for each in (path, *path.parents):
        if each != root and each.is_relative_to(root) and (each.is_symlink() or each.is_file()):
            each.unlink()
    if path.is_dir():
        shutil.rmtree(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _commit(root: Path, chance: random.Random) -> dict[str, dict[str, Any]]:
    """Manifests in a repository, by their paths."""
    old = {}
    for name in chance.sample([*PATHS, *ODD_PATHS], chance.randrange(1, 4)):
        is_ours = chance.random() < 0.8
        old[name] = (
            _manifest(chance, chance.choice(PROVIDERS), 2) if is_ours else chance.choice(FOREIGN)
        )
        _free(root, name).write_text(json.dumps(old[name]))
    make_repository(root)
    return old


def _provider(manifest: Any) -> str | None:
    return manifest["provider"]["id"] if manifest and "provider" in manifest else None


def _gained(old: dict[str, dict[str, Any]], new: dict[str, dict[str, Any]]) -> set[tuple[str, str]]:
    """The permissions that are new, each with the path: of known providers only.

    At the same path, those that the old manifest lacks; otherwise, the most that one of the
    provider's old manifests lacks that are gone, or if none is, any of them by a manifest's name.
    What takes the place of another provider's manifest has another id, which is an error anyway.
    """
    found = set()
    for name, manifest in new.items():
        provider = _provider(manifest)
        those = {place for place in old if provider and _provider(old[place]) == provider}
        gone = {place for place in those if _provider(new.get(place)) != provider}
        if name in old and name not in those and _provider(old[name]):
            continue
        lacking = [
            {*manifest["permissions"]} - {*old[place]["permissions"]}
            for place in those & {name} or gone or those.difference(ODD_PATHS)
        ]  # each is a part of the next: they are taken in one order
        found |= {(name, each) for each in max(lacking, key=len, default=set[str]())}
    return found


def _change(root: Path, chance: random.Random) -> None:
    """One step of somebody who wants a permission that nobody sees."""
    name = chance.choice([*PATHS, *ODD_PATHS])
    match chance.randrange(9):
        case 0 | 1:
            manifest = _manifest(chance, chance.choice(PROVIDERS), 3)
            _free(root, name).write_text(json.dumps(manifest))
        case 2:
            _free(root, name).write_text(json.dumps(chance.choice(FOREIGN)))
        case 3:
            (_free(root, name) / "x").mkdir(parents=True)
        case 4:
            _free(root, name).symlink_to(root / chance.choice(PATHS))
        case 5:
            _free(root, name)
        case 6:
            # The folder goes elsewhere, and a link stays.
            old, new = chance.sample(["a", "b"], 2)
            if (root / old).is_dir() and not (root / old).is_symlink():
                (root / old).rename(_free(root, new))
                (root / old).symlink_to(new)
        case 7 | 8:
            # A file gets another name, and every permission.
            old = next((each for each in ODD_PATHS if (root / each).is_file()), name)
            new = chance.choice(PATHS)
            if (root / old).is_file() and not (root / old).is_symlink():
                manifest = json.loads((root / old).read_text())
                _free(root, old)
                manifest["permissions"] = [*PERMISSIONS]
                _free(root, new).write_text(json.dumps(manifest))


@given(st.integers(min_value=0))
def test_a_permission_that_a_provider_had_not_is_told_wherever_its_manifest_is_now(
    seed: int,
) -> None:
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        root = Path(os.path.realpath(folder))
        old = _commit(root, chance)
        for _ in range(chance.randrange(1, 6)):
            _change(root, chance)
        new = {
            name: json.loads((root / name).read_text())
            for name in (*PATHS, *ODD_PATHS)
            if (root / name).is_file() and os.path.realpath(root / name) == str(root / name)
        }
        gained = _gained(old, new)
        named = sorted(name for name, _ in gained) if chance.random() < 0.5 else []
        if not named:
            gained = {(name, each) for name, each in gained if name not in ODD_PATHS}
        options = ["--force-exclude"] if chance.random() < 0.3 else []
        outcome = manifest_here("diff", "--base=HEAD", "--output-format=json", *options, *named)
    findings = json.loads(outcome.out)["findings"] if gained else []
    told = {
        (each["path"], permission)
        for each in findings
        for permission in PERMISSIONS
        if each["rule"] == "permission-added" and f"`{permission}`" in each["message"]
    }
    assert gained <= told, outcome
    assert not gained or outcome.code != 0


@settings(max_examples=settings().max_examples // 2)
@given(st.integers(min_value=0))
def test_nothing_changed_behind_links_that_are_committed(seed: int) -> None:
    """Links to files, to folders, through folders, to nothing and in circles."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        root = Path(os.path.realpath(folder))
        _commit(root, chance)
        for name in chance.sample([*PATHS, "a", "b/c", "d"], chance.randrange(1, 6)):
            up = "../" * name.count("/")
            target = chance.choice([*PATHS, *ODD_PATHS, "a", "b", "d/manifest.json"])
            _free(root, name).symlink_to(f"{up}{target}")
        git(root, "add", "--all")
        git(root, "commit", "-q", "--allow-empty", "-m", "Links")
        outcome = manifest_here("diff", "--base=HEAD", "--output-format=json")
        findings = json.loads(outcome.out)["findings"]
        assert {each["rule"] for each in findings} <= {"not-compared"}
        assert not [each["path"] for each in findings if Path(each["path"]).is_file()]


LINKS = ("a/cur", "cur", "new", "b/in", "x.manifest.json", "b/c")
BEHIND = (
    *PATHS,
    *(f"{link}/{name}" for link in LINKS for name in ("manifest.json", "x.manifest.json")),
)


def _permissions(root: Path, name: str) -> set[str] | None:
    """Those of the manifest that somebody reads at a path; None where there is none."""
    path = root / name
    if not path.is_file() or not Path(os.path.realpath(path)).is_relative_to(root):
        return None
    return {*json.loads(path.read_text())["permissions"]}


def _linked(root: Path, chance: random.Random, links: Sequence[str]) -> None:
    """Links to folders, through folders, and to files."""
    for name in links:
        target = chance.choice(["a", "b", "b/c", "cur", "a/manifest.json", "."])
        _free(root, name).symlink_to("../" * name.count("/") + target)


@settings(max_examples=settings().max_examples * 3 // 2)
@given(st.integers(min_value=0))
def test_a_permission_is_told_at_each_path_that_had_a_manifest(seed: int) -> None:
    """What a path led to is read in another work tree, by the file system."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(os.path.realpath(folder)) / "root"
        for name in ("a/manifest.json", "b/manifest.json", "b/c/manifest.json"):
            _free(root, name).write_text(json.dumps(_manifest(chance, PROVIDERS[0], 3)))
        links = chance.sample(LINKS, chance.randrange(1, 4))
        _linked(root, chance, links)
        make_repository(root)
        before = root.parent / "before"
        git(root, "worktree", "add", "-q", str(before), "HEAD")
        for _ in range(chance.randrange(1, 3)):
            if chance.random() < 0.7:
                _linked(root, chance, chance.sample(links, 1))
            else:
                manifest = _manifest(chance, PROVIDERS[0], 3)
                _free(root, chance.choice(BEHIND)).write_text(json.dumps(manifest))
        gained = {
            (name, each)
            for name in BEHIND
            if (old := _permissions(before, name)) is not None
            for each in (_permissions(root, name) or set()) - old
        }
        named = sorted({name for name, _ in gained}) if chance.random() < 0.5 else []
        with chdir(root):
            outcome = manifest_here("diff", "--base=HEAD", "--output-format=json", *named)
        told = {
            (each["path"], permission)
            for each in json.loads(outcome.out)["findings"]
            for permission in PERMISSIONS
            if each["rule"] == "permission-added" and f"`{permission}`" in each["message"]
        }
        if not named:  # the paths behind links that lead where they led are not gone through
            gained = {
                (name, each)
                for name, each in gained
                if os.path.realpath(before / name) == str(before / name)
                or os.path.relpath(os.path.realpath(before / name), before)
                != os.path.relpath(os.path.realpath(root / name), root)
            }
        assert gained <= told, (sorted(gained - told), outcome)
        assert not gained or outcome.code != 0
