"""What is mistyped is told with what was probably meant; and what `explain` knows."""

from __future__ import annotations

import json
import re
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import manifestkit
from command import CLEAN, EXAMPLES, REPOSITORY, USAGE
from in_process import manifest_here
from manifestkit.schema.drafts import Dialect
from manifestkit.schema.packaged import base_schema
from report_cases import GOOD
from rows import rows

CATALOGUE = REPOSITORY / "examples" / "profiles" / "host-catalogue.schema.json"


@rows(
    ("arguments", "meant"),
    [
        ("fix", "`manifest lint --fix`"),
        ("init", "`manifest new`"),
        ("compare", "`manifest diff`"),
        ("version", "`manifest --version`"),
        ("verify", "`manifest lint`"),
        ("push", "`manifest deploy`"),
        ("status", "`manifest diff --base HEAD`"),
        ("show", "`manifest preview`"),
        ("upload", "`manifest deploy`"),
        ("lint -o json", "`manifest lint --output-format json`"),
        ("lint --dry-run", "`manifest lint --diff`"),
        ("lint --strict", "`manifest lint --fail-on warning`"),
        ("lint --disable x", "`manifest lint --ignore x`"),
        ("lint --fix-unsafe", "`manifest lint --unsafe-fixes`"),
        ("lint --no-color", "`manifest lint --color never`"),
        ("lint --output-format markdwn", "`manifest lint --output-format markdown`"),
        ("lint --fixx", "`manifest lint --fix`"),
        ("lint --select unknwn-member", "`unknown-member`"),
        ("explain unknwn-member", "`unknown-member`"),
        ("explain premissions", "`permissions`"),
        ("explain duration", "`duration_minutes`"),
        ("explain context.health", "`context.health_summary`"),
        ("explain /provider/nme", "`/provider/name`"),
        ("explain /activities/0/surfces", "`/activities/0/surfaces`"),
        ("explain /activities/0/duration", "`/activities/0/duration_minutes`"),
    ],
)
def test_a_mistyped_word_is_told_with_the_one_that_was_meant(arguments: str, meant: str) -> None:
    outcome = manifest_here(*arguments.split(), cwd=EXAMPLES)
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert f"id you mean {meant}?" in outcome.err


@rows(
    ("written", "meant"),
    [("activity", "activities"), ("capability", "capabilities"), ("permission", "permissions")],
)
def test_one_item_in_the_name_of_a_list_is_a_misspelling(
    tmp_path: Path, written: str, meant: str
) -> None:
    manifest_file = tmp_path / "box.manifest.json"
    manifest_file.write_text(json.dumps(GOOD).replace(f'"{meant}": [', f'"{written}": 5, "x": ['))
    outcome = manifest_here("lint", str(manifest_file))
    assert f"`{written}` looks like a misspelling of it; write `{meant}`" in outcome.out


@pytest.mark.parametrize(
    ("value", "advice"), [("5", "`duration_minutes`,"), ('"300s"', '`"duration_minutes": 5`,')]
)
def test_the_first_word_of_a_member_is_advice_and_an_unsafe_fix(
    tmp_path: Path, value: str, advice: str
) -> None:
    manifest_file = tmp_path / "box.manifest.json"
    activity = '"activities": [{"duration": ' + value + ", "
    manifest_file.write_text(json.dumps(GOOD).replace('"activities": [{', activity))
    outcome = manifest_here("lint", str(manifest_file))
    assert outcome.code == CLEAN
    assert f"`duration` looks short for `duration_minutes`; write {advice}" in outcome.out
    manifest_here("lint", "--fix", str(manifest_file))
    assert "duration_minutes" not in manifest_file.read_text()
    manifest_here("lint", "--fix", "--unsafe-fixes", str(manifest_file))
    assert '"duration_minutes": 5' in manifest_file.read_text()


def test_a_word_that_is_near_to_none_is_told_without_a_guess() -> None:
    for arguments in (["xyzzy"], ["explain", "xyzzy"], ["explain", "/x/y"]):
        outcome = manifest_here(*arguments)
        assert outcome.code == USAGE
        assert "id you mean" not in outcome.err


