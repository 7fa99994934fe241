"""Random pairs of trees, for the tests of `manifest diff --base`.

Manifests are renamed, copied, swapped and deleted, folders are moved, and each may get another
provider id and more permissions on the way.
"""

from __future__ import annotations

import copy
import json
import random
import shutil
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any, NamedTuple

from changing import BASE, PERMISSIONS
from checkout import git
from in_process import manifest_here

NAMES = ("manifest.json", "site.manifest.json", "x.activity-provider.json", "y.manifest.yaml")
FOLDERS = ("", "app/", "web/", "a/b/")
PLACES = [f"{folder}{name}" for folder in FOLDERS for name in NAMES]
FOREIGN = {"manifest_version": 3, "name": "Box", "permissions": ["tabs"]}


class Held(NamedTuple):
    """A manifest of a tree, and the one that it was made of."""

    manifest: dict[str, Any]
    origin: str | None = None

    @property
    def provider(self) -> str:
        """The id of its provider; empty if it has none."""
        return str(self.manifest["provider"].get("id", ""))

    def of(self, provider: str) -> Held:
        """The same manifest of another provider, or of none."""
        about = {name: each for name, each in self.manifest["provider"].items() if name != "id"}
        about = {"id": provider, **about} if provider else about
        return self._replace(manifest={**self.manifest, "provider": about})

    @property
    def permissions(self) -> set[str]:
        return set(self.manifest["permissions"])


Tree = dict[str, Held]
PROVIDERS: dict[str, Callable[[random.Random, str], str]] = {
    "each its own": lambda _, own: own,
    "one of several": lambda chance, own: chance.choice(
        [own, "com.example.one", "com.example.one"]
    ),
    "some without id": lambda chance, own: chance.choice([own, ""]),
}
"""Of the manifests of a tree, the id of the provider, where each could have its own."""


def _manifest(chance: random.Random, number: int) -> dict[str, Any]:
    """A manifest that is like no other one."""
    manifest = copy.deepcopy(BASE)
    about = {"id": f"com.example.p{number}", "name": f"Provider {number}", "version": "1.0.0"}
    names = [f"activity {number}.{index}" for index in range(chance.randrange(1, 4))]
    return {
        **manifest,
        "provider": about,
        "runtime": {**BASE["runtime"], "entrypoint": f"dist/p{number}.js"},
        "activities": [{"id": each.replace(" ", "-"), "name": each} for each in names],
        "permissions": chance.sample(PERMISSIONS, chance.randrange(3)),
    }


def _disguised(chance: random.Random, held: Held, providers: list[str]) -> Held:
    """The same with another id, more permissions, another version: none, some or all of it."""
    manifest = copy.deepcopy(held.manifest)
    provider = held.provider
    if chance.random() < 0.5:
        fresh = f"com.example.q{chance.randrange(1_000)}"
        provider = chance.choice([fresh, fresh, *providers])
    if chance.random() < 0.6:
        more = chance.sample(PERMISSIONS, chance.randrange(1, 4))
        manifest["permissions"] = [*dict.fromkeys([*manifest["permissions"], *more])]
    if chance.random() < 0.5:
        manifest["provider"]["version"] = "1.1.0"
    return held._replace(manifest=manifest).of(provider)


def _changed(chance: random.Random, tree: Tree, providers: list[str]) -> None:
    """Take one step of somebody who changes a tree."""
    place, free = chance.choice([*tree, None]), [each for each in PLACES if each not in tree]
    if place is None:
        tree[chance.choice(free)] = Held(_manifest(chance, 100 + chance.randrange(100)))
        return
    match chance.randrange(7):
        case 0 | 1:
            tree[chance.choice(free)] = _disguised(chance, tree.pop(place), providers)
        case 2:
            tree[chance.choice(free)] = _disguised(chance, tree[place], providers)._replace(
                origin=None
            )
        case 3:
            other = chance.choice([*tree])
            tree[place], tree[other] = tree[other], tree[place]
        case 4:
            del tree[place]
        case 5:
            old, new = chance.sample(FOLDERS, 2)
            for each in [each for each in tree if f"{Path(each).parent}/" == (old or "./")]:
                tree[f"{new}{Path(each).name}"] = tree.pop(each)
        case 6:
            tree[place] = _disguised(chance, tree[place], providers)


