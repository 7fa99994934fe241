"""Completion offers what is due at the cursor, and not there yet, in a text that need not be whole.

`|` is the cursor, or `^` where the text has a `|`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol.types import CompletionItem, CompletionItemKind, PositionEncodingKind, TextEdit

from client import Message, running
from command import EXAMPLES
from manifestkit.config.policy import Policy
from manifestkit.decode import decode
from manifestkit.lsp.completion import complete, cursors_at
from manifestkit.lsp.text import Text
from manifestkit.model.document import Syntax
from manifestkit.schema.loading.load import load_schema
from rows import rows
from styles import Sharing

ROOT = [
    "schema_version",
    "provider",
    "runtime",
    "presentation",
    "activities",
    "permissions",
    "capabilities",
]
PERMISSIONS = [
    "profile.basic",
    "context.current_state",
    "context.goals",
    "context.health_summary",
    "context.constraints",
    "context.session",
    "activity.complete",
    "host.haptics",
    "host.timer",
]
ACTIVITY = ["id", "name", "category", "duration_minutes", "thumbnail", "surfaces"]
PROVIDER = ["id", "name", "version"]
_URN = "urn:manifestkit:activity-provider-manifest"


def _unmarked(marked: str) -> tuple[str, int]:
    mark = "^" if "^" in marked else "|"
    return marked.replace(mark, "", 1), marked.index(mark)


def _offered(marked: str, syntax: Syntax) -> list[CompletionItem]:
    content, offset = _unmarked(marked)
    text = Text(content, PositionEncodingKind.Utf16)
    return complete(text, offset, [Policy().schema], syntax)


def _labels(marked: str, syntax: Syntax) -> list[str]:
    return [each.label for each in _offered(marked, syntax)]


def _accepted(marked: str, syntax: Syntax, label: str) -> str:
    """The text when an offer is taken."""
    text = Text(_unmarked(marked)[0], PositionEncodingKind.Utf16)
    offers = _offered(marked, syntax)
    (item,) = (each for each in offers if each.label == label)
    return _taken(text.content, item)


def _taken(content: str, item: CompletionItem) -> str:
    """A text when an offer is taken."""
    text = Text(content, PositionEncodingKind.Utf16)
    edits = [item.text_edit, *(item.additional_text_edits or ())]
    assert all(isinstance(each, TextEdit) for each in edits)
    spans = sorted(((text.span(each.range), each.new_text) for each in edits), reverse=True)  # type: ignore[union-attr]
    for (start, end), new in spans:
        content = content[:start] + new + content[end:]
    return content


@rows(
    ("marked", "labels"),
    [
        ("{|", ROOT),
        ('{"|', ROOT),
        ('{"|"}', ROOT),
        ('{"pro|', ROOT),
        ('\ufeff{"pro|"}', ROOT),
        ('{"provider": {"id": "a", |}}', ["name", "version"]),
        ('{"provider": {"id": "a", "|}}', ["name", "version"]),
        ('{"provider": {|"id": "a"}}', PROVIDER),
        ('{"provider": {"id": "a"\n  "|"}}', ["name", "version"]),
        ('{"provider": {"|"\n"version": ""}}', ["id", "name"]),
        ('{"activities": [{"id": "a"}, {"na|": 1, "id": "b"}]}', ACTIVITY[1:]),
        ('{"activities": [|', []),
        ('{"permissions": [|]}', PERMISSIONS),
        ('{"permissions": ["|"]}', PERMISSIONS),
        ('{"permissions": ["host.timer", "|', PERMISSIONS[:-1]),
        ('{"permissions": ["host.timer", "ho|", "profile.basic"]}', PERMISSIONS[1:-1]),
        ('{"permissions": ["|host.timer"]}', PERMISSIONS),
        ('{"$schema": "|"}', [_URN]),
        ('{\n "x": tru,\n "y": [1 2],\n "provider": {\n  "id": "a",\n  "|"\n }\n}', PROVIDER[1:]),
        # Nothing is due, or nobody knows what.
        ('{"provider"| {}}', []),
        ('{"provider": {"id": "a" |}}', []),
        ('{"provider": {"id": "a|"}}', []),
        ('{"mine": {"|"}}', []),
        ('{"mine": ["|"]}', []),
        ("{} |", []),
        ('{"schema_version": |}', []),
        ('{"permissions": ["host.timer"|]}', []),
    ],
)
def test_in_json_exactly_what_is_due_is_offered(marked: str, labels: list[str]) -> None:
    assert _labels(marked, "json") == labels


@rows(
    ("marked", "labels"),
    [
        ("|", ROOT),
        ("pro|", ROOT),
        ("provider:\n  id: a\n|", [*ROOT[:1], *ROOT[2:]]),
        ("provider:\n  id: a\n  |", ["name", "version"]),
        ("provider:\n  id: a\n  |\n  name: b\nruntime:\n", ["version"]),
        ("provider:\n  id: a\n  ver|\n", ["name", "version"]),
        ("provider:\r\n  id: a\r\n  na|: x\r\n", ["name", "version"]),
        ("provider:\n  |", PROVIDER),
        ("provider:\n  |\n  id: a\n", ["name", "version"]),
        ("provider: {id: a, |}", ["name", "version"]),
        ("provider: {id: a,\n  |", ["name", "version"]),
        ("activities:\n  - |", ACTIVITY),
        ("activities:\n- |", ACTIVITY),
        ("activities:\n  |", []),
        ("activities:\n  - id: a\n    |", ACTIVITY[1:]),
        ("activities:\n  - id: a\n  - na|\n", ACTIVITY),
        ("activities:\n  - id: a\n  |\n", []),
        ("activities:\n  - id: a\n  na|\n", []),
        ("activities:\n  -\n    |\n", ACTIVITY),
        ("activities:\n  -\n    |\n    id: a\n", ACTIVITY[1:]),
        ("activities:\n  - name: a\n    id: b\n  - id: c\n    |", ACTIVITY[1:]),
        ("permissions:\n  - |", PERMISSIONS),
        ("permissions:\n  - host.timer\n  - |\n", PERMISSIONS[:-1]),
        ("permissions:\n  - |\n  - host.timer\n", PERMISSIONS[:-1]),
        ('permissions:\n  - "ho|"\n', PERMISSIONS),
        ("permissions:\n  |", PERMISSIONS),
        ("permissions: [host.timer, |]", PERMISSIONS[:-1]),
        ("permissions: [host.timer,\n  |", PERMISSIONS[:-1]),
        ("permissions:\n- host.timer\n|", [each for each in ROOT if each != "permissions"]),
        # Below a text in a block, as below any other.
        ("provider:\n  name: |-\n    text\n  ^\n", ["id", "version"]),
        ("provider:\n  name: >\n    text\n\n    more\n\n  ^", ["id", "version"]),
        ("provider:\n  name: >-\n    text\n  ^\n  id: a\n", ["version"]),
        ("provider:\n  name: |\n  ^\n  id: a\n", ["version"]),
        ("provider:\n  name: |\n    text\n^\n", [*ROOT[:1], *ROOT[2:]]),
        ("activities:\n  - name: |2\n      text\n    ^\n", [ACTIVITY[0], *ACTIVITY[2:]]),
        ("activities:\n  - id: a\n    name: |\n      text\n  ^\n", []),
        ("permissions:\n  - >-\n    host.timer\n  ^\n", PERMISSIONS[:-1]),
        ("provider:\n  name: |\n    text\n   ^\n", []),
        ("provider:\n  name: |\n    text\n    ^\n", []),
        ("provider:\n  name: |\n    text\n  ^\n\n    more\n", []),
        ("provider:\n  name: |\n  ^\n    text\n", []),
        ("provider:\n  name: |\n    text ^ # more\n", []),
        # Before a comment, as before the end of the line.
        ("permissions:\n  - host.timer\n  - ^ # why\n", PERMISSIONS[:-1]),
        ("permissions:\n  -^ # why\n", PERMISSIONS),
        ("permissions:\n  - ^  ", PERMISSIONS),
        ("provider:\n  id: a\n  ^  # d", ["name", "version"]),
        ("provider:\n  id: a\n  ver^ # d\n", ["name", "version"]),
        ("provider:\n  id: a\n  v^er # d\n", ["name", "version"]),
        ("provider:\n  ^\t# d\n", PROVIDER),
        ("schema_version: a\n^ # d\nprovider: {}\n", ROOT[2:]),
        ("permissions: [host.timer, ^ # d\n  ]", PERMISSIONS[:-1]),
        ("permissions:\n  - ^# why\n", []),
        ("permissions: [host.timer, ^# why\n", []),
        ("provider:\n  ^# why\n", []),
        ("provider:\n  pro ^", []),
        ("permissions: [ho ^", []),
        ("provider:\n  id: a # |", []),
        ("# |", []),
        ("provider:\n  id: >\n    text\n    |\n", []),
        ("provider:\n  id: a|\n", []),
        ("mine:\n  |", []),
        # With explicit keys, once they have a value.
        ("? presen^\n: {thumbnail: a}", ROOT),
        ("? permissions\n: - ho^", PERMISSIONS),
        ("provider: {id: a, ? na^ : x}", PROVIDER[1:]),
        ("provider:\n  ? ^", []),
        ("? permissions\n^\n: - host.timer\n", []),
        # In an anchor or a tag, or right behind it.
        ("permissions:\n- ^&a x\n", []),
        ("permissions:\n- &^a x\n", []),
        ("permissions:\n- !!str^\n", []),
        ("permissions: [!!str^ , x]\n", []),
        # Where the value is there already, or goes on below.
        ("provider: ^{id: a}\n", []),
        ("provider: {$schema: a, x: ^{id: a}}\n", []),
        ("{$schema: ^ a}\n", []),
        ("{$schema: ^&a b}\n", []),
        ("$schema: ^\n  a\n", []),
        ("$schema: ^a\n  b\n", []),
        ("permissions:\n- ^|\n  host.timer\n", []),
        ("permissions:\n^\n- host.timer\n", PERMISSIONS[:-1]),
        ("permissions:\n^\n  - host.timer\n", []),
        ("permissions: [host.timer,\n^ ]\n", []),
        ("---\nprovider: {}\n...\n^", []),
        # Above a line that cannot be read.
        ("provider:\n  id: a\n  ^\n  name: b\nactivities\n", ["version"]),
    ],
)
def test_in_yaml_exactly_what_is_due_is_offered(marked: str, labels: list[str]) -> None:
    assert _labels(marked, "yaml") == labels


@rows(
    ("marked", "syntax", "label", "accepted"),
    [
        ("{|", "json", "schema_version", '{"schema_version": '),
        ('{"pro|"}', "json", "provider", '{"provider": }'),
        ('{"x": 1, "pro|": {}}', "json", "provider", '{"x": 1, "provider": {}}'),
        ('{"|"\n"x": 1}', "json", "permissions", '{"permissions": ,\n"x": 1}'),
        ('{"x": 1\n"|"}', "json", "permissions", '{"x": 1,\n"permissions": }'),
        ('{"permissions": ["ho|"]}', "json", "host.timer", '{"permissions": ["host.timer"]}'),
        ('{"permissions": [| "a"]}', "json", "host.timer", '{"permissions": ["host.timer", "a"]}'),
        ("pro|", "yaml", "provider", "provider: "),
        ("|", "yaml", "permissions", "permissions: "),
        ("provider:\n  |", "yaml", "id", "provider:\n  id: "),
        ("permissions:\n  |", "yaml", "host.timer", "permissions:\n  - host.timer"),
        ("permissions:\n  - 'ho|'", "yaml", "host.timer", 'permissions:\n  - "host.timer"'),
        ("permissions: [|]", "yaml", "host.timer", "permissions: [host.timer]"),
        ("permissions:\n  -\n    |", "yaml", "host.timer", "permissions:\n  -\n    host.timer"),
        ("permissions:\n  - a\n  |", "yaml", "host.timer", "permissions:\n  - a\n  - host.timer"),
        # A dash or a colon needs a space behind it.
        ("permissions:\n  -|\n", "yaml", "host.timer", "permissions:\n  - host.timer\n"),
        ("permissions:\n- a\n-|", "yaml", "host.timer", "permissions:\n- a\n- host.timer"),
        ("permissions:\n  -^ # d", "yaml", "host.timer", "permissions:\n  - host.timer # d"),
        ("activities:\n-|", "yaml", "surfaces", "activities:\n- surfaces: "),
        ("{$schema:|}", "yaml", _URN, f'{{$schema: "{_URN}"}}'),
        ("{$schema:| }", "yaml", _URN, f'{{$schema: "{_URN}" }}'),
        ('{"$schema":|', "yaml", _URN, f'{{"$schema": "{_URN}"'),
        ("provider:\n  na^ # d\n", "yaml", "name", "provider:\n  name:  # d\n"),
        ("provider:\n  n^a # d\n", "yaml", "name", "provider:\n  name:  # d\n"),
        # An anchor or a tag is no part of the value.
        (
            "permissions:\n- &a ho^\nx: *a",
            "yaml",
            "host.timer",
            "permissions:\n- &a host.timer\nx: *a",
        ),
        ("permissions:\n- !!str ho^", "yaml", "host.timer", "permissions:\n- !!str host.timer"),
        ("permissions:\n- !!str &a ^", "yaml", "host.timer", "permissions:\n- !!str &a host.timer"),
        ("permissions: [&a ho^]", "yaml", "host.timer", "permissions: [&a host.timer]"),
        ("provider:\n  &a na^: x\n", "yaml", "name", "provider:\n  &a name: x\n"),
        # A comma or a colon behind a comment is one.
        (
            "permissions: [\n  ho^  # c\n  , x ]",
            "yaml",
            "host.timer",
            "permissions: [\n  host.timer  # c\n  , x ]",
        ),
        (
            "permissions: [\n  ho^  # c\n  # d\n  ]",
            "yaml",
            "host.timer",
            "permissions: [\n  host.timer  # c\n  # d\n  ]",
        ),
        ("{presen^ # c\n  : {}}", "yaml", "presentation", "{presentation # c\n  : {}}"),
        (
            "permissions:\n- host.timer\n^\n- x\n",
            "yaml",
            "host.haptics",
            "permissions:\n- host.timer\n- host.haptics\n- x\n",
        ),
    ],
)
def test_what_is_put_in_fits_what_is_around_it(
    marked: str, syntax: Syntax, label: str, accepted: str
) -> None:
    assert _accepted(marked, syntax, label) == accepted.replace("| ", "")


def test_values_are_those_that_every_profile_allows(tmp_path: Path) -> None:
    profile = tmp_path / "host.schema.json"
    profile.write_text(
        '{"properties": {"permissions": {"items": {"enum": ["host.timer", "host.lamp"]}},'
        ' "activities": {"items": {"properties": {"category": {"enum": ["calm", "yes"]}}}}}}'
    )
    schemas = [Policy().schema, load_schema(profile)]

    def offered(marked: str, syntax: Syntax) -> list[Any]:
        text = Text(marked.replace("|", ""), PositionEncodingKind.Utf8)
        items = complete(text, marked.index("|"), schemas, syntax)
        return [each.text_edit.new_text for each in items if each.text_edit is not None]

    assert offered('{"permissions": [|]}', "json") == ['"host.timer"']
    assert offered("activities:\n  - category: |", "yaml") == ["calm", '"yes"']


_EXAMPLES = sorted(
    each
    for folder in ("valid", "broken")
    for each in (EXAMPLES / folder).iterdir()
    if each.suffix in {".json", ".yaml"}
)


_LONG = 1_000
_OFTEN = 500


@pytest.mark.slow
@pytest.mark.parametrize("file", _EXAMPLES, ids=lambda file: file.name)
def test_all_over_an_example_cut_off_there_or_not_something_is_said(file: Path) -> None:
    text = file.read_text("utf-8")
    syntax: Syntax = "yaml" if file.suffix == ".yaml" else "json"
    step = 1 + len(text) // _OFTEN
    offers = 0
    for offset in range(0, len(text) + 1, step):
        for around in (text[:offset], text):
            whole = Text(around, PositionEncodingKind.Utf16)
            items = complete(whole, offset, [Policy().schema], syntax)
            for item in items:
                assert isinstance(item.text_edit, TextEdit)
                start, end = whole.span(item.text_edit.range)
                assert start <= offset <= end
            offers += bool(items)
    assert offers > len(text) / step / 10


_YAML = [each for each in _EXAMPLES if each.suffix == ".yaml"]
_LONG_ARE_SLOW = [
    pytest.param(each, marks=[pytest.mark.slow] * (each.stat().st_size > _LONG), id=each.name)
    for each in _YAML
]


@pytest.mark.parametrize("file", _LONG_ARE_SLOW)
def test_a_comment_behind_the_cursor_changes_nothing(file: Path) -> None:
    text = file.read_text("utf-8")
    offers = 0
    for offset in range(len(text) + 1):
        if text[offset : offset + 1] not in ("\n", "", " ", "-"):
            continue
        for start, rest in ((text[:offset], ""), (text[:offset], text[offset:])):
            if rest[:1] in (" ", "-"):
                continue
            plain, commented = (_items(start, f"{end}{rest}") for end in ("", " # why"))
            assert commented == plain
            offers += len(plain)
    assert offers > len(text) / 10


@pytest.mark.parametrize("header", ["|", ">-"])
@pytest.mark.parametrize("file", _LONG_ARE_SLOW)
def test_below_a_text_in_a_block_the_same_is_due_as_below_another(file: Path, header: str) -> None:
    text = file.read_text("utf-8")
    offers = 0
    for line in re.finditer(r"^((?: |- )*)(\w+): +([^|>\[{\s].*\n)", text, re.MULTILINE):
        lead, name, value = line.groups()
        block = f"{lead}{name}: {header}\n{' ' * len(lead)}  {value}"
        before, after = text[: line.start()], text[line.end() :]
        for column in range(len(lead) + 1):
            blank = " " * column
            for rest in ("", "\n", f"\n{after}"):
                plain, below = (_items(f"{before}{each}{blank}", rest) for each in (line[0], block))
                assert below == plain
                offers += len(plain)
    assert offers > len(text) / 10


def _items(before: str, after: str) -> list[tuple[str, str]]:
    """What is offered between two texts, and what is put in."""
    text = Text(before + after, PositionEncodingKind.Utf8)
    items = complete(text, len(before), [Policy().schema], "yaml")
    return [(each.label, each.text_edit.new_text) for each in items if each.text_edit]


WITH_MORE = [
    "permissions:\n- &a host.timer # c\n- !!str host.haptics\n- *a\n- &b\n- !!str\n  x\nx-b: *b",
    "permissions: &l\n- &a host.timer\nx-b: [*l, *a]\n",
    "permissions: [&a host.timer, !!str  host.haptics, *a, &b\n host.clock, [x]]\nx-b: *b\n",
    "permissions:\n  &p\n  - host.timer\nx-b: *p\n",
    "permissions:\n  &p [host.timer]\nx-b: *p\n",
    "&a provider: &p\n  &b id: a\n  !!str name: b\nx-b: [*a, *p, *b]\n",
    "activities: &l\n- &a\n  id: a\n- &b id: c\n  name: d\n- !!map {id: a}\nx: [*l, *a, *b]\n",
    "x-a: &k provider\n*k :\n  id: a\n",
    "provider: {&k id: a, !!str name: &v b, *k : *v}\n",
    "? presentation # c\n: {thumbnail: a}\n? permissions\n: - x\n? &a provider\n:\n  id: a\n",
    '? "provider"\n:\n  \n ? "id"\n : |-\n  a\n',
    "   \n  \nprovider:\n    \n  \n id: a\nactivities:\n    \n  - id: a\npermissions:\n  \n- a\n",
    "? provider\n: id: a\n  ? name\n  : b\n? |\n  x\n: a\nactivities:\n- ? id\n  : a\n  ? name\n",
    "provider: {? id : a, ? &a name\n : b, ? !!str version, x: *a}\n",
    "capabilities: [\n  host.haptic  # second\n  , activity.start ]\n",
    "capabilities: [  # a\n\n # b\n host.haptic # c\n # d\n ,\n activity.start # e\n ]\n",
    "--- # a\nprovider:   \n  # b\n  id: a\n\n# c\npermissions:\n# d\n- a\n  # e\n- x\n...\n",
    "$schema: &s a\n  b\nx: *s\npermissions:\n- |\n  a\n- >-\n  b\n- c\n\n  d\n-\n  e\n",
    "activities: [id: a, {id: b}, ? name : c, 'x': d]\npermissions: [a : b]\n",
    '{"presentation" : {}, "provider": {"id":1}, permissions: [\n"host.timer"\n]}\n',
]


@pytest.mark.slow
@pytest.mark.parametrize("text", [*WITH_MORE, *(each.read_text("utf-8") for each in _YAML)])
def test_what_is_accepted_in_an_example_keeps_it_readable(text: str) -> None:
    assert decode(text, "m.yaml").readable
    assert _spoiling(text) == []


_WORDS = st.sampled_from(["a", "b c", "no", *PERMISSIONS[:2]])
_MEMBERS: dict[str, st.SearchStrategy[Any]] = {
    "$schema": _WORDS,
    "provider": st.dictionaries(st.sampled_from([*PROVIDER, "x"]), _WORDS),
    "presentation": st.none() | st.fixed_dictionaries({}, optional={"thumbnail": _WORDS}),
    "activities": st.lists(st.dictionaries(st.sampled_from(ACTIVITY), _WORDS), max_size=2),
    "permissions": st.none() | st.lists(st.sampled_from(PERMISSIONS), max_size=3),
    "x-b": _WORDS | st.lists(st.sampled_from(PERMISSIONS), max_size=2),
}


@st.composite
def manifests(draw: st.DrawFn) -> str:
    """A manifest in any style of YAML."""
    value = draw(st.fixed_dictionaries({}, optional=_MEMBERS))
    names = draw(st.permutations(list(value)))
    return Sharing(draw).document({name: value[name] for name in names})


@pytest.mark.slow
@settings(max_examples=8)
@given(manifests())
def test_what_is_accepted_in_yaml_of_any_style_keeps_it_readable(text: str) -> None:
    assert not decode(text, "m.yaml").readable or _spoiling(text) == []


def _spoiling(text: str) -> list[tuple[str, str]]:
    """The places of a text, and what is offered there that leaves none that can be read.

    One offer of each kind is taken, but for names where there are braces: those lack a value. Of a
    long text, a thousand places are tried.
    """
    found = []
    schema, whole = Policy().schema, Text(text, PositionEncodingKind.Utf16)
    for offset in range(0, len(text) + 1, 1 + len(text) // _LONG):
        items = complete(whole, offset, [schema], "yaml")
        for item in {each.kind: each for each in items}.values():
            if item.kind == CompletionItemKind.Property and "{" in text:
                continue
            after = _taken(text, item)
            keeps_all = all(text.count(sign) == after.count(sign) for sign in "&!")
            if not (keeps_all and decode(after, "m.yaml").readable):
                found.append((f"{text[:offset]}^{text[offset:]}", after))
    return found


@given(st.text(st.sampled_from("{}[]:,\"'#-|>&*!?a1 \n\r\t\\é𝄞\ufeff"), max_size=60), st.data())
def test_no_text_is_too_odd(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    for syntax in ("json", "yaml"):
        for cursor in cursors_at(text, offset, syntax):
            assert 0 <= cursor.span.start <= offset <= cursor.span.end <= len(text)
        whole = Text(text, PositionEncodingKind.Utf8)
        complete(whole, offset, [Policy().schema], syntax)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".json", ".yaml"])
def test_typed_letter_by_letter_an_example_is_answered_all_the_way(
    tmp_path: Path, suffix: str
) -> None:
    text = (EXAMPLES / "valid" / f"minimal.activity-provider{suffix}").read_text("utf-8")
    with running(tmp_path) as client:
        client.start()
        uri = client.open(tmp_path / f"a.manifest{suffix}", "")
        line = character = 0
        asked = []
        for version, letter in enumerate(text, 2):
            here = {"line": line, "character": character}
            client.change(uri, version, {"range": {"start": here, "end": here}, "text": letter})
            line, character = (line + 1, 0) if letter == "\n" else (line, character + 1)
            params = {
                "textDocument": {"uri": uri},
                "position": {"line": line, "character": character},
            }
            asked += [
                client.send_request(f"textDocument/{each}", params)
                for each in ("completion", "hover")
            ]
        answers = [client.answer(number) for number in asked]
        assert sum(map(bool, answers)) > len(text)
        assert client.published(uri, len(text) + 1) == []


def test_the_server_leaves_an_anchor_where_it_is(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        client.start()
        uri = client.open(tmp_path / "manifest.yaml", "permissions:\n- &a host.t\nx-b: *a\n")
        params = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 11}}
        items: list[Message] = client.ask("textDocument/completion", params)
    (timer,) = (each for each in items if each["label"] == "host.timer")
    assert timer["textEdit"] == {
        "range": {"start": {"line": 1, "character": 5}, "end": {"line": 1, "character": 11}},
        "newText": "host.timer",
    }


def test_an_offer_says_what_it_is_for(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        client.start({"textDocument": {"completion": {"completionItem": {"snippetSupport": True}}}})
        uri = client.open(tmp_path / "manifest.json", '{"𝄞": 1, "permissions": [""]}')
        params = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 27}}
        items: list[Message] = client.ask("textDocument/completion", params)
    (timer,) = (each for each in items if each["label"] == "host.timer")
    assert timer["textEdit"] == {
        "range": {"start": {"line": 0, "character": 26}, "end": {"line": 0, "character": 28}},
        "newText": '"host.timer"',
    }
    assert timer["filterText"] == '"host.timer"'
    assert "timer" in timer["documentation"]["value"]
