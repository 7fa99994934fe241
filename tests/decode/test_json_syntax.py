"""JSON is RFC 8259, strictly; what is wrong is named, and placed."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from hypothesis import example, given
from hypothesis import strategies as st

import manifestkit
from json_mistakes import MISTAKES
from manifestkit import Finding, Limits, Location
from manifestkit.config.policy import Policy
from manifestkit.decode import decode
from manifestkit.engine.lint import lint_text
from rows import rows
from test_positions import Layout, layouts

Place = tuple[int, int, int, int]


def said(text: str) -> list[Finding]:
    """What is said of the text itself, and not of the manifest it holds."""
    rules = {"syntax-error", "duplicate-key", "limit-exceeded"}
    return [each for each in manifestkit.lint(text).findings if each.rule in rules]


def place(location: Location) -> Place:
    return location.line, location.column, location.end_line, location.end_column


@rows(("text", "where"), [row[1:] for row in MISTAKES], ids=[row[0] for row in MISTAKES])
def test_a_mistake_is_named_and_placed(text: str, where: Place) -> None:
    (finding,) = said(text)
    assert finding.rule == "syntax-error"
    assert place(finding.location) == where
    assert finding.help


def test_a_text_that_is_not_json_is_judged_by_its_syntax_alone() -> None:
    assert [each.rule for each in manifestkit.lint('{"permissions": [5,]}').findings] == [
        "syntax-error"
    ]


def test_three_mistakes_are_told_in_one_run() -> None:
    text = "{'a': 01,\n \"b\": True,\n}"
    assert [place(each.location)[:2] for each in said(text)] == [(1, 2), (1, 7), (2, 7), (2, 11)]


def test_the_edits_of_the_fixes_make_a_mended_text() -> None:
    text = "{'a': +1\n \"b\" 2, // c\n c: [1,, True,],}"
    edits = sorted(
        (edit for each in said(text) for edit in each.fixes[0].edits),
        key=lambda edit: edit.start,
        reverse=True,
    )
    for edit in edits:
        text = text[: edit.start] + edit.text + text[edit.end :]
    assert json.loads(text) == {"a": 1, "b": 2, "c": [1, True]}


# -- duplicate keys --------------------------------------------------------------------------


def test_a_duplicate_key_shows_both_places_and_its_pointer() -> None:
    (finding,) = said('{"a": [{"x/y": 1,\n "x\\/y": 2}]}')
    assert (finding.rule, finding.pointer) == ("duplicate-key", "/a/0/x~1y")
    assert place(finding.location) == (2, 2, 2, 8)
    (first,) = finding.related
    assert place(first.location) == (1, 9, 1, 14)


def test_of_a_duplicate_key_the_last_value_is_judged() -> None:
    rules = [each.rule for each in manifestkit.lint('{"runtime": {}, "runtime": 1}').findings]
    assert rules.count("duplicate-key") == 1
    assert rules.count("wrong-type") == 1


def test_a_key_given_three_times_is_told_twice() -> None:
    assert [each.rule for each in said('{"a": 1, "a": 2, "a": 3}')] == ["duplicate-key"] * 2


# -- limits ----------------------------------------------------------------------------------

_LIMITS = [
    ("too deep", "[" * 201 + "]" * 201, (1, 201), "/0" * 200),
    ("far too deep", "[" * 100_000, (1, 201), "/0" * 200),
    ("far too deep in objects", '{"a":' * 100_000, (1, 1001), "/a" * 200),
    ("too many digits", f'{{"a": [0, {"5" * 1001}]}}', (1, 11), "/a/1"),
    ("digits beyond Python's own limit", "5" * 100_000, (1, 1), ""),
    ("beyond a double", '{"a": 1e400}', (1, 7), "/a"),
    ("beyond a double, downwards", "[-1e400]", (1, 2), "/0"),
]


@rows(("text", "where", "pointer"), [row[1:] for row in _LIMITS], ids=[row[0] for row in _LIMITS])
def test_a_passed_limit_is_placed(text: str, where: tuple[int, int], pointer: str) -> None:
    (finding,) = manifestkit.lint(text).findings
    assert (finding.rule, finding.pointer) == ("limit-exceeded", pointer)
    assert place(finding.location)[:2] == where


@rows("text", ["[" * 200 + "]" * 200, f"[{'5' * 1000}]", "[1e308, 1e-400]"], ids=len)
def test_what_is_just_within_the_limits_is_read(text: str) -> None:
    assert said(text) == []


@rows(
    ("limits", "source"),
    [
        (Limits(bytes=10), b'{"a": "bcdef"}'),
        (Limits(depth=1), b"[[]]"),
        (Limits(nodes=3), b"[1, 2, 3]"),
        (Limits(nodes=3), b'{"a": {"b": {"c": 1}}}'),
    ],
)
def test_a_limit_can_be_set(limits: Limits, source: bytes) -> None:
    (finding,) = lint_text(source, policy=Policy(limits=limits)).findings
    assert finding.rule == "limit-exceeded"
    assert manifestkit.lint(source).findings != (finding,)


# -- encodings -------------------------------------------------------------------------------

_TEXT = '{"a": "é"}'


@rows(
    ("data", "where", "message"),
    [
        (_TEXT.encode("utf-16"), (1, 1), "UTF-16"),
        (b"PK\x03\x04" + _TEXT.encode(), (1, 1), "a zip archive"),
        (_TEXT.encode("utf-16-le"), (1, 1), "UTF-16"),
        (_TEXT.encode("utf-16-be"), (1, 1), "UTF-16"),
        (_TEXT.encode("utf-32"), (1, 1), "UTF-32"),
        (_TEXT.encode("utf-32-le"), (1, 1), "UTF-32"),
        (_TEXT.encode("utf-32-be"), (1, 1), "UTF-32"),
        (_TEXT.encode("latin-1"), (1, 8), "byte 0xE9 at offset 7 is not UTF-8"),
        ("{\n坐".encode() + b"\xff}", (2, 2), "byte 0xFF at offset 5 is not UTF-8"),
        (b'"\xed\xa0\x80"', (1, 2), "byte 0xED at offset 1 is not UTF-8"),
        (b'"\xc0\x80"', (1, 2), "byte 0xC0 at offset 1 is not UTF-8"),
    ],
)
def test_another_encoding_is_named(data: bytes, where: tuple[int, int], message: str) -> None:
    (finding,) = manifestkit.lint(data).findings
    assert finding.rule == "syntax-error"
    assert message in finding.message
    assert place(finding.location)[:2] == where


def test_a_byte_order_mark_at_the_start_is_read_without_a_word() -> None:
    assert said("\ufeff{}") == []


# -- the same verdict as the standard library ------------------------------------------------


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def is_json(text: str) -> bool:
    """Python's verdict, made strict: no NaN, no Infinity."""
    try:
        json.loads(text.removeprefix("\ufeff"), parse_constant=_refuse)
    except ValueError:
        return False
    return True


