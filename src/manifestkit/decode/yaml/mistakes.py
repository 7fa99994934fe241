"""Messages about texts that the parser refuses: the place, and what to write instead."""

from __future__ import annotations

import re

from yaml import MarkedYAMLError

from manifestkit.decode.findings import NEEDS_NO_ESCAPE, StopError
from manifestkit.decode.yaml.source import LINE_END, NEXT_LINE, ODD, TRIVIA, Source, excerpt
from manifestkit.model.location import Span

_LONGEST_KEY = 1_024
_NO_SPACE = re.compile(r"([^ \t\r\n:\"'{}\[\],#]+):(?![ \t\r\n:/])")
# A value that is meant as it stands; in `nam:e x`, the colon may be where a letter should be.
_MEANT = re.compile(r"[\"'\[{].*|(?:[0-9]|[\w./-]{2})[\w./-]*(?: [\w./-]+)*")
# A value that is meant as text: in `x y: z`, a line end may be missing, in `x, id: y` brackets.
_WORD = r"(?:[\w./-]|(?<=\w)'(?=\w))+"
_MEANT_AS_TEXT = re.compile(rf"(?![@`%].*,)[@`%]?{_WORD}(?:,?[ ]{_WORD})*")
# Quotes that are no apostrophes, and brackets.
_MARK = re.compile(r"""["\[\]{}]|(?<!\w)'|'(?!\w)""")
_TAB = re.compile(r"[ -]*(\t)")
_PAIR = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_ESCAPED_LETTER = re.compile(r'"(?:[^"\\]|\\[^0abefnrtvxuUNLP_]|(?!))*+\\[0abefnrtvxuUNLP_]')
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_NO_KEY = (
    "expected `key: value`, found `{shown}`",
    "write a `:` and a space after the key; indent text deeper to continue a value",
)
_QUOTE_IT = "put the text in quotes"
_INDENT = "indent YAML with spaces only"


def explain(  # noqa: PLR0911 - a return for each kind of mistake
    source: Source, error: MarkedYAMLError, last: Span, opened: int, indent: int
) -> StopError:
    """Report what the parser refuses; the error to raise.

    Args:
        last: the last scalar.
        opened: where the innermost open collection begins.
        indent: the column of the innermost open block collection.
    """
    text = source.text
    at = min(error.problem_mark.index, len(text)) if error.problem_mark else 0
    begin = min(error.context_mark.index, len(text)) if error.context_mark else at
    what = f"{error.context} {error.problem}"
    is_key = "simple key" in what
    if "quoted scalar" in what:
        if "parsing" in what:
            return _escape(source, begin, text.rindex("\\", begin, at + 1))
        return _unclosed_quote(source, begin)
    if found := _odd_place(source, begin if is_key else at):
        return found
    if text.startswith(":", at) and at - last.start > _LONGEST_KEY:
        message = f"a key of more than {_LONGEST_KEY:,} characters"
        return source.unsupported(*last, message, "write a shorter key")
    if "flow" in what and ("expected ','" in what or at == len(text)):
        return _in_brackets(source, begin if "expected ','" in what else opened, at, indent)
    if "mapping values" in what:
        return _colon(source, at, last)
    if is_key:
        return _no_colon(source, begin)
    if "start any token" in what or "node content" in what:
        return _no_start(source, at, is_flow="flow" in what)
    if "expected key" in what or "'-' indicator" in what:
        return _outside(source, at, begin, last, is_list="'-' indicator" in what)
    return source.error_on_line(begin, "`{shown}` is not YAML", _QUOTE_IT)


def odd_character(source: Source, found: re.Match[str]) -> StopError:
    """Report a character that the parser takes otherwise than YAML 1.2."""
    code = ord(found[0])
    message = f"U+{code:04X} in text: other readers refuse it or read it as a line break"
    do = f"remove it, or write `\\u{code:04x}` inside double quotes"
    return source.unsupported(*found.span(), message, do)


