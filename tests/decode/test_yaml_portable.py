"""A manifest of which nothing is said means the same to every reader of YAML."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import date, datetime
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import manifestkit
from manifestkit import Finding
from manifestkit.decode import decode
from odd_manifests import odd_scalar, odd_text
from other_yaml import PURE, UNUSUAL, Reader, ask, comparable, is_portable
from rows import rows

RULES = {"yaml-ambiguous-scalar", "yaml-unsupported"}


def told(text: str) -> list[Finding]:
    """What is said of how a text is written, whatever it says."""
    assert decode(text, "m.yaml").readable, text
    found = manifestkit.lint(text, "m.yaml").findings
    return [each for each in found if each.rule in RULES]


def fixed(text: str) -> str:
    """A text after every fix of what is told of it."""
    edits = {edit for finding in told(text) for fix in finding.fixes for edit in fix.edits}
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def others_differ(text: str) -> bool:
    """Whether a reader written in Python reads something else, or nothing."""
    own = "value", comparable(decode(text, "m.yaml").document.value)
    return any(ask(read, text) != own for read in PURE.values())


MEANT_OTHERWISE = [
    ("no", "a boolean"),
    ("On", "a boolean"),
    ("2026-11-20", "a date"),
    ("2026-11-20T10:00:00Z", "a time"),
    ("2026-11-20\n   10:00:00", "a time"),
    ("2026-13-40", "a date"),
    ("2026-11-20 25:00:00", "a time"),
    ("0x_", "a number"),
    ("1:30", "a number"),
    ("-1:30", "a number"),
    ("1:30.5", "a number"),
    ("010", "another number, or text"),
    ("08", "another number, or text"),
    ("0o10", "another number, or text"),
    ("-0x1F", "a number"),
    ("0b11", "a number"),
    ("1_000", "a number"),
    ("0_", "a number"),
    ("-_1", "a number"),
    ("1e3", "another number, or text"),
    ("1.5e3", "another number, or text"),
    ("-.5", "another number, or text"),
    ("+.5", "another number, or text"),
    ("=", "an error"),
    ("<<", "an error"),
    ("1" * 99 + "_1", "a number"),
]


@rows(("source", "others"), [*MEANT_OTHERWISE, ("y", "a boolean")])
def test_a_plain_scalar_with_two_meanings_is_told_as_a_value_and_as_a_key(
    source: str, others: str
) -> None:
    for text in (f"k:\n  l: {source} # comment\n", f"k: [{source}]\n", f"k: {{l: {source}}}\n"):
        (finding,) = told(text)
        assert finding.rule == "yaml-ambiguous-scalar"
        assert finding.pointer == ("/k/0" if "[" in text else "/k/l")
        assert f"` here, but {others}" in finding.message
        assert_mended(text)
    if isinstance(decode(f"k: {source}\n", "m.yaml").document.value["k"], str):
        if source in {"=", "<<"} or "\n" in source:
            return
        (finding,) = told(f"k:\n  {source}: v\n")
        assert finding.message.startswith("the key of `k")
        assert_mended(f"k:\n  {source}: v\n")


def assert_mended(text: str) -> None:
    """The fixes of a text keep its value, and leave nothing to say."""
    after = fixed(text)
    assert decode(after, "m.yaml").document.value == decode(text, "m.yaml").document.value
    assert told(after) == []


@rows("source", [source for source, _ in MEANT_OTHERWISE])
def test_what_is_told_to_have_two_meanings_has(source: str) -> None:
    assert others_differ(f"k: {source}\n") or source == "0o10"


@rows(
    "source",
    [
        *('"no"', "'no'", "|\n  no", ">-\n  1:30", "nope", "1.10", "1.2.3", ".5", "0", "00", "007"),
        *("+1", "-12", "0x1F", "1.5e+3", "~", "null", "", "true", "!!str '010'", "!!str no"),
        *("2026-1-5", "=: 1"),
        *("_", "_1", ".", "..", "1.2.3.4", "12:61", "01:30", "{}", "-", "2026-11", "1-2", "a: \n"),
        *("a?b", "?a", ":a", "a:b", "http://x.y/?z#t", "[a, b,]", "{a: , b: c}", '"\\/ \\t"'),
    ],
)
def test_a_scalar_that_all_read_alike_is_not_told(source: str) -> None:
    text = f"k: {source}\n"
    if not decode(text, "m.yaml").readable:
        text = f"k:\n  {source}\n"
    assert told(text) == []
    assert not others_differ(text)


READERS: dict[str, Reader] = {
    **PURE,
    "PyYAML in C": lambda text: yaml.load(text, yaml.CSafeLoader),
}
REFUSAL = object()
CLAIMS: dict[str, Callable[[Any, Any], object]] = {
    "a boolean": lambda _, value: isinstance(value, bool),
    "a number": lambda own, value: (
        is_number(value) or (value is REFUSAL and not set(own) & set("123456789"))
    ),
    "another number, or text,": lambda own, value: (
        isinstance(value, str) or (is_number(value) and value != own)
    ),
    "another number, or an error,": lambda own, value: (
        value is REFUSAL or (is_number(value) and value != own)
    ),
    "a date": lambda own, value: type(value) is date or (value is REFUSAL and not is_date(own)),
    "a time": lambda _, value: type(value) is datetime or value is REFUSAL,
    "an error": lambda _, value: value is REFUSAL,
    "something else, or an error,": lambda own, value: value is REFUSAL or value != own,
}


def is_date(text: str) -> bool:
    """Whether the day exists."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def read_by_others(text: str) -> Iterator[Any]:
    """What each reader in Python has in the member `k`."""
    for read in READERS.values():
        try:
            value = read(text)
        except Exception:  # noqa: BLE001 - whatever it raises, it has not read it
            yield REFUSAL
        else:
            yield value.get("k", REFUSAL)