@st.composite
def _almost_json(draw: st.DrawFn) -> str:
    """A JSON text with a few characters taken out, put in or exchanged."""
    layout: Layout = draw(layouts())
    text = layout.text
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        new = draw(
            st.sampled_from([*"{}[]:,\"'\\/#u01-+.eE \n\t\f\v\x85\0tn\ufeff\u2028", "", "//", "/*"])
        )
        text = text[:at] + new + text[at + draw(st.integers(0, 2)) :]
    return text


@given(st.text() | st.text("{}[]:,\"\\u0123456789aAeE+-. \n\ttrufalsn'/*#_") | _almost_json())
@example("1e400")
@example('"\ud800"')
@example("[1]\x00")
def test_a_text_is_accepted_exactly_when_the_standard_library_accepts_it(text: str) -> None:
    syntax_errors = [each for each in said(text) if each.rule == "syntax-error"]
    assert (not syntax_errors) == is_json(text)


@given(_almost_json().filter(is_json))
def test_an_accepted_text_has_the_value_that_the_standard_library_reads(text: str) -> None:
    decoded = decode(text, "x.json")
    if decoded.readable:
        assert decoded.document.value == json.loads(text.removeprefix("\ufeff"))
    else:
        assert math.isinf(_largest(json.loads(text.removeprefix("\ufeff"))))


def _largest(value: Any) -> float:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return max(map(_largest, value), default=0)
    return abs(value) if isinstance(value, int | float) else 0


def _encoded(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


@given(st.binary() | st.text().map(_encoded) | _almost_json().map(_encoded))
@example(b"\xef\xbb\xbf")
@example(b"\x00\x00\x00")
def test_no_bytes_whatever_raise(data: bytes) -> None:
    result = manifestkit.lint(data, name="manifest.json")
    for finding in result.findings:
        assert finding.message
        assert finding.location.span.start <= finding.location.span.end
        assert "\n" not in finding.message or "\n" in data.decode(errors="replace")


def test_numbers_without_commas_between_them_lack_commas_not_quotes() -> None:
    assert [place(each.location)[:2] for each in said("[1 2 3]")] == [(1, 3), (1, 5)]


@rows(("name", "syntax"), [("m.json", "JSON"), ("m.yaml", "YAML")])
@rows("page", ["<!doctype html>\n<p>Not found</p>", "\n<html>\n</html>"])
def test_a_page_is_named(page: str, name: str, syntax: str) -> None:
    (finding,) = decode(page, name).findings
    assert finding.message == f"this is HTML, not {syntax}"
