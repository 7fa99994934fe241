"""Where libyaml reads otherwise than YAML 1.2, its reading is corrected or refused."""

from __future__ import annotations

import time
from typing import Any

import pytest
import yaml

import manifestkit
from manifestkit.decode import decode
from rows import rows


def first(text: str) -> tuple[str, int, int]:
    """The rule and the place of what is said first of a text that cannot be judged."""
    outcome = decode(text, "m.yaml")
    assert not outcome.readable
    finding = outcome.findings[0]
    return finding.rule, finding.location.line, finding.location.column


@rows("end", ["", "\n"])
@rows("kind", ["|", ">", "|+"])
def test_a_block_of_text_keeps_its_line_end_where_the_file_has_none(kind: str, end: str) -> None:
    document = decode(f"a: {kind}\n  b{end}", "m.yaml").document
    assert document.value == {"a": "b\n"}
    assert document.node(["a"]).span.end == len(f"a: {kind}\n  b")


@rows(
    ("text", "value"),
    [
        ("a: >+\n   \n  ", "\n"),
        ("a: |+\n  b\n  ", "b\n"),
        ("a: |+\n  b\n   \n  ", "b\n \n"),
        ("a: |+\n  b\n    ", "b\n  \n"),
        ("a: |\n  b\n  ", "b\n"),
    ],
)
def test_a_last_line_of_spaces_without_an_end_adds_no_line_to_a_block_of_text(
    text: str, value: str
) -> None:
    assert decode(text, "m.yaml").document.value == {"a": value}


@rows(
    ("text", "by_libyaml", "said"),
    [
        ("&a:b c", ":b c", ("syntax-error", 1, 3)),
        ("k: &a:b c", {"k": ":b c"}, ("syntax-error", 1, 6)),
        ("[&a x, *a:b]", ["x", {"x": "b"}], ("syntax-error", 1, 10)),
        ("[?x]", [{"x": None}], ("syntax-error", 1, 2)),
        ("{ ?foo: bar}", {"foo": "bar"}, ("syntax-error", 1, 3)),
        ('[?"x"]', [{"x": None}], ("syntax-error", 1, 2)),
        ("a: b\x85 c", {"a": "b c"}, ("yaml-unsupported", 1, 5)),
        ("a: 'b\u2028c'", {"a": "b\u2028c"}, ("yaml-unsupported", 1, 6)),
        ('a: "b\u2029c"', {"a": "b\u2029c"}, ("yaml-unsupported", 1, 6)),
        ("a: 'b'#c", {"a": "b"}, ("syntax-error", 1, 7)),
        ("a: [b]#c", {"a": ["b"]}, ("syntax-error", 1, 7)),
        ('a: "b\nc"', {"a": "b c"}, ("syntax-error", 1, 4)),
        ("{a: 'b\n' }", {"a": "b "}, None),
        ("a: [b\nc]", {"a": ["b c"]}, ("syntax-error", 1, 4)),
        ("a: [\nb]", {"a": ["b"]}, ("syntax-error", 1, 4)),
        ("a: [\n  b,\n[c]]", {"a": ["b", ["c"]]}, ("syntax-error", 1, 4)),
        ("a:\n>\n  b", {"a": "b"}, ("syntax-error", 2, 1)),
        ("a: [\n  b\n]", {"a": ["b"]}, None),
        ("a: [b\n, c]", {"a": ["b", "c"]}, ("syntax-error", 1, 4)),
        ("a: {b: [c]\n,}", {"a": {"b": ["c"]}}, ("syntax-error", 1, 4)),
        ("- [b\n,c]", [["b", "c"]], ("syntax-error", 1, 3)),
        ("- [b\n ,c]", [["b", "c"]], None),
        ("[b\n, c # d\n,]", ["b", "c"], None),
        ("a: [{b: c\n}]", {"a": [{"b": "c"}]}, ("syntax-error", 1, 4)),
        ('a: "b\\\n\n  c"', {"a": "b\nc"}, ("yaml-unsupported", 1, 6)),
        ('a: "b\\\\\n\n  c"', {"a": "b\\\nc"}, None),
        ("a: 'b\\\n\n  c'", {"a": "b\\\nc"}, None),
        ("a: &x\nb: c", {"a": None, "b": "c"}, None),
    ],
)
def test_what_libyaml_reads_otherwise_is_refused_with_its_place(
    text: str, by_libyaml: Any, said: tuple[str, int, int] | None
) -> None:
    assert yaml.load(text, yaml.CSafeLoader) == by_libyaml
    if said is None:
        assert decode(text, "m.yaml").document.value == by_libyaml
    else:
        assert first(text) == said


@rows(
    ("text", "value", "tags"),
    [
        ("&x\n!t a: b", {"a": "b"}, ["!t"]),
        ("!t\n&x a: b", {"a": "b"}, ["!t"]),
        ("!t\n!u a: b", {"a": "b"}, ["!t", "!u"]),
        ("&x # c\n# d\n!t a: b", {"a": "b"}, ["!t"]),
        ("a: &x\n!t b: c", {"a": None, "b": "c"}, ["!t"]),
        ("a: !!str\n!t b: c", {"a": "", "b": "c"}, ["!t"]),
        ("a: &x\n  - !t b", {"a": ["b"]}, ["!t"]),
        ("? &x a\n!t b: c", {"a": None, "b": "c"}, ["!t"]),
        ("a: !!map\n  !!str 1: 2", {"a": {"1": 2}}, []),
        ("a: !!map\n  &x k: 2\nb: *x", {"a": {"k": 2}, "b": "k"}, []),
    ],
)
def test_an_anchor_or_a_tag_is_of_the_value_that_it_belongs_to(
    text: str, value: Any, tags: list[str]
) -> None:
    outcome = decode(text, "m.yaml")
    assert outcome.document.value == value
    assert [f"tag `{each}`: a manifest is plain data" for each in tags] == [
        each.message for each in outcome.findings
    ]


