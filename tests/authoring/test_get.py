"""`manifest get`, and the places that it, `set` and `remove` take."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from command import CLEAN, EXAMPLES, FINDINGS, USAGE, Outcome
from in_process import manifest_here
from manifestkit.authoring.places import ManifestPlace
from manifestkit.decode import decode
from manifestkit.findings.words import label
from manifestkit.model.pointer import Path as Pointer
from manifestkit.model.pointer import format_pointer
from manifestkit.schema.packaged import base_schema
from manifests import JSON_VALUES
from rows import rows
from terminal import on_a_terminal

TEXT = r"""{
  "provider": {"id": "com.example.calm", "name": "Calm \"down\"\n", "version": "1.10"},
  "activities": [
    {"id": "walk", "name": "Walk", "duration_minutes": 1.50},
    {"id": "com.example.box", "name": "Box"}
  ],
  "permissions": ["host.timer", "host.haptics"],
  "capabilities": [],
  "x-numbers": [1E5, -0, 1.00000000000000000001],
  "x-odd": {"a b": {"c.d": true, "": null}}
}
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "manifest.json").write_text(TEXT, "utf-8")
    return tmp_path


@pytest.mark.usefixtures("here")
@rows(
    "name",
    [
        *("x.yaml.bak", "x.yml~", "X.YAML.orig", "x.yaml.2", "x.yaml.tmpl", "x.json.yaml.old"),
        *("x.yaml_1", "x.yaml (copy)", "x.yaml.txt"),
    ],
)
def test_a_copy_of_a_file_in_yaml_is_read_as_that(name: str, here: Path) -> None:
    lines = ["# mine", 'schema_version: "1.0"', "provider:", "  id: a.b", "  name: Calm  # mine"]
    (here / name).write_text("\n".join([*lines, ""]))
    assert manifest_here("get", "provider.name", name, cwd=here).out == "Calm\n"
    for command in (("diff", name, name), ("convert", name, "--to=json")):
        assert manifest_here(*command, cwd=here).code == CLEAN, command
    assert "Calm" in manifest_here("preview", name, "--against", name, cwd=here).out
    assert "syntax-error" not in manifest_here("lint", name, cwd=here).out
    (here / name).write_text("provider: {id: 'a}")
    assert "JSON" not in manifest_here("lint", name, cwd=here).out


@pytest.mark.usefixtures("here")
@rows("name", ["x.json.bak", "x", "x.yaml.json", "x.yaml.d/x", "x.yamls", "yaml-x.txt"])
def test_any_other_file_is_read_as_json(name: str, here: Path) -> None:
    (here / name).parent.mkdir(exist_ok=True)
    (here / name).write_text('# mine\nschema_version: "1.0"\n')
    assert manifest_here("get", "schema_version", name, cwd=here).code == FINDINGS


@pytest.mark.usefixtures("here")
@rows(
    ("place", "printed"),
    [
        ("/provider/version", "1.10"),
        ("provider.version", "1.10"),
        (".provider.version", "1.10"),
        ("$.provider.version", "1.10"),
        ("provider.name", 'Calm "down"\n'),
        ("activities[0].name", "Walk"),
        ("activities.walk.name", "Walk"),
        ("/activities/walk/name", "Walk"),
        ("/activities/com.example.box/name", "Box"),
        ("activities.0.name", "Walk"),
        ("activities[0].duration_minutes", "1.50"),
        ("permissions.host.haptics", "host.haptics"),
        ("permissions[1]", "host.haptics"),
        ("permissions", '[\n  "host.timer",\n  "host.haptics"\n]'),
        ("capabilities", "[]"),
        ("x-numbers", "[\n  1E5,\n  -0,\n  1.00000000000000000001\n]"),
        ("/x-numbers/1", "-0"),
        ('x-odd["a b"]["c.d"]', "true"),
        ('x-odd["a b"][""]', "null"),
        ("/x-odd/a b/", "null"),
    ],
)
def test_a_string_is_printed_as_it_is_and_the_rest_as_json(place: str, printed: str) -> None:
    assert manifest_here("get", place) == Outcome(CLEAN, f"{printed}\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal is a thing of POSIX")
def test_on_a_terminal_a_text_keeps_its_lines_and_no_control_character(here: Path) -> None:
    (here / "manifest.json").write_text('{"x": "a\\u001b\\nb"}', "utf-8")
    assert on_a_terminal("manifest get x", here) == "a\\x1b\nb\n"


def test_a_float_is_printed_as_one(here: Path) -> None:
    (here / "m.yaml").write_text("n: !!float 3\n", "utf-8")
    assert manifest_here("get", "n", "m.yaml") == Outcome(CLEAN, "3.0\n", "")


@pytest.mark.usefixtures("here")
def test_the_whole_manifest_is_at_the_empty_pointer() -> None:
    outcome = manifest_here("get", "")
    assert json.loads(outcome.out) == json.loads(TEXT)


def test_the_manifest_may_be_a_file_or_standard_input(here: Path) -> None:
    (here / "other.yaml").write_text("provider:\n  id: &x other\n  version: *x\n", "utf-8")
    assert manifest_here("get", "provider.version", "other.yaml").out == "other\n"
    yaml = manifest_here("get", "/provider/id", "-", cwd=here, stdin=b"# mine\nprovider: {id: in}")
    assert (yaml.code, yaml.out, yaml.err) == (CLEAN, "in\n", "")
    piped = manifest_here("get", "/provider/id", "-", cwd=here, stdin=b'{"provider": {"id": "in"}}')
    assert piped == Outcome(CLEAN, "in\n", "")


