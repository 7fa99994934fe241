"""A folder becomes the same archive each time, without what nobody should see."""

from __future__ import annotations

import os
import zipfile
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifestkit.engine import Options
from manifestkit.errors import ConfigurationError, UnreadableFileError
from manifestkit.publish.archive import inspect_archive
from manifestkit.publish.gate import check
from manifestkit.publish.packing import pack
from rehearsal import site
from test_deploys import posix


def packed(folder: Path) -> bytes:
    with closing(pack(folder).snapshot) as snapshot:
        return b"".join(snapshot.chunks())


def names(folder: Path) -> list[str]:
    with zipfile.ZipFile(BytesIO(packed(folder))) as archive:
        return archive.namelist()


def filled(folder: Path, *paths: str) -> Path:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)
    return folder


def test_the_same_files_make_the_same_bytes(tmp_path: Path) -> None:
    paths = ["b/x.js", "a.html", "B.html", "b.html", "b/a/c.css"]
    one = filled(tmp_path / "one", *paths)
    other = filled(tmp_path / "other", *reversed(paths))
    for path in paths:
        os.utime(other / path, (1, 1))
        (other / path).chmod(0o700)
    assert packed(one) == packed(other)
    assert names(one) == sorted(paths)


def test_the_time_of_the_files_is_the_builds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = filled(tmp_path, "a")
    times = {}
    for given_time in (None, "0", "1700000000", "99999999999"):
        if given_time is not None:
            monkeypatch.setenv("SOURCE_DATE_EPOCH", given_time)
        with zipfile.ZipFile(BytesIO(packed(folder))) as archive:
            times[given_time] = archive.infolist()[0].date_time
    assert times == {
        None: (1980, 1, 1, 0, 0, 0),
        "0": (1980, 1, 1, 0, 0, 0),
        "1700000000": (2023, 11, 14, 22, 13, 20),
        "99999999999": (2107, 1, 1, 0, 0, 0),
    }
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(ConfigurationError, match="a number of seconds"):
        pack(folder)


def test_what_is_no_part_of_a_site_stays_out(tmp_path: Path) -> None:
    filled(
        tmp_path,
        *(".git/config", ".env", ".env.local", "app/.env", "node_modules/x/index.js"),
        *("app/server.key", "cert.pem", "id_rsa", "id_ed25519.pub", ".npmrc", ".DS_Store"),
        *("index.html", ".well-known/security.txt", "app/keyboard.js", "environment.js"),
    )
    assert names(tmp_path) == [
        ".well-known/security.txt",
        "app/keyboard.js",
        "environment.js",
        "index.html",
    ]
    result = pack(tmp_path)
    result.snapshot.file.close()
    assert result.left_out == 11


def test_an_ignore_file_takes_out_and_takes_back_in(tmp_path: Path) -> None:
    filled(tmp_path, "drafts/a.html", "index.html", "app/b.map", "public.pem", ".gitignore")
    (tmp_path / ".manifestignore").write_text("# not yet\n/drafts/\n*.map\n!public.pem\n")
    (tmp_path / ".gitignore").write_text("*\n")  # built files are what git ignores
    assert names(tmp_path) == [".gitignore", "index.html", "public.pem"]


@posix
@pytest.mark.parametrize("kind", ["link", "link to a folder", "broken link", "pipe"])
def test_what_is_no_file_is_refused_and_can_be_named_in_the_ignore_file(
    tmp_path: Path, kind: str
) -> None:
    folder = site(tmp_path / "dist")
    odd = folder / "odd"
    match kind:
        case "link":
            odd.symlink_to("index.html")
        case "link to a folder":
            odd.symlink_to("/etc")
        case "broken link":
            odd.symlink_to("nowhere")
        case "pipe":
            os.mkfifo(odd)
    with check(folder, Options(isolated=True)) as checked:
        (problem,) = checked.problems
    assert not checked.passes
    assert problem.member == "odd"
    assert "name it in .manifestignore" in problem.message
    (folder / ".manifestignore").write_text("odd\n")
    assert "odd" not in names(folder)


@posix
def test_a_name_that_no_archive_holds_is_refused(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff.html")).write_text("")
    with pytest.raises(UnreadableFileError, match="rename it"):
        pack(tmp_path)


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="/\\:\0"), min_size=1, max_size=8)


@given(st.dictionaries(NAMES, st.binary(max_size=300), max_size=5))
def test_whatever_is_packed_comes_out_again(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes]
) -> None:
    folder = tmp_path_factory.mktemp("files")
    (folder / ".manifestignore").write_text("!*\n")
    written: dict[str, bytes] = {}
    for name, content in files.items():
        if name not in {".", "..", ".manifestignore"} and not (folder / name).exists():
            (folder / name).write_bytes(content)
            written[name] = content
    data = packed(folder)
    with zipfile.ZipFile(BytesIO(data)) as archive:
        kept = {name: archive.read(name) for name in archive.namelist()}
    assert {name: kept.get(name) for name in written} == written
    found = inspect_archive(BytesIO(data), len(data))
    assert [each.name for each in found.entries] == sorted(kept)
