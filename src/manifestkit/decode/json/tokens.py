"""The tokens of a JSON text, the misspelt ones as what was meant.

A token with a nameable mistake (single quotes, a comment, ``01``) comes with what is to be said.
"""

from __future__ import annotations

import re
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]  # the C scanner, not in typeshed
from typing import Any, NamedTuple

from manifestkit.decode.findings import NEEDS_NO_ESCAPE, ODD_SPACE, excerpt, in_plain_spaces
from manifestkit.decode.numbers import NumberError, read_number, read_real
from manifestkit.model.finding import Edit
from manifestkit.model.location import Span

_TOKEN = re.compile(
    r"""
    [ \t\n\r]*+ (?:
    (?P<punctuation> [\[\]{},] | :(?!=) )
  | (?P<triple>      \"{3} | '{3} )
  | (?P<string>      " )
  | (?P<number>      -?+(?:0|[1-9][0-9]*+)(?:\.[0-9]++|(?!))?+
                     (?:[eE][+-]?+[0-9]++|(?!))?+(?![\w.+-]) )
  | (?P<literal>     (?:true|false|null)(?![\w$]) )
  | (?P<comment>     //[^\r\n]*+ | /\*(?s:.*?)\*/ | \#[^\r\n]*+
                     | <!--(?s:.{0,2000}?)--> | --[ \t][^\r\n]*+ )
  | (?P<mark>        => | :?= | -> | ; )
  | (?P<backtick>    `[^`"\\\r\n]*+` )
  | (?P<single_curly> [\u2018-\u201b\u2032\xb4](?:[^"'\u2018-\u201f\u2032\xb4\r\n])*+
                     [\u2018-\u201b\u2032\xb4](?=[ \t]*+[,:\]}\r\n]) )
  | (?P<angular>     \xab[^"\xab\xbb\r\n]*+\xbb | \u300c[^"\u300c\u300d\r\n]*+\u300d )
  | (?P<spaces>      ODD_SPACE++ | [\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]++ )
  | (?P<single>      '(?:[^'\\\r\n]|\\[^\r\n]|(?!))*+' )
  | (?P<curly>       [\u201c-\u201f\u2033](?:[^"\u201c-\u201f\u2033\r\n])*+[\u201c-\u201f\u2033"] )
  | (?P<odd_number>  [+-]?+\.?+[0-9][\w.+-]*+ | [+-]\w++ )
  | (?P<word>        [^\W\d](?:[\w$-]|[./](?![/*])|(?!))*+ | \$[\w$-]*+ )
  | (?P<open_single> '[^\r\n]*+ )
  | (?P<open_block>  /\*(?s:.*) )
  | (?P<odd>         (?s:.) )
  | (?P<end>         \Z ) )
    """.replace("ODD_SPACE", ODD_SPACE),
    re.VERBOSE,
)
_STRING_BODY = re.compile(r'(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|(?!))*+')
_SHORT_ESCAPE = re.compile(r"\\u[0-9a-fA-F]{0,4}")
_LITERALS = {"true": True, "false": False, "null": None}
_SPELLINGS = {
    "true": ("True", "TRUE"),
    "false": ("False", "FALSE"),
    "null": ("None", "NULL", "Null", "nil"),
}
_MEANT_BY = {word: literal for literal, spellings in _SPELLINGS.items() for word in spellings}
# Values of other languages for which JSON has none.
_NO_VALUES = frozenset({"NaN", "Infinity", "-Infinity", "+Infinity", "-NaN", "+NaN", "undefined"})


class Mistake(NamedTuple):
    """A syntax error, or a passed limit.

    Attributes:
        span: the characters at fault.
        message: what is wrong.
        help: what to do.
        edit: how to fix it, if that is sure.
        is_value: whether it is about a value by itself, and says nothing against what is around it.
        is_limit: whether it is the limit.
    """

    span: Span
    message: str
    help: str
    edit: Edit | None = None
    is_value: bool = False
    is_limit: bool = False


class Token(NamedTuple):
    """One token.

    Attributes:
        kind: a punctuation character, or ``string``, ``scalar``, ``word``, ``comment`` or ``end``;
            ``open`` for a string that is not closed, ``odd`` for what is no token.
        value: what a string or scalar says; the text of a word or an open string.
        mistakes: what is wrong with it; with a word, if it is a value of another language.
        meant: what such a word says.
    """

    kind: str
    span: Span
    value: Any = None
    mistakes: tuple[Mistake, ...] = ()
    meant: Any = None


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
    if kind == "word":
        return _word(written, span)
    if kind == "odd":
        return _odd(text, written, span)
    return Token(kind, span) if kind in {"comment", "end"} else _misspelt(kind, written, span)


