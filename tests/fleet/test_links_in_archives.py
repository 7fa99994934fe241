"""`manifest fleet` on archives with links, pipes and devices: a row for each of them."""

from __future__ import annotations

import io
import os
import random
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from command import EXAMPLES
from test_runs import fleet, rows, uncounted

MINIMAL = (EXAMPLES / "valid" / "minimal.activity-provider.json").read_bytes()
NO_FILE = "is a link to no file in the archive"


def _archive(path: Path, members: list[tuple[str, bytes, Any]]) -> None:
    """An archive of members: their names, their types, and their content or target."""
    with tarfile.open(path, "w") as archive:
        for name, kind, what in members:
            member = tarfile.TarInfo(name)
            member.type = kind
            if isinstance(what, bytes):
                member.size = len(what)
                archive.addfile(member, io.BytesIO(what))
            else:
                member.linkname = what or ""
                archive.addfile(member)


def _checked(folder: Path) -> dict[str, Any]:
    """What was found in each file: a message, or whether it has findings."""
    done = fleet("lint", "in.tar", "--output", "out", cwd=folder)
    found = rows(folder / "out")
    assert (done.code, uncounted(done.err)) == (0, f"{len(found):,} manifests checked\n")
    return {
        row["uri"]: row["findings"][0]["message"]
        if [each["rule"] for each in row["findings"]] == ["unreadable"]
        else bool(row["findings"])
        for row in found
    }


@pytest.mark.parametrize("writer", ["tar", "bsdtar", "busybox tar"])
@pytest.mark.parametrize("pack", ["cf", "czf"])
def test_a_link_of_a_real_writer_has_the_content_of_its_target(
    writer: str, pack: str, tmp_path: Path
) -> None:
    if shutil.which(writer.split(maxsplit=1)[0]) is None:
        pytest.skip(f"no {writer}")
    folder = tmp_path / "packed"
    (folder / "below").mkdir(parents=True)
    (folder / "1.json").write_bytes(MINIMAL)
    (folder / "text").write_bytes(b"{}")
    (folder / "hard.json").hardlink_to(folder / "1.json")
    (folder / "other.json").hardlink_to(folder / "text")
    (folder / "below" / "soft.json").symlink_to("../1.json")
    (folder / "a.json").symlink_to("below/soft.json")
    (folder / "gone.json").symlink_to("nowhere.json")
    os.mkfifo(folder / "pipe.json")
    subprocess.run([*writer.split(), pack, "in.tar", "packed"], cwd=tmp_path, check=True)
    assert _checked(tmp_path) == {
        "packed/1.json": False,
        "packed/hard.json": False,
        "packed/other.json": True,
        "packed/below/soft.json": False,
        "packed/a.json": False,
        "packed/gone.json": NO_FILE,
        "packed/pipe.json": "is a pipe",
    }


