"""`manifest diff --base` in every state that git leaves a repository in.

Each has its exit code and one sentence that helps; none is silent, and none reads as no change
where something could not be compared.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from changing import BASE
from checkout import git, make_repository
from command import CLEAN, FINDINGS, USAGE
from in_process import manifest_here

TIMER = {**BASE, "permissions": ["host.timer"]}
OTHER = {**BASE, "provider": {**BASE["provider"], "id": "com.example.other"}}
NOTHING = "nothing changed"
FETCH = "run `git fetch --refetch --no-filter`"
FSCK = "`git fsck` lists what"


class State(NamedTuple):
    """Where the command runs, and how."""

    folder: Path
    base: str = "HEAD"
    named: tuple[str, ...] = ()
    path: str = os.environ["PATH"]


def _written(path: Path, manifest: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(manifest, indent=2))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two manifests in two commits; each has one more permission in the second."""
    folder = tmp_path_factory.mktemp("repository")
    for manifests in ((BASE, OTHER), (TIMER, {**OTHER, "permissions": ["host.timer"]})):
        for name, each in zip(("a", "b"), manifests, strict=True):
            _written(folder / name / "manifest.json", each)
        make_repository(folder)
    git(folder, "config", "uploadpack.allowFilter", "true")
    git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")
    return folder


def _cloned(folder: Path, *options: str) -> Path:
    clone = folder.parent / "clone"
    git(folder.parent, "clone", "-q", *options, folder.as_uri(), str(clone))
    return clone


def _object(folder: Path, name: str) -> Path:
    digest = git(folder, "rev-parse", name).strip()
    file = folder / ".git" / "objects" / digest[:2] / digest[2:]
    file.chmod(0o600)
    return file


def _program(folder: Path, name: str, script: str) -> str:
    """A search path on which a program is another one."""
    file = folder / "bin" / name
    file.parent.mkdir()
    file.write_text(f"#!/bin/sh\n{script}")
    file.chmod(0o755)
    return f"{file.parent}:{os.environ['PATH']}"


def _as_it_is(folder: Path) -> State:
    return State(folder)


def _changed(folder: Path) -> State:
    return State(folder, "HEAD~1")


def _partial(folder: Path) -> State:
    return State(_cloned(folder, "--filter=blob:none"), "HEAD~1")


def _partial_without_remote(folder: Path) -> State:
    clone = _cloned(folder, "--filter=blob:none")
    shutil.rmtree(folder)
    return State(clone, "HEAD~1")


def _partial_without_trees(folder: Path) -> State:
    return State(_cloned(folder, "--filter=tree:0"), "HEAD~1")


def _partial_unchanged(folder: Path) -> State:
    return State(_cloned(folder, "--filter=blob:none"))


def _partial_moved(folder: Path) -> State:
    clone = _cloned(folder, "--filter=blob:none")
    (clone / "a").rename(clone / "c")
    return State(clone, "HEAD~1", ("c",))


def _partial_after_the_advice(folder: Path) -> State:
    clone = _cloned(folder, "--filter=blob:none")
    git(clone, "fetch", "-q", "--refetch", "--no-filter")
    return State(clone, "HEAD~1")


def _shallow(folder: Path) -> State:
    return State(_cloned(folder, "--depth=1"), "HEAD~1")


def _shallow_by_branch(folder: Path) -> State:
    return State(_cloned(folder, "--depth=1"), "origin/other")


def _shallow_by_where_it_left(folder: Path) -> State:
    return State(_cloned(folder, "--depth=1"), "origin/other...")


def _shallow_by_own_name(folder: Path) -> State:
    return State(_cloned(folder, "--depth=1"), "other")


def _detached(folder: Path) -> State:
    """A checkout as in GitHub Actions with `fetch-depth: 0`: no branch is local."""
    git(folder, "branch", "other", "HEAD~1")
    clone = _cloned(folder, "--no-checkout")
    git(clone, "checkout", "-q", "--detach", "origin/HEAD")
    return State(clone, "other")


def _detached_by_where_it_left(folder: Path) -> State:
    return _detached(folder)._replace(base="other...")


def _of_one_branch(folder: Path) -> State:
    git(folder, "branch", "other", "HEAD~1")
    return State(_cloned(folder, "--single-branch"), "other...")


def _shallow_fetched(folder: Path) -> State:
    git(folder, "branch", "other", "HEAD~1")
    clone = _cloned(folder, "--depth=1")
    git(clone, "fetch", "-q", "--depth", "1", "origin", "other")
    return State(clone, "FETCH_HEAD")


def _sparse(folder: Path) -> State:
    git(folder, "sparse-checkout", "set", "a")
    return State(folder)


def _skip_worktree(folder: Path) -> State:
    git(folder, "update-index", "--skip-worktree", "a/manifest.json")
    (folder / "a" / "manifest.json").unlink()
    return State(folder)