_OTHER_MARKS = {
    **dict.fromkeys(("\uff1a", "\ufe55", "=", ":=", "=>", "->"), ":"),
    **dict.fromkeys(("\uff0c", "\ufe50", "\u3001", ";"), ","),
}
"""Colons and commas of other scripts and languages, with those of JSON."""

_QUOTES = {
    "single": "single",
    "backtick": "backquotes",
    **dict.fromkeys(("curly", "single_curly", "angular"), "typographic"),
}
_OTHER_SLIPS = (
    (r"\.{3}\w", "JSON has no `...` that copies members", "write out what `{shown}` stands for"),
    (
        r"\.{2,}(?![\w/])|\u2026",
        "`{shown}` stands for what was left out",
        "write that, or remove it",
    ),
    (r"\.\w+(?=\()", "`{shown}()` is code, not JSON", "write the value that it gives"),
    (
        r"</?\w[^<>\r\n]{0,40}>",
        "`{shown}` is a tag of HTML, or stands for a value",
        "remove the tag, or write your own value",
    ),
    (
        r'\\(?:"|[nrt](?=[^"]{0,99}\\"))',
        "`{shown}` outside strings: the text is escaped twice",
        'write `"` for each `\\"`',
    ),
    (
        r"[|>][+-]?[ \t]*[\r\n]",
        "`{shown}` begins text in YAML, not in JSON",
        'write one string in `"`, with `\\n` for a line break',
    ),
    (r"[-+*/][ \t]*[\d(]", "JSON cannot calculate", "write the result as a number"),
    (r"\+\s*[\"\w]", "JSON cannot join strings with `+`", "write one string, without the `+`"),
    (r"[()]", "JSON has no parentheses", "remove them; a list stands in `[` and `]`"),
    (r"~", "`~` is not a JSON value", "leave the member out, or write another value"),
    (r"[@%!&*$/][\w./-]+", "text without quotes: `{shown}`", 'put text in `"`'),
)
"""Slips that other languages teach, each with a message and what to do."""


def _word(text: str, span: Span) -> Token:
    message = f"`{text}` is not a JSON value"
    if literal := _MEANT_BY.get(text):
        mistake = Mistake(span, message, f"write `{literal}`", Edit(*span, literal))
        return Token("word", span, text, (mistake,), _LITERALS[literal])
    return Token("word", span, text, (_no_value(text, span),) if text in _NO_VALUES else ())


def _no_value(text: str, span: Span) -> Mistake:
    do = "leave the member out, or write another value"
    return Mistake(span, f"`{text}` is not a JSON value", do, is_value=True)


def _misspelt(kind: str, text: str, span: Span) -> Token:
    if kind in _QUOTES:
        inside = text[1:-1].replace("\\'", "'") if kind == "single" else text[1:-1]
        return _other_quotes(text, span, _QUOTES[kind], f'"{inside}"')
    if kind == "odd_number":
        return _odd_number(text, span)
    if kind == "mark":
        return _other_mark(text, span)
    if kind == "spaces":
        message, do, spaces = in_plain_spaces(text)
        return Token("spaces", span, None, (Mistake(span, message, do, Edit(*span, spaces)),))
    if kind == "open_single":
        mistake = Mistake(span, "string is not closed", 'write `"` at both ends of a string')
    elif kind == "triple":
        do = 'write one `"` at each end, and `\\n` for a line break'
        mistake = Mistake(span, f"`{text}` is not JSON", do)
    else:
        opener = Span(span.start, span.start + 2)
        mistake = Mistake(opener, "comment is not closed", "JSON has no comments")
    return Token("odd", span, None, (mistake,))


def _other_mark(text: str, span: Span) -> Token:
    mark = _OTHER_MARKS[text]
    message = f"`{text}` is not the `{mark}` of JSON"
    return Token(mark, span, None, (Mistake(span, message, f"write `{mark}`", Edit(*span, mark)),))


