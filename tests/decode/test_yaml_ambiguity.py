"""Which plain scalars readers of YAML 1.1 take for something else."""

from __future__ import annotations

import pytest

from manifestkit.decode import decode
from manifestkit.decode.yaml.ambiguity import Reading, readings


def of(text: str, name: str = "m.yaml") -> list[Reading]:
    return readings(decode(text, name).document)


@pytest.mark.parametrize(
    ("source", "others"),
    [
        ("no", "the boolean false"),
        ("On", "the boolean true"),
        ("y", "the boolean true"),
        ("2026-11-20", "the date 2026-11-20"),
        ("2026-11-20T10:00:00Z", "the time 2026-11-20T10:00:00Z"),
        ("1:30", "the number 90"),
        ("-1:30", "the number -90"),
        ("1:30.5", "the number 90.5"),
        ("010", "the number 8"),
        ("08", "the text `08`"),
        ("0o10", "the text `0o10`"),
        ("-0x1F", "the number -31"),
        ("0b11", "the number 3"),
        ("1_000", "the number 1000"),
        ("1e3", "the text `1e3`"),
    ],
)
def test_a_scalar_that_others_read_otherwise(source: str, others: str) -> None:
    expected = Reading(("k", 0), source, others, f'"{source}"')
    assert of(f"k: [{source}]") == [expected]
    assert of(f"k:\n  - {source} # comment\n") == [expected]


@pytest.mark.parametrize(
    "source",
    [
        '"no"',
        "'no'",
        "|\n  no",
        ">-\n  1:30",
        "nope",
        "1.10",
        "1.2.3",
        ".5",
        "0",
        "00",
        "+1",
        "-12",
        "0x1F",
        "1.5e+3",
        "~",
        "null",
        "",
        "true",
        "!!str '010'",
        "_",
        ".",
        "1.2.3.4",
        "12:61",
        "{}",
    ],
)
def test_a_scalar_that_all_read_alike(source: str) -> None:
    assert of(f"k: {source}\n") == []


def test_the_fix_is_the_spelling_in_quotes_and_leaves_nothing_to_say() -> None:
    text = "a: no\nb: 1:30\nc: 010\n"
    for reading in reversed(of(text)):
        span = decode(text, "m.yaml").document.node(reading.path).span
        text = text[: span.start] + reading.fix + text[span.end :]
    assert text == 'a: "no"\nb: "1:30"\nc: "010"\n'
    assert of(text) == []


def test_readings_come_in_the_order_of_the_text() -> None:
    found = of("a: [no, {b: on}]\nc: off\n")
    assert [reading.path for reading in found] == [("a", 0), ("a", 1, "b"), ("c",)]


def test_what_an_alias_repeats_is_told_once() -> None:
    assert len(of("a: &x [no]\nb: *x\nc: &y yes\nd: *y\n")) == 2


def test_json_has_no_such_scalars() -> None:
    assert of('{"a": "no"}', "m.json") == []
