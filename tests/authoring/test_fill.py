"""`manifest new --fill`: what is missing is added, and every other byte stays."""

from __future__ import annotations

import codecs
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import manifestkit
from command import CLEAN, EXAMPLES, USAGE, Outcome
from in_process import manifest_here
from manifestkit.decode import decode
from manifests import SCHEMA, VALID
from skips import posix
from yaml_texts import Emitter

MINIMAL = (EXAMPLES / "valid" / "minimal.activity-provider.json").read_text("utf-8")


_EMPTY = re.compile(r"[ \t]*(?:\{\s*\}|\[\s*\])")


@st.composite
def _lacking(draw: st.DrawFn) -> tuple[Any, str, str]:
    """A manifest with required members left out, as JSON or YAML in any style."""
    value = draw(VALID)
    for name in draw(st.sets(st.sampled_from(SCHEMA["required"]), max_size=3)):
        del value[name]
    for name in ("provider", "runtime"):
        for member in draw(st.sets(st.sampled_from(SCHEMA["properties"][name]["required"]))):
            value.get(name, {}).pop(member, None)
    if draw(st.booleans()):
        indent = draw(st.sampled_from([None, 1, 2, "\t"]))
        return value, "json", json.dumps(value, indent=indent) + draw(st.sampled_from(["", "\n"]))
    return value, "yaml", Emitter(draw).document(value)


def _contains(after: Any, before: Any) -> bool:
    if isinstance(before, dict):
        return all(name in after and _contains(after[name], before[name]) for name in before)
    if isinstance(before, list):
        return len(after) == len(before) and all(map(_contains, after, before))
    return repr(after) == repr(before)


def _is_within(part: bytes, whole: bytes) -> bool:
    left = iter(whole)
    return all(byte in left for byte in part)


@settings(max_examples=settings().max_examples // 3)
@given(_lacking())
@example(({}, "json", "{}"))
@example(({"provider": {}}, "yaml", "# mine\nprovider: {} # here\n"))
def test_what_is_missing_is_added_and_nothing_else_changes(
    tmp_path_factory: pytest.TempPathFactory, lacking: tuple[Any, str, str]
) -> None:
    value, syntax, text = lacking
    file = tmp_path_factory.mktemp("fill") / f"manifest.{syntax}"
    file.write_bytes(text.encode())
    before = manifestkit.lint(text, file.name)

    outcome = manifest_here("new", str(file), "--fill", "--yes")

    after = file.read_bytes()
    is_there = any(each.rule == "missing-field" and each.fixes for each in before.findings)
    assert outcome.code == USAGE or not is_there
    if outcome.code == USAGE:  # there by another name, or YAML that cannot be edited safely
        assert syntax == "yaml" or is_there, outcome.err
        assert after == text.encode()
        return
    assert _contains(decode(after, file.name).document.value, value)
    assert _is_within(_EMPTY.sub("", text).encode(), after)
    left = {(each.rule, each.pointer) for each in manifestkit.lint(after, file.name).findings}
    assert "missing-field" not in {rule for rule, _ in left}
    assert left <= {(each.rule, each.pointer) for each in before.findings}
    again = manifest_here("new", str(file), "--fill", "--yes")
    assert again.code == CLEAN
    assert file.read_bytes() == after


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_members_go_where_the_schema_has_their_place(folder: Path) -> None:
    lacking = json.loads(MINIMAL)
    del lacking["runtime"], lacking["permissions"]
    (folder / "m.json").write_text(json.dumps(lacking, indent=2))
    outcome = manifest_here(*("new", "m.json", "--fill", "--entrypoint=a.js", "--sdk-version=1.0"))
    assert outcome == Outcome(
        CLEAN,
        "",
        "note: m.json is written; check it with `manifest lint m.json`; to be found in a folder, "
        "it needs a name such as `x.manifest.json`\n",
    )
    filled = json.loads((folder / "m.json").read_bytes())
    assert list(filled) == SCHEMA["required"]
    assert filled["runtime"] == {"entrypoint": "a.js", "sdk_version": "1.0"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["m.json", "--id=x", "--version=1"],
            'm.json: not changed: `provider.id` is `"com.example.minimal"` already; change it',
        ),
        (
            ["m.json", "--version=1", "--activity=other=Other"],
            "already; add another item with `manifest add`, or change it with `manifest set`",
        ),
        pytest.param(
            ["pipe.json", "--yes"], "pipe.json: is a pipe: copy it into a file", marks=posix
        ),
        (["m.json"], "missing: --version;"),
        (["m.json", "--version= "], "/provider/version: "),
        (["m.json", "--format=yaml"], "--format"),
        (["gone.json", "--yes"], "gone.json: no such file"),
        (["broken.json", "--yes"], "broken.json: not changed: "),
        (["list.json", "--yes"], "list.json: not changed: the manifest is `[]` already"),
        (
            ["alias.yaml", "--yes"],
            "alias.yaml: not changed: it has the anchor `&p` (line 1, column 11); write each",
        ),
        (["--yes"], "--fill needs the PATH"),
    ],
    ids=str,
)
def test_what_cannot_be_filled_is_told_and_stays(
    folder: Path, arguments: list[str], words: str
) -> None:
    lacking = json.loads(MINIMAL)
    del lacking["provider"]["version"]
    (folder / "m.json").write_text(json.dumps(lacking))
    (folder / "broken.json").write_text("{,}")
    (folder / "list.json").write_text("[]")
    (folder / "alias.yaml").write_text('provider: &p\n  id: a.b\n  version: "1.0"\nother: *p\n')
    before = {each: each.read_bytes() for each in folder.iterdir()}
    if hasattr(os, "mkfifo"):
        os.mkfifo("pipe.json")
    outcome = manifest_here("new", "--fill", *arguments)
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert words in outcome.err
    assert {each: each.read_bytes() for each in folder.iterdir() if each.is_file()} == before


