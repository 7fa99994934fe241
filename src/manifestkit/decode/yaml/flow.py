"""YAML's flow style: ``[...]`` and ``{...}`` (YAML 1.2.2, 7.4)."""

from __future__ import annotations

import re

from manifestkit.decode.yaml.builder import LONGEST_KEY, Builder, Built, Open, Phase
from manifestkit.decode.yaml.portable import report_comments
from manifestkit.decode.yaml.properties import Properties, PropertyReader
from manifestkit.decode.yaml.scalars import plain, plain_line, quoted
from manifestkit.decode.yaml.source import Source
from manifestkit.decode.yaml.values import NO_NAMES

_FLOW_VALUE = r"""
    (?P<value> "[^"\\\n\0]*+"
      | (?![-?:,\[\]{}\#&*!|>'"%@`])
        (?: [^ \t\n\0:?\#,\[\]{}]++ | [ ]++(?=[^ \t\n\0:?\#,\[\]{}]) | (?!) )++ (?=[ ,\]}]) )
    [ ]*+
"""
_PAIR = re.compile(
    rf"[ ]*+(?P<key>[A-Za-z_][\w.-]*+):[ ]++{_FLOW_VALUE}(?=[,}}])", re.VERBOSE | re.ASCII
)
_ENTRY = re.compile(rf"[ ]*+{_FLOW_VALUE}(?=[,\]])", re.VERBOSE)
_CLOSER = {"[": "]", "{": "}"}
_AFTER_COLON = frozenset(" \t\n\0,[]{}")


