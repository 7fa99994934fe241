"""The nearest `manifestkit.toml`, or `pyproject.toml` with `[tool.manifestkit]`."""

from __future__ import annotations

import json
import os
import sys
from datetime import date
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command import CLEAN, FINDINGS, USAGE, manifest
from folders import check_left_out, listed, tree
from in_process import manifest_here
from manifestkit import Options, lint_paths
from manifestkit.schema.packaged import packaged_schema
from rows import rows
from samples import BROKEN, VALID

ANYTHING = "{}"
NOTHING = "false"


def configure(folder: Path, text: str, name: str = "manifestkit.toml") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder


# -- exclude ---------------------------------------------------------------------------------


def test_excluded_files_are_not_found(tmp_path: Path) -> None:
    tree(tmp_path, "manifest.json", "vendor/manifest.json", "a/b/x.manifest.json")
    configure(tmp_path, 'exclude = ["vendor/", "**/x.manifest.json"]')
    assert listed(tmp_path) == ["manifest.json"]


def test_what_is_named_from_beside_it_is_excluded_like_from_above(tmp_path: Path) -> None:
    tree(tmp_path, "a/manifest.json", "a/b/manifest.json", "c/manifest.json")
    configure(tmp_path, 'exclude = ["/a/b"]')
    assert listed(tmp_path / "c", "../a") == ["../a/manifest.json"]
    named = "../a/b/manifest.json"
    assert listed(tmp_path / "c", named, "manifest.json", "--force-exclude") == ["manifest.json"]


def test_a_folder_with_a_configuration_of_its_own_is_excluded_from_above(tmp_path: Path) -> None:
    tree(tmp_path, "manifest.json", "a/b/manifest.json")
    configure(tmp_path / "a", "")
    configure(tmp_path / "a" / "b", "")
    configure(tmp_path, 'exclude = ["a/"]')
    assert listed(tmp_path) == ["manifest.json"]
    assert listed(tmp_path, "a/b/manifest.json", "manifest.json", "--force-exclude") == [
        "manifest.json"
    ]
    assert listed(tmp_path / "a") == ["b/manifest.json"]


def test_a_later_pattern_takes_a_file_back_in(tmp_path: Path) -> None:
    tree(tmp_path, "a.manifest.json", "b.manifest.json")
    configure(tmp_path, 'exclude = ["*.manifest.json", "!b.manifest.json"]')
    assert listed(tmp_path) == ["b.manifest.json"]


def test_a_pattern_with_a_class_of_posix_says_what_to_write(tmp_path: Path) -> None:
    configure(tree(tmp_path, "manifest.json"), 'exclude = ["[[:alpha:]]*.json"]')
    refused = manifest_here("lint", cwd=tmp_path)
    assert refused.code == USAGE
    assert "`[:alpha:]` is not supported; list the characters, as in `[a-z]`" in refused.err


def test_a_named_file_is_checked_though_excluded_but_for_force_exclude(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(BROKEN)
    configure(tmp_path, 'exclude = ["manifest.json"]')
    assert manifest_here("lint", "manifest.json", cwd=tmp_path).code == FINDINGS
    forced = manifest_here("lint", "manifest.json", "--force-exclude", cwd=tmp_path)
    assert (forced.code, forced.out) == (CLEAN, "")


def test_everything_excluded_is_nothing_to_check(tmp_path: Path) -> None:
    configure(tree(tmp_path, "manifest.json"), 'exclude = ["*"]')
    check_left_out(tmp_path)


def test_verbose_says_which_files_are_excluded_and_by_what(tmp_path: Path) -> None:
    configure(tree(tmp_path, "manifest.json", "b/manifest.json"), 'exclude = ["/b/"]')
    outcome = manifest_here("lint", "--verbose", cwd=tmp_path)
    assert outcome.code == CLEAN
    assert outcome.err.startswith("note: b: skipped, it is excluded by manifestkit.toml\n")


@rows("exclude", ["vendor", "vendor/", "/vendor", "vend*", "**/vendor"])
@rows("command", ["lint", "fmt"])
def test_an_excluded_folder_is_not_searched(tmp_path: Path, command: str, exclude: str) -> None:
    tree(tmp_path, "manifest.json", "vendor/manifest.json", "vendor/a/b/manifest.json")
    (tmp_path / "vendor" / "manifest.json").write_bytes(BROKEN)
    (tmp_path / "vendor" / "link").symlink_to("/", target_is_directory=True)
    configure(tmp_path / "vendor", 'fail-on = "warning"')
    configure(tmp_path / "vendor" / "a", "broken")
    configure(tmp_path, f'exclude = ["{exclude}"]')
    before = manifest_here(command, "manifest.json", "--quiet", cwd=tmp_path)
    assert manifest_here(command, "--quiet", cwd=tmp_path) == before


@rows("name", ["manifest.json", "a/manifest.json"])
@rows(
    "text",
    [
        'schema = "no.json"',
        'exclude = ["*"]',
        'ignore = ["empty-text"]\nfail-on = "warning"',
        '[[suppress]]\nrule = "empty-text"\nreason = "x"\npath = "/*"',
    ],
)
def test_a_way_out_of_a_linked_folder_leads_to_the_configuration_there(
    tmp_path: Path, name: str, text: str
) -> None:
    named_none = VALID.replace(b'"Minimal"', b'""')
    assert named_none != VALID
    tree(tmp_path, f"there/{name}", "there/b/c/manifest.json", content=named_none)
    (tmp_path / "there" / "no.json").write_text(NOTHING)
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "link").symlink_to("../there/b/c", target_is_directory=True)
    configure(tmp_path / "there", text)
    configure(tmp_path / "here", 'fail-on = "info"')
    for command in ("lint", "fmt --check"):
        arguments = (*command.split(), "--force-exclude")
        through = manifest_here(*arguments, f"link/../../{name}", cwd=tmp_path / "here")
        direct = manifest_here(*arguments, f"../there/{name}", cwd=tmp_path / "here")
        assert through.code == direct.code
        assert through.out == direct.out.replace("../there/", "link/../../")