def _wanted(old: Tree, new: Tree) -> tuple[dict[str, list[set[str]]], set[str], set[str]]:
    """What must be told: one of the sets of new permissions, changed ids, and what is only added.

    Of several that a manifest may have been, it is compared with one that lacks most.
    """
    gained, renamed, added = dict[str, list[set[str]]](), set[str](), set[str]()
    # What is removed may be what is new, but where one of its provider came to another place.
    moved = {
        place for place in new if place not in old or old[place].provider != new[place].provider
    }
    providers = {new[place].provider for place in moved} - {""}
    removed = {
        place for place, each in old.items() if place not in new and each.provider not in providers
    }
    for place, held in new.items():
        those = {each for each in old if old[each].provider == held.provider != ""}
        gone = {each for each in those if each not in new or new[each].provider != held.provider}
        compared = gone or those
        if place in old:
            compared = {place}
            if held.provider != old[place].provider != "":
                renamed.add(place)
        elif not compared and removed:
            if all(old[each].provider for each in removed):
                renamed.add(place)
            compared = {held.origin or ""} & removed
        elif not gone:
            added.add(place)
        lacking = [held.permissions - old[each].permissions for each in compared]
        most = max(map(len, lacking), default=0)
        if most:
            gained[place] = [each for each in lacking if len(each) == most]
    return gained, renamed, added


def _written(root: Path, tree: Tree, chance: random.Random) -> None:
    for each in root.iterdir():
        if each.name != ".git":
            shutil.rmtree(each) if each.is_dir() else each.unlink()
    for place, held in tree.items():
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(held.manifest, indent=chance.choice([None, 2])))


def check_trees(root: Path, seed: int, providers: str = "each its own") -> None:
    """Hold what is told of a pair of trees, in an empty repository, to what must be true of it.

    Args:
        root: the repository.
        seed: tells the pair from others.
        providers: those of the manifests: a key of `PROVIDERS`.
    """
    chance = random.Random(seed)
    places = chance.sample(PLACES, chance.randrange(1, 5))
    old = {place: Held(_manifest(chance, index), place) for index, place in enumerate(places)}
    old = {
        place: each.of(PROVIDERS[providers](chance, each.provider)) for place, each in old.items()
    }
    new = dict(old)
    for _ in range(chance.randrange(1, 5)):
        _changed(chance, new, [each.provider for each in old.values()])
    _written(root, old, chance)
    git(root, "add", "--all", "--force")
    base = git(root, "write-tree").strip()
    _written(root, new, chance)
    left = [place for place in old if place not in new]
    if left and chance.random() < 0.2:
        path = root / chance.choice(left)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(FOREIGN))
    with chdir(root):
        outcome = manifest_here("diff", "--base", base, "--output-format=json", "--isolated")
    found = json.loads(outcome.out)["findings"] if outcome.out else []
    told = {
        (each["path"], name)
        for each in found
        for name in PERMISSIONS
        if each["rule"] == "permission-added" and f"`{name}`" in each["message"]
    }
    rules = {(each["path"], each["rule"]) for each in found}
    messages = {each["path"]: each["message"] for each in found if each["rule"] == "manifest-added"}
    gained, renamed, added = _wanted(old, new)
    for place, sets in gained.items():
        assert any({(place, name) for name in each} <= told for each in sets), (place, sets)
    assert {(each, "provider-id-changed") for each in renamed} <= rules, renamed
    assert added <= messages.keys(), added
    for place in added:
        assert all(f"`{name}`" in messages[place] for name in new[place].permissions), messages
    assert outcome.code == (1 if gained or renamed or told else 0), outcome
