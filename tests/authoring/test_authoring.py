"""`manifest add`, `set` and `remove`, as a user runs them."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from command import CLEAN, FINDINGS, REPOSITORY, USAGE, Outcome
from in_process import manifest_here
from manifestkit.authoring.edit import EditRequest, edit
from manifestkit.cli.main import app
from manifestkit.decode import decode
from manifestkit.engine.discovery import Target
from manifestkit.engine.options import Options
from manifestkit.engine.workspace import Workspace
from manifestkit.model.errors import AuthoringError, EditRefusedError, ManifestkitError
from manifestkit.model.pointer import Path as Pointer
from manifestkit.model.pointer import format_pointer
from manifestkit.rendering.diff import diff
from rows import rows
from samples import VALID

GOOD = VALID.decode()
DONE = ("Added ", "Removed ", "Set ")
_THERE = (
    "; the manifest has `schema_version`, `provider`, `runtime`, `activities`, "
    "`permissions` and `capabilities`"
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with one manifest."""
    (tmp_path / "manifest.json").write_bytes(VALID)
    (tmp_path / "extension").mkdir()
    (tmp_path / "extension" / "manifest.json").write_text('{"manifest_version": 3}')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Outcome:
    outcome = CliRunner().invoke(app, arguments, standalone_mode=False)
    if isinstance(outcome.exception, click.UsageError):
        return Outcome(USAGE, outcome.stdout, outcome.exception.format_message())
    if isinstance(outcome.exception, ManifestkitError):
        return Outcome(USAGE, outcome.stdout, str(outcome.exception))
    assert outcome.exception is None
    return Outcome(outcome.return_value, outcome.stdout, outcome.stderr)


def now(folder: Path) -> dict[str, object]:
    value: dict[str, object] = json.loads((folder / "manifest.json").read_bytes())
    return value


def test_the_one_manifest_of_the_folder_is_changed(here: Path) -> None:
    outcome = run("add", "permission", "host.timer")
    assert outcome.err == "Added `host.timer` to `permissions` in manifest.json\n"
    assert now(here) == {**json.loads(VALID), "permissions": ["host.timer"]}
    assert (here / "extension" / "manifest.json").read_text() == '{"manifest_version": 3}'


@pytest.mark.parametrize(
    ("arguments", "path", "value"),
    [
        (["set", "/provider/version", "1.10"], ["provider", "version"], "1.10"),
        (["set", "/activities/0/duration_minutes", "5"], ["activities", 0, "duration_minutes"], 5),
        (["set", "/activities/0/surfaces", '["tv"]'], ["activities", 0, "surfaces"], ["tv"]),
        (["set", "/presentation/thumbnail", "a.png"], ["presentation"], {"thumbnail": "a.png"}),
        (["set", "/permissions/-", "host.timer"], ["permissions"], ["host.timer"]),
        (["set", "/activities/0/surfaces/-", "tv"], ["activities", 0, "surfaces"], ["tv"]),
        (["set", "/activities/-", '{"id": "a", "name": "A"}'], ["activities", 1, "id"], "a"),
        (["set", "/x-a/-/0", "1"], ["x-a"], {"-": {"0": 1}}),
        (["set", "/x-a", '{"y": 1.50}'], ["x-a"], {"y": 1.5}),
        (["add", "activity", "a=B=C"], ["activities", 1], {"id": "a", "name": "B=C"}),
        (["add", "activity", "a = B"], ["activities", 1], {"id": "a", "name": "B"}),
        (["add", "capability", "host.haptic"], ["capabilities"], ["host.haptic"]),
    ],
)
def test_a_value_is_read_as_the_schema_wants_it(
    here: Path, arguments: list[str], path: list[str | int], value: object
) -> None:
    (here / "manifest.json").write_text(GOOD.replace('["activity.start"]', "[]"))
    assert run(*arguments).err.startswith(DONE)
    found: object = now(here)
    for token in path:
        found = found[token]  # type: ignore[index]
    assert found == value


