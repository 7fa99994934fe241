"""The hook: which files it is given, and what it does with them, by pre-commit itself."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock
from pre_commit.clientlib import load_manifest  # type: ignore[import-untyped]

from checkout import copy_checkout, git, make_repository
from command import EXAMPLES, GOLDEN, REPOSITORY, Outcome, environment, manifest
from folders import listed, tree
from rows import rows
from samples import BROKEN, VALID

HOOKS = {each["id"]: each for each in load_manifest(REPOSITORY / ".pre-commit-hooks.yaml")}
HOOK = HOOKS["manifest-lint"]


@rows(
    "name",
    [
        "manifest.json",
        "manifest.yaml",
        "manifest.yml",
        "a/b c/manifest.json",
        "x.manifest.json",
        "a/x.y.manifest.yml",
        "x.activity-provider.json",
        "a/x.activity-provider.yaml",
    ],
)
def test_the_hook_is_given_files_named_like_a_manifest(name: str) -> None:
    assert re.search(HOOK["files"], name)


@rows(
    "name",
    [
        "amanifest.json",
        "package-manifest.json",
        ".manifest.json",
        "a/.manifest.json",
        "activity-provider.json",
        "manifest.json.bak",
        "manifest.jsonc",
        "manifest.toml",
        "manifest/a.json",
        "x.manifest.json/a.txt",
        "manifestXjson",
        "x_activity-provider.json",
        "package.json",
    ],
)
def test_the_hook_is_not_given_other_files(name: str) -> None:
    assert not re.search(HOOK["files"], name)


def test_the_hook_is_given_what_lint_finds_in_folders(tmp_path: Path) -> None:
    stems = ["manifest", "x.manifest", "x.y.activity-provider", ".manifest", "x_manifest"]
    suffixes = [".json", ".yaml", ".yml", ".jsonc", ".json.bak", ""]
    names = [f"{stem}{suffix}" for stem in stems for suffix in suffixes]
    written = [way(each) for each in names for way in (str.lower, str.upper, str.title)]
    files = [f"{number}/{each}" for number, each in enumerate(written)]
    tree(tmp_path, *files)
    given = {each for each in files if re.search(HOOK["files"], each)}
    assert given == {*listed(tmp_path)}


def test_the_hook_leaves_out_what_is_excluded_and_foreign() -> None:
    assert HOOK["entry"] == "manifest lint --force-exclude"
    assert HOOKS["manifest-fix"]["entry"].startswith("manifest lint --force-exclude --fix")
    assert HOOKS["manifest-fmt"]["entry"] == "manifest fmt --force-exclude"
    assert HOOKS["manifest-diff"]["entry"] == "manifest diff --force-exclude --base HEAD"
    for name in ("manifest-lint", "manifest-fix", "manifest-fmt"):
        assert (HOOKS[name]["types"], HOOKS[name]["files"]) == ([], HOOK["files"])
        assert HOOKS[name]["args"] == ["--"]


def test_one_process_checks_all_files_on_every_processor() -> None:
    assert HOOKS["manifest-lint"]["require_serial"]
    assert HOOKS["manifest-fix"]["require_serial"]


def test_every_example_is_given_to_the_hook() -> None:
    files = [
        file.name
        for folder in (EXAMPLES / "valid", GOLDEN / "valid", GOLDEN / "broken")
        for file in folder.iterdir()
        if file.suffix in {".json", ".yaml"}
    ]
    assert files
    assert all(re.search(HOOK["files"], name) for name in files)


# -- for real --------------------------------------------------------------------------------

_FOREIGN = json.dumps({"manifest_version": 3, "name": "An extension"}).encode()


@pytest.fixture(scope="session")
def hook_repository(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """This checkout as a repository of its own, with what is not committed yet.

    It is made once, by whichever test process comes first, and pre-commit, whose home is beside
    it, installs it once.
    """
    base = tmp_path_factory.getbasetemp()
    shared = (base if worker_id == "master" else base.parent) / "hooks"
    with FileLock(f"{shared}.lock"):
        if not shared.exists():
            make_repository(copy_checkout(shared / "repository"))
    return shared / "repository"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a good manifest and one of something else."""
    folder = tmp_path / "project"
    (folder / "extension").mkdir(parents=True)
    (folder / "app.manifest.json").write_bytes(VALID)
    (folder / "extension" / "manifest.json").write_bytes(_FOREIGN)
    (folder / "other.json").write_bytes(b"{")
    return make_repository(folder)


