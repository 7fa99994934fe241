"""Messages follow the house style, and their whole text is held.

`messages.txt` has the message and the help of every rule. `pytest --regenerate` writes it anew;
read the difference before you commit it.
"""

from __future__ import annotations

import json
import re
import tempfile
import unicodedata
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import messages
from command import REPOSITORY
from judging import BASE, by_schema, findings_of, held_to, with_members
from manifestkit import Finding
from manifestkit.rules.catalogue import catalogue
from rows import rows

_RAW = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_JOINERS = "\u200c\u200d"


def assert_in_style(text: str) -> None:
    """ "Lower-case start, no final full stop", and one line without control characters."""
    assert text.strip() == text != ""
    assert not text.endswith((".", "!", ":", ";", ","))
    # A word that is written in capitals, such as JSON, stays so.
    assert text[0].islower() or text[0] in '`"' or text.split(maxsplit=1)[0].isupper(), text
    assert "  " not in re.sub("`[^`]*`", "x", text)
    assert_in_one_plain_line(text)


def assert_in_one_plain_line(text: str) -> None:
    """No line breaks, control or bidi characters; nothing invisible but joiners."""
    raw = [each for each in text if unicodedata.category(each) in _RAW and each not in _JOINERS]
    assert raw == []


def assert_all_in_style(finding: Finding) -> None:
    assert_in_style(finding.message)
    assert len(finding.message) < 400
    assert finding.help is not None, finding.message
    for text in (finding.help, *(each.message for each in finding.related)):
        assert_in_style(text)
    for fix in finding.fixes:
        assert_in_style(fix.message)
        assert len(fix.message) < 200


def test_the_whole_text_of_every_rule_is_as_it_was_read(regenerate: bool) -> None:
    if regenerate:
        messages.FILE.write_text(messages.text(), "utf-8", newline="\n")
    assert messages.text() == messages.FILE.read_text("utf-8")


def test_the_golden_text_speaks_of_every_rule() -> None:
    told = re.findall(r"^  [a-z]+\[([\w-]+)\]", messages.FILE.read_text("utf-8"), re.MULTILINE)
    rules = {"schema-keyword" if each.startswith("schema-") else each for each in told}
    assert rules >= {each.id for each in catalogue().values() if each.bad.manifest != ""}


@rows("name", lambda: dict(messages.cases()))
def test_a_case_is_told_in_style(name: str) -> None:
    found = dict(messages.cases())[name]
    assert found
    for finding in found:
        assert_all_in_style(finding)


@rows("rule", catalogue().values(), ids=lambda rule: rule.id)
def test_the_words_about_a_rule_are_in_style(rule: Any) -> None:
    assert_in_style(rule.help)
    assert rule.title[0].isupper()
    assert not rule.title.endswith(".")
    assert rule.description[0].isupper() or rule.description[0] == "`"
    assert rule.description.endswith(".")


_HOLE = re.compile(r"\{(\w+)(?:!s)?\}")
_TEMPLATES = [
    json.loads(template)
    for each in sorted((REPOSITORY / "schemas").glob("*/*.json"))
    for template in re.findall(r'"(?:message|help)": (".*")', each.read_text("utf-8"))
]


@settings(max_examples=100)
@given(st.sampled_from([each for each in _TEMPLATES if _HOLE.search(each)]), st.data())
def test_no_hole_of_a_message_is_left_open(template: str, data: st.DataObject) -> None:
    """The members of a value that a message names may be missing."""
    names = {*_HOLE.findall(template)} - {"value", "path"}
    there = data.draw(st.sets(st.sampled_from(sorted(names)))) if names else set()
    provider = {**BASE["provider"], **dict.fromkeys(there, "x")}
    annotation = {"rule": "a-rule", "message": template}
    properties = {name: {"title": "x"} for name in names}
    part = {"properties": properties, "maxProperties": 1, "x-manifestkit": annotation}
    with tempfile.TemporaryDirectory() as folder:
        (finding,) = held_to(
            Path(folder), with_members(provider=provider), {"properties": {"provider": part}}
        )
    assert not _HOLE.search(finding.message)
    assert "()" not in finding.message
    if {"old", "new"} & names <= there:
        assert_in_style(finding.message)