@pytest.mark.parametrize("content", [b"", b" \n", codecs.BOM_UTF8, codecs.BOM_UTF8 + b"\n"])
def test_a_file_with_nothing_in_it_is_filled(folder: Path, content: bytes) -> None:
    (folder / "m.json").write_bytes(content)
    assert manifest_here("new", "--fill", "m.json", "--yes").code == CLEAN
    assert manifest_here("lint", "m.json").code == CLEAN


_ID = '"provider": {"id": "com.example.a"'


@pytest.mark.parametrize("options", [[], ["--yes"], ["--yes", "--dry-run"]])
@pytest.mark.parametrize(
    ("name", "text", "message", "fix"),
    [
        ("m.json", f'{{{_ID}, "versoin": "2.3"}}}}', "`versoin` looks like a misspelling", "--fix"),
        ("m.yaml", "provider:\n  versoin: 2.3.0\n", "`versoin` looks like a misspelling", "--fix"),
        ("m.yaml", "activiteis:\n  - id: a\n", "`activiteis` looks like a misspelling", "--fix"),
        ("m.json", '{"activities": [{"id": "a", "nmae": "b"}]}', "`nmae` looks like", "--fix"),
        (
            "m.json",
            f'{{{_ID}}}, "version": "2.3"}}',
            "`version` belongs in `provider`, not at the top level",
            "--fix --unsafe-fixes",
        ),
    ],
    ids=str,
)
def test_nothing_is_added_beside_a_misspelt_or_misplaced_member_that_is_meant(
    folder: Path, name: str, text: str, message: str, fix: str, options: list[str]
) -> None:
    (folder / name).write_text(text)
    outcome = manifest_here("new", "--fill", name, *options)
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert message in outcome.err
    assert (folder / name).read_text() == text
    manifest_here("lint", *fix.split(), name)
    assert manifest_here("new", "--fill", name, "--yes").code == CLEAN
    filled = (folder / name).read_text()
    assert manifest_here("lint", name).code == CLEAN, filled
    meant = re.findall(r"2\.3|\bb\b", text)
    assert all(each in filled for each in meant)


@pytest.mark.parametrize("answered", ["from", "option"])
@pytest.mark.parametrize("arguments", [["m.json", "--fill"], ["new.json"]], ids=str)
def test_no_example_takes_the_place_of_a_misspelt_answer(
    folder: Path, arguments: list[str], answered: str
) -> None:
    (folder / "m.json").write_text("{}")
    item = '{"id": "a", "nmae": "b"}'
    (folder / "answers.json").write_text(f'{{"activities": [{item}]}}')
    answers = ["--from=answers.json"] if answered == "from" else [f"--activity={item}"]
    outcome = manifest_here("new", *arguments, *answers, "--yes")
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert "/activities/0: `activities[0]` has no `name`" in outcome.err
    assert (folder / "m.json").read_text() == "{}"
    assert not (folder / "new.json").exists()


def test_an_answer_that_a_manifest_has_otherwise_is_refused(folder: Path) -> None:
    answers = {"activities": [{"id": "rest", "name": "Rest"}]}
    (folder / "m.json").write_text(MINIMAL)
    (folder / "answers.json").write_text(json.dumps(answers))
    outcome = manifest_here("new", "m.json", "--fill", "--from=answers.json")
    assert outcome.code == USAGE
    assert "`activities[0].id` is `" in outcome.err
    assert (folder / "m.json").read_text() == MINIMAL


def test_a_rehearsal_prints_and_a_full_manifest_is_left_alone(folder: Path) -> None:
    (folder / "m.json").write_text("{}")
    outcome = manifest_here("new", "m.json", "--fill", "--yes", "--dry-run")
    assert manifestkit.lint(outcome.out, "m.json").findings == ()
    assert (folder / "m.json").read_text() == "{}"
    (folder / "m.json").write_text(MINIMAL)
    outcome = manifest_here("new", "m.json", "--fill")
    assert outcome == Outcome(CLEAN, "", "note: no member is missing\n")
    assert (folder / "m.json").read_text() == MINIMAL
