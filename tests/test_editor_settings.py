"""`manifest editor`: settings of editors, and a person's settings merged with them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from command import CLEAN, REPOSITORY, USAGE, Outcome
from in_process import manifest_here
from manifestkit.authoring.editors import SERVER_SETTINGS, Association, merged_into_vscode
from manifestkit.model.errors import ConfigurationError, EditRefusedError
from manifestkit.schema.packaged import packaged_formats

OURS = "./.vscode/activity-provider-manifest.schema.json"
ENTRY = {"fileMatch": ["*.activity-provider.json"], "url": OURS}
GLOBS = ["*.activity-provider.yaml", "*.activity-provider.yml"]
KNOWN = [Association(OURS, ("*.activity-provider.json", *GLOBS))]
EDITORS_PAGE = (REPOSITORY / "docs" / "editors.md").read_text("utf-8")
SCHEMA_FILE = REPOSITORY / "schemas" / "activity-provider-manifest.schema.json"

_values = st.recursive(
    st.none() | st.integers(0, 99) | st.text('ab"\\/,}] *{é\n', max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("ab/,", max_size=4), inner, max_size=3)
    ),
    max_leaves=5,
)
_patterns = st.sampled_from(["own", *GLOBS, "*.activity-provider.json"])
_schemas = {
    "json.schemas": st.lists(
        st.builds(lambda globs: {"fileMatch": globs, "url": OURS}, st.lists(_patterns, max_size=2))
        | st.just({"url": OURS})
        | _values,
        max_size=3,
    ),
    "yaml.schemas": st.dictionaries(st.text("ab", max_size=3), _values, max_size=3)
    | st.builds(lambda globs: {OURS: globs}, st.lists(_patterns, max_size=3) | _patterns),
}
_settings = st.tuples(
    st.dictionaries(st.text("ab/", max_size=4), _values, max_size=3),
    st.fixed_dictionaries({}, optional=_schemas),
).map(lambda pair: {**pair[0], **pair[1]})


class Writer:
    """Writes a value as JSON, in a style drawn anew."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._break = draw(st.sampled_from(["\n", "\r\n"]))
        self._unit = draw(st.sampled_from(["  ", "\t", ""]))

    def text(self, value: Any) -> str:
        bom = self._draw(st.sampled_from(["", "\ufeff"]))
        return f"{bom}{self._gap()}{''.join(self._parts(value, self._break))}{self._gap()}"

    def _parts(self, value: Any, line_break: str) -> Iterator[str]:
        if not isinstance(value, dict | list):
            yield json.dumps(value, ensure_ascii=self._draw(st.booleans()))
            return
        breaks = self._draw(st.booleans())
        inner = line_break + self._unit if breaks else ""
        yield "{" if isinstance(value, dict) else "["
        names: list[Any] = list(value) if isinstance(value, dict) else [None] * len(value)
        entries = value.values() if isinstance(value, dict) else value
        for index, (name, each) in enumerate(zip(names, entries, strict=True)):
            yield inner + self._gap()
            if name is not None:
                yield f"{json.dumps(name)}{self._gap()}:{self._gap()}"
            yield from self._parts(each, inner or line_break)
            yield self._gap() + ("," if index < len(value) - 1 else "")
        yield (line_break if breaks else "") + self._gap()
        yield "}" if isinstance(value, dict) else "]"

    def _gap(self) -> str:
        return self._draw(st.sampled_from(["", "", "", " ", "\t", self._break]))


