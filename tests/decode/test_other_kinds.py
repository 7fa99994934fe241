"""Texts that are no manifest in the syntax of their name, told by what they are."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import manifestkit
from manifestkit.decode import decode
from manifests import VALID
from report_cases import GOOD

_GOOD = json.dumps(GOOD, indent=2)
_MARKS = ["{{ version }}", "{% if x %}", "<html>", "@@ -1,2 +1,2 @@", "```", "export default"]


def said(text: str, name: str = "manifest.json") -> list[str]:
    return [each.message for each in manifestkit.lint(text, name).findings]


@pytest.mark.parametrize("name", ["m.json", "m.yaml"])
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('schema_version = "1.0"\n[provider]\nid = "x"\n', "TOML, INI or the like"),
        ("# mine\n[provider]\nid=x\n", "TOML, INI or the like"),
        ("export ID=x\nNAME=Box\n", "TOML, INI or the like"),
        ("id,name\nbox,Box\n", None),
        ("id,name,length\nbox,Box,5\n", "CSV"),
        ("interface Manifest {\n  id: string;\n}\n", "JavaScript"),
    ],
)
def test_a_text_for_other_readers_is_named(text: str, kind: str | None, name: str) -> None:
    syntax = "YAML" if name == "m.yaml" else "JSON"
    assert (said(text, name) == [f"this is {kind}, not {syntax}"]) is (kind is not None)


def test_yaml_without_its_suffix_is_named() -> None:
    assert said("schema_version: '1.0'\nprovider:\n") == ["this is YAML, not JSON"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<!doctype html>\n<p>Not found</p>", "HTML"),
        ('<?xml version="1.0"?><manifest/>', "XML"),
        (f"export default {_GOOD};", "JavaScript"),
        (f"@@ -1,3 +1,3 @@\n{_GOOD}", "a diff"),
    ],
)
def test_a_text_of_another_kind_is_named(text: str, kind: str) -> None:
    assert said(text) == [f"this is {kind}, not JSON"]


def test_a_page_is_no_text_in_yaml() -> None:
    assert said("<html>\n<body>gone</body>\n</html>", "m.yaml") == ["this is HTML, not YAML"]


def test_text_around_a_manifest_is_told_with_what_to_keep() -> None:
    text = f"Sure!\n\n```json\n{_GOOD}\n```\n"
    (finding,) = manifestkit.lint(text).findings
    assert finding.help == "remove the fences, and the text beyond them"


@given(VALID, st.sampled_from(_MARKS))
def test_what_can_be_read_is_of_no_other_kind(value: dict[str, object], mark: str) -> None:
    text = json.dumps({**value, "note": mark, mark: 1})
    assert decode(text, "manifest.json").findings == ()


@pytest.mark.parametrize("mark", _MARKS)
def test_a_mistake_beside_such_a_text_keeps_its_own_message(mark: str) -> None:
    text = f'{{\n  "note": {json.dumps(mark)},\n  "a": 1.2.3\n}}'
    assert "this is" not in " ".join(said(text))