_SPOILT = """\
ratio: -1.5
  - id: two
    text: |
      one
       two
    surfaces: [phone, "watch", 'tv']
    {}0\u2029\xa0?<\t: a text
      of two lines
"""


@rows("character", "\x80\x9f\ufffe\uffff")
@rows("text", ["a:\n  b: 1\n c: 2\nd: {}\n", _SPOILT])
def test_a_move_is_tried_though_a_character_after_it_is_not_allowed(
    text: str, character: str
) -> None:
    assert decode(text.replace("{}", character), "a.yaml").findings


@rows("character", "\x7f\x80\x85\x9f\u2028\u2029\ufeff\ufffe\uffff")
def test_a_comment_may_hold_what_libyaml_refuses_or_takes_for_a_line_end(character: str) -> None:
    outcome = decode(f"a: b # c{character}d: e\nf: g\n", "m.yaml")
    assert outcome.findings == ()
    assert outcome.document.value == {"a": "b", "f": "g"}


@rows("character", "\x7f\x80\x85\x9f\u2028\u2029\ufeff\ufffe\uffff")
@rows("form", ["a: b{}c\n", "a: 'b{}'\n", 'a: "b{}"\n', "a: |\n  b{}\n"])
def test_no_scalar_may_hold_it(form: str, character: str) -> None:
    assert first(form.format(character))[0] == "yaml-unsupported"


@rows(
    ("text", "said"),
    [
        ('a: "\\ud83d\\ude00"', ("syntax-error", 1, 5)),
        ('a: "\\ud800"', ("syntax-error", 1, 5)),
        ('a: "\\u12"', ("syntax-error", 1, 5)),
        ('{"' + "k" * 1_025 + '": v}', ("yaml-unsupported", 1, 2)),
        ("k" * 1_025 + ": v", ("yaml-unsupported", 1, 1)),
        ("%TAG ! tag:x,2000:\n---\na: 1", ("yaml-unsupported", 1, 1)),
        ("%YAML 1.2\n%YAML 1.2\n---\na: 1", ("syntax-error", 2, 1)),
        ("%YAML 1.2\na: 1", ("syntax-error", 2, 1)),
        ("a: 1\n...\n%TAG ! tag:x,2000:\n---\nb: 1", ("yaml-unsupported", 3, 1)),
    ],
)
def test_what_libyaml_refuses_is_told_in_our_words(text: str, said: tuple[str, int, int]) -> None:
    assert first(text) == said
    assert "found" not in decode(text, "m.yaml").findings[0].message


@pytest.mark.parametrize("lead", ["", "a: 1\n...\n"])
def test_many_directives_take_no_time(lead: str) -> None:
    text = lead + "".join(f"%TAG !{n}! tag:x,2000:{n}\n" for n in range(100_000)) + "---\na: 1\n"
    start = time.process_time()
    assert first(text)[0] == "yaml-unsupported"
    assert time.process_time() - start < 2


@rows(
    ("text", "path", "source"),
    [
        ("\ufeffa: b\n", ("a",), "b"),
        ("a: 😀\nb: é\n", ("b",), "é"),
        ("a:\r\n  b: c\r\n\r\n# d\r\ne: f\r\n", ("a",), "b: c"),
        ("a:\n- b\n\n# c\nd: e\n", ("a",), "- b"),
        ("a: |\n  b\n\n\n# c\nd: e\n", ("a",), "|\n  b"),
        ("a: |2\n   b\n    \n \nc: d\n", ("a",), "|2\n   b\n    "),
        ("a: &x !!str b\n", ("a",), "b"),
        ("a: &x\n  b: c\n", ("a",), "b: c"),
        ("a: [{b: , c}]\n", ("a", 0, "b"), ""),
        ("? a\nb: c\n", ("a",), ""),
        ("a: |\n \u00a0 ", ("a",), "|\n \u00a0 "),
    ],
)
def test_a_span_is_found_whatever_the_marks_of_libyaml_say(
    text: str, path: tuple[str | int, ...], source: str
) -> None:
    document = decode(text, "m.yaml").document
    span = document.node(path).span
    assert document.text[span.start : span.end] == source
    if not source:
        assert document.text[span.start - 1] in ":a"


def test_reading_ends_at_a_mistake_and_a_run_of_fixes_comes_to_each() -> None:
    text = "a: 'x'#y\nb:2\nc: \"1\",\n// d\nf: g\n"
    assert [each.location.line for each in decode(text, "m.yaml").findings] == [1]
    after = decode(manifestkit.fix(text, "m.yaml").data, "m.yaml")
    assert after.document.value == {"a": "x", "b": 2, "c": "1", "f": "g"}


@rows("tag", ["!include", "!secret", "!!binary"])
def test_nothing_is_made_of_a_value_that_its_tag_refuses(tag: str) -> None:
    text = "permissions: host.timer\n"
    said = {each.message: each for each in manifestkit.lint(text, "m.yaml").findings}
    tagged = manifestkit.lint(text.replace(": ", f": {tag} "), "m.yaml").findings
    (alike,) = (each for each in tagged if each.pointer and each.message in said)
    assert said[alike.message].fixes
    assert (alike.help, alike.suggestion, alike.fixes) == (None, None, ())