@pytest.mark.parametrize("place", ["$schema", "/$schema"])
def test_the_schema_for_editors_is_set_without_quotes_or_force(here: Path, place: str) -> None:
    (here / "own.schema.json").write_text("{}")
    assert run("set", place, "./own.schema.json").err.startswith("Set `$schema` to ")
    assert next(iter(now(here).items())) == ("$schema", "./own.schema.json")
    assert run("get", place).out == "./own.schema.json\n"
    assert "editor" in run("explain", place).out
    assert run("remove", place).code == CLEAN
    assert now(here) == json.loads(VALID)


@pytest.mark.usefixtures("here")
def test_an_own_member_may_have_the_name_of_another_elsewhere() -> None:
    assert run("set", "x-author", '"Me"').code == CLEAN
    assert run("set", "provider.x-author", '"Me"').err.startswith("Set `provider.x-author`")


def test_a_number_is_written_in_yaml_as_every_reader_takes_it(here: Path) -> None:
    name = "m.yaml"
    (here / name).write_bytes(VALID)
    assert run("set", "/x-a", "1e22", name).code == CLEAN
    assert "1.0e+22" in (here / name).read_text()
    assert "yaml-ambiguous" not in run("lint", name).out


@pytest.mark.parametrize(
    "arguments",
    [
        ["add", "permission", "host.timer"],
        ["add", "activity", "calm=Calm down"],
        ["set", "/provider/name", "A new name"],
        ["set", "/activities/calm/duration_minutes", "7"],
        ["add", "permission", "host.timer", "host.haptics"],
    ],
)
def test_what_is_so_already_is_left_alone(here: Path, arguments: list[str]) -> None:
    run("add", "activity", "calm=Calm down")
    run(*arguments)
    before = (here / "manifest.json").read_bytes()
    outcome = run(*arguments)
    assert outcome.code == CLEAN
    assert "already" in outcome.err or "Nothing to remove" in outcome.err
    assert (here / "manifest.json").read_bytes() == before


def test_an_item_is_there_already_only_if_each_of_its_values_is_the_same(here: Path) -> None:
    file, values = here / "manifest.json", ["true", "1", "1.0", "0", "-0.0"]
    for there, added in product(["", *(f', "x": {each}' for each in values)], repeat=2):
        item = '{"id": "calm", "name": "Calm"%s}'
        file.write_bytes(
            VALID.replace(b'"activities": [', b'"activities": [%s, ' % (item % there).encode())
        )
        outcome = run("add", "activity", item % (added or ', "x": null'), "--force")
        assert ("already" in outcome.err) == (there == added != ""), (there, added, outcome.err)


@pytest.mark.parametrize(
    ("value", "pointer", "new", "code"),
    [
        ({"permissions": None}, "/permissions", "5", FINDINGS),
        ({"permissions": None}, "/permissions", '["host.tim"]', FINDINGS),
        ({"permissions": ["host.tim"]}, "/permissions", "[]", CLEAN),
        ({"provider": {"name": "Box"}}, "/provider/id", "com.example.box", CLEAN),
        ({"provider": {}}, "/provider", '{"id": "com.example.box"}', CLEAN),
        ({"provider": {}}, "/provider", '{"id": 5}', FINDINGS),
        ({"runtime": None}, "/runtime/entrypoint", "a.js", CLEAN),
        ({"runtime": None}, "/runtime", '{"entrypoint": 5}', FINDINGS),
    ],
)
def test_a_value_is_refused_whatever_was_wrong_before_in_its_place(
    here: Path, value: dict[str, object], pointer: str, new: str, code: int
) -> None:
    members = {**json.loads(VALID), **value}
    text = json.dumps({name: each for name, each in members.items() if each is not None})
    (here / "manifest.json").write_text(text)
    assert run("set", pointer, new).code == code
    assert ((here / "manifest.json").read_text() == text) is (code == FINDINGS)