@st.composite
def _written(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    value = draw(_settings)
    return value, Writer(draw).text(value)


def _intended(value: dict[str, Any]) -> dict[str, Any]:
    entries = list(value.get("json.schemas", []))
    ours = [i for i, e in enumerate(entries) if isinstance(e, dict) and e.get("url") == OURS]
    if ours:
        globs = entries[ours[0]].get("fileMatch", [])
        entries[ours[0]] = {**entries[ours[0]], "fileMatch": _joined(globs, ENTRY["fileMatch"])}
    else:
        entries.append(ENTRY)
    schemas = dict(value.get("yaml.schemas", {}))
    schemas[OURS] = _joined(schemas.get(OURS, []), GLOBS)
    return {**value, "json.schemas": entries, "yaml.schemas": schemas}


def _joined(globs: list[str] | str, ours: Any) -> list[str]:
    given = [globs] if isinstance(globs, str) else globs
    return [*given, *(each for each in ours if each not in given)]


def _is_within(part: str, whole: str) -> bool:
    left = iter(whole)
    return all(character in left for character in part)


@given(_written())
@example(({}, ""))
@example(({}, "\ufeff \n"))
def test_settings_are_merged_and_no_other_character_is_touched(
    written: tuple[dict[str, Any], str],
) -> None:
    value, text = written
    merged = merged_into_vscode("settings.json", text, KNOWN)
    assert json.loads(merged.removeprefix("\ufeff")) == _intended(value)
    assert _is_within("".join(text.lstrip("\ufeff").split()), merged)
    assert merged_into_vscode("settings.json", merged, KNOWN) == merged


@pytest.mark.parametrize(
    "text",
    ['{\n  "a": tru\n}', "{// one\n}", "// nothing yet\n", '{"a": 1,}', '"\\' * 100_000, "/* "],
    ids=lambda text: text[:20],
)
def test_settings_that_are_no_plain_json_are_not_touched(text: str) -> None:
    with pytest.raises(EditRefusedError, match="line"):
        merged_into_vscode("settings.json", text, KNOWN)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "settings.json:1:1: settings must be an object"),
        ('{"json.schemas": {}}', "settings.json:1:18: `json.schemas` is an array"),
        (
            json.dumps({"yaml.schemas": {OURS: 1}}),
            "settings.json:1:71: patterns of files are a list",
        ),
        ('{"yaml.schemas": []}', "settings.json:1:18: `yaml.schemas` is an object"),
    ],
)
def test_settings_that_cannot_be_merged_are_told_with_the_place(text: str, words: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        merged_into_vscode("settings.json", text, KNOWN)
    assert str(raised.value).startswith(words)


# -- the command -----------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


MINE = '{\n\t"editor.insertSpaces": true,\n\t"a": []\n}\n'
COMMENTED = '{\n    // tabs are for tables\n    "editor.insertSpaces": true, // yes\n}\n'


def test_write_merges_shows_the_difference_and_brings_the_schema(workspace: Path) -> None:
    folder = workspace / ".vscode"
    folder.mkdir()
    (folder / "settings.json").write_text(MINE)
    outcome = manifest_here("editor", "vscode", "--write")
    assert outcome.code == CLEAN
    added = [line[1:] for line in outcome.out.splitlines() if line[0] == "+" and line[1] != "+"]
    removed = [line for line in outcome.out.splitlines()[2:] if line.startswith("-")]
    assert removed == ['-\t"a": []']
    lines = MINE.splitlines()
    written = (folder / "settings.json").read_text().splitlines()
    assert written == [*lines[:2], *added, lines[-1]]
    assert (folder / "activity-provider-manifest.schema.json").read_bytes() == (
        SCHEMA_FILE.read_bytes()
    )
    again = manifest_here("editor", "vscode", "--write")
    assert again == Outcome(CLEAN, "", "note: .vscode/settings.json already has the schema\n")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (COMMENTED, "--write needs plain JSON: JSON has no comments (line 2, column 5);"),
        (
            '{"a": 1, /* b */ "c": 2}\n',
            "--write needs plain JSON: JSON has no comments (line 1, column 10);",
        ),
        ('{"a": [1, 2,],\n}\n', "--write needs plain JSON: "),
        ('{"a": \n', "--write needs plain JSON: "),
        ("a: 1\n", "--write needs plain JSON: "),
        ('{"a": 1, "a": 2}\n', "member `a` appears twice (line 1, column 10); "),
    ],
)
def test_settings_with_comments_are_left_to_their_author(
    workspace: Path, content: str, why: str
) -> None:
    (workspace / ".vscode").mkdir()
    settings = workspace / ".vscode" / "settings.json"
    settings.write_text(content)
    outcome = manifest_here("editor", "vscode", "--write")
    assert outcome.code == USAGE
    assert outcome.out == manifest_here("editor", "vscode", "--schema").out
    assert f".vscode/settings.json is unchanged: {why}" in outcome.err
    assert "YAML" not in outcome.err
    assert "manifest in" not in outcome.err
    assert outcome.err.endswith("; add the printed members to its object\n")
    assert settings.read_text() == content
    assert [each.name for each in (workspace / ".vscode").iterdir()] == ["settings.json"]