def _odd(text: str, character: str, span: Span) -> Token:
    """Name what begins no token of JSON."""
    if character in _OTHER_MARKS:
        return _other_mark(character, span)
    for pattern, message, do in _OTHER_SLIPS:
        if found := re.compile(pattern).match(text, span.start):
            shown = excerpt(found[0].strip())
            what = message.replace("{shown}", shown)
            mistake = Mistake(Span(*found.span()), what, do.replace("{shown}", shown))
            break
    else:
        shown = f" (`{character}`)" if character.isprintable() and character != "`" else ""
        mistake = Mistake(
            span,
            f"unexpected character U+{ord(character):04X}{shown}",
            'remove it, or put text in `"`; outside strings, JSON allows only `{ } [ ] : ,`, '
            "numbers, `true`, `false` and `null`",
        )
    return Token("odd", span, None, (mistake,))


def _string(text: str, start: int, most: int) -> Token:
    end = _STRING_BODY.match(text, start + 1).end()  # type: ignore[union-attr]  # matches ""
    if text[end : end + 1] != '"':
        return _faulty_string(text, start, most)
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
        found = _bad_escape(text, at) if is_escape else _control_character(text, at)
        mistakes.append(found)
        if found.edit:
            pieces += text[read : found.edit.start], found.edit.text
            read = found.edit.end
        at += is_escape
    written = "".join(pieces) + text[read : at + 1]
    value = _value(written, text[start + 1 : at])
    return Token("string", Span(start, at + 1), value, tuple(mistakes))


def _bad_escape(text: str, at: int) -> Mistake:
    short = _SHORT_ESCAPE.match(text, at)
    span = Span(at, short.end() if short else min(at + 2, len(text)))
    message = f"`{excerpt(text[span.start : span.end])}` is not a JSON escape"
    if short:
        message += ": `\\u` takes four hexadecimal digits"
        do = "write four digits, such as `\\u00e9`, or the character itself"
        return Mistake(span, message, do, is_value=True)
    if text[at + 1 : at + 2] in NEEDS_NO_ESCAPE:
        return Mistake(span, message, "remove the backslash", Edit(at, at + 1, ""))
    escapes = r"`\" \\ \/ \b \f \n \r \t \uXXXX`"
    do = f"write `\\\\` for each backslash; the escapes are {escapes}"
    return Mistake(span, message, do, is_value=True)


def _control_character(text: str, at: int) -> Mistake:
    code = ord(text[at])
    escape = {8: "\\b", 9: "\\t", 12: "\\f"}.get(code, f"\\u{code:04x}")
    name = "tab" if code == ord("\t") else f"control character U+{code:04X}"
    span = Span(at, at + 1)
    return Mistake(span, f"raw {name} in a string", f"write `{escape}`", Edit(*span, escape))


def _other_quotes(text: str, span: Span, kind: str, written: str) -> Token:
    """Read a string in quotes that JSON has not; its quotes may belong inside a string."""
    edit = None if '"' in text else Edit(*span, written)
    quotes = kind if kind == "backquotes" else f"{kind} quotes"
    mistake = Mistake(span, f"string in {quotes}", 'use `"`', edit)
    return Token("string", span, _value(written, text[1:-1]), (mistake,))


def _number(text: str, span: Span) -> Token:
    try:
        is_integer = text.lstrip("-").isdigit()
        return Token("scalar", span, read_number(text, int if is_integer else read_real))
    except NumberError as error:
        mistake = Mistake(span, error.message, error.help, is_limit=True)
        return Token("scalar", span, 0, (mistake,))


def _odd_number(text: str, span: Span) -> Token:
    if text in _NO_VALUES:
        return Token("scalar", span, 0, (_no_value(text, span),))
    message = f"`{excerpt(text)}` is not a JSON number"
    do = f'put text in `"`: `"{excerpt(text)}"`; a number is written like `12` or `0.5`'
    if text.startswith("+") and (number := _TOKEN.fullmatch(text, 1)) and number["number"]:
        plus = Edit(span.start, span.start + 1, "")
        token = _number(text[1:], span)
        mistake = Mistake(span, message, "remove the `+`", plus)
        return token._replace(mistakes=(mistake, *token.mistakes))
    if re.fullmatch(r"-?0[0-9]+(?:\.[0-9]+)?", text):
        message += ": it has leading zeros"
    return Token("scalar", span, 0, (Mistake(span, message, do, is_value=True),))


def _value(written: str, otherwise: str) -> str:
    try:
        return str(scanstring(written, 1, True)[0])  # noqa: FBT003 - C signature
    except JSONDecodeError:
        return otherwise
