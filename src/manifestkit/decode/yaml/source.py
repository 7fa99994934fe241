"""A YAML text as the parser gets it, and what is wrong with it: the place, and what to write."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from yaml import Mark, MarkedYAMLError

from manifestkit.decode.findings import ODD_SPACE, Reporter, StopError, excerpt, in_plain_spaces
from manifestkit.model.document import Ambiguous
from manifestkit.model.finding import Edit, Fix, Related
from manifestkit.model.limits import Limits
from manifestkit.model.location import BYTE_ORDER_MARK, Span, column_at, leads_line, line_start

# Characters that the parser refuses, or takes for line ends.
_ODD = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_TRIVIA = re.compile(r"(?:[ \t\r\n]|(?<![^ \t\r\n\ufeff])#[^\r\n]*)*")
_NEXT_LINE = re.compile(r"(?:\r\n?|\n) *(?=[^ \t\r\n])")
_LINE_END = re.compile(r"[\r\n]|\Z")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_LEAD = re.compile(r"(?:(?:[ \t]*(?:#[^\r\n]*)?|%YAML[ \t]+1\.2[ \t]*(?:[ \t]#[^\r\n]*)?)[\r\n])*")
_COMMENT = re.compile(r"[ \t]#")
_LAST_WORD = re.compile(r"[ \t]([a-z_]+)\Z")
_PLACEHOLDER = "\ufffd"
_LONGEST_KEY = 1_024
_NO_SPACE = re.compile(r"([^ \t\r\n:\"'{}\[\],#]+)(:)(?![ \t\r\n:/])")
# A value that is meant as it stands; in `nam:e x`, the colon may be where a letter should be.
_MEANT = re.compile(r"[\"'\[{].*|(?:[0-9]|[\w./-]{2})[\w./-]*(?: [\w./-]+)*")
_TAB = re.compile(r"[ -]*(\t)")
_ODD_INDENT = re.compile(rf"[ -]*+(?:[\w.-]++:)?({ODD_SPACE}{ODD_SPACE[:-1]} ]*+)")
_NO_KEY = (
    "expected `key: value`, found `{shown}`",
    "write a `:` and a space after the key, or remove the line; indent deeper what goes on above",
)
_MEMBER_OR_ITEM = re.compile(r"- |[^\r\n:]+:")
_BLOCK_LINE = re.compile(r"( *)((?:- +)*)(?:([^\s#-][^:\r]*):(?!\S))?")
_MOST_LINES = 1_000
_MOST_TOLD = 9
_OTHER_COLON = re.compile(r"([\w.-]+)[ \t]*(\uff1a|=>?|;|-(?= ))[ \t]*(?=\S)")
_ASSIGNMENTS = re.compile(r"(?m)^[ -]*((\w+)[ \t]*=[ \t]*([^\s=][^\r\n]*))")
_MARKDOWN = re.compile(
    r"[ -]*+(?:[\w-]++: ++)?+(?:\*\*(.+)\*\*|`([^`]+)`|\[[^]]*\]\(([^)]+)\)|\[[ xX]\] ++(.+))"
)
_ESCAPE = re.compile(r"\\(?:[xuU][0-9a-fA-F]*|.?)")
_TYPOGRAPHIC = re.compile(r'([\u2018-\u201f\u00ab])([^"\\\r\n]+)([\u2018-\u201f\u00bb])')
_IN_BRACKETS = re.compile(r"(?!- )[^\s,\[\]{}]+(?:[ \t]+[^\s,\[\]{}]+)*")
_TIGHT_DASH = re.compile(r"-(?=\w)")
_TIGHT_ITEM_ABOVE = re.compile(r"(?m)^[ \t]*(-)(?=\w+:[ \t])[^\n]*(?:\n[ \t]*(?:#[^\n]*)?)*\Z")
_COMMAS = re.compile(r"(?m)^[ -]*+\w[\w.-]*+:[ \t][^\[{\r\n]*,[ \t]*\r?$")
_NEAR = 1_000
_ITEM_WITHOUT_SPACE = re.compile(r" *-(?=\w+:[ \t])")
_QUOTE_IT = "put the text in quotes; an item begins with `- `, a comment with `#`"


def safe_fix(message: str, start: int, end: int, text: str) -> Fix:
    """Return a safe fix that puts a text in place of a stretch."""
    return Fix(message, "safe", (Edit(start, end, text),), ())


class Source(Reporter):
    """A text, and what is wrong with it.

    Attributes:
        text: the text.
        start: where it begins, after a byte order mark.
        is_odd: whether it has a character of `_ODD`.
        readable: whether nothing was reported that leaves the text without a value.
        ambiguous: the scalars that other readers take for something else.
    """

    def __init__(self, text: str, name: str, limits: Limits) -> None:
        super().__init__(name, text, limits, standard="YAML 1.2")
        self.start = len(text) - len(text.removeprefix(BYTE_ORDER_MARK))
        self.is_odd = _ODD.search(text, self.start) is not None
        self.readable = True
        self.ambiguous: list[Ambiguous] = []

    def parseable(self) -> str:
        """Return the text for the parser, without its mark, and report what it must not see.

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
        at = _LEAD.match(text, self.start).end()  # type: ignore[union-attr]  # matches ""
        if text.startswith("%", at):  # the parser takes its time for many
            do = "remove the line: a manifest is YAML 1.2, and needs no directives"
            raise self.error_on_line(at, "directive `{shown}`", do, rule="yaml-unsupported")
        text = text[self.start :]
        if self.is_odd:
            text = _ODD.sub(_PLACEHOLDER, text)
        return text if text.endswith(("\n", "\r")) else f"{text}\n"

    # -- places ------------------------------------------------------------------------------

    def offset(self, mark: Mark) -> int:
        """Return the offset of a mark of the parser, which may be behind the text."""
        return min(mark.index + self.start, len(self.text))

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
        fix: Fix | None = None,
        **more: Any,
    ) -> StopError:
        """Report what leaves the text without a value; the error to raise if reading ends at it."""
        self.readable = False
        fixes = (fix,) if fix else ()
        self.report(rule, Span(start, end), message, help=help, fixes=fixes, **more)
        return StopError()

    def unsupported(self, start: int, end: int, message: str, help: str, **more: Any) -> StopError:
        """Report what a manifest must not use, and has no value as it stands."""
        return self.error(start, end, message, help, rule="yaml-unsupported", **more)

    def error_on_line(self, start: int, message: str, help: str, **more: Any) -> StopError:
        """Report the rest of a line, which the texts show where they say ``{shown}``."""
        end = max(self.line_end(start), min(start + 1, len(self.text)))
        shown, do = excerpt(self.text[start:end]), help
        if marked := _MARKDOWN.fullmatch(self.text[line_start(self.text, start) : end].rstrip()):
            message = "this value is written in Markdown"
            do = f"write `{excerpt(next(filter(None, marked.groups())))}`"
        if shown.startswith(("//", "/*")):
            do = "begin a comment with `#`"
            more["fix"] = safe_fix(do, start, start + 2, "#") if shown[1] == "/" else None
        texts = (each.replace("{shown}", shown) for each in (message, do))
        return self.error(start, end, *texts, **more)

    def related(self, message: str, start: int) -> Related:
        """Return a second place that a finding refers to: the rest of a line."""
        return Related(message, "", self.locate(Span(start, self.line_end(start))))

    # -- what is wrong -----------------------------------------------------------------------

    def explain(self, error: MarkedYAMLError, last: Span, opened: int, indent: int) -> StopError:
        """Report what the parser refuses; the error to raise.

        Args:
            last: the last scalar.
            opened: where the innermost open collection begins.
            indent: the column of the innermost open block collection.
        """
        text = self.text
        at = self.offset(error.problem_mark) if error.problem_mark else self.start
        begin = self.offset(error.context_mark) if error.context_mark else at
        what = f"{error.context} {error.problem}"
        place = begin if "simple key" in what else at
        if "scanning a quoted scalar" in what:
            return self.unclosed_quote(begin)
        if "quoted scalar" in what:
            return self._escape(text.rindex("\\", begin, at + 1))
        if found := self._odd_place(place) or self._odd_place(last.start):
            return found
        if text.startswith(":", at) and at - last.start > _LONGEST_KEY:
            message = f"a key of more than {_LONGEST_KEY:,} characters"
            return self.unsupported(*last, message, "write a shorter key")
        if "flow" in what and ("expected ','" in what or at == len(text)):
            return self._in_brackets(begin if "expected ','" in what else opened, at, indent)
        if "mapping values" in what:
            return self._colon(at, last)
        if any(each in what for each in ("simple key", "expected key", "'-' indicator")):
            return self._outside(place) if leads_line(text, place) else self.trailing(place, last)
        return self.no_value(begin, is_flow=text.startswith(("[", "{"), opened))

    def no_value(self, start: int, *, is_flow: bool) -> StopError:
        """Report what no value begins with; in brackets, it ends before a comma or bracket."""
        text, end = self.text, self.line_end(start)
        do = f"write `{self._quoted(start, end)}`"
        if is_flow and (found := _IN_BRACKETS.match(text, start, end)):
            shown, do = found[0], f"write `{self._quoted(*found.span())}`"
            return self.error(*found.span(), f"`{excerpt(shown)}` is not YAML", do)
        if text.startswith(("- ", ",", "]", "}"), start) or leads_line(text, start):
            do = "begin each item on its own line" if text.startswith("-", start) else _QUOTE_IT
        return self.error_on_line(start, "`{shown}` is not YAML", do)

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

    def trailing(self, start: int, last: Span) -> StopError:
        """Report text after a value that is complete."""
        text, fix = self.text, None
        message = "unexpected `{shown}` after the end of a value"
        do = "put the whole value in quotes, or start a new line"
        if text.startswith("#", start):
            do = "put a space before `#`"
            fix = safe_fix(do, start, start, " ")
        elif text[start : self.line_end(start)] == ",":
            do = "remove it: a line of YAML needs none at its end"
            fix = safe_fix("remove it", start, start + 1, "")
            if more := len(_COMMAS.findall(text, start + 1)):
                do = f"remove it, and {more:,} more below: a line of YAML needs none at its end"
        elif quoted := _TYPOGRAPHIC.match(text, last.start, self.line_end(last.start)):
            message = f"`{quoted[1]}` and `{quoted[3]}` are not quotes in YAML"
            do = f'write `"{excerpt(quoted[2])}"`'
            fix = safe_fix('use `"`', *quoted.span(), f'"{quoted[2]}"')
        elif last.end == start and text[start - 1] in "'\"":
            message = "the quote ends before `{shown}`"
            do = f"write `{self._escaped_quote(start - 1)}` for a quote inside the string"
        elif not text[last.end : start].strip(" \t"):
            do = f"write `{self._quoted(last.start, self.line_end(start))}`"
            if word := _LAST_WORD.search(text, last.start, last.end):
                do += f", or, if `{word[1]}` is a key, begin a line with it"
        return self.error_on_line(start, message, do, fix=fix)

    def _quoted(self, start: int, end: int) -> str:
        """Return a text in quotes, as a message can hold it."""
        shown = excerpt(self.text[start:end])
        return "'" + shown.replace("'", "''") + "'" if {*'"\\'} & {*shown} else f'"{shown}"'

    def _escaped_quote(self, quote: int) -> str:
        return '\\"' if self.text[quote] == '"' else "''"

    def _odd_place(self, place: int) -> StopError | None:
        """Report an odd character at a place, or a tab in the indentation of its line."""
        if odd := _ODD.match(self.text, place):
            return self._odd_character(odd)
        end = max(self.line_end(place), place + 1)
        if tab := _TAB.match(self.text, line_start(self.text, place), end):
            return self.error(*tab.span(1), "tab in indentation", "indent YAML with spaces only")
        if spaces := _ODD_INDENT.match(self.text, line_start(self.text, place), end):
            return self.odd_spaces(*spaces.span(1))
        return None

    def odd_spaces(self, start: int, end: int) -> StopError:
        """Report characters before a line's text that look like spaces, and how many there are."""
        message, do, _ = in_plain_spaces(self.text[start:end])
        lines = enumerate(self.text.split("\n"), 1)
        numbers = [str(number) for number, line in lines if self.text[start] in line]
        numbers[_MOST_TOLD:] = ["…"] * (len(numbers) > _MOST_TOLD)
        if len(numbers) > 1:
            do += f" in lines {', '.join(numbers)}"
        return self.unsupported(start, end, message, do)

    def _outside(self, start: int) -> StopError:
        """Report a line that does not fit the block that it is in, or has no colon."""
        text, fix = self.text, None
        if above := _TIGHT_ITEM_ABOVE.search(text, max(start - _NEAR, 0), start):
            start = above.start(1)
        message = "bad indentation of `{shown}`"
        do = self._indentation(start)
        if _TIGHT_DASH.match(text, start):
            message = "expected an item of the list, found `{shown}`"
            do = "put a space after the `-`"
            fix = safe_fix(do, start + 1, start + 1, " ")
        elif key := _NO_SPACE.match(text, start):
            message = "missing space after the colon in `{shown}`"
            do = f"write `{key[1]}: {excerpt(text[key.end() : self.line_end(start)].lstrip())}`"
            if _MEANT.fullmatch(text, key.end(), self.line_end(start)):
                fix = safe_fix(do, key.end(1), key.end(), ": ")
        elif colon := _OTHER_COLON.match(text, start):
            message = f"`{colon[2]}` is not the `:` of YAML"
            do = "write `{}: {}`"
            for each in _ASSIGNMENTS.finditer(text, self.line_end(start)):
                told = do.format(each[2], excerpt(each[3]))
                self.report("syntax-error", Span(*each.span(1)), message, help=told)
            do = do.format(colon[1], excerpt(text[colon.end() : self.line_end(start)]))
        elif not _MEMBER_OR_ITEM.match(text, start):
            message, do = _NO_KEY
        return self.error_on_line(start, message, do, fix=fix)

    def _indentation(self, start: int) -> str:
        """Return what to do with a line of a wrong indentation: where the nearest like it begin."""
        column, is_item = column_at(self.text, start), self.text.startswith("- ", start)
        lines = self.text[self.start : start - column].split("\n")[:-1]
        begun: dict[int, str] = {}
        least = column + _LONGEST_KEY
        for number, line in islice(reversed([*enumerate(lines, 1)]), _MOST_LINES):
            indent, dashes, name = _BLOCK_LINE.match(line).groups()  # type: ignore[union-attr]  # matches ""
            if (dashes or name) and len(indent) < least:
                least = len(indent)
                if is_item and dashes:
                    begun[least] = f"`{excerpt(line.strip())}` in line {number}"
                elif name and not is_item:
                    begun.setdefault(least + len(dashes), f"`{excerpt(name)}` in line {number}")
        nearest = min((abs(each - column) for each in begun), default=0)
        places = [each for each in begun if abs(each - column) == nearest]
        spaces = {0: "without spaces", 1: "with 1 space"}
        how = [f"{spaces.get(each, f'with {each} spaces')}, like {begun[each]}" for each in places]
        if nearest > 1 and column > max(begun):
            how.append("remove the value there")
        if not how:
            return "indent it like its block"
        return f"begin {self._lines_like(start, column, places)} {', or '.join(how)}"

    def _lines_like(self, start: int, column: int, places: list[int]) -> str:
        """Return the lines that begin in a wrong column: one, and those like it in its block."""
        first, is_item = self.locate(Span(start, start)).line, self.text.startswith("- ", start)
        numbers = [f"{first}"]
        lines = self.text[start:].split("\n")[1:_MOST_LINES]
        for number, line in enumerate(lines, first + 1):
            indent, dashes, name = map(len, _BLOCK_LINE.match(line).groups(""))  # type: ignore[union-attr]  # likewise
            if indent == column and (dashes if is_item else name and not dashes):
                numbers.append(f"{number}")
            elif (dashes or name) and indent <= column and indent + dashes not in places:
                break
        *others, last = numbers[:_MOST_TOLD]
        return f"lines {', '.join(others)} and {last}" if others else "this line"

    def _colon(self, at: int, last: Span) -> StopError:
        """Report a colon that begins no value."""
        text, start, line = self.text, last.start, line_start(self.text, at)
        if dash := _ITEM_WITHOUT_SPACE.match(text, line_start(self.text, start)):
            return self._outside(dash.end() - 1)
        if line <= start or last.end > at:
            return self.trailing(at, last)
        line += len(text[line:at]) - len(text[line:at].lstrip(" \t"))
        lacks_colon = column_at(self.text, line) == column_at(self.text, start) or _NO_SPACE.match(
            text, start
        )
        return self._outside(start if lacks_colon else line)

    def unclosed_quote(self, start: int, outside: int | None = None) -> StopError:
        """Report a quote that is open where its indentation, or the file, ends."""
        escaped = self._escaped_quote(start)
        do = f"write the missing `{self.text[start]}`; inside the string, write `{escaped}`"
        related = () if outside is None else (self.related("this line is outside", outside),)
        return self.error_on_line(start, "quote is not closed", do, related=related)

    def _escape(self, start: int) -> StopError:
        shown = _ESCAPE.match(self.text, start)[0]  # type: ignore[index]  # there is a backslash
        message = f"`{excerpt(shown)}` is not an escape in YAML"
        do = "write `\\\\` for a backslash, `/` in a path, or single quotes, which have no escapes"
        return self.error(start, start + len(shown), message, do)

    def _in_brackets(self, begin: int, at: int, indent: int) -> StopError:
        """Report what is in the place of a comma or a bracket."""
        text = self.text
        lines = self.further_lines(begin, at + 1)
        outside = next((each for each in lines if column_at(self.text, each) <= indent), len(text))
        if outside < len(text) or self.skip_trivia(at) == len(text):
            return self.unclosed_bracket(begin, outside)
        message = f"`{{shown}}` where `,` or `{self._closer(begin)}` is expected"
        do = "put a `,` between two values; text with `:`, `,` or brackets needs quotes"
        return self.error_on_line(at, message, do)

    def unclosed_bracket(self, begin: int, outside: int) -> StopError:
        """Report a bracket that is open where its indentation, or the file, ends."""
        closer = self._closer(begin)
        place = "this line is outside" if outside < len(self.text) else "the file ends here"
        return self.error(
            begin,
            begin + 1,
            f"`{self.text[begin]}` is not closed",
            f"write the missing `{closer}`, or indent every line inside it deeper than the key",
            related=(self.related(place, outside),),
        )

    def _closer(self, opener: int) -> str:
        return "}" if self.text[opener] == "{" else "]"