@rows(
    ("arguments", "said"),
    [
        (["lnit"], "there is no command `lnit`; did you mean `manifest lint`?"),
        (["fleet", "lint", "a", "b", "-o", "c"], "extra argument (b)"),
        (["lint", "\u2014fix"], "begins with `--`: write `manifest lint --fix`"),
        (["fmt", "\u2013-check", "."], "begins with `--`: write `manifest fmt --check .`"),
        (["init", "com.example.calm"], "did you mean `manifest new --id com.example.calm`?"),
        (
            ["package", "-o", "build/calm.zip"],
            "outside the folder: write `manifest deploy . --dry-run --output ../calm.zip`",
        ),
        (["pack", "."], "write `manifest deploy . --dry-run --output ../site.zip`"),
        (["zip", "dist", "-o", "a.zip"], "write `manifest deploy dist --dry-run --output a.zip`"),
        (["build", "-s", "dist"], "write `manifest deploy dist --dry-run --output site.zip`"),
        (["bundle", "-v"], "packs a folder, and sends nothing"),
        (
            ["deploy", "dist", "--url=https://calm.example.org"],
            "`--base-url` is the service: write `manifest deploy dist --domain calm.example.org`",
        ),
        (
            ["lint", "--fix", "--output-format", "gitlab", "gl-code-quality-report.json"],
            "write `manifest lint --fix --output-format gitlab=gl-code-quality-report.json`",
        ),
        (["rollback"], "to roll back, write `manifest deploy ARCHIVE`, with that of an older"),
        (["versions"], "to roll back, write `manifest deploy ARCHIVE`, with that of an older"),
        (["deploy", "--exclude", "*.map"], 'write `ignore = ["*.map"]` under [publish] in manif'),
        (["deploy", "--ignore=*.map"], 'write `ignore = ["*.map"]` under [publish] in manifest'),
        (["deploy", "--include", ".x"], 'write `include = [".x"]` under [publish] in manifestkit'),
        (["pack", "dist", "--out", "a.zip", "--include", "x.md"], 'write `include = ["x.md"]` '),
        (["rollback", "old.zip"], "did you mean `manifest deploy old.zip`?"),
        (["lint", "-p", "host.json", "z.json"], "mean `manifest lint z.json --profile host.json`?"),
        (["deploy", "-p", "dist"], "; `manifest deploy --help` lists the options"),
        (["lint", "-x", "host.json", "z.json"], "`-x`; `manifest lint --help` lists the options"),
        (["lint", "--gate=host.json"], "`--gate`; `manifest lint --help` lists the options"),
        (["bump", "a.json"], "1.0.1: write `manifest set provider.version 1.0.1 a.json`"),
        (["bump", "minor", "a.json"], "write `manifest set provider.version 1.0.1 a.json`"),
        (["bump", "x y", "--email", "calm.example.org", "r.html"], "`manifest --help` lists them"),
        (
            ["fix", "--strict=q.json"],
            "leave out `q.json`: write `manifest lint --fix --fail-on war",
        ),
        (["explain", "--verbose=a"], "leave out `--verbose=a`: write `manifest explain`"),
        (["new", "--dry-run=x..y"], "leave out `x..y`: write `manifest new --dry-run`"),
        (["fmt", "--stdin=q.json", "a"], "and leave out `q.json`: write `manifest fmt a -`"),
        (["lint", "--fix=yes"], "did you mean `manifest lint --fix`?"),
        (["xyzzy"], "there is no command `xyzzy`; `manifest --help` lists them"),
        (["profile", "tset"], "there is no command `tset`"),
        (["lint", "--fail-on", "never"], "did you mean `manifest lint --exit-zero`?"),
        (["diff", "--exit-zero"], "`--exit-zero`; write `|| [ $? -eq 1 ]` after the command"),
        (["lint", "--base", "main"], "`--base`; give the files: docs/ci.md has the command, or"),
        (["preview", "--base", "main"], "| manifest preview FILE --against -`, or compare the"),
        (["preview", "a.json", "b.json"], "did you mean `manifest preview b.json --against a.jso"),
        (["explain", "duplicate-id"], "`duplicate-activity-id`, `duplicate-item` or `dupl"),
        (["explain", "placeholder"], "did you mean `unfilled-placeholder`?"),
        (
            ["lint", "--isolate"],
            "there is no option `--isolate`; did you mean `manifest lint --isolated`?",
        ),
        (["fmt", "--write"], "`--write`; `manifest fmt` writes the files: write `manifest fmt`"),
        (["lint", "--watch"], "no option `--watch`; use a tool such as `watchexec` for that"),
        (["lint", "--version"], "no option `--version`; write `manifest --version`"),
        (["deploy", "--token=x"], "set the variable MANIFESTKIT_TOKEN"),
        (["lint", "--exclude", "x"], "`--exclude`; configure `exclude` in manifestkit.toml"),
        (["lint", "--stdin-filename", "a.json"], "names standard input: write `-` too"),
        (["--json", "lint"], "`--json`; an option stands behind its command: write `manifest lint"),
        (
            ["diff", "a.json"],
            "or, to compare with a revision in git, write `manifest diff --base HEAD a.json`",
        ),
        (
            ["set", "provider.name", "Calm", "Box"],
            "`Box`: no such file; a VALUE with blanks stands in quotes",
        ),
        (
            ["set", "activities.box.surfaces.-", "phone", "watch"],
            "`watch`: no such file; one VALUE is added at a time: repeat the command for each",
        ),
        (
            ["set", "activities.box.surfaces", "phone", "watch"],
            'a list is written as one VALUE, such as `\'["a", "b"]\'`',
        ),
        (
            ["profile", "test", "host.json", "examples"],
            "did you mean `manifest profile test examples --profile host.json`?",
        ),
        (
            ["profile", "test", "examples", "host.yml"],
            "did you mean `manifest profile test examples --profile host.yml`?",
        ),
        (["explain", "a", "b"], "extra argument (b)"),
        (["lint", "--severity", "info"], "rule: write `manifest lint --fail-on info`"),
        (["sandbox", "--port", "x"], "`--port`: `x` is not a whole number"),
        (
            ["lint", "--xyzzy"],
            "there is no option `--xyzzy`; leave out `--xyzzy`: write `manifest lint`",
        ),
        (["lint", "--xyzzy", "4"], "leave out `--xyzzy 4`: write `manifest lint`"),
        (["explain", "--rul", "foo"], "leave out `--rul`: write `manifest explain foo`"),
        (["lint", "--", "-x"], "error: -x: no such file\n"),
        (["get", "provider.name", "gone"], "`gone`: no such file; give one PLACE at a time"),
        (["explain", "a", "b", "c"], "one name at a time: write `manifest explain a`"),
        (["lint", "--output-format=xyzzy"], "`xyzzy` is not one of full, concise, json, github, "),
        (["schema", "--draft", "4"], "`4` is not one of `2020-12`, `7`"),
    ],
)
def test_an_unknown_name_is_told_with_the_one_that_is_meant_or_with_all(
    arguments: list[str], said: str
) -> None:
    outcome = manifest_here(*arguments)
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert said in outcome.err