@pytest.mark.usefixtures("here")
@rows(
    ("place", "said"),
    [
        ("provider.versoin", "`provider.versoin` (did you mean `version`?)"),
        ("version", "there is no `version` (did you mean `provider.version`?)"),
        (
            "activities[2]",
            "there is no `activities[2]`; items count from 0: the last one here is `activities[1]`",
        ),
        (
            "activities[-1].name",
            "count from 0, not from the end: the last one here is `activities[1]`",
        ),
        ("activities.wlak.name", "(did you mean `walk`?)"),
        ("/activities/-", "there is no `/activities/-`"),
        ("provider[0]", "there is no `provider[0]`; `provider` has"),
        ("provider.id.x", "there is no `provider.id.x`; `provider.id` is `"),
        ("presentation", "there is no `presentation`"),
        ("activity", "there is no `activity` (did you mean `activities`?)"),
        ("#/provider", "`#/provider` is not a place: write a path such as"),
        ("provider/id", "`provider/id` is not a place"),
    ],
)
def test_where_nothing_is_a_suggestion_says_what_may_be_meant(place: str, said: str) -> None:
    outcome = manifest_here("get", place)
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert said in outcome.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1,}', "error: m.json: trailing comma"),
        ('{"a": 1, "a": 2}', "error: m.json: member `a` appears twice (line 1, column 10)"),
        ("", "error: m.json: "),
    ],
)
def test_what_cannot_be_read_is_told(here: Path, text: str, said: str) -> None:
    (here / "m.json").write_text(text, "utf-8")
    outcome = manifest_here("get", "/a", "m.json")
    assert (outcome.code, outcome.out) == (FINDINGS, "")
    assert outcome.err.startswith(said)


def _paths(value: Any, path: Pointer = ()) -> list[Pointer]:
    below: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, dict | list):
        below = value.items() if isinstance(value, dict) else enumerate(value)
    return [path, *(each for token, part in below for each in _paths(part, (*path, token)))]


@given(JSON_VALUES)
def test_every_path_that_messages_print_leads_back(value: Any) -> None:
    document = decode(json.dumps({"x": value}), "m.json").document
    for path in _paths(document.value)[1:]:
        shown = label(path).strip("`")
        if "…" not in shown and "\\" not in shown and shown.isascii():
            assert ManifestPlace.parse(document, base_schema(), shown).existing() == path
        assert ManifestPlace.parse(document, base_schema(), format_pointer(path)).existing() == path


IDS = {
    "activities": [
        {"id": "1", "name": "One"},
        {"id": "0", "name": "Zero"},
        {"id": "-", "name": "Dash"},
        {"id": "3", "name": "Three"},
        {"id": "=x", "name": "Equals"},
        {"id": "9", "name": "Nine"},
    ],
    "x": [1, 0],
}


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("activities[0].name", "One"),
        ("activities[1].name", "Zero"),
        ("/activities/3/name", "Three"),
        ("/activities/9/name", "Nine"),
        ("/activities/=x/name", "Equals"),
        ("/activities/2/name", "Dash"),
        ("/x/1", "0"),
    ],
)
def test_brackets_tell_an_index_from_an_id(here: Path, place: str, name: str) -> None:
    (here / "manifest.json").write_text(json.dumps(IDS), "utf-8")
    assert manifest_here("get", place) == Outcome(CLEAN, f"{name}\n", "")


@pytest.mark.parametrize(
    ("token", "said"),
    [
        ("1", "may be several items of `activities`: write `activities[1].name` or `activities[0"),
        ("0", "may be several items of `activities`: write `activities[0].name` or `activities[1"),
    ],
)
@pytest.mark.parametrize("command", ["get", "set", "remove"])
def test_what_may_be_an_id_or_an_index_is_refused(
    here: Path, token: str, said: str, command: str
) -> None:
    text = json.dumps(IDS)
    (here / "manifest.json").write_text(text, "utf-8")
    value = ["New"] if command == "set" else []
    for place in (f"/activities/{token}/name", f"activities.{token}.name"):
        outcome = manifest_here(command, place, *value)
        assert outcome.code == (USAGE if command == "get" else FINDINGS)
        assert said in outcome.err.replace("\n", " ")
    assert (here / "manifest.json").read_text("utf-8") == text


def test_an_activity_whose_id_looks_like_an_index_is_set_by_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    value = json.loads((EXAMPLES / "valid" / "minimal.activity-provider.json").read_bytes())
    value["activities"] = [{"id": each, "name": each} for each in ("a", "b", "c")]
    (tmp_path / "manifest.json").write_text(json.dumps(value), "utf-8")
    assert manifest_here("add", "activity", "2=Two").code == CLEAN
    before = (tmp_path / "manifest.json").read_text("utf-8")
    assert manifest_here("set", "/activities/2/name", "New").code == FINDINGS
    assert (tmp_path / "manifest.json").read_text("utf-8") == before
    assert manifest_here("set", "activities[3].name", "New").code == CLEAN
    assert manifest_here("get", "activities[3].name").out == "New\n"
    assert manifest_here("get", "activities[2].name").out == "c\n"
