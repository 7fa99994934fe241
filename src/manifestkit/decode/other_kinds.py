"""Texts that are evidently none of the syntax of their name, told by what they are."""

from __future__ import annotations

import re

from manifestkit.decode.findings import Decoded, Reporter
from manifestkit.model.location import Span

_KEY = r"[A-Za-z_][\w.-]*"
_SETTING = (
    rf"(?:\[{_KEY}\][ \t]*\r?\n|(?:export )?{_KEY}[ \t]*=[ \t]*"
    r"(?:[\"'\d]|\[|[\w./@-]+[ \t]*\r?\n))"
)
_WRITE_IT = "write the manifest in JSON or YAML"
_BEFORE_OBJECT = r'\s*+[^\s\ufeff{}"\[\]][^{}"\[\]OTHER]{0,400}?(?=\s{0,99}\{\s{0,99}["\'}\w])'
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
    (rf'"?{_KEY}"?(?:,"?{_KEY}"?){{2,}}[ \t]*\r?\n', "CSV", _WRITE_IT),
    (rf"(?:[ \t]*(?:[#;][^\n]*)?\n|(?!))*+{_SETTING}", "TOML, INI or the like", _WRITE_IT),
    (
        rf"(?:---[ \t]*\r?\n|#[^\n]*\n|(?!))*+{_KEY}:(?:[ \t][^{{\n]*)?\r?\n",
        "YAML",
        "give the file the suffix `.yaml`",
    ),
)
"""Beginnings of texts of other kinds, with the name of each and what to do."""

_CONFLICT = re.compile(r"(?m)^(?:<{7}|[|]{7}|>{7})(?= |\r?$)[^\r\n]*")
_FENCE = re.compile(r"(?m)^(?:```|~~~)")
_BEFORE = {
    "JSON": re.compile(_BEFORE_OBJECT.replace("OTHER", "")),
    "YAML": re.compile(_BEFORE_OBJECT.replace("OTHER", ":")),
}
_UNREAD = frozenset({"syntax-error", "yaml-unsupported"})

_Told = tuple[re.Match[str], str, str] | None
"""The place, the message, and what to do."""


def name_other_kind(text: str, name: str, decoded: Decoded) -> Decoded:
    """Return the outcome for a text of another kind, or what was read of any other."""
    told = _told(text, decoded)
    if not told:
        return decoded
    place, message, do = told
    clause = decoded.findings[0].clause if decoded.findings else None
    reporter = Reporter(name, text, standard=clause or "")
    reporter.report("syntax-error", Span(*place.span()), message, help=do)
    return decoded._replace(findings=tuple(reporter.findings), readable=False)


def _told(text: str, decoded: Decoded) -> _Told:
    syntax = "YAML" if decoded.document.syntax == "yaml" else "JSON"
    if not decoded.readable and (marker := _CONFLICT.search(text)):
        return marker, "an unresolved merge conflict", "keep one side, and remove the marker lines"
    around = "there is text around the manifest"
    if all(not each.fixes and each.rule in _UNREAD for each in decoded.findings):
        for pattern, kind, do in _KINDS:
            if kind != syntax and (begin := re.match(pattern, text)):
                return begin, f"this is {kind}, not {syntax}", do
        if not _FENCE.search(text) and (before := _BEFORE[syntax].match(text)):
            return before, around, "keep only what stands from the first `{` to the last `}`"
    if fence := _FENCE.search(text):
        return fence, around, "remove the fences, and the text beyond them"
    return None
