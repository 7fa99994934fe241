"""What is said of a value, and its fix, do not depend on the other values of the file."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

import manifestkit
from rows import rows

READER = YAML(typ="safe")

NEIGHBOURS = [
    "Calm",
    'Say "hi"',
    "back\\slash",
    "two\nlines",
    "a\ttab",
    "caf\u00e9",
    "\x7f",
    "\u202ec",
    "host.timer, host.haptics",
    "",
    " ",
]
PATHS = [
    *("dist/index.js", "dist\new\tool.js", "a.png\t", "dist/index.js\n"),
    *("\tb.js", "a\nb", "a\x1bb"),
]
VALUES = [*PATHS, *NEIGHBOURS, "1.0", "v1", "host.timre", "context.signals", "5 min", "yes"]


def manifest(**values: str) -> dict[str, Any]:
    """A manifest with some of its texts given."""

    def text(name: str, otherwise: str) -> str:
        return values.get(name, otherwise)

    return {
        "schema_version": text("schema_version", "1.0"),
        "provider": {"id": "calm", "name": text("name", "Calm"), "version": text("version", "1.0")},
        "runtime": {"entrypoint": text("entrypoint", "a.js"), "sdk_version": "1.0"},
        "activities": [
            {"id": "box", "name": "Box", "thumbnail": text("thumbnail", "a.png")},
            {"id": "walk", "name": "Walk", "category": text("category", "outdoors")},
        ],
        "permissions": [text("permission", "host.timer")],
        "capabilities": [],
    }


PLACES = {
    "schema_version": "/schema_version",
    "name": "/provider/name",
    "version": "/provider/version",
    "entrypoint": "/runtime/entrypoint",
    "thumbnail": "/activities/0/thumbnail",
    "category": "/activities/1/category",
    "permission": "/permissions/0",
}


def told(text: str, name: str, pointer: str) -> list[Any]:
    return [
        (each.rule, each.message, each.help, [(fix.message, fix.safety) for fix in each.fixes])
        for each in manifestkit.lint(text, name).findings
        if each.pointer == pointer
    ]


@given(
    st.sampled_from(sorted(PLACES)),
    st.sampled_from(VALUES),
    st.dictionaries(st.sampled_from(sorted(PLACES)), st.sampled_from(NEIGHBOURS)),
    st.booleans(),
)
def test_what_is_said_of_a_value_does_not_depend_on_others(
    place: str, value: str, others: dict[str, str], is_ascii: bool
) -> None:
    pointer = PLACES[place]
    for name in ("m.json", "m.yaml"):
        alone, beside = (
            json.dumps(manifest(**each), indent=2, ensure_ascii=is_ascii)
            for each in ({place: value}, others | {place: value})
        )
        assert told(alone, name, pointer) == told(beside, name, pointer)


TEXT = """\
schema_version: "1.0"
provider: {{id: calm, name: {name}, version: "1.0"}}
runtime:
  sdk_version: "1.0"
  entrypoint: {entrypoint}
activities: [{{id: box, name: Box}}]
permissions: []
capabilities: []
"""


@rows("name", ["Calm", '"Say \\"hi\\""', '"a\\tb"', "caf\u00e9"])
@rows(
    "written",
    [
        ">\n    dist/index.js",
        "|\n    dist/index.js",
        '"dist/index.js\\n"',
        '"dist/index.js\\t"',
        '"\tdist/index.js"',
        '"dist/index.js\t\\n"',
    ],
)
def test_a_break_or_tab_around_a_path_is_told_and_taken_away(written: str, name: str) -> None:
    text = TEXT.format(name=name, entrypoint=written)
    found = told(text, "m.yaml", "/runtime/entrypoint")
    ((rule, message, _, _),) = found
    assert rule == "control-character"
    assert "escape" not in message
    alone = TEXT.format(name="Calm", entrypoint=written)
    assert told(alone, "m.yaml", "/runtime/entrypoint") == found
    after = manifestkit.fix(text, "m.yaml", unsafe=True).data
    assert READER.load(after)["runtime"]["entrypoint"] == "dist/index.js"


def test_a_break_within_a_path_is_told_and_left() -> None:
    text = TEXT.format(name="Calm", entrypoint="|\n    dist/\n    index.js")
    ((rule, message, _, fixes),) = told(text, "m.yaml", "/runtime/entrypoint")
    assert (rule, fixes) == ("control-character", [])
    assert message == "`runtime.entrypoint` has a line break or a tab"


def test_in_a_path_of_windows_every_backslash_becomes_a_slash() -> None:
    text = json.dumps(manifest(entrypoint="C:\\projects\\calm\\dist\new\\main.js"))
    after = json.loads(manifestkit.fix(text, unsafe=True).data)
    assert after["runtime"]["entrypoint"] == "C:/projects/calm/dist/new/main.js"


def test_where_one_backslash_is_no_escape_each_is_named() -> None:
    text = json.dumps(manifest(entrypoint="X")).replace('"X"', r'"C:\projects\dist\new"')
    found = manifestkit.lint(text).findings
    assert [each.message for each in found] == [
        "`\\p` is not a JSON escape",
        "`\\d` is not a JSON escape",
    ]
    assert {each.help for each in found} == {'write `"C:/projects/dist/new"`'}
