"""YAML's block style: collections by indentation (YAML 1.2.2, 8.2), and the document around.

One pass without recursion: the open collections are a list, and each step reads one entry of the
innermost.
"""

from __future__ import annotations

import re

from manifestkit.decode.yaml.builder import Builder, Built, Open, Phase
from manifestkit.decode.yaml.flow import FlowReader
from manifestkit.decode.yaml.lines import read_lines
from manifestkit.decode.yaml.mistakes import YamlMistakes
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
from manifestkit.model.limits import Limits

_COLON = re.compile(r"[ \t]*+:(?=[ \t\n\0])")
_BLANK = " \t\n\0"


class BlockReader:
    """Reads one document."""

    def __init__(self, source: Source, limits: Limits) -> None:
        self.builder = Builder(source, limits)
        self._source = source
        self._properties = PropertyReader(source)
        self._flow = FlowReader(source, self.builder, self._properties)
        self._mistakes = YamlMistakes(source)
        self._begin = 0  # where the trivia before a value begins

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
            self._mistakes.needless_marker()
            source.at += 3
            self._rest_of_marker()
        directives = self._properties.directives()
        if source.at_marker() and source.text[source.at] == "-":
            source.at += 3
        elif directives:
            raise self._mistakes.directives_without_marker()
        elif source.text[source.at] == "\0":
            raise self._mistakes.empty()
        else:
            source.at = source.line

    def _epilogue(self) -> None:
        source = self._source
        if not source.skip_trivia() and source.text[source.at] != "\0":
            raise self._mistakes.trailing()
        is_over = False
        while source.at_marker() and source.text[source.at] == ".":
            if is_over:
                self._mistakes.needless_marker()
            source.at += 3
            self._rest_of_marker()
            is_over = True
        if source.text[source.at] == "\0":
            return
        if is_over or source.at_marker():
            raise self._mistakes.second_document()
        raise self._mistakes.trailing()

    def _rest_of_marker(self) -> None:
        if not self._source.skip_trivia() and self._source.text[self._source.at] != "\0":
            raise self._mistakes.trailing()

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
            raise self._mistakes.trailing()
        if (tab := source.tab()) >= 0:
            raise source.tab_in_indentation(tab)
        if column < top.indent:
            self._close()
            if not stack or stack[-1].indent < column:
                raise self._mistakes.between(top)
        elif column > top.indent:
            raise self._mistakes.too_deep(top)
        elif top.kind == ":":
            self._entry(top)
        elif self._indicator("-"):
            self._item(top)
        elif self._shares_column(top):
            self._close()
        else:
            raise self._mistakes.no_dash(top)

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
            self._key(top, self._absent(start), start)
            return
        properties = None
        if source.text[start] in "&!":
            properties = self._properties.read(flow=False)
            line = source.line
            source.skip_trivia()
            if source.line != line or source.text[source.at] == "\0":
                raise self._mistakes.no_key(start)
        if self._indicator("-"):
            raise self._mistakes.dash_for_key()
        content = self._content(top.indent, None, properties)
        if _COLON.match(source.text, source.at) is None:
            content = self._mistakes.no_colon(content)
        self._key(top, self._built(content, properties), start)

    def _key(self, top: Open, built: Built, start: int) -> None:
        """Take a value in as an implicit key, and go on after its colon.

        Args:
            top: the mapping.
            built: the value.
            start: where it begins, with its anchor and tag.
        """
        source = self._source
        if "\n" in source.text[built.start : built.end]:
            raise self._mistakes.long_key(built.start, built.end)
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
                raise self._mistakes.trailing()
            if (tab := source.tab()) >= 0:
                raise source.tab_in_indentation(tab)
            if source.column == top.indent and self._indicator(":"):
                source.at += 1
                top.end = source.at
                top.phase = Phase.VALUE
                return
        top.phase = Phase.NEXT
        self._rewind(end)
        self.builder.put(self._absent(top.end))

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
                    self._mistakes.absent_item(self.builder.stack[-1], end)
                self._rewind(end)
                self._put(self._absent(end, outer))
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

    def _check_opening(self, *, may_open: bool, tab: int, inner: Properties | None) -> None:
        if not may_open or inner:
            raise self._mistakes.not_here(inner)
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
            self._put(self.builder.scalar(self._mistakes.reserved(), None))
            return
        content = self._content(indent, outer, inner)
        if _COLON.match(text, source.at):
            if "\n" in text[content.start : content.end]:
                raise self._mistakes.long_key(content.start, content.end)
            if may_open:
                if tab >= 0:
                    raise source.tab_in_indentation(tab)
                top = self.builder.open(":", column, start, outer)
                self._key(top, self._built(content, inner), start)
                return
            if not isinstance(content, Scalar) or not content.plain:
                raise self._mistakes.trailing()
            content = self._mistakes.colon_in_value(content)
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
            raise self._mistakes.no_value()
        if _COLON.match(text, end):
            others = DIFFERENT if looks_like_marker(source, start) else None
            source.at = end
            return Scalar(text[start:end], start, end, plain=True, others=others)
        return plain(source, indent, flow=False)

    def _built(self, content: Scalar | Built, properties: Properties | None) -> Built:
        return self.builder.scalar(content, properties) if isinstance(content, Scalar) else content

    def _absent(self, at: int, properties: Properties | None = None) -> Built:
        return self.builder.scalar(Scalar("", at, at, plain=True), properties)

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
