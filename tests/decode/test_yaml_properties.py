"""What holds for every YAML text, by design/yaml.md's rules and YAML 1.2.2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manifestkit.decode import Decoded, decode
from manifestkit.model.document import Document, Node
from manifestkit.model.pointer import Path
from odd_manifests import odd_text
from yaml_texts import same, written

MODEST = settings(max_examples=settings().max_examples * 3 // 2)


def leaves(value: Any, node: Node) -> Iterator[tuple[Path, Any, Node]]:
    """Every value with its path and place."""
    pending: list[tuple[Path, Any, Node]] = [((), value, node)]
    while pending:
        path, each, place = pending.pop()
        yield path, each, place
        if isinstance(each, dict):
            assert place.members is not None
            assert place.members.keys() == each.keys()
            pending += [((*path, k), v, place.members[k].node) for k, v in each.items()]
        elif isinstance(each, list):
            assert place.items is not None
            assert len(place.items) == len(each)
            pending += [((*path, i), v, place.items[i]) for i, v in enumerate(each)]


def reread(document: Document, path: Path, node: Node) -> Any:
    """Read what stands at a value's span once more, at the column it stands at."""
    source = document.text[node.span.start : node.span.end]
    if source[:1] in ("|", ">"):
        # An indentation indicator counts from the collection around.
        around = document.locate(path[:-1]).column - 1 if path else 0
        lead = " " * around + "- " if path else ""
        read = decode(f"{lead}{source}\n", "again.yaml").document.value
        return read[0] if path else read
    lead = " " * (document.lines.locate(node.span).column - 1)
    return decode(f"{lead}{source}", "again.yaml").document.value


def without_last_breaks(value: Any) -> Any:
    """A value without the line ends that close its texts: a block of text's span ends before."""
    if isinstance(value, dict):
        return {key: without_last_breaks(each) for key, each in value.items()}
    if isinstance(value, list):
        return [without_last_breaks(each) for each in value]
    return value.rstrip("\n") if isinstance(value, str) else value


@MODEST
@given(written())
def test_a_value_written_in_any_style_is_read_back(case: tuple[Any, str]) -> None:
    value, text = case
    outcome = decode(text, "m.yaml")
    assert outcome.findings == ()
    assert same(outcome.document.value, value)


@MODEST
@given(written())
def test_every_span_reads_as_its_value(case: tuple[Any, str]) -> None:
    value, text = case
    document = decode(text, "m.yaml").document
    for path, each, node in leaves(value, document.root):
        again = reread(document, path, node) if node.span.start < node.span.end else None
        assert same(without_last_breaks(again), without_last_breaks(each)), (path, text)


@MODEST
@given(written())
def test_key_spans_read_as_their_names(case: tuple[Any, str]) -> None:
    value, text = case
    document = decode(text, "m.yaml").document
    for path, each, _ in leaves(value, document.root):
        for name in each if isinstance(each, dict) else ():
            span = document.key_span((*path, name))
            assert span is not None
            assert decode(text[span.start : span.end], "k.yaml").document.value == name


@MODEST
@given(written())
def test_line_ends_of_windows_change_no_value_and_no_source(case: tuple[Any, str]) -> None:
    value, text = case
    windows = decode(text.replace("\n", "\r\n"), "m.yaml")
    unix = decode(text, "m.yaml")
    assert same(windows.document.value, value)
    assert windows.findings == ()
    sources = [
        source_of(windows.document, node) for _, _, node in leaves(value, windows.document.root)
    ]
    assert sources == [
        source_of(unix.document, node) for _, _, node in leaves(value, unix.document.root)
    ]


def source_of(document: Document, node: Node) -> str:
    return document.text[node.span.start : node.span.end].replace("\r\n", "\n")


