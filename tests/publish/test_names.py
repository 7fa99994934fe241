"""A name that is another one elsewhere: in an archive, in a folder, and to the sandbox."""

from __future__ import annotations

import shutil
import string
import struct
import subprocess
import unicodedata
from itertools import product
from pathlib import Path
from urllib.parse import urlencode

import pytest

from command import environment
from hostile_zips import Entry, archive, named
from manifestkit.engine import Options
from manifestkit.publish.gate import check
from manifestkit.publish.names import collisions, name_problems
from rehearsal import DOMAIN, EMAIL, PASSWORD, Sandbox, User, site
from test_deploys import posix
from test_wire import FORM, multipart, send
from unpackers import seen_by_command

ODD = {
    "manifest.json.": "ends in a dot or a space",
    "manifest.json ": "ends in a dot or a space",
    "a./b": "ends in a dot or a space",
    "...": "ends in a dot or a space",
    "manifest.json;1": "ends in `;`, or in `;` and digits",
    "a;": "ends in `;`, or in `;` and digits",
    ";007": "ends in `;`, or in `;` and digits",
    "a;1;2": "ends in `;`, or in `;` and digits",
    "a;1/b": "ends in `;`, or in `;` and digits",
    "#U00e9.js": "has `#U` or `#L` and digits",
    "a/x#L01f600/b": "has `#U` or `#L` and digits",
    " a": "starts with a space",
    "manifest.json::$DATA": "which Windows does not allow",
    "what?.html": "which Windows does not allow",
    'a"b': "which Windows does not allow",
    "a<b": "which Windows does not allow",
    "a|b": "which Windows does not allow",
    "a*b": "which Windows does not allow",
    "con": "name of a Windows device",
    "CON.txt": "name of a Windows device",
    "a/nul.tar.gz": "name of a Windows device",
    "aux .txt": "name of a Windows device",
    "Com1": "name of a Windows device",
    "com\u00b9.log": "name of a Windows device",
    "lpt9": "name of a Windows device",
    "CONIN$": "name of a Windows device",
    "conout$.txt": "name of a Windows device",
    "x" * 256: "more than 255 bytes",
    "\u00e9" * 128: "more than 255 bytes",
    "/".join(["x" * 250] * 5): "more than 1,024 bytes",
    "manife~1.jso": "like a short name",
    "e\u0301.html": "separate letters and accents",
    "a\uff0fb": "read as a slash or as dots",
    "a/\u2024\u2025/b": "read as a slash or as dots",
    "\u2025": "read as a slash or as dots",
    "a\nb": "cannot be shown",
    "a\u202eb": "cannot be shown",
    **{
        f"a{letter}.js": "cannot be shown"
        for letter in "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"
    },
    "\ufe0f": "cannot be shown",
    "a/\u180b\U000e0100/b": "cannot be shown",
    "a\\b": "has a backslash",
}
USUAL = [
    *("index.html", ".well-known/x", "a b (1).txt", "[id].js", "vendors~main.js", "@x/y+z=.js"),
    *(
        "console.js",
        "com10.txt",
        "auxiliary",
        "nul-modem.md",
        "\u00e9l\u00e8ve.html",
        "\u65e5\u672c\uff1f.html",
    ),
    *("a;b.js", "a;1.js", "a;1b", ";a", "c#.md", "#Usage.md", "a#U12.js", "#L10.txt"),
    *("x" * 255, "caf\u00e9/\u0436.css", "wait\u2026.html", "-", "~", "a~b.js", "\U0001f600.png"),
    *("\u2764\ufe0f.png", "1\ufe0f\u20e3.js", "\u845b\U000e0100\u57ce.html", "\u1820\u180b.txt"),
]


def told_of_archive(data: bytes, folder: Path) -> list[str]:
    path = folder / "site.zip"
    path.write_bytes(data)
    with check(path, Options(isolated=True)) as checked:
        return [each.message for each in checked.problems]


@pytest.mark.parametrize("name", ODD)
def test_the_gate_refuses_a_name_that_is_another_one_elsewhere(tmp_path: Path, name: str) -> None:
    assert any(ODD[name] in each for each in told_of_archive(named(name), tmp_path))


@posix
@pytest.mark.parametrize("name", [each for each in ODD if len(each.encode()) < 256])
def test_packing_names_such_a_file_before_anything_is_sent(
    tmp_path: Path, running: Sandbox, user: User, name: str
) -> None:
    folder = site(tmp_path / "dist")
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("odd")
    with check(folder, Options(isolated=True)) as checked:
        (problem,) = checked.problems
    assert ODD[name] in problem.message
    assert "rename it, or list it in .manifestignore" in problem.message
    assert user.deploy(folder).code == 1
    assert running.archives == []


@posix
def test_a_name_of_a_folder_is_told_once(tmp_path: Path) -> None:
    folder = site(tmp_path / "dist")
    (folder / "aux").mkdir()
    for number in range(3):
        (folder / "aux" / f"{number}.js").write_text("")
    with check(folder, Options(isolated=True)) as checked:
        assert [each.member for each in checked.problems] == ["aux"]


@pytest.mark.parametrize("pair", [("\ufb01.txt", "fi.txt"), ("\u2460", "1"), ("\u212a", "k")])
def test_names_that_are_one_where_likeness_does_not_count_are_refused(
    tmp_path: Path, pair: tuple[str, str]
) -> None:
    assert any("have the same name" in each for each in told_of_archive(named(*pair), tmp_path))


