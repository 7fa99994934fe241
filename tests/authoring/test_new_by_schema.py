"""`manifest new` asks what a schema demands: ours, or another one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from command import CLEAN, USAGE
from in_process import manifest_here
from manifests import SCHEMA
from test_new import ALL


@pytest.fixture
def schema_with_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a copy of ours that has more required members."""
    monkeypatch.chdir(tmp_path)
    schema = json.loads(json.dumps(SCHEMA))
    text = {"type": "string", "description": "Where users get help.", "examples": ["x@y.example"]}
    schema["properties"]["support"] = {
        "type": "object",
        "required": ["contact", "hours", "languages", "always"],
        "properties": {
            "contact": text,
            "hours": {"type": "integer", "description": "Open so long.", "examples": [8]},
            "languages": {"type": "array", "items": {"enum": ["de", "en"]}, "minItems": 1},
            "always": {"type": "boolean"},
        },
    }
    schema["properties"]["activities"]["items"]["required"].append("category")
    schema["required"].append("support")
    (tmp_path / "more.json").write_text(json.dumps(schema))
    return tmp_path


MORE = ["--schema=more.json", *ALL[:-1], "--activity=box=Box=calm"]


def test_a_new_required_member_is_asked_for_and_explained(schema_with_more: Path) -> None:
    outcome = manifest_here("new", *MORE)
    assert outcome.code == USAGE
    assert "missing: /support/contact, /support/hours, /support/languages, " in outcome.err
    explained = manifest_here("explain", "/support/contact", "--schema=more.json")
    assert "Where users get help." in explained.out
    support = {"contact": "a@b.example", "hours": 8, "languages": ["de"], "always": True}
    (schema_with_more / "answers.json").write_text(json.dumps({"support": support}))
    assert manifest_here("new", *MORE, "--from=answers.json", "own.json").code == CLEAN
    value = json.loads((schema_with_more / "own.json").read_bytes())
    assert value["support"] == support
    assert value["activities"] == [{"id": "box", "name": "Box", "category": "calm"}]


@pytest.mark.parametrize("more", [(), ("--yes",)])
def test_only_the_ways_that_give_what_is_missing_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = {"type": "string", "format": "email"}
    profile = {"required": ["support_email"], "properties": {"support_email": text}}
    (tmp_path / "host.json").write_text(json.dumps(profile))
    (tmp_path / "manifestkit.toml").write_text('profile = ["host.json"]')
    outcome = manifest_here("new", *ALL, *more)
    assert (outcome.code, outcome.err) == (
        USAGE,
        "error: missing: /support_email; answer with --from FILE\n",
    )
    (tmp_path / "answers.json").write_text('{"support_email": "a@b.example"}')
    assert manifest_here("new", *ALL, *more, "--from=answers.json").code == CLEAN


def test_a_member_that_no_option_gives_is_the_first_value_allowed(schema_with_more: Path) -> None:
    lacking = manifest_here("new", "--yes", "--dry-run").out
    (schema_with_more / "c.json").write_text(lacking)
    schema = json.loads(json.dumps(SCHEMA))
    activity = schema["properties"]["activities"]["items"]
    activity["required"].append("category")
    activity["properties"]["category"] = {"enum": ["calm", "play"]}
    (schema_with_more / "host.json").write_text(json.dumps(schema))
    fill = ["new", "c.json", "--fill", "--schema=host.json"]
    outcome = manifest_here(*fill)
    assert outcome.code == USAGE
    assert outcome.err.startswith(
        "error: missing: /activities/0/category; answer with --from FILE, or use --yes to accept"
    )
    assert manifest_here(*fill, "--yes").code == CLEAN
    filled = json.loads((schema_with_more / "c.json").read_bytes())
    assert filled["activities"][0]["category"] == "calm"


@pytest.mark.parametrize("form", ["required", "optional"])
def test_a_schema_without_end_comes_to_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.chdir(tmp_path)
    names = [f"m{number}" for number in range(20)]
    schema: dict[str, Any] = {"properties": {name: {"$ref": "#"} for name in names}}
    if form == "required":
        schema["required"] = names
    (tmp_path / "endless.json").write_text(json.dumps(schema))
    outcome = manifest_here("new", "x.json", "--schema=endless.json", "--yes")
    assert outcome.code == (USAGE if form == "required" else CLEAN)
    assert ("the manifest: " in outcome.err) == (form == "required")


def test_an_answer_of_another_type_is_refused(schema_with_more: Path) -> None:
    support = {"contact": "a", "hours": "eight", "languages": ["fr"], "always": True}
    (schema_with_more / "answers.json").write_text(json.dumps({"support": support}))
    outcome = manifest_here("new", *MORE, "--from=answers.json")
    assert outcome.code == USAGE
    assert "error: /support/hours: `support.hours` " in outcome.err
    assert "error: /support/languages/0: " in outcome.err


MEMBERS: dict[str, Any] = {
    "whole": {"type": "integer"},
    "share": {"type": "number"},
    "flag": {"type": "boolean"},
    "text": {"type": "string"},
    "either": {"type": ["integer", "string"]},
    "maybe": {"type": ["string", "null"]},
    "listed": {"enum": [1, "one", True]},
    "pair": {
        "type": "object",
        "required": ["id", "minutes"],
        "properties": {"id": {"type": "string"}, "minutes": {"type": "integer"}},
    },
}
TEXTS = [
    "1", "-0", "1.5", "true", "null", "one", "x", '"x"', "a=5", '{"id": "a", "minutes": 5}',
    '{"a": 1, "a": 2}', "[[1]]", "[" * 3_000, "1e999", "9" * 5_000, "NaN", "\udcff",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", MEMBERS)
def test_add_and_set_take_a_text_for_the_same_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    lists = {"type": "array", "items": {**MEMBERS[name], "title": "Thing"}}
    schema = {"type": "object", "properties": {"things": lists}}
    (tmp_path / "s.json").write_text(json.dumps(schema))
    (tmp_path / "manifestkit.toml").write_text('schema = "s.json"\n')
    for text in TEXTS:
        file = tmp_path / "manifest.json"
        made = []
        for arguments in (
            ["add", "thing", "--", text, file.name],
            ["set", "--", "/things/-", text, file.name],
        ):
            file.write_text("{}")
            manifest_here(*arguments)
            made.append(json.loads(file.read_text()).get("things") if file.exists() else None)
            file.unlink(missing_ok=True)
        assert made[0] == made[1], text
