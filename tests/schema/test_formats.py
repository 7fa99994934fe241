"""The table of formats: another version of the manifest, or another manifest, is data.

A second version stands in the table of the package (a copy of it), or in a configuration: by both
ways the commands follow, and manifests of the first version are judged as before.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pre_commit.clientlib import load_manifest  # type: ignore[import-untyped]

from command import CLEAN, EXAMPLES, FINDINGS, REPOSITORY, USAGE, Outcome, environment, package_in
from in_process import manifest_here
from manifestkit import Options, lint_paths
from manifestkit.schema.formats import Format
from manifestkit.schema.packaged import packaged_formats
from rows import rows

SCHEMAS = REPOSITORY / "schemas"
TABLE = json.loads((SCHEMAS / "formats.json").read_text("utf-8"))
FIRST = json.loads((SCHEMAS / "activity-provider-manifest.schema.json").read_text("utf-8"))
ONE: dict[str, Any] = FIRST["examples"][0]


def second() -> dict[str, Any]:
    """Version 2.0: a provider has a page for support, and there is one more permission."""
    schema: dict[str, Any] = json.loads(json.dumps(FIRST))
    schema["$id"] += "-2"
    version = schema["properties"]["schema_version"]
    version |= {"x-manifestkit": {"starter": "2.0"}, "pattern": r"^2\.", "examples": ["2.0"]}
    provider = schema["properties"]["provider"]
    provider["required"].append("support_url")
    page = {"description": "Where people get help.", "type": "string"}
    page["examples"] = ["https://example.org/help"]  # type: ignore[assignment]
    provider["properties"] = {"support_url": page, **provider["properties"]}
    schema["$defs"]["permission"]["enum"].append("host.lights")
    schema["$defs"]["permission"]["markdownEnumDescriptions"].append("Use the host's lights.")
    return schema


TWO: dict[str, Any] = {
    **ONE,
    "schema_version": "2.0",
    "provider": {"support_url": "https://example.org/help", **ONE["provider"]},
    "permissions": ["host.lights"],
}
Run = Callable[..., Outcome]


def write(file: Path, value: Any) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(value if isinstance(value, str) else json.dumps(value, indent=2) + "\n")
    return file


_COMMANDS = """
import json, sys
from in_process import manifest_here

for line in sys.stdin:
    words, folder, env = json.loads(line)
    outcome = manifest_here(*words, cwd=folder, env=env)
    print(json.dumps([outcome.code, outcome.out, outcome.err]), flush=True)