def under(member: str, schema: Any) -> dict[str, Any]:
    return {"properties": {"provider": {"properties": {member: schema}}}}


RULE = {"rule": "host-name", "message": "no"}
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DOCUMENTED = {f"m{n}": {"title": "M", "description": "Ours."} for n in range(300)}
MISNAMED: list[dict[str, Any]] = [
    {"dependentRequired": {"permisions": ["author"]}},
    {"dependentSchemas": {"permisions": {}}},
    {"$schema": DRAFT_7, "dependencies": {"permisions": ["author"]}},
    {"anyOf": [{"properties": {"permisions": {"maxItems": 0}}}]},
    {"not": {"properties": {"permisions": {}}}},
    {"if": {"properties": {"permisions": {"maxItems": 0}}}, "then": {}},
    {"dependentSchemas": {"author": {"properties": {"permisions": {}}}}},
]
REFERRING: list[tuple[dict[str, Any], dict[str, Any], str, str]] = [
    (
        {"if": {"required": ["runtime"]}, "then": {"$ref": "#/$defs/a"}},
        {"properties": {"permissions": {"maxLength": 0}}},
        "maxLength",
        "`maxLength` does not apply to `permissions`",
    ),
    (
        {"properties": {"permissions": {"not": {"$ref": "#/$defs/a"}}}},
        {"contains": {"const": "host.timr"}},
        "host.timr",
        "did you mean `host.timer`?",
    ),
    (
        {"not": {"properties": {"provider": {"allOf": [{"$ref": "#/$defs/a"}]}}}},
        {"required": ["nmae"], "not": {"properties": {"x": {"$ref": "#/$defs/a"}}}},
        "required",
        "did you mean `name`?",
    ),
]
MISTYPED: list[tuple[dict[str, Any], str, str]] = [
    (
        under("name", {"maxLength": 1, "x-manifestkit": {**RULE, "message": "not {vaule}"}}),
        "message",
        "there is no placeholder `{vaule}`; did you mean `{value}`?",
    ),
    (
        under("name", {"maxLength": 1, "x-manifestkit": {**RULE, "help": "at {pth}"}}),
        "help",
        "did you mean `{path}`?",
    ),
    *(
        (under("name", {"maxLength": 1, "x-manifestkit": {**RULE, "help": text}}), "help", said)
        for text, said in [
            ("add {needed}", "there is no placeholder `{needed}`"),
            ("at most {limit}", "there is no placeholder `{limit}`; write `{value}`, `{path}` or"),
        ]
    ),
    (
        under("nmae", {"maxLength": 1}),
        "nmae",
        "a manifest has no `nmae` here; did you mean `name`?",
    ),
    ({"required": ["permisions"]}, "required", "did you mean `permissions`?"),
    (
        {"properties": {"duration_minutes": {"maximum": 60}}},
        "duration_minutes",
        "a manifest has no `duration_minutes` here; it belongs in `activities`, or give it a",
    ),
    ({"required": ["sdk_version"]}, "required", "it belongs in `runtime`, or give it a `title`"),
    *((each, "permisions", "a manifest has no `permisions` here") for each in MISNAMED),
    ({"dependentRequired": {"author": ["permisions"]}}, "author", "did you mean `permissions`?"),
    (
        {"$schema": DRAFT_7, "properties": {"author": {"format": "uuid"}}},
        "format",
        "`uuid` is not a format of draft 7; it needs draft 2020-12",
    ),
    (
        {"properties": {"permissions": {"items": {"enum": ["host.haptics", "host.timr"]}}}},
        "host.timr",
        "`host.timr` is not a value of `permissions`; did you mean `host.timer`?",
    ),
    (
        {"properties": {"capabilities": {"items": {"allOf": [{"const": "host.haptics"}]}}}},
        "host.haptics",
        "`host.haptics` is not a value of `capabilities`; did you mean `host.haptic`?",
    ),
    (
        {"dependencies": {"permissions": ["capabilities"]}},
        "dependencies",
        "of draft 2020-12; write `dependentRequired` or `dependentSchemas`",
    ),
    (
        {"properties": {"activities": {"prefixItems": [{}], "additionalItems": False}}},
        "additionalItems",
        "`additionalItems` is not a keyword of draft 2020-12; write `items`",
    ),
    (
        {"$schema": DRAFT_7, "not": {"prefixItems": [False]}},
        "prefixItems",
        "`prefixItems` is not a keyword of draft 7; write `items` with an array",
    ),
    (
        {"$schema": DRAFT_7, "dependentRequired": {"version": ["permissions"]}},
        "dependentRequired",
        "`dependentRequired` is not a keyword of draft 7; write `dependencies`",
    ),
    (
        {"$schema": DRAFT_7, "dependentSchemas": {"version": False}},
        "dependentSchemas",
        "`dependentSchemas` is not a keyword of draft 7; write `dependencies`",
    ),
    (
        {"$schema": DRAFT_7, "properties": {"provider": {"unevaluatedProperties": False}}},
        "unevaluatedProperties",
        "`unevaluatedProperties` is not a keyword of draft 7; it needs draft 2020-12",
    ),
    (
        {"$schema": DRAFT_7, "contains": {}, "minContains": 2},
        "minContains",
        "`minContains` is not a keyword of draft 7; it needs draft 2020-12",
    ),
    (
        {"$schema": DRAFT_7, "properties": {"permissions": {"$ref": "#", "maxItems": 1}}},
        "maxItems",
        "`maxItems` is ignored next to `$ref`; put the `$ref` into an `allOf`",
    ),
    (
        {"$schema": DRAFT_7, "definitions": {"a": {}}, "$ref": "#/definitions/a", "not": True},
        "not",
        "`not` is ignored next to `$ref`",
    ),
    (
        {"$schema": DRAFT_7, "$ref": "#/$defs/a", "$defs": {"a": {"minimum": 1}}},
        "$defs",
        "`$defs` is not a keyword of draft 7; write `definitions`",
    ),
    (
        {"$schema": DRAFT_7, "properties": {"$defs": {"title": "Own", "minLenght": 1}}},
        "minLenght",
        "did you mean `minLength`?",
    ),
    *(
        ({"not": {name: ["provider"]}}, name, f"`{name}` is not a keyword of draft 2020-12")
        for name in ("$reff", "$Ref", "$def", "$definitions", "$required", "$recursiveRef")
    ),
    ({"$schema": DRAFT_7, "$anchor": "a"}, "$anchor", "`$anchor` is not a keyword of draft 7,"),
    ({"iff": {"required": ["runtime"]}}, "iff", "is not a keyword of JSON Schema; write `if`"),
    ({"nto": {"required": ["runtime"]}}, "nto", "is not a keyword of JSON Schema; write `not`"),
    (
        {"properties": {"provider": {"requird": ["author"]}, **DOCUMENTED}},
        "requird",
        "did you mean `required`?",
    ),
    (
        {"properties": {key: {"maxLength": 1} for key in [*DOCUMENTED, "activites"]}},
        "activites",
        "did you mean `activities`?",
    ),
    (
        {"$defs": {"a": {"$schema": DRAFT_7, "dependentRequired": {"version": ["permissions"]}}}},
        "$schema",
        "a schema of another draft must be in a separate file",
    ),
    ({"properties": {"activites": {}}}, "activites", "did you mean `activities`?"),
    ({"then": {"required": ["permissions"]}}, "then", "`then` is ignored without `if`"),
    ({"if": {"required": ["runtime"]}}, "if", "`if` is ignored without `then` and `else`"),
    *(
        (under("name", {name: "x"}), name, f"`{name}` is ignored here; write it in `x-manifestkit`")
        for name in ("help", "message", "needs", "rule", "severity")
    ),
    (
        {"properties": {"provider": {"name": {"maxLength": 1}}}},
        "name",
        "`name` is ignored here; write it below `properties`",
    ),
    (
        {"properties": {"activities": {"category": {"enum": ["run"]}}}},
        "category",
        "`category` is ignored here; write it below `items` and `properties`",
    ),
    (
        {"properties": {"activities": {"items": {"not": {"category": False}}}}},
        "category",
        "`category` is ignored here; write it below `properties`",
    ),
    *(
        ({name: value}, name, told)
        for name, value, told in [
            ("permissions", [], '`{"properties": {"permissions": {"maxItems": 0}}}`'),
            ("permissions", None, '`{"properties": {"permissions": {"type": "array"}}}`'),
            ("permissions", ["a"], '{"items": {"enum": ["a"]}}}}`, or `contains` and a `const`'),
            (
                "activities",
                [{"id": "x"}, {"id": "y"}],
                '[{"contains": {"properties": {"id": {"const": "x"}}}}, {"contains": {"prop',
            ),
            ("activities", {"category": ["a", "b"]}, '`{"properties": {"activities": {"items": {'),
            ("provider", {"id": "a"}, '`{"properties": {"provider": {"properties": {"id": {"c'),
        ]
    ),
    (
        {"properties": {"dependentRequired": {"provider": ["author"]}}},
        "dependentRequired",
        "`dependentRequired` is a keyword: write it beside `properties`, or give the member",
    ),
    ({"if": {}, "allOf": [{"else": False}]}, "else", "`else` is ignored without `if`"),
    (
        {"properties": {"permissions": {"minContains": 1}}},
        "minContains",
        "`minContains` is ignored without `contains`",
    ),
    (
        {"$schema": DRAFT_7, "properties": {"permissions": {"additionalItems": False}}},
        "additionalItems",
        "`additionalItems` is ignored without `items`",
    ),
    (under("name", {"format": "url"}), "format", "`url` is not a format; use `pattern`, or one"),
    (under("name", {"nullable": True}), "nullable", 'add `"null"` to `type`'),
    (under("name", {"errorMessage": "x"}), "errorMessage", '"x-manifestkit": {"message": "..."}'),
    (under("name", {"min": 2}), "min", "write `minimum`, `minLength` or `minItems`"),
    (under("name", {"pattern": "/^a/i"}), "pattern", "without slashes around it or flags behind"),
    (under("name", {"pattern": "/a$/"}), "pattern", "without slashes around it or flags behind"),
    *(
        (under("name", {low: 2, high: 2 - (low[0] == "m")}), low, f"no value has `{low}` 2 and")
        for low, high in [
            ("minimum", "maximum"),
            ("exclusiveMinimum", "maximum"),
            ("minimum", "exclusiveMaximum"),
            ("exclusiveMinimum", "exclusiveMaximum"),
            ("minLength", "maxLength"),
            ("minItems", "maxItems"),
            ("minProperties", "maxProperties"),
        ]
    ),
    (
        under("tags", {"contains": {}, "minContains": 2, "maxContains": 1}),
        "minContains",
        "no value has `minContains` 2 and `maxContains` 1",
    ),
    (
        under("name", {"minItems": 1}),
        "minItems",
        '`minItems` does not apply to `name`, of type `string`; write `"minLength": 1`',
    ),
    (
        {"properties": {"permissions": {"items": {"uniqueItems": True}}}},
        "uniqueItems",
        "`uniqueItems` does not apply to `permissions`, of type `string`",
    ),
    (
        {"properties": {"permissions": {"anyOf": [{"minLength": 1}, {"maxItems": 1}]}}},
        "minLength",
        'of type `array`; write `"minItems": 1`, or put it into `items`',
    ),
    (
        {"properties": {"activities": {"maxLength": 3}}},
        "maxLength",
        '`maxLength` does not apply to `activities`, of type `array`; write `"maxItems": 3`',
    ),
    (
        {"properties": {"permissions": {"pattern": "^host"}}},
        "pattern",
        "`pattern` does not apply to `permissions`, of type `array`; put it into `items`",
    ),
    (
        {"properties": {"activities": {"required": ["thumbnail"]}}},
        "required",
        "does not apply to `activities`, of type `array`; put it into `items`",
    ),
    (
        under("x-own", {"title": "Own", "type": "string", "multipleOf": 2}),
        "multipleOf",
        "`multipleOf` does not apply to `x-own`, of type `string`",
    ),
    (
        {"properties": {"provider": {"properties": {"id": {}}, "additionalProperties": False}}},
        "additionalProperties",
        "`additionalProperties` refuses `name`, which every manifest has; add it to `properties`",
    ),
    (
        {"unevaluatedProperties": False, "properties": {"x-own": {"title": "Own"}}},
        "unevaluatedProperties",
        "`unevaluatedProperties` refuses `schema_version`, which every manifest has",
    ),
    (
        {"$defs": {"short": {"maxLength": 2}}, **under("name", {"$ref": "#/$defs/shrt"})},
        "$ref",
        "did you mean `#/$defs/short`?",
    ),
    (
        {"$ref": "urn:manifestkit:activity-provider-manifst"},
        "$ref",
        "did you mean `urn:manifestkit:activity-provider-manifest`?",
    ),
    (
        under("name", {"$ref": "urn:manifestkit:activity-provider-manifest#/$defs/permision"}),
        "$ref",
        "did you mean `urn:manifestkit:activity-provider-manifest#/$defs/permission`?",
    ),
    (
        {"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"properties": {"providr": {}}}}},
        "providr",
        "did you mean `provider`?",
    ),
    *(({"$defs": {"a": there}, **profile}, at, said) for profile, there, at, said in REFERRING),
]


@rows(("profile", "at", "told"), MISTYPED, ids=lambda each: str(each)[:40])
def test_a_mistyped_name_in_a_profile_is_told_with_its_place(
    tmp_path: Path, profile: dict[str, Any], at: str, told: str
) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(GOOD))
    text = json.dumps(profile, indent=1)
    (tmp_path / "host.json").write_text(text)
    outcome = manifest_here("lint", "--profile", "host.json", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (USAGE, "")
    line = next(n for n, each in enumerate(text.splitlines(), 1) if f'"{at}"' in each)
    assert outcome.err.startswith(f"error: host.json:{line}:")
    assert told in outcome.err


@given(st.sampled_from(sorted(Dialect.CURRENT.keywords)), st.integers(0, 400), st.data())
def test_a_keyword_with_two_letters_swapped_is_refused_beside_any_number_of_members(
    keyword: str, count: int, data: st.DataObject
) -> None:
    pairs = [at for at, (one, two) in enumerate(pairwise(keyword)) if one != two]
    at = data.draw(st.sampled_from(pairs))
    swapped = f"{keyword[:at]}{keyword[at + 1]}{keyword[at]}{keyword[at + 2 :]}"
    members = {f"m{n}": {"title": "M", "description": "Ours.", "default": n} for n in range(count)}
    profile = {"properties": {"provider": {swapped: ["author"]}, **members}}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "host.json")
        file.write_text(json.dumps(profile))
        with pytest.raises(manifestkit.SchemaError, match=re.escape(f"`{swapped}` is not a key")):
            manifestkit.load_profile(file)


