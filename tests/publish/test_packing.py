"""A folder becomes the same archive each time, without what nobody should see."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifestkit.engine import Options
from manifestkit.model.errors import ConfigurationError, UnreadableFileError
from manifestkit.publish.archive import inspect_archive
from manifestkit.publish.folder import FolderByDescriptor, FolderByPath, is_link
from manifestkit.publish.gate import check
from manifestkit.publish.names import name_problems
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
    assert len(result.packing.left_out) == 11


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
    assert "list it in .manifestignore" in problem.message
    (folder / ".manifestignore").write_text("odd\n")
    assert "odd" not in names(folder)


@pytest.mark.parametrize(
    "name", [".ENV", ".Env.local", "server.PEM", "ID_RSA", "Id_Ed25519", "a.Key", ".NPMRC"]
)
def test_a_secret_stays_out_in_any_case(tmp_path: Path, name: str) -> None:
    filled(tmp_path, f"app/{name}", "index.html", "ENVIRONMENT.md")
    assert names(tmp_path) == ["ENVIRONMENT.md", "index.html"]


@pytest.mark.parametrize("name", [".GIT/config", "Node_Modules/x.js", ".SSH/known_hosts"])
def test_a_folder_of_secrets_stays_out_in_any_case(tmp_path: Path, name: str) -> None:
    assert names(filled(tmp_path, name, "index.html")) == ["index.html"]


def test_own_patterns_count_by_their_case(tmp_path: Path) -> None:
    filled(tmp_path, "a.map", "B.MAP", "server.PEM", "client.pem")
    (tmp_path / ".manifestignore").write_text("*.map\n!server.PEM\n")
    assert names(tmp_path) == ["B.MAP", "server.PEM"]


SWAPS = {
    "file": """
import os, sys
folder, secret = sys.argv[1:]
for turn in range(100_000):
    os.symlink(f"{secret}/x.js", f"{folder}/.git/new")
    os.replace(f"{folder}/.git/new", f"{folder}/app/x.js")
    with open(f"{folder}/.git/new", "w") as file:
        file.write("own")
    os.replace(f"{folder}/.git/new", f"{folder}/app/x.js")
    if os.path.exists(f"{folder}/.git/stop"):
        break
""",
    "folder": """
import os, sys
folder, secret = sys.argv[1:]
for turn in range(100_000):
    os.rename(f"{folder}/app", f"{folder}/.git/app")
    os.symlink(secret, f"{folder}/app")
    os.listdir(folder)
    os.remove(f"{folder}/app")
    os.rename(f"{folder}/.git/app", f"{folder}/app")
    if os.path.exists(f"{folder}/.git/stop"):
        break
""",
}


@contextmanager
def swapped(kind: str, folder: Path) -> Iterator[None]:
    """Something in a folder is a link to a secret in every other moment."""
    filled(folder, "app/x.js", ".git/config", "index.html")
    (folder / "app" / "x.js").write_text("own")
    secret = filled(folder.parent / "secret", "x.js")
    (secret / "x.js").write_text("secret")
    with subprocess.Popen([sys.executable, "-c", SWAPS[kind], folder, secret]) as swapping:
        try:
            yield
        finally:
            (folder / ".git" / "stop").write_text("")
            assert swapping.wait(60) == 0


@posix
@pytest.mark.parametrize("kind", SWAPS)
def test_a_link_that_comes_while_a_folder_is_packed_is_not_followed(
    tmp_path: Path, kind: str
) -> None:
    seen = Counter[str]()
    with swapped(kind, tmp_path / "dist"):
        for _ in range(600):
            try:
                result = pack(tmp_path / "dist")
            except UnreadableFileError:
                seen["told"] += 1
                continue
            data = b"".join(result.snapshot.chunks())
            result.snapshot.close()
            with zipfile.ZipFile(BytesIO(data)) as archive:
                contents = {archive.read(name) for name in archive.namelist()}
            assert contents <= {b"own", b"index.html"}, seen
            seen["told" if result.packing.problems or b"own" not in contents else "packed"] += 1
    assert seen["told"]
    assert seen["packed"]


@posix
def test_a_link_that_comes_is_not_followed_either_where_folders_cannot_be_opened(
    tmp_path: Path,
) -> None:
    folder = FolderByPath(tmp_path / "dist")
    seen = Counter[str]()
    with swapped("file", tmp_path / "dist"):
        for _ in range(2000):
            try:
                with folder.open(("app", "x.js")) as file:
                    seen[file.read().decode()] += 1
            except UnreadableFileError:
                seen["told"] += 1
    assert seen.keys() == {"own", "told"}


@posix
def test_both_ways_to_read_a_folder_find_the_same(tmp_path: Path) -> None:
    filled(tmp_path, "a/b/c.txt", "a/d.txt", "e")
    (tmp_path / "link").symlink_to("a")
    with FolderByDescriptor(tmp_path) as one, FolderByPath(tmp_path) as other:
        for parts in ((), ("a",), ("a", "b")):
            found = [
                sorted(
                    (name, status.st_ino, is_link(status)) for name, status in each.listed(parts)
                )
                for each in (one, other)
            ]
            assert found[0] == found[1]
        for each in (one, other):
            with each.open(("a", "b", "c.txt")) as file:
                assert file.read() == b"a/b/c.txt"
            for parts in (("link", "d.txt"), ("link",)):
                with pytest.raises(UnreadableFileError, match="replaced while it was packed"):
                    each.open(parts)
            with pytest.raises(UnreadableFileError, match="replaced while it was packed"):
                each.listed(("link",))


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
    sound = {name for name in written if not any(name_problems(name))}
    assert {name: kept.get(name) for name in sound} == {name: written[name] for name in sound}
    assert kept.keys() <= sound | {".manifestignore"}
    found = inspect_archive(BytesIO(data), len(data))
    assert [each.name for each in found.entries] == sorted(kept)
