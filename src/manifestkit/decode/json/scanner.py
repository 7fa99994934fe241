"""Reading JSON again for what is wrong with it.

One pass over the tokens, without recursion. Mistakes with a name (a trailing comma, a comment,
single quotes, ...) are reported and read over as what was meant. After anything else, reading goes
on at the next line that by its indentation begins a member, an item or the end of what is open:
the rest of a line at fault says nothing certain, and what is on other lines is told all the same.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from manifestkit.decode.findings import FILL_IT, Decoded, Reporter, StopError, excerpt
from manifestkit.decode.json.nesting import Nesting, OpenCollection
from manifestkit.decode.json.tokens import Token, read_token
from manifestkit.model.document import Document, Node
from manifestkit.model.finding import Edit, Finding, Fix, Related
from manifestkit.model.limits import Limits
from manifestkit.model.location import BYTE_ORDER_MARK, Span
from manifestkit.model.printable import truncate

_STRUCTURE_AHEAD = re.compile(r'\s*+(["\[\]{}])')
_TEXT_REST = re.compile(r'[^,\[\]{}"\r\n]*+(?=\s*+[,\]}])')
_TOLD_LATER = frozenset({"word", ":", ",", "odd"})
_BRACKETS, _CLOSERS = frozenset("{["), frozenset("}]")
_ENTRY_STARTS = frozenset({"{", "[", "string", "scalar"})
_MEMBER_STARTS = frozenset({"string", "word"})
_BARE = r"(?:-?[0-9][0-9.eE+-]*+|true|false|null|(?!))"
_DOUBTFUL = re.compile(
    rf"[\\\]}}]|,[ \t]*+{_BARE}|[ \t]$|^[ \t]*+{_BARE}?+[ \t]*+,?$"
    r"|['`\u2018-\u201f\u2033],?$|(?<!:)//|/\*|[ \t]#|,,"
)
_PUNCTUATION = frozenset("{}[],:'") | {""}
_OPENERS = frozenset('"{[')
_OWN_LINE_REST = re.compile(r"[ \t]*+(?:\r\n?|\n)")
_LEFT_OUT = re.compile(
    r"(?:/[/*]|#)[ \t]*+(?i:(?:\.{3}|\u2026)[\w \t]*+(?:\.{3}|\u2026)?|rest of[\w \t]++)"
    r"[ \t]*+(?:\*/)?"
)
_REST_OF_TEXT = re.compile(r'[^,\[\]{}"\r\n]*+')
_REST_OF_LINE = re.compile(r"[^\r\n]*")
_MOST_SEPARATE = 3
_MOST_PLACES = 100
_NO_LIMITS = Limits(depth=sys.maxsize, nodes=sys.maxsize)


def scan(text: str, name: str, limits: Limits) -> Decoded:
    """Read a JSON text and report everything that is wrong with it."""
    scanner = _Scanner(text, name, limits)
    scanner.read()
    value, node = scanner.nesting.root
    findings = _repeated_once(scanner.findings(), is_all=not scanner.is_cut_off)
    readable = not scanner.is_cut_off and all(
        finding.rule == "duplicate-key" for finding in findings
    )
    return Decoded(Document(name, text, value, lambda _: node), findings, readable=readable)


def read_node(text: str, start: int) -> Node:
    """Return the positions of the value at an offset of a good text, however deep it is."""
    scanner = _Scanner(text, "", _NO_LIMITS, start)
    scanner.step()
    while scanner.nesting.stack:
        scanner.step()
    return scanner.nesting.root[1]


class _LostError(Exception):
    """The rest of the line cannot be read; the reason has been reported."""


class _Guess(NamedTuple):
    """Something that was taken to be missing.

    Attributes:
        findings: how many findings there were before.
        at: where it would stand.
        last: the number of the last token beside it.
        quote: the quote that is out of place if the guess is wrong.
        is_quote: whether it is a quote at the end of a line.
    """

    findings: int
    at: int
    last: int
    quote: Span
    is_quote: bool = False


class _Scanner:
    """Reads one text.

    Attributes:
        nesting: the objects and arrays that are open, and the value that is read.
    """

    def __init__(self, text: str, name: str, limits: Limits, start: int = 0) -> None:
        self._text = text
        self._limits = limits
        self._reporter = Reporter(name, text, limits, standard="RFC 8259 (JSON)")
        self._at = start or len(BYTE_ORDER_MARK) * text.startswith(BYTE_ORDER_MARK)
        self._count = 0  # of the tokens
        self._nodes = 0
        self.nesting = Nesting(text)
        self._guesses: list[_Guess] = []
        self._odd_values: set[int] = set()
        self._is_lost = False
        self._is_through = False
        self._unmatched: int | None = None  # the first bracket closed in another column

    @property
    def is_cut_off(self) -> bool:
        """Return whether the reading ended because there was too much to say."""
        return self._reporter.is_beyond_limits

    def read(self) -> None:
        """Read the text to its end, or as far as it can be read."""
        try:
            while not self._is_through:
                try:
                    self.step()
                except _LostError:
                    self._is_lost = True
                    self._go_on()
        except StopError:
            self._is_lost = True
        self.nesting.finish()

    def _go_on(self) -> None:
        line = self.nesting.next_line(self._at)
        if line is None:
            raise StopError
        self._at = line
        self._guesses.clear()

    def findings(self) -> Iterator[Finding]:
        """Yield the findings, with fixes that are as safe as the least safe one.

        What is guessed in a text of which a part could not be read may be wrong. Two findings on
        one line may come from one slip, unless one is about no more than the spelling of a value.
        """
        errors = [each for each in self._reporter.findings if each.rule == "syntax-error"]
        is_safe = all(fix.safety == "safe" for each in errors for fix in each.fixes)
        doubtful = {
            line
            for each in errors
            if not each.fixes and each.location.span.start not in self._odd_values
            for line in (each.location.line, each.location.end_line)
        }
        for each in self._reporter.findings:
            is_doubtful = self._is_lost or each.location.line in doubtful
            fixes = () if is_doubtful else each.fixes
            if not is_safe:
                fixes = tuple(fix._replace(safety="unsafe") for fix in fixes)
            yield each._replace(fixes=fixes)

    # -- values ------------------------------------------------------------------------------

    def step(self) -> None:
        """Read the next part of the text."""
        if self.nesting.stack:
            self._read_part(self.nesting.stack[-1])
        elif self._count:
            self._end_document(self._next())
        else:
            self._begin_document(self._next())

    def _begin_document(self, token: Token) -> None:
        if token.kind == "end":
            raise self._lost(token.span, "the file is empty", FILL_IT)
        if token.kind == "word":
            raise self._lost(
                token.span,
                f"expected `{{`, found `{self._shown(token)}`",
                "a JSON manifest is an object, `{` … `}`; YAML needs the suffix `.yaml`",
            )
        self._begin(token)

    def _end_document(self, token: Token) -> None:
        """Report what stands behind the manifest."""
        start, text = token.span.start, self._text
        self._is_through = token.kind == "end"
        if self._is_through:
            return
        if not self._is_lost and text[start:].strip() == text[:start].strip():
            again = "the whole manifest is in the file twice"
            self._report(token.span, again, "remove the second copy", Edit(start, len(text), ""))
            self._is_through = True
            return
        end = _REST_OF_LINE.match(text, start).end()  # type: ignore[union-attr]  # matches ""
        message = f"`{excerpt(text[start:end])}` after the end of the manifest"
        do = "write each manifest to its own file" if token.kind in _BRACKETS else "remove it"
        if token.kind == ":":
            do = "write `{` before the first member, and `}` after the last one"
        lost = self._lost(Span(start, end), message, do)
        if token.kind in _BRACKETS:  # what follows is of another document
            raise StopError
        raise lost

    def _read_part(self, container: OpenCollection) -> None:
        token = self._next()
        comma = None
        if container.entries and token.kind != container.closer:
            comma, token = self._comma(container, token)
        # Before the first item of an array something else may be missing.
        is_sure = container.entries or container.bracket == "{"
        while token.kind == ",":
            edit = Edit(*token.span, "") if is_sure else None
            self._report(token.span, "extra comma", "remove it", edit)
            token = self._next()
        if token.kind in _CLOSERS or token.kind == "end":
            self._close(container, token, comma)
            return
        for each in comma.mistakes if comma else ():
            self._report(*each)
        if container.bracket == "{":
            has_gap = container.entries > 0 and comma is None
            token = self._key(container, token, has_gap=has_gap)
        self._begin(token)

    def _comma(self, container: OpenCollection, token: Token) -> tuple[Token | None, Token]:
        if token.kind == ",":
            return token, self._next()
        starts = _MEMBER_STARTS if container.bracket == "{" else _ENTRY_STARTS
        touches = _is_misquoted(self._text, container.end_of_last, token.span.start)
        if token.kind in starts or touches:
            message = f"missing comma before `{self._shown(token)}`"
            in_array = container.bracket == "["
            self._missing(",", container.end_of_last, token, message, in_array=in_array)
        elif token.kind == ":":
            raise self._odd_colon(container, token)
        elif token.kind not in _CLOSERS and token.kind != "end":
            message = f"unexpected `{self._shown(token)}`"
            raise self._lost(token.span, message, 'put text in `"`')
        return None, token

    def _odd_colon(self, container: OpenCollection, colon: Token) -> _LostError:
        """Report a colon, or the array that is not closed before it."""
        is_inner = container.bracket == "[" and len(self.nesting.stack) > 1
        if self._ends_in_key(container):
            key = container.items[-1].span
            line_end = self.nesting.last_break(container.start, key.start)
            lost = self._unclosed(container.start, key, go_on_from=max(line_end, 0) * is_inner)
        else:
            do = 'put members in objects: `{"name": value}`'
            lost = self._lost(colon.span, f"unexpected `{self._shown(colon)}`", do)
        if is_inner:
            self.nesting.close(container.end_of_last)
        return lost

    def _ends_in_key(self, container: OpenCollection) -> bool:
        """Return whether the last item of an array seems to be a key of the object around it."""
        if container.bracket == "{" or not isinstance(container.values[-1], str):
            return False
        key, opener = container.items[-1].span.start, container.start
        is_below = container.entries > 1 or not self.nesting.is_one_line(opener, key)
        return is_below and self.nesting.indent(key) == self.nesting.indent(opener)

    def _missing(
        self, mark: str, end: int, token: Token, message: str, *, in_array: bool = False
    ) -> None:
        start = token.span.start
        quote = _quote_between(self._text, end, start)
        if _is_misquoted(self._text, end, start):
            here = _Guess(len(self._reporter.findings), quote.start, self._count, quote)
            raise self._misquoted(self._guess_beside(self._count, quote.start) or here)
        sure = _is_sure(self._text, mark, end, start, in_array=in_array)
        edit = Edit(end, end, mark) if sure else None
        self._guess(Span(end, end), message, f"put a `{mark}` here", edit, quote, self._count - 1)

    def _key(self, container: OpenCollection, token: Token, *, has_gap: bool) -> Token:
        """Read a member's name and colon, and return the token that begins its value.

        Where the comma before it was missing, and the colon is too, it may be part of a text.
        """
        key = str(token.value)
        if token.kind == "word":
            message = f"member name `{self._shown(token)}` without quotes"
            edit = Edit(*token.span, f'"{key}"')
            self._guess(token.span, message, 'put it in `"`', edit, token.span, self._count)
        elif token.kind != "string":
            raise self._no_key(container, token)
        first = container.members.get(key)
        container.key, container.key_span = key, token.span
        if first is not None:
            self._reporter.report_duplicate(key, token.span, first.key, self.nesting.pointer())
        colon = self._next()
        if colon.kind == ":":
            for each in colon.mistakes:
                self._report(*each)
            return self._next()
        end, last = token.span.end, container.end_of_last
        if has_gap and self.nesting.is_one_line(last, colon.span.start):
            wrong = [each for each in self._guesses[-2:] if each.at == last]
            raise self._misquoted(wrong[0]) if wrong else _LostError
        message = f"missing colon after `{self._shown(token)}`"
        touches = _is_misquoted(self._text, end, colon.span.start)
        if colon.kind in _ENTRY_STARTS or touches:
            self._missing(":", end, colon, message)
            return colon
        do = 'members are written `"name": value`'
        if colon.kind in {",", "}"}:
            do += ", and lists in `[` and `]`"
        raise self._lost(Span(end, end), message, do)

    def _no_key(self, container: OpenCollection, token: Token) -> _LostError:
        """Report what is no member's name: perhaps an item behind the end of its array."""
        message = f"expected a member name, found `{self._shown(token)}`"
        do = 'members of an object are written `"name": value`'
        if token.kind == "scalar":
            do += "; a number has a `.` before decimals, and no `,`"
        is_after_one = token.kind == "{" and container.entries > 0
        if is_after_one and isinstance(container.values[container.key], list):
            name, end = truncate(container.key), container.end_of_last
            line = self._reporter.locate(Span(end - 1, end)).line
            message = f"this `{{` is outside `{name}`, which ends with the `]` in line {line}"
            do = "move the object before that `]`, or the `]` behind the object"
        return self._lost(token.span, message, do)

    def _begin(self, token: Token) -> None:
        self._nodes += 1
        if self._nodes > self._limits.nodes:
            raise self._limit(token, f"more than {self._limits.nodes:,} values")
        if token.kind in _BRACKETS:
            if len(self.nesting.stack) == self._limits.depth:
                most = f"{self._limits.depth:,} arrays and objects"
                raise self._limit(token, f"more than {most} nested in each other")
            self.nesting.open(token.span.start)
            return
        self.nesting.put(self._value_of(token), Node(token.span))

    def _value_of(self, token: Token) -> Any:
        if token.kind in {"string", "scalar"}:
            return token.value
        if token.kind == "word":
            return self._word(token)
        container = self.nesting.stack[-1] if self.nesting.stack else None
        if container and container.bracket == "{" and token.kind != ":":
            self._report(
                container.key_span,
                f"member `{truncate(container.key)}` has no value",
                "give it one, or remove it",
            )
            self._count -= 1
            self._at = token.span.start
            return None
        shown = self._shown(token)
        raise self._lost(token.span, f"expected a value, found `{shown}`", "remove it")

    def _word(self, token: Token) -> Any:
        """Read what another language has for a value, or text that lacks its quotes."""
        if token.mistakes:
            self._report(*token.mistakes[0])
            return token.meant
        shown = self._shown(token)
        message = f"text without quotes: `{shown}`"
        if self._text.startswith('"', token.span.end):
            message = f"a quote is missing before `{shown}`"
        if self._text.startswith("(", token.span.end):
            do = "write the value that it gives"
            raise self._lost(token.span, f"`{shown}()` is code, not JSON", do)
        rest = _TEXT_REST.match(self._text, token.span.end)
        if not rest:
            raise self._lost(token.span, message, 'put text in `"`', is_structure=False)
        self._report(token.span, message, 'put text in `"`', is_value=True)
        self._at = rest.end()
        return None

    def _close(self, container: OpenCollection, token: Token, comma: Token | None) -> None:
        if token.kind == "end":
            if self._is_lost:
                raise StopError
            if self._unmatched is None:
                raise self._unclosed(container.start, token.span, "the file ends here")
            place = self.nesting.end_of_block(self._unmatched)
            raise self._unclosed(self._unmatched, Span(place, min(place + 1, len(self._text))))
        line_end = self.nesting.last_break(container.start, token.span.start)
        leads = line_end >= 0 and self._text[line_end : token.span.start].isspace()
        if token.kind != container.closer:
            if self._is_lost and leads:  # the line may be the end of another collection
                self._at = line_end
                raise _LostError
            opener = Span(container.start, container.start + 1)
            closer = container.closer
            raise self._lost(
                token.span,
                f"`{token.kind}` where `{closer}` is expected",
                f"close `{container.bracket}` with `{closer}` first",
                (self._related(f"this `{container.bracket}` is open", opener),),
            )
        indent, start = self.nesting.indent, token.span.start
        if leads and self._unmatched is None and indent(container.start) != indent(start):
            self._unmatched = container.start
        if comma:
            what = f"`{self._shown(comma)}`" if comma.mistakes else "comma"
            message = f"trailing {what} before `{token.kind}`"
            self._report(comma.span, message, f"remove the {what}", Edit(*comma.span, ""))
        self.nesting.close(token.span.end)

    def _unclosed(self, start: int, span: Span, place: str = "", go_on_from: int = 0) -> _LostError:
        closer = "}" if self._text[start] == "{" else "]"
        return self._lost(
            Span(start, start + 1),
            f"`{self._text[start]}` is never closed",
            f"write the missing `{closer}`",
            (self._related(place or f"`{closer}` is expected before this", span),),
            go_on_from,
        )

    # -- tokens ------------------------------------------------------------------------------

    def _next(self) -> Token:
        """Return the next token; comments are reported and passed over."""
        self._count += 1
        kind = "comment"
        while kind in {"comment", "spaces"}:
            token = read_token(self._text, self._at, self._limits.findings)
            kind, self._at = token.kind, token.span.end
            if kind == "odd" and (self.nesting.stack or self._count == 1):
                raise self._lost(*token.mistakes[0][:3], is_structure=False)
            if kind == "comment":
                self._report_comment(token.span)
            for each in token.mistakes if kind not in _TOLD_LATER else ():
                self._report(*each)
        return self._unclosed_string(token) if kind == "open" else token

    def _unclosed_string(self, token: Token) -> Token:
        """Read on if the next line goes on with structure, as after a forgotten quote."""
        start, line_end = token.span
        wrong = self._guess_beside(self._count, start)
        if wrong:
            raise self._misquoted(wrong)
        ahead = _STRUCTURE_AHEAD.match(self._text, line_end)
        body = str(token.value)
        length = _closes_at(body, ahead[1]) if ahead else None
        body = body.rstrip(" \t").removesuffix(",") if length is None else body[:length]
        end = start + 1 + len(body)
        quote = Span(start, start + 1)
        guess = _Guess(len(self._reporter.findings), start, self._count, quote, is_quote=True)
        self._report(
            Span(start, end),
            "string is not closed on its line",
            'close it with `"`; write a line break in a string as `\\n`',
            None if length is None else Edit(end, end, '"'),
        )
        if not ahead:
            raise _LostError
        self._guesses.append(guess)
        self._at = end
        return Token("string", Span(start, end), body)

    # -- findings ----------------------------------------------------------------------------

    def _lost(
        self,
        span: Span,
        message: str,
        help: str,
        related: tuple[Related, ...] = (),
        go_on_from: int = 0,
        *,
        is_structure: bool = True,
    ) -> _LostError:
        """Report a syntax error that ends the reading of a line; the error to raise.

        Nothing is told about the structure before it has proved right where reading goes on.
        """
        wrong = self._guess_beside(self._count, self._at)
        if wrong:
            return self._misquoted(wrong)
        if not (is_structure and self._is_doubtful()):
            self._report(span, message, help, related=related)
        self._at = go_on_from or self._at
        return _LostError()

    def _is_doubtful(self) -> bool:
        """Return whether a fault in the structure may come from one that was told before."""
        if not self.nesting.stack:
            return self._is_lost
        top = self.nesting.stack[-1]
        return top is self.nesting.resumed and not top.entries

    def _guess(
        self, span: Span, message: str, help: str, edit: Edit | None, quote: Span, first: int
    ) -> None:
        """Report something that is missing, unless the guess before was about the same place.

        Args:
            edit: how to write it, if that is sure.
            quote: the quote that is out of place if the guess is wrong.
            first: the number of the first token beside it.
        """
        wrong = self._guess_beside(first, span.start)
        if wrong and '"' in (self._text[wrong.quote.start], self._text[quote.start]):
            raise self._misquoted(wrong)
        findings = len(self._reporter.findings)
        self._guesses.append(_Guess(findings, span.start, self._count, quote))
        self._report(span, message, help, edit)

    def _guess_beside(self, token: int, at: int) -> _Guess | None:
        """Return the guess just before a token, on its line or about a quote at the end of one."""
        last = self._guesses[-1] if self._guesses else None
        is_near = last and token - last.last <= 1
        if last and is_near and (last.is_quote or self.nesting.is_one_line(last.at, at)):
            return last
        return None

    def _misquoted(self, instead: _Guess) -> _LostError:
        """Report that a quote is out of place, instead of a guess and what followed it."""
        del self._reporter.findings[instead.findings :]
        what = "a quote is missing or not escaped"
        rest = _REST_OF_TEXT.match(self._text, instead.quote.start)
        if rest and rest[0] and not self._text.startswith('"', rest.end()):
            what = f"text without quotes: `{excerpt(rest[0].rstrip())}`"
        do = 'put one `"` at each end of a string, and write `\\"` for a quote inside'
        self._report(instead.quote, what, do)
        self._at = instead.quote.start
        return _LostError()

    def _report(
        self,
        span: Span,
        message: str,
        help: str,
        edit: Edit | None = None,
        is_value: bool = False,  # noqa: FBT001, FBT002 - the fields of a mistake
        is_limit: bool = False,  # noqa: FBT001, FBT002 - likewise
        *,
        related: tuple[Related, ...] = (),
    ) -> None:
        """Report a mistake; in an array, a comma may be part of a value at fault."""
        stack = self.nesting.stack
        if is_value and stack and stack[-1].bracket == "{":
            self._odd_values.add(span.start)
        self._reporter.report(
            "limit-exceeded" if is_limit else "syntax-error",
            span,
            message,
            help=help,
            pointer=self.nesting.pointer() if is_limit else "",
            related=related,
            fixes=(Fix(help, "safe", (edit,), ()),) if edit else (),
        )

    def _report_comment(self, span: Span) -> None:
        message, do = "JSON has no comments", "write what it stands for, or remove it"
        fixes: tuple[Fix, ...] = ()
        if not _LEFT_OUT.fullmatch(self._text, *span):
            do = "remove the comment, or write the manifest in YAML, which allows comments"
            fixes = (Fix("remove the comment", "unsafe", (self._without_comment(span),), ()),)
        self._reporter.report("syntax-error", span, message, help=do, fixes=fixes)

    def _without_comment(self, comment: Span) -> Edit:
        """Remove a comment with the space before it, or with its line if it is alone there."""
        text, start = self._text, comment.start
        while start and text[start - 1] in " \t":
            start -= 1
        behind = _OWN_LINE_REST.match(text, comment.end)
        if text[start - 1 : start] in ("\r", "\n") and behind:
            return Edit(start, behind.end(), "")
        return Edit(start, comment.end, "")

    def _limit(self, token: Token, message: str) -> StopError:
        return self._reporter.report_limit(token.span, message, self.nesting.pointer())

    def _related(self, message: str, span: Span) -> Related:
        return Related(message, "", self._reporter.locate(span))

    def _shown(self, token: Token) -> str:
        return excerpt(self._text[token.span.start : token.span.end])