@rows("command", ["lint", "lint --fix", "fmt --check"])
@rows(
    "named", [["."], ["--force-exclude", "manifest.json", "a/manifest.json", "a/b/manifest.json"]]
)
@rows("file", ["manifestkit.toml", ".manifestkit.toml", "pyproject.toml"])
@rows("place", ["a", "a/b"])
def test_the_configuration_of_an_excluded_folder_is_not_read(
    tmp_path: Path, command: str, named: list[str], file: str, place: str
) -> None:
    """A template's folder: what is in it is not filled in."""
    tree(tmp_path, "manifest.json", "a/manifest.json", "a/b/manifest.json")
    configure(tmp_path, 'exclude = ["a/"]')
    configure(tmp_path / place, "[tool.manifestkit]\n{{ options }}", file)
    outcome = manifest_here(*command.split(), *named, cwd=tmp_path)
    assert (outcome.code, "options" in outcome.err) == (CLEAN, False)


@rows("command", ["lint", "lint --fix", "lint --diff", "fmt", "fmt --check"])
@rows("file", ["manifestkit.toml", ".manifestkit.toml", "pyproject.toml"])
@rows("place", ["a", "a/b"])
def test_nor_is_it_for_a_file_in_it_on_standard_input(
    tmp_path: Path, command: str, file: str, place: str
) -> None:
    tree(tmp_path, "a/b/manifest.json", content=BROKEN)
    configure(tmp_path, 'exclude = ["a/"]')
    configure(tmp_path / place, "[tool.manifestkit]\n{{ options }}", file)
    name, piped = "a/b/manifest.json", ("-", "--stdin-filename", "a/b/manifest.json")
    named = manifest_here(*command.split(), name, "--force-exclude", cwd=tmp_path)
    outcome = manifest_here(*command.split(), *piped, "--force-exclude", cwd=tmp_path, stdin=BROKEN)
    assert (outcome.code, outcome.err) == (named.code, "") == (CLEAN, "")
    assert outcome.out == (BROKEN.decode() if command in {"lint --fix", "fmt"} else "")


@rows(
    "name, text",
    [
        ("README.md", "# Calm\n\nA game.\n"),
        ("Assets/Breathe.cs", "using UnityEngine;\n"),
        ("app/models/activity.rb", "class Activity < ApplicationRecord\nend\n"),
        ("flake.nix", '{\n  description = "Calm";\n}\n'),
        ("tsconfig.json", '{\n  // comment\n  "compilerOptions": {},\n}\n'),
        ("package.json", '{"name": "calm", "version": "1.2.0"}\n'),
    ],
)
def test_a_hook_may_pass_a_file_that_by_its_name_is_of_another_kind(
    tmp_path: Path, name: str, text: str
) -> None:
    tree(tmp_path, name, content=text.encode())
    for command in ("lint", "lint --fix", "fmt", "fmt --check"):
        assert manifest_here(*command.split(), name, "--force-exclude", cwd=tmp_path).code == CLEAN
    told = manifest_here("lint", "--fix", name, cwd=tmp_path)
    assert (told.code, "leave it out, in a hook" in told.out) == (FINDINGS, True)
    assert (tmp_path / name).read_text() == text


@rows("command", ["lint", "lint --fix", "lint --diff", "fmt", "fmt --check"])
@rows("is_piped", [False, True])
@rows("text", ["{{ options }}", 'schema = "no.json"', 'ignore = ["no"]', 'baseline = "no.json"'])
def test_nor_is_that_of_the_working_folder_if_it_is_for_no_file(
    tmp_path: Path, command: str, text: str, *, is_piped: bool
) -> None:
    tree(tmp_path, "a/manifest.json", content=VALID)
    configure(tmp_path / "a", "")
    configure(tree(tmp_path, "b/x.json") / "b", text)
    name = "../a/manifest.json"
    how = ("-", "--stdin-filename", name) if is_piped else (name,)
    outcome = manifest_here(*command.split(), *how, cwd=tmp_path / "b", stdin=VALID)
    assert outcome.code == CLEAN, outcome.err