@pytest.mark.parametrize(
    "pair",
    [
        *(("index.js", f"index.js{each}") for each in "\ufe00\ufe0f\u180b\u180f\U000e0100\u3164"),
        *(("manifest.json", "manifest\u034f.json"), ("a/b.js", "a\ufe0f/c.js")),
        *(("\u2764.png", "\u2764\ufe0f.png"), ("x\ufe0f", "x/y"), ("X", "x\ufe0f")),
    ],
)
def test_names_that_differ_in_what_nobody_sees_are_refused(
    tmp_path: Path, pair: tuple[str, str]
) -> None:
    told = " ".join(told_of_archive(named(*pair), tmp_path))
    assert "or invisible characters are ignored" in told or "where `x\ufe0f` is a file" in told


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js here")
def test_what_nobody_sees_is_what_unicode_says_can_be_ignored() -> None:
    script = r"""
        for (let code = 0x80; code < 0x110000; code++) {
          const isHalf = code >= 0xd800 && code < 0xe000;
          const letter = String.fromCodePoint(code);
          if (!isHalf && /\p{Default_Ignorable_Code_Point}/u.test(letter)) console.log(code);
        }"""
    said = subprocess.run(["node", "-e", script], capture_output=True, check=True).stdout
    unseen = {chr(int(code)) for code in said.split()}
    assert len(unseen) > 4_000
    for letter in unseen:
        assert list(collisions(["index.js", f"index{letter}.js"])), hex(ord(letter))
    others = (chr(code) for code in range(0x80, 0x110000, 17))
    for letter in others:
        if letter not in unseen:
            assert not list(collisions(["index.js", f"index{letter}.js"])), hex(ord(letter))


def test_whatever_becomes_a_slash_by_likeness_is_refused() -> None:
    likely = [
        letter
        for letter in map(chr, range(0x80, 0x110000))
        if letter.isprintable() and set("/\\") & set(unicodedata.normalize("NFKC", letter))
    ]
    assert likely
    assert all(any("as a slash" in each for each in name_problems(f"a{it}b")) for it in likely)


@pytest.mark.parametrize("name", USUAL)
def test_a_usual_name_passes(tmp_path: Path, name: str) -> None:
    told = told_of_archive(named(name), tmp_path)
    assert not any("name" in each and "manifest" not in each for each in told), told


@pytest.mark.skipif(shutil.which("unzip") is None, reason="no unzip here")
def test_no_character_of_a_name_that_passes_is_lost_on_unzip(tmp_path: Path) -> None:
    forms = ("{}", "{}{}", "a{}", "a{}1", "a{}{}", "a{}b", "{}a", "{}1", "a{}1/b", "a{}/b", "a/{}2")
    letters = [*string.punctuation.replace("/", " "), *"a1\xa0\xb2\xe9\u0131\u037e\u0663\uff1b"]
    written = {
        f"{number}/{form.replace('{}', letter)}"
        for number, (letter, form) in enumerate(product(letters, forms))
    }
    sound = {name for name in written if not any(name_problems(name))}
    assert len(sound) > len(written) / 2
    path = tmp_path / "site.zip"
    path.write_bytes(named(*sorted(sound)))
    seen = seen_by_command("unzip", path, tmp_path / "unpacked")
    assert seen.error is None
    assert seen.files.keys() - {"manifest.json"} == sound


@pytest.mark.skipif(shutil.which("unzip") is None, reason="no unzip here")
def test_no_name_that_passes_is_the_name_of_another_for_unzip_without_utf_8(tmp_path: Path) -> None:
    letters = "\xe9\u0416\u65e5\U0001f600"
    escapes = (form.format(ord(each)) for each in letters for form in ("#U{:04x}", "#L{:06x}"))
    names = [f"{each}.js" for each in (*letters, *escapes)]
    sound = [name for name in names if not any(name_problems(name))]
    time = struct.pack("<HHBL", 0x5455, 5, 1, 1_700_000_000)
    path, unpacked = tmp_path / "site.zip", tmp_path / "unpacked"
    path.write_bytes(archive([Entry(name.encode(), extra=time) for name in sound]))
    command = ["unzip", "-qq", str(path), "-d", str(unpacked)]
    subprocess.run(command, env=environment(LC_ALL="C"), stdin=subprocess.DEVNULL, check=True)
    seen = {each.name for each in unpacked.iterdir()} - {"manifest.json"}
    assert (len(seen), "#U00e9.js" in seen) == (len(sound), True)


NAMED_BADLY = [
    *(
        named("manifest.json."),
        named("manifest.json;1"),
        named("con.txt"),
        named("A", "a"),
        named("a", "a/b"),
    ),
    archive([Entry("\xe9.txt".encode(), flags=0)]),
    archive([Entry(b"\xff", flags=0)]),
]


@pytest.mark.parametrize("data", NAMED_BADLY)
def test_the_sandbox_refuses_what_the_gate_refuses_for_its_names(
    tmp_path: Path, running: Sandbox, data: bytes
) -> None:
    login = urlencode({"email": EMAIL, "password": PASSWORD}).encode()
    token = send(running, "/cli/login", login, "application/x-www-form-urlencoded")[1]["token"]
    body = multipart(("domain", DOMAIN.encode()), ("token", token.encode()), ("archive", data))
    status, value = send(running, "/v2/cli/deploy", body, FORM)
    assert (status, value["error"]["code"]) == (422, "invalid_archive")
    assert value["error"]["message"].split(maxsplit=1)[1] in told_of_archive(data, tmp_path)


@posix
def test_a_page_whose_name_is_not_ascii_is_served(
    tmp_path: Path, running: Sandbox, user: User
) -> None:
    folder = site(tmp_path / "dist", **{"\xe9l\xe8ve.html": b"page"})
    assert user.deploy(folder).code == 0
    assert running.page("/%C3%A9l%C3%A8ve.html") == (200, b"page")