"""


@pytest.fixture(scope="module")
def packaged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Runs commands of a copy of the package whose table has a row more, beside a schema more."""
    root = tmp_path_factory.mktemp("package")
    schemas = package_in(root) / "schemas"
    write(schemas / "second.schema.json", second())
    row = {**TABLE["formats"][0], "id": "second", "schema": "second.schema.json"}
    row["says"] = {"schema_version": "2.*"}
    write(schemas / "formats.json", {**TABLE, "formats": [*TABLE["formats"], row]})
    path = os.pathsep.join([str(root), str(REPOSITORY / "tests")])
    with subprocess.Popen(
        [sys.executable, "-c", _COMMANDS],
        env=environment(PYTHONPATH=path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:

        def run(*words: str, env: dict[str, str] | None = None) -> Outcome:
            assert process.stdin
            assert process.stdout
            process.stdin.write(f"{json.dumps([words, str(Path.cwd()), env])}\n")
            process.stdin.flush()
            return Outcome(*json.loads(process.stdout.readline()))

        yield run


@pytest.fixture(params=["packaged", "configured"])
def run(
    request: pytest.FixtureRequest,
    packaged: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    """Runs the command in a folder for which there are two versions."""
    monkeypatch.chdir(tmp_path)
    if request.param == "packaged":
        return packaged
    write(tmp_path / "schemas" / "second.schema.json", second())
    write(
        tmp_path / "manifestkit.toml",
        '[[format]]\nschema = "schemas/second.schema.json"\n'
        'files = ["manifest.json", "*.activity-provider.json"]\n'
        'says = { schema_version = "2.*" }\n',
    )
    return manifest_here


def rules(outcome: Outcome) -> list[str]:
    return [f"{each['rule']} {each['pointer']}" for each in json.loads(outcome.out)["findings"]]


# -- a second version --------------------------------------------------------------------------


def test_each_manifest_is_judged_by_the_version_that_it_says(run: Run, tmp_path: Path) -> None:
    bad_one = write(
        tmp_path / "one.activity-provider.json", {**ONE, "permissions": ["host.lights"]}
    )
    bad_two = write(tmp_path / "two.activity-provider.json", {**TWO, "provider": ONE["provider"]})
    write(tmp_path / "a" / "manifest.json", ONE)
    write(tmp_path / "b" / "manifest.json", TWO)
    as_json = ("--output-format", "json")
    assert rules(run("lint", bad_one.name, *as_json)) == ["unknown-permission /permissions/0"]
    assert rules(run("lint", bad_two.name, *as_json)) == ["missing-field /provider"]
    both = run("lint", "a", "b")
    assert (both.code, both.err) == (CLEAN, "2 files checked: no problems found\n")


@pytest.mark.parametrize("version", ["1.0", "1.9", "v1", "3.0", 2, None])
def test_what_says_no_other_version_is_judged_by_the_first(
    run: Run, tmp_path: Path, version: Any
) -> None:
    value = {**TWO, "schema_version": version}
    write(tmp_path / "manifest.json", value)
    expected = lint_paths(tmp_path / "manifest.json", Options(isolated=True))
    outcome = run("lint", "manifest.json", "--output-format", "json")
    assert rules(outcome) == [f"{each.rule} {each.pointer}" for each in expected.findings]
    assert "unknown-permission /permissions/0" in rules(outcome)


def test_members_and_values_are_explained_by_the_version_that_has_them(run: Run) -> None:
    assert "Where people get help." in run("explain", "/provider/support_url").out
    assert "Use the host's lights." in run("explain", "host.lights").out
    assert '"1.0"' in run("explain", "/schema_version").out
    assert '"2.0"' in run("explain", "/schema_version", "--of", "second").out


def test_a_new_manifest_is_of_the_version_that_is_named(run: Run, tmp_path: Path) -> None:
    made = run("new", "a.activity-provider.json", "--of", "second", "--yes")
    assert made.code == CLEAN, made.err
    written = json.loads((tmp_path / "a.activity-provider.json").read_text())
    assert written["schema_version"] == "2.0"
    assert written["provider"]["support_url"] == "https://example.org/help"
    assert '"schema_version": "1.0"' in run("new", "--yes", "--dry-run").out
    wrong = run("new", "--of", "secnd", "--yes")
    assert (wrong.code, "`second`" in wrong.err) == (USAGE, True)


def test_a_manifest_gets_what_its_version_wants(run: Run, tmp_path: Path) -> None:
    file = write(tmp_path / "manifest.json", {**TWO, "provider": ONE["provider"]})
    write(tmp_path / "more.json", {"provider": {"support_url": "https://example.org"}})
    filled = run("new", "manifest.json", "--fill", "--from", "more.json")
    assert filled.code == CLEAN, filled.err
    assert json.loads(file.read_text())["provider"]["support_url"] == "https://example.org"


def test_members_stand_in_the_order_of_the_version(run: Run, tmp_path: Path) -> None:
    provider = dict(reversed(TWO["provider"].items()))
    file = write(tmp_path / "manifest.json", {**TWO, "provider": provider})
    assert run("fmt", "manifest.json").code == CLEAN
    assert list(json.loads(file.read_text())["provider"]) == [
        *("support_url", "id", "name", "version")
    ]


def test_a_manifest_is_edited_by_its_version(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "one.activity-provider.json", ONE)
    write(tmp_path / "two.activity-provider.json", {**TWO, "permissions": []})
    add = ("add", "permission", "host.lights")
    assert run(*add, "two.activity-provider.json").code == CLEAN
    refused = run(*add, "one.activity-provider.json")
    assert (refused.code, "`host.lights` is not a permission" in refused.err) == (FINDINGS, True)


def test_a_shell_completes_what_either_version_has(run: Run) -> None:
    for words in ("explain host.l", "add permission host.l"):
        asked = {
            "_MANIFEST_COMPLETE": "bash_complete",
            "COMP_WORDS": f"manifest {words}",
            "COMP_CWORD": str(len(words.split())),
        }
        assert "host.lights" in run(env=asked).out


def test_the_schema_of_a_version_is_printed(run: Run) -> None:
    assert json.loads(run("schema", "--of", "second").out) == second()
    assert json.loads(run("schema").out) == FIRST


def test_every_example_of_the_first_version_is_judged_as_before(tmp_path: Path) -> None:
    names = [
        each.name
        for folder in ("broken", "valid")
        for each in (EXAMPLES / folder).iterdir()
        if each.suffix in {".json", ".yaml"}
        for _ in [shutil.copy(each, tmp_path / each.name)]
    ]
    files = [tmp_path / name for name in names]
    before = lint_paths(files, Options(isolated=True))
    write(tmp_path / "second.schema.json", second())
    row = '[[format]]\nschema = "second.schema.json"\nfiles = ["*.json", "*.yaml"]\n'
    write(tmp_path / "manifestkit.toml", row + 'says = { schema_version = "2.*" }\n')
    assert before.findings
    assert lint_paths(files).findings == before.findings


# -- a manifest of one's own -------------------------------------------------------------------

ROBOT: dict[str, Any] = {
    "title": "Robot",
    "description": "What walks.",
    "type": "object",
    "required": ["name", "legs"],
    "properties": {
        "name": {"type": "string", "x-manifestkit": {"identifier": "name"}},
        "legs": {"type": "integer", "description": "What it walks on.", "examples": [4]},
        "gait": {"enum": ["trot", "amble"]},
    },
    "additionalProperties": False,
}
ROW = '[[format]]\nschema = "robot.schema.json"\nfiles = ["*.robot.json", "*.robot.yaml"]\n'


@pytest.fixture
def robots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "robot.schema.json", ROBOT)
    write(tmp_path / "manifestkit.toml", ROW)
    return tmp_path


def test_manifests_of_ones_own_are_found_and_judged_beside_ours(robots: Path) -> None:
    write(robots / "manifest.json", ONE)
    write(robots / "lab" / "spot.robot.json", {"name": "Spot", "legs": "4", "gait": "Trot"})
    outcome = manifest_here("lint", "--output-format", "json")
    assert outcome.code == FINDINGS
    assert rules(outcome) == ["wrong-type /legs", "schema-enum /gait"]
    assert json.loads(outcome.out)["summary"]["files"] == 2
    fixed = manifest_here("lint", "--fix", "--exit-zero")
    assert "2 fixed" in fixed.err
    assert json.loads((robots / "lab" / "spot.robot.json").read_text()) == {
        "name": "Spot",
        "legs": 4,
        "gait": "trot",
    }


def test_a_profile_is_for_manifests_of_ours_only(robots: Path) -> None:
    write(robots / "host.json", {"required": ["host"]})
    write(robots / "spot.robot.json", {"name": "Spot", "legs": 4})
    write(robots / "manifest.json", ONE)
    outcome = manifest_here("lint", "--profile", "host.json", "--output-format", "json")
    assert [each["path"] for each in json.loads(outcome.out)["findings"]] == ["manifest.json"]


def test_a_schema_on_the_command_line_is_for_all(robots: Path) -> None:
    write(robots / "other.json", {"required": ["wings"]})
    write(robots / "spot.robot.json", {"name": "Spot", "legs": 4})
    outcome = manifest_here("lint", "spot.robot.json", "--schema", "other.json")
    assert "`wings`" in outcome.out


def test_all_commands_know_a_manifest_of_ones_own(robots: Path) -> None:
    write(robots / "answers.json", {"name": "Spot", "legs": 4})
    made = manifest_here("new", "spot.robot.yaml", "--from", "answers.json")
    assert made.code == CLEAN, made.err
    text = (robots / "spot.robot.yaml").read_text()
    assert "# What it walks on.\nlegs: 4\n" in text
    assert manifest_here("set", "/legs", "6").code == CLEAN
    assert "legs: 6" in (robots / "spot.robot.yaml").read_text()
    assert "What it walks on." in manifest_here("explain", "/legs").out
    assert manifest_here("fmt", "--check").code == CLEAN
    assert json.loads(manifest_here("schema", "--of", "robot").out) == ROBOT
    unnamed = manifest_here("new", "--of", "robot", "--dry-run", "--from", "answers.json")
    assert json.loads(unnamed.out) == {"name": "Spot", "legs": 4}


def test_a_file_that_is_configured_is_never_taken_for_something_else(robots: Path) -> None:
    write(robots / "app.robot.json", {"manifest_version": 3})
    write(robots / "app.manifest.json", {"manifest_version": 3})
    outcome = manifest_here("lint", "--output-format", "json")
    assert {each["path"] for each in json.loads(outcome.out)["findings"]} == {"app.robot.json"}
    assert json.loads(outcome.out)["summary"]["skipped"] == 1


def test_each_folder_finds_what_is_configured_for_it(robots: Path) -> None:
    write(
        robots / "walkers" / "manifestkit.toml",
        ROW.replace("*.robot", "*.walker").replace('"robot.s', '"../robot.s'),
    )
    write(robots / "walkers" / "a.walker.json", {"name": "A", "legs": 4})
    write(robots / "walkers" / "a.robot.json", {"name": "A", "legs": 4})
    write(robots / "a.walker.json", {"name": "A", "legs": 4})
    write(robots / "broken" / "pyproject.toml", "[tool")
    write(robots / "b.robot.json", {"name": "B", "legs": 4})
    shown = manifest_here("lint", "--show-files").out.splitlines()
    assert shown == ["b.robot.json", "walkers/a.walker.json"]
    isolated = manifest_here("lint", "--show-files", "--isolated")
    assert isolated.out == ""


@pytest.mark.parametrize("name", ["manifestkit.toml", "pyproject.toml"])
@pytest.mark.parametrize("folder", ["", "lab"])
def test_a_broken_configuration_hides_no_manifest_that_it_names(
    robots: Path, name: str, folder: str
) -> None:
    (robots / "manifestkit.toml").unlink()
    write(robots / folder / "spot.robot.json", {"name": "Spot"})
    table = (
        ROW if name == "manifestkit.toml" else ROW.replace("[format", "[tool.manifestkit.format")
    )
    write(robots / folder / name, table.replace("files", "file"))
    outcome = manifest_here("lint")
    assert (outcome.code, "did you mean `files`?" in outcome.err) == (USAGE, True)


@pytest.mark.parametrize(
    "text",
    [
        "[[ tool . 'manifestkit'.format ]]\nfile = []",
        "[tool]\nmanifestkit = {formats = 1}",
        "tool.manifestkit.formats = 1",
        "[tool.manifestkit]\nb = = 2",
    ],
)
def test_a_broken_configuration_hides_no_manifest_however_it_is_written(
    robots: Path, text: str
) -> None:
    (robots / "manifestkit.toml").unlink()
    write(robots / "spot.robot.json", {"name": "Spot"})
    write(robots / "pyproject.toml", text)
    outcome = manifest_here("lint")
    assert (outcome.code, outcome.err.startswith("error: pyproject.toml:")) == (USAGE, True)
    assert "no manifest" not in outcome.err


def test_a_broken_configuration_is_told_below_a_file_of_other_tools(robots: Path) -> None:
    write(robots / "lab" / "spot.robot.json", {"name": "Spot"})
    write(robots / "lab" / "pyproject.toml", "[tool.other]\na = 1\n")
    write(robots / "manifestkit.toml", ROW.replace("files", "file"))
    outcome = manifest_here("lint", "lab")
    assert (outcome.code, "did you mean `files`?" in outcome.err) == (USAGE, True)


def test_a_broken_file_of_other_tools_is_left_alone(robots: Path) -> None:
    write(robots / "lab" / "pyproject.toml", "[tool]\nb = = 2")
    outcome = manifest_here("lint")
    assert "pyproject.toml" not in outcome.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[format]]\nfiles = ["*.x"]', "has no `schema`"),
        ('[[format]]\nschema = "robot.schema.json"', "has no `files`"),
        (f'{ROW}file = ["a"]', "did you mean `files`?"),
        (ROW.replace('["*.robot.json", "*.robot.yaml"]', "[]"), "`format[0].files`"),
        (ROW.replace("*.robot.json", "[ab].json"), "`[ab].json` is not a file pattern"),
        (ROW.replace("*.robot.json", "**.json"), "`**.json` is not a file pattern"),
        (ROW.replace("*.robot.json", "/a.json"), "`/a.json` is not a file pattern"),
        (ROW.replace("*.robot.json", "./*.json"), "`./*.json` is not a file pattern"),
        (ROW.replace("*.robot.json", "a/*.json"), "`a/*.json` is not a file pattern"),
        (f'{ROW}id = "A B"', '`A B` is not a valid format id; write `id = "a-b"`'),
        (f"{ROW}says = {{ kind = 1 }}", "must be a string"),
        (f"{ROW}{ROW}", "another format has the id `robot`; give each format its own `id`"),
        (f'{ROW}id = "activity-provider-manifest"', "another format has the id"),
        ("format = 1", "`format` must be an array"),
        ('[[formats]]\nschema = "a"', "did you mean `format`?"),
    ],
)
def test_a_row_that_is_wrong_is_told(robots: Path, text: str, said: str) -> None:
    write(robots / "manifestkit.toml", text)
    write(robots / "manifest.json", ONE)
    outcome = manifest_here("lint", "manifest.json")
    assert outcome.code == USAGE
    assert re.search(r"manifestkit\.toml(:\d+)?: ", outcome.err)
    assert said in outcome.err


