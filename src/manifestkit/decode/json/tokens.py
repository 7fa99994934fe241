"""The tokens of a JSON text, the misspelt ones included.

A token with a nameable mistake (single quotes, a comment, ``True``, ``01``) is reported and handed
on as what was meant, so that reading goes on.
"""

from __future__ import annotations

import math
import re
import sys
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]  # the C scanner, not in typeshed
from typing import Any, NamedTuple

from manifestkit.decode import findings as limit_messages
from manifestkit.decode.findings import StopError
from manifestkit.decode.json.mistakes import Guess, JsonMistakes, closes_at
from manifestkit.decode.numbers import read_real
from manifestkit.model.finding import Edit, Fix
from manifestkit.model.limits import MOST_DIGITS
from manifestkit.model.location import Span

_TOKEN = re.compile(
    r"""
    (?P<punctuation> [\[\]{}:,] )
  | (?P<string>      " )
  | (?P<number>      -?+(?:0|[1-9][0-9]*+)(?:\.[0-9]++|(?!))?+
                     (?:[eE][+-]?+[0-9]++|(?!))?+(?![\w.+-]) )
  | (?P<literal>     (?:true|false|null)(?![\w$]) )
  | (?P<comment>     //[^\r\n]*+ | /\*(?s:.*?)\*/ | \#[^\r\n]*+ )
  | (?P<single>      '(?:[^'\\\r\n]|\\[^\r\n]|(?!))*+' )
  | (?P<curly>       [\u201c-\u201f\u2033](?:[^"\u201c-\u201f\u2033\r\n])*+[\u201c-\u201f\u2033"] )
  | (?P<odd_number>  [+-]?+\.?+[0-9][\w.+-]*+ | [+-]\w++ )
  | (?P<word>        [^\W\d](?:[\w$-]|[./](?![/*])|(?!))*+ | \$[\w$-]*+ )
    """,
    re.VERBOSE,
)
_SPACE = re.compile(r"[ \t\n\r]*+")
_STRING_BODY = re.compile(r'(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|(?!))*+')
_STRUCTURE_AHEAD = re.compile(r'\s*+(["\[\]{}])')
_ESCAPED_LETTER = re.compile(r'"(?:[^"\\\r\n]|\\[^bfnrtu\r\n]|(?!))*+\\[bfnrtu]')
_LINE_REST = re.compile(r"[^\r\n]*+")
_OWN_LINE_REST = re.compile(r"[ \t]*+(?:\r\n?|\n)")
_HEX_DIGITS = re.compile(r"[0-9a-fA-F]{0,4}")
_LITERALS = {"true": True, "false": False, "null": None}
_NOT_FINITE = frozenset({"NaN", "Infinity", "-Infinity", "+Infinity", "-NaN", "+NaN"})


class Token(NamedTuple):
    """One token.

    Attributes:
        kind: a punctuation character, or ``string``, ``scalar``, ``word`` or ``end``.
        value: what a string or scalar says; the text of a word.
    """

    kind: str
    span: Span
    value: Any = None