@pytest.mark.parametrize(
    ("pointer", "code"),
    [("/activities/0", CLEAN), ("/activities/1", CLEAN), ("/activities/2/id", FINDINGS)],
)
def test_an_item_may_go_that_stands_before_an_error(here: Path, pointer: str, code: int) -> None:
    broken: list[object] = [{"id": "box", "name": "Box"}, {"id": "a"}, {"id": 5}]
    (here / "manifest.json").write_text(json.dumps({**json.loads(VALID), "activities": broken}))
    assert run("remove", pointer).code == code


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["remove", "/provider/id"], "`id`"),
        (["add", "permission", "camera"], "`camera` is not a permission ("),
        (
            ["add", "permission", "host.timr"],
            "`host.timr` is not a permission (did you mean `host.timer`?); use --force",
        ),
        (["set", "/permissions/-", "host.timr"], "(did you mean `host.timer`?); use --force"),
        (["add", "permission", "activity.start"], "(list it in `capabilities` instead); use --"),
        (["add", "permission", "host.haptic"], "the permission is `host.haptics` ("),
        (["set", "/presentation/banner", '"x"'], "`banner`"),
    ],
)
def test_what_would_make_it_invalid_is_refused_but_by_force(
    here: Path, arguments: list[str], reason: str
) -> None:
    outcome = run(*arguments)
    assert outcome.code == FINDINGS
    assert (here / "manifest.json").read_bytes() == VALID
    assert outcome.err.startswith(
        "error: manifest.json: not changed: this would make the manifest invalid"
    )
    assert reason in outcome.err
    assert run(*arguments, "--force").err.startswith(DONE)
    assert (here / "manifest.json").read_bytes() != VALID


def test_a_value_of_a_wrong_type_is_set_by_force(here: Path) -> None:
    given = ("set", "/activities/0/duration_minutes", "twenty")
    assert run(*given).code == USAGE
    assert (here / "manifest.json").read_bytes() == VALID
    assert run(*given, "--force").code == CLEAN
    assert run("get", given[1]).out == "twenty\n"


@pytest.mark.parametrize("text", ["{}", '{"x-y": 1}'])
def test_a_manifest_is_made_value_by_value(here: Path, text: str) -> None:
    (here / "m.json").write_text(text)
    assert run("set", "provider.id", "com.example.box", "m.json").code == CLEAN
    assert run("add", "permission", "host.timer", "m.json").code == CLEAN
    assert run("add", "activity", "box=Box", "m.json").code == CLEAN


@pytest.mark.parametrize("text", ["[]", '{"activities": {"a": 1}}', '{"activities": null}'])
def test_an_item_is_added_to_an_array_only(here: Path, text: str) -> None:
    (here / "m.json").write_text(text)
    outcome = run("add", "activity", "box=Box", "m.json", "--force")
    assert outcome.code == FINDINGS
    assert "`activities` must be an array: fix that first" in outcome.err
    assert (here / "m.json").read_text() == text


def test_one_of_more_errors_than_are_told_can_be_mended(here: Path) -> None:
    (here / "manifestkit.toml").write_text("[limits]\nfindings = 1\n")
    wrong = [{"id": "a"}, {"id": "b"}, {"id": "c"}]
    (here / "manifest.json").write_text(json.dumps({**json.loads(VALID), "activities": wrong}))
    assert run("set", "/activities/a/name", "A").code == CLEAN


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["add", "permision", "x"], "`permision` is not one of activity, permission, capability"),
        (
            ["add", "activities.stretch.surfaces", "tv"],
            "; write `manifest set activities.stretch.surfaces.- tv`",
        ),
        (
            ["add", "/activities/0/surfaces", "tv"],
            "; write `manifest set /activities/0/surfaces/- tv`",
        ),
        (["add", "activity", "calm"], "ID=NAME, such as `box-breathing=Box breathing`, not `calm"),
        (["add", "activity", "Łódź"], 'such as `lodz="Łódź"`, not'),
        (["add", "activity", "呼吸"], 'such as `my-id="呼吸"`, not'),
        (["add", "surface", "tv"], "; write `manifest set 'activities[0].surfaces.-' tv`"),
        (["set", "/activities/0/duration_minutes", "x"], "takes an integer, not `x`"),
        (["set", "/activities/0/surfaces", "tv"], "takes an array, not `tv`; write JSON, as in"),
        (["set", "activities[*].name", "x"], "name one, such as `activities[0].name`, or the"),
        (["set", "#/provider/id", "x"], "`#/provider/id` is not a place"),
        (["remove", "provider/id"], "`provider/id` is not a place"),
        (
            ["remove", "manifest.json", "/activities/0"],
            "`/activities/0`: no such file",
        ),
    ],
)
def test_a_wish_that_cannot_be_understood_is_told(
    here: Path, arguments: list[str], reason: str
) -> None:
    outcome = run(*arguments)
    assert outcome.code == USAGE
    assert reason in outcome.err
    assert (here / "manifest.json").read_bytes() == VALID