def test_what_is_excluded_is_named_on_request_and_by_its_reason(tmp_path: Path) -> None:
    tree(tmp_path, "manifest.json", "a/x.json", "a/y.yaml")
    names = ("link", "manifest.yaml")
    for name in names:
        (tmp_path / "a" / name).symlink_to("/")
    configure(tmp_path, 'exclude = ["*.json", "!/manifest.json", "*.yaml", "link/"]')
    outcome = manifest_here("lint", "--verbose", cwd=tmp_path)
    links = [f"note: a/{name}: skipped, it is excluded by manifestkit.toml\n" for name in names]
    checked = "1 file checked: no problems found\n"
    assert (outcome.code, outcome.err) == (CLEAN, f"{''.join(links)}{checked}")
    assert manifest_here("lint", cwd=tmp_path).err == checked


def test_an_excluded_folder_may_be_closed(tmp_path: Path, held_back: tuple[str, ...]) -> None:
    tree(tmp_path, "manifest.json", "data/manifest.json")
    configure(tmp_path, 'exclude = ["data"]')
    (tmp_path / "data").chmod(0)
    outcome = manifest("lint", cwd=tmp_path, by=held_back)
    assert (outcome.code, outcome.err) == (CLEAN, "1 file checked: no problems found\n")


# -- which file ------------------------------------------------------------------------------


def _with_schema(folder: Path, schema: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "own.schema.json").write_text(schema)


@rows(
    ("name", "text"),
    [
        ("manifestkit.toml", 'schema = "own.schema.json"'),
        ("manifestkit.toml", '\ufeffschema = "own.schema.json"'),
        ("pyproject.toml", '[tool.manifestkit]\nschema = "own.schema.json"'),
    ],
)
def test_the_schema_counts_from_the_folder_of_the_configuration(
    tmp_path: Path, name: str, text: str
) -> None:
    _with_schema(tmp_path, NOTHING)
    configure(tmp_path, text, name)
    tree(tmp_path, "a/b/manifest.json")
    outcome = manifest_here("lint", "manifest.json", cwd=tmp_path / "a" / "b")
    assert outcome.code == FINDINGS
    assert "schema-false" in outcome.out


def test_the_nearest_configuration_holds_and_nothing_is_merged(tmp_path: Path) -> None:
    _with_schema(tmp_path, NOTHING)
    configure(tmp_path, 'schema = "own.schema.json"')
    tree(tmp_path, "a/manifest.json", "b/manifest.json")
    configure(tmp_path / "b", "exclude = []")
    outcome = manifest_here("lint", cwd=tmp_path)
    assert [line.split(":")[0] for line in outcome.out.splitlines()] == ["a/manifest.json"]


def test_a_pyproject_without_our_table_is_passed_over(tmp_path: Path) -> None:
    _with_schema(tmp_path, NOTHING)
    configure(tmp_path, 'schema = "own.schema.json"')
    tree(tmp_path, "a/manifest.json")
    for text in ('[tool.other]\nx = 1\n[project]\nname = "x"', "[tool.other]\nx = = 1"):
        configure(tmp_path / "a", text, "pyproject.toml")
        assert manifest_here("lint", "a", cwd=tmp_path).code == FINDINGS


def test_a_pyproject_that_is_named_has_our_table(tmp_path: Path) -> None:
    tree(tmp_path, "manifest.json")
    configure(tmp_path, "[tool]\nmanifest-kit = 1", "pyproject.toml")
    outcome = manifest_here("lint", "--config", "pyproject.toml", cwd=tmp_path)
    assert (outcome.code, outcome.err) == (
        USAGE,
        "error: pyproject.toml: it has no table [tool.manifestkit]; add it, or name another file\n",
    )


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_a_pyproject_that_no_manifest_is_held_to_may_be_closed(
    tmp_path: Path, held_back: tuple[str, ...]
) -> None:
    tree(tmp_path, "here/pyproject.toml", "there/manifest.json")
    (tmp_path / "here" / "pyproject.toml").chmod(0)
    outcome = manifest("lint", "../there/manifest.json", cwd=tmp_path / "here", by=held_back)
    assert outcome.code == CLEAN, outcome


def test_our_own_file_comes_before_pyproject(tmp_path: Path) -> None:
    tree(tmp_path, "manifest.json")
    configure(tmp_path, "exclude = []")
    configure(tmp_path, '[tool.manifestkit]\nexclude = ["*"]', "pyproject.toml")
    assert listed(tmp_path) == ["manifest.json"]


def test_standard_input_is_judged_by_the_working_folders_configuration(tmp_path: Path) -> None:
    _with_schema(tmp_path, NOTHING)
    configure(tmp_path, 'schema = "own.schema.json"')
    outcome = manifest_here("lint", "-", cwd=tmp_path, stdin=VALID)
    assert outcome.out.startswith("<stdin>:1:1: error schema-false ")


def test_isolated_leaves_configuration_alone_even_a_broken_one(tmp_path: Path) -> None:
    configure(tree(tmp_path, "manifest.json"), 'exclude = ["*"]\nbroken')
    assert manifest_here("lint", cwd=tmp_path).code == USAGE
    assert manifest_here("lint", "--isolated", cwd=tmp_path).code == CLEAN


def test_isolated_uses_the_configuration_that_is_named_and_no_other(tmp_path: Path) -> None:
    here = tree(tmp_path / "here", "manifest.json", gitignore="*.json\n")
    configure(here, 'exclude = ["*"]\nbroken')
    configure(tmp_path, "[limits]\ndepth = 1", "own.toml")
    for options in (("--isolated", "--config", "../own.toml"), ("--config", "../own.toml")):
        outcome = manifest_here("lint", *options, cwd=here)
        assert ("limit-exceeded" in outcome.out) == ("--isolated" in options)
    library = Options(config=tmp_path / "own.toml", isolated=True)
    assert lint_paths(here, library).fails


