"""An edit of the text says what the change of the data says, and nothing else (design/edits.md)."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import manifestkit
import manifests
from command import REPOSITORY
from manifestkit import Edit, Fix, Linter
from manifestkit.decode import decode
from manifestkit.document import Document
from manifestkit.edits import append_item, rename_member, replace_value
from manifestkit.pointer import Path
from manifestkit.schema.loading import load_schema
from patches import edited, patched
from yaml_texts import Emitter, texts, values

MODEST = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
NEEDS = REPOSITORY / "examples" / "profiles" / "capabilities-need-permissions.schema.json"
FEW = st.sampled_from(["a", "profile.basic", 1, 1.5, None, [], ["a"], {"a": 1}])


class Sharing(Emitter):
    """Writes some values with an anchor or a tag, and equal ones that follow as aliases of it."""

    def __init__(self, draw: st.DrawFn) -> None:
        super().__init__(draw)
        self._draw_more = draw
        self._anchors: dict[str, str] = {}
        self._count = 0

    def _flow(self, value: Any) -> str:
        alias = self._alias(value)
        return alias or self._lead(value) + super()._flow(value)

    def _scalar(self, value: Any, indent: int) -> list[str]:
        alias = self._alias(value)
        if alias:
            return [alias]
        first, *rest = super()._scalar(value, indent)
        return [first if first[0] in "|>" else self._lead(value) + first, *rest]

    def _alias(self, value: Any) -> str:
        name = self._anchors.get(json.dumps(value))
        return f"*{name}" if name and self._draw_more(st.integers(0, 3)) else ""

    def _lead(self, value: Any) -> str:
        tag = "!!str " if isinstance(value, str) and self._draw_more(st.integers(0, 9)) == 0 else ""
        if self._draw_more(st.booleans()):
            return tag
        self._count += 1
        name = f"x{self._count}"
        self._anchors[json.dumps(value)] = name
        return f"{tag}&{name} "


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """YAML in any style, some of it with anchors, aliases and tags, with CRLF or a BOM."""
    value = draw(
        values
        | st.dictionaries(st.sampled_from("abcd"), FEW | st.lists(FEW, max_size=4), min_size=3)
        | st.lists(FEW | st.lists(FEW, max_size=3), min_size=3, max_size=6)
    )
    text = draw(st.sampled_from([Emitter, Sharing, Sharing]))(draw).document(value)
    if draw(st.integers(0, 4)) == 0:
        text = text.replace("\n", "\r\n")
    if draw(st.integers(0, 4)) == 0:
        text = "\ufeff" + text
    decoded = decode(text, "manifest.yaml")
    assume(decoded.readable)  # the emitter drops a part that may hold an anchor
    return decoded.document


def exact(value: Any) -> str:
    """A value so that 1, 1.0 and true are three, and the order of members is none."""
    return json.dumps(value, sort_keys=True)


def applied(document: Document, edit: Edit) -> Any:
    """The value of the text with an edit, which must be readable."""
    text = edited(document.text, Fix("", "safe", (edit,), ()))
    again = decode(text, document.name)
    assert again.readable, (text, again.findings)
    assert [each.rule for each in again.findings if each.rule != "yaml-unsupported"] == []
    return again.document.value


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    if isinstance(value, dict | list):
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        for key, each in entries:
            yield from paths(each, (*path, key))


def owner_at(value: Any, path: Path) -> Any:
    for token in path[:-1]:
        value = value[token]
    return value


new_values = FEW | texts | st.sampled_from(["1.10", "no", "host.haptics", "\ud800", "\x7f\u2028"])


@MODEST
@given(documents(), new_values, st.data())
def test_a_replaced_value_is_replaced_there_only(
    document: Document, value: Any, data: st.DataObject
) -> None:
    path = data.draw(st.sampled_from(list(paths(document.value))))
    edit = replace_value(document, path, value)
    if edit:
        expected = {"": copy.deepcopy(document.value)}
        owner_at(expected, ("", *path))[("", *path)[-1]] = value
        assert exact(applied(document, edit)) == exact(expected[""])


@MODEST
@given(documents(), texts | st.sampled_from(["version", "no", "1.10"]), st.data())
def test_a_renamed_member_keeps_its_value(
    document: Document, name: str, data: st.DataObject
) -> None:
    members = [path for path in paths(document.value) if path and isinstance(path[-1], str)]
    if not members:
        return
    path = data.draw(st.sampled_from(members))
    expected = copy.deepcopy(document.value)
    owner = owner_at(expected, path)
    edit = rename_member(document, path, name)
    if edit and name not in owner:
        owner[name] = owner.pop(path[-1])
        assert exact(applied(document, edit)) == exact(expected)


@MODEST
@given(documents(), new_values, st.data())
def test_an_appended_item_comes_last(document: Document, value: Any, data: st.DataObject) -> None:
    lists = [path for path in paths(document.value) if isinstance(document.value_at(path), list)]
    if not lists:
        return
    path = data.draw(st.sampled_from(lists))
    edit = append_item(document, path, value)
    if edit:
        expected = {"": copy.deepcopy(document.value)}
        owner_at(expected, ("", *path, 0)).append(value)
        assert exact(applied(document, edit)) == exact(expected[""])


# -- one by one ------------------------------------------------------------------------------


def _replaced(text: str, *path: str | int, by: Any = "x.y") -> str | None:
    return _after(text, lambda document: replace_value(document, path, by))


def _appended(text: str, *path: str | int, item: Any = "x.y") -> str | None:
    return _after(text, lambda document: append_item(document, path, item))


def _renamed(text: str, *path: str | int, to: str = "version") -> str | None:
    return _after(text, lambda document: rename_member(document, path, to))


def _after(text: str, change: Callable[[Document], Edit | None]) -> str | None:
    decoded = decode(text, "manifest.yaml")
    assert decoded.readable, decoded.findings
    edit = change(decoded.document)
    return edited(text, Fix("", "safe", (edit,), ())) if edit else None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a: [b] # c\n", "a: [b, x.y] # c\n"),
        ('a: ["b","c"]\n', 'a: ["b","c","x.y"]\n'),
        ("a: [b,]\n", "a: [b, x.y,]\n"),
        ("a: []\n", 'a: ["x.y"]\n'),
        ("a: [\n  b,\n  c # d\n]\n", "a: [\n  b,\n  c,\n  x.y # d\n]\n"),
        ("a: [b, &i c]\n", "a: [b, &i c, x.y]\n"),
        ("a: [b, !!str c]\n", "a: [b, !!str c, x.y]\n"),
        ("a:\n- b\n- c # d\n# e\nf: 1\n", "a:\n- b\n- c # d\n- x.y\n# e\nf: 1\n"),
        ("a:\n  - b\n  - c", "a:\n  - b\n  - c\n  - x.y"),
        ("a:\r\n  - 'b'\r\n\r\nc: 1\r\n", "a:\r\n  - 'b'\r\n  - \"x.y\"\r\n\r\nc: 1\r\n"),
        ("a:\r  - b\rc: 1\r", "a:\r  - b\r  - x.y\rc: 1\r"),
        ("a:\n  - b: 1\n    c:\n      - d # e\n", "a:\n  - b: 1\n    c:\n      - d # e\n  - x.y\n"),
        ("a:\n  -\n", "a:\n  -\n  - x.y\n"),
        ("a:\n  - |\n    b\n\nc: 1\n", "a:\n  - |\n    b\n  - x.y\n\nc: 1\n"),
        (
            "a:\n  - b: |\n      c\n        \nd: 1\n",
            "a:\n  - b: |\n      c\n        \n  - x.y\nd: 1\n",
        ),
        ("a:\n  - b:\n      !!str # c\n", "a:\n  - b:\n      !!str # c\n  - x.y\n"),
    ],
)
def test_an_item_is_appended_in_the_manner_of_its_neighbours(before: str, after: str) -> None:
    assert _appended(before, "a") == after
    assert decode(after, "manifest.yaml").document.value["a"][-1] == "x.y"


@pytest.mark.parametrize(
    "text",
    [
        "b: &l [c]\na: *l\n",
        "a: &l [c]\nb: *l\n",
        "a: &l\n  - c\nb: *l\n",
        "a: [ # c\n]\n",
        "a:\n  - |+\n    b\n\nc: 1\n",
    ],
)
def test_no_item_is_appended_where_the_text_would_say_more(text: str) -> None:
    assert _appended(text, "a") is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a: 1.10 # c\n", "a: x.y # c\n"),
        ("a: '1'\n", 'a: "x.y"\n'),
        ("a:\n", "a: x.y\n"),
        ("a: # c\n", "a: x.y # c\n"),
        ("{a:}\n", "{a: x.y}\n"),
        ("a: |\n  b\n  c\nd: 1\n", "a: x.y\nd: 1\n"),
        ("a: b\n  c\nd: 1\n", "a: x.y\nd: 1\n"),
        ("a:\n  b: 1\n  # c\nd: 1\n", "a:\n  x.y\n  # c\nd: 1\n"),
        ("b: &v 1\na: *v\n", "b: &v 1\na: x.y\n"),
        ("a: &v 1\n", "a: &v x.y\n"),
        ("? a\n: 1\n", "? a\n: x.y\n"),
    ],
)
def test_a_value_is_replaced_in_the_manner_of_the_one_before(before: str, after: str) -> None:
    assert _replaced(before, "a") == after
    assert decode(after, "manifest.yaml").document.value["a"] == "x.y"


@pytest.mark.parametrize(
    "text",
    [
        "a: &v 1\nb: *v\n",
        "a: &v\n  # c\n  1\nb: *v\n",
        "a: [&v 1]\nb: *v\n",
        "a: !!int 1\n",
        "a: !!null\n",
        "a: &v\n",
        "{a}\n",
        "? a\n",
        "a:\n- 1\n- 2\nb: 1\n",
    ],
)
def test_no_value_is_replaced_where_the_text_would_say_something_else(text: str) -> None:
    assert _replaced(text, "a") is None


@pytest.mark.parametrize("text", ["b: &o {a: 1}\nc: *o\n", "b: &o\n  a: 1\nc: *o\n"])
def test_nothing_is_changed_below_an_alias_or_its_anchor(text: str) -> None:
    for name in "bc":
        assert _replaced(text, name, "a") is None
        assert _renamed(text, name, "a") is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a: 1 # c\n", "version: 1 # c\n"),
        ('{"a":1}\n', '{"version":1}\n'),
        ("{b: 1, a}\n", "{b: 1, version}\n"),
        ("? a # c\n: 1\n", "? version # c\n: 1\n"),
        ("b: &k x\n*k : 1\na: 2\n", "b: &k x\n*k : 1\nversion: 2\n"),
    ],
)
def test_a_member_is_renamed_in_the_manner_of_its_old_name(before: str, after: str) -> None:
    assert _renamed(before, "a") == after


@pytest.mark.parametrize("text", ["a: 1\nb: 2\na: 3\n", "&k a: 1\nb: *k\n", "!!str a: 1\n"])
def test_no_member_is_renamed_where_the_text_would_say_something_else(text: str) -> None:
    assert _renamed(text, "a") is None


def test_no_member_of_json_is_renamed_that_is_given_twice() -> None:
    document = decode('{"a": 1, "a": 2, "b": 3}', "manifest.json").document
    assert rename_member(document, ("a",), "version") is None
    assert rename_member(document, ("b",), "version") is not None


# -- the fixes of the rules ------------------------------------------------------------------

ODD: dict[str, list[Any]] = {
    "schema_version": [1.10, 3, None],
    "provider": [{"id": "a", "name": "b", "versoin": "1"}, {"id": 7, "name": "no", "version": 1.5}],
    "presentation": [{"thumbnial": "x.png"}, {"thumbnail": 2026}],
    "permissions": [["host.haptic", "profile.basics"], ["profile.basic", "profile.basic"], [1]],
    "capabilities": [["activity.strat"], ["context.goals", "profile.basic"], []],
    "activities": [
        [{"id": "a", "name": "b", "duration_minutes": 30.0, "catgory": "off"}],
        [{"id": "a", "name": "b", "duration_minutes": "30"}, {"id": "a", "name": 1}],
    ],
}


@st.composite
def broken(draw: st.DrawFn) -> str:
    """A manifest with some of the mistakes that fixes are offered for, in any style of YAML."""
    value = draw(manifests.VALID)
    for name in draw(st.sets(st.sampled_from(sorted(ODD)), min_size=1)):
        value[name] = copy.deepcopy(draw(st.sampled_from(ODD[name])))
    text = draw(st.sampled_from([Emitter, Sharing]))(draw).document(value)
    return text.replace("\n", "\r\n") if draw(st.integers(0, 4)) == 0 else text


@MODEST
@given(broken())
def test_the_edits_of_every_fix_say_what_its_patch_says(text: str) -> None:
    linter = Linter(profiles=(load_schema(NEEDS),))
    value = decode(text, "manifest.yaml").document.value
    for finding in linter.lint(text, "manifest.yaml").findings:
        for fix in finding.fixes:
            if fix.edits:
                again = decode(edited(text, fix), "manifest.yaml")
                assert again.readable, (finding, again.findings)
                assert exact(again.document.value) == exact(patched(value, fix.patch))


@MODEST
@given(broken())
def test_every_fix_of_plain_yaml_has_its_edits_but_below_aliases(text: str) -> None:
    for finding in manifestkit.lint(text, "manifest.yaml").findings:
        for fix in finding.fixes:
            if not any(mark in text for mark in ("&", "!!")):
                assert fix.edits, finding