def assert_claims_are_true(text: str) -> None:
    """Of all that is said of other readers, at least one of them does it."""
    outcome = decode(text, "m.yaml")
    for each in () if outcome.findings else outcome.document.ambiguous:
        if each.path != ("k",) or each.is_key:
            continue
        seen = list(read_by_others(text))
        proved = CLAIMS[each.others]
        assert any(proved(each.value, value) for value in seen), (text, each.others, seen)


@rows(
    "source",
    [
        *(source for source, _ in MEANT_OTHERWISE),
        *("y", ".inf", "-.nan", "0b_", "2026-1-5", "2026-1-5 1:00:00", "2026-02-30", "0_8", "._5"),
        *(
            "2026-11-20 10:00:00 +99:00",
            "!!int 010",
            "!!float 1e3",
            "!!int 0o7",
            "!!int 08",
        ),
        ">\n  a",
    ],
)
def test_what_is_said_of_other_readers_is_true(source: str) -> None:
    assert_claims_are_true(f"k: {source}\n")
    assert_claims_are_true(f"k: {source}")


@settings(
    max_examples=3 * settings().max_examples,
)
@given(st.randoms(use_true_random=False))
def test_whatever_a_scalar_is_what_is_said_of_other_readers_is_true(random: Any) -> None:
    assert_claims_are_true(f"k: {odd_scalar(random)}\n")


REFUSED = [
    ('{"k": 1e5}\n', True),
    ("k: [a?]\n", True),
    ("k: [http://x.y]\n", False),
    ("k: [-]\n", False),
    ("k: ! no\n", True),
    ("k: ! 12\n", True),
    ("k: !!int 010\n", True),
    ("k: &a b\nl: &a c\n", True),
]


@rows(("text", "by_python"), REFUSED)
def test_what_others_refuse_or_read_otherwise_is_told(text: str, by_python: bool) -> None:
    assert told(text)
    assert others_differ(text) is by_python


@rows("text", [text for text, _ in REFUSED])
def test_a_safe_fix_of_what_others_refuse_changes_no_value(text: str) -> None:
    after = fixed(text)
    assert decode(after, "m.yaml").document.value == decode(text, "m.yaml").document.value
    if after != text:
        assert told(after) == []
        assert not others_differ(after)


def test_what_an_alias_repeats_is_told_once() -> None:
    assert len(told("a: &x [no]\nb: *x\nc: &y yes\nd: *y\n")) == 2


def test_what_a_second_member_replaces_is_not_told() -> None:
    assert told("a: {b: no}\na: 1\n") == []
    assert [each.location.line for each in told("a: no\na: off\n")] == [2]


def test_findings_come_in_the_order_of_the_text_with_their_paths() -> None:
    found = told("a: [no, {b: on}]\nc: {off: y}\n")
    assert [each.pointer for each in found] == ["/a/0", "/a/1/b", "/c/off", "/c/off"]


def test_json_has_no_such_scalars() -> None:
    found = manifestkit.lint('{"a": "no", "on": "1:30"}', "m.json").findings
    assert not RULES & {each.rule for each in found}


@settings(
    max_examples=3 * settings().max_examples,
)
@given(st.randoms(use_true_random=False))
def test_a_text_of_which_nothing_is_said_means_the_same_to_readers_in_python(random: Any) -> None:
    text = odd_text(random)
    if is_portable(text) and not UNUSUAL.search(text):
        assert not others_differ(text), text


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(-1e300, 1e300) | st.text(max_size=8)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(
    max_examples=2 * settings().max_examples,
)
@given(JSON, st.sampled_from([None, 1]), st.booleans())
def test_json_in_a_yaml_file_is_told_where_readers_of_yaml_differ(
    value: Any, indent: Any, ascii_only: bool
) -> None:
    text = json.dumps({"k": value}, indent=indent, ensure_ascii=ascii_only)
    if is_portable(text):
        assert not others_differ(text), text