def test_the_example_of_the_documentation_does_what_it_says(robots: Path) -> None:
    page = (REPOSITORY / "docs" / "configuration.md").read_text("utf-8")
    part = page.split("\n## Your own formats\n")[1].split("\n## ")[0]
    (text,) = re.findall(r"```toml\n(.*?)```", part, re.DOTALL)
    write(robots / "manifestkit.toml", text)
    write(robots / "schemas" / "robot.schema.json", ROBOT)
    write(robots / "schemas" / "manifest-2.schema.json", second())
    write(robots / "fleet" / "north" / "robot.json", {"name": "N"})
    write(robots / "spot.robot.json", {"name": "Spot"})
    write(robots / "manifest.json", {**TWO, "provider": ONE["provider"]})
    outcome = manifest_here("lint", "--output-format", "json")
    found = {(each["path"], each["property"]) for each in json.loads(outcome.out)["findings"]}
    assert found == {
        ("fleet/north/robot.json", "legs"),
        ("manifest.json", "support_url"),
        ("spot.robot.json", "legs"),
    }


# -- the table and its patterns ----------------------------------------------------------------


def test_the_table_is_one_by_its_own_schema() -> None:
    schema = json.loads((SCHEMAS / "formats.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    assert [error.message for error in Draft202012Validator(schema).iter_errors(TABLE)] == []
    for row in TABLE["formats"]:
        assert (SCHEMAS / row["schema"]).is_file()


_HOOK = load_manifest(REPOSITORY / ".pre-commit-hooks.yaml")[0]["files"]
_PIECES = ["manifest", ".", "activity-provider", "json", "yaml", "yml", "x", "-", "/", "jso", "\n"]


@given(st.lists(st.sampled_from(_PIECES), max_size=7).map("".join))
@example("a/manifest.json")
@example(".manifest.json")
@example(".x.manifest.yml")
@example("x.activity-provider.yaml")
def test_the_hook_is_given_what_the_table_names(path: str) -> None:
    name = path.rpartition("/")[2]
    if "\n" not in path:
        finds = packaged_formats().finder()
        assert finds(name) == (re.search(_HOOK, path) is not None)


@rows(
    ("pattern", "good", "bad"),
    [
        ("*.robot.json", "a.robot.json d/a.b.robot.json .x.robot.json", ".robot.json arobot.json"),
        ("robot.json", "robot.json a/ROBOT.json", "xrobot.json robot.json5"),
        ("robot*.json", "robot.json robot-2.json", "a-robot.json"),
        ("r?.json", "r2.json", "r.json r22.json"),
        ("a*b*c.json", "abc.json a-b-b-c.json", "acb.json"),
    ],
)
def test_a_pattern_names_files(pattern: str, good: str, bad: str, tmp_path: Path) -> None:
    row = Format("x", "x.json", (pattern,), folder=str(tmp_path))
    names = [*good.split(), *bad.split()]
    assert [each for each in names if row.has_name(f"{tmp_path}/{each}")] == good.split()


@rows(
    ("pattern", "good", "bad"),
    [
        ("2.*", ["2.0", "2.1/x", "2."], ["2", "12.0", "3.0"]),
        ("https://x/v?/*", ["https://x/v2/a/b"], ["https://x/v22/a", "https://X/v2/a"]),
        ("robot", ["robot"], ["robots", "Robot", "", 1, None, ["robot"]]),
    ],
)
def test_a_document_says_what_it_is(pattern: str, good: list[Any], bad: list[Any]) -> None:
    row = Format("x", "x.json", ("x",), says={"kind": pattern})
    assert [each for each in [*good, *bad] if row.is_declared_by({"kind": each})] == good
    silent: list[Any] = [{}, [], "robot", None]
    assert not any(map(row.is_declared_by, silent))


def test_a_pattern_of_many_stars_takes_no_time() -> None:
    row = Format("x", "x.json", ("*a" * 40 + "b",))
    start = time.process_time()
    assert not row.has_name("a" * 255)
    assert time.process_time() - start < 0.5


# -- no word of a format in Python -------------------------------------------------------------

_GENERATED = REPOSITORY / "src" / "manifestkit" / "types.py"
_CODE = sorted({*(REPOSITORY / "src").rglob("*.py")} - {_GENERATED})
_PARTS = FIRST["properties"]
_WORDS = {
    *_PARTS,
    *(name for part in _PARTS.values() for name in part.get("properties", {})),
    *_PARTS["activities"]["items"]["properties"],
    *(value for each in FIRST["$defs"].values() for value in each["enum"]),
} - {"id", "name", "version"}
_SAYING = {"_page_table", "epilog", "manifest_command", "option", "part"}
"""Functions whose positional arguments are texts for people, of a command or of a page."""


def _texts(tree: ast.AST) -> Iterator[str]:
    """The texts that code works with: all but docstrings and what a command says of itself."""
    said = {
        id(part)
        for node in ast.walk(tree)
        for each in (
            [node]
            if isinstance(node, ast.Expr)
            else node.args
            if isinstance(node, ast.Call) and ast.unparse(node.func) in _SAYING
            else [
                keyword.value
                for keyword in getattr(node, "keywords", ())
                if keyword.arg in ("epilog", "help")
            ]
        )
        for part in ast.walk(each)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.value


@pytest.mark.slow
def test_no_word_of_the_manifest_stands_in_python() -> None:
    own = re.compile("|".join(rf"(?<![\w.]){re.escape(each)}(?![\w.])" for each in _WORDS))
    found = {
        f"{file.name}: {text}"
        for file in _CODE
        for text in _texts(ast.parse(file.read_text("utf-8")))
        if own.search(text) or "activity-provider" in text
    }
    assert found == set()
