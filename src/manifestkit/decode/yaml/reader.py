"""YAML's block style: collections by indentation (YAML 1.2.2, 8.2), and the document around.

One pass without recursion: the open collections are a list, and each step reads one entry of the
innermost.
"""

from __future__ import annotations

import re

from manifestkit.decode.findings import Decoded, StopError
from manifestkit.decode.yaml import mistakes
from manifestkit.decode.yaml.builder import Builder, Built, Open, Phase
from manifestkit.decode.yaml.flow import FlowReader
from manifestkit.decode.yaml.lines import read_lines
from manifestkit.decode.yaml.portable import DIFFERENT, report_comments, report_odd_characters
from manifestkit.decode.yaml.properties import Properties, PropertyReader
from manifestkit.decode.yaml.scalars import (
    Scalar,
    block_scalar,
    looks_like_marker,
    plain,
    plain_line,
    quoted,
)
from manifestkit.decode.yaml.source import Source
from manifestkit.model.document import Document, Node
from manifestkit.model.limits import Limits
from manifestkit.model.location import Span

_COLON = re.compile(r"[ \t]*+:(?=[ \t\n\0])")
_BLANK = " \t\n\0"


def read(text: str, source: Source, limits: Limits) -> Decoded:
    """Read a text, from a source of it or of one whose places are the same."""
    reader = BlockReader(source, limits)
    value = None
    try:
        reader.document()
    except StopError:
        if reader.builder.stack:
            value = reader.builder.stack[0].values
    if reader.builder.root:
        value = reader.builder.root.value
    document = Document(
        source.name,
        text,
        value,
        reader.positions,
        syntax="yaml",
        has_fractions=reader.builder.values.has_fractions,
        ambiguous=tuple(source.ambiguous),
    )
    return Decoded(document, tuple(source.reporter.findings), readable=source.readable)


