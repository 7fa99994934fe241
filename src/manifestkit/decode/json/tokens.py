"""The tokens of a JSON text, the misspelt ones as what was meant.

A token with a nameable mistake (single quotes, a comment, ``01``) comes with what is to be said.
"""

from __future__ import annotations

import re
import unicodedata
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]  # the C scanner, not in typeshed
from typing import Any, Literal, NamedTuple

from manifestkit.decode.findings import ODD_SPACE, excerpt, in_plain_spaces
from manifestkit.decode.numbers import NumberError, read_number, read_real
from manifestkit.files import other_tools
from manifestkit.model.finding import Edit
from manifestkit.model.location import Span

_TOKEN = re.compile(
    r"""
    [ \t\n\r]*+ (?:
    (?P<punctuation> [\[\]{},:] )
  | (?P<string>      " )
  | (?P<number>      -?+(?:0|[1-9][0-9]*+)(?:\.[0-9]++|(?!))?+
                     (?:[eE][+-]?+[0-9]++|(?!))?+(?![\w.+-]) )
  | (?P<literal>     (?:true|false|null)(?![\w$]) )
  | (?P<comment>     //[^\r\n]*+ | /\*(?s:.*?)\*/ | <!--(?s:.*?)--> | \#[^\r\n]*+ )
  | (?P<mark>        =>?+ | [;\uff1a\uff0c\u3001] )
  | (?P<quoted>      `[^`"\\\r\n]*+` | '(?:[^'\\\r\n]|\\[^\r\n]|(?!))*+'
                   | [\u201c-\u201f\u2033](?:[^"\u201c-\u201f\u2033\r\n])*+[\u201c-\u201f\u2033"]
                   | [\xab\xbb][^"\\\xab\xbb\r\n]*+[\xab\xbb]
                   | [\u2018-\u201b\u2032\xb4](?:[^"'\u2018-\u201f\u2032\xb4\r\n])*+
                     [\u2018-\u201b\u2032\xb4](?=[ \t]*+[,:\]}\r\n]) )
  | (?P<spaces>      ODD_SPACE++ | [\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]++ )
  | (?P<odd_number>  [+-]?+\.?+[0-9][\w.+-]*+ | [+-]\w++ )
  | (?P<word>        [^\W\d](?:[\w$-]|[./](?![/*])|(?!))*+ | \$[\w$-]*+ )
  | (?P<left_out>    \.{3}[\w.$]*+ | \u2026 )
  | (?P<odd>         /\*(?s:.*) | (?s:.) )
  | (?P<end>         \Z ) )
    """.replace("ODD_SPACE", ODD_SPACE),
    re.VERBOSE,
)
_BREAK, _REST_OF_LINE = re.compile(r"[\r\n]"), re.compile(r"[^\r\n]*")
_STRING_BODY = re.compile(r'(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|(?!))*+')
_WINDOWS_PATH = re.compile(r'"([\w.:-]+(?:\\{1,2}[\w. -]+){1,20})"')
_BESIDE_QUOTE = re.compile(r"[\w.+\\-]")  # where no string begins or ends
_NEEDS_NO_ESCAPE = frozenset("'`")  # what other languages allow a backslash before
_ACCENTS = {"'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "c": "\u0327"}  # of LaTeX
_ACCENT = re.compile(r"\\(['`^~]|c(?=[ {]))[ ]?\{?([A-Za-z])\}?")
_ACCENTED_WORD = re.compile(r"(?:[^\W_]|\\c[ ]|[\\'`^~{}]){1,40}")
_CONTRACTION = re.compile(r"\\'(?:s|m|re|ll)\b")  # in English
_NEAR = 20
_LITERALS = {"true": True, "false": False, "null": None}
_MEANT_BY = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}
_MEANT_BY |= dict.fromkeys(("None", "NULL", "Null", "nil"), "null")
# Values of other languages for which JSON has none.
_NO_VALUES = frozenset({"NaN", "Infinity", "-Infinity", "+Infinity", "-NaN", "+NaN", "undefined"})


MISQUOTED = (
    "a quote is missing or not escaped",
    'put one `"` at each end of a string, and write `\\"` for a quote inside',
)


class Mistake(NamedTuple):
    """A syntax error, or a passed limit.

    Attributes:
        span: the characters at fault.
        message: what is wrong.
        help: what to do.
        edit: how to fix it, if that is sure.
        is_value: whether it is about a value by itself, and says nothing against what is around it.
        rule: the rule that it is reported by.
        safety: whether the edit is what everybody means.
    """

    span: Span
    message: str
    help: str
    edit: Edit | None = None
    is_value: bool = False
    rule: str = "syntax-error"
    safety: Literal["safe", "unsafe"] = "safe"


class Token(NamedTuple):
    """One token.

    Attributes:
        kind: a punctuation character, or ``string``, ``scalar``, ``word``, ``comment`` or ``end``;
            ``open`` for a string that is not closed, ``odd`` for what is no token.
        value: what a string or scalar says; the text of a word or an open string.
        mistakes: what is wrong with it.
    """

    kind: str
    span: Span
    value: Any = None
    mistakes: tuple[Mistake, ...] = ()


