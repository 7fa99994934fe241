"""A YAML text as the parser gets it, and what is wrong with it: the place, and what to write."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

from yaml import MarkedYAMLError

from manifestkit.decode.findings import (
    NEEDS_NO_ESCAPE,
    ODD_SPACE,
    Reporter,
    StopError,
    excerpt,
    in_plain_spaces,
)
from manifestkit.model.document import Ambiguous
from manifestkit.model.finding import Edit, Fix, Related
from manifestkit.model.limits import Limits
from manifestkit.model.location import BYTE_ORDER_MARK, Span

# Characters that the parser refuses, or takes for line ends.
_ODD = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_TRIVIA = re.compile(r"(?:[ \t\r\n]|(?<![^ \t\r\n])#[^\r\n]*)*")
_NEXT_LINE = re.compile(r"(?:\r\n?|\n) *(?=[^ \t\r\n])")
_LINE_END = re.compile(r"[\r\n]|\Z")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_LEAD = re.compile(r"(?:(?:[ \t]*(?:#[^\r\n]*)?|%YAML[ \t]+1\.2[ \t]*(?:[ \t]#[^\r\n]*)?)[\r\n])*")
_COMMENT = re.compile(r"[ \t]#")
_COMMENT_SIGN = "begin a comment with `#`"
_PLACEHOLDER = "\ufffd"
_LONGEST_KEY = 1_024
_NO_SPACE = re.compile(r"([^ \t\r\n:\"'{}\[\],#]+)(:)(?![ \t\r\n:/])")
# A value that is meant as it stands; in `nam:e x`, the colon may be where a letter should be.
_MEANT = re.compile(r"[\"'\[{].*|(?:[0-9]|[\w./-]{2})[\w./-]*(?: [\w./-]+)*")
# A value that is meant as text: in `x y: z`, a line end may be missing, in `x, id: y` brackets.
_WORD = r"(?:[\w./-]|(?<=\w)'(?=\w))+"
_MEANT_AS_TEXT = re.compile(rf"(?![@`%].*,)[@`%]?{_WORD}(?:,?[ ]{_WORD})*")
# Quotes that are no apostrophes, and brackets.
_MARK = re.compile(r"""["\[\]{}]|(?<!\w)'|'(?!\w)""")
_TAB = re.compile(r"[ -]*(\t)")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_NO_KEY = (
    "expected `key: value`, found `{shown}`",
    "write a `:` and a space after the key, or remove the line; indent deeper what goes on above",
)
# A character that looks like a space where one is due: before or after a dash, after a colon.
_ODD_SPACES = re.compile(rf"(?:[ -]|[^\s:#-][^\s:#]*:)*?({ODD_SPACE}+)")
_TIGHT_DASH = re.compile(r" *-(?=\w+:[ \t])")
_OTHER_COMMENT = re.compile(r"//|/\*|<!--")
_QUOTE_IT = "put the text in quotes"
_INDENT = "indent YAML with spaces only"


