"""A file is replaced whole or not at all, and stays what it was (design/edits.md)."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from command import CLEAN, FINDINGS, MANIFEST, USAGE, environment, manifest
from manifestkit.files import rewrite
from manifestkit.model.errors import UnwritableFileError
from samples import VALID
from skips import posix

pytestmark = [pytest.mark.slow, posix]

OLD, NEW = b"old\n" * 5_000, b"new, and longer\n" * 5_000
FIXABLE = VALID.replace(b'"permissions": []', b'"permissions": ["host.timr"]')
FIXED = FIXABLE.replace(b"host.timr", b"host.timer")


def in_a_child(act: Callable[[], None]) -> int:
    """Do something in a process of its own; how that ended."""
    child = os.fork()
    if child == 0:
        try:
            act()
        finally:
            os._exit(0)
    return os.waitpid(child, 0)[1]


def test_a_kill_at_any_point_leaves_the_old_bytes_or_the_new(tmp_path: Path) -> None:
    file = tmp_path / "manifest.json"
    seen = set()
    tempfile.gettempdir()  # what is done once only is done now
    for count in itertools.count(1, 15):
        file.write_bytes(OLD)
        file.chmod(0o640)

        def act(count: int = count) -> None:
            left = count

            def kill(*_: object) -> None:
                nonlocal left
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

            sys.addaudithook(kill)
            sys.setprofile(kill)
            rewrite(file, NEW, OLD)
            sys.setprofile(None)
            left = -1

        status = in_a_child(act)
        assert file.read_bytes() in (OLD, NEW)
        assert file.stat().st_mode & 0o777 == 0o640
        seen.add((os.WIFSIGNALED(status), file.read_bytes() == NEW))
        if not os.WIFSIGNALED(status):
            break
    # killed before, killed after the replacement, and not killed at all
    assert seen == {(True, False), (True, True), (False, True)}


def test_nothing_is_left_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "manifest.json"
    file.write_bytes(OLD)
    rewrite(file, NEW, OLD)
    assert (list(tmp_path.iterdir()), file.read_bytes()) == ([file], NEW)


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o664])
def test_the_mode_stays(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "manifest.json"
    file.write_bytes(OLD)
    file.chmod(mode)
    rewrite(file, NEW, OLD)
    assert file.stat().st_mode & 0o777 == mode


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="needs to give files away")
def test_the_owner_stays(tmp_path: Path) -> None:
    file = tmp_path / "manifest.json"
    file.write_bytes(OLD)
    os.chown(file, 1234, 1235)
    rewrite(file, NEW, OLD)
    assert (file.stat().st_uid, file.stat().st_gid) == (1234, 1235)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="needs to give files away")
def test_a_file_whose_owner_would_change_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "manifest.json"
    file.write_bytes(FIXABLE)
    os.chown(file, 1234, 1235)
    by = ("setpriv", "--bounding-set=-chown")
    outcome = manifest("lint", "--fix", "-q", file.name, cwd=tmp_path, by=by)
    assert outcome.code == USAGE
    assert "manifest.json: belongs to another user" in outcome.err
    assert file.read_bytes() == FIXABLE


def test_a_link_stays_and_its_target_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "real.json").write_bytes(OLD)
    link = tmp_path / "manifest.json"
    link.symlink_to("real.json")
    rewrite(link, NEW, OLD)
    assert link.is_symlink()
    assert (tmp_path / "real.json").read_bytes() == NEW


@pytest.mark.parametrize("has_git", [False, True])
def test_a_link_out_of_the_working_tree_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_git: bool
) -> None:
    tree = tmp_path / "tree"
    (tree / "inner").mkdir(parents=True)
    if has_git:
        (tree / ".git").mkdir()
    monkeypatch.chdir(tree / "inner" if has_git else tree)
    (tmp_path / "real.json").write_bytes(OLD)
    link = tree / "inner" / "manifest.json"
    link.symlink_to(tmp_path / "real.json")
    with pytest.raises(UnwritableFileError, match="outside"):
        rewrite(link, NEW, OLD)
    assert (tmp_path / "real.json").read_bytes() == OLD


@pytest.mark.parametrize("is_tree", [True, False])
@pytest.mark.parametrize("given", ["inner/out/t.json", "inner/out/../outside/t.json", "{}"])
def test_a_linked_folder_does_not_lead_out_of_the_working_tree(
    tmp_path: Path, given: str, is_tree: bool
) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    (project / "inner").mkdir(parents=True)
    outside.mkdir()
    if is_tree:
        (project / ".git").mkdir()
    (outside / ".git").mkdir()
    (outside / "t.json").write_bytes(FIXABLE)
    (project / "inner" / "out").symlink_to(outside)
    file = given.format(project / "inner" / "out" / "t.json")
    outcome = manifest("lint", "--fix", "-q", file, cwd=project)
    assert outcome.code == USAGE
    at = f"{outside / 't.json'}, outside {project}: give that file itself"
    assert outcome.err == f"error: {file}: is in a linked folder, at {at}\n"
    assert (outside / "t.json").read_bytes() == FIXABLE


def test_a_linked_folder_is_followed_within_the_tree_and_on_the_way_to_it(tmp_path: Path) -> None:
    tree = tmp_path / "real"
    (tree / "inner").mkdir(parents=True)
    (tree / ".git").mkdir()
    (tree / "inner" / "a.json").write_bytes(FIXABLE)
    (tree / "link").symlink_to("inner")
    (tmp_path / "way").symlink_to(tree)
    outcome = manifest("lint", "--fix", tmp_path / "way" / "link" / "a.json", cwd=tree / "inner")
    assert outcome.code == CLEAN
    assert (tree / "inner" / "a.json").read_bytes() == FIXED


def test_a_file_that_has_changed_since_it_was_read_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "manifest.json"
    file.write_bytes(b"newer")
    with pytest.raises(UnwritableFileError, match="changed after it was read"):
        rewrite(file, NEW, OLD)
    assert file.read_bytes() == b"newer"


def test_a_read_only_file_is_told_and_left_alone(
    tmp_path: Path, held_back: tuple[str, ...]
) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_bytes(FIXABLE)
    (tmp_path / "a.json").chmod(0o444)
    outcome = manifest("lint", "--fix", "-q", "a.json", "b.json", cwd=tmp_path, by=held_back)
    assert outcome.code == USAGE
    assert outcome.err == "error: a.json: is read-only: make it writable first\n"
    assert (tmp_path / "a.json").read_bytes() == FIXABLE
    assert (tmp_path / "b.json").read_bytes() == FIXED


def test_a_read_only_folder_is_told(tmp_path: Path, held_back: tuple[str, ...]) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "a.json").write_bytes(FIXABLE)
    (tmp_path / "a").chmod(0o555)
    outcome = manifest("lint", "--fix", "-q", "a/a.json", cwd=tmp_path, by=held_back)
    assert outcome.code == USAGE
    assert outcome.err == (
        "error: a/a.json: is in a read-only folder: make the folder writable first\n"
    )


@pytest.mark.parametrize(
    "arguments",
    [["lint"], ["set", "/provider/name", "Box"], ["remove", "/presentation"], ["preview"]],
)
def test_a_file_that_may_not_be_read_is_told_alike(
    arguments: list[str], tmp_path: Path, held_back: tuple[str, ...]
) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(FIXABLE)
    file.chmod(0o222)
    outcome = manifest(*arguments, "a.json", cwd=tmp_path, by=held_back)
    assert outcome.code == USAGE
    assert "error: a.json: permission denied" in outcome.err
    assert "Usage" not in outcome.err


def _read_only(file: Path) -> None:
    file.chmod(0o444)


def _twice(file: Path) -> None:
    os.link(file, file.with_name("b.json"))


def _elsewhere(file: Path) -> None:
    outside = file.rename(file.parent.with_name("outside.json"))
    file.symlink_to(outside)


@pytest.mark.parametrize("spoil", [_read_only, _twice, _elsewhere])
def test_only_a_file_that_was_written_counts_as_formatted(
    tmp_path: Path, held_back: tuple[str, ...], spoil: Callable[[Path], None]
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    for name in ("a.json", "c.json"):
        (folder / name).write_bytes(FIXABLE + b"\n\n")
    spoil(folder / "a.json")
    alone = manifest("fmt", "a.json", cwd=folder, by=held_back)
    assert (alone.code, alone.out) == (USAGE, "")
    assert len(alone.err.splitlines()) == 1, alone.err
    assert (folder / "a.json").read_bytes() == FIXABLE + b"\n\n"
    both = manifest("fmt", "a.json", "c.json", cwd=folder, by=held_back)
    assert (both.code, both.err.splitlines()[1:]) == (USAGE, ["1 file formatted"])


def test_a_file_that_was_formatted_counts_beside_a_folder_that_cannot_be_searched(
    tmp_path: Path, held_back: tuple[str, ...]
) -> None:
    (tmp_path / "a.json").write_bytes(FIXABLE + b"\n\n")
    locked = tmp_path / "locked"
    locked.mkdir(0)
    outcome = manifest("fmt", "a.json", "locked", cwd=tmp_path, by=held_back)
    alone = manifest("fmt", "locked", cwd=tmp_path, by=held_back)
    locked.chmod(0o755)
    assert (outcome.code, alone.code) == (USAGE, USAGE)
    assert outcome.err.splitlines()[-1] == "1 file formatted"
    assert len(alone.err.splitlines()) == 1, alone.err


def test_a_manifest_that_cannot_be_written_leaves_no_schema_behind(tmp_path: Path) -> None:
    name = f"{'a' * 300}.json"
    outcome = manifest("new", name, "--yes", "--with-schema", cwd=tmp_path)
    assert outcome.code == USAGE
    assert "cannot be written: file name too long" in outcome.err
    assert not list(tmp_path.iterdir())


def test_a_schema_that_cannot_be_written_leaves_no_manifest_behind(tmp_path: Path) -> None:
    limit = "import os, resource as r, sys; r.setrlimit(r.RLIMIT_FSIZE, (2000, 2000)); "
    by = (sys.executable, "-c", f"{limit}os.execv(sys.argv[1], sys.argv[1:])")
    outcome = manifest("new", "a.json", "--yes", "--with-schema", cwd=tmp_path, by=by)
    assert outcome.code == USAGE
    assert "schema.json: cannot be written: file too large" in outcome.err
    assert not list(tmp_path.iterdir())


def test_a_folder_that_may_not_be_written_is_told(
    tmp_path: Path, held_back: tuple[str, ...]
) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    (folder / "a.json").write_bytes(FIXABLE)
    folder.chmod(0o555)
    outcome = manifest("lint", "--fix", "-q", "closed/a.json", cwd=tmp_path, by=held_back)
    folder.chmod(0o755)
    reason = "is in a read-only folder: make the folder writable first"
    assert (outcome.code, outcome.err) == (USAGE, f"error: closed/a.json: {reason}\n")


def test_of_two_that_rewrite_a_file_at_once_one_wins_wholly(tmp_path: Path) -> None:
    file = tmp_path / "manifest.json"
    file.write_bytes(OLD)
    news = [bytes(str(number), "ascii") * 100_000 for number in range(8)]
    children = []
    for new in news:
        child = os.fork()
        if child == 0:
            try:
                rewrite(file, new, OLD)
            except UnwritableFileError:
                os._exit(1)
            os._exit(0)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert sorted(codes) == [0, *[1] * 7]
    assert file.read_bytes() == news[codes.index(0)]
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_that_another_program_keeps_locked_is_told(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(FIXABLE)
    fcntl = pytest.importorskip("fcntl")
    with file.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        outcome = manifest("lint", "--fix", "-q", "a.json", cwd=tmp_path)
    reason = "is locked by another program: try again when it has ended"
    assert (outcome.code, outcome.err) == (USAGE, f"error: a.json: {reason}\n")
    assert file.read_bytes() == FIXABLE


def test_two_commands_at_once_lose_no_change(tmp_path: Path) -> None:
    file = tmp_path / "manifest.json"
    file.write_bytes(VALID)
    wanted = ["host.timer", "host.haptics"]
    running = [
        subprocess.Popen(
            [*MANIFEST, "add", "permission", each], cwd=tmp_path, env=environment(), stderr=-3
        )
        for each in wanted
    ]
    codes = [each.wait() for each in running]
    assert set(codes) <= {CLEAN, USAGE}
    for each, code in zip(wanted, codes, strict=True):
        assert (each.encode() in file.read_bytes()) is (code == CLEAN)
    assert manifest("lint", cwd=tmp_path).code != FINDINGS