def test_without_settings_they_are_what_is_printed(workspace: Path) -> None:
    printed = manifest_here("editor", "vscode", "--schema").out
    assert not (workspace / ".vscode").exists()
    assert manifest_here("editor", "vscode", "--write").code == CLEAN
    written = (workspace / ".vscode" / "settings.json").read_text()
    assert json.loads(written) == json.loads(printed)


def test_settings_that_cannot_be_read_stay_as_they_are(workspace: Path) -> None:
    (workspace / ".vscode").mkdir()
    settings = workspace / ".vscode" / "settings.json"
    settings.write_bytes(b'{"a": "\xff"}')
    outcome = manifest_here("editor", "vscode", "--write")
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert "is not UTF-8" in outcome.err
    assert settings.read_bytes() == b'{"a": "\xff"}'
    assert [each.name for each in (workspace / ".vscode").iterdir()] == ["settings.json"]


def test_what_is_printed_for_helix_is_toml_that_names_the_schema(workspace: Path) -> None:
    servers = tomllib.loads(manifest_here("editor", "helix", "--schema").out)["language-server"]
    uri = (workspace / "activity-provider-manifest.schema.json").as_uri()
    assert servers["vscode-json-language-server"]["config"]["json"]["schemas"] == [
        {"fileMatch": ["*.activity-provider.json", "manifest.json", "*.manifest.json"], "url": uri}
    ]
    assert servers["yaml-language-server"]["config"]["yaml"]["schemas"] == {
        uri: [*GLOBS, "manifest.yaml", "manifest.yml", "*.manifest.yaml", "*.manifest.yml"]
    }


def test_write_is_refused_where_it_cannot_be() -> None:
    outcome = manifest_here("editor", "neovim", "--write")
    assert outcome.code == USAGE
    assert "--write works only for vscode" in outcome.err


def test_what_is_printed_for_each_editor_starts_the_server() -> None:
    for name in SERVER_SETTINGS:
        outcome = manifest_here("editor", name)
        # An editor that runs the command reads both streams as the settings.
        assert (outcome.code, outcome.err) == (CLEAN, "")
        assert f"| `manifest editor {name}` | `" in EDITORS_PAGE
        words = [each.strip('",[]{}() ') for each in outcome.out.split()]
        assert "manifest" in words
        assert "lsp" in words
    servers = tomllib.loads(manifest_here("editor", "helix").out)
    assert servers["language-server"]["manifestkit"] == {"command": "manifest", "args": ["lsp"]}
    for name in ("vscode", "zed"):
        assert json.loads(manifest_here("editor", name).out)


def test_another_editor_is_told_what_to_start() -> None:
    outcome = manifest_here("editor", "vim")
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert "for another one, start `manifest lsp`" in outcome.err


def test_the_schema_alone_is_for_editors_with_servers_of_their_own() -> None:
    outcome = manifest_here("editor", "zed", "--schema")
    assert outcome.code == USAGE
    assert "--schema is for vscode, neovim, helix" in outcome.err


@pytest.mark.parametrize("editor", ["vscode", "neovim", "helix"])
@pytest.mark.usefixtures("workspace")
def test_the_settings_cover_every_name_that_lint_looks_for(editor: str) -> None:
    said = manifest_here("editor", editor, "--schema").out
    for pattern in packaged_formats().default.patterns:
        assert f'"{pattern}"' in said
