"""What holds for every YAML text, by design/yaml.md's rules and YAML 1.2.2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from manifestkit.decode import Decoded, decode
from manifestkit.model.document import Document, Node
from manifestkit.model.pointer import Path
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
            span, _ = document.spans((*path, name))
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
