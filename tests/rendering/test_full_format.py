"""`full`: the marks stand below the very characters that a finding is about."""

from __future__ import annotations

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

import manifestkit
from manifestkit.rendering import FORMATS
from manifestkit.rendering.escape import Style
from rows import rows

_WIDTH = 100


def frame(text: str, width: int = _WIDTH) -> tuple[str, str]:
    """The line shown of the one wrong permission, and the line of marks below it."""
    result = manifestkit.lint(text, name="manifest.json")
    wrong = [each for each in result.findings if each.rule == "unknown-permission"]
    assert wrong
    report = manifestkit.Report((result,))
    blocks = "".join(FORMATS["full"](report, Style(width=width))).split("\n\n")
    (block,) = [each for each in blocks if each.startswith("error[unknown-permission]")]
    _, _, _, shown, marks, *_ = block.split("\n")
    assert shown.startswith("1 | ")
    assert marks.startswith("  | ")
    return shown[4:], marks[4:]


def marked(shown: str, marks: str) -> str:
    """The characters above the marks, by the columns of a terminal."""
    before = len(marks) - len(marks.lstrip(" "))
    after = before + len(marks.strip())
    starts = [wcswidth(shown[:at]) for at in range(len(shown) + 1)]
    first = max(at for at, column in enumerate(starts) if column == before)
    return shown[first : max(at for at, column in enumerate(starts) if column == after)]


def _line(before: str, wrong: str = "nonsense", after: str = "") -> str:
    return f'{{"name": "{before}", "permissions": ["{wrong}"], "after": "{after}"}}'


@rows(
    "before",
    [
        "plain",
        "坐禅の時間(初級)",
        "한국어 전각ＡＢＣ",
        "cafe\u0301 e\u0300\u0301\u0302 de\u0301tente",
        "नमस्ते",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
        "\U0001f1ef\U0001f1f5 \U0001f6b6\U0001f3fd\u200d\u2640\ufe0f \u2764\ufe0f",
        "\U0001d48e\U0001d482",
        "\u200b\u00ad\u2060",
        "坐" * 200,
        "e\u0301" * 200,
        "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 60,
    ],
    ids=ascii,
)
def test_marks_stand_below_the_value_whatever_comes_before_it(before: str) -> None:
    shown, marks = frame(_line(before))
    assert marked(shown, marks) == '"nonsense"'


def test_marks_after_a_raw_tab_count_the_columns_it_is_shown_with() -> None:
    shown, marks = frame('{\t"name": "",\t\t"permissions":\t["nonsense"]}')
    assert marked(shown, marks) == '"nonsense"'


def test_marks_are_as_wide_as_a_wide_value() -> None:
    _, marks = frame(_line("", "坐禅e\u0301"))
    assert len(marks.strip()) == len('"') + 2 + 2 + 1 + len('"')


def _columns(text: str) -> int:
    """Columns by the Unicode data alone, for characters that do not join."""
    return sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1
        for each in text
    )


_MIXED = st.text(st.sampled_from("ab 坐禅の한Ａ\u0301\u0300é"), max_size=120)


@given(_MIXED, _MIXED, st.integers(40, 160))
def test_marks_stand_below_the_value_in_any_line_and_at_any_width(
    before: str, after: str, width: int
) -> None:
    shown, marks = frame(_line(before, after=after), width)
    at = shown.index('"nonsense"')
    assert len(marks) - len(marks.lstrip()) == _columns(shown[:at])
    assert marks.strip() == "^" * len('"nonsense"')
    assert _columns(shown) <= width - 4


@given(st.text(max_size=30), st.text(max_size=30))
def test_no_control_character_is_shown(before: str, wrong: str) -> None:
    name, value = (
        json.dumps(each, ensure_ascii=False).replace("\x7f", "\\u007f") for each in (before, wrong)
    )
    text = f'{{"{wrong_key(before)}": {name}, "permissions": [{value}]}}'
    report = manifestkit.Report((manifestkit.lint(text, name="a\x1b\n\u202eb.json"),))
    for form in FORMATS.values():
        for character in "".join(form(report, Style())).replace("\n", ""):
            assert unicodedata.category(character) not in {"Cc", "Cs", "Zl", "Zp"}
            assert unicodedata.bidirectional(character) not in _BIDI_CONTROLS


_BIDI_CONTROLS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def wrong_key(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]
