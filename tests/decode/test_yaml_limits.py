"""Hostile YAML: a finding, soon, and little memory."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise

import pytest

import manifestkit
from manifestkit.decode import decode
from manifestkit.model.limits import Limits
from rows import rows

LETTERS = "abcdefghij"
ALIAS_BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{new}: &{new} [{','.join(['*' + old] * 9)}]\n" for old, new in pairwise(LETTERS)
)
ALIAS_LADDER = "- &a0 [x]\n" + "".join(f"- &a{i + 1} [*a{i}]\n" for i in range(5_000))
MERGE_BOMB = "- &m0 {k: v}\n" + "".join(
    f"- &m{i + 1}\n  <<: [{', '.join([f'*m{i}'] * 9)}]\n" for i in range(30)
)


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        pytest.param(ALIAS_BOMB, {"limit-exceeded"}, id="alias bomb"),
        pytest.param(ALIAS_LADDER, {"limit-exceeded"}, id="alias ladder"),
        pytest.param("a: &a [*a]\n", {"yaml-unsupported"}, id="cyclic alias"),
        pytest.param("&a\nk: *a\n", {"yaml-unsupported"}, id="cyclic mapping"),
        pytest.param(MERGE_BOMB, {"yaml-unsupported", "limit-exceeded"}, id="merge bomb"),
        pytest.param("[" * 10_000 + "]" * 10_000, {"limit-exceeded"}, id="deep flow"),
        pytest.param("{a: " * 10_000, {"limit-exceeded"}, id="deep open flow"),
        pytest.param("- " * 10_000 + "x", {"limit-exceeded"}, id="deep block"),
        pytest.param("? " * 10_000 + "x", {"yaml-unsupported"}, id="deep keys"),
        pytest.param("a: " + "9" * 5_000, {"limit-exceeded"}, id="5,000 digits"),
        pytest.param("a: 0x" + "f" * 5_000, {"limit-exceeded"}, id="5,000 hex digits"),
        pytest.param("a: -1e400", {"limit-exceeded"}, id="beyond a double"),
        pytest.param('a: "' + "\\q" * 200_000 + '"', {"syntax-error"}, id="200,000 mistakes"),
        pytest.param("- !x y\n" * 40_000, {"yaml-unsupported"}, id="40,000 tags"),
        pytest.param('- "\n' * 100_000, {"syntax-error"}, id="100,000 quotes"),
        pytest.param("a: b: " * 100_000, {"syntax-error"}, id="100,000 colons"),
    ],
)
def test_a_hostile_text_gets_its_finding_in_bounded_memory(text: str, rules: set[str]) -> None:
    tracemalloc.start()
    try:
        outcome = decode(text, "bomb.yaml")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 200_000_000
    assert not outcome.readable
    assert {finding.rule for finding in outcome.findings} == rules
    linted = manifestkit.lint(text, "bomb.yaml")
    assert (linted.crash, {each.rule for each in linted.findings} >= rules) == (None, True)


@rows(
    ("text", "limits"),
    [
        ("- 1\n- 2\n", Limits(nodes=2)),
        ("[[1]]", Limits(depth=1)),
        ("a:\n  b: 1\n", Limits(depth=1)),
        ("a: &a [1]\nb: [*a]\n", Limits(depth=2)),
        ("a: 1", Limits(bytes=3)),
    ],
)
def test_every_limit_holds_and_is_named(text: str, limits: Limits) -> None:
    (finding,) = decode(text.encode(), "m.yaml", limits).findings
    assert finding.rule == "limit-exceeded"
    generous = Limits(nodes=20, depth=3, bytes=100)
    assert decode(text.encode(), "m.yaml", generous).findings == ()


def test_keys_are_no_values_to_the_limit_on_values() -> None:
    assert decode("a: 1\nb: 2\n", "m.yaml", Limits(nodes=3)).findings == ()


@pytest.mark.parametrize(("count", "rules"), [(5_000, []), (5_001, ["limit-exceeded"])])
def test_aliases_repeat_10_000_values_at_most(count: int, rules: list[str]) -> None:
    found = decode(f"a: &a [1]\nb: [{'*a, ' * count}]\n", "m.yaml").findings
    assert [each.rule for each in found] == rules


@pytest.mark.parametrize(("depth", "rules"), [(1_000, []), (1_001, ["limit-exceeded"])])
def test_yaml_is_nested_1_000_deep_at_most(depth: int, rules: list[str]) -> None:
    text = f"# YAML\n{'[' * depth}{']' * depth}\n"
    found = decode(text, "m.yaml", Limits(depth=5_000)).findings
    assert [each.rule for each in found] == rules


def test_a_text_that_cannot_be_read_may_have_as_many_findings_as_are_told() -> None:
    repeated, unclosed = decode("a: 1\na: 2\nb: [", "m.yaml", Limits(findings=1)).findings
    assert (repeated.rule, unclosed.rule) == ("duplicate-key", "syntax-error")


@rows(
    ("text", "limits"),
    [
        ("[1, 2, 3]", Limits(nodes=3)),
        (f"[{'9' * 1_001}]", Limits()),
        ("[1e400]", Limits()),
    ],
)
def test_a_passed_limit_is_told_of_yaml_as_of_json(text: str, limits: Limits) -> None:
    (of_json,) = decode(text, "m.json", limits).findings
    (of_yaml,) = decode(text, "m.yaml", limits).findings
    assert (of_yaml.rule, of_yaml.message, of_yaml.help) == (
        of_json.rule,
        of_json.message,
        of_json.help,
    )


@rows("tag", ["!!str", "!!int", "!!float", "!!bool", "!!null", "!!seq", "!", "!x"])
@rows(
    "text",
    [
        *(".inf", "-.inf", ".nan", "1e999", "-1e400", "0x", "+", "-", ".", "~", "", "true", "'1'"),
        *("9" * 6_000, "0" * 5_000, "9" * 6_000 + ".5", "0x" + "f" * 6_000, "0o" + "7" * 6_000),
        *('".inf"', "|\n  1e999", "[.inf]", "{a: 1e999}", "*a"),
    ],
)
def test_any_scalar_with_any_tag_is_read_or_told(tag: str, text: str) -> None:
    decoded = decode(f"x: &a b\nk: {tag} {text}\n", "m.yaml")
    assert decoded.findings or decoded.readable
