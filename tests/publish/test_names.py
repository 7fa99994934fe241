"""A name that is another one elsewhere: in an archive, in a folder, and to the sandbox."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from urllib.parse import urlencode

import pytest

from hostile_zips import Entry, archive, named
from manifestkit.engine import Options
from manifestkit.publish.gate import check
from manifestkit.publish.names import name_problems
from rehearsal import DOMAIN, EMAIL, PASSWORD, Sandbox, User, site
from test_deploys import posix
from test_wire import FORM, multipart, send

ODD = {
    "manifest.json.": "ends in a dot or a space",
    "manifest.json ": "ends in a dot or a space",
    "a./b": "ends in a dot or a space",
    "...": "ends in a dot or a space",
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
    *("x" * 255, "caf\u00e9/\u0436.css", "wait\u2026.html", "-", "~", "a~b.js", "\U0001f600.png"),
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


NAMED_BADLY = [
    *(named("manifest.json."), named("con.txt"), named("A", "a"), named("a", "a/b")),
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
