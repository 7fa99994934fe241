"""Which files a run is about."""

from __future__ import annotations

import contextlib
import html
import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from checkout import git
from command import CLEAN, EXAMPLES, FINDINGS, USAGE, Outcome, environment
from folders import listed, tree
from in_process import manifest_here
from manifestkit.rendering import FORMATS
from rows import rows
from samples import BROKEN, VALID


def make_repository(folder: Path) -> None:
    git(folder, "init", "-q")


# -- no way round ----------------------------------------------------------------------------

ICONS = b'"icons": [], "display": "x"'


@rows(
    ("name", "text"),
    [
        ("manifest.json", b"{" + ICONS + b', @ "schema_version": 1}'),
        ("manifest.json", b'{"icons": ' + b"[" * 300 + b"]" * 300 + b', "schema_version": 1}'),
        ("manifest.yaml", b"kind: breathing\n---\nschema_version: 1\n"),
        ("manifest.yaml", b"icons: []\n\tschema_version: 1\n"),
    ],
)
def test_what_cannot_be_read_whole_is_no_manifest_of_another_kind(
    name: str, text: bytes, tmp_path: Path
) -> None:
    tree(tmp_path, "good/manifest.json")
    (tmp_path / name).write_bytes(text)
    for arguments in ([], [name, "--force-exclude"]):
        assert manifest_here("lint", *arguments, cwd=tmp_path).code == FINDINGS
    with zipfile.ZipFile(tmp_path / "site.zip", "w") as site:
        site.writestr(name, text)
        site.writestr("good.manifest.json", VALID)
    assert manifest_here("lint", "site.zip", cwd=tmp_path).code == FINDINGS


@rows("order", [("a/manifest.json", "."), (".", "a/manifest.json")])
@rows("by", ["manifestkit.toml", "a/.gitignore", "a kind"])
def test_a_named_file_is_checked_in_any_order(
    order: tuple[str, str], by: str, tmp_path: Path
) -> None:
    content = b'{"icons": []}' if by == "a kind" else BROKEN
    tree(tmp_path, "a/manifest.json", content=content)
    tree(tmp_path, "manifest.json")
    if by != "a kind":
        said = 'exclude = ["a/"]' if by == "manifestkit.toml" else "manifest.json"
        (tmp_path / by).write_text(said)
    assert manifest_here("lint", *order, cwd=tmp_path).code == FINDINGS


def test_two_files_are_two_though_a_link_lies_between(tmp_path: Path) -> None:
    tree(tmp_path, "good/manifest.json", "else/sub/x")
    tree(tmp_path, "else/manifest.json", content=BROKEN)
    (tmp_path / "good" / "link").symlink_to(tmp_path / "else" / "sub")
    names = ("good/manifest.json", "good/link/../manifest.json")
    for order in (names, names[::-1]):
        assert manifest_here("lint", *order, cwd=tmp_path).code == FINDINGS


def test_isolated_from_what_a_stranger_ignores(tmp_path: Path) -> None:
    tree(tmp_path / "s", "a/manifest.json")
    tree(tmp_path / "s", "b/manifest.json", content=BROKEN)
    (tmp_path / "s" / "b" / ".gitignore").write_text("manifest.json")
    assert manifest_here("lint", "s", cwd=tmp_path).code == CLEAN
    assert manifest_here("lint", "--isolated", "s", cwd=tmp_path).code == FINDINGS


def test_a_link_to_a_folder_elsewhere_is_named(tmp_path: Path) -> None:
    tree(tmp_path, "s/manifest.json", "s/b/manifest.json")
    tree(tmp_path, "out/manifest.json", content=BROKEN)
    (tmp_path / "s" / "app").symlink_to(tmp_path / "out")
    (tmp_path / "s" / "within").symlink_to(tmp_path / "s" / "b")
    outcome = manifest_here("lint", "s", cwd=tmp_path)
    assert outcome.code == USAGE
    assert outcome.err.startswith("error: s/app: a link leads out of the folder and is not foll")
    assert "s/within" not in outcome.err
    (tmp_path / "manifestkit.toml").write_text('exclude = ["app"]')
    assert manifest_here("lint", "s", cwd=tmp_path).code == CLEAN


