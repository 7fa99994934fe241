"""`manifest fleet` on archives with links, pipes and devices: a row for each of them."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

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
    assert (done.code, uncounted(done.err)) == (0, f"{len(found)} manifests checked\n")
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
