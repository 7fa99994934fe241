"""Reading goes on after a fault: each is told, and none twice."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import manifestkit
from manifestkit.decode import decode
from manifestkit.model.finding import Finding
from rows import rows

FAULTS = """\
{
  'schema_version': "1.0",
  "provider": {
    "id": "com.example.calm"
    "name": "The "box" one",
    "version": 1.2.0,
  },
  "runtime": {
    entrypoint: "dist/index.js",
    "sdk_version" "1.4"
  },
  "activities": [
    {
      "id": "box,
      "name": Box breathing,
      "duration_minutes": 05,
      "surfaces": ["phone",, "tv"],
      "thumbnail": None
    },
    {
      "id"= "walk",
      "name": "Slow\twalk",
      "duration_minutes": +5
    },
  ],
  "permissions": ["host.timer"},
  "capabilities": [NaN]
}
"""


def errors(text: str) -> list[Finding]:
    return [each for each in decode(text, "m.json").findings if each.rule == "syntax-error"]


def places(text: str) -> list[tuple[int, str]]:
    """The line and message of each syntax error."""
    return [(each.location.line, each.message) for each in errors(text)]


def test_a_text_with_eighteen_faults_shows_them() -> None:
    lines = [line for line, _ in places(FAULTS)]
    assert lines == [2, 4, 5, 6, 6, 9, 10, 14, 15, 16, 17, 18, 21, 22, 23, 24, 26, 27]


@rows("odd", ["1.2.0", "01", "NaN", "undefined", "Box breathing", "no", '"\\u12"'])
def test_a_value_that_cannot_be_fixed_blocks_no_other_fix(odd: str) -> None:
    text = f'{{"a": {odd}, "b" +1, c: True, }}'
    fixed = manifestkit.fix(text.encode(), "m.json").data.decode()
    assert fixed == f'{{"a": {odd}, "b": 1, "c": true }}'


@rows(
    "text",
    [
        "[1,, 0-1.5]",  # or [1, 0, -1.5]?
        "[01,]",  # or [0, 1]?
        '{\n  "a": "The "box" one",\n  "b": True\n}',
        '{\n  "a": [1},\n  "b": True\n}',
    ],
)
def test_no_fix_is_offered_where_another_fault_may_be_the_cause(text: str) -> None:
    assert not any(each.fixes for each in errors(text))


@pytest.mark.parametrize("mark", [";", ";;", "\t; ", "#", "//"])
@pytest.mark.parametrize(
    "text",
    [
        '["a",\n@ "b"\n]',
        '["a"\n@ "b"\n]',
        '["a"\n@ "b",\n"c"]',
        '[\n@ "b"\n]',
        '{"a": 1,\n@ "b": 2\n}',
        '{"a": 1\r@ "b": 2,\r"c": 3}',
        '[{"a": 1},\n@ {"b": 2},\n]',
    ],
)
def test_what_a_mark_before_its_line_comments_out_is_never_asked_for(text: str, mark: str) -> None:
    text = text.replace("@", mark)
    assert manifestkit.fix(text).data.decode() == text
    assert "b" not in manifestkit.fix(text, unsafe=True).data.decode()


MANIFEST = {
    "schema_version": "1.0",
    "provider": {"id": "com.example.calm", "name": "Calm", "version": "1.2.0"},
    "runtime": {"entrypoint": "dist/index.js", "sdk_version": "1.4"},
    "activities": [
        {"id": "box", "name": "Box", "duration_minutes": 5, "surfaces": ["phone", "tv"]},
        {"id": "walk", "name": "Walk", "duration_minutes": 10, "thumbnail": "walk.png"},
        {"id": "rest", "name": "Rest", "duration_minutes": 15, "x-note": None},
    ],
    "permissions": ["host.timer", "host.haptics"],
    "capabilities": [],
}
SLIPS = {
    "no comma": (r",$", ""),
    "two commas": (r",$", ",,"),
    "a semicolon": (r",$", ";"),
    "no colon": (r'": ', '" '),
    "an equals sign": (r'": ', '" = '),
    "no quotes around a name": (r'"(\w+)":', r"\1:"),
    "single quotes": (r'"(\w+)":', r"'\1':"),
    "no quotes around text": (r': "([a-zA-Z]+)"', r": \1"),
    "no opening quote": (r': "(\w)', r": \1"),
    "no closing quote": (r': "(\w+)"(,?)$', r': "\1\2'),
    "a quote inside": (r': "(\w+)', r': "\1"\1'),
    "a raw tab": (r': "(\w+)', r': "\1' + "\t"),
    "an odd number": (r": (\d+)", r": \1.2.0"),
    "a leading zero": (r": (\d+)", r": 0\1"),
    "None": (r"null", "None"),
    "a comment": (r"$", " // c"),
}
GOOD = json.dumps(MANIFEST, indent=2).splitlines()


@given(
    st.dictionaries(
        st.integers(0, len(GOOD) // 2 - 1).map(lambda number: 2 * number),
        st.sampled_from(sorted(SLIPS)),
        min_size=2,
    ),
    st.integers(0, 1),
)
@example({2: "a quote inside", 6: "no closing quote", 12: "two commas"}, 1)
def test_slips_on_lines_apart_are_told_as_each_is_alone(slips: dict[int, str], odd: int) -> None:
    both, alone = GOOD.copy(), []
    for number, name in slips.items():
        line = GOOD[number + odd]
        written = re.sub(SLIPS[name][0], SLIPS[name][1], line, count=1)
        found = places("\n".join([*GOOD[: number + odd], written, *GOOD[number + odd + 1 :]]))
        both[number + odd] = written
        alone += found
    assert sorted(places("\n".join(both))) == sorted(alone)


@given(
    st.sampled_from([None, 0, 2, "\t"]),
    st.sampled_from(["\n", "\r", "\r\n"]),
    st.integers(0, 10_000),
    st.sampled_from(["", *"{}[]:,\"'\\/#-+.e0 \n\té“"]),
    st.integers(0, 1),
)
@example(0, "\n", json.dumps(MANIFEST, indent=0).index('"box"'), "", 1)
@example(2, "\r", json.dumps(MANIFEST, indent=2).index('"box"'), "", 1)
def test_one_slip_makes_no_more_than_a_few_findings(
    indent: int | str | None, end: str, at: int, new: str, removed: int
) -> None:
    good = json.dumps(MANIFEST, indent=indent)
    at %= len(good)
    text = (good[:at] + new + good[at + removed :]).replace("\n", end)
    assert len(decode(text, "m.json").findings) <= 4


def test_nothing_is_told_of_a_second_document_but_that_it_is_there() -> None:
    text = "\n".join(GOOD)
    (found,) = decode(text + text.replace("Calm", "Calmer"), "m.json").findings
    assert found.message == "a second manifest begins here, and a file holds one"


QUOTES = st.sampled_from(['""', "''", "“”", "„“"])


@given(QUOTES, QUOTES, st.lists(st.sampled_from(["n", "or", "to", "5", "true"]), max_size=3))
@example("''", "''", ["or"])
@example("“”", "''", [])
def test_no_text_with_quotes_of_its_own_is_fixed_into_two_members(
    outer: str, inner: str, words: list[str]
) -> None:
    written = f"{outer[0]}a {inner[0]}{' '.join(words)}{inner[1]} b{outer[1]}"
    for value in (written, " ".join(["5", *words, "10"])):
        text = f'{{\n  "name": {value},\n  "x": 1\n}}'
        fixed = decode(manifestkit.fix(text.encode(), "m.json").data.decode(), "m.json")
        assert not fixed.readable or fixed.document.value.keys() == {"name", "x"}


@rows(
    ("written", "meant"), [(r"It\'s", "It's"), (r"\d+", None), (r"caf\xe9", None), (r"5\$", None)]
)
def test_a_backslash_is_removed_only_where_nothing_else_is_meant(
    written: str, meant: str | None
) -> None:
    text = f'{{"a": "{written}"}}'
    after = manifestkit.fix(text.encode(), "m.json").data.decode()
    assert after == text if meant is None else json.loads(after) == {"a": meant}


@rows(
    ("text", "written"),
    [
        ('{"b": 2, "a": "1", "b": "x" "y"}', '"xy"'),
        (r'{"a": "x\\" "y"}', r'"x\\y"'),
        (r'{"a": "x\" \t" "y" "z"}', r'"x\" \tyz"'),
    ],
)
def test_texts_in_a_row_are_told_where_they_stand_as_one(text: str, written: str) -> None:
    found = next(each for each in errors(text) if each.rule == "syntax-error")
    assert found.help == f"write `{written}`"
    assert text[found.location.span.start :].startswith(written[:2])


@rows("end", ["”", "“", "'", " // note", " # note", " /* note */", ",,"])
def test_a_string_is_not_closed_behind_what_may_not_be_its_own(end: str) -> None:
    text = f'{{\n  "a": "Calm{end},\n  "b": 1\n}}'
    (found,) = errors(text)
    assert not found.fixes


@pytest.mark.parametrize("text", ['{\n  "a": "Cal\n  "b": 1\n}', "[1\n2]"])
def test_no_more_is_closed_or_parted_than_is_certain(text: str) -> None:
    assert not any(each.fixes for each in errors(text))


@rows(
    ("written", "meant"),
    [
        (r"M\'editation", "`M\u00e9ditation`"),
        (r"R\'ep\'eter", "`R\u00e9p\u00e9ter`"),
        (r"voil\`a", "`voil\u00e0`"),
        (r"ma\~nana", "`ma\u00f1ana`"),
        (r"gar\c con", "`gar\u00e7on`"),
        (r"gar\c{c}on", "`gar\u00e7on`"),
        (r"don\'t", None),
        (r"It\'s", None),
        (r"Yves\' box", None),
    ],
)
def test_an_accent_of_latex_is_told_and_no_safe_fix_loses_it(
    written: str, meant: str | None
) -> None:
    first, *_ = errors(f'{{"name": "{written}"}}')
    (fix,) = first.fixes
    assert (fix.safety, meant is None) == (("unsafe", False) if meant else ("safe", True))
    assert meant is None or meant in str(first.help)


@rows(
    ("written", "safety"),
    [(r"'C:\new'", "unsafe"), (r"'it\'s'", "safe"), ("'calm'", "safe"), (r"`a\tb`", None)],
)
def test_a_backslash_that_may_be_text_is_no_safe_escape(written: str, safety: str | None) -> None:
    first, *_ = errors(f'{{"name": {written}}}')
    assert [each.safety for each in first.fixes] == ([safety] if safety else [])
