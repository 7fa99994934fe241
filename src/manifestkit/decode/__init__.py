"""Bytes to a document: one file per syntax."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from itertools import islice

from manifestkit.decode.findings import Decoded, Reporter
from manifestkit.decode.json import decode_json
from manifestkit.model.document import YAML_SUFFIXES
from manifestkit.model.finding import Related
from manifestkit.model.limits import DEFAULT_LIMITS, Limits
from manifestkit.model.location import Location, Span

__all__ = ["Decoded", "decode"]

# UTF-32 first: its little-endian mark begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
# The first character of a manifest is ASCII, so its zero bytes betray a wide encoding.
_ZEROS: dict[tuple[bool, ...], str] = {
    (False, True, True, True): "UTF-32",
    (True, True, True, False): "UTF-32",
    (False, True, False, True): "UTF-16",
    (True, False, True, False): "UTF-16",
}
_CONFLICT = "<<<<<<<"
_MARKERS = r"(?m)^(?:<{7}|[|]{7}|={7}|>{7})(?= |\r?$)[^\r\n]*"
_MOST_MARKERS = 100
_KEY = r"[A-Za-z_][\w.-]*"
_SETTING = (
    rf"(?:\[{_KEY}\][ \t]*\r?\n|(?:export )?{_KEY}[ \t]*=[ \t]*"
    r"(?:[\"'\d]|\[|[\w./@-]+[ \t]*\r?\n))"
)
_OTHER_KINDS = (
    (r"(?i)\s*+<(?:!doctype\s++html|html)\b", "HTML", "save the manifest itself, not a page"),
    (r"\s*+<\?php\b", "PHP", "write only the value, as `json_encode` prints it"),
    (r"\s*+<[?a-zA-Z][^>]*+>", "XML", "write the manifest in JSON or YAML"),
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
    (r"\{\\rtf", "RTF", "save the file as plain text"),
    (r"version https://git-lfs\.", "a pointer of Git LFS", "run `git lfs pull`"),
    (rf'"?{_KEY}"?(?:,"?{_KEY}"?){{2,}}[ \t]*\r?\n', "CSV", "write the manifest in JSON or YAML"),
    (
        rf"(?:[ \t]*(?:[#;][^\n]*)?\n|(?!))*+{_SETTING}",
        "TOML, INI or the like",
        "write the manifest in JSON or YAML",
    ),
    (
        rf'{_KEY}(?:[ \t]+"[^"\n]*")*[ \t]*\{{[ \t]*\r?\n\s*{_KEY}\s*[={{:]',
        "HCL or the like",
        "write the manifest in JSON or YAML",
    ),
    (
        rf"(?:---[ \t]*\r?\n|#[^\n]*\n|(?!))*+{_KEY}:(?:[ \t][^{{\n]*)?\r?\n",
        "YAML",
        "give the file the suffix `.yaml`",
    ),
)
"""Beginnings of texts of other kinds, with the name of each and what to do."""

_LINES_OF_OTHERS = (
    (
        r"(?:<{7}|[|]{7}|={7}|>{7})(?= |\r?$)",
        "a line of an unresolved merge conflict",
        "keep one side of the conflict, and remove the lines of markers",
    ),
    (
        r"@@ -\d|[-+](?=[ \t]*(?:[\"{}\[\]]|[\w.]+:)|[ \t]+-[ \t])",
        "a line of a diff",
        "remove each line that begins with `-` or `@@`, and the `+` before others",
    ),
)
_ENTITIES = {
    "quot": '"',
    "#34": '"',
    "apos": "'",
    "#39": "'",
    "amp": "&",
    "lt": "<",
    "gt": ">",
    "nbsp": " ",
}
_ENTITY = re.compile(f"&({'|'.join(_ENTITIES)});")
_NUMBERED = re.compile(r"[ \t]*[(\[L]?0*([0-9]{1,6})(?:[^\w.,-]|[.-](?![0-9])|$)")
_QUOTED = re.compile(r"[>+|](?= |$)|[+](?=[{}])")
_FEWEST_LINES = 3
_MOST_SEPARATE = 3
_NEAR = 10
_MOST_NUMBERED = 2_000  # characters
_BEFORE_OBJECT = re.compile(
    r'\s*+[^\s\ufeff{}"\[\]][^{}"\[\]]{0,400}?(?=\s{0,99}\{\s{0,99}["\'}\w])'
)
_TEMPLATE = re.compile(
    r"\{%[^{}%\n]*+%\}|\{\{-?\s*+[\w.$][^{}\n]*+\}\}|\$\{[^{}\n]++\}|<%[^%\n]*+%>"
)
_FENCE = re.compile(r"(?m)^(?:```|~~~)")
_UNREAD = frozenset({"syntax-error", "yaml-unsupported"})
_MOST_SEARCHED = 1_000_000
_ZIP = b"PK\3\4"
_NOWHERE = Span(0, 0)
_TOP = Span(0, 1)
_SAVE_IT = "save the file as UTF-8"


def decode(source: bytes | str, name: str, limits: Limits = DEFAULT_LIMITS) -> Decoded:
    """Read one manifest; what keeps it from being read is in the outcome's findings.

    Args:
        source: the file's bytes, or its text.
        name: the file, as it is named to the user; its suffix tells the syntax.
        limits: bounds on what is read.
    """
    text = source if isinstance(source, str) else _text(source, name, limits)
    if isinstance(text, Decoded):
        return text
    if name.lower().endswith(YAML_SUFFIXES):
        from manifestkit.decode.yaml.composer import decode_yaml  # noqa: PLC0415 - JSON needs none of it

        decoded = decode_yaml(text, name, limits)
    else:
        decoded = decode_json(text, name, limits)
    if decoded.findings and _CONFLICT in text and (found := _conflicted(text, name, decoded)):
        return found
    is_other = not decoded.readable or text[:1] == "<" or isinstance(decoded.document.value, str)
    return _of_another_kind(text, name, decoded) if is_other else decoded


def _text(data: bytes, name: str, limits: Limits) -> str | Decoded:
    """Return the text of a file in UTF-8 (RFC 8259, 8.1), or why there is none."""
    if len(data) > limits.bytes:
        message = f"the file is larger than {limits.bytes:,} bytes"
        do = "move large data to other files"
        return _unreadable(name, message, do, rule="limit-exceeded")
    if data.startswith(_ZIP):
        do = "check a package by its path, which ends in .zip: `manifest lint site.zip`"
        return _unreadable(name, "the file is a zip archive", do)
    encoding = None if data[:1].isascii() and 0 not in data[:4] else _wide_encoding(data)
    if encoding:
        message = f"the file is encoded in {encoding}, not in UTF-8"
        return _unreadable(name, message, _SAVE_IT)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        return _not_utf8(data, name, error.start)


def _wide_encoding(data: bytes) -> str | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    return _ZEROS.get(tuple(byte == 0 for byte in data[:4]))


def _not_utf8(data: bytes, name: str, offset: int) -> Decoded:
    """Name the byte at fault, and show it as U+FFFD among its neighbours."""
    at = len(data[:offset].decode())
    likely = data[offset : offset + 1].decode("cp1252", errors="replace")
    is_known = likely.isprintable() and likely != "\ufffd"
    reading = f" (`{likely}` in Windows-1252)" if is_known else ""
    message = f"byte 0x{data[offset]:02X} at offset {offset:,} is not UTF-8{reading}"
    text = data.decode(errors="replace")
    return _unreadable(name, message, _SAVE_IT, text=text, span=Span(at, at + 1))


def _unreadable(
    name: str,
    message: str,
    help: str,
    *,
    rule: str = "syntax-error",
    text: str = "",
    span: Span = _NOWHERE,
) -> Decoded:
    """Return the outcome for a file with one fault that leaves no text to read."""
    reporter = Reporter(name, text, standard="RFC 8259, section 8.1: JSON is UTF-8")
    reporter.report(rule, span, message, help=help)
    return reporter.unreadable()


def _conflicted(text: str, name: str, otherwise: Decoded) -> Decoded | None:
    """Return the outcome for a text that cannot be read for an unresolved merge."""
    markers = list(islice(re.finditer(_MARKERS, text), _MOST_MARKERS))
    kinds = [match[0][0] for match in markers]
    if "".join(kinds[:3]).replace("|", "")[:2] != "<=" or ">" not in kinds:
        return None
    first, *others = (Span(*match.span()) for match in markers)
    reporter = Reporter(name, text, standard=otherwise.findings[0].clause)
    reporter.report(
        "syntax-error",
        first,
        "an unresolved merge conflict",
        help="keep one side, and remove the marker lines",
        related=tuple(Related("a marker", "", reporter.locate(each)) for each in others),
    )
    return otherwise._replace(findings=tuple(reporter.findings), readable=False)


def _of_another_kind(text: str, name: str, otherwise: Decoded) -> Decoded:
    """Return the outcome for a text that is evidently none of the syntax of its name."""
    syntax = "YAML" if otherwise.document.syntax == "yaml" else "JSON"
    places = [each.location for each in otherwise.findings]
    told = _at_each_line(text)
    is_open = all(not each.fixes and each.rule in _UNREAD for each in otherwise.findings)
    if is_open and not told:
        told = _named(text, syntax)
    told = told or _of_other_lines(text, places, syntax) or _in_fences(text)
    if is_open and not told:
        told = _around(text, places, syntax)
    if not told:
        return otherwise
    clause = otherwise.findings[0].clause if otherwise.findings else None
    reporter = Reporter(name, text, standard=clause or "")
    reporter.report("syntax-error", *told[:2], help=told[2])
    return otherwise._replace(findings=tuple(reporter.findings), readable=False)


_Told = tuple[Span, str, str]
"""The place, the message, and what to do."""


def _at_each_line(text: str) -> _Told | None:
    """Name what all lines of a text begin with: their numbers, or a mark."""
    lines = text[:_MOST_NUMBERED].splitlines()[: -1 if len(text) > _MOST_NUMBERED else None]
    if len(lines) < _FEWEST_LINES:
        return None
    numbers = [int(match[1]) for match in map(_NUMBERED.match, lines) if match]
    if numbers and numbers == list(range(numbers[0], numbers[0] + len(lines))):
        return _TOP, "each line begins with its number", "remove the numbers"
    marks = {match and match[0] for match in map(_QUOTED.match, lines)}
    if len(marks) == 1 and (mark := marks.pop()):
        return _TOP, f"each line begins with `{mark}`", "remove it from each line"
    return None


def _of_other_lines(text: str, places: Sequence[Location], syntax: str) -> _Told | None:
    """Name lines at fault that are no part of a manifest, or the HTML on them."""
    for each in places[:_MOST_SEPARATE]:
        start = each.span.start - each.column + 1
        for pattern, message, do in _LINES_OF_OTHERS:
            found = re.compile(pattern, re.MULTILINE).match(text, start)
            is_item = text.startswith("-", start) and "\n+" not in text
            if found and not is_item:
                return Span(*found.span()), message, do
        if found := _ENTITY.search(text, start, each.span.end + _NEAR):
            do = f"write `{_ENTITIES[found[1]]}` for each `{found[0]}`"
            return Span(*found.span()), f"`{found[0]}` is HTML, not {syntax}", do
    return None


def _in_fences(text: str) -> _Told | None:
    """Name the lines of the manifest in a text with fences of Markdown."""
    fences = [_line(text, each.start()) for each in islice(_FENCE.finditer(text), 2)]
    if not fences:
        return None
    if len(fences) == 1:
        fences = [0, fences[0]] if fences[0] > 1 else [1, _line(text, len(text.rstrip())) + 1]
    do = f"keep only lines {fences[0] + 1} to {fences[1] - 1}"
    return _TOP, "there is text around the manifest", do


def _named(text: str, syntax: str) -> _Told | None:
    for pattern, kind, do in _OTHER_KINDS:
        if kind != syntax and (match := re.match(pattern, text)):
            return Span(*match.span()), f"this is {kind}, not {syntax}", do
    return None


def _around(text: str, places: Sequence[Location], syntax: str) -> _Told | None:
    """Name the marks of a template on the lines at fault, or what stands before an object."""
    marks = islice(_TEMPLATE.finditer(text, 0, _MOST_SEARCHED), _MOST_MARKERS)
    lines = {each.line for each in places}
    if match := next((each for each in marks if _line(text, each.start()) in lines), None):
        do = "render it, and lint what that gives"
        return Span(*match.span()), f"this is a template, not {syntax}", do
    before = _BEFORE_OBJECT.match(text)
    if before and syntax == "JSON":
        before = before if places and places[0].span.start <= before.end() else None
    if before and (syntax == "JSON" or ":" not in before[0]):
        do = "keep only what stands from the first `{` to the last `}`"
        return Span(*before.span()), "there is text around the manifest", do
    return None


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1
