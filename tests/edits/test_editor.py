"""An edit of the text says what the change of the data says, and nothing else (design/edits.md)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from manifestkit.decode import decode
from manifestkit.edits.editor import Editor
from manifestkit.edits.formatting import formatted
from manifestkit.edits.layout import trivia
from manifestkit.edits.patch import apply_edits, apply_patch, is_same_data
from manifestkit.model.document import Document
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.finding import Edit
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.schema.packaged import base_schema
from patches import verified
from rows import rows
from styles import FEW, Sharing, Unsupported, documents, spaced_mappings
from yaml_texts import texts

NEW: st.SearchStrategy[Any] = (
    FEW | texts | st.sampled_from(["1.10", "no", "host.haptics", "\ud800", "\x7f\u2028", "it's"])
)
NEW = NEW | st.lists(NEW, max_size=2) | st.dictionaries(texts, NEW, max_size=2)


def check(document: Document, edits: Iterable[Edit], value: Any) -> None:
    """The edited text has a value, but for what YAML cannot write: that is refused."""
    if document.syntax == "yaml" and "\\ud800" in json.dumps(value):
        with pytest.raises(EditRefusedError, match="is not an escape in YAML"):
            verified(document, edits, value)
    else:
        verified(document, edits, value)


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    if isinstance(value, dict | list):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from paths(each, (*path, key))


@st.composite
def changes(draw: st.DrawFn, value: Any) -> dict[str, Any]:
    """One change that is possible in a value."""
    everywhere = list(paths(value))
    path = draw(st.sampled_from(everywhere))
    held = value
    for token in path:
        held = held[token]
    kinds = ["replace"]
    if path:
        kinds.append("remove")
    if path and isinstance(path[-1], str):
        kinds.append("move")
    if isinstance(held, dict | list):
        kinds += ["add", "add"]
    kind = draw(st.sampled_from(kinds))
    at = format_pointer(path)
    if kind == "remove":
        return {"op": "remove", "path": at}
    if kind == "replace":
        return {"op": "replace", "path": at, "value": draw(NEW)}
    if kind == "move":
        owner = value
        for token in path[:-1]:
            owner = owner[token]
        name = draw(texts | st.sampled_from(["version", "no", "1.10"]))
        assume(name not in owner)
        return {"op": "move", "from": at, "path": format_pointer((*path[:-1], name))}
    last: Any = draw(texts)
    if isinstance(held, list):
        last = draw(st.sampled_from(["-", *range(len(held) + 1)]))
    return {"op": "add", "path": format_pointer((*path, last)), "value": draw(NEW)}


@given(documents(), st.data())
def test_every_change_is_made_and_nothing_else(document: Document, data: st.DataObject) -> None:
    change = data.draw(changes(document.value))
    before = deepcopy(document.value)
    try:
        edits = Editor(document).patch([change])
    except EditRefusedError:
        assert document.syntax == "yaml"
        assert "#" in document.text
        return
    check(document, edits, apply_patch(document.value, [change]))
    assert is_same_data(document.value, before)
    kept = [
        document.text[one:two]
        for one, two in zip(
            [0, *(each.end for each in edits)],
            [*(each.start for each in edits), len(document.text)],
            strict=True,
        )
    ]
    after = apply_edits(document.text, edits)
    for piece in kept:
        assert piece in after


@given(documents(), st.data())
def test_entries_go_and_come_side_by_side(document: Document, data: st.DataObject) -> None:
    values = {path: document.value_at(path) for path in paths(document.value)}
    owners = [path for path, value in values.items() if isinstance(value, dict | list)]
    assume(owners)
    owner = data.draw(st.sampled_from(owners))
    there = values[owner]
    entries = sorted(there) if isinstance(there, dict) else [*range(len(there))]
    gone = data.draw(st.sets(st.sampled_from(entries))) if there else set()
    if isinstance(there, dict):
        names = texts.filter(lambda name: name not in there)
        new = [*data.draw(st.dictionaries(names, NEW, max_size=2)).items()]
    else:
        new = [("-", value) for value in data.draw(st.lists(NEW, max_size=2))]
    operations = [
        {"op": "remove", "path": format_pointer((*owner, each))}
        for each in sorted(gone, reverse=True)
    ]
    operations += [
        {"op": "add", "path": format_pointer((*owner, name)), "value": value} for name, value in new
    ]
    try:
        edits = Editor(document).patch(operations)
    except EditRefusedError:
        assert document.syntax == "yaml"
        assert "#" in document.text
    else:
        check(document, edits, apply_patch(document.value, operations))


OWNED = """\
a:
  b: 1
  # of a
