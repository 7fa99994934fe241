"""The clean path: YAML whose every line is of a tame form is read by yaml-rs, in Rust.

yaml-rs knows YAML 1.2's grammar, but reads dates as dates, `1_000` as a number, drops tags and
joins documents. A text is handed to it only when one regular expression, line by line, finds none
of what the two readers could take differently; a property test holds them to the same value. A
text that it refuses is read by our own reader, which has the last word.
"""

from __future__ import annotations

import re
from typing import Any

import yaml_rs

from manifestkit.limits import Limits, count_values

# Neither controls nor line ends of other standards, nor what UTF-8 cannot hold.
_ODD = r"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff"
_QUOTED = rf"""(?:"(?:[^"\\{_ODD}]|\\["\\/bfnrt])*+" | '[^'{_ODD}]*+')"""
_BEYOND_ASCII = r"\u00a1-\u2027\u2030-\ud7ff\ue000-\ufefe\U00010000-\U0010ffff"
_WORD = rf"(?:[A-Za-z_{_BEYOND_ASCII}] | \.{{1,2}}/)"
_PLAIN = (
    rf"""{_WORD}(?:[^\ :\#{_ODD}] | :(?=[^\ {_ODD}]) | (?<=[^\ ])\# | [ ]++(?=[^\ :\#{_ODD}]))*+"""
)
_NUMBER = r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,17})?"
_VERSION = r"[0-9]++(?:\.[0-9]++){2,}+(?:[-+][A-Za-z][\w.+-]*+)?"
_ITEM = rf"(?:{_QUOTED} | [A-Za-z_][\w./ -]*+ | {_NUMBER})"
_FLOW = rf"(?:\[(?:{_ITEM}(?:,[ ]{_ITEM})*+)?\] | \{{\}})"
_VALUE = rf"(?>(?:{_QUOTED} | {_FLOW} | {_VERSION} | {_NUMBER})(?=\n|[ ]+(?:\#|\n)) | {_PLAIN})"
_KEY = rf"(?:{_QUOTED} | (?!(?:[tT]rue|TRUE|[fF]alse|FALSE|[nN]ull|NULL):)[A-Za-z_][\w.-]*+):"
_END = rf"(?:[ ]++(?:\#[^{_ODD}]*+)?+)?+\n"
_INDENT = r"[ ]{0,40}"
_PROSE = rf"[ ]++[^\ {_ODD}][^{_ODD}]*+\n"
_BLOCK = rf"""
    (?P<indent>{_INDENT}){_KEY}[ ][|>][+-]?+\n
    (?P=indent){_PROSE} (?:(?P=indent){_PROSE} | \n)*+
"""
_LINE = rf"{_INDENT}(?:-[ ]){{0,4}}(?:{_KEY}(?:[ ]++{_VALUE})?+ | {_VALUE})?+{_END}"
_COMMENT = rf"{_INDENT}\#[^{_ODD}]*+\n"
_TAME = re.compile(rf"(?:---\n)?+(?>{_BLOCK} | {_COMMENT} | {_LINE})++", re.VERBOSE | re.ASCII)
_TAME_DEPTH = 120  # twice the columns that indentation and dashes can take, and a little
_TAME_DIGITS = 40
_MOST_SIGNS = 4  # for each value that there may be: so many more take too much memory to try


class NotTameError(Exception):
    """The text needs a reader that knows more."""


def read_clean(text: str, limits: Limits) -> Any:
    """The value of a tame text.

    Raises:
        NotTameError: the text is not tame, or not YAML.
    """
    lines = text.replace("\r\n", "\n")
    if not lines.endswith("\n"):
        lines += "\n"
    signs = sum(map(lines.count, "\n-,["))  # before or behind each value there is one
    if (
        limits.depth < _TAME_DEPTH
        or limits.digits < _TAME_DIGITS
        or signs > _MOST_SIGNS * limits.nodes
        or not _TAME.fullmatch(lines)
    ):
        raise NotTameError
    try:
        value = yaml_rs.loads(lines, parse_datetime=False)
    except ValueError as error:
        raise NotTameError from error
    if not isinstance(value, dict | list):
        raise NotTameError
    if 2 * signs > limits.nodes and count_values(value) > limits.nodes:
        raise NotTameError
    return value