@pytest.mark.usefixtures("here")
def test_the_page_appends_to_another_list() -> None:
    page = (REPOSITORY / "docs" / "editing.md").read_text("utf-8")
    (arguments,) = re.findall(r"`(set \S+\.- \S+)`", page)
    identifier = json.loads(VALID)["activities"][0]["id"]
    assert run("set", f"activities.{identifier}.surfaces", '["phone"]').code == CLEAN
    assert run(*arguments.replace("box", identifier).split()).code == CLEAN
    assert json.loads(run("get", f"activities.{identifier}.surfaces").out) == ["phone", "watch"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("add activity calm=Calm breathing FILE", "Box breathing`, not `breathing`"),
        ("add activity id=calm name=Calm", "write `manifest add activity calm=Calm`"),
        (
            "add permision host.haptics FILE",
            "write `manifest add permission host.haptics manifest.json`",
        ),
        (
            "add activity 'Zürich Übung'",
            "did you mean `manifest add activity 'zurich-ubung=Zürich Übung'`",
        ),
        ("set /activities/0/name x y", "write `manifest set /activities/0/name 'x y'`"),
        ("set provider.version=2.0", "write `manifest set provider.version 2.0`"),
        ("set provider version 2.0", "write `manifest set provider.version 2.0`"),
        ("set provider.name Calm Breathing", "`Breathing`: no such file"),
        ("set permissions none", "not `none`; write JSON, as in '[]'"),
        ("set permissions host.haptics", "`permissions` takes an array, not `host.haptics`"),
        ("remove provider name", "write `manifest remove provider.name`"),
        ("set provider.version 2.0 FILE FILE", "extra argument (manifest.json)"),
        ("get provider version", "write `manifest get provider.version`"),
    ],
)
def test_words_that_make_no_command_are_told_what_to_write(
    here: Path, words: str, told: str
) -> None:
    outcome = manifest_here(*shlex.split(words.replace("FILE", "manifest.json")), cwd=here)
    assert (outcome.code, told in outcome.err) == (USAGE, True)
    assert (here / "manifest.json").read_bytes() == VALID


@pytest.mark.parametrize(
    ("place", "member", "value"),
    [
        ("x-tags[0]", "x-tags", [1]),
        ("x-a.b[0].c", "x-a", {"b": [{"c": 1}]}),
        ("/x-a/0", "x-a", {"0": 1}),
    ],
)
def test_an_index_that_is_printed_so_makes_an_array(
    here: Path, place: str, member: str, value: object
) -> None:
    assert run("set", place, "1").code == CLEAN
    assert json.loads((here / "manifest.json").read_bytes())[member] == value


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["set", "/activities/0/surfaces/tv", "x"], "has no item `tv`; use `-` for a new one"),
        (
            ["set", "/activities/nope/name", "x"],
            "only `stretch`; for a new one, write `manifest add activity nope=NAME`",
        ),
        (
            ["set", "/activities/9/name", "x"],
            "has no item `9`; items count from 0: the last one here is `activities[0]`",
        ),
        (["set", "/provider/id/x", "1"], "`provider.id` has no `x`"),
        (["remove", "/activities/9/name"], "there is no `/activities/9/name`"),
        (["remove", "/provider/id/x"], "there is no `/provider/id/x`; `provider.id` is `"),
        (["remove", "provider[0]"], "there is no `provider[0]`; `provider` has `id`, `name` and"),
        (["set", "provider[0]", "1"], "`provider` has no `0`"),
        (["add", "permission", ""], '`""` is not a permission'),
        (["set", "tags[3]", "1"], "`tags` has no item `3`; use `-` for a new one"),
        (["remove", "host.timer"], "there is no `host.timer`; the manifest has `schema_version`, "),
        (["remove", "provider.nme"], "there is no `provider.nme` (did you mean `name`?)"),
        (["remove", "x.y"], "there is no `x.y`; the manifest has `schema_version`, `provider`, "),
        (["set", "permissions.host.tiemr", "x"], "has no item `host.tiemr`; use `-` for a new one"),
    ],
)
def test_a_place_that_is_not_there_is_told_alike_by_set_and_remove(
    here: Path, arguments: list[str], reason: str
) -> None:
    outcome = run(*arguments)
    assert outcome.code == FINDINGS
    assert reason in outcome.err
    assert (here / "manifest.json").read_bytes() == VALID