class BlockReader:
    """Reads one document."""

    def __init__(self, source: Source, limits: Limits) -> None:
        self.builder = Builder(source, limits)
        self._source = source
        self._properties = PropertyReader(source)
        self._flow = FlowReader(source, self.builder, self._properties)
        self._begin = 0  # where the trivia before a value begins

    def positions(self, text: str) -> Node:
        """Return the node of the whole value, or else of the whole text."""
        self.builder.place_all()
        return self.builder.root.node if self.builder.root else Node(Span(0, len(text)))

    def document(self) -> None:
        """Read the text, which holds one document."""
        self._source.refuse_control_characters()
        self._prologue()
        self._value(-1, compact=False, dash=False)
        stack = self.builder.stack
        while stack:
            self._step(stack[-1])
        self._epilogue()
        report_odd_characters(self._source)

    # -- the document ------------------------------------------------------------------------

    def _prologue(self) -> None:
        source = self._source
        source.skip_trivia()
        while source.at_marker() and source.text[source.at] == ".":
            self._end_marker(is_needless=True)
        directives = self._properties.directives()
        if source.at_marker() and source.text[source.at] == "-":
            source.at += 3
        elif directives:
            raise source.error(
                source.at,
                source.line_end(source.at),
                "expected `---` after the directives",
                "remove the lines that start with `%`; a manifest does not need them",
            )
        elif source.text[source.at] == "\0":
            is_empty = not source.text[: source.at].strip("\ufeff \t\r\n")
            what = "the file is empty" if is_empty else "the file has only comments"
            texts = what, "write a manifest: `key: value`"
            raise source.error(source.at, source.at, *texts)
        else:
            source.at = source.line

    def _epilogue(self) -> None:
        source = self._source
        if not source.skip_trivia() and source.text[source.at] != "\0":
            raise mistakes.trailing(source)
        is_over = False
        while source.at_marker() and source.text[source.at] == ".":
            self._end_marker(is_needless=is_over)
            is_over = True
        if source.text[source.at] == "\0":
            return
        if is_over or source.at_marker():
            raise source.error_on_line(
                source.at,
                "a second document starts here",
                "keep one document in the file; remove the `---` or `...` before it",
                rule="yaml-unsupported",
            )
        raise mistakes.trailing(source)

    def _end_marker(self, *, is_needless: bool) -> None:
        source = self._source
        if is_needless:
            source.report(
                source.at,
                source.at + 3,
                "`...` without a document before it: some readers see an empty document",
                "remove it",
            )
        source.at += 3
        if not source.skip_trivia() and source.text[source.at] != "\0":
            raise mistakes.trailing(source)

    # -- collections -------------------------------------------------------------------------

    def _step(self, top: Open) -> None:
        match top.phase:
            case Phase.VALUE:
                top.phase = Phase.NEXT
                self._value(top.indent, compact=top.explicit, dash=top.kind == ":")
            case Phase.KEY:
                top.phase = Phase.AFTER
                self._value(top.indent, compact=True, dash=True)
            case Phase.AFTER:
                self._after_explicit_key(top)
            case Phase.NEXT:
                read_lines(self._source, self.builder, self._flow)
                if self.builder.stack[-1].phase is Phase.NEXT:
                    self._next()

    def _next(self) -> None:
        source, stack = self._source, self.builder.stack
        top = stack[-1]
        fresh = source.skip_trivia()
        if source.text[source.at] == "\0" or source.at_marker():
            self._close()
            return
        column = source.column
        if not fresh:
            raise mistakes.trailing(source)
        if (tab := source.tab()) >= 0:
            raise source.tab_in_indentation(tab)
        if column < top.indent:
            self._close()
            if not stack or stack[-1].indent < column:
                advice = " to continue the lines above, or like the lines around them"
                raise mistakes.bad_indentation(source, top.indent, advice, top.start)
        elif column > top.indent:
            advice = f", like the other {'key' if top.kind == ':' else '`-`'}"
            raise mistakes.bad_indentation(source, top.indent, advice, top.start)
        elif top.kind == ":":
            self._entry(top)
        elif self._indicator("-"):
            self._item(top)
        elif self._shares_column(top):
            self._close()
        else:
            is_dashed = source.text[source.at] == "-"
            raise source.error_on_line(
                source.at,
                "expected an item of the list, found `{shown}`",
                "put a space after the `-`"
                if is_dashed
                else "write `- {shown}`, or indent it like the lines it belongs to",
                related=(source.related("the list starts here", top.start, top.start + 1),),
            )

    def _shares_column(self, top: Open) -> bool:
        stack = self.builder.stack
        return len(stack) > 1 and stack[-2].kind == ":" and stack[-2].indent == top.indent

    def _close(self) -> None:
        self._put(self.builder.close(self.builder.stack[-1].end))

    def _item(self, top: Open) -> None:
        self._source.at += 1
        top.explicit = True
        top.phase = Phase.VALUE

    def _entry(self, top: Open) -> None:
        source = self._source
        if self._indicator("?"):
            source.at += 1
            top.explicit = True
            top.phase = Phase.KEY
            return
        start = source.at
        if self._indicator(":"):
            self._key(top, self.builder.absent(start), start)
            return
        properties = None
        if source.text[start] in "&!":
            properties = self._properties.read(flow=False)
            line = source.line
            source.skip_trivia()
            if source.line != line or source.text[source.at] == "\0":
                raise source.error_on_line(
                    start,
                    "expected `key: value`, found `{shown}`",
                    "indent it deeper than the key it belongs to, or remove it",
                )
        if self._indicator("-"):
            raise source.error_on_line(
                source.at,
                "expected `key: value`, found the item `{shown}`",
                "indent the list below the key it belongs to",
            )
        content = self._content(top.indent, None, properties)
        if _COLON.match(source.text, source.at) is None:
            content = mistakes.no_colon(source, content)
        self._key(top, self._built(content, properties), start)

    def _key(self, top: Open, built: Built, start: int) -> None:
        """Take a value in as an implicit key, and go on after its colon."""
        source = self._source
        if "\n" in source.text[built.start : built.end]:
            raise mistakes.long_key(source, built.start, built.end)
        colon = _COLON.match(source.text, source.at)
        self.builder.implicit_key(built, start, colon.end() - 1 if colon else -1)
        if colon:
            source.at = top.end = colon.end()
        top.explicit = False
        top.phase = Phase.VALUE

    def _after_explicit_key(self, top: Open) -> None:
        source = self._source
        end = source.at
        fresh = source.skip_trivia()
        if source.text[source.at] != "\0" and not source.at_marker():
            if not fresh:
                raise mistakes.trailing(source)
            if (tab := source.tab()) >= 0:
                raise source.tab_in_indentation(tab)
            if source.column == top.indent and self._indicator(":"):
                source.at += 1
                top.end = source.at
                top.phase = Phase.VALUE
                return
        top.phase = Phase.NEXT
        self._rewind(end)
        self.builder.put(self.builder.absent(top.end))

    def _rewind(self, at: int) -> None:
        self._source.at = at
        self._source.line = self._source.text.rfind("\n", 0, at) + 1

    # -- values ------------------------------------------------------------------------------

    def _value(self, indent: int, *, compact: bool, dash: bool) -> None:
        """Read the value at the place, or begin it if it is a block collection.

        Args:
            indent: the column of the collection it belongs to; its lines stand deeper.
            compact: whether a block collection may begin on this line.
            dash: whether a sequence may stand at the column `indent` itself.
        """
        source = self._source
        text = source.text
        self._begin = end = source.at
        outer = inner = None
        deepest = 0
        fresh = source.skip_trivia()
        while True:
            if text[source.at] == "\0" or (fresh and self._outside(indent, dash=dash)):
                if outer is None and source.column < indent and self._indicator("-"):
                    self._absent_item(end)
                self._rewind(end)
                self._put(self.builder.absent(end, outer))
                return
            if text[source.at] not in "&!":
                break
            column, tab = source.column, source.tab()
            start = source.at
            deepest = max(deepest, column if fresh else 0)
            group = self._properties.read(flow=False)
            end = source.at
            line = source.line
            source.skip_trivia()
            if source.line == line and text[source.at] != "\0":
                inner = group
                break
            outer = self._properties.join(outer, group)
            fresh = True
        if inner is None:
            column, tab, start = source.column, source.tab(), source.at
            if column < deepest:
                self._properties.apart(outer)
        may_open = fresh or compact
        if self._indicator("-"):
            self._check_opening(may_open=may_open, tab=tab, inner=inner)
            self._item(self.builder.open("-", column, start, outer))
        elif self._indicator("?") or (self._indicator(":") and inner is None):
            self._check_opening(may_open=may_open, tab=tab, inner=inner)
            self._entry(self.builder.open(":", column, start, outer))
        else:
            self._scalar_or_mapping(
                indent, column, start, tab, may_open=may_open, outer=outer, inner=inner
            )

    def _absent_item(self, at: int) -> None:
        """Report a dash without a value, before an item of a list further out."""
        if self.builder.stack[-1].kind == "-":
            self._source.report(
                at - 1,
                at,
                "an item without a value ends this list: some readers join the next one to it",
                "write `null`, or remove the `-`",
                fix=self._source.fix("write `null`", at, at, " null"),
            )

    def _check_opening(self, *, may_open: bool, tab: int, inner: Properties | None) -> None:
        if not may_open or inner:
            start = inner.start if inner else self._source.at
            kind = "list" if self._source.text[self._source.at] == "-" else "mapping"
            raise self._source.error_on_line(
                start,
                f"a {kind} cannot start in the middle of a line: `{{shown}}`",
                f"start the {kind} on the next line, indented; text that starts with `-`, `?` or "
                "`:` needs quotes",
            )
        if tab >= 0:
            raise self._source.tab_in_indentation(tab)

    def _scalar_or_mapping(
        self,
        indent: int,
        column: int,
        start: int,
        tab: int,
        *,
        may_open: bool,
        outer: Properties | None,
        inner: Properties | None,
    ) -> None:
        """Read a value that turns out to be a mapping if a colon follows it."""
        source = self._source
        text = source.text
        first = text[source.at]
        if first in "|>":
            properties = self._properties.join(outer, inner)
            self._put(self.builder.scalar(block_scalar(source, indent), properties))
            return
        if first in "@`%":
            message = f"outside quotes, a value cannot start with `{first}`"
            self._put(self.builder.scalar(mistakes.unquoted(source, source.at, message), None))
            return
        content = self._content(indent, outer, inner)
        if _COLON.match(text, source.at):
            if "\n" in text[content.start : content.end]:
                raise mistakes.long_key(source, content.start, content.end)
            if may_open:
                if tab >= 0:
                    raise source.tab_in_indentation(tab)
                top = self.builder.open(":", column, start, outer)
                self._key(top, self._built(content, inner), start)
                return
            if not isinstance(content, Scalar) or not content.plain:
                raise mistakes.trailing(source)
            line = source.excerpt(content.start, source.line_end(content.start))
            message = f"`{line}` contains `: `, which starts a member"
            content = mistakes.unquoted(source, content.start, message)
        elif outer and first == "*":
            raise self._properties.before_alias(outer)
        elif isinstance(content, Scalar) and content.plain:
            report_comments(source, self._begin, content.start, indent)
        self._put(self._built(content, self._properties.join(outer, inner)))

    def _content(
        self, indent: int, outer: Properties | None, inner: Properties | None
    ) -> Scalar | Built:
        """Read what may be a key or a value: a scalar, an alias, a collection in brackets.

        A plain scalar that a colon follows on its first line ends there.
        """
        source = self._source
        text, start = source.text, source.at
        first = text[start]
        if first in "\"'":
            return quoted(source, indent)
        if first in "[{":
            return self._flow.read(indent, self._properties.join(outer, inner))
        if first == "*":
            if inner:
                raise self._properties.before_alias(inner)
            return self.builder.alias(self._properties.alias(), start)
        if inner and self._indicator(":"):
            return Scalar("", start, start, plain=True)
        end = plain_line(source, flow=False)
        if end == start or first in ",]}|>@`%":
            raise mistakes.no_value(source)
        if _COLON.match(text, end):
            others = DIFFERENT if looks_like_marker(source, start) else None
            source.at = end
            return Scalar(text[start:end], start, end, plain=True, others=others)
        return plain(source, indent, flow=False)

    def _built(self, content: Scalar | Built, properties: Properties | None) -> Built:
        return self.builder.scalar(content, properties) if isinstance(content, Scalar) else content

    def _put(self, built: Built) -> None:
        """Take a value in; one that a `?` began is a key."""
        stack = self.builder.stack
        if stack and stack[-1].phase is Phase.AFTER:
            self.builder.key(built)
        else:
            self.builder.put(built)

    def _indicator(self, indicator: str) -> bool:
        text, at = self._source.text, self._source.at
        return text[at] == indicator and text[at + 1] in _BLANK

    def _outside(self, indent: int, *, dash: bool) -> bool:
        """Return whether the line at the place belongs to no value deeper than `indent`."""
        source = self._source
        if source.at_marker():
            return True
        tab = source.tab()
        column = (tab if tab >= 0 else source.at) - source.line
        if column > indent:
            return False
        if tab >= 0 and source.column > indent:
            raise source.tab_in_indentation(tab)
        return not (dash and column == indent and self._indicator("-"))