def test_the_option_comes_before_the_configured_schema(tmp_path: Path) -> None:
    _with_schema(tmp_path, NOTHING)
    configure(tree(tmp_path, "manifest.json"), 'schema = "own.schema.json"')
    (tmp_path / "any.schema.json").write_text(ANYTHING)
    outcome = manifest_here("lint", "--schema=any.schema.json", cwd=tmp_path)
    assert outcome.code == CLEAN


# -- extend ----------------------------------------------------------------------------------


def test_a_file_has_the_options_of_the_one_that_it_extends_but_for_its_own(
    tmp_path: Path,
) -> None:
    _with_schema(tmp_path, NOTHING)
    base = 'schema = "own.schema.json"\nexclude = ["/a/x.manifest.json"]\nfail-on = "info"'
    configure(tmp_path, base, "base.toml")
    tree(tmp_path, "a/manifest.json", "a/x.manifest.json")
    configure(tmp_path / "a", 'extend = "../base.toml"\nfail-on = "warning"')
    outcome = manifest_here("lint", "a", "--verbose", cwd=tmp_path)
    assert outcome.code == FINDINGS
    assert outcome.out.startswith("a/manifest.json:1:1: error schema-false ")
    assert "a/x.manifest.json: skipped, it is excluded by base.toml" in outcome.err
    configure(tmp_path / "a", 'extend = "../base.toml"\nexclude = []')
    assert listed(tmp_path) == ["a/manifest.json", "a/x.manifest.json"]


@rows("place", ["repository/shared", "shared"])
@rows("how", ["extend", "--config"])
def test_patterns_of_a_shared_file_count_from_where_it_is_used(
    tmp_path: Path, place: str, how: str
) -> None:
    tree(tmp_path, "repository/a/manifest.json", "repository/b/manifest.json", f"{place}/keep")
    configure(tmp_path / place, 'exclude = ["/a/"]', "base.toml")
    folder = tmp_path / "repository"
    base = os.path.relpath(tmp_path / place / "base.toml", folder)
    configure(folder, f'extend = "{Path(base).as_posix()}"' if how == "extend" else "")
    options = ["--config", base] if how == "--config" else []
    assert listed(folder, *options) == ["b/manifest.json"]


def test_members_of_severity_hold_one_by_one(tmp_path: Path) -> None:
    wrong = {"permissions": ["x"], "capabilities": ["x"]}
    (tmp_path / "manifest.json").write_text(json.dumps({**json.loads(VALID), **wrong}))
    base = '[severity]\nunknown-permission = "off"\nunknown-capability = "info"\n'
    configure(tmp_path, base, "base.toml")
    configure(tmp_path, 'extend = "base.toml"\n[severity]\nunknown-capability = "warning"\n')
    (said,) = manifest_here("lint", cwd=tmp_path).out.splitlines()
    assert " warning unknown-capability " in said