def test_what_is_refused_is_told_of_the_file_as_it_is(here: Path) -> None:
    text = VALID.replace(b'"capabilities": []', b'"capabilities": ["host.haptic"]')
    (here / "manifest.json").write_bytes(text)
    outcome = run("remove", "capability", "host.haptic", "host.timer.stop")
    assert (outcome.code, (here / "manifest.json").read_bytes()) == (FINDINGS, text)
    assert "; `capabilities` has `host.haptic`\n" in outcome.err


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        ("5.0", "is the integer `5.0`, written with a fraction; write `5`"),
        ("-5", "is `-5`, less than one minute; write the duration in whole minutes"),
    ],
)
def test_set_notes_advice_about_what_it_has_set(here: Path, value: str, advice: str) -> None:
    outcome = run("set", "--", "/activities/0/duration_minutes", value)
    assert outcome.code == CLEAN
    assert f'"duration_minutes": {value}'.encode() in (here / "manifest.json").read_bytes()
    assert f"note: /activities/0/duration_minutes: `activities[0].duration_minutes` {advice}" in (
        outcome.err
    )
    again = run("set", "/activities/0/name", "x")
    assert "note:" not in again.err


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("m.json", GOOD.replace('"1.0"', '"1.0",,', 1), "extra comma (line "),
        ("m.json", GOOD.replace('"provider"', '"x": 1, "x": 2, "provider"'), "`x`"),
        (
            "m.yaml",
            "provider: &p {id: a, name: b, version: c}\nother: *p\n",
            'write each value out first; by hand: set `provider.name` to `"x"`',
        ),
    ],
)
def test_what_cannot_be_edited_is_refused_with_the_reason(
    here: Path, name: str, text: str, reason: str
) -> None:
    (here / name).write_text(text)
    outcome = run("set", "/provider/name", "x", name)
    assert outcome.code == FINDINGS
    assert outcome.err.startswith(f"error: {name}: not changed: ")
    assert reason in outcome.err
    assert (here / name).read_text() == text


@pytest.mark.parametrize(
    ("arguments", "forgotten"),
    [
        (["add", "permission", "t.yaml"], "before t.yaml"),
        (["add", "permission", "gone.yaml"], "before gone.yaml"),
        (["add", "permission", "extension"], "before extension"),
        (["add", "activity", "manifest.json"], "before manifest.json"),
        (["set", "/provider/name", "t.yaml"], "before t.yaml"),
        (["set", "/activities/0/duration_minutes", "t.yaml"], "before t.yaml"),
        (["set", "/x-count", "manifest.json"], "before manifest.json"),
    ],
)
@pytest.mark.parametrize("option", [[], ["--force"], ["--diff"]])
def test_a_file_in_place_of_a_value_is_wrong_usage(
    here: Path, arguments: list[str], forgotten: str, option: list[str]
) -> None:
    """ "FILE is the last argument if it exists or ends in .json, .yaml or .yml"."""
    (here / "t.yaml").write_text(GOOD)
    outcome = run(*arguments, *option)
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert forgotten in outcome.err
    assert (here / "manifest.json").read_bytes() == VALID
    assert (here / "t.yaml").read_text() == GOOD


def test_a_value_that_names_a_file_is_set_where_the_manifest_is_given(here: Path) -> None:
    (here / "t.yaml").write_text(GOOD)
    assert run("set", "/provider/name", "t.yaml", "manifest.json").code == CLEAN
    assert '"name": "t.yaml"' in (here / "manifest.json").read_text()
    assert run("set", "/provider/name", "gone.yaml").code == CLEAN
    assert run("set", "/runtime/entrypoint", "extension").code == CLEAN


def test_of_several_manifests_one_must_be_named(here: Path) -> None:
    (here / "other.manifest.json").write_bytes(VALID)
    outcome = run("add", "permission", "host.timer")
    assert outcome.code == USAGE
    assert "(manifest.json, other.manifest.json); give a FILE" in outcome.err
    assert run("add", "permission", "host.timer", "other.manifest.json").code == CLEAN
    assert b"host.timer" in (here / "other.manifest.json").read_bytes()


