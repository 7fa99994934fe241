"""Reading JSON again for what is wrong with it.

One pass over the tokens, without recursion. Mistakes with a name (a trailing comma, a comment,
single quotes, ...) are reported and read over as what was meant. After anything else, reading goes
on at the next line that by its indentation begins a member, an item or the end of what is open:
the rest of a line at fault says nothing certain, and what is on other lines is told all the same.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

from manifestkit.decode.findings import FILL_IT, Decoded, Reporter, StopError, excerpt
from manifestkit.decode.json.nesting import Nesting, OpenBrackets
from manifestkit.decode.json.tokens import MISQUOTED, Mistake, Token, read_token
from manifestkit.files import other_tools
from manifestkit.model.document import Document, Node
from manifestkit.model.finding import Edit, Finding, Fix, Related
from manifestkit.model.limits import Limits
from manifestkit.model.location import BYTE_ORDER_MARK, Span
from manifestkit.model.printable import truncate

_COLON_AHEAD = re.compile(r"[ \t]*+[:=\uff1a]")
_DECIMAL_COMMA = re.compile(r"[0-9],[0-9]")
_STRUCTURE_AHEAD = re.compile(r'\s*+["\[\]{}]')
_TEXT_REST = re.compile(r'[^,\[\]{}"\r\n]*+(?=\s*+[,\]}])')
_TYPES = frozenset({"string", "number", "integer", "float", "boolean", "bool", "any", "object"})
_TOLD_LATER = frozenset({":", ","})
_BRACKETS, _CLOSERS = frozenset("{["), frozenset("}]")
_ENTRY_STARTS = frozenset({"{", "[", "string", "scalar"})
_MEMBER_STARTS = frozenset({"string", "word"})
_EXPRESSION = re.compile(r"(?:process|os|import|this|self|window|globalThis)\.|[\w.$]+\(")
_ENDS = frozenset('{}[]"')
_OWN_LINE_REST = re.compile(r"[ \t]*+(?:\r\n?|\n)")
_REST_OF_LINE = re.compile(r"[^\r\n]*")
_GOES_ON = re.compile(r"[ \t]*+,?+[ \t]*+(?:\r\n?|\n)[ \t]*+(?=[\w\"])")
_MORE_TEXTS = re.compile(r'(?<=")(?:\s++"(?:[^"\\\r\n]|\\.|(?!))*+"|(?!)){1,20}+(?=\s*+[,}])')
_TEXT_END = re.compile(r"\s*+\Z")
_GET_IT = "write the rest of it, or get the whole file again"
_NO_LIMITS = Limits(depth=sys.maxsize, nodes=sys.maxsize)


def scan(text: str, name: str, limits: Limits) -> Decoded:
    """Read a JSON text and report everything that is wrong with it."""
    scanner = _Scanner(text, name, limits)
    scanner.read()
    value, node = scanner.nesting.root
    findings = tuple(scanner.settled())
    readable = not scanner.is_beyond_limits and all(
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


class _Scanner(Reporter):
    """Reads one text.

    Attributes:
        nesting: the objects and arrays that are open, and the value that is read.
    """

    def __init__(self, text: str, name: str, limits: Limits, start: int = 0) -> None:
        super().__init__(name, text, limits, standard="RFC 8259 (JSON)")
        self._at = start or len(BYTE_ORDER_MARK) * text.startswith(BYTE_ORDER_MARK)
        self._nodes = 0
        self.nesting = Nesting(text)
        self._odd_values: set[int] = set()
        self._is_lost = False
        self._has_begun = False
        self._is_through = False
        self._unmatched: OpenBrackets | None = None  # the first one closed in another column
        # The first end of an object above a member that is deeper, and the findings by then.
        self._early: tuple[Span, int] | None = None

    def read(self) -> None:
        """Read the text to its end, or as far as it can be read."""
        try:
            while not self._is_through:
                try:
                    self.step()
                except _LostError:
                    self._is_lost = True
                    self._at = self.nesting.next_line(self._at)
        except StopError:
            self._is_lost = True
        self.nesting.finish()

    def settled(self) -> Iterator[Finding]:
        """Yield the findings, with fixes that are as safe as the least safe one.

        What is guessed in a text of which a part could not be read may be wrong. Two findings on
        one line may come from one slip, unless one is about no more than the spelling of a value.
        """
        errors = [each for each in self.findings if each.rule == "syntax-error"]
        is_safe = all(fix.safety == "safe" for each in errors for fix in each.fixes)
        doubtful = {
            line
            for each in errors
            if not each.fixes and each.location.span.start not in self._odd_values
            for line in (each.location.line, each.location.end_line)
        }
        for each in self.findings:
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
        elif self._has_begun:
            self._end_document(self._next())
        else:
            self._has_begun = True
            self._begin_document(self._next())

    def _begin_document(self, token: Token) -> None:
        if token.kind == "end":
            raise self._lost(token.span, "the file is empty", FILL_IT)
        if token.kind == "word":
            raise self._lost(
                token.span,
                f"expected `{{`, found `{self._shown(token)}`",
                "write an object, `{` … `}`, and nothing around it; YAML needs the suffix `.yaml`",
            )
        self._begin(token)

    def _end_document(self, token: Token) -> None:
        """Report what stands behind the manifest."""
        self._is_through = token.kind == "end"
        if self._is_through:
            return
        start = token.span.start
        end = _REST_OF_LINE.match(self.text, start).end()  # type: ignore[union-attr]  # matches ""
        message = f"`{excerpt(self.text[start:end])}` after the end of the manifest"
        do = "remove it"
        if token.kind in _BRACKETS:
            what = "manifest" if token.kind == "{" else "value"
            message = f"a second {what} begins here, and a file holds one"
            do = "keep one (a program that appends leaves the old one first), or use two files"
            if part := re.match(other_tools("part"), self.text[start:]):
                message = "a second object begins here, with only a part of a manifest"
                place = ".".join(filter(None, part.groups()))
                do = f"objects are not merged: write its `{place}` into the first, and remove it"
        if token.kind == ":" and isinstance(self.nesting.root[0], str):
            do = "put `{` before the first member, and `}` at the end"
            self._mistake(Mistake(Span(0, start), "a member that is in no object", do))
            raise StopError
        is_more = token.kind in ",}" and self.text.rstrip().endswith("}")
        lost = (is_more and self._ends_early(None)) or self._lost(Span(start, end), message, do)
        if token.kind in _BRACKETS:  # what follows is of another document
            raise StopError
        raise lost

    def _read_part(self, container: OpenBrackets) -> None:
        token = self._next()
        comma = None
        if container.entries and token.kind != container.closer:
            comma, token = self._comma(container, token)
        # Before the first item of an array something else may be missing.
        is_sure = container.entries or container.is_object
        while token.kind == ",":
            edit = Edit(*token.span, "") if is_sure else None
            mistake = Mistake(token.span, "extra comma", "remove it", edit)
            if not container.is_object:
                do = f"{mistake.help}, or write the item that is missing before it"
                mistake = mistake._replace(help=do, safety="unsafe")
            self._mistake(mistake)
            token = self._next()
        if token.kind in _CLOSERS or token.kind == "end":
            self._close(container, token, comma)
            return
        for each in comma.mistakes if comma else ():
            self._mistake(each)
        if container.is_object:
            token = self._key(container, token)
        self._begin(token)

    def _comma(self, container: OpenBrackets, token: Token) -> tuple[Token | None, Token]:
        if token.kind == ",":
            return token, self._next()
        if token.kind in _CLOSERS or token.kind == "end":
            return None, token
        if token.kind == ":":
            raise self._odd_colon(container, token)
        in_array, last = not container.is_object, container.end
        if token.kind not in (_ENTRY_STARTS if in_array else _MEMBER_STARTS):
            message = f"unexpected `{self._shown(token)}`"
            raise self._lost(token.span, message, 'put text in `"`')
        if not in_array and (more := _MORE_TEXTS.match(self.text, last)):
            spans, at = list[Span](), container.key_span.end
            while at < more.end():
                part = read_token(self.text, at, self._limits.findings)
                at = part.span.end
                spans += [part.span] if part.kind == "string" else []
            written = "".join(self.text[each.start + 1 : each.end - 1] for each in spans)
            message, do = "two texts in a row are not joined in JSON", excerpt(f'"{written}"')
            self._mistake(Mistake(Span(spans[0].start, at), message, f"write `{do}`"))
            container.end = self._at = more.end()
            return self._comma(container, self._next())
        is_one_line = self.nesting.is_one_line(last, token.span.start)
        if is_one_line and not in_array and not _COLON_AHEAD.match(self.text, token.span.end):
            # What stands there may be a part of the value before it.
            at = last - 1 if self.text[last - 1] == '"' else token.span.start
            raise self._lost(Span(at, at + 1), *MISQUOTED, is_structure=False)
        ends = {self.text[last - 1], self.text[token.span.start]}
        is_sure = not in_array or (last < token.span.start and ends <= _ENDS)
        message = f"missing comma before `{self._shown(token)}`"
        self._missing(",", last, token.span.start, message, is_sure=is_sure)
        return None, token

    def _odd_colon(self, container: OpenBrackets, colon: Token) -> _LostError:
        """Report a colon behind an item of an array, or behind a value."""
        do = 'close the array before it, or put members in objects: `{"name": value}`'
        if not container.is_object and container.entries == 1:
            do = "write an object in `{` and `}`: `[` and `]` are for lists"
        lost = None if container.is_object else self._ends_early(container.places[-2:-1])
        lost = lost or self._lost(colon.span, f"unexpected `{self._shown(colon)}`", do)
        if not container.is_object and len(self.nesting.stack) > 1:
            self.nesting.close(container.end)
        return lost

    def _missing(
        self, mark: str, end: int, start: int, message: str, *, is_sure: bool = True
    ) -> None:
        """Report that a comma or colon is missing; it may have got into a string beside it."""
        before, behind = self.text[end - 2 : end], self.text[start : start + 2]
        is_sure = is_sure and before != f'{mark}"' and behind != f'"{mark}'
        edit = Edit(end, end, mark) if is_sure else None
        self._mistake(Mistake(Span(end, end), message, f"put a `{mark}` here", edit))

    def _key(self, container: OpenBrackets, token: Token) -> Token:
        """Read a member's name and colon, and return the token that begins its value."""
        key, shown = str(token.value), self._shown(token)
        if token.kind == "word":
            message, edit = f"member name `{shown}` without quotes", Edit(*token.span, f'"{key}"')
            self._mistake(Mistake(token.span, message, 'put it in `"`', edit))
        elif token.kind != "string":
            message = f"expected a member name, found `{shown}`"
            start = token.span.start
            if token.kind == "scalar" and _DECIMAL_COMMA.match(self.text, start - 2):
                message = f"a comma in a number, before `{shown}`"
                del self.findings[len(self.findings) - len(token.mistakes) :]  # it is no number
                is_group = re.fullmatch("[0-9]{3}", shown)
                whole = re.findall("[0-9]{1,9}", self.text[max(0, start - 10) : start])[-1]
                do = f'write `{whole}` or `{int(whole) + 1}`, or, for text, `"{whole}.{shown}"`'
                do = "leave out the comma" if is_group else do
                raise self._lost(token.span, message, do)
            do = 'members of an object are written `"name": value`'
            raise self._behind_list(container, token) or self._lost(token.span, message, do)
        first = container.places.get(key)
        container.key, container.key_span = key, token.span
        if first is not None:
            self.report_duplicate(key, token.span, first.key, self.nesting.pointer())
        colon = self._next()
        if colon.kind == ":":
            for each in colon.mistakes:
                self._mistake(each)
            return self._next()
        end, message = token.span.end, f"missing colon after `{shown}`"
        if colon.kind == "end":
            raise self._lost(colon.span, f"the file ends after `{shown}`", _GET_IT)
        if colon.kind in _ENTRY_STARTS:
            self._missing(":", end, colon.span.start, message)
            return colon
        do = 'members are written `"name": value`'
        if colon.kind in {",", "}"}:
            do += ", and lists in `[` and `]`"
        raise self._behind_list(container, token) or self._lost(Span(end, end), message, do)

    def _ends_early(self, of: list[Node] | None) -> _LostError | None:
        """Report the end of an object whose members go on below: of any, or of these."""
        span, told = self._early or (Span(0, 0), 0)
        is_it = self._early if of is None else span.end in [each.span.end for each in of]
        if not is_it or self._is_doubtful():
            return None
        del self.findings[told:]  # they may come of it
        return self._lost(span, "`}` ends an object that goes on below", "remove it")

    def _behind_list(self, container: OpenBrackets, token: Token) -> _LostError | None:
        """Report an item that follows its list: the last member, of values of this kind."""
        above = next(reversed(container.values.values()), None)
        kind = dict if token.kind == "{" else str
        if not isinstance(above, list) or not above or not isinstance(above[-1], kind):
            return None
        line = self.locate(Span(container.end - 1, container.end)).line
        do = f"move the `]` of line {line} behind the last item"
        return self._lost(token.span, "an item behind the end of its list", do)

    def _begin(self, token: Token) -> None:
        self._nodes += 1
        if self._nodes > self._limits.nodes:
            message = f"more than {self._limits.nodes:,} values"
            raise self.report_limit(token.span, message, self.nesting.pointer())
        if token.kind in _BRACKETS:
            if len(self.nesting.stack) == self._limits.depth:
                most = f"{self._limits.depth:,} arrays and objects"
                message = f"more than {most} nested in each other"
                raise self.report_limit(token.span, message, self.nesting.pointer())
            self.nesting.open(token.span.start)
            return
        self.nesting.put(self._value_of(token), Node(token.span))

    def _value_of(self, token: Token) -> Any:
        if token.kind in {"string", "scalar"}:
            return token.value
        if token.kind == "word":
            return self._word(token)
        container = self.nesting.stack[-1] if self.nesting.stack else None
        if container and container.is_object and token.kind != ":":
            message, at = (
                f"member `{truncate(str(container.key))}` has no value",
                container.key_span,
            )
            pointer = self.nesting.pointer()
            self.report("syntax-error", at, message, help="give it one", pointer=pointer)
            self._at = token.span.start
            return None
        shown = self._shown(token)
        raise self._lost(token.span, f"expected a value, found `{shown}`", "remove it")

    def _word(self, token: Token) -> Any:
        """Read text that lacks its quotes."""
        shown, stack = self._shown(token), self.nesting.stack
        message, do = f"text without quotes: `{shown}`", 'put text in `"`'
        if shown in _TYPES:
            message, do = f"`{shown}` is a type, not a value", "write a value of this type"
        elif _EXPRESSION.match(self.text, token.span.start) or (
            stack and shown.endswith(f".{stack[-1].key}")
        ):
            message, do = f"`{shown}` is code", 'write its value, text in `"`: nothing runs it'
        rest = _TEXT_REST.match(self.text, token.span.end)
        if not rest:
            raise self._lost(token.span, message, do, is_structure=False)
        self._mistake(Mistake(token.span, message, do, is_value=True))
        self._at = rest.end()
        return None

    def _close(self, container: OpenBrackets, token: Token, comma: Token | None) -> None:
        if token.kind == "end":
            if self._is_lost:
                raise StopError
            unclosed = self._unmatched or container
            raise self._lost(
                Span(unclosed.start, unclosed.start + 1),
                f"`{unclosed.bracket}` is never closed",
                f"write the missing `{unclosed.closer}`",
                (self._related("the file ends here", token.span),),
            )
        indent, start = self.nesting.indent, token.span.start
        line_end = self.nesting.last_break(container.start, start)
        leads = line_end >= 0 and self.text[line_end:start].isspace()
        if token.kind != container.closer:
            if self._is_lost and leads:  # the line may be the end of another collection
                self._at = line_end
                raise _LostError
            opener = Span(container.start, container.start + 1)
            message = f"`{token.kind}` where `{container.closer}` is expected"
            do = f"close `{container.bracket}` with `{container.closer}` first"
            within = self.nesting.stack[-2:][0].start
            is_row = line_end < 0 and not self.nesting.is_one_line(within, container.start)
            if is_row or (leads and indent(container.start) == indent(start)):
                do = f"write `{container.closer}`"
            elif line_end >= 0 and not leads and self.text[container.end - 1] == token.kind:
                do = "remove it"
            related = (self._related(f"this `{container.bracket}` is open", opener),)
            raise self._lost(token.span, message, do, related)
        self._note_end(container, token.span, leads=leads)
        if comma:
            what = f"`{self._shown(comma)}`" if comma.mistakes else "comma"
            message, edit = f"trailing {what} before `{token.kind}`", Edit(*comma.span, "")
            mistake = Mistake(comma.span, message, f"remove the {what}", edit)
            if not container.is_object and "," in self.text[comma.span.end : token.span.start]:
                mistake = mistake._replace(safety="unsafe")
            self._mistake(mistake)
        self.nesting.close(token.span.end)

    def _note_end(self, container: OpenBrackets, end: Span, *, leads: bool) -> None:
        """Note an end in another column than its line's, or above a member that is deeper."""
        outside, indent = self.nesting.indent(container.start), self.nesting.indent
        goes_on = _GOES_ON.match(self.text, end.end) if self._early is None else None
        if goes_on and container.is_object and indent(goes_on.end()) > outside:
            self._early = end, len(self.findings)
        if leads and self._unmatched is None and outside != indent(end.start):
            self._unmatched = container

    # -- tokens ------------------------------------------------------------------------------

    def _next(self) -> Token:
        """Return the next token; comments are reported and passed over."""
        kind = "comment"
        while kind in {"comment", "spaces"}:
            token = read_token(self.text, self._at, self._limits.findings)
            kind, self._at = token.kind, token.span.end
            if kind == "odd":
                raise self._lost(*token.mistakes[0][:3], is_structure=False)
            if kind == "comment":
                self._mistake(self._comment(token.span))
            for each in token.mistakes if kind not in _TOLD_LATER else ():
                self._mistake(each)
        return self._unclosed_string(token) if kind == "open" else token

    def _unclosed_string(self, token: Token) -> Token:
        """Read on if the next line goes on with structure, as after a forgotten quote."""
        start, line_end = token.span
        body = str(token.value).rstrip(" \t").removesuffix(",")
        end = start + 1 + len(body)
        ends = _STRUCTURE_AHEAD.match(self.text, line_end)
        do = 'close it with `"`' if ends else "write it on one line"
        do += "; a line break in a string is written `\\n`"
        message = "string is not closed on its line"
        if _TEXT_END.match(self.text, line_end):
            message, do = "the file ends in a string", _GET_IT
        self._mistake(Mistake(Span(start, end), message, do))
        if not ends:
            raise _LostError
        self._at = end
        return Token("string", Span(start, end), body)

    # -- findings ----------------------------------------------------------------------------

    def _lost(
        self,
        span: Span,
        message: str,
        help: str,
        related: tuple[Related, ...] = (),
        *,
        is_structure: bool = True,
    ) -> _LostError:
        """Report a syntax error that ends the reading of a line; the error to raise.

        Nothing is told about the structure before it has proved right where reading goes on.
        """
        if not (is_structure and self._is_doubtful()):
            self._mistake(Mistake(span, message, help), related)
        return _LostError()

    def _is_doubtful(self) -> bool:
        """Return whether a fault in the structure may come from one that was told before."""
        if not self.nesting.stack:
            return self._is_lost
        top = self.nesting.stack[-1]
        return top is self.nesting.resumed and not top.entries

    def _mistake(self, mistake: Mistake, related: tuple[Related, ...] = ()) -> None:
        """Report a mistake; in an array, a comma may be part of a value at fault."""
        stack, edit, rule = self.nesting.stack, mistake.edit, mistake.rule
        if mistake.is_value and stack and stack[-1].is_object:
            self._odd_values.add(mistake.span.start)
        title = mistake.help.partition(", or")[0]
        self.report(
            rule,
            mistake.span,
            mistake.message,
            help=mistake.help,
            pointer="" if rule == "syntax-error" else self.nesting.pointer(),
            related=related,
            fixes=(Fix(title, mistake.safety, (edit,), ()),) if edit else (),
        )

    def _comment(self, span: Span) -> Mistake:
        """Return a comment, to be removed with the space before it, or with its line."""
        text, (start, end) = self.text, span
        while start and text[start - 1] in " \t":
            start -= 1
        behind = _OWN_LINE_REST.match(text, end)
        if text[start - 1 : start] in ("\r", "\n") and behind:
            end = behind.end()
        do = "remove the comment, or write the manifest in YAML, which allows comments"
        return Mistake(span, "JSON has no comments", do, Edit(start, end, ""), safety="unsafe")

    def _related(self, message: str, span: Span) -> Related:
        return Related(message, "", self.locate(span))

    def _shown(self, token: Token) -> str:
        return excerpt(self.text[token.span.start : token.span.end])