PLAIN_LINES = st.sampled_from(
    [
        "a: b",
        "b: 1.10",
        'c: "x y"',
        "d: 'it'",
        "- x",
        "- k: v",
        "  l: w",
        "  - y",
        "-",
        "  -",
        "  m:",
        "e:",
        "f: [a, b]",
        "g: >",
        "  text",
        "   more",
        "",
        "# c",
        "h: v # c",
        "---",
        "i: >-",
        "  - - p",
        '"q": r',
        "- - s",
        "    n: o",
        "x",
        "  cont: yes",
        "- 1",
        "g: |-",
        "k: 2026-11-20",
        "z: 1.2.3",
        " odd: 1",
        "t: true",
        "u: -0",
        "v: http://x:1/#f",
        "w: a#b",
        "o: ./p",
        "name:foo",
        "true: x",
        "- x y: z",
        "p: {}",
        "l: {a: b}",
        "a: 1_000",
        ": x",
        "? a",
        "...",
        "g: ''",
        'g: "\\/"',
        "  é",
        "n: ~",
        "n: no",
        "m: 0x1F",
        "m: 1e3",
        "m: 010",
        "k" * 1_024 + ": v",
        "k" * 1_025 + ": v",
        "l: {" + "k" * 1_024 + ": v}",
        "l: {" + "k" * 1_025 + ": v}",
    ]
)


def shifted(node: Node, by: int) -> Any:
    """A node with every place moved back."""
    members = {
        name: (each.key.start - by, each.repeated, shifted(each.node, by))
        for name, each in (node.members or {}).items()
    }
    items = [shifted(each, by) for each in node.items or []]
    return node.span.start - by, node.span.end - by, items, members


@settings(MODEST, max_examples=6 * settings().max_examples)
@given(
    st.lists(PLAIN_LINES, min_size=1, max_size=7).map("\n".join)
    | st.randoms(use_true_random=False).map(odd_text)
)
def test_the_short_way_through_plain_lines_changes_nothing(text: str) -> None:
    if text.startswith("\ufeff"):
        return
    # A text with a tab, though it be in a comment, goes the long way.
    comment = "#\t\n"
    short, long = decode(text, "m.yaml"), decode(comment + text, "m.yaml")
    assert short.readable == long.readable
    told, told_of_long = (
        [
            (each.rule, each.message.replace("has only comments", "is empty"), each.pointer)
            for each in decoded.findings
        ]
        for decoded in (short, long)
    )
    assert told == told_of_long
    if short.readable:
        assert same(short.document.value, long.document.value)
        assert shifted(short.document.root, 0) == shifted(long.document.root, len(comment))
        assert [each.path for each in short.document.ambiguous] == [
            each.path for each in long.document.ambiguous
        ]


def check(outcome: Decoded, size: int) -> None:
    assert outcome.readable or outcome.findings
    for finding in outcome.findings:
        assert 0 <= finding.location.span.start <= finding.location.span.end <= size
    if outcome.readable:
        for _, _, node in leaves(outcome.document.value, outcome.document.root):
            assert 0 <= node.span.start <= node.span.end <= size


@MODEST
@given(st.text(max_size=40) | st.text("ab:- \n\t'\"[]{},#&*!|>?%@`\\.~1<\r", max_size=30))
def test_no_text_breaks_the_reader(text: str) -> None:
    check(decode(text, "m.yaml"), len(text))


@MODEST
@given(st.binary(max_size=40))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    outcome = decode(data, "m.yaml")
    check(outcome, len(outcome.document.text))


@MODEST
@given(written(), st.data())
def test_no_damage_to_a_document_breaks_the_reader(
    case: tuple[Any, str], data: st.DataObject
) -> None:
    text = case[1]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 4)))
    piece = data.draw(st.text("ab:- \n\t'\"[]{},#&*!|>?%@\\.~1<\r", max_size=3))
    text = text[:start] + piece + text[end:]
    check(decode(text, "m.yaml"), len(text))


@pytest.mark.parametrize("escaped", ["\\ud83d\\ude00", "\\U0001F600"])
def test_surrogate_pairs_join(escaped: str) -> None:
    assert decode(f'a: "{escaped}"', "m.yaml").document.value == {"a": "😀"}
