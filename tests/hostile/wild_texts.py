"""Texts that are JSON or YAML, nearly so, and not at all: written by the grammar, then spoilt."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from yaml_texts import Emitter, values

_JSON_SCRAPS = [
    *('"', "\\", "\\u", "\\u0041", "d800", "\\ud83d", "\\ude00", "\\ud800", "\\x41", "\\'"),
    *("{", "}", "[", "]", ",", ":", "{}", "[]", '"a":', '"a"', '"":0', ",,", "[[", "]]"),
    *("0", "00", "-0", "-", "+", ".", "1.", ".5", "1e", "1e5", "1E+400", "1e-400", "0x1", "1_0"),
    *("9" * 20, "9" * 400, "18446744073709551616", "-9223372036854775809", "1e309", "0.1e1"),
    *("true", "false", "null", "nul", "True", "NaN", "Infinity", "-Infinity", "undefined"),
    *(" ", "\t", "\n", "\r", "\f", "\v", "\0", "\x1f", "\x7f", "\x85", "\xa0", "\u2028", "\ufeff"),
    *("//", "/*", "*/", "#", "'", "`", ";", "=", "é", "😀"),
]
_YAML_SCRAPS = [
    *("\n", " ", "  ", "\n  ", "\t", "\n\t", "\r\n", "\r", " #", "# c\n", "\n\n"),
    *("- ", "-", "\n- ", "? ", ": ", ":", "a: ", "\na: ", "\n  b: ", "--- ", "\n---\n", "\n...\n"),
    *("[", "]", "{", "}", ",", '"', "'", "''", "\\", "\\x41", "\\u12", '"a": ', "[a, b]", "{a: b}"),
    *("|", ">", "|-", ">+", "|2", "\n  x\n", "&a ", "*a", "!", "!!str ", "!x ", "!<y> ", "<<: "),
    *("%", "@", "`", "%YAML 1.2\n---\n", "~", "null", "yes", "0o7", "0x1f", "1_000", ".inf", ".5"),
    *("1e3", "+1", "012", "2026-01-01", "12:30", "\x85", "\u2028", "\ufeff", "\x7f", "\0", "é"),
]


@st.composite
def spoilt(draw: st.DrawFn, texts: st.SearchStrategy[str], scraps: list[str]) -> str:
    """A text with up to three changes: something cut out, put in, repeated or moved."""
    text = draw(texts)
    for _ in range(draw(st.sampled_from([0, 1, 1, 1, 2, 3]))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 0, 1, 1, 2, 5])))
        put = draw(st.sampled_from(scraps) | st.just(text[start:end] * 2) | st.just(""))
        text = text[:start] + put + text[end:]
    return text


@st.composite
def _json(draw: st.DrawFn) -> str:
    """A value as JSON, with white space of any kind between tokens."""
    value = draw(values)
    spaced: Any = draw(st.sampled_from([None, 0, 1, 2, "\t", "\r\n"]))
    text = json.dumps(value, ensure_ascii=draw(st.booleans()), indent=spaced)
    return draw(st.sampled_from(["", "", " ", "\n\t", "\ufeff"])) + text


@st.composite
def _yaml(draw: st.DrawFn) -> str:
    return Emitter(draw).document(draw(values))


json_like = spoilt(_json() | st.lists(st.sampled_from(_JSON_SCRAPS)).map("".join), _JSON_SCRAPS)
yaml_like = spoilt(_yaml() | st.lists(st.sampled_from(_YAML_SCRAPS)).map("".join), _YAML_SCRAPS)