def read_token(text: str, at: int, most: int) -> Token:
    """Return the first token from an offset on, with one mistake more than so many at most."""
    match = _TOKEN.match(text, at)
    kind = str(match.lastgroup)  # type: ignore[union-attr]  # any text matches
    written, span = match[kind], Span(*match.span(kind))  # type: ignore[index, union-attr]
    if kind == "punctuation":
        return Token(written, span)
    if kind == "string":
        return _string(text, span.start, most)
    if kind == "literal":
        return Token("scalar", span, _LITERALS[written])
    if kind == "number":
        return _number(written, span)
    if written == ";" and (not at or _BREAK.search(text, at, span.start)):  # a comment, as in INI
        return Token("comment", Span(*_REST_OF_LINE.match(text, span.start).span()))  # type: ignore[union-attr]  # matches ""
    if kind == "word":
        return _misquoted(span) if text.startswith('"', span.end) else _word(written, span)
    return Token(kind, span) if kind in {"comment", "end"} else _misspelt(kind, written, span)


_OTHER_MARKS = {"=": ":", "=>": ":", "\uff1a": ":", ";": ",", "\uff0c": ",", "\u3001": ","}
"""Colons and commas of other languages and scripts, with those of JSON."""

_QUOTES = {"'": "single quotes", "`": "backquotes"}


def _word(text: str, span: Span) -> Token:
    if literal := _MEANT_BY.get(text):
        message = f"`{text}` is not a JSON value"
        do = f"write `{literal}`{', or leave the member out' if literal == 'null' else ''}"
        mistake = Mistake(span, message, do, Edit(*span, literal))
        return Token("scalar", span, _LITERALS[literal], (mistake,))
    if text in _NO_VALUES:
        return Token("scalar", span, 0, (_no_value(text, span),))
    return Token("word", span, text)


def _no_value(text: str, span: Span) -> Mistake:
    do = "leave the member out, or write another value"
    return Mistake(span, f"`{text}` is not a JSON value", do, is_value=True)


def _misspelt(kind: str, text: str, span: Span) -> Token:
    if kind == "quoted":
        return _other_quotes(text, span)
    if kind == "odd_number":
        return _odd_number(text, span)
    if kind == "mark":
        mark = _OTHER_MARKS[text]
        message, do = f"`{text}` is not the `{mark}` of JSON", f"write `{mark}`"
        return Token(mark, span, None, (Mistake(span, message, do, Edit(*span, mark)),))
    if kind == "left_out":
        message = f"`{excerpt(text)}` stands for values that are not here"
        mistake = Mistake(span, message, "write them out, or remove it and the comma before it")
        return Token("odd", span, None, (mistake,))
    if kind == "spaces":
        message, do, spaces = in_plain_spaces(text)
        return Token("spaces", span, None, (Mistake(span, message, do, Edit(*span, spaces)),))
    advice = other_tools("characters")
    shown = f" (`{text[0]}`)" if text[0].isprintable() and text[0] != "`" else ""
    mistake = Mistake(
        Span(span.start, span.start + 1),
        f"unexpected character U+{ord(text[0]):04X}{shown}",
        advice.get(text[0], advice[""]),
    )
    return Token("odd", span, None, (mistake,))


def _misquoted(span: Span) -> Token:
    return Token("odd", span, None, (Mistake(span, *MISQUOTED),))


def _string(text: str, start: int, most: int) -> Token:
    if start and _BESIDE_QUOTE.match(text, start - 1):
        return _misquoted(Span(start, start + 1))
    end = _STRING_BODY.match(text, start + 1).end()  # type: ignore[union-attr]  # matches ""
    if text[end : end + 1] != '"':
        return _faulty_string(text, start, most)
    if _BESIDE_QUOTE.match(text, end + 1):
        return _misquoted(Span(end, end + 1))
    value = text[start + 1 : end]
    if "\\" in value:
        value = _value(text[start : end + 1], value)
    return Token("string", Span(start, end + 1), value)


def _faulty_string(text: str, start: int, most: int) -> Token:
    at = read = start
    pieces: list[str] = []  # of what was meant
    mistakes: list[Mistake] = []
    while len(mistakes) <= most:
        at = _STRING_BODY.match(text, at + 1).end()  # type: ignore[union-attr]  # matches ""
        if text[at : at + 1] == "\\" and text[at + 1 : at + 2] in ("", "\r", "\n"):
            at += 1
        if at >= len(text) or text[at] in "\r\n":
            return Token("open", Span(start, at), text[start + 1 : at], tuple(mistakes))
        if text[at] == '"':
            break
        is_escape = text[at] == "\\"
        found = _bad_escape(text, at, start) if is_escape else _control_character(text, at)
        mistakes.append(found)
        if found.edit:
            pieces += text[read : found.edit.start], found.edit.text
            read = found.edit.end
        at += is_escape
    written = "".join(pieces) + text[read : at + 1]
    value = _value(written, text[start + 1 : at])
    return Token("string", Span(start, at + 1), value, tuple(mistakes))