# -- names -----------------------------------------------------------------------------------


def test_in_a_folder_manifests_are_found_by_name(tmp_path: Path) -> None:
    good = ["MANIFEST.JSON", "a/b/manifest.json", "x.manifest.json", "y.activity-provider.json"]
    bad = [
        ".manifest.json",
        "activity-provider.json",
        "amanifest.json",
        "manifest.json.bak",
        "manifest.jsonc",
        "manifest.txt",
        "other.json",
        "package-manifest.json",
    ]
    assert listed(tree(tmp_path, *good, *bad)) == good


def test_a_named_file_is_checked_whatever_its_name(tmp_path: Path) -> None:
    assert listed(tree(tmp_path, "other.txt"), "other.txt") == ["other.txt"]


def test_several_folders_and_files_are_searched_once_each(tmp_path: Path) -> None:
    tree(tmp_path, "a/manifest.json", "a/b/manifest.json", "c/manifest.json")
    assert listed(tmp_path, "a/b", "a", "a/b/manifest.json", "c/../c") == [
        "a/b/manifest.json",
        "a/manifest.json",
        "c/../c/manifest.json",
    ]


def test_hidden_folders_are_searched_but_not_gits_own(tmp_path: Path) -> None:
    tree(tmp_path, ".hidden/manifest.json", ".git/manifest.json")
    assert listed(tmp_path) == [".hidden/manifest.json"]


def test_a_folder_named_like_a_manifest_is_searched(tmp_path: Path) -> None:
    tree(tmp_path, "manifest.json/manifest.json")
    assert listed(tmp_path) == ["manifest.json/manifest.json"]


# -- .gitignore ------------------------------------------------------------------------------


@pytest.mark.parametrize("in_git", [True, False], ids=["git", "no git"])
def test_gitignore_is_honoured(tmp_path: Path, *, in_git: bool) -> None:
    if in_git:
        make_repository(tmp_path)
    tree(
        tmp_path,
        "manifest.json",
        "build/manifest.json",
        "build/deep/manifest.json",
        "src/build.manifest.json",
        "src/a.manifest.json",
        "src/kept.manifest.json",
        "src/only/manifest.json",
        "other/only/manifest.json",
        gitignore="build/\n*.manifest.json\n!kept.manifest.json\n/src/only\n# manifest.json\n",
    )
    assert listed(tmp_path) == [
        "manifest.json",
        "other/only/manifest.json",
        "src/kept.manifest.json",
    ]


def test_what_a_gitignore_leaves_out_is_listed_on_request(tmp_path: Path) -> None:
    tree(tmp_path, "a.manifest.json", "b.manifest.json", gitignore="b.manifest.json\n")
    assert manifest_here("lint", cwd=tmp_path).err == "1 file checked: no problems found\n"
    said = "note: b.manifest.json: skipped, it is excluded by .gitignore\n"
    assert manifest_here("lint", "-v", cwd=tmp_path).err.startswith(said)


@rows("pattern", ["out/", "/out", "out/*", "out/**", "*"])
@rows("in_git", [True, False])
def test_a_named_folder_is_searched_though_git_ignores_it(
    pattern: str, in_git: bool, tmp_path: Path
) -> None:
    """Build output usually is ignored, and is what a build checks and deploys."""
    if in_git:
        make_repository(tmp_path)
    tree(tmp_path, "out/manifest.json", gitignore=f"{pattern}\ndeep/\n")
    tree(tmp_path / "out", "a/manifest.json", "deep/manifest.json")
    shown = listed(tmp_path, "out")
    assert shown[-1] == "out/manifest.json"
    if in_git and pattern in {"out/", "/out"}:
        assert shown == ["out/a/manifest.json", "out/manifest.json"]
    assert listed(tmp_path / "out")[-1] == "manifest.json"
    assert listed(tmp_path) == []
    outcome = manifest_here("lint", "-v", ".", "out", cwd=tmp_path)
    assert "note: out: " not in outcome.err