def _skip_worktree_changed(folder: Path) -> State:
    return _skip_worktree(folder)._replace(base="HEAD~1")


def _with_submodule(folder: Path) -> State:
    inner = Path(shutil.copytree(folder, folder.parent / "inner"))
    allowed = ("-c", "protocol.file.allow=always")
    git(folder, *allowed, "submodule", "add", "-q", inner.as_uri(), "sub")
    git(folder, "commit", "-q", "-m", "A submodule")
    return State(folder)


def _submodule_changed(folder: Path) -> State:
    state = _with_submodule(folder)
    _written(folder / "sub" / "a" / "manifest.json", BASE)
    return state


def _submodule_not_checked_out(folder: Path) -> State:
    state = _with_submodule(folder)
    git(folder, "submodule", "deinit", "-q", "-f", "sub")
    return state


def _submodule_in_submodule(folder: Path) -> State:
    state = _with_submodule(folder)
    allowed = ("-c", "protocol.file.allow=always")
    url = (folder.parent / "inner").as_uri()
    git(folder / "sub", *allowed, "submodule", "add", "-q", url, "sub")
    git(folder / "sub", "commit", "-q", "-m", "A submodule")
    git(folder, "commit", "-q", "-am", "Another commit of it")
    return state


def _work_tree(folder: Path) -> State:
    tree = folder.parent / "tree"
    git(folder, "worktree", "add", "-q", str(tree))
    return State(tree, "HEAD~1")


def _bare(folder: Path) -> State:
    return State(_cloned(folder, "--bare"))


def _git_folder(folder: Path) -> State:
    return State(folder / ".git")


def _of_another_owner(folder: Path) -> State:
    program = shutil.which("git")
    script = f'GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec {program} "$@"\n'
    return State(folder, path=_program(folder.parent, "git", script))


def _corrupt(name: str) -> Callable[[Path], State]:
    def change(folder: Path) -> State:
        _object(folder, name).write_bytes(b"nothing of git")
        return State(folder, "HEAD~1")

    return change


def _cut_off(folder: Path) -> State:
    file = _object(folder, "HEAD~1:a/manifest.json")
    file.write_bytes(file.read_bytes()[:60])
    return State(folder, "HEAD~1")


def _missing(folder: Path) -> State:
    _object(folder, "HEAD~1:a/manifest.json").unlink()
    return State(folder, "HEAD~1")


def _corrupt_index(folder: Path) -> State:
    (folder / ".git" / "index").write_bytes(b"nothing of git")
    return State(folder)


def _without_git(folder: Path) -> State:
    return State(folder, path=str(folder))


def _git_that_ends(folder: Path) -> State:
    program = shutil.which("git")
    script = f'case "$*" in *"cat-file --batch") exit 1;; esac\nexec {program} "$@"\n'
    return State(folder, "HEAD~1", path=_program(folder.parent, "git", script))


def _no_repository(folder: Path) -> State:
    shutil.rmtree(folder / ".git")
    return State(folder)


def _no_commit(folder: Path) -> State:
    shutil.rmtree(folder / ".git")
    git(folder, "init", "-q")
    return State(folder)


def _linked(folder: Path, target: str) -> Path:
    link = folder / "link.manifest.json"
    link.symlink_to(target)
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "-m", "A link")
    return link


def _link_out(folder: Path) -> State:
    _written(folder.parent / "outside.json", BASE)
    _linked(folder, "../outside.json")
    return State(folder)


def _link_out_named(folder: Path) -> State:
    return _link_out(folder)._replace(named=("link.manifest.json",))


def _linked_folder_out(folder: Path) -> State:
    _written(folder.parent / "outside" / "manifest.json", BASE)
    _linked(folder, "../outside")
    return State(folder, named=("link.manifest.json/manifest.json",))


def _link_in_a_circle(folder: Path) -> State:
    _linked(folder, "link.manifest.json")
    return State(folder)


def _link_out_changed(folder: Path) -> State:
    state = _link_out(folder)
    (folder / "link.manifest.json").unlink()
    _written(folder / "link.manifest.json", BASE)
    return state