class Tokens(JsonMistakes):
    """Hands out the tokens of a text, one by one."""

    def next(self) -> Token:
        """Return the next token; comments are reported and passed over."""
        self.count += 1
        text = self._text
        while True:
            start = _SPACE.match(text, self.at).end()  # type: ignore[union-attr]  # matches ""
            match = _TOKEN.match(text, start)
            if match is None:
                return self._no_token(start)
            kind = match.lastgroup
            if kind == "string":
                return self._string(start)
            self.at = end = match.end()
            span = Span(start, end)
            if kind == "punctuation":
                return Token(text[start], span)
            if kind == "comment":
                self._comment(span)
                continue
            return self._scalar(str(kind), span)

    def give_back(self, token: Token) -> None:
        """Let the next token be this one again."""
        self.count -= 1
        self.at = token.span.start

    def _no_token(self, start: int) -> Token:
        if start == len(self._text):
            return Token("end", Span(start, start))
        span = Span(start, start + 1)
        character = self._text[start]
        if character == "'":
            end = _LINE_REST.match(self._text, start).end()  # type: ignore[union-attr]
            raise self.fatal(Span(start, end), "string is not closed", 'JSON strings use `"`')
        if self._text.startswith("/*", start):
            raise self.fatal(
                Span(start, start + 2), "comment is not closed", "JSON has no comments"
            )
        raise self.fatal(
            span,
            f"unexpected character U+{ord(character):04X}"
            + (f" (`{character}`)" if character.isprintable() else ""),
            "outside strings, JSON allows only `{ } [ ] : ,`, numbers, `true`, `false` and `null`",
        )

    def _comment(self, span: Span) -> None:
        self.reporter.report(
            "syntax-error",
            span,
            "JSON has no comments",
            help="remove the comment, or write the manifest in YAML, which allows comments",
            fixes=(Fix("remove the comment", "unsafe", (self._without(span),), ()),),
        )
        self.stop_at_most()

    def _without(self, comment: Span) -> Edit:
        """Remove a comment with the space before it, or with its line if it is alone there."""
        start = comment.start
        while start and self._text[start - 1] in " \t":
            start -= 1
        before = self._text[start - 1 : start]
        behind = _OWN_LINE_REST.match(self._text, comment.end)
        if before in ("\r", "\n") and behind:
            return Edit(start, behind.end(), "")
        return Edit(start, comment.end, "")

    # -- strings -----------------------------------------------------------------------------

    def _string(self, start: int) -> Token:
        try:
            value, end = scanstring(self._text, start + 1, True)  # noqa: FBT003 - C signature
        except JSONDecodeError:
            return self._faulty_string(start)
        self.at = end
        return Token("string", Span(start, end), value)

    def _faulty_string(self, start: int) -> Token:
        text, at = self._text, start + 1
        edits: list[Edit] = []
        escaped = None
        while True:
            at = _STRING_BODY.match(text, at).end()  # type: ignore[union-attr]  # matches ""
            if text[at : at + 1] == "\\" and text[at + 1 : at + 2] in ("", "\r", "\n"):
                at += 1
            if at >= len(text) or text[at] in "\r\n":
                return self._unclosed_string(start, at)
            if text[at] == '"':
                self.at = at + 1
                return Token("string", Span(start, at + 1), self._meant(start, at + 1, edits))
            if text[at] == "\\":
                if escaped is None:  # it may be meant as text too, or as a line end or the like
                    other = _ESCAPED_LETTER.match(text, start)
                    escaped = other[0][-1] if other else ""
                edits += self._bad_escape(at, escaped)
                at += 2
            else:
                edits += self._control_character(at)
                at += 1

    def _meant(self, start: int, end: int, edits: list[Edit]) -> str:
        """Return the value of a string with edits; its text if they do not make it a string."""
        pieces, at = [], start
        for edit in edits:
            pieces += [self._text[at : edit.start], edit.text]
            at = edit.end
        return _value("".join((*pieces, self._text[at:end])), self._text[start + 1 : end - 1])

    def _bad_escape(self, at: int, escaped: str) -> list[Edit]:
        """Note what is no escape, in a string where a letter is one."""
        if self._text.startswith("\\u", at):
            span = Span(at, _HEX_DIGITS.match(self._text, at + 2).end())  # type: ignore[union-attr]
            self.mistake(
                span,
                f"`{self.excerpt(span)}` is not a JSON escape: `\\u` takes four hexadecimal digits",
                "write four digits, such as `\\u00e9`, or the character itself",
            )
            return []
        span = Span(at, min(at + 2, len(self._text)))
        edit = None if escaped else Edit(at, at + 1, "\\\\")
        too = f", and `\\\\{escaped}` unless `\\{escaped}` is meant" if escaped else ""
        self.mistake(
            span,
            f"`{self.excerpt(span)}` is not a JSON escape",
            f'write `\\\\`{too}; the escapes are `\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX`',
            edit,
        )
        return [edit] if edit else []

    def _control_character(self, at: int) -> list[Edit]:
        code = ord(self._text[at])
        escape = {8: "\\b", 9: "\\t", 12: "\\f"}.get(code, f"\\u{code:04x}")
        name = "tab" if code == ord("\t") else f"control character U+{code:04X}"
        edit = Edit(at, at + 1, escape)
        self.mistake(Span(at, at + 1), f"raw {name} in a string", f"write `{escape}`", edit)
        return [edit]

    def _unclosed_string(self, start: int, line_end: int) -> Token:
        """Read on if the next line goes on with structure, as after a forgotten quote."""
        wrong = self._first_guess_on_line(start)
        if wrong:
            raise self.misquoted(wrong)
        ahead = _STRUCTURE_AHEAD.match(self._text, line_end)
        body = self._text[start + 1 : line_end]
        length = closes_at(body, ahead[1]) if ahead else None
        body = body.rstrip(" \t").removesuffix(",") if length is None else body[:length]
        end = start + 1 + len(body)
        span, quote = Span(start, end), Span(start, start + 1)
        guess = Guess(len(self.reporter.findings), start, self.count, quote, is_quote=True)
        self.mistake(
            span,
            "string is not closed on its line",
            'close it with `"`; write a line break in a string as `\\n`',
            None if length is None else Edit(end, end, '"'),
        )
        if not ahead:
            raise StopError
        self._guesses.append(guess)
        self.at = end
        return Token("string", span, body)

    # -- other scalars -----------------------------------------------------------------------

    def _scalar(self, kind: str, span: Span) -> Token:
        text = self._text[span.start : span.end]
        if kind == "literal":
            return Token("scalar", span, _LITERALS[text])
        if kind == "number":
            return Token("scalar", span, self._number(text, span))
        if kind == "word":
            return Token("word", span, text)
        if kind == "single":
            written = '"' + text[1:-1].replace("\\'", "'") + '"'
            return self._other_quotes(span, "single", written)
        if kind == "curly":
            return self._other_quotes(span, "typographic", f'"{text[1:-1]}"')
        return Token("scalar", span, self._odd_number(text, span))

    def _other_quotes(self, span: Span, kind: str, written: str) -> Token:
        """Read a string in quotes that JSON has not; its quotes may belong inside a string."""
        text = self._text[span.start : span.end]
        is_sure = '"' not in text
        self.mistake(
            span, f"string in {kind} quotes", 'use `"`', Edit(*span, written) if is_sure else None
        )
        return Token("string", span, _value(written, text[1:-1]))

    def _number(self, text: str, span: Span) -> int | float:
        # Python refuses to turn more digits than its own limit into an int.
        digits = min(MOST_DIGITS, sys.get_int_max_str_digits() or MOST_DIGITS)
        if len(text) > digits:
            self.limit(span, *limit_messages.too_long(text, digits))
            return 0
        if text.lstrip("-").isdigit():
            return int(text)
        value = read_real(text)
        if math.isinf(value):
            self.limit(span, *limit_messages.too_large(self.excerpt(span)))
            return 0
        return value

    def _odd_number(self, text: str, span: Span) -> int | float:
        shown = self.excerpt(span)
        if text in _NOT_FINITE:
            self.mistake(
                span,
                f"`{shown}` is not a JSON value",
                "leave the member out, or write another value",
            )
        elif text.startswith("+") and (number := _TOKEN.fullmatch(text, 1)) and number["number"]:
            self.mistake(
                span,
                f"`{shown}` is not a JSON number",
                "remove the `+`",
                Edit(span.start, span.start + 1, ""),
            )
            return self._number(text[1:], span)
        elif re.fullmatch(r"-?0[0-9]+(?:\.[0-9]+)?", text):
            self.mistake(
                span,
                f"`{shown}` is not a JSON number: it has leading zeros",
                "remove the leading zeros, or write it as a string",
            )
        else:
            self.mistake(
                span,
                f"`{shown}` is not a JSON number",
                'write digits, with digits on both sides of a `.`; put other text in `"`',
            )
        return 0


def _value(written: str, otherwise: str) -> str:
    try:
        return str(scanstring(written, 1, True)[0])  # noqa: FBT003 - C signature
    except JSONDecodeError:
        return otherwise