_REASONS = [
    ("dist/\n", "", ".", "no manifest found; dist is excluded by .gitignore; give a file, "),
    ("dist/*\n", "", ".", "no manifest to check: dist/manifest.json is excluded by .gitignore; "),
    ("", "dist/", ".", "no manifest found; dist is excluded by manifestkit.toml; give a file, "),
    (
        "", "dist/", "dist",
        "manifest.json is excluded by manifestkit.toml; to check it anyway, name it: `manifest ",
    ),
]  # fmt: skip


@rows(("ignored", "excluded", "named", "why"), _REASONS)
def test_every_report_says_what_excludes_the_manifests(
    ignored: str, excluded: str, named: str, why: str, tmp_path: Path
) -> None:
    make_repository(tree(tmp_path, "dist/manifest.json", gitignore=ignored))
    (tmp_path / "manifestkit.toml").write_text(f"exclude = {[excluded] if excluded else []}")
    for form in ("concise", "json", "github", "sarif", "gitlab", "junit", "markdown", "html"):
        outcome = manifest_here("lint", f"--output-format={form}", named, cwd=tmp_path)
        shown = outcome.err if form == "concise" else html.unescape(outcome.out)
        assert (outcome.code, why in shown.replace("<code>", "`").replace("</code>", "`")) == (
            USAGE,
            True,
        ), (form, shown)
    for command in (["fmt"], ["lint", "--show-files"]):
        outcome = manifest_here(*command, named, cwd=tmp_path)
        assert (outcome.code, why in outcome.err) == (USAGE, True)


def test_a_nested_gitignore_counts_from_its_folder_and_comes_first(tmp_path: Path) -> None:
    tree(tmp_path, "a/x.manifest.json", "a/y.manifest.json", "z.manifest.json")
    tree(tmp_path, gitignore="*.manifest.json\n")
    tree(tmp_path / "a", gitignore="!/x.manifest.json\n")
    assert listed(tmp_path) == ["a/x.manifest.json"]


def test_nothing_is_taken_back_in_below_an_ignored_folder(tmp_path: Path) -> None:
    tree(tmp_path, "out/manifest.json", gitignore="out/\n!out/manifest.json\n")
    assert listed(tmp_path) == []


def test_in_a_git_tree_the_gitignores_above_the_folder_hold(tmp_path: Path) -> None:
    make_repository(tmp_path)
    tree(tmp_path, "a/b/x.manifest.json", "a/b/manifest.json", gitignore="x.manifest.json\n")
    assert listed(tmp_path, "a/b") == ["a/b/manifest.json"]
    assert listed(tmp_path / "a" / "b") == ["manifest.json"]


def test_a_gitignore_does_not_hold_for_folders_beside_its_own(tmp_path: Path) -> None:
    tree(tmp_path, "a/x.manifest.json", "x.manifest.json")
    beside = tree(tmp_path / "b", "z.manifest.json", gitignore="x.manifest.json\n")
    make_repository(beside)
    assert listed(beside, "../a") == ["../a/x.manifest.json"]
    assert "../x.manifest.json" in listed(beside, "..")


def test_outside_a_git_tree_a_gitignore_above_the_folder_does_not_hold(tmp_path: Path) -> None:
    tree(tmp_path, "a/manifest.json", gitignore="manifest.json\n")
    assert listed(tmp_path / "a") == ["manifest.json"]


def test_a_named_file_is_checked_though_git_ignores_it(tmp_path: Path) -> None:
    tree(tmp_path, "manifest.json", gitignore="*\n")
    assert listed(tmp_path, "manifest.json") == ["manifest.json"]


def test_an_ignore_rule_hides_no_tracked_manifest(tmp_path: Path) -> None:
    make_repository(tmp_path)
    tracked = ["a/b/manifest.json", "my file/\u00e9.manifest.json", "one.manifest.json"]
    tree(tmp_path, *tracked)
    git(tmp_path, "add", "--all")
    tree(tmp_path, "a/b/new.manifest.json", "a/c/manifest.json", "two.manifest.json")
    tree(tmp_path, gitignore="/a/\n*.manifest.json\n/my file\n")
    assert listed(tmp_path) == tracked
    assert listed(tmp_path, "a") == ["a/b/manifest.json", "a/c/manifest.json"]
    assert listed(tmp_path / "a" / "b") == ["manifest.json"]
    (tmp_path / "manifestkit.toml").write_text('exclude = ["a/"]\n')
    assert listed(tmp_path) == tracked[1:]
    outcome = manifest_here("lint", cwd=tmp_path)
    assert (outcome.code, outcome.err) == (CLEAN, "2 files checked: no problems found\n")