def trailing(source: Source, start: int, last: Span) -> StopError:
    """Report text after a value that is complete."""
    text, end, fix = source.text, source.line_end(start), None
    message, do = (
        "unexpected `{shown}` after the end of a value",
        "put the whole value in quotes, or start a new line",
    )
    if text.startswith("#", start):
        message = "no space before the comment"
        do = "put a space before `#`; text with ` #` needs quotes"
        fix = source.fix("put a space before `#`", start, start, " ")
    elif text[start:end] == ",":
        do = "remove it: a line of YAML needs none at its end"
        fix = source.fix("remove the comma", start, end, "")
    elif source.leads(start):
        message = "unexpected `{shown}` after the end of the document's value"
        do = "indent it as part of the document, or remove it"
    elif last.end == start and text[start - 1] in "'\"":
        message = "the quote ends before `{shown}`"
        do = f"write `{_escaped_quote(text[start - 1])}` for a quote inside the string"
    return source.error_on_line(start, message, do, fix=fix)


def _escaped_quote(quote: str) -> str:
    return '\\"' if quote == '"' else "''"


def _odd_place(source: Source, place: int) -> StopError | None:
    """Report a character at a place, or in the indentation of its line, that is no space."""
    if odd := ODD.match(source.text, place):
        return odd_character(source, odd)
    end = max(source.line_end(place), place + 1)
    if tab := _TAB.match(source.text, source.line_start(place), end):
        space = source.fix("write a space", *tab.span(1), " ") if "-" in tab[0] else None
        return source.error(*tab.span(1), "tab in indentation", _INDENT, fix=space)
    return None


def _outside(source: Source, at: int, begin: int, last: Span, *, is_list: bool) -> StopError:
    """Report what belongs to no open collection."""
    if not source.leads(at):
        return trailing(source, at, last)
    columns = source.column(begin)
    if source.column(at) == columns:
        return _no_colon(source, at, is_list=is_list)
    do = f"indent this line by {columns} spaces" if columns else "write this line unindented"
    return source.error_on_line(
        at,
        "bad indentation of `{shown}`",
        f"{do}, like the other {'`-`' if is_list else 'key'}",
        related=(source.related("it starts here", begin),),
    )


def _no_colon(source: Source, start: int, *, is_list: bool = False) -> StopError:
    """Report a line without a colon where a key is due, or without a dash where an item is."""
    dash = re.compile(r"-(?=\w)").match(source.text, start)
    if is_list or dash:
        do = "put a space after the `-`" if dash else "write `- {shown}`"
        fix = source.fix(do, start + 1, start + 1, " ") if dash else None
        message = "expected an item of the list, found `{shown}`"
        return source.error_on_line(start, message, do, fix=fix)
    key = _NO_SPACE.match(source.text, start)
    return _missing_space(source, key) if key else source.error_on_line(start, *_NO_KEY)


def _missing_space(source: Source, key: re.Match[str]) -> StopError:
    start, colon, end = key.start(), key.end(), source.line_end(key.start())
    do = f"write `{key[1]}: {excerpt(source.text[colon:end])}`"
    message = f"missing space after the colon in `{excerpt(source.text[start:end])}`"
    is_safe = _MEANT.fullmatch(source.text, colon, end) is not None
    fix = source.fix(do, colon, colon, " ", is_safe=is_safe)
    return source.error(start, end, message, do, fix=fix)


def _colon(source: Source, at: int, last: Span) -> StopError:
    """Report a colon that begins no value."""
    text, start = source.text, last.start
    if text[last.end : at].strip(" \t") or last.end > at:
        return source.error_on_line(at, "`{shown}` has no key before it", _NO_KEY[1])
    line = source.line_start(at)
    if line <= start:
        if text[start] in "\"'":
            return trailing(source, at, last)
        shown = excerpt(source.text[start : source.line_end(start)])
        return _unquoted(source, start, f"`{shown}` contains `: `, which starts a member")
    line += len(text[line:at]) - len(text[line:at].lstrip(" \t"))
    key = _NO_SPACE.match(text, start)
    if key or text[start] in "\"'" or source.column(line) == source.column(start):
        return _no_colon(source, start)
    return source.error_on_line(
        line,
        "`{shown}` continues the text of the line above, so it cannot be a member",
        "if it is a member, indent it like the key above; if it is part of the text, put the whole "
        "text in quotes",
        related=(source.related("the text starts here", start),),
    )


def _no_start(source: Source, at: int, *, is_flow: bool) -> StopError:
    """Report a character that begins no value."""
    first = source.text[at : at + 1]
    if first == ",":
        before = source.text[source.line_start(at) : at].rstrip(" \t")
        is_safe = before.endswith(",")  # else it may stand for a quote, a bracket or a dash
        fix = source.fix("remove it", at, at + 1, "", is_safe=is_safe)
        return source.error(at, at + 1, "extra comma", "remove it", fix=fix)
    if first in ("@", "`", "%") and not is_flow:
        return _unquoted(source, at, f"outside quotes, a value cannot start with `{first}`")
    do = f"{_QUOTE_IT}, or remove it"
    return source.error_on_line(at, f"a value cannot start with `{first}`", do)