def every_path(value: Any, path: Pointer = ()) -> Iterator[Pointer]:
    yield path
    if isinstance(value, dict | list):
        for token, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from every_path(each, (*path, token))


COMMENTED = """\
# top
schema_version: "1.0" # version
provider: # provider
  # id
  id: com.example.a # behind
  name: |- # text
    A
  version: "1.0.0"
runtime: {entrypoint: a.js, sdk_version: "1.0"} # runtime
activities: # activities
  # first
  - id: a # a
    # name
    name: A
    surfaces: [tv, phone] # surfaces
  # end of activities
permissions:
  # timer
  - host.timer # why
  # end
capabilities: [] # none
"""


def test_what_is_set_drops_no_comment_but_by_force() -> None:
    before, seen = decode(COMMENTED, "m.yaml"), Counter[bool]()

    def after(path: Pointer, text: str, *, force: bool) -> Counter[str]:
        wish, target = EditRequest("set", format_pointer(path), text), Target("m.yaml", found=False)
        changed = edit(Workspace(Options(isolated=True)), target, before, [wish], force=force)
        return Counter(re.findall("# .*", changed.text))

    for path, text in product(every_path(before.document.value), ["b", "[]", '["b"]', '{"a": 1}']):
        with suppress(AuthoringError):  # not what is expected there
            lost = Counter(re.findall("# .*", COMMENTED)) - after(path, text, force=True)
            seen[bool(lost)] += 1
            if lost:
                with pytest.raises(EditRefusedError, match="this would drop the comment `# "):
                    after(path, text, force=False)
    assert min(seen[True], seen[False]) > 10


@pytest.mark.usefixtures("here")
def test_an_item_that_is_set_is_told_as_one_that_is_added() -> None:
    outcome = run("set", "/permissions/-", "host.timer")
    assert outcome.err == "Added `host.timer` to `permissions` in manifest.json\n"
    outcome = run("set", "/activities/0/surfaces/-", "tv")
    assert outcome.err == "Added `tv` to `activities[0].surfaces` in manifest.json\n"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["set", "/provider/versoin", '"2.0.0"'], "the manifest format has no `versoin` here"),
        (["set", "version", "2"], "there is no `version` (did you mean `provider.version`?)"),
        (["set", "/presentaton/thumbnail", "1"], "looks like a misspelling of `presentation`"),
        (["set", "/presentation/thumbnial", "1"], "(did you mean `thumbnail`?)"),
        (["set", "/activities/0/sufaces/-", '"tv"'], "looks like a misspelling of `surfaces`"),
        (["set", "/activities/0/id", "calm"], '`"calm"`'),
        (["set", "/activities/0", '{"id": "calm", "name": "X"}'], '`"calm"`'),
        (["set", "/activities/-", '{"id": "calm", "name": "X"}'], '`"calm"`'),
        (["set", "/permissions/-", "host.timer"], "`host.timer` is listed twice"),
        (["set", "thumbnail", "a.png"], "`presentation.thumbnail` or `activities[0].thumbnail`?"),
        (["set", "duration", "5"], "(did you mean `activities[0].duration_minutes`?)"),
        (["set", "surface.-", "tv"], "(did you mean `activities[0].surfaces.-`?)"),
        (["set", "homepage", "x"], "; begin its name with `x-` to keep it, or use --force"),
        (["set", "runtime.version", "5"], "`runtime.version` (did you mean `provider.version`?)"),
        (["add", "activity", "calm=Other"], '`"calm"`'),
    ],
)
def test_what_is_probably_a_slip_is_refused_but_by_force(
    here: Path, arguments: list[str], reason: str
) -> None:
    run("add", "activity", "calm=Calm")
    run("add", "permission", "host.timer")
    before = (here / "manifest.json").read_bytes()
    outcome = run(*arguments)
    assert outcome.code == FINDINGS
    assert outcome.err.startswith("error: manifest.json: not changed: ")
    assert reason in outcome.err
    assert outcome.err.endswith("use --force to change it anyway\n")
    assert (here / "manifest.json").read_bytes() == before
    assert run(*arguments, "--force").err.startswith(DONE)
    assert (here / "manifest.json").read_bytes() != before