def test_it_is_linted_fixed_and_formatted(tmp_path: Path) -> None:
    make_repository(tmp_path)
    near = b'{"permissions": ["host.haptic"]}'
    tree(tmp_path, "a/manifest.json", content=near, gitignore="a\n")
    git(tmp_path, "add", "--force", "a")
    assert "a/manifest.json" in manifest_here("lint", cwd=tmp_path).out
    manifest_here("fmt", cwd=tmp_path)
    assert (tmp_path / "a" / "manifest.json").read_bytes().startswith(b'{\n  "permissions"')
    manifest_here("lint", "--fix", cwd=tmp_path)
    assert b'"host.haptics"' in (tmp_path / "a" / "manifest.json").read_bytes()


@pytest.mark.parametrize("hides", ["outer", "inner"])
def test_no_ignore_rule_hides_a_submodule_or_what_it_tracks(tmp_path: Path, hides: str) -> None:
    make_repository(tmp_path)
    inner = tree(tmp_path / "sub", "manifest.json", "new.txt")
    make_repository(inner)
    git(inner, "add", "manifest.json")
    git(inner, "commit", "-q", "-m", "One")
    git(tmp_path, "add", "sub")
    tree(inner, "sub/manifest.json")
    tree(tmp_path if hides == "outer" else inner, gitignore="sub\nmanifest.json\n")
    assert listed(tmp_path) == ["sub/manifest.json"]


def test_a_repository_that_nobody_tracks_stays_ignored(tmp_path: Path) -> None:
    make_repository(tree(tmp_path, "manifest.json", "clone/manifest.json", gitignore="clone\n"))
    make_repository(tmp_path / "clone")
    git(tmp_path / "clone", "add", "--all")
    assert listed(tmp_path) == ["manifest.json"]


def test_a_linked_work_tree_and_a_linked_folder_hide_no_tracked_manifest(tmp_path: Path) -> None:
    main = tree(tmp_path / "main", "out/manifest.json", gitignore="out\n")
    make_repository(main)
    git(main, "add", "--all", "--force")
    git(main, "commit", "-q", "-m", "One")
    git(main, "worktree", "add", "-q", "../tree")
    assert listed(tmp_path / "tree") == ["out/manifest.json"]
    (tmp_path / "link").symlink_to(main)
    assert listed(tmp_path, "link") == ["link/out/manifest.json"]


def test_a_link_out_of_a_folder_is_named_and_not_read(tmp_path: Path) -> None:
    tree(tmp_path, "secret.json", content=b'{"password": "hunter2"}')
    tree(tmp_path / "in", "a.manifest.json", "b/target.json")
    for number in range(7):
        (tmp_path / "in" / "b" / f"{number}.manifest.json").symlink_to("../../secret.json")
    (tmp_path / "in" / "b" / "good.manifest.json").symlink_to("target.json")
    (tmp_path / "in" / "manifest.json").symlink_to(tmp_path / "in" / "b" / "target.json")
    ended = manifest_here("lint", "in", cwd=tmp_path)
    assert (ended.code, "hunter2" in ended.out + ended.err) == (USAGE, False)
    told = [f"error: in/b/{number}.manifest.json: a link leads out of" for number in range(7)]
    *lines, last = ended.err.splitlines()
    assert [line[: len(start)] for line, start in zip(lines, told, strict=True)] == told
    assert last == "3 files checked: no problems found"
    (tmp_path / "link").symlink_to("in")
    inside = ["a.manifest.json", "b/good.manifest.json", "manifest.json"]
    assert listed(tmp_path, "link") == [f"link/{name}" for name in inside]
    assert listed(tmp_path, "in/b/0.manifest.json") == ["in/b/0.manifest.json"]
    assert manifest_here("lint", "in/b/0.manifest.json", cwd=tmp_path).code == FINDINGS
    only = tree(tmp_path / "only")
    only.mkdir()
    (only / "manifest.json").symlink_to("../secret.json")
    assert manifest_here("lint", "--fix", "only", cwd=tmp_path).code == USAGE