STATES: dict[str, tuple[Callable[[Path], State], int, tuple[str, ...]]] = {
    "unchanged": (_as_it_is, CLEAN, (f"2 manifests compared, {NOTHING}",)),
    "changed": (_changed, FINDINGS, ("2 manifests compared, 2 changes",)),
    "partial": (
        _partial,
        USAGE,
        (f"a/manifest.json: {{}}; {FETCH}", f"b/manifest.json: {{}}; {FETCH}"),
    ),
    "partial, no remote": (_partial_without_remote, USAGE, (FETCH,)),
    "partial, no trees": (_partial_without_trees, USAGE, (FETCH,)),
    "partial, unchanged": (_partial_unchanged, CLEAN, (f"2 manifests compared, {NOTHING}",)),
    "partial, moved": (_partial_moved, USAGE, (FETCH,)),
    "partial, fetched": (_partial_after_the_advice, FINDINGS, ("2 changes",)),
    "shallow": (_shallow, USAGE, ("the clone is shallow; run `git fetch --unshallow`",)),
    "shallow, another branch": (
        _shallow_by_branch,
        USAGE,
        ("run `git fetch --depth 1 origin other` and give `--base FETCH_HEAD`",),
    ),
    "shallow, where a branch left": (
        _shallow_by_where_it_left,
        USAGE,
        ("run `git fetch --unshallow origin other` and give `--base FETCH_HEAD...`",),
    ),
    "shallow, without the remote's name": (
        _shallow_by_own_name,
        USAGE,
        ("give `--base FETCH_HEAD`", "(a branch is `--base origin/other` then)"),
    ),
    "checked out in a job, by its own name": (
        _detached,
        USAGE,
        ("unknown revision `other` in this repository; write `--base origin/other`",),
    ),
    "checked out in a job, where it left": (
        _detached_by_where_it_left,
        USAGE,
        ("; write `--base origin/other...`",),
    ),
    "one branch alone": (
        _of_one_branch,
        USAGE,
        ("`git fetch origin other` gets a branch, which is `--base FETCH_HEAD...` then",),
    ),
    "shallow, another branch fetched": (_shallow_fetched, FINDINGS, ("2 changes",)),
    "sparse": (_sparse, CLEAN, (f"2 manifests compared, {NOTHING}",)),
    "skip-worktree": (_skip_worktree, CLEAN, (f"2 manifests compared, {NOTHING}",)),
    "skip-worktree, changed": (_skip_worktree_changed, FINDINGS, ("2 changes",)),
    "submodule": (_with_submodule, CLEAN, (f"4 manifests compared, {NOTHING}",)),
    "submodule, changed": (
        _submodule_changed,
        USAGE,
        ("HEAD:sub/a/manifest.json: is in a submodule; compare it there",),
    ),
    "submodule, not checked out": (
        _submodule_not_checked_out,
        CLEAN,
        (f"2 manifests compared, {NOTHING}",),
    ),
    "submodule in a submodule": (
        _submodule_in_submodule,
        CLEAN,
        (f"6 manifests compared, {NOTHING}",),
    ),
    "worktree": (_work_tree, FINDINGS, ("2 changes",)),
    "bare": (_bare, USAGE, ("must be run in a work tree",)),
    "in .git": (_git_folder, USAGE, ("must be run in a work tree",)),
    "safe.directory": (_of_another_owner, USAGE, ("git config --global --add safe.directory",)),
    "corrupt content": (_corrupt("HEAD~1:a/manifest.json"), USAGE, (FSCK,)),
    "corrupt folder": (_corrupt("HEAD~1:a"), USAGE, ("is corrupt",)),
    "corrupt commit": (_corrupt("HEAD~1"), USAGE, ("is corrupt",)),
    "content cut off": (_cut_off, USAGE, ("unable to stream", "1 manifest compared")),
    "missing content": (_missing, USAGE, (FSCK, "1 manifest compared")),
    "corrupt index": (_corrupt_index, USAGE, ("index file",)),
    "no git": (_without_git, USAGE, ("this needs `git`, which is not on the search path",)),
    "git that ends": (_git_that_ends, USAGE, ("HEAD~1:a/manifest.json: git ended",)),
    "no repository": (_no_repository, USAGE, ("to compare two files: manifest diff OLD NEW",)),
    "no commit": (_no_commit, CLEAN, ("2 manifests compared, 2 changes with 2 findings: 2 info",)),
    "link out": (_link_out, USAGE, ("error: link.manifest.json: a link leads out of the folder",)),
    "link out, named": (_link_out_named, CLEAN, (NOTHING,)),
    "folder linked out": (_linked_folder_out, CLEAN, (NOTHING,)),
    "link in a circle": (_link_in_a_circle, CLEAN, (NOTHING,)),
    "link out, changed": (
        _link_out_changed,
        USAGE,
        ("HEAD:link.manifest.json: is a link out of this repository",),
    ),
}


@pytest.mark.parametrize("name", STATES)
def test_each_state_of_a_repository_has_its_code_and_a_sentence(
    name: str, repository: Path, tmp_path: Path
) -> None:
    prepare, code, sentences = STATES[name]
    state = prepare(Path(shutil.copytree(repository, tmp_path / "project")))
    outcome = manifest_here(
        *("diff", "--base", state.base, *state.named), cwd=state.folder, env={"PATH": state.path}
    )
    assert outcome.code == code, outcome
    said = (outcome.out + outcome.err).splitlines()
    for each in sentences:
        start, _, end = each.partition("{}")
        assert any(start in line and end in line for line in said), outcome
    if code == USAGE:
        assert NOTHING not in outcome.err
        assert outcome.err.startswith("error: ") or "error not-compared " in said[0]
    else:
        assert "error: " not in outcome.err
