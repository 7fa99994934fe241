"""`--fix` destroys no text: what a slip of the keyboard broke comes back, or stays as it is."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import manifestkit
import slips
from command import FINDINGS
from in_process import manifest_here

pytestmark = pytest.mark.slow


def syntax_errors(text: str) -> list[tuple[str, int, bool]]:
    """Of each syntax error, the message, the column, and whether it has a safe fix."""
    return [
        (each.message, each.location.column, any(fix.safety == "safe" for fix in each.fixes))
        for each in manifestkit.lint(text, "m.json").findings
        if each.rule == "syntax-error"
    ]


def fixed(text: str, name: str = "m.json") -> str:
    return manifestkit.fix(text.encode(), name).data.decode()


def test_after_a_fix_of_a_slip_nothing_else_differs_from_the_original() -> None:
    chance = random.Random(0)
    broken = 0
    while broken < 300:
        slip = slips.slips(chance)
        found = slips.outcome(slip)
        assert found.kind != "otherwise", (slip, found)
        assert found.findings <= 6, slip
        broken += bool(found.findings)


def test_a_fix_in_yaml_changes_punctuation_only_and_joins_no_scalars() -> None:
    chance = random.Random(0)
    broken = fixes = 0
    while broken < 600:
        slip = slips.yaml_slips(chance)
        found = slips.yaml_outcome(slip)
        assert found.kind != "otherwise", (slip, found)
        broken += bool(found.findings)
        fixes += found.text != slip.text
    assert fixes > 0


MISQUOTED = [
    ('{"name": "The "box" one"}', 15),
    ('{"name": "The " box " one"}', 15),
    ('{"name": "Calm, "version": "1.0.0" }', 17),
    ('{name": "Calm", "version": "1.0.0"}', 2),
    ('{"name: "Calm", "version": "1.0.0"}', 9),
    ('{"name":"The "box" one","version":"1.0.0","tags":["a","b"]}', 14),
    ('{"tags": ["a", "b, "c", "d"]}', 20),
    ('{"tags": ["a"1, "b"]}', 13),
]


@pytest.mark.parametrize(("text", "column"), MISQUOTED)
def test_a_quote_out_of_place_is_one_finding_without_a_fix(text: str, column: int) -> None:
    assert syntax_errors(text) == [("a quote is missing or not escaped", column, False)]
    assert fixed(text) == text


@pytest.mark.parametrize(
    "text",
    [
        '{"name": Calm"}',
        '{"name": "Calm\n"}',
        '{"name": "Calm\nbreath", "version": "1.0.0"}',
        '{"tags": ["a, \n[1]", "b"]}',
        '{"a": "Calm,\n "b": 1}',
        '{"a": "Calm\n}',
        '{"name": "Calm,\n}',  # is the comma in the text?
        '{"name": "Calm  \n}',  # are the spaces?
        '{"name": "Calm\\",\n "a": 1}',
        '{"count": "30,\n "a": 1}',  # a number and a quote too many?
        '{"name: ": ",\n "a": 1}',
        '{"tags": ["a, 5\n]}',
        '{"name": "Calm,"\n "a": 1}',  # the comma was typed too early
        '{"name": "Calm" ",a": 1}',
        '{"name:" "Calm"}',
        '{"a":b": 1}',
        "[1 2]",  # or 12?
        '[1 "a"]',
        "[,12]",
        '{"path": "C:\\work\\new"}',
        "['\"a\"']",
        '[“a"]',
        '{"a": 1 # "b": 2,\n}',
        "[01,]",  # or [0, 1]?
        '{"a": 1, "b": [1,}',
    ],
)
def test_what_can_be_read_in_two_ways_is_left_as_it_is(text: str) -> None:
    assert not any(is_fixed for *_, is_fixed in syntax_errors(text))
    assert fixed(text) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "b" "c": "d"}', {"a": "b", "c": "d"}),
        ('{"a":"b""c":"d"}', {"a": "b", "c": "d"}),
        ('{"a":"b","c""d"}', {"a": "b", "c": "d"}),
        ('["a"\n"b"\n"c"]', ["a", "b", "c"]),
        ('["a" "b" "c"]', ["a", "b", "c"]),
        ('{"a": 1,, "b": [2],}', {"a": 1, "b": [2]}),
        ('{"a": {"b": 1} "c": [[] []]}', {"a": {"b": 1}, "c": [[], []]}),
        ('{"a": 1,}\n', {"a": 1}),
        ("{a: 'it\\'s', 'b': True, c: +1,}", {"a": "it's", "b": True, "c": 1}),
        ('["a\tb"]', ["a\tb"]),
    ],
)
def test_what_can_be_read_in_one_way_is_fixed(text: str, value: object) -> None:
    assert json.loads(fixed(text)) == value


@pytest.mark.parametrize("text", [MISQUOTED[0][0], '{"a": 1 "b": [1}', '{"a: 1}'])
def test_the_command_leaves_a_broken_file_as_it_is(tmp_path: Path, text: str) -> None:
    file = tmp_path / "m.json"
    file.write_text(text)
    assert manifest_here("lint", "--fix", "m.json", cwd=tmp_path).code == FINDINGS
    assert manifest_here("fmt", "m.json", cwd=tmp_path).code == FINDINGS
    assert manifest_here("set", "/name", "x", "m.json", cwd=tmp_path).code == FINDINGS
    assert file.read_text() == text


HEAD = """\
schema_version: "1.0"
provider: {id: com.example.a, name: A, version: 1.0.0}
runtime: {entrypoint: a.js, sdk_version: "1.0"}
permissions: []
capabilities: []
activities:
"""


@pytest.mark.parametrize(
    "item",
    [
        'id: box, name: "Box breathing", duration_minutes: 5',
        "id: box, name: Box breathing, duration_minutes: 5}",
        "\u201cid: box, name: Box breathing, duration_minutes: 5",
        '\u201cid: box, name: "Box breathing", duration_minutes: 5}',
        "@id: box, name: Box breathing, duration_minutes: 5}",
        "id: box    name: Box breathing",  # a line end is missing
        "id: box\t    name: Box breathing",
        'id: box\n    name: Box: the breath"',
        "id: box\n    name: `Box # the breath'",
        "id: box\n    name: Box: [the breath",
        "id: box\n    name: box: the breath",  # a member, or the text of one?
        "id: box\n    name: Box:",
        "id: box\n    surfaces: @phone, watch",
        "id: box\n    nam:e Box",
        "id: box\n    name:Box, duration_minutes: 5}",
        "{id: box, name B}",  # no misspelling: `B` would be lost
        "{id: box, name:Box}",
        '{id: box, name: Box, note:"a"}',
        "{id: box, 'name!: B'}",
    ],
)
def test_yaml_that_can_be_read_in_two_ways_is_left_as_it_is(item: str) -> None:
    text = f"{HEAD}  - {item}\n"
    assert fixed(text, "m.yaml") == text


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("presentation: thumbnail: box.png", None),
        ("presentation: thumbnail: box.png}", None),
        ('presentation "thumbnail": "box.png"', None),
        ("permissions: [host.timer; x]", None),
        ("x-note: Box: the breath", None),
        ("x-note: Box: it's \u2019the boys\u2019", None),
        ("x-note: Box: it's the breath  # or: so", None),
        ("x-note: High water: springs, neaps", None),
        ("x-note: @home", None),
        ("x-note:[a, b]", "x-note: [a, b]"),
        ('x-note:"a"', 'x-note: "a"'),
        ("x-note:Box", "x-note: Box"),
    ],
)
def test_a_line_of_yaml_is_fixed_if_it_can_be_read_in_one_way(line: str, meant: str | None) -> None:
    text = HEAD.replace("permissions: []\n", "") if line.startswith("permissions") else HEAD
    text += "  - {id: box, name: Box}\n"
    assert fixed(f"{text}{line}\n", "m.yaml") == f"{text}{meant or line}\n"


def test_the_command_does_not_make_members_a_text(tmp_path: Path) -> None:
    file = tmp_path / "m.yaml"
    file.write_text(HEAD.replace("provider: {", "provider: ") + "  - {id: box, name: Box}\n")
    before = file.read_text()
    done = manifest_here("lint", "--fix", "m.yaml", cwd=tmp_path)
    assert done.code == FINDINGS
    assert file.read_text() == before
