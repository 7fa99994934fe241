"""`manifest new`: from answers to a manifest that lints clean."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import manifestkit
from command import CLEAN, REPOSITORY, USAGE
from in_process import manifest_here
from manifestkit.authoring.text import Destination
from manifestkit.decode import decode
from manifestkit.model.printable import FILLERS
from manifestkit.schema.packaged import packaged_formats
from manifests import CAPABILITIES, JSON_VALUES, PERMISSIONS, SCHEMA, VALID, breakages
from rows import rows

TEXT_ANSWERS = ("id", "name", "version", "entrypoint", "sdk-version")
ALL = [
    *("--id=com.example.box", "--name=Box", "--version=1.0.0", "--entrypoint=dist/index.js"),
    *("--sdk-version=1.0", "--activity=box=Box breathing"),
]

# A surrogate is no character of a text, and what nobody sees is refused.
_characters = st.characters(
    exclude_categories=["Cc", "Cf", "Cn", "Cs", "Zl", "Zp"], exclude_characters=FILLERS
)
_AWKWARD = [
    *("no", "1.10", "2026-11-20", "~", "'", '"', "\u200d", "null"),
    *("&a", "*a", "!a", "a'b", "1e3", "a:", "#a", "a: b", "a #b", "- a", "two\nlines\n", " lead"),
]
_texts = (st.text(_characters, min_size=1, max_size=20) | st.sampled_from(_AWKWARD)).filter(
    str.strip
)


def findings(text: str, syntax: str) -> list[str]:
    return [each.rule for each in manifestkit.lint(text, name=f"manifest.{syntax}").findings]


def names_in(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def value_of(text: str, syntax: str) -> Any:
    return decode(text, f"manifest.{syntax}").document.value


@settings(max_examples=settings().max_examples // 2)
@given(
    # A line break in a path is a slip (`build\new` in JSON), and refused.
    st.fixed_dictionaries(
        dict.fromkeys(TEXT_ANSWERS, _texts)
        | {"entrypoint": _texts.filter(lambda text: not re.search("[\n\r\t]", text))}
    ),
    st.lists(
        st.tuples(_texts.filter(lambda text: "=" not in text), _texts),
        min_size=1,
        max_size=3,
        unique_by=lambda pair: pair[0],
    ),
    st.lists(st.sampled_from(PERMISSIONS), max_size=4),
    st.lists(st.sampled_from(CAPABILITIES), max_size=4),
    st.sampled_from(["json", "yaml"]),
)
@example(dict.fromkeys(TEXT_ANSWERS, "0"), [('"', '"')], [], [], "json")
def test_text_answers_and_listed_values_make_a_manifest_that_says_them(
    texts: dict[str, str],
    activities: list[tuple[str, str]],
    permissions: list[str],
    capabilities: list[str],
    syntax: str,
) -> None:
    outcome = manifest_here(
        "new",
        "--dry-run",
        f"--format={syntax}",
        *(f"--{name}={text}" for name, text in texts.items()),
        *(f"--activity={identifier}={name}" for identifier, name in activities),
        *(f"--permission={each}" for each in permissions),
        *(f"--capability={each}" for each in capabilities),
    )
    assert outcome.code == CLEAN, outcome.err
    # What a version looks like is a matter of opinion: of that there may be an info.
    assert set(findings(outcome.out, syntax)) <= {"version-form"}
    assert value_of(outcome.out, syntax) == {
        "schema_version": "1.0",
        "provider": {name: texts[name] for name in ("id", "name", "version")},
        "runtime": {"entrypoint": texts["entrypoint"], "sdk_version": texts["sdk-version"]},
        "activities": [{"id": identifier, "name": name} for identifier, name in activities],
        "permissions": list(dict.fromkeys(permissions)),
        "capabilities": list(dict.fromkeys(capabilities)),
    }


@st.composite
def _beginnings(draw: st.DrawFn) -> Any:
    """A manifest with members left out, perhaps broken, perhaps no manifest at all."""
    if draw(st.integers(0, 5)) == 0:
        return draw(st.dictionaries(st.text(max_size=5), JSON_VALUES, max_size=3))
    value = draw(VALID)
    kept = draw(st.sets(st.sampled_from(sorted(value))))
    for way in draw(st.lists(st.sampled_from(list(breakages(value))), max_size=1)):
        value = way.apply(value)
    return {name: value[name] for name in kept & value.keys()} if isinstance(value, dict) else value


_TOLD = re.compile(r"error: (?:missing: (?:--|/)|--[a-z-]+: |<stdin>(?::\d+:\d+)?: |/|the man)")


@settings(max_examples=settings().max_examples // 2)
@given(
    _beginnings(), st.booleans(), st.sampled_from(["json", "yaml"]), st.lists(_texts, max_size=2)
)
@example({"provider": 1}, True, "json", ["x"])
@example({"activities": [{}]}, True, "yaml", [])
@example({"permissions": {"a": [1e16, [[]]]}, "$schema": "x"}, True, "yaml", [])
def test_any_answers_make_a_clean_manifest_or_are_refused_with_a_place(
    value: Any, by_example: bool, syntax: str, ids: list[str]
) -> None:
    outcome = manifest_here(
        *("new", "--dry-run", "--from=-", f"--format={syntax}"),
        *(["--yes"] if by_example else []),
        *(f"--id={each}" for each in ids),
        stdin=json.dumps(value).encode(),
    )
    if outcome.code == CLEAN:
        assert set(findings(outcome.out, syntax)) <= {"version-form"}
        assert not {*value} - {*value_of(outcome.out, syntax)}
        return
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert all(_TOLD.match(line) for line in outcome.err.splitlines()), outcome.err


@given(st.binary(max_size=30) | _texts.map(str.encode))
@settings(max_examples=50)
def test_answers_that_cannot_be_read_are_refused_with_a_place(data: bytes) -> None:
    outcome = manifest_here("new", "--dry-run", "--yes", "--from=-", stdin=data)
    assert outcome.code == CLEAN or re.match(r"error: <stdin>:\d+:\d+", outcome.err), outcome.err


def test_the_examples_of_the_schema_make_a_manifest_and_are_named() -> None:
    for syntax in ("json", "yaml"):
        outcome = manifest_here(
            "new", "--yes", "--dry-run", f"--format={syntax}", "--id=com.acme.box", "--name=Box"
        )
        told = "`provider.version`, `runtime.entrypoint`, `runtime.sdk_version`, `activities`"
        assert outcome.code == CLEAN
        assert outcome.err.startswith(f"note: these values are examples: {told}; replace them")
        assert findings(outcome.out, syntax) == []


def _descriptions(schema: dict[str, Any], value: Any) -> list[str]:
    """What the schema says of each member of a value."""
    if isinstance(value, list):
        return [text for item in value for text in _descriptions(schema["items"], item)]
    if not isinstance(value, dict):
        return []
    found = []
    for name, member in value.items():
        found += [schema["properties"][name]["description"]]
        found += _descriptions(schema["properties"][name], member)
    return found


def test_yaml_says_of_each_member_what_it_is_for() -> None:
    text = manifest_here("new", "--yes", "--dry-run", "--format=yaml").out
    comments = " ".join(re.findall(r"# (.*)", text))
    said = [SCHEMA["description"], *_descriptions(SCHEMA, value_of(text, "yaml"))]
    assert len(said) == 14
    assert all(each in comments for each in said)
    assert max(map(len, text.splitlines())) <= 88


# -- files -----------------------------------------------------------------------------------


def test_a_file_named_for_the_id_is_written_and_found_by_lint(tmp_path: Path) -> None:
    outcome = manifest_here("new", *ALL, cwd=tmp_path)
    assert (outcome.code, outcome.out) == (CLEAN, "")
    assert outcome.err == (
        "note: box.activity-provider.json is written; "
        "check it with `manifest lint box.activity-provider.json`\n"
    )
    assert names_in(tmp_path) == ["box.activity-provider.json"]
    assert manifest_here("lint", cwd=tmp_path).err == "1 file checked: no problems found\n"


def test_a_name_that_no_folder_is_searched_for_is_told(tmp_path: Path) -> None:
    outcome = manifest_here("new", "walk.yml", *ALL, cwd=tmp_path)
    assert outcome.err == (
        "note: walk.yml is written; check it with `manifest lint walk.yml`; to be found in a "
        "folder, it needs a name such as `x.manifest.yml`\n"
    )


@given(st.text(max_size=80), st.sampled_from(["json", "yaml"]))
@example("..", "json")
@example("a/../../b", "json")
@example("con.é.\x1b[0m", "yaml")
def test_no_id_leads_a_file_astray(identifier: str, syntax: Any) -> None:
    place = Destination(None, "", packaged_formats().default, syntax)
    name = place.file(identifier).name
    assert re.fullmatch(r"(?:[\w-]{1,40}\.activity-provider|manifest)\.(?:json|yaml)", name)
    assert not name.startswith("-")


@rows("kind", ["file", "empty file", "link to nowhere", "folder's file"])
def test_nothing_that_is_there_is_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    (tmp_path / "app").mkdir()
    path = tmp_path / ("app/box.activity-provider.json" if kind[:3] == "fol" else "own.json")
    if kind == "link to nowhere":
        path.symlink_to(tmp_path / "nowhere")
    else:
        path.write_text("" if kind[:5] == "empty" else "mine")
    before = [(each, each.lstat().st_mtime_ns) for each in tmp_path.rglob("*")]

    monkeypatch.chdir(tmp_path)
    outcome = manifest_here("new", "app" if kind[:3] == "fol" else "own.json", *ALL)

    assert outcome.code == USAGE
    assert f"{path.relative_to(tmp_path).as_posix()} exists already" in outcome.err
    assert [(each, each.lstat().st_mtime_ns) for each in tmp_path.rglob("*")] == before


@rows(
    ("arguments", "words"),
    [
        (["gone/x.json", *ALL], "no such folder: gone"),
        (["gone/", *ALL], "gone: a manifest is JSON or YAML; name it gone.activity"),
        (["x.json", "--format=yaml", *ALL], "x.json would be read as JSON"),
        (["x.yml", "--format=json", *ALL], "x.yml would be read as YAML"),
        (["--from=gone.json"], "gone.json: no such file"),
        (["--schema=gone.json"], "gone.json: no such file"),
        ([*ALL, "--activity=rest"], "Box breathing`, not `rest`"),
        ([*ALL, "--activity=box=Box"], "/activities/1/id: "),
        ([*ALL, "--permission=host.haptic"], "/permissions/0: `host.haptic` "),
        ([*ALL, "--name= "], "/provider/name: "),
        ([*ALL, "--name="], "--name: it is empty; give it a text, or leave it out"),
        (["--permission=", "--yes"], "--permission: it is empty;"),
        (ALL[:-1], "missing: --activity ID=NAME; answer with options or with --from FILE"),
    ],
    ids=str,
)
def test_what_cannot_be_is_told_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = manifest_here("new", *arguments)
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert words in outcome.err
    assert names_in(tmp_path) == []


def test_answers_from_a_file_are_told_by_their_pointer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text('provider:\n  id: x\npermissions:\n  - "host.haptic"\n')
    outcome = manifest_here("new", "--from", "a.yaml", "--yes")
    assert outcome.code == USAGE
    assert outcome.err.startswith("error: /permissions/0: `host.haptic` is a capability")


def test_answers_that_the_format_does_not_have_are_kept_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text("bar: 1\nprovider: {name: Box, homepage: x}\n")
    outcome = manifest_here("new", "--from", "a.yaml", "--yes", "--dry-run")
    assert (outcome.code, json.loads(outcome.out)["bar"]) == (CLEAN, 1)
    assert "note: /bar: the manifest format has no `bar` here" in outcome.err
    assert "/provider/homepage: the manifest format has no `homepage` here" in outcome.err


@pytest.mark.parametrize("name", ["sub/own.json", "sub/own.yaml"])
def test_the_schema_is_written_beside_it_for_editors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    assert manifest_here("new", name, "--yes", "--with-schema").code == CLEAN
    text = (tmp_path / name).read_text("utf-8")
    found = re.search(r'(?:"\$schema": "|yaml-language-server: \$schema=)([^"\n]+)', text)
    assert found
    assert findings(text, name[-4:]) == []
    schema = (tmp_path / "sub" / found[1]).read_bytes()
    assert schema == (REPOSITORY / "schemas/activity-provider-manifest.schema.json").read_bytes()
    again = manifest_here("new", f"sub/2{name[-5:]}", "--yes", "--with-schema")
    assert again.code == CLEAN
    assert f"sub/{Path(found[1]).name} is there already, and stays" in again.err