ABOUT_CHANGES = {
    "if": {"required": ["version"]},
    "else": {"properties": {"changes": {"maxItems": 0}}},
}
WITH_THE_NAMES_OF_A_CHANGE = {
    "properties": {"changes": {"x-manifestkit": {**RULE, "message": "now {new}"}, "maxItems": 0}}
}
ABOUT_CHANGES_BY_REFERENCE = {
    "$defs": {"a": {"dependentSchemas": {"version": {"properties": {"old": {"required": ["x"]}}}}}},
    "anyOf": [{"allOf": [{"$ref": "#/$defs/a"}]}, False],
}
ABOUT_MANIFESTS = {"anyOf": [{"properties": {"permissions": {"maxItems": 1}}}, False]}


@rows(
    ("arguments", "profile", "told"),
    [
        (["lint"], ABOUT_CHANGES, "`changes` is a member of changes, not of manifests; use"),
        (["lint"], WITH_THE_NAMES_OF_A_CHANGE, "`changes` is a member of changes, not of"),
        (["lint"], ABOUT_CHANGES_BY_REFERENCE, "`old` is a member of changes, not of manifests"),
        (["diff", "manifest.json"], ABOUT_MANIFESTS, "`permissions` is a member of manifests, not"),
    ],
    ids=["lint", "lint with names", "lint by reference", "diff"],
)
def test_a_profile_of_the_other_kind_is_refused(
    tmp_path: Path, arguments: list[str], profile: dict[str, Any], told: str
) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(GOOD))
    (tmp_path / "host.json").write_text(json.dumps(profile))
    outcome = manifest_here(*arguments, "manifest.json", "--profile", "host.json", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert outcome.err.startswith(f"error: host.json: {told}")


@rows(
    ("field", "told"),
    [
        ("provider.version", "did you mean `/provider/version`?"),
        ("/provider/versio", "did you mean `/provider/version`?"),
        ("/activities/0/name", "did you mean `/activities/*/name`?"),
        ("/permissions", "did you mean `/permissions/*`?"),
        ("/activities/name", "did you mean `/activities/*/name`?"),
        ("/runtime", "did you mean `/runtime/entrypoint`?"),
        ("/presentation", None),
        ("/activities/*/surfaces", None),
        ("/permissions/*", None),
        ("/x-own/*", "did you mean `/x-own`?"),
        ("/provider/contact/email", "did you mean `/provider/contact`?"),
        ("/x-own", None),
        ("", None),
    ],
)
@rows("keyword", ["const", "enum", "$ref"])
def test_a_field_that_no_change_has_is_refused(
    tmp_path: Path, field: str, told: str | None, keyword: str
) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(GOOD))
    value = {"const": field, "enum": [field], "$ref": "#/$defs/named"}[keyword]
    changed = {"properties": {"field": {keyword: value}}}
    profile = {
        "$defs": {"named": {"const": field}} if keyword == "$ref" else {},
        "properties": {"changes": {"items": {"if": changed, "then": {"required": ["old"]}}}},
    }
    (tmp_path / "host.json").write_text(json.dumps(profile))
    arguments = ("diff", "manifest.json", "manifest.json", "--profile", "host.json")
    outcome = manifest_here(*arguments, cwd=tmp_path)
    assert outcome.code == (USAGE if told else CLEAN)
    assert (told or "") in outcome.err