@rows(
    ("arguments", "code"),
    [
        ("lint here.json", USAGE),
        ("lint folder", USAGE),
        ("lint folder/manifest.json", USAGE),
        ("lint folder/../other.json", USAGE),
        ("lint sub/far.json", USAGE),
        ("lint ABSOLUTE/here.json", USAGE),
        ("lint ../link/here.json", USAGE),
        ("lint ../elsewhere.json", USAGE),
        ("lint site.zip", USAGE),
        ("lint --fix here.json", USAGE),
        ("lint --diff folder", USAGE),
        ("lint --show-files folder", USAGE),
        ("preview here.json", USAGE),
        ("preview sub/good.json --against here.json", USAGE),
        ("diff here.json sub/good.json", USAGE),
        ("diff sub/good.json here.json", USAGE),
        ("diff --base HEAD tracked.json", USAGE),
        ("diff --base HEAD folder", USAGE),
        ("lint sub/good.json sub/near.json near", CLEAN),
        ("lint ../link/in/sub/good.json ../link/in/near", CLEAN),
        ("lint ../good.json ABSOLUTE/../good.json ../link/good", CLEAN),
        ("lint ABSOLUTE/sub/good.json", CLEAN),
        ("diff sub/good.json ../good.json", CLEAN),
        ("preview sub/near.json", CLEAN),
    ],
)
def test_with_isolated_no_link_out_of_the_working_folder_is_followed(
    arguments: str, code: int, tmp_path: Path
) -> None:
    secret = b'{"provider": {"id": "hunter2"}}'
    tree(tmp_path, "out/secret.json", "out/manifest.json", "other.json", content=secret)
    tree(tmp_path, "good.json", "good/manifest.json", "in/sub/good.json", "in/sub/manifest.json")
    here = tree(tmp_path / "in", "folder/manifest.json", "tracked.json")
    make_repository(here)
    git(here, "add", "--all")
    git(here, "commit", "-q", "-m", "One")
    shutil.rmtree(here / "folder")
    (here / "tracked.json").unlink()
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "elsewhere.json").symlink_to("out/secret.json")
    (here / "folder").symlink_to(tmp_path / "out")
    (here / "near").symlink_to("sub")
    (here / "sub" / "near.json").symlink_to("good.json")
    for name in ("here.json", "tracked.json", "sub/far.json", "site.zip"):
        (here / name).symlink_to(tmp_path / "out" / "secret.json")
    words = arguments.replace("ABSOLUTE", here.as_posix()).replace("link/here", "link/in/here")
    (tmp_path / "own.toml").write_text("[limits]\nbytes = 10000\n")
    for config in ((), ("--config", "../own.toml")):
        outcome = manifest_here(*words.split(), "--isolated", *config, cwd=here)
        said = outcome.out + outcome.err
        assert outcome.code == code, said
        assert "hunter2" not in said
        assert ("a link leads out of the folder and is not followed" in said) == (code == USAGE)
        lines = outcome.err.splitlines()
        assert len(lines) == len({*lines})


def test_without_isolated_a_named_link_is_followed(tmp_path: Path) -> None:
    tree(tmp_path, "store/manifest.json")
    here = tree(tmp_path / "in", "a.json")
    (here / "manifest.json").symlink_to("../store/manifest.json")
    (here / "folder").symlink_to("../store")
    outcome = manifest_here("lint", "manifest.json", "folder", cwd=here)
    assert (outcome.code, outcome.err) == (CLEAN, "2 files checked: no problems found\n")


def test_git_is_asked_without_running_anything_else(tmp_path: Path) -> None:
    make_repository(tree(tmp_path, "out/manifest.json", gitignore="out\n"))
    git(tmp_path, "add", "--all", "--force")
    spy = tmp_path / "spy"
    spy.write_text(f"#!/bin/sh\necho ran >> {tmp_path}/ran\n")
    spy.chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "pager.ls-files", "core.sshCommand"):
        git(tmp_path, "config", name, str(spy))
    git(tmp_path, "config", "alias.ls-files", f"!{spy}")
    assert listed(tmp_path) == ["out/manifest.json"]
    assert not (tmp_path / "ran").exists()