def _pre_commit(hooks: Path, project: Path, *arguments: str | Path) -> Outcome:
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", *arguments],
        cwd=project,
        env=environment(PRE_COMMIT_HOME=str(hooks.parent / "home"), PRE_COMMIT_COLOR="never"),
        capture_output=True,
        text=True,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def test_the_hook_that_compares_passes_where_there_is_no_manifest(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("nothing")
    folder = make_repository(tmp_path)
    _, *arguments = HOOKS["manifest-diff"]["entry"].split()
    assert manifest(*arguments, cwd=folder).code == 0


@pytest.mark.slow
def test_the_hooks_fail_on_broken_manifests_and_when_they_change_files_and_pass_all_others(
    hook_repository: Path, project: Path
) -> None:
    broken = [project / "broken.manifest.json", project / "broken.manifest.yml"]
    broken[0].write_bytes(BROKEN)
    broken[1].write_bytes(b"schema_version: 1.10\nprovider: [\n")
    (project / "-x.manifest.json").write_bytes(VALID)
    (project / "other.yaml").write_bytes(b"[")
    (project / ".pre-commit-config.yaml").write_text(
        f"""repos:
- repo: {hook_repository}
  rev: {git(hook_repository, "rev-parse", "HEAD")}
  hooks: [{{id: manifest-fix}}, {{id: manifest-fmt}}, {{id: manifest-lint}}]
""",
        "utf-8",
    )
    make_repository(project)
    outcome = _pre_commit(hook_repository, project, "run", "manifest-lint", "--all-files")
    assert outcome.code == 1, outcome
    found = sorted(line for line in outcome.out.splitlines() if ": error " in line)
    assert [line.split(" ")[:3] for line in found] == [
        ["broken.manifest.json:2:21:", "error", "wrong-type"],
        ["broken.manifest.yml:2:11:", "error", "syntax-error"],
    ]
    (project / "broken.json").write_bytes(broken[0].read_bytes())
    broken[0].unlink()
    broken[0].symlink_to("broken.json")
    git(project, "add", "--all")
    outcome = _pre_commit(hook_repository, project, "run", "manifest-lint", "--all-files")
    assert "broken.manifest.json:2:21: error wrong-type" in outcome.out
    # pre-commit may hand over the files in parts, each with a summary of its own.
    assert "extension" not in outcome.out
    assert "other." not in outcome.out

    for file in broken:
        file.unlink()
    messy = VALID.replace(b'"permissions": []', b'"permissions":   ["host.timr"]')
    (project / "messy.manifest.json").write_bytes(messy)
    make_repository(project)
    outcome = _pre_commit(hook_repository, project, "run", "--all-files")
    assert outcome.code == 1, outcome
    assert outcome.out.count("files were modified by this hook") == 2, outcome
    changed = (project / "messy.manifest.json").read_bytes()
    assert changed == VALID.replace(b'"permissions": []', b'"permissions": ["host.timer"]')
    assert (project / "extension" / "manifest.json").read_bytes() == _FOREIGN

    make_repository(project)
    outcome = _pre_commit(hook_repository, project, "run", "--all-files")
    assert outcome.code == 0, outcome
    assert "-x.manifest.json" in git(project, "ls-files")
    assert re.search(r"lint activity provider manifests\.+Passed", outcome.out)


@pytest.mark.slow
def test_the_hook_stops_a_commit_that_asks_for_a_permission(
    hook_repository: Path, project: Path
) -> None:
    (project / ".pre-commit-config.yaml").write_text(
        f"""repos:
- repo: {hook_repository}
  rev: {git(hook_repository, "rev-parse", "HEAD")}
  hooks: [{{id: manifest-diff}}]
""",
        "utf-8",
    )
    git(project, "add", "--all")
    assert _pre_commit(hook_repository, project, "run", "--all-files").code == 0
    asking = VALID.replace(b'"permissions": []', b'"permissions": ["host.timer"]')
    (project / "app.manifest.json").write_bytes(asking)
    (project / "extension" / "manifest.json").write_bytes(_FOREIGN.replace(b"An", b"Another"))
    git(project, "add", "--all")
    outcome = _pre_commit(hook_repository, project, "run")
    assert outcome.code == 1, outcome
    assert "asks for a new permission, `host.timer`" in outcome.out
    assert "extension/manifest.json: skipped, it is a browser extension's manifest" in outcome.out
    git(project, "commit", "-q", "-m", "Ask for it all the same", "--no-verify")
    git(project, "mv", "app.manifest.json", "app.json")
    outcome = _pre_commit(hook_repository, project, "run", "--verbose")
    assert "info manifest-moved" in outcome.out
    git(project, "mv", "app.json", "app.manifest.json")
    assert _pre_commit(hook_repository, project, "run", "--all-files").code == 0