def _bad_escape(text: str, at: int, start: int) -> Mistake:
    span = Span(at, min(at + 2, len(text)))
    message = f"`{excerpt(text[span.start : span.end])}` is not a JSON escape"
    do, edit = "remove the backslash", Edit(at, at + 1, "")
    needs_none, accent = text[at + 1] in _NEEDS_NO_ESCAPE, _ACCENT.match(text, at)
    if accent and len(letter := _composed(accent)) == 1 and not _CONTRACTION.match(text, at):
        begin = max(start + 1, at - _NEAR)
        words = _ACCENTED_WORD.finditer(text, begin, accent.end() + _NEAR)
        word = next(each[0] for each in words if each.end() > at)
        write = f"write `{_ACCENT.sub(_composed, word)}`"
        edit = edit if needs_none else Edit(*accent.span(), letter)
        do += f", or, for a LaTeX accent, {write}"
        do = do if needs_none else f"{write} for a LaTeX accent, or `\\\\` for a backslash"
        return Mistake(span, message, do, edit, safety="unsafe")
    if needs_none:
        return Mistake(span, message, do, edit)
    escapes = r"`\" \\ \/ \b \f \n \r \t \uXXXX`"
    do = f"write `\\\\` for each backslash; the escapes are {escapes}"
    if path := _WINDOWS_PATH.match(text, start):
        slashes = re.sub(r"\\+", "/" if re.search(r"\\[^\W_]|^\.|:", path[1]) else "", path[1])
        do = f'write `"{excerpt(slashes)}"`'
    return Mistake(span, message, do, is_value=True)


def _composed(accent: re.Match[str]) -> str:
    """Return the letter that an accent of LaTeX makes, or, where there is none, what it is."""
    letter = unicodedata.normalize("NFC", accent[2] + _ACCENTS[accent[1]])
    return letter if len(letter) == 1 else accent[0]


def _control_character(text: str, at: int) -> Mistake:
    code = ord(text[at])
    escape = {8: "\\b", 9: "\\t", 12: "\\f"}.get(code, f"\\u{code:04x}")
    name = "tab" if code == ord("\t") else f"control character U+{code:04X}"
    span = Span(at, at + 1)
    return Mistake(span, f"raw {name} in a string", f"write `{escape}`", Edit(*span, escape))


def _other_quotes(text: str, span: Span) -> Token:
    """Read a string in quotes that JSON has not; its quotes may belong inside a string."""
    inside = text[1:-1].replace("\\'", "'") if text[0] == "'" else text[1:-1]
    inside = inside.strip(" \u00a0\u202f") if text[0] in "\xab\xbb" else inside
    written = f'"{inside}"'
    is_program = text[0] == "`" and "${" in text
    edit = None if '"' in text or is_program else Edit(*span, written)
    quotes = _QUOTES.get(text[0], "typographic quotes")
    do = 'write its value, in `"`: JSON fills in nothing' if is_program else 'use `"`'
    mistake = Mistake(span, f"string in {quotes}", do, edit)
    if "\\" in inside and text[0] in _QUOTES and edit:  # as PHP and Go read it, no escape
        do += ", or, if a backslash is text, `\\\\` for each"
        mistake = mistake._replace(help=do, safety="unsafe")
    return Token("string", span, _value(written, text[1:-1]), (mistake,))


def _number(text: str, span: Span) -> Token:
    try:
        is_integer = text.lstrip("-").isdigit()
        return Token("scalar", span, read_number(text, int if is_integer else read_real))
    except NumberError as error:
        mistake = Mistake(span, error.message, error.help, rule=error.rule)
        return Token("scalar", span, 0, (mistake,))


def _odd_number(text: str, span: Span) -> Token:
    if text in _NO_VALUES:
        return Token("scalar", span, 0, (_no_value(text, span),))
    message = f"`{excerpt(text)}` is not a JSON number"
    no_unit = ", without a unit" if re.fullmatch("[0-9]+[A-Za-z]{1,9}", text) else ""
    do = f'put text in `"`: `"{excerpt(text)}"`; a number is written like `12` or `0.5`{no_unit}'
    if text.startswith("+") and (number := _TOKEN.fullmatch(text, 1)) and number["number"]:
        plus = Edit(span.start, span.start + 1, "")
        token = _number(text[1:], span)
        mistake = Mistake(span, message, "remove the `+`", plus)
        return token._replace(mistakes=(mistake, *token.mistakes))
    if re.fullmatch(r"-?[1-9][0-9]*(?:_[0-9]+)+", text):
        do = f'write `{text.replace("_", "")}`, or, for text, `"{excerpt(text)}"`'
    if re.fullmatch(r"-?0[0-9]+(?:\.[0-9]+)?", text):
        message += ": it has leading zeros"
        do = (
            f'write `{re.sub("0+(?=[0-9])", "", text, count=1)}`, or, for text, `"{excerpt(text)}"`'
        )
    return Token("scalar", span, 0, (Mistake(span, message, do, is_value=True),))


def _value(written: str, otherwise: str) -> str:
    try:
        return str(scanstring(written, 1, True)[0])  # noqa: FBT003 - C signature
    except JSONDecodeError:
        return otherwise