def test_a_hooks_environment_leads_to_no_other_index(tmp_path: Path) -> None:
    make_repository(tree(tmp_path / "a", "out/manifest.json", gitignore="out\n"))
    git(tmp_path / "a", "add", "--all", "--force")
    make_repository(tree(tmp_path / "b", "manifest.json"))
    env = {"GIT_DIR": str(tmp_path / "b" / ".git"), "GIT_INDEX_FILE": "nosuch"}
    outcome = manifest_here("lint", "--show-files", cwd=tmp_path / "a", env=env)
    assert outcome.out == "out/manifest.json\n"


@rows("fault", ["no git", "owned by another", "broken", "no HEAD"])
def test_where_git_cannot_be_asked_what_is_ignored_is_checked(tmp_path: Path, fault: str) -> None:
    make_repository(tree(tmp_path, "manifest.json", "out/manifest.json", gitignore="out\n"))
    broken = {"broken": "index", "no HEAD": "HEAD"}
    env = {} if fault in broken else {"PATH": str(tmp_path)}
    if fault in broken:
        (tmp_path / ".git" / broken[fault]).write_bytes(b"DIRC")
    if fault == "owned by another":
        (tmp_path / "git").write_text(
            "#!/bin/sh\nexport GIT_TEST_ASSUME_DIFFERENT_OWNER=1\n"
            f'exec {shutil.which("git")} "$@"\n'
        )
        (tmp_path / "git").chmod(0o755)
    outcome = manifest_here("lint", cwd=tmp_path, env=env)
    note, counts = outcome.err.splitlines()
    said = "note: .: files that .gitignore excludes are checked, as git cannot say which it tracks"
    why = {"no git": "needs `git`", "owned by another": "dubious ownership", **broken}
    assert note.startswith(said)
    assert why[fault] in note
    assert (outcome.code, counts) == (CLEAN, "2 files checked: no problems found")


def test_git_is_asked_only_about_what_is_left_out(tmp_path: Path) -> None:
    tree(tmp_path, "manifest.json", "src/manifest.json", "notes.log", gitignore="*.log\nout\n")
    make_repository(tmp_path)
    outcome = manifest_here("lint", cwd=tmp_path, env={"PATH": str(tmp_path)})
    assert outcome.err == "2 files checked: no problems found\n"