def _unquoted(source: Source, start: int, message: str) -> StopError:
    """Report the rest of a line that needs quotes."""
    end = max(source.line_end(start), start + 1)
    text = source.text[start:end]
    line_end = LINE_END.search(source.text, start).start()  # type: ignore[union-attr]  # `\Z`
    if _MARK.search(source.text, start, line_end):  # what follows a `#` may be text, too
        return source.error(start, end, message, _QUOTE_IT)
    quoted = '"' + text.replace("\\", "\\\\").replace("\t", "\\t") + '"'
    do = f"{_QUOTE_IT}: `{excerpt(quoted)}`"
    is_safe = _MEANT_AS_TEXT.fullmatch(text) is not None
    fix = source.fix(do, start, end, quoted, is_safe=is_safe)
    return source.error(start, end, message, do, fix=fix)


def _unclosed_quote(source: Source, start: int) -> StopError:
    quote = source.text[start]
    do = f"write the missing `{quote}`; inside the string, write `{_escaped_quote(quote)}`"
    return source.error_on_line(start, "quote is not closed", do)


def _escape(source: Source, begin: int, start: int) -> StopError:
    """Report what is no escape, in a string where others may be meant as text, too."""
    text = source.text
    if pair := _PAIR.match(text, start):
        code = 0x10000 + ((int(pair[1], 16) - 0xD800) << 10) + (int(pair[2], 16) - 0xDC00)
        do = f"write `\\U{code:08x}`"
        message = f"`{pair[0]}`: YAML has no pairs of escapes"
        fix = source.fix(do, *pair.span(), f"\\U{code:08x}")
        return source.error(*pair.span(), message, do, fix=fix)
    message = f"`{excerpt(source.text[start : start + 2])}` is not an escape in YAML"
    if _SURROGATE.match(text, start):
        do = "write both halves of the pair as the one character that they are"
        message = f"`{text[start : start + 6]}`: a lone surrogate cannot be written in YAML"
        return source.error(start, start + 2, message, do)
    if text[start + 1] in "xuU":
        do = "write the code of a character with all its digits: `\\x` takes 2, `\\u` 4, `\\U` 8"
        return source.error(start, start + 2, message, do)
    do, instead = "write `\\\\`, or use single quotes, which have no escapes", "\\\\"
    is_sure = text[start + 1].isalpha() and not _ESCAPED_LETTER.match(text, begin)
    if text[start + 1] in NEEDS_NO_ESCAPE:
        do, instead, is_sure = "remove the backslash", "", True
    sure_fix = source.fix(do, start, start + 1, instead) if is_sure else None
    return source.error(start, start + 2, message, do, fix=sure_fix)


def _in_brackets(source: Source, begin: int, at: int, indent: int) -> StopError:
    """Report what is in the place of a comma or a bracket."""
    text = source.text
    lines = (each.end() for each in NEXT_LINE.finditer(text, begin, at + 1))
    outside = next((each for each in lines if source.column(each) <= indent), len(text))
    if outside < len(text) or TRIVIA.match(text, at).end() == len(text):  # type: ignore[union-attr]
        return unclosed_bracket(source, begin, outside)
    message = f"`{{shown}}` where `,` or `{'}' if text[begin] == '{' else ']'}` is expected"
    do = "put a `,` between two values; text with `,` or brackets needs quotes"
    return source.error_on_line(at, message, do)


def unclosed_bracket(source: Source, begin: int, outside: int) -> StopError:
    """Report a bracket that is open where its indentation, or the file, ends."""
    opener, closer = ("{", "}") if source.text[begin] == "{" else ("[", "]")
    early, and_so, place = "", "", "the file ends here"
    if outside < len(source.text):
        early, place = " before its indentation ends", "this line is outside"
        and_so = ", or indent every line inside it deeper than the key"
    return source.error(
        begin,
        begin + 1,
        f"`{opener}` is not closed{early}",
        f"write the missing `{closer}`{and_so}",
        related=(source.related(place, outside),),
    )
