"""`manifest deploy --list`, and what is looked at before a folder is packed."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from rehearsal import ACCEPTED, AUTHENTICATION, REFUSED, USAGE, User, site, zipped
from skips import posix


@pytest.fixture
def nobody(tmp_path: Path) -> User:
    """Somebody without a service and a login."""
    return User(tmp_path / "home", "")


def test_each_file_is_listed_and_each_that_is_left_out_with_its_line(
    tmp_path: Path, nobody: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    dist = site(tmp_path / "dist", **{"a.map": b"1", "b.map": b"", ".env": b"", "c.txt": b""})
    (dist / "drafts").mkdir()
    (dist / "drafts" / "x.html").write_text("")
    (dist / ".manifestignore").write_text("# not yet\n\n/drafts/\n!b.map\n")
    (tmp_path / "manifestkit.toml").write_text('[publish]\nfolder = "dist"\nignore = ["*.map"]\n')
    listed = nobody("deploy", "--list")
    assert listed.code == ACCEPTED
    assert re.sub(r"manifest.json \(\d+", "manifest.json (9", listed.out).splitlines() == [
        "packed    b.map (0 bytes)",
        "packed    c.txt (0 bytes)",
        "packed    index.html (13 bytes)",
        "packed    index.js (2 bytes)",
        "packed    manifest.json (9 bytes)",
        "left out  .env: `.*`, by the defaults",
        "left out  .manifestignore: `.*`, by the defaults",
        "left out  a.map: `*.map`, by [publish]",
        "left out  drafts/: `/drafts/`, by dist/.manifestignore:3",
    ]
    told = nobody("deploy", "--list", "--json").json
    assert [each["name"] for each in told["packed"]][:2] == ["b.map", "c.txt"]
    left_out = {each["name"]: (each["pattern"], each["place"]) for each in told["left_out"]}
    assert left_out[".env"] == (".*", "the defaults")
    assert left_out["drafts/"] == ("/drafts/", "dist/.manifestignore:3")


@posix
def test_what_is_refused_is_not_listed_as_packed(tmp_path: Path, nobody: User) -> None:
    dist = site(tmp_path / "dist", **{"a\nb": b"1"})
    os.mkfifo(dist / "pipe")
    (dist / "link").symlink_to("index.js")
    listed = nobody("deploy", dist, "--list")
    packed = [line.split()[1] for line in listed.out.splitlines() if line.startswith("packed")]
    assert (listed.code, packed) == (REFUSED, ["index.html", "index.js", "manifest.json"])
    assert listed.out.count("refused") == 3
    assert "note: 3 files, " in listed.err
    dist = tmp_path / "pipes"
    dist.mkdir()
    (tmp_path / "manifestkit.toml").write_text("[publish]\nmax-entries = 1\n")
    for name in ("a", "b"):
        os.mkfifo(dist / name)
    config = ("--config", tmp_path / "manifestkit.toml")
    assert nobody("deploy", dist, "--list", *config).out.count("refused") == 3


def test_what_is_listed_is_what_is_packed(tmp_path: Path, user: User) -> None:
    dist = site(tmp_path / "dist", **{".env": b"", "a.key": b"", "x.css": b""})
    listed = user("deploy", dist, "--list", "--json").json
    sent = user.deploy(dist, "--json").json["archive"]
    assert (sent["files"], sent["left_out"]) == (len(listed["packed"]), len(listed["left_out"]))


def test_an_archive_is_listed_too(tmp_path: Path, nobody: User) -> None:
    listed = nobody("deploy", zipped(tmp_path / "site.zip"), "--list")
    assert (listed.code, "packed    index.js (2 bytes)\n" in listed.out) == (ACCEPTED, True)


@posix
def test_what_cannot_be_packed_is_listed_and_fails(tmp_path: Path, nobody: User) -> None:
    dist = site(tmp_path / "dist")
    (dist / "odd").symlink_to("index.html")
    (dist / "a\x1b[31m").write_text("")
    listed = nobody("deploy", dist, "--list")
    assert listed.code == REFUSED
    assert "refused   `odd` is a link" in listed.out
    assert "\x1b" not in listed.out


@pytest.mark.parametrize("start", ["\ufeff", ""])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_ignore_file_of_windows_is_read_as_git_reads_it(
    tmp_path: Path, nobody: User, start: str, end: str
) -> None:
    dist = site(tmp_path / "dist")
    text = f"{start}index.html{end}a\u2028b{end}index.js{end}"
    (dist / ".manifestignore").write_bytes(text.encode())
    told = nobody("deploy", dist, "--list", "--json").json
    left_out = {each["name"]: each["place"][-2:] for each in told["left_out"]}
    assert (left_out["index.html"], left_out["index.js"]) == (":1", ":3")


@posix
def test_what_is_missing_is_told_before_anything_is_packed_and_a_login_after_the_check(
    tmp_path: Path, user: User
) -> None:
    """The link is told when the folder is looked at."""
    dist = site(tmp_path / "dist")
    (dist / "odd").symlink_to("index.html")
    stranger = User(tmp_path / "stranger", user.url)
    ended = stranger("deploy", dist)
    assert (ended.code, "odd" in ended.err) == (USAGE, False)
    ended = stranger.deploy(dist)
    assert (ended.code, "odd" in ended.err) == (REFUSED, True)
    (dist / "odd").unlink()
    ended = stranger.deploy(dist)
    assert (ended.code, "not logged in" in ended.err) == (AUTHENTICATION, True)
    ended = stranger.deploy(tmp_path / "gone")
    assert (ended.code, "gone: no such file or folder" in ended.err) == (USAGE, True)


def test_the_patterns_of_an_archive_are_bounded(tmp_path: Path, user: User) -> None:
    patterns = b"".join(b"a%d/*x*y\n" % number for number in range(251))
    archive = zipped(tmp_path / "s.zip", **{".manifestignore": patterns})
    ended = user.deploy(archive, "--list")
    assert (ended.code, "it has more than 250 lines" in ended.err) == (USAGE, True)


@pytest.mark.parametrize(
    ("file", "pattern"), [("e\u0301.txt", "\u00e9.*"), ("\u00e9.txt", "e\u0301.*")]
)
def test_a_pattern_is_for_a_name_however_its_accents_are_written(
    tmp_path: Path, user: User, file: str, pattern: str
) -> None:
    dist = site(tmp_path / "dist", **{file: b"", ".manifestignore": pattern.encode()})
    assert f"left out  {file}: " in user.deploy(dist, "--list").out