def test_the_verdicts_on_a_tree_are_gits(tmp_path: Path) -> None:
    make_repository(tmp_path)
    files = [
        f"{folder}{name}.manifest.json"
        for folder in ("", "a/", "a/b/", "b/", "a b/")
        for name in ("x", "y", "x1", "#z", "!w")
    ]
    tree(
        tmp_path,
        *files,
        gitignore="a/*\n!a/b/\n**/y.manifest.json\n\\#z*\n\\!w*\n/x[0-9]*\n!b/y*\na b/x*\n",
    )
    known = subprocess.run(
        ["git", "ls-files", "-o", "--exclude-standard", "-z"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=True,
    )
    wanted = [name for name in known.stdout.decode().split("\0") if name.endswith(".json")]
    assert 0 < len(wanted) < len(files)
    assert listed(tmp_path) == sorted(wanted)


_FOLDERS = ("", "a/", "a/b/", "a/b/a/", "b/", "b/a/b/", "a b/", "#/")
_STEMS = ("a", "b", "ab", "a b", "#a", "!a", "a]", "-")
_BITS = [
    *("a", "b", "*", "**", "?", "/", "/**/", "!", "#", "\\", " ", ".", "-", "]", "[", "a/", "/a"),
    *("[ab]", "[!a]", "[^a]", "[a-b]", "[]a]", "[#-.]", "\\ ", "*.json"),
]
# Before git 2.41 a `**` right behind something else, as in `a**/b`, meant what memory held.
_LINE = (
    st.lists(st.sampled_from(_BITS), min_size=1, max_size=5)
    .map("".join)
    .filter(lambda line: not re.search(r"[^/*]\*\*", line.removeprefix("!")))
)
_LINES = st.lists(_LINE | st.sampled_from(["*", "!*/", "!a/", "a/*"]), max_size=4)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git tree with a manifest of each name in each folder."""
    root = tmp_path_factory.mktemp("repository")
    make_repository(root)
    return tree(root, *(f"{each}{stem}.manifest.json" for each in _FOLDERS for stem in _STEMS))


@given(_LINES, _LINES, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\ufeff"]))
@example(["b/"], ["!b/"], "\n", "")
@example(["a/*", "!a/b/"], [], "\r\n", "\ufeff")
def test_what_a_gitignore_leaves_out_is_what_git_leaves_out(
    repository: Path, lines: list[str], nested: list[str], end: str, mark: str
) -> None:
    (repository / ".gitignore").write_bytes((mark + end.join(lines)).encode())
    (repository / "a" / ".gitignore").write_bytes(end.join(nested).encode())
    known = subprocess.run(
        ["git", "ls-files", "-o", "--exclude-standard", "-z"],
        cwd=repository,
        env=environment(),
        capture_output=True,
        check=True,
    )
    wanted = [name for name in known.stdout.decode().split("\0") if name.endswith(".json")]
    with contextlib.chdir(repository):
        assert manifest_here("lint", "--show-files").out.splitlines() == sorted(wanted)


# -- manifests of something else -------------------------------------------------------------

FOREIGN = [
    ({"manifest_version": 3, "name": "x"}, "a browser extension's manifest"),
    ({"start_url": "/", "icons": []}, "a web app manifest"),
    ({"apiVersion": "v1", "kind": "Pod"}, "a Kubernetes object"),
    ({"domain": "x", "codeowners": []}, "a home automation integration's manifest"),
]


@rows(("value", "kind"), FOREIGN, ids=[kind for _, kind in FOREIGN])
def test_a_found_manifest_of_something_else_is_skipped_and_counted(
    tmp_path: Path, value: object, kind: str
) -> None:
    tree(tmp_path, "a.manifest.json")
    tree(tmp_path, "manifest.json", content=json.dumps(value).encode())
    outcome = manifest_here("lint", "--verbose", cwd=tmp_path)
    assert outcome == Outcome(
        CLEAN,
        "",
        f"note: manifest.json: skipped, it is {kind}\n1 file checked, 1 skipped: no problems "
        "found\n",
    )


def test_verbose_names_files_that_have_no_name_of_a_manifest(tmp_path: Path) -> None:
    """A stranger who chooses the name of a file chooses whether it is found."""
    others = [f"s/{number}.{'json' if number % 2 else 'YAML'}" for number in range(1_002)]
    tree(tmp_path, "ok.manifest.json", "read.me", "out/a.json", *others)
    (tmp_path / ".gitignore").write_text("out/")
    told = "not checked, as they are not named like manifests: "
    few = ", ".join(sorted(others)[:5])
    note = f"note: out: skipped, it is excluded by .gitignore\nnote: {told}{few} and 997 more\n"
    checked = "1 file checked: no problems found\n"
    assert manifest_here("lint", "-v", cwd=tmp_path).err == note + checked
    assert manifest_here("lint", cwd=tmp_path).err == checked


def test_a_named_manifest_of_something_else_is_judged(tmp_path: Path) -> None:
    tree(tmp_path, "manifest.json", content=b'{"manifest_version": 3}')
    assert manifest_here("lint", "manifest.json", cwd=tmp_path).code == FINDINGS


def test_with_force_exclude_it_is_skipped_though_named(tmp_path: Path) -> None:
    tree(tmp_path, "manifest.json", content=b'{"manifest_version": 3}')
    outcome = manifest_here("lint", "manifest.json", "--force-exclude", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (CLEAN, "")


def test_with_force_exclude_a_folder_without_manifests_is_still_an_error(tmp_path: Path) -> None:
    assert manifest_here("lint", "--force-exclude", ".", cwd=tmp_path).code == USAGE


@rows("command", [("lint",), ("lint", "--fix"), ("fmt",)])
def test_with_force_exclude_it_is_left_as_it_is_on_standard_input(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    text = b'{"manifest_version":3}'
    outcome = manifest_here(*command, "-", "--force-exclude", cwd=tmp_path, stdin=text)
    assert (outcome.code, outcome.out) == (CLEAN, "" if command == ("lint",) else text.decode())


def test_force_exclude_lets_no_broken_manifest_through(tmp_path: Path) -> None:
    tree(tmp_path, "manifest.json", content=BROKEN)
    tree(tmp_path, "typo.json", content=b'{"manifest_version": 3, "runtime": {}}')
    tree(tmp_path, "empty.json", content=b"{}")
    for name in ("manifest.json", "typo.json", "empty.json"):
        assert manifest_here("lint", name, "--force-exclude", cwd=tmp_path).code == FINDINGS, name


def test_a_found_file_that_is_no_json_is_no_foreign_manifest(tmp_path: Path) -> None:
    tree(tmp_path, "manifest.json", content=b'{"manifest_version": 3,}')
    (tmp_path / "a.manifest.json").write_bytes(b"[]")
    assert manifest_here("lint", "a.manifest.json", cwd=tmp_path).code == FINDINGS


def test_only_foreign_manifests_is_nothing_to_check(tmp_path: Path) -> None:
    tree(tmp_path, "manifest.json", content=b'{"manifest_version": 3}')
    for command in ("lint", "fmt"):
        outcome = manifest_here(command, cwd=tmp_path)
        assert outcome.code == USAGE
        assert "to check: manifest.json is a browser extension's manifest; " in outcome.err


@rows("form", sorted(FORMATS))
@rows(
    ("files", "why"),
    [
        ({}, "no manifest"),
        ({"manifest.json": b"{}", "manifestkit.toml": b'exclude = ["*"]'}, "no manifest"),
        (
            {"manifest.json": b'{"manifest_version": 3, "name": "x", "version": "1"}'},
            "no manifest",
        ),
    ],
    ids=["nothing", "all excluded", "all foreign"],
)
def test_a_report_of_nothing_checked_says_so(
    form: str, files: dict[str, bytes], why: str, tmp_path: Path
) -> None:
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "report").write_text("no problems found: the report of an earlier run")
    outcome = manifest_here("lint", f"--output-format={form}=report", cwd=tmp_path)
    report = (tmp_path / "report").read_text("utf-8")
    assert outcome.code == USAGE
    assert why in report
    assert "no problems found" not in report.lower()
    assert '"executionSuccessful": true' not in report


@rows("command", [("lint",), ("lint", "--fix"), ("fmt",)])
def test_force_exclude_holds_for_standard_input_that_is_named(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / "manifestkit.toml").write_text('exclude = ["vendor"]\n', "utf-8")
    text = b'{"schema_version":1}'
    named = (*command, "-", "--stdin-filename", "vendor/manifest.json")
    excluded = manifest_here(*named, "--force-exclude", cwd=tmp_path, stdin=text)
    assert (excluded.code, excluded.out) == (CLEAN, "" if command == ("lint",) else text.decode())
    assert "error" not in excluded.err
    assert manifest_here(*named, cwd=tmp_path, stdin=text).out not in ("", text.decode())


@rows("command", [("lint",), ("lint", "--fix", "--diff"), ("preview",)])
def test_standard_input_is_checked_as_the_file_that_it_is_named(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "host.json").write_text('{"required": ["support"]}', "utf-8")
    (tmp_path / "in" / "manifestkit.toml").write_text('profile = ["host.json"]\n', "utf-8")
    text = (EXAMPLES / "valid" / "minimal.activity-provider.json").read_bytes()
    (tmp_path / "in" / "manifest.json").write_bytes(text)
    piped = manifest_here(
        *command, "-", "--stdin-filename=in/manifest.json", cwd=tmp_path, stdin=text
    )
    named = manifest_here(*command, "in/manifest.json", cwd=tmp_path)
    assert (piped.code, piped.out, piped.err) == (named.code, named.out, named.err)
    assert "host.json" in piped.out + piped.err
