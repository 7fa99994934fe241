"""Bytes to a document: one file per syntax."""

from __future__ import annotations

import codecs
import re
from itertools import islice

from manifestkit.decode.findings import Decoded, Reporter
from manifestkit.decode.json import decode_json
from manifestkit.model.document import YAML_SUFFIXES
from manifestkit.model.finding import Related
from manifestkit.model.limits import DEFAULT_LIMITS, Limits
from manifestkit.model.location import Span

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
_OTHER_KINDS = (
    (r"(?i)\s*+<(?:!doctype\s++html|html)\b", "HTML", "save the manifest itself, not a page"),
    (r"\s*+<[?a-zA-Z][^>]*+>", "XML", "write the manifest in JSON or YAML"),
    (r"diff --git |--- \S|@@ -\d", "a diff", "apply it to the manifest, and lint that"),
    (
        r"\s*+(?:import|export|module\.exports|const|let|var)\b",
        "JavaScript",
        "write only the object, as `JSON.stringify` prints it",
    ),
    (r'"\{\s*+""', "a cell of CSV", 'write `"` for `""`, without the outer quotes'),
)
"""Beginnings of texts of other kinds, with the name of each and what to do."""
_TEMPLATE = re.compile(r"\{%[^{}%\n]*+%\}|\{\{-?\s*+[\w.$][^{}\n]*+\}\}")
_FENCE = re.compile(r"(?m)^ {0,3}```")
_UNREAD = frozenset({"syntax-error", "yaml-unsupported"})
_MOST_SEARCHED = 1_000_000
_ZIP = b"PK\3\4"
_NOWHERE = Span(0, 0)
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
    if decoded.findings and _CONFLICT in text:
        return _conflicted(text, name, decoded)
    is_other = not decoded.readable or text[:1] == "<"
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


def _conflicted(text: str, name: str, otherwise: Decoded) -> Decoded:
    """Return the outcome for a text that cannot be read, which may be for an unresolved merge."""
    markers = list(islice(re.finditer(_MARKERS, text), _MOST_MARKERS))
    kinds = [match[0][0] for match in markers]
    if "".join(kinds[:3]).replace("|", "")[:2] != "<=" or ">" not in kinds:
        return otherwise
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
    if any(each.fixes or each.rule not in _UNREAD for each in otherwise.findings):
        return otherwise
    lines = {each.location.line for each in otherwise.findings}
    syntax = "YAML" if otherwise.document.syntax == "yaml" else "JSON"
    message, do, span = "", "", _NOWHERE
    for pattern, kind, what_to_do in _OTHER_KINDS:
        if match := re.match(pattern, text):
            message, do, span = f"this is {kind}, not {syntax}", what_to_do, Span(*match.span())
            break
    else:
        marks = islice(_TEMPLATE.finditer(text, 0, _MOST_SEARCHED), _MOST_MARKERS)
        if match := next((each for each in marks if _line(text, each.start()) in lines), None):
            message, span = f"this is a template, not {syntax}", Span(*match.span())
            do = "render it, and lint what that gives"
        elif _FENCE.search(text, 0, _MOST_SEARCHED) and (inside := _object_lines(text)):
            message, span = "there is text around the manifest", Span(0, 1)
            do = f"keep only lines {inside[0]} to {inside[1]}, from `{{` to `}}`"
    if not message:
        return otherwise
    clause = otherwise.findings[0].clause if otherwise.findings else None
    reporter = Reporter(name, text, standard=clause or "")
    reporter.report("syntax-error", span, message, help=do)
    return otherwise._replace(findings=tuple(reporter.findings), readable=False)


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _object_lines(text: str) -> tuple[int, int] | None:
    """Return the first line that begins an object, and the last one that ends one."""
    lines = text.splitlines()
    first = next((number for number, each in enumerate(lines, 1) if each[:1] == "{"), None)
    last = next((number for number in range(len(lines), 0, -1) if lines[number - 1][:1] == "}"), 0)
    return (first, last) if first is not None and first < last else None
