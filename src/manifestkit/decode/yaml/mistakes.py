"""Mistakes in the block structure of a YAML text, and what to write instead."""

from __future__ import annotations

import re
from typing import Literal

from manifestkit.decode.yaml.builder import Built, Open
from manifestkit.decode.yaml.properties import Properties
from manifestkit.decode.yaml.scalars import Scalar
from manifestkit.decode.yaml.source import Source

_NO_SPACE = re.compile(r"([^ \t\n:\"'{}\[\],#]++):(?![ \t\n:/])")
# Brackets, and quotes that are no apostrophes.
_MARK = re.compile(r"""["\u2018\u201a-\u201f\u2033\[\]{}]|(?<!\w)['\u2019]|['\u2019](?!\w)""")
_BETWEEN_MEMBERS = re.compile(r",|[ ][ ]|\t")
_MEMBER_COLON = re.compile(r":(?![^ \t])")
# One member without its brackets, or several items without them.
_ENTRIES = re.compile(r"[a-z0-9_][\w.-]*+:(?![^ \t])|.*:$|[@`%].*,")
_LONE = re.compile(r"\D(?![^ \t])")
_WHY_NO_START = {
    "#": "put a space before `#` if it is a comment, or quotes around the text",
    "]": "no `[` is open here; remove it, or put the text in quotes",
    "}": "no `{` is open here; remove it, or put the text in quotes",
}