@rows(
    ("text", "told"),
    [
        ('\nextend = "gone.toml"', "manifestkit.toml: `extend` names gone.toml: no such file"),
        ('extend = "."', "manifestkit.toml: `extend` names .: is a folder"),
        ('extend = "https://x.example/y.toml"', "`extend` names https:/x.example/y.toml: no such"),
        ('extend = "manifestkit.toml"', "manifestkit.toml:1: extend: more than 16 files extend"),
        ('extend = "round.toml"', "extend: more than 16 files extend one another"),
        ('extend = "broken.toml"', "broken.toml:1: unknown option `exclud`; did you mean"),
        ('extend = "rule.toml"', "rule.toml:1: ignore: unknown rule `vresion-form`; did you mean"),
        ('extend = "schema.toml"', "gone.json: no such file"),
        (
            'extend = "pyproject.toml"',
            "`extend` names pyproject.toml: it has no [tool.manifestkit]",
        ),
    ],
)
def test_a_mistake_in_an_extended_file_is_placed_there(
    tmp_path: Path, text: str, told: str
) -> None:
    tree(tmp_path, "manifest.json")
    configure(tmp_path, 'extend = "manifestkit.toml"', "round.toml")
    configure(tmp_path, "exclud = []", "broken.toml")
    configure(tmp_path, 'ignore = ["vresion-form"]', "rule.toml")
    configure(tmp_path, 'schema = "gone.json"', "schema.toml")
    configure(tmp_path, "[tool.other]", "pyproject.toml")
    configure(tmp_path, text)
    outcome = manifest_here("lint", "manifest.json", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert told in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_an_output_does_not_replace_an_extended_file(tmp_path: Path) -> None:
    configure(tree(tmp_path, "manifest.json"), 'extend = "base.toml"')
    configure(tmp_path, "exclude = []", "base.toml")
    outcome = manifest_here("lint", "--output-format=json=base.toml", cwd=tmp_path)
    assert outcome.code == USAGE
    assert (tmp_path / "base.toml").read_text() == "exclude = []"


# -- mistakes in it --------------------------------------------------------------------------

# Each: the file, its text, words of the message.
_OWN, _SHARED = "manifestkit.toml", "pyproject.toml"
MISTAKES = [
    ("manifestkit.toml", "select = []", "`select` has 0 items"),
    (
        _OWN,
        'exclude = []\nexclud = ["a"]',
        "unknown option `exclud`; did you mean `exclude`?",
    ),
    (_OWN, "exclude = 'a'", "`exclude`"),
    (_OWN, "severity = 'error'", 'must be a table, not the string `"error"`'),
    (_SHARED, "[tool]\nmanifestkit = 3", "`tool.manifestkit` must be a table"),
    (_OWN, "\n  exclude = [1]", "`exclude[0]`"),
    *(
        (_OWN, f"exclude = ['{pattern}']", f"`{pattern}` matches nothing: no part of a path is")
        for pattern in ("../vendor", "vendor/.", "a//b", "!./a", ".", "/", "./")
    ),
    *(
        (_OWN, f"exclude = ['{pattern}']", f"is not a .gitignore pattern; write {right}")
        for pattern, right in (
            ("./vendor", '`"vendor"`'),
            (".\\legacy\\a.json", '`"legacy/a.json"`'),
            ("^legacy/.*$", '`"legacy/*"`'),
            ("^(?:legacy|old)/", '`"legacy/"` and `"old/"`'),
        )
    ),
    (_OWN, "schema = 1", "`schema`"),
    (
        _OWN,
        "[tool.manifestkit]\nexclude = []",
        "`tool`; write `exclude = []` above all tables, without `[tool]`",
    ),
    (
        _OWN,
        "[tool.manifestkit.rules]\nversion-form = 'warn'",
        'write `version-form = "warning"` in `[severity]`, without `[tool]`',
    ),
    (
        _SHARED,
        "[tool.manifestkit.lint]\nignore = []\nselect = ['wrong-type']",
        '`ignore = []` and `select = ["wrong-type"]` in `[tool.manifestkit]`, without `[lint]`',
    ),
    (f".{_OWN}", "ignore = []", f"is not read; rename it to {_OWN}"),
    (_OWN, "a = 1\nb = = 2", ":2:5: not TOML: invalid value; write one option in a line, such as "),
    (
        _SHARED,
        "[tool.manifestkit]\nb = = 2",
        ":2:5: not TOML: invalid value; write one option in a line, such as ",
    ),
    (_SHARED, '[tool.manifestkit]\n"x y" = 1', "unknown option `x y`"),
    (_SHARED, "[project]\nexclude = 1\n[tool.manifestkit]\nexclude = 1", "`exclude`"),
    (_OWN, "a.b = 1", "unknown option `a`"),
    (_OWN, 'ignore = []\n"a\\u0062c" = 1', f"{_OWN}:2: unknown option `abc`"),
    (
        _OWN,
        "[[x]]\nchange-profile = 2026-01-01",
        'write `change-profile = ["2026-01-01"]` above all tables, without `[[x]]`',
    ),
    (
        _OWN,
        "[[when]]\nfiles = ['a/']\nignore = ['version-form']",
        "unknown option `when`; delete it; the options here are `extend`, `exclude`, `schema`,",
    ),
    (_OWN, "suppress = {a = 'wrong-type'}", '`rule = "wrong-type"`, `path = "a"` and `reason = '),
    (
        _OWN,
        "[suppress]\nrule = 'wrong-type'\nreason = 'x'",
        'write `[[suppress]]`, and below it `rule = "wrong-type"` and `reason = "x"`',
    ),
    (
        _SHARED,
        "tool.manifestkit.schemas = 'x'",
        "unknown option `schemas`; did you mean `schema`?",
    ),
    (
        "manifestkit.toml",
        "fail-on = warning",
        ':1:11: `fail-on = warning` is not TOML: text needs quotes; write `fail-on = "warning"`',
    ),
    ("manifestkit.toml", "fail-on: info", 'and text needs quotes; write `fail-on = "info"`'),
    (
        "manifestkit.toml",
        'fail-on = "info\n',
        ':1:16: `fail-on = "info` is not TOML: a text ends with `"`; write `fail-on = "info"`',
    ),
    (
        "manifestkit.toml",
        "ignore = []\nignore = []\n",
        ":2:12: `ignore` has two values: keep only one",
    ),
    ("manifestkit.toml", 'ignore = "version-form"', "`ignore` must be an array"),
    ("manifestkit.toml", "[rules]", "unknown option `rules`"),
    (_OWN, "ignore = [\n]\n\n[limits]\n[rules]", f"{_OWN}:5: unknown option `rules`"),
    (
        _SHARED,
        "[project]\nlint = 1\n[tool.manifestkit]\nignore = []\nlint = 3",
        f"{_SHARED}:5: unknown option `lint`",
    ),
    (
        _OWN,
        "[rules]\nno-console = 'off'",
        "write nothing in `[severity]` (leave out `no-console`: there is no such rule, unless",
    ),
    (
        _OWN,
        "[rules]\nno-console = 'off'\nunknown-member = 'warn'",
        'write `unknown-member = "warning"` in `[severity]` (leave out `no-console`: there',
    ),
    (
        _OWN,
        "[publish]\nurl = 'https://calm.example.org/'",
        'write `domain = "calm.example.org"`; `base-url` is the service',
    ),
    (
        _OWN,
        "[publish]\ndomain = 'https://calm.example.org'",
        'without `https://`, port, path and `*`; write `domain = "calm.example.org"`',
    ),
    (
        _OWN,
        "[lint]\ndisabled_rules = ['version-form']\nfail_on = 'warn'",
        'write `ignore = ["version-form"]` and `fail-on = "warning"` above all tables, without',
    ),
    (_OWN, "[output]\nformat = 'checkstyle'", "delete it, and give `--output-format junit`"),
    (_OWN, "output-format = 'code-climate'", "give `--output-format gitlab` to the command"),
    (_OWN, 'profiles.x = "y"', "unknown option `profiles`; did you mean `profile`?"),
    *(
        (_OWN, f"[publish]\nx = {given}", f"{_OWN}:2: publish.x: unknown option `x`; {told}")
        for given, told in (
            ('"dist"', "delete it; the options here are `domain`, `base-url`, `api-form`,"),
            ("{}", "delete it; the options here are `domain`, `base-url`, `api-form`,"),
        )
    ),
    (
        _OWN,
        "[[suppress]]\nrule = 'a'\nreason = 'b'\nx = 1",
        ":4: suppress[0].x: unknown option `x`; delete it; the options here are `rule`, `path`,",
    ),
    (
        _OWN,
        "[lint]\nfail-on = 'warn'\nmax-depth = 9\nper-file-ignores = {a = ['wrong-type']}",
        'write `fail-on = "warning"` above all tables, `depth = 9` in `[limits]` and `[[supp',
    ),
    (_OWN, "unknown-member = 0", 'write `unknown-member = "off"` in `[severity]`'),
    (_OWN, "unknown-member = []", "delete it; the options here are `extend`, `exclude`,"),
    (_OWN, "unknown-member = 'ignore'", 'write `unknown-member = "off"` in `[severity]`'),
    (
        _OWN,
        "[unknown-member]\nenabled = false",
        'write `unknown-member = "off"` in `[severity]`, without `[unknown-member]`',
    ),
    (_OWN, "ignore = []\n[severity]\nversion-form = 'x'", f"{_OWN}:3: `severity.version-form` is"),
    (
        _OWN,
        "[[suppress]]\nrule = 'a'\nreason = 'b'\n[[suppress]]\nrule = 'a'",
        f"{_OWN}:4: `suppress[1]` has",
    ),
    (
        _OWN,
        "[[suppress]]\nrule = 'a'\nreason = '''\n[[suppress]]'''\n[[suppress]]\nrule = 'a'",
        f"{_OWN}:5: `suppress[1]` has",
    ),
    (_OWN, "0 = -1", "unknown option `0`; delete it; the options here are `extend`, `exclude`,"),
    (_OWN, "app = 'calm.example.org'", 'write `domain = "calm.example.org"` in `[publish]`'),
    (_OWN, "TreatWarningsAsErrors = true", 'write, for example, `fail-on = "warning"`'),
    (
        _OWN,
        "[lint]\ndisabled = ['no-x']",
        "write nothing above all tables (leave out `no-x`: there",
    ),
    (_OWN, "limits = {'depth' = 'x'}", f"{_OWN}:1: `limits.depth` must be an integer"),
    (_SHARED, "[tool]\nmanifestkit.limits.depth = 'x'", f"{_SHARED}:2: `limits.depth` must be"),
    *(
        (
            _OWN,
            f'suppress = [{{rule = "r", reason = "x", expires = "{given}"}}]',
            f'; write `expires = "{ours}"`',
        )
        for given, ours in (
            ("31.12.2027", "2027-12-31"),
            ("12/31/2027", "2027-12-31"),
            ("31 Dec 2027", "2027-12-31"),
            ("December 31, 2027", "2027-12-31"),
            ("20271231", "2027-12-31"),
            ("2027-12-31T10:00:00Z", "2027-12-31"),
        )
    ),
    (_OWN, "suppress = [{rule='r', reason='x', expires='05/06/2027'}]", "; write a date ("),
    (_OWN, "severity = 'warning'", "; write, for example, `version-form = "),
    (_OWN, "severity = [[1], {}]", "; write, for example, `version-form = "),
    (_OWN, "severity = [{version-form = 'warn'}]", '; write `version-form = "warning"` in'),
    (_OWN, "severity = {version-form = []}", '; use `"error"`, '),
    (_OWN, "extend-select = {}", "; write, for example, `version-form = "),
    (_OWN, "limits.bytes = {max = 5}", "; write `bytes = 5`"),
    (_OWN, "severity = ['version-form']", '; write `version-form = "warning"` in `[severity]`'),
    (_OWN, "limits.bytes = '10 MiB'", "; write `bytes = 10485760`"),
    (_OWN, "limits.bytes = '10 minutes'", "; write `bytes = 10`"),
    (_OWN, "format = [{schema='a.json', files=['*.a'], id='My A'}]", '; write `id = "my-a"`'),
    (
        _OWN,
        '{"profile": ["h.json"], "limits": {"depth": 9}}',
        'write each on its own line: `profile = ["h.json"]` and `depth = 9` in `[limits]`',
    ),
    *(
        (
            _OWN,
            f'suppress = [{{rule = "r", reason = "x", {given} = "2027-01-31"}}]',
            f"; write `{ours} = ",
        )
        for given, ours in (("until", "expires"), ("justification", "reason"))
    ),
]


@rows(("name", "text", "words"), MISTAKES)
def test_a_mistake_in_it_is_told(tmp_path: Path, name: str, text: str, words: str) -> None:
    configure(tree(tmp_path, "manifest.json"), text, name)
    outcome = manifest_here("lint", "manifest.json", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (USAGE, "")
    (told,) = outcome.err.splitlines()
    assert told.startswith(f"error: {name}:")
    assert words in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('profile = ["here/host.schema.json"]\n', "host.schema.json: no such file"),
        ('schema = "./here"\n', "here: is a folder"),
    ],
)
def test_a_schema_that_is_not_there_is_told(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "here").mkdir()
    configure(tree(tmp_path, "manifest.json"), text)
    outcome = manifest_here("lint", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert outcome.err.endswith(f"{told}\n")


def test_all_mistakes_in_it_are_told_at_once(tmp_path: Path) -> None:
    configure(tree(tmp_path, "manifest.json"), "a = 1\nb = 2\nexclude = 3")
    outcome = manifest_here("lint", cwd=tmp_path)
    told = [line.split("`")[1] for line in outcome.err.splitlines()]
    assert sorted(told) == ["a", "b", "exclude"]


def test_a_slip_of_toml_and_what_is_wrong_with_settings_are_told_at_once(tmp_path: Path) -> None:
    configure(
        tree(tmp_path, "manifest.json"), "[lint]\nfail-on = warning\nignore = [version-form]\n"
    )
    outcome = manifest_here("lint", cwd=tmp_path)
    assert outcome.code == USAGE
    assert [line.partition("write ")[2] for line in outcome.err.splitlines()] == [
        '`fail-on = "warning"`',
        '`ignore = ["version-form"]`',
        '`fail-on = "warning"` and `ignore = ["version-form"]` above all tables, without `[lint]`',
    ]


def test_a_setting_of_a_configuration_in_json_that_is_wrong_is_told_with_the_others(
    tmp_path: Path,
) -> None:
    tree(tmp_path, "manifest.json")
    (tmp_path / "x.json").write_text('{"fail-on": "warn", "ignore": ["version-form"]}')
    outcome = manifest_here("lint", "--config", "x.json", cwd=tmp_path)
    assert outcome.code == USAGE
    assert [line.partition("write")[2] for line in outcome.err.splitlines()] == [
        ' `ignore = ["version-form"]`',
        ' `fail-on = "warning"`',
    ]


def test_a_configuration_that_is_not_utf_8_is_told(tmp_path: Path) -> None:
    tree(tmp_path, "manifest.json")
    (tmp_path / "manifestkit.toml").write_bytes(b"exclude = ['\xff']")
    outcome = manifest_here("lint", cwd=tmp_path)
    assert outcome.code == USAGE
    assert "error: manifestkit.toml: 'utf-8' codec can't decode" in outcome.err


def test_schema_prints_the_configured_one(tmp_path: Path) -> None:
    own = '{"title": "Ours", "type": "object"}\n'
    (tmp_path / "own.schema.json").write_text(own)
    (tmp_path / "sub").mkdir()
    ours = manifest_here("schema", cwd=tmp_path).out
    configure(tmp_path, 'schema = "own.schema.json"')
    for folder in (tmp_path, tmp_path / "sub"):
        assert manifest_here("schema", cwd=folder).out == own
    assert "Activity provider manifest" in ours
    configure(tmp_path, "broken")
    assert manifest_here("schema", cwd=tmp_path).code == USAGE


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
@rows("name", ["manifestkit.toml", "pyproject.toml"])
@rows("target", ["gone.toml", "self", "."], ids=["nowhere", "circle", "folder"])
def test_a_configuration_that_leads_nowhere_is_an_error(
    tmp_path: Path, name: str, target: str
) -> None:
    (tmp_path / "manifest.json").write_bytes(VALID)
    (tmp_path / name).symlink_to(name if target == "self" else target)
    outcome = manifest_here("lint", "manifest.json", cwd=tmp_path)
    assert outcome.code == USAGE
    assert name in outcome.err


# -- a setting of any value ------------------------------------------------------------------

_SETTINGS = [
    *packaged_schema("configuration.schema.json").member_names,
    *(
        name
        for _, field in packaged_schema("configuration.schema.json").fields
        for name in field.synonyms
    ),
]
_WORDS = st.sampled_from([*_SETTINGS, "version-form", "warn", "off", "error", "/provider", "a.b"])
_SCALARS = st.one_of(
    _WORDS, st.integers(-3, 10**20), st.booleans(), st.floats(), st.dates(), st.datetimes()
)
_VALUES = st.recursive(
    _SCALARS,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(_WORDS, below, max_size=3),
    max_leaves=6,
)


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return (
            f"{{ {', '.join(f'{_toml(name)} = {_toml(each)}' for name, each in value.items())} }}"
        )
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, bool | str):
        return json.dumps(value)
    return value.isoformat() if isinstance(value, date) else str(value)


