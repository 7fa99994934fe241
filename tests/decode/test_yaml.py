"""Reading YAML: values, places, and what is said of every trap."""

from __future__ import annotations

from typing import Any

import pytest

from manifestkit.decode import Decoded, decode
from manifestkit.model.location import Span
from rows import rows


def read(text: str, name: str = "manifest.yaml") -> Decoded:
    return decode(text, name)


def rules(text: str) -> list[str]:
    return [finding.rule for finding in read(text).findings]


def spelling(text: str, *path: str | int) -> str:
    """The characters of the value at a path."""
    document = read(text).document
    span = document.node(path).span
    return document.text[span.start : span.end]


@rows("name", ["m.yaml", "m.yml", "M.YAML", "<stdin>.Yml"])
def test_a_yaml_suffix_tells_the_syntax(name: str) -> None:
    outcome = read("a: 1", name)
    assert outcome.document.value == {"a": 1}
    assert outcome.document.syntax == "yaml"


def test_any_other_suffix_means_json() -> None:
    assert read('{"a": 1}', "m.txt").document.syntax == "json"
    assert not read("a: 1", "m.txt").readable


def test_json_in_a_yaml_file_is_read_as_yaml() -> None:
    outcome = read('{"a": [1, "é"]}')
    assert outcome.document.syntax == "yaml"
    assert outcome.document.value == {"a": [1, "é"]}
    assert spelling('{"a": [1, "é"]}', "a", 1) == '"é"'


@rows(
    ("written", "value"),
    [
        ("no", "no"),
        ("1.10", 1.1),
        ("2026-11-20", "2026-11-20"),
        ("1:30", "1:30"),
        ("010", 10),
        ("0o10", 8),
        ("0x1F", 31),
        ("1_000", "1_000"),
        (".5", 0.5),
        ("1.", 1.0),
        ("+12", 12),
        ("-0", 0),
        ("1e3", 1000.0),
        ("~", None),
        ("null", None),
        ("", None),
        ("True", True),
        ("tRue", "tRue"),
        ("0b1", "0b1"),
        ("! 12", "12"),
        ("!!str 12", "12"),
        ("!!int 12", 12),
        ("!!float 12", 12.0),
        ("!!bool true", True),
        ("!!null ''", None),
        ('"\\e\\x41\\u00e9\\_\\N\\L\\P\\/\\ \\0"', "\x1bAé\xa0\x85\u2028\u2029/ \0"),
        ("'it''s'", "it's"),
        ('"\\U0001f600"', "😀"),
        ("http://x.y/z#f", "http://x.y/z#f"),
    ],
)
def test_scalars_mean_what_yaml_1_2_says(written: str, value: Any) -> None:
    outcome = read(f"key: {written}\n")
    assert repr(outcome.document.value) == repr({"key": value})
    assert outcome.readable


@rows(
    ("text", "value"),
    [
        ("a: one\n two\n\n three # c\n", {"a": "one two\nthree"}),
        ('a: "one\n  two \\\n  three\n\n  four"\n', {"a": "one two three\nfour"}),
        ("a: 'one\n  two'\n", {"a": "one two"}),
        ("a: |\n  one\n   two\n\nb: 1", {"a": "one\n two\n", "b": 1}),
        ("a: |-\r\n  one\r\n  two\r\n", {"a": "one\ntwo"}),
        ("a: >+\n  one\n  two\n\n", {"a": "one two\n\n"}),
        ("a: |2-\n    one", {"a": "  one"}),
        ("a:\n- b\n- c: d\n  e: [f, {g: h}]\n", {"a": ["b", {"c": "d", "e": ["f", {"g": "h"}]}]}),
        ("? a\n: - b\n? c\n", {"a": ["b"], "c": None}),
        ("!!str : a\nb: c\n", {"": "a", "b": "c"}),
        ("a: &x [1]\nb: *x\n", {"a": [1], "b": [1]}),
        ("a: [\n  b, # c\n  d,\n]\n", {"a": ["b", "d"]}),
        ("\ufeffa: é # c\n", {"a": "é"}),
    ],
)
def test_collections_and_long_scalars(text: str, value: Any) -> None:
    outcome = read(text)
    assert outcome.document.value == value
    assert outcome.readable


# -- places ----------------------------------------------------------------------------------

PLACES = """\
# first
name: &n !!str Walk  # comment
list:
  - a: 1
    b: "two"

  # after
  - [x, y]
text: |
  one

  two

empty:
again: *n
"""