HOSTILE = st.text(
    st.sampled_from("ab.`\"'\\{}\n\r\t\x00\x1b\x7f\x85\u202e\u2028\ufeff\ud83d\U000e0041é🎈"),
    max_size=6,
) | st.sampled_from(["{value}", "{path}", "x" * 500, "thumb\nnail", "sdk\x1b[31m_version"])


@given(HOSTILE, HOSTILE, st.sampled_from(["duration_minutes", "thumbnail", "sdk_version"]))
def test_whatever_a_manifest_holds_its_messages_are_plain_lines(
    name: str, value: str, near: str
) -> None:
    cut = len(near) // 2
    misspelt = near[:cut] + name[:1] + near[cut:]
    manifest: dict[str, Any] = {
        **BASE,
        name: value,
        "schema_version": value,
        "provider": {name: value, "id": [value], "name": value},
        "runtime": {misspelt: value},
        "presentation": {name: value, misspelt: 1},
        "activities": [{"id": value, "name": 1, "duration_minutes": value, misspelt: 1}] * 2,
        "permissions": [value, value, name],
    }
    for finding in findings_of(json.dumps(manifest)):
        assert_all_in_style(finding)


@given(HOSTILE, HOSTILE)
def test_whatever_a_text_holds_its_messages_are_plain_lines(one: str, other: str) -> None:
    quoted = json.dumps(one, ensure_ascii=False).encode("utf-8", "replace").decode()
    for text in (
        f"{{{quoted}: 1, {quoted}: 2}}",
        f"{{{quoted}: }}",
        f"{{{quoted} 1}}",
        one.encode("utf-8", "replace").decode(),
        '{"a": "' + other.encode("utf-8", "replace").decode(),
        f"[1 {quoted}]",
        f"{{}} {quoted}",
        f"{quoted}: 1\n{quoted}: 2\n",
        f"? {quoted}\n? {quoted}\n",
        f"a: {{{quoted}: 1, {quoted}: 2}}\n",
        f"a: 1 # manifest: ignore[{one}] {other}\n".encode("utf-8", "replace").decode(),
        f"a: *{one}\n{other}".encode("utf-8", "replace").decode(),
        f"- {one}: {other}: b\n".encode("utf-8", "replace").decode(),
    ):
        for name in ("manifest.json", "manifest.yaml"):
            for finding in findings_of(text, name):
                assert_in_style(finding.message)
                for said in (finding.help or "", *(each.message for each in finding.fixes)):
                    assert_in_one_plain_line(said)


@given(HOSTILE, HOSTILE)
def test_whatever_a_schema_holds_its_messages_are_plain_lines(name: str, value: str) -> None:
    name, value = (each.encode("utf-8", "replace").decode() for each in (name, value))
    schema = {
        "required": [name],
        "propertyNames": {"not": {"const": "permissions"}},
        "dependentRequired": {"runtime": [f"{name}!"]},
        "properties": {
            "schema_version": {"const": value},
            "provider": {"enum": [value, {name: value}]},
            "runtime": {"maxProperties": 0, "x-manifestkit": {"message": f"a{value}{{value}}z"}},
            "permissions": False,
        },
    }
    with tempfile.TemporaryDirectory() as folder:
        for finding in by_schema(Path(folder), with_members(permissions=[]), schema):
            assert_in_style(finding.message)


def test_a_text_of_a_schema_is_filled_once(tmp_path: Path) -> None:
    notes = {"message": "{path} has {value}"}
    schema = {"additionalProperties": {"const": 1, "x-manifestkit": notes}}
    (finding,) = by_schema(tmp_path, {"{value}": "{path}"}, schema)
    assert finding.message == '`["{value}"]` has `{path}`'
    (finding,) = by_schema(tmp_path, {"six": [1, 2, 3, 4, 5, 6]}, schema)
    assert finding.message == "`six` has an array of 6 items"
