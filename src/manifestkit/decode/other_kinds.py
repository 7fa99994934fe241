"""Texts that cannot be read and are evidently something else, told by what they are."""

from __future__ import annotations

import re

from manifestkit.decode.findings import Decoded, Reporter
from manifestkit.model.location import Span

_WRITE_IT = "write the manifest in JSON or YAML"
_COPY_IT = "remove that from each line, or copy the text without it"
_KINDS = tuple(
    (re.compile(pattern), message, do)
    for pattern, message, do in (
        (
            r"(?m)^(?:<{7}|\|{7}|={7}|>{7})(?= |\r?$)[^\r\n]*",
            "an unresolved merge conflict",
            "keep one side, and remove the other lines from `<<<<<<<` to `>>>>>>>`",
        ),
        (
            r"\A(?:diff --git |--- \S.*\n\+\+\+ |@@ -\d)[^\r\n]*",
            "this is a diff, not {syntax}",
            "apply it to the manifest, and lint that",
        ),
        (
            r"(?m)^(?:```|~~~)[^\r\n]*",
            "the manifest is in a code fence",
            "keep only what is between its two lines",
        ),
        (
            r"(?i)\A\s*<(?:!doctype\s+)?html\b",
            "this is HTML, not {syntax}",
            "save the manifest, not a page",
        ),
        (
            r"(?m)(?:^|[:,{\[])[ \t]*(&(?:quot|nbsp|#\d+);)",
            "this is the source of a page, not {syntax}",
            'copy what the page shows: `"` for `&quot;`, a space for `&nbsp;`',
        ),
        (
            r"\A\s*(?:<\?php|\[\s*['\"].*=>)",
            "this is PHP, not {syntax}",
            "print it with `json_encode`",
        ),
        (r"\A\s*<[?\w]", "this is XML, not {syntax}", _WRITE_IT),
        (r"\A\{\\rtf", "this is RTF, not {syntax}", "save the file as plain text"),
        (
            r"\A\s*(?:\"\s*\{\s*\"\"|\{\s*(?:\\n)?\s*\\\")[^\r\n]*",
            "the manifest is escaped, as a string of another file",
            'write `"` for each `""` or `\\"`, and nothing around the object',
        ),
        (
            r"\A\s*(?:(?:export|(?:const|let|var|import|from)\s+\w)[^\r\n:]*|&?[\w.]+(?:\s*=(?=\s*[{(])|(?=[({])))",
            "this is a program, not {syntax}",
            "keep only the object, as `JSON.stringify` or `json.dumps` writes it",
        ),
        (
            r"\A([+>|])(?=[^\r\n]*[\r\n]+\1)",
            "each line begins with the mark of a diff, a quotation or a table",
            _COPY_IT,
        ),
        (
            r"(?m)^(?:\+[ \t]*[\w\"{}\[\]-]|-[ \t]*(?:[}\]]|\"[^\r\n]*[,{\[]\s*$))[^\r\n]*",
            "lines of a diff are in the manifest",
            "keep the lines with `+` and remove their `+`; remove the lines with `-`",
        ),
        (
            r"\A[ \t]*1[.:|)]?[ \t]+\S[^\r\n]*(?=[\r\n]+[ \t]*2[.:|)]?[ \t])",
            "each line begins with its number",
            _COPY_IT,
        ),
        (r"(?m)^\[\[?[\w.-]+\]\]?(?=\s+[\w-]+[ \t]*=)", "this is TOML, not {syntax}", _WRITE_IT),
        (
            r"\A\s*\w+(?: \"[^\"\r\n]*\")* \{(?=\s+\w+[ \t]*[={])",
            "this is HCL, not {syntax}",
            _WRITE_IT,
        ),
        (
            r"(?m)(?:^|[:,\[]|^ *-)[ \t]*(\{\{-?[ \t]*[\w.$][^{}\r\n\"]*\}\}|\{%[^%\r\n]*%\})",
            "a template that was not filled in",
            "fill it in first, as `helm template` does, and lint the result",
        ),
    )
)
"""Patterns, each with the message for it and what to do."""

_OBJECTS = (
    (
        re.compile(r"\A\s*\{(?:'|\s*'[^'\r\n]*'\s*:(?s:.*)[:,\[]\s*(?:True|False|None)\b)"),
        "a Python dict",
        "print it with `json.dumps`",
    ),
    (
        re.compile(r"\A\s*\{\s*(?://[^\r\n]*+\s*+)*(?:[A-Za-z_$][\w$]*|'[^'\r\n]*')\s*:"),
        "JavaScript",
        'put names and texts in `"`, or print the object with `JSON.stringify`',
    ),
)
"""Objects of other languages, which are read for what they mean."""

_FEW = 3


def name_other_kind(decoded: Decoded) -> Decoded:
    """Return what was read; of a text of another kind, one finding that names the kind."""
    document = decoded.document
    is_yaml = document.syntax == "yaml"
    syntax, standard = ("YAML", "YAML 1.2") if is_yaml else ("JSON", "RFC 8259 (JSON)")
    for pattern, message, do in _KINDS:
        if place := pattern.search(document.text):
            reporter = Reporter(document.name, document.text, standard=standard)
            said = message.format(syntax=syntax)
            reporter.report("syntax-error", Span(*place.span(place.lastindex or 0)), said, help=do)
            return reporter.unreadable()
    return decoded if is_yaml else _name_object(decoded)


def _name_object(decoded: Decoded) -> Decoded:
    """Return what was read; of an object of another language, what JSON spells otherwise as one."""
    slips = [each for each in decoded.findings if each.fixes]
    for pattern, what, do in _OBJECTS if len(slips) > _FEW else ():
        if pattern.match(decoded.document.text):
            edits = tuple(edit for each in slips for fix in each.fixes for edit in fix.edits)
            written = slips[0].fixes[0]._replace(message="write it as JSON", edits=edits)
            lead = slips[0]._replace(message=f"this is {what}, not JSON", help=do, fixes=(written,))
            others = (each for each in decoded.findings if each not in slips)
            return decoded._replace(findings=(lead, *others))
    return decoded