@rows(
    ("path", "source"),
    [
        (("name",), "Walk"),
        (("list",), '- a: 1\n    b: "two"\n\n  # after\n  - [x, y]'),
        (("list", 0), 'a: 1\n    b: "two"'),
        (("list", 0, "b"), '"two"'),
        (("list", 1, 1), "y"),
        (("text",), "|\n  one\n\n  two"),
        (("empty",), ""),
        (("again",), "*n"),
    ],
)
def test_a_span_holds_the_characters_of_its_value(path: tuple[str | int, ...], source: str) -> None:
    assert spelling(PLACES, *path) == source


def test_an_absent_value_stands_after_its_colon() -> None:
    document = read("a:   # c\nb: 1").document
    assert document.node(["a"]).span == Span(2, 2)


def test_what_is_below_an_alias_stands_in_the_anchored_value() -> None:
    text = "a: &x {k: v}\nb: *x\n"
    assert spelling(text, "b") == "*x"
    assert spelling(text, "b", "k") == "v"
    assert (
        read(text)
        .document.locate(
            (
                "b",
                "k",
            )
        )
        .line
        == 1
    )


def test_the_spelling_of_a_number_is_at_hand() -> None:
    assert read("version: 1.10").document.value == {"version": 1.1}
    assert spelling("version: 1.10", "version") == "1.10"


@rows("line_end", ["\n", "\r\n", "\r"])
def test_columns_count_code_points_and_lines_end_at_lf_crlf_and_cr_only(line_end: str) -> None:
    document = read(f'\ufeffa: "x\u2028y"{line_end}"é😀": [b, "😀", c]').document
    place = document.locate(("é😀", 2))
    assert (place.line, place.column, place.end_column) == (2, 16, 17)
    assert document.locate_key(("é😀",)).column == 1
    assert document.locate(("a",)).column == 4


def test_keys_have_places_in_both_styles() -> None:
    document = read('{"a": {b: 1}}\n').document
    assert document.spans(("a",))[0] == Span(1, 4)
    assert document.spans(("a", "b"))[0] == Span(7, 8)


# -- traps -----------------------------------------------------------------------------------


@rows(
    ("text", "place", "what"),
    [
        ("a: !thing x", (1, 4), "tag `!thing`"),
        ("a: !!python/object x", (1, 4), "tag `!!python/object`"),
        ("a: !!int x", (1, 10), "tag `!!int` does not fit its value"),
        ("a: !!map [1]", (1, 4), "tag `!!map` does not fit"),
        ("a: !!seq {b: 1}", (1, 4), "tag `!!seq` does not fit"),
        ("a: !!str [1]", (1, 4), "tag `!!str` does not fit"),
        ("a: !!null\n  - 1", (1, 4), "tag `!!null` does not fit"),
        ("a: !!map x", (1, 10), "tag `!!map` does not fit"),
        ("b: &b {}\na:\n  <<: *b", (3, 3), "merge key"),
        ("a: 1\n---\nb: 2", (2, 1), "second document"),
        ("a: 1\n...\n---\nb: 2", (3, 1), "second document"),
        ("a: 1\n...\nb: 2", (3, 1), "second document"),
        ("1: x", (1, 1), "not text but a number"),
        ("true: x", (1, 1), "not text but a boolean"),
        ("? [a]\n: b", (1, 3), "as a key"),
        ("{a: 1}: b", (1, 1), "as a key"),
        ("a: .nan", (1, 4), "is not a number"),
        ("a: -.INF", (1, 4), "is not a number"),
        ("%YAML 1.1\n---\na: 1", (1, 1), "directive `%YAML 1.1`"),
        ("# c\n\n%YAML 1.2 # c\n%TAG ! x\n---\na: 1", (4, 1), "directive `%TAG ! x`"),
        ("a: &a [*a]", (1, 8), "inside the value"),
    ],
)
def test_yaml_that_no_manifest_may_use_is_told(
    text: str, place: tuple[int, int], what: str
) -> None:
    finding = read(text).findings[0]
    assert finding.rule == "yaml-unsupported"
    assert (finding.location.line, finding.location.column) == place
    assert what in finding.message
    assert finding.help


def test_a_tag_leaves_a_value_to_judge() -> None:
    outcome = read("a: !x 1")
    assert outcome.readable
    assert outcome.document.value == {"a": "1"}


def test_a_duplicate_key_is_told_with_both_places_and_the_last_is_judged() -> None:
    outcome = read("a:\n  - b: 1\n    'b': 2\n")
    (finding,) = outcome.findings
    assert finding.rule == "duplicate-key"
    assert finding.pointer == "/a/0/b"
    assert finding.location.line == 3
    assert finding.related[0].location.line == 2
    assert outcome.readable
    assert outcome.document.value == {"a": [{"b": 2}]}