class FlowReader:
    """Reads a collection in brackets, and all within it, without recursion."""

    def __init__(self, source: Source, builder: Builder, properties: PropertyReader) -> None:
        self._source = source
        self._builder = builder
        self._properties = properties
        self._indent = -1
        self._base = 0

    def read(self, indent: int, properties: Properties | None) -> Built:
        """Read the collection at the place; its further lines stand deeper than `indent`."""
        self._indent = indent
        stack = self._builder.stack
        self._base = base = len(stack)
        self._open(properties)
        while True:
            built = self._step(stack[-1])
            if built is None:
                continue
            if len(stack) == base:
                return built
            self._take(stack[-1], built)

    def _open(self, properties: Properties | None) -> None:
        source = self._source
        kind = source.text[source.at]
        self._builder.open(kind, self._indent, source.at, properties)
        source.at += 1

    def _step(self, top: Open) -> Built | None:
        """Read on in the innermost collection, and return what is a whole value by then."""
        source = self._source
        if top.phase is Phase.NEXT and top.kind != ",":
            _read_entries(source, self._builder, top)
        after = source.at
        self._trivia(top)
        first = source.text[source.at]
        match top.phase:
            case Phase.VALUE:
                top.phase = Phase.AFTER
                return self._builder.absent(after) if first in ",]}" else self._node()
            case _ if top.kind == ",":
                return self._builder.close(top.end)
            case _ if first in "]}":
                return self._close(top)
            case Phase.AFTER:
                self._comma(top, first)
                return None
            case _:
                return self._entry(top, first)

    def _entry(self, top: Open, first: str) -> Built | None:
        source = self._source
        top.entry = source.at
        if first == ",":
            raise source.error(source.at, source.at + 1, "extra comma", "remove it")
        if source.text[source.at + 1] in _AFTER_COLON:
            if first == "?":
                return self._explicit(top)
            if first == ":":
                return self._builder.absent(source.at)
        return self._node()

    def _comma(self, top: Open, first: str) -> None:
        source = self._source
        if first != ",":
            raise source.error_on_line(
                source.at,
                f"`{{shown}}` where `,` or `{_CLOSER[top.kind]}` is expected",
                "put a `,` between two values; text with `,` or brackets needs quotes",
            )
        source.at += 1
        top.phase = Phase.NEXT
        top.explicit = False

    def _explicit(self, top: Open) -> Built | None:
        source = self._source
        start = source.at
        source.at += 1
        if top.kind == "[":
            top.phase = Phase.AFTER
            top = self._builder.open(",", self._indent, start, None)
        top.explicit = True
        after = source.at
        self._trivia(top)
        first = source.text[source.at]
        colon = first == ":" and source.text[source.at + 1] in _AFTER_COLON
        if first in ",]}" or colon:
            return self._builder.absent(after)
        return self._node()

    def _take(self, top: Open, built: Built) -> None:
        """Make a whole value an item, a key, or a key's value."""
        source = self._source
        if top.phase is Phase.AFTER:
            self._builder.put(built)
            return
        colon = self._colon(top, built)
        if top.kind == "[":
            top.phase = Phase.AFTER
            if not colon:
                self._builder.put(built)
                return
            entry = top.entry
            top = self._builder.open(",", self._indent, entry, None)
            top.entry = entry
        if colon and not top.explicit:
            self._builder.implicit_key(built, top.entry, source.at)
        else:
            self._builder.key(built)
        if colon:
            source.at += 1
            top.phase = Phase.VALUE
        else:
            top.phase = Phase.AFTER
            self._builder.put(self._builder.absent(built.end))

    def _colon(self, top: Open, built: Built) -> bool:
        """Go to the colon that makes the value just read a key, if there is one."""
        source = self._source
        text = source.text
        at, line, trivia_start = source.at, source.line, source.trivia_start
        crossed = source.skip_trivia() and source.line != line
        after = source.at
        if text[after] == ":" and (built.quoted or text[after + 1] in _AFTER_COLON):
            if top.kind != "[" or top.explicit or not (crossed or "\n" in text[top.entry : at]):
                return True
            raise source.error(
                top.entry,
                source.line_end(top.entry),
                "a key in `[…]` that continues on another line",
                "write key and `:` on one line, or put the member in `{…}`",
            )
        source.at, source.line, source.trivia_start = at, line, trivia_start
        return False

    def _node(self) -> Built | None:
        source = self._source
        text = source.text
        properties = None
        while text[source.at] in "&!":
            properties = self._properties.join(properties, self._properties.read(flow=True))
            after, line = source.at, source.line
            self._trivia(self._builder.stack[-1])
            first = text[source.at]
            colon = first == ":" and text[source.at + 1] in _AFTER_COLON
            is_absent = first in ",]}" or colon
            if is_absent or source.line != line:
                self._properties.apart(properties)
            if is_absent:
                return self._builder.absent(after, properties)
        first = text[source.at]
        if first in "[{":
            self._open(properties)
            return None
        if first == "*":
            if properties:
                raise self._properties.before_alias(properties)
            start = source.at
            return self._builder.alias(self._properties.alias(), start)
        if first in "\"'":
            return self._builder.scalar(quoted(source, self._indent), properties)
        self._check_plain(first)
        return self._builder.scalar(plain(source, self._indent, flow=True), properties)

    def _check_plain(self, first: str) -> None:
        source = self._source
        at = source.at
        if first in "-?:" and source.text[at + 1] in _AFTER_COLON:
            raise source.error(
                at,
                at + 1,
                f"`{first}` alone is not a value",
                'put it in quotes; in brackets, write items without `-`: `["a", "b"]`',
            )
        if first in "@`%|>#":
            end = max(plain_line(source, flow=True), at + 1)
            raise source.error(
                at,
                end,
                f"a value cannot start with `{first}`",
                "put the text in quotes"
                if first != "#"
                else "put a space before `#` if it is a comment, or quotes around the text",
            )

    def _close(self, top: Open) -> Built:
        source = self._source
        closer = source.text[source.at]
        if closer != _CLOSER[top.kind]:
            raise source.error(
                source.at,
                source.at + 1,
                f"`{closer}` where `{_CLOSER[top.kind]}` is expected",
                f"close `{top.kind}` with `{_CLOSER[top.kind]}` first",
                related=(source.related(f"this `{top.kind}` is open", top.start, top.start + 1),),
            )
        source.at += 1
        return self._builder.close(source.at)

    def _trivia(self, top: Open) -> None:
        """Pass over space and line ends, and check that the lines belong to the collection."""
        source = self._source
        line, start = source.line, source.at
        source.skip_trivia()
        text = source.text
        first = text[source.at]
        if first == "\0":
            raise self._unclosed(top)
        if source.line == line:
            return
        report_comments(source, start, source.at, self._indent)
        if source.at_marker():
            raise self._unclosed(top)
        tab = source.tab()
        column = (tab if tab >= 0 else source.at) - source.line
        if column > self._indent:
            return
        if column == self._indent and first in "]}" and tab < 0:
            self._check_outermost()
            return
        if tab >= 0:
            raise source.tab_in_indentation(tab)
        raise self._unclosed(top)

    def _check_outermost(self) -> None:
        """Only the bracket that closes the whole may stand no deeper than what it belongs to."""
        source = self._source
        if sum(each.kind in _CLOSER for each in self._builder.stack[self._base :]) > 1:
            source.report(
                source.at,
                source.at + 1,
                f"`{source.text[source.at]}` not indented deeper than the key above: many readers "
                "refuse it",
                "indent it",
                fix=source.fix("indent it", source.at, source.at, "  "),
            )

    def _unclosed(self, top: Open) -> Exception:
        source = self._source
        kind = top.kind if top.kind != "," else "["
        start = top.start if top.kind != "," else self._builder.stack[-2].start
        end = source.line_end(source.at)
        at_end = source.text[source.at] == "\0"
        return source.error(
            start,
            start + 1,
            f"`{kind}` is not closed" + ("" if at_end else " before its indentation ends"),
            f"write the missing `{_CLOSER[kind]}`"
            + ("" if at_end else ", or indent every line inside it deeper than the key"),
            related=(
                source.related(
                    "the file ends here" if at_end else "this line is outside", source.at, end
                ),
            ),
        )


def _read_entries(source: Source, builder: Builder, top: Open) -> None:
    """Read the plain entries, on this line, of a collection in brackets."""
    if source.is_odd:
        return
    text = source.text
    pattern = _PAIR if top.kind == "{" else _ENTRY
    while top.phase is Phase.NEXT and (match := pattern.match(text, source.at)):
        if top.kind == "{":
            key = match["key"]
            if key in top.members or key in NO_NAMES or len(key) > LONGEST_KEY:
                return
            top.key = key
        builder.put_text(top, match["value"], match)
        source.at = match.end()
        if text[source.at] == ",":
            source.at += 1
        else:
            top.phase = Phase.AFTER
