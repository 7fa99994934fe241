"""`manifest diff --base` in real repositories."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from changing import BASE
from checkout import git, make_repository
from command import CLEAN, FINDINGS, GOLDEN, USAGE, Outcome, manifest
from in_process import manifest_here

TIMER = {**BASE, "permissions": ["host.timer"]}
OTHER = {**BASE, "provider": {**BASE["provider"], "id": "com.example.other"}}


def written(path: Path, contents: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(contents if isinstance(contents, str) else json.dumps(contents, indent=2))
    return path


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a manifest that is committed."""
    folder = tmp_path_factory.mktemp("repository")
    written(folder / "app" / "manifest.json", BASE)
    return make_repository(folder)


@pytest.fixture
def project(repository: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(repository, tmp_path / "project")


def _state(project: Path) -> dict[str, Any]:
    """Each file with its content and time, the index included; not what git keeps for itself."""
    files = [file for file in project.rglob("*") if ".git" not in file.relative_to(project).parts]
    return {
        str(file): [file.lstat().st_mtime_ns, file.lstat().st_size, file.lstat().st_ino]
        for file in [*files, project / ".git" / "index", project / ".git" / "HEAD"]
        if os.path.lexists(file)
    }


def diff(project: Path, *arguments: str | Path, **env: str) -> Outcome:
    """Run `manifest diff`; whatever is asked, neither the work tree nor the index is touched."""
    before = _state(project)
    outcome = manifest_here("diff", *arguments, cwd=project, env=env)
    assert _state(project) == before
    return outcome


def found(outcome: Outcome) -> list[tuple[str, str]]:
    """The path and the rule of each finding of the JSON form."""
    return [(each["path"], each["rule"]) for each in json.loads(outcome.out)["findings"]]


JSON = ("--output-format", "json")


def test_nothing_changed(project: Path) -> None:
    outcome = diff(project, "--base", "HEAD")
    assert (outcome.code, outcome.out) == (CLEAN, "")
    assert outcome.err == "1 manifest compared, nothing changed\n"


def test_a_change_of_the_work_tree_is_told_with_its_place_in_the_revision(project: Path) -> None:
    written(project / "app" / "manifest.json", TIMER)
    outcome = diff(project, "--base=main", *JSON)
    assert outcome.code == FINDINGS
    assert ("app/manifest.json", "permission-added") in found(outcome)
    findings = json.loads(outcome.out)["findings"]
    assert {each["path"] for one in findings for each in one["related"]} == {
        "main:app/manifest.json"
    }


@pytest.mark.parametrize(
    ("folder", "path", "name"),
    [
        ("app", ".", "manifest.json"),
        ("app", "manifest.json", "manifest.json"),
        ("", "app/manifest.json", "app/manifest.json"),
        ("", "./app/../app", "app/../app/manifest.json"),
        ("app", "..", "../app/manifest.json"),
    ],
)
def test_a_path_is_counted_from_the_working_folder(
    folder: str, path: str, name: str, project: Path
) -> None:
    written(project / "app" / "manifest.json", TIMER)
    outcome = manifest("diff", "--base=HEAD", path, *JSON, cwd=project / folder)
    assert (name, "permission-added") in found(outcome)
    assert len(json.loads(outcome.out)["changes"]) == 1


@pytest.mark.parametrize("folder", [(), (".",), ("./",), ("../b",), ("../a/../b",)], ids=str)
def test_in_a_folder_of_a_repository_only_that_folder_is_compared(
    folder: tuple[str, ...], project: Path
) -> None:
    for name in ("app", "a", "b", "b/below"):
        written(project / name / "manifest.json", TIMER)
    outcome = manifest("diff", "--base=main", *JSON, *folder, cwd=project / "b")
    places = {os.path.normpath(project / "b" / path) for path, _ in found(outcome)}
    assert places == {str(project / name / "manifest.json") for name in ("b", "b/below")}


def test_a_manifest_that_is_gone_is_said_so(project: Path) -> None:
    (project / "app" / "manifest.json").unlink()
    outcome = diff(project, "--base", "main", *JSON)
    assert found(outcome) == [("app/manifest.json", "manifest-removed")]
    assert [each["kind"] for each in json.loads(outcome.out)["changes"]] == ["removed"]
    named = diff(project, "--base", "main", "app/manifest.json")
    assert "warning manifest-removed this manifest was removed" in named.out
    assert diff(project, "--base", "main", "app").out == named.out


@pytest.mark.parametrize(
    ("permissions", "told"),
    [
        ([], "no permission"),
        (["host.timer"], "`host.timer`"),
        (["host.timer", "a", "b"], "`host.timer`, `a` and `b`"),
        ([f"long.{index:03}" for index in range(99)], "`long.097` and `long.098`"),
        ("host.timer", None),
    ],
)
def test_a_manifest_that_is_new_is_said_so_with_what_it_asks_for(
    permissions: Any, told: str | None, project: Path
) -> None:
    written(project / "new" / "manifest.json", {**OTHER, "permissions": permissions})
    outcome = diff(project, "--base", "main", *JSON)
    assert (outcome.code, found(outcome)) == (CLEAN, [("new/manifest.json", "manifest-added")])
    (finding,) = json.loads(outcome.out)["findings"]
    assert finding["message"].startswith("this manifest is new")
    assert finding["message"].endswith(told or "nobody can say what it asks for")


def test_a_renamed_file_is_compared_with_what_it_was(project: Path) -> None:
    git(project, "mv", "app/manifest.json", "box.manifest.json")
    written(project / "box.manifest.json", TIMER)
    outcome = diff(project, "--base", "HEAD", *JSON)
    assert sorted(found(outcome)) == [
        ("box.manifest.json", "manifest-moved"),
        ("box.manifest.json", "permission-added"),
        ("box.manifest.json", "version-not-raised"),
    ]


def test_each_of_two_of_one_id_is_compared_with_the_one_that_is_gone(project: Path) -> None:
    (project / "app" / "manifest.json").unlink()
    written(project / "a.manifest.json", BASE)
    written(project / "b.manifest.json", TIMER)
    assert ("b.manifest.json", "permission-added") in found(diff(project, "--base", "HEAD", *JSON))


def test_of_two_that_moved_each_is_compared_with_the_one_of_its_name(project: Path) -> None:
    for name in ("a", "b"):
        contents = {**BASE, "permissions": ["host.timer"] if name == "b" else []}
        written(project / "old" / f"{name}.manifest.json", contents)
    git(project, "add", "--all")
    git(project, "commit", "-q", "-m", "Two of one identifier")
    (project / "old").rename(project / "new")
    rules = found(diff(project, "--base", "HEAD", *JSON))
    moved = [path for path, rule in rules if rule == "manifest-moved"]
    assert moved == ["new/a.manifest.json", "new/b.manifest.json"]


@pytest.mark.parametrize("named", ["q/manifest.json", "q", "."])
def test_what_moves_into_what_is_named_is_compared_with_where_it_was(
    project: Path, named: str
) -> None:
    git(project, "mv", "app", "q")
    written(project / "q" / "manifest.json", TIMER)
    outcome = diff(project, "--base", "HEAD", named, *JSON)
    assert outcome.code == FINDINGS
    assert {("q/manifest.json", "manifest-moved"), ("q/manifest.json", "permission-added")} <= {
        *found(outcome)
    }


def test_what_is_gone_from_what_is_not_named_is_not_told(project: Path) -> None:
    git(project, "mv", "app", "q")
    written(project / "other" / "manifest.json", OTHER)
    outcome = diff(project, "--base", "HEAD", "other", *JSON)
    assert found(outcome) == [("other/manifest.json", "manifest-added")]


def test_what_only_moves_raises_no_version(project: Path) -> None:
    git(project, "mv", "app/manifest.json", "manifest.json")
    assert found(diff(project, "--base", "HEAD", *JSON)) == [("manifest.json", "manifest-moved")]


@pytest.mark.parametrize(
    "name", ["a b.manifest.json", "new\nline.manifest.json", "é.manifest.json", '"q".manifest.json']
)
def test_any_name_is_found_in_git(name: str, project: Path) -> None:
    written(project / name, OTHER)
    git(project, "add", "--all")
    git(project, "commit", "-q", "-m", "More")
    written(project / name, {**OTHER, "permissions": ["host.timer"]})
    outcome = diff(project, "--base", "HEAD", *JSON)
    assert (name, "permission-added") in found(outcome)
    one = diff(project, "--base", "HEAD", name, *JSON)
    assert found(one) == found(outcome)


@pytest.mark.parametrize(
    ("old", "reason"),
    [
        (b"\x00\x01\x02\xff\xfe" * 9, "cannot be read"),
        (b"{", "cannot be read"),
        (b"", "cannot be read"),
        (b"[" * 5_000, "cannot be read"),
    ],
    ids=["binary", "broken", "empty", "too deep"],
)
def test_what_cannot_be_read_there_is_not_compared(old: bytes, reason: str, project: Path) -> None:
    (project / "app" / "manifest.json").write_bytes(old)
    git(project, "commit", "-q", "-am", "Spoilt")
    written(project / "app" / "manifest.json", BASE)
    outcome = diff(project, "--base", "HEAD")
    assert outcome.code == USAGE
    assert "error not-compared HEAD:app/manifest.json: " in outcome.out
    assert reason in outcome.out
    assert "nothing changed" not in outcome.out + outcome.err


def test_what_cannot_be_read_here_is_not_compared(
    project: Path, held_back: tuple[str, ...]
) -> None:
    (project / "app" / "manifest.json").chmod(0)
    outcome = manifest("diff", "--base", "HEAD", cwd=project, by=held_back)
    assert outcome.code == USAGE
    assert "permission denied" in outcome.out


def test_a_file_that_is_larger_than_the_limit_is_not_compared(project: Path) -> None:
    written(project / "manifestkit.toml", "[limits]\nbytes = 100\n")
    outcome = diff(project, "--base", "HEAD")
    assert outcome.code == USAGE
    assert "the file is larger than 100 bytes" in outcome.out


def test_what_a_link_led_to_is_compared(project: Path) -> None:
    (project / "link.manifest.json").symlink_to("app/manifest.json")
    (project / "data").symlink_to("app")
    (project / "far.manifest.json").symlink_to("./data//manifest.json")
    committed(project)
    assert diff(project, "--base", "HEAD").err == "3 manifests compared, nothing changed\n"
    written(project / "app" / "manifest.json", TIMER)
    outcome = diff(project, "--base", "HEAD", *JSON)
    assert [path for path, rule in found(outcome) if rule == "permission-added"] == [
        "app/manifest.json",
        "far.manifest.json",
        "link.manifest.json",
    ]
    (project / "link.manifest.json").unlink()
    written(project / "link.manifest.json", TIMER)
    outcome = diff(project, "--base", "HEAD", "link.manifest.json", *JSON)
    assert ("link.manifest.json", "permission-added") in found(outcome)


@pytest.mark.parametrize("named", [("cur",), ("cur/manifest.json",), ("cur/../cur",)])
def test_a_linked_folder_that_leads_elsewhere_is_compared_with_where_it_led(
    named: tuple[str, ...], project: Path
) -> None:
    written(project / "b" / "manifest.json", TIMER)
    (project / "cur").symlink_to("app")
    committed(project)
    same = diff(project, "--base", "HEAD", *named)
    assert same.err == "1 manifest compared, nothing changed\n"
    (project / "cur").unlink()
    (project / "cur").symlink_to("b")
    outcome = diff(project, "--base", "HEAD", *named, *JSON)
    assert outcome.code == FINDINGS
    path = "cur/../cur/manifest.json" if ".." in "".join(named) else "cur/manifest.json"
    assert [path for path, rule in found(outcome) if rule == "permission-added"] == [path]
    outside = project.parent / "outside"
    outside.symlink_to(project)
    by_link = manifest("diff", "--base", "HEAD", "cur", *JSON, cwd=outside)
    assert ("cur/manifest.json", "permission-added") in found(by_link)


def test_a_copy_of_what_a_link_leads_to_is_no_move(project: Path) -> None:
    (project / "app" / "manifest.json").rename(project / "app" / "text")
    (project / "link.manifest.json").symlink_to("app/text")
    committed(project)
    written(project / "copy.manifest.json", TIMER)
    outcome = diff(project, "--base", "HEAD", *JSON)
    assert ("copy.manifest.json", "manifest-added") in found(outcome)
    assert ("copy.manifest.json", "permission-added") in found(outcome)
    assert "manifest-moved" not in outcome.out


@pytest.mark.parametrize(
    "target", ["{outside}", "../outside.json", "link.manifest.json", "app/../.."]
)
def test_what_a_link_led_to_elsewhere_is_not_compared(target: str, project: Path) -> None:
    outside = written(project.parent / "outside.json", OTHER)
    link = project / "link.manifest.json"
    link.symlink_to(target.format(outside=outside))
    committed(project)
    link.unlink()
    written(link, OTHER)
    outcome = diff(project, "--base", "HEAD")
    assert outcome.code == USAGE
    assert "HEAD:link.manifest.json: is a link out of this repository or in a circle" in outcome.out
    assert "1 manifest compared" in outcome.err


def test_a_link_that_led_to_nothing_was_no_manifest(project: Path) -> None:
    link = project / "link.manifest.json"
    link.symlink_to("nothing.json")
    committed(project)
    link.unlink()
    assert diff(project, "--base", "HEAD").code == CLEAN
    written(link, OTHER)
    assert found(diff(project, "--base", "HEAD", *JSON)) == [
        ("link.manifest.json", "manifest-added")
    ]


def test_what_a_sparse_checkout_leaves_out_is_compared_as_it_is_in_the_index(
    project: Path,
) -> None:
    written(project / "other" / "manifest.json", OTHER)
    (project / "other" / "link.manifest.json").symlink_to("../app/manifest.json")
    committed(project)
    git(project, "branch", "old")
    git(project, "sparse-checkout", "set", "app")
    assert not (project / "other").exists()
    assert diff(project, "--base", "old").err == "3 manifests compared, nothing changed\n"
    git(project, "sparse-checkout", "disable")
    written(project / "app" / "manifest.json", TIMER)
    written(project / "other" / "manifest.json", {**OTHER, "permissions": ["host.timer"]})
    written(project / "new" / "manifest.json", TIMER)
    committed(project)
    git(project, "sparse-checkout", "set", "empty")
    outcome = diff(project, "--base", "old", *JSON)
    assert outcome.code == FINDINGS
    assert [path for path, rule in found(outcome) if rule == "permission-added"] == [
        "app/manifest.json",
        "new/manifest.json",
        "other/manifest.json",
    ]
    one = diff(project, "--base", "old", "other/manifest.json", *JSON)
    assert ("other/manifest.json", "permission-added") in found(one)
    assert "manifest-moved" not in outcome.out + one.out


def test_a_submodule_is_compared_by_itself(project: Path, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    written(inner / "manifest.json", OTHER)
    make_repository(inner)
    git(project, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "sub")
    git(project, "commit", "-q", "-m", "A submodule")
    written(project / "sub" / "manifest.json", {**OTHER, "permissions": ["host.timer"]})
    outcome = diff(project, "--base", "HEAD", "sub/manifest.json")
    assert outcome.code == USAGE
    assert "is in a submodule; compare it there" in outcome.out
    inside = manifest("diff", "--base", "HEAD", *JSON, cwd=project / "sub")
    assert ("manifest.json", "permission-added") in found(inside)


@pytest.mark.parametrize(
    "arguments", [("mv", "manifest.json", "app.json"), ("rm", "-q", "-r", ".")]
)
def test_what_is_gone_from_a_changed_submodule_is_not_compared(
    project: Path, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    inner = tmp_path / "inner"
    written(inner / "manifest.json", OTHER)
    make_repository(inner)
    git(project, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "sub")
    git(project, "commit", "-q", "-m", "A submodule")
    assert diff(project, "--base", "HEAD").code == CLEAN
    git(project / "sub", *arguments)
    git(project / "sub", "commit", "-q", "-m", "Gone")
    outcome = diff(project, "--base", "HEAD")
    assert outcome.code == USAGE
    assert "sub/manifest.json: is in a submodule; compare it there" in outcome.out


def test_a_shallow_clone_lacks_the_past_and_says_so(project: Path, tmp_path: Path) -> None:
    written(project / "app" / "manifest.json", TIMER)
    git(project, "commit", "-q", "-am", "More")
    first = git(project, "rev-parse", "HEAD~1").strip()
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "1", project.as_uri(), str(clone))
    for base in ("HEAD~1", first):
        outcome = manifest_here("diff", "--base", base, cwd=clone)
        assert (outcome.code, outcome.out) == (USAGE, "")
        assert f"unknown revision `{base}` in this repository: the clone is shallow" in outcome.err
        assert "set `fetch-depth: 0` for actions/checkout" in outcome.err
    assert manifest_here("diff", "--base", "HEAD", cwd=clone).code == CLEAN


def test_an_unknown_revision_names_a_next_step(project: Path) -> None:
    outcome = diff(project, "--base", "nosuch")
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert outcome.err == (
        "error: unknown revision `nosuch` in this repository; give one commit, tag or branch, such "
        "as `HEAD`\n"
    )
    outcome = diff(project, "--base", "origin/main")
    assert "in this repository; write `--base main`" in outcome.err
    git(project, "checkout", "-q", "-b", "branch")
    assert diff(project, "--base", "origin/main").err.endswith("; write `--base main`\n")


@pytest.mark.parametrize(
    ("named", "given"),
    [
        ("main...branch", "$(git merge-base main branch)"),
        ("...main", "$(git merge-base HEAD main)"),
        ("main..HEAD", "main"),
    ],
)
def test_a_range_is_answered_with_the_base_that_it_means(
    project: Path, named: str, given: str
) -> None:
    """What main did since is not reported of the branch."""
    git(project, "checkout", "-q", "-b", "branch")
    git(project, "commit", "-q", "--allow-empty", "-m", "Mine")
    git(project, "checkout", "-q", "main")
    written(project / "app" / "manifest.json", TIMER)
    git(project, "commit", "-q", "-am", "Theirs")
    git(project, "checkout", "-q", "branch")
    outcome = diff(project, "--base", named)
    assert (outcome.code, outcome.out) == (USAGE, "")
    base = f'"{given}"' if "(" in given else given
    assert outcome.err.endswith(f"; a range has two: give `--base {base}`\n")
    if base != given:
        found = git(project, *given[6:-1].split()).strip()
        assert diff(project, "--base", found).err == "1 manifest compared, nothing changed\n"


@pytest.mark.parametrize("base", ["main...", "main...HEAD", "heads/main..."])
def test_a_branch_is_compared_with_where_it_left_another(project: Path, base: str) -> None:
    git(project, "checkout", "-q", "-b", "branch")
    git(project, "checkout", "-q", "main")
    written(project / "app" / "manifest.json", TIMER)
    git(project, "commit", "-q", "-am", "Theirs")
    git(project, "checkout", "-q", "branch")
    assert "permission-removed" in diff(project, "--base", "main").out
    assert diff(project, "--base", base).err == "1 manifest compared, nothing changed\n"
    written(project / "app" / "manifest.json", TIMER)
    assert "permission-added" in diff(project, "--base", base).out


def test_a_range_of_what_is_not_there_is_an_unknown_revision(project: Path) -> None:
    assert "such as `HEAD`" in diff(project, "--base", "nosuch...").err
    assert "or the clone shallow?" in diff(project, "--base", "").err


@pytest.mark.parametrize(
    "base",
    [
        *(
            "nosuch",
            "--upload-pack=touch pwned",
            "-h",
            "--help",
            "",
            "HEAD\nHEAD",
            "HEAD:app/nosuch",
        ),
        *("HEAD:app/manifest.json", "$(touch pwned)", "`touch pwned`", "; touch pwned"),
        "--output=pwned",
    ],
)
def test_no_name_of_a_revision_is_an_option_or_a_command(base: str, project: Path) -> None:
    outcome = diff(project, f"--base={base}")
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert not (project / "pwned").exists()
    assert "nothing changed" not in outcome.err


@pytest.mark.parametrize("base", ["HEAD", "main", "v1", "HEAD^{commit}", "main@{0}", "HEAD^{tree}"])
def test_whatever_git_takes_for_a_revision_is_one(base: str, project: Path) -> None:
    git(project, "tag", "v1", "-m", "A tag")
    assert diff(project, "--base", base).code == CLEAN


def test_outside_of_a_work_tree_it_says_so(project: Path, tmp_path: Path) -> None:
    written(tmp_path / "alone" / "manifest.json", BASE)
    outcome = manifest("diff", "--base", "HEAD", cwd=tmp_path / "alone")
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert outcome.err == (
        "error: --base needs a git repository; to compare two files: manifest diff OLD NEW\n"
    )
    elsewhere = diff(project, "--base", "HEAD", tmp_path / "alone" / "manifest.json")
    assert elsewhere.code == USAGE
    assert "is outside of this repository" in elsewhere.out


def test_a_repository_runs_nothing(project: Path, tmp_path: Path) -> None:
    """Hooks, filters, text converters, monitors, pagers, aliases and fetches stay idle."""
    spy = written(tmp_path / "spy", f"#!/bin/sh\necho ran >> {tmp_path}/ran\ncat\n")
    spy.chmod(0o755)
    written(project / ".gitattributes", "*.json filter=spy diff=spy merge=spy\n")
    git(project, "add", "--all")
    git(project, "commit", "-q", "-m", "Attributes")
    (project / ".git" / "hooks").mkdir()
    shutil.copy(spy, project / ".git" / "hooks" / "post-index-change")
    shutil.copy(spy, project / ".git" / "hooks" / "post-checkout")
    for name in (
        *("core.fsmonitor", "core.pager", "pager.cat-file", "pager.ls-tree", "core.editor"),
        *("filter.spy.clean", "filter.spy.smudge", "filter.spy.process", "diff.spy.textconv"),
        *("diff.spy.command", "diff.external", "core.sshCommand", "core.askPass", "gpg.program"),
        "core.alternateRefsCommand",
    ):
        git(project, "config", name, str(spy))
    for name in ("cat-file", "ls-tree", "rev-parse"):
        git(project, "config", f"alias.{name}", f"!{spy}")
    git(project, "config", "core.hooksPath", str(project / ".git" / "hooks"))
    written(project / "app" / "manifest.json", TIMER)
    outcome = diff(project, "--base", "HEAD", *JSON, GIT_EXTERNAL_DIFF=str(spy), GIT_PAGER=str(spy))
    assert ("app/manifest.json", "permission-added") in found(outcome)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("transport", ["ext", "ssh", "file"])
def test_what_a_partial_clone_lacks_is_not_fetched(
    transport: str, project: Path, tmp_path: Path
) -> None:
    spy = written(tmp_path / "spy", f"#!/bin/sh\necho ran >> {tmp_path}/ran\n")
    spy.chmod(0o755)
    url = {"ext": f"ext::{spy}", "ssh": "ssh://nobody@localhost/x", "file": project.as_uri()}
    for name, value in (
        *(("remote.origin.url", url[transport]), ("remote.origin.promisor", "true")),
        *(("remote.origin.uploadpack", str(spy)), ("core.sshCommand", str(spy))),
        *(("extensions.partialClone", "origin"), ("protocol.ext.allow", "always")),
        *(("protocol.allow", "always"), ("core.repositoryFormatVersion", "1")),
    ):
        git(project, "config", name, value)
    _without_content(project)
    written(project / "app" / "manifest.json", TIMER)
    outcome = diff(project, "--base", "HEAD")
    assert outcome.code == USAGE
    assert "the repository lacks its content" in outcome.out
    assert not (tmp_path / "ran").exists()


def _without_content(project: Path) -> None:
    """Take the content of the manifest out of the repository, as partial clones lack some."""
    digest = git(project, "rev-parse", "HEAD:app/manifest.json").strip()
    (project / ".git" / "objects" / digest[:2] / digest[2:]).unlink()


@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_an_unchanged_file_is_known_by_its_digest_alone(kind: str, tmp_path: Path) -> None:
    project = tmp_path / "project"
    written(project / "app" / "manifest.json", BASE)
    git(project, "init", "-q", f"--object-format={kind}")
    make_repository(project)
    _without_content(project)
    outcome = diff(project, "--base", "HEAD")
    assert (outcome.code, outcome.err) == (CLEAN, "1 manifest compared, nothing changed\n")


def test_a_replaced_object_is_read_as_it_was_committed(project: Path) -> None:
    digest = git(project, "rev-parse", "HEAD:app/manifest.json").strip()
    other = written(project / "other.txt", TIMER)
    fake = git(project, "hash-object", "-w", str(other)).strip()
    git(project, "replace", digest, fake)
    written(project / "app" / "manifest.json", TIMER)
    assert ("app/manifest.json", "permission-added") in found(
        diff(project, "--base", "HEAD", *JSON)
    )


def test_the_environment_of_a_hook_leads_to_no_other_repository(
    project: Path, tmp_path: Path
) -> None:
    other = make_repository(tmp_path / "other")
    written(project / "app" / "manifest.json", TIMER)
    misleading = {"GIT_DIR": str(other / ".git"), "GIT_INDEX_FILE": "nosuch", "GIT_WORK_TREE": "/"}
    outcome = diff(project, "--base", "HEAD", *JSON, **misleading)
    assert ("app/manifest.json", "permission-added") in found(outcome)


def test_without_git_it_says_what_is_missing(project: Path, tmp_path: Path) -> None:
    outcome = diff(project, "--base", "HEAD", PATH=str(tmp_path))
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert "needs `git`, which is not on the search path" in outcome.err


def test_excluded_ignored_and_foreign_files_are_left_alone(project: Path) -> None:
    written(project / "manifestkit.toml", 'exclude = ["vendor/"]\n')
    written(project / "vendor" / "manifest.json", BASE)
    written(project / "ext" / "manifest.json", {"manifest_version": 3, "permissions": []})
    git(project, "add", "--all")
    git(project, "commit", "-q", "-m", "More")
    for name in ("vendor", "ext"):
        shutil.rmtree(project / name)
    outcome = diff(project, "--base", "HEAD", *JSON)
    assert found(outcome) == []
    assert json.loads(outcome.out)["summary"]["skipped"] == 1


@pytest.mark.parametrize("place", ["vendor", "vendor/deep"])
@pytest.mark.parametrize("is_gone", [False, True])
def test_the_configuration_of_an_excluded_folder_is_not_read(
    project: Path, place: str, *, is_gone: bool
) -> None:
    written(project / "manifestkit.toml", 'exclude = ["vendor/"]\n')
    written(project / "vendor" / "deep" / "manifest.json", BASE)
    written(project / place / "manifestkit.toml", "{{ options }}")
    git(project, "add", "--all")
    git(project, "commit", "-q", "-m", "More")
    written(project / "app" / "manifest.json", TIMER)
    vendored = project / "vendor" / "deep" / "manifest.json"
    if is_gone:
        vendored.unlink()
    else:
        written(vendored, TIMER)
    outcome = diff(project, "--base", "HEAD", *JSON)
    assert {path for path, _ in found(outcome)} == {"app/manifest.json"}


def test_an_ignore_rule_hides_no_manifest_that_is_new_or_changed(project: Path) -> None:
    written(project / "app" / "manifest.json", TIMER)
    written(project / "more" / "manifest.json", BASE)
    written(project / ".gitignore", "*.json\nmore/\n")
    git(project, "add", "--all", "--force")
    written(project / "more" / "untracked.manifest.json", BASE)
    paths = {path for path, _ in found(diff(project, "--base", "HEAD", *JSON))}
    assert paths == {"app/manifest.json", "more/manifest.json"}


@pytest.mark.parametrize("contents", ["{", '{"permissions": "host.timer"}', "[]"], ids=str)
def test_what_did_not_change_is_not_mentioned_whatever_is_wrong_with_it(
    contents: str, project: Path
) -> None:
    written(project / "bad" / "manifest.json", contents)
    git(project, "add", "--all")
    git(project, "commit", "-q", "-m", "Bad")
    outcome = diff(project, "--base", "HEAD")
    assert (outcome.code, outcome.out) == (CLEAN, "")
    assert "bad" not in outcome.err
    written(project / "app" / "manifest.json", TIMER)
    outcome = diff(project, "--base", "HEAD")
    assert "permission-added" in outcome.out
    assert "bad" not in outcome.out + outcome.err


def test_on_an_identical_tree_nothing_is_found(tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(GOLDEN, project)
    make_repository(project)
    outcome = diff(project, "--base", "HEAD", *JSON)
    assert (outcome.code, json.loads(outcome.out)["findings"]) == (CLEAN, [])


def test_a_folder_with_no_manifest_now_or_then_is_told(project: Path) -> None:
    (project / "empty").mkdir()
    outcome = diff(project, "--base", "HEAD", "empty")
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert "no manifest to compare" in outcome.err


def test_a_bare_repository_has_no_work_tree(project: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    git(tmp_path, "clone", "-q", "--bare", str(project), str(bare))
    outcome = manifest("diff", "--base", "main", cwd=bare)
    assert (outcome.code, outcome.out) == (USAGE, "")


def test_a_linked_work_tree_is_one(project: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    git(project, "worktree", "add", "-q", str(tree))
    written(tree / "app" / "manifest.json", TIMER)
    assert ("app/manifest.json", "permission-added") in found(
        manifest("diff", "--base", "main", *JSON, cwd=tree)
    )


def test_many_files_are_read_by_few_processes(project: Path, tmp_path: Path) -> None:
    for index in range(300):
        written(project / f"m{index}.manifest.json", BASE)
    git(project, "add", "--all")
    git(project, "commit", "-q", "-m", "Many")
    program = shutil.which("git")
    count = written(
        tmp_path / "bin" / "git", f'#!/bin/sh\necho x >> {tmp_path}/count\nexec {program} "$@"\n'
    )
    count.chmod(0o755)
    outcome = diff(project, "--base", "HEAD", PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    assert (outcome.code, outcome.err) == (CLEAN, "301 manifests compared, nothing changed\n")
    assert len((tmp_path / "count").read_text().split()) <= 5


@pytest.mark.slow
def test_what_worker_processes_compare_is_told_in_full(project: Path) -> None:
    for index in range(400):
        written(project / f"m{index}.manifest.json", BASE)
    committed(project)
    for index in range(400):
        written(project / f"m{index}.manifest.json", {**TIMER, "more": [1] * 500})
    outcome = diff(project, "--base", "HEAD", *JSON)
    report = json.loads(outcome.out)
    assert outcome.code == FINDINGS
    assert len(report["changes"]) == 800
    assert all("old" not in each for each in report["changes"])


ROBOT = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["name", "sensors"],
    "properties": {
        "name": {"type": "string", "x-manifestkit": {"version": True}},
        "sensors": {
            "type": "array",
            "items": {"enum": ["eye", "ear"]},
            "x-manifestkit": {"set": True},
        },
    },
    "additionalProperties": False,
}
FORMAT = '[[format]]\nschema = "robot.schema.json"\nfiles = ["robot.json"]\n'


@pytest.mark.parametrize("options", [(), ("--ignore=member-changed",), ("--select=new-finding",)])
def test_a_manifest_of_ones_own_is_compared_by_its_own_schema(
    options: tuple[str, ...], project: Path
) -> None:
    """Both sides: a name in the revision is of the format that the path is of."""
    written(project / "manifestkit.toml", FORMAT)
    written(project / "robot.schema.json", ROBOT)
    for name in ("spot", "rex"):
        written(project / "robots" / name / "robot.json", {"name": "1.0", "sensors": ["eye"]})
    make_repository(project)
    (project / "robots" / "rex" / "robot.json").unlink()
    new = {"name": "1.0", "sensors": ["ear", "eye", "nose"]}
    written(project / "robots" / "spot" / "robot.json", new)
    outcome = diff(project, "--base", "HEAD", *JSON, *options)
    spot, rex = "robots/spot/robot.json", "robots/rex/robot.json"
    changes = {(each["path"], each["field"]) for each in json.loads(outcome.out)["changes"]}
    assert changes == {(spot, "/sensors/*"), (rex, "")}
    assert (spot, "new-finding") in found(outcome)
    assert found(outcome).count((spot, "new-finding")) == 1
    rules = {rule for _, rule in found(outcome)}
    assert rules.isdisjoint({"old-is-invalid", "finding-fixed"})
    assert ((rex, "manifest-removed") in found(outcome)) is not (
        options[:1] == ("--select=new-finding",)
    )


WEB_APP = {"name": "Box", "short_name": "B", "start_url": "/", "icons": []}
EXTENSION = {"manifest_version": 3, "permissions": ["host.timer"]}


def committed(project: Path) -> None:
    git(project, "add", "--all")
    git(project, "commit", "-q", "-m", "More")


def lacking(outcome: Outcome, path: str) -> set[str]:
    """The old manifests that lack a permission of a new one."""
    return {
        place["path"]
        for each in json.loads(outcome.out)["findings"]
        if (each["path"], each["rule"]) == (path, "permission-added")
        for place in each["related"]
    }


@pytest.mark.parametrize("named", ["x.activity-provider.json", "."])
def test_a_foreign_manifest_at_the_old_path_hides_no_move(project: Path, named: str) -> None:
    written(project / "app" / "manifest.json", WEB_APP)
    written(project / "x.activity-provider.json", TIMER)
    outcome = diff(project, "--base", "HEAD", named, *JSON)
    assert outcome.code == FINDINGS
    assert lacking(outcome, "x.activity-provider.json") == {"HEAD:app/manifest.json"}
    assert ("x.activity-provider.json", "manifest-moved") in found(outcome)


def test_a_manifest_that_became_foreign_at_its_path_is_removed(project: Path) -> None:
    written(project / "app" / "manifest.json", WEB_APP)
    outcome = diff(project, "--base", "HEAD", *JSON)
    assert found(outcome) == [("app/manifest.json", "manifest-removed")]


def test_a_manifest_in_the_place_of_a_foreign_one_is_compared_with_where_it_was(
    project: Path,
) -> None:
    written(project / "web" / "manifest.json", EXTENSION)
    committed(project)
    (project / "app" / "manifest.json").unlink()
    written(project / "web" / "manifest.json", TIMER)
    outcome = diff(project, "--base", "HEAD", *JSON)
    assert lacking(outcome, "web/manifest.json") == {"HEAD:app/manifest.json"}
    assert ("web/manifest.json", "manifest-moved") in found(outcome)
    named = diff(project, "--base", "HEAD", "web/manifest.json", *JSON)
    assert lacking(named, "web/manifest.json") == {"HEAD:app/manifest.json"}


@pytest.mark.parametrize(
    ("named", "path"),
    [
        ("app/manifest.json", "app/manifest.json"),
        ("app", "app/manifest.json"),
        ("b/manifest.json", "b/manifest.json"),
        ("b", "b/manifest.json"),
        (".", "b/manifest.json"),
    ],
)
@pytest.mark.parametrize("options", [(), ("--force-exclude",)])
def test_a_link_at_the_old_path_hides_no_move(
    project: Path, named: str, path: str, options: tuple[str, ...]
) -> None:
    (project / "app").rename(project / "b")
    (project / "app").symlink_to("b")
    written(project / "b" / "manifest.json", TIMER)
    outcome = diff(project, "--base", "HEAD", named, *options, *JSON)
    assert outcome.code == FINDINGS
    assert lacking(outcome, path) == {"HEAD:app/manifest.json"}


def test_what_a_link_at_the_old_path_leads_to_is_compared(project: Path) -> None:
    """Whoever reads the old path gets the new permission."""
    (project / "app" / "manifest.json").unlink()
    (project / "app" / "manifest.json").symlink_to("../b/manifest.json")
    written(project / "b/manifest.json", TIMER)
    outcome = diff(project, "--base", "HEAD", *JSON)
    assert lacking(outcome, "app/manifest.json") == {"HEAD:app/manifest.json"}


@pytest.mark.parametrize("link", ["app/manifest.json", "app", "new/manifest.json", "new"])
def test_what_a_link_leads_to_outside_is_not_compared_and_does_not_pass(
    project: Path, link: str
) -> None:
    path = project / link
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    outside = written(project.parent / "out" / "manifest.json", TIMER)
    path.symlink_to(outside if link.endswith(".json") else outside.parent)
    outcome = diff(project, "--base", "HEAD", *JSON)
    assert (outcome.code, "host.timer" in outcome.out + outcome.err) == (USAGE, False)
    told = [line for line in outcome.err.splitlines() if "leads out of the folder" in line]
    assert len(told) == len({*told}) >= 1
    assert "leads out of the folder" in outcome.out


def test_a_new_file_of_any_name_that_is_a_link_outside_is_not_read(project: Path) -> None:
    outside = written(project.parent / "out.json", TIMER)
    (project / "app" / "manifest.json").unlink()
    (project / "moved.json").symlink_to(outside)
    outcome = diff(project, "--base", "HEAD", *JSON)
    assert found(outcome) == [("app/manifest.json", "manifest-removed")]


@pytest.mark.parametrize("named", ["b", "."])
@pytest.mark.parametrize("inside", ["x", "manifest.json"])
def test_a_folder_at_the_old_path_hides_no_move(project: Path, named: str, inside: str) -> None:
    (project / "app" / "manifest.json").unlink()
    written(project / "app" / "manifest.json" / inside, OTHER)
    written(project / "b" / "manifest.json", TIMER)
    outcome = diff(project, "--base", "HEAD", named, *JSON)
    assert outcome.code == FINDINGS
    assert lacking(outcome, "b/manifest.json") == {"HEAD:app/manifest.json"}


@pytest.mark.parametrize("named", ["app/manifest.json", "app", "."])
def test_a_manifest_whose_path_is_a_folder_now_is_removed(project: Path, named: str) -> None:
    (project / "app" / "manifest.json").unlink()
    written(project / "app" / "manifest.json" / "x", "")
    outcome = diff(project, "--base", "HEAD", named, *JSON)
    assert found(outcome) == [("app/manifest.json", "manifest-removed")]


def test_a_broken_manifest_at_the_old_path_hides_no_move(project: Path) -> None:
    written(project / "app" / "manifest.json", "{")
    written(project / "b" / "manifest.json", TIMER)
    outcome = diff(project, "--base", "HEAD", "b", *JSON)
    assert lacking(outcome, "b/manifest.json") == {"HEAD:app/manifest.json"}


def test_a_file_is_no_manifest_of_the_folder_that_took_its_place(project: Path) -> None:
    written(project / "box", TIMER)
    committed(project)
    (project / "box").unlink()
    written(project / "box" / "manifest.json", {**OTHER, "permissions": ["host.timer"]})
    outcome = diff(project, "--base", "HEAD", "box", *JSON)
    assert found(outcome) == [("box/manifest.json", "manifest-added")]


@pytest.mark.parametrize("decoy", ["a", "z"])
@pytest.mark.parametrize("moved", ["new/real.manifest.json", "new/decoy.manifest.json", "m.yaml"])
def test_of_several_that_are_gone_none_launders_a_permission(
    project: Path, decoy: str, moved: str
) -> None:
    written(project / decoy / "decoy.manifest.json", TIMER)
    written(project / "real.manifest.json", BASE)
    committed(project)
    shutil.rmtree(project / decoy)
    shutil.rmtree(project / "app")
    (project / "real.manifest.json").unlink()
    written(project / moved, TIMER)
    outcome = diff(project, "--base", "HEAD", moved, *JSON)
    assert outcome.code == FINDINGS
    assert lacking(outcome, moved) <= {"HEAD:real.manifest.json", "HEAD:app/manifest.json"}
    assert len(lacking(outcome, moved)) == 1
    assert len([each for each in found(outcome) if each[1] == "manifest-moved"]) == 1


def test_a_moved_manifest_is_compared_with_the_one_that_lacks_most(project: Path) -> None:
    for name in ("a", "b"):
        contents = {**BASE, "permissions": ["host.timer"] if name == "b" else []}
        written(project / "old" / f"{name}.manifest.json", contents)
    shutil.rmtree(project / "app")
    committed(project)
    (project / "old").rename(project / "new")
    outcome = diff(project, "--base", "HEAD")
    assert outcome.code == FINDINGS
    (line,) = (each for each in outcome.out.splitlines() if "permission-added" in each)
    assert line.startswith("new/b.manifest.json:")
    as_json = diff(project, "--base", "HEAD", *JSON)
    assert lacking(as_json, "new/b.manifest.json") == {"HEAD:old/a.manifest.json"}
    changes = json.loads(as_json.out)["changes"]
    fields = [(each["path"], each["kind"], each["field"]) for each in changes]
    assert ("new/b.manifest.json", "added", "/permissions/*") in fields


def test_a_copy_with_another_permission_is_told(project: Path) -> None:
    written(project / "b" / "manifest.json", TIMER)
    outcome = diff(project, "--base", "HEAD", *JSON)
    assert found(outcome) == [
        ("b/manifest.json", "manifest-added"),
        ("b/manifest.json", "version-not-raised"),
        ("b/manifest.json", "permission-added"),
    ]
    assert lacking(outcome, "b/manifest.json") == {"HEAD:app/manifest.json"}
    written(project / "b" / "manifest.json", BASE)
    assert found(diff(project, "--base", "HEAD", *JSON)) == [("b/manifest.json", "manifest-added")]


def test_two_manifests_that_change_places_are_each_compared_with_the_other(project: Path) -> None:
    other = {**OTHER, "permissions": ["host.timer"]}
    written(project / "b" / "manifest.json", other)
    committed(project)
    written(project / "app" / "manifest.json", other)
    written(project / "b" / "manifest.json", TIMER)
    outcome = diff(project, "--base", "HEAD", *JSON)
    assert {
        ("b/manifest.json", "provider-id-changed"),
        ("app/manifest.json", "provider-id-changed"),
    } <= {*found(outcome)}


@pytest.mark.parametrize(
    "spelled", [r"com.\u0065xample.caf\u00e9", "com.example.cafe\u0301", "COM.Example.Café"]
)
def test_another_spelling_of_the_id_hides_no_move(project: Path, spelled: str) -> None:
    cafe = {**BASE, "provider": {**BASE["provider"], "id": "com.example.café"}}
    written(project / "app" / "manifest.json", cafe)
    committed(project)
    shutil.rmtree(project / "app")
    text = json.dumps({**cafe, "permissions": ["host.timer"]}, ensure_ascii=False)
    written(project / "b" / "manifest.json", text.replace("com.example.café", spelled))
    outcome = diff(project, "--base", "HEAD", *JSON)
    assert lacking(outcome, "b/manifest.json") == {"HEAD:app/manifest.json"}
    is_same = "\\" in spelled
    assert (("b/manifest.json", "provider-id-changed") in found(outcome)) is not is_same


@pytest.mark.parametrize(
    ("moved", "identifier"),
    [
        ("site.manifest.json", "com.example.other"),
        ("b/manifest.json", 5),
        ("app/x.manifest.yaml", None),
        ("custom.json", "com.example.other"),
        ("custom.json", None),
        ("b/x.yml", 5),
    ],
)
@pytest.mark.parametrize("named", [True, False])
def test_another_id_hides_no_move(moved: str, named: bool, identifier: Any, project: Path) -> None:
    git(project, "rm", "-q", "app/manifest.json")
    provider = {**BASE["provider"], "id": identifier}
    written(project / moved, {**TIMER, "provider": provider})
    outcome = diff(project, "--base", "HEAD", *([moved] if named else []), *JSON)
    assert outcome.code == FINDINGS
    assert lacking(outcome, moved) == {"HEAD:app/manifest.json"}
    assert {(moved, "manifest-moved"), (moved, "provider-id-changed")} <= {*found(outcome)}
    assert "manifest-removed" not in outcome.out


def test_a_new_file_of_another_name_that_is_like_no_removed_manifest_is_none(
    project: Path,
) -> None:
    (project / "app" / "manifest.json").unlink()
    about = {"id": "com.example.fixture", "name": "A fixture", "version": "9.9.9"}
    written(project / "tests" / "fixture.json", {"provider": about, "permissions": ["host.timer"]})
    written(project / "package.json", {"name": "box", "permissions": ["host.timer"]})
    assert found(diff(project, "--base", "HEAD", *JSON)) == [
        ("app/manifest.json", "manifest-removed")
    ]


def test_each_new_provider_is_compared_with_what_is_most_like_it(project: Path) -> None:
    for name in ("one", "two"):
        activities = [{"id": name, "name": f"The {name}"}]
        about = {**BASE["provider"], "id": f"com.example.{name}"}
        contents = {**BASE, "provider": about, "activities": activities}
        written(project / f"{name}.manifest.json", contents)
        written(
            project / "new" / f"{name[::-1]}.manifest.json",
            {**contents, "provider": {**about, "id": f"org.example.{name}"}},
        )
    shutil.move(project / "new", project.parent / "new")
    committed(project)
    for name in ("one", "two"):
        (project / f"{name}.manifest.json").unlink()
    shutil.move(project.parent / "new", project / "new")
    outcome = diff(project, "--base", "HEAD", *JSON)
    moved = {
        (each["path"], each["related"][0]["path"])
        for each in json.loads(outcome.out)["findings"]
        if each["rule"] == "provider-id-changed"
    }
    assert moved == {
        ("new/eno.manifest.json", "HEAD:one.manifest.json"),
        ("new/owt.manifest.json", "HEAD:two.manifest.json"),
    }


def test_where_more_are_new_than_were_removed_one_may_have_become_several(project: Path) -> None:
    git(project, "rm", "-q", "app/manifest.json")
    for name in ("x", "y"):
        about = {**BASE["provider"], "id": f"com.example.{name}"}
        written(project / f"{name}.manifest.json", {**TIMER, "provider": about})
    outcome = diff(project, "--base", "HEAD", *JSON)
    for name in ("x", "y"):
        assert lacking(outcome, f"{name}.manifest.json") == {"HEAD:app/manifest.json"}


@pytest.mark.parametrize("left", [None, "{}", "folder"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("custom.json", "other.json"),
        ("app.yml", "manifest.json"),
        ("a/BOX.YAML", "b/manifest.json"),
    ],
)
def test_a_manifest_of_another_name_hides_no_move(
    project: Path, old: str, new: str, left: str | None
) -> None:
    written(project / old, {**OTHER, "provider": {**OTHER["provider"], "version": "1.0.0"}})
    committed(project)
    (project / old).unlink()
    if left:
        written(project / old / "x" if left == "folder" else project / old, left)
    provider = {**OTHER["provider"], "version": "0.5.0"}
    written(project / new, {**OTHER, "provider": provider, "permissions": ["host.timer"]})
    outcome = diff(project, "--base", "HEAD", *([] if "manifest" in new else [new]), *JSON)
    assert outcome.code == FINDINGS
    assert lacking(outcome, new) == {f"HEAD:{old}"}
    assert {(new, "manifest-moved"), (new, "version-lowered")} <= {*found(outcome)}


def test_a_file_of_another_name_that_is_still_there_is_no_manifest(project: Path) -> None:
    written(project / "fixture.json", {**OTHER, "permissions": []})
    committed(project)
    written(project / "b" / "manifest.json", {**OTHER, "permissions": ["host.timer"]})
    assert found(diff(project, "--base", "HEAD", *JSON)) == [("b/manifest.json", "manifest-added")]


def test_many_other_files_cost_little(project: Path) -> None:
    """They are read, and not decoded: the YAML of one takes longer than to read them all."""
    for index in range(1_000):
        written(project / "data" / f"{index}.yaml", "- {a: [1, 2, 3]}\n" * 500)
    committed(project)
    shutil.rmtree(project / "data")
    written(project / "b" / "manifest.json", OTHER)
    start = time.perf_counter()
    assert found(diff(project, "--base", "HEAD", *JSON)) == [("b/manifest.json", "manifest-added")]
    assert time.perf_counter() - start < 10  # decoded, they take minutes


@pytest.mark.parametrize("form", ["markdown", "sarif", "json", "gitlab", "html"])
def test_a_report_of_nothing_compared_says_so(form: str, project: Path) -> None:
    (project / "empty").mkdir()
    outcome = diff(project, "--base", "HEAD", "--output-format", form, "empty")
    assert outcome.code == USAGE
    assert "no manifest to compare" in outcome.out


def test_a_second_manifest_of_the_same_provider_hides_no_move(project: Path) -> None:
    written(project / "b" / "manifest.json", BASE)
    committed(project)
    (project / "app" / "manifest.json").unlink()
    written(project / "app" / "site.manifest.json", {**TIMER, "provider": OTHER["provider"]})
    outcome = diff(project, "--base=HEAD", *JSON)
    assert outcome.code == FINDINGS
    assert ("app/site.manifest.json", "permission-added") in found(outcome)


@pytest.mark.parametrize("provider", [{}, {"id": 5}], ids=str)
def test_a_manifest_without_an_id_hides_no_move(project: Path, provider: dict[str, Any]) -> None:
    old = written(project / "app" / "manifest.json", {**BASE, "provider": provider})
    committed(project)
    old.unlink()
    written(project / "app" / "site.manifest.json", {**TIMER, "provider": provider})
    outcome = diff(project, "--base=HEAD", *JSON)
    assert outcome.code == FINDINGS
    assert ("app/site.manifest.json", "permission-added") in found(outcome)


@pytest.mark.parametrize("target", ["manifest.json", "gone.json"])
def test_a_manifest_that_cannot_be_reached_is_not_removed(project: Path, target: str) -> None:
    file = project / "app" / "manifest.json"
    file.unlink()
    file.symlink_to(target)
    outcome = diff(project, "--base=HEAD", *JSON)
    assert outcome.code == USAGE
    assert ("app/manifest.json", "not-compared") in found(outcome)


@pytest.mark.parametrize("name", ["app.json", "app.yaml"])
def test_an_escape_hides_no_move_to_a_file_of_another_name(project: Path, name: str) -> None:
    (project / "app" / "manifest.json").unlink()
    written(project / name, json.dumps(TIMER).replace('"provider"', '"provid\\u0065r"'))
    outcome = diff(project, "--base=HEAD", *JSON)
    assert outcome.code == FINDINGS
    assert (name, "permission-added") in found(outcome)
