"""`--schema FILE`: manifests held to another schema, and schemas that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import manifestkit
from command import CLEAN, FINDINGS, REPOSITORY, USAGE
from in_process import manifest_here
from rows import rows
from samples import BROKEN, VALID
from schema_engine import needs_jsonschema_rs


def lint_by(folder: Path, schema: str, value: Any = None) -> list[str]:
    """What is found by a schema in a value (default: the valid manifest), each as `place rule`."""
    (folder / "own.json").write_text(schema, encoding="utf-8")
    (folder / "it.json").write_bytes(VALID if value is None else json.dumps(value).encode())
    options = manifestkit.Options(schema=folder / "own.json")
    return [
        f"{each.location.line}:{each.location.column} {each.rule}"
        for each in manifestkit.lint_paths([folder / "it.json"], options).findings
    ]


def test_another_schema_takes_the_place_of_ours(tmp_path: Path) -> None:
    assert lint_by(tmp_path, "{}", {"anything": 1}) == []
    assert lint_by(tmp_path, "false") == ["1:1 schema-false"]


@rows(
    ("schema", "value", "rule", "place"),
    [
        ({"required": ["a"]}, {}, "missing-field", "1:1"),
        ({"type": "array"}, {}, "wrong-type", "1:1"),
        ({"additionalProperties": False}, {"a": 1}, "unknown-member", "1:2"),
        ({"unevaluatedProperties": False}, {"a": 1}, "unknown-member", "1:2"),
        ({"properties": {"a": {"minLength": 2}}}, {"a": "x"}, "schema-minLength", "1:7"),
        ({"properties": {"a": {"pattern": "^[a-z]+$"}}}, {"a": "X"}, "schema-pattern", "1:7"),
        ({"properties": {"a": {"format": "date"}}}, {"a": "X"}, "schema-format", "1:7"),
        ({"properties": {"a": {"const": 1}}}, {"a": 2}, "schema-const", "1:7"),
        ({"properties": {"a": {"maximum": 1}}}, {"a": 2}, "schema-maximum", "1:7"),
        ({"properties": {"a": False}}, {"a": 2}, "schema-false", "1:7"),
        ({"propertyNames": {"maxLength": 1}}, {"ab": 2}, "schema-propertyNames", "1:2"),
        ({"properties": {"a": {"uniqueItems": True}}}, {"a": [1, 1]}, "schema-uniqueItems", "1:11"),
        ({"not": {}}, {}, "schema-not", "1:1"),
        ({"anyOf": [{"type": "array"}]}, {}, "schema-anyOf", "1:1"),
        ({"$ref": "urn:manifestkit:activity-provider-manifest"}, [], "wrong-type", "1:1"),
    ],
    ids=lambda each: json.dumps(each) if isinstance(each, dict) else str(each),
)
def test_each_keyword_has_its_rule_and_its_place(
    tmp_path: Path, schema: dict[str, Any], value: Any, rule: str, place: str
) -> None:
    assert lint_by(tmp_path, json.dumps(schema), value) == [f"{place} {rule}"]


def test_a_copy_of_ours_gives_the_same_findings(tmp_path: Path) -> None:
    ours = REPOSITORY / "schemas" / "activity-provider-manifest.schema.json"
    (tmp_path / "copy.json").write_bytes(ours.read_bytes())
    (tmp_path / "b.json").write_bytes(BROKEN)
    plain = manifest_here("lint", "b.json", cwd=tmp_path)
    assert plain.code == FINDINGS
    copied = manifest_here("lint", "b.json", "--schema=copy.json", cwd=tmp_path)
    assert copied.out == plain.out
    assert copied.err == plain.err.replace("checked", "checked against copy.json")


def test_a_schema_may_refer_to_a_file_in_its_folder(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "text.json").write_text('{"$defs": {"t": {"type": "string"}}}')
    schema = '{"properties": {"a": {"$ref": "parts/text.json#/$defs/t"}}}'
    assert lint_by(tmp_path, schema, {"a": 1}) == ["1:7 wrong-type"]


def test_an_annotation_says_rule_severity_and_message(tmp_path: Path) -> None:
    schema = {
        "x-manifestkit": {"rule": "no-a", "severity": "warning", "message": "no {value}"},
        "maxProperties": 0,
    }
    (tmp_path / "own.json").write_text(json.dumps(schema))
    outcome = manifest_here("lint", "-", "--schema=own.json", cwd=tmp_path, stdin=b'{"a": 1}')
    assert (outcome.code, outcome.out) == (
        CLEAN,
        "<stdin>:1:1: warning no-a no an object; keep at most 0 members\n",
    )


def test_a_pattern_is_told_beside_a_message_of_ones_own(tmp_path: Path) -> None:
    schema = {"pattern": "^[a-z]$", "x-manifestkit": {"message": "no {value}"}}
    (tmp_path / "own.json").write_text(json.dumps(schema))
    outcome = manifest_here("lint", "-", "--schema=own.json", cwd=tmp_path, stdin=b'"A1"')
    assert outcome.out.endswith(" no `A1`; write text that matches `^[a-z]$`\n")


_REF = '{"properties": {\n  "a": {"$ref": %s}}}'
# Each: what it is, the schema, line and column, words of the message.
BROKEN_SCHEMAS = [
    ("bad JSON", '{"type": "object",\n}', "1:18", "`}`"),
    ("nothing", "", "1:1", "the file is empty"),
    ("a key twice", '{"type": "object",\n "type": "array"}', "2:2", "`type`"),
    ("not lead to a schema", "[1]", "1:1", "not a JSON Schema"),
    (
        "a bad keyword",
        '{"properties": {"a":\n {"type": "sting"}}}',
        "2:11",
        "`sting` is not a type; did you mean `string`?",
    ),
    ("a bad value", '{\n "minLength": -1}', "2:15", "not a JSON Schema"),
    *(
        (
            f"a list with {each}",
            '{\n "items": [{' + each + "}, true]}",
            "2:11",
            f"`[{{{each}}}, true]`",
        )
        for each in (
            '"const": "a"',
            '"enum": ["a"]',
            '"not": {"const": 1}',
            '"items": {"type": "a"}',
        )
    ),
    ("a bad regex", '{\n "pattern": "["}', "2:13", "`[` is not a supported regular expression"),
    (
        "lookahead",
        '{"pattern": "(?=a)"}',
        "1:13",
        "lookaround and backreferences",
    ),
    ("lookbehind", '{"a": 1, "pattern":\n"(?<!a)b"}', "2:1", "lookaround"),
    ("a backreference", '{"pattern": "(a)\\\\1"}', "1:13", "lookaround"),
    (
        "lookahead in a name",
        '{"patternProperties": {\n "(?!a)": {}}}',
        "2:11",
        "lookaround",
    ),
    ("a remote $ref", _REF % '"https://example.com/a.json"', "2:17", "not fetched"),
    ("a $ref to nowhere", _REF % '"#/$defs/gone"', "2:17", "`#/$defs/gone` cannot be resolved"),
    ("a $ref to no file", _REF % '"gone.json"', "2:17", "`gone.json` cannot be resolved"),
    ("a $ref out of the folder", _REF % '"../outside.json"', "2:17", "cannot be resolved"),
    ("a $ref to any file", _REF % '"file:///etc/passwd"', "2:17", "cannot be resolved"),
    ("a $ref to itself", '{"$ref": "#"}', "1:1", "refers to itself"),
    (
        "a $ref in a circle",
        """{"$ref": "#/$defs/a", "$defs": {
            "a": {"allOf": [{"$ref": "#/$defs/b"}]},
            "b": {"$ref": "#/$defs/a"}}}""",
        None,
        "refers to itself",
    ),
]


@rows(
    ("schema", "place", "words"),
    [row[1:] for row in BROKEN_SCHEMAS],
    ids=[row[0] for row in BROKEN_SCHEMAS],
)
def test_a_schema_that_cannot_be_used_is_told_with_its_place(
    tmp_path: Path, schema: str, place: str | None, words: str
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "outside.json").write_text("{}")
    (folder / "own.json").write_text(schema)
    options = manifestkit.Options(schema=folder / "own.json")
    with pytest.raises(manifestkit.SchemaError) as raised:
        manifestkit.lint_paths([folder / "own.json"], options)
    assert f"own.json:{place or ''}" in str(raised.value)
    assert words in str(raised.value)


def test_the_command_tells_it_in_one_line_and_exits_with_2(tmp_path: Path) -> None:
    (tmp_path / "own.json").write_text('{"type":\n 1}')
    outcome = manifest_here("lint", "-", "--schema=own.json", cwd=tmp_path, stdin=VALID)
    assert (outcome.code, outcome.out) == (USAGE, "")
    (told,) = outcome.err.splitlines()
    assert told.startswith("error: own.json:2:2: not a JSON Schema: ")


def test_a_schema_that_is_missing_is_told(tmp_path: Path) -> None:
    outcome = manifest_here("lint", "-", "--schema=gone.json", cwd=tmp_path, stdin=VALID)
    assert (outcome.code, outcome.err) == (USAGE, "error: gone.json: no such file\n")


def test_a_member_of_another_place_is_judged_in_a_list_of_objects(tmp_path: Path) -> None:
    file = tmp_path / "list.schema.json"
    file.write_text('{"properties": {"a": {}}, "items": {"properties": {"id": {}}}}')
    result = manifestkit.lint('[{"a": 1}]', "manifest.json", schema=file)
    assert (result.findings, result.crash) == ((), None)


def test_a_recursive_schema_is_no_loop(tmp_path: Path) -> None:
    schema = '{"properties": {"a": {"$ref": "#"}}, "type": "object"}'
    assert lint_by(tmp_path, schema, {"a": {"a": 1}}) == ["1:13 wrong-type"]


@needs_jsonschema_rs
def test_a_pattern_that_backtracks_elsewhere_comes_to_an_end(tmp_path: Path) -> None:
    # A backtracking engine would take longer than the universe has.
    assert len(lint_by(tmp_path, '{"pattern": "^(a+)+$"}', "a" * 50_000 + "b")) == 1
