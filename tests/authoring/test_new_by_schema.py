"""`manifest new` asks what a schema demands: ours, or another one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from command import CLEAN, USAGE
from in_process import manifest_here
from manifestkit.cli.commands.new import command
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
    assert "missing: --contact, --hours, --languages, --always;" in outcome.err
    helped = manifest_here("new", "--schema", "more.json", "--help").out
    assert re.search(r"--contact TEXT\s+Where users get help\.", helped)
    assert "--activity ID=NAME=CATEGORY" in helped
    explained = manifest_here("explain", "/support/contact", "--schema=more.json")
    assert "Where users get help." in explained.out
    answers = ["--contact=a@b.example", "--hours=8", "--languages=de", "--always=true"]
    assert manifest_here("new", *MORE, *answers, "own.json").code == CLEAN
    value = json.loads((schema_with_more / "own.json").read_bytes())
    assert value["support"] == {
        "contact": "a@b.example",
        "hours": 8,
        "languages": ["de"],
        "always": True,
    }
    assert value["activities"] == [{"id": "box", "name": "Box", "category": "calm"}]


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
    assert outcome.err.startswith("error: missing: /activities/0/category; answer with options or")
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


def test_escapes_of_a_schema_are_shown_and_never_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    schema = {"properties": {"a": {"type": "string", "description": "\x1b[2Jgone"}}}
    (tmp_path / "odd.json").write_text(json.dumps(schema))
    told = manifest_here("new", "--schema=odd.json", "--help").out
    assert "\x1b" not in told
    assert "gone" in told


@pytest.mark.usefixtures("schema_with_more")
def test_an_answer_of_another_type_is_refused() -> None:
    answers = ["--contact=a", "--hours=eight", "--languages=fr", "--always=true"]
    outcome = manifest_here("new", *MORE, *answers)
    assert outcome.code == USAGE
    assert "error: --hours /support/hours: `support.hours` " in outcome.err
    assert "error: --languages /support/languages/0: " in outcome.err


def test_a_member_called_like_an_option_of_the_command_has_another_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own = [name[2:] for each in command.params for name in each.opts if name[:2] == "--"]
    assert "with-schema" in own
    members = {name: {"type": "string"} for name in (*own, "help", "path")}
    Path("s.json").write_text(json.dumps({"type": "object", "properties": members}))
    told = manifest_here("new", "--schema=s.json", "--help").out.partition("Examples:")[0]
    found = re.findall(r"^ +(?:-h, )?--([a-z-]+)", told, flags=re.MULTILINE)
    assert sorted(found) == sorted(
        [*own, "help", "path", *(f"manifest-{x}" for x in own), "manifest-help"]
    )


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
def test_an_option_and_set_take_a_text_for_the_same_value(
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
            ["new", file.name, f"--thing={text}"],
            ["add", "thing", "--", text, file.name],
            ["set", "--", "/things/-", text, file.name],
        ):
            if arguments[0] != "new":
                file.write_text("{}")
            manifest_here(*arguments)
            made.append(json.loads(file.read_text()).get("things") if file.exists() else None)
            file.unlink(missing_ok=True)
        assert made[0] == made[1] == made[2], text


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ('--table={"a": 1, "a": 2}', "--table: member `a` "),
        ("--table=" + "[" * 3_000, "--table: more than 200 arrays and objects"),
        ("--share=1e999", "--share: `1e999` is larger than readers can represent"),
        ("--share=NaN", "`share`"),
    ],
)
def test_an_answer_is_refused_as_it_would_be_in_a_file(
    schema_with_more: Path, answer: str, reason: str
) -> None:
    schema = json.loads(json.dumps(SCHEMA))
    schema["properties"] |= {"table": {"type": "object"}, "share": {"type": "number"}}
    (schema_with_more / "own.json").write_text(json.dumps(schema))
    outcome = manifest_here("new", "--schema=own.json", *ALL, answer, "m.json")
    assert outcome.code == USAGE
    assert reason in outcome.err
    assert not (schema_with_more / "m.json").exists()