def test_a_link_leads_to_what_is_in_the_archive_only(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_bytes(MINIMAL)
    soft, hard, plain = tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.REGTYPE
    members: list[tuple[str, bytes, Any]] = [
        ("up.json", soft, "../secret.json"),
        ("absolute.json", soft, str(tmp_path / "secret.json")),
        ("hard-up.json", hard, "../secret.json"),
        ("loop.json", soft, "loop.json"),
        ("one.json", soft, "two.json"),
        ("two.json", soft, "one.json"),
        ("to-folder.json", soft, "folder"),
        ("empty.json", soft, ""),
        ("folder", tarfile.DIRTYPE, None),
        ("folder.json", tarfile.DIRTYPE, None),
        ("early.json", hard, "./folder/late.json"),
        ("folder/late.json", plain, MINIMAL),
        ("device.json", tarfile.CHRTYPE, None),
        ("disk.yaml", tarfile.BLKTYPE, None),
        ("pipe.yml", tarfile.FIFOTYPE, None),
        ("pipe.txt", tarfile.FIFOTYPE, None),
        (".hidden.json", hard, "folder/late.json"),
    ]
    _archive(tmp_path / "in.tar", members)
    led = ("up", "absolute", "hard-up", "loop", "one", "two", "to-folder", "empty")
    assert _checked(tmp_path) == {
        **{f"{name}.json": NO_FILE for name in led},
        "early.json": False,
        "folder/late.json": False,
        "device.json": "is a device",
        "disk.yaml": "is a device",
        "pipe.yml": "is a pipe",
    }


def test_a_hard_link_is_to_what_had_the_name_before_and_a_symbolic_one_to_what_has_it(
    tmp_path: Path,
) -> None:
    plain = tarfile.REGTYPE
    members: list[tuple[str, bytes, Any]] = [
        ("x", plain, b"first"),
        ("x", plain, MINIMAL),
        ("hard.json", tarfile.LNKTYPE, "x"),
        ("soft.json", tarfile.SYMTYPE, "x"),
        ("x", plain, b"{}"),
    ]
    _archive(tmp_path / "in.tar", members)
    assert _checked(tmp_path) == {"hard.json": False, "soft.json": True}


def test_a_link_to_a_file_that_is_too_large_says_so(tmp_path: Path) -> None:
    members: list[tuple[str, bytes, Any]] = [
        ("a.json", tarfile.REGTYPE, MINIMAL),
        ("b.json", tarfile.LNKTYPE, "a.json"),
    ]
    _archive(tmp_path / "in.tar", members)
    fleet("lint", "in.tar", "--output", "out", "--limit", "bytes=100", cwd=tmp_path)
    found = [[each["rule"] for each in row["findings"]] for row in rows(tmp_path / "out")]
    assert found == [["limit-exceeded"], ["limit-exceeded"]]


def test_the_links_of_a_volume_lead_through_a_folder(tmp_path: Path) -> None:
    """As Kubernetes mounts a ConfigMap."""
    folder = tmp_path / "k8s"
    (folder / "..v1").mkdir(parents=True)
    (folder / "..v1" / "manifest.json").write_bytes(MINIMAL)
    (folder / "..data").symlink_to("..v1")
    (folder / "manifest.json").symlink_to("..data/manifest.json")
    (folder / "gone.json").symlink_to("..data/gone.json")
    subprocess.run(["tar", "cf", "in.tar", "k8s"], cwd=tmp_path, check=True)
    assert _checked(tmp_path) == {"k8s/manifest.json": False, "k8s/gone.json": NO_FILE}


def test_a_hard_link_to_a_symbolic_one_leads_on_from_its_own_folder(tmp_path: Path) -> None:
    folder = tmp_path / "packed"
    (folder / "a").mkdir(parents=True)
    (folder / "x.json").write_bytes(MINIMAL)
    (folder / "a" / "x.json").write_bytes(b"{}")
    (folder / "1.json").symlink_to("./x.json")
    (folder / "a" / "2.json").hardlink_to(folder / "1.json")
    (folder / "a" / "3.json").hardlink_to(folder / "a" / "2.json")
    subprocess.run(["tar", "cf", "in.tar", "packed"], cwd=tmp_path, check=True)
    assert _checked(tmp_path) == {
        "packed/x.json": False,
        "packed/1.json": False,
        "packed/a/x.json": True,
        "packed/a/2.json": True,
        "packed/a/3.json": True,
    }


@pytest.mark.parametrize("end", ["/", "/.", "/x/.."])
def test_a_link_that_only_a_folder_can_be_behind_leads_to_no_file(end: str, tmp_path: Path) -> None:
    folder = tmp_path / "packed"
    folder.mkdir()
    (folder / "0.json").write_bytes(MINIMAL)
    (folder / "1.json").symlink_to(f"0.json{end}")
    subprocess.run(["tar", "cf", "in.tar", "packed"], cwd=tmp_path, check=True)
    assert _checked(tmp_path) == {"packed/0.json": False, "packed/1.json": NO_FILE}


def _filled(root: Path, chance: random.Random) -> None:
    """Files and links in a folder: to files, to folders, up, nowhere and in circles."""
    folders = ["", "a", "a/b", "c", ".d"]
    for each in folders:
        (root / each).mkdir(exist_ok=True)
        up = os.path.relpath(root, root / each)
        (root / each / "l").symlink_to(f"{up}/c" if each == "a" else f"{up}/a/b")
    (root / "first.json").write_bytes(MINIMAL)
    names = ["1.json", "2.json", "3.yaml", "text", "x", "y"]
    ways = ["", "a/", "a/b/", "./c/", "l/", "l/../", "l//l/", "a/l/", ".d/l/../", "x/", "y/x/"]
    for _ in range(chance.randrange(5, 25)):
        path = root / chance.choice(folders) / chance.choice(names)
        if os.path.lexists(path):
            continue
        if chance.random() < 0.4:
            path.write_bytes(chance.choice([MINIMAL, b"{}"]))
            continue
        up = "../" * chance.choice([len(path.relative_to(root).parts) - 1, 0, 1])
        path.symlink_to(up + chance.choice(ways) + chance.choice([*names, "a", ""]) or ".")
        other = root / chance.choice(folders) / chance.choice(names)
        if not os.path.lexists(other):
            os.link(path, other, follow_symlinks=False)
    for path in root.rglob("*.[jy]*"):
        if os.path.isdir(path):  # noqa: PTH112 - it would raise at a circle of links
            path.unlink()  # a folder has a note for it, an archive a row


@settings(max_examples=60)
@given(st.randoms(use_true_random=False))
def test_an_archive_has_the_rows_of_its_folder(chance: random.Random) -> None:
    with tempfile.TemporaryDirectory() as where:
        root = Path(where) / "in"
        root.mkdir()
        _filled(root, chance)
        with tarfile.open(root.with_suffix(".tar"), "w") as archive:
            archive.add(root, ".")
        told = []
        for name in ("in", "in.tar"):
            done = fleet("lint", name, "--output", f"{name}.out", cwd=Path(where))
            told.append(
                {
                    os.path.normpath(row["uri"]): [each["rule"] for each in row["findings"]]
                    for row in rows(Path(where) / f"{name}.out")
                }
            )
            assert done.code == 0
        assert told[0] == told[1]


def test_links_that_lead_far_lead_nowhere(tmp_path: Path) -> None:
    soft = tarfile.SYMTYPE
    members: list[tuple[str, bytes, Any]] = [
        *((f"{index}.json", soft, "chain0") for index in range(2_000)),
        *((f"chain{index}", soft, "a/../" * 700 + f"chain{index + 1}") for index in range(100)),
        ("long.json", soft, "a/../" * 100_000 + "x"),
    ]
    _archive(tmp_path / "in.tar", members)
    assert set(_checked(tmp_path).values()) == {NO_FILE}
