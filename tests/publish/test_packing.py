"""A folder or an archive becomes one canonical archive, without what nobody should see."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tracemalloc
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manifestkit.config.configuration import Publishing
from manifestkit.model.errors import UnreadableFileError
from manifestkit.publish.archive import Listing, pack
from rehearsal import ACCEPTED, REFUSED, USAGE, User, site, zipped
from rows import rows
from skips import posix


def repacked(
    path: Path,
    settings: Publishing | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[bytes | None, Listing]:
    """The canonical archive, and what was listed; no archive where it is refused.

    After each piece, `progress` is called with how many bytes of all files are packed.
    """
    kind: Any = zipfile._ZipWriteFile  # type: ignore[attr-defined]  # noqa: SLF001 - no other place to look
    write, done = kind.write, 0

    def told(file: Any, data: bytes) -> Any:
        nonlocal done
        written = write(file, data)
        done += len(data)
        if progress:
            progress(done)
        return written

    with patch.object(kind, "write", told):
        listing, made = pack(path, settings or Publishing())
    if made is None:
        return None, listing
    with made.file:
        return b"".join(made.chunks()), listing


def packed(path: Path, settings: Publishing | None = None) -> bytes:
    data, listing = repacked(path, settings)
    assert data is not None, listing.problems
    return data


def names(path: Path, settings: Publishing | None = None) -> list[str]:
    with zipfile.ZipFile(BytesIO(packed(path, settings))) as archive:
        return archive.namelist()


def filled(folder: Path, *paths: str) -> Path:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)
    return folder


def as_archive(folder: Path, before: str = "") -> Path:
    """The same files in an archive of another packer, in another order."""
    path = folder.parent / f"{folder.name}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for each in sorted(folder.rglob("*"), reverse=True):
            entry = zipfile.ZipInfo.from_file(each, each.relative_to(folder))
            entry.filename = f"{before}{entry.filename}"
            archive.writestr(entry, each.read_bytes() if each.is_file() else b"")
    return path


FORMS: dict[str, Callable[[Path], Path]] = {
    "folder": lambda folder: folder,
    "archive": as_archive,
    "archive of tar": partial(as_archive, before="./"),
}
each_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def test_the_same_content_is_the_same_bytes(tmp_path: Path) -> None:
    paths = ["b/x.js", "a.html", "B.html", "b2.html", "b/a/c.css", "é.html"]
    one = filled(tmp_path / "one", *paths)
    other = filled(tmp_path / "other", *reversed(paths))
    for path in paths:
        os.utime(other / path, (10**9, 10**9))
        (other / path).chmod(0o700)
    data = packed(one)
    assert packed(other) == data == packed(as_archive(one))
    assert names(one) == sorted(paths)
    again = tmp_path / "again.zip"
    again.write_bytes(data)
    assert packed(again) == data
    with zipfile.ZipFile(BytesIO(data)) as archive:
        for entry in archive.infolist():
            assert (entry.date_time, entry.extra) == ((1980, 1, 1, 0, 0, 0), b"")
            assert entry.external_attr >> 16 == 0o100644
            assert bool(entry.flag_bits & 0x800) != entry.filename.isascii()


# -- what stays at home ----------------------------------------------------------------------

SECRETS = [
    *(".env", ".env.local", "app/.env", "prod.env", ".dev.vars", ".npmrc", ".netrc", "_netrc"),
    *(".git/config", ".docker/config.json", ".kube/config", ".aws/credentials", ".ssh/known_hosts"),
    *("id_rsa", "app/id_ed25519.pub", "deploy_rsa", "app/server.key", "cert.pem", "a.PFX"),
    *("service-account.json", "Service_Account-prod.json", "x-firebase-adminsdk-1.json"),
    *("credentials.json", "secrets.yaml", "client_secret_1.json", "kubeconfig"),
    *("local.settings.json", "terraform.tfstate", "terraform.tfstate.backup", "prod.tfvars"),
    ".terraform/x",
    *(".bash_history", ".venv/pyvenv.cfg", "venv/pyvenv.cfg", "node_modules/x/index.js"),
    *(".htpasswd", ".DS_Store", "Thumbs.db", ".GIT/HEAD", "Node_Modules/x.js", "ID_DSA"),
]
PUBLIC = [
    *(".well-known/security.txt", "app/keyboard.js", "environment.js", "index.html", "keys.html"),
    *("secrets.html", "credentials.html", "env/index.html", "tokens.json"),
    *("credentials/index.html", "my_rsa/index.html", "a.pem/b/index.html", "lib;1", "a#U0041b.js"),
]


@each_form
def test_secrets_stay_at_home_by_default(tmp_path: Path, form: Callable[[Path], Path]) -> None:
    folder = filled(tmp_path / "dist", *PUBLIC, *SECRETS)
    data, listing = repacked(form(folder))
    assert data is not None
    assert [name for name, _ in listing.files] == sorted(PUBLIC)
    left_out = {each.name for each in listing.left_out}
    for path in SECRETS:
        parts = path.split("/")
        above = {"/".join(parts[:end]) + "/" for end in range(1, len(parts))}
        assert {path, *above} & left_out, path


@each_form
def test_an_ignore_file_takes_out_and_takes_back_in(
    tmp_path: Path, form: Callable[[Path], Path]
) -> None:
    folder = filled(
        tmp_path / "dist",
        "drafts/a.html",
        "index.html",
        "app/b.map",
        "c.map",
        "public.pem",
        "B.MAP",
    )
    (folder / ".manifestignore").write_text("# not yet\n/drafts/\n*.map\n!c.map\n!public.pem\n")
    assert names(form(folder)) == ["B.MAP", "c.map", "index.html"]


@each_form
def test_what_is_included_is_published(tmp_path: Path, form: Callable[[Path], Path]) -> None:
    folder = filled(tmp_path / "dist", ".nojekyll", ".config/a.json", "x.key", "index.html")
    (folder / ".manifestignore").write_text("index.html\n")
    (folder / ".config" / "x.pem").write_text("still a key")
    settings = Publishing(include=(".nojekyll", "/.config/", "**/index.html"))
    assert names(form(folder), settings) == [".config/a.json", ".nojekyll", "index.html"]


@each_form
def test_a_file_in_a_folder_that_is_left_out_is_included_alone(
    tmp_path: Path, form: Callable[[Path], Path]
) -> None:
    inside = "node_modules/x/i.js", "node_modules/x/j.js", "node_modules/y/k.js", "drafts/a/b.html"
    folder = filled(tmp_path / "dist", "index.html", *inside, ".config/a.json", ".config/b/c")
    (folder / ".manifestignore").write_text("/drafts/\n")
    wanted = "node_modules/x/i.js", "/drafts/a/b.html", ".config/b/", ".config/none", "k.js"
    listing = repacked(form(folder), Publishing(include=wanted))[1]
    packed = [name for name, _ in listing.files]
    assert packed == [".config/b/c", "drafts/a/b.html", "index.html", "node_modules/x/i.js"]
    assert {each.name: each.pattern for each in listing.left_out} == {
        ".config/a.json": ".*/",
        ".manifestignore": ".*",
        "node_modules/x/j.js": "node_modules/",
        "node_modules/y/": "node_modules/",
    }
    told = (
        "`include` under [publish] names `{}`, but outside left-out folders, the site has no such"
    )
    assert [f"{told.format(each)} file" for each in ("k.js", ".config/none")] == [*listing.notes]


def test_a_long_path_to_include_takes_no_memory(tmp_path: Path) -> None:
    folder = filled(tmp_path / "dist", "index.html")
    tracemalloc.start()
    repacked(folder, Publishing(include=(f"{'a/' * 20_000}x",)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000_000


@pytest.mark.parametrize("included", ["*", "**/", "app/*.json", "?env", "[.]env/", ".e*v"])
def test_what_is_included_has_a_name(
    tmp_path: Path, user: User, monkeypatch: pytest.MonkeyPatch, included: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "manifestkit.toml").write_text(f'[publish]\ninclude = ["{included}"]\n')
    ended = user("deploy", site(tmp_path / "dist"), "--list")
    assert (ended.code, "does not name a file or folder" in ended.err) == (USAGE, True)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "!"]),
            st.sampled_from(["", "/", "**/", "app/", ".git/", "*/"]),
            st.sampled_from(["*", "*.*", ".*", ".env", ".git", "*.json", "credentials.json"]),
            st.sampled_from(["", "/"]),
        ).map("".join),
        max_size=6,
    ),
)
def test_no_pattern_takes_back_what_the_defaults_leave_out(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    folder = filled(tmp_path_factory.mktemp("dist"), *PUBLIC, *SECRETS)
    (folder / ".manifestignore").write_text("\n".join(lines))
    listing = pack(folder, Publishing(ignore=tuple(lines)), only_list=True)[0]
    assert {name for name, _ in listing.files} <= set(PUBLIC)


def test_what_a_pattern_does_not_take_back_is_listed_with_its_default(
    tmp_path: Path, user: User
) -> None:
    folder = filled(tmp_path / "dist", "a.json", "credentials.json", ".npmrc")
    (folder / ".manifestignore").write_text("*\n!*.*\n")
    lines = user("deploy", folder, "--list").out.splitlines()
    assert "left out  credentials.json: `credentials.json`, by the defaults" in lines
    assert "left out  .npmrc: `.*`, by the defaults" in lines
    told = user("deploy", folder, "--dry-run", "--no-manifest").err
    assert "to publish one, name it in `include` under [publish]" in told


@pytest.mark.skipif(shutil.which("git") is None, reason="no git here")
@given(
    st.lists(
        st.sampled_from(["*", "!*/", "!*.h", "/a/", "!/a/", "b", "!b", "a/*", "!a/b.h", "**/c"])
    ),
)
def test_of_patterns_no_file_is_published_that_git_ignores(
    tmp_path_factory: pytest.TempPathFactory, patterns: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("dist")
    filled(folder, "a/b.h", "a/b/c", "a/b/x.h", "b/a/x.h", "b/c/y.js", "c/z.js", "x.h", "keep")
    (folder / ".manifestignore").write_text("\n".join([*patterns, "!/keep", ""]))
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    (folder / ".gitignore").write_text("\n".join([*patterns, "!/keep", ""]))
    listed = subprocess.run(
        ["git", "ls-files", "--others", "--exclude-standard"],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    wanted = {each for each in listed if not each.startswith(".")}
    published = {name for name, _ in pack(folder, Publishing(), only_list=True)[0].files}
    assert wanted <= published
    if "!*.h" not in patterns and "!a/b.h" not in patterns:  # git takes no file out of a folder
        assert wanted == published


def test_settings_leave_out_and_include_in_archives_too(
    tmp_path: Path, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = tmp_path / "manifestkit.toml"
    many = "*a" * 30  # no way to compare it may take exponential time
    settings.write_text(f'[publish]\nignore = ["*.map", "{many}b"]\ninclude = [".nojekyll"]\n')
    archive = zipped(
        tmp_path / "s.zip", **{"a.map": b"", ".nojekyll": b"", ".x": b"", "a" * 200: b""}
    )
    told = user("deploy", archive, "--list", "--json").json
    packed = [each["name"] for each in told["packed"]]
    assert packed == [".nojekyll", "a" * 200, "index.js", "manifest.json"]
    assert told["left_out"] == [
        {"name": ".x", "pattern": ".*", "place": "the defaults"},
        {"name": "a.map", "pattern": "*.map", "place": "[publish]"},
    ]
    ended = user("deploy", archive, "--dry-run")
    told = "left out of the archive: .x, a.map; see --list; to publish one, name it in `include`"
    assert told in ended.err
    for wrong in ("[", "[[:alpha:]]"):
        settings.write_text(f'[publish]\nignore = ["{wrong}"]\n')
        assert user("deploy", archive, "--list").code == USAGE


BROKEN: dict[str, Callable[[Path], object]] = {
    "UTF-16 of PowerShell": lambda file: file.write_bytes("private/\n".encode("utf-16")),
    "UTF-16 without a mark": lambda file: file.write_bytes("private/\n".encode("utf-16-le")),
    "Latin-1": lambda file: file.write_bytes(b"priv\xe9/\n"),
    "long": lambda file: file.write_bytes(b"private/\n" * 120_000),
    "no pattern": lambda file: file.write_text("private/\n[\n"),
    "a pattern of no path": lambda file: file.write_text("./private/\n"),
    "dangling link": lambda file: file.symlink_to("nowhere"),
    "folder": lambda file: file.mkdir(),
    "pipe": os.mkfifo,
}


@posix
@pytest.mark.parametrize("kind", BROKEN)
def test_an_ignore_file_that_cannot_be_read_never_means_to_leave_out_nothing(
    tmp_path: Path, user: User, kind: str
) -> None:
    folder = site(tmp_path / "dist")
    filled(folder, "private/secret.txt")
    BROKEN[kind](folder / ".manifestignore")
    for option in ("--list", "--dry-run"):
        ended = user("deploy", folder, option)
        assert ended.code == USAGE
        assert ".manifestignore:" in ended.err
        assert "private/secret.txt" not in ended.out
    if (folder / ".manifestignore").is_file():
        assert user("deploy", as_archive(folder), "--list").code == USAGE


@posix
def test_an_ignore_file_that_is_a_link_shows_nothing_of_what_it_leads_to(
    tmp_path: Path, user: User
) -> None:
    folder = filled(site(tmp_path / "dist"), "a.key", "geheim.txt")
    for content in ("[geheim\n", "geheim*\n"):
        (tmp_path / "secret").write_text(content)
        (folder / ".manifestignore").unlink(missing_ok=True)
        (folder / ".manifestignore").symlink_to("../secret")
        ended = user("deploy", folder, "--list")
        assert (ended.code, "geheim" in ended.out + ended.err) == (USAGE, False)
        assert ".manifestignore: is a link, and no link is followed; copy" in ended.err


# -- limits ----------------------------------------------------------------------------------


@each_form
def test_a_limit_names_the_setting_that_raises_it(
    tmp_path: Path, form: Callable[[Path], Path]
) -> None:
    source = form(site(tmp_path / "dist"))
    for limits, told in (
        (Publishing(max_entries=2), "max-entries"),
        (Publishing(max_size=99), "max-size"),
    ):
        data, listing = repacked(source, limits)
        assert data is None
        assert f"raise `{told}` under [publish]" in str(listing.problems[0])
    assert packed(source, Publishing(max_entries=3))


@contextmanager
def limited_files(most: int) -> Iterator[None]:
    import resource  # noqa: PLC0415 - not on Windows

    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, limit[0]), limit[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)


@posix
@pytest.mark.parametrize(("levels", "part", "told"), [(300, "d", ""), (980, "dd", "1,024 bytes")])
def test_a_deep_folder_is_packed_or_refused_by_the_length_of_its_path(
    tmp_path: Path, user: User, levels: int, part: str, told: str
) -> None:
    dist = site(tmp_path / "dist")
    descriptor = os.open(dist, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(part, dir_fd=descriptor)
        above, descriptor = descriptor, os.open(part, os.O_RDONLY, dir_fd=descriptor)
        os.close(above)
    os.close(os.open("x.css", os.O_CREAT, dir_fd=descriptor))
    os.close(descriptor)
    try:
        with limited_files(256):
            ended = user("deploy", dist, "--dry-run")
    finally:
        subprocess.run(["rm", "-rf", dist], check=True)  # deeper than shutil can go
    assert (ended.code, told in ended.err) == (REFUSED if told else ACCEPTED, True)


# -- what changes meanwhile ------------------------------------------------------------------


def replaced(path: Path, data: bytes) -> None:
    new = path.with_name("new.tmp")
    new.write_bytes(data)
    new.replace(path)


def linked(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/passwd")


CHANGES: dict[str, Callable[[Path], object]] = {
    "truncated": lambda path: os.truncate(path, 1000),
    "truncated to nothing": lambda path: os.truncate(path, 0),
    "grown": lambda path: path.write_bytes(path.read_bytes() + b"more"),
    "swapped": lambda path: replaced(path, os.urandom(path.stat().st_size)),
    "removed": lambda path: path.unlink(),
    "turned into a link": linked,
}


@posix
@rows("change", CHANGES)
@rows("which", ["a.bin", "m.bin", "z.bin"])
@rows("form", FORMS.values(), ids=FORMS)
def test_what_changes_while_it_is_packed_is_an_error(
    tmp_path: Path, which: str, change: str, form: Callable[[Path], Path]
) -> None:
    """A file before, at and after the one that is being read; and the archive itself."""
    folder = tmp_path / "dist"
    folder.mkdir()
    for name in ("a.bin", "m.bin", "z.bin"):
        (folder / name).write_bytes(os.urandom(200_000))
    path = form(folder)
    done: list[int] = []

    def progress(count: int) -> None:
        if not done and count > 250_000:  # in the midst of m.bin
            done.append(count)
            CHANGES[change](folder / which if path == folder else path)

    try:
        made, _ = repacked(path, progress=progress)
    except UnreadableFileError:
        made = None
    assert (made, len(done)) == (None, 1)


@posix
def test_a_file_that_is_another_only_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    folder = filled(tmp_path / "dist", "a.html", "b.html", "c.html")
    kept = tmp_path / "kept"

    def progress(count: int) -> None:
        if not kept.exists():
            (folder / "b.html").rename(kept)
            (folder / "b.html").write_text("odd.ht")
        elif count > len("a.htmlb.html"):
            kept.replace(folder / "b.html")

    with pytest.raises(UnreadableFileError, match="changed while it was packed"):
        repacked(folder, progress=progress)


@posix
def test_a_file_that_comes_while_a_folder_is_packed_is_an_error(tmp_path: Path) -> None:
    folder = filled(tmp_path, "a.html", "b.html")
    with pytest.raises(UnreadableFileError, match="changed while it was packed"):
        repacked(folder, progress=lambda *_: (folder / "c.html").touch())


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
        while seen.total() < 80 or (not seen["told"] and seen.total() < 10_000):
            try:
                data, _ = repacked(tmp_path / "dist")
            except UnreadableFileError:
                data = None
            seen["told" if data is None else "packed"] += 1
            if data is not None:
                with zipfile.ZipFile(BytesIO(data)) as archive:
                    contents = {archive.read(name) for name in archive.namelist()}
                assert contents <= {b"own", b"index.html"}, seen
    assert seen["told"]


@posix
@pytest.mark.slow
def test_a_link_that_comes_while_a_folder_is_listed_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "dist"
    filled(tmp_path / "secret", "y.js")
    told = listed = 0
    with swapped("folder", folder):
        while listed < 300 or not told:
            try:
                names = {name for name, _ in pack(folder, Publishing(), only_list=True)[0].files}
            except UnreadableFileError:
                told += 1
            else:
                assert names <= {"app", "app/x.js", "index.html"}
                listed += 1


# -- kinds -----------------------------------------------------------------------------------


@posix
@rows("kind", ["link", "link to a folder", "broken link", "pipe"])
def test_what_is_no_file_is_refused_and_can_be_named_in_the_ignore_file(
    tmp_path: Path, kind: str
) -> None:
    folder = filled(tmp_path / "dist", "index.html")
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
    data, listing = repacked(folder)
    assert data is None
    (problem,) = listing.problems
    assert problem.member == "odd"
    assert "is a link or not a regular file, which is not sent" in problem.message
    (folder / ".manifestignore").write_text("odd\n")
    assert names(folder) == ["index.html"]


@posix
def test_a_name_that_no_archive_holds_is_refused(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff.html")).write_text("")
    (tmp_path / os.fsdecode(b"\xfe")).mkdir()
    (tmp_path / os.fsdecode(b"\xfe") / "a").write_text("")
    data, listing = repacked(tmp_path)
    assert data is None
    assert [each.message for each in listing.problems] == ["has a name that is not UTF-8"] * 2


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="/\\:\0"), min_size=1, max_size=8)


@settings(max_examples=max(10, settings().max_examples // 4))  # each is a folder and two archives
@given(st.dictionaries(NAMES, st.binary(max_size=300), max_size=5))
def test_whatever_is_packed_comes_out_again_from_folder_and_archive(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, bytes]
) -> None:
    folder = tmp_path_factory.mktemp("files")
    written: dict[str, bytes] = {}
    for name, content in files.items():
        if name not in {".", "..", ".manifestignore"} and not (folder / name).exists():
            (folder / name).write_bytes(content)
            written[name] = content
    data, listing = repacked(folder)
    again, other = repacked(as_archive(folder))
    assert (data, listing.files) == (again, other.files)
    if data is not None:
        left_out = {each.name for each in listing.left_out}
        with zipfile.ZipFile(BytesIO(data)) as archive:
            read = {name: archive.read(name) for name in archive.namelist()}
        assert read == {name: written[name] for name in written if name not in left_out}