class YamlMistakes:
    """Reports mistakes at the place of a source; most give back the error to raise."""

    def __init__(self, source: Source) -> None:
        self._source = source

    # -- where nothing fits ------------------------------------------------------------------

    def empty(self) -> Exception:
        """Return a text without a document."""
        end = self._source.at
        return self._source.fatal(end, end, "the file is empty", "write a manifest: `key: value`")

    def trailing(self) -> Exception:
        """Text after a value that is complete."""
        source = self._source
        text = source.text
        start = source.at
        while text[start] in " \t":
            start += 1
        end = max(source.line_end(start), start + 1)
        if text[start] == "#":
            return source.fatal(
                start,
                end,
                "no space before the comment",
                "put a space before `#`; text with ` #` needs quotes",
            )
        leads = start == source.line
        return source.fatal(
            start,
            end,
            f"unexpected `{source.excerpt(start, end)}` after the end of "
            + ("the document's value" if leads else "a value"),
            "indent it as part of the document, or remove it"
            if leads
            else "put the whole value in quotes, or start a new line",
        )

    def second_document(self) -> Exception:
        """Text after the marker that ends the first document, or that begins another."""
        source = self._source
        return source.fatal(
            source.at,
            source.line_end(source.at),
            "a second document starts here",
            "keep one document in the file; remove the `---` or `...` before it",
            rule="yaml-unsupported",
        )

    def needless_marker(self) -> None:
        """Find a ``...`` that ends no document."""
        at = self._source.at
        self._source.report(
            "yaml-unsupported",
            at,
            at + 3,
            "`...` without a document before it: some readers see an empty document",
            "remove it",
        )

    def directives_without_marker(self) -> Exception:
        """Directives that no ``---`` ends."""
        source = self._source
        start = source.at
        return source.fatal(
            start,
            max(start, source.line_end(start)),
            "expected `---` after the directives",
            "remove the lines that start with `%`; a manifest does not need them",
        )

    # -- indentation -------------------------------------------------------------------------

    def too_deep(self, top: Open) -> Exception:
        """Return a line deeper than the entries of the collection it would belong to."""
        what = "key" if top.kind == ":" else "`-`"
        return self._bad_indentation(f"{_indent(top.indent)}, like the other {what}", top.start)

    def between(self, closed: Open) -> Exception:
        """Return a line that stands between two levels of indentation."""
        return self._bad_indentation(
            f"{_indent(closed.indent)} to continue the lines above, or like the lines around them",
            closed.start,
        )

    def _bad_indentation(self, help: str, beside: int) -> Exception:
        source = self._source
        end = max(source.line_end(source.at), source.at + 1)
        return source.fatal(
            source.at,
            end,
            f"bad indentation of `{source.excerpt(source.at, end)}`",
            help,
            related=(source.related("it starts here", beside, source.line_end(beside)),),
        )

    # -- entries -----------------------------------------------------------------------------

    def no_dash(self, top: Open) -> Exception:
        """Return a line among the items of a sequence that begins with no dash."""
        source = self._source
        end = max(source.line_end(source.at), source.at + 1)
        shown = source.excerpt(source.at, end)
        return source.fatal(
            source.at,
            end,
            f"expected an item of the list, found `{shown}`",
            f"write `- {shown}`, or indent it like the lines it belongs to",
            related=(source.related("the list starts here", top.start, top.start + 1),),
        )

    def absent_item(self, top: Open, at: int) -> None:
        """Find a dash without a value, before an item of a sequence further out."""
        if top.kind == "-":
            self._source.report(
                "yaml-unsupported",
                at - 1,
                at,
                "an item without a value ends this list: some readers join the next one to it",
                "write `null`, or remove the `-`",
                fixes=(self._source.fix("write `null`", at, at, " null"),),
            )

    def dash_for_key(self) -> Exception:
        """Return an item where members of a mapping stand."""
        source = self._source
        end = max(source.line_end(source.at), source.at + 1)
        return source.fatal(
            source.at,
            end,
            f"expected `key: value`, found the item `{source.excerpt(source.at, end)}`",
            "indent the list below the key it belongs to",
        )

    def no_key(self, start: int) -> Exception:
        """Return an anchor or tag alone on a line where a key is due."""
        source = self._source
        end = max(source.line_end(start), start + 1)
        return source.fatal(
            start,
            end,
            f"expected `key: value`, found `{source.excerpt(start, end)}`",
            "indent it deeper than the key it belongs to, or remove it",
        )

    def no_colon(self, content: Scalar | Built) -> Scalar:
        """Find a line without a colon where a key is due; the key, if only the space is missing."""
        source = self._source
        start = content.start
        key = _NO_SPACE.match(source.text, start)
        if key and isinstance(content, Scalar) and content.plain:
            self._missing_space(key)
            source.at = key.end()
            source.line = source.text.rfind("\n", 0, start) + 1
            return Scalar(key[1], start, key.end(1), plain=True)
        if source.text[source.at] not in " \t\n\0":
            raise self.trailing()
        end = max(source.line_end(start), start + 1)
        raise source.fatal(
            start,
            end,
            f"expected `key: value`, found `{source.excerpt(start, end)}`",
            "write a `:` and a space after the key; indent text deeper to continue a value",
        )

    def _missing_space(self, key: re.Match[str]) -> None:
        source = self._source
        end = source.line_end(key.start())
        value = source.text[key.end() : end]
        is_odd = not value.startswith(("'", '"', "[", "{")) and _may_be_members(value)
        is_swapped = _LONE.match(value)  # `nam:e x`
        safety: Literal["safe", "unsafe"] = "unsafe" if is_odd or is_swapped else "safe"
        do = f"write `{key[1]}: {source.excerpt(key.end(), end)}`"
        source.mistake(
            key.start(),
            end,
            f"missing space after the colon in `{source.excerpt(key.start(), end)}`",
            do,
            fix=source.fix(do, key.end(), key.end(), " ", safety=safety),
        )

    def long_key(self, start: int, end: int) -> Exception:
        """Return a colon after text of several lines."""
        source = self._source
        line = source.text.rfind("\n", start, end) + 1
        while source.text[line] in " \t":
            line += 1
        stop = max(source.line_end(line), line + 1)
        shown = source.excerpt(line, stop)
        first = source.related("the text starts here", start, source.line_end(start))
        if source.text[start] in "\"'":
            return source.fatal(
                start,
                source.line_end(start),
                "a key with several lines",
                "write the key on one line, or close the quote where the text ends",
            )
        key = _NO_SPACE.match(source.text, start)
        if key:
            self._missing_space(key)
        return source.fatal(
            line,
            stop,
            f"`{shown}` continues the text of the line above, so it cannot be a member",
            "indent it like the key above if it is a member beside it; put the whole text in "
            "quotes if it belongs to it",
            related=(first,),
        )

    # -- values ------------------------------------------------------------------------------

    def not_here(self, inner: Properties | None) -> Exception:
        """Return a block collection that begins on a line where it cannot."""
        source = self._source
        start = inner.start if inner else source.at
        end = max(source.line_end(start), start + 1)
        kind = "list" if source.text[source.at] == "-" else "mapping"
        return source.fatal(
            start,
            end,
            f"a {kind} cannot start in the middle of a line: `{source.excerpt(start, end)}`",
            f"start the {kind} on the next line, indented; text that starts with `-`, `?` or `:` "
            "needs quotes",
        )

    def no_value(self) -> Exception:
        """Return a character that begins no value."""
        source = self._source
        first = source.text[source.at]
        return source.fatal(
            source.at,
            max(source.line_end(source.at), source.at + 1),
            f"a value cannot start with `{first}`",
            _WHY_NO_START.get(first, "put the text in quotes"),
        )

    def reserved(self) -> Scalar:
        """Return a value that begins with a reserved character; the text that was meant."""
        source = self._source
        first = source.text[source.at]
        return self._unquoted(source.at, f"outside quotes, a value cannot start with `{first}`")

    def colon_in_value(self, content: Scalar) -> Scalar:
        """Find a value on its key's line with a colon and a space, and the text meant."""
        line = self._source.excerpt(content.start, self._source.line_end(content.start))
        return self._unquoted(content.start, f"`{line}` contains `: `, which starts a member")

    def _unquoted(self, start: int, message: str) -> Scalar:
        """Return the rest of a line, which was meant as a text."""
        source = self._source
        end = max(source.line_end(start), source.at + 1)
        text = source.text[start:end]
        line = source.text[start : source.text.find("\n", start)]
        if _may_be_members(text) or _MARK.search(line):  # what follows a `#` may be text, too
            do, fix = "put the text in quotes, or the members in brackets: `{…}`", None
        else:
            do = f"put the text in quotes: `{_quote(source.excerpt(start, end))}`"
            safety: Literal["safe", "unsafe"] = "unsafe" if _ENTRIES.match(text) else "safe"
            fix = source.fix(do, start, end, _quote(text), safety=safety)
        source.mistake(start, end, message, do, fix=fix)
        source.at = end
        return Scalar(text, start, end, plain=False)


def _indent(columns: int) -> str:
    return f"indent this line by {columns} spaces" if columns else "write this line unindented"


def _may_be_members(text: str) -> bool:
    """Return whether a text may be members that lost a bracket, a quote or a line end."""
    if _MARK.search(text):
        return True
    between = _BETWEEN_MEMBERS.search(text)
    return between is not None and _MEMBER_COLON.search(text, between.end()) is not None


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return f'"{escaped}"'
