"""`control-character`: what nobody sees in a text is told, and nothing that people write is."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import manifestkit
from command import CLEAN
from in_process import manifest_here
from judging import as_text, with_activity, with_members
from manifestkit.model.printable import FILLERS
from rows import rows

RULE = "control-character"
SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"


def named(text: str) -> dict[str, Any]:
    return with_members(provider={"id": "a", "name": text, "version": "1.0.0"})


def told(value: Any, name: str = "manifest.json", *, raw: bool = False) -> list[str]:
    text = json.dumps(value, ensure_ascii=not raw)
    return [each.message for each in manifestkit.lint(text, name).findings if each.rule == RULE]


@rows(
    ("text", "kind"),
    [
        ("Box\x1b[D", "a control character, U+001B"),
        ("Box\x00", "a control character, U+0000"),
        ("Box\x08", "a control character, U+0008"),
        ("Box\x7f", "a control character, U+007F"),
        ("Box\x9b31m", "a control character, U+009B"),
        ("\u202eBox", "a bidirectional control, U+202E"),
        ("Bo\u2066x", "a bidirectional control, U+2066"),
        ("Box\u200f", "a bidirectional control, U+200F"),
        ("B\u200box", "an invisible character, U+200B"),
        ("B\u00adox", "an invisible character, U+00AD"),
        ("Box\u3164", "an invisible character, U+3164"),
        ("\ufeffBox", "an invisible character, U+FEFF"),
        ("Box\u2028", "an invisible character, U+2028"),
        ("Box\U000e0041", "an invisible character, U+E0041"),
    ],
    ids=ascii,
)
def test_what_nobody_sees_is_told_escaped_or_raw(text: str, kind: str) -> None:
    assert told(named(text)) == [f"`provider.name` has {kind}"]
    if ord(min(text)) >= ord(" "):
        assert told(named(text), raw=True) == [f"`provider.name` has {kind}"]


@rows(
    "text",
    [
        "坐禅の時間",
        "two\nlines\tand a tab",
        "\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f",
        f"Walks {SCOTLAND}",
        "cafe\u0301",
        "back\\slash",
        "no\u00a0break",
    ],
    ids=ascii,
)
def test_what_people_write_is_not_told(text: str) -> None:
    assert told(named(text)) == told(named(text), raw="\n" not in text) == []


def test_it_is_told_in_yaml_and_in_every_text_that_the_format_knows() -> None:
    value = with_activity(surfaces=["phone", "watch\x1b"], category="a\u200b")
    assert told(value, "manifest.yaml") == told(value) != []
    assert len(told(value)) == 2
    assert told({**value, "notes": "\x1b", "a\x1b": {}}) == told(value)


def test_the_fix_takes_out_what_nobody_sees_and_is_never_applied_by_itself(tmp_path: Path) -> None:
    file = tmp_path / "a.manifest.json"
    file.write_text(as_text(named(f"\u202eBox\x1b {SCOTLAND}\n")))
    before = file.read_bytes()
    assert manifest_here("lint", "--fix", cwd=tmp_path).code == CLEAN
    assert file.read_bytes() == before
    assert manifest_here("lint", "--fix", "--unsafe-fixes", cwd=tmp_path).code == CLEAN
    assert json.loads(file.read_text())["provider"]["name"] == f"Box {SCOTLAND}\n"


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), st.booleans())
def test_it_is_told_of_exactly_what_has_no_shape(text: str, raw: bool) -> None:
    seen = text.replace(SCOTLAND, "")
    odd = [
        each
        for each in seen
        if (unicodedata.category(each) == "Cc" and each not in "\t\n\r")
        or unicodedata.bidirectional(each) in {"LRE", "RLE", "LRO", "RLO", "PDF"}
        or each in "\u2066\u2067\u2068\u2069\u200b\ufeff\u2060\u2028\u2029"
        or each in FILLERS
    ]
    if odd:
        assert told(named(text), raw=raw)
    elif all(unicodedata.category(each) not in {"Cf", "Cc", "Cn"} for each in seen):
        assert not told(named(text), raw=raw)