def _quote_between(text: str, end: int, start: int) -> Span:
    """Return the likelier quotes around what is between two tokens, or the second one's start."""
    return Span(end - 1, end) if text[end - 1] == '"' else Span(start, start + 1)


def _is_misquoted(text: str, end: int, start: int) -> bool:
    """Return whether a string touches what is neither punctuation nor a string."""
    around = text[end - 1], text[start : start + 1]
    return end == start and around.count('"') == 1 and _PUNCTUATION.isdisjoint(around)


def _is_sure(text: str, mark: str, end: int, start: int, *, in_array: bool) -> bool:
    """Return whether a comma or colon is certainly missing between two tokens.

    It may have got into a string beside it; two numbers may be one, and one be too many.
    """
    first, second = text[end - 1], text[start]
    if in_array and end == start and first == second == '"':  # as CSV writes a quote in a text
        return False
    if first == '"' and text[end - 2] == mark:
        return False
    if second == '"' and text[start + 1 : start + 2] == mark:
        return False
    return not in_array or not (_is_bare(first) or _is_bare(second))


def _is_bare(character: str) -> bool:
    return character.isalnum() or character in "+-."


def _closes_at(body: str, following: str) -> int | None:
    """Return the length of a string that lacks its closing quote, where that can be told."""
    if _DOUBTFUL.search(body):
        return None
    if not body.endswith(","):
        return len(body)
    return len(body) - 1 if following in _OPENERS else None


def _repeated_once(findings: Iterable[Finding], *, is_all: bool) -> tuple[Finding, ...]:
    """Return the findings, with a slip that is repeated as one that counts its places."""
    alike: dict[str, list[Finding]] = {}
    others: list[Finding] = []
    for each in findings:
        is_slip = each.rule == "syntax-error"
        (alike.setdefault(each.message, []) if is_slip else others).append(each)
    for group in alike.values():
        others.extend([_merged(group, is_all=is_all)] if len(group) > _MOST_SEPARATE else group)
    return tuple(sorted(others, key=lambda each: each.location.span.start))


def _merged(group: list[Finding], *, is_all: bool) -> Finding:
    first, *others = group
    count = f"{len(others):,} more" if is_all else f"{len(others):,} or more other"
    places = (Related("here too", each.pointer, each.location) for each in others[:_MOST_PLACES])
    fixes = tuple(each.fixes[0] for each in group if each.fixes)
    edits = tuple(edit for fix in fixes for edit in fix.edits)
    return first._replace(
        message=f"{first.message}, here and at {count} places",
        related=(*first.related, *places),
        fixes=(fixes[0]._replace(edits=edits),) if len(fixes) == len(group) else (),
    )