@pytest.mark.usefixtures("here")
@rows(
    ("pointer", "said"),
    [
        ("/permissions/0", "`host.timer` from `permissions`"),
        ("/activities/0", "`calm` from `activities`"),
        ("/activities/calm/surfaces/tv", "`tv` from `activities[0].surfaces`"),
        ("/x-a/1", "`x-a[1]`"),
        ("/x-a", "`x-a`"),
    ],
)
def test_what_was_removed_is_told_by_its_name(pointer: str, said: str) -> None:
    run("add", "permission", "host.timer")
    run("set", "/activities/0", '{"id": "calm", "name": "Calm", "surfaces": ["tv"]}')
    run("set", "/x-a", '[1, 2, {"y": "z"}]')
    assert run("remove", pointer, "--force").err == f"Removed {said} in manifest.json\n"


@pytest.mark.parametrize(
    ("pointer", "said"),
    [
        ("/activites/box-breathing", "(did you mean `activities`?)"),
        ("/provider/versoin", "there is no `/provider/versoin` (did you mean `version`?)"),
        ("/activities/box-braething", "(did you mean `box-breathing`?)"),
        ("/version", "there is no `/version` (did you mean `provider.version`?)"),
        ("/host.haptics", f"there is no `/host.haptics`{_THERE}"),
        ("/permissions/host.tmier", "(did you mean `host.timer`?)"),
        (
            "/permissions/host.haptics",
            "there is no `/permissions/host.haptics`; `permissions` has `host.timer`",
        ),
        ("/presentation", f"there is no `/presentation`{_THERE}"),
        (
            "/activities/7",
            "there is no `/activities/7`; items count from 0: the last one here is `activities[0]`",
        ),
    ],
)
@pytest.mark.parametrize("option", [[], ["--force"], ["--diff"]])
def test_removing_what_is_not_there_fails_with_the_nearest_name(
    here: Path, pointer: str, said: str, option: list[str]
) -> None:
    run("set", "/activities/0/id", "box-breathing")
    run("add", "permission", "host.timer")
    before = (here / "manifest.json").read_bytes()
    outcome = run("remove", pointer, *option)
    assert (outcome.code, outcome.out) == (FINDINGS, "")
    assert outcome.err.startswith("error: manifest.json: not changed: there is no ")
    assert outcome.err.endswith(f"{said}\n")
    assert (here / "manifest.json").read_bytes() == before


def test_several_items_are_added_at_once_or_none_is(here: Path) -> None:
    outcome = run("add", "permission", "host.timer", "host.haptics", "manifest.json")
    assert outcome.code == CLEAN
    assert len(outcome.err.splitlines()) == 2
    assert now(here)["permissions"] == ["host.timer", "host.haptics"]
    assert run("add", "activity", "a=A", "b=B").code == CLEAN
    assert '"id": "a"' in (here / "manifest.json").read_text()
    assert '"id": "b"' in (here / "manifest.json").read_text()
    before = (here / "manifest.json").read_bytes()
    outcome = run("add", "permission", "context.goals", "host.camera")
    assert outcome.code == FINDINGS
    assert (here / "manifest.json").read_bytes() == before
    gone = manifest_here("add", "permission", "context.goals", "gone.yaml", cwd=here)
    assert (gone.code, gone.err) == (USAGE, "error: gone.yaml: no such file\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["add", "permission", "host.timer", "host.haptics"],
        ["set", "/provider/name", "Another"],
        ["remove", "/activities/0/name", "--force"],
    ],
)
def test_diff_shows_what_the_change_would_be(here: Path, arguments: list[str]) -> None:
    before = (here / "manifest.json").read_bytes()
    outcome = run(*arguments, "--diff")
    assert outcome.code == CLEAN
    assert (here / "manifest.json").read_bytes() == before
    shown = outcome.out
    assert run(*arguments).code == CLEAN
    assert shown == diff("manifest.json", before, (here / "manifest.json").read_bytes())
    assert shown
    again = run(*(arguments if arguments[0] != "remove" else ["add", "activity", "x=X"]), "--diff")
    assert (again.out == "") is (arguments[0] != "remove")


@pytest.mark.parametrize("number", ["-5", "-0.5", "-1e3"])
def test_a_negative_number_is_a_value(here: Path, number: str) -> None:
    assert run("set", "--force", "/x-offset", "--", number, "manifest.json").code == CLEAN
    assert now(here)["x-offset"] == json.loads(number)