@rows(
    "profile",
    [
        under("contact", {"format": "email"}),
        under("names", {"title": "Names", "type": "array"}),
        under("items", {"title": "Items", "type": "array"}),
        {"properties": {"permissions": {"items": {"uniqueItems": False}}}, "category": "any"},
        {"if": {"$ref": "#/$defs/a"}, "then": {"required": ["provider"]}}
        | {"$defs": {"a": {"properties": {"x": {"$ref": "#/$defs/a"}}}}},
        under(
            "name", {"maxLength": 99, "x-manifestkit": {**RULE, "message": "{value} {path} {id}"}}
        ),
        under(
            "name",
            {
                "maxLength": 99,
                "x-manifestkit": {**RULE, "message": 'write {"a": 1} or {path of it}'},
            },
        ),
        {
            "properties": {
                "permissions": {"$ref": "#/$defs/filled"},
                "version": {"title": "Version", "$ref": "#/$defs/filled"},
            },
            "$defs": {"filled": {"minLength": 1, "minItems": 0}},
        },
        {"allOf": [{"anyOf": [{"additionalProperties": {}}]}], "unevaluatedProperties": False},
        {"required": ["provider"], "anyOf": [True], "unevaluatedProperties": False}
        | {"patternProperties": {"": True}},
        {
            "properties": {
                "capabilities": {
                    "x-manifestkit": {
                        "message": "{needed}",
                        "needs": {"/permissions": {"activity.start": ["host.timer"]}},
                    }
                }
            }
        },
    ],
    ids=str,
)
def test_a_name_that_a_profile_adds_on_purpose_is_none(
    tmp_path: Path, profile: dict[str, Any]
) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(GOOD))
    (tmp_path / "host.json").write_text(json.dumps(profile))
    assert manifest_here("lint", "--profile", "host.json", cwd=tmp_path).code == CLEAN