class Source:
    """A text without its byte order mark; `span` takes its offsets back.

    Attributes:
        reporter: takes the findings.
        text: the text.
        is_odd: whether it has a character of `_ODD`.
        readable: whether nothing was reported that leaves the text without a value.
        ambiguous: the scalars that other readers take for something else.
    """

    def __init__(self, text: str, name: str, limits: Limits) -> None:
        self.reporter = Reporter(name, text, limits, standard="YAML 1.2")
        self.text = text.removeprefix(BYTE_ORDER_MARK)
        self._mark = len(text) - len(self.text)
        self.is_odd = _ODD.search(self.text) is not None
        self.readable = True
        self.ambiguous: list[Ambiguous] = []

    def parseable(self) -> str:
        """Return a text of the same offsets for the parser, and report what it must not see.

        That is control characters, and directives but `%YAML 1.2`. Characters of `_ODD` become
        others: where one is part of a scalar, the composer reports it, and in a comment it says
        nothing.
        """
        text = self.text
        if control := _CONTROL.search(text):
            code = ord(control[0])
            raise self.error(
                *control.span(),
                f"raw control character U+{code:04X}",
                f'remove it, or write `"\\x{code:02x}"` inside double quotes',
            )
        at = _LEAD.match(text).end()  # type: ignore[union-attr]  # matches ""
        if text.startswith("%", at):  # the parser takes its time for many
            do = "remove the line: a manifest is YAML 1.2, and needs no directives"
            raise self.error_on_line(at, "directive `{shown}`", do, rule="yaml-unsupported")
        if self.is_odd:
            text = _ODD.sub(_PLACEHOLDER, text)
        return text if text.endswith(("\n", "\r")) else f"{text}\n"

    # -- places ------------------------------------------------------------------------------

    def span(self, start: int, end: int) -> Span:
        """Return the characters from one offset to another, in the file's text."""
        return self.in_file(Span(start, end))

    def in_file(self, span: Span) -> Span:
        """Return the characters of the file's text that are at a span of this one."""
        return Span(span.start + self._mark, span.end + self._mark) if self._mark else span

    def line_start(self, offset: int) -> int:
        """Return where the line of an offset begins."""
        start = self.text.rfind("\n", 0, offset) + 1
        return max(start, self.text.rfind("\r", start, offset) + 1)

    def column(self, offset: int) -> int:
        """Count the characters before an offset on its line."""
        return offset - self.line_start(offset)

    def leads(self, offset: int) -> bool:
        """Return whether only space stands before an offset on its line."""
        return not self.text[self.line_start(offset) : offset].strip(" \t")

    def line_end(self, offset: int) -> int:
        """Return the end of an offset's line, without space and a comment there."""
        end = _LINE_END.search(self.text, offset).start()  # type: ignore[union-attr]  # `\Z`
        comment = _COMMENT.search(self.text, offset, end)
        end = comment.start() if comment else end
        return offset + len(self.text[offset:end].rstrip(" \t"))

    def skip_trivia(self, offset: int) -> int:
        """Return the end of the space, line ends and comments at an offset."""
        return _TRIVIA.match(self.text, offset).end()  # type: ignore[union-attr]  # matches ""

    def further_lines(self, start: int, end: int) -> Iterator[int]:
        """Yield where the text of each further line begins between two offsets."""
        return (each.end() for each in _NEXT_LINE.finditer(self.text, start, end))

    # -- findings ----------------------------------------------------------------------------

    def error(
        self,
        start: int,
        end: int,
        message: str,
        help: str,
        *,
        rule: str = "syntax-error",
        **more: Any,
    ) -> StopError:
        """Report what leaves the text without a value; the error to raise if reading ends at it."""
        self.readable = False
        self.report(start, end, message, help, rule=rule, **more)
        return StopError()

    def unsupported(self, start: int, end: int, message: str, help: str, **more: Any) -> StopError:
        """Report what a manifest must not use, and has no value as it stands."""
        return self.error(start, end, message, help, rule="yaml-unsupported", **more)

    def error_on_line(self, start: int, message: str, help: str, **more: Any) -> StopError:
        """Report the rest of a line, which the texts show where they say ``{shown}``."""
        end = max(self.line_end(start), min(start + 1, len(self.text)))
        shown, do = excerpt(self.text[start:end]), help
        if _OTHER_COMMENT.match(shown):
            do = _COMMENT_SIGN
            if shown.startswith("//"):
                more["fix"] = self.fix(do, start, start + 2, "#")
        texts = (each.replace("{shown}", shown) for each in (message, do))
        return self.error(start, end, *texts, **more)

    def report(
        self,
        start: int,
        end: int,
        message: str,
        help: str,
        *,
        rule: str = "yaml-unsupported",
        fix: Fix | None = None,
        **more: Any,
    ) -> None:
        """Report what must not be; the text has a value all the same."""
        span, fixes = self.span(start, end), (fix,) if fix else ()
        self.reporter.report(rule, span, message, help=help, fixes=fixes, **more)

    def limit(self, start: int, end: int, message: str) -> StopError:
        """Report a passed limit; the error to raise."""
        return self.reporter.report_limit(self.span(start, end), message)

    def related(self, message: str, start: int) -> Related:
        """Return a second place that a finding refers to: the rest of a line."""
        span = self.span(start, self.line_end(start))
        return Related(message, "", self.reporter.locate(span))

    def fix(
        self,
        message: str,
        start: int,
        end: int,
        text: str,
        *,
        is_safe: bool = True,
    ) -> Fix:
        """Return a fix that puts a text in place of a stretch."""
        safety: Literal["safe", "unsafe"] = "safe" if is_safe else "unsafe"
        return Fix(message, safety, (Edit(*self.span(start, end), text),), ())

    # -- what is wrong -----------------------------------------------------------------------

    def explain(  # noqa: PLR0911 - a return for each kind of mistake
        self, error: MarkedYAMLError, last: Span, opened: int, indent: int
    ) -> StopError:
        """Report what the parser refuses; the error to raise.

        Args:
            last: the last scalar.
            opened: where the innermost open collection begins.
            indent: the column of the innermost open block collection.
        """
        text = self.text
        at = min(error.problem_mark.index, len(text)) if error.problem_mark else 0
        begin = min(error.context_mark.index, len(text)) if error.context_mark else at
        what = f"{error.context} {error.problem}"
        is_key = "simple key" in what
        if "quoted scalar" in what:
            if "parsing" in what:
                return self._escape(text.rindex("\\", begin, at + 1))
            return self._unclosed_quote(begin)
        if found := self._odd_place(begin if is_key else at):
            return found
        if text.startswith(":", at) and at - last.start > _LONGEST_KEY:
            message = f"a key of more than {_LONGEST_KEY:,} characters"
            return self.unsupported(*last, message, "write a shorter key")
        if "flow" in what and ("expected ','" in what or at == len(text)):
            return self._in_brackets(begin if "expected ','" in what else opened, at, indent)
        if "mapping values" in what:
            return self._colon(at, last)
        if is_key:
            return self._no_colon(begin)
        if "start any token" in what or "node content" in what:
            return self._no_start(at, is_flow="flow" in what)
        if "expected key" in what or "'-' indicator" in what:
            return self._outside(at, begin, last, is_list="'-' indicator" in what)
        do = f"{_QUOTE_IT}; an item begins with `- `, a comment with `#`"
        return self.error_on_line(begin, "`{shown}` is not YAML", do)

    def check_characters(self, start: int, end: int) -> None:
        """Report the first odd character of a scalar, if it has one."""
        if found := _ODD.search(self.text, start, end):
            self._odd_character(found)

    def _odd_character(self, found: re.Match[str]) -> StopError:
        """Report a character that the parser takes otherwise than YAML 1.2."""
        code = ord(found[0])
        message = f"U+{code:04X} in text: other readers refuse it or read it as a line break"
        do = f"remove it, or write `\\u{code:04x}` inside double quotes"
        return self.unsupported(*found.span(), message, do)

    def odd_spaces(self, found: re.Match[str], *, rule: str = "syntax-error") -> StopError:
        """Report characters that only look like the spaces that are due: the first group."""
        message, do, spaces = in_plain_spaces(found[1])
        fix = self.fix(do, *found.span(1), spaces)
        return self.error(*found.span(1), message, do, rule=rule, fix=fix)

    def trailing(self, start: int, last: Span) -> StopError:
        """Report text after a value that is complete."""
        text, end, fix = self.text, self.line_end(start), None
        message, do = (
            "unexpected `{shown}` after the end of a value",
            "put the whole value in quotes, or start a new line",
        )
        if text.startswith("#", start):
            message = "no space before the comment"
            do = "put a space before `#`; text with ` #` needs quotes"
            fix = self.fix("put a space before `#`", start, start, " ")
        elif text[start:end] == ",":
            do = "remove it: a line of YAML needs none at its end"
            fix = self.fix("remove it", start, end, "")
        elif self.leads(start):
            message = "unexpected `{shown}` after the end of the document's value"
            do = "indent it as part of the document, or remove it"
        elif last.end == start and text[start - 1] in "'\"":
            quote = text[start - 1]
            message = "the quote ends before `{shown}`"
            do = f"write `{self._escaped_quote(quote)}` for a quote inside the string"
        return self.error_on_line(start, message, do, fix=fix)

    @staticmethod
    def _escaped_quote(quote: str) -> str:
        return '\\"' if quote == '"' else "''"

    def _odd_place(self, place: int) -> StopError | None:
        """Report a character at a place, or in the indentation of its line, that is no space."""
        if odd := _ODD.match(self.text, place):
            return self._odd_character(odd)
        if spaces := _ODD_SPACES.match(self.text, self.line_start(place)):
            return self.odd_spaces(spaces)
        end = max(self.line_end(place), place + 1)
        if tab := _TAB.match(self.text, self.line_start(place), end):
            space = self.fix("write a space", *tab.span(1), " ") if "-" in tab[0] else None
            return self.error(*tab.span(1), "tab in indentation", _INDENT, fix=space)
        return None

    def _outside(self, at: int, begin: int, last: Span, *, is_list: bool) -> StopError:
        """Report what belongs to no open collection."""
        if not self.leads(at):
            return self.trailing(at, last)
        is_item = self.text.startswith("- ", at)
        if self.column(at) == self.column(begin) and (is_list or not is_item):
            return self._no_colon(at, is_list=is_list)
        return self._bad_indentation(at)

    def _bad_indentation(self, at: int) -> StopError:
        """Report a line that begins in no column of the blocks open above it."""
        do = "indent this line like the others of its block"
        return self.error_on_line(at, "bad indentation of `{shown}`", do)

    def _no_colon(self, start: int, *, is_list: bool = False) -> StopError:
        """Report a line without a colon where a key is due, or without a dash where an item is."""
        dash = re.compile(r"-(?=\w)").match(self.text, start)
        if is_list or dash:
            do = "put a space after the `-`" if dash else "write `- {shown}`"
            fix = self.fix(do, start + 1, start + 1, " ") if dash else None
            message = "expected an item of the list, found `{shown}`"
            return self.error_on_line(start, message, do, fix=fix)
        key = _NO_SPACE.match(self.text, start)
        if not key:
            return self.error_on_line(start, *_NO_KEY)
        do = f"write `{key[1]}: {excerpt(self.text[key.end() : self.line_end(start)])}`"
        is_safe = _MEANT.fullmatch(self.text, key.end(), self.line_end(start)) is not None
        fix = self.fix(do, key.end(1), key.end(), ": ", is_safe=is_safe)
        return self.error_on_line(start, "missing space after the colon in `{shown}`", do, fix=fix)

    def _colon(self, at: int, last: Span) -> StopError:
        """Report a colon that begins no value."""
        text, start = self.text, last.start
        if dash := _TIGHT_DASH.match(text, self.line_start(start)):
            return self._no_colon(dash.end() - 1)
        if text[last.end : at].strip(" \t") or last.end > at:
            return self.error_on_line(at, "`{shown}` has no key before it", _NO_KEY[1])
        line = self.line_start(at)
        if line <= start:
            if text[start] in "\"'":
                return self.trailing(at, last)
            shown = excerpt(self.text[start : self.line_end(start)])
            return self._unquoted(start, f"`{shown}` contains `: `, which starts a member")
        line += len(text[line:at]) - len(text[line:at].lstrip(" \t"))
        if _NO_SPACE.match(text, start) or self.column(line) == self.column(start):
            return self._no_colon(start)
        if text[start] in "\"'":
            return self._bad_indentation(line)
        return self.error_on_line(
            line,
            "`{shown}` continues the text of the line above, so it cannot be a member",
            "if it is a member, indent it like the key above; if it is part of the text, put the "
            "whole text in quotes",
            related=(self.related("the text starts here", start),),
        )

    def _no_start(self, at: int, *, is_flow: bool) -> StopError:
        """Report a character that begins no value."""
        first = self.text[at : at + 1]
        if first == ",":
            before = self.text[self.line_start(at) : at].rstrip(" \t")
            is_safe = before.endswith(",")  # else it may stand for a quote, a bracket or a dash
            fix = self.fix("remove it", at, at + 1, "", is_safe=is_safe)
            return self.error(at, at + 1, "extra comma", "remove it", fix=fix)
        if first in ("@", "`", "%") and not is_flow:
            return self._unquoted(at, f"outside quotes, a value cannot start with `{first}`")
        do = f"{_QUOTE_IT}, or remove it"
        return self.error_on_line(at, f"a value cannot start with `{first}`", do)

    def _unquoted(self, start: int, message: str) -> StopError:
        """Report the rest of a line that needs quotes."""
        end = max(self.line_end(start), start + 1)
        text = self.text[start:end]
        line_end = _LINE_END.search(self.text, start).start()  # type: ignore[union-attr]  # `\Z`
        if _MARK.search(self.text, start, line_end):  # what follows a `#` may be text, too
            return self.error(start, end, message, _QUOTE_IT)
        quoted = '"' + text.replace("\\", "\\\\").replace("\t", "\\t") + '"'
        do = f"{_QUOTE_IT}: `{excerpt(quoted)}`"
        is_safe = _MEANT_AS_TEXT.fullmatch(text) is not None
        fix = self.fix(do, start, end, quoted, is_safe=is_safe)
        return self.error(start, end, message, do, fix=fix)

    def _unclosed_quote(self, start: int) -> StopError:
        quote = self.text[start]
        do = f"write the missing `{quote}`; inside the string, write `{self._escaped_quote(quote)}`"
        return self.error_on_line(start, "quote is not closed", do)

    def _escape(self, start: int) -> StopError:
        """Report what is no escape: where a letter follows, the backslash may be meant."""
        text, fix = self.text, None
        message = f"`{excerpt(text[start : start + 2])}` is not an escape in YAML"
        do = "write `\\\\`, or use single quotes, which have no escapes"
        if _SURROGATE.match(text, start):
            message = f"`{text[start : start + 6]}`: a surrogate cannot be written in YAML"
            do = "write the character itself, or its whole code, such as `\\U0001f600`"
        elif text[start + 1] in "xuU":
            digits = "`\\x` takes 2, `\\u` 4, `\\U` 8"
            do = f"write the code of a character with all its digits: {digits}"
        elif text[start + 1] in NEEDS_NO_ESCAPE:
            do = "remove the backslash"
            fix = self.fix(do, start, start + 1, "")
        else:
            fix = self.fix(do, start, start + 1, "\\\\", is_safe=False)
        return self.error(start, start + 2, message, do, fix=fix)

    def _in_brackets(self, begin: int, at: int, indent: int) -> StopError:
        """Report what is in the place of a comma or a bracket."""
        text = self.text
        lines = self.further_lines(begin, at + 1)
        outside = next((each for each in lines if self.column(each) <= indent), len(text))
        if outside < len(text) or self.skip_trivia(at) == len(text):
            return self.unclosed_bracket(begin, outside)
        message = f"`{{shown}}` where `,` or `{'}' if text[begin] == '{' else ']'}` is expected"
        do = "put a `,` between two values; text with `,` or brackets needs quotes"
        return self.error_on_line(at, message, do)

    def unclosed_bracket(self, begin: int, outside: int) -> StopError:
        """Report a bracket that is open where its indentation, or the file, ends."""
        opener, closer = ("{", "}") if self.text[begin] == "{" else ("[", "]")
        early, and_so, place = "", "", "the file ends here"
        if outside < len(self.text):
            early, place = " before its indentation ends", "this line is outside"
            and_so = ", or indent every line inside it deeper than the key"
        return self.error(
            begin,
            begin + 1,
            f"`{opener}` is not closed{early}",
            f"write the missing `{closer}`{and_so}",
            related=(self.related(place, outside),),
        )