@given(table=st.sampled_from(["", "severity"]), name=st.sampled_from(_SETTINGS), value=_VALUES)
def test_a_setting_of_any_value_is_used_or_refused(table: str, name: str, value: object) -> None:
    text = f"{_toml(name)} = {_toml(value)}\n"
    text = f"[{table}]\n{text}" if table else text
    with TemporaryDirectory() as folder:
        configure(Path(folder), text)
        (Path(folder) / "manifest.json").write_text("{}", "utf-8")
        outcome = manifest_here("lint", cwd=folder)
    assert outcome.code in {CLEAN, FINDINGS, USAGE}, text
    assert outcome.code != USAGE or outcome.err.startswith("error: "), text


def test_a_mistake_in_it_is_told_where_no_manifest_is_beside_it(tmp_path: Path) -> None:
    """It may say which files are manifests: nobody knows that it is for none."""
    tree(tmp_path, "manifest.json", "a/lesson.json", "b/lesson.json")
    row = '[[format]]\nfiles = ["lesson.json"]\nschema = "lesson.schema.json"\n'
    configure(tmp_path / "a", row)
    (tmp_path / "a" / "lesson.schema.json").write_text("{}")
    assert listed(tmp_path, ".") == ["a/lesson.json", "manifest.json"]
    configure(tmp_path / "a", row.replace("files", "file"))
    outcome = manifest_here("lint", ".", cwd=tmp_path)
    assert (outcome.code, "a/manifestkit.toml" in outcome.err) == (USAGE, True)