c:
  - d: |
      text
    # of d

  # of c

  # of c too
# of e
e: 1
"""


@rows(
    ("at", "after", "changed"),
    [
        (("f",), "a", ("  # of a\n", "  # of a\nf: 0\n")),
        (("a", "f"), "b", ("  b: 1\n", "  b: 1\n  f: 0\n")),
        (("f",), "c", ("  # of c too\n", "  # of c too\nf: 0\n")),
        (("c", 1), None, ("    # of d\n", "    # of d\n  - 0\n")),
        (("f",), "e", ("e: 1\n", "e: 1\nf: 0\n")),
    ],
)
def test_a_comment_at_the_end_of_a_block_stays_in_it(
    at: Path, after: str | None, changed: tuple[str, str]
) -> None:
    document = decode(OWNED, "m.yaml").document
    change = {"op": "add", "path": format_pointer(at), "value": 0}
    edits = Editor(document).patch([change], after=after)
    assert apply_edits(OWNED, edits) == OWNED.replace(*changed)


@settings(max_examples=settings().max_examples // 2)
@given(spaced_mappings(), st.data())
def test_so_is_one_beside_comments_and_empty_lines(text: str, data: st.DataObject) -> None:
    decoded = decode(text, "m.yaml")
    assume(decoded.readable and not decoded.findings)
    document = decoded.document
    before = data.draw(st.sampled_from(["", *document.value]))
    change = data.draw(changes(document.value) | st.just({"op": "add", "path": "/c", "value": [1]}))
    try:
        edits = Editor(document).patch([change])
    except EditRefusedError:
        assert "#" in text
    else:
        check(document, edits, apply_patch(document.value, [change]))
    change = {"op": "add", "path": "/c", "value": {"d": "e"}}
    edits = Editor(document).patch([change], after=before)
    verified(document, edits, {**document.value, "c": {"d": "e"}})


@rows(
    ("text", "after"),
    [
        ('{"a": {"b": 1}}', '{"a": {"c": 2}}'),
        ('{"a": { "b": 1 }}', '{"a": { "c": 2 }}'),
        ("a: {b: 1}\n", "a: {c: 2}\n"),
        ("a:\n  b: 1\n", "a:\n  c: 2\n"),
    ],
)
def test_the_only_member_is_taken_out_for_another_one(text: str, after: str) -> None:
    removal, addition = {"op": "remove", "path": "/a/b"}, {"op": "add", "path": "/a/c", "value": 2}
    operations: list[dict[str, Any]] = [removal, addition]
    assert apply_edits(text, Editor(decode(text, "m.yaml").document).patch(operations)) == after
    if text.startswith("{"):
        document = decode(text, "m.json").document
        assert apply_edits(text, Editor(document).patch(operations)) == after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ('{"a": ["x"]}', '{"a": ["x", "b", "c"]}'),
        ('{"a": [\n  "x"\n]}', '{"a": [\n  "x",\n  "b",\n  "c"\n]}'),
        ("a:\n- x\n", "a:\n- x\n- b\n- c\n"),
        ("a: [x,]\n", "a: [x, b, c,]\n"),
    ],
)
def test_several_items_are_added_at_the_end(text: str, after: str) -> None:
    operations = [{"op": "add", "path": "/a/-", "value": value} for value in ("b", "c")]
    name = "m.json" if text.startswith("{") else "m.yaml"
    assert apply_edits(text, Editor(decode(text, name).document).patch(operations)) == after


def test_a_member_is_added_behind_one_without_a_value() -> None:
    document = decode("a: {b: }\n", "m.yaml").document
    edits = list(Editor(document).patch([{"op": "add", "path": "/a/c", "value": 1}]))
    verified(document, edits, {"a": {"b": None, "c": 1}})


_PLACE = re.compile(r"it has (.*) \(line (\d+), column (\d+)\); .* first")


def refused_at(document: Document, refusal: EditRefusedError) -> str:
    """The text from the place on that a refusal names."""
    found = _PLACE.fullmatch(str(refusal))
    assert found, str(refusal)
    lines = re.split(r"\r\n?|\n", document.text.removeprefix("\ufeff"))
    return lines[int(found[2]) - 1][int(found[3]) - 1 :]


@given(documents(Unsupported) | documents(Sharing), st.data())
def test_what_nothing_is_edited_around_is_refused_with_its_place(
    document: Document, data: st.DataObject
) -> None:
    change = data.draw(changes(document.value))
    try:
        edits = Editor(document).patch([change])
    except EditRefusedError as refusal:
        refused_at(document, refusal)
        with pytest.raises(EditRefusedError, match=re.escape(str(refusal))):
            formatted(document, base_schema())
    else:
        check(document, edits, apply_patch(document.value, [change]))
        outside = "".join(each[0] for each in trivia(document))
        assert not re.search(r"(?m)^[^#]*[!?&]", outside)


@rows(
    ("text", "at", "refusal"),
    [
        (
            "a: &x 1\nb: *x\n",
            "&x",
            "the anchor `&x` (line 1, column 4); write each value out first",
        ),
        (
            "a: |+\n  b\n\n",
            "|+",
            "text with `|+`, which keeps empty lines (line 1, column 4); leave out the `+` first",
        ),
        ("? a\n: 1\n", "? a", "an explicit key (line 1, column 1); write `key: value` first"),
        ("b: {? a: 1}\n", "? a", "an explicit key (line 1, column 5); write `key: value` first"),
        ("b: 2\na: !!int 1\n", "!!int", "the tag `!!int` (line 2, column 4); remove the tag first"),
        ("a: !!map\n  b: 1\n", "!!map", "the tag `!!map` (line 1, column 4); remove the tag first"),
        (
            "- 1\n- [a: 1, b]\n",
            "a: 1",
            "a pair without braces (line 2, column 4); write `{key: value}` first",
        ),
        ("{a, b: 1}", "a, b", "a key without a value (line 1, column 2); write `key: null` first"),
    ],
)
def test_a_refusal_says_what_to_write(text: str, at: str, refusal: str) -> None:
    document = decode(text, "m.yaml").document
    with pytest.raises(EditRefusedError) as raised:
        Editor(document).patch([{"op": "replace", "path": "", "value": 1}])
    assert str(raised.value) == f"it has {refusal}"
    assert refused_at(document, raised.value).startswith(at)


@rows("text", ["a: what?\n", "a: b!c # ? !d\n", "a: [b, '!c', \"? d\"]\n", "a: |\n  ? b\n"])
def test_what_only_looks_like_one_is_edited(text: str) -> None:
    document = decode(text, "m.yaml").document
    edits = Editor(document).patch([{"op": "add", "path": "/z", "value": 1}])
    verified(document, edits, {**document.value, "z": 1})


@pytest.mark.parametrize(
    ("text", "pointer", "after"),
    [
        ("a:\n- x: 1\n  # inside\n  y: 1\n# b\n- 2\n", "/a/0", "a:\n# b\n- 2\n"),
        ("a:\n- 1 # one\n- 2\n", "/a/0", "a:\n- 2\n"),
    ],
)
def test_a_removal_takes_the_comments_between_its_lines_and_at_their_end(
    text: str, pointer: str, after: str
) -> None:
    document = decode(text, "m.yaml").document
    change = {"op": "remove", "path": pointer}
    edits = Editor(document).patch([change])
    assert verified(document, edits, apply_patch(document.value, [change])).document.text == after


@rows(
    ("text", "operation", "refusal"),
    [
        (
            "a: |\n  t\nb: 1 # b\n  # deep\n\nc: 2\n",
            {"op": "remove", "path": "/b"},
            "a comment below it would be read as a part of the text above",
        ),
        (
            "a: [\n  b, # why\n  c\n]\n",
            {"op": "remove", "path": "/a/0"},
            "the comment `# why` stands in brackets",
        ),
        (
            "a: [ # none\n]\n",
            {"op": "add", "path": "/a/-", "value": 1},
            "the comment `# none` stands in brackets",
        ),
    ],
)
def test_a_change_is_refused_where_it_would_touch_a_comment(
    text: str, operation: dict[str, Any], refusal: str
) -> None:
    with pytest.raises(EditRefusedError, match=refusal):
        Editor(decode(text, "m.yaml").document).patch([operation])