def test_a_lone_surrogate_is_written_to_json_only(here: Path) -> None:
    arguments = "/x-mood", '"\\ud800"', "--force"
    assert run("set", *arguments).code == CLEAN
    assert now(here)["x-mood"] == "\ud800"
    (here / "manifest.yaml").write_text("x-mood: calm\n")
    outcome = run("set", *arguments, "manifest.yaml")
    assert outcome.code == FINDINGS
    assert "`\\ud800` is not an escape in YAML" in outcome.err
    assert (here / "manifest.yaml").read_text() == "x-mood: calm\n"


def test_a_member_that_is_there_is_no_slip(here: Path) -> None:
    assert run("set", "/provider/versoin", '"2"', "--force").code == CLEAN
    assert run("set", "/provider/versoin", '"3"').err.startswith(DONE)
    assert run("remove", "/provider/versoin").err.startswith(DONE)
    assert now(here) == json.loads(VALID)


def test_the_rest_of_twins_can_be_set(here: Path) -> None:
    run("add", "activity", "calm=Calm")
    run("set", "/activities/0/id", "calm", "--force")
    run("set", "/activities/1/name", "Third")
    activities = now(here)["activities"]
    assert isinstance(activities, list)
    assert activities[1] == {"id": "calm", "name": "Third"}
    assert activities[0]["id"] == "calm"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (
            ["remove", "/activities/calm"],
            "`calm` may be several items of `activities`: write `activities[0]` or `activities[1]`",
        ),
        (
            ["set", "/activities/calm/name", "X"],
            "several items of `activities`: write `activities[0].name` or `activities[1].name`",
        ),
        (
            ["remove", "/permissions/a", "--force"],
            "`a` may be several items of `permissions`: write `permissions[0]`, `permissions[2]`",
        ),
    ],
)
def test_a_name_that_several_items_have_is_refused(
    here: Path, arguments: list[str], reason: str
) -> None:
    calm = {"id": "calm", "name": "Calm"}
    lists = {"activities": [calm, calm], "permissions": ["a", "b", "a", "a"]}
    before = json.dumps({**now(here), **lists}).encode()
    (here / "manifest.json").write_bytes(before)
    outcome = run(*arguments)
    assert outcome.code == FINDINGS
    assert reason in outcome.err
    assert (here / "manifest.json").read_bytes() == before


# -- words that are no values ----------------------------------------------------------------

DEEP = "[" * 3_000


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ('{"a": 1, "a": 2}', "`a`"),
        ('{"a": [{"b": 1, "b": 1}]}', "`b`"),
        ("1e999", "`1e999` is larger than readers can represent"),
        ("[-1e999]", "`-1e999` is larger than readers can represent"),
        (DEEP, "more than 200 arrays and objects nested in each other"),
        (DEEP + "]" * 3_000, "more than 200 arrays and objects nested in each other"),
        ("9" * 5_000, "a number of 5,000 characters"),
    ],
)
def test_a_value_is_refused_as_it_would_be_in_a_file(here: Path, value: str, reason: str) -> None:
    outcome = run("set", "/foo", value)
    assert (outcome.code, now(here)) == (USAGE, json.loads(VALID))
    assert reason in outcome.err


@pytest.mark.parametrize(
    "index", ["00", "01", "+0", "-0", "-1", "٠", "²", " 0", "0 ", "0.0", "9" * 5_000]
)
def test_only_digits_without_leading_zeros_are_an_index(here: Path, index: str) -> None:
    assert run("set", f"/activities/{index}/name", "x").code == FINDINGS
    run("remove", f"/activities/{index}/name")
    assert now(here) == json.loads(VALID)


@pytest.mark.parametrize("arguments", [["set", "5"], ["remove"]])
@pytest.mark.parametrize("tokens", [201, 1_000])
def test_a_pointer_to_what_would_be_too_deep_is_refused(
    here: Path, arguments: list[str], tokens: int
) -> None:
    outcome = run(arguments[0], "/a" * tokens, *arguments[1:])
    assert (outcome.code, now(here)) == (FINDINGS, json.loads(VALID))
    assert "nested too deep" in outcome.err
