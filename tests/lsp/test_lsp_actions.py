"""What an editor gets on request: fixes, suppressions, formatting, and what is under the cursor."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from lsprotocol.types import Position, PositionEncodingKind, Range

from client import WITH_VERSIONS, Client, Message, running
from command import EXAMPLES, GOLDEN
from in_process import manifest_here
from manifestkit.decode import decode
from manifestkit.engine.discovery import Target
from manifestkit.engine.options import Options
from manifestkit.engine.workspace import Workspace
from manifestkit.lsp.text import Text
from manifestkit.model.finding import Edit
from rows import rows

_SYNTAXES = {".json", ".yaml"}
_FIXABLE = sorted((GOLDEN / "broken").glob("*.fixed"))
_FAULTY = """\
{
  "schema_version": "1.0",
  "permissions": ["host.haptic", "host.timer", "host.timer"],
  "emoji": "𝄞", "capabilties": []
}
"""
_END = {"line": 99_999, "character": 0}
_START = {"line": 0, "character": 0}
_ALL = {"start": _START, "end": _END}


def _edited(content: str, edits: list[Message], encoding: str = "utf-16") -> str:
    """A text with the edits of a server, which are all of the text as it was."""
    text = Text(content, PositionEncodingKind(encoding))

    def position(place: Message) -> Position:
        return Position(place["line"], place["character"])

    found = [
        (text.span(Range(position(each["range"]["start"]), position(each["range"]["end"]))), each)
        for each in edits
    ]
    for (start, end), each in sorted(found, key=lambda pair: pair[0], reverse=True):
        content = content[:start] + each["newText"] + content[end:]
    return content


def _actions(client: Client, uri: str, place: Message, *only: str) -> list[Message]:
    context: Message = {"diagnostics": [], **({"only": list(only)} if only else {})}
    params = {"textDocument": {"uri": uri}, "range": place, "context": context}
    found = client.ask("textDocument/codeAction", params)
    assert isinstance(found, list)
    return found


def _edits_of(action: Message, uri: str, version: int | None = 1) -> list[Message]:
    (change,) = action["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": uri, "version": version}
    edits = change["edits"]
    assert isinstance(edits, list)
    return edits


def test_each_finding_has_its_fixes_where_it_is(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        client.start(WITH_VERSIONS)
        uri = client.open(tmp_path / "manifest.json", _FAULTY)
        shown = {each["code"]: each for each in client.published(uri)}
        place = shown["unknown-permission"]["range"]
        (fix,) = (each for each in _actions(client, uri, place) if each.get("isPreferred"))
        assert fix["kind"] == "quickfix"
        assert fix["diagnostics"] == [shown["unknown-permission"]]
        fixed = _edited(_FAULTY, _edits_of(fix, uri))
        assert fixed == _FAULTY.replace('"host.haptic"', '"host.haptics"')
        (twice,) = _actions(client, uri, shown["duplicate-item"]["range"], "quickfix")[:1]
        assert '"host.timer"]' in _edited(_FAULTY, _edits_of(twice, uri))
        nowhere = {"start": {"line": 1, "character": 3}, "end": {"line": 1, "character": 3}}
        assert _actions(client, uri, nowhere, "quickfix") == []
        assert _actions(client, uri, _ALL, "refactor") == []
        kinds = {each["kind"] for each in _actions(client, uri, _ALL)}
        assert kinds == {"quickfix", "source.fixAll.manifestkit"}


def test_quick_fixes_are_the_fixes_of_lint(tmp_path: Path) -> None:
    files = sorted(each for each in GOLDEN.rglob("*") if each.suffix in _SYNTAXES)
    fixes = 0
    workspace = Workspace(Options(isolated=True, force_exclude=True))
    with running(tmp_path) as client:
        client.start(WITH_VERSIONS)
        for number, file in enumerate(files):
            text = file.read_bytes().decode(errors="replace")
            path = tmp_path / f"{number}.manifest{file.suffix}"
            path.write_bytes(text.encode())
            target = Target(path.as_posix(), found=False)
            found = workspace.lint(target, decode(text, target.name)).findings
            expected = [
                (finding.rule, each.message, _said(text, each.edits))
                for finding in found
                for each in finding.fixes
                if each.edits
            ]
            uri = client.open(path, text)
            actions = _actions(client, uri, _ALL, "quickfix") if found else []
            offered = [
                (
                    each["diagnostics"][0]["code"],
                    each["title"][:1].lower() + each["title"][1:],
                    _edited(text, _edits_of(each, uri)),
                )
                for each in actions
                if not each["title"].startswith(("Explain ", "Suppress "))
            ]
            assert offered == expected, file.name
            fixes += len(offered)
    assert fixes > 100


def _said(text: str, edits: tuple[Edit, ...]) -> str:
    for start, end, new in reversed(edits):
        text = text[:start] + new + text[end:]
    return text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_all_fixes_at_once_are_those_of_lint_fix(tmp_path: Path, encoding: str) -> None:
    with running(tmp_path) as client:
        client.start(WITH_VERSIONS, (encoding,))
        for number, expected in enumerate(_FIXABLE):
            file = expected.with_suffix("")
            text = file.read_bytes().decode()
            uri = client.open(tmp_path / f"{number}.manifest{file.suffix}", text)
            (action,) = _actions(client, uri, _ALL, "source.fixAll")
            fixed = _edited(text, _edits_of(action, uri), encoding)
            assert fixed.encode() == expected.read_bytes(), file.name
    assert len(_FIXABLE) > 40


def test_a_client_without_versions_gets_plain_edits(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        client.start()
        uri = client.open(tmp_path / "manifest.json", _FAULTY)
        (action,) = _actions(client, uri, _ALL, "source.fixAll.manifestkit")
        fixed = _edited(_FAULTY, action["edit"]["changes"][uri])
    assert fixed.count("host.timer") == 1
    assert '"capabilities": []' in fixed


@pytest.mark.parametrize("shows_pages", [True, False])
def test_a_finding_is_explained_by_the_page_of_its_rule(tmp_path: Path, shows_pages: bool) -> None:
    page = "https://manifestkit.github.io/manifestkit/rules/duplicate-item/"
    with running(tmp_path) as client:
        client.start({"window": {"showDocument": {"support": shows_pages}}})
        uri = client.open(tmp_path / "manifest.json", _FAULTY)
        offered = {each["title"]: each for each in _actions(client, uri, _ALL, "quickfix")}
        client.ask("workspace/executeCommand", offered["Explain duplicate-item"]["command"])
        if shows_pages:
            shown = client.wait_for("window/showDocument")
            assert shown == {"uri": page, "external": True}
        else:
            shown = client.wait_for("window/showMessage")["message"]
            assert shown.startswith("A permission, capability or surface is listed twice: ")
            assert shown.endswith(page)


def _suppressed(client: Client, uri: str, rule: str) -> Message:
    found = _actions(client, uri, _ALL, "quickfix")
    (action,) = (each for each in found if each["title"].startswith(f"Suppress {rule} "))
    return action


def test_a_finding_can_be_suppressed_in_a_new_configuration(tmp_path: Path) -> None:
    path = tmp_path / "odd [name]" / "a.manifest.json"
    path.parent.mkdir()
    path.write_text('{"schema_version": "", "capabilities": []}')
    with running(tmp_path) as client:
        client.start(WITH_VERSIONS)
        uri = client.open(path, path.read_text())
        made, change = _suppressed(client, uri, "empty-text")["edit"]["documentChanges"]
    configuration = path.parent / "manifestkit.toml"
    assert (made["kind"], made["uri"]) == ("create", configuration.as_uri())
    configuration.write_text(_edited("", change["edits"]))
    report = json.loads(manifest_here("lint", "--output-format=json", str(path)).out)
    assert "empty-text" not in {each["rule"] for each in report["findings"]}
    assert report["summary"]["suppressed"] == 1


def test_a_finding_at_a_name_that_stands_for_all_cannot_be_suppressed(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    path.write_text('{"permissions": ["*", "host.camera"]}')
    with running(tmp_path) as client:
        client.start(WITH_VERSIONS)
        found = _actions(client, client.open(path, path.read_text()), _ALL, "quickfix")
    offered = [each for each in found if each["title"].startswith("Suppress unknown-permission")]
    assert [
        'pointer = "/permissions/host.camera"' in json.dumps(each["edit"]).replace("\\", "")
        for each in offered
    ] == [True]


@pytest.mark.parametrize("name", ["manifestkit.toml", "pyproject.toml"])
def test_a_finding_can_be_suppressed_in_the_nearest_configuration(
    tmp_path: Path, name: str
) -> None:
    before = '[tool.manifestkit]\nfail-on = "error"' if name == "pyproject.toml" else "ignore = []"
    (tmp_path / name).write_text(before)
    (tmp_path / "deep").mkdir()
    path = tmp_path / "deep" / "*a.manifest.yaml"
    path.write_text("schema_version: ''\n")
    with running(tmp_path) as client:
        client.start()
        uri = client.open(path, path.read_text())
        changes = _suppressed(client, uri, "empty-text")["edit"]["changes"]
    after = _edited(before, changes[(tmp_path / name).as_uri()])
    tomllib.loads(after)
    (tmp_path / name).write_text(after)
    report = json.loads(manifest_here("lint", "--output-format=json", str(path)).out)
    assert report["summary"]["suppressed"] == 1


@rows(
    ("files", "owner"),
    [
        (
            {"deep/pyproject.toml": "[tool.manifestkit-x]\n", "manifestkit.toml": "ignore = []"},
            "manifestkit.toml",
        ),
        ({"pyproject.toml": "[ tool . 'manifestkit' ]\nignore = []"}, "pyproject.toml"),
        ({"pyproject.toml": 'tool.manifestkit.fail-on = "error"'}, "pyproject.toml"),
        (
            {"manifestkit.toml": "ignore = []", "pyproject.toml": "[tool.manifestkit]"},
            "manifestkit.toml",
        ),
    ],
)
@rows("name", ["deep/a.manifest.yaml", "other/../deep/a.manifest.yaml"])
def test_a_finding_is_suppressed_in_the_configuration_that_lint_reads(
    tmp_path: Path, files: dict[str, str], owner: str, name: str
) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "other").mkdir()
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    path = tmp_path / name
    path.write_text("schema_version: ''\n")
    with running(tmp_path) as client:
        client.start()
        uri = client.open(path, path.read_text())
        changes = _suppressed(client, uri, "empty-text")["edit"]["changes"]
    assert list(changes) == [(tmp_path / owner).as_uri()]
    (tmp_path / owner).write_text(_edited(files[owner], changes[(tmp_path / owner).as_uri()]))
    report = json.loads(manifest_here("lint", "--output-format=json", str(path)).out)
    assert report["summary"]["suppressed"] == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("manifestkit.toml", "suppress = [{rule = 'version-form', path = '*', reason = 'x'}]\n"),
        ("pyproject.toml", "[tool.manifestkit]\nsuppress = []\n"),
        ("pyproject.toml", "[tool]\nmanifestkit = {ignore = []}\n"),
        ("manifestkit.toml", "ignore = []\r\nfail-on = 'error'"),
    ],
)
def test_a_suppression_leaves_a_configuration_that_can_be_read(
    tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_bytes(text.encode())
    path = tmp_path / "manifest.yaml"
    path.write_text("schema_version: ''\n")
    with running(tmp_path) as client:
        client.start()
        found = _actions(client, client.open(path, path.read_text()), _ALL, "quickfix")
    offered = [each["edit"]["changes"] for each in found if each["title"].startswith("Suppress ")]
    assert bool(offered) is ("\r" in text)
    for each in offered:
        after = _edited(text, each[(tmp_path / name).as_uri()])
        tomllib.loads(after)
        assert after.count("\n") == after.count("\r\n")


def test_a_suppression_still_matches_when_the_manifest_is_reordered(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    text: dict[str, list[Any]] = {
        "activities": [
            {"id": "a/b", "name": "A"},
            {"id": "box", "name": "", "duration_minutes": 1.5},
        ],
        "permissions": ["host.timer", "host.camera"],
    }
    (tmp_path / "manifestkit.toml").touch()
    with running(tmp_path) as client:
        client.start()
        uri = client.open(path, json.dumps(text))
        for rule in ("unknown-permission", "empty-text", "wrong-type"):
            configuration = tmp_path / "manifestkit.toml"
            changes = _suppressed(client, uri, rule)["edit"]["changes"]
            added = _edited(configuration.read_text(), changes[configuration.as_uri()])
            configuration.write_text(added)
    entries = tomllib.loads(configuration.read_text())["suppress"]
    assert [each["pointer"] for each in entries] == [
        "/permissions/host.camera",
        "/activities/box/name",
        "/activities/box/duration_minutes",
    ]
    assert {each["reason"] for each in entries} == {"why this is acceptable"}
    path.write_text(json.dumps({name: value[::-1] for name, value in text.items()}))
    report = json.loads(manifest_here("lint", "--output-format=json", str(path)).out)
    assert report["summary"]["suppressed"] == len(entries)


def test_an_item_whose_id_is_a_number_is_suppressed_and_not_the_one_at_that_index(
    tmp_path: Path,
) -> None:
    path, configuration = tmp_path / "manifest.json", tmp_path / "manifestkit.toml"
    configuration.touch()
    text = json.dumps({"activities": [{"id": "1", "name": ""}, {"id": "0", "name": "B"}]})
    with running(tmp_path) as client:
        client.start()
        uri = client.open(path, text)
        changes = _suppressed(client, uri, "empty-text")["edit"]["changes"]
    configuration.write_text(_edited("", changes[configuration.as_uri()]))
    assert (
        tomllib.loads(configuration.read_text())["suppress"][0]["pointer"] == "/activities/=1/name"
    )
    path.write_text(text.replace('"B"', '""'))
    report = json.loads(manifest_here("lint", "--output-format=json", str(path)).out)
    left = [each["pointer"] for each in report["findings"] if each["rule"] == "empty-text"]
    assert left == ["/activities/1/name"]


@pytest.mark.parametrize("suffix", [".json", ".yaml"])
def test_formatting_is_that_of_fmt(tmp_path: Path, suffix: str) -> None:
    text = (EXAMPLES / "valid" / f"breathing.activity-provider{suffix}").read_text("utf-8")
    first, *lines, last = text.replace("Breathing", "Br𝄞thing").splitlines()
    lines[0] = lines[0].replace(": ", ":   ")
    lines[-3] = lines[-3] + "  "
    odd = "\r\n".join((first, *lines, last, "", ""))
    path = tmp_path / f"a.manifest{suffix}"
    path.write_bytes(odd.encode())
    assert manifest_here("fmt", str(path)).code == 0
    with running(tmp_path) as client:
        client.start()
        uri = client.open(path, odd)
        params = {
            "textDocument": {"uri": uri},
            "options": {"tabSize": 8, "insertSpaces": False},
        }
        edits = client.ask("textDocument/formatting", params)
        formatted = _edited(odd, edits)
        assert formatted.encode() == path.read_bytes()
        assert len(edits) > 1
        client.change(uri, 2, formatted)
        assert client.ask("textDocument/formatting", params) == []
        client.change(uri, 3, "{")
        assert client.ask("textDocument/formatting", params) is None
        assert "cannot be formatted" in client.wait_for("window/logMessage")["message"]


@rows(
    ("name", "text"),
    [
        ("a.manifest.yaml", "id: a\nid: b\n"),
        ("a.manifest.yaml", "- a\n-  b\n"),
        ("manifest.json", '{"name":  "x"}\n'),
        ("manifest.json", '{"name":  "x", "scripts": {}}\n'),
    ],
)
def test_what_fmt_refuses_is_not_formatted(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with running(tmp_path) as client:
        client.start()
        params = {
            "textDocument": {"uri": client.open(path, text)},
            "options": {"tabSize": 2, "insertSpaces": True},
        }
        assert client.ask("textDocument/formatting", params) is None
        said = client.wait_for("window/showMessage")["message"]
    _, reason = said.split(" cannot be formatted: ")
    assert f": cannot be formatted: {reason}\n" in manifest_here("fmt", str(path)).err


def test_a_file_is_not_changed_on_saving_while_its_configuration_cannot_be_read(
    tmp_path: Path,
) -> None:
    """As `lint --fix` and `fmt` leave it alone: it may say that something else is right."""
    configuration = tmp_path / "manifestkit.toml"
    with running(tmp_path) as client:
        client.start(WITH_VERSIONS)
        uri = client.open(tmp_path / "manifest.json", _FAULTY)
        options = {"tabSize": 2, "insertSpaces": True}
        params = {"textDocument": {"uri": uri}, "options": options}
        for text, is_read in (("", True), ("[[suppress]\n", False), ("\n", True)):
            configuration.write_text(text)
            client.tell("workspace/didChangeWatchedFiles", {"changes": []})
            assert bool(_actions(client, uri, _ALL, "source.fixAll")) is is_read
            assert bool(client.ask("textDocument/formatting", params)) is is_read
            assert _actions(client, uri, _ALL, "quickfix")


def _at(uri: str, text: str, wanted: str) -> Message:
    """The parameters of a question about a place, by the text that begins there."""
    before = text[: text.index(wanted)].split("\n")
    place = {"line": len(before) - 1, "character": len(before[-1].encode("utf-16-le")) // 2}
    return {"textDocument": {"uri": uri}, "position": place}


@rows(
    ("wanted", "said"),
    [
        ('"schema_version"', ["Version of the manifest format", "string, required"]),
        ('"host.haptic"', ["unknown-permission", "host.haptics", "Allowed values"]),
        ('"host.timer"', ["**host.timer**", "timer"]),
        ('"emoji"', None),
    ],
)
def test_hover_says_what_is_wrong_and_what_should_be_there(
    tmp_path: Path, wanted: str, said: list[str] | None
) -> None:
    with running(tmp_path) as client:
        client.start()
        uri = client.open(tmp_path / "manifest.json", _FAULTY)
        params = _at(uri, _FAULTY, wanted)
        params["position"]["character"] += 1
        found = client.ask("textDocument/hover", params)
    if said is None:
        assert found is None
    else:
        assert [each for each in said if each not in found["contents"]["value"]] == []
        assert found["range"]["start"] == _at("", _FAULTY, wanted)["position"]


def test_hover_shows_each_character_of_a_pointer(tmp_path: Path) -> None:
    text = '{"activities": [{"duration_minutes": 5}]}'
    with running(tmp_path) as client:
        client.start()
        params = _at(client.open(tmp_path / "manifest.json", text), text, "duration")
        shown = client.ask("textDocument/hover", params)["contents"]["value"]
    assert "\n`/activities/*/duration_minutes` (Duration in minutes)" in f"\n{shown}"


def test_hover_works_in_a_text_that_is_not_finished(tmp_path: Path) -> None:
    text = '{"provider": {"id": "a",\n "version"'
    with running(tmp_path) as client:
        client.start()
        uri = client.open(tmp_path / "manifest.json", text)
        found = client.ask("textDocument/hover", _at(uri, text, "version"))
    assert "Version of the provider" in found["contents"]["value"]