# -- explain -----------------------------------------------------------------------------------


def test_explain_of_a_list_has_its_values_with_their_sentences() -> None:
    said = manifest_here("explain", "permissions").out
    field = base_schema().field(("permissions", 0))
    assert field
    assert field.values
    for value, meaning in field.values:
        assert f"- `{value}`: {meaning}\n" in said


def test_explain_of_a_list_of_objects_has_their_members() -> None:
    said = manifest_here("explain", "activities").out
    assert "  - `id` (required): " in said
    assert "  - `surfaces` (optional): " in said


def test_explain_knows_the_rules_and_demands_of_a_profile(tmp_path: Path) -> None:
    (tmp_path / "manifestkit.toml").write_text(f"profile = [{json.dumps(str(CATALOGUE))}]")
    category = manifest_here("explain", "category", cwd=tmp_path).out
    assert f"Required by {CATALOGUE}\n" in category
    assert '      "enum": [\n        "focus",\n        "learning"' in category
    assert '"rule": "host-category"' in category
    value = manifest_here("explain", "focus", cwd=tmp_path).out
    assert value.startswith("focus\n\nAs a category, in /activities/*/category\n")
    assert manifest_here("explain", "host-category", cwd=tmp_path).code == CLEAN
    assert "Demanded" not in manifest_here("explain", "category").out