_PLAIN_SECRETS = ["wJalr/K7MDENG.bPxRfiCY", "hunter-2.example.org", "D1nfpKl9VF85kLkoD24w-g"]
_KNOWN_SECRETS = [
    *("eyJhbGciOiJIUzI1NiJ9.eyJzdWIi.sig", "AKIAIOSFODNN7EXAMPLE", "ghp_16C7e42F292c6912E7"),
    "https://me:hunter2@api.example.org",
    "https://me:p:hunter2@ss@api.example.org",
]
_PLACES_OF_SECRETS = ["auth", "base-url", "x", "exclude", "ignore", "schema", "extend", "baseline"]
_NAMES_OF_SECRETS = [
    "pass",
    "cred",
    "tokens",
    "aws-secret",
    "apiKey",
    "api-key",
    "auth",
    "password",
    "jwt",
]


@rows(
    ("name", "secret"),
    [
        *((name, each) for name in _NAMES_OF_SECRETS for each in _PLAIN_SECRETS),
        *((name, each) for name in _PLACES_OF_SECRETS for each in _KNOWN_SECRETS),
    ],
)
def test_no_secret_of_a_configuration_is_printed(name: str, secret: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(VALID)
    ways = [f'= "{secret}"', f"= {secret}", f'= ["x", "{secret}"]', f': "{secret}"', f"= '{secret}"]
    ways += [f'= {{a = "{secret}"}}', f"{secret} = 1", f'= """\n{secret}\n"""', f'."{secret}" = 1']
    texts = [f"{table}{name} {way}\n" for table in ("", "[publish]\n") for way in ways]
    texts += [json.dumps({"publish": {name: secret}, "x": {name: [secret]}})]
    for text, file in zip(texts, cycle(["manifestkit.toml", ".manifestkit.yml"]), strict=False):
        (tmp_path / file).write_text(text)
        outcome = manifest_here("lint", cwd=tmp_path)
        assert secret not in outcome.out + outcome.err, text
        (tmp_path / file).unlink()


def test_what_looks_like_a_secret_is_used_as_it_is(tmp_path: Path) -> None:
    tree(tmp_path, "x.json")
    (tmp_path / "x.schema.json").write_text("{}")
    configure(
        tmp_path,
        '[publish]\nbase-url = "https://alice@h.example"\n'
        '[[format]]\nfiles = ["x.json"]\nschema = "x.schema.json"\n'
        'says = { key_type = "robot*" }\n'
        '[[suppress]]\nrule = "unknown-member"\nreason = "see ssh://git@github.com/org/repo"\n',
    )
    outcome = manifest_here("lint", "x.json", cwd=tmp_path)
    assert outcome.code != USAGE, outcome.err


@rows(
    ("text", "told"),
    [
        ('exclude = [\n "ignore=/",\n]\nignore = 5', "manifestkit.toml:4: `ignore` must be"),
        ('exclude = [ # ]\n "]", \']\',\n["ignore = "]]\nignore = 5', "toml:4: `ignore` must be"),
        ('exclude = []\n\nignore = ["nope"]', "manifestkit.toml:3: ignore: unknown rule `nope`"),
        ('\nselect = [\n"nope"]', "manifestkit.toml:2: select: unknown rule `nope`"),
        ('[severity]\n\nnope = "off"', "manifestkit.toml:3: severity: unknown rule `nope`"),
        (
            '\n[[suppress]]\nrule = "nope"\nreason = "x"',
            "manifestkit.toml:2: suppress[0]: unknown rule `nope`",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line(text: str, told: str, tmp_path: Path) -> None:
    tree(tmp_path, "manifest.json")
    configure(tmp_path, text)
    outcome = manifest_here("lint", "manifest.json", cwd=tmp_path)
    assert told in outcome.err
