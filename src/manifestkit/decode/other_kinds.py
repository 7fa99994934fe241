"""Texts that are evidently none of the syntax of their name, told by what they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from manifestkit.decode.findings import Decoded, Reporter
from manifestkit.model.location import Location, Span

_KEY = r"[A-Za-z_][\w.-]*"
_SETTING = (
    rf"(?:\[{_KEY}\][ \t]*\r?\n|(?:export )?{_KEY}[ \t]*=[ \t]*"
    r"(?:[\"'\d]|\[|[\w./@-]+[ \t]*\r?\n))"
)
_WRITE_IT = "write the manifest in JSON or YAML"
_KINDS = (
    (r"(?i)\s*+<(?:!doctype\s++html|html)\b", "HTML", "save the manifest itself, not a page"),
    (r"\s*+<(?:\?xml\b|[a-zA-Z])[^>]*+>", "XML", _WRITE_IT),
    (
        r"diff --git |--- \S[^\n]*+\n\+\+\+ |@@ -\d",
        "a diff",
        "apply it to the manifest, and lint that",
    ),
    (
        r"\s*+(?:import|export|module\.exports|const|let|var|type|interface)\b(?! *:| \w+=\S)",
        "JavaScript",
        "write only the object, as `JSON.stringify` prints it",
    ),
    (r'"\{\s*+""', "a cell of CSV", 'write `"` for `""`, without the outer quotes'),
    (r"\s*+1\W.*+\n\s*+2\W.*+\n\s*+3\W", "a text with line numbers", "remove the numbers"),
    (r"\{\\rtf", "rich text (RTF)", "save it as plain text"),
    (r"version https://git-lfs\.", "a pointer of Git LFS", "run `git lfs pull`"),
    (rf'"?{_KEY}"?(?:,"?{_KEY}"?){{2,}}[ \t]*\r?\n', "CSV", _WRITE_IT),
    (rf"(?:[ \t]*(?:[#;][^\n]*)?\n|(?!))*+{_SETTING}", "TOML, INI or the like", _WRITE_IT),
    (
        rf"(?:---[ \t]*\r?\n|#[^\n]*\n|(?!))*+{_KEY}:(?:[ \t][^{{\n]*)?\r?\n",
        "YAML",
        "give the file the suffix `.yaml`",
    ),
)
"""Beginnings of texts of other kinds, with the name of each and what to do."""

_MARKER = re.compile(r"(?m)^(?:<{7}|[|]{7}|>{7})(?= |\r?$)[^\r\n]*")
_DIFF_LINE = re.compile(r"@@ -\d|[-+](?=[ \t]*(?:[\"{}\[\]]|[\w.]+:)|[ \t]+-[ \t])")
_FENCE = re.compile(r"(?m)^(?:```|~~~)")
_BEFORE_OBJECT = re.compile(
    r'\s*+[^\s\ufeff{}"\[\]][^{}"\[\]]{0,400}?(?=\s{0,99}\{\s{0,99}["\'}\w])'
)
_TEMPLATE = re.compile(
    r"\{%[^{}%\n]*+%\}|\{\{-?\s*+[\w.$][^{}\n]*+\}\}|\$\{[^{}\n]++\}|<%[^%\n]*+%>"
)
_UNREAD = frozenset({"syntax-error", "yaml-unsupported"})
_MOST_LINES = 3
_MOST_MARKS = 100
_MOST_SEARCHED = 1_000_000
_TOP = Span(0, 1)
_AROUND = "there is text around the manifest"

_Told = tuple[Span, str, str] | None
"""The place, the message, and what to do."""


def name_other_kind(text: str, name: str, decoded: Decoded) -> Decoded:
    """Return the outcome for a text of another kind, or what was read of any other."""
    syntax = "YAML" if decoded.document.syntax == "yaml" else "JSON"
    places = [each.location for each in decoded.findings]
    is_open = all(not each.fixes and each.rule in _UNREAD for each in decoded.findings)
    told = _conflict(text, decoded) or (_named(text, syntax) if is_open else None)
    told = told or _line_of_diff(text, places) or _in_fences(text)
    if is_open and not told:
        told = _around(text, places, syntax)
    if not told:
        return decoded
    clause = decoded.findings[0].clause if decoded.findings else None
    reporter = Reporter(name, text, standard=clause or "")
    reporter.report("syntax-error", *told[:2], help=told[2])
    return decoded._replace(findings=tuple(reporter.findings), readable=False)


def _conflict(text: str, decoded: Decoded) -> _Told:
    marker = None if decoded.readable else _MARKER.search(text)
    if not marker:
        return None
    do = "keep one side, and remove the marker lines"
    return Span(*marker.span()), "an unresolved merge conflict", do


def _named(text: str, syntax: str) -> _Told:
    for pattern, kind, do in _KINDS:
        if kind != syntax and (match := re.match(pattern, text)):
            return Span(*match.span()), f"this is {kind}, not {syntax}", do
    return None


def _line_of_diff(text: str, places: Sequence[Location]) -> _Told:
    for each in places[:_MOST_LINES]:
        found = _DIFF_LINE.match(text, each.span.start - each.column + 1)
        if found and (found[0] != "-" or "\n+" in text):  # else it may be an item
            do = "remove each line that begins with `-` or `@@`, and the `+` before others"
            return Span(*found.span()), "a line of a diff", do
    return None


def _in_fences(text: str) -> _Told:
    """Name the lines of the manifest in a text with fences of Markdown."""
    fences = [_line(text, each.start()) for each in islice(_FENCE.finditer(text), 2)]
    if not fences:
        return None
    do = f"remove line {fences[0]}, and the text beyond it"
    if len(fences) > 1:
        do = f"keep only lines {fences[0] + 1} to {fences[1] - 1}"
    return _TOP, _AROUND, do


def _around(text: str, places: Sequence[Location], syntax: str) -> _Told:
    """Name the marks of a template on the lines at fault, or what stands before an object."""
    marks = islice(_TEMPLATE.finditer(text, 0, _MOST_SEARCHED), _MOST_MARKS)
    lines = {each.line for each in places}
    if match := next((each for each in marks if _line(text, each.start()) in lines), None):
        do = "render it, and lint what that gives"
        return Span(*match.span()), f"this is a template, not {syntax}", do
    before = _BEFORE_OBJECT.match(text)
    if before and syntax == "JSON":
        before = before if places and places[0].span.start <= before.end() else None
    if before and (syntax == "JSON" or ":" not in before[0]):
        do = "keep only what stands from the first `{` to the last `}`"
        return Span(*before.span()), _AROUND, do
    return None


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1
