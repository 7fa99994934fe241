"""What an editor shows of a file is what `manifest lint --output-format json` says of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from client import PULL, Client, Message, running
from command import EXAMPLES, GOLDEN
from in_process import manifest_here
from rows import rows

_UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
_SEVERITIES = {"error": 1, "warning": 2, "info": 3}
_SUFFIXES = {".json", ".yaml"}
_FILES = sorted(
    file for folder in (EXAMPLES, GOLDEN) for file in folder.rglob("*") if file.suffix in _SUFFIXES
)
_NOT_UTF_8 = {"latin-1.manifest.json", "utf-16.manifest.json"}
_BOM = "\ufeff"


def _as_it_is(text: str) -> str:
    return text


def _as_it_may_be(text: str) -> str:
    """The text as an editor on Windows may have it: CRLF, a byte order mark, and in each quoted
    value a character of two UTF-16 units.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")
    return _BOM + re.sub(r"[:,\[-] ?[\"'](?=\w)", r"\g<0>𝄞", lines.removeprefix(_BOM))


def _place(text: str, line: int, column: int, encoding: str) -> Message:
    """A place of the JSON form, as the protocol has it."""
    codec, width = _UNITS[encoding]
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    before = lines[line - 1].removeprefix(_BOM)[: column - 1]
    if line == 1 and text.startswith(_BOM):
        before = _BOM + before
    return {"line": line - 1, "character": len(before.encode(codec)) // width}


def _expected(finding: Any, text: str, encoding: str) -> Message:
    start = _place(text, finding["line"], finding["column"], encoding)
    end = _place(text, finding["end_line"], finding["end_column"], encoding)
    if end["line"] == start["line"] == 0 and end["character"] < start["character"]:
        end = start
    if finding["rule"] == "byte-order-mark":  # marks the mark, which is no column
        start = {"line": 0, "character": 0}
    return {
        "rule": finding["rule"],
        "severity": _SEVERITIES[finding["severity"]],
        "message": finding["message"],
        "range": {"start": start, "end": end},
        "related": [
            (
                each["message"],
                _place(text, each["line"], each["column"], encoding),
                _place(text, each["end_line"], each["end_column"], encoding),
            )
            for each in finding["related"]
        ],
    }


def _shown(diagnostic: Message) -> Message:
    return {
        "rule": diagnostic["code"],
        "severity": diagnostic["severity"],
        "message": diagnostic["message"],
        "range": diagnostic["range"],
        "related": [
            (each["message"], each["location"]["range"]["start"], each["location"]["range"]["end"])
            for each in diagnostic.get("relatedInformation", ())
        ],
    }


def _in_order(diagnostics: list[Message]) -> list[Message]:
    return sorted(diagnostics, key=lambda each: json.dumps(each, sort_keys=True))


def _linted(*arguments: str) -> dict[str, list[Any]]:
    """The findings of files by their paths."""
    report = json.loads(manifest_here("lint", "--output-format=json", *arguments).out)
    found: dict[str, list[Any]] = {}
    for finding in report["findings"]:
        found.setdefault(finding["path"], []).append(finding)
    return found


@pytest.fixture(scope="module", params=[_as_it_is, _as_it_may_be])
def texts(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Every example and golden file under a name that manifests have, and its text."""
    folder = tmp_path_factory.mktemp("manifests")
    found: dict[Path, str] = {}
    for number, file in enumerate(_FILES):
        try:
            text = request.param(file.read_bytes().decode())
        except UnicodeDecodeError:  # an editor has no text of it that is the file's
            assert file.name in _NOT_UTF_8
            continue
        path = folder / f"{number}-{file.stem}.manifest{file.suffix}"
        path.write_bytes(text.encode())
        found[path] = text
    assert len(found) == len(_FILES) - len(_NOT_UTF_8)
    return found


@pytest.fixture(scope="module")
def linted(texts: dict[Path, str]) -> dict[str, list[Any]]:
    return _linted(str(next(iter(texts)).parent))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pulls", "encoding"),
    [(False, "utf-16"), (False, "utf-8"), (True, "utf-16"), (True, "utf-8")],
    ids=["pushed, UTF-16", "pushed, UTF-8", "pulled, UTF-16", "pulled, UTF-8"],
)
def test_diagnostics_are_the_findings_of_lint(
    texts: dict[Path, str], linted: dict[str, list[Any]], encoding: str, pulls: bool
) -> None:
    with running(next(iter(texts)).parent) as client:
        capabilities = client.start(PULL if pulls else {}, (encoding,))
        assert capabilities["positionEncoding"] == encoding
        uris = [client.open(path, text) for path, text in texts.items()]
        if pulls:
            asked = [client.pull(uri) for uri in uris]
            answers = [client.answer(number)["items"] for number in asked]
        else:
            answers = [client.published(uri) for uri in uris]
        seen = 0
        for (path, text), shown in zip(texts.items(), answers, strict=True):
            expected = [_expected(each, text, encoding) for each in linted.get(str(path), ())]
            assert _in_order([_shown(each) for each in shown]) == _in_order(expected), path.name
            seen += len(shown)
        assert seen > len(texts)
        methods = {each["method"] for each in client.seen}
        assert ("textDocument/publishDiagnostics" in methods) is not pulls
        assert client.stop() == 0
    assert client.log() == ""


def test_each_names_the_page_of_its_rule_and_what_is_said_twice_is_faded(tmp_path: Path) -> None:
    text = (GOLDEN / "broken" / "duplicate-key.manifest.json").read_text()
    with running(tmp_path) as client:
        client.start()
        (shown,) = client.published(client.open(tmp_path / "manifest.json", text))
    assert shown["source"] == "manifest"
    assert shown["codeDescription"]["href"].endswith("/rules/duplicate-key/")
    assert shown["tags"] == [1]


def test_what_is_no_manifest_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "manifestkit.toml").write_text('exclude = ["old/"]\n')
    web_app = '{"manifest_version": 3, "name": "A browser extension"}'
    files = {"package.json": "{}", "manifest.json": web_app, "old/manifest.json": "{}"}
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "manifestkit.toml").write_text("{{ options }}")  # not filled in
    with running(tmp_path) as client:
        client.start()
        for name, text in files.items():
            uri = client.open(tmp_path / name, text)
            assert client.published(uri) == [], name
            position = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 1}}
            actions = {**position, "range": _whole(), "context": {"diagnostics": []}}
            assert client.ask("textDocument/codeAction", actions) is None
        assert "window/showMessage" not in {each["method"] for each in client.seen}
        assert client.published(client.open(tmp_path / "new" / "manifest.json", "{}")) != []


def _whole() -> Message:
    return {"start": {"line": 0, "character": 0}, "end": {"line": 9999, "character": 0}}


def test_of_very_many_findings_the_most_severe_are_shown(tmp_path: Path) -> None:
    names = ", ".join(f'{{"id": "", "name": {number}}}' for number in range(600))
    text = f'{{"activities": [{names}], "permissions": [], "capabilities": []}}'
    with running(tmp_path) as client:
        client.start()
        shown = client.published(client.open(tmp_path / "a.manifest.json", text))
    assert {each["severity"] for each in shown[:500]} == {1}
    assert [each.get("code") for each in shown[500:]] == [None]
    assert "more findings are not shown" in shown[500]["message"]


PROFILE = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$ref": "urn:manifestkit:activity-provider-manifest",
    "properties": {"schema_version": {"const": "7"}},
}


def test_the_configuration_and_its_profiles_hold(tmp_path: Path) -> None:
    text = (EXAMPLES / "valid" / "minimal.activity-provider.json").read_text()
    path = tmp_path / "manifest.json"
    path.write_text(text)
    (tmp_path / "host.schema.json").write_text(json.dumps(PROFILE))
    configuration = 'profile = ["host.schema.json"]\n[severity]\nschema-const = "warning"\n'
    (tmp_path / "manifestkit.toml").write_text(configuration)
    (expected,) = _linted(str(path))[str(path)]
    with running(tmp_path) as client:
        client.start()
        (shown,) = client.published(client.open(path, text))
    assert _shown(shown) == _expected(expected, text, "utf-16")
    assert (shown["code"], shown["severity"]) == ("schema-const", 2)


def _watching(client: Client) -> None:
    dynamic = {"didChangeWatchedFiles": {"dynamicRegistration": True}}
    client.start({"workspace": dynamic})
    client.wait_for("client/registerCapability")


def _changed(client: Client, file: Path) -> None:
    event = {"uri": file.as_uri(), "type": 2}
    client.tell("workspace/didChangeWatchedFiles", {"changes": [event]})


def _rules(diagnostics: list[Message]) -> set[str]:
    return {each["code"] for each in diagnostics}


def test_a_configuration_that_changes_is_followed_and_a_wrong_one_is_told(tmp_path: Path) -> None:
    configuration = tmp_path / "manifestkit.toml"
    configuration.write_text('select = ["missing-field"]\n')
    with running(tmp_path) as client:
        _watching(client)
        uri = client.open(tmp_path / "manifest.json", '{"provider": 1}')
        assert _rules(client.published(uri)) == {"missing-field"}

        configuration.write_text('select = ["wrong-type"]\n')
        del client.seen[:]
        _changed(client, configuration)
        assert _rules(client.published(uri)) == {"wrong-type"}

        configuration.write_text('select = ["wrong-typo"]\n')
        del client.seen[:]
        _changed(client, configuration)
        assert _rules(client.published(uri)) == {"wrong-type", "missing-field"}
        told = client.wait_for("window/showMessage")
        assert "unknown rule `wrong-typo`; did you mean `wrong-type`?" in told["message"]
        assert told["message"].endswith(
            "; the built-in configuration is used until it is corrected"
        )

        # The same is not told with each key.
        del client.seen[:]
        client.change(uri, 2, '{"provider": 2}')
        assert _rules(client.published(uri, 2)) == {"wrong-type", "missing-field"}
        assert [each["method"] for each in client.seen] == ["textDocument/publishDiagnostics"]

        configuration.write_text('ignore = ["wrong-type"]\n')
        client.change(uri, 3, '{"provider": 3}')
        assert _rules(client.published(uri, 3)) == {"missing-field"}


@rows(
    ("name", "content"),
    [
        ("manifestkit.toml", 'select = ["wrong-typo"]\n'),
        ("manifestkit.toml", 'profile = ["gone.schema.json"]\n'),
        ("pyproject.toml", "[tool.manifestkit]\nselect = 7\n"),
    ],
)
def test_what_is_used_is_told_when_the_configuration_is_wrong_from_the_start(
    tmp_path: Path, name: str, content: str
) -> None:
    configuration = tmp_path / name
    configuration.write_text(content)
    with running(tmp_path) as client:
        _watching(client)
        uri = client.open(tmp_path / "manifest.json", '{"provider": 1}')
        assert "wrong-type" in _rules(client.published(uri))
        told = client.wait_for("window/showMessage")["message"]
        assert told.endswith("; the built-in configuration is used until it is corrected")

        table = "[tool.manifestkit]\n" if name == "pyproject.toml" else ""
        configuration.write_text(f'{table}ignore = ["wrong-type"]\n')
        del client.seen[:]
        _changed(client, configuration)
        assert "wrong-type" not in _rules(client.published(uri))


def test_a_profile_that_changes_is_followed_whatever_it_refers_to(tmp_path: Path) -> None:
    (tmp_path / "manifestkit.toml").write_text('profile = ["host.schema.json"]\n')
    (tmp_path / "host.schema.json").write_text('{"$ref": "part.json"}')
    part = tmp_path / "part.json"
    part.write_text('{"maxProperties": 0}')
    with running(tmp_path) as client:
        _watching(client)
        uri = client.open(tmp_path / "manifest.json", '{"schema_version": "1"}')
        assert "schema-maxProperties" in _rules(client.published(uri))
        part.write_text('{"minProperties": 9}')
        del client.seen[:]
        _changed(client, part)
        assert "schema-minProperties" in _rules(client.published(uri))


def test_where_diagnostics_are_pulled_a_change_of_the_configuration_is_announced(
    tmp_path: Path,
) -> None:
    configuration = tmp_path / "manifestkit.toml"
    with running(tmp_path) as client:
        client.start(
            {
                **PULL,
                "workspace": {
                    "diagnostics": {"refreshSupport": True},
                    "didChangeWatchedFiles": {"dynamicRegistration": True},
                },
            }
        )
        uri = client.open(tmp_path / "manifest.json", '{"provider": 1}')
        assert _rules(client.pulled(uri)) == {"missing-field", "wrong-type"}
        configuration.write_text('select = ["wrong-type"]\n')
        _changed(client, configuration)
        client.wait_for("workspace/diagnostic/refresh")
        assert _rules(client.pulled(uri)) == {"wrong-type"}
        assert [each["method"] for each in client.seen].count(
            "textDocument/publishDiagnostics"
        ) == 0