def test_a_key_given_again_behind_its_list_is_a_duplicate() -> None:
    assert rules("m:\n- y\nm: x\nn: z\n") == ["duplicate-key"]
    assert rules("m:\n  k: y\nm:\n  k: x\nn: z\n") == ["duplicate-key"]


@rows(
    ("text", "place", "what", "fix"),
    [
        ("a:\n\tb: 1", (2, 1), "tab in indentation", None),
        ("a:\n  -\tb\n", (2, 4), "tab in indentation", None),
        ("a: 1\nb:2\n", (2, 1), "missing space after the colon", ": "),
        ("a:2\nb: 1\n", (1, 1), "missing space after the colon", ": "),
        ('a: "x\nb: 1', (1, 4), "quote is not closed", None),
        ('a: "x', (1, 4), "quote is not closed", None),
        ("a: [x\nb: 1", (1, 4), "`[` is not closed", None),
        ("a: {x", (1, 4), "`{` is not closed", None),
        ("a: [x}", (1, 6), "`}` where `,` or `]` is expected", None),
        ("a: [x y: 1 z: 2]", (1, 13), "where `,` or `]` is expected", None),
        ("a:\n   b: 1\n  c: 2", (3, 3), "bad indentation", None),
        ('a: "1"\n  c: 2', (2, 3), "bad indentation", None),
        ("a: x\n  c: 2", (2, 3), "bad indentation", None),
        ("a: @x # c", (1, 4), "`@x` is not YAML", None),
        ("a: `x`", (1, 4), "this value is written in Markdown", None),
        ("a: %x", (1, 4), "`%x` is not YAML", None),
        ("a: [!!str\n  b: 1]", (2, 4), "where `,` or `]` is expected", None),
        ("a: [@x]", (1, 5), "`@x` is not YAML", None),
        ("a: &b *c", (1, 7), "unexpected `*c` after the end of a value", None),
        ("a: [!!str *c]", (1, 11), "where `,` or `]` is expected", None),
        ("a: x: y # c", (1, 5), "unexpected `: y` after the end of a value", None),
        ("a: 'b' c", (1, 8), "after the end of a value", None),
        ("a: 'b'#c", (1, 7), "unexpected `#c` after the end of a value", " "),
        ("a: - b", (1, 4), "`- b` is not YAML", None),
        ("a:\n- b\nc", (3, 1), "expected `key: value`", None),
        ("a b\nc: d", (1, 1), "expected `key: value`, found `a b`", None),
        ("- b\nc: 1", (2, 1), "bad indentation of `c: 1`", None),
        ('a: "\\q"', (1, 5), "`\\q` is not an escape", None),
        ('a: "It\\\'s"', (1, 7), "`\\'` is not an escape", None),
        ('a: "\\u12"', (1, 5), "`\\u12` is not an escape", None),
        ("a: *b", (1, 4), "has no anchor", None),
        ("a: |x\n  y", (1, 4), "is not YAML", None),
        ("a: \x07", (1, 4), "control character U+0007", None),
        ("# nothing", (1, 10), "the file has only comments", None),
    ],
)
def test_a_mistake_is_named_with_its_place_and_its_mending(
    text: str, place: tuple[int, int], what: str, fix: str | None
) -> None:
    outcome = read(text)
    finding = next(each for each in outcome.findings if each.rule == "syntax-error")
    assert not outcome.readable
    assert (finding.location.line, finding.location.column) == place
    assert what in finding.message
    assert finding.message[0] != finding.message[0].upper() or not finding.message[0].isalpha()
    assert not finding.message.endswith(".")
    assert finding.help
    assert [edit.text for each in finding.fixes for edit in each.edits] == (
        [] if fix is None else [fix]
    )


@rows(
    ("text", "help"),
    [
        ("a:\n  - b\n  // c", "begin a comment with `#`"),
        ("a: b\n// c", "begin a comment with `#`"),
        ("a:\n  - b\n  -c", "put a space after the `-`"),
        ("a:\n  -b: c\n    # D\n\n    d: e\n", "put a space after the `-`"),
    ],
)
def test_what_to_write_instead_is_told(text: str, help: str) -> None:
    assert [each.help for each in read(text).findings] == [help]


@pytest.mark.parametrize("text", ["a: 1\nb:2\n", "a: 'b'#c"])
def test_a_safe_fix_makes_the_text_readable(text: str) -> None:
    (finding,) = read(text).findings
    (fix,) = finding.fixes
    (edit,) = fix.edits
    assert read(text[: edit.start] + edit.text + text[edit.end :]).findings == ()
